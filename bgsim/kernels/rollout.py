"""Batches of trials, summed in integers: the kernel that an executor's workers run."""

import numpy as np

from bgsim.kernels._jit import jit
from bgsim.kernels.bits import HALF, LOW
from bgsim.kernels.playout import OUTCOMES, TRUNCATED, Roots, Settings, Workspace, play_out

PLIES = OUTCOMES  # columns of a root's sums after the counts of outcomes
VALUE = OUTCOMES + 1
SUMS = OUTCOMES + 2

# A trial's value is a multiple of 2^-32 points of at most 3 x 1024 in size (rules.md C4), below 2^44, so
# 2^19 of them cannot overflow an int64 sum.
MAX_BATCH_TRIALS = 1 << 19


@jit
def add_product(products: np.ndarray, a: int, b: int) -> None:
    """Add a x b (each below 2^62 in size) to a 128-bit sum held as int64 (high, low), low being unsigned."""
    negative = (a < 0) != (b < 0)
    x, y = np.uint64(abs(a)), np.uint64(abs(b))
    middle1 = (x >> HALF) * (y & LOW)
    middle2 = (x & LOW) * (y >> HALF)
    low = (x & LOW) * (y & LOW)
    carry = (low >> HALF) + (middle1 & LOW) + (middle2 & LOW)
    low = (low & LOW) | (carry << HALF)
    high = (x >> HALF) * (y >> HALF) + (middle1 >> HALF) + (middle2 >> HALF) + (carry >> HALF)
    if negative:
        low = ~low + np.uint64(1)
        high = ~high + (np.uint64(1) if low == np.uint64(0) else np.uint64(0))
    before = np.uint64(products[1])
    after = before + low
    products[1] = np.int64(after)
    products[0] = np.int64(np.uint64(products[0]) + high + (np.uint64(1) if after < before else np.uint64(0)))


@jit
def value_of(outcome: int, cube: int) -> int:
    """Points of a finished trial to seat 0, times 2^32; a truncated one scores 0."""
    if outcome == TRUNCATED:
        return 0
    points = outcome + 1 if outcome < 3 else 2 - outcome
    return (points * cube) << 32


@jit
def run_segments(
    settings: Settings,
    roots: Roots,
    segments: np.ndarray,
    work: Workspace,
    stop: np.ndarray,
    sums: np.ndarray,
    products: np.ndarray,
    done: np.ndarray,
) -> None:
    """Run m segments (int64[m, 3]: first root, first trial, trials), each of k roots that share dice.

    sums: int64[m, k, SUMS], counts of outcomes, plies, value (2^-32 points). products: int64[m, k, k, 2],
    sums of products of values (2^-64) as (high, low). done: int64[m], finished trials of each segment. stop:
    uint8[1], looked at between trials.
    """
    k = sums.shape[1]
    for row in range(segments.shape[0]):
        first_root, first_trial = segments[row, 0], segments[row, 1]
        for trial in range(first_trial, first_trial + segments[row, 2]):
            if stop[0]:
                return
            for j in range(k):
                outcome, plies, cube = play_out(settings, roots, first_root + j, trial, work)
                value = value_of(outcome, cube)
                sums[row, j, outcome] += 1
                sums[row, j, PLIES] += plies
                sums[row, j, VALUE] += value
                work.values[j] = value
            for i in range(k):
                for j in range(k):
                    add_product(products[row, i, j], work.values[i], work.values[j])
            done[row] += 1
