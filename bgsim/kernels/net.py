"""Neural nets in integers: how likely the outcomes are after each of a list of plays.

Activations are multiples of 1/512 from 0 to just below 8, weights of the first layer of 1/512, of further
layers of 1/4096; sums are exact 32-bit integers, so every CPU and every order of work gives the same bits.
The five outputs are log odds: of winning; of a gammon if won; of a backgammon if a gammon was won; the
same two if lost. The cumulative probabilities are their products, so they are ordered by construction.
"""

from typing import NamedTuple

import numpy as np

from bgsim.kernels._jit import inlined, jit
from bgsim.kernels.bits import FAR_HOME, HALF, OFF, ONE, ZERO, lowest, trailing_zeros, turned
from bgsim.kernels.board import occupied, won_by
from bgsim.kernels.certain import CERTAIN
from bgsim.kernels.features import BIAS, WORDS, write_features
from bgsim.kernels.tables import Tables
from bgsim.kernels.vectors import (
    DENSE_BLOCK,
    LANES,
    OUTPUTS,
    active_pairs,
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

    base_boards: np.ndarray  # uint64[nets, 4], what each net's base was summed for
    base_words: np.ndarray  # uint64[nets, WORDS]
    base: np.ndarray  # int16[nets * MAX_WIDTH]
    words: np.ndarray  # uint64[WORDS]
    zeros: np.ndarray  # int16[MAX_WIDTH]
    added: np.ndarray  # int64[INPUTS], numbers of inputs
    removed: np.ndarray  # int64[INPUTS]
    first: np.ndarray  # int16[ROWS_AT_ONCE * MAX_WIDTH]
    second: np.ndarray  # int16[ROWS_AT_ONCE * MAX_WIDTH]
    pairs: np.ndarray  # int32[MAX_WIDTH / 2 + 8], numbers of pairs of activations that are not all 0
    sums: np.ndarray  # int32[ROWS_AT_ONCE * OUTPUTS]
    which: np.ndarray  # int64[2, MAX_RESULTS], rows of results: with contact, without
    chances: np.ndarray  # int64[MAX_RESULTS, 5]


class Evaluator(NamedTuple):
    """What one thread estimates with: the nets, which are only read, and its scratch."""

    nets: Nets
    scratch: NetScratch
    listed: np.ndarray  # int64[2, MAX_RESULTS], rows of results still to be looked at
    replies: np.ndarray  # uint64[MAX_RESULTS, 4]
    reply_scores: np.ndarray  # int64[MAX_RESULTS]
    reply_values: np.ndarray  # int64[6], outcome values of the opponent
    before: np.ndarray  # uint64[4], a result as the opponent sees it
    tables: Tables  # what is known exactly


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
def write_chances(
    sums: np.ndarray, at: int, boards: np.ndarray, row: int, contact: bool, all_chances: np.ndarray, to: int
) -> None:
    """Write W, WG, WBG, LG, LBG (cumulative, shares of CERTAIN) of the player who has just moved.

    They are those of boards[row] and go to all_chances[to]. sums: int32[], a net's outputs from `at` on. What
    cannot happen any more is exactly 0: a gammon against a side that has borne off, a backgammon without
    contact when the loser has left the winner's home.
    """
    low, high, far_low, far_high = boards[row, 0], boards[row, 1], boards[row, 2], boards[row, 3]
    if occupied(low, high) == ZERO:  # over: no estimate
        lost = won_by(far_low, far_high)
        for k in range(5):
            all_chances[to, k] = CERTAIN if k <= lost else 0
        return
    far_safe = bool((far_low | (far_low >> HALF) | far_high | (far_high >> HALF)) & OFF)
    safe = bool((low | (low >> HALF) | high | (high >> HALF)) & OFF)
    win = chance(sums[at])
    gammon = 0 if far_safe else (win * chance(sums[at + 1])) >> 24
    lose_gammon = 0 if safe else ((CERTAIN - win) * chance(sums[at + 3])) >> 24
    backgammon = lose_backgammon = 0
    if contact or occupied(far_low, far_high) & FAR_HOME:
        backgammon = (gammon * chance(sums[at + 2])) >> 24
    if contact or occupied(low, high) & FAR_HOME:
        lose_backgammon = (lose_gammon * chance(sums[at + 4])) >> 24
    all_chances[to, 0], all_chances[to, 1], all_chances[to, 2] = win, gammon, backgammon
    all_chances[to, 3], all_chances[to, 4] = lose_gammon, lose_backgammon


@inlined
def mean_value(all_chances: np.ndarray, row: int, outcome_values: np.ndarray) -> int:
    """Mean of the outcome values (2^-32 points, below 2^37 each) by a row of chances, in 2^-48 points."""
    win, gammon, backgammon = all_chances[row, 0], all_chances[row, 1], all_chances[row, 2]
    lose_gammon, lose_backgammon = all_chances[row, 3], all_chances[row, 4]
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
    words: np.ndarray, bases: np.ndarray, net: int, added: np.ndarray, removed: np.ndarray
) -> tuple[int, int]:
    """Numbers of the inputs that are on in words and not in the net's base, and the other way round."""
    n_added, n_removed = ZERO, ZERO
    for w in range(WORDS):
        changed = words[w] ^ bases[net, w]
        while changed != ZERO:
            # Written to both lists, counted in one: a branch here could not be foreseen.
            index = trailing_zeros(changed)
            added[n_added] = removed[n_removed] = 64 * w + np.int64(index)
            on = (words[w] >> index) & ONE
            n_added += on
            n_removed += ONE - on
            changed &= changed - ONE
    return np.int64(n_added), np.int64(n_removed)


