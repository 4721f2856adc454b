"""The reader of .mat match files, on records that GNU Backgammon wrote and on lines written for a test."""

from pathlib import Path

import pytest

from bgsim.core.errors import BgsimError, MatchFileError
from bgsim.formats.matches import Ending, Game, Match, Turn, TurnKind, read_mat, read_mat_file

DATA = Path(__file__).parents[1] / "data"
ROLL_THEN_RESIGN = DATA / "gnubg_roll_then_resign_1p.mat"
SEVEN_POINTS = DATA / "charlot1-charlot2_7p_2025-11-08-2305.mat"
THREE_POINTS = DATA / "test-match01.mat"

HEAD = """ 5 point match

 Game 1
 Ann : 0                        Bob : 0
"""  # the lines after it begin with number 5


def game_of(*lines: str) -> Game:
    """Return the first game of a five-point match with these lines."""
    return read_mat(HEAD + "\n".join(lines)).games[0]


def turns_of(*lines: str) -> list[tuple[str, TurnKind, str]]:
    """Return who did what with which text in the first game of a match with these lines."""
    return [(turn.player, turn.kind, turn.text) for turn in game_of(*lines).turns]


def fault_of(text: str) -> str:
    """Return the sentence with which a text is refused."""
    with pytest.raises(MatchFileError) as caught:
        read_mat(text)
    return str(caught.value)


# --- records that GNU Backgammon wrote ------------------------------------------------------------


def test_S11_roll_then_resignation_is_neither_a_pass_nor_a_play() -> None:
    match = read_mat_file(ROLL_THEN_RESIGN)
    (game,) = match.games
    assert (match.match_length, match.players) == (1, ("charlot1", "charlot2"))
    assert (match.winner, match.final_score) == ("left", (1, 0))
    assert (game.winner, game.points, game.ended_match) == ("left", 1, True)
    assert game.ending is Ending.RESIGNATION
    assert game.turns == (
        Turn(player="right", kind=TurnKind.PLAY, line=7, roll=(6, 2), text="24/18 13/11"),
        Turn(player="left", kind=TurnKind.PLAY, line=8, roll=(6, 2), text="13/7* 24/22"),
        Turn(player="right", kind=TurnKind.ROLL_ONLY, line=8, roll=(5, 1), text=""),
    )


def results(match: Match) -> list[tuple[tuple[int, int], str | None, int, Ending, bool]]:
    """Return score before, winner, points, ending and whether it ended the match, for each game."""
    return [
        (game.score_before, game.winner, game.points, game.ending, game.ended_match) for game in match.games
    ]


def rolls(match: Match) -> int:
    return sum(turn.roll is not None for game in match.games for turn in game.turns)


def test_seven_point_match_with_two_resignations_and_a_drop() -> None:
    """What case X01 tells of the file, as far as it is written there: the replay is another matter."""
    match = read_mat_file(SEVEN_POINTS)
    assert results(match) == [
        ((0, 0), "right", 2, Ending.RESIGNATION, False),
        ((0, 2), "left", 2, Ending.DROP, False),
        ((2, 2), "left", 4, Ending.PLAYED_OUT, False),
        ((6, 2), "left", 3, Ending.RESIGNATION, True),
    ]
    assert (match.winner, match.final_score, rolls(match)) == ("left", (9, 2), 189)


def test_three_point_match_with_two_resignations() -> None:
    """What case X03 tells of the file, as far as it is written there."""
    match = read_mat_file(THREE_POINTS)
    assert results(match) == [
        ((0, 0), "right", 2, Ending.RESIGNATION, False),
        ((0, 2), "left", 1, Ending.PLAYED_OUT, False),
        ((1, 2), "right", 2, Ending.RESIGNATION, True),
    ]
    assert (match.winner, match.final_score, rolls(match)) == ("right", (1, 4), 159)


# --- columns and entries --------------------------------------------------------------------------


def test_double_take_and_drop_in_both_columns() -> None:
    game = game_of(
        "  1) 51: 13/8 24/23              64: 24/14 ",
        "  2)  Doubles => 2                Takes",
        "  3) 21: 13/11 6/5                Doubles => 4",
        "  4)  Drops                       Wins 2 points ",
    )
    cube = [(turn.player, turn.kind, turn.cube, turn.roll) for turn in game.turns if turn.roll is None]
    assert cube == [
        ("left", TurnKind.DOUBLE, 2, None),
        ("right", TurnKind.TAKE, None, None),
        ("right", TurnKind.DOUBLE, 4, None),
        ("left", TurnKind.DROP, None, None),
    ]
    assert (game.winner, game.points, game.ending, game.score_after) == ("right", 2, Ending.DROP, (0, 2))


