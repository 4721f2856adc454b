"""The values of two sides that bear off, a pip count at a time; what becomes of them is the caller's.

See `bgsim.kernels.two_sided` for how a pip count is worked out. Two values at most are worked out together,
so that the rings of the largest table fit into memory.
"""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from queue import SimpleQueue
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bgsim.bearoff.lists import Side
from bgsim.kernels.one_sided import DEEPEST_PLAY
from bgsim.kernels.two_sided import (
    CENTRED,
    CENTRED_BEAVERS,
    OWNED,
    SAME,
    lanes_of,
    sum_least,
    sum_least_and_other,
    turn_block,
    write_block,
    write_replies,
    write_ring_columns,
    write_ring_rows,
)

__all__ = ["Level", "Pass", "Room", "Worker", "passes_of", "ring_shape"]

Reals = npt.NDArray[Any]  # float32 or float64


ROWS_A_PART = 64  # of a pip count, that a thread works on at once


@dataclass(frozen=True, slots=True)
class Level:
    """A value of the positions m of one pip count against all o up to it: real[m, at least the o].

    forward: to m, on roll against o; turned: to o, on roll against m. Column 0 is of an o who has finished:
    what m has lost, and 0.
    """

    forward: Reals
    turned: Reals


@dataclass(frozen=True, slots=True)
class Pass:
    """One or two values that are worked out together.

    mode: what a value is worth to the other side, see `bgsim.kernels.two_sided`. follows: the second is
    of the plays that are best for the first. signs: -1 for what one side wins and the other loses.
    lost: what the first and second are to a side that has lost, with checkers off and with none off.
    """

    name: str
    mode: int
    values: tuple[str, ...]
    lost: tuple[tuple[float, float], ...]
    follows: bool = False
    signs: tuple[int, int] = (-1, -1)
    kept: tuple[str, ...] = ()  # those that are not worked out again elsewhere

    @property
    def needs_take(self) -> bool:
        """Whether it needs equity_opponent_owned of an earlier pass."""
        return self.mode in (CENTRED, CENTRED_BEAVERS)


LOST = (-1.0, -2.0)  # points
PLAINLY = (-1.0, -1.0)


def passes_of(checkers: int, *, beavers: bool) -> tuple[Pass, ...]:
    """The passes of a table, in their order: the centred ones need `equity_opponent_owned`.

    win_minus_lose and gammons (won or lost) only differ from the equity where sides of 15 can lose gammons,
    as does the Jacoby rule.
    """
    centred = CENTRED_BEAVERS if beavers else CENTRED
    owned = Pass("owned", OWNED, ("equity_owned", "equity_opponent_owned"), (LOST, LOST))
    if checkers < 15:
        return (
            Pass("cubeless", SAME, ("equity_cubeless",), (LOST,)),
            owned,
            Pass("centred", centred, ("equity_centred",), (LOST,)),
        )
    both = ("equity_centred", "equity_centred_jacoby")
    return (
        Pass("cubeless", SAME, ("equity_cubeless", "win_minus_lose"), (LOST, PLAINLY), follows=True),
        Pass(
            "gammons",
            SAME,
            ("equity_cubeless", "gammons"),
            (LOST, (0.0, 1.0)),
            follows=True,
            signs=(-1, 1),
            kept=("gammons",),
        ),
        owned,
        Pass("centred", centred, both, (LOST, PLAINLY)),
    )


class Room(Protocol):
    """Where the memory of rings comes from: it may be a file, to go on from after a crash."""

    def __call__(self, name: str, shape: tuple[int, ...]) -> Reals: ...


