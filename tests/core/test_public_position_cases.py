"""The public cases about position formats, each named by its id."""

import pytest

from bgsim.core.errors import BgsimError, PositionError
from bgsim.core.match import Cube, CubeOwner, Pending, Score
from bgsim.core.notation import parse
from bgsim.core.numbers import parse_decimal
from bgsim.core.position import Position
from bgsim.core.state import GameState

START_BOARD = "-b----E-C---eE---c-e----B-"


def points(side: tuple[int, ...]) -> dict[int, int]:
    return {point: n for point, n in enumerate(side) if n and point}


def ids(state: GameState) -> str:
    return f"{state.position.gnubg_id}:{state.match_id}"


def faults(text: str) -> tuple[str, ...]:
    with pytest.raises(PositionError) as caught:
        parse(text)
    return caught.value.faults


def test_F01_both_bars_occupied_everything_else_off() -> None:
    text = "XGID=a------------------------B:0:0:1:00:0:0:0:0:10"
    state = parse(text)
    assert ids(state) == "AAAAAQAADAAAAA:cAkAAAAAAAAE"
    assert points(state.position.on_roll) == {25: 2}
    assert points(state.position.opponent) == {25: 1}
    assert state.xgid == text


def test_F03_same_board_from_both_seats_gives_one_position_id() -> None:
    bottom = "XGID=-A-B--A---------------d---:0:0:1:00:0:0:0:0:10"
    top = "XGID=---D---------------a--b-a-:0:0:-1:00:0:0:0:0:8"
    assert ids(parse(bottom)) == "PAAAICMAAAAAAA:cAkAAAAAAAAE"
    assert ids(parse(top)) == "PAAAICMAAAAAAA:MAEAAAAAAAAE"
    assert parse(bottom).position == parse(top).position
    assert (parse(bottom).xgid, parse(top).xgid) == (bottom, top)


def test_F04_crawford_flag_and_score_order() -> None:
    text = f"XGID={START_BOARD}:0:0:1:00:2:6:1:7:10"
    state = parse(text)
    assert ids(state) == "4HPwATDgc/ABMA:8AngAGAAEAAE"
    assert state.score == Score(7, 2, 6, crawford=True)
    assert state.xgid == text
    back = parse(ids(state))
    assert back.score == state.score
    assert back.xgid == text


def test_F07_board_is_always_from_the_bottom_player() -> None:
    top = "XGID=-A-Bb-DBB---bBa---bcbbaA-A:0:0:-1:00:4:0:0:0:8"
    bottom = top.replace(":0:0:-1:", ":0:0:1:")
    assert parse(top).position.gnubg_id == "GW+DAUi03ZABBg"
    assert parse(bottom).position.gnubg_id == "tN2QAQYZb4MBSA"
    assert parse(top).position == parse(bottom).position.swapped()
    assert (parse(top).score, parse(bottom).score) == (Score(0, 0, 4), Score(0, 4, 0))
    assert (parse(top).xgid, parse(bottom).xgid) == (top, bottom)


def test_F08_cube_field_is_the_exponent() -> None:
    state = parse(f"XGID={START_BOARD}:6:1:1:00:0:0:0:0:10")
    assert state.cube == Cube(64, CubeOwner.ON_ROLL)
    other = parse(f"XGID={START_BOARD}:6:1:-1:00:0:0:0:0:10")
    assert other.cube == Cube(64, CubeOwner.OPPONENT)


def test_F11_letter_D_is_an_offered_double() -> None:
    text = f"XGID={START_BOARD}:0:0:1:D:0:0:3:0:10"
    state = parse(text)
    assert (state.pending, state.roll, state.cube) == (Pending.DOUBLE, None, Cube(1))
    assert (state.bottom_on_roll, state.on_roll_decides) == (True, False)
    assert state.xgid == text
    # The offer survives the way through a Match ID.
    assert parse(ids(state)).pending is Pending.DOUBLE
    assert "X doubles to 2, O to answer" in str(state)


@pytest.mark.parametrize(("letter", "pending"), [("B", Pending.BEAVER), ("R", Pending.RACCOON)])
def test_F11_letters_B_and_R_wait_for_an_answer(letter: str, pending: Pending) -> None:
    text = f"XGID={START_BOARD}:0:0:1:{letter}:0:0:3:0:10"
    state = parse(text)
    assert (state.pending, state.roll, state.xgid) == (pending, None, text)
    assert state.match_id is None


@pytest.mark.parametrize("dice", ["77", "07", "70", "6", "631", "d", ""])
def test_F11_other_dice_are_refused(dice: str) -> None:
    (fault,) = faults(f"{START_BOARD}:0:0:1:{dice}:0:0:3:0:10")
    assert fault.startswith(f"the dice are '{dice}', allowed are 00")


def test_F13_upper_case_letter_on_the_top_players_bar() -> None:
    (fault,) = faults("XGID=A-b---E-C---eE---c-e----A-:0:0:1:31:0:0:0:0:10")
    assert "begins with 'A': the first place is the bar of the top player" in fault


def test_F13_lower_case_letter_on_the_bottom_players_bar() -> None:
    (fault,) = faults("XGID=-a----E-C---eE---c-e----Ba:0:0:1:31:0:0:0:0:10")
    assert "ends with 'a': the last place is the bar of the bottom player" in fault


