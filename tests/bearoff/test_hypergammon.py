"""Hypergammon solved: GNU Backgammon's tables, the rule book's plays, published figures."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from bgsim.bearoff.hypergammon import build_hypergammon, number_of_side
from bgsim.core.position import Position
from tests import oracle

DATA = Path(__file__).parents[1] / "data"
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
NAMES = {
    "w": "win",
    "wg": "win_gammon",
    "wbg": "win_backgammon",
    "lg": "lose_gammon",
    "lbg": "lose_backgammon",
    "eq_cubeless": "equity",
    "eq_owned": "equity_owned",
    "eq_centred": "equity_centred",
    "eq_centred_jacoby": "equity_centred_jacoby",
    "eq_opp_owned": "equity_opponent_owned",
}
CUBEFUL = ("equity_owned", "equity_opponent_owned", "equity_centred", "equity_centred_jacoby")


@cache
def table(checkers):
    return build_hypergammon(checkers=checkers)


def pair(position):
    return number_of_side(position.on_roll), number_of_side(position.opponent)


@cache
def reference(checkers):
    """Pairs of numbers, positions and GNU Backgammon's figures."""
    path = DATA / f"gnubg_hypergammon_{checkers}checker.csv"
    with path.open(newline="", encoding="ascii") as lines:
        rows = list(csv.DictReader(lines))
    positions = [Position.from_gnubg_id(row["position_id"], checkers=checkers) for row in rows]
    kept = [(p, row) for p, row in zip(positions, rows, strict=True) if not p.is_over]
    figures = {ours: np.array([float(row[theirs]) for _, row in kept]) for theirs, ours in NAMES.items()}
    return [p for p, _ in kept], figures


def found(checkers, positions, name):
    return getattr(table(checkers), name)[tuple(np.array([pair(p) for p in positions]).T)]


# --- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("checkers", "sides"), [(1, 26), (2, 351)])
def test_every_side_has_a_number(checkers, sides):
    """C(25 + n, n) ways to put n checkers on 24 points, the bar and off."""
    counts = table(checkers).counts
    assert len(counts) == sides
    assert [number_of_side(side.tolist()) for side in counts] == list(range(sides))


@pytest.mark.parametrize("checkers", [1, 2])
def test_pairs_that_cannot_be_have_no_value(checkers):
    """Both sides on one point; 2 checkers make 123,201 pairs, impossible ones included."""
    win = table(checkers).win
    counts = table(checkers).counts[:, 1:25].astype(bool)
    clash = counts.astype(int) @ counts[:, ::-1].T.astype(int) > 0
    clash[0, 0] = True  # both have finished
    assert np.array_equal(np.isnan(win), clash)


# --- GNU Backgammon's tables ----------------------------------------------------------------------


def test_one_checker_each():
    """All positions; it stores 24 bits and stops iterating at 1e-5."""
    positions, figures = reference(1)
    assert len(positions) > 500
    for name, expected in figures.items():
        assert found(1, positions, name) == pytest.approx(expected, abs=1e-5)


def test_two_checkers_each():
    """The equity to 5e-5, and the chances but where another play is exactly as good."""
    positions, figures = reference(2)
    assert found(2, positions, "equity") == pytest.approx(figures["equity"], abs=5e-5)
    for name in ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon"):
        off = np.abs(found(2, positions, name) - figures[name])
        assert np.mean(off > 5e-5) < 0.01
        assert off.max() < 2e-3


# --- the equations --------------------------------------------------------------------------------


def best_of(checkers, position, value):
    """Mean over the rolls of the best play by the rule book; value: of (mover, opponent) after it."""
    total = 0.0
    for roll in ROLLS:
        ends = oracle.results(position.on_roll, position.opponent, roll) or [
            (position.on_roll, position.opponent)
        ]
        total += (1 if roll[0] == roll[1] else 2) * max(value(*end) for end in ends)
    return total / 36


def lost(side):
    """Points of the loser of a finished game."""
    return 1.0 if side[0] else 3.0 if any(side[19:]) else 2.0


@pytest.mark.slow
def test_values_are_those_of_the_plays_that_the_rule_book_allows():
    """Two checkers: each equity is what its definition makes of all that the 21 rolls lead to, to 1e-12.

    GNU Backgammon's cubeful equities of two checkers are up to 0.006 from these: its plays are not the best
    for the cube.
    """
    solved = table(2)

    def after(name):
        def value(mover, opponent):
            over = mover[0] == 2
            if over:
                return 1.0 if name == "equity_centred_jacoby" else lost(opponent)
            at = number_of_side(opponent), number_of_side(mover)
            take = min(2 * solved.equity_opponent_owned[at], 1.0)
            if name == "equity":
                return -solved.equity[at]
            if name == "equity_owned":
                return -solved.equity_opponent_owned[at]
            held = solved.equity_owned if name == "equity_opponent_owned" else getattr(solved, name)
            return -max(held[at], take)

        return value

    positions, _ = reference(2)
    for position in positions[::12]:
        for name in ("equity", *CUBEFUL):
            expected = best_of(2, position, after(name))
            assert getattr(solved, name)[pair(position)] == pytest.approx(expected, abs=1e-11)


def test_threads_change_nothing():
    one, three = table(2), build_hypergammon(checkers=2, threads=3)
    for name in NAMES.values():
        assert getattr(one, name).tobytes() == getattr(three, name).tobytes()


def test_beavers_matter_only_under_the_jacoby_rule():
    beavered = build_hypergammon(checkers=1, beavers=True)
    assert np.array_equal(beavered.equity_owned, table(1).equity_owned, equal_nan=True)
    assert np.nanmax(np.abs(beavered.equity_centred - table(1).equity_centred)) < 1e-12


# --- three checkers -------------------------------------------------------------------------------


@pytest.mark.long
def test_hypergammon_itself():
    """Check 13: the opener's equity and chances (T. Keith 2018), and a position of gnubg's manual."""
    solved = build_hypergammon(checkers=3, threads=2)
    start = Position.from_points({24: 1, 23: 1, 22: 1}, {24: 1, 23: 1, 22: 1}, checkers=3)

    def opening(name, over):
        total = 0.0
        for roll in (roll for roll in ROLLS if roll[0] != roll[1]):
            ends = oracle.results(start.on_roll, start.opponent, roll)
            values = [(-solved.equity[number_of_side(o), number_of_side(m)], m, o) for m, o in ends]
            _, mover, opponent = max(values)
            total += over(getattr(solved, name)[number_of_side(opponent), number_of_side(mover)])
        return total / 15

    assert opening("equity", lambda x: -x) == pytest.approx(0.0836795444708631, abs=1e-9)
    assert opening("win", lambda x: 1 - x) == pytest.approx(0.52118, abs=5e-6)
    for ours, theirs, published in (
        ("win_gammon", "lose_gammon", 0.31021),
        ("win_backgammon", "lose_backgammon", 0.02082),
        ("lose_gammon", "win_gammon", 0.27245),
        ("lose_backgammon", "win_backgammon", 0.01726),
    ):
        assert opening(theirs, lambda x: x) == pytest.approx(published, abs=5e-6), ours
    at = pair(Position.from_gnubg_id("ADAAAQAkIAAAAA", checkers=3))
    # Not its cubeful equities, up to 0.0011 from ours: its plays there are not the best for the cube.
    manual = {
        "win": 0.456,
        "win_gammon": 0.244,
        "win_backgammon": 0.014,
        "lose_gammon": 0.318,
        "lose_backgammon": 0.019,
    }
    for name, value in manual.items():
        assert getattr(solved, name)[at] == pytest.approx(value, abs=5e-4), name
