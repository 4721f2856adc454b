"""Progress on disk: finished segments as small Parquet parts beside the table to come."""

import json
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import numpy as np
import pyarrow as pa

from bgsim.core.errors import TableError
from bgsim.core.files import lock_folder
from bgsim.engine.batch import Records, record_type
from bgsim.run.ledger import Ledger
from bgsim.run.plan import Plan, differences
from bgsim.run.tables import read_parquet, write_parquet

__all__ = ["PartStore", "check_same_plan", "finished_trials"]

FLUSH_SECONDS = 1.0  # at most this much work is lost to a kill
COMPACT_ABOVE = 64  # parts kept apart before they are joined into one
REMEDY = "delete this part, and --resume plays its trials again"
PART_NAME = re.compile(r"part-(\d+)\.parquet")


def check_same_plan(place: Path, found: str, plan: Plan) -> None:
    """Raise unless the plan stored at a place (as JSON) is this one.

    Raises:
        TableError: it is another; says what differs.
    """
    differing = differences(json.loads(found), json.loads(plan.json))
    if differing:
        raise TableError(f"{place} belongs to another plan: {'; '.join(differing)}; choose another --out")


class PartStore:
    """Finished segments of one plan in a folder of parts.

    A part is written aside and renamed, so it is whole or not there. Joining parts writes the joined one
    first, which names the ones it replaces: a crash in between leaves them ignored, never counted twice.
    """

    def __init__(self, folder: Path, plan: Plan, group_size: int = 1) -> None:
        self.folder = folder
        self._plan = plan
        self._group_size = group_size
        self._pending: list[Records] = []
        self._flushed = time.monotonic()
        self._number = 0
        self._live: list[Path] = []
        self._lock: TextIO | None = None

    def lock(self) -> None:
        """Keep other runs away from this table until this process ends or `release` is called.

        Raises:
            TableError: another process has it (named), or the folder cannot be made.
        """
        self._lock = lock_folder(self.folder)

    def release(self) -> None:
        """Let other runs at this table; a folder without parts is removed."""
        if self._lock is None:
            return
        if not self.exists():
            shutil.rmtree(self.folder, ignore_errors=True)
        self._lock.close()
        self._lock = None

    def exists(self) -> bool:
        """True when an earlier run left parts here."""
        return any(True for _ in _parts(self.folder))

    def load(self, ledger: Ledger) -> int:
        """Add every finished segment to the ledger; returns their trials.

        Raises:
            TableError: a damaged or doubled part (named), a part of another plan (says what differs).
        """
        found: dict[Path, tuple[Records, list[str]]] = {}
        for number, path in _parts(self.folder):
            found[path] = self._read(path)
            self._number = max(self._number, number + 1)
        replaced = {name for _, names in found.values() for name in names}
        self._live = [path for path in found if path.name not in replaced]
        for path in set(found) - set(self._live):
            path.unlink(missing_ok=True)  # left by a crash; what replaced them may itself be replaced later
        return sum(_add(ledger, found[path][0], path) for path in self._live)

    def add(self, records: Records) -> None:
        """Take finished segments; they reach the disk within a second or at the next `flush`."""
        if len(records):  # a task that began after a stop has none
            self._pending.append(records)
        if time.monotonic() - self._flushed >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what is pending as one part.

        Raises:
            TableError: the disk is full or the folder cannot be written.
        """
        # Let go of first: an interrupt in the midst may cost a second of work, but never writes it twice.
        pending, self._pending = self._pending, []
        if pending:
            self._live.append(self._write(np.concatenate(pending), []))
        self._flushed = time.monotonic()
        if len(self._live) > COMPACT_ABOVE:
            self._compact()

    def clear(self) -> None:
        """Delete the parts, once the table itself is in place or they are not wanted."""
        for _, path in list(_parts(self.folder)):
            path.unlink(missing_ok=True)
        self._live = []

    def _compact(self) -> None:
        old = self._live
        records = np.concatenate([self._read(path)[0] for path in old])
        self._live = [self._write(records, [path.name for path in old])]
        for path in old:
            path.unlink(missing_ok=True)

    def _write(self, records: Records, replaces: list[str]) -> Path:
        path = self.folder / f"part-{self._number:06d}.parquet"
        self._number += 1
        columns = {
            name: pa.array(records[name].reshape(len(records), -1).tolist(), pa.list_(pa.int64()))
            for name in records.dtype.names or ()
        }
        write_parquet(path, pa.table(columns), {"plan": self._plan.json, "replaces": replaces})
        return path

    def _read(self, path: Path) -> tuple[Records, list[str]]:
        table, plan, replaces = _read_part(path)
        check_same_plan(path, plan, self._plan)
        kind = record_type(self._group_size)
        records = np.zeros(table.num_rows, kind)
        for name in kind.names or ():
            flat = np.array(table.column(name).to_pylist(), np.int64)
            records[name] = flat.reshape(records[name].shape)
        return records, replaces


def finished_trials(folder: Path) -> int:
    """Trials in the parts that an interrupted run has left in a folder; looks, and changes nothing.

    Raises:
        TableError: a damaged part (named).
    """
    found = {path.name: _read_part(path) for _, path in _parts(folder)}
    replaced = {name for _, _, names in found.values() for name in names}
    live = [table for name, (table, _, _) in found.items() if name not in replaced]
    return sum(trials for table in live for (trials,) in table.column("trials").to_pylist())


def _parts(folder: Path) -> Iterator[tuple[int, Path]]:
    """The parts there are, by number; anything else in the folder, such as a copy, is left alone."""
    paths = folder.iterdir() if folder.is_dir() else ()
    names = ((PART_NAME.fullmatch(path.name), path) for path in sorted(paths))
    return ((int(match[1]), path) for match, path in names if match)


def _read_part(path: Path) -> tuple[pa.Table, str, list[str]]:
    """The records of a part, its plan as JSON, and the names of the parts that it replaces."""
    try:
        table = read_parquet(path)
    except TableError as error:
        raise TableError(f"{error}; {REMEDY}") from None
    metadata = table.schema.metadata
    if table.column_names != list(record_type(1).names or ()) or b"bgsim.replaces" not in metadata:
        raise TableError(f"{path} is no part of a run: remove it")
    return table, metadata[b"bgsim.plan"].decode(), json.loads(metadata[b"bgsim.replaces"])


def _add(ledger: Ledger, records: Records, path: Path) -> int:
    """Add a part's records to the ledger; returns their trials."""
    try:
        return ledger.add(records)
    except TableError as error:
        raise TableError(f"{path} is doubled: {error}; {REMEDY}") from None
