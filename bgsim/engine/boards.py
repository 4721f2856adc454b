"""Positions to kernel board rows and back."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bgsim.core.position import Position

__all__ = ["Boards", "pack", "unpack", "unpack_all"]

Boards = npt.NDArray[np.uint64]

_SHIFTS = np.arange(26, dtype=np.uint64) + np.array(
    [[0], [32]], dtype=np.uint64
)  # plane within a word, point
_WEIGHTS = np.array([[[1], [2]], [[4], [8]]], dtype=np.int8)  # low and high, plane, point


def pack(positions: Sequence[Position]) -> Boards:
    """Board rows, uint64[n, 4]: the player on roll's two words, then the opponent's.

    >>> from bgsim.core.position import Position
    >>> position = Position.from_gnubg_id("4HPwATDgc/ABMA")
    >>> unpack_all(pack([position])) == [position]
    True
    """
    sides = b"".join(bytes(side) for p in positions for side in (p.on_roll, p.opponent))
    counts = np.zeros((len(positions), 2, 1, 32), np.uint8)  # row, side, -, point
    counts[..., 0, :26] = np.frombuffer(sides, np.uint8).reshape(-1, 2, 26)
    planes = np.unpackbits(counts, axis=2, count=4, bitorder="little")  # row, side, plane, point
    words = np.packbits(planes, axis=3, bitorder="little").reshape(-1, 32).view("<u8")  # kernels/board.py
    return words.astype(np.uint64)


def unpack(board: Boards) -> Position:
    """The position of one board row, uint64[4]."""
    return unpack_all(board[None])[0]


def unpack_all(boards: Boards) -> list[Position]:
    """The positions of board rows, uint64[n, 4]."""
    words = boards.reshape(-1, 2, 2)  # row, side, low and high
    planes = (words[..., None, None] >> _SHIFTS).astype(np.int8) & 1  # row, side, low and high, plane, point
    counts = (planes * _WEIGHTS).sum(axis=(2, 3), dtype=np.int8)
    return [Position.from_engine(tuple(mine), tuple(theirs)) for mine, theirs in counts.tolist()]
