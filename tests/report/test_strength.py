"""The figure of strength against speed: what it says, and that it says it the same way again."""

from __future__ import annotations

from bgsim.report.strength import strength_figure
from tests.report.test_learning import texts

ROW = {
    "opponent": "gnubg-nn",
    "seed": 11,
    "games": 40_000,
    "label": "net",
    "widths": "512-128-64 + 128",
    "points_per_game": -0.01,
    "standard_error": 0.006,
    "games_per_s": 30.0,
}
FAST = ROW | {"label": "net-fast", "widths": "128", "points_per_game": -0.09, "games_per_s": 70.0}
GREEDY = ROW | {"label": "greedy", "widths": "", "games": 400, "points_per_game": -0.9, "games_per_s": 9000.0}


def test_every_policy_is_named_with_its_layers(tmp_path):
    strength_figure([ROW, GREEDY, FAST], tmp_path / "a.svg")
    found = texts(tmp_path / "a.svg")
    for text in ("net (512-128-64 + 128)", "net-fast (128)", "greedy", "gnubg-nn"):
        assert found.count(text) == 1
    assert "Strength against gnubg-nn, 400 to 40,000 games each, seed 11" in found


def test_the_same_rows_give_the_same_bytes(tmp_path):
    """And games that are the same of all are told once."""
    for name in ("a.svg", "b.svg"):
        strength_figure([ROW, FAST], tmp_path / name)
    assert "Strength against gnubg-nn, 40,000 games each, seed 11" in texts(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
