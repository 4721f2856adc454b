"""The rules of play by name: P2 to P8 of the project's rule list, with their worked cases.

Points are counted from the ace point of the side that is named, so the opponent's point q is the
mover's point 25 - q. Every test states all results, not only the one that it is about.
"""

from __future__ import annotations

import pytest

from bgsim.core.position import Position
from bgsim.engine.plays import count_results, legal_plays
from tests.cases import after_boards, as_board, follow

# An opponent that is far from everything: all on his ace point, the mover's 24 point.
FAR = {1: 15}


def position_of(mover, opponent=FAR, checkers=15):
    """Checkers not named have been borne off."""
    return Position.from_points(mover, opponent, checkers=checkers)


def expect(position, roll, *texts):
    """The results are exactly those of the plays written here."""
    plays = legal_plays(position, roll)
    wanted = {follow(as_board(position), text) for text in texts}
    assert after_boards(plays) == wanted, sorted(map(str, plays))
    assert len(plays) == len(wanted) == count_results(position, roll)
    return plays


# --- worked cases ---------------------------------------------------------------------------------


def test_last_checker_on_six_with_a_six_and_an_ace():
    """6/off, or 6/5 and then 5/off with the 6: the game is won either way, one result."""
    (play,) = expect(position_of({6: 1}), (6, 1), "6/off")
    assert play.after.is_over
    assert play.after.on_roll[0] == 15


def test_fives_bear_off_from_the_highest_point_once_the_five_is_empty():
    """5, 3, 3, 2, 1 with 5-5: 5/off, then 3, 3, 2 off; one checker is left on 1."""
    (play,) = expect(position_of({5: 1, 3: 2, 2: 1, 1: 1}), (5, 5), "5/off 3/off(2) 2/off")
    assert play.after.on_roll[1] == 1
    assert sum(play.after.on_roll[1:]) == 1


def test_six_bears_off_from_the_five_when_the_six_is_empty():
    """5, 5 with 6-5: both off."""
    (play,) = expect(position_of({5: 2}), (6, 5), "5/off(2)")
    assert play.after.is_over


def test_entering_die_is_forced_where_the_other_is_blocked():
    """The enemy holds only his 6 point, the mover's 19: with 6-4 the 4 must enter.

    19 20 21 22 23 24
     X        .         bar O: the 6 cannot enter, the 4 enters on 21
    """
    expect(
        position_of({25: 1, 9: 1}, {6: 2}),
        (6, 4),
        "bar/21 21/15",
        "bar/21 9/3",
    )


@pytest.mark.parametrize("die", range(1, 7))
def test_only_open_points_enter(die):
    """The enemy holds his 1, 3 and 5 points: only 2, 4 and 6 enter."""
    position = position_of({25: 4}, {1: 2, 3: 2, 5: 2})
    if die in (2, 4, 6):
        expect(position, (die, die), f"bar/{25 - die}(4)")
    else:
        expect(position, (die, die))


def test_the_six_that_unlocks_a_three_is_forced():
    """6-3: no 3 can be played at first, two 6s can, and only after 24/18 is a 3 open (18/15).

    The mover has 24 and 20; the enemy holds the mover's 21, 17 and 11 (his 4, 8 and 14).
    """
    position = position_of({24: 1, 20: 1, 2: 6, 1: 7}, {4: 2, 8: 2, 14: 2, 1: 0})
    expect(position, (6, 3), "24/18/15")


# --- P3 and P4: one die, two dice, doubles --------------------------------------------------------


@pytest.mark.parametrize("enemies", [0, 1, 2, 3, 15])
def test_two_enemy_checkers_block_and_one_is_hit(enemies):
    """The mover's last two checkers stand on 20; enemies on the mover's 17 decide about a 3."""
    position = position_of({20: 2}, {8: enemies} if enemies else FAR)
    if enemies >= 2:
        expect(position, (3, 3))
    elif enemies == 1:
        expect(position, (3, 3), "20/17*/14 20/14", "20/17*/8", "20/17*/11 20/17")
    else:
        expect(position, (3, 3), "20/14(2)", "20/8", "20/17 20/11")


def test_a_hit_checker_goes_to_the_bar():
    position = position_of({10: 1, 1: 1}, {18: 1, 20: 2})
    (play,) = legal_plays(position, (3, 3))[:1]
    assert play.after.opponent[25] == 1
    assert play.after.opponent[18] == 0
    assert play.after.pips[1] == position.pips[1] + 7  # from his 18 back to 25


