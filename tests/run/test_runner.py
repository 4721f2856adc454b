"""Carrying out a plan: tasks, the order of results, stopping, and the same bits from every way of running."""

from __future__ import annotations

import os
import random
import signal
import threading
import time

import numpy as np
import pytest

from bgsim.apps.rollout import run_rollout
from bgsim.core.errors import ExecutorError, PlanError
from bgsim.core.notation import parse
from bgsim.engine.batch import MAX_BATCH_TRIALS, run_batch
from bgsim.run.ledger import Ledger
from bgsim.run.local import LocalExecutor
from bgsim.run.plan import Plan, Root
from bgsim.run.runner import FIRST_BATCH, BatchSizer, Stop, beside, run_plan
from tests.columns import columns_of, rows_of

TEXTS = ("start", "nackgammon", "4HPwATDgc/ABMA:8AngAGAAEAAE", "6:5 5:5 4:5 / 6:5 5:5 4:5", "AQAABAAAAAAAAA")
ROOTS = tuple(Root(parse(text), f"position {number}") for number, text in enumerate(TEXTS))
PLAN = Plan(roots=ROOTS, policy="greedy", trials=250, seed=2026)


class Scripted:
    """An executor that keeps the tasks and answers as it is told: `order` arranges the tasks."""

    def __init__(self, order=iter, workers=2):
        self.workers = workers
        self.order = order
        self.tasks = []

    def map(self, function, tasks, cancelled):
        def noted():
            for task in tasks:
                self.tasks.append(task)
                yield task

        for task in self.order(noted()):
            if cancelled():
                return
            yield function(task)

    @property
    def played(self):
        """Groups and trials of every segment handed out."""
        return [
            (int(group), int(first), int(trials))
            for task in self.tasks
            for group, (_, first, trials) in zip(task.groups, task.segments, strict=True)
        ]


def state(ledger):
    return [(totals.sums, totals.products, totals.finished) for totals in ledger.totals]


def straight(plan=PLAN):
    ledger = Ledger(len(plan.roots))
    assert run_plan(plan, Scripted(), ledger)
    return ledger


# --- the same bits --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The table of one thread."""
    path = tmp_path_factory.mktemp("expected") / "x.parquet"
    run_rollout(PLAN, out=path, workers=1)
    return path


@pytest.mark.parametrize(
    "options",
    [
        {"workers": 1},
        {"workers": 2},
        pytest.param({"workers": 2, "batch": 1}, marks=pytest.mark.slow),
        pytest.param({"workers": 1, "batch": 7}, marks=pytest.mark.slow),
        {"workers": 2, "batch": 7},
        {"workers": 2, "batch": 1_000},
        {"workers": 5, "batch": 100},
    ],
    ids=str,
)
def test_threads_and_batches_never_change_a_bit(tmp_path, expected, options):
    run_rollout(PLAN, out=tmp_path / "x.parquet", **options)
    assert columns_of(tmp_path / "x.parquet") == columns_of(expected)


def test_the_order_of_the_positions_never_changes_a_row(tmp_path, expected):
    shuffled = list(ROOTS)
    random.Random(3).shuffle(shuffled)
    assert shuffled != list(ROOTS)
    plan = Plan(roots=tuple(shuffled), policy="greedy", trials=250, seed=2026)
    run_rollout(plan, out=tmp_path / "x.parquet", batch=90)
    assert rows_of(tmp_path / "x.parquet") == rows_of(expected)


def test_a_position_alone_gives_the_row_it_gives_among_others(tmp_path, expected):
    run_rollout(Plan(roots=ROOTS[2:3], policy="greedy", trials=250, seed=2026), out=tmp_path / "x.parquet")
    assert rows_of(tmp_path / "x.parquet").items() <= rows_of(expected).items()


def shuffled(tasks):
    kept = list(tasks)
    random.Random(8).shuffle(kept)
    return kept


@pytest.mark.parametrize("order", [lambda tasks: reversed(list(tasks)), shuffled], ids=["back", "shuffled"])
def test_results_may_come_in_any_order(order):
    ledger = Ledger(len(ROOTS))
    assert run_plan(PLAN, Scripted(order), ledger, batch=33)
    assert state(ledger) == state(straight())


