"""What tables say of positions: chances, equities, cube actions."""

from collections.abc import Mapping, Sequence
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from bgsim.bearoff.one_sided import PIPS_A_ROLL, OneSided
from bgsim.bearoff.two_sided import TwoSided
from bgsim.core.errors import PositionError, TableError
from bgsim.core.position import OFF, Position

__all__ = [
    "ANSWERS",
    "actions_of",
    "ask_one_sided",
    "ask_two_sided",
    "columns_of_pairs",
    "covers",
    "gnubg_index",
    "side_counts",
    "win_by_rolls",
]

Reals = npt.NDArray[np.float64]

# Names of what a two-sided or hypergammon table says, in this order.
ANSWERS = (
    "win",
    "win_gammon",
    "win_backgammon",
    "lose_gammon",
    "lose_backgammon",
    "equity_cubeless",
    "equity_owned",
    "equity_centred",
    "equity_centred_jacoby",
    "equity_opponent_owned",
    "equity_double_take",
    "action",
    "action_redouble",
    "action_centred_jacoby",
)


def gnubg_index(counts: Sequence[int]) -> int:
    """Number of a position (checkers on the ace point first) as GNU Backgammon's tables count them.

    The ends of the points, laid out in a row with the checkers between them, are a choice of places; this
    is its number in the order of combinations.

    >>> gnubg_index([1, 1, 1, 0, 1, 2]), gnubg_index([15, 0, 0, 0, 0, 0])
    (641, 38760)
    """
    place, places = len(counts) - 1 + sum(counts), []
    for count in counts:
        places.append(place)
        place -= count + 1
    return sum(comb(place, k) for k, place in enumerate(sorted(places), 1))


def _sides(positions: Sequence[Position], points: int) -> list[npt.NDArray[np.int64]]:
    """Checkers on the last points of the side on roll and of the other: int64[n, points] each."""
    counts = np.array([(p.on_roll, p.opponent) for p in positions], np.int64).reshape(len(positions), 2, 26)
    return [counts[:, side, 1 : points + 1] for side in (0, 1)]


def covers(table: TwoSided, positions: Sequence[Position]) -> npt.NDArray[np.bool_]:
    """Which positions a table knows: neither side has finished, all stand on its points, not too many.

    A side of fewer than 15 checkers in all that has none off could lose a gammon, which is in no table but
    that of 15.
    """
    counts = np.array([(p.on_roll, p.opponent) for p in positions], np.int64).reshape(len(positions), 2, 26)
    left = counts[:, :, 1:].sum(axis=2)
    near = counts[:, :, 1 : table.points + 1].sum(axis=2) == left
    gammons = (counts[:, :, OFF] > 0) | (left == 15)
    found: npt.NDArray[np.bool_] = ((left > 0) & (left <= table.checkers) & near & gammons).all(axis=1)
    return found


def ask_two_sided(table: TwoSided, positions: Sequence[Position]) -> dict[str, npt.NDArray[Any]]:
    """Everything in ANSWERS as columns, to the player on roll; equities are of not doubling now.

    Raises:
        PositionError: a position that the table does not cover.
    """
    for position, covered in zip(positions, covers(table, positions), strict=True):
        if not covered:
            raise PositionError(
                f"{position.gnubg_id} is not in the table: it has 1 to {table.checkers} checkers of each "
                f"side, all on its last {table.points} points"
            )
    pairs = np.stack([table.numbers(side) for side in _sides(positions, table.points)], axis=1)
    return columns_of_pairs(table, pairs)


