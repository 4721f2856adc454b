"""What has been played so far: sums and finished trials of every group of roots."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from bgsim.core.errors import TableError
from bgsim.engine.batch import Records
from bgsim.kernels.playout import OUTCOMES
from bgsim.kernels.rollout import ENDED, FIRST_VALUE, PLIES, SETTLED, SUMS, VALUES
from bgsim.run.statistics import RolloutStatistics

__all__ = ["GroupTotals", "Ledger"]


class GroupTotals:
    """Exact sums over the finished trials of one group of roots that share dice.

    Python's integers cannot overflow, so records may be added in any number and order.
    """

    def __init__(self, group_size: int) -> None:
        self.sums = [[0] * SUMS for _ in range(group_size)]
        self.squares = [[0] * VALUES for _ in range(group_size)]
        self.products = [[0] * group_size for _ in range(group_size)]
        self.finished: list[tuple[int, int]] = []  # half-open intervals of trials, sorted, apart

    def add(self, first: int, trials: int, sums: Any, squares: Any, products: Any) -> None:
        """Add the sums of trials first .. first + trials - 1.

        Raises:
            TableError: some of these trials were added before.
        """
        self.finished = _with_interval(self.finished, (first, first + trials))
        for j, row in enumerate(sums.tolist()):
            self.sums[j] = [a + b for a, b in zip(self.sums[j], row, strict=True)]
        for total, added in ((self.squares, squares), (self.products, products)):
            for i, line in enumerate(added.tolist()):
                for j, (high, low) in enumerate(line):
                    total[i][j] += (high << 64) + (low & 0xFFFFFFFFFFFFFFFF)

    @property
    def trials(self) -> int:
        """How many trials are finished."""
        return sum(end - start for start, end in self.finished)

    def missing(self, trials: int) -> Iterator[tuple[int, int]]:
        """The half-open intervals of 0 .. trials - 1 that are still to be played."""
        at = 0
        for start, end in [*self.finished, (trials, trials)]:
            if at < min(start, trials):
                yield at, min(start, trials)
            at = end

    def statistics(self, root: int = 0) -> RolloutStatistics:
        """Figures of one root of the group."""
        row = self.sums[root]
        return RolloutStatistics(
            counts=tuple(row[:OUTCOMES]),
            plies=row[PLIES],
            totals=tuple(row[FIRST_VALUE : FIRST_VALUE + VALUES]),
            squares=tuple(self.squares[root]),
            ended_in_table=row[ENDED],
            settled_trials=row[SETTLED],
        )


class Ledger:
    """The totals of every group of a plan."""

    def __init__(self, groups: int, group_size: int = 1) -> None:
        self.group_size = group_size
        self.totals = [GroupTotals(group_size) for _ in range(groups)]

    def add(self, records: Records) -> int:
        """Add finished segments; returns their trials."""
        for record in records:
            group = self.totals[int(record["group"])]
            group.add(
                int(record["first_trial"]),
                int(record["trials"]),
                record["sums"],
                record["squares"],
                record["products"],
            )
        return int(np.sum(records["trials"])) if len(records) else 0

    def trials(self) -> int:
        """Finished trials of all groups together."""
        return sum(group.trials for group in self.totals)


def _with_interval(intervals: Iterable[tuple[int, int]], new: tuple[int, int]) -> list[tuple[int, int]]:
    """Sorted disjoint intervals with one more, touching ones joined."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted([*intervals, new]):
        if joined and start < joined[-1][1]:
            raise TableError(f"trials {start} to {min(end, joined[-1][1]) - 1} were counted twice")
        if joined and start == joined[-1][1]:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
