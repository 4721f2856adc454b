"""The first layer in training: sums of rows of real weights, and their gradients."""

import numpy as np

from bgsim.kernels._jit import jit
from bgsim.kernels.bits import ZERO, trailing_zeros
from bgsim.kernels.features import WORDS, write_features
from bgsim.kernels.net import has_contact


@jit
def write_words(boards: np.ndarray, words: np.ndarray, contact: np.ndarray) -> None:
    """Write the features (uint64[n, WORDS]) of boards (uint64[n, 4]) and if the sides can meet (bool[n])."""
    for i in range(boards.shape[0]):
        low, high, far_low, far_high = boards[i, 0], boards[i, 1], boards[i, 2], boards[i, 3]
        write_features(low, high, far_low, far_high, words[i])
        contact[i] = has_contact(low, high, far_low, far_high)


@jit
def sum_rows(
    words: np.ndarray, chosen: np.ndarray, weights: np.ndarray, biases: np.ndarray, out: np.ndarray
) -> None:
    """out[s] = biases + rows of weights (float32[INPUTS, width]) whose bits are on in words[chosen[s]]."""
    for s in range(chosen.shape[0]):
        total = out[s]
        for c in range(total.shape[0]):
            total[c] = biases[c]
        for w in range(WORDS):
            bits = words[chosen[s], w]
            while bits != ZERO:
                row = weights[64 * w + np.int64(trailing_zeros(bits))]
                bits &= bits - np.uint64(1)
                for c in range(total.shape[0]):
                    total[c] += row[c]


@jit
def add_gradients(
    words: np.ndarray, chosen: np.ndarray, slopes: np.ndarray, columns: tuple[int, int], gradients: np.ndarray
) -> None:
    """gradients[row] += slopes[s] (float32[n, width]) for each bit on in words[chosen[s]].

    Only columns[0] up to columns[1], so that threads may share the width.
    """
    first, last = columns
    for s in range(chosen.shape[0]):
        slope = slopes[s, first:last]
        for w in range(WORDS):
            bits = words[chosen[s], w]
            while bits != ZERO:
                row = gradients[64 * w + np.int64(trailing_zeros(bits)), first:last]
                bits &= bits - np.uint64(1)
                for c in range(last - first):
                    row[c] += slope[c]


@jit
def adam_step(
    weights: np.ndarray,
    gradients: np.ndarray,
    means: np.ndarray,
    squares: np.ndarray,
    scale: np.float32,
    rate: np.float32,
    kept: np.float32,
) -> None:
    """One step of Adam on flat float32 arrays, in place, for gradients times scale; clears the gradients.

    rate includes the correction of the first steps' bias; weights are first multiplied by `kept`.
    """
    keep1, new1 = np.float32(0.9), np.float32(0.1)
    keep2, new2 = np.float32(0.999), np.float32(0.001)
    for i in range(weights.shape[0]):
        g = gradients[i] * scale
        means[i] = keep1 * means[i] + new1 * g
        squares[i] = keep2 * squares[i] + new2 * g * g
        weights[i] = kept * weights[i] - rate * means[i] / (np.sqrt(squares[i]) + np.float32(1e-8))
        gradients[i] = np.float32(0.0)
