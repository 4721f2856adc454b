"""From integer sums to rates and errors: against numpy on the samples written out."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bgsim.core.outcome import OUTCOME_POINTS, cubeless_equity
from bgsim.run.statistics import RATES, RolloutStatistics, mean_and_error, paired_difference

COUNTS = st.tuples(*[st.integers(0, 60)] * 7).filter(lambda counts: sum(counts) > 0)
SAMPLES = st.lists(st.integers(-(2**44), 2**44), min_size=2, max_size=40)

# Which outcomes each rate counts: a gammon is a win too, a backgammon a gammon too.
MEMBERS = {
    "win": {0, 1, 2},
    "win_gammon": {1, 2},
    "win_backgammon": {2},
    "lose_gammon": {4, 5},
    "lose_backgammon": {5},
}


def by_numpy(sample):
    """Mean and standard error of a sample."""
    values = np.array(sample, float)
    return values.mean(), values.std(ddof=1) / sqrt(len(values)) if len(values) > 1 else 0.0


def outcomes(counts):
    """The trials one by one, as outcome numbers; 6 is a truncated one."""
    return [outcome for outcome, count in enumerate(counts) for _ in range(count)]


# --- mean and error -------------------------------------------------------------------------------


@given(SAMPLES)
@example([2**44, -(2**44)])
@example([0, 0, 0, 1])
def test_mean_and_error_against_numpy(sample):
    mean, error = mean_and_error(sum(sample), sum(x * x for x in sample), len(sample))
    expected = by_numpy(sample)
    scale = max(map(abs, sample), default=0) or 1
    assert mean == pytest.approx(expected[0], abs=1e-12 * scale)
    assert error == pytest.approx(expected[1], rel=1e-9, abs=1e-9 * scale)


@given(st.integers(-(2**60), 2**60), st.integers(1, 10_000))
def test_equal_values_have_error_zero(value, n):
    """Exactly 0: a float variance of equal values may come out as a tiny negative number, its root NaN."""
    assert mean_and_error(n * value, n * value * value, n) == (float(value), 0.0)


def test_one_value_has_error_zero():
    assert mean_and_error(7, 49, 1) == (7.0, 0.0)


def test_error_does_not_cancel():
    """Values 10^9 and 10^9 + 1: in floats the sum of squares would lose the spread altogether."""
    low, high, n = 10**9, 10**9 + 1, 10_000
    total, squares = n // 2 * (low + high), n // 2 * (low**2 + high**2)
    assert mean_and_error(total, squares, n)[1] == pytest.approx(0.5 / sqrt(n - 1), rel=1e-15)


# --- rates and equity -----------------------------------------------------------------------------


@given(COUNTS)
@example((5, 0, 0, 0, 0, 0, 0))
@example((0, 0, 0, 0, 0, 0, 3))
@example((1, 1, 1, 1, 1, 1, 1))
def test_rates_against_numpy(counts):
    statistics = RolloutStatistics.of_outcomes(counts, plies=sum(counts) * 50)
    trials = outcomes(counts)
    assert statistics.trials == len(trials)
    for name in RATES:
        expected = by_numpy([outcome in MEMBERS[name] for outcome in trials])
        assert statistics.rate(name) == pytest.approx(expected, abs=1e-12)
    points = by_numpy([(*OUTCOME_POINTS, 0)[outcome] for outcome in trials])
    assert (statistics.equity, statistics.equity_se) == pytest.approx(points, abs=1e-12)
    assert (statistics.mean_plies, statistics.truncated_trials) == (50.0, counts[6])


@given(COUNTS)
def test_figures_hold_every_rate_and_its_error(counts):
    statistics = RolloutStatistics.of_outcomes(counts, plies=1)
    figures = statistics.figures()
    assert set(figures) == {name + suffix for name in (*RATES, "equity") for suffix in ("", "_se")}
    for name in RATES:
        assert (figures[name], figures[f"{name}_se"]) == statistics.rate(name)
    assert (figures["equity"], figures["equity_se"]) == (statistics.equity, statistics.equity_se)
    assert not any(isnan(figure) for figure in figures.values())


@given(COUNTS.map(lambda counts: (*counts[:5], counts[5] + counts[6], 0)))
def test_R07_rates_are_ordered_and_give_the_equity(counts):
    """Backgammons <= gammons <= wins of each side; 2W - 1 + WG + WBG - LG - LBG is the equity."""
    figures = RolloutStatistics.of_outcomes(counts, plies=1).figures()
    win, gammon, backgammon, lost_gammon, lost_backgammon = (figures[name] for name in RATES)
    assert 0 <= backgammon <= gammon <= win <= 1
    assert 0 <= lost_backgammon <= lost_gammon <= 1 - win + 1e-15
    equity = cubeless_equity(win, gammon, backgammon, lost_gammon, lost_backgammon)
    assert equity == pytest.approx(figures["equity"], abs=1e-14)


def test_error_of_the_equity_is_not_the_sum_of_the_rates_errors():
    """Half single wins, half gammons lost: points 1 and -2, spread 3/2; the rates' errors say otherwise."""
    figures = RolloutStatistics.of_outcomes((50, 0, 0, 0, 50, 0, 0), plies=1).figures()
    assert figures["equity_se"] == pytest.approx(1.5 / sqrt(99), rel=1e-15)
    assert figures["win_se"] == figures["lose_gammon_se"] == pytest.approx(0.5 / sqrt(99), rel=1e-15)
    # 2W - 1 - LG with errors added up as if independent: sqrt(4 + 1) / 2 instead of 3 / 2
    assert figures["equity_se"] != pytest.approx(sqrt(5) * 0.5 / sqrt(99), rel=0.1)


# --- paired differences ---------------------------------------------------------------------------


@given(st.lists(st.tuples(*[st.integers(-(2**44), 2**44)] * 3), min_size=2, max_size=40))
@example([(5, 5, 5)] * 10)
@example([(2**44, 2**44 - 1, 0), (-(2**44), -(2**44) - 1, 0), (0, -1, 7)])
def test_paired_difference_against_numpy(rows):
    columns = list(zip(*rows, strict=True))
    totals = [sum(column) for column in columns]
    products = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in columns] for x in columns]
    for i in range(3):
        for j in range(3):
            found = paired_difference(totals, products, len(rows), i, j)
            differences = [a - b for a, b in zip(columns[i], columns[j], strict=True)]
            scale = max(map(abs, differences)) or 1
            assert found == pytest.approx(by_numpy(differences), rel=1e-9, abs=1e-9 * scale)


def test_a_constant_difference_has_error_zero():
    """Values that vary wildly together: the pairs say exactly 1."""
    values = [3, -(2**40), 2**43 + 1]
    columns = [[value + 1 for value in values], values]
    products = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in columns] for x in columns]
    assert paired_difference([sum(c) for c in columns], products, 3, 0, 1) == (1.0, 0.0)
    assert paired_difference([sum(c) for c in columns], products, 3, 1, 0) == (-1.0, 0.0)
