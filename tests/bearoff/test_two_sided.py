"""Two-sided bear-off: published values, GNU Backgammon's table, a plain recursion, gammons, files."""

from __future__ import annotations

import csv
import ctypes
import json
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bgsim.bearoff.answers import ask_two_sided, covers, gnubg_index
from bgsim.bearoff.checks import recompute
from bgsim.bearoff.lists import side_of
from bgsim.bearoff.passes import Level, Worker, passes_of
from bgsim.bearoff.two_sided import build_two_sided, open_two_sided
from bgsim.core.errors import PositionError, TableError
from bgsim.core.notation import parse
from bgsim.core.position import Position
from tests import oracle
from tests.oracle import side

DATA = Path(__file__).parents[1] / "data"
IN_ORDER = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
VALUES = ("equity_cubeless", "equity_owned", "equity_opponent_owned", "equity_centred")


@cache
def table(points=6, checkers=6, beavers=False):
    return build_two_sided(points=points, checkers=checkers, beavers=beavers)


@cache
def before_storage(points, checkers, beavers=False):
    """Every value as a whole matrix [m, o] in double precision."""
    found = side_of(points, checkers)
    n = int(found.firsts[-1])
    matrices, takes = {}, []
    for step in passes_of(checkers, beavers=beavers):
        worker = Worker(found, step, np.float64, 1, lambda name, shape: np.full(shape, np.nan))
        for pips in range(found.pip_counts):
            first, end = found.firsts[pips : pips + 2]
            levels = worker.level(pips, takes[pips] if step.needs_take else None)
            for name, level in zip(step.values, levels, strict=True):
                whole = matrices.setdefault(name, np.zeros((n, n)))
                whole[first:end, :end] = level.forward[:, :end]
                whole[:first, first:end] = level.turned[:, :first].T
                if name == "equity_opponent_owned":
                    takes.append(Level(level.forward.copy(), level.turned.copy()))
    return matrices


# --- plain recursion ------------------------------------------------------------------------------


@cache
def ends_of(mine, checkers):
    """Where each of the 21 rolls leads, by the rule book; counts of points 1 up."""
    mover = side({point: n for point, n in enumerate(mine, 1) if n} | {0: 15 - sum(mine)})
    far = side({0: 14, 1: 1})
    return [{after[0][1 : len(mine) + 1] for after in oracle.results(mover, far, dice)} for dice in IN_ORDER]


def mean_of_best(mine, theirs, value, lost):
    """Mean over the rolls of the best play, `value` being what the other side has then."""
    total = 0.0
    for dice, ends in zip(IN_ORDER, ends_of(mine, sum(mine)), strict=True):
        best = max(lost if not any(end) else -value(theirs, end) for end in ends)
        total += (1 if dice[0] == dice[1] else 2) * best
    return total / 36


@cache
def plain(name, mine, theirs, beavers=False):
    """A value by its definition; a game with all 15 checkers of the loser left is a gammon."""
    won = 2.0 if sum(theirs) == 15 else 1.0

    def doubled(a, b):
        take = plain("equity_opponent_owned", a, b)
        return min((4 if beavers and take < 0 else 2) * take, 1)

    if name == "equity_cubeless":
        return mean_of_best(mine, theirs, lambda a, b: plain(name, a, b), won)
    if name == "equity_owned":
        return mean_of_best(mine, theirs, lambda a, b: plain("equity_opponent_owned", a, b), won)
    if name == "equity_opponent_owned":
        best = lambda a, b: max(plain("equity_owned", a, b), min(2 * plain(name, a, b), 1))  # noqa: E731
        return mean_of_best(mine, theirs, best, won)
    best = lambda a, b: max(plain(name, a, b, beavers), doubled(a, b))  # noqa: E731
    return mean_of_best(mine, theirs, best, 1.0 if name == "equity_centred_jacoby" else won)


