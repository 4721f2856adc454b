"""The dice: published vectors, a plain Python generator, counters, frequencies and stratification."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bgsim.kernels import dice
from bgsim.kernels.playout import roll_dice
from bgsim.run.plan import MAX_PLIES
from tests.bounds import chi_square, chi_square_bound
from tests.kernels import replay
from tests.kernels.kernel_runs import roots, settings
from tests.kernels.replay import Start
from tests.oracle import START

WORD32 = st.integers(0, 2**32 - 1)
WORD64 = st.integers(0, 2**64 - 1)
TRIALS = st.integers(0, 2**48 - 1)
PLIES = st.integers(0, 2**14 - 1)
PURPOSES = st.integers(0, 3)
COUNTERS = st.tuples(WORD64, TRIALS, PLIES, PURPOSES)  # stream, trial, ply, purpose

# Published with the generator (Random123, kat_vectors): counter, key, result.
VECTORS = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


def hexadecimal(text):
    return tuple(int(word, 16) for word in text.split())


def kernel_philox(counter, key):
    return tuple(int(word) for word in dice.philox(*(np.uint64(word) for word in (*counter, *key))))


def kernel_block(seed, stream, trial, ply, purpose):
    words = (np.uint64(word) for word in (seed, stream, trial, ply, purpose))
    return tuple(int(word) for word in dice.block(*words))


# --- the generator --------------------------------------------------------------------------------


@pytest.mark.parametrize(("counter", "key", "result"), VECTORS)
def test_published_vectors(counter, key, result):
    assert kernel_philox(hexadecimal(counter), hexadecimal(key)) == hexadecimal(result)
    assert replay.philox(hexadecimal(counter), hexadecimal(key)) == hexadecimal(result)


@given(st.tuples(*[WORD32] * 4), st.tuples(*[WORD32] * 2))
def test_philox_against_plain_python(counter, key):
    assert kernel_philox(counter, key) == replay.philox(counter, key)


@given(WORD64, COUNTERS)
@example(2**64 - 1, (2**64 - 1, 2**48 - 1, 2**14 - 1, 3))
@example(1 << 63, (1 << 63, 1 << 47, 1 << 13, 2))
@example(1 << 32, (1 << 32, 1 << 32, 0, 1))
def test_blocks_against_plain_python(seed, counter):
    stream, trial, ply, purpose = counter
    expected = replay.block(seed, stream, trial, ply, purpose)
    assert kernel_block(seed, stream, trial, ply, purpose) == expected


@pytest.mark.parametrize(("place", "bits"), list(enumerate((64, 64, 48, 14, 2))))
def test_every_bit_of_the_counter_and_the_seed_matters(place, bits):
    """Seed, stream, trial, ply, purpose: no two single bits, nor none at all, give one block."""
    settings = [[0] * 5 for _ in range(bits + 1)]
    for bit in range(bits):
        settings[bit][place] = 1 << bit
    assert len({kernel_block(*setting) for setting in settings}) == bits + 1


# --- no two uses share a counter ------------------------------------------------------------------


def unpacked(words):
    """The only (stream, trial, ply, purpose) with these counter words."""
    first, trial_low, stream_low, stream_high = words
    rest, ply = divmod(first, 2**14)
    trial_high, purpose = divmod(rest, 4)
    return stream_low + stream_high * 2**32, trial_low + trial_high * 2**32, ply, purpose


@given(COUNTERS)
@example((2**64 - 1, 2**48 - 1, 2**14 - 1, 3))
def test_a_counter_names_one_use_only(use):
    """The packing can be undone, so it is one-to-one; and it fits the four words."""
    words = replay.counter_of(*use)
    assert unpacked(words) == use
    assert all(0 <= word < 2**32 for word in words)


def test_all_that_a_plan_may_ask_for_fits_the_counter():
    assert dice.MAX_TRIAL == 2**48
    assert MAX_PLIES < 2**14
    purposes = [int(purpose) for purpose in (dice.PLAY, dice.FIRST_ROLL, dice.SECOND_ROLL)]
    assert sorted(purposes) == [0, 1, 2]
    # a permutation of 36 draws 35 words: blocks 0 to 8 of its number, in the place of the ply
    assert 35 <= 9 * 4 <= 2**14


# --- from words to rolls --------------------------------------------------------------------------


@given(WORD32, st.integers(1, 30_000))
@example(2**32 - 1, 36)
@example(0, 36)
def test_below_against_plain_python(word, n):
    drawn = dice.below(np.uint64(word), n)
    assert drawn == word * n // 2**32
    assert 0 <= drawn < n


@pytest.mark.parametrize("n", [30, 36, 15, 7, 2220])
def test_no_case_of_below_has_more_than_its_share(n):
    """The words of case i are those from ceil(i 2^32 / n): no two cases differ by more than one word."""
    edges = [-(-i * 2**32 // n) for i in range(n + 1)]
    sizes = {after - before for before, after in pairwise(edges)}
    assert max(sizes) - min(sizes) <= 1
    for i in range(n):
        assert dice.below(np.uint64(edges[i]), n) == i
        assert dice.below(np.uint64(edges[i + 1] - 1), n) == i


def test_each_of_36_rolls_once():
    rolls = [dice.dice_of(number, False) for number in range(36)]
    assert rolls == replay.ALL_ORDERED
    assert len(set(rolls)) == 36


def test_each_of_30_opening_rolls_once_and_no_double():
    rolls = [dice.dice_of(number, True) for number in range(30)]
    assert rolls == replay.OPENING_ORDERED
    assert len(set(rolls)) == 30
    assert all(die1 != die2 for die1, die2 in rolls)


# --- the roll of a ply ----------------------------------------------------------------------------


def rolls_of(start, trials, ply):
    """The kernel's rolls of one ply of many trials."""
    ours, kernel_roots = settings(seed=start.seed, stratified=start.stratified), roots(start)
    permutation = np.zeros(36, np.int64)
    found = []
    for trial in trials:
        word = dice.block(ours.seed, kernel_roots.streams[0], np.uint64(trial), np.uint64(ply), dice.PLAY)[0]
        found.append(roll_dice(ours, kernel_roots, 0, trial, ply, word, permutation))
    return found


