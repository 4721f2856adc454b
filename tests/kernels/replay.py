"""Whole games in plain Python, to hold the playout kernel against.

The dice are written from the published description of Philox4x32-10 and from the layout of the counter;
plays are checked at every turn against the oracle's rule book, and so are the results of games. Only the
order in which the results of a roll are listed is taken from bgsim, because `random` picks by number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from bgsim.core.position import Position
from bgsim.engine.boards import pack, unpack
from bgsim.engine.plays import result_boards
from bgsim.kernels.dice import stratified_number
from tests import oracle
from tests.oracle import DICE, Board, Roll

Words = tuple[int, int, int, int]
Chooser = Callable[[Board, Sequence[Board], Words], int]
Lister = Callable[[Board, Roll], list[Board]]

MASK = 0xFFFFFFFF
PLAY, FIRST_ROLL, SECOND_ROLL = range(3)
TRUNCATED = 6
ALL_ORDERED = [(die1, die2) for die1 in DICE for die2 in DICE]
OPENING_ORDERED = [roll for roll in ALL_ORDERED if roll[0] != roll[1]]


# --- dice -----------------------------------------------------------------------------------------


def philox(counter: Sequence[int], key: Sequence[int]) -> Words:
    """Philox4x32-10 as published (Salmon, Moraes, Dror, Shaw, SC11): ten rounds, the key bumped between."""
    x = list(counter)
    k = list(key)
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * x[0], 1 << 32)
        high1, low1 = divmod(0xCD9E8D57 * x[2], 1 << 32)
        x = [high1 ^ x[1] ^ k[0], low1, high0 ^ x[3] ^ k[1], low0]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return x[0], x[1], x[2], x[3]


def counter_of(stream: int, trial: int, ply: int, purpose: int) -> Words:
    """The counter's words: ply (14 bits), purpose (2) and the trial's high 16; its low 32; the stream."""
    first = ply + purpose * 2**14 + (trial // 2**32) * 2**16
    return first, trial % 2**32, stream % 2**32, stream // 2**32


def block(seed: int, stream: int, trial: int, ply: int, purpose: int = PLAY) -> Words:
    """Four words of one ply."""
    return philox(counter_of(stream, trial, ply, purpose), (seed % 2**32, seed // 2**32))


def below(word: int, n: int) -> int:
    """A 32-bit word as a number 0..n-1."""
    return word * n // 2**32


# --- games ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Start:
    """Where a game begins, and its dice."""

    board: Board
    stream: int = 0
    seed: int = 0
    roll: Roll | None = None
    opening: bool = False
    stratified: bool = False

    def dice(self, trial: int, ply: int) -> Roll:
        """The roll of a ply."""
        if self.roll is not None and ply == 0:
            return self.roll
        rolled = ply if self.roll is None else ply - 1
        opening = self.opening and self.roll is None
        faces = OPENING_ORDERED if opening and rolled == 0 else ALL_ORDERED
        if self.stratified and rolled < 2:
            # test_dice.py shows what these are worth; here only that they are used
            scratch = np.zeros(36, np.int64)
            words = np.uint64(self.seed), np.uint64(self.stream)
            return faces[stratified_number(*words, trial, rolled == 1, opening, scratch)]
        return faces[below(block(self.seed, self.stream, trial, ply)[0], len(faces))]


class Turn(NamedTuple):
    """One ply: the seat that rolled, the board before and after it (both seen from that seat)."""

    seat: int
    roll: Roll
    before: Board
    after: Board
    passed: bool


@dataclass
class Game:
    """A trial from the view of seat 0, the player on roll at the start."""

    outcome: int = TRUNCATED
    turns: list[Turn] = field(default_factory=list)

    @property
    def plies(self) -> int:
        return len(self.turns)


def as_tuples(position: Position) -> Board:
    return position.on_roll, position.opponent


def listed(board: Board, roll: Roll) -> list[Board]:
    """Every result in the kernel's order, checked against the oracle."""
    row = pack([Position(*board)])[0]
    boards = [as_tuples(unpack(result)) for result in result_boards(row, roll)]
    if len(set(boards)) != len(boards) or set(boards) != oracle.results(*board, roll):
        raise AssertionError(f"{oracle.gnubg_id(*board)} {roll}: not what the oracle lists")
    return boards


def outcome_of(board: Board, seat: int) -> int | None:
    """The outcome's number (0-2 wins, 3-5 losses of seat 0), or None; the board is seen from `seat`."""
    result = oracle.finished(*board)
    if result is None:
        return None
    winner, points = result
    return points - 1 if (winner == "mover") == (seat == 0) else points + 2


def play_out(
    start: Start,
    trial: int,
    choosers: tuple[Chooser, Chooser],
    *,
    max_plies: int = 10_000,
    lister: Lister = listed,
) -> Game:
    """Play one trial; `choosers` are the policies of seats 0 and 1."""
    game = Game()
    board, seat = start.board, 0
    game.outcome = TRUNCATED if outcome_of(board, seat) is None else outcome_of(board, seat)
    while game.outcome == TRUNCATED and game.plies < max_plies:
        roll = start.dice(trial, game.plies)
        results = lister(board, roll)
        after = board
        if results:
            words = block(start.seed, start.stream, trial, game.plies)
            after = results[choosers[seat](board, results, words)]
        game.turns.append(Turn(seat, roll, board, after, not results))
        ended = outcome_of(after, seat)
        game.outcome = TRUNCATED if ended is None else ended
        board, seat = (after[1], after[0]), 1 - seat
    return game


# --- policies -------------------------------------------------------------------------------------


def choose_at_random(before: Board, results: Sequence[Board], words: Words) -> int:
    """`random`: the second word of the ply, mapped to the number of results."""
    return below(words[1], len(results)) if len(results) > 1 else 0


def best_of(score: Callable[[Board, Board], int]) -> Chooser:
    """The first of the results with the highest score, which is told the boards before and after."""

    def choose(before: Board, results: Sequence[Board], words: Words) -> int:
        scores = [score(before, result) for result in results]
        return scores.index(max(scores))

    return choose


def greedy_score(before: Board, after: Board) -> int:
    """`greedy` as its docstring describes it, in counts of checkers."""
    own, far = after
    enemy = {25 - point for point in range(1, 26) if far[point]}  # in the mover's numbers, his bar 0
    mine = {point for point in range(1, 26) if own[point]}
    if not (mine and max(mine) > min(enemy)):
        return 64 * own[0] - 4 * oracle.pips(own) + len(mine & set(range(1, 7)))
    risk = 0
    for blot in (point for point in range(1, 25) if own[point] == 1):
        hitters = sum(blot - die in enemy for die in DICE)
        risk += hitters * (28 if blot <= 12 else 2)
    made = {point for point in range(1, 25) if own[point] >= 2}
    score = 5 * len(made) + 8 * len(made & {4, 5, 6, 7, 8})
    score += 8 * sum(point + 1 in made for point in made)
    score += 12 if made & {19, 20, 21, 22, 23} else 0
    score -= sum(6 + own[point] for point in mine if point >= 19)
    score += far[25] * (12 + 5 * len(made & set(range(1, 7))))
    score -= len(mine & {1, 2, 7, 8, 9, 10, 11, 12})
    return score + 6 * own[0] - risk


choose_greedily = best_of(greedy_score)


def games(
    start: Start, trials: Sequence[int], choosers: tuple[Chooser, Chooser], **options
) -> Iterator[Game]:
    """Several trials, one after the other."""
    return (play_out(start, trial, choosers, **options) for trial in trials)
