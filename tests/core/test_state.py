"""Game states: ids there and back, and what does not fit together."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgsim.core.errors import PositionError
from bgsim.core.match import Cube, CubeOwner, Pending, Score
from bgsim.core.match_id import MatchFields, decode_match_id, encode_match_id
from bgsim.core.notation import parse
from bgsim.core.position import Position
from bgsim.core.rules import Rules
from bgsim.core.state import GameState
from tests.core.positions import positions

START = Position.from_gnubg_id("4HPwATDgc/ABMA")
ROLLS = st.none() | st.tuples(st.integers(1, 6), st.integers(1, 6))


@st.composite
def scores(draw: st.DrawFn) -> Score:
    length = draw(st.just(0) | st.integers(1, 32767))
    most = length - 1 if length else 32767
    mine, theirs = draw(st.integers(0, most)), draw(st.integers(0, most))
    if length > 1 and draw(st.booleans()):
        mine, theirs = draw(st.permutations([length - 1, min(mine, length - 2)]))
        return Score(length, mine, theirs, crawford=draw(st.booleans()))
    return Score(length, mine, theirs)


@st.composite
def states(draw: st.DrawFn) -> GameState:
    """Draw a state whose ids hold all of it."""
    score = draw(scores())
    cube = Cube(1 << draw(st.integers(0, 15)), draw(st.sampled_from(CubeOwner)))
    cube = Cube() if score.crawford else cube
    pending = Pending.NONE
    if not score.crawford and cube.owner is not CubeOwner.OPPONENT:
        pending = draw(st.sampled_from([Pending.NONE, Pending.DOUBLE]))
    flags = draw(st.tuples(st.booleans(), st.booleans()))
    money = Rules(jacoby=flags[0], beavers=flags[1])
    return GameState(
        draw(positions()),
        draw(ROLLS) if pending is Pending.NONE else None,
        cube,
        score,
        replace(Rules(), match_length=score.match_length) if score.is_match else money,
        pending=pending,
        bottom_on_roll=draw(st.booleans()),
    )


def seen(state: GameState) -> tuple[object, ...]:
    """Return what ids hold, leaving out the fields kept and the rules."""
    return (
        *(state.position, state.roll, state.cube, state.score),
        *(state.pending, state.resigned, state.bottom_on_roll),
    )


@given(states())
def test_any_state_survives_its_xgid(state: GameState) -> None:
    back = parse(state.xgid)
    assert seen(back) == seen(state)
    assert back.xgid == state.xgid
    assert (back.rules.jacoby, back.rules.beavers) == (state.rules.jacoby, state.rules.beavers)


@given(states())
def test_any_state_survives_its_match_id(state: GameState) -> None:
    text = f"{state.position.gnubg_id}:{state.match_id}"
    back = parse(text)
    assert seen(back) == seen(state)
    assert back.match_id == state.match_id
    assert back.rules.jacoby == state.rules.jacoby


@given(states())
def test_a_picture_can_be_read_back(state: GameState) -> None:
    assert seen(parse(str(state))) == seen(state)


BUSY_XGID = "XGID=aaB--B-D-A--cB---d-cA-ba-A:2:{}:{}:{}:3:1:{}:{}:{}"


@pytest.mark.parametrize("turn", ["1", "-1"])
@pytest.mark.parametrize("dice", ["00", "63", "36", "66", "D", "B", "R"])
def test_valid_xgid_is_printed_back_exactly(turn: str, dice: str) -> None:
    for flags, max_cube in itertools.product("0123", ("0", "8", "10")):
        text = BUSY_XGID.format(turn, turn, dice, flags, 0, max_cube)
        assert parse(text).xgid == text
        assert parse(text.removeprefix("XGID=")).xgid == text
        # Rules that the user asks for do not touch what the id said.
        assert parse(text, rules="cubeless").xgid == text


def test_both_turns_of_one_xgid_are_one_state_swapped() -> None:
    bottom, top = (parse(BUSY_XGID.format("1", turn, "00", 0, 5, 10)) for turn in ("1", "-1"))
    assert bottom.position == top.position.swapped()
    assert bottom.score == top.score.swapped()
    assert bottom.cube == top.cube.swapped()
    assert bottom.cube.owner is CubeOwner.ON_ROLL


def test_match_id_fields_survive() -> None:
    for level, decider, player in itertools.product((1, 2, 3), (0, 1), (0, 1)):
        values = MatchFields(player_on_roll=player, player_to_decide=decider, resignation=level)
        text = encode_match_id(values)
        assert decode_match_id(text) == values
        state = parse(f"4HPwATDgc/ABMA:{text}")
        # The one who resigns is not the one to decide.
        assert state.resigned == (-level if decider == player else level)
        assert state.on_roll_decides == (decider == player)
        assert state.match_id == text


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"cube_owner": 2}, "gives the cube to player 2"),
        ({"game_state": 5}, "game state 5, 0 to 4 are known"),
        ({"die1": 7, "die2": 1}, "the roll 7 1, dice are 1 to 6 or both 0"),
        ({"die1": 3}, "the roll 3 0"),
        ({"player_to_decide": 0}, "lets player 0 decide while player 1 is on roll"),
        ({"double_offered": 1}, "lets player 1 decide while player 1 is on roll and has doubled"),
        ({"crawford": 1}, "the Crawford flag is set in money play"),
        ({"match_length": 5, "score1": 5}, "player 1 (bottom) has 5 points, 0 to 4 are allowed"),
        ({"match_length": 5, "score0": 9}, "player 0 (top) has 9 points, 0 to 4 are allowed"),
    ],
)
def test_refused_match_id(changes: dict[str, int], fault: str) -> None:
    text = encode_match_id(MatchFields()._replace(**changes))
    with pytest.raises(PositionError) as caught:
        parse(f"4HPwATDgc/ABMA:{text}")
    assert any(fault in found for found in caught.value.faults), caught.value.faults


def test_refused_match_id_text() -> None:
    for text, fault in [
        ("cAkAAAAAAAA", "has 11 characters, it needs 12"),
        ("cAkAAAAAAA!A", "holds '!'"),
        ("cAkAAAAAAAAI", "bits set after its last field"),
    ]:
        with pytest.raises(PositionError, match=fault):
            parse(f"4HPwATDgc/ABMA:{text}")


@pytest.mark.parametrize("game_state", range(5))
def test_game_state_of_a_match_id_is_kept(game_state: int) -> None:
    text = encode_match_id(MatchFields(game_state=game_state))
    assert parse(f"4HPwATDgc/ABMA:{text}").match_id == text


@pytest.mark.parametrize(
    ("score", "fault"),
    [
        ((7, 5, 6, True), None),
        ((7, 6, 6, True), "both are one point away"),
        ((7, 6, 6, False), None),
        ((7, 5, 5, True), "nobody is one point away"),
        ((7, 7, 0, False), "the player on roll has 7 points, 0 to 6 are allowed before a game"),
        ((1, 0, 0, True), "one point match"),
        ((0, 0, 0, True), "money play"),
        ((0, -1, 0, False), "has -1 points"),
        ((-1, 0, 0, False), "a match of -1 points"),
        ((2, 1, 0, True), None),
    ],
)
def test_scores(score: tuple[int, int, int, bool], fault: str | None) -> None:
    if fault is None:
        assert Score(*score).swapped().swapped() == Score(*score)
        return
    with pytest.raises(PositionError, match=fault):
        Score(*score)


def test_points_still_needed() -> None:
    assert Score(7, 2, 6).away == (5, 1)
    assert Score(0, 2, 6).away == (0, 0)


@pytest.mark.parametrize("value", [0, 3, -2, 65536])
def test_refused_cube(value: int) -> None:
    with pytest.raises(PositionError, match="powers of two"):
        Cube(value)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"roll": (6, 0)}, "two dice from 1 to 6 are allowed"),
        ({"roll": (3, 3), "opening": True}, "the opening roll cannot be a double"),
        ({"cube": Cube(2, CubeOwner.ON_ROLL), "opening": True}, "nobody can double before"),
        ({"pending": Pending.DOUBLE, "opening": True}, "nobody can double before"),
        ({"pending": Pending.DOUBLE, "roll": (3, 1)}, "no dice can have been rolled"),
        (
            {"pending": Pending.DOUBLE, "cube": Cube(2, CubeOwner.OPPONENT)},
            "the opponent owns the cube",
        ),
        ({"score": Score(7)}, "they must agree"),
        ({"resigned": 4}, "-3 to 3 is allowed"),
    ],
)
def test_refused_states(changes: dict[str, object], fault: str) -> None:
    with pytest.raises(PositionError, match=fault):
        GameState(START, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"cube": Cube(2)}, "the cube must be centred at 1, and it is at 2"),
        ({"pending": Pending.DOUBLE}, "a double is offered in the Crawford game"),
        ({"pending": Pending.BEAVER}, "a beaver waits for an answer in a match"),
    ],
)
def test_refused_states_of_the_crawford_game(changes: dict[str, object], fault: str) -> None:
    score, rules = Score(7, 6, 2, crawford=True), Rules.preset("match:7")
    with pytest.raises(PositionError, match=fault):
        GameState(START, score=score, rules=rules, **changes)  # type: ignore[arg-type]


def test_faults_of_all_parts_come_together() -> None:
    with pytest.raises(PositionError) as caught:
        parse("XGID=-b----E-C---eE---c-e----C-:1:0:1:88:2:6:1:7:x", opening=True)
    assert caught.value.faults == (
        "16 checkers for the bottom player, at most 15 are allowed",
        "the dice are '88', allowed are 00 (to roll), two dice from 1 to 6 such as 63, "
        "D (doubled), B (beavered) and R (raccooned)",
        "the largest cube (log2) is 'x', 0 to 99 is allowed",
        "nobody can double in the Crawford game, so the cube must be centred at 1, and it is at 2",
    )


def test_state_is_hashable_and_equal_by_value() -> None:
    assert {parse("start"), parse("start")} == {parse("start")}
    assert parse("start") != parse("4HPwATDgc/ABMA")
