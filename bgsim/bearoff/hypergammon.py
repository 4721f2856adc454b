"""Hypergammon with up to three checkers a side: every position, solved, cubeless and with the cube.

A round chooses the best play of every roll in every position, then evaluates these plays in a few sweeps, and
goes on at once to what the changes tend to. Three checkers take five to ten rounds.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from bgsim.core.errors import BgsimError
from bgsim.kernels.hypergammon import (
    BAR,
    BEAVERED,
    DOUBLED,
    FAR_HOME,
    NEGATED,
    PLACES,
    REST,
    ROLLS,
    SAME,
    WORDS,
    Sides,
    choose,
    evaluate,
    reply,
    write_sides,
)

__all__ = ["MOST_CHECKERS", "Hypergammon", "build_hypergammon", "number_of_side"]

Reals = npt.NDArray[np.float64]
Plays = npt.NDArray[np.uint16]
Listener = Callable[[str, float], None]
Each = Callable[..., Iterable[Any]]  # map, or that of a pool of threads
MOST_CHECKERS = 3
MOST_POINTS = 3.0  # of a game, per unit of the cube
BLOCK = 64  # opponents in a block: a sweep leaves 0.78 of the change before it, 0.91 with all in one block
SWEEPS = 8  # of a round: choosing plays takes as long as seven
MOST_LEFT = 0.9  # share of a change that the next sweep may leave for what it tends to be foreseen


@dataclass(frozen=True, slots=True, eq=False)
class Hypergammon:
    """Tables [number of the player on roll, number of the opponent], to the player on roll.

    nan where both stand on one point. Chances are of cubeless perfect money play (gammon 2, backgammon 3)
    and include what is better: `win` is any win, `win_gammon` counts backgammons. Where plays of equal
    equity differ in chances, those of either may stand here. Equities are per unit of the cube, of not
    doubling this turn with all later cube actions perfect, each with the plays that are best for it; in
    `equity_owned` the player on roll owns the cube. Under the Jacoby rule gammons and backgammons do not
    count while the cube is centred. A game that is over is worth its result.

    Source of the rules: rules.md G1-G3, C5.
    """

    checkers: int
    counts: npt.NDArray[np.uint8]  # [number, place]: 0 borne off, 1 to 24 own points, 25 the bar
    win: Reals
    win_gammon: Reals
    win_backgammon: Reals
    lose_gammon: Reals
    lose_backgammon: Reals
    equity_owned: Reals
    equity_centred: Reals
    equity_centred_jacoby: Reals
    equity_opponent_owned: Reals

    @property
    def equity(self) -> Reals:
        """Cubeless equity."""
        gammons = self.win_gammon + self.win_backgammon - self.lose_gammon - self.lose_backgammon
        return 2 * self.win - 1 + gammons


def number_of_side(counts: Sequence[int]) -> int:
    """Number of a side with these checkers on its places: borne off, own points 1 to 24, the bar.

    >>> number_of_side([3] + [0] * 25), number_of_side([0] * 22 + [1, 1, 1, 0])
    (0, 2898)
    """
    places = [place for place in range(PLACES) for _ in range(counts[place])]
    return sum(comb(place + lower, lower + 1) for lower, place in enumerate(places))


def build_hypergammon(
    *,
    checkers: int = MOST_CHECKERS,
    threads: int = 1,
    beavers: bool = False,
    tolerance: float = 1e-12,
    listener: Listener = lambda quantity, change: None,
) -> Hypergammon:
    """Solve every position; `listener` is told a quantity and its largest change after each sweep.

    In the end a sweep over all positions with plays chosen anew changes no equity by more than `tolerance`
    (not below 1e-13), nor does one with the plays of the cubeless game change a chance. Threads change no
    bit. beavers: who is doubled from the centre may beaver, which only matters under the Jacoby rule.

    Raises:
        BgsimError: other than 1 to 3 checkers.
    """
    if not 1 <= checkers <= MOST_CHECKERS:
        raise BgsimError(f"hypergammon is solved for 1 to {MOST_CHECKERS} checkers a side, not {checkers}")
    sides = _sides_of(checkers)
    with ThreadPoolExecutor(threads) as pool:
        # One thread does without the pool: to hand over the blocks of two checkers takes as long as they do.
        solver = _Solver(sides, map if threads == 1 else pool.map, threads, tolerance, listener)
        chances, equity = _cubeless(solver)
        cubeful = _cubeful(solver, equity, BEAVERED if beavers else DOUBLED)
    legal = sides.stands[:, None] & sides.faces == 0
    legal[0, 0] = False
    tables = {name: np.where(legal, field.values.T, np.nan) for name, field in (chances | cubeful).items()}
    return Hypergammon(checkers=checkers, counts=sides.counts, **tables)


def _sides_of(checkers: int) -> Sides:
    """The tables of one side."""
    n = comb(PLACES - 1 + checkers, checkers)
    sides = Sides(
        counts=np.zeros((n, PLACES), np.uint8),
        moves=np.zeros((n, 6), np.uint8),
        ends=np.zeros((n, 6, checkers), np.uint32),
        landings=np.zeros((n, 6, checkers), np.uint8),
        stands=np.zeros(n, np.uint64),
        faces=np.zeros(n, np.uint64),
        blocks=np.zeros(n, np.uint64),
        order=np.zeros((n, BAR), np.uint8),
        struck=np.zeros((n, 1 << checkers), np.uint32),
        first_barred=comb(BAR - 1 + checkers, checkers),
    )
    write_sides(sides, checkers)
    return sides


class _Field:
    """A quantity being worked out; the kernels tell the order of its tables."""

    def __init__(
        self, name: str, won: Reals, lost: Reals, plays: Plays, start: "_Field | None" = None
    ) -> None:
        """won, lost: what a game that is over is worth to winner and loser, by the loser's number."""
        self.name, self.plays = name, plays
        self.values: Reals = np.zeros(plays.shape[:2]) if start is None else start.values.copy()
        self.values[0], self.values[:, 0] = lost, won
        self.replies = np.zeros_like(self.values)
        self.replies[:, 0] = won
        self.rule, self.turned, self.taken = NEGATED, self, self

    def follows(self, rule: int, turned: "_Field", taken: "_Field | None" = None) -> None:
        """Say by which rule its replies come from which values."""
        self.rule, self.turned, self.taken = rule, turned, taken or turned


