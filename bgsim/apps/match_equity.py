"""What a match score is worth, and what doubles are worth at it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bgsim.core.errors import MatchEquityError
from bgsim.core.match_points import (
    Stakes,
    dead_take_point,
    double_point,
    gammon_value,
    live_take_point,
    too_good_point,
)
from bgsim.core.numbers import whole_within
from bgsim.formats.match_equity import DEFAULT_TABLE, MatchEquities, load_match_equities

__all__ = ["match_equity", "match_equity_matrix"]

MOST_POINTS = 64
CUBES = tuple(1 << k for k in range(7))


def match_equity(
    own: int,
    other: int,
    *,
    table: str | Path = DEFAULT_TABLE,
    crawford: bool | None = None,
    gammons: Sequence[float] = (0.0, 0.0),
) -> dict[str, Any]:
    """Return what a score says: the player needs `own` points, the opponent `other`.

    crawford: this is the Crawford game; by default it is where one needs 1 and the other more. gammons:
    shares of the player's and of the opponent's wins that are gammons. Keys: `win` (chance to win the match),
    `after_crawford`, `free_drop_cost` (after the Crawford game, what it costs the leader to pass at once:
    little where the trailer needs an even number), and for `player` and `opponent` a list by cube value:
    `gammon_value`, `gammon_price` (twice that), `dead_take_point`, `live_take_point`, `double_point` (dead
    cube), `cash_point` (live: where the other is to pass), `too_good_point` (dead). In the Crawford game
    nobody doubles, and the lists hold gammon values alone.

    Raises:
        MatchEquityError: a score or a share that cannot be, or that the table does not know.

    >>> round(match_equity(3, 3)["player"][0]["dead_take_point"], 4)
    0.3017
    """
    for points in (own, other):
        if whole_within(points, 1, MOST_POINTS) is None:
            raise MatchEquityError(
                f"{points!r} points needed: whole numbers from 1 to {MOST_POINTS} are allowed"
            )
    if len(gammons) != 2 or not all(0 <= share <= 1 for share in gammons):
        raise MatchEquityError(f"gammons are {gammons!r}: two shares of wins from 0 to 1 are allowed")
    one_away = min(own, other) == 1 and own != other
    if crawford and not one_away:
        raise MatchEquityError(
            f"{own} against {other} is no Crawford score: one must need 1 and the other more"
        )
    is_crawford = one_away if crawford is None else crawford
    after = one_away and not is_crawford
    equities = load_match_equities(table)
    stakes = Stakes(
        chance=lambda a, b, played: equities.chance(a, b, after_crawford=played),
        own=own,
        other=other,
        crawford=is_crawford,
        after_crawford=after,
        gammons=gammons[0],
        other_gammons=gammons[1],
    )
    return {
        "table": equities.name,
        "own": own,
        "other": other,
        "crawford": is_crawford,
        "after_crawford": after,
        "win": equities.chance(own, other, after_crawford=after),
        "free_drop_cost": _free_drop_cost(equities, own, other) if after else None,
        "player": _figures(stakes),
        "opponent": _figures(stakes.turned),
    }


def _figures(stakes: Stakes) -> list[dict[str, float]]:
    """A player's figures with the cube at 1, 2, 4, ..., as long as it can matter."""
    rows = []
    for cube in CUBES:
        if cube >= max(stakes.own, stakes.other) and cube > 1:
            break
        value = gammon_value(stakes, cube)
        row = {"cube": float(cube), "gammon_value": value, "gammon_price": 2 * value}
        if not stakes.crawford:
            row |= {
                "dead_take_point": dead_take_point(stakes, cube),
                "live_take_point": live_take_point(stakes, cube),
                "double_point": double_point(stakes, cube),
                "cash_point": 1 - live_take_point(stakes.turned, cube),
                "too_good_point": too_good_point(stakes, cube),
            }
        rows.append(row)
    return rows


def _free_drop_cost(equities: MatchEquities, own: int, other: int) -> float:
    """What the leader's chance falls by when he passes an immediate double."""
    needed = max(own, other)  # by the trailer
    trailer = [equities.chance(points, 1, after_crawford=True) for points in (needed, needed - 1)]
    return trailer[1] - trailer[0]


def match_equity_matrix(
    length: int = 15, *, table: str | Path = DEFAULT_TABLE
) -> tuple[MatchEquities, list[list[float]], list[float]]:
    """Return a table, its chances [own - 1][other - 1] before the game, and the trailer's after Crawford.

    Raises:
        MatchEquityError: it does not go so far.
    """
    equities = load_match_equities(table)
    points = range(1, length + 1)
    rows = [[equities.chance(own, other) for other in points] for own in points]
    return equities, rows, [equities.chance(own, 1, after_crawford=True) for own in points]
