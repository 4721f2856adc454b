"""From integer sums to rates, equities and standard errors.

All inputs are exact integers, and Python's integer division rounds correctly, so equal sums give equal
figures on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Self

from bgsim.core.outcome import OUTCOME_POINTS

__all__ = ["RolloutStatistics", "mean_and_error", "paired_difference"]

VALUE_UNIT = 1 << 32  # of a trial's values
RATES = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")
# Which exclusive outcomes (Outcome numbers) each cumulative rate counts.
_COUNTED = {
    "win": (0, 1, 2),
    "win_gammon": (1, 2),
    "win_backgammon": (2,),
    "lose_gammon": (4, 5),
    "lose_backgammon": (5,),
}


def mean_and_error(total: int, squares: int, n: int, *, unit: int = 1) -> tuple[float, float]:
    """Mean of n values with this sum and sum of squares, and its standard error.

    The values are counted in 1/unit. The error is 0 when all of them agree, and for a single one, from which
    nothing can be said.

    >>> mean_and_error(2, 2, 4)
    (0.5, 0.28867513459481287)
    """
    spread = n * squares - total * total
    return total / (n * unit), sqrt(spread / (n * n * (n - 1) * unit * unit)) if n > 1 else 0.0


@dataclass(frozen=True, slots=True)
class RolloutStatistics:
    """What the finished trials of one root say, from the view of its player on roll.

    `counts` are the six outcomes (Outcome order) and, last, the truncated trials, which neither side won and
    which score 0; trials that ended in a table are none of these. `totals` and `squares` are the sums of the
    trials' values and of their squares, in units of VALUE_UNIT and its square: the cumulative rates in the
    order of RATES (a gammon counts as a win too, a backgammon as a gammon too) and the points.
    """

    counts: tuple[int, ...]
    plies: int
    totals: tuple[int, ...]
    squares: tuple[int, ...]
    ended_in_table: int = 0  # trials
    settled_trials: int = 0  # that ended when nothing could change their outcome; among the counts too

    @classmethod
    def of_outcomes(cls, counts: tuple[int, ...], plies: int) -> Self:
        """The statistics of trials that were played to their end, by how often each outcome came.

        >>> RolloutStatistics.of_outcomes((1, 0, 0, 1, 0, 0, 0), plies=40).equity
        0.0
        """
        rates = [sum(counts[outcome] for outcome in _COUNTED[name]) for name in RATES]
        pairs = list(zip(OUTCOME_POINTS, counts, strict=False))
        totals = [*rates, sum(points * count for points, count in pairs)]
        squares = [*rates, sum(points * points * count for points, count in pairs)]
        return cls(
            counts,
            plies,
            tuple(total * VALUE_UNIT for total in totals),
            tuple(square * VALUE_UNIT**2 for square in squares),
        )

    @property
    def trials(self) -> int:
        """Finished trials, truncated ones included."""
        return sum(self.counts) + self.ended_in_table

    @property
    def truncated_trials(self) -> int:
        """Trials that ran into the limit of plies."""
        return self.counts[6]

    @property
    def mean_plies(self) -> float:
        """Mean number of rolls of a trial."""
        return self.plies / self.trials

    @property
    def equity(self) -> float:
        """Cubeless equity in points."""
        return self._value(len(RATES))[0]

    @property
    def equity_se(self) -> float:
        """Standard error of the equity itself (not a sum of the rates' errors)."""
        return self._value(len(RATES))[1]

    def rate(self, name: str) -> tuple[float, float]:
        """A cumulative rate by its column name, and its standard error."""
        return self._value(RATES.index(name))

    def _value(self, k: int) -> tuple[float, float]:
        return mean_and_error(self.totals[k], self.squares[k], self.trials, unit=VALUE_UNIT)

    def figures(self) -> dict[str, float]:
        """All rates and the equity with their errors, by column name."""
        found: dict[str, float] = {}
        for k, name in enumerate((*RATES, "equity")):
            found[name], found[f"{name}_se"] = self._value(k)
        return found


def paired_difference(
    totals: Sequence[int], products: Sequence[Sequence[int]], n: int, i: int, j: int
) -> tuple[float, float]:
    """Mean of value i minus value j over n trials on the same dice, and its paired standard error.

    totals: sums of values; products[i][j]: sums of products of values; in any one unit.
    """
    squares = products[i][i] - 2 * products[i][j] + products[j][j]
    return mean_and_error(totals[i] - totals[j], squares, n)