def columns_of_pairs(table: TwoSided, pairs: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[Any]]:
    """As `ask_two_sided`, of pairs of numbers (int64[n, 2]), the side on roll first."""
    known = {name: table.read(name, pairs) for name in table.values}
    cubeless = known["equity_cubeless"]
    balance = known.get("win_minus_lose", cubeless)
    more_won = cubeless - balance  # gammons won less those lost; only where both can be it takes more
    both = table.full[pairs].all(axis=1) if "gammons" in known else np.zeros(len(pairs), np.bool_)
    gammons = np.where(both, known.get("gammons", 0.0), np.abs(more_won))
    win = (balance + 1) / 2
    none = np.zeros(len(pairs))
    return {
        "win": win,
        "win_gammon": np.clip((gammons + more_won) / 2, 0, win),
        "win_backgammon": none,
        "lose_gammon": np.clip((gammons - more_won) / 2, 0, 1 - win),
        "lose_backgammon": none,
        "equity_cubeless": cubeless,
        "equity_owned": known["equity_owned"],
        "equity_centred": known["equity_centred"],
        "equity_centred_jacoby": known.get("equity_centred_jacoby", known["equity_centred"]),
        "equity_opponent_owned": known["equity_opponent_owned"],
        **actions_of(known),
    }


def actions_of(known: Mapping[str, Reals]) -> dict[str, npt.NDArray[Any]]:
    """equity_double_take and the best actions, of a table's equities of not doubling."""
    take = 2 * known["equity_opponent_owned"]
    centred = known["equity_centred"]
    return {
        "equity_double_take": take,
        "action": _actions(centred, take, "double"),
        "action_redouble": _actions(known["equity_owned"], take, "redouble"),
        "action_centred_jacoby": _actions(known.get("equity_centred_jacoby", centred), take, "double"),
    }


def _actions(not_doubled: Reals, take: Reals, double: str) -> npt.NDArray[Any]:
    """no double, double/take, double/pass, or too good; no double where both are worth the same."""
    doubles = np.minimum(take, 1) > not_doubled
    return np.where(
        doubles,
        np.where(take > 1, f"{double}/pass", f"{double}/take"),
        np.where(not_doubled > 1, "too good", f"no {double}"),
    )


def ask_one_sided(table: OneSided, counts: Sequence[int]) -> dict[str, Any]:
    """Rolls of one side, the ace point first: mean_rolls, epc, wastage, distribution and more.

    Raises:
        TableError: the table has not so many checkers or points.
    """
    (number,) = table.numbers([counts]).tolist()
    (mean,), pips = table.means([number]).tolist(), sum(p * n for p, n in enumerate(counts, 1))
    answer: dict[str, Any] = {
        "pips": pips,
        "mean_rolls": mean,
        "epc": mean * PIPS_A_ROLL,
        "wastage": mean * PIPS_A_ROLL - pips,
        "gnubg_index": gnubg_index(counts),
    }
    if table.has_chances:
        answer["distribution"] = table.chances(number).tolist()
    if sum(counts) == table.checkers:
        answer["mean_rolls_first"] = table.means([number], first=True).tolist()[0]
        if table.has_chances:
            answer["distribution_first"] = table.chances(number, first=True).tolist()
    return answer


def win_by_rolls(mine: npt.ArrayLike, theirs: npt.ArrayLike) -> float:
    """Chance to be done first with the roll, of chances (float64[rolls]) to need 0, 1, 2, ... rolls each.

    Exact only where neither side would play otherwise for the other's position.
    """
    chances = [np.asarray(side, np.float64) for side in (mine, theirs)]
    rolls = max(map(len, chances)) + 1
    me, they = (np.pad(side, (0, rolls - len(side))) for side in chances)
    not_done = 1 - np.concatenate([[0], np.cumsum(they)[:-1]])  # after k - 1 rolls of theirs
    return float(me @ not_done)


def side_counts(position: Position, opponent: bool, points: int) -> list[int]:
    """Checkers of a side on its last points, the ace point first.

    Raises:
        TableError: some stand elsewhere.
    """
    side = position.opponent if opponent else position.on_roll
    if any(side[points + 1 :]):
        raise TableError(f"{position.gnubg_id} has checkers beyond the {points} points of the table")
    return list(side[1 : points + 1])
