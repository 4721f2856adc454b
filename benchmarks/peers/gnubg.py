"""GNU Backgammon itself, as the system's package: plain cubeless rollouts without look-ahead.

It runs as a process of its own. Its start takes longer than many trials, so a heat is the difference of a
long run and a short one.
"""

import re
import shutil
import subprocess
import tempfile
from itertools import count
from pathlib import Path

from benchmarks.clock import children_cpu_seconds
from benchmarks.games import play_records
from benchmarks.peers.contest import Contest, Peer, Work, work_for
from bgsim.kernels.playout import OUTCOMES
from bgsim.kernels.rollout import PLIES

__all__ = ["check_counts", "contests", "describe"]

POSITION = "sGfwATDgc/ABMA"  # the start after 3-1: 8/5 6/5, the opponent to roll
FEW = 36  # trials of the short run
GUESS = 300  # trials a second, to choose the length of a run by
BGSIM_TRIALS = 250

SETTINGS = """\
set confirm new off
set confirm default yes
set automatic game off
set automatic roll off
set player 0 human
set player 1 human
set threads 1
new match 0
set jacoby off
set board {position}
set turn 0
set rollout trials {trials}
set rollout seed {seed}
set rollout varredn off
set rollout cubeful off
set rollout quasirandom on
set rollout jsd stop off
set rollout truncation enable off
set rollout bearofftruncation exact off
set rollout bearofftruncation onesided off
rollout
"""


def describe() -> Peer:
    return Peer(
        name="gnubg",
        requirement="the Debian package gnubg",
        version=_version(),
        lists="not asked",
        uses_both_dice=True,
        note="0-ply with its pruning nets, to the end of each game",
    )


def contests() -> tuple[Contest, ...]:
    """Trials from the same position, each by its own net."""
    return (
        Contest(
            task="plain 0-ply rollout after 3-1, bgsim by net",
            unit="trials",
            bgsim=_bgsim_trials,
            peer=_GnubgTrials(),
        ),
    )


def check_counts() -> None:
    """It lists no plays for us."""


def _program() -> str | None:
    return shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")


def _version() -> str | None:
    program = _program()
    if program is None:
        return None
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\d+\.\d+\.\d+", said)
    return found[0] if found else None


class _GnubgTrials:
    """Rollouts by gnubg; every call has a seed of its own."""

    def __init__(self) -> None:
        self._seeds = count(1)

    def __call__(self, seconds: float) -> Work:
        trials = FEW * (1 + max(1, round(seconds * GUESS / FEW)))
        seed = next(self._seeds)
        spent = self._seconds(trials, seed) - self._seconds(FEW, seed)
        return Work(trials - FEW, 0, max(spent, 1e-3))

    def _seconds(self, trials: int, seed: int) -> float:
        """CPU seconds of a whole process."""
        program = _program()
        if program is None:
            raise ImportError("gnubg went away")
        with tempfile.TemporaryDirectory() as folder:
            commands = Path(folder) / "commands"
            commands.write_text(SETTINGS.format(position=POSITION, trials=trials, seed=seed))
            began = children_cpu_seconds()
            done = subprocess.run(
                [program, "-t", "-q", "-c", str(commands)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=True,
            )
            spent = children_cpu_seconds() - began
        # What it prints of a rollout it prints to a terminal alone; that it was one, it says here.
        if f"{trials} games will be played" not in done.stdout or "Rollout done" not in done.stdout:
            raise ImportError("gnubg did not roll out")
        return spent


def _bgsim_trials(seconds: float) -> Work:
    calls = count()

    def step() -> tuple[int, int]:
        sums = play_records("net", BGSIM_TRIALS, first=BGSIM_TRIALS * next(calls), position=POSITION)["sums"]
        return int(sums[0, 0, :OUTCOMES].sum()), int(sums[0, 0, PLIES])

    return work_for(seconds, step, lambda done: done)
