"""Estimates of positions by nets: against plain Python, at the end of games, and mistakes."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bgsim
from bgsim.core.position import Position
from bgsim.engine.estimates import estimate
from bgsim.engine.weights import weights_of
from tests import oracle
from tests.kernels.plain_nets import CERTAIN, can_meet, plain_chances, plain_score, plain_sums
from tests.kernels.replay import listed
from tests.oracle import ALL_ROLLS, side

MONEY = [points << 32 for points in (1, 2, 3, -1, -2, -3)]
BEAR_OFF = (side({1: 2, 2: 1, 0: 12}), side({3: 2, 0: 13}))


def plain_estimate(board):
    """Chances of the player who has just moved, by the nets that come with bgsim without their quick ones."""
    net = weights_of("net").contact if can_meet(board) else weights_of("net").race
    sums = [0] * 5 if oracle.finished(*board) is not None else plain_sums(net, board)
    return np.array(plain_chances(sums, board)) / CERTAIN


def turned(chances):
    win, gammon, backgammon, lose_gammon, lose_backgammon = chances
    return np.array([1 - win, lose_gammon, lose_backgammon, gammon, backgammon])


def plain_look_ahead(board):
    """Mean over the 21 rolls of the player on roll, after the play that the nets like best."""
    nets, total = (weights_of("net").contact, weights_of("net").race), np.zeros(5)
    for roll in ALL_ROLLS:
        results = listed(board, roll) or [board]
        scores = [plain_score(nets, result, MONEY) for result in results]
        best = results[scores.index(max(scores))]
        total += (1 if roll[0] == roll[1] else 2) * plain_estimate(best)
    return total / 36


@pytest.mark.parametrize("board", [oracle.START, BEAR_OFF], ids=["start", "bear-off"])
def test_estimates_are_the_nets_from_the_view_of_the_player_on_roll(board):
    found = estimate("net", [Position(*board)])
    assert found == pytest.approx(turned(plain_estimate(board[::-1]))[None], abs=1e-6)


def test_look_ahead_is_the_mean_over_the_rolls():
    """In a race of few plays, where quick nets could leave out nothing that is as good."""
    found = estimate("net-1ply", [Position(*BEAR_OFF)])
    assert found == pytest.approx(plain_look_ahead(BEAR_OFF)[None], abs=1e-6)


FINISHED = {
    "single, won": ((side({0: 15}), side({3: 2, 0: 13})), [1, 0, 0, 0, 0]),
    "gammon, lost": ((side({3: 15}), side({0: 15})), [0, 0, 0, 1, 0]),
    "backgammon, won": ((side({0: 15}), side({24: 1, 5: 14})), [1, 1, 1, 0, 0]),
}


@pytest.mark.parametrize("policy", ["net", "net-1ply"])
@pytest.mark.parametrize(("board", "outcome"), FINISHED.values(), ids=FINISHED)
def test_finished_positions_have_their_outcome(board, outcome, policy):
    assert estimate(policy, [Position(*board)]).tolist() == [outcome]


def test_evaluate_takes_positions_states_and_texts():
    state = bgsim.parse("start")
    found = {bgsim.evaluate(given) for given in (state, state.position, "start")}
    (one,) = found
    assert (one.policy, one.plies) == ("net", 0)
    assert one.equity == pytest.approx(
        2 * one.win - 1 + one.win_gammon + one.win_backgammon - one.lose_gammon - one.lose_backgammon
    )
    assert 0.5 < one.win < 0.6


def test_mistakes_are_named():
    with pytest.raises(bgsim.BgsimError, match=r"policy 'greedy' estimates no chances; use one of: net, "):
        bgsim.evaluate("start", policy="greedy")
    with pytest.raises(bgsim.PositionError, match="5 is no position"):
        bgsim.evaluate(5)


def test_command(invoke):
    result = invoke("evaluate", "start", "nackgammon", "--json")
    assert result.exit_code == 0
    rows = json.loads(result.stdout)
    assert [row["position_id"] for row in rows] == [
        bgsim.parse(name).position.gnubg_id for name in ("start", "nackgammon")
    ]
    assert rows[0]["equity"] == bgsim.evaluate("start").equity
    text = invoke("evaluate", "start").stdout
    assert f"{rows[0]['equity']:+.4f}" in text
    refused = invoke("evaluate", "start", "--policy", "random")
    assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (1, "", 1)
