"""The `greedy` policy: a small documented heuristic, integer arithmetic only.

A result is scored from the mover's side, higher is better. While there is contact:
- each own blot loses by the enemy points within six pips that could hit it, twice as much on the near half;
- each made point gains, more where it blocks (own 4 to 8) and next to another one (a prime);
- an anchor in the opponent's home board gains, stragglers there lose;
- each enemy checker on the bar gains, more against a stronger home board.
Without contact: checkers off first, then pips, then how many different home points are filled.
"""

import numpy as np

from bgsim.kernels._jit import jit
from bgsim.kernels.bits import FAR_HOME, HOME, ONE, POINTS, lowest, popcount, turned
from bgsim.kernels.board import blots, count_on, made, occupied, pip_count

NEAR = np.uint64(0x1FFE)  # own points 1..12
BLOCKING = np.uint64(0x1F0)  # own points 4..8
ANCHORS = np.uint64(0xF80000)  # own points 19..23
BAR_INDEX = np.uint64(25)
OFF_INDEX = np.uint64(0)


@jit
def _contact_score(
    low: np.uint64,
    high: np.uint64,
    far_low: np.uint64,
    far_high: np.uint64,
    own: np.uint64,
    enemy: np.uint64,
) -> int:
    """Score of one result while the sides can still meet."""
    exposed = blots(low, high)
    shots = 0
    for die in range(1, 7):
        reached = exposed & (enemy << np.uint64(die))
        shots += np.int64(popcount(reached) + popcount(reached & NEAR))
    points = made(low, high) & POINTS
    board = np.int64(popcount(points & HOME))
    score = 4 * np.int64(popcount(points)) + 5 * np.int64(popcount(points & BLOCKING))
    score += 4 * np.int64(popcount(points & (points >> ONE)))
    score += 6 if points & ANCHORS else 0
    score -= 3 * np.int64(popcount(own & FAR_HOME))
    score += count_on(far_low, far_high, BAR_INDEX) * (8 + 2 * board)
    return score + 3 * count_on(low, high, OFF_INDEX) - 3 * shots


@jit
def score_greedy(results: np.ndarray, n: int, scores: np.ndarray) -> None:
    """Write the scores of n results (uint64[n, 4], mover's view) to int64[n]."""
    for row in range(n):
        low, high, far_low, far_high = (
            results[row, 0],
            results[row, 1],
            results[row, 2],
            results[row, 3],
        )
        own = occupied(low, high)
        enemy = turned(occupied(far_low, far_high))
        if own > lowest(enemy):  # the rearmost own checker stands behind the enemy's rearmost
            scores[row] = _contact_score(low, high, far_low, far_high, own, enemy)
        else:
            filled = np.int64(popcount(own & HOME))
            scores[row] = 64 * count_on(low, high, OFF_INDEX) - 4 * pip_count(low, high) + filled
