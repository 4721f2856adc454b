"""Where the rolls of one side alone lead, by numbers of positions (see `numbering`)."""

import numpy as np

from bgsim.kernels._jit import jit
from bgsim.kernels.numbering import number_of

HOME = 6
ROLLS = 21  # in the order 11, 21, 22, 31, 32, 33, ...
MOST_ENDS = 512  # of one roll, and on the way to it


@jit
def list_moves(ways: np.ndarray, firsts: np.ndarray, positions: np.ndarray, moves: np.ndarray) -> None:
    """Write where one checker move of each die leads: int32[n, 6, points], -1 after the last.

    positions: uint8[n, points], number 0, 1, ... A checker is borne off when all stand in the home board and
    the die is exact, or larger than the highest needs.
    """
    points = positions.shape[1]
    for row in range(positions.shape[0]):
        here, highest = positions[row], 0
        for p in range(points):
            if here[p] > 0:
                highest = p + 1
        for die in range(6):
            found = 0
            for p in range(highest):
                target = p - die - 1
                stays = target < 0 and (highest > HOME or (target < -1 and p + 1 < highest))
                if here[p] > 0 and not stays:
                    here[p] -= 1
                    if target >= 0:
                        here[target] += 1
                    moves[row, die, found] = number_of(ways, firsts, here)
                    found += 1
                    here[p] += 1
                    if target >= 0:
                        here[target] -= 1
            for unused in range(found, points):
                moves[row, die, unused] = -1


@jit
def _step(
    moves: np.ndarray,
    die: int,
    queue: np.ndarray,
    n: int,
    ends: np.ndarray,
    marks: np.ndarray,
    stamp: int,
    found: int,
) -> int:
    """Add where one more move of a die leads from queue[:n] to ends[found:], each once; returns how many."""
    for i in range(n):
        number = queue[i]
        if number == 0 and marks[0] != stamp:  # nothing is left to move
            marks[0] = stamp
            ends[found] = 0
            found += 1
        for k in range(moves.shape[2]):
            then = moves[number, die, k]
            if then < 0:
                break
            if marks[then] != stamp:
                marks[then] = stamp
                ends[found] = then
                found += 1
    return found


@jit
def list_plays(
    moves: np.ndarray,
    start: int,
    end: int,
    offsets: np.ndarray,
    plays: np.ndarray,
    marks: np.ndarray,
    queues: np.ndarray,
) -> int:
    """List where each of the 21 rolls leads from positions number start to end, each end once.

    offsets: int64[(end - start) * 21 + 1], into plays (int32). marks: int64[positions], all -1 at first.
    queues: int32[3, MOST_ENDS]. Returns how many there are; with plays of length 0 they are only counted.
    """
    total, stamp = 0, 0
    counted_only = plays.shape[0] == 0
    offsets[0] = 0
    place = 0
    for number in range(start, end):
        for high in range(6):
            for low in range(high + 1):
                n = 1
                queues[0, 0] = number
                if low == high:
                    side = 0
                    for _ in range(4):
                        stamp += 1
                        n = _step(moves, low, queues[side], n, queues[1 - side], marks, stamp, 0)
                        side = 1 - side
                    ends = queues[side]
                else:
                    queues[0, 0] = number
                    first = _step(moves, high, queues[0], 1, queues[1], marks, stamp + 1, 0)
                    other = _step(moves, low, queues[0], 1, queues[2], marks, stamp + 2, 0)
                    stamp += 3
                    n = _step(moves, low, queues[1], first, queues[0], marks, stamp, 0)
                    n = _step(moves, high, queues[2], other, queues[0], marks, stamp, n)
                    ends = queues[0]
                if not counted_only:
                    for k in range(n):
                        plays[total + k] = ends[k]
                total += n
                place += 1
                offsets[place] = total
    return total
