"""Sums over trials: exact integers, whatever is added, in whatever order and however it is cut."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bgsim.kernels import rollout
from bgsim.kernels.playout import OUTCOMES, TRUNCATED
from bgsim.run.plan import MAX_PLIES
from tests import oracle
from tests.kernels.kernel_runs import (
    PLIES,
    POINTS,
    VALUE,
    product,
    records,
    roots,
    settings,
    single_trials,
)
from tests.kernels.replay import Start
from tests.oracle import START, side

LARGEST = 2**62 - 1  # add_product's limit
LARGEST_VALUE = 3 * 1024 << 32  # a backgammon with the cube at 1024, in 2^-32 points
FACTORS = st.integers(-LARGEST, LARGEST) | st.sampled_from([0, 1, -1, 2**32, -(2**32), LARGEST, -LARGEST])
VALUES = st.integers(-LARGEST_VALUE, LARGEST_VALUE)


def added(pairs, start=(0, 0)):
    """The 128-bit sum that the kernel makes of these products."""
    total = np.array(start, np.int64)
    for a, b in pairs:
        rollout.add_product(total, a, b)
    return product(total)


@given(FACTORS, FACTORS)
@example(LARGEST, LARGEST)
@example(-LARGEST, LARGEST)
@example(-(2**32), 2**32)
@example(0, -LARGEST)
def test_one_product(a, b):
    assert added([(a, b)]) == a * b


@given(st.lists(st.tuples(VALUES, VALUES), max_size=30))
@example([(LARGEST_VALUE, LARGEST_VALUE)] * 30)
@example([(LARGEST_VALUE, -LARGEST_VALUE)] * 30)
@example([(1, -1), (1, 1)])  # through -1 and back: all bits of both words change
@example([(2**32, 2**31), (2**32, 2**31)])  # the low word passes 2^63, then 2^64
def test_sums_of_products(pairs):
    assert added(pairs) == sum(a * b for a, b in pairs)


@given(st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**64 - 1), FACTORS, FACTORS)
def test_adding_to_any_total(high, low, a, b):
    """Modulo 2^128, as two's complement has it."""
    start = (high, low - 2**64 if low >= 2**63 else low)
    total = (high << 64) + low + a * b
    wrapped = (total + 2**127) % 2**128 - 2**127
    assert added([(a, b)], start) == wrapped


def test_no_sum_of_a_batch_can_overflow():
    """Largest value: a backgammon at cube 1024; a batch has at most MAX_BATCH_TRIALS trials."""
    trials = rollout.MAX_BATCH_TRIALS
    assert LARGEST_VALUE < 2**44
    assert trials * LARGEST_VALUE < 2**63
    assert trials * MAX_PLIES < 2**63
    assert LARGEST_VALUE < 2**62  # what add_product takes
    assert trials * LARGEST_VALUE**2 < 2**127


@pytest.mark.parametrize("cube", [1, 2, 1024])
def test_value_of_every_outcome(cube):
    """Rates are cumulative: W, WG, WBG, LG, LBG; a single loss has none of them."""
    rates = [
        (1, 0, 0, 0, 0),
        (1, 1, 0, 0, 0),
        (1, 1, 1, 0, 0),
        (0, 0, 0, 0, 0),
        (0, 0, 0, 1, 0),
        (0, 0, 0, 1, 1),
    ]
    for outcome in range(OUTCOMES):
        values = np.full(rollout.VALUES, -1, np.int64)
        rollout.write_values(outcome, cube, np.zeros(5, np.int64), values)
        expected = (*rates[outcome], POINTS[outcome] * cube) if outcome != TRUNCATED else (0,) * 6
        assert values.tolist() == [value << 32 for value in expected]
        assert np.abs(values).max() <= LARGEST_VALUE


# --- records of batches ---------------------------------------------------------------------------

HOME_SIDE = side({1: 2, 2: 2, 3: 3})
RACE = Start((HOME_SIDE, HOME_SIDE), stream=5, seed=3)
MIDDLE = Start((oracle.START_SIDE, oracle.side({24: 2, 13: 4, 8: 4, 6: 4, 5: 1})), stream=6, seed=3)


def summed(found):
    """Counts, plies, value and products of some records of one group, in Python's integers."""
    sums = [sum(int(n) for n in column) for column in zip(*found["sums"][:, 0].tolist(), strict=True)]
    return sums, sum(product(record["products"][0, 0]) for record in found)


