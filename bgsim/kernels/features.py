"""What a net sees of a position: sets of points, as bits, so that a play changes only a few of them.

A position is seen by the player who has just moved, the opponent being on roll. Each word describes both
sides at once: bit i of the low half is the mover's own point i, bit 32 + i the opponent's (from his own view;
bar 25). Every bit is one input of the first layer; the input of bit b of word w is number 64 w + b. A first
layer is a sum of rows of weights, so after a play only the rows of the changed bits are added or taken away.

Words, all for points 1 to 24 and the bar:
- 0 to 6: at least 1, 2, 3, 4, 5, 6, 8 checkers;
- 7: borne off, bits 1 to n of a half for n checkers;
- 8 to 10: for an occupied point the number (3 binary digits) of enemy made points 1 to 6 ahead of it;
- 11 to 13: for a blot the number of points 1 to 6 ahead of it with enemy checkers (direct shots);
- 14 to 16: the same 7 to 12 ahead (indirect shots);
- 17 to 19: own made points in rows of at least 3, 4, 5, at the lowest of them.
"""

import numpy as np

from bgsim.kernels._jit import inlined
from bgsim.kernels.bits import HALF, LOW, ONE
from bgsim.kernels.board import count_on

WORDS = 20
INPUTS = 64 * WORDS
BIAS = 0  # bit 0 of word 0 is no point: the row of the constant

BOTH = np.uint64(0x100000001)
BOTH_IN_PLAY = np.uint64(0x3FFFFFE) * BOTH  # points 1..24 and the bar
BOTH_POINTS = np.uint64(0x1FFFFFE) * BOTH
BOTH_NEAR = np.uint64(0xFFFFF) * BOTH  # bits 0..19, which a shift of 12 leaves in their half
OFF_INDEX = np.uint64(0)


@inlined
def _opposite(points: np.uint64) -> np.uint64:
    """Each side's set in the other half and the other's numbering: bit i becomes bit 25 - i."""
    word = points
    word = ((word >> np.uint64(1)) & np.uint64(0x5555555555555555)) | (
        (word & np.uint64(0x5555555555555555)) << np.uint64(1)
    )
    word = ((word >> np.uint64(2)) & np.uint64(0x3333333333333333)) | (
        (word & np.uint64(0x3333333333333333)) << np.uint64(2)
    )
    word = ((word >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)) | (
        (word & np.uint64(0x0F0F0F0F0F0F0F0F)) << np.uint64(4)
    )
    word = ((word >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)) | (
        (word & np.uint64(0x00FF00FF00FF00FF)) << np.uint64(8)
    )
    word = ((word >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)) | (
        (word & np.uint64(0x0000FFFF0000FFFF)) << np.uint64(16)
    )
    return ((word >> HALF) | (word << HALF)) >> np.uint64(6)


@inlined
def _sum_of_six(points: np.uint64, first: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """For each bit, how many of the six bits from `first` below it on are set: three binary digits."""
    a, b, c = points << first, points << (first + np.uint64(1)), points << (first + np.uint64(2))
    d, e, f = (
        points << (first + np.uint64(3)),
        points << (first + np.uint64(4)),
        points << (first + np.uint64(5)),
    )
    ones1, twos1 = a ^ b ^ c, (a & b) | (c & (a ^ b))
    ones2, twos2 = d ^ e ^ f, (d & e) | (f & (d ^ e))
    carry = ones1 & ones2
    return ones1 ^ ones2, twos1 ^ twos2 ^ carry, (twos1 & twos2) | (carry & (twos1 ^ twos2))


@inlined
def write_features(
    low: np.uint64, high: np.uint64, far_low: np.uint64, far_high: np.uint64, words: np.ndarray
) -> None:
    """Write the words (uint64[WORDS]) of a position; low and high are the player's who has just moved."""
    plane0, plane1 = (low & LOW) | (far_low << HALF), (low >> HALF) | (far_low & ~LOW)
    plane2, plane3 = (high & LOW) | (far_high << HALF), (high >> HALF) | (far_high & ~LOW)
    two = (plane1 | plane2 | plane3) & BOTH_IN_PLAY
    one = (plane0 & BOTH_IN_PLAY) | two
    words[0] = one
    words[1] = two
    words[2] = ((plane0 & plane1) | plane2 | plane3) & BOTH_IN_PLAY
    words[3] = (plane2 | plane3) & BOTH_IN_PLAY
    words[4] = ((plane2 & (plane0 | plane1)) | plane3) & BOTH_IN_PLAY
    words[5] = ((plane2 & plane1) | plane3) & BOTH_IN_PLAY
    words[6] = plane3 & BOTH_IN_PLAY
    off = np.uint64(count_on(low, high, OFF_INDEX))
    far_off = np.uint64(count_on(far_low, far_high, OFF_INDEX))
    words[7] = ((ONE << (off + ONE)) - np.uint64(2)) | (((ONE << (far_off + ONE)) - np.uint64(2)) << HALF)
    points = two & BOTH_POINTS
    digit0, digit1, digit2 = _sum_of_six(_opposite(points), np.uint64(1))
    words[8], words[9], words[10] = digit0 & one, digit1 & one, digit2 & one
    single = one & ~two & BOTH_POINTS
    enemies = _opposite(one)
    digit0, digit1, digit2 = _sum_of_six(enemies, np.uint64(1))
    words[11], words[12], words[13] = digit0 & single, digit1 & single, digit2 & single
    digit0, digit1, digit2 = _sum_of_six(enemies & BOTH_NEAR, np.uint64(7))
    words[14], words[15], words[16] = digit0 & single, digit1 & single, digit2 & single
    three = points & (points >> ONE) & (points >> np.uint64(2)) & BOTH_POINTS
    words[17] = three
    words[18] = three & (three >> ONE) & BOTH_POINTS
    words[19] = three & (three >> np.uint64(2)) & BOTH_POINTS