def test_another_seed_gives_another_table(tmp_path, expected):
    run_rollout(Plan(roots=ROOTS, policy="greedy", trials=250, seed=2027), out=tmp_path / "x.parquet")
    assert columns_of(tmp_path / "x.parquet")["equity"] != columns_of(expected)["equity"]


# --- tasks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "batch", [pytest.param(1, marks=pytest.mark.slow), 7, 249, 250, 251, 600, 1_000, 5_000]
)
def test_tasks_hold_every_trial_once_and_as_many_as_asked(batch):
    executor = Scripted()
    assert run_plan(PLAN, executor, Ledger(len(ROOTS)), batch=batch)
    trials = sorted((g, t) for g, first, n in executor.played for t in range(first, first + n))
    assert trials == [(g, t) for g in range(len(ROOTS)) for t in range(250)]
    sizes = [int(task.segments[:, 2].sum()) for task in executor.tasks]
    assert set(sizes[:-1]) <= {batch}
    assert sizes[-1] <= batch


def test_a_task_carries_only_the_roots_that_it_needs():
    executor = Scripted()
    run_plan(PLAN, executor, Ledger(len(ROOTS)), batch=300)
    assert [len(task.roots.boards) for task in executor.tasks] == [2, 2, 2, 2, 1]
    assert [task.groups.tolist() for task in executor.tasks] == [[0, 1], [1, 2], [2, 3], [3, 4], [4]]


def test_tasks_are_made_only_when_they_are_asked_for():
    """A plan of a million batches costs no memory."""
    plan = Plan(roots=ROOTS[:1], policy="greedy", trials=10**12)
    stop, executor = Stop(), Scripted()
    run_plan(plan, executor, Ledger(1), batch=3, stop=stop, listener=lambda _: stop.request())
    assert len(executor.tasks) <= 2


def test_sizes_follow_the_speed():
    sizer = BatchSizer(None, workers=2)
    assert sizer.size(10**9) == FIRST_BATCH == 64
    sizer.learn(100, 0.1)  # a thousand a second: 0.3 s of work
    assert sizer.size(10**9) == 300
    sizer.learn(4_000, 1.0)
    assert 300 < sizer.size(10**9) < 1_200
    for _ in range(50):
        sizer.learn(10**9, 0.001)
    assert sizer.size(10**12) == MAX_BATCH_TRIALS
    assert sizer.size(400) == 100  # near the end, so that two workers end together
    for _ in range(100):
        sizer.learn(1, 100.0)
    assert sizer.size(10**9) == 1  # however slow, a task is at least one trial


def test_a_task_that_took_no_time_teaches_nothing():
    sizer = BatchSizer(None, workers=1)
    sizer.learn(10, 0.0)
    sizer.learn(0, 1.0)
    assert sizer.size(10**9) == FIRST_BATCH


@pytest.mark.parametrize("batch", [0, -1, MAX_BATCH_TRIALS + 1, 10**30])
def test_impossible_batches_are_refused(batch):
    with pytest.raises(PlanError, match=f"batch is {batch}: a whole number from 1 to {MAX_BATCH_TRIALS}"):
        run_plan(PLAN, Scripted(), Ledger(len(ROOTS)), batch=batch)


def test_the_listener_hears_of_every_trial_once():
    heard = []
    run_plan(PLAN, Scripted(), Ledger(len(ROOTS)), batch=40, listener=heard.append)
    assert sum(heard) == 250 * len(ROOTS)
    assert set(heard[:-1]) == {40}


# --- stopping and going on ------------------------------------------------------------------------


def test_what_is_finished_is_not_played_again():
    ledger, stop, first = Ledger(len(ROOTS)), Stop(), Scripted()
    heard = []

    def stop_later(trials):
        heard.append(trials)
        if sum(heard) > 400:
            stop.request()

    assert not run_plan(PLAN, first, ledger, batch=50, stop=stop, listener=stop_later)
    assert ledger.trials() == sum(heard) == 450
    rest = Scripted()
    assert run_plan(PLAN, rest, ledger, batch=50)
    assert sum(n for _, _, n in rest.played) == 250 * len(ROOTS) - 450
    assert not set(rest.played) & set(first.played[:9])
    assert state(ledger) == state(straight())


