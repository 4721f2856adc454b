"""What a peer is, and how it is timed: work for a given CPU time, bgsim and the peer in turn."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from statistics import median
from typing import NamedTuple, TypeVar

from benchmarks.clock import cpu_seconds
from benchmarks.games import play_games

__all__ = ["Contest", "Heat", "Peer", "Work", "bgsim_games", "hold", "ratio", "work_for"]

Done = TypeVar("Done")

GAMES_A_CALL = 250  # of bgsim: about 10 ms, so that a run stops near its time


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """An engine to compare with, as far as it decides what its figures mean."""

    name: str
    requirement: str  # how to get it
    version: str | None  # None: not installed
    lists: str  # what it lists for a roll: all distinct results, sequences, a die at a time
    uses_both_dice: bool  # enforces "both dice if any sequence allows it"
    note: str = ""


class Work(NamedTuple):
    """What was done in some CPU seconds (user and system, all threads of the process)."""

    units: int
    rolls: int  # turns played, or rolls whose plays were listed; 0 where they are not known
    cpu_seconds: float


class Heat(NamedTuple):
    """One repeat: the same CPU time for either side, one after the other."""

    bgsim: Work
    peer: Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """One thing that both sides do; either works for about as many CPU seconds as it is told."""

    task: str
    unit: str  # plural
    bgsim: Callable[[float], Work]
    peer: Callable[[float], Work]


def work_for(seconds: float, step: Callable[[], Done], counted: Callable[[Done], tuple[int, int]]) -> Work:
    """Repeat a step for some CPU seconds; counting its units and rolls is left out of the time."""
    units = rolls = 0
    spent = 0.0
    while spent < seconds:
        began = cpu_seconds()
        done = step()
        spent += cpu_seconds() - began
        more_units, more_rolls = counted(done)
        units += more_units
        rolls += more_rolls
    return Work(units, rolls, spent)


def bgsim_games(policy: str) -> Callable[[float], Work]:
    """bgsim's side of a contest of full games, on one thread; every call goes on with new games."""
    calls = count()

    def play(seconds: float) -> Work:
        return work_for(
            seconds,
            lambda: play_games(policy, GAMES_A_CALL, first=GAMES_A_CALL * next(calls)),
            lambda played: (played.games, played.turns),
        )

    return play


def hold(contest: Contest, *, seconds: float, repeats: int) -> tuple[Heat, ...]:
    """Run a contest, bgsim and the peer by turns, after one short warming of each."""
    contest.bgsim(seconds / 10)
    contest.peer(seconds / 10)
    return tuple(Heat(contest.bgsim(seconds), contest.peer(seconds)) for _ in range(repeats))


def ratio(heats: tuple[Heat, ...], rate: Callable[[Work], float]) -> float:
    """Median over the repeats of bgsim's rate over the peer's: above 1, bgsim is faster."""
    return median(rate(heat.bgsim) / rate(heat.peer) for heat in heats)
