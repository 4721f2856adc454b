"""Speed on this machine: one thread, CPU time, best of five after warming."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from bgsim.core.notation import parse
from bgsim.core.position import Position
from bgsim.engine.batch import BatchTask, run_batch
from bgsim.engine.boards import pack
from bgsim.engine.plays import count_boards, expand
from bgsim.engine.policies import count_ranked
from bgsim.run.plan import Plan, Root

__all__ = ["run_bench"]

REPEATS = 5
GAMES = 10_000
NET_GAMES = 1_000
ROLL_ROUNDS = 20
PERFT_3 = 116_154_993  # source: tests/plays/test_perft.py
CONTACT_RESULTS = 261_116  # results over the 12,600 rolls of the contact positions, a lost turn being one
LOST_TURNS = 1_986  # of these rolls


def run_bench() -> dict[str, float]:
    """Return every figure by name."""
    return {
        "legal_plays_per_s": _legal_plays(),
        "rolls_per_s": _rolls(),
        "random_games_per_s": _games("random", GAMES),
        "greedy_games_per_s": _games("greedy", GAMES),
        "net_evals_per_s": _evaluations("net"),
        "net_games_per_s": _games("net", NET_GAMES),
        "warm_start_s": _warm_start(),
        "cold_compile_s": _cold_compile(),
    }


def _best(work: Callable[[], int], expected: int) -> float:
    """Best rate, in units of work a CPU second; the count is checked each time."""
    best = 0.0
    for _ in range(REPEATS + 1):  # the first warms
        started = time.process_time()
        count = work()
        seconds = time.process_time() - started
        if count != expected:
            raise AssertionError(f"counted {count}, not {expected}")
        best = max(best, count / seconds)
    return best


def _legal_plays() -> float:
    """Results listed a second in perft 3 from the start."""
    boards = expand(expand(pack([parse("start").position])))
    return _best(lambda: count_boards(boards), PERFT_3)


def _contact_boards() -> npt.NDArray[np.uint64]:
    lines = files("bgsim.apps").joinpath("bench_positions.txt").read_text().splitlines()
    return pack([Position.from_gnubg_id(line) for line in lines if not line.startswith("#")])


def _rolls() -> float:
    """Rolls a second whose results are listed, over the contact positions x 21 rolls."""
    boards = _contact_boards()
    many = np.concatenate([boards] * ROLL_ROUNDS)
    results = CONTACT_RESULTS * ROLL_ROUNDS
    return _best(lambda: count_boards(many), results) * len(boards) * 21 / CONTACT_RESULTS


def _evaluations(policy: str) -> float:
    """Distinct results ranked a second, over the contact positions x 21 rolls."""
    boards = _contact_boards()
    return _best(lambda: count_ranked(policy, boards), CONTACT_RESULTS - LOST_TURNS)


def _games(policy: str, games: int) -> float:
    """Full games a second from the start."""
    plan = Plan(roots=(Root(parse("start")),), policy=policy, trials=games, settle=False)
    task = BatchTask(
        settings=plan.settings(),
        policies=plan.two_policies,
        roots=plan.kernel_roots(),
        group_size=1,
        segments=np.array([[0, 0, games]], np.int64),
        groups=np.zeros(1, np.int64),
    )
    return _best(lambda: int(run_batch(task).records["sums"][0, 0, :7].sum()), games)


def _seconds(command: list[str], environment: dict[str, str]) -> float:
    """Wall seconds of a command as a whole process."""
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "bgsim", *command],
        check=True,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return time.perf_counter() - started


def _warm_start() -> float:
    """A whole `bgsim rollout start --trials 1296` with a filled cache."""
    return min(_seconds(["rollout", "start", "--trials", "1296"], {}) for _ in range(REPEATS))


def _cold_compile() -> float:
    """The same with an empty cache."""
    with tempfile.TemporaryDirectory() as empty:
        return _seconds(["rollout", "start", "--trials", "1296"], {"BGSIM_CACHE_DIR": empty})