def test_a_finished_plan_asks_for_nothing():
    ledger, again = straight(), Scripted()
    assert run_plan(PLAN, again, ledger)
    assert again.tasks == []


def test_a_stop_before_the_beginning_plays_nothing():
    stop, executor = Stop(), Scripted()
    stop.request()
    ledger = Ledger(len(ROOTS))
    assert not run_plan(PLAN, executor, ledger, stop=stop)
    assert ledger.trials() == 0


def test_a_stop_reaches_a_kernel_at_work():
    """A batch that would take minutes ends after the trial in play, and its finished trials count."""
    plan = Plan(roots=ROOTS[:1], policy="greedy", trials=MAX_BATCH_TRIALS)
    run_batch(  # compiled before the clock is set
        next(iter(_tasks(plan, 1)))
    )
    stop, ledger = Stop(), Ledger(1)
    timer = threading.Timer(0.1, stop.request)
    timer.start()
    with LocalExecutor(1) as executor:
        finished = run_plan(plan, executor, ledger, batch=MAX_BATCH_TRIALS, stop=stop)
    timer.join()
    assert not finished
    assert 0 < ledger.trials() < MAX_BATCH_TRIALS
    done = ledger.trials()
    whole = Ledger(1)
    run_plan(Plan(roots=ROOTS[:1], policy="greedy", trials=done), Scripted(), whole)
    assert state(whole) == state(ledger)


def _tasks(plan, trials):
    executor = Scripted()
    run_plan(Plan(roots=plan.roots, policy="greedy", trials=trials), executor, Ledger(len(plan.roots)))
    return executor.tasks


class Store:
    """Stands for parts on a disk: counts flushes."""

    def __init__(self):
        self.added, self.flushed = 0, 0

    def add(self, records):
        self.added += int(np.sum(records["trials"]))

    def flush(self):
        self.flushed += 1


def test_an_error_keeps_what_was_finished_and_stops_the_rest():
    class Breaks(Scripted):
        def map(self, function, tasks, cancelled):
            results = super().map(function, tasks, cancelled)
            yield next(results)
            raise ExecutorError("the workers are gone")

    store, stop = Store(), Stop()
    with pytest.raises(ExecutorError, match="the workers are gone"):
        run_plan(PLAN, Breaks(), Ledger(len(ROOTS)), batch=10, store=store, stop=stop)
    assert (store.added, store.flushed) == (10, 1)
    assert stop.requested()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_becomes_a_stop_and_a_second_one_acts_as_usual(number):
    usual = []
    before = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(number, lambda n, frame: usual.append(n))
    try:
        stop = Stop()
        with stop.on_signals():
            os.kill(os.getpid(), number)
            time.sleep(0.01)
            assert stop.requested()
            assert usual == []
            os.kill(os.getpid(), number)
            time.sleep(0.01)
            assert usual == [number]
        os.kill(os.getpid(), number)
        time.sleep(0.01)
        assert usual == [number, number]  # as it was before
    finally:
        for n, handler in before.items():
            signal.signal(n, handler)


def test_a_run_in_another_thread_leaves_the_signals_alone():
    handler = signal.getsignal(signal.SIGINT)
    seen = []

    def work():
        run_plan(
            Plan(roots=ROOTS[:1], policy="greedy", trials=10),
            Scripted(),
            Ledger(1),
            listener=lambda _: seen.append(signal.getsignal(signal.SIGINT)),
        )

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [handler]


# --- beside ---------------------------------------------------------------------------------------


def test_beside_gives_back_what_the_work_gave():
    here = threading.get_ident()
    assert beside(lambda: (threading.get_ident() != here, 3)) == (True, 3)


def test_beside_raises_what_the_work_raised():
    def fails():
        raise PlanError("cannot be")

    with pytest.raises(PlanError, match="cannot be"):
        beside(fails)


def test_an_interrupt_does_not_wait_for_the_work():
    """R20: what is compiled or played beside cannot hold Ctrl-C up."""
    over = threading.Event()
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        beside(lambda: over.wait(60))
    assert not over.is_set()
    over.set()
    timer.join()
