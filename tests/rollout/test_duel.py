"""Duels: paired dice, seats changed, and the Python loop for engines from outside."""

from __future__ import annotations

import importlib.util
import json
from math import sqrt

import pytest

from bgsim.apps import opponents
from bgsim.apps.duel import run_duel
from bgsim.apps.opponents import PolicyChooser, play_pair, play_trial
from bgsim.core.errors import BgsimError
from bgsim.core.notation import parse
from bgsim.run.plan import Root

START = Root(parse("start"))


@pytest.mark.parametrize(("first", "second"), [("greedy", "random"), ("net", "greedy")])
def test_kernels_and_the_python_loop_play_the_same_games(first, second):
    """Pair by pair; mean and error are those of the list of pairs."""
    choosers = PolicyChooser(first), PolicyChooser(second)
    pairs = [play_pair(choosers, START, 3, trial) for trial in range(40)]
    duel = run_duel(first, second, games=80, seed=3)
    mean = sum(pairs) / 40
    spread = sum((pair - mean) ** 2 for pair in pairs) / 39
    assert duel.points_per_game == mean / 2
    assert duel.standard_error == pytest.approx(sqrt(spread / 40) / 2, rel=1e-12)
    assert (duel.games, duel.finished) == (80, True)


def test_the_python_loop_begins_with_the_roll_of_a_state():
    """A last roll that is given: 6-5 bears off the two last checkers at once, a gammon unless one is off."""
    root = Root(parse("XGID=-BM---------------------o-:0:0:1:65:0:0:3:0:10"))
    choosers = PolicyChooser("greedy"), PolicyChooser("random")
    assert play_trial(choosers, root, 0, 0) == run_duel_points(root)


def run_duel_points(root):
    from bgsim.apps.rollout import rollout

    return rollout(root.state, trials=1, policy="greedy", opponent_policy="random").equity


def test_equals_draw_exactly():
    duel = run_duel("greedy", "greedy", games=400, seed=4)
    assert (duel.points_per_game, duel.standard_error) == (0.0, 0.0)


def test_the_other_side_of_the_table():
    one, other = run_duel("greedy", "random", games=200), run_duel("random", "greedy", games=200)
    assert one.points_per_game == -other.points_per_game
    assert one.standard_error == other.standard_error


def test_an_odd_number_of_games_is_rounded_up():
    assert run_duel("greedy", "random", games=7).games == 8


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("gredy", "random"), "did you mean 'greedy'"),
        (("greedy", "missing.npz"), "missing.npz cannot be read: No such file"),
        (("greedy", "random", "--games", "0"), "games is 0: a whole number from 1"),
        (("greedy", "random", "--seed", "-1"), "seed is -1: a whole number from 0"),
        (("greedy", "random", "--position", "nowhere"), "nowhere"),
    ],
)
def test_mistakes_get_a_sentence(invoke, arguments, sentence):
    result = invoke("duel", *arguments)
    assert result.exit_code == 1
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


def test_json_has_the_agreed_names(invoke):
    answer = json.loads(invoke("duel", "greedy", "random", "--games", "20", "--json").stdout)
    assert {"points_per_game", "standard_error", "games"} <= set(answer)
    assert answer["games"] == 20


@pytest.mark.skipif(
    importlib.util.find_spec("gnubg_nn") is not None, reason="gnubg-nn is installed: it is not missing"
)
def test_an_engine_that_is_not_installed_is_named(invoke):
    result = invoke("duel", "greedy", "gnubg-nn", "--games", "2")
    assert (result.exit_code, result.stderr) == (
        1,
        "bgsim: gnubg-nn is not installed: pip install 'bgsim[peers]'\n",
    )


class FirstListed:
    """Stands in for an engine from outside: plays the first result."""

    def choose(self, before, roll, results, word):
        return 0


def test_an_engine_from_outside_is_asked_play_by_play(monkeypatch):
    monkeypatch.setattr(opponents, "GnubgNn", FirstListed)
    duel = run_duel("greedy", "gnubg-nn", games=60, seed=5)
    pairs = [play_pair((PolicyChooser("greedy"), FirstListed()), START, 5, trial) for trial in range(30)]
    assert duel.points_per_game == sum(pairs) / 60
    assert duel.points_per_game > 0.5


def test_a_play_that_is_not_legal_is_said(monkeypatch):
    class Cheat:
        def choose(self, before, roll, results, word):
            return opponents._row_of((15, *[0] * 25), (0, *[0] * 5, 15, *[0] * 19), results)

    monkeypatch.setattr(opponents, "GnubgNn", Cheat)
    with pytest.raises(BgsimError, match="not legal"):
        run_duel("greedy", "gnubg-nn", games=2)
