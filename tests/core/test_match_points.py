"""Take points and gammon values at a score: published ones, and arithmetic."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from bgsim.core.match_points import (
    Stakes,
    dead_take_point,
    double_point,
    gammon_value,
    live_take_point,
    too_good_point,
)
from bgsim.formats.match_equity import load_match_equities

DATA = Path(__file__).parents[1] / "data"


def stakes(own, other, table="kazaross-xg2", **options):
    found = load_match_equities(table)
    return Stakes(
        chance=lambda a, b, after: found.chance(a, b, after_crawford=after), own=own, other=other, **options
    )


def money(own, other, after):
    """A table in which every point is worth the same: money play."""
    return (other - own) / 1000 + 0.5


MONEY = Stakes(chance=money, own=100, other=100)


def test_money():
    """Gammonless: 25% with a dead cube, 20% with a live one, 50% to double on the last roll; a gammon 1/2."""
    assert dead_take_point(MONEY, 1) == pytest.approx(0.25)
    assert double_point(MONEY, 1) == pytest.approx(0.5)
    assert gammon_value(MONEY, 1) == pytest.approx(0.5)
    assert too_good_point(MONEY, 1) == pytest.approx(1.0)
    far = Stakes(chance=money, own=1 << 20, other=1 << 20)
    assert live_take_point(far, 1) == pytest.approx(0.2, abs=1e-6)


def test_money_with_gammons():
    """Janowski: dead take (L - 1/2) / (W + L), live (L - 1/2) / (W + L + 1/2), W and L the mean points."""
    far = Stakes(chance=money, own=1 << 20, other=1 << 20, gammons=0.3, other_gammons=0.2)
    won, lost = 1.3, 1.2
    assert dead_take_point(far, 1) == pytest.approx((lost - 0.5) / (won + lost))
    assert live_take_point(far, 1) == pytest.approx((lost - 0.5) / (won + lost + 0.5), abs=1e-6)
    assert too_good_point(far, 1) == pytest.approx((lost + 1) / (won + lost))


def test_published_take_points_at_double_match_point_and_3_away():
    """Check 11: 3-away 3-away, Kazaross-XG2, dead: .3017 (Madsen prints .302)."""
    assert dead_take_point(stakes(3, 3), 1) == pytest.approx(0.3017, abs=5e-5)


def test_a_table_of_dead_take_points():
    """14 x 14 scores computed elsewhere from the same equities, without the automatic redouble."""
    with (DATA / "dead_take_points_kazaross_xg2.csv").open(newline="", encoding="ascii") as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    seen = 0
    for row in rows:
        taker = int(row.pop("taker_away"))
        for name, value in row.items():
            if value:
                doubler = int(name.removeprefix("doubler_"))
                found = dead_take_point(stakes(taker, doubler), 1, automatic=False)
                assert found == pytest.approx(float(value), abs=6e-5)
                seen += 1
    assert seen >= 190


@pytest.mark.parametrize(
    ("taker", "cube", "point"),
    [("black", 1, 0.245), ("black", 2, 0.15), ("white", 1, 0.272), ("white", 2, 0.385)],
)
def test_live_take_points_of_gnubgs_manual(taker, cube, point):
    """Woolsey's table, White 4-away with 19.4% gammons, Black 7-away with 22.7% (check 11)."""
    white = stakes(4, 7, "woolsey-heinrich", gammons=0.194, other_gammons=0.227)
    assert live_take_point(white if taker == "white" else white.turned, cube) == pytest.approx(
        point, abs=5e-4
    )


def test_gammons_at_extreme_scores():
    """Worth nothing at double match point, everything at 2-away against 1-away after the Crawford game."""
    assert gammon_value(stakes(1, 1), 1) == 0.0
    trailer = stakes(2, 1, after_crawford=True)
    assert gammon_value(trailer, 1) == pytest.approx((1 - 0.5) / 0.5)
    assert gammon_value(trailer.turned, 1) == 0.0
    crawford = stakes(3, 1, crawford=True)
    # Wins 1: 2-away after Crawford, .48803; wins 2: 1-away each.
    assert gammon_value(crawford, 1) == pytest.approx((0.5 - 0.48803) / 0.48803)


def test_the_automatic_redouble():
    """2-away against 2-away: the taker owns 2, loses the match with it, and so plays at 4 at no cost."""
    assert dead_take_point(stakes(2, 2), 1) == dead_take_point(stakes(2, 2), 1, automatic=False)
    # 4-away taker of 1 to 2 from a 2-away doubler: a win at 4 wins the match.
    assert dead_take_point(stakes(4, 2), 1) < dead_take_point(stakes(4, 2), 1, automatic=False)
    assert dead_take_point(stakes(4, 2), 1) == pytest.approx(load_match_equities().chance(4, 1))