@pytest.mark.parametrize(
    "start",
    [
        Start(START, stream=5, seed=8),
        Start(START, stream=5, seed=8, opening=True),
        Start(START, stream=5, seed=8, roll=(3, 1)),
        Start(START, stream=5, seed=8, roll=(3, 1), opening=True),
    ],
    ids=["plain", "opening", "given", "given in an opening"],
)
def test_rolls_against_plain_python(start):
    trials = [0, 1, 2, 77, 2**31, 2**32, 2**32 + 1, 2**48 - 1]
    for ply in (0, 1, 2, 3, 9_999):
        assert rolls_of(start, trials, ply) == [start.dice(trial, ply) for trial in trials]


@pytest.mark.parametrize("ply", [0, 1, 60])
def test_rolls_are_equally_frequent(ply):
    trials = 36 * 250
    counts = Counter(rolls_of(Start(START, stream=1, seed=2024), range(trials), ply))
    assert len(counts) == 36
    assert chi_square(counts.values(), trials / 36) < chi_square_bound(36)


def test_opening_rolls_are_equally_frequent():
    trials = 30 * 250
    counts = Counter(rolls_of(Start(START, stream=1, seed=2025, opening=True), range(trials), 0))
    assert set(counts) == set(replay.OPENING_ORDERED)
    assert chi_square(counts.values(), trials / 30) < chi_square_bound(30)


def test_the_two_dice_and_neighbouring_plies_and_trials_are_independent():
    """Pairs of faces, each of 36 equally often: die 1 against the die 2, the next ply and the next trial."""
    start, trials = Start(START, stream=9, seed=77), 36 * 250
    now, following = rolls_of(start, range(trials), 4), rolls_of(start, range(trials), 5)
    pairings = [
        list(now),
        [(a[0], b[0]) for a, b in zip(now, following, strict=True)],
        [(a[0], b[0]) for a, b in pairwise(now)],
    ]
    for pairs in pairings:
        counts = Counter(pairs)
        assert len(counts) == 36
        assert chi_square(counts.values(), len(pairs) / 36) < chi_square_bound(36)


