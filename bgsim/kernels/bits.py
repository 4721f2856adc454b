"""Bit sets of points in one 64-bit word: counting, scanning, turning the board round.

A point set has bit i for own point i: bit 0 borne off, 1-24 the points, 25 the bar.
Every literal that meets a board word is a uint64 constant: numba types uint64 with a Python int as
int64 or float64.
"""

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bgsim.kernels._jit import jit

ZERO = np.uint64(0)
ONE = np.uint64(1)
TWO = np.uint64(2)
HALF = np.uint64(32)  # bits between two planes packed in one word
LOW = np.uint64(0xFFFFFFFF)

OFF = np.uint64(1)
BAR = np.uint64(1 << 25)
POINTS = np.uint64(0x1FFFFFE)  # own points 1..24
HOME = np.uint64(0x7E)  # own points 1..6
OUTSIDE = np.uint64(0x3FFFF80)  # own points 7..24 and the bar
IN_PLAY = np.uint64(0x3FFFFFE)  # the points and the bar
FAR_HOME = np.uint64(0x3F80000)  # own points 19..24 (the opponent's home board) and the bar


def _unary(name: str) -> Any:
    """An LLVM bit-counting instruction on uint64 as an intrinsic."""

    @intrinsic
    def counted(typing_context: Any, word: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            if name == "ctpop":
                return builder.ctpop(arguments[0])
            operation = builder.cttz if name == "cttz" else builder.ctlz
            return operation(arguments[0], cgutils.false_bit)

        return types.uint64(types.uint64), codegen

    return counted


popcount = _unary("ctpop")  # number of bits set
trailing_zeros = _unary("cttz")  # index of the lowest bit; 64 for an empty word
leading_zeros = _unary("ctlz")


@jit
def lowest(word: np.uint64) -> np.uint64:
    """The lowest bit of a word alone."""
    return word & (~word + ONE)


@jit
def highest(word: np.uint64) -> np.uint64:
    """The highest bit of a word that is not empty, alone."""
    return ONE << (np.uint64(63) - leading_zeros(word))


@jit
def turned(points: np.uint64) -> np.uint64:
    """A point set as the other player numbers it: bit i becomes bit 25 - i."""
    word = points
    word = ((word >> np.uint64(1)) & np.uint64(0x55555555)) | ((word & np.uint64(0x55555555)) << np.uint64(1))
    word = ((word >> np.uint64(2)) & np.uint64(0x33333333)) | ((word & np.uint64(0x33333333)) << np.uint64(2))
    word = ((word >> np.uint64(4)) & np.uint64(0x0F0F0F0F)) | ((word & np.uint64(0x0F0F0F0F)) << np.uint64(4))
    word = ((word >> np.uint64(8)) & np.uint64(0x00FF00FF)) | ((word & np.uint64(0x00FF00FF)) << np.uint64(8))
    word = ((word >> np.uint64(16)) | (word << np.uint64(16))) & LOW
    return word >> np.uint64(6)
