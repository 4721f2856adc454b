"""One-sided bear-off: published values, GNU Backgammon's table, a plain recursion."""

from __future__ import annotations

import csv
from functools import cache
from math import comb
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from bgsim.bearoff.one_sided import PIPS_A_ROLL, build_one_sided, open_one_sided, pip_counts_of
from bgsim.kernels.numbering import firsts_of, ways_of, write_numbers
from tests import oracle
from tests.oracle import ALL_ROLLS, side

DATA = Path(__file__).parents[1] / "data"
EPC = 49 / 6


class Whole(NamedTuple):
    """All that is worked out, before it is stored."""

    positions: np.ndarray
    means: np.ndarray
    chances: np.ndarray
    first_means: np.ndarray
    first_chances: np.ndarray


@cache
def table(points=6, checkers=15, with_chances=True):
    levels = list(pip_counts_of(points, checkers, with_chances=with_chances))
    return Whole(
        np.concatenate([positions for positions, _, _ in levels]),
        np.concatenate([clear.means for _, clear, _ in levels]),
        np.concatenate([clear.chances for _, clear, _ in levels]),
        np.concatenate([first.means for _, _, first in levels]),
        np.concatenate([first.chances for _, _, first in levels]),
    )


def number(*counts, points=6, checkers=15):
    """Number of the position with so many checkers on its points 1, 2, ..."""
    ways = ways_of(points, checkers)
    position = np.array([counts + (0,) * (points - len(counts))], np.uint8)
    found = np.zeros(1, np.int64)
    write_numbers(ways, firsts_of(ways), position, found)
    return int(found[0])


# --- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("points", "checkers"), [(6, 15), (6, 6), (1, 15), (24, 2), (7, 3)])
def test_every_position_once_and_by_pip_count(points, checkers):
    """Counts: placements of up to c checkers on p points are C(p + c, c); 54,264 and 924 are published."""
    found = table(points, checkers).positions if points <= 7 else None
    ways = ways_of(points, checkers)
    firsts = firsts_of(ways)
    assert firsts[-1] == comb(points + checkers, checkers)
    if found is None:
        return
    pips = found.astype(int) @ np.arange(1, points + 1)
    assert np.all(np.diff(pips) >= 0)
    assert found.sum(axis=1, dtype=int).max() == checkers
    assert len({position.tobytes() for position in found}) == len(found)
    numbers = np.zeros(len(found), np.int64)
    write_numbers(ways, firsts, found, numbers)
    assert numbers.tolist() == list(range(len(found)))


# --- published values -----------------------------------------------------------------------------


def test_published_means():
    """Source: Trice 2000 and GNU Backgammon's manual; check 3 of the project's list."""
    means = table().means
    assert means[number(7)] == pytest.approx(3.5509259259, abs=1e-9)
    assert means[number(13)] * EPC == pytest.approx(50.000004, abs=5e-7)
    assert means[number(15)] == pytest.approx(6.9795917638, abs=1e-9)
    assert means[number(15)] * EPC == pytest.approx(56.999999, abs=5e-7)
    assert means[number(5, 4)] == pytest.approx(4.41, abs=5e-3)
    assert means[number(5, 4)] * EPC == pytest.approx(36.02, abs=5e-3)
    assert table().means[number(0, 0, 0, 3, 5, 7)] * EPC == pytest.approx(86.0689, abs=5e-5)
    assert table().chances[number(7), [2, 4]] == pytest.approx([1 / 36, 125 / 216], abs=1e-15)


ACE_STACKS = (1.0, 1.8333333333333335, 2.6944444444444438, 3.550925925925925, 4.408179012345677,
              5.265303497942384, 6.122449417009599, 6.979591763831731)  # fmt: skip


def test_stacks_on_the_ace_point():
    """A roll takes two, a double four: as many for an odd number as for the next. Computed elsewhere."""
    for pairs, mean in enumerate(ACE_STACKS, 1):
        for count in (2 * pairs - 1, 2 * pairs):
            if count <= 15:
                assert table().means[number(count)] == pytest.approx(mean, abs=1e-12)


ONE_ROLL = {
    (4,): 34, (5,): 31, (6,): 27, (2, 2): 26, (3, 1): 34, (3, 2): 25,
    (4, 1): 29, (4, 4): 11, (5, 2): 19, (6, 5): 6, (6, 6): 4,
}  # fmt: skip


@pytest.mark.parametrize(("stand", "rolls"), ONE_ROLL.items(), ids=str)
def test_rolls_of_36_that_clear(stand, rolls):
    """Source: Bray 1997, Tansey 2014; check 4."""
    counts = [stand.count(point) for point in range(1, 7)]
    assert table().chances[number(*counts), 1] == pytest.approx(rolls / 36, abs=1e-15)


