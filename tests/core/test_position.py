"""Positions: making, refusing, describing and the Position ID."""

import gzip
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from bgsim.core.errors import PositionError
from bgsim.core.position import Position, position_faults
from tests.core.positions import positions

START = {24: 2, 13: 5, 8: 3, 6: 5}
DATA = Path(__file__).parents[1] / "data"


def faults(on_roll: dict[int, int], opponent: dict[int, int], checkers: int = 15) -> list[str]:
    with pytest.raises(PositionError) as caught:
        Position.from_points(on_roll, opponent, checkers=checkers)
    return list(caught.value.faults)


@pytest.mark.parametrize(
    ("text", "on_roll", "opponent", "checkers"),
    [
        ("4HPwATDgc/ABMA", START, START, 15),
        ("CgAAEAEAAAAAAA", {5: 1, 2: 1}, {3: 1, 2: 1}, 15),
        ("ADAAAQAkIAAAAA", {24: 1, 17: 1, 15: 1}, {23: 1, 13: 2}, 3),
        ("sGfwATDgc/ABMA", START, {24: 2, 13: 5, 8: 2, 6: 4, 5: 2}, 15),
        ("AAAAAAAAAAAAAA", None, None, 15),
    ],
)
def test_position_ids_of_known_positions(
    text: str, on_roll: dict[int, int] | None, opponent: dict[int, int] | None, checkers: int
) -> None:
    if on_roll is None or opponent is None:
        with pytest.raises(PositionError, match="both sides have borne off all their checkers"):
            Position.from_gnubg_id(text)
        return
    position = Position.from_points(on_roll, opponent, checkers=checkers)
    assert position.gnubg_id == text
    assert Position.from_gnubg_id(text, checkers=checkers) == position


def test_position_ids_of_the_legal_play_vectors_round_trip() -> None:
    with gzip.open(DATA / "legal_plays.jsonl.gz", "rt") as lines:
        texts = [json.loads(line)["position_id"] for line in lines]
    assert len(texts) > 1000
    assert [Position.from_gnubg_id(text).gnubg_id for text in texts] == texts


@given(positions())
def test_any_position_survives_its_id(position: Position) -> None:
    assert Position.from_gnubg_id(position.gnubg_id) == position
    assert Position.from_gnubg_id(position.swapped().gnubg_id).swapped() == position


@given(positions(checkers=3))
def test_any_hypergammon_position_survives_its_id(position: Position) -> None:
    assert Position.from_gnubg_id(position.gnubg_id, checkers=3) == position


@given(positions())
def test_what_a_position_says_of_itself(position: Position) -> None:
    assert position_faults(position.on_roll, position.opponent) == []
    assert position.pips == position.swapped().pips[::-1]
    assert position.position_class == position.swapped().position_class
    assert pickle.loads(pickle.dumps(position)) == position
    assert hash(position) == hash(Position(position.on_roll, position.opponent))
    assert position.has_contact == (position.position_class == "contact")
    assert position.is_over == (0 in position.pips)


@pytest.mark.parametrize(
    ("on_roll", "opponent", "named"),
    [
        (START, START, "contact"),
        ({12: 15}, {12: 15}, "race"),
        ({13: 15}, {13: 14}, "contact"),
        ({7: 15}, {6: 15}, "race"),
        ({6: 15}, {6: 15}, "bear-off"),
        ({6: 1}, {20: 1}, "contact"),
        ({25: 1}, {1: 1}, "contact"),
        ({25: 1}, {25: 1}, "contact"),
        ({}, {25: 15}, "over"),
        ({3: 1}, {}, "over"),
    ],
)
def test_position_class(on_roll: dict[int, int], opponent: dict[int, int], named: str) -> None:
    assert Position.from_points(on_roll, opponent).position_class == named


def test_dead_position_with_both_on_the_bar_against_closed_boards_is_kept() -> None:
    closed = dict.fromkeys(range(1, 7), 2) | {25: 3}
    position = Position.from_points(closed, closed)
    assert (position.position_class, position.pips) == ("contact", (117, 117))


def test_sets_of_the_two_sides_may_differ() -> None:
    one = (0, 1, *[0] * 24)
    three = (2, 0, 1, *[0] * 23)
    assert Position(one, three).pips == (1, 2)


def test_numpy_counts_become_plain_integers() -> None:
    counts = np.zeros(26, dtype=np.int8)
    counts[6] = 15
    position = Position(counts, counts)  # type: ignore[arg-type]
    assert position == Position.from_points({6: 15}, {6: 15})
    assert {type(n) for n in position.on_roll + position.opponent} == {int}
    json.dumps(position.on_roll)


