"""The board as bit-planes, and one checker move.

A side is two 64-bit words, each two 32-bit planes: `low` holds plane 0 and plane 1, `high` plane 2 and
plane 3; bit i of plane k is bit k of the number of checkers on own point i (bit 0 borne off, 1-24
the points, 25 the bar), so 15 checkers fit on any point. A board row is uint64[4]: the mover's low and
high, the opponent's low and high, each from that side's own view. Passing the turn swaps the halves.
"""

import numpy as np

from bgsim.kernels._jit import inlined, jit
from bgsim.kernels.bits import (
    BAR,
    FAR_HOME,
    HALF,
    IN_PLAY,
    LOW,
    OFF,
    ONE,
    OUTSIDE,
    POINTS,
    ZERO,
    highest,
    popcount,
    trailing_zeros,
    turned,
)

# A result of a double is a multiset of at most four sources among 25 points, C(28, 4) of them; a mixed roll
# has far fewer (two orders of at most 25 x 25). So no list of results can overflow a buffer of this size.
MAX_RESULTS = 20_475


@jit
def occupied(low: np.uint64, high: np.uint64) -> np.uint64:
    """Own points and bar with at least one checker."""
    either = low | high
    return (either | (either >> HALF)) & IN_PLAY


@jit
def made(low: np.uint64, high: np.uint64) -> np.uint64:
    """Own points (and the bar) with two checkers or more."""
    return ((low >> HALF) | high | (high >> HALF)) & IN_PLAY


@jit
def blots(low: np.uint64, high: np.uint64) -> np.uint64:
    """Own points with exactly one checker."""
    return low & ~made(low, high) & POINTS


@jit
def count_on(low: np.uint64, high: np.uint64, index: np.uint64) -> np.int64:
    """Number of checkers on one own point (0 borne off, 25 the bar)."""
    ones = (low >> index) & ONE
    twos = (low >> (index + HALF)) & ONE
    fours = (high >> index) & ONE
    eights = (high >> (index + HALF)) & ONE
    return np.int64(ones + twos * np.uint64(2) + fours * np.uint64(4) + eights * np.uint64(8))


@jit
def _index_sum(points: np.uint64) -> np.uint64:
    """Sum of the indices of the bits of one plane."""
    return (
        popcount(points & np.uint64(0xAAAAAAAA))
        + popcount(points & np.uint64(0xCCCCCCCC)) * np.uint64(2)
        + popcount(points & np.uint64(0xF0F0F0F0)) * np.uint64(4)
        + popcount(points & np.uint64(0xFF00FF00)) * np.uint64(8)
        + popcount(points & np.uint64(0xFFFF0000)) * np.uint64(16)
    )


@jit
def pip_count(low: np.uint64, high: np.uint64) -> np.int64:
    """Pips that a side still has to move; a checker on the bar counts 25."""
    return np.int64(
        _index_sum(low & LOW)
        + _index_sum(low >> HALF) * np.uint64(2)
        + _index_sum(high & LOW) * np.uint64(4)
        + _index_sum(high >> HALF) * np.uint64(8)
    )


@jit
def checkers_left(low: np.uint64, high: np.uint64) -> np.int64:
    """Checkers of a side that are not borne off."""
    return np.int64(
        popcount(low & IN_PLAY)
        + popcount((low >> HALF) & IN_PLAY) * np.uint64(2)
        + popcount(high & IN_PLAY) * np.uint64(4)
        + popcount((high >> HALF) & IN_PLAY) * np.uint64(8)
    )


@jit
def has_borne_off(low: np.uint64, high: np.uint64) -> bool:
    """Whether a side has borne off a checker."""
    return ((low | (low >> HALF) | high | (high >> HALF)) & OFF) != ZERO


