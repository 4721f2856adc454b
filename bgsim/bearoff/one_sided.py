"""One-sided bear-off: how many rolls a side alone needs, to clear and for its first checker."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bgsim.bearoff.files import facts_of, open_file, place_for, write_file
from bgsim.bearoff.lists import number_positions
from bgsim.bearoff.resources import check_disk, check_memory
from bgsim.core.errors import TableError
from bgsim.kernels.numbering import firsts_of, ways_of, write_positions
from bgsim.kernels.one_sided import DEEPEST_MOVE, DEEPEST_PLAY, OneSidedWork, sweep

__all__ = ["PIPS_A_ROLL", "OneSided", "Rolls", "build_one_sided", "open_one_sided", "pip_counts_of"]

Reals = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
KIND = "one-sided"
PIPS_A_ROLL = 49 / 6  # mean over the 36 rolls
LEAST_PIPS = 3  # of a roll: 2-1
A_PART = 4096  # positions that a thread works out at once
A_BATCH = 1 << 20  # positions of a record batch
MOST_POINTS = 13  # with distributions; only means beyond


@dataclass(frozen=True, slots=True)
class Rolls:
    """Rolls needed from positions: their mean, and the chance of needing exactly k (column k)."""

    means: Reals  # float64[positions]
    chances: Reals  # float64[positions, rolls]; one column that means nothing where only means are asked for


class _Sweep:
    """The rolls to fewer than `needed` checkers, pip count by pip count."""

    def __init__(self, ways: Numbers, firsts: Numbers, needed: int, rolls: int) -> None:
        self._ways, self._firsts, self._needed, self._rolls = ways, firsts, needed, rolls
        self._means = np.zeros(int(firsts[-1]))
        near, far = (_ring(firsts, pips) for pips in (DEEPEST_MOVE, DEEPEST_PLAY))
        self._rings = np.zeros((far, rolls)), np.zeros((near, 3, 6)), np.zeros((near, 3, 6), np.int64)

    def rolls_of(self, pool: ThreadPoolExecutor, start: int, positions: npt.NDArray[np.uint8]) -> Rolls:
        """Those of a pip count's positions, which are number start, start + 1, ..."""
        chances = np.zeros((len(positions), self._rolls))

        def work_out(at: int) -> None:
            own = np.zeros((6, 6)), np.zeros((6, 6), np.int64)
            work = OneSidedWork(self._ways, self._firsts, self._means, *self._rings, *own)
            part = slice(at, at + A_PART)
            sweep(work, start + at, positions[part], self._needed, chances[part])

        list(pool.map(work_out, range(0, len(positions), A_PART)))
        return Rolls(self._means[start : start + len(positions)], chances)


def _ring(firsts: Numbers, pips: int) -> int:
    """Most positions of a pip count and of so many pip counts below it."""
    ends = firsts[1:]
    return int((ends - firsts[np.maximum(0, np.arange(len(ends)) - pips)]).max())