def ring_shape(firsts: npt.NDArray[np.int64], kind: type[np.floating]) -> tuple[int, int, int]:
    """Strips, rows, lanes of a ring: a pip count and the 24 below it, against everyone."""
    ends = firsts[1:]
    begins = firsts[np.maximum(0, np.arange(len(ends)) - DEEPEST_PLAY)]
    lanes = lanes_of(kind)
    return -(-int(firsts[-1]) // lanes), int((ends - begins).max()), lanes


class Worker:
    """Works out one pass of a side against its like, pip count by pip count."""

    def __init__(self, side: Side, step: Pass, kind: type[np.floating], threads: int, room: Room) -> None:
        """Rings are made by `room`, for each value one, named ring-0 and ring-1."""
        self.side, self.step, self.kind = side, step, kind
        shape = ring_shape(side.firsts, kind)
        self._rings = [room(f"ring-{k}", shape) for k in range(len(step.values))]
        self._slots = (side.plays % shape[1]).astype(np.int32)
        self._lanes = shape[2]
        self._pool = ThreadPoolExecutor(threads)
        self._scales: list[Any] = [kind(sign / 36) for sign in step.signs]
        # Held from one pip count to the next: fresh memory costs more than what is done with it.
        sizes = [(end - first) * self._width(end) for first, end in pairwise(side.firsts.tolist())]
        self._forward, self._turned, self._room_of_replies = (
            [np.zeros(max(sizes), kind) for _ in step.values] for _ in range(3)
        )
        self._blocks: SimpleQueue[list[Reals]] = SimpleQueue()
        for _ in range(threads):
            count = 2 * len(step.values)
            self._blocks.put([np.zeros((int(side.firsts[-1]), self._lanes), kind) for _ in range(count)])

    def level(self, pips: int, take: Level | None = None) -> list[Level]:
        """Work out the positions of a pip count, all lower ones being done; `take`: equity_opponent_owned.

        The levels' arrays have columns to spare, and are good until the next call.
        """
        first, end = self._numbers(pips)
        forward, turned = self._shaped(self._forward, pips), self._shaped(self._turned, pips)
        forward_take, turned_take = (take.forward, take.turned) if take else (None, None)
        if pips > 0:
            strips = range(self._width(end) // self._lanes)
            self._sum_strips(forward, (first, end), strips[: -(-first // self._lanes)])
            self._write_columns(self._replies(pips, forward, forward_take), pips)
            self._sum_strips(forward, (first, end), strips[first // self._lanes :])
            self._sum_blocks(self._replies(pips, forward, forward_take), turned, (first, end))
            for value, back in zip(forward, turned, strict=True):
                back[:, 0] = 0
                back[:, first:end] = value[:, first:end].T
            self._write_rows(self._replies(pips, turned, turned_take), (first, end))
        return [Level(*pair) for pair in zip(forward, turned, strict=True)]

    def _sum_strips(self, forward: list[Reals], numbers: tuple[int, int], strips: Iterable[int]) -> None:
        """Forward values against the opponents of some strips."""

        def work_out(strip: int) -> None:
            rows = [ring[strip] for ring in self._rings]
            self._sum(self._slots, numbers, rows, forward, strip * self._lanes)

        list(self._pool.map(work_out, strips))
        for value, (some_off, none_off) in zip(forward, self.step.lost, strict=True):
            value[:, 0] = np.where(self.side.full[slice(*numbers)], none_off, some_off)

    def _sum(
        self,
        plays: npt.NDArray[np.int32],
        numbers: tuple[int, int],
        strips: list[Reals],
        totals: list[Reals],
        column: int,
    ) -> None:
        """Sums over the rolls of positions: of each strip by itself, or of the second as the first has it."""
        offsets, scales = self.side.offsets, self._scales
        if self.step.follows:
            (first, second), (total, other) = strips, totals
            both = (first, second), (total, other), column, (scales[0], scales[1])
            sum_least_and_other(offsets, plays, numbers, *both)
            return
        for strip, total, scale in zip(strips, totals, scales, strict=False):
            sum_least(offsets, plays, numbers, strip, total, column, scale)

    def _replies(self, pips: int, values: list[Reals], take: Reals | None) -> list[Reals]:
        """What the pairs are worth to the side on roll; take: of the same shape."""
        if self.step.mode == SAME:
            return values
        replies = self._shaped(self._room_of_replies, pips)
        takes = values[0] if take is None else take  # not looked at

        def work_out(at: int) -> None:
            part = slice(at, at + ROWS_A_PART)
            pairs = [(some[0][part], some[-1][part]) for some in (values, replies)]
            write_replies(self.step.mode, pairs[0], takes[part], pairs[1])

        list(self._pool.map(work_out, range(0, len(values[0]), ROWS_A_PART)))
        return replies

    def _write_columns(self, replies: list[Reals], pips: int) -> None:
        """The new positions as opponents of earlier ones."""
        rows = int(self.side.firsts[max(0, pips - DEEPEST_PLAY)]), self._numbers(pips)[0]
        for ring, reply in zip(self._rings, replies, strict=True):
            write_ring_columns(reply, self._numbers(pips), rows, ring)

    def _sum_blocks(self, replies: list[Reals], turned: list[Reals], numbers: tuple[int, int]) -> None:
        """Turned values of earlier positions, against blocks of the new ones."""
        first, end = numbers

        def work_out(at: int) -> None:
            blocks, rows = self._blocks.get(), (at, min(at + self._lanes, end - first))
            strips, sums = [b[:first] for b in blocks[: len(turned)]], blocks[len(turned) :]
            for reply, block in zip(replies, strips, strict=True):
                write_block(reply, rows, block)
            self._sum(self.side.plays, (1, first), strips, [out[1:first] for out in sums], 0)
            for out, back in zip(sums, turned, strict=True):
                turn_block(out[:first], rows, back)
            self._blocks.put(blocks)

        list(self._pool.map(work_out, range(0, end - first, self._lanes)))

    def _write_rows(self, replies: list[Reals], numbers: tuple[int, int]) -> None:
        """The new positions as what plays lead to."""

        def keep(strip: int) -> None:
            for ring, reply in zip(self._rings, replies, strict=True):
                write_ring_rows(reply, numbers, strip, ring[strip])

        list(self._pool.map(keep, range(-(-numbers[1] // self._lanes))))

    def _width(self, end: int) -> int:
        """Columns of so many opponents, in whole strips."""
        return -(-end // self._lanes) * self._lanes

    def _shaped(self, flat: list[Reals], pips: int) -> list[Reals]:
        """Some memory as rows of the positions of a pip count."""
        first, end = self._numbers(pips)
        shape = end - first, self._width(end)
        return [array[: shape[0] * shape[1]].reshape(shape) for array in flat]

    def _numbers(self, pips: int) -> tuple[int, int]:
        """The positions of a pip count."""
        first, end = self.side.firsts[pips : pips + 2]
        return int(first), int(end)