@jit
def remove(low: np.uint64, high: np.uint64, bit: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Take one checker from a point that holds one: a borrow ripples up the planes."""
    low ^= bit
    borrow = (low & bit) << HALF
    low ^= borrow
    borrow = (low & borrow) >> HALF
    high ^= borrow
    borrow = (high & borrow) << HALF
    return low, high ^ borrow


@jit
def add(low: np.uint64, high: np.uint64, bit: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Put one checker on a point: a carry ripples up the planes."""
    carry = (low & bit) << HALF
    low ^= bit
    more = (low & carry) >> HALF
    low ^= carry
    carry = (high & more) << HALF
    return low, high ^ more ^ carry


@jit
def moved(low: np.uint64, high: np.uint64, source: np.uint64, die: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The mover's side after one checker move from a source bit; past the ace point is borne off."""
    low, high = remove(low, high, source)
    return add(low, high, max(source >> die, OFF))


@jit
def hit(low: np.uint64, high: np.uint64, target: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The opponent's side after his blot on a target bit (mover's view) went to his bar."""
    low, high = remove(low, high, ONE << (np.uint64(25) - trailing_zeros(target)))
    return add(low, high, BAR)


@jit
def blocked_points(far_low: np.uint64, far_high: np.uint64) -> np.uint64:
    """Points where the mover may not land (his view): those the opponent has made."""
    return turned(made(far_low, far_high) & POINTS)


@jit
def hittable_points(far_low: np.uint64, far_high: np.uint64) -> np.uint64:
    """The opponent's blots in the mover's view."""
    return turned(blots(far_low, far_high))


@jit
def is_over(board: np.ndarray) -> bool:
    """True when one side has no checker left in play."""
    return occupied(board[0], board[1]) == ZERO or occupied(board[2], board[3]) == ZERO


@jit
def won_by(low: np.uint64, high: np.uint64) -> int:
    """0 single, 1 gammon, 2 backgammon: how the side with these words has lost to one that is all off.

    Source: rules.md G1-G3.
    """
    if (low | (low >> HALF) | high | (high >> HALF)) & OFF:
        return 0
    return 2 if occupied(low, high) & FAR_HOME else 1


@jit
def step(
    low: np.uint64,
    high: np.uint64,
    far_low: np.uint64,
    far_high: np.uint64,
    blots: np.uint64,
    source: np.uint64,
    die: np.uint64,
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """Both sides, and the blots still to be hit, after one checker move (a hit included)."""
    struck = (source >> die) & blots
    if struck:
        far_low, far_high = hit(far_low, far_high, struck)
        blots ^= struck
    low, high = moved(low, high, source, die)
    return low, high, far_low, far_high, blots


@inlined
def copy_board(source: np.ndarray, target: np.ndarray) -> None:
    """target = source (uint64[4] each); `target[:] = source` compiles numba's error texts, for seconds."""
    target[0], target[1], target[2], target[3] = source[0], source[1], source[2], source[3]


@inlined
def copy_turned(source: np.ndarray, target: np.ndarray) -> None:
    """target = source with the turn passed; they may be the same board."""
    target[0], target[1], target[2], target[3] = source[2], source[3], source[0], source[1]


@jit
def write_row(
    out: np.ndarray,
    n: int,
    low: np.uint64,
    high: np.uint64,
    far_low: np.uint64,
    far_high: np.uint64,
) -> int:
    """Append one board to the first n rows; returns n + 1."""
    out[n, 0] = low
    out[n, 1] = high
    out[n, 2] = far_low
    out[n, 3] = far_high
    return n + 1


@jit
def movable(on: np.uint64, die: np.uint64, landing: np.uint64) -> np.uint64:
    """Sources from which one die may be played: occupied points `on`, open points `landing`, mover's view.

    Source: rules.md P3, P5, P7.
    """
    if on & BAR:
        return on & BAR & (landing << die)
    sources = on & (landing << die)
    if not on & OUTSIDE and on:
        exact = ONE << die
        # The die's own point, else, when no checker stands as high, the highest checker.
        sources |= on & exact if on >> die else highest(on)
    return sources
