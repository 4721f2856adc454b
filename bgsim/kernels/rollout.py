"""Batches of trials, summed in integers: the kernel that an executor's workers run."""

import numpy as np

from bgsim.kernels._jit import jit
from bgsim.kernels.bits import HALF, LOW
from bgsim.kernels.certain import CERTAIN
from bgsim.kernels.playout import IN_TABLE, OUTCOMES, TRUNCATED, Roots, Settings, Workspace, play_out

# Values of a trial: the five cumulative rates (2^-32) and its points (2^-32 points), to seat 0.
VALUES = 6
CHANCE_SHIFT = 8  # from shares of CERTAIN to 2^-32
EQUITY = VALUES - 1

PLIES = OUTCOMES  # columns of a root's sums after the counts of outcomes
FIRST_VALUE = OUTCOMES + 1
ENDED = FIRST_VALUE + VALUES  # trials that ended in a table
SETTLED = ENDED + 1  # trials that ended when their outcome was certain; counted as outcomes too
SUMS = SETTLED + 1

# A trial's points are a multiple of 2^-32 of at most 3 x 1024 in size (rules.md C4), below 2^44, so
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
def write_values(outcome: int, cube: int, chances: np.ndarray, values: np.ndarray) -> None:
    """Values (int64[VALUES]) of a finished trial to seat 0; a truncated one scores 0.

    chances: int64[5], W, WG, WBG, LG, LBG (shares of CERTAIN) of one that ended in a table.
    """
    for k in range(VALUES):
        values[k] = 0
    if outcome == TRUNCATED:
        return
    if outcome == IN_TABLE:
        won = 2 * chances[0] - CERTAIN + chances[1] + chances[2] - chances[3] - chances[4]
        for k in range(5):
            values[k] = chances[k] << CHANCE_SHIFT
        values[EQUITY] = (won << CHANCE_SHIFT) * cube
        return
    size = outcome % 3 + 1  # single, gammon, backgammon
    won = outcome < 3
    for k in range(size):
        if won or k > 0:
            values[k if won else k + 2] = 1 << 32
    values[EQUITY] = ((size if won else -size) * cube) << 32


@jit
def run_segments(
    settings: Settings,
    roots: Roots,
    segments: np.ndarray,
    work: Workspace,
    stop: np.ndarray,
    sums: np.ndarray,
    squares: np.ndarray,
    products: np.ndarray,
    done: np.ndarray,
) -> None:
    """Run m segments (int64[m, 3]: first root, first trial, trials), each of k roots that share dice.

    sums: int64[m, k, SUMS], counts of outcomes, plies, values, two more counts. squares:
    int64[m, k, VALUES, 2], sums of squared values as (high, low). products: int64[m, k, k, 2], the same of
    products of the roots' points. done: int64[m], finished trials of each segment. stop: uint8[1], looked at
    between trials.
    """
    k = sums.shape[1]
    for row in range(segments.shape[0]):
        first_root, first_trial = segments[row, 0], segments[row, 1]
        for trial in range(first_trial, first_trial + segments[row, 2]):
            if stop[0]:
                return
            for j in range(k):
                outcome, plies, cube, settled = play_out(settings, roots, first_root + j, trial, work)
                values = work.values[j]
                write_values(outcome, cube, work.chances[0], values)
                sums[row, j, ENDED if outcome == IN_TABLE else outcome] += 1
                if settled:
                    sums[row, j, SETTLED] += 1
                sums[row, j, PLIES] += plies
                for v in range(VALUES):
                    sums[row, j, FIRST_VALUE + v] += values[v]
                    if values[v] != 0:
                        add_product(squares[row, j, v], values[v], values[v])
            for i in range(k):
                for j in range(k):
                    add_product(products[row, i, j], work.values[i, EQUITY], work.values[j, EQUITY])
            done[row] += 1
