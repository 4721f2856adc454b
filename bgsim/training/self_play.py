"""The unit of work of training: some games of one generation, with targets."""

import threading
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bgsim.core.errors import PlanError
from bgsim.core.notation import parse
from bgsim.engine.boards import pack
from bgsim.engine.estimates import new_scratch
from bgsim.engine.policies import players_by, players_of
from bgsim.engine.weights import Weights
from bgsim.kernels.self_play import MAX_GAME, Starts, record_games

__all__ = ["START_POSITIONS", "GameTask", "Lessons", "play_games", "starts_of"]

# Start positions besides the usual one, so that a net is sane wherever rule variants go.
START_POSITIONS = {
    "start": "start",
    "nackgammon": "nackgammon",
    "longgammon": "24:15 / 24:15",
    "hypergammon": "hypergammon",  # as a point list it would have twelve checkers borne off: no gammons
    "dutch": "bar:15 / bar:15",
    "race": "/ 1:1",  # a random race in its place
    "erratic": "start",  # after up to ERRATIC_PLIES plies in which either side may play at random
}
ERRATIC_PLIES = 100

_thread = threading.local()


@dataclass(frozen=True, slots=True)
class GameTask:
    """Games first_game up to end_game of a generation, played by its weights or by a teacher.

    Quick nets among them sort plays out first. teacher: name of a policy with nets that plays and judges
    instead.
    """

    seed: int
    generation: int
    first_game: int
    end_game: int
    weights: Weights
    starts: tuple[str, ...]  # names of START_POSITIONS, taken in turn
    lasting: float
    averaged_every: int
    teacher: str = ""


@dataclass(frozen=True, slots=True)
class Lessons:
    """Positions (uint64[n, 4], of the player who has just moved) and their targets (float32[n, 5])."""

    first_game: int
    boards: npt.NDArray[np.uint64]
    targets: npt.NDArray[np.float32]


def starts_of(names: tuple[str, ...]) -> Starts:
    """The kernels' view of start positions.

    Raises:
        PlanError: a name that is none.
    """
    for name in names:
        if name not in START_POSITIONS:
            raise PlanError(f"unknown start {name!r}; use: {', '.join(START_POSITIONS)}")
    states = [parse(START_POSITIONS[name]) for name in names]
    return Starts(
        boards=pack([state.position for state in states]),
        openings=np.array([state.opening for state in states], np.bool_),
        races=np.array([name == "race" for name in names], np.bool_),
        erratic_plies=np.array([ERRATIC_PLIES if name == "erratic" else 0 for name in names], np.int64),
    )


def play_games(task: GameTask) -> Lessons:
    """Play a task's games; the same task gives the same bytes anywhere."""
    ready = players_of(task.teacher) if task.teacher else players_by(task.weights)
    scratch = new_scratch(ready)
    boards, targets = _room((task.end_game - task.first_game) * MAX_GAME)
    rows = record_games(
        np.uint64(task.seed),
        np.uint64(task.generation),
        (task.first_game, task.end_game),
        starts_of(task.starts),
        ready.players[0],
        task.averaged_every,
        task.lasting,
        scratch,
        boards,
        targets,
    )
    return Lessons(task.first_game, boards[:rows].copy(), targets[:rows].copy())


def _room(rows: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]:
    """This thread's buffers, of at least so many rows."""
    kept = getattr(_thread, "room", None)
    if kept is None or len(kept[0]) < rows:
        kept = np.zeros((rows, 4), np.uint64), np.zeros((rows, 5), np.float32)
        _thread.room = kept
    return kept