@pytest.mark.parametrize("blanks", [1, 2, 9])
def test_second_column_after_four_parts(blanks: int) -> None:
    left = "  1) 44: 24/20 24/20 13/9* 13/9"
    assert turns_of(left + " " * blanks + "44: 24/16*(2) 13/9(2)", "  2)  Doubles => 2") == [
        ("left", TurnKind.PLAY, "24/20 24/20 13/9* 13/9"),
        ("right", TurnKind.PLAY, "24/16*(2) 13/9(2)"),
        ("left", TurnKind.DOUBLE, ""),
    ]


def test_cube_in_the_second_column_after_one_blank() -> None:
    assert turns_of("  7) 22: 13/11 13/11 11/9* 11/9 Doubles => 2")[1][:2] == ("right", TurnKind.DOUBLE)


def test_tabs_between_the_columns() -> None:
    lines = ("1)\t\t21: 24/23 13/11", "2) 62: 13/7 7/5\t\t54:\tbar/20 6/off", "3) 11:\t\t52:", "4)\t\tTakes")
    assert turns_of(*lines) == [
        ("right", TurnKind.PLAY, "24/23 13/11"),
        ("left", TurnKind.PLAY, "13/7 7/5"),
        ("right", TurnKind.PLAY, "bar/20 6/off"),
        ("left", TurnKind.NO_PLAY, ""),
        ("right", TurnKind.NO_PLAY, ""),
        ("right", TurnKind.TAKE, ""),
    ]


def test_no_play_is_told_from_a_roll_at_the_end() -> None:
    opening = "  1) 61: 13/7 8/7                31:"
    assert turns_of(opening, "  2) 66: Cannot Move              62: 24/22", "      Wins 1 point") == [
        ("left", TurnKind.PLAY, "13/7 8/7"),
        ("right", TurnKind.NO_PLAY, ""),
        ("left", TurnKind.NO_PLAY, "Cannot Move"),
        ("right", TurnKind.PLAY, "24/22"),
    ]
    assert turns_of(opening, "      Wins 1 point")[-1] == ("right", TurnKind.ROLL_ONLY, "")
    assert turns_of(opening, "  2)  Drops")[1] == ("right", TurnKind.NO_PLAY, "")
    said = turns_of("  1) 66: Cannot Move", "      Wins 1 point")
    assert said == [("left", TurnKind.NO_PLAY, "Cannot Move")]


@pytest.mark.parametrize(
    "play",
    ["11/4", "8/5(2)", "8/5*(2)", "25/22", "3/0", "bar/22*/18", "6/off(3) 5/off", "24/20*/16* 13/9(2)"],
)
def test_long_and_short_forms_of_plays_are_kept_as_text(play: str) -> None:
    assert turns_of(f"  1) 43: {play}", "  2) 21: 6/3")[0] == ("left", TurnKind.PLAY, play)


@pytest.mark.parametrize(
    ("play", "ending"),
    [
        ("6/off(4) 5/off(4) 4/0(4) 3/0(3)", Ending.PLAYED_OUT),
        ("6/off(4) 5/off(4) 4/0(4) 3/0(2)", Ending.RESIGNATION),
        ("6/off(4) 5/off(4) 4/0(4) 3/1(3)", Ending.RESIGNATION),
    ],
)
def test_played_out_is_fifteen_checkers_borne_off(play: str, ending: Ending) -> None:
    assert game_of(f"  1) 66: {play}", "      Wins 1 point").ending is ending


def test_a_lone_result_belongs_to_its_column() -> None:
    opening = "  1) 61: 13/7 8/7                31: 8/5 6/5"
    assert game_of(opening, "      Wins 1 point").winner == "left"
    assert game_of(opening, " " * 34 + "Wins 2 points").winner == "right"


def test_games_without_a_result_and_result_that_names_the_match() -> None:
    text = HEAD + "  1) 61: 13/7 8/7\n\n Game 2\n Ann : 0    Bob : 0\n  1)  Doubles => 2    Drops\n"
    unfinished, last = read_mat(text).games
    assert (unfinished.winner, unfinished.points, unfinished.ending) == (None, 0, Ending.UNFINISHED)
    assert (last.number, last.ending, read_mat(text).winner) == (2, Ending.UNFINISHED, None)
    assert read_mat(text + "   Wins 1 point and the match").winner == "left"


