"""What holds for every play of every position, searched and shrunk by hypothesis."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bgsim.core.position import Position
from bgsim.engine.plays import count_results, legal_plays
from tests.cases import as_board, as_position, follow, result_set
from tests.oracle import ALL_ROLLS, BAR, Board, dice_used, results, side

rolls = st.sampled_from(ALL_ROLLS)


@st.composite
def boards(draw) -> Board:
    """Both sides with at least one checker in play; shrinks towards few checkers on low points."""
    total = draw(st.sampled_from((15, 15, 15, 3)))
    # one signed number a point: the mover's checkers, or as a negative number the opponent's
    counts = draw(st.lists(st.integers(-5, 5), min_size=24, max_size=24))
    bars = draw(st.tuples(st.integers(0, 6), st.integers(0, 6)))
    mover, opponent = {BAR: min(bars[0], total)}, {BAR: min(bars[1], total)}
    for point, number in enumerate(counts, start=1):
        owner, own_point = (mover, point) if number > 0 else (opponent, 25 - point)
        owner[own_point] = min(abs(number), total - sum(owner.values()))
    for owner in (mover, opponent):
        if not any(owner.values()):
            owner[BAR] = 1
    return side(mover, total), side(opponent, total)


@st.composite
def played(draw) -> Board:
    """The position a few random turns after any position."""
    board = draw(boards())
    for roll in draw(st.lists(rolls, max_size=4)):
        plays = legal_plays(as_position(board), roll)
        if plays and not plays[-1].after.is_over:
            board = as_board(plays[draw(st.integers(0, len(plays) - 1)) % len(plays)].after)
        if as_position(board).is_over:
            break
        board = (board[1], board[0])
    return board


any_board = boards() | played()
many = settings(max_examples=3 * settings.default.max_examples // 2)


@many
@given(any_board, rolls)
def test_results_equal_the_rule_book(board, roll):
    assert result_set(board, roll) == (results(*board, roll) if not is_over(board) else set())


@many
@given(any_board, rolls)
def test_checkers_are_conserved(board, roll):
    for play in legal_plays(as_position(board), roll):
        mover, opponent = as_board(play.after)
        assert sum(mover) == sum(board[0])
        assert sum(opponent) == sum(board[1])
        assert opponent[0] == board[1][0], "a play bears off no checker of the opponent"
        assert min(mover + opponent) >= 0


@many
@given(any_board, rolls)
def test_pips_are_those_of_the_dice_and_the_hits(board, roll):
    """The mover's count drops by the dice used, less only what a bear-off wastes."""
    position = as_position(board)
    used = dice_used(*board, roll)
    allowed = dice_sums(roll, used)
    for play in legal_plays(position, roll):
        dropped = position.pips[0] - play.after.pips[0]
        assert dropped == sum(move.source - move.target for move in play.moves)
        if play.after.on_roll[0] == position.on_roll[0]:
            assert dropped in allowed
        else:
            assert dropped <= max(allowed)
        # a checker hit on the mover's point t stood on its own 25 - t and goes back to 25
        back = sum(move.target for move in play.moves if move.hit)
        assert play.after.pips[1] - position.pips[1] == back


@many
@given(any_board, rolls)
def test_no_play_uses_fewer_dice_than_another(board, roll):
    used = dice_used(*board, roll)
    for play in legal_plays(as_position(board), roll):
        assert len(play.moves) == used or (play.after.is_over and 0 < len(play.moves) < used)


@many
@given(any_board, rolls)
def test_no_result_is_listed_twice(board, roll):
    position = as_position(board)
    plays = legal_plays(position, roll)
    assert len({play.after for play in plays}) == len(plays) == count_results(position, roll)


@many
@given(any_board, rolls)
def test_the_text_of_a_play_leads_to_its_result(board, roll):
    plays = legal_plays(as_position(board), roll)
    for play in plays:
        assert follow(board, str(play)) == as_board(play.after), str(play)
    assert len({str(play) for play in plays}) == len(plays)


@many
@given(any_board, rolls)
def test_bar_comes_first(board, roll):
    """While a checker stays on the bar nothing else has moved."""
    for play in legal_plays(as_position(board), roll):
        if play.after.on_roll[BAR]:
            assert {move.source for move in play.moves} == {BAR}


@many
@given(boards())
def test_a_position_is_not_changed_by_asking(board):
    position = as_position(board)
    before = (position.on_roll, position.opponent)
    for roll in ALL_ROLLS:
        legal_plays(position, roll)
    assert (position.on_roll, position.opponent) == before
    assert position == Position(*before)


def dice_sums(roll, used):
    """What `used` dice of the roll may add up to."""
    high, low = roll
    if high == low:
        return {used * high}
    return {0: {0}, 1: {high, low}, 2: {high + low}}[used]


def is_over(board):
    return as_position(board).is_over
