"""Two-sided bear-off: what every pair of positions is worth, with and without the cube."""

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bgsim.bearoff.files import check_file, facts_of, map_file, open_file, place_for, write_file
from bgsim.bearoff.lists import Side, full_sides, number_positions, side_of
from bgsim.bearoff.passes import Pass, Worker, passes_of, ring_shape
from bgsim.bearoff.resources import check_disk, check_memory
from bgsim.bearoff.two_sided_files import (
    PART_KIND,
    UNITS,
    MemoryStore,
    PartStore,
    Store,
    addresses,
    joined,
    part_path,
    schema_of,
)
from bgsim.core.errors import TableError
from bgsim.core.files import as_path, lock_folder
from bgsim.kernels.numbering import firsts_of, ways_of, write_positions
from bgsim.kernels.two_sided import read_pairs

__all__ = ["TwoSided", "build_two_sided", "open_two_sided"]

KIND = "two-sided"
IN_MEMORY = 1 << 26  # bytes of a table that is worked out in memory and written at once
FACTS = ("points", "checkers", "beavers")
MOST_POINTS = 12  # of either side: beyond, two sides may still meet
Numbers = npt.NDArray[np.int64]
Listener = Callable[[int], None]


@dataclass(frozen=True, slots=True, eq=False)
class TwoSided:
    """Exact values of up to `checkers` on the last `points` of either side, money play.

    values: what there is, see `bgsim.bearoff.two_sided_files`. Positions of a side have numbers (see
    `bgsim.kernels.numbering`); a pair is the number of the side on roll and that of the other.
    """

    points: int
    checkers: int
    beavers: bool
    values: tuple[str, ...]
    digest: str  # of its file or files, "" in memory
    ways: Numbers
    firsts: Numbers
    full: npt.NDArray[np.bool_]  # of each position: 15 checkers are left, so gammons count
    ends: Numbers  # of each position: number of the first one with more pips
    rows: Mapping[str, tuple[Numbers, Numbers]]  # of each value: addresses of rows, forward and turned
    held: Sequence[pa.RecordBatch] = field(repr=False)  # what the addresses point into

    def numbers(self, positions: npt.ArrayLike) -> Numbers:
        """Numbers (int64[n]) of positions (whole numbers [n, points]), checkers on the ace point first.

        Raises:
            TableError: other points, or more checkers than the table has.
        """
        return number_positions(self.ways, self.firsts, positions)

    def read(self, name: str, pairs: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """A value of pairs (int64[n, 2], the side on roll first), to the side on roll.

        Raises:
            TableError: the table has no such value, or no such numbers.
        """
        if name not in self.rows:
            raise TableError(f"the table has no {name}; it has {', '.join(self.values)}")
        given = np.ascontiguousarray(pairs, np.int64).reshape(-1, 2)
        if given.min(initial=1) < 1 or given.max(initial=0) >= len(self.full):
            raise TableError(f"numbers of positions go from 1 to {len(self.full) - 1}")
        values = np.zeros(len(given))
        read_pairs(*self.rows[name], self.ends, self.full, UNITS, given, values)
        return values


def build_two_sided(
    *,
    points: int = 6,
    checkers: int = 6,
    out: str | Path | None = None,
    beavers: bool = False,
    threads: int = 1,
    listener: Listener = lambda pairs: None,
    started: Listener = lambda pairs: None,
) -> TwoSided:
    """Work out a table and write it to a file (or folder: out ends in "/"), or hold it in memory (None).

    A large one is built in parts beside the file (or in the folder), and the same call goes on where an
    earlier one was stopped. `started` is told the pairs of all passes that are left, `listener` those
    that a step has finished. The numbers depend neither on threads nor on where a build was stopped.

    Raises:
        TableError: sizes that cannot be, too little memory or disk, a file that is there or fails.
    """
    if not (1 <= points <= MOST_POINTS and 1 <= checkers <= 15):
        raise TableError(
            f"{checkers} checkers on {points} points cannot be built: a two-sided table has 1 to 15 checkers "
            f"on 1 to {MOST_POINTS} points"
        )
    what = f"a two-sided table of {checkers} checkers on {points} points"
    steps = passes_of(checkers, beavers=beavers)
    facts = {"points": points, "checkers": checkers, "beavers": beavers}
    firsts = firsts_of(ways_of(points, checkers))
    size = stored_bytes(firsts, steps)
    to_folder = out is not None and (str(out).endswith("/") or Path(out).is_dir())
    path = None if out is None else as_path(out) if to_folder else place_for(out)
    at_once = path is None or (not to_folder and size <= IN_MEMORY)
    check_memory(what, working_bytes(firsts) + (2 * size if at_once else 0))
    if at_once:
        memory = MemoryStore(side_of(points, checkers))
        _work_out(memory.side, steps, memory, threads, started, listener)
        if path is None:
            return _table_of({**facts, "digest": ""}, list(memory.batches()))
        write_file(path, schema_of(_kept(steps)), memory.batches(), {"kind": KIND, **facts})
        return open_two_sided(path)
    assert path is not None
    folder = path if to_folder else path.with_name(f"{path.name}.parts")
    check_disk(what, folder, (1 if to_folder else 2) * size + 2 * ring_bytes(firsts))
    with closing(lock_folder(folder)):
        store = PartStore(side_of(points, checkers), folder, facts)
        _work_out(store.side, steps, store, threads, started, listener)
        store.remove_rings()
        if not to_folder:
            write_file(path, schema_of(_kept(steps)), store.batches(steps), {"kind": KIND, **facts})
            shutil.rmtree(folder)
    return open_two_sided(path)


def _kept(steps: tuple[Pass, ...]) -> tuple[str, ...]:
    return tuple(name for step in steps for name in step.kept or step.values)


def stored_bytes(firsts: Numbers, steps: tuple[Pass, ...]) -> int:
    """Size of a table: each pair twice where both sides have equal pip counts."""
    rows = np.diff(firsts)
    return int(4 * len(_kept(steps)) * (rows * firsts[1:]).sum())


def ring_bytes(firsts: Numbers) -> int:
    """Size of a ring."""
    return 4 * int(np.prod(ring_shape(firsts, np.float32)))


def working_bytes(firsts: Numbers) -> int:
    """Memory of a build, rings included: they may be files, but slow ones if they do not stay in memory."""
    level = 4 * int((np.diff(firsts) * (firsts[1:] + 64)).max())
    return 2 * ring_bytes(firsts) + 10 * level + 100_000_000


def _work_out(
    side: Side, steps: tuple[Pass, ...], store: Store, threads: int, started: Listener, listener: Listener
) -> None:
    """Every pip count of every pass that the store has not."""
    done = [store.finished(step) for step in steps]
    pairs = side.firsts[1:] ** 2
    left = [int(pairs[-1] - pairs[count - 1]) if count else int(pairs[-1]) for count in done]
    started(sum(left))
    for step, count in zip(steps, done, strict=True):
        if count == side.pip_counts:
            continue
        worker = Worker(side, step, np.float32, threads, store.room)
        for pips in range(count, side.pip_counts):
            levels = worker.level(pips, store.take_of(pips) if step.needs_take else None)
            kept = step.kept or step.values
            named = dict(zip(step.values, levels, strict=True))
            store.add(step, pips, {name: named[name] for name in kept})
            listener(int(pairs[pips] - (pairs[pips - 1] if pips else 0)))


def open_two_sided(path: str | Path, *, check: bool | None = None) -> TwoSided:
    """Return a table that was built before, mapped into memory.

    check: read every byte and compare checksums; by default for tables up to 256 MB.

    Raises:
        TableError: there is none, it is unfinished, damaged, of another kind or version; says which.
    """
    path = Path(path)
    if path.is_dir():
        return _open_folder(path, bool(check))
    mapped = open_file(path, KIND, check)
    return _table_of(facts_of(mapped, *FACTS, "digest"), mapped.batches, path)


def _open_folder(folder: Path, check: bool) -> TwoSided:
    begun = folder / "begun.json"
    try:
        facts = json.loads(begun.read_text())["facts"]
        steps = passes_of(facts["checkers"], beavers=facts["beavers"])
        pip_counts = facts["points"] * facts["checkers"] + 1
    except FileNotFoundError:
        raise TableError(f"{folder} is a folder, but no table of bgsim") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise TableError(f"{begun} is damaged") from None
    batches, digests = [], []
    for pips in range(pip_counts):
        parts = [map_file(part_path(folder, step.name, pips), PART_KIND) for step in steps]
        for part in parts:
            if check:
                check_file(part)
            if facts_of(part, *FACTS) != facts:
                raise TableError(f"{part.path} is part of another table")
        batches.append(joined([part.batches[0] for part in parts]))
        digests += [str(part.facts["digest"]) for part in parts]
    digest = hashlib.blake2b(" ".join(digests).encode(), digest_size=16).hexdigest()
    return _table_of({**facts, "digest": digest}, batches, folder)


def _table_of(facts: Mapping[str, Any], batches: list[pa.RecordBatch], path: Path | None = None) -> TwoSided:
    """A table of the batches of its pip counts.

    Raises:
        TableError: they are not those of such a table.
    """
    points, checkers, beavers = facts["points"], facts["checkers"], facts["beavers"]
    ways = ways_of(points, checkers)
    firsts = firsts_of(ways)
    values = _kept(passes_of(checkers, beavers=beavers))
    positions = np.zeros((int(firsts[-1]), points), np.uint8)
    write_positions(ways, firsts, 0, positions)
    try:
        rows = {
            name: (addresses(batches, name, firsts), addresses(batches, f"{name}_turned", firsts))
            for name in values
        }
    except (pa.ArrowException, KeyError, ValueError, IndexError):
        raise TableError(f"{path} is damaged: it has not the rows of such a table") from None
    return TwoSided(
        points,
        checkers,
        beavers,
        values,
        facts["digest"],
        ways,
        firsts,
        full=full_sides(positions),
        ends=np.repeat(firsts[1:], np.diff(firsts)),
        rows=rows,
        held=batches,
    )
