"""What parse accepts and refuses, the precedence of rules, and rolls."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given

from bgsim.core.errors import PositionError, RollError, RulesError
from bgsim.core.match import Score
from bgsim.core.notation import SETUP_NAMES, parse, parse_roll
from bgsim.core.point_list import format_point_list
from bgsim.core.position import Position
from bgsim.core.rules import START_POINTS, Rules, check_playable
from tests.core.positions import positions

START_ID = "4HPwATDgc/ABMA"
START_LIST = "24:2 13:5 8:3 6:5 / 24:2 13:5 8:3 6:5"
START_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:{}:{}:10"


def faults(text: str) -> tuple[str, ...]:
    with pytest.raises(PositionError) as caught:
        parse(text)
    return caught.value.faults


@pytest.mark.parametrize(
    "text",
    [
        START_ID,
        f"  {START_ID}\n",
        f"{START_ID}=",
        f"{START_ID}==",
        f"{START_ID}:cAkAAAAAAAAE",
        f"Position ID: {START_ID}",
        "start",
        "Start",
        START_LIST,
        START_LIST.replace(" ", ","),
        START_LIST.replace(" / ", "/"),
        START_XGID.format(0, 0),
        START_XGID.format(0, 0).removeprefix("XGID="),
        START_XGID.format(0, 0).replace("XGID=", "xgid="),
        "to play\n" + START_XGID.format(0, 0) + "\nX:Player 1",
    ],
)
def test_the_start_in_every_notation(text: str) -> None:
    state = parse(text)
    assert state.position.gnubg_id == START_ID
    assert (state.roll, state.bottom_on_roll) == (None, True)
    assert state.opening == (text.lower() == "start")


@pytest.mark.parametrize("name", SETUP_NAMES)
def test_named_setups_are_at_their_opening_with_fitting_rules(name: str) -> None:
    state = parse(name)
    setup = "standard" if name == "start" else name
    points = START_POINTS[setup]
    checkers = sum(points.values())
    assert state.opening
    assert state.rules == Rules.preset("money" if name == "start" else name)
    assert state.rules.checkers == checkers
    assert state.position == Position.from_points(points, points, checkers=checkers)
    assert not parse(name, opening=False).opening


def test_dutch_start_is_read_and_not_played() -> None:
    state = parse("dutch")
    assert state.rules.dutch
    assert state.position.on_roll[25] == 15
    with pytest.raises(RulesError, match="does not play Dutch backgammon yet"):
        check_playable(state.rules)


@pytest.mark.parametrize("text", [START_ID, START_LIST, START_XGID.format(0, 0)])
def test_opening_of_ids_and_lists_is_what_the_user_says(text: str) -> None:
    assert not parse(text).opening
    assert parse(text, opening=True).opening


def test_opening_with_a_double_is_refused() -> None:
    rolled = START_XGID.format(0, 0).replace(":00:", ":{}:")
    assert parse(rolled.format("31"), opening=True).roll == (3, 1)
    with pytest.raises(PositionError, match="the opening roll cannot be a double, and 3-3 is given"):
        parse(rolled.format("33"), opening=True)


@pytest.mark.parametrize(
    ("text", "on_roll", "opponent"),
    [
        ("bar:1 6:2 / 1:15", {25: 1, 6: 2}, {1: 15}),
        ("BAR:1,6:2/1:15", {25: 1, 6: 2}, {1: 15}),
        ("25:1 6:2 / 1:15", {25: 1, 6: 2}, {1: 15}),
        ("6:2 off:13 / 1:15", {6: 2}, {1: 15}),
        ("0:13 6:2 / 1:15 off:0", {6: 2}, {1: 15}),
        ("6:2 /", {6: 2}, {}),
        ("/ 6:2", {}, {6: 2}),
        ("6:3/", {6: 3}, {}),
        ("off:15 / 6:2", {}, {6: 2}),
        ("6:2 5:0 / 1:1", {6: 2}, {1: 1}),
    ],
)
def test_point_lists(text: str, on_roll: dict[int, int], opponent: dict[int, int]) -> None:
    assert parse(text).position == Position.from_points(on_roll, opponent)


@given(positions())
def test_any_position_survives_its_point_list(position: Position) -> None:
    assert parse(format_point_list(position)).position == position


def test_faults_of_a_point_list_are_named_at_once() -> None:
    assert faults("6:2 6:3 x:1 13 / 7:-1 19:2 26:1 5:16 off:2") == (
        "the player on roll has point 6 twice, give each point once",
        "'x:1' of the player on roll cannot be read, write point:checkers, as in 24:2, bar:1 or off:3",
        "'13' of the player on roll cannot be read, write point:checkers, as in 24:2, bar:1 or off:3",
        "'7:-1' of the opponent cannot be read, write point:checkers, as in 24:2, bar:1 or off:3",
        "the opponent has point 26, 1 to 24, 25 (bar) and 0 (off) are allowed",
        "20 checkers for the opponent, at most 15 are allowed",
        "both sides are on one point: 6 of the player on roll, which is 19 of the opponent",
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("24:2 13:5", "two sides with one '/' between them, and this has 0"),
        ("6:2 / 5:2 / 4:2", "two sides with one '/' between them, and this has 2"),
        ("6:2 off:12 / 1:15", "2 checkers on the board and 12 off, together they must be the 15"),
        ("bar:1 25:1 / 1:15", "has point 25 twice"),
        ("cAkAAAAAAAAE", "has the 12 characters of a Match ID, which holds no board"),
        ("Match ID: cAkAAAAAAAAE", "which holds no board"),
        ("nackgamon", "did you mean 'nackgammon'?"),
        ("", "names no position"),
        ("/", "names no position"),
        ("foo bar", "names no position"),
        ("4HPwATDgc/AB-A", "holds '-'"),
        ("4HPwATDgc/ABMA:cAk!", "has 4 characters, it needs 12"),
        (START_XGID.format(2, 7), "the Crawford flag is '2', 0 to 1 is allowed"),
        (START_XGID.format(4, 0), "the Jacoby (1) and beaver (2) flag is '4', 0 to 3 is allowed"),
        (START_XGID.format(0, 99999), "the match length is '99999', 0 to 32767 is allowed"),
        (START_XGID.format(0, 0) + ":5", "the XGID has 11 fields, it needs 10"),
        (START_XGID.format(0, 0).replace("E-C", "E*P"), "the board part holds '*' 'P'"),
        (START_XGID.format(0, 0).replace(":0:0:1:", ":16:0:1:"), "the cube (log2) is '16'"),
        (START_XGID.format(0, 0).replace(":0:0:1:", ":0:2:1:"), "the cube position is '2'"),
    ],
)
def test_refused_texts(text: str, fault: str) -> None:
    assert any(fault in found for found in faults(text)), faults(text)


def test_only_what_is_played_is_offered() -> None:
    (fault,) = faults("foo bar")
    assert fault.endswith("or one of start, nackgammon, longgammon, hypergammon")


def test_rules_come_from_the_id_and_then_from_money() -> None:
    money = Rules.preset("money")
    assert parse(START_ID).rules == parse(START_LIST).rules == parse("start").rules == money
    assert str(parse(START_XGID.format(0, 0)).rules) == "money,jacoby=off,beavers=off"
    assert str(parse(START_XGID.format(2, 0)).rules) == "money,jacoby=off"
    assert parse(START_XGID.format(3, 0)).rules == money
    assert parse(START_XGID.format(0, 7)).rules == Rules.preset("match:7")
    # A Match ID says nothing of beavers.
    assert str(parse(f"{START_ID}:cAkAAAAAAAAE").rules) == "money,jacoby=off"
    assert parse(f"{START_ID}:cAkAAAAAAAAA").rules == money


def test_explicit_rules_win() -> None:
    match = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:2:6:1:7:10"
    assert parse(match).score == Score(7, 2, 6, crawford=True)
    money = parse(match, rules="money")
    assert (money.rules, money.score) == (Rules.preset("money"), Score())
    assert money.xgid == START_XGID.format(3, 0)
    # The score of a match of another length says nothing about this one.
    assert parse(match, rules="match:9").score == Score(9)
    assert parse(match, rules=Rules.preset("match:7")).score == Score(7, 2, 6, crawford=True)
    assert parse(match, rules="match:7,crawford=off").score == Score(7, 2, 6)
    assert parse(START_ID, rules="match:3").score == Score(3)
    assert parse(START_XGID.format(0, 0), rules="money").rules.jacoby


def test_hypergammon_rules_read_ids_with_three_checkers() -> None:
    for text in ["ADAAAQAkIAAAAA", "24:1 17:1 15:1 / 23:1 13:2"]:
        assert parse(text, rules="hypergammon").position.on_roll[0] == 0
        assert parse(text).position.on_roll[0] == 12
    xgid = parse("ADAAAQAkIAAAAA", rules="hypergammon").xgid
    assert parse(xgid, rules="hypergammon").position.gnubg_id == "ADAAAQAkIAAAAA"
    with pytest.raises(PositionError, match="15 checkers for the opponent, at most 3 are allowed"):
        parse(START_ID, rules="hypergammon")


def test_setups_meet_rules() -> None:
    assert parse("start", rules="hypergammon") == parse("hypergammon")
    short = parse("hypergammon", rules="match:5")
    assert (short.rules.setup, short.rules.match_length, short.score) == (
        "hypergammon",
        5,
        Score(5),
    )
    assert parse("dutch", rules="cubeless").rules.dutch
    with pytest.raises(RulesError, match="does not fit the rules 'hypergammon'"):
        parse("nackgammon", rules="hypergammon")
    with pytest.raises(RulesError, match="did you mean 'money'"):
        parse("start", rules="mony")


def test_finished_positions_are_read() -> None:
    for text in ["6:2 /", "AAAAwAEAAAAAAA", "XGID=------C-------------------:0:0:1:00:0:0:0:0:10"]:
        assert parse(text).position.is_over


@pytest.mark.parametrize("text", ["63", "6-3", "6 3", "6,3", "6/3", " 63 ", "6 - 3"])
def test_rolls(text: str) -> None:
    assert parse_roll(text) == (6, 3)
    assert parse_roll(text.strip()[::-1]) == (3, 6)


@pytest.mark.parametrize("text", ["", "6", "07", "77", "631", "six three", "6--3", "-6-3", "6.3"])
def test_refused_rolls(text: str) -> None:
    with pytest.raises(RollError, match="is no roll: write two dice"):
        parse_roll(text)


def test_ids_are_read_fast_enough_for_a_million() -> None:
    xgid = START_XGID.format(0, 0)
    best = min(_seconds(text, 200) for text in [xgid, START_ID] for _ in range(5))
    # About 30 microseconds each on a slow core; the bound only catches a change of kind.
    assert best / 200 < 500e-6


def _seconds(text: str, n: int) -> float:
    began = time.perf_counter()
    for _ in range(n):
        parse(text)
    return time.perf_counter() - began


def test_reading_ids_does_not_import_numpy() -> None:
    code = "import sys, bgsim.core.notation; print('numpy' in sys.modules)"
    root = Path(__file__).parents[2]
    ran = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
