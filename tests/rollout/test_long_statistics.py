"""Minutes of random games: seats, halves and kinds of dice agree, and so does a second implementation.

Bounds are four standard errors, fixed beforehand, and all seeds are fixed.
"""

from __future__ import annotations

import multiprocessing
import os
import random
from concurrent.futures import ProcessPoolExecutor
from math import sqrt

import numpy as np
import pytest

from bgsim.core.notation import parse
from bgsim.run.ledger import GroupTotals, Ledger
from bgsim.run.local import LocalExecutor
from bgsim.run.plan import Plan, Root
from bgsim.run.runner import run_plan
from tests import oracle
from tests.bounds import FOUR_SIGMA

pytestmark = pytest.mark.long

GAMES = 1_000_000
START = Root(parse("4HPwATDgc/ABMA"))  # the start as any position: the first roll may be a double
SPARE_GAMES, CHUNK = 4_000, 50  # of the plain Python implementation

# Shares of trials that are compared, as sets of outcomes (Outcome order, from the player who began).
SHARES = {
    "win": {0, 1, 2},
    "gammon or backgammon": {1, 2, 4, 5},
    "backgammon": {2, 5},
    "win a gammon": {1, 2},
    "lose a gammon": {4, 5},
}


def totals_of(*, policy: str = "random", seed: int, trials: int, stratified: bool = False) -> GroupTotals:
    """The sums of a rollout of the start on all cores."""
    plan = Plan(roots=(START,), policy=policy, trials=trials, seed=seed, stratified=stratified)
    ledger = Ledger(1)
    with LocalExecutor() as executor:
        assert run_plan(plan, executor, ledger)
    return ledger.totals[0]


def counts_of(totals: GroupTotals) -> np.ndarray:
    counts = np.array(totals.sums[0][:7])
    assert counts[6] == 0  # every game ends
    return counts[:6]


def share(counts: np.ndarray, name: str) -> tuple[float, float]:
    """A share of the trials and its standard error."""
    n = counts.sum()
    part = sum(counts[outcome] for outcome in SHARES[name]) / n
    return float(part), sqrt(part * (1 - part) / n)


def far_apart(one: np.ndarray, other: np.ndarray) -> dict[str, float]:
    """The shares of two samples that differ by more than four standard errors, with their z."""
    found = {}
    for name in SHARES:
        (a, error_a), (b, error_b) = share(one, name), share(other, name)
        z = (a - b) / sqrt(error_a**2 + error_b**2)
        if abs(z) > FOUR_SIGMA:
            found[name] = z
    return found


@pytest.fixture(scope="module")
def million():
    """A million random games: two halves of different seeds, each half a million trials."""
    return [totals_of(seed=seed, trials=GAMES // 2) for seed in (1001, 1002)]


def test_halves_agree(million):
    """The same shares from other dice: wins of the first player, gammons, backgammons."""
    assert far_apart(*(counts_of(totals) for totals in million)) == {}


def test_seats_are_equal_when_each_begins_half_of_the_games(million):
    """Bottom begins the first half, top the second. Wins, gammons and points of the two seats agree.

    For gammons and backgammons the number of those decided is given, and half of them are the bottom's.
    """
    first, second = (counts_of(totals) for totals in million)
    for worst in range(3):  # wins of at least 1, 2, 3 points
        bottom = first[worst:3].sum() + second[3 + worst :].sum()
        top = second[worst:3].sum() + first[3 + worst :].sum()
        assert abs(int(bottom) - int(top)) < FOUR_SIGMA * sqrt(bottom + top)
    worth = np.array([1, 2, 3, -1, -2, -3])
    points, squares = (worth * (first - second)).sum(), (worth**2 * (first + second)).sum()
    assert abs(int(points)) < FOUR_SIGMA * sqrt(squares)


def test_who_begins_hardly_matters_to_random_players(million):
    counts = sum(counts_of(totals) for totals in million)
    win, error = share(counts, "win")
    assert abs(win - 0.5) < 0.05
    assert error < 0.0006


def test_stratified_dice_agree_with_plain_ones(million):
    """216,000 trials, whole cycles of pairs of rolls, against half a million plain ones."""
    stratified = totals_of(seed=1003, trials=216_000, stratified=True)
    assert far_apart(counts_of(stratified), counts_of(million[0])) == {}


def test_greedy_halves_agree():
    one, other = (totals_of(policy="greedy", seed=seed, trials=150_000) for seed in (1004, 1005))
    assert far_apart(counts_of(one), counts_of(other)) == {}
    points = [totals.sums[0][-1] / 2**32 / 150_000 for totals in (one, other)]
    spread = [product.products[0][0] / 2**64 / 150_000 for product in (one, other)]
    assert abs(points[0] - points[1]) < FOUR_SIGMA * sqrt(sum(spread) / 150_000)


# --- a second implementation ----------------------------------------------------------------------


def plain_games(seed: int) -> list[tuple[int, int]]:
    """(outcome, plies) of some random games by the oracle's rules and Python's own dice."""
    rng, found = random.Random(seed), []
    for _ in range(CHUNK):
        board, plies = oracle.START, 0
        while (result := oracle.finished(*board)) is None:
            results = sorted(oracle.results(*board, (rng.randint(1, 6), rng.randint(1, 6))))
            mover, opponent = rng.choice(results) if results else board
            board, plies = (opponent, mover), plies + 1
        winner, points = result
        # the board has been turned: "opponent" is who moved last, the beginner after an odd number of plies
        beginner = (winner == "opponent") == (plies % 2 == 1)
        found.append((points - 1 if beginner else points + 2, plies))
    return found


def test_random_games_of_a_second_implementation(million):
    """4,000 games in plain Python: the same shares and the same mean number of plies.

    Expected time: about 2 CPU minutes.
    """
    context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        chunks = pool.map(plain_games, range(SPARE_GAMES // CHUNK))
        games = np.array([game for chunk in chunks for game in chunk])
    counts = sum(counts_of(totals) for totals in million)
    assert far_apart(np.bincount(games[:, 0], minlength=6), counts) == {}
    plies = games[:, 1]
    mean = sum(totals.sums[0][7] for totals in million) / GAMES
    # the kernel's own error is 16 times smaller and is left out
    assert abs(plies.mean() - mean) < FOUR_SIGMA * plies.std(ddof=1) / sqrt(len(plies))