def test_F14_more_than_15_checkers() -> None:
    text = "XGID=-b----E-C---eE---c-e----C-:0:0:{}:31:0:0:0:0:10"
    for turn in ("1", "-1"):
        assert faults(text.format(turn)) == ("16 checkers for the bottom player, at most 15 are allowed",)


def test_F17_padding_and_a_missing_last_character() -> None:
    assert parse("4HPwATDgc/ABMA==") == parse("4HPwATDgc/ABMA")
    assert faults("4HPwATDgc/ABM") == ("the Position ID '4HPwATDgc/ABM' has 13 characters, it needs 14",)


def check_F18(state: GameState) -> None:
    assert state.score == Score(9, 0, 0)
    assert (state.roll, state.cube, state.bottom_on_roll) == ((5, 1), Cube(1), True)
    assert state.rules.match_length == 9
    assert points(state.position.on_roll) == {4: 2, 6: 4, 8: 2, 11: 2, 13: 3, 21: 2}
    assert points(state.position.opponent) == {1: 2, 6: 3, 7: 2, 8: 3, 13: 3, 22: 1, 24: 1}
    assert ids(state) == "g9vBASSYZ8wBBg:cIkmAQAAAAAA"


def test_F18_position_id_and_match_id_together() -> None:
    check_F18(parse("g9vBASSYZ8wBBg:cIkmAQAAAAAA"))


@pytest.mark.parametrize(
    "text",
    [
        "Position ID: g9vBASSYZ8wBBg Match ID: cIkmAQAAAAAA",
        " GNU Backgammon  Position ID: g9vBASSYZ8wBBg\n                 Match ID   : cIkmAQAAAAAA",
        "Position ID: g9vBASSYZ8wBBg==\r\nMatch ID: cIkmAQAAAAAA\r\n",
        "match id: cIkmAQAAAAAA position id: g9vBASSYZ8wBBg",
    ],
)
def test_F18_header_lines_with_labels(text: str) -> None:
    check_F18(parse(text))


def test_F21_both_bars_survive_a_round_trip() -> None:
    position = parse("AACAewAAgAYAAA").position
    assert points(position.on_roll) == {24: 1, 25: 2}
    assert points(position.opponent) == {24: 3, 25: 4}
    assert position.gnubg_id == "AACAewAAgAYAAA"
    assert Position.from_points({24: 1, 25: 2}, {24: 3, 25: 4}) == position


def test_F23_all_bits_one_is_refused() -> None:
    assert "0 of its bits are zeros, 50 must be" in faults("//////////////")[0]


def test_F26_decimal_comma() -> None:
    assert parse_decimal("-0,306") == -0.306
    assert parse_decimal("44,57%") == 0.4457
    assert parse_decimal(" +0.306 ") == 0.306
    assert parse_decimal("\N{MINUS SIGN}1") == -1.0
    assert parse_decimal("12 %") == 0.12


@pytest.mark.parametrize("text", ["", "1.234,5", "1,2,3", "one", "1e5", "%", "--1", "nan"])
def test_F26_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(BgsimError, match="is no number"):
        parse_decimal(text)


def test_F28_broken_opening_id_names_every_fault_the_board_first() -> None:
    found = faults("XGID=-a-bE-D---cD---c-b-a-E-:-1:0:0:00:0:0:0:0")
    assert found[0] == "the board part has 23 characters, it needs 26"
    assert found[1].startswith("the XGID has 9 fields, it needs 10")
    assert found[2] == "the cube (log2) is '-1', 0 to 15 is allowed"
    assert found[3] == "the turn is '0', 1 (bottom) or -1 (top) is allowed"
    assert len(found) == 4


def test_F30_cube_of_the_other_side_and_jacoby() -> None:
    text = "XGID=-aBa--D-CB--cB---d-cB-ba--:1:-1:1:66:0:0:1:0:10"
    state = parse(text)
    assert ids(state) == "GufBASSG54YBAw:QQkbAAAAAAAA"
    assert state.cube == Cube(2, CubeOwner.OPPONENT)
    assert (state.roll, state.rules.jacoby, state.rules.beavers) == ((6, 6), True, False)
    assert state.xgid == text


def test_C10_one_point_match_has_no_crawford_game() -> None:
    state = parse(f"XGID={START_BOARD}:0:0:1:00:0:0:1:1:10")
    assert state.score == Score(1, 0, 0, crawford=False)
    assert state.xgid == f"XGID={START_BOARD}:0:0:1:00:0:0:0:1:10"
    flagged = "8AkgAAAAAAAE"  # match length 1 and the Crawford bit
    assert parse(f"4HPwATDgc/ABMA:{flagged}").score == Score(1)


def test_C18_crawford_flag_when_nobody_is_one_point_away() -> None:
    (fault,) = faults(f"XGID={START_BOARD}:0:0:1:00:1:2:1:5:10")
    assert "nobody is one point away in the 5 point match (4 and 3 away)" in fault
    unflagged = parse(f"XGID={START_BOARD}:0:0:1:00:1:2:0:5:10")
    assert unflagged.match_id == "cAmgACAACAAE"


def test_C14_xgid_of_the_stick_position() -> None:
    text = "XGID=-D----------------------b-:0:0:1:00:0:0:3:0:10"
    state = parse(text)
    assert points(state.position.on_roll) == {1: 4}
    assert points(state.position.opponent) == {1: 2}
    assert (state.rules.jacoby, state.rules.beavers, state.xgid) == (True, True, text)
