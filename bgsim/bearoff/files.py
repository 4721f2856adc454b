"""Table files: Arrow IPC with our facts and a checksum of every byte, mapped into memory.

A file is read where it lies: `Mapped.batches` are views of it, and so are the arrays that kernels get.
"""

import hashlib
import json
import mmap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from bgsim._version import __version__
from bgsim.core.errors import TableError
from bgsim.core.files import as_path, check_place, write_aside

__all__ = [
    "FORMAT",
    "Mapped",
    "check_file",
    "facts_of",
    "kind_of",
    "map_file",
    "open_file",
    "place_for",
    "write_file",
]

FORMAT = 1
KEY = b"bgsim.bearoff"
NO_DIGEST = "0" * 32  # stands in a file while its digest is worked out
EDGE = 1 << 20  # the schema, and in it the digest, lies within so many bytes of both ends
PIECE = 1 << 24
CHECKED = 1 << 28  # bytes of a file that is checked whenever it is opened


@dataclass(frozen=True, slots=True)
class Mapped:
    """A table file in memory: its facts, and its record batches as views of the file."""

    path: Path
    facts: Mapping[str, Any]
    batches: list[pa.RecordBatch]


def write_file(
    path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch], facts: Mapping[str, Any]
) -> None:
    """Write a table file with its facts (plain values), whole or not at all.

    Raises:
        TableError: it cannot be written.
    """
    head = {"format": FORMAT, "version": __version__, **facts, "digest": NO_DIGEST}
    text = json.dumps(head, sort_keys=True).encode()

    def write(aside: Path) -> None:
        with pa.OSFile(str(aside), "wb") as sink, pa.ipc.new_file(sink, _with(schema, text)) as writer:
            for batch in batches:
                writer.write_batch(batch)
        _sign(aside)

    write_aside(path, write)


def _with(schema: pa.Schema, text: bytes) -> pa.Schema:
    return schema.with_metadata({**(schema.metadata or {}), KEY: text})


def _sign(path: Path) -> None:
    """Put the digest of a file, in which there is none yet, where it belongs: in the schema at both ends."""
    digest = _digest(path, NO_DIGEST)
    size = path.stat().st_size
    with path.open("r+b") as file:
        for start in {0, max(0, size - EDGE)}:
            file.seek(start)
            found = _marked(file.read(EDGE), NO_DIGEST)
            for at in found:
                file.seek(start + at)
                file.write(digest.encode())


def _marked(edge: bytes, digest: str) -> list[int]:
    """Where the digest stands in the JSON of an edge."""
    mark = f'"digest": "{digest}"'.encode()
    places, at = [], edge.find(mark)
    while at >= 0:
        places.append(at + mark.index(digest.encode()))
        at = edge.find(mark, at + 1)
    return places


def _digest(path: Path, digest: str) -> str:
    """BLAKE2b of a file's bytes, with zeros where its digest stands."""
    hashed = hashlib.blake2b(digest_size=len(NO_DIGEST) // 2)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        size = len(data)
        edges = sorted({0, max(0, size - EDGE)})
        places = {start + at for start in edges for at in _marked(data[start : start + EDGE], digest)}
        at = 0
        for place in [*sorted(places), size]:
            for piece in range(at, place, PIECE):
                hashed.update(data[piece : min(piece + PIECE, place)])
            if place < size:
                hashed.update(NO_DIGEST.encode())
            at = place + len(NO_DIGEST)
    return hashed.hexdigest()


def map_file(path: Path, kind: str | None = None) -> Mapped:
    """Open a table file (of a kind, if one is named) without reading all of it: see `check_file`.

    Raises:
        TableError: there is none, it is cut short or no table of bgsim, or of another version; says which.
    """
    try:
        source = pa.memory_map(str(path))
        reader = pa.ipc.open_file(source)
        text = (reader.schema.metadata or {}).get(KEY)
        batches = [reader.get_batch(k) for k in range(reader.num_record_batches)]
    except FileNotFoundError:
        raise TableError(f"there is no file {path}") from None
    except IsADirectoryError:
        raise TableError(f"{path} is a folder, not a table file") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        raise TableError(f"{path} is no table file, or is damaged: {_first_line(error)}") from None
    if text is None:
        raise TableError(f"{path} is an Arrow file, but no exact table of bgsim")
    try:
        facts = json.loads(text)
        found = facts["format"], facts["kind"], facts["digest"]
    except (ValueError, KeyError, TypeError):
        raise TableError(f"{path} is damaged: what it says of itself cannot be read") from None
    if found[0] != FORMAT:
        raise TableError(f"{path} has format {found[0]} of exact tables; this version reads format {FORMAT}")
    if kind is not None and found[1] != kind:
        raise TableError(f"{path} is a {found[1]} table, not a {kind} one")
    return Mapped(path, facts, batches)


def open_file(path: Path, kind: str, check: bool | None) -> Mapped:
    """As `map_file`, and checked if asked for; if it is not said (None), where that takes no time.

    Raises:
        TableError: as `map_file` and `check_file`.
    """
    mapped = map_file(path, kind)
    if check or (check is None and path.stat().st_size <= CHECKED):
        check_file(mapped)
    return mapped


def kind_of(path: Path) -> str:
    """What kind of table lies at a path; a folder holds a two-sided one.

    Raises:
        TableError: as `map_file`.
    """
    return "two-sided" if path.is_dir() else str(map_file(path).facts["kind"])


def facts_of(mapped: Mapped, *names: str) -> dict[str, Any]:
    """Some facts of a file.

    Raises:
        TableError: it does not say them.
    """
    try:
        return {name: mapped.facts[name] for name in names}
    except KeyError:
        raise TableError(f"{mapped.path} is damaged: it does not say what it holds") from None


def place_for(out: str | Path) -> Path:
    """Where a file may be written.

    Raises:
        TableError: it cannot, or something is there.
    """
    path = as_path(out)
    check_place(path)
    if path.exists():
        raise TableError(f"{path} exists: remove it, or choose another --out")
    return path


def check_file(mapped: Mapped) -> None:
    """Read every byte of a table file and compare its checksum.

    Raises:
        TableError: it is damaged.
    """
    digest = str(mapped.facts["digest"])
    if _digest(mapped.path, digest) != digest:
        raise TableError(f"{mapped.path} is damaged: its bytes are not those that were written")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