def test_one_checker_may_make_both_moves_through_either_open_point():
    """24 with 6-5 and no other checker: 24/18/13, and 24/19/13 when 18 is blocked."""
    expect(position_of({24: 1}, {7: 2}), (6, 5), "24/19/13")
    expect(position_of({24: 1}, {6: 2}), (6, 5), "24/18/13")
    expect(position_of({24: 1}, {6: 2, 7: 2}), (6, 5))


def test_hitting_on_the_way_and_going_round_are_two_results():
    """A blot on the mover's 18: 24/18*/13 hits, 24/19/13 does not."""
    expect(position_of({24: 1}, {7: 1}), (6, 5), "24/18*/13", "24/19/13")


def test_two_blots_are_hit_in_one_turn():
    """Blots on the mover's 18 and 13."""
    expect(position_of({24: 1}, {7: 1, 12: 1}), (6, 5), "24/18*/13*", "24/19/13*")


def test_a_double_is_four_moves():
    expect(position_of({24: 1}, {2: 15}), (2, 2), "24/16")


def test_a_double_stops_where_it_is_blocked():
    """24 with 2-2 and an enemy point on the mover's 18: only 24/20 with two of the four."""
    (play,) = expect(position_of({24: 1}, {7: 2}), (2, 2), "24/20")
    assert len(play.moves) == 2


def test_fifteen_checkers_may_share_a_point():
    """P8: no limit on the checkers of a point. The mover's 4 is held, so 2-2 is 8/6 and no more."""
    (play,) = expect(position_of({8: 1, 6: 14}, {21: 2}), (2, 2), "8/6")
    assert play.after.on_roll[6] == 15


def test_fifteen_checkers_may_leave_a_point():
    """All fifteen on 24, an enemy point on the mover's 1."""
    expect(position_of({24: 15}, {24: 2}), (6, 5), "24/18 24/19", "24/13")


# --- P5: the bar ----------------------------------------------------------------------------------


def test_no_other_checker_moves_before_all_have_entered():
    """Two on the bar, 3-1 and both open: both must enter."""
    expect(position_of({25: 2, 13: 5, 6: 5}, {6: 2}), (3, 1), "bar/22 bar/24")


def test_either_die_may_enter_and_the_other_is_free():
    """One on the bar and one on 8, 5-3, the mover's 24 held: each die may enter."""
    expect(position_of({25: 1, 8: 1}), (5, 3), "bar/17", "bar/20 8/5", "bar/22 8/3")


def test_one_of_two_on_the_bar_enters_and_the_other_die_is_lost():
    """Two on the bar, 6-4, the enemy holds the mover's 19: one enters with the 4, the 6 is lost."""
    (play,) = expect(position_of({25: 2, 13: 5}, {6: 2}), (6, 4), "bar/21")
    assert len(play.moves) == 1


def test_rest_of_a_double_is_played_after_the_last_entry():
    """One on the bar and a checker on 13, 4-4, open board."""
    expect(
        position_of({25: 1, 13: 1}, {1: 2}),
        (4, 4),
        "bar/9",
        "bar/13 13/9",
        "bar/17 13/5",
        "bar/21 13/1",
    )


def test_entering_may_hit():
    expect(position_of({25: 1}, {2: 1}), (2, 1), "bar/23*/22", "bar/24/22")


def test_entering_hit_is_forced_when_nothing_else_enters():
    """Enemy blot on his 3, his 5 made: with 5-3 the entry hits; the 5 then goes on from 22 or 8."""
    expect(position_of({25: 1, 8: 1}, {3: 1, 5: 2}), (5, 3), "bar/22*/17", "bar/22* 8/3")


def test_closed_board_loses_the_turn_on_every_roll():
    position = position_of({25: 1, 8: 3}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2})
    for high in range(1, 7):
        for low in range(1, 7):
            assert legal_plays(position, (high, low)) == []
            assert count_results(position, (high, low)) == 0


def test_seven_on_the_bar_enter_four_with_a_double():
    expect(position_of({25: 7, 6: 8}, {24: 1, 3: 2}), (2, 2), "bar/23(4)")


def test_the_opponents_bar_does_not_hinder():
    expect(position_of({24: 1}, {25: 5, 12: 1}), (2, 1), "24/21")


# --- P6: as many dice as possible, and the larger one ---------------------------------------------


def test_larger_die_is_compulsory_when_only_one_can_be_played():
    """24 alone with 5-3; the mover's 16 is held, so 24/19 or 24/21 ends the turn: the 5 it is."""
    (play,) = expect(position_of({24: 1}, {9: 2}), (5, 3), "24/19")
    assert len(play.moves) == 1


def test_smaller_die_is_played_when_the_larger_cannot_be():
    """As before, but the mover's 19 is held too."""
    expect(position_of({24: 1}, {9: 2, 6: 2}), (5, 3), "24/21")


