"""How a game ends and what that is worth, always from the player on roll."""

from enum import IntEnum
from typing import NamedTuple

from bgsim.core.errors import BgsimError, PositionError
from bgsim.core.position import OFF, Position

__all__ = [
    "OUTCOME_POINTS",
    "CumulativeRates",
    "Outcome",
    "cubeless_equity",
    "cumulative",
    "exclusive",
    "finished_outcome",
    "resignation_level",
]


class Outcome(IntEnum):
    """The six ways in which a game can end, for the player on roll."""

    WIN = 0
    WIN_GAMMON = 1
    WIN_BACKGAMMON = 2
    LOSE = 3
    LOSE_GAMMON = 4
    LOSE_BACKGAMMON = 5

    @property
    def points(self) -> int:
        """Points for the player on roll, per unit of the cube."""
        return OUTCOME_POINTS[self]

    def swapped(self) -> "Outcome":
        """Return the same end as the opponent sees it.

        >>> Outcome.WIN_GAMMON.swapped().name
        'LOSE_GAMMON'
        """
        return Outcome((self + 3) % 6)


OUTCOME_POINTS = (1, 2, 3, -1, -2, -3)


class CumulativeRates(NamedTuple):
    """Shares of games from the player on roll; gammons are wins too, backgammons gammons too."""

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float


def finished_outcome(position: Position) -> Outcome:
    """Return how a finished game ended, from the player on roll of the position.

    The loser is gammoned if he has borne off nothing, backgammoned if he also has a checker on the
    bar or in the winner's home board. One checker off saves both.

    Raises:
        PositionError: the game is not over.

    Source: rules of backgammon, results of a game (G1 to G3 of the project's rule list).

    >>> finished_outcome(Position.from_points({0: 15}, {6: 13, 24: 2})).name
    'WIN_BACKGAMMON'
    """
    if not position.is_over:
        raise PositionError("the game is not over: both sides still have checkers to bear off")
    won = not any(position.on_roll[1:])
    loser = position.opponent if won else position.on_roll
    caught = 2 if any(loser[19:]) else 1
    level = 0 if loser[OFF] else caught
    return Outcome(level if won else 3 + level)


def cubeless_equity(
    win: float,
    win_gammon: float,
    win_backgammon: float,
    lose_gammon: float,
    lose_backgammon: float,
) -> float:
    """Return the cubeless equity in points per unit of the cube: 2W - 1 + WG + WBG - LG - LBG.

    All five rates are cumulative and from the player on roll.

    Source: the definition, every outcome weighed with its points.

    >>> round(cubeless_equity(0.6, 0.2, 0.05, 0.1, 0.02), 12)
    0.33
    """
    return 2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon


def exclusive(
    win: float,
    win_gammon: float,
    win_backgammon: float,
    lose_gammon: float,
    lose_backgammon: float,
) -> tuple[float, float, float, float, float, float]:
    """Return the six shares that sum to 1, in the order of Outcome, from five cumulative rates.

    >>> [round(share, 12) for share in exclusive(0.6, 0.2, 0.05, 0.1, 0.02)]
    [0.4, 0.15, 0.05, 0.3, 0.08, 0.02]
    """
    return (
        win - win_gammon,
        win_gammon - win_backgammon,
        win_backgammon,
        1 - win - lose_gammon,
        lose_gammon - lose_backgammon,
        lose_backgammon,
    )


def cumulative(
    win: float,
    win_gammon: float,
    win_backgammon: float,
    lose: float,
    lose_gammon: float,
    lose_backgammon: float,
) -> CumulativeRates:
    """Return the cumulative rates of six exclusive shares or counts, given in the order of Outcome.

    Counts are divided by their sum, so that integers from a rollout can be given as they are.

    Raises:
        BgsimError: the six sum to nothing.

    >>> tuple(cumulative(40, 15, 5, 30, 8, 2))
    (0.6, 0.2, 0.05, 0.1, 0.02)
    """
    total = win + win_gammon + win_backgammon + lose + lose_gammon + lose_backgammon
    if total <= 0:
        raise BgsimError("outcome counts that sum to nothing have no rates, give at least one game")
    return CumulativeRates(
        (win + win_gammon + win_backgammon) / total,
        (win_gammon + win_backgammon) / total,
        win_backgammon / total,
        (lose_gammon + lose_backgammon) / total,
        lose_backgammon / total,
    )


def resignation_level(points: int, cube: int) -> int:
    """Return 1, 2 or 3: the single game, gammon or backgammon that so many resigned points mean.

    Points that no level gives exactly count as the next level up: 3 points on a 2 cube resign a
    gammon.

    Raises:
        BgsimError: fewer points than one or more than a backgammon is worth.

    Source: public case S09 of the project's case list.

    >>> resignation_level(3, 2), resignation_level(2, 2), resignation_level(9, 4)
    (2, 1, 3)
    """
    level = -(-points // cube)
    if not 1 <= level <= 3:
        raise BgsimError(
            f"a resignation of {points} points on a {cube} cube is no game, gammon or backgammon: "
            f"1 to {3 * cube} points are allowed"
        )
    return level