@pytest.mark.slow
@pytest.mark.parametrize(("points", "checkers"), [(6, 3), (8, 2)])
def test_plain_recursion(points, checkers):
    """Both in double precision, so equal to 1e-12; the file within half a unit of 16 bits."""
    matrices, stored = before_storage(points, checkers), table(points, checkers)
    sides = [tuple(position) for position in side_of(points, checkers).positions.tolist()]
    pairs = [(m, o) for m in range(1, len(sides), 2) for o in range(1, len(sides), 3)]
    for name in VALUES:
        expected = np.array([plain(name, sides[m], sides[o]) for m, o in pairs])
        assert matrices[name][tuple(np.array(pairs).T)] == pytest.approx(expected, abs=1e-12)
        # Half a unit, and where a double of a stored value is looked at twice that more.
        units = 1.5 if name == "equity_centred" else 0.5
        assert stored.read(name, pairs) == pytest.approx(expected, abs=units / 32767 + 2e-6)


@pytest.mark.slow
def test_plain_recursion_with_gammons():
    """15 checkers on 2 points: 136 positions, 16 of them with all checkers left."""
    matrices = before_storage(2, 15)
    sides = [tuple(position) for position in side_of(2, 15).positions.tolist()]
    full = np.array([sum(s) == 15 for s in sides])
    assert full.sum() == 16
    rng = np.random.default_rng(5)
    pairs = rng.integers(1, len(sides), (60, 2)).tolist()
    pairs += [(m, o) for m in np.flatnonzero(full)[::5] for o in np.flatnonzero(full)[::4]]
    for name in (*VALUES, "equity_centred_jacoby"):
        expected = np.array([plain(name, sides[m], sides[o]) for m, o in pairs])
        assert matrices[name][tuple(np.array(pairs).T)] == pytest.approx(expected, abs=1e-12)


def test_gammons_and_wins_are_those_of_the_equity():
    """E = W - L + gammons won - gammons lost; against a side with a checker off none is won."""
    matrices = before_storage(3, 15)
    n = len(matrices["gammons"])
    full = side_of(3, 15).full
    more = matrices["equity_cubeless"] - matrices["win_minus_lose"]
    gammons, pairs = matrices["gammons"], np.ones((n, n), bool)
    pairs[0] = pairs[:, 0] = False
    neither = pairs & ~full[:, None] & ~full
    assert neither.any()
    assert np.abs(more[neither]).max() < 1e-14 > np.abs(gammons[neither]).max()
    only_lost = pairs & full[:, None] & ~full
    assert gammons[only_lost] == pytest.approx(-more[only_lost], abs=1e-14)
    both = pairs & full[:, None] & full
    assert np.all(gammons[both] >= np.abs(more[both]) - 1e-14)
    stack = side_of(3, 15).positions.tolist().index([15, 0, 0])
    # Fifteen on the ace point each: neither side can be kept from bearing one off.
    assert gammons[stack, stack] == pytest.approx(0.0, abs=1e-15)


# --- published values -----------------------------------------------------------------------------


def published():
    parts = json.loads((DATA / "exact_cube_positions.json").read_text())
    rows = [row for part in parts.values() for row in part]
    return [row for row in rows if max(len(row["me"]), len(row["op"])) <= 6]


def counts(points):
    return [points.count(str(p)) for p in range(1, 7)]


@pytest.mark.parametrize("row", published(), ids=lambda row: f"{row['me']} v {row['op']}")
def test_published_cube_positions(row):
    """Checks 5 to 8 of the project's list, and other positions computed elsewhere; 16 bits round."""
    sides = ({p: n for p, n in enumerate(counts(row[who]), 1) if n} for who in ("me", "op"))
    position = Position.from_points(*sides)
    answer = {name: column[0] for name, column in ask_two_sided(table(), [position]).items()}
    assert answer["win"] == pytest.approx(row["win"], abs=1e-5)
    assert answer["equity_owned"] == pytest.approx(row["nodbl_owned"], abs=2e-5)
    assert answer["equity_centred"] == pytest.approx(row["nodbl_centred"], abs=5e-5)
    assert answer["equity_centred_jacoby"] == answer["equity_centred"]
    assert answer["equity_opponent_owned"] == pytest.approx(row["opp_owns"], abs=2e-5)
    assert answer["equity_double_take"] == pytest.approx(row["double_take"], abs=4e-5)
    assert answer["action"] == row["centred_action"]
    assert answer["action_redouble"] == row["owned_action"]


