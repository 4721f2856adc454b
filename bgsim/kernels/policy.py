"""Choosing a play: one kernel for every built-in policy, by its id."""

import numpy as np

from bgsim.kernels._jit import jit
from bgsim.kernels.dice import below
from bgsim.kernels.greedy import score_greedy

RANDOM = 0
GREEDY = 1


@jit
def score_results(
    policy: int,
    board: np.ndarray,
    results: np.ndarray,
    n: int,
    outcome_values: np.ndarray,
    scores: np.ndarray,
) -> None:
    """Write the scores of a whole list of results, higher is better for the mover.

    board: uint64[4] before the play. results: uint64[n, 4], mover's view. outcome_values: int64[6], what
    each outcome is worth to the mover under the rules, the cube and the score, in 2^-32 points.
    scores: int64[n].
    """
    if policy == GREEDY:
        score_greedy(results, n, scores)


@jit
def choose(
    policy: int,
    board: np.ndarray,
    results: np.ndarray,
    n: int,
    outcome_values: np.ndarray,
    word: np.uint64,
    scores: np.ndarray,
) -> int:
    """Row of the play that the policy makes among n > 0 results; equal scores: the first listed.

    word: 32 random bits of this ply, used by `random` alone.
    """
    if n == 1:
        return 0
    if policy == RANDOM:
        return below(word, n)
    score_results(policy, board, results, n, outcome_values, scores)
    best = 0
    for row in range(1, n):
        if scores[row] > scores[best]:
            best = row
    return best
