"""All distinct results of a double.

A result is fixed by how many checkers leave each point, and playing the highest source first is always
possible when any order is. So sequences of sources that never rise list every result exactly once, and
nothing has to be compared.
"""

import numpy as np

from bgsim.kernels._jit import inlined
from bgsim.kernels.bits import ONE, POINTS, lowest
from bgsim.kernels.board import hittable_points, movable, occupied, step, write_row


@inlined
def list_double(board: np.ndarray, die: np.uint64, blocked: np.uint64, out: np.ndarray) -> int:
    """Write every distinct result of a double to `out` rows (mover's view); returns their number.

    `blocked` are points where the mover may not land. Returns 0 when the turn is lost. A sequence that
    ends early counts only while none is longer: `best` is the most dice played so far.

    Source: rules.md P3-P8.
    """
    landing = POINTS & ~blocked
    low, high, far_low, far_high = board[0], board[1], board[2], board[3]
    blots = hittable_points(far_low, far_high) & landing
    n = 0
    best = 0
    first = movable(occupied(low, high), die, landing)
    while first:
        source1 = lowest(first)
        first ^= source1
        low1, high1, far_low1, far_high1, blots1 = step(low, high, far_low, far_high, blots, source1, die)
        second = movable(occupied(low1, high1), die, landing) & (source1 | (source1 - ONE))
        if not second and best <= 1:
            n = n if best == 1 else 0
            best = 1
            n = write_row(out, n, low1, high1, far_low1, far_high1)
        while second:
            source2 = lowest(second)
            second ^= source2
            low2, high2, far_low2, far_high2, blots2 = step(
                low1, high1, far_low1, far_high1, blots1, source2, die
            )
            third = movable(occupied(low2, high2), die, landing) & (source2 | (source2 - ONE))
            if not third and best <= 2:
                n = n if best == 2 else 0
                best = 2
                n = write_row(out, n, low2, high2, far_low2, far_high2)
            while third:
                source3 = lowest(third)
                third ^= source3
                low3, high3, far_low3, far_high3, blots3 = step(
                    low2, high2, far_low2, far_high2, blots2, source3, die
                )
                fourth = movable(occupied(low3, high3), die, landing) & (source3 | (source3 - ONE))
                if not fourth and best <= 3:
                    n = n if best == 3 else 0
                    best = 3
                    n = write_row(out, n, low3, high3, far_low3, far_high3)
                if fourth and best < 4:
                    n = 0
                    best = 4
                while fourth:
                    source4 = lowest(fourth)
                    fourth ^= source4
                    low4, high4, far_low4, far_high4, _ = step(
                        low3, high3, far_low3, far_high3, blots3, source4, die
                    )
                    n = write_row(out, n, low4, high4, far_low4, far_high4)
    return n
