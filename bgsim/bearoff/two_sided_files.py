"""How two-sided values lie in table files, and the parts of a table that is being built.

A record batch holds the positions m of one pip count: for each value two lists of int16, against every o up
to that pip count, `NAME` to m on roll and `NAME_turned` to o on roll. Stored numbers are values times
UNITS[0], or UNITS[1] where a side has all 15 checkers left, as gammons count there.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bgsim.bearoff.files import Mapped, check_file, map_file, write_file
from bgsim.bearoff.lists import Side
from bgsim.bearoff.passes import Level, Pass, Reals
from bgsim.core.errors import TableError
from bgsim.core.files import write_aside
from bgsim.kernels.two_sided import read_stored, write_stored

__all__ = [
    "PART_KIND",
    "UNITS",
    "MemoryStore",
    "PartStore",
    "Store",
    "addresses",
    "joined",
    "part_path",
    "schema_of",
]

UNITS = (32767.0, 16383.0)
MEANINGS = {
    "equity_cubeless": "cubeless equity",
    "win_minus_lose": "chance to win less chance to lose, cubeless play",
    "gammons": "chance that either side wins a gammon, cubeless play",
    "equity_owned": "equity of not doubling now, the cube being his own",
    "equity_opponent_owned": "equity with the cube in the other's hands",
    "equity_centred": "equity of not doubling now, the cube in the middle, no Jacoby rule",
    "equity_centred_jacoby": "equity of not doubling now, the cube in the middle, Jacoby rule",
}
PART_KIND = "two-sided part"
TAKE = "equity_opponent_owned"
Stored = npt.NDArray[np.int16]
Numbers = npt.NDArray[np.int64]


def schema_of(values: tuple[str, ...]) -> pa.Schema:
    """Columns of a table with these values."""
    fields = []
    for name in values:
        for column, who in ((name, "this side on roll"), (f"{name}_turned", "the other side on roll")):
            notes = {"unit": f"1/{UNITS[0]:.0f} point, 2/{UNITS[0]:.0f} where a side has 15 checkers"}
            meaning = f"{MEANINGS[name]}, {who}, against each position up to this pip count"
            fields.append(pa.field(column, pa.large_list(pa.int16()), metadata={**notes, "meaning": meaning}))
    return pa.schema(fields)


def _lists(rows: Stored) -> pa.Array:
    """Rows as lists, without a copy."""
    offsets = np.arange(len(rows) + 1, dtype=np.int64) * rows.shape[1]
    return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(rows.reshape(-1)))


def stored_rows(column: pa.Array) -> Stored:
    """The rows of lists of equal lengths, where they lie."""
    found: Stored = column.values.to_numpy(zero_copy_only=True).reshape(len(column), -1)
    return found


def addresses(
    batches: Sequence[pa.RecordBatch], name: str, firsts: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Where in memory the row of each position begins (int64[positions]), from the batches of all pip counts.

    Raises:
        ValueError, KeyError: these are not the rows of such a table.
    """
    if len(batches) != len(firsts) - 1:
        raise ValueError(len(batches))
    found = []
    for batch, first, end in zip(batches, firsts[:-1].tolist(), firsts[1:].tolist(), strict=True):
        column = batch.column(name)
        offsets = column.offsets.to_numpy()
        if column.type != pa.large_list(pa.int16()) or not np.array_equal(
            offsets, np.arange(end - first + 1, dtype=np.int64) * end
        ):
            raise ValueError(name)
        rows = stored_rows(column)
        found.append(rows.__array_interface__["data"][0] + 2 * offsets[:-1])
    return np.concatenate(found)


def part_path(folder: Path, step: str, pips: int) -> Path:
    """The file of a pip count of a pass."""
    return folder / f"{step}-{pips:03}.arrow"


def _batch(side: Side, pips: int, values: Mapping[str, Level]) -> pa.RecordBatch:
    """The values of a pip count in 16 bits."""
    first, end = map(int, side.firsts[pips : pips + 2])
    arrays = []
    for level in values.values():
        for rows in (level.forward, level.turned):
            stored = np.empty((end - first, end), np.int16)
            write_stored(rows, side.full, first, UNITS, stored)
            arrays.append(_lists(stored))
    return pa.RecordBatch.from_arrays(arrays, schema=schema_of(tuple(values)))


