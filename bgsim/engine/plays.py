"""Legal plays of a position, and counts of them."""

import threading
from collections.abc import Iterable

import numpy as np

from bgsim.core.errors import PlanError, PositionError, RollError
from bgsim.core.numbers import whole_within
from bgsim.core.play import CheckerMove, Play
from bgsim.core.position import Position
from bgsim.engine.boards import Boards, pack, unpack_all
from bgsim.kernels.board import MAX_RESULTS
from bgsim.kernels.plays import count_next, list_legal, next_boards
from bgsim.kernels.routes import find_routes

__all__ = ["count_boards", "count_results", "expand", "legal_plays", "perft", "result_boards"]

MAX_DEPTH = 100  # plies of perft; nobody lives to see the end of it
PERFT_CHUNK = 256  # boards expanded at a time: bounds memory at any depth

_thread = threading.local()


def _scratch() -> Boards:
    """This thread's buffer for one list of results."""
    if not hasattr(_thread, "results"):
        _thread.results = np.zeros((MAX_RESULTS, 4), dtype=np.uint64)
    results: Boards = _thread.results
    return results


def check_roll(roll: Iterable[int]) -> tuple[int, int]:
    """Return the roll as two dice.

    Raises:
        RollError: anything but two whole numbers from 1 to 6.

    >>> check_roll([6, 3])
    (6, 3)
    """
    dice = tuple(roll) if isinstance(roll, Iterable) else ()
    if len(dice) != 2 or not all(_is_die(die) for die in dice):
        raise RollError(f"roll {roll!r} is not two dice from 1 to 6, such as (6, 3)")
    return int(dice[0]), int(dice[1])


def _is_die(die: object) -> bool:
    return isinstance(die, int | np.integer) and not isinstance(die, bool) and bool(1 <= die <= 6)


def _check_position(position: object) -> Position:
    """Return it if it is a Position, else raise PositionError: a state or a text may be meant."""
    if not isinstance(position, Position):
        raise PositionError(
            f"plays are those of a Position (such as state.position), not {type(position).__name__}"
        )
    return position


def result_boards(board: Boards, roll: tuple[int, int]) -> Boards:
    """Every distinct result of a roll as board rows, uint64[n, 4], still seen from the mover.

    n is 0 when the turn is lost, and for a position already over.
    """
    results = _scratch()
    n = list_legal(board, np.uint64(roll[0]), np.uint64(roll[1]), results)
    return results[:n].copy()


def legal_plays(position: Position, roll: Iterable[int]) -> list[Play]:
    """Return every legal play of a roll, one for each distinct result; [] when the turn is lost.

    `Play.after` is still seen from the player who moved. A position already over has no plays.

    Raises:
        RollError: the roll is not two dice from 1 to 6.
        PositionError: it is no Position.

    Source: the rules of play, P3 to P8 of the project's rule list.

    >>> from bgsim.core.position import Position
    >>> plays = legal_plays(Position.from_gnubg_id("4HPwATDgc/ABMA"), (3, 1))
    >>> len(plays), "8/5 6/5" in map(str, plays)
    (16, True)
    """
    dice = check_roll(roll)
    board = pack([_check_position(position)])[0]
    results = result_boards(board, dice)
    routes = np.empty((len(results), 4, 3), np.int8)
    scratch = np.zeros((5, 7), np.uint64), np.zeros((2, 4), np.uint64)
    find_routes(board, np.uint64(dice[0]), np.uint64(dice[1]), results, routes, *scratch)
    return [
        Play(
            tuple(CheckerMove(source, target, hit > 0) for source, target, hit in route if source > 0), after
        )
        for route, after in zip(routes.tolist(), unpack_all(results), strict=True)
    ]


def count_results(position: Position, roll: Iterable[int]) -> int:
    """Number of distinct results of a roll; 0 when the turn is lost."""
    return len(result_boards(pack([position])[0], check_roll(roll)))


def perft(position: Position, depth: int) -> int:
    """Count the distinct results over the 21 rolls, each roll once, followed to a depth in plies.

    A lost turn counts as one result, a finished game has none. Every result of the last ply is really listed.

    Raises:
        PositionError: it is no Position.
        PlanError: the depth is no whole number from 1 to 100.
    """
    plies = whole_within(depth, 1, MAX_DEPTH)
    if plies is None:
        raise PlanError(f"depth is {depth!r}: a whole number from 1 to {MAX_DEPTH} is allowed")
    return _count(pack([_check_position(position)]), plies)


def _count(boards: Boards, depth: int) -> int:
    if depth == 1:
        return count_boards(boards)
    chunks = (boards[i : i + PERFT_CHUNK] for i in range(0, len(boards), PERFT_CHUNK))
    return sum(_count(expand(chunk), depth - 1) for chunk in chunks)


def count_boards(boards: Boards) -> int:
    """Distinct results over the 21 rolls of all these boards (uint64[n, 4]), every one of them listed."""
    return int(count_next(boards, _scratch()))


def expand(boards: Boards) -> Boards:
    """All results of all rolls of these boards (uint64[n, 4]), the next player on roll."""
    following = np.empty((count_boards(boards), 4), dtype=np.uint64)
    next_boards(boards, _scratch(), following)
    return following
