"""Fitting a net to chances by gradient descent; numpy and the kernels, nothing else.

The same samples in the same order give the same bits on one machine, whatever the number of threads: a batch
is always cut into the same parts. Matrix products are numpy's, so other machines may differ in the last bits.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from bgsim.engine.nets import ACTIVATION_TOP, Net, reals_of, rounded
from bgsim.kernels.features import BIAS, INPUTS
from bgsim.kernels.fitting import adam_step, add_gradients, sum_rows

__all__ = ["Fit", "chances_of", "equities"]

Reals = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
OUTPUTS = 5
PARTS = 4  # of a batch, for threads; fixed, so that sums are the same whatever their number
COLUMNS = 128  # of the first layer's gradient that a thread works on
TOP = np.float32(ACTIVATION_TOP)
DECAY = 0.1  # share of the rate by which weights shrink each step
LARGEST_SUM = np.float32(120)  # of a further layer's weights to one output: sums must fit their integers


class Fit:
    """A net in training, with the state of its optimiser (Adam)."""

    def __init__(self, widths: tuple[int, ...], rng: np.random.Generator, threads: int = 2) -> None:
        """Random weights; `widths` are those of the hidden layers."""
        sizes = (INPUTS, *widths, OUTPUTS)
        self.weights: list[Reals] = []
        for before, after in pairwise(sizes):
            # Bits that are on in a usual position decide the size of a first sum.
            spread = np.sqrt((0.1 if after == OUTPUTS else 2.0) / (60 if before == INPUTS else before))
            self.weights.append((rng.standard_normal((before, after)) * spread).astype(np.float32))
        self.biases: list[Reals] = [np.zeros(after, np.float32) for after in sizes[1:]]
        arrays = self.weights + self.biases
        self.means = [np.zeros_like(a) for a in arrays]
        self.squares = [np.zeros_like(a) for a in arrays]
        self.steps = 0
        self._gradients = [np.zeros_like(a) for a in arrays]
        self._pool = ThreadPoolExecutor(threads)

    def begin_from(self, net: Net) -> None:
        """Say what a smaller net says: as many layers, none of them wider.

        The first units of each layer become those of the net. The others keep their random weights, but
        nothing goes from them to the net's units, so that they only count once they have learnt something.
        """
        weights, biases = reals_of(net)
        for whole, part in zip(self.weights, weights, strict=True):
            before, after = part.shape
            whole[:before, :after] = part
            whole[before:, :after] = 0
        for constants, part in zip(self.biases, biases, strict=True):
            constants[: len(part)] = part

    def net(self) -> Net:
        """The net as it is now, in whole numbers."""
        return rounded(self.weights, self.biases)

    def forward(self, words: Words, chosen: Numbers) -> list[Reals]:
        """Activations of every layer, the last being log odds, for the chosen rows of words."""
        total = np.empty((len(chosen), len(self.biases[0])), np.float32)
        sum_rows(words, chosen, self.weights[0], self.biases[0], total)
        layers = [total]
        for weights, biases in zip(self.weights[1:], self.biases[1:], strict=True):
            np.clip(layers[-1], 0, TOP, out=layers[-1])
            layers.append(layers[-1] @ weights + biases)
        return layers

    def step(self, words: Words, chosen: Numbers, targets: Reals, rate: float) -> float:
        """One step on a batch towards targets (float32[batch, 5], cumulative chances).

        Returns the mean squared error of the equity before it.
        """
        edges = [round(len(chosen) * k / PARTS) for k in range(PARTS + 1)]
        parts = [slice(a, b) for a, b in pairwise(edges)]
        done = list(self._pool.map(lambda part: self._part(words, chosen[part], targets[part]), parts))
        count = len(self.weights)
        for k in range(1, 2 * count):
            if k != count:
                self._gradients[k] = sum(part.gradients[k] for part in done[1:]) + done[0].gradients[k]
        slope = np.concatenate([part.slope for part in done])
        self._gradients[count] = slope.sum(axis=0)
        width = slope.shape[1]
        spans = [(k, min(k + COLUMNS, width)) for k in range(0, width, COLUMNS)]
        list(
            self._pool.map(lambda span: add_gradients(words, chosen, slope, span, self._gradients[0]), spans)
        )
        self._descend(np.float32(1 / len(chosen)), rate)
        return sum(part.error for part in done) / len(chosen)

    def _part(self, words: Words, chosen: Numbers, targets: Reals) -> "_Part":
        """Gradients of a part of a batch; those of the first layer only up to its sums."""
        layers = self.forward(words, chosen)
        slope, error = _slopes(layers[-1], targets)
        count = len(self.weights)
        gradients: list[Reals] = [np.zeros(0, np.float32)] * (2 * count)
        for k in range(count - 1, 0, -1):
            gradients[k] = layers[k - 1].T @ slope
            gradients[count + k] = slope.sum(axis=0)
            active = (layers[k - 1] > 0) & (layers[k - 1] < TOP)
            slope = np.multiply(slope @ self.weights[k].T, active, dtype=np.float32)
        return _Part(gradients, slope, error)

    def _descend(self, scale: np.float32, rate: float) -> None:
        self.steps += 1
        corrected = np.float32(rate * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps))
        kept = np.float32(1 - rate * DECAY)

        def one(weights: Reals, gradients: Reals, means: Reals, squares: Reals) -> None:
            adam_step(
                weights.reshape(-1),
                gradients.reshape(-1),
                means.reshape(-1),
                squares.reshape(-1),
                scale,
                corrected,
                kept,
            )

        list(self._pool.map(one, self.weights + self.biases, self._gradients, self.means, self.squares))
        self.weights[0][BIAS] = 0
        for weights in self.weights[1:]:
            weights *= np.minimum(1, LARGEST_SUM / np.maximum(1, np.abs(weights).sum(axis=0)))


@dataclass(frozen=True, slots=True)
class _Part:
    gradients: list[Reals]
    slope: Reals  # float32[samples, width of the first layer]
    error: float  # summed squares of equity


def _logistic(logits: Reals) -> Reals:
    # Cut off where exp still has a number: a chance of e^-80 is nothing either way.
    chances: Reals = np.reciprocal(1 + np.exp(np.minimum(-logits, 80)), dtype=np.float32)
    return chances


def chances_of(logits: Reals) -> Reals:
    """Cumulative chances (W, WG, WBG, LG, LBG) of log odds."""
    odds = _logistic(logits)
    out = np.empty_like(odds)
    out[:, 0] = odds[:, 0]
    out[:, 1] = out[:, 0] * odds[:, 1]
    out[:, 2] = out[:, 1] * odds[:, 2]
    out[:, 3] = (1 - out[:, 0]) * odds[:, 3]
    out[:, 4] = out[:, 3] * odds[:, 4]
    return out


def equities(chances: Reals) -> Reals:
    """Cubeless equity of cumulative chances: 2W - 1 + WG + WBG - LG - LBG."""
    out: Reals = 2 * chances[:, 0] - 1 + chances[:, 1] + chances[:, 2] - chances[:, 3] - chances[:, 4]
    return out


def _slopes(logits: Reals, targets: Reals) -> tuple[Reals, float]:
    """Gradient by log odds of the outcomes' summed cross entropy; summed squared error of the equity."""
    odds = _logistic(logits)
    slope = np.empty_like(odds)
    slope[:, 0] = odds[:, 0] - targets[:, 0]
    slope[:, 1] = targets[:, 0] * odds[:, 1] - targets[:, 1]
    slope[:, 2] = targets[:, 1] * odds[:, 2] - targets[:, 2]
    slope[:, 3] = (1 - targets[:, 0]) * odds[:, 3] - targets[:, 3]
    slope[:, 4] = targets[:, 3] * odds[:, 4] - targets[:, 4]
    error = float(np.sum((equities(chances_of(logits)) - equities(targets)) ** 2))
    return slope, error
