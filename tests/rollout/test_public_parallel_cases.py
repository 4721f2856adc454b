"""The public cases of kind "parallel" that concern the numbers themselves, each by its id."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from bgsim.core.notation import parse
from bgsim.core.position import Position
from bgsim.engine.batch import BatchTask, run_batch
from bgsim.engine.boards import pack, unpack
from bgsim.engine.plays import count_results, result_boards
from bgsim.engine.policies import OUTCOME_VALUES, players_of
from bgsim.kernels.board import MAX_RESULTS, pip_count
from bgsim.kernels.policy import choose
from bgsim.run.ledger import Ledger
from bgsim.run.local import LocalExecutor
from bgsim.run.plan import Plan, Root
from bgsim.run.runner import run_plan
from tests.kernels import replay
from tests.kernels.kernel_runs import records, roots, settings, single_trials
from tests.kernels.replay import Start, choose_at_random
from tests.oracle import BAR, START, side

ROOT = Root(parse("start"))


def totals_of(plan, workers, batch=None):
    ledger = Ledger(len(plan.roots))
    with LocalExecutor(workers) as executor:
        assert run_plan(plan, executor, ledger, batch=batch)
    return [(totals.sums, totals.products, totals.finished) for totals in ledger.totals]


# --- P01 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_P01_any_number_of_threads_gives_the_same_bits(policy):
    """The same seed twice, on 1, 2, 3 and 8 threads: dice come from counters, not from a thread's state."""
    plan = Plan(roots=(ROOT,), policy=policy, trials=600, seed=1)
    once = totals_of(plan, 1)
    assert totals_of(plan, 1) == once
    for workers in (2, 3, 8):
        assert totals_of(plan, workers, batch=40) == once


# --- P06 ------------------------------------------------------------------------------------------


def test_P06_four_workers_draw_different_dice_and_their_union_is_one_workers():
    """4,000 games of one seed in four tasks of 1,000, each played by a worker of its own at the same time."""
    plan = Plan(roots=(ROOT,), policy="random", trials=4_000, seed=6)
    together, played = threading.Barrier(4, timeout=60), {}

    def work(number):
        segment = np.array([(0, 1_000 * number, 1_000)], np.int64)
        task = BatchTask(
            plan.settings(), plan.two_policies, plan.kernel_roots(), 1, segment, np.zeros(1, np.int64)
        )
        together.wait()
        played[number] = run_batch(task).records

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    sums = [played[number]["sums"].tobytes() for number in range(4)]
    assert len(set(sums)) == 4  # no two drew the same numbers
    union = Ledger(1)
    for number in (2, 0, 3, 1):
        union.add(played[number])
    totals = union.totals[0]
    assert [(totals.sums, totals.products, totals.finished)] == totals_of(plan, 1)


def test_P06_no_two_trials_share_their_dice():
    """The first words of 4,000 trials, over four plies: all different, as the counters are."""
    words = {replay.block(6, ROOT.stream, trial, ply) for trial in range(4_000) for ply in range(4)}
    assert len(words) == 16_000


# --- P08 ------------------------------------------------------------------------------------------

L05 = "AACAkCRJqqoAAA"  # 2,220 results with 1-1


def test_P08_a_list_of_2220_results_is_indexed_to_its_end():
    """Beyond 127 and 255: each result once, and `random` reaches the first, the last and those between."""
    position = Position.from_gnubg_id(L05)
    boards = result_boards(pack([position])[0], (1, 1))
    assert len({unpack(board) for board in boards}) == count_results(position, (1, 1)) == 2_220
    results = np.zeros((MAX_RESULTS, 4), np.uint64)
    results[:2_220] = boards
    scores, before = np.zeros(MAX_RESULTS, np.int64), pack([position])[0]
    ready = players_of("random")
    player, evaluator = ready.players[0], ready.evaluator()
    for index in (0, 127, 128, 255, 256, 2_219):
        word = np.uint64(-(-index * 2**32 // 2_220))  # the least word that is mapped to it
        assert choose(player, before, results, 2_220, OUTCOME_VALUES, word, evaluator, scores) == index
    last = np.uint64(2**32 - 1)
    assert choose(player, before, results, 2_220, OUTCOME_VALUES, last, evaluator, scores) == 2_219


def test_P08_games_through_the_long_list_are_those_of_plain_python():
    start = Start(replay.as_tuples(Position.from_gnubg_id(L05)), roll=(1, 1))
    trials = range(3)
    games = list(replay.games(start, trials, (choose_at_random,) * 2))
    found = single_trials(settings(), start, trials)
    assert [(outcome, plies) for outcome, plies, _ in found] == [(g.outcome, g.plies) for g in games]


def test_P08_pip_counts_reach_375():
    board = pack([Position(side({BAR: 15}), side({BAR: 15}))])[0]
    assert pip_count(board[0], board[1]) == pip_count(board[2], board[3]) == 375


@pytest.mark.parametrize("first", [127, 2**15 - 2, 2**31 - 2, 2**32 - 2, 2**47, 2**48 - 5])
def test_P08_trial_numbers_do_not_wrap(first):
    """Trials either side of a power of two: their own dice, and their numbers in the record."""
    start = Start(START, stream=8)
    (record,) = records(settings(), roots(start), [(0, first, 5)])
    assert (int(record["first_trial"]), int(record["trials"])) == (first, 5)
    trials = range(first, first + 5)
    each = single_trials(settings(), start, trials)
    assert record["sums"][0, 7] == sum(plies for _, plies, _ in each)
    game = replay.play_out(start, first + 4, (choose_at_random,) * 2)
    assert each[4][:2] == (game.outcome, game.plies)
