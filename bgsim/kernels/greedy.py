"""The `greedy` policy: a small documented heuristic, integer arithmetic only.

A result is scored from the mover's side, higher is better. While there is contact:
- each own blot loses 2 for each enemy point within six pips that could hit it, 26 more on the near half;
- each made point gains 5, 8 more if it blocks (own 4 to 8), 8 for a made neighbour (a prime);
- an anchor (own 19 to 23) gains 12; each point held beyond 18, the bar too, loses 6, each checker there 1;
- each enemy checker on the bar gains 12, and 5 for each home point made against it;
- each checker off gains 6; each point held on the ace, the deuce or from 7 to 12 loses 1.
Without contact: 64 for a checker off, 4 less for each pip left, 1 for each home point filled.

The weights come from a few hundred duels of neighbouring weights on the same dice; against the first, typed
in by hand, they win 0.38 points a game.
"""

import numpy as np

from bgsim.kernels._jit import jit
from bgsim.kernels.bits import FAR_HOME, HALF, HOME, ONE, POINTS, lowest, popcount, turned
from bgsim.kernels.board import blots, count_on, made, occupied, pip_count

NEAR = np.uint64(0x1FFE)  # own points 1..12
BLOCKING = np.uint64(0x1F0)  # own points 4..8
ANCHORS = np.uint64(0xF80000)  # own points 19..23
IDLE = np.uint64(0x1F86)  # own points 1, 2 and 7..12
BAR_INDEX = np.uint64(25)
OFF_INDEX = np.uint64(0)


@jit
def _checkers_on(low: np.uint64, high: np.uint64, points: np.uint64) -> np.int64:
    """Number of checkers on a set of points."""
    ones = popcount(low & points) + np.uint64(2) * popcount((low >> HALF) & points)
    return np.int64(
        ones + np.uint64(4) * popcount(high & points) + np.uint64(8) * popcount((high >> HALF) & points)
    )


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
    near_shots = far_shots = np.int64(0)
    for die in range(1, 7):
        reached = exposed & (enemy << np.uint64(die))
        near_shots += np.int64(popcount(reached & NEAR))
        far_shots += np.int64(popcount(reached & ~NEAR))
    points = made(low, high) & POINTS
    home_points = np.int64(popcount(points & HOME))
    score = 5 * np.int64(popcount(points)) + 8 * np.int64(popcount(points & BLOCKING))
    score += 8 * np.int64(popcount(points & (points >> ONE)))
    score += 12 if points & ANCHORS else 0
    score -= 6 * np.int64(popcount(own & FAR_HOME)) + _checkers_on(low, high, FAR_HOME)
    score += count_on(far_low, far_high, BAR_INDEX) * (12 + 5 * home_points)
    score -= np.int64(popcount(own & IDLE)) + 28 * near_shots + 2 * far_shots
    return score + 6 * count_on(low, high, OFF_INDEX)


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
