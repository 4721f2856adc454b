"""One side bears off alone: plays that take the fewest rolls on average, and how the rolls are distributed.

Positions are worked out by their numbers (see `numbering`), so all that a play leads to is known. A roll is
played a die at a time: the best end of one, two and three moves of each die is kept for the last few pip
counts, which gives every play of the 21 rolls in a few hundred look-ups.
"""

from typing import NamedTuple

import numpy as np

from bgsim.kernels._jit import jit
from bgsim.kernels.numbering import number_of

HOME = 6
DEEPEST_MOVE = 6  # pips of one checker move
DEEPEST_PLAY = 24  # pips of a whole play


class OneSidedWork(NamedTuple):
    """What a sweep reads and writes. Rings hold a row a position, at its number modulo their length."""

    ways: np.ndarray  # int64, see numbering
    firsts: np.ndarray  # int64
    means: np.ndarray  # float64[positions], rolls
    chances: np.ndarray  # float64[ring, rolls], chance to be done with exactly so many rolls
    best: np.ndarray  # float64[ring, 3, 6], least mean after 1, 2, 3 moves of each die
    ends: np.ndarray  # int64[ring, 3, 6], where they lead to
    roll_best: np.ndarray  # float64[6, 6], scratch
    roll_end: np.ndarray  # int64[6, 6], scratch


@jit
def sweep(work: OneSidedWork, start: int, position: np.ndarray, needed: int, rows: np.ndarray) -> None:
    """Work out positions of one pip count (uint8[n, points]), which are number start, start + 1, ...

    A position with fewer than `needed` checkers is done: 1 asks for all of them off, the number of all for
    the first one. rows: float64[n, rolls], the distributions.
    """
    means, chances, best, ends = work.means, work.chances, work.best, work.ends
    points, ring, far_ring = position.shape[1], best.shape[0], chances.shape[0]
    for row in range(position.shape[0]):
        here, number = position[row], start + row
        checkers = highest = 0
        for p in range(points):
            checkers += here[p]
            if here[p] > 0:
                highest = p + 1
        place = number % ring
        for k in range(rows.shape[1]):
            rows[row, k] = 0.0
        if checkers < needed:
            means[number] = 0.0
            rows[row, 0] = 1.0
            for moves in range(3):
                for die in range(6):
                    best[place, moves, die] = 0.0
                    ends[place, moves, die] = number
        else:
            _work_out(work, here, highest, place, number, rows[row])
        for k in range(rows.shape[1]):
            chances[number % far_ring, k] = rows[row, k]


@jit
def _work_out(
    work: OneSidedWork, here: np.ndarray, highest: int, place: int, number: int, row: np.ndarray
) -> None:
    """One position that is not done."""
    means, chances, best, ends = work.means, work.chances, work.best, work.ends
    ring, far_ring = best.shape[0], chances.shape[0]
    roll_best, roll_end = work.roll_best, work.roll_end
    for die in range(6):
        for other in range(6):
            roll_best[die, other] = np.inf
        for moves in range(3):
            best[place, moves, die] = np.inf
    for die in range(6):
        for p in range(highest):
            target = p - die - 1
            if here[p] == 0 or (target < 0 and (highest > HOME or (target < -1 and p + 1 < highest))):
                continue
            here[p] -= 1
            if target >= 0:
                here[target] += 1
            then = number_of(work.ways, work.firsts, here)
            here[p] += 1
            if target >= 0:
                here[target] -= 1
            if means[then] < best[place, 0, die]:
                best[place, 0, die], ends[place, 0, die] = means[then], then
            after = then % ring
            for moves in range(2):
                if best[after, moves, die] < best[place, moves + 1, die]:
                    best[place, moves + 1, die] = best[after, moves, die]
                    ends[place, moves + 1, die] = ends[after, moves, die]
            if best[after, 2, die] < roll_best[die, die]:
                roll_best[die, die], roll_end[die, die] = best[after, 2, die], ends[after, 2, die]
            for other in range(6):
                low, high = min(die, other), max(die, other)
                if other != die and best[after, 0, other] < roll_best[low, high]:
                    roll_best[low, high], roll_end[low, high] = best[after, 0, other], ends[after, 0, other]
    total = 0.0
    for low in range(6):
        for high in range(low, 6):
            weight = 1.0 if low == high else 2.0
            total += weight * roll_best[low, high]
            end = roll_end[low, high] % far_ring
            for k in range(row.shape[0] - 1):
                row[k + 1] += weight * chances[end, k]
    for k in range(row.shape[0]):
        row[k] /= 36.0
    means[number] = 1.0 + total / 36.0
