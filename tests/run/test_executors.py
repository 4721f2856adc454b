"""Executors: threads and Ray workers, which know `map` and nothing of the game."""

from __future__ import annotations

import os
import socket
import threading
import time

import pytest

from bgsim.core.errors import BgsimError, ExecutorError, PlanError
from bgsim.core.notation import parse
from bgsim.run.executor import EXECUTORS, make_executor
from bgsim.run.ledger import Ledger
from bgsim.run.local import QUEUED_PER_WORKER, LocalExecutor, usable_cores
from bgsim.run.plan import Plan, Root
from bgsim.run.provenance import build
from bgsim.run.ray import RayExecutor
from bgsim.run.runner import run_plan
from tests.children import run_bgsim


def never():
    return False


class Counted:
    """Tasks that count how many were asked for, and how many of them are not yet answered."""

    def __init__(self, tasks):
        self._tasks = iter(tasks)
        self.asked, self.answered, self.most = 0, 0, 0

    def __iter__(self):
        return self

    def __next__(self):
        task = next(self._tasks)
        self.asked += 1
        self.most = max(self.most, self.asked - self.answered)
        return task


# Functions that Ray workers find by their name in this module.


def squared(number):
    return number * number


def slow_first(number):
    if number == 0:
        time.sleep(5.0)  # far longer than a loaded machine keeps the others waiting
    return number


def asleep(seconds):
    time.sleep(seconds)
    return os.getpid()


def refuses(number):
    if number == 3:
        raise PlanError(f"{number} cannot be")
    return number


def divides(number):
    return 1 // number


def dies(number):
    if number == 3:
        os._exit(1)
    return number


# --- both -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ray_workers(ray_head):
    """Two workers of a Ray that runs already."""
    with RayExecutor(2, ray_head) as executor:
        yield executor


@pytest.fixture(params=["local", pytest.param("ray", marks=pytest.mark.slow)])
def executor(request):
    """Two workers of each kind."""
    if request.param == "ray":
        yield request.getfixturevalue("ray_workers")
        return
    with LocalExecutor(2) as found:
        yield found


def test_map_answers_every_task(executor):
    assert sorted(executor.map(squared, range(20), never)) == [n * n for n in range(20)]
    assert list(executor.map(squared, [], never)) == []


def test_few_tasks_are_on_their_way_at_once(executor):
    """Tasks are made when a worker will soon be free: 4 of 40 at most are made and not answered."""
    tasks = Counted(range(40))
    for _ in executor.map(squared, tasks, never):
        tasks.answered += 1
    assert tasks.asked == 40
    assert 2 <= tasks.most <= 2 * QUEUED_PER_WORKER


@pytest.mark.slow
def test_results_come_as_they_are_ready(executor):
    assert list(executor.map(slow_first, range(4), never))[-1] == 0


def test_a_mistake_in_a_worker_is_the_same_one_here(executor):
    """One sentence, not the worker's traceback; and the executor goes on to work."""
    with pytest.raises(PlanError) as caught:
        list(executor.map(refuses, range(6), never))
    assert type(caught.value) is PlanError
    assert str(caught.value) == "3 cannot be"
    assert list(executor.map(squared, [5], never)) == [25]


def test_any_other_error_in_a_thread_is_that_error():
    with LocalExecutor(2) as executor, pytest.raises(ZeroDivisionError):
        list(executor.map(divides, [1, 0], never))


@pytest.mark.slow
def test_any_other_error_in_a_ray_worker_is_a_sentence(ray_workers):
    with pytest.raises(ExecutorError) as caught:
        list(ray_workers.map(divides, [1, 0], never))
    said = str(caught.value)
    assert said.startswith("a Ray worker failed: ZeroDivisionError: ")
    assert build() in said
    assert "\n" not in said


def test_a_cancel_before_the_start_asks_for_nothing(executor):
    tasks = Counted(range(5))
    assert list(executor.map(squared, tasks, lambda: True)) == []
    assert tasks.asked == 0


def test_a_cancel_asks_for_no_more(executor):
    tasks, answers = Counted(range(1_000)), []
    for answer in executor.map(squared, tasks, lambda: len(answers) >= 3):
        answers.append(answer)
        tasks.answered += 1
    assert 3 <= len(answers) <= 3 + 2 * QUEUED_PER_WORKER
    assert len(answers) <= tasks.asked <= 3 + 2 * QUEUED_PER_WORKER


def test_prepare_runs_before_the_work(executor):
    executor.prepare(os.getpid)
    with pytest.raises(PlanError):
        executor.prepare(_fails)


def _fails():
    raise PlanError("not ready")


# --- threads --------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
def test_so_many_threads_work_at_once(workers):
    together = threading.Barrier(workers, timeout=20)
    with LocalExecutor(workers) as executor:
        ranks = list(executor.map(lambda _: together.wait(), range(workers), never))
    assert sorted(ranks) == list(range(workers))
    assert executor.workers == workers


def test_one_thread_takes_one_task_at_a_time():
    at_work, most = [], []

    def work(number):
        at_work.append(number)
        most.append(len(at_work))
        time.sleep(0.001)
        at_work.remove(number)

    with LocalExecutor(1) as executor:
        list(executor.map(work, range(10), never))
    assert set(most) == {1}


def test_threads_by_default_are_the_cores_of_this_process():
    with LocalExecutor() as executor:
        assert executor.workers == usable_cores() == len(os.sched_getaffinity(0))


