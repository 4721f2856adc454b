"""All distinct results of any roll, and counts of them to a depth (perft)."""

import numpy as np

from bgsim.kernels._jit import jit
from bgsim.kernels.board import blocked_points, copy_board, is_over
from bgsim.kernels.double_plays import list_double
from bgsim.kernels.mixed_plays import list_mixed


@jit
def list_results(
    board: np.ndarray, die1: np.uint64, die2: np.uint64, blocked: np.uint64, out: np.ndarray
) -> int:
    """Write every distinct result of a roll to `out`, mover's view; returns how many, 0 for a lost turn.

    board: uint64[4]. blocked: points where the mover may not land (a variant may add to the points that
    the opponent has made). out: uint64[MAX_RESULTS, 4].
    """
    if die1 == die2:
        return list_double(board, die1, blocked, out)
    if die1 > die2:
        return list_mixed(board, die1, die2, blocked, out)
    return list_mixed(board, die2, die1, blocked, out)


@jit
def list_legal(board: np.ndarray, die1: np.uint64, die2: np.uint64, out: np.ndarray) -> int:
    """As `list_results` under the standard rules, from Python in one call; a finished game has no plays."""
    if is_over(board):
        return 0
    return list_results(board, die1, die2, blocked_points(board[2], board[3]), out)


@jit
def count_all_rolls(board: np.ndarray, out: np.ndarray) -> int:
    """Distinct results over the 21 rolls, each once; a lost turn is one result, a finished game has none."""
    if is_over(board):
        return 0
    blocked = blocked_points(board[2], board[3])
    total = 0
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            total += max(list_results(board, np.uint64(die1), np.uint64(die2), blocked, out), 1)
    return total


@jit
def next_boards(boards: np.ndarray, scratch: np.ndarray, out: np.ndarray) -> int:
    """Write all results of all 21 rolls of n boards, turned to the next player, to `out`; returns how many.

    boards: uint64[n, 4]; out: uint64[at least their count, 4]; a lost turn gives the turned board.
    """
    n = 0
    for row in range(boards.shape[0]):
        board = boards[row]
        if is_over(board):
            continue
        blocked = blocked_points(board[2], board[3])
        for die1 in range(1, 7):
            for die2 in range(1, die1 + 1):
                found = list_results(board, np.uint64(die1), np.uint64(die2), blocked, scratch)
                if found == 0:
                    copy_board(board, scratch[0])
                    found = 1
                for result in range(found):
                    out[n, 0] = scratch[result, 2]
                    out[n, 1] = scratch[result, 3]
                    out[n, 2] = scratch[result, 0]
                    out[n, 3] = scratch[result, 1]
                    n += 1
    return n


@jit
def count_next(boards: np.ndarray, scratch: np.ndarray) -> int:
    """Sum of `count_all_rolls` over n boards (uint64[n, 4])."""
    total = 0
    for row in range(boards.shape[0]):
        total += count_all_rolls(boards[row], scratch)
    return total
