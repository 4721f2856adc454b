"""Nets in whole numbers: sums to the last bit, chances within the rules, scores by plain arithmetic."""

from __future__ import annotations

import random
from functools import cache
from itertools import islice
from math import exp

import numpy as np
import pytest

from bgsim.engine.policies import OUTCOME_VALUES, net_player
from bgsim.kernels.net import CERTAIN, LOGISTIC, chance, set_base, work_out, write_estimate
from bgsim.kernels.policy import score_results
from tests import oracle
from tests.kernels.plain_nets import (
    can_meet,
    constant_net,
    evaluator_of,
    plain_chance,
    plain_chances,
    plain_layers,
    plain_score,
    plain_sums,
    plain_value,
    random_net,
    rows_of_boards,
)
from tests.kernels.replay import listed
from tests.oracle import BAR, START, side

# Hidden widths of one to four layers, the narrowest, the widest, and blocks of every number.
WIDTHS = [(128,), (256,), (1024,), (128, 32), (256, 96), (384, 64, 32), (128, 96, 64, 32), (256, 32, 128, 64)]
UNIT = 2**21  # of log odds
# Points to the mover of the six outcomes: money; at double match point; where only a win or a loss counts
# twice; uneven, with a cube of 64 as large as a match can hold.
VALUES = {
    "money": (1, 2, 3, -1, -2, -3),
    "double match point": (1, 1, 1, -1, -1, -1),
    "gammon-go": (1, 2, 2, -1, -1, -1),
    "gammon-save": (1, 1, 1, -1, -2, -2),
    "uneven": (0.25, 0.5, 0.75, -0.125, -7, -31),
}


def values_of(name):
    return np.array([round(value * 2**32) for value in VALUES[name]], np.int64)