def test_published_values_before_storage():
    """5,2 v 3,2 to the digits printed: win 0.671124829, owned +0.344135802, unavailable +0.160493827."""
    matrices = before_storage(6, 2)
    number = {tuple(p): row for row, p in enumerate(side_of(6, 2).positions.tolist())}
    pair = number[0, 1, 0, 0, 1, 0], number[0, 1, 1, 0, 0, 0]
    assert (matrices["equity_cubeless"][pair] + 1) / 2 == pytest.approx(0.671124829, abs=5e-10)
    assert matrices["equity_owned"][pair] == pytest.approx(0.344135802, abs=5e-10)
    assert matrices["equity_opponent_owned"][pair] == pytest.approx(0.160493827, abs=5e-10)
    pair = number[0, 2, 0, 0, 0, 0], number[0, 2, 0, 0, 0, 0]
    assert (matrices["equity_cubeless"][pair] + 1) / 2 == pytest.approx(0.799382716, abs=5e-10)


def test_posted_values():
    """Case B01: 1,2,3,5,6,6 v 1,4,6,6,6,6, posted from a 6 by 6 table; its numbers there are 641 and 707."""
    assert gnubg_index([1, 1, 1, 0, 1, 2]) == 641
    assert gnubg_index([1, 0, 0, 1, 0, 4]) == 707
    answer = ask_two_sided(table(), [parse("kQcAgEoDAAAAAA").position])
    posted = {"cubeless": 0.7554, "owned": 0.9339, "centred": 0.9303, "opponent_owned": 0.7441}
    for name, value in posted.items():
        assert answer[f"equity_{name}"][0] == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize(
    ("stand", "index"), [((), 0), ((1,), 1), ((1,) * 15, 38_760), ((6,) * 15, 54_263)], ids=str
)
def test_gnubg_numbers(stand, index):
    """Case B07."""
    assert gnubg_index([stand.count(point) for point in range(1, 7)]) == index


def test_gnubg_table():
    """2,046 pairs; it truncates to 16 bits at each level, up to 9e-5 from the truth, so 1.5e-4 is allowed."""
    with (DATA / "gnubg_two_sided.csv").open(newline="", encoding="ascii") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 2046
    answer = ask_two_sided(table(), [Position.from_gnubg_id(row["position_id"]) for row in rows])
    names = {"opp_owned": "opponent_owned"}
    for column in ("cubeless", "owned", "centred", "opp_owned"):
        name = f"equity_{names.get(column, column)}"
        stored = np.array([int(row[column]) for row in rows]) / 32767.5 - 1
        assert answer[name] == pytest.approx(stored, abs=1.5e-4)


def test_beavers():
    """Four aces v two, 1111 v 11: doubled and beavered it is worth -2.6667 (check 10): 4 x -2/3."""
    position = Position.from_points({1: 4}, {1: 2})
    take = ask_two_sided(table(), [position])["equity_opponent_owned"][0]
    assert 4 * take == pytest.approx(-8 / 3, abs=1e-4)
    plainly, beavered = before_storage(6, 2), before_storage(6, 2, beavers=True)
    assert np.array_equal(plainly["equity_owned"], beavered["equity_owned"])
    # Without gammons a right double is never a right beaver, so nothing changes.
    assert beavered["equity_centred"] == pytest.approx(plainly["equity_centred"], abs=1e-14)


