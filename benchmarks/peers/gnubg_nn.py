"""The evaluator of GNU Backgammon as a Python module: its own play, and its lists of plays.

It has no random player, so its games are a reference of speed: its net beside bgsim's nets.
"""

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from benchmarks.corpus import ROLLS, corpus, start
from benchmarks.peers.contest import Contest, Peer, Work, bgsim_games, work_for
from benchmarks.peers.counts import CountCheck, Listed, Sides, compare, side_of
from benchmarks.peers.installed import load, version_of
from bgsim.core.position import Position
from bgsim.engine.boards import pack
from bgsim.engine.plays import legal_plays, result_boards

__all__ = ["check_counts", "contests", "describe"]

Asked = TypeVar("Asked")
Sided = list[list[int]]  # [opponent, mover], each points 1..24 and the bar from its own view

TIMED = slice(None, None, 10)  # of the contact positions
CHECKED = slice(None, None, 30)  # of every kind


def describe() -> Peer:
    return Peer(
        name="gnubg-nn",
        # Only pre-releases exist, and pip takes them for a bound that is one.
        requirement="pip install 'gnubg-nn>=1.1.0a11'",
        version=version_of("gnubg-nn"),
        lists="all distinct results",
        uses_both_dice=True,
        note="plays its neural net without look-ahead; bgsim plays its nets",
    )


def contests() -> tuple[Contest, ...]:
    """Games of either one's own policy, and lists of plays, a Python call a roll on both sides."""
    engine = load("gnubg_nn")
    timed = corpus()["nn"][TIMED]
    sided = [_sided(position) for position in timed]
    return (
        *(
            Contest(
                task=f"games by its net, bgsim by {policy}",
                unit="games",
                bgsim=bgsim_games(policy),
                peer=_NetGames(engine),
            )
            for policy in ("net", "net-fast")
        ),
        Contest(
            task="lists, a Python call a roll",
            unit="results",
            bgsim=_lists(list(pack(timed)), result_boards),
            peer=_lists(sided, lambda board, roll: engine.moves(board, *roll)),
        ),
        Contest(
            task="lists with checker moves",
            unit="results",
            bgsim=_lists(timed, legal_plays),
            peer=_lists(sided, lambda board, roll: engine.moves(board, *roll, 1)),
        ),
    )


class _NetGames:
    """The net against itself."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._random = random.Random(1)

    def __call__(self, seconds: float) -> Work:
        return work_for(seconds, self._game, lambda turns: (1, turns))

    def _game(self) -> int:
        """Play one game; returns its turns."""
        board, turns = _sided(start()), 0
        die1, die2 = self._random.sample(range(1, 7), 2)  # an opening roll is no double
        while True:
            turns += 1
            moves, key, *_ = self._engine.best_move(board, die1, die2, 0, b"X", 1, 0, 0) or ((), "")
            if moves:
                board = [list(side) for side in self._engine.board_from_position_key(key)]
                if not any(board[0]):  # the mover, whom the key shows as the opponent of the next
                    return turns
            else:
                board.reverse()
            die1, die2 = self._random.randint(1, 6), self._random.randint(1, 6)


def _lists(
    asked: Sequence[Asked], list_plays: Callable[[Asked, tuple[int, int]], Any]
) -> Callable[[float], Work]:
    """List the plays of all rolls again and again."""

    def lengths() -> list[int]:
        return [len(list_plays(position, roll)) for position in asked for roll in ROLLS]

    return partial(work_for, step=lengths, counted=lambda found: (sum(found), len(found)))


def check_counts() -> CountCheck:
    """The start and a share of the corpus, all 21 rolls of each."""
    engine = load("gnubg_nn")
    checked = [start(), *(p for positions in corpus().values() for p in positions[CHECKED])]
    return compare(_listed(engine, position, roll) for position in checked for roll in ROLLS)


def _listed(engine: Any, position: Position, roll: tuple[int, int]) -> Listed:
    keys = engine.moves(_sided(position), *roll)
    found = {_sides(engine.board_from_position_key(key)) for key in keys}
    return position, roll, found or {(position.on_roll, position.opponent)}


def _sided(position: Position) -> Sided:
    return [list(position.opponent[1:]), list(position.on_roll[1:])]


def _sides(board: tuple[tuple[int, ...], tuple[int, ...]]) -> Sides:
    """Both sides of a listed result: unlike that of `best_move`, its key is not turned."""
    opponent, mover = (side_of(side[:24], side[24]) for side in board)
    return mover, opponent