@cache
def boards_of(number, seed=5):
    """Half of them played, half constructed; the player who has just moved is the first."""
    rng = random.Random(seed)
    played = islice(oracle.played_positions(rng, every=5), number // 2)
    return [*played, *islice(oracle.constructed_positions(rng), number - number // 2)]


def sums_of(evaluator, net, boards, base=None, at_once=4):
    """The five sums of each board by the kernels, worked out so many at once."""
    rows, which = rows_of_boards(boards), np.arange(len(boards))
    set_base(evaluator.nets, net, rows_of_boards([base or boards[0]])[0], evaluator.scratch)
    found = []
    for start in range(0, len(boards), at_once):
        n = min(at_once, len(boards) - start)
        work_out(evaluator.nets, net, rows, which, start, n, evaluator.scratch)
        found += evaluator.scratch.sums.reshape(4, 8)[:n, :5].tolist()
    return found


def estimates(evaluator, boards):
    """Chances of each board by the nets 0 (contact) and 1 (race)."""
    rows, found = rows_of_boards(boards), []
    for row in range(len(rows)):
        write_estimate(evaluator, 0, 1, rows, row)
        found.append(evaluator.scratch.chances[0].tolist())
    return found


def scores_of(evaluator, before, boards, values=OUTCOME_VALUES):
    """Scores by the nets 0 (contact) and 1 (race)."""
    scores = np.zeros(len(boards), np.int64)
    packed, board = rows_of_boards(boards), rows_of_boards([before])[0]
    score_results(net_player(0), board, packed, len(packed), values, evaluator, scores)
    return scores.tolist()


# --- the sums -------------------------------------------------------------------------------------


@pytest.mark.parametrize("widths", WIDTHS, ids=str)
def test_sums_are_those_of_64_bit_arithmetic(widths):
    net = random_net(np.random.default_rng(list(widths)), widths)
    boards = boards_of(60)
    assert sums_of(evaluator_of(net), 0, boards) == [plain_sums(net, board) for board in boards]


@pytest.mark.parametrize("widths", WIDTHS, ids=str)
def test_nets_of_this_file_reach_both_ends_of_every_layer(widths):
    """Else the test above would not see a wrong cut."""
    net = random_net(np.random.default_rng(list(widths)), widths)
    layers = [np.array(layer) for layer in zip(*(plain_layers(net, b) for b in boards_of(60)), strict=True)]
    for hidden in layers[:-1]:
        assert (hidden == 0).any()
        assert (hidden == 4095).any()
        assert ((hidden > 0) & (hidden < 4095)).mean() > 0.1


def test_largest_weights_that_are_allowed_do_not_overflow():
    """Two layers of the largest sums: 4095 x 16 x 32767 in each half of 32 inputs stays below 2^31."""
    rng = np.random.default_rng(6)
    net = random_net(rng, (128, 32))
    signs = rng.choice((-1, 1), (128, 32))
    net.layers[1].weights[:] = np.where(np.arange(128)[:, None] < 15, 32_767 * signs, 0)
    net.layers[2].weights[:] = np.where(np.arange(32)[:, None] < 15, 32_767, 0)
    boards = boards_of(40)
    found = sums_of(evaluator_of(type(net)(net.layers)), 0, boards)
    assert found == [plain_sums(net, board) for board in boards]
    assert max(map(max, found)) > 2**29


def test_several_nets_in_one_evaluator_are_each_themselves():
    rng = np.random.default_rng(7)
    nets = [random_net(rng, widths) for widths in WIDTHS[::2]]
    evaluator, boards = evaluator_of(*nets), boards_of(12)
    for number in (3, 0, 2, 1, 3):
        assert sums_of(evaluator, number, boards) == [plain_sums(nets[number], board) for board in boards]


@pytest.mark.parametrize("widths", [(128,), (128, 64, 32)], ids=str)
def test_base_position_changes_nothing(widths):
    """It only saves work: a near one, a far one and the emptiest give the same sums."""
    evaluator = evaluator_of(random_net(np.random.default_rng(8), widths))
    boards = boards_of(40)
    expected = sums_of(evaluator, 0, boards)
    for base in (START, boards[-1], (side({BAR: 15}), side({BAR: 15})), (side({1: 1}), side({1: 1}))):
        assert sums_of(evaluator, 0, boards, base=base) == expected


@pytest.mark.parametrize("at_once", [1, 2, 3, 4])
def test_number_worked_out_at_once_changes_nothing(at_once):
    evaluator = evaluator_of(random_net(np.random.default_rng(9), (128, 64, 32)))
    boards = boards_of(25)
    assert sums_of(evaluator, 0, boards, at_once=at_once) == sums_of(evaluator, 0, boards)


def test_order_of_the_results_changes_nothing():
    rng = np.random.default_rng(10)
    evaluator = evaluator_of(random_net(rng, (256, 32)), random_net(rng, (128,)))
    results = listed(START, (2, 2))
    expected = scores_of(evaluator, START, results)
    order = rng.permutation(len(results)).tolist()
    assert scores_of(evaluator, START, [results[k] for k in order]) == [expected[k] for k in order]


# --- log odds to chances --------------------------------------------------------------------------


def test_table_of_the_logistic_function():
    """1 / (1 + exp(-x)) at every 64th from -16 to 16, by Python's decimal numbers."""
    assert len(LOGISTIC) == 2 * 1024 + 1
    assert LOGISTIC.tolist() == [plain_chance(step << 15) for step in range(-1024, 1024)] + [
        CERTAIN - int(LOGISTIC[0])
    ]


def totals(number=4_000, seed=12):
    rng = random.Random(seed)
    ends = [0, 1, -1, 2**15, 2**15 - 1, 2**25 - 1, 2**25, -(2**25), 2**31 - 1, -(2**31)]
    return sorted([*ends, *(rng.randrange(-(2**25), 2**25) for _ in range(number))])


def test_chance_is_within_1e_5_of_the_logistic_function():
    for total in totals():
        exact = 1 / (1 + exp(-max(-16.0, min(16.0, total / UNIT))))
        assert abs(chance(total) / CERTAIN - exact) < 1e-5


def test_chance_is_the_straight_line_between_entries():
    assert [chance(total) for total in totals()] == [plain_chance(total) for total in totals()]


def test_chance_never_falls():
    found = [chance(total) for total in totals()]
    assert found == sorted(found)
    near = [chance(total) for total in range(-(2**15) - 300, -(2**15) + 300)]
    assert near == sorted(near)


def test_chances_of_opposite_odds_add_up_to_certainty():
    """Exactly at the entries; between them both are rounded down, which loses at most one part in 2^24."""
    assert all(chance(k << 15) + chance(-(k << 15)) == CERTAIN for k in range(1024))
    assert {CERTAIN - chance(total) - chance(-total) for total in totals()} <= {0, 1}
    assert chance(0) == CERTAIN // 2


def test_no_chance_is_0_or_certain():
    """A net never says never; what is impossible is left to the rules."""
    assert chance(-(2**31)) > 0
    assert chance(2**31 - 1) < CERTAIN


# --- chances of a position ------------------------------------------------------------------------

EVEN = (0, 0, 0, 0, 0)


def even_chances(*boards):
    """Chances where every log odds are even; in both nets."""
    return estimates(evaluator_of(constant_net(EVEN), constant_net(EVEN)), boards)


HALF, QUARTER, EIGHTH = CERTAIN // 2, CERTAIN // 4, CERTAIN // 8


def test_chances_are_products():
    """Of even odds a half; of them a half; and a half of these: for winning and for losing."""
    assert even_chances(START) == [[HALF, QUARTER, EIGHTH, QUARTER, EIGHTH]]


def test_no_gammon_against_a_side_that_has_borne_off():
    board = side({6: 14}), side({20: 2, 6: 13})
    assert even_chances(board, board[::-1]) == [
        [HALF, QUARTER, EIGHTH, 0, 0],
        [HALF, 0, 0, QUARTER, EIGHTH],
    ]


def test_no_gammon_at_all_when_both_have_borne_off():
    assert even_chances((side({6: 14}), side({6: 14}))) == [[HALF, 0, 0, 0, 0]]


def test_no_backgammon_without_contact_once_the_loser_is_out_of_the_winners_home():
    """His last checker on own 18, the other side's bar point."""
    race = side({6: 15}), side({18: 1, 6: 14})
    assert not can_meet(race)
    assert even_chances(race, race[::-1]) == [[HALF, QUARTER, 0, QUARTER, 0]] * 2


def test_backgammon_without_contact_while_the_loser_is_in_the_winners_home():
    """He stands on own 20, the winner's 5 point, and the winner has nobody behind it."""
    race = side({4: 15}), side({20: 1, 6: 14})
    assert not can_meet(race)
    assert even_chances(race, race[::-1]) == [
        [HALF, QUARTER, EIGHTH, QUARTER, 0],
        [HALF, QUARTER, 0, QUARTER, EIGHTH],
    ]


def test_backgammon_with_contact_wherever_the_loser_stands():
    """He may be hit yet."""
    board = side({18: 1, 6: 14}), side({18: 1, 5: 14})
    assert can_meet(board)
    assert even_chances(board) == [[HALF, QUARTER, EIGHTH, QUARTER, EIGHTH]]


@pytest.mark.parametrize(
    ("loser", "lost"),
    [
        ({6: 14}, 1),
        ({6: 15}, 2),
        ({18: 15}, 2),
        ({19: 1, 6: 14}, 3),
        ({BAR: 1, 6: 14}, 3),
        ({BAR: 1, 6: 13}, 1),  # one off: a single game, even with a checker on the bar
    ],
)
def test_finished_positions_are_exact(loser, lost):
    for logits in ((-(2**25),) * 5, (2**25,) * 5):
        evaluator = evaluator_of(constant_net(logits), constant_net(logits))
        won = (side({}), side(loser))
        assert estimates(evaluator, [won]) == [[CERTAIN if k < lost else 0 for k in range(3)] + [0, 0]]
        assert scores_of(evaluator, (side({1: 1}), side(loser)), [won]) == [lost << 48]


@pytest.mark.parametrize("seed", [13, 14])
def test_chances_are_ordered(seed):
    """W >= WG >= WBG and 1 - W >= LG >= LBG, all from 0 to 1, whatever the net says."""
    rng = np.random.default_rng(seed)
    nets = [random_net(rng, (128, 32)) for _ in range(2)]
    for win, gammon, backgammon, lose_gammon, lose_backgammon in estimates(
        evaluator_of(*nets), boards_of(200, seed)
    ):
        assert CERTAIN >= win >= gammon >= backgammon >= 0
        assert CERTAIN - win >= lose_gammon >= lose_backgammon >= 0


def test_chances_are_those_of_plain_arithmetic():
    rng = np.random.default_rng(15)
    contact, race = (random_net(rng, (128, 32)) for _ in range(2))
    boards = boards_of(80)
    expected = [
        plain_chances(plain_sums(contact if can_meet(board) else race, board), board) for board in boards
    ]
    assert estimates(evaluator_of(contact, race), boards) == expected


# --- scores ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VALUES)
def test_score_is_the_mean_of_the_outcome_values(name):
    rng = np.random.default_rng(16)
    nets = random_net(rng, (256, 32)), random_net(rng, (128,))
    values = values_of(name)
    for before, roll in ((START, (3, 1)), ((side({4: 2, 2: 1}), side({20: 1, 6: 4})), (6, 2))):
        results = listed(before, roll)
        expected = [plain_score(nets, result, values.tolist()) for result in results]
        assert scores_of(evaluator_of(*nets), before, results, values) == expected


def test_score_of_known_chances_by_hand():
    """Even odds: single 1/4, gammon 1/8, backgammon 1/8 of each side: 0 in money and at double match point.

    At gammon-go the gammons are worth one more: 1/4. At gammon-save they cost one more: -1/4.
    """
    evaluator = evaluator_of(constant_net(EVEN), constant_net(EVEN))
    found = {name: scores_of(evaluator, START, [START], values_of(name))[0] / 2**48 for name in VALUES}
    uneven = 0.25 * 0.25 + 0.5 / 8 + 0.75 / 8 - 0.125 / 4 - 7 / 8 - 31 / 8
    assert found == {
        "money": 0,
        "double match point": 0,
        "gammon-go": 0.25,
        "gammon-save": -0.25,
        "uneven": uneven,
    }


def test_scores_of_the_plain_mean_agree_with_equity():
    """2W - 1 + WG + WBG - LG - LBG, in real numbers."""
    chances = [9_000_000, 4_000_000, 1_000_000, 2_000_000, 300_000]
    win, gammon, backgammon, lose_gammon, lose_backgammon = (chance / CERTAIN for chance in chances)
    equity = 2 * win - 1 + gammon + backgammon - lose_gammon - lose_backgammon
    assert plain_value(chances, OUTCOME_VALUES.tolist()) / 2**48 == pytest.approx(equity, abs=1e-12)


def test_results_that_are_races_are_scored_by_the_race_net():
    """The mover's last checker on 8 has one on 7 before it; with 2-1 it passes, stays or keeps behind."""
    before = side({8: 1, 3: 5, 2: 5}), side({18: 1, 6: 10})
    results = listed(before, (2, 1))
    races = [not can_meet(result) for result in results]
    assert {True, False} <= set(races)
    likely, unlikely = constant_net((UNIT, *EVEN[1:])), constant_net((-UNIT, *EVEN[1:]))
    scores = scores_of(evaluator_of(unlikely, likely), before, results)
    assert [score > 0 for score in scores] == races
    assert [score < 0 for score in scores] == [not race for race in races]
    turned = scores_of(evaluator_of(likely, unlikely), before, results)
    assert [score < 0 for score in turned] == races
