"""The policies with nets, as their users see them: equities of plays, look-ahead, what tables say."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

from bgsim.apps.plays import rank_plays
from bgsim.core.notation import parse
from bgsim.engine.policies import equity_of, players_of
from bgsim.engine.weights import weights_of
from bgsim.kernels.policy import LEFT_OUT
from bgsim.run.tables import read_metadata
from tests.kernels.kernel_runs import records, roots, settings
from tests.kernels.replay import Start
from tests.oracle import START

POINT = 1 << 48


@pytest.mark.parametrize("equity", [-3.0, -0.25, 0.0, 2.5, 3.0])
@pytest.mark.parametrize("times", [0, 1, 2])
def test_equity_of_a_score_whatever_was_taken_off(equity, times):
    """A filter takes LEFT_OUT off each score that it does not keep; two filters twice."""
    assert equity_of(int(equity * POINT) - times * LEFT_OUT) == equity


def test_plays_come_with_equities(invoke):
    """Best first, within the points of a game, and all sixteen of them."""
    plays = json.loads(invoke("plays", "start", "31", "--policy", "net", "--json").stdout)
    equities = [play["equity"] for play in plays]
    assert len(plays) == 16
    assert equities == sorted(equities, reverse=True)
    assert all(-3 <= equity <= 3 for equity in equities)


def test_look_ahead_ranks_what_it_looked_at_above_the_rest():
    """At most five are looked at; the others keep the equity of the net alone, below them."""
    position = parse("start").position
    net = {str(found.play): found.equity for found in rank_plays(position, (2, 1), policy="net")}
    ahead = rank_plays(position, (2, 1), policy="net-1ply")
    changed = [str(found.play) for found in ahead if found.equity != net[str(found.play)]]
    assert 2 <= len(changed) <= 5
    assert changed == [str(found.play) for found in ahead[: len(changed)]]


def test_a_table_names_the_weights(invoke, tmp_path):
    path = tmp_path / "x.parquet"
    assert invoke("rollout", "start", "--policy", "net-1ply", "--trials", "2", "--out", path).exit_code == 0
    metadata = read_metadata(path)
    digest = weights_of("net").digest
    assert json.loads(metadata["plan"])["weights"] == {"net": digest}
    assert metadata["weights_hash"] == digest
    assert pq.read_table(path)["plies"].to_pylist() == [1]


def test_seats_may_change():
    """The same players in the other seats and the same dice: a root that says so is another plan's root."""
    begin = Start(START, stream=5, seed=6)
    one, other = settings("net", "greedy", seed=6), settings("greedy", "net", seed=6)
    one = one._replace(opponent=players_of("net", "greedy").players[1])
    swapped = roots(begin)._replace(swapped=~roots(begin).swapped)
    segments = [(0, 0, 20)]
    first = records(one, swapped, segments, policies=("net", "greedy"))
    second = records(other, roots(begin), segments, policies=("greedy", "net"))
    assert first["sums"].tolist() == second["sums"].tolist()
    assert (
        first["sums"].tolist()
        != records(one, roots(begin), segments, policies=("net", "greedy"))["sums"].tolist()
    )