def test_every_fault_is_named_at_once() -> None:
    assert faults({6: 16, 3: -1, 26: 1}, {19: 2, "5": 1, 0: 3}) == [  # type: ignore[dict-item]
        "the player on roll has point 26, 1 to 24, 25 (bar) and 0 (off) are allowed",
        "the player on roll has -1 checkers on point 3, 0 to 15 are allowed",
        "the opponent has point '5', 1 to 24, 25 (bar) and 0 (off) are allowed",
        "both sides are on one point: 6 of the player on roll, which is 19 of the opponent",
    ]


@pytest.mark.parametrize(
    ("on_roll", "opponent", "fault"),
    [
        ({6: 15, 5: 1}, START, "16 checkers for the player on roll, at most 15 are allowed"),
        (START, {24: 16}, "16 checkers for the opponent, at most 15 are allowed"),
        (
            {6: 2.5},
            START,
            "the player on roll has 2.5 checkers on point 6, a whole number is needed",
        ),
        ({25: -1}, START, "the player on roll has -1 checkers on the bar, 0 to 15 are allowed"),
        (
            {0: 3, 6: 11},
            START,
            "the player on roll has 11 checkers on the board and 3 off, together",
        ),
        ({0: 15}, {0: 15}, "both sides have borne off all their checkers"),
        ({}, {}, "both sides have borne off all their checkers"),
    ],
)
def test_refused_points(on_roll: dict[int, int], opponent: dict[int, int], fault: str) -> None:
    (found,) = faults(on_roll, opponent)
    assert found.startswith(fault)


@pytest.mark.parametrize(
    ("on_roll", "opponent", "fault"),
    [
        ((0,) * 26, (15, *[0] * 25), "the player on roll has no checkers at all"),
        ((1,), (15, *[0] * 25), "the player on roll has 1 counts, 26 are needed"),
        ((-1, 15, *[0] * 24), (14, 1, *[0] * 24), "the player on roll has -1 checkers off"),
        ((None, 15, *[0] * 24), (14, 1, *[0] * 24), "the player on roll has None checkers off"),
    ],
)
def test_refused_counts(on_roll: tuple[int, ...], opponent: tuple[int, ...], fault: str) -> None:
    with pytest.raises(PositionError) as caught:
        Position(on_roll, opponent)
    assert caught.value.faults[0].startswith(fault)


@pytest.mark.parametrize("checkers", [0, 16, -1])
def test_refused_set(checkers: int) -> None:
    with pytest.raises(PositionError, match="1 to 15 are allowed"):
        Position.from_points({1: 1}, {1: 1}, checkers=checkers)
    with pytest.raises(PositionError, match="1 to 15 are allowed"):
        Position.from_gnubg_id("4HPwATDgc/ABMA", checkers=checkers)


def test_id_with_more_checkers_than_the_set_is_refused() -> None:
    with pytest.raises(PositionError) as caught:
        Position.from_gnubg_id("4HPwATDgc/ABMA", checkers=3)
    assert caught.value.faults == (
        "15 checkers for the player on roll, at most 3 are allowed",
        "15 checkers for the opponent, at most 3 are allowed",
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("4HPwATDgc/ABMAA", "has 15 characters, it needs 14"),
        ("4HPwATDgc/ABM!", "holds '!', only A-Z a-z 0-9 + / may stand there"),
        ("4HPwATDgc_ABM-", "holds '_' '-', only"),
        ("4HPwATDgc/ABMB", "cannot end so, its last character is A, Q, g or w"),
        ("AAAAAAAAAAAAAw", "bits are set after the last bar"),
        ("", "has 0 characters"),
        ("é" * 14, "holds 'é'"),
    ],
)
def test_refused_position_id(text: str, fault: str) -> None:
    with pytest.raises(PositionError) as caught:
        Position.from_gnubg_id(text)
    assert any(fault in found for found in caught.value.faults), caught.value.faults


def test_error_is_frozen_and_survives_pickling() -> None:
    error = PositionError("one", "two")
    assert str(error) == "one; two"
    assert pickle.loads(pickle.dumps(error)).faults == ("one", "two")
    with pytest.raises(AttributeError):
        error.faults = ()  # type: ignore[misc]


def test_position_is_frozen() -> None:
    position = Position.from_points({1: 1}, {1: 1})
    with pytest.raises(AttributeError):
        position.on_roll = ()  # type: ignore[misc]