def test_sums_are_those_of_the_single_trials():
    trials = range(10, 60)
    each = single_trials(settings(seed=3), MIDDLE, trials)
    (record,) = records(settings(seed=3), roots(MIDDLE), [(0, 10, 50)])
    row = record["sums"][0].tolist()
    assert row[:OUTCOMES] == [[outcome for outcome, _, _ in each].count(n) for n in range(OUTCOMES)]
    assert row[PLIES] == sum(plies for _, plies, _ in each)
    assert row[VALUE] == sum(value for _, _, value in each)
    assert product(record["products"][0, 0]) == sum(value**2 for _, _, value in each)


@given(st.sets(st.integers(1, 199), max_size=12), st.randoms(use_true_random=False))
def test_any_cut_in_any_order_gives_the_same_sums(cuts, rng):
    ours, kernel_roots = settings("greedy", seed=3), roots(RACE)
    whole = summed(records(ours, kernel_roots, [(0, 0, 200)]))
    segments = [(0, first, end - first) for first, end in pairwise([0, *sorted(cuts), 200])]
    rng.shuffle(segments)
    together = records(ours, kernel_roots, segments)
    assert summed(together) == whole
    one_by_one = np.concatenate([records(ours, kernel_roots, [segment]) for segment in segments])
    assert one_by_one.tobytes() == together.tobytes()


# --- roots that share dice ------------------------------------------------------------------------


def shared(*starts):
    """Each with the stream of the first."""
    return [Start(start.board, starts[0].stream, starts[0].seed, start.roll) for start in starts]


def test_two_roots_on_the_same_dice():
    """Sums of each root as if alone; sums of products trial by trial, in Python's integers."""
    one, other = shared(MIDDLE, Start(START))
    ours, trials = settings("greedy", "random", seed=3), 60
    found = records(ours, roots(one, other), [(0, 0, 25), (0, 25, trials - 25)], group_size=2)
    values = [[value for _, _, value in single_trials(ours, start, range(trials))] for start in (one, other)]
    for j, start in enumerate((one, other)):
        alone = summed(records(ours, roots(start), [(0, 0, trials)]))
        assert found["sums"][:, j].sum(axis=0).tolist() == alone[0]
    for i in range(2):
        for j in range(2):
            products = sum(a * b for a, b in zip(values[i], values[j], strict=True))
            assert sum(product(record["products"][i, j]) for record in found) == products


def test_equal_roots_on_the_same_dice_are_equal_trial_by_trial():
    """Their difference is 0 in every trial, so the sum of squared differences is exactly 0."""
    same = shared(MIDDLE, MIDDLE)
    (record,) = records(settings(seed=3), roots(*same), [(0, 0, 40)], group_size=2)
    assert record["sums"][0].tolist() == record["sums"][1].tolist()
    products = [[product(record["products"][i, j]) for j in range(2)] for i in range(2)]
    assert products[0][0] - 2 * products[0][1] + products[1][1] == 0


def test_groups_after_the_first():
    """Segments of the second group of two play its roots, not those of the first."""
    starts = [*shared(RACE, MIDDLE), *shared(MIDDLE, RACE)]
    ours = settings("greedy", seed=3)
    first, second = records(ours, roots(*starts), [(0, 0, 30), (2, 0, 30)], group_size=2)
    assert (first["group"], second["group"]) == (0, 1)
    for record, two in ((first, starts[:2]), (second, starts[2:])):
        for j in range(2):
            assert record["sums"][j].tolist() == summed(records(ours, roots(two[j]), [(0, 0, 30)]))[0]


def test_streams_and_seeds_name_the_dice():
    """Another stream or seed is another game; the same stream, another root of it, the same dice."""
    plain = Start(START, stream=1, seed=0)
    again, elsewhere = Start(START, stream=1, seed=0), Start(START, stream=2, seed=0)
    ours = settings("greedy")
    assert single_trials(ours, plain, range(30)) == single_trials(ours, again, range(30))
    assert single_trials(ours, plain, range(30)) != single_trials(ours, elsewhere, range(30))
    assert single_trials(ours, plain, range(30)) != single_trials(
        settings("greedy", seed=1), plain, range(30)
    )
