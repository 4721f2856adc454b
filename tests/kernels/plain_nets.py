"""Nets in plain Python and numpy's 64-bit integers, to hold the kernels against; and small nets to try.

The features are written from the docstring of `bgsim.kernels.features` over counts of checkers. A board is
the oracle's: both sides as counts, the player who has just moved first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal, localcontext
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from bgsim.core.position import Position
from bgsim.engine.boards import pack
from bgsim.engine.nets import Layer, Net, joined, new_evaluator
from tests import oracle
from tests.oracle import BAR, OFF, Board, Side

CERTAIN = 2**24
AT_LEAST = (1, 2, 3, 4, 5, 6, 8)
POINTS = range(1, 25)


# --- features -------------------------------------------------------------------------------------


def _side_inputs(own: Side, far: Side) -> set[tuple[int, int]]:
    """(word, index within the half) of one side's inputs."""
    places = [point for point in (*POINTS, BAR) if own[point]]
    found = {(word, p) for word, least in enumerate(AT_LEAST) for p in places if own[p] >= least}
    found |= {(7, number) for number in range(1, own[OFF] + 1)}
    enemy_made = {25 - point for point in POINTS if far[point] >= 2}  # in this side's numbers
    enemies = {25 - point for point in (*POINTS, BAR) if far[point]}  # his bar is 0
    for p in places:
        found |= _digits(8, p, enemy_made, range(p - 6, p))
        if own[p] == 1 and p != BAR:
            found |= _digits(11, p, enemies, range(p - 6, p))
            found |= _digits(14, p, enemies, range(p - 12, p - 6))
    for word, length in ((17, 3), (18, 4), (19, 5)):
        rows = (p for p in range(1, 26 - length) if all(own[q] >= 2 for q in range(p, p + length)))
        found |= {(word, p) for p in rows}
    return found


def _digits(word: int, place: int, points: set[int], where: range) -> set[tuple[int, int]]:
    number = len(points.intersection(where))
    return {(word + digit, place) for digit in range(3) if number >> digit & 1}


def plain_inputs(board: Board) -> set[int]:
    """Numbers of the inputs that are on."""
    mover, opponent = board
    halves = _side_inputs(mover, opponent), _side_inputs(opponent, mover)
    return {64 * word + 32 * half + index for half, found in enumerate(halves) for word, index in found}


# --- nets -----------------------------------------------------------------------------------------


def random_net(rng: np.random.Generator, widths: Sequence[int]) -> Net:
    """A net of these hidden widths, whose layers neither die nor all reach the ceiling."""
    sizes = (1280, *widths, 5)
    layers = []
    for number, (before, after) in enumerate(pairwise(sizes)):
        if number == 0:
            spread, constants = 200, 300  # in 1/512; about 60 inputs are on
        else:
            spread, constants = 8000 // before**0.5, 2**20
        weights = rng.normal(0, spread, (before, after)).round().clip(-32767, 32767)
        biases = rng.integers(-constants, constants + 1, after)
        layers.append(Layer(weights.astype(np.int16), biases.astype(np.int32)))
    return Net(tuple(layers))


def constant_net(logits: Sequence[int], width: int = 128) -> Net:
    """A net that gives the same sums for every position."""
    first = Layer(np.zeros((1280, width), np.int16), np.zeros(width, np.int32))
    return Net((first, Layer(np.zeros((width, 5), np.int16), np.array(logits, np.int32))))


def evaluator_of(*nets: Net) -> Any:
    """An evaluator of these nets, numbered in this order."""
    return new_evaluator(joined(nets))


def plain_layers(net: Net, board: Board) -> list[Any]:
    """Activations of each hidden layer, and the five sums of the last, in int64."""
    first, *further = net.layers
    rows = first.weights[sorted(plain_inputs(board))].astype(np.int64)
    total = rows.sum(axis=0) + first.biases
    assert np.abs(total).max() < 2**15, "the kernel's sums have 16 bits"
    found = [total.clip(0, 4095)]
    for number, layer in enumerate(further, start=1):
        total = found[-1] @ layer.weights.astype(np.int64) + layer.biases
        if number < len(further):
            total = ((total + 2048) // 4096).clip(0, 4095)  # to the nearest, halves up
        found.append(total)
    return found


def plain_sums(net: Net, board: Board) -> list[int]:
    """The five sums of the last layer."""
    return plain_layers(net, board)[-1].tolist()


# --- chances --------------------------------------------------------------------------------------


@cache
def _table_entry(step: int) -> int:
    """The whole number nearest to CERTAIN / (1 + exp(-x)), x in 64ths."""
    with localcontext() as context:
        context.prec = 40
        return int((CERTAIN / (1 + (Decimal(-step) / 64).exp())).quantize(Decimal(1)))


def plain_chance(total: int) -> int:
    """Between entries 2^15 apart on a straight line, rounded down; sums beyond 2^25 - 1 are cut off."""
    total = max(-(2**25) + 1, min(2**25 - 1, total))
    step, rest = divmod(total, 2**15)
    low, high = _table_entry(step), _table_entry(step + 1)
    return low + (high - low) * rest // 2**15


def rearmost(side: Side) -> int:
    """The highest point with a checker, 25 the bar; 0 when all are off."""
    return max((point for point in (*POINTS, BAR) if side[point]), default=0)


def can_meet(board: Board) -> bool:
    """Contact: the sides still have to pass each other."""
    return rearmost(board[0]) + rearmost(board[1]) > 25


def plain_chances(sums: Sequence[int], board: Board) -> list[int]:
    """Cumulative W, WG, WBG, LG, LBG of a position, in 2^-24."""
    mover, opponent = board
    result = oracle.finished(mover, opponent)
    if result is not None:
        assert result[0] == "mover", "he has just moved"
        return [CERTAIN if points <= result[1] else 0 for points in (1, 2, 3)] + [0, 0]
    win, gammon, backgammon, lose_gammon, lose_backgammon = map(plain_chance, sums)
    race = not can_meet(board)
    found = [win, 0, 0, 0, 0]
    for at, share, loser, first, second in (
        (1, win, opponent, gammon, backgammon),
        (3, CERTAIN - win, mover, lose_gammon, lose_backgammon),
    ):
        if not loser[OFF]:
            found[at] = share * first // CERTAIN
            if not (race and rearmost(loser) < 19):
                found[at + 1] = found[at] * second // CERTAIN
    return found


def plain_value(chances: Sequence[int], values: Sequence[int]) -> int:
    """Mean of the outcomes' values (in 2^-32) in 2^-48 points, rounded down."""
    win, gammon, backgammon, lose_gammon, lose_backgammon = chances
    shares = (
        win - gammon,
        gammon - backgammon,
        backgammon,
        CERTAIN - win - lose_gammon,
        lose_gammon - lose_backgammon,
        lose_backgammon,
    )
    return sum(share * value for share, value in zip(shares, values, strict=True)) // 2**8


def plain_score(nets: tuple[Net, Net], board: Board, values: Sequence[int]) -> int:
    """What a (contact, race) pair of nets makes of a result."""
    net = nets[0] if can_meet(board) else nets[1]
    return plain_value(plain_chances(plain_sums(net, board), board), values)


def rows_of_boards(boards: Iterable[Board]) -> Any:
    """uint64[n, 4] of the oracle's boards."""
    return pack([Position(*board) for board in boards])
