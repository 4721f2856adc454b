"""Engines from outside that can sit at the table, and the Python loop that asks them play by play.

The dice are those of a rollout of the same position and seed, so a bgsim policy in this loop plays the very
games that the kernels play.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bgsim.core.errors import PolicyError
from bgsim.core.outcome import OUTCOME_POINTS, finished_outcome
from bgsim.core.position import Position
from bgsim.engine.boards import pack, unpack
from bgsim.engine.plays import result_boards
from bgsim.engine.policies import OUTCOME_VALUES, players_of
from bgsim.kernels.board import is_over
from bgsim.kernels.dice import PLAY, below, block, dice_of
from bgsim.kernels.policy import choose
from bgsim.run.plan import Root

__all__ = ["OUTSIDE", "Chooser", "make_chooser", "play_pair"]

Board = npt.NDArray[np.uint64]  # uint64[4], see bgsim.kernels.board
Boards = npt.NDArray[np.uint64]  # uint64[n, 4]

OUTSIDE = ("gnubg-nn", "bgsage")  # names of policies that need the extra `peers`


class Chooser(Protocol):
    """Somebody who makes plays."""

    def choose(self, before: Board, roll: tuple[int, int], results: Boards, word: int) -> int:
        """Row of the result chosen.

        before: uint64[4], results: uint64[n, 4], the mover's view. word: 32 random bits of this ply.
        """


class PolicyChooser:
    """A policy of bgsim."""

    def __init__(self, name: str) -> None:
        ready = players_of(name)
        self._player, self._evaluator = ready.players[0], ready.evaluator()

    def choose(self, before: Board, roll: tuple[int, int], results: Boards, word: int) -> int:
        """As the kernels choose."""
        n = len(results)
        scores = np.zeros(n, np.int64)
        return choose(
            self._player, before, results, n, OUTCOME_VALUES, np.uint64(word), self._evaluator, scores
        )


class GnubgNn:
    """The evaluator of GNU Backgammon (PyPI `gnubg-nn`), without look-ahead."""

    def __init__(self) -> None:
        self._engine = _outside("gnubg_nn", "gnubg-nn")

    def choose(self, before: Board, roll: tuple[int, int], results: Boards, word: int) -> int:
        """Its best play."""
        position = unpack(before)
        sides = [list(position.opponent[1:]), list(position.on_roll[1:])]
        _, key, *_ = self._engine.best_move(sides, *roll, 0, b"X", 1, 0, 0)
        mover, other = self._engine.board_from_position_key(key)  # turned: the mover comes first
        return _row_of(_with_off(mover, position.on_roll), _with_off(other, position.opponent), results)


class Bgsage:
    """The nets of bgsage (PyPI `bgsage`), without look-ahead, which it calls 1-ply."""

    def __init__(self) -> None:
        self._analyzer = _outside("bgsage", "bgsage").create_analyzer("1ply", cubeful=False)

    def choose(self, before: Board, roll: tuple[int, int], results: Boards, word: int) -> int:
        """Its best play."""
        position = unpack(before)
        own, enemy = position.on_roll, position.opponent
        # Points 1 to 24 from the mover's side, the opponent's checkers negative; 25 his bar, 0 the other's.
        signed = [enemy[25], *(own[point] - enemy[25 - point] for point in range(1, 25)), own[25]]
        after = self._analyzer.checker_play(signed, *roll, jacoby=False).moves[0].board
        mover = [*(max(after[point], 0) for point in range(1, 25)), after[25]]
        other = [*(max(-after[25 - point], 0) for point in range(1, 25)), after[0]]
        return _row_of(_with_off(mover, own), _with_off(other, enemy), results)


def _with_off(points: Sequence[int], before: Sequence[int]) -> tuple[int, ...]:
    """Checkers on the points 1 to 24 and the bar, preceded by those borne off."""
    return sum(before) - sum(points), *points


def _row_of(mover: tuple[int, ...], other: tuple[int, ...], results: Boards) -> int:
    """Row of a result among the legal ones."""
    rows = np.flatnonzero((results == pack([Position(mover, other)])[0]).all(axis=1))
    if len(rows) != 1:
        raise PolicyError(f"a play that is not legal led to {Position(mover, other).gnubg_id}")
    return int(rows[0])


def _outside(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise PolicyError(f"{package} is not installed: pip install 'bgsim[peers]'") from None


def make_chooser(name: str) -> Chooser:
    """Return the policy of that name, one of bgsim's or of OUTSIDE.

    Raises:
        PolicyError: there is none, or its package is not installed.
    """
    if name == "gnubg-nn":
        return GnubgNn()
    if name == "bgsage":
        return Bgsage()
    return PolicyChooser(name)


def play_pair(choosers: tuple[Chooser, Chooser], root: Root, seed: int, trial: int) -> int:
    """Play one trial of a root in both seatings; returns the points of both games together, first's side."""
    one, other = choosers
    return play_trial((one, other), root, seed, trial) - play_trial((other, one), root, seed, trial)


def play_trial(choosers: tuple[Chooser, Chooser], root: Root, seed: int, trial: int) -> int:
    """Play one trial to its end; returns the points of the player on roll at its beginning."""
    board, seat, ply = pack([root.state.position])[0], 0, 0
    while not is_over(board):
        words = block(np.uint64(seed), np.uint64(root.stream), np.uint64(trial), np.uint64(ply), PLAY)
        first = root.state.opening and ply == 0
        given = root.state.roll if ply == 0 else None
        roll = given or dice_of(below(np.uint64(words[0]), 30 if first else 36), first)
        results = result_boards(board, roll)
        if len(results):
            several = len(results) > 1
            row = choosers[seat].choose(board, roll, results, int(words[1])) if several else 0
            board = results[row]
        board, seat, ply = board[[2, 3, 0, 1]], 1 - seat, ply + 1
    points = OUTCOME_POINTS[finished_outcome(unpack(board))]
    return points if seat == 0 else -points
