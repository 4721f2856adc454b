"""All distinct results of a roll of two different dice.

While two checkers or more are outside the home board nobody can bear off this turn, and then the order of
the dice matters only to a single checker that takes both: everything else is a pair of sources, each pair
one result, so nothing has to be compared. Otherwise there are few sources, both orders are played out and
results are compared.
"""

import numpy as np

from bgsim.kernels._jit import inlined
from bgsim.kernels.bits import BAR, OUTSIDE, POINTS, lowest
from bgsim.kernels.board import hittable_points, made, movable, occupied, step, write_row


@inlined
def _list_pairs(
    board: np.ndarray,
    dice: tuple[np.uint64, np.uint64],
    sources: tuple[np.uint64, np.uint64],
    blots: np.uint64,
    out: np.ndarray,
    n: int,
) -> int:
    """One checker plays each die; the same checker playing both is left to `_list_runs`."""
    die1, die2 = dice
    first, second = sources
    low, high, far_low, far_high = board[0], board[1], board[2], board[3]
    several = made(low, high)
    while first:
        source1 = lowest(first)
        first ^= source1
        low1, high1, far_low1, far_high1, blots1 = step(low, high, far_low, far_high, blots, source1, die1)
        # Not the point just reached, nor one from which the other die reaches this source: a run.
        partners = second & ~(source1 >> die1) & ~(source1 << die2) & ~(source1 & ~several)
        while partners:
            source2 = lowest(partners)
            partners ^= source2
            low2, high2, far_low2, far_high2, _ = step(
                low1, high1, far_low1, far_high1, blots1, source2, die2
            )
            n = write_row(out, n, low2, high2, far_low2, far_high2)
    return n


@inlined
def _list_runs(
    board: np.ndarray,
    dice: tuple[np.uint64, np.uint64],
    sources: tuple[np.uint64, np.uint64],
    landing: np.uint64,
    blots: np.uint64,
    out: np.ndarray,
    n: int,
) -> int:
    """One checker plays both dice; the two ways differ only when one of them hits on the way."""
    die1, die2 = dice
    low, high, far_low, far_high = board[0], board[1], board[2], board[3]
    whole = landing << (die1 + die2)
    via1 = sources[0] & whole
    via2 = sources[1] & whole
    via2 &= ~via1 | (blots << die1) | (blots << die2)
    while via1:
        source = lowest(via1)
        via1 ^= source
        low1, high1, far_low1, far_high1, blots1 = step(low, high, far_low, far_high, blots, source, die1)
        low2, high2, far_low2, far_high2, _ = step(
            low1, high1, far_low1, far_high1, blots1, source >> die1, die2
        )
        n = write_row(out, n, low2, high2, far_low2, far_high2)
    while via2:
        source = lowest(via2)
        via2 ^= source
        low1, high1, far_low1, far_high1, blots1 = step(low, high, far_low, far_high, blots, source, die2)
        low2, high2, far_low2, far_high2, _ = step(
            low1, high1, far_low1, far_high1, blots1, source >> die2, die1
        )
        n = write_row(out, n, low2, high2, far_low2, far_high2)
    return n


@inlined
def _list_single(
    board: np.ndarray, die: np.uint64, landing: np.uint64, blots: np.uint64, out: np.ndarray
) -> int:
    """One die alone."""
    low, high, far_low, far_high = board[0], board[1], board[2], board[3]
    n = 0
    sources = movable(occupied(low, high), die, landing)
    while sources:
        source = lowest(sources)
        sources ^= source
        low1, high1, far_low1, far_high1, _ = step(low, high, far_low, far_high, blots, source, die)
        n = write_row(out, n, low1, high1, far_low1, far_high1)
    return n


@inlined
def _is_listed(
    out: np.ndarray,
    n: int,
    low: np.uint64,
    high: np.uint64,
    far_low: np.uint64,
    far_high: np.uint64,
) -> bool:
    """True when one of the first n rows is this very board."""
    for row in range(n):
        if out[row, 0] == low and out[row, 1] == high and out[row, 2] == far_low and out[row, 3] == far_high:
            return True
    return False


@inlined
def _list_both_orders(
    board: np.ndarray,
    first_die: np.uint64,
    second_die: np.uint64,
    landing: np.uint64,
    blots: np.uint64,
    out: np.ndarray,
) -> int:
    """Play both dice in both orders and keep what is new: for turns that may bear off."""
    low, high, far_low, far_high = board[0], board[1], board[2], board[3]
    n = 0
    for order in range(2):
        die1, die2 = (first_die, second_die) if order == 0 else (second_die, first_die)
        first = movable(occupied(low, high), die1, landing)
        while first:
            source1 = lowest(first)
            first ^= source1
            low1, high1, far_low1, far_high1, blots1 = step(
                low, high, far_low, far_high, blots, source1, die1
            )
            second = movable(occupied(low1, high1), die2, landing)
            while second:
                source2 = lowest(second)
                second ^= source2
                low2, high2, far_low2, far_high2, _ = step(
                    low1, high1, far_low1, far_high1, blots1, source2, die2
                )
                if not _is_listed(out, n, low2, high2, far_low2, far_high2):
                    n = write_row(out, n, low2, high2, far_low2, far_high2)
    return n


@inlined
def list_mixed(
    board: np.ndarray, larger: np.uint64, smaller: np.uint64, blocked: np.uint64, out: np.ndarray
) -> int:
    """Write every distinct result of a mixed roll to `out` rows (mover's view); returns their number.

    `blocked` are points where the mover may not land. Both dice if possible, else the larger, else the
    smaller, else 0: the turn is lost.

    Source: rules.md P3-P8.
    """
    landing = POINTS & ~blocked
    blots = hittable_points(board[2], board[3]) & landing
    on = occupied(board[0], board[1])
    several = made(board[0], board[1])
    outside = on & OUTSIDE
    if outside & (outside - np.uint64(1)) or outside & several:
        dice = (larger, smaller)
        sources = (on & (landing << larger), on & (landing << smaller))
        entering = (sources[0] & BAR, sources[1] & BAR)
        n = 0
        if not on & BAR:
            n = _list_pairs(board, dice, sources, blots, out, n)
            n = _list_runs(board, dice, sources, landing, blots, out, n)
        elif several & BAR:
            n = _list_pairs(board, dice, entering, blots, out, n)
        else:
            n = _list_pairs(board, dice, (entering[0], sources[1] & ~BAR), blots, out, n)
            n = _list_pairs(board, dice, (sources[0] & ~BAR, entering[1]), blots, out, n)
            n = _list_runs(board, dice, entering, landing, blots, out, n)
    else:
        n = _list_both_orders(board, larger, smaller, landing, blots, out)
    if n == 0:
        n = _list_single(board, larger, landing, blots, out)
    if n == 0:
        n = _list_single(board, smaller, landing, blots, out)
    return n
