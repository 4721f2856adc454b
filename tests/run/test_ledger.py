"""Adding records up: exact, in any order, each trial once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgsim.core.errors import TableError
from bgsim.engine.batch import record_type
from bgsim.kernels.rollout import SUMS, VALUES
from bgsim.run.ledger import GroupTotals, Ledger

INT64 = st.integers(-(2**63), 2**63 - 1)
INT128 = st.integers(-(2**127), 2**127 - 1)


def split(number):
    """A 128-bit number as the (high, low) pair of a record."""
    low = number % 2**64
    return number // 2**64, low - 2**64 if low >= 2**63 else low


@st.composite
def chunks(draw, size=2):
    """Consecutive segments (first, trials, sums, squares, products) of one group, with any sums at all."""
    found, first = [], 0
    for trials in draw(st.lists(st.integers(1, 50), min_size=1, max_size=8)):
        sums = draw(st.lists(st.lists(INT64, min_size=SUMS, max_size=SUMS), min_size=size, max_size=size))
        squares, products = (
            draw(st.lists(st.lists(INT128, min_size=n, max_size=n), min_size=size, max_size=size))
            for n in (VALUES, size)
        )
        found.append((first, trials, sums, squares, products))
        first += trials
    return found


def totals_of(segments, size=2):
    totals = GroupTotals(size)
    for first, trials, sums, *others in segments:
        pairs = [np.array([[split(n) for n in line] for line in numbers], np.int64) for numbers in others]
        totals.add(first, trials, np.array(sums, np.int64), *pairs)
    return totals


def state(totals):
    return totals.sums, totals.squares, totals.products, totals.finished


@given(chunks(), st.randoms(use_true_random=False))
def test_any_order_gives_the_same_totals(segments, rng):
    expected = state(totals_of(segments))
    shuffled = list(segments)
    rng.shuffle(shuffled)
    assert state(totals_of(shuffled)) == expected


@given(chunks())
def test_totals_are_the_plain_sums(segments):
    totals = totals_of(segments)
    for j in range(2):
        columns = zip(*(sums[j] for _, _, sums, _, _ in segments), strict=True)
        assert totals.sums[j] == [sum(column) for column in columns]
        for i in range(VALUES):
            assert totals.squares[j][i] == sum(squares[j][i] for _, _, _, squares, _ in segments)
        for i in range(2):
            assert totals.products[i][j] == sum(products[i][j] for *_, products in segments)
    assert totals.trials == sum(trials for _, trials, *_ in segments)
    assert totals.finished == [(0, totals.trials)]


def added(*intervals):
    """Totals with these intervals (first, end) added, all their sums 0."""
    return totals_of(
        [(first, end - first, [[0] * SUMS], [[0] * VALUES], [[0]]) for first, end in intervals], 1
    )


# --- what is missing ------------------------------------------------------------------------------


def test_missing_trials_by_hand():
    totals = added((10, 20), (30, 40))
    assert list(totals.missing(50)) == [(0, 10), (20, 30), (40, 50)]
    assert list(totals.missing(40)) == [(0, 10), (20, 30)]
    assert list(totals.missing(25)) == [(0, 10), (20, 25)]
    assert list(totals.missing(15)) == [(0, 10)]
    assert list(totals.missing(20)) == [(0, 10)]
    assert list(totals.missing(5)) == [(0, 5)]
    assert list(added().missing(7)) == [(0, 7)]
    assert list(added((0, 7)).missing(7)) == []
    assert list(added((0, 70)).missing(7)) == []


@given(st.sets(st.integers(0, 60)), st.integers(1, 70))
def test_missing_and_finished_make_the_whole(done, trials):
    """Trials finished one at a time; what is missing is the rest, in order, none of it empty."""
    totals = added(*((trial, trial + 1) for trial in done))
    missing = list(totals.missing(trials))
    assert all(first < end for first, end in missing)
    assert [t for first, end in missing for t in range(first, end)] == sorted(set(range(trials)) - done)
    assert totals.trials == len(done)


@given(st.permutations(range(8)))
def test_touching_intervals_are_joined(order):
    totals = added(*((5 * n, 5 * n + 5) for n in order))
    assert totals.finished == [(0, 40)]


# --- nothing is counted twice ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("again", "twice"),
    [
        ((10, 20), "trials 10 to 19"),
        ((15, 25), "trials 15 to 19"),
        ((5, 11), "trials 10 to 10"),
        ((12, 13), "trials 12 to 12"),
        ((0, 50), "trials 10 to 19"),
        ((39, 60), "trials 39 to 39"),
    ],
)
def test_counting_trials_twice_is_refused(again, twice):
    totals = added((10, 20), (30, 40))
    before = (list(map(list, totals.sums)), totals.finished)
    shapes = (1, SUMS), (1, VALUES, 2), (1, 1, 2)
    with pytest.raises(TableError, match=f"{twice} were counted twice"):
        totals.add(again[0], again[1] - again[0], *(np.ones(shape, np.int64) for shape in shapes))
    assert (totals.sums, totals.finished) == before  # and nothing was added


# --- the ledger of a plan -------------------------------------------------------------------------


def records(*rows):
    """Records (group, first trial, trials) of single roots, every sum equal to the trials."""
    found = np.zeros(len(rows), record_type(1))
    for record, (group, first, trials) in zip(found, rows, strict=True):
        record["group"], record["first_trial"], record["trials"] = group, first, trials
        record["sums"] = trials
        record["products"][..., 1] = trials
    return found


def test_records_go_to_their_groups():
    ledger = Ledger(3)
    assert ledger.add(records((2, 0, 5), (0, 7, 3))) == 8
    assert ledger.add(records((2, 5, 1))) == 1
    assert ledger.add(records()) == 0
    assert [totals.trials for totals in ledger.totals] == [3, 0, 6]
    assert [totals.finished for totals in ledger.totals] == [[(7, 10)], [], [(0, 6)]]
    assert [totals.sums[0][0] for totals in ledger.totals] == [3, 0, 6]
    assert [totals.products[0][0] for totals in ledger.totals] == [3, 0, 6]
    assert ledger.trials() == 9


def test_the_same_trials_of_two_groups_are_different_trials():
    ledger = Ledger(2)
    ledger.add(records((0, 0, 5), (1, 0, 5)))
    with pytest.raises(TableError, match="counted twice"):
        ledger.add(records((1, 4, 1)))


def test_statistics_are_those_of_the_sums():
    totals = GroupTotals(2)
    values = [9, 5, 2, 0, 0, 15 << 32], [0, 0, 0, 15, 15, -45 << 32]
    counts = [4, 3, 2, 1, 0, 0, 5, 900], [0, 0, 0, 0, 0, 15, 0, 300]
    sums = np.array([[*counts[k], *values[k], k, 7] for k in range(2)], np.int64)
    squares = 1000 + np.arange(2 * VALUES * 2).reshape(2, VALUES, 2)
    totals.add(0, 15, sums, squares, np.zeros((2, 2, 2), np.int64))
    first, second = totals.statistics(0), totals.statistics(1)
    assert (first.counts, first.plies) == ((4, 3, 2, 1, 0, 0, 5), 900)
    assert (second.counts, second.plies) == ((0, 0, 0, 0, 0, 15, 0), 300)
    assert (first.trials, first.mean_plies, second.trials) == (15, 60.0, 16)
    assert [(s.ended_in_table, s.settled_trials) for s in (first, second)] == [(0, 7), (1, 7)]
    assert [first.totals, second.totals] == [tuple(row) for row in values]
    assert second.squares == tuple((high << 64) + low for high, low in squares[1].tolist())
