"""Full games from the start, on one thread."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.clock import cpu_seconds
from benchmarks.games import play_games, play_records

pytestmark = pytest.mark.benchmark(group="playout", timer=cpu_seconds)

GAMES = 2_000


@pytest.mark.parametrize("policy", ["random", "greedy", "net"])
def test_full_games_from_the_start(benchmark: BenchmarkFixture, policy: str) -> None:
    """The same seed gives the same games, each with a winner, whoever asks."""
    once, twice = play_records(policy, GAMES), play_records(policy, GAMES)
    assert np.array_equal(once, twice)
    played = play_games(policy, GAMES)
    assert played.games == GAMES
    benchmark.extra_info["games"] = GAMES
    benchmark.extra_info["turns"] = played.turns
    assert benchmark.pedantic(play_games, (policy, GAMES), rounds=5) == played
