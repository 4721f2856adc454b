"""Which checkers moved: from a result back to checker moves, for people and for records."""

import numpy as np

from bgsim.kernels._jit import jit
from bgsim.kernels.bits import POINTS, highest, trailing_zeros
from bgsim.kernels.board import blocked_points, copy_board, hittable_points, movable, occupied, step

NO_MOVE = -1


@jit
def _write_move(route: np.ndarray, number: int, source: np.uint64, die: np.uint64, hit: bool) -> None:
    """One row of a route: source, target, whether it hit."""
    start = np.int64(trailing_zeros(source))
    route[number, 0] = start
    route[number, 1] = max(start - np.int64(die), 0)
    route[number, 2] = 1 if hit else 0


@jit
def _search(
    board: np.ndarray, dice: np.ndarray, n_dice: int, goal: np.ndarray, states: np.ndarray, route: np.ndarray
) -> bool:
    """Play the dice in this order, highest sources first, until the board is the goal; fills the route.

    states: uint64[5, 7], a row a die: both sides, blots, sources still to try, source in play.
    """
    landing = POINTS & ~blocked_points(board[2], board[3])
    copy_board(board, states[0])
    states[0, 4] = hittable_points(board[2], board[3]) & landing
    states[0, 5] = movable(occupied(board[0], board[1]), dice[0], landing)
    depth = 0
    while depth >= 0:
        if states[depth, 5] == np.uint64(0):
            depth -= 1
            continue
        die = dice[depth]
        source = highest(states[depth, 5])
        states[depth, 5] ^= source
        low, high, far_low, far_high, blots = step(
            states[depth, 0],
            states[depth, 1],
            states[depth, 2],
            states[depth, 3],
            states[depth, 4],
            source,
            die,
        )
        _write_move(route, depth, source, die, blots != states[depth, 4])
        if depth + 1 == n_dice:
            if low == goal[0] and high == goal[1] and far_low == goal[2] and far_high == goal[3]:
                return True
            continue
        depth += 1
        states[depth, 0], states[depth, 1] = low, high
        states[depth, 2], states[depth, 3] = far_low, far_high
        states[depth, 4] = blots
        sources = movable(occupied(low, high), dice[depth], landing)
        # The dice of a double are played from the highest source down: see double_plays.py.
        states[depth, 5] = sources & (source | (source - np.uint64(1))) if dice[0] == dice[1] else sources
    return False


@jit
def find_routes(
    board: np.ndarray,
    die1: np.uint64,
    die2: np.uint64,
    results: np.ndarray,
    routes: np.ndarray,
    states: np.ndarray,
    dice: np.ndarray,
) -> None:
    """Write checker moves that lead from a board to each result of a roll.

    results: uint64[n, 4], mover's view. routes: int8[n, 4, 3], a move a row: source, target, hit; -1 after
    the last. As many dice as possible are used: bearing off with one may look like bearing off with both.
    states: uint64[5, 7] and dice: uint64[2, 4] are scratch.
    """
    for die in range(4):
        dice[0, die] = dice[1, die] = die1
    larger, smaller = max(die1, die2), min(die1, die2)
    if die1 != die2:
        dice[0, 0], dice[0, 1] = larger, smaller
        dice[1, 0], dice[1, 1] = smaller, larger
    for row in range(results.shape[0]):
        found = False
        for n_dice in range(4 if die1 == die2 else 2, 0, -1):
            for order in range(2):
                if not found:
                    found = _search(board, dice[order], n_dice, results[row], states, routes[row])
                    if found:
                        for unused in range(n_dice, 4):
                            for part in range(3):
                                routes[row, unused, part] = NO_MOVE
