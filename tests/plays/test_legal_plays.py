"""Every result set and every count that other programs agree on."""

from __future__ import annotations

from functools import cache

import pytest

from bgsim.core.position import Position
from bgsim.engine.plays import count_results, legal_plays
from tests.cases import as_position, corpus, reference_plays
from tests.oracle import ALL_ROLLS, START, dice_used, from_gnubg_id, gnubg_id, results

SOURCES = sorted({case["source"] for case in reference_plays()})

# (kind, results over all 21 rolls with a lost turn counting one, largest list)
CORPUS_COUNTS = (("nn", 261_116, 516), ("race", 41_585, 307), ("random", 183_373, 768))


@cache
def cases_of(source: str) -> list[tuple[Position, tuple[int, int], dict]]:
    return [
        (Position.from_gnubg_id(case["position_id"]), tuple(case["dice"]), case)
        for case in reference_plays()
        if case["source"] == source
    ]


@cache
def found_in(source: str) -> list[tuple[list[str], set[int]]]:
    """Of each case the ids of all results, sorted, and how many dice the plays use.

    6/off and 6/5/off lead to one position with 6-1, but only the second is a whole turn. A game that is over
    leaves no die to play: there 6/off may stand for both.
    """
    found = []
    for position, roll, case in cases_of(source):
        plays = legal_plays(position, roll)
        used = {case["dice_used"] if play.after.is_over else len(play.moves) for play in plays}
        found.append((sorted(play.after.gnubg_id for play in plays), used))
    return found


def test_the_reference_is_whole():
    assert len(reference_plays()) == 4_722
    assert sum(case["count"] for case in reference_plays()) == 75_002


@pytest.mark.parametrize("source", SOURCES)
def test_result_sets_equal_gnubg(source):
    wrong = []
    for (_, roll, case), (found, _) in zip(cases_of(source), found_in(source), strict=True):
        if found != sorted(case["after"]):
            extra = sorted(set(found) - set(case["after"]))
            missing = sorted(set(case["after"]) - set(found))
            wrong.append((case["position_id"], roll, "extra", extra, "missing", missing))
    assert not wrong, f"{len(wrong)} wrong, the first: {wrong[:3]}"


@pytest.mark.parametrize("source", SOURCES)
def test_every_play_uses_as_many_dice_as_the_reference(source):
    wrong = []
    for (_, roll, case), (_, used) in zip(cases_of(source), found_in(source), strict=True):
        if used != ({case["dice_used"]} if case["dice_used"] else set()):
            wrong.append((case["position_id"], roll, sorted(used), case["dice_used"]))
    assert not wrong, f"{len(wrong)} wrong, the first: {wrong[:3]}"


def test_count_results_equals_gnubg():
    for case in reference_plays():
        position = Position.from_gnubg_id(case["position_id"])
        found = count_results(position, tuple(case["dice"]))
        assert found == case["count"], (case["position_id"], case["dice"])


def test_the_order_of_the_two_dice_does_not_matter():
    for case in reference_plays()[::25]:
        position = Position.from_gnubg_id(case["position_id"])
        high, low = case["dice"]
        one_way = [play.after for play in legal_plays(position, (high, low))]
        other_way = [play.after for play in legal_plays(position, (low, high))]
        assert one_way == other_way, (case["position_id"], case["dice"])


def test_a_lost_turn_has_no_play():
    lost = [case for case in reference_plays() if "no_play" in case["tags"]]
    assert len(lost) == 555
    for case in lost:
        position = Position.from_gnubg_id(case["position_id"])
        assert legal_plays(position, tuple(case["dice"])) == [], case["position_id"]


@pytest.mark.parametrize(("kind", "total", "largest"), CORPUS_COUNTS)
def test_corpus_counts(kind, total, largest):
    positions = [as_position(board) for board in corpus()[kind]]
    counts = [max(1, count_results(position, roll)) for position in positions for roll in ALL_ROLLS]
    assert (sum(counts), max(counts)) == (total, largest)


@pytest.mark.parametrize(("kind", "total", "largest"), CORPUS_COUNTS)
def test_oracle_has_the_corpus_counts_of_a_sample(kind, total, largest):
    """The same list through the oracle, every twelfth position, so that the two stay tied."""
    for board in corpus()[kind][::12]:
        for roll in ALL_ROLLS:
            found = count_results(as_position(board), roll)
            assert found == len(results(*board, roll)), (gnubg_id(*board), roll)


@pytest.mark.slow
def test_the_oracle_equals_gnubg():
    """The rule book that the other tests lean on, held against the same 4,722 sets."""
    for case in reference_plays():
        board, roll = from_gnubg_id(case["position_id"]), tuple(case["dice"])
        assert gnubg_id(*board) == case["position_id"]
        assert {gnubg_id(*after) for after in results(*board, roll)} == set(case["after"])
        assert dice_used(*board, roll) == case["dice_used"]


def test_start_position_ids_agree():
    assert as_position(START).gnubg_id == gnubg_id(*START) == "4HPwATDgc/ABMA"