class _Solver:
    """Iterates fields that depend on each other until they stay the same."""

    def __init__(self, sides: Sides, each: Each, threads: int, tolerance: float, listener: Listener) -> None:
        self.sides, self.each, self.threads = sides, each, threads
        self.tolerance, self.listener = tolerance, listener
        self.n = len(sides.counts)
        on_bar = sides.counts[:, BAR]
        self.bounds = np.searchsorted(on_bar, range(int(on_bar.max()) + 2)).tolist()
        self.own_slots = self.n - sides.first_barred
        self.best = np.zeros((self.own_slots + threads, self.n, WORDS), np.int64)

    def new_plays(self) -> Plays:
        return np.zeros((self.n, self.n, ROLLS), np.uint16)

    def solve(self, *fields: _Field, choosing: bool = True) -> None:
        """Iterate fields; without choosing, with the plays that they have."""
        self._reply(fields, (1, self.n))
        while True:
            if choosing:
                for field in fields:
                    self._choose(field)
            change = self._sweep(fields)
            if change <= self.tolerance:
                return
            for _ in range(SWEEPS - 2):
                change = self._sweep(fields)
            before = [field.values.copy() for field in fields]
            left = min(self._sweep(fields) / max(change, self.tolerance), MOST_LEFT)
            for field, values in zip(fields, before, strict=True):
                # Changes soon shrink by the same share everywhere: add up all those to come.
                field.values += (field.values - values) * (left / (1 - left))
                np.clip(field.values, -MOST_POINTS, MOST_POINTS, out=field.values)
            self._reply(fields, (1, self.n))

    def _choose(self, field: _Field) -> None:
        """Best plays of all positions, against opponents with more checkers on the bar first."""

        def part(task: tuple[int, int, int]) -> None:
            start, end, thread = task
            opponents = max(start, 1) + thread, end, self.threads
            mixed, slot = np.zeros((6, 6), np.int64), self.own_slots + thread
            choose(self.sides, field.replies, opponents, self.best, slot, mixed, field.plays)

        for start, end in reversed(list(pairwise(self.bounds))):
            list(self.each(part, [(start, end, thread) for thread in range(self.threads)]))

    def _sweep(self, fields: Sequence[_Field]) -> float:
        """Evaluate the plays of all positions, block after block; returns the largest change."""

        def part(task: tuple[_Field, tuple[int, int]]) -> float:
            field, opponents = task
            return evaluate(self.sides, field.replies, field.plays, opponents, field.values)

        largest = 0.0
        for start in range(1, self.n, BLOCK):
            block = start, min(start + BLOCK, self.n)
            tasks = [(field, opponents) for field in fields for opponents in self._parts(*block)]
            largest = max(largest, *self.each(part, tasks))
            self._reply(fields, block)
        self.listener(fields[0].name, largest)
        return largest

    def _reply(self, fields: Iterable[_Field], movers: tuple[int, int]) -> None:
        """Replies of these movers against all opponents on roll."""

        def part(task: tuple[_Field, tuple[int, int]]) -> None:
            field, opponents = task
            values, taken = field.turned.values, field.taken.values
            reply(field.rule, values, taken, movers, opponents, field.replies)

        tasks = [(field, opponents) for field in fields for opponents in self._parts(1, self.n)]
        list(self.each(part, tasks))

    def _parts(self, start: int, end: int) -> list[tuple[int, int]]:
        """A range in parts for each thread."""
        size = -(-(end - start) // self.threads)
        return [(at, min(at + size, end)) for at in range(start, end, size)]


def _points_lost(sides: Sides) -> Reals:
    """1, 2 or 3 points: what a side loses whose opponent has borne off all."""
    far = sides.counts[:, FAR_HOME:].any(axis=1)
    return np.where(sides.counts[:, 0] > 0, 1.0, np.where(far, 3.0, 2.0))


def _cubeless(solver: _Solver) -> tuple[dict[str, _Field], _Field]:
    """Chances, and the equity that decides the plays."""
    points, plays = _points_lost(solver.sides), solver.new_plays()
    never, always = np.zeros(len(points)), np.ones(len(points))
    equity = _Field("equity", points, -points, plays)
    solver.solve(equity)
    win = _Field("win", always, never, plays)
    win.follows(REST, win)
    solver.solve(win, choosing=False)
    chances = {"win": win}
    for name, least in (("gammon", 2), ("backgammon", 3)):
        counts = (points >= least).astype(float)
        wins = _Field(f"win_{name}", counts, never, plays)
        losses = _Field(f"lose_{name}", never, counts, plays)
        wins.follows(SAME, losses)
        losses.follows(SAME, wins)
        solver.solve(wins, losses, choosing=False)
        chances |= {wins.name: wins, losses.name: losses}
    return chances, equity


def _cubeful(solver: _Solver, equity: _Field, centred_rule: int) -> dict[str, _Field]:
    """Equities with the cube, starting from the cubeless ones."""
    points = _points_lost(solver.sides)
    once = np.ones(len(points))
    owned = _Field("equity_owned", points, -points, equity.plays, equity)
    theirs = _Field("equity_opponent_owned", points, -points, solver.new_plays(), equity)
    owned.follows(NEGATED, theirs)
    theirs.follows(DOUBLED, owned, theirs)
    solver.solve(owned, theirs)
    centred = _Field("equity_centred", points, -points, equity.plays, equity)
    centred.follows(centred_rule, centred, theirs)
    solver.solve(centred)
    jacoby = _Field("equity_centred_jacoby", once, -once, equity.plays, centred)
    jacoby.follows(centred_rule, jacoby, theirs)
    solver.solve(jacoby)
    return {field.name: field for field in (owned, theirs, centred, jacoby)}
