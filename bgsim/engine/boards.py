"""Positions to kernel board rows and back."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bgsim.core.position import Position

__all__ = ["Boards", "pack", "unpack"]

Boards = npt.NDArray[np.uint64]


def _pack_side(side: Sequence[int]) -> tuple[int, int]:
    """The two words of a side: planes 0 and 1, planes 2 and 3 (see kernels/board.py)."""
    low = high = 0
    for index, count in enumerate(side):
        low |= (count & 1) << index | (count >> 1 & 1) << (index + 32)
        high |= (count >> 2 & 1) << index | (count >> 3 & 1) << (index + 32)
    return low, high


def _unpack_side(low: int, high: int) -> tuple[int, ...]:
    return tuple(
        (low >> i & 1) + 2 * (low >> i + 32 & 1) + 4 * (high >> i & 1) + 8 * (high >> i + 32 & 1)
        for i in range(26)
    )


def pack(positions: Sequence[Position]) -> Boards:
    """Board rows, uint64[n, 4]: the player on roll's two words, then the opponent's.

    >>> from bgsim.core.position import Position
    >>> position = Position.from_gnubg_id("4HPwATDgc/ABMA")
    >>> unpack(pack([position])[0]) == position
    True
    """
    rows = [(*_pack_side(p.on_roll), *_pack_side(p.opponent)) for p in positions]
    return np.array(rows, dtype=np.uint64).reshape(len(rows), 4)


def unpack(board: Boards) -> Position:
    """The position of one board row, uint64[4]."""
    words = [int(word) for word in board]
    return Position(_unpack_side(words[0], words[1]), _unpack_side(words[2], words[3]))