def _take_of(side: Side, pips: int, batch: pa.RecordBatch) -> Level:
    """equity_opponent_owned of a pip count, back from 16 bits, in columns that fill whole strips."""
    first, end = map(int, side.firsts[pips : pips + 2])
    width = -(-end // 64) * 64
    made = []
    for column in (TAKE, f"{TAKE}_turned"):
        rows = np.zeros((end - first, width), np.float32)
        read_stored(stored_rows(batch.column(column)), side.full, first, UNITS, rows)
        made.append(rows)
    return Level(*made)


class Store(Protocol):
    """Where finished pip counts of passes go, and where they are found again."""

    def room(self, name: str, shape: tuple[int, ...]) -> Reals:
        """Memory for a ring."""

    def finished(self, step: Pass) -> int:
        """How many pip counts of a pass are there, from 0 up."""

    def add(self, step: Pass, pips: int, values: Mapping[str, Level]) -> None:
        """Keep a pip count."""

    def take_of(self, pips: int) -> Level:
        """Its equity_opponent_owned."""


class MemoryStore:
    """Keeps everything in memory."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self._parts: dict[str, list[pa.RecordBatch]] = {}

    def room(self, name: str, shape: tuple[int, ...]) -> Reals:
        return np.zeros(shape, np.float32)

    def finished(self, step: Pass) -> int:
        return 0

    def add(self, step: Pass, pips: int, values: Mapping[str, Level]) -> None:
        self._parts.setdefault(step.name, []).append(_batch(self.side, pips, values))

    def take_of(self, pips: int) -> Level:
        return _take_of(self.side, pips, self._parts["owned"][pips])

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Every pip count with all values."""
        for parts in zip(*self._parts.values(), strict=True):
            yield joined(parts)


def joined(parts: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """The columns of some passes beside one another."""
    columns = [column for part in parts for column in part.columns]
    names = [name for part in parts for name in part.schema.names]
    values = tuple(name for name in names if not name.endswith("_turned"))
    return pa.RecordBatch.from_arrays(columns, schema=schema_of(values))


class PartStore:
    """Keeps each pip count of each pass in a file of its own, and the rings in files that outlive it all.

    A pass that was cut short goes on at its first missing pip count with the rings as they are; where the
    machine was started anew since, they may not be whole and the pass begins again.
    """

    def __init__(self, side: Side, folder: Path, facts: Mapping[str, Any]) -> None:
        """The folder must be there and locked.

        Raises:
            TableError: it holds parts of another table, or cannot be written.
        """
        self.side, self.folder, self._facts = side, folder, facts
        begun = folder / "begun.json"
        boot = _boot()
        if begun.exists():
            try:
                found = json.loads(begun.read_text())
                kept, same_boot = found["facts"], boot != "" and found["boot"] == boot
            except (OSError, ValueError, KeyError, TypeError):
                raise TableError(f"{begun} is damaged: remove {folder} to begin anew") from None
            if kept != dict(facts):
                size = f"of {kept.get('checkers')} checkers on {kept.get('points')} points"
                size += ", with beavers" if kept.get("beavers") else ""
                raise TableError(
                    f"{folder} holds parts of another table, {size}: choose another --out, or remove it"
                )
        else:
            same_boot = False
        self._rings_good = same_boot
        text = json.dumps({"facts": dict(facts), "boot": boot}, indent=1)

        def write(aside: Path) -> None:
            aside.write_text(text)

        write_aside(begun, write)

    def room(self, name: str, shape: tuple[int, ...]) -> Reals:
        path = self.folder / f"{name}.ring"
        size = int(np.prod(shape)) * 4
        try:
            mode: Any = "r+" if path.exists() and path.stat().st_size == size else "w+"
            return np.memmap(path, np.float32, mode, shape=shape)
        except OSError as error:
            raise TableError(f"cannot write {path}: {error.strerror}") from None

    def finished(self, step: Pass) -> int:
        count = 0
        while part_path(self.folder, step.name, count).exists():
            count += 1
        if count < self.side.pip_counts and not self._rings_good:
            for pips in range(count):
                part_path(self.folder, step.name, pips).unlink()
            count = 0
        self._rings_good = True  # for the passes to come they are written by this process
        return count

    def add(self, step: Pass, pips: int, values: Mapping[str, Level]) -> None:
        batch = _batch(self.side, pips, values)
        facts = {**self._facts, "kind": PART_KIND, "pass": step.name, "pips": pips}
        path = part_path(self.folder, step.name, pips)
        write_file(path, batch.schema, [batch], facts)
        _let_go(path)

    def take_of(self, pips: int) -> Level:
        return _take_of(self.side, pips, self.part("owned", pips).batches[0])

    def remove_rings(self) -> None:
        """They are of no more use."""
        for ring in self.folder.glob("*.ring"):
            ring.unlink(missing_ok=True)

    def part(self, step: str, pips: int) -> Mapped:
        """A part as it lies on the disk.

        Raises:
            TableError: it is missing or damaged.
        """
        return map_file(part_path(self.folder, step, pips), PART_KIND)

    def batches(self, steps: tuple[Pass, ...]) -> Iterator[pa.RecordBatch]:
        """Every pip count with all values; every byte is checked on the way.

        Raises:
            TableError: a part is damaged.
        """
        for pips in range(self.side.pip_counts):
            parts = [self.part(step.name, pips) for step in steps]
            for part in parts:
                check_file(part)
            yield joined([part.batches[0] for part in parts])


def _let_go(path: Path) -> None:
    """Keep a file that is on the disk out of the memory that the rings need."""
    if hasattr(os, "posix_fadvise"):
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _boot() -> str:
    """A name of the machine's time since it was started, or "" where it has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