def test_money_games_have_no_match_winner() -> None:
    match = read_mat(HEAD.replace("5 point", "0 point") + "  1)  Doubles => 2    Drops\n      Wins 8 points")
    assert (match.match_length, match.final_score, match.winner) == (0, (8, 0), None)


# --- names, line ends, encodings ------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        ("Ann Lee (GER)", "Bob O. (1850.5)"),
        ("Game 1", "7 point match"),
        ("; a comment", "Wins 1 point"),
        ("x:1", "1) 31: 8/5 6/5"),
        ("J\u0085rg Ö", "島"),
        ("a name of more than the thirty columns it has", "Bob"),
    ],
)
def test_names_are_taken_whole(names: tuple[str, str]) -> None:
    text = HEAD.replace("Ann", names[0]).replace("Bob", names[1]) + "  1) 31: 8/5 6/5"
    assert read_mat(text).players == names
    assert read_mat(text.replace(" " * 24, " ")).players == names


def test_carriage_returns_and_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    text = SEVEN_POINTS.read_text(encoding="utf-8")
    expected = read_mat(text)
    assert read_mat("\ufeff" + text.replace("\n", "\r\n")) == expected
    assert read_mat(text.replace("\n", "\r")) == expected
    file = tmp_path / "match.mat"
    file.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert read_mat_file(file) == read_mat_file(str(file)) == expected


def test_latin_1_names_of_old_programs(tmp_path: Path) -> None:
    file = tmp_path / "old.mat"
    file.write_bytes(HEAD.replace("Ann", "Jörg").encode("latin-1"))
    assert read_mat_file(file).players == ("Jörg", "Bob")


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("hello", "'hello' is no line of a match file"),
        ("  1) hello", "cannot read 'hello'"),
        ("  1) 61: 13/7 8/x               31: 8/5 6/5", "cannot read '8/x               31: 8/5 6/5'"),
        ("  1) 71: 13/7", "'71' is not a roll"),
        ("  1) 6: 13/7", "'6' is not a roll"),
        ("  1) 61: 13/7 8/7  31: 8/5 6/5  11: 6/5", "one or two entries"),
        ("  1)", "one or two entries"),
        ("  1)                     61: 13/7 8/7  31: 8/5 6/5", "one or two entries"),
        ("  1)  Doubles", "cannot read 'Doubles'"),
        ("      Wins 0 points", "cannot read 'Wins 0 points'"),
        (" 5 point match", "a second match length"),
        ("      Wins 1 point\n  2) 31: 8/5 6/5", "'31: 8/5 6/5' stands outside a game"),
        ("      Wins 1 point\n\n Game 2\n Ann : 0     Bob : 1", "the score 0-1 is not 1-0, as"),
        ("      Wins 1 point\n\n Game 2\n Bob : 1     Ann : 0", "the players 'Bob' and 'Ann' are not"),
        (" Game 2", "the file ends before the players"),
        (" Game 2\n  1) 31: 8/5 6/5", "does not give the players and the score"),
    ],
)
def test_broken_lines_are_refused_by_number(line: str, said: str) -> None:
    text = HEAD + line
    fault = fault_of(text + "\n")
    assert fault.startswith(f"line {len(text.splitlines())}: ")
    assert said in fault
    assert "\n" not in fault


@pytest.mark.parametrize("text", ["", "\n\n", " 7 point match\n"])
def test_a_text_without_a_game_is_refused(text: str) -> None:
    assert "ends without a game" in fault_of(text)


def test_a_game_before_the_match_length_is_refused() -> None:
    assert fault_of("\n Game 1\n").startswith("line 2: a game before the match length")


def test_long_lines_are_cut_in_the_message() -> None:
    assert len(fault_of("x" * 5000)) < 300


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing, binary, other = tmp_path / "missing.mat", tmp_path / "binary.mat", tmp_path / "other.mat"
    binary.write_bytes(b"\x7fELF\x00\x01")
    other.write_text("(;FF[4]GM[6])\n", encoding="utf-8")
    for path, said in (
        (missing, f"cannot read {missing}: No such file or directory"),
        (tmp_path, f"cannot read {tmp_path}: Is a directory"),
        (binary, f"{binary} is not a text file"),
        (other, f"{other}, line 1: '(;FF[4]GM[6])' is no line of a match file"),
    ):
        with pytest.raises(BgsimError) as caught:
            read_mat_file(path)
        assert str(caught.value).startswith(said)