def test_beavers_with_gammons():
    sides = [tuple(position) for position in side_of(2, 15).positions.tolist()]
    matrices = before_storage(2, 15, beavers=True)
    rng = np.random.default_rng(6)
    for m, o in rng.integers(1, len(sides), (6, 2)).tolist():
        for name in ("equity_centred", "equity_centred_jacoby"):
            assert matrices[name][m, o] == pytest.approx(plain(name, sides[m], sides[o], True), abs=1e-12)


# --- what a table covers --------------------------------------------------------------------------


def test_covered_positions():
    position = {
        "6:6 / 6:6": True,
        "6:7 / 6:6": False,  # too many
        "7:1 / 6:6": False,  # not home
        "6:1 /": False,  # over
        "/ 6:1": False,
    }
    for text, covered in position.items():
        assert covers(table(), [parse(text).position]).tolist() == [covered], text
    three = Position.from_points({1: 3}, {1: 2}, checkers=3)  # all of a set of three: a gammon could be lost
    assert not covers(table(), [three])[0]
    assert covers(table(), [Position.from_points({1: 2}, {1: 2}, checkers=3)])[0]
    with pytest.raises(PositionError, match="is not in the table: it has 1 to 6 checkers of each side"):
        ask_two_sided(table(), [parse("start").position])


def test_numbers_that_are_none():
    with pytest.raises(TableError, match="numbers of positions go from 1 to 923"):
        table().read("equity_owned", [[0, 1]])
    with pytest.raises(TableError, match="numbers of positions go from 1 to 923"):
        table().read("equity_owned", [[1, 924]])
    with pytest.raises(TableError, match="the table has no gammons"):
        table().read("gammons", [[1, 1]])
    for wrong in ([[7, 0, 0, 0, 0, 0]], [[1, 2]], [[-1, 0, 0, 0, 0, 0]], [[0.5, 0, 0, 0, 0, 0]]):
        with pytest.raises(TableError, match="up to 6 checkers on 6 points"):
            table().numbers(wrong)


# --- files ----------------------------------------------------------------------------------------


@pytest.fixture
def parted(monkeypatch):
    """Even a small table is built in parts."""
    monkeypatch.setattr("bgsim.bearoff.two_sided.IN_MEMORY", 0)


def test_the_same_file_in_one_go_or_in_parts(tmp_path, monkeypatch):
    build_two_sided(checkers=5, out=tmp_path / "a.arrow")
    monkeypatch.setattr("bgsim.bearoff.two_sided.IN_MEMORY", 0)
    build_two_sided(checkers=5, out=tmp_path / "b.arrow", threads=3)
    assert (tmp_path / "a.arrow").read_bytes() == (tmp_path / "b.arrow").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.arrow", "b.arrow"]


def test_a_folder_holds_the_same(tmp_path):
    folder = build_two_sided(checkers=3, out=f"{tmp_path}/x/")
    pairs = np.random.default_rng(1).integers(1, 84, (500, 2))
    for name in VALUES:
        assert folder.read(name, pairs).tolist() == table(6, 3).read(name, pairs).tolist()
    assert not list((tmp_path / "x").glob("*.ring"))
    (tmp_path / "x" / "owned-005.arrow").unlink()
    with pytest.raises(TableError, match=r"there is no file .*owned-005\.arrow"):
        open_two_sided(tmp_path / "x")


@pytest.mark.usefixtures("parted")
def test_a_build_that_was_stopped_goes_on(tmp_path):
    """Stopped in each pass in turn; what was finished is not done again, and the file is the same."""
    build_two_sided(checkers=4, out=tmp_path / "whole.arrow")

    class Stop(Exception):
        pass

    def stop_after(pairs):
        def listener(done):
            nonlocal pairs
            pairs -= done
            if pairs < 0:
                raise Stop

        return listener

    asked = []
    for pairs in (10_000, 40_000, 50_000):
        with pytest.raises(Stop):
            build_two_sided(
                checkers=4, out=tmp_path / "x.arrow", listener=stop_after(pairs), started=asked.append
            )
    build_two_sided(checkers=4, out=tmp_path / "x.arrow", started=asked.append)
    assert asked == sorted(asked, reverse=True)
    assert len(set(asked)) == 4
    assert (tmp_path / "x.arrow").read_bytes() == (tmp_path / "whole.arrow").read_bytes()