@pytest.mark.slow
def test_stack_and_straggler():
    """Five on the ace point and one on the 17: case B04, 4.662551 rolls, published EPC 38.078."""
    found = build_one_sided(points=17, checkers=6)
    assert not found.has_chances
    (mean,) = found.means(found.numbers([5, *(0,) * 15, 1]))
    assert mean == pytest.approx(4.662551, abs=5e-7)
    assert mean * PIPS_A_ROLL == pytest.approx(38.0775, abs=5e-5)


# --- GNU Backgammon's table -----------------------------------------------------------------------


def test_gnubg_table():
    """502 positions; it rounds to 1/65535 at each level, so 2e-4 is allowed."""
    with (DATA / "gnubg_one_sided.csv").open(newline="", encoding="ascii") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 502
    for row in rows:
        counts = tuple(map(int, row["points"].split()))
        at = number(*counts)
        chances = np.zeros(table().chances.shape[1])
        stored = np.array(row["chances"].split(), float) / 65535
        chances[: len(stored)] = stored
        assert table().chances[at] == pytest.approx(chances, abs=2e-4)
        assert table().means[at] == pytest.approx(float(row["mean_rolls"]), abs=2e-4)
        if sum(counts) == 15:
            assert table().first_means[at] == pytest.approx(float(row["mean_rolls_first_off"]), abs=2e-4)


# --- plain recursion ------------------------------------------------------------------------------


@cache
def plain(counts, needed):
    """Mean and distribution by the rule book's plays; counts of points 1 to 8."""
    if sum(counts) < needed:
        return 0.0, (1.0,)
    mine = side({point: n for point, n in enumerate(counts, 1) if n} | {0: 15 - sum(counts)})
    mean, chances = 1.0, [0.0] * 40
    for roll in ALL_ROLLS:
        ends = {after[0][1:9] for after in oracle.results(mine, side({0: 14, 1: 1}), roll)}
        best, then = min(plain(end, needed) for end in ends)
        weight = (1 if roll[0] == roll[1] else 2) / 36
        mean += weight * best
        for k, chance in enumerate(then):
            chances[k + 1] += weight * chance
    return mean, tuple(chances[: 1 + max(k for k, c in enumerate(chances) if c)])


@pytest.mark.slow
@pytest.mark.parametrize("needed", [1, 3], ids=["clear", "first"])
def test_plain_recursion_with_three_checkers_on_eight_points(needed):
    """All 165 positions: both in double precision, so equal to 1e-12."""
    found = table(8, 3)
    rolls = found[1:3] if needed == 1 else found[3:5]
    for position, mean, chances in zip(found.positions, *rolls, strict=True):
        expected, distribution = plain(tuple(map(int, position)), needed)
        assert mean == pytest.approx(expected, abs=1e-12)
        full = np.zeros(len(chances))
        full[: len(distribution)] = distribution
        assert chances == pytest.approx(full, abs=1e-12)


def test_distributions_are_of_their_means():
    for means, chances in (table()[1:3], table()[3:5]):
        assert np.abs(chances.sum(axis=1) - 1).max() <= 1e-12
        assert np.abs(chances @ np.arange(chances.shape[1]) - means).max() <= 1e-12


def test_means_alone_are_the_same():
    assert table(8, 3, with_chances=False).means.tobytes() == table(8, 3).means.tobytes()


# --- files ----------------------------------------------------------------------------------------


def test_a_file_holds_what_was_worked_out(tmp_path):
    """Means bit for bit, chances as float32."""
    build_one_sided(out=tmp_path / "x.arrow")
    found = open_one_sided(tmp_path / "x.arrow", check=True)
    everything = np.arange(len(table().positions))
    assert found.means(everything).tobytes() == table().means.tobytes()
    assert found.means(everything, first=True).tobytes() == table().first_means.tobytes()
    for at in range(0, len(everything), 997):
        for first, whole in ((False, table().chances), (True, table().first_chances)):
            stored = found.chances(at, first=first)
            assert stored == pytest.approx(whole[at, : len(stored)], rel=6e-8)
            assert not whole[at, len(stored) :].any()


def test_threads_and_batches_change_nothing(tmp_path, monkeypatch):
    """Several record batches: the same numbers, found through another one."""
    build_one_sided(points=7, checkers=9, out=tmp_path / "a.arrow")
    build_one_sided(points=7, checkers=9, out=tmp_path / "b.arrow", threads=3)
    assert (tmp_path / "a.arrow").read_bytes() == (tmp_path / "b.arrow").read_bytes()
    monkeypatch.setattr("bgsim.bearoff.one_sided.A_BATCH", 1000)
    parted = build_one_sided(points=7, checkers=9, out=tmp_path / "c.arrow")
    whole = open_one_sided(tmp_path / "a.arrow")
    assert len(whole.batches) == 1 < len(parted.batches)
    numbers = np.arange(0, int(whole.firsts[-1]), 37)
    assert parted.means(numbers).tobytes() == whole.means(numbers).tobytes()
    for number in numbers[::20].tolist():
        assert parted.chances(number).tobytes() == whole.chances(number).tobytes()
