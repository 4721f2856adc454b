"""The positions of one side on its last points, and where its rolls lead."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bgsim.core.errors import TableError
from bgsim.kernels.bearoff_plays import MOST_ENDS, ROLLS, list_moves, list_plays
from bgsim.kernels.numbering import firsts_of, ways_of, write_numbers, write_positions

__all__ = ["Side", "full_sides", "number_positions", "side_of"]


@dataclass(frozen=True, slots=True)
class Side:
    """All positions of up to so many checkers on a side's last points, by number (see `numbering`).

    firsts: number of the first position of each pip count, and of all positions at the end. full: whether
    all checkers are left, 15 of them, so that the side can lose a gammon. Roll r (11, 21, 22, 31, ...) of
    position n leads to plays[offsets[21 n + r]:offsets[21 n + r + 1]].
    """

    points: int
    checkers: int
    positions: npt.NDArray[np.uint8]  # [positions, points]
    firsts: npt.NDArray[np.int64]
    full: npt.NDArray[np.bool_]
    offsets: npt.NDArray[np.int64]
    plays: npt.NDArray[np.int32]

    @property
    def pip_counts(self) -> int:
        """How many pip counts there are, 0 among them."""
        return len(self.firsts) - 1


def side_of(points: int, checkers: int) -> Side:
    """List everything; 9 million plays of 15 checkers on 6 points take half a second."""
    ways = ways_of(points, checkers)
    firsts = firsts_of(ways)
    n = int(firsts[-1])
    positions, moves = np.zeros((n, points), np.uint8), np.zeros((n, 6, points), np.int32)
    write_positions(ways, firsts, 0, positions)
    list_moves(ways, firsts, positions, moves)
    offsets, queues = np.zeros(n * ROLLS + 1, np.int64), np.zeros((3, MOST_ENDS), np.int32)
    total = list_plays(moves, 0, n, offsets, np.zeros(0, np.int32), np.full(n, -1, np.int64), queues)
    plays = np.zeros(total, np.int32)
    list_plays(moves, 0, n, offsets, plays, np.full(n, -1, np.int64), queues)
    return Side(points, checkers, positions, firsts, full_sides(positions), offsets, plays)


def full_sides(positions: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Which positions have 15 checkers left."""
    full: npt.NDArray[np.bool_] = positions.sum(axis=1, dtype=np.int64) == 15
    return full


def number_positions(
    ways: npt.NDArray[np.int64], firsts: npt.NDArray[np.int64], positions: npt.ArrayLike
) -> npt.NDArray[np.int64]:
    """Numbers (int64[n]) of positions (whole numbers [n, points]), checkers on the ace point first.

    Raises:
        TableError: other points, or more checkers than there are positions of.
    """
    points, checkers = ways.shape[0] - 1, ways.shape[1] - 1
    given = np.atleast_2d(np.asarray(positions))
    sound = given.ndim == 2 and given.shape[1] == points and given.dtype.kind in "iu"
    if not sound or given.min(initial=0) < 0 or given.sum(axis=1).max(initial=0) > checkers:
        raise TableError(
            f"the table has up to {checkers} checkers on {points} points; give whole numbers "
            f"[any, {points}], checkers on the ace point first"
        )
    found = np.zeros(len(given), np.int64)
    write_numbers(ways, firsts, np.ascontiguousarray(given, np.uint8), found)
    return found