@pytest.mark.usefixtures("parted")
def test_after_the_machine_was_started_anew_a_pass_begins_again(tmp_path, monkeypatch):
    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_two_sided(checkers=4, out=tmp_path / "x.arrow", listener=stop)
    assert (tmp_path / "x.arrow.parts" / "cubeless-000.arrow").exists()
    monkeypatch.setattr("bgsim.bearoff.two_sided_files._boot", lambda: "another")
    asked = []
    build_two_sided(checkers=4, out=tmp_path / "x.arrow", started=asked.append)
    assert asked == [3 * 210**2]


@pytest.mark.usefixtures("parted")
def test_parts_of_another_table_are_not_touched(tmp_path):
    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_two_sided(checkers=4, out=tmp_path / "x.arrow", listener=stop)
    with pytest.raises(TableError, match="parts of another table, of 4 checkers on 6 points"):
        build_two_sided(checkers=3, out=tmp_path / "x.arrow")
    assert (tmp_path / "x.arrow.parts" / "cubeless-000.arrow").exists()


def test_a_file_that_is_there_is_kept(tmp_path):
    (tmp_path / "x.arrow").write_bytes(b"mine")
    with pytest.raises(TableError, match=r"x.arrow exists: remove it, or choose another --out"):
        build_two_sided(checkers=2, out=tmp_path / "x.arrow")
    assert (tmp_path / "x.arrow").read_bytes() == b"mine"


@pytest.mark.parametrize(("points", "checkers"), [(0, 6), (13, 2), (6, 16), (6, 0)])
def test_sizes_that_cannot_be(points, checkers):
    with pytest.raises(TableError, match=f"{checkers} checkers on {points} points cannot be built"):
        build_two_sided(points=points, checkers=checkers)


def test_too_little_memory_or_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("bgsim.bearoff.resources._free_memory", lambda: 16_000_000_000)
    with pytest.raises(TableError, match=r"15 checkers .* needs .* GB of memory, and 16\.0 GB are free"):
        build_two_sided(checkers=15, out=f"{tmp_path}/x/")
    monkeypatch.setattr("bgsim.bearoff.resources._free_memory", lambda: 24_000_000_000)
    usage = SimpleNamespace(free=10_000_000_000)
    monkeypatch.setattr("bgsim.bearoff.resources.shutil.disk_usage", lambda path: usage)
    with pytest.raises(TableError, match=r"needs .* GB of disk, and 10.0 GB are free"):
        build_two_sided(checkers=15, out=f"{tmp_path}/x/")
    assert not (tmp_path / "x").exists()


# --- a table held against itself ------------------------------------------------------------------


def test_recomputed_pairs_agree():
    done = recompute(table(), pairs=3000)
    assert done.passed
    assert set(done.worst) == set(VALUES)


def test_recomputed_pairs_with_gammons_agree():
    done = recompute(table(3, 15), pairs=3000)
    assert done.passed
    assert set(done.worst) == {*VALUES, "win_minus_lose", "gammons", "equity_centred_jacoby"}


@pytest.mark.parametrize(
    "name",
    [
        "equity_cubeless",
        "gammons",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("equity_owned", "win_minus_lose", "equity_centred_jacoby")
        ),
    ],
)
def test_a_wrong_value_is_seen(name):
    """Every other number is 8 units off: what it leads to says otherwise."""
    wrong = build_two_sided(points=3, checkers=15)
    for batch in wrong.held:
        for column in (name, f"{name}_turned"):
            values = batch.column(column).values
            stored = (ctypes.c_int16 * len(values)).from_address(values.buffers()[1].address)
            np.ctypeslib.as_array(stored)[::2] += 8
    assert not recompute(wrong, pairs=500).passed