def test_a_play_that_blocks_the_second_die_is_not_legal():
    """Both dice can be played by 24/22 8/2 (public case L01): 8/2 or 24/22 alone is not a turn."""
    position = position_of({6: 13, 8: 1, 24: 1}, {5: 4, 6: 4, 7: 3, 9: 2, 21: 2})
    expect(position, (6, 2), "24/22 8/2")


def test_doubles_play_as_many_as_possible():
    """Two on 20, 5-5, the mover's 10 held: 20/15(2) uses two, and no third is possible."""
    (play,) = expect(position_of({20: 2}, {15: 2}), (5, 5), "20/15(2)")
    assert len(play.moves) == 2


def test_bearing_off_mid_turn_may_be_what_uses_both_dice():
    """7 and 1, 6-1: 7/1 and then 1/off, or 7/6 and then 6/off. The 6 first lets the 1 bear off."""
    expect(position_of({7: 1, 1: 1}), (6, 1), "7/1 1/off", "7/6 6/off")


def test_last_checker_uses_both_dice_even_to_hit():
    """The last checker on 6, an enemy blot on the mover's 5, 6-1.

    6/off alone would win the game with one die; read strictly, P6 asks for both, 6/5*/off. The
    points are the same either way, since a blot in the mover's home counts as one on the bar does.
    """
    expect(position_of({6: 1}, {20: 1, 1: 14}), (6, 1), "6/5*/off")


# --- P7: bearing off ------------------------------------------------------------------------------


def test_no_bearing_off_while_a_checker_is_outside():
    """9 and 2 with 2-2: two of the four must bring the 9 home before 2/off is possible."""
    expect(position_of({9: 1, 2: 1}), (2, 2), "9/1", "9/3 2/off")


def test_bearing_off_begins_in_the_turn_that_brings_the_last_checker_home():
    """7 and 6 with 6-6: 7/1 comes first, then both go off."""
    expect(position_of({7: 1, 6: 1}), (6, 6), "7/1 6/off 1/off")


def test_no_bearing_off_from_the_bar():
    """A checker on the bar that cannot enter holds everything."""
    expect(position_of({25: 1, 6: 14}, {6: 2}), (6, 6))


def test_higher_checker_must_move_when_the_point_is_empty():
    """6 and 2 with 4-4: no 2/off while the 6 is there; 6/2 first, then everything goes off."""
    expect(position_of({6: 1, 2: 1}), (4, 4), "6/2 2/off(2)")


def test_no_bear_off_past_a_higher_checker_that_is_blocked():
    """6 and 3, 4-4, the enemy holds the mover's 2: 6/2 is blocked, and 3/off may not come first."""
    expect(position_of({6: 1, 3: 1}, {23: 2}), (4, 4))


def test_bearing_off_is_never_obligatory():
    """5 and 4, 4-1: besides 4/off the 4 may be played 5/1."""
    expect(
        position_of({5: 1, 4: 1}),
        (4, 1),
        "4/off 5/4",
        "5/4 4/off",
        "5/1 4/3",
        "5/1 1/off",
    )


def test_exact_die_bears_off_behind_a_higher_checker():
    """6 and 3 with 3-1: 3/off is legal with a checker still on 6."""
    expect(position_of({6: 1, 3: 1}), (3, 1), "3/off 6/5", "6/3 3/2")


def test_a_hit_checker_must_come_home_before_bearing_off():
    """One checker off, one just hit: entering with the 6 leaves it on 19, and no 5 bears off."""
    position = position_of({25: 1, 5: 2}, {24: 1})
    expect(position, (6, 5), "bar/19/14", "bar/20/14")


def test_a_die_that_fits_no_checker_is_lost():
    """Last two checkers on 3, 2-1, the enemy holds the mover's 1 and 2: nothing moves."""
    expect(position_of({3: 2}, {24: 2, 23: 2}), (2, 1))


# --- sets of other sizes --------------------------------------------------------------------------


def test_hypergammon_start():
    """Three checkers a side on 24, 23, 22 with 2-1; nobody is in the way."""
    start = {24: 1, 23: 1, 22: 1}
    expect(
        position_of(start, start, checkers=3),
        (2, 1),
        "24/21",
        "23/20",
        "22/19",
        "24/22 23/22",
        "24/22 22/21",
        "23/21 24/23",
        "23/21 22/21",
        "22/20 24/23",
        "22/20 23/22",
    )


def test_borne_off_counts_of_a_small_set():
    (play,) = expect(position_of({2: 1}, {2: 1}, checkers=3), (6, 5), "2/off")
    assert play.after.on_roll[0] == 3
    assert play.after.opponent == (2, 0, 1, *[0] * 23)
