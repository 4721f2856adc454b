"""The public cases of kind "legal play", each by its id.

Faults that users of other programs met, with the smallest position that shows them.
"""

from __future__ import annotations

import ast
import re

import pytest

from bgsim.core.position import Position
from bgsim.engine.plays import count_results, legal_plays
from tests.cases import after_boards, as_board, follow, public_cases, public_ids
from tests.oracle import ALL_ROLLS, BAR, side

CASES = public_cases("legal play")


def plays_of(text, roll):
    position = Position.from_gnubg_id(text)
    return position, legal_plays(position, roll)


def texts(plays):
    """The plays as written, the parts of each in a fixed order."""
    return sorted(" ".join(sorted(str(play).split())) for play in plays)


def points_of(counts):
    """{point: checkers} of a side's 26 counts."""
    return {point: counts[point] for point in range(1, 26) if counts[point]}


def points(text):
    """{6:13, 8:1, bar:2} as a dict."""
    return ast.literal_eval(text.replace("bar", str(BAR)))


def test_every_case_has_its_test():
    tested = {name.split("_")[1] for name in globals() if re.match(r"test_L\d\d_", name)}
    assert tested == set(CASES)


@pytest.mark.parametrize("case", [c for c in CASES if "on roll {" in CASES[c]["input"]])
def test_ids_and_points_of_the_cases_agree(case):
    text = CASES[case]["input"]
    position = Position.from_gnubg_id(re.search(r"gnubg id (\S{14})", text)[1])
    mover, opponent = re.findall(r"\{[^}]*\}", text)
    assert as_board(position) == (side(points(mover)), side(points(opponent)))
    assert position.gnubg_id in text


def test_L01_both_dice_in_one_order_only():
    """24/22 with the 2 only, and the 6 then only 8/2: a lone 8/2 or 24/22 must not be offered.

    {6:13, 8:1, 24:1} against {5:4, 6:4, 7:3, 9:2, 21:2}, 6-2.
    """
    position, plays = plays_of("8N4ZAAbg/xMAIA", (6, 2))
    assert texts(plays) == ["24/22 8/2"]
    assert as_board(plays[0].after) == (side({2: 1, 6: 13, 22: 1}), position.opponent)


def test_L03_forced_bear_off_is_listed_once():
    """{2:4, 4:1}, 6-4: the 4 point and one of the 2s go off, in whichever order."""
    position, plays = plays_of("AQAA8QQAAAAAAA", (6, 4))
    assert after_boards(plays) == {(side({2: 3}), position.opponent)}
    assert len(plays) == 1


def test_L05_two_thousand_results_of_one_roll():
    """Fifteen blots, most of them two apart, 1-1: no buffer may overflow, no order counts twice."""
    position, plays = plays_of("AACAkCRJqqoAAA", (1, 1))
    assert len(plays) == len(after_boards(plays)) == 2_220
    assert count_results(position, (1, 1)) == 2_220


def test_L07_bar_against_a_closed_point_passes():
    """A checker on the bar, 6-6, and the opponent holds his 6 point."""
    position, plays = plays_of("4HPwATDgc/ABUA", (6, 6))
    assert plays == []
    assert count_results(position, (6, 6)) == 0


def test_L09_only_one_number_can_be_played():
    """The 6 is blocked everywhere, before and after 8/3 with the 5."""
    position, plays = plays_of("YNsWADZsuzsAAA", (6, 5))
    assert texts(plays) == ["8/3"]
    assert as_board(plays[0].after) == as_board(
        Position.from_points({3: 3, 4: 2, 5: 2, 6: 3, 7: 3, 8: 2}, points_of(position.opponent))
    )


def test_L11_either_number_but_not_both_makes_the_larger_compulsory():
    """{2:2, 3:2, 24:1} against {7:2, 8:2, bar:2}, 4-3: 24/20 or 24/21, then nothing."""
    position, plays = plays_of("wAYAMBsAAAQAAA", (4, 3))
    assert texts(plays) == ["24/20"]
    assert after_boards(plays) == {(side({2: 2, 3: 2, 20: 1}, 15), position.opponent)}


def test_L14_two_orders_with_one_result_count_once():
    """{1:2, 2:3, 3:6, 9:1}, 6-5: the 9 goes off by 9/4/off or by 9/3/off."""
    position, plays = plays_of("v0MChgK7HwgAAA", (5, 6))
    assert after_boards(plays) == {(side({1: 2, 2: 3, 3: 6}), position.opponent)}
    assert len(plays) == 1


def test_L15_double_that_can_be_played_three_times():
    """6-6 with only the three checkers on 13 free to move: 13/7(3), never 13/7(2)."""
    position, plays = plays_of("sNvBATBw38ABMA", (6, 6))
    assert texts(plays) == ["13/7(3)"]
    assert len(plays[0].moves) == 3
    assert as_board(plays[0].after) == (side({5: 3, 6: 5, 7: 5, 24: 2}), position.opponent)


def test_L19_second_die_opens_after_the_first():
    """{1:2, 2:4, 3:4, 24:5}, 6-3: no 3 at first, but 24/18 unlocks 18/15."""
    position, plays = plays_of("7p0HAIC9BwAAHw", (6, 3))
    assert after_boards(plays) == {(side({1: 2, 2: 4, 3: 4, 24: 4, 15: 1}), position.opponent)}
    assert len(plays) == 1
    assert len(plays[0].moves) == 2
    assert str(plays[0]) in ("24/18/15", "24/15")


def test_L22_larger_die_has_no_exact_checker():
    """{2:1, 5:1}, 4-2: 5/1 2/off or 5/3 and then 3/off with the 4."""
    position, plays = plays_of("AwAAEAEAAAAAAA", (4, 2))
    assert after_boards(plays) == {
        (side({1: 1}), position.opponent),
        (side({2: 1}), position.opponent),
    }
    assert len(plays) == 2


def test_L24_smaller_die_need_not_be_played_first():
    """{2:1, 4:1}, 6-3: 4/off 2/off wins at once; 4/1 by the 3 and 2/off by the 6 is legal too."""
    position, plays = plays_of("AwAAkAAAAAAAAA", (6, 3))
    assert after_boards(plays) == {(side({}), position.opponent), (side({1: 1}), position.opponent)}
    assert len(plays) == 2
    assert [play.after.is_over for play in plays].count(True) == 1


def test_L27_one_die_plays_are_not_offered_next_to_two_dice_plays():
    position, plays = plays_of("4HPwATDgc/ABMA", (3, 1))
    assert len(plays) == 16
    assert {len(play.moves) for play in plays} == {2}
    pips = {position.pips[0] - play.after.pips[0] for play in plays}
    assert pips == {4}


def test_L29_two_plays_only():
    """{2:3, 4:6, 5:3, 6:3}, 5-4 in a bear-off with contact."""
    position, plays = plays_of("YEYF4TnO7w4AAA", (5, 4))
    assert texts(plays) == ["4/off 5/off", "5/off 6/2"]
    assert after_boards(plays) == {
        follow(as_board(position), "6/2 5/off"),
        follow(as_board(position), "5/off 4/off"),
    }


def test_L31_bulk_count():
    """All 15 mixed rolls of the 1,000 public contact positions, a forced pass counting one.

    185,964 is what an engine finds that lists seven forced results twice.
    """
    ids = public_ids()
    assert len(set(ids)) == 1000
    mixed = [roll for roll in ALL_ROLLS if roll[0] != roll[1]]
    positions = [Position.from_gnubg_id(text) for text in ids]
    counts = (max(1, count_results(position, roll)) for position in positions for roll in mixed)
    assert sum(counts) == 185_957