# --- stratified dice ------------------------------------------------------------------------------

WAYS = {
    "plain": (Start(START, stream=3, seed=11, stratified=True), 36, 0),
    "opening": (Start(START, stream=3, seed=11, stratified=True, opening=True), 30, 0),
    "given": (Start(START, stream=3, seed=11, stratified=True, roll=(6, 5)), 36, 1),
}


@pytest.fixture(scope="module", params=WAYS, ids=list(WAYS))
def stratified(request):
    """A way to begin, its cycle, and the first two rolls that are not given, of three whole cycles."""
    start, cycle, first_ply = WAYS[request.param]
    trials = range(3 * 36 * cycle)
    return start, cycle, rolls_of(start, trials, first_ply), rolls_of(start, trials, first_ply + 1)


def test_each_first_roll_once_in_a_cycle(stratified):
    _, cycle, first, _ = stratified
    faces = set(replay.OPENING_ORDERED if cycle == 30 else replay.ALL_ORDERED)
    for begin in range(0, len(first), cycle):
        assert set(first[begin : begin + cycle]) == faces  # as many different ones as trials


def test_each_pair_of_rolls_once_in_a_long_cycle(stratified):
    _, cycle, first, second = stratified
    long_cycle = 36 * cycle  # 1,296 or 1,080
    pairs = list(zip(first, second, strict=True))
    faces = replay.OPENING_ORDERED if cycle == 30 else replay.ALL_ORDERED
    all_pairs = {(a, b) for a in faces for b in replay.ALL_ORDERED}
    assert len(all_pairs) == long_cycle
    for begin in range(0, len(pairs), long_cycle):
        assert set(pairs[begin : begin + long_cycle]) == all_pairs


def test_cycles_are_shuffled_anew(stratified):
    """No two cycles of first rolls come in one order, nor do the second rolls of two first rolls."""
    _, cycle, first, second = stratified
    orders = [tuple(first[begin : begin + cycle]) for begin in range(0, len(first), cycle)]
    assert len(set(orders)) == len(orders) == 108
    long_cycle = 36 * cycle
    partners = {}
    for number, (a, b) in enumerate(zip(first, second, strict=True)):
        partners.setdefault((number // long_cycle, a), []).append(b)
    assert len({tuple(order) for order in partners.values()}) == len(partners) == 3 * cycle


def test_given_roll_is_kept_and_later_plies_are_as_without_stratification(stratified):
    start, _, _, _ = stratified
    plain = Start(start.board, start.stream, start.seed, start.roll, start.opening)
    later = 2 if start.roll is None else 3
    for ply in (later, later + 1, 50):
        assert rolls_of(start, range(40), ply) == rolls_of(plain, range(40), ply)
    if start.roll is not None:
        assert rolls_of(start, range(40), 0) == [start.roll] * 40


@pytest.mark.parametrize("opening", [False, True])
def test_permutations_differ_by_seed_and_stream_and_repeat(opening):
    cycle = 30 if opening else 36

    def first_rolls(seed, stream):
        return rolls_of(Start(START, stream, seed, None, opening, True), range(cycle), 0)

    orders = [first_rolls(seed, stream) for seed in (0, 1, 2**32, 2**63) for stream in (0, 1, 2**32, 2**63)]
    assert len({tuple(order) for order in orders}) == 16
    assert first_rolls(1, 2**32) == first_rolls(1, 2**32)


def test_every_place_of_a_permutation_is_equally_frequent():
    """Fisher-Yates without bias: which roll comes first, and where roll 0 comes, over 3,600 cycles."""
    scratch = np.zeros(36, np.int64)
    seed, stream = np.uint64(4), np.uint64(6)
    cycles = range(3_600)
    firsts = Counter(dice.permuted(seed, stream, dice.FIRST_ROLL, n, 36, 0, scratch) for n in cycles)
    places = Counter()
    for n in cycles:
        dice.permuted(seed, stream, dice.FIRST_ROLL, n, 36, 0, scratch)
        places[scratch.tolist().index(0)] += 1
    for counts in (firsts, places):
        assert len(counts) == 36
        assert chi_square(counts.values(), 100) < chi_square_bound(36)