@jit
def set_base(nets: Nets, net: int, board: np.ndarray, scratch: NetScratch) -> None:
    """Sum the first layer of a position, from which those of its plays are reached by few rows."""
    boards, words, bases = scratch.base_boards, scratch.words, scratch.base_words
    known = True
    for k in range(4):
        known &= boards[net, k] == board[k]
        boards[net, k] = board[k]
    if known:  # another roll of the same position
        return
    for w in range(WORDS):
        bases[net, w] = ZERO
    write_features(board[0], board[1], board[2], board[3], words)
    words[0] |= ONE << np.uint64(BIAS)
    n, _ = _list_changes(words, bases, net, scratch.added, scratch.removed)
    layout = nets.layout[net]
    add_rows(
        scratch.zeros,
        0,
        nets.rows,
        layout[ROWS_AT],
        layout[WIDTH],
        scratch.added,
        n,
        scratch.removed,
        0,
        scratch.base,
        net * MAX_WIDTH,
    )
    words[0] ^= ONE << np.uint64(BIAS)
    for w in range(WORDS):
        bases[net, w] = words[w]


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
        n_added, n_removed = _list_changes(
            scratch.words, scratch.base_words, net, scratch.added, scratch.removed
        )
        first_layer(
            scratch.base,
            net * MAX_WIDTH,
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
        n_pairs = active_pairs(given, width, n, LANES, scratch.pairs)
        for block in range(0, next_width, DENSE_BLOCK):
            for i in range(0, n, 2):
                dense_two_rows(
                    given,
                    i * width,
                    width,
                    scratch.pairs,
                    n_pairs,
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
    n_pairs = active_pairs(given, width, n, LANES, scratch.pairs)
    outputs_four_rows(
        given,
        0,
        width,
        scratch.pairs,
        n_pairs,
        nets.weights,
        layout[column + LAYER_WEIGHTS],
        nets.biases,
        layout[column + LAYER_BIASES],
        scratch.sums,
        0,
        OUTPUTS,
    )


@jit
def write_estimate(
    evaluator: Evaluator, contact_net: int, race_net: int, boards: np.ndarray, row: int
) -> None:
    """Write the nets' chances of boards[row], for the player who has just moved, to scratch.chances[0]."""
    board = boards[row]
    contact = has_contact(board[0], board[1], board[2], board[3])
    net = contact_net if contact else race_net
    scratch = evaluator.scratch
    set_base(evaluator.nets, net, board, scratch)
    scratch.which[0, 0] = row
    work_out(evaluator.nets, net, boards, scratch.which[0], 0, 1, scratch)
    write_chances(scratch.sums, 0, boards, row, contact, scratch.chances, 0)
