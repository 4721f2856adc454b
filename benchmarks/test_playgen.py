"""Listing plays: how many distinct results a second, and what the Python face costs on top."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.clock import cpu_seconds
from benchmarks.corpus import ROLLS, corpus, start
from bgsim.engine.boards import pack
from bgsim.engine.plays import count_boards, legal_plays, perft

pytestmark = pytest.mark.benchmark(group="playgen", timer=cpu_seconds)

# Source: the notes of the corpus; two independent engines agree. A lost turn counts as one result.
CORPUS_RESULTS = {"nn": 261_116, "race": 41_585, "random": 183_373}
START_RESULTS = 447
START_DEPTH_3 = 116_154_993


def test_perft_3_from_the_start(benchmark: BenchmarkFixture) -> None:
    """The first call is the check, and warms: a round takes a second or more."""
    position = start()
    assert perft(position, 3) == START_DEPTH_3
    benchmark.extra_info["results"] = START_DEPTH_3
    assert benchmark.pedantic(perft, (position, 3), rounds=3) == START_DEPTH_3


@pytest.mark.parametrize("kind", CORPUS_RESULTS)
def test_21_rolls_of_the_corpus(benchmark: BenchmarkFixture, kind: str) -> None:
    """One kernel call over all positions of a kind: no Python between the lists."""
    boards = pack(corpus()[kind])
    assert count_boards(boards) == CORPUS_RESULTS[kind]
    benchmark.extra_info["results"] = CORPUS_RESULTS[kind]
    benchmark.extra_info["rolls"] = len(ROLLS) * len(boards)
    assert benchmark(count_boards, boards) == CORPUS_RESULTS[kind]


def test_21_rolls_of_the_start(benchmark: BenchmarkFixture) -> None:
    boards = pack([start()])
    assert count_boards(boards) == START_RESULTS
    benchmark.extra_info["results"] = START_RESULTS
    assert benchmark(count_boards, boards) == START_RESULTS


@pytest.mark.parametrize(
    ("roll", "results"), [((6, 5), 7), ((3, 1), 16), ((2, 2), 75)], ids=["65", "31", "22"]
)
def test_legal_plays_of_one_roll(benchmark: BenchmarkFixture, roll: tuple[int, int], results: int) -> None:
    """Play objects with their checker moves: the cost of asking from Python, not of the kernel."""
    position = start()
    assert len(legal_plays(position, roll)) == results
    benchmark.extra_info["results"] = results
    benchmark(legal_plays, position, roll)


@pytest.mark.parametrize("kind", CORPUS_RESULTS)
def test_legal_plays_of_21_rolls(benchmark: BenchmarkFixture, kind: str) -> None:
    """The same over every tenth position of a kind."""
    positions = corpus()[kind][::10]
    expected = count_boards(pack(positions))

    def ask() -> int:
        return sum(max(1, len(legal_plays(position, roll))) for position in positions for roll in ROLLS)

    assert ask() == expected
    benchmark.extra_info["results"] = expected
    assert benchmark.pedantic(ask, rounds=3) == expected