def pip_counts_of(
    points: int, checkers: int, *, threads: int = 1, with_chances: bool = True
) -> Iterator[tuple[npt.NDArray[np.uint8], Rolls, Rolls]]:
    """Work out the positions of one pip count after the other: uint8[positions, points] and their rolls.

    First those to bear all off, then those to bear off one of `checkers` (0 where one is off already); plays
    take the fewest rolls on average to what is asked for. Double precision throughout.
    """
    ways = ways_of(points, checkers)
    firsts = firsts_of(ways)
    rolls = -(-int(ways.shape[2] - 1) // LEAST_PIPS) + 2 if with_chances else 1
    to_clear, to_first = (_Sweep(ways, firsts, needed, rolls) for needed in (1, checkers))
    with ThreadPoolExecutor(threads) as pool:
        for start, end in pairwise(firsts.tolist()):
            positions = np.zeros((end - start, points), np.uint8)
            write_positions(ways, firsts, start, positions)
            yield (
                positions,
                to_clear.rolls_of(pool, start, positions),
                to_first.rolls_of(pool, start, positions),
            )


@dataclass(frozen=True, slots=True, eq=False)
class OneSided:
    """All positions of up to so many checkers on the last points of a side, by number (see `numbering`).

    Means are float64, chances float32; beyond 13 points there are only means.
    """

    points: int
    checkers: int
    ways: Numbers
    firsts: Numbers
    digest: str  # of its file, "" in memory
    batches: Sequence[pa.RecordBatch] = field(repr=False)
    starts: Numbers = field(repr=False)  # number of the first position of each batch, and of all at the end

    @property
    def has_chances(self) -> bool:
        """Whether it has distributions."""
        return "rolls" in self.batches[0].schema.names

    def numbers(self, positions: npt.ArrayLike) -> Numbers:
        """Numbers (int64[n]) of positions (whole numbers [n, points]), checkers on the ace point first.

        Raises:
            TableError: other points, or more checkers than the table has.
        """
        return number_positions(self.ways, self.firsts, positions)

    def means(self, numbers: npt.ArrayLike, *, first: bool = False) -> Reals:
        """Mean rolls (float64[n]) to bear all off, or the first of all checkers."""
        given = np.atleast_1d(np.asarray(numbers, np.int64))
        found = np.zeros(len(given))
        batches = np.searchsorted(self.starts, given, side="right") - 1
        for k in np.unique(batches).tolist():
            column = self.batches[k].column("mean_rolls_first" if first else "mean_rolls").to_numpy()
            found[batches == k] = column[given[batches == k] - self.starts[k]]
        return found

    def chances(self, number: int, *, first: bool = False) -> Reals:
        """Chances (float64[rolls]) that a position needs exactly 0, 1, 2, ... rolls.

        Raises:
            TableError: the table has only means.
        """
        self._refuse_means()
        k = int(np.searchsorted(self.starts, number, side="right")) - 1
        column = self.batches[k].column("rolls_first" if first else "rolls")
        found: Reals = column[int(number - self.starts[k])].values.to_numpy().astype(np.float64)
        return found

    def all_chances(self, *, first: bool = False) -> tuple[Numbers, npt.NDArray[np.float32]]:
        """Where each position's chances begin (int64[positions + 1]) and all of them; views if in one batch.

        Raises:
            TableError: the table has only means.
        """
        self._refuse_means()
        columns = [batch.column("rolls_first" if first else "rolls") for batch in self.batches]
        values = [column.values.to_numpy() for column in columns]
        starts, at = [np.zeros(1, np.int64)], 0
        for column, chances in zip(columns, values, strict=True):
            starts.append(column.offsets.to_numpy()[1:] + at)
            at += len(chances)
        return np.concatenate(starts), values[0] if len(values) == 1 else np.concatenate(values)

    def _refuse_means(self) -> None:
        if not self.has_chances:
            raise TableError(f"a table of {self.points} points has only means, no distributions")


def build_one_sided(
    *,
    points: int = 6,
    checkers: int = 15,
    out: str | Path | None = None,
    threads: int = 1,
    listener: Callable[[int], None] = lambda positions: None,
    started: Callable[[int], None] = lambda positions: None,
) -> OneSided:
    """Work out a table and write it to a file, or hold it in memory (out=None).

    `started` is told how many positions there are, `listener` how many each step has finished. The numbers
    do not depend on threads.

    Raises:
        TableError: sizes that cannot be, too little memory or disk, a file that is there or fails.
    """
    if not (1 <= points <= 24 and 1 <= checkers <= 15):
        raise TableError(
            f"{checkers} checkers on {points} points cannot be built: a one-sided table has 1 to 15 checkers "
            "on 1 to 24 points"
        )
    what = f"a one-sided table of {checkers} checkers on {points} points"
    firsts = firsts_of(ways_of(points, checkers))
    with_chances = points <= MOST_POINTS
    size = stored_bytes(firsts, points, with_chances)
    check_memory(what, working_bytes(firsts, with_chances) + (size if out is None else 0))
    facts = {"points": points, "checkers": checkers}
    found = pip_counts_of(points, checkers, threads=threads, with_chances=with_chances)
    started(int(firsts[-1]))
    batches = _batches(found, _schema(points, with_chances), listener)
    if out is None:
        return _table_of({**facts, "digest": ""}, list(batches))
    path = place_for(out)
    check_disk(what, path.parent, size)
    write_file(path, _schema(points, with_chances), batches, {"kind": KIND, **facts})
    return open_one_sided(path)


def stored_bytes(firsts: Numbers, points: int, with_chances: bool) -> int:
    """Size of a table, about: a distribution has some 5 rolls and one more for every 4 pips."""
    rolls = (5 + np.arange(len(firsts) - 1) / 4) if with_chances else np.zeros(len(firsts) - 1)
    return int((np.diff(firsts) * (points + 20 + 8 * rolls)).sum())


def working_bytes(firsts: Numbers, with_chances: bool) -> int:
    """Memory of a build."""
    rolls = (len(firsts) // LEAST_PIPS + 3) if with_chances else 1
    rings = 2 * (8 * rolls * _ring(firsts, DEEPEST_PLAY) + 288 * _ring(firsts, DEEPEST_MOVE))
    level = int(np.diff(firsts).max())
    return 16 * int(firsts[-1]) + rings + 60 * rolls * max(A_BATCH, level) // 2 + 100_000_000


def _schema(points: int, with_chances: bool) -> pa.Schema:
    fields = [
        ("points", pa.list_(pa.uint8(), points), "checkers", "on each point from the ace point up"),
        ("pips", pa.int32(), "pips", "pip count"),
        ("mean_rolls", pa.float64(), "rolls", "mean to bear all off"),
        ("mean_rolls_first", pa.float64(), "rolls", "mean to bear the first of all checkers off"),
        (
            "rolls",
            pa.large_list(pa.float32()),
            "probability",
            "of 0, 1, 2, ... rolls to bear all off",
        ),
        ("rolls_first", pa.large_list(pa.float32()), "probability", "the same to bear the first one off"),
    ]
    return pa.schema(
        [
            pa.field(name, kind, metadata={"unit": unit, "meaning": meaning})
            for name, kind, unit, meaning in fields[: 6 if with_chances else 4]
        ]
    )


def _batches(
    found: Iterable[tuple[npt.NDArray[np.uint8], Rolls, Rolls]],
    schema: pa.Schema,
    listener: Callable[[int], None],
) -> Iterator[pa.RecordBatch]:
    """Record batches of some pip counts each."""
    waiting: list[list[pa.Array]] = []
    count = 0
    for positions, clear, first in found:
        waiting.append(_columns(positions, clear, first)[: len(schema)])
        count += len(positions)
        if count >= A_BATCH:
            yield _joined(waiting, schema)
            waiting, count = [], 0
        listener(len(positions))
    if waiting:
        yield _joined(waiting, schema)


def _joined(waiting: list[list[pa.Array]], schema: pa.Schema) -> pa.RecordBatch:
    columns = [pa.concat_arrays(parts) for parts in zip(*waiting, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _columns(positions: npt.NDArray[np.uint8], clear: Rolls, first: Rolls) -> list[pa.Array]:
    points = positions.shape[1]
    return [
        pa.FixedSizeListArray.from_arrays(pa.array(positions.reshape(-1)), points),
        pa.array((positions @ np.arange(1, points + 1)).astype(np.int32)),
        pa.array(clear.means.copy()),
        pa.array(first.means.copy()),
        _lists(clear.chances),
        _lists(first.chances),
    ]


def _lists(chances: Reals) -> pa.Array:
    """Rows as lists that end with their last chance."""
    lengths = chances.shape[1] - np.argmax(chances[:, ::-1] > 0, axis=1)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    values = chances[np.arange(chances.shape[1]) < lengths[:, None]].astype(np.float32)
    return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(values))


def open_one_sided(path: str | Path, *, check: bool | None = None) -> OneSided:
    """Return a table that was built before, mapped into memory.

    check: read every byte and compare checksums; by default for tables up to 256 MB.

    Raises:
        TableError: there is none, it is damaged, of another kind or version; says which.
    """
    mapped = open_file(Path(path), KIND, check)
    return _table_of(facts_of(mapped, "points", "checkers", "digest"), mapped.batches, mapped.path)


def _table_of(facts: Mapping[str, Any], batches: list[pa.RecordBatch], path: Path | None = None) -> OneSided:
    points, checkers = facts["points"], facts["checkers"]
    ways = ways_of(points, checkers)
    firsts = firsts_of(ways)
    starts = np.concatenate([[0], np.cumsum([batch.num_rows for batch in batches])])
    schema = _schema(points, points <= MOST_POINTS)
    if starts[-1] != firsts[-1] or any(not batch.schema.equals(schema) for batch in batches):
        raise TableError(f"{path} is damaged: it has not the rows of such a table")
    return OneSided(points, checkers, ways, firsts, facts["digest"], batches, starts)