def test_threads_are_gone_afterwards():
    before = threading.active_count()
    with LocalExecutor(4) as executor:
        list(executor.map(squared, range(8), never))
    assert threading.active_count() == before


# --- choosing -------------------------------------------------------------------------------------


def test_there_are_two():
    assert EXECUTORS == ("local", "ray")
    assert isinstance(make_executor("local"), LocalExecutor)
    assert isinstance(make_executor("ray"), RayExecutor)  # starts nothing yet
    assert make_executor("ray", workers=7).workers == 7


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("rya",), "unknown executor 'rya' (did you mean 'ray'?); use one of: local, ray"),
        (("dask",), "unknown executor 'dask'; use one of: local, ray"),
        (("local", 0), "0 workers cannot be: a whole number from 1 to 100000 is allowed"),
        (("ray", -2), "-2 workers cannot be: a whole number from 1 to 100000 is allowed"),
        (("local", 10**9), "1000000000 workers cannot be: a whole number from 1 to 100000 is allowed"),
        (("local", 2, "h:1"), "--address h:1 is for the ray executor: add --executor ray"),
    ],
)
def test_what_cannot_be_is_refused(arguments, sentence):
    name, workers, address = (*arguments, None, None)[:3]
    with pytest.raises(ExecutorError) as caught:
        make_executor(name, workers=workers, address=address)
    assert str(caught.value) == sentence


# --- addresses where there is no Ray --------------------------------------------------------------


@pytest.fixture
def listener():
    """A port of this machine that answers every caller with some bytes, or with silence."""
    opened = []

    def open_port(answer):
        server = socket.create_server(("127.0.0.1", 0))

        def serve():
            try:
                while True:
                    caller, _ = server.accept()
                    opened.append(caller)
                    caller.sendall(answer)
                    if answer:
                        caller.shutdown(socket.SHUT_WR)
            except OSError:
                pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        opened.append(server)
        return f"127.0.0.1:{server.getsockname()[1]}"

    yield open_port
    for found in opened:
        found.close()


def refusal(address):
    with pytest.raises(ExecutorError) as caught, RayExecutor(1, address):
        raise AssertionError("connected")
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "localhost",
        ":6379",
        "localhost:",
        "localhost:x",
        "127.0.0.1:0",
        "127.0.0.1:65536",
        "local",
        "ray://",
    ],
)
def test_what_is_no_address(address):
    assert refusal(address) == f"{address!r} is no Ray address: use HOST:PORT, ray://HOST:PORT or auto"


def test_nothing_listens_there():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    for address in (f"127.0.0.1:{port}", f"localhost:{port}", f"ray://127.0.0.1:{port}"):
        assert refusal(address).startswith(f"no Ray cluster answers at {address}: ")


@pytest.mark.parametrize("host", ["no.such.host.invalid", "a..b", "x" * 300])
def test_no_such_host(host):
    assert refusal(f"{host}:6379").startswith(f"no Ray cluster answers at {host}:6379: ")


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-x\r\n", b"\0"])
def test_something_else_listens_there(listener, answer):
    """Ray itself would try for two minutes and write a page of warnings."""
    address = listener(answer)
    assert refusal(address) == f"what answers at {address} is no Ray cluster: give the address of its head"


def test_silence_is_no_answer(listener, monkeypatch):
    monkeypatch.setattr("bgsim.run.ray.CONNECT_SECONDS", 0.2)
    address = listener(b"")
    assert refusal(address) == f"no Ray cluster answers at {address}: timed out"


# --- Ray ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_ray_tasks_run_in_other_processes(ray_workers):
    pids = set(ray_workers.map(asleep, [0.2] * 6, never))
    assert os.getpid() not in pids
    assert len(pids) == 2


@pytest.mark.slow
def test_workers_of_a_cluster_are_its_cores(ray_workers, ray_head):
    """The fixture's connection is used: one process has one connection to Ray."""
    assert ray_workers._ray.cluster_resources()["CPU"] == 2
    done = run_bgsim(
        "rollout", "start", "--trials", "50", "--executor", "ray", "--address", ray_head, "--json"
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_a_batch_that_always_ends_its_worker_is_given_up(ray_workers, capfd, monkeypatch):
    """After the retries; in one sentence, and without Ray's pages of it on stdout."""
    monkeypatch.setattr("bgsim.run.ray.MAX_RETRIES", 1)  # each costs a new worker, two seconds
    with pytest.raises(ExecutorError) as caught:
        list(ray_workers.map(dies, range(6), never))
    sentence = str(caught.value)
    assert sentence.startswith("a batch ended its worker 2 times and was given up")
    assert "\n" not in sentence
    assert isinstance(caught.value, BgsimError)
    time.sleep(1.0)  # Ray tells of the deaths a little later
    assert capfd.readouterr() == ("", "")
    assert list(ray_workers.map(squared, [3], never)) == [9]


@pytest.mark.slow
@pytest.mark.parametrize("batch", [7, 1_000, None])
def test_ray_workers_give_the_bits_of_threads(ray_workers, batch):
    plan = Plan(roots=(Root(parse("start")), Root(parse("nackgammon"))), trials=700, seed=12)

    def totals(executor, batch):
        ledger = Ledger(2)
        assert run_plan(plan, executor, ledger, batch=batch)
        return [(found.sums, found.products, found.finished) for found in ledger.totals]

    with LocalExecutor(1) as thread:
        assert totals(ray_workers, batch) == totals(thread, None)
