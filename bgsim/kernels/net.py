"""Neural nets in integers: how likely the outcomes are after each of a list of plays.

Activations are multiples of 1/512 from 0 to just below 8, weights of the first layer of 1/512, of further
layers of 1/4096; sums are exact 32-bit integers, so every CPU and every order of work gives the same bits.
The five outputs are log odds: of winning; of a gammon if won; of a backgammon if a gammon was won; the
same two if lost. The cumulative probabilities are their products, so they are ordered by construction.
"""

from typing import NamedTuple

import numpy as np

from bgsim.kernels._jit import inlined, jit
from bgsim.kernels.bits import FAR_HOME, HALF, OFF, ZERO, lowest, trailing_zeros, turned
from bgsim.kernels.board import occupied, won_by
from bgsim.kernels.features import BIAS, WORDS, write_features
from bgsim.kernels.vectors import (
    DENSE_BLOCK,
    OUTPUTS,
    ROWS_AT_ONCE,
    add_rows,
    dense_two_rows,
    first_layer,
    outputs_four_rows,
)

MAX_WIDTH = 1024
MAX_LAYERS = 4  # after the first layer, the last one included
ROWS_AT, WIDTH, LAYERS, LAYER = range(4)  # columns of a net's layout; from LAYER on three a layer:
LAYER_WIDTH, LAYER_WEIGHTS, LAYER_BIASES = range(3)
LAYOUT = LAYER + 3 * MAX_LAYERS

CERTAIN = 1 << 24  # the integer that stands for probability 1
LOGIT_BITS = 21  # a last layer's sum of 2^21 is one unit of log odds
STEP_BITS = 15  # the table has 64 steps a unit
LOGIT_LIMIT = (1 << 25) - 1  # just below 16 units


class Nets(NamedTuple):
    """Weights of several nets, one after another; a net is a row of the layout."""

    rows: np.ndarray  # int16[], first layers: INPUTS rows of WIDTH
    weights: np.ndarray  # int16[], further layers, blocked as `vectors` reads them
    biases: np.ndarray  # int32[]
    layout: np.ndarray  # int64[nets, LAYOUT]


class NetScratch(NamedTuple):
    """Preallocated scratch of one thread for working out nets."""

    base_words: np.ndarray  # uint64[WORDS]
    words: np.ndarray  # uint64[WORDS]
    base: np.ndarray  # int16[MAX_WIDTH]
    zeros: np.ndarray  # int16[MAX_WIDTH]
    added: np.ndarray  # int64[INPUTS], numbers of inputs
    removed: np.ndarray  # int64[INPUTS]
    first: np.ndarray  # int16[ROWS_AT_ONCE * MAX_WIDTH]
    second: np.ndarray  # int16[ROWS_AT_ONCE * MAX_WIDTH]
    sums: np.ndarray  # int32[ROWS_AT_ONCE * OUTPUTS]
    which: np.ndarray  # int64[2, MAX_RESULTS], rows of results: with contact, without
    chances: np.ndarray  # int64[5]


class Evaluator(NamedTuple):
    """What one thread estimates with: the nets, which are only read, and its scratch."""

    nets: Nets
    scratch: NetScratch
    listed: np.ndarray  # int64[2, MAX_RESULTS], rows of results still to be looked at
    replies: np.ndarray  # uint64[MAX_RESULTS, 4]
    reply_scores: np.ndarray  # int64[MAX_RESULTS]
    reply_values: np.ndarray  # int64[6], outcome values of the opponent
    before: np.ndarray  # uint64[4], a result as the opponent sees it


