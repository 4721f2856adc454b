"""Recorded games and their targets, played again in plain Python with the same dice and estimates."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from bgsim.core.errors import PlanError
from bgsim.engine.boards import unpack_all
from bgsim.engine.policies import OUTCOME_VALUES
from bgsim.engine.weights import Weights, weights_of
from bgsim.kernels.self_play import write_race
from bgsim.training.self_play import ERRATIC_PLIES, START_POSITIONS, GameTask, play_games, starts_of
from tests import oracle
from tests.kernels.plain_nets import (
    CERTAIN,
    can_meet,
    plain_chances,
    plain_score,
    plain_sums,
    random_net,
)
from tests.kernels.replay import ALL_ORDERED, OPENING_ORDERED, below, block, listed
from tests.oracle import ALL_ROLLS, BAR, side

MONEY = OUTCOME_VALUES.tolist()
SEED, GENERATION = 60, 7
BOARDS = {
    "start": oracle.START,
    "hypergammon": (oracle.HYPERGAMMON_SIDE, oracle.HYPERGAMMON_SIDE),
    "nackgammon": (oracle.NACKGAMMON_SIDE, oracle.NACKGAMMON_SIDE),
    "longgammon": (oracle.LONGGAMMON_SIDE, oracle.LONGGAMMON_SIDE),
    "dutch": (side({BAR: 15}), side({BAR: 15})),
    "erratic": oracle.START,
}


@cache
def weights():
    rng = np.random.default_rng(61)
    return Weights(random_net(rng, (128,)), random_net(rng, (128,)))


def task(games, *, starts=("hypergammon",), lasting=0.0, every=0, played_by=None):
    """Games `games[0]` up to `games[1]`."""
    by = played_by or weights()
    return GameTask(SEED, GENERATION, *games, by, starts, lasting, every)


# --- plain Python ---------------------------------------------------------------------------------


def chances_of(played_by, board):
    """Chances of the player who has just moved, from 0 to 1; of a finished game the outcome."""
    net = played_by.contact if can_meet(board) else played_by.race
    finished = oracle.finished(*board) is not None
    sums = [0] * 5 if finished else plain_sums(net, board)
    return np.array(plain_chances(sums, board)) / CERTAIN


def turned(chances):
    """The other player's chances."""
    win, gammon, backgammon, lose_gammon, lose_backgammon = chances
    return np.array([1 - win, lose_gammon, lose_backgammon, gammon, backgammon])


def best(played_by, results):
    nets = played_by.contact, played_by.race
    scores = [plain_score(nets, result, MONEY) for result in results]
    return results[scores.index(max(scores))]


