"""Dice as a pure function of (seed, stream, trial, ply): Philox4x32-10, a counter-based generator.

One generator block serves one ply: word 0 the roll, words 1-3 the policy's choices, ties, spare.
The 128-bit counter is ply (14 bits), purpose (2), trial (48), stream (64); the key is the 64-bit seed.
A word is mapped to n cases by the high half of word x n: no case is off by more than 2^-32.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11; its published
vectors are tests.
"""

import numpy as np

from bgsim.kernels._jit import jit
from bgsim.kernels.bits import HALF, LOW

MULTIPLIER_0 = np.uint64(0xD2511F53)
MULTIPLIER_1 = np.uint64(0xCD9E8D57)
KEY_STEP_0 = np.uint64(0x9E3779B9)
KEY_STEP_1 = np.uint64(0xBB67AE85)
ROUNDS = 10

MAX_TRIAL = 1 << 48
PLAY = np.uint64(0)  # purposes of a counter: no two share a block
FIRST_ROLL = np.uint64(1)
SECOND_ROLL = np.uint64(2)
START = np.uint64(3)

ROLLS = 36  # ordered rolls
OPENING_ROLLS = 30  # ordered rolls without doubles

Words = tuple[np.uint64, np.uint64, np.uint64, np.uint64]


@jit
def philox(c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64) -> Words:
    """One Philox4x32-10 block: four 32-bit words (each in a uint64) of a counter and a key."""
    for _ in range(ROUNDS):
        product0 = MULTIPLIER_0 * c0
        product1 = MULTIPLIER_1 * c2
        c0 = (product1 >> HALF) ^ c1 ^ k0
        c1 = product1 & LOW
        c2 = (product0 >> HALF) ^ c3 ^ k1
        c3 = product0 & LOW
        k0 = (k0 + KEY_STEP_0) & LOW
        k1 = (k1 + KEY_STEP_1) & LOW
    return c0, c1, c2, c3


@jit
def block(seed: np.uint64, stream: np.uint64, trial: np.uint64, ply: np.uint64, purpose: np.uint64) -> Words:
    """The four words of one ply of one trial (or of one chunk of another purpose)."""
    c0 = ply | (purpose << np.uint64(14)) | ((trial >> HALF) << np.uint64(16))
    return philox(c0, trial & LOW, stream & LOW, stream >> HALF, seed & LOW, seed >> HALF)


@jit
def below(word: np.uint64, n: int) -> int:
    """A number 0..n-1 from one 32-bit word (n < 2^31)."""
    return np.int64((word * np.uint64(n)) >> HALF)


@jit
def dice_of(number: int, opening: bool) -> tuple[int, int]:
    """The two dice of an ordered roll's number: 0..35, or 0..29 of an opening, which has no doubles."""
    if opening:
        die1 = number // 5 + 1
        die2 = number % 5 + 1
        return die1, die2 + (1 if die2 >= die1 else 0)
    return number // 6 + 1, number % 6 + 1


@jit
def permuted(
    seed: np.uint64,
    stream: np.uint64,
    purpose: np.uint64,
    number: int,
    size: int,
    index: int,
    scratch: np.ndarray,
) -> int:
    """Element `index` of the random permutation of 0..size-1 that `number` names (scratch: int64[36])."""
    for i in range(size):
        scratch[i] = i
    word0 = word1 = word2 = word3 = np.uint64(0)
    for i in range(size - 1, 0, -1):
        drawn = size - 1 - i
        if drawn % 4 == 0:
            word0, word1, word2, word3 = block(
                seed, stream, np.uint64(number), np.uint64(drawn // 4), purpose
            )
        other = below(word0, i + 1)
        word0, word1, word2 = word1, word2, word3
        kept = scratch[i]
        scratch[i] = scratch[other]
        scratch[other] = kept
    return np.int64(scratch[index])


@jit
def stratified_number(
    seed: np.uint64, stream: np.uint64, trial: int, second: bool, opening: bool, scratch: np.ndarray
) -> int:
    """Number of the first or second roll of a trial under stratified dice.

    Each first roll comes exactly once in every 36 trials (30 for an opening), each pair of first two
    rolls exactly once in every 1,296 (1,080).
    """
    rolls = OPENING_ROLLS if opening else ROLLS
    row = trial // rolls
    cycle = row // ROLLS
    first = permuted(seed, stream, FIRST_ROLL, row, rolls, trial % rolls, scratch)
    if not second:
        return first
    return permuted(seed, stream, SECOND_ROLL, cycle * ROLLS + first, ROLLS, row % ROLLS, scratch)