def _logistic_table() -> np.ndarray:
    """CERTAIN / (1 + exp(-x)) for x from -16 to 16 by 1/64; in Python integers, so the same anywhere."""
    one = 1 << 96
    factor, term = one, one  # exp(-1/64) by its series
    for k in range(1, 20):
        term = term // (64 * k)
        factor += -term if k % 2 else term
    powers = [one]
    for _ in range(1024):
        powers.append(powers[-1] * factor >> 96)
    upper = [(CERTAIN * one + (one + power) // 2) // (one + power) for power in powers]
    return np.array([CERTAIN - chance for chance in upper[:0:-1]] + upper, np.int64)


LOGISTIC = _logistic_table()


@inlined
def chance(total: int) -> int:
    """The probability of log odds total / 2^LOGIT_BITS, as a share of CERTAIN; off by less than 1e-5."""
    position = min(max(total, -LOGIT_LIMIT), LOGIT_LIMIT) + LOGIT_LIMIT + 1
    step = position >> STEP_BITS
    below = LOGISTIC[step]
    return below + (((LOGISTIC[step + 1] - below) * (position & ((1 << STEP_BITS) - 1))) >> STEP_BITS)


@inlined
def has_contact(low: np.uint64, high: np.uint64, far_low: np.uint64, far_high: np.uint64) -> bool:
    """True while the sides can still meet: the rearmost own checker stands behind the enemy's rearmost."""
    return occupied(low, high) > lowest(turned(occupied(far_low, far_high)))


@inlined
def write_chances(sums: np.ndarray, at: int, board: np.ndarray, contact: bool, chances: np.ndarray) -> None:
    """Write W, WG, WBG, LG, LBG (int64[5], cumulative, shares of CERTAIN) of the player who has just moved.

    sums: int32[], a net's outputs from `at` on. What cannot happen any more is exactly 0: a gammon against
    a side that has borne off, a backgammon without contact when the loser has left the winner's home.
    """
    far_safe = bool((board[2] | (board[2] >> HALF) | board[3] | (board[3] >> HALF)) & OFF)
    safe = bool((board[0] | (board[0] >> HALF) | board[1] | (board[1] >> HALF)) & OFF)
    if occupied(board[0], board[1]) == ZERO:  # over: no estimate
        lost = won_by(board[2], board[3])
        for k in range(5):
            chances[k] = CERTAIN if k <= lost else 0
        return
    win = chance(sums[at])
    chances[0] = win
    chances[1] = 0 if far_safe else (win * chance(sums[at + 1])) >> 24
    chances[2] = 0
    if contact or occupied(board[2], board[3]) & FAR_HOME:
        chances[2] = (chances[1] * chance(sums[at + 2])) >> 24
    chances[3] = 0 if safe else ((CERTAIN - win) * chance(sums[at + 3])) >> 24
    chances[4] = 0
    if contact or occupied(board[0], board[1]) & FAR_HOME:
        chances[4] = (chances[3] * chance(sums[at + 4])) >> 24


@inlined
def mean_value(chances: np.ndarray, outcome_values: np.ndarray) -> int:
    """Mean of the outcome values (2^-32 points, below 2^37 each), in 2^-48 points."""
    win, gammon, backgammon, lose_gammon, lose_backgammon = (
        chances[0],
        chances[1],
        chances[2],
        chances[3],
        chances[4],
    )
    return (
        (win - gammon) * outcome_values[0]
        + (gammon - backgammon) * outcome_values[1]
        + backgammon * outcome_values[2]
        + (CERTAIN - win - lose_gammon) * outcome_values[3]
        + (lose_gammon - lose_backgammon) * outcome_values[4]
        + lose_backgammon * outcome_values[5]
    ) >> 8


@inlined
def _list_changes(
    words: np.ndarray, base: np.ndarray, added: np.ndarray, removed: np.ndarray
) -> tuple[int, int]:
    """Numbers of the inputs that are on in words and not in base, and the other way round."""
    n_added = n_removed = 0
    for w in range(WORDS):
        more, less = words[w] & ~base[w], base[w] & ~words[w]
        while more != ZERO:
            added[n_added] = 64 * w + np.int64(trailing_zeros(more))
            n_added += 1
            more &= more - np.uint64(1)
        while less != ZERO:
            removed[n_removed] = 64 * w + np.int64(trailing_zeros(less))
            n_removed += 1
            less &= less - np.uint64(1)
    return n_added, n_removed


@jit
def set_base(nets: Nets, net: int, board: np.ndarray, scratch: NetScratch) -> None:
    """Sum the first layer of a position, from which those of its plays are reached by few rows."""
    scratch.base_words[:] = ZERO
    write_features(board[0], board[1], board[2], board[3], scratch.words)
    scratch.words[0] |= np.uint64(1) << np.uint64(BIAS)
    n, _ = _list_changes(scratch.words, scratch.base_words, scratch.added, scratch.removed)
    layout = nets.layout[net]
    add_rows(
        scratch.zeros,
        nets.rows,
        layout[ROWS_AT],
        layout[WIDTH],
        scratch.added,
        n,
        scratch.removed,
        0,
        scratch.base,
        0,
    )
    scratch.base_words[:] = scratch.words
    scratch.base_words[0] ^= np.uint64(1) << np.uint64(BIAS)


@jit
def work_out(
    nets: Nets, net: int, results: np.ndarray, which: np.ndarray, start: int, n: int, scratch: NetScratch
) -> None:
    """Write the outputs of results which[start : start + n], n <= ROWS_AT_ONCE, to scratch.sums.

    results: uint64[any, 4], mover's view; near the position that `set_base` was given, for speed only.
    """
    layout = nets.layout[net]
    width = layout[WIDTH]
    for i in range(n):
        row = which[start + i]
        write_features(results[row, 0], results[row, 1], results[row, 2], results[row, 3], scratch.words)
        n_added, n_removed = _list_changes(scratch.words, scratch.base_words, scratch.added, scratch.removed)
        first_layer(
            scratch.base,
            nets.rows,
            layout[ROWS_AT],
            width,
            scratch.added,
            n_added,
            scratch.removed,
            n_removed,
            scratch.first,
            i * width,
        )
    given, taken = scratch.first, scratch.second
    for layer in range(layout[LAYERS] - 1):
        column = LAYER + 3 * layer
        next_width = layout[column + LAYER_WIDTH]
        for block in range(0, next_width, DENSE_BLOCK):
            for i in range(0, n, 2):
                dense_two_rows(
                    given,
                    i * width,
                    width,
                    nets.weights,
                    layout[column + LAYER_WEIGHTS] + block * width,
                    nets.biases,
                    layout[column + LAYER_BIASES] + block,
                    taken,
                    i * next_width + block,
                    next_width,
                )
        given, taken, width = taken, given, next_width
    column = LAYER + 3 * (layout[LAYERS] - 1)
    outputs_four_rows(
        given,
        0,
        width,
        nets.weights,
        layout[column + LAYER_WEIGHTS],
        nets.biases,
        layout[column + LAYER_BIASES],
        scratch.sums,
        0,
        OUTPUTS,
    )


@jit
def score_rows(
    evaluator: Evaluator,
    contact_net: int,
    race_net: int,
    board: np.ndarray,
    results: np.ndarray,
    rows: np.ndarray,
    n: int,
    outcome_values: np.ndarray,
    scores: np.ndarray,
) -> None:
    """Write the mean outcome values (2^-48 points) of rows[:n] of results, plays from a board, to scores.

    results: uint64[any, 4]; scores: int64[any], written in the same rows. A result without contact is
    worked out by the race net.
    """
    nets, scratch = evaluator.nets, evaluator.scratch
    which = scratch.which
    n_contact = n_race = 0
    for i in range(n):
        row = rows[i]
        if has_contact(results[row, 0], results[row, 1], results[row, 2], results[row, 3]):
            which[0, n_contact] = row
            n_contact += 1
        else:
            which[1, n_race] = row
            n_race += 1
    for race in range(2):
        count = n_race if race else n_contact
        net = race_net if race else contact_net
        if count > 0:
            set_base(nets, net, board, scratch)
        for start in range(0, count, ROWS_AT_ONCE):
            some = min(ROWS_AT_ONCE, count - start)
            work_out(nets, net, results, which[race], start, some, scratch)
            for i in range(some):
                row = which[race, start + i]
                write_chances(scratch.sums, i * OUTPUTS, results[row], race == 0, scratch.chances)
                scores[row] = mean_value(scratch.chances, outcome_values)


@jit
def write_estimate(
    evaluator: Evaluator, contact_net: int, race_net: int, boards: np.ndarray, row: int, chances: np.ndarray
) -> None:
    """Write the nets' chances (int64[5]) of one row of boards, for the player who has just moved."""
    board = boards[row]
    contact = has_contact(board[0], board[1], board[2], board[3])
    net = contact_net if contact else race_net
    scratch = evaluator.scratch
    set_base(evaluator.nets, net, board, scratch)
    scratch.which[0, 0] = row
    work_out(evaluator.nets, net, boards, scratch.which[0], 0, 1, scratch)
    write_chances(scratch.sums, 0, board, contact, chances)