def plain_game(played_by, starts, game):
    """The positions after each turn that is recorded, each seen by the player who has made it."""
    name = starts[game % len(starts)]
    board, recorded, ply = BOARDS[name], [], 0
    number = game // len(starts)
    wandering = number % (ERRATIC_PLIES + 1) if name == "erratic" else 0
    shares = (10, 5, 3, 1, 0)[number % 5], (10, 5, 3, 1, 0)[number // 5 % 5]
    while oracle.finished(*board) is None:
        words = block(SEED, GENERATION, game, ply)
        faces = OPENING_ORDERED if ply == 0 else ALL_ORDERED
        results = listed(board, faces[below(words[0], len(faces))])
        if results and ply < wandering and below(words[2], 10) < shares[ply % 2]:
            board = results[below(words[1], len(results))]
        elif results:
            board = best(played_by, results) if len(results) > 1 else results[0]
        if ply >= wandering:
            recorded.append(board)
        if oracle.finished(*board) is not None:
            break
        board, ply = board[::-1], ply + 1
    return recorded


def plain_sampled(played_by, boards, lasting):
    """Targets from the last position, which is worth its outcome, to the first."""
    targets = [chances_of(played_by, boards[-1])]
    for later in reversed(boards[1:]):
        made_of_it = (1 - lasting) * chances_of(played_by, later) + lasting * targets[0]
        targets.insert(0, turned(made_of_it))
    return targets


def plain_averaged(played_by, board):
    """Mean of the estimates after the opponent's replies on his 36 rolls."""
    if oracle.finished(*board) is not None:
        return chances_of(played_by, board)
    total = np.zeros(5)
    for roll in ALL_ROLLS:
        replies = listed(board[::-1], roll)
        reply = best(played_by, replies) if replies else board[::-1]
        total += (1 if roll[0] == roll[1] else 2) * chances_of(played_by, reply)
    return turned(total / 36)


def boards_of(lessons):
    return [(position.on_roll, position.opponent) for position in unpack_all(lessons.boards)]


# --- games ----------------------------------------------------------------------------------------


def test_games_are_those_of_plain_python():
    """Same dice, same estimates, so the same positions; the kernel's lists are checked by the oracle."""
    expected = [board for game in range(3) for board in plain_game(weights(), ("hypergammon",), game)]
    assert boards_of(play_games(task((0, 3)))) == expected
    assert len(expected) > 20


@pytest.mark.slow
def test_usual_games_of_the_weights_that_come_with_bgsim():
    net = replace(weights_of("net"), quick=None)
    expected = plain_game(net, ("start",), 5)
    found = play_games(task((5, 6), starts=("start",), played_by=net))
    assert boards_of(found) == expected


def plain_race(game):
    """A random race by the words of the game's own blocks."""
    words = block(SEED, GENERATION, game, 0, purpose=3)
    border = 8 + below(words[0], 5) + below(words[1], 5)
    sides = []
    for number, room in enumerate((border, 24 - border)):
        word, counts = words[2 + number], [0] * 26
        counts[0] = below((word & 0xFFFF) << 16, 15) if word >> 30 == 0 else 0
        for checker in range(counts[0], 15):
            drawn = block(SEED, GENERATION, game, 1 + 15 * number + checker, purpose=3)
            places = [below(drawn[0], room), below(drawn[1], room)]
            counts[1 + (min(places) if words[0] & 1 == 0 else places[0])] += 1
        sides.append(tuple(counts))
    return tuple(sides)


def test_random_races():
    boards = np.zeros((300, 4), np.uint64)
    for game, board in enumerate(boards):
        write_race(np.uint64(SEED), np.uint64(GENERATION), game, board)
    found = [(position.on_roll, position.opponent) for position in unpack_all(boards)]
    assert found == [plain_race(game) for game in range(300)]
    assert not any(can_meet(board) for board in found)
    assert len(set(found)) == 300
    off = sum(1 for board in found for counts in board if counts[0] > 0)
    assert 90 < off < 190  # 14 of 15 in one side of four: 140 +- 10.4


def test_starts_are_taken_in_turn():
    """By the number of the game; the opponent's checkers still stand as they did."""
    starts = ("hypergammon", "longgammon", "nackgammon")
    sides = (oracle.HYPERGAMMON_SIDE, oracle.LONGGAMMON_SIDE, oracle.NACKGAMMON_SIDE)
    for game in range(7):
        first = boards_of(play_games(task((game, game + 1), starts=starts)))[0]
        assert first[1] == sides[game % 3]


@pytest.mark.slow
def test_erratic_plies_come_first_and_are_not_recorded():
    """Game 3 of this start begins after three of them, game 104 after three again, game 1 after one."""
    for game in (3, ERRATIC_PLIES + 1 + 3, 1):
        expected = plain_game(weights(), ("erratic",), game)[:12]
        assert boards_of(play_games(task((game, game + 1), starts=("erratic",))))[:12] == expected


def test_first_roll_is_no_double_from_a_set_up():
    """The 15 checkers have room for both dice: the pips fall by their sum."""
    for game in range(40):
        first = boards_of(play_games(task((game, game + 1), starts=("start",))))[0]
        words = block(SEED, GENERATION, game, 0)
        roll = OPENING_ORDERED[below(words[0], 30)]
        assert oracle.pips(oracle.START_SIDE) - oracle.pips(first[0]) == sum(roll)


def test_games_depend_on_their_number_alone():
    """Whatever the task they are in."""
    together = play_games(task((0, 6), lasting=0.5))
    apart = [play_games(task((a, b), lasting=0.5)) for a, b in ((0, 1), (1, 4), (4, 6))]
    assert np.array_equal(together.boards, np.concatenate([lesson.boards for lesson in apart]))
    assert np.array_equal(together.targets, np.concatenate([lesson.targets for lesson in apart]))


def test_hypergammon_can_end_in_a_gammon():
    """Three checkers and none of them off: not twelve borne off before the first roll."""
    ends = {oracle.finished(*boards_of(play_games(task((game, game + 1))))[-1])[1] for game in range(30)}
    assert ends >= {1, 2}


def test_start_positions_are_those_of_the_rules():
    starts = starts_of(tuple(BOARDS))
    found = [(position.on_roll, position.opponent) for position in unpack_all(starts.boards)]
    assert found == list(BOARDS.values())
    assert {*BOARDS, "race"} == set(START_POSITIONS)
    assert starts.erratic_plies.tolist() == [0, 0, 0, 0, 0, 100]


def test_unknown_start_names_those_there_are():
    with pytest.raises(PlanError) as caught:
        starts_of(("start", "nackgamon"))
    assert str(caught.value) == (
        "unknown start 'nackgamon'; use: start, nackgammon, longgammon, hypergammon, dutch, race, erratic"
    )


# --- sampled targets ------------------------------------------------------------------------------


@pytest.mark.parametrize("lasting", [0.0, 0.5, 1.0])
def test_sampled_targets_are_what_the_next_position_makes_of_it(lasting):
    found = play_games(task((0, 3), lasting=lasting))
    expected = []
    for game in range(3):
        expected += plain_sampled(weights(), plain_game(weights(), ("hypergammon",), game), lasting)
    assert found.targets == pytest.approx(np.array(expected), abs=1e-6)


def test_lasting_targets_are_the_outcome():
    """Lambda 1: every position of a game learns how it ended, from its own player's side."""
    found = play_games(task((0, 1), lasting=1.0))
    (_, points), n = oracle.finished(*boards_of(found)[-1]), len(found.boards)
    won = [float(k < points) for k in range(3)] + [0.0, 0.0]
    lost = [0.0, 0.0, 0.0, float(points > 1), float(points > 2)]
    assert found.targets.tolist() == [won if (n - 1 - t) % 2 == 0 else lost for t in range(n)]


@pytest.mark.parametrize("lasting", [0.0, 0.7])
def test_sampled_targets_are_ordered_chances(lasting):
    w, wg, wb, lg, lb = play_games(task((0, 20), lasting=lasting)).targets.T
    for higher, lower in ((1, w), (w, wg), (wg, wb), (wb, 0), (1 - w + 1e-6, lg), (lg, lb), (lb, 0)):
        assert np.all(higher >= lower)


# --- averaged targets -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("every", "games"), [(1, (0, 1)), (3, (1, 3)), (8, (5, 8))])
def test_averaged_targets_are_means_over_the_replies(every, games):
    """Of every so manieth position, beginning with a number that goes round with the game's."""
    found = play_games(task(games, every=every))
    boards = []
    for game in range(*games):
        boards += plain_game(weights(), ("hypergammon",), game)[game % every :: every]
    assert boards_of(found) == boards
    expected = [plain_averaged(weights(), board) for board in boards]
    assert found.targets == pytest.approx(np.array(expected), abs=1e-6)


def test_averaged_target_of_a_finished_game_is_its_outcome():
    found = play_games(task((0, 1), every=1))
    _, points = oracle.finished(*boards_of(found)[-1])
    assert found.targets[-1].tolist() == [float(k < points) for k in range(3)] + [0.0, 0.0]


# --- averaged targets that remember the game ------------------------------------------------------


def plain_adjusted(played_by, boards, lasting):
    """Averaged targets, plus a share of what the next one differs from its own position's estimate."""
    targets = [plain_averaged(played_by, boards[-1])]
    for board, later in zip(boards[-2::-1], boards[:0:-1], strict=True):
        surprise = targets[0] - chances_of(played_by, later)
        mine = np.array([-surprise[0], *surprise[[3, 4]], *surprise[[1, 2]]])
        targets.insert(0, plain_averaged(played_by, board) + lasting * mine)
    return targets


@pytest.mark.slow
@pytest.mark.parametrize("lasting", [0.6, 1.0])
def test_adjusted_targets_are_averaged_ones_and_what_came_of_the_position(lasting):
    found = play_games(task((2, 4), every=1, lasting=lasting))
    expected = []
    for game in range(2, 4):
        expected += plain_adjusted(weights(), plain_game(weights(), ("hypergammon",), game), lasting)
    assert found.targets == pytest.approx(np.array(expected), abs=1e-5)


@pytest.mark.slow
def test_adjusted_targets_are_right_on_average():
    """Random weights know nothing; yet their whole games' results, luck taken out, average to the truth.

    The truth being the mean outcome of the same weights' own games, from the first position of each; the
    bounds are four standard errors.
    """
    asked = task((0, 400), every=1, lasting=1.0)
    adjusted, outcomes = [], []
    for game in range(400):
        one = replace(asked, first_game=game, end_game=game + 1)
        adjusted.append(play_games(one).targets[0])
        outcomes.append(play_games(replace(one, averaged_every=0)).targets[0])
    adjusted, outcomes = np.array(adjusted), np.array(outcomes)
    error = (adjusted - outcomes).std(axis=0) / np.sqrt(len(adjusted))
    assert np.all(np.abs((adjusted - outcomes).mean(axis=0)) <= 4 * error)


# --- other nets at the table ----------------------------------------------------------------------


@pytest.mark.parametrize("every", [0, 9])
def test_a_teacher_plays_and_judges(every):
    """Whatever the generation's own weights are: as if they were the teacher's."""
    starts = "start", "hypergammon"
    asked = replace(task((0, 4), starts=starts, every=every), teacher="net")
    right = play_games(task((0, 4), starts=starts, every=every, played_by=weights_of("net")))
    found = play_games(asked)
    assert found.boards.tobytes() == right.boards.tobytes()
    assert found.targets.tobytes() == right.targets.tobytes()


@pytest.mark.parametrize("every", [0, 9])
def test_quick_nets_that_agree_change_nothing(every):
    """The first choice of the quick nets is among those they leave, and equal nets make the same choice."""
    net = replace(weights_of("net"), quick=None)
    plain = task((0, 3), starts=("start",), every=every, played_by=net)
    agreeing = replace(plain, weights=replace(net, quick=net.nets))
    right, found = play_games(plain), play_games(agreeing)
    assert found.boards.tobytes() == right.boards.tobytes()
    assert found.targets.tobytes() == right.targets.tobytes()
