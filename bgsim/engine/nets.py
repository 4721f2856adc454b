"""Nets as whole numbers, and as the kernels read them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from bgsim.core.errors import PolicyError
from bgsim.engine.tables import NO_TABLES, Loaded
from bgsim.kernels.board import MAX_RESULTS
from bgsim.kernels.features import BIAS, INPUTS, WORDS
from bgsim.kernels.net import (
    LAYER,
    LAYER_BIASES,
    LAYER_WEIGHTS,
    LAYER_WIDTH,
    LAYERS,
    LAYOUT,
    LOGIT_BITS,
    MAX_LAYERS,
    MAX_WIDTH,
    ROWS_AT,
    WIDTH,
    Evaluator,
    Nets,
    NetScratch,
)
from bgsim.kernels.vectors import CEILING, DENSE_BLOCK, OUTPUTS, ROWS_AT_ONCE, SHIFT, SUM_BLOCK

__all__ = [
    "ACTIVATION_TOP",
    "WIDTHS_THAT_FIT",
    "Layer",
    "Net",
    "joined",
    "new_evaluator",
    "reals_of",
    "rounded",
    "widths_fit",
]

Reals = npt.NDArray[np.float32]
Whole = TypeVar("Whole", np.int16, np.int32)

UNIT = 1 << (LOGIT_BITS - SHIFT)  # the activation that stands for 1
WEIGHT_UNIT = 1 << SHIFT  # the weight that stands for 1 after the first layer
ACTIVATION_TOP = 8.0  # activations are cut off here
USED_OUTPUTS = 5


WIDTHS_THAT_FIT = (
    f"1 to {MAX_LAYERS} widths from {DENSE_BLOCK} to {MAX_WIDTH}, the first a multiple of {SUM_BLOCK}, the "
    f"others of {DENSE_BLOCK}"
)


def widths_fit(widths: Sequence[int]) -> bool:
    """Whether the kernels can work out a net of these hidden widths."""
    return (
        1 <= len(widths) <= MAX_LAYERS
        and widths[0] % SUM_BLOCK == 0
        and all(width % DENSE_BLOCK == 0 for width in widths)
        and min(widths) >= DENSE_BLOCK
        and max(widths) <= MAX_WIDTH
    )


@dataclass(frozen=True, slots=True)
class Layer:
    """Weights int16[inputs, outputs] and biases int32[outputs], in the units of `bgsim.kernels.net`.

    Biases of the first layer are in its weights' unit, those of further layers in that of their sums.
    """

    weights: npt.NDArray[np.int16]
    biases: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Net:
    """A stack of layers from the INPUTS features to five log odds of the player who has just moved.

    Raises:
        PolicyError: the layers do not fit the kernels, or are so large that a sum could overflow.
    """

    layers: tuple[Layer, ...]

    def __post_init__(self) -> None:
        shapes = [layer.weights.shape for layer in self.layers]
        fits = (
            2 <= len(shapes) <= MAX_LAYERS + 1
            and all(
                layer.weights.dtype == np.int16 and layer.biases.dtype == np.int32 for layer in self.layers
            )
            and all(len(shape) == 2 for shape in shapes)
            and shapes[0][0] == INPUTS
            and shapes[-1][1] == USED_OUTPUTS
            and all(before[1] == after[0] for before, after in pairwise(shapes))
            and all(layer.biases.shape == layer.weights.shape[1:] for layer in self.layers)
            and widths_fit(self.widths)
        )
        if not fits:
            raise PolicyError(f"layers of {', '.join(map(str, shapes))} are no net of this version")
        if np.abs(self.layers[0].biases.astype(np.int64)).max() > np.iinfo(np.int16).max:
            raise PolicyError("biases are so large that a sum could overflow")  # they become a row of weights
        for layer in self.layers[1:]:
            sums = CEILING * np.abs(layer.weights.astype(np.int64)).sum(axis=0)
            if (sums + np.abs(layer.biases.astype(np.int64)) + WEIGHT_UNIT).max() > np.iinfo(np.int32).max:
                raise PolicyError("weights are so large that a sum could overflow")

    @property
    def widths(self) -> tuple[int, ...]:
        """Widths of the hidden layers."""
        return tuple(len(layer.biases) for layer in self.layers[:-1])


def rounded(weights: Sequence[Reals], biases: Sequence[Reals]) -> Net:
    """Return the net of whole numbers nearest to real weights [inputs, outputs] and biases, layer by layer.

    Raises:
        PolicyError: they fit no net of this version.
    """
    layers = []
    for real, constants, (unit, bias_unit) in zip(weights, biases, _units(len(weights)), strict=True):
        layers.append(Layer(_whole(real, unit, np.int16), _whole(constants, bias_unit, np.int32)))
    return Net(tuple(layers))


def reals_of(net: Net) -> tuple[list[Reals], list[Reals]]:
    """Return real weights and biases, layer by layer, that `rounded` makes this net of.

    Exact but for biases beyond 2^24 units, which float32 rounds.
    """
    weights, biases = [], []
    for layer, (unit, bias_unit) in zip(net.layers, _units(len(net.layers)), strict=True):
        weights.append(layer.weights.astype(np.float32) / np.float32(unit))
        biases.append(layer.biases.astype(np.float32) / np.float32(bias_unit))
    return weights, biases


def _units(layers: int) -> list[tuple[int, int]]:
    """What stands for 1 in the weights and in the biases of each layer."""
    return [(UNIT, UNIT)] + [(WEIGHT_UNIT, UNIT * WEIGHT_UNIT)] * (layers - 1)


def _whole(reals: Reals, unit: int, kind: type[Whole]) -> npt.NDArray[Whole]:
    """Real numbers in whole units."""
    whole = np.rint(reals.astype(np.float64) * unit)
    if not np.abs(whole).max(initial=0) <= np.iinfo(kind).max:  # neither is nan
        raise PolicyError(f"a weight of {np.abs(reals).max():.1f} is too large")
    return whole.astype(kind)


def joined(nets: Sequence[Net]) -> Nets:
    """Return some nets, numbered in this order, as the kernels read them."""
    rows: list[npt.NDArray[np.int16]] = [np.zeros(0, np.int16)]
    weights: list[npt.NDArray[np.int16]] = [np.zeros(0, np.int16)]
    biases: list[npt.NDArray[np.int32]] = [np.zeros(0, np.int32)]
    layout = np.zeros((len(nets), LAYOUT), np.int64)
    for net, described in zip(nets, layout, strict=True):
        described[ROWS_AT] = sum(map(len, rows))
        described[WIDTH] = net.widths[0]
        described[LAYERS] = len(net.layers) - 1
        first = net.layers[0].weights.copy()
        first[BIAS] = net.layers[0].biases
        rows.append(first.ravel())
        for number, layer in enumerate(net.layers[1:]):
            column = LAYER + 3 * number
            described[column + LAYER_WEIGHTS] = sum(map(len, weights))
            described[column + LAYER_BIASES] = sum(map(len, biases))
            flat, constants = _blocked(layer, last=layer is net.layers[-1])
            described[column + LAYER_WIDTH] = len(constants)
            weights.append(flat)
            biases.append(constants)
    return Nets(np.concatenate(rows), np.concatenate(weights), np.concatenate(biases), layout)


def _blocked(layer: Layer, *, last: bool) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int32]]:
    """A layer as int16[blocks of outputs, pairs of inputs, outputs of a block, 2] and its int32 biases."""
    block = OUTPUTS if last else DENSE_BLOCK
    inputs, outputs = layer.weights.shape
    padded = -(-outputs // block) * block
    numbers = np.zeros((inputs, padded), np.int16)
    numbers[:, :outputs] = layer.weights
    constants = np.zeros(padded, np.int32)
    constants[:outputs] = layer.biases
    if not last:
        constants += WEIGHT_UNIT // 2  # the kernel drops bits: this makes it round
    flat = numbers.reshape(inputs // 2, 2, padded // block, block).transpose(2, 0, 3, 1)
    return np.ascontiguousarray(flat).ravel(), constants


def new_evaluator(nets: Nets, tables: Loaded = NO_TABLES) -> Evaluator:
    """What one thread needs to estimate with these nets and tables."""
    scratch = NetScratch(
        base_boards=np.full((len(nets.layout), 4), 2**64 - 1, np.uint64),  # no board
        base_words=np.zeros((len(nets.layout), WORDS), np.uint64),
        base=np.zeros(len(nets.layout) * MAX_WIDTH, np.int16),
        words=np.zeros(WORDS, np.uint64),
        zeros=np.zeros(MAX_WIDTH, np.int16),
        added=np.zeros(INPUTS, np.int64),
        removed=np.zeros(INPUTS, np.int64),
        first=np.zeros(ROWS_AT_ONCE * MAX_WIDTH, np.int16),
        second=np.zeros(ROWS_AT_ONCE * MAX_WIDTH, np.int16),
        pairs=np.zeros(MAX_WIDTH // 2 + 8, np.int32),
        sums=np.zeros(ROWS_AT_ONCE * OUTPUTS, np.int32),
        which=np.zeros((2, MAX_RESULTS), np.int64),
        chances=np.zeros((MAX_RESULTS, 5), np.int64),
    )
    return Evaluator(
        nets=nets,
        scratch=scratch,
        listed=np.zeros((2, MAX_RESULTS), np.int64),
        replies=np.zeros((MAX_RESULTS, 4), np.uint64),
        reply_scores=np.zeros(MAX_RESULTS, np.int64),
        reply_values=np.zeros(6, np.int64),
        before=np.zeros(4, np.uint64),
        tables=tables.for_kernels(),
    )
