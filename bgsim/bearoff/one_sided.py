"""One-sided bear-off: how many rolls a side alone needs, to clear and for its first checker."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bgsim.kernels.numbering import firsts_of, ways_of, write_positions
from bgsim.kernels.one_sided import DEEPEST_MOVE, DEEPEST_PLAY, OneSidedWork, sweep

__all__ = ["Distribution", "OneSided", "build_one_sided"]

Reals = npt.NDArray[np.float64]
PIPS_A_ROLL = 49 / 6  # mean over the 36 rolls
LEAST_PIPS = 3  # of a roll: 2-1
A_PART = 4096  # positions that a thread works out at once


@dataclass(frozen=True, slots=True)
class Distribution:
    """Rolls needed from each position: their mean, and the chance of needing exactly k (column k)."""

    means: Reals  # float64[positions]
    chances: Reals  # float64[positions, rolls]


@dataclass(frozen=True, slots=True)
class OneSided:
    """All positions of up to so many checkers on the last points of a side, in the order of their numbers.

    `clear` is to bear all off, `first` to bear off one of them all (0 rolls where one is off already);
    plays take the fewest rolls on average to what is asked for.
    """

    points: int
    checkers: int
    positions: npt.NDArray[np.uint8]  # [positions, points]
    clear: Distribution
    first: Distribution

    @property
    def effective_pips(self) -> Reals:
        """Effective pip counts: mean rolls times 49/6. Source: Trice, Backgammon Boot Camp (2004)."""
        return self.clear.means * PIPS_A_ROLL


def build_one_sided(
    *,
    points: int = 6,
    checkers: int = 15,
    threads: int = 1,
    listener: Callable[[int], None] = lambda positions: None,
) -> OneSided:
    """Work out every position; `listener` is told how many positions each step has finished."""
    ways = ways_of(points, checkers)
    firsts = firsts_of(ways)
    positions = np.zeros((int(firsts[-1]), points), np.uint8)
    write_positions(ways, firsts, 0, positions)
    clear = _distribution(ways, firsts, positions, 1, threads, listener)
    first = _distribution(ways, firsts, positions, checkers, threads, listener)
    return OneSided(points, checkers, positions, clear, first)


def _distribution(
    ways: npt.NDArray[np.int64],
    firsts: npt.NDArray[np.int64],
    positions: npt.NDArray[np.uint8],
    needed: int,
    threads: int,
    listener: Callable[[int], None],
) -> Distribution:
    """Rolls until fewer than `needed` checkers are left, pip count by pip count."""
    rolls = -(-int(ways.shape[2] - 1) // LEAST_PIPS) + 2
    means = np.zeros(len(positions))
    chances = np.zeros((len(positions), rolls))
    near, far = (_ring(firsts, pips) for pips in (DEEPEST_MOVE, DEEPEST_PLAY))
    shared = (np.zeros((far, rolls)), np.zeros((near, 3, 6)), np.zeros((near, 3, 6), np.int64))

    def work_out(part: tuple[int, int]) -> None:
        own = np.zeros((6, 6)), np.zeros((6, 6), np.int64)
        start, end = part
        work = OneSidedWork(ways, firsts, means, *shared, *own)
        sweep(work, start, positions[start:end], needed, chances[start:end])

    with ThreadPoolExecutor(threads) as pool:
        for start, end in zip(firsts[:-1].tolist(), firsts[1:].tolist(), strict=True):
            parts = [(at, min(at + A_PART, end)) for at in range(start, end, A_PART)]
            list(pool.map(work_out, parts))
            listener(end - start)
    return Distribution(means, chances)


def _ring(firsts: npt.NDArray[np.int64], pips: int) -> int:
    """Most positions of a pip count and of so many pip counts below it."""
    ends = firsts[1:]
    begins = np.concatenate([np.zeros(min(pips, len(ends)), np.int64), firsts[: len(ends) - pips]])
    return int((ends - begins[: len(ends)]).max())
