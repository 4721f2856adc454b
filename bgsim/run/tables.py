"""The rollout table: its columns, one writer and one reader."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bgsim.core.errors import TableError
from bgsim.core.files import as_path, write_aside

__all__ = [
    "COLUMNS",
    "FORMAT_VERSION",
    "SCHEMA",
    "Column",
    "read_metadata",
    "read_parquet",
    "read_table",
    "write_parquet",
    "write_table",
]

FORMAT_VERSION = 1
PREFIX = "bgsim."  # of our keys in a file's metadata
DIGEST = b"bgsim.digest"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, type, unit and meaning."""

    name: str
    type: pa.DataType
    unit: str
    meaning: str


def _rate(name: str, meaning: str) -> tuple[Column, Column]:
    return (
        Column(name, pa.float64(), "probability", meaning),
        Column(f"{name}_se", pa.float64(), "probability", f"standard error of {name}"),
    )


COLUMNS: tuple[Column, ...] = (
    Column("position_id", pa.string(), "", "GNU Backgammon Position ID, player on roll second"),
    Column("match_id", pa.string(), "", "GNU Backgammon Match ID: cube, score, roll"),
    Column("xgid", pa.string(), "", "XGID of the same state"),
    Column("name", pa.string(), "", "name given by the user"),
    Column("roll", pa.string(), "", "roll that the trials begin with, null when it is still to come"),
    Column("opening", pa.bool_(), "", "first roll is one of the 15 non-doubles"),
    Column("rules", pa.string(), "", "rules as a preset and the options that differ"),
    Column("jacoby", pa.bool_(), "", "Jacoby rule in force (acts on cubeful figures only)"),
    Column("policy", pa.string(), "", "policy of the player on roll"),
    Column("opponent_policy", pa.string(), "", "policy of the opponent"),
    Column("plies", pa.int32(), "rolls", "look-ahead of the policy, 0 = none"),
    Column("cubeful", pa.bool_(), "", "the cube is in play"),
    Column("trials", pa.int64(), "trials", "finished trials"),
    Column("seed", pa.uint64(), "", "seed of the dice"),
    Column("stratified", pa.bool_(), "", "first two rolls stratified"),
    Column("tables", pa.string(), "", "exact tables by which nets played, parted by blanks"),
    Column("truncate", pa.string(), "", "where trials ended in a table: none, exact, bearoff"),
    *_rate("win", "player on roll wins, gammons and backgammons included"),
    *_rate("win_gammon", "player on roll wins a gammon or backgammon"),
    *_rate("win_backgammon", "player on roll wins a backgammon"),
    *_rate("lose_gammon", "player on roll loses a gammon or backgammon"),
    *_rate("lose_backgammon", "player on roll loses a backgammon"),
    Column("equity", pa.float64(), "points", "cubeless equity, gammons in full"),
    Column("equity_se", pa.float64(), "points", "standard error of equity"),
    Column(
        "cubeful_equity",
        pa.float64(),
        "points per unit of the cube",
        "equity with the cube in play",
    ),
    Column(
        "cubeful_equity_se",
        pa.float64(),
        "points per unit of the cube",
        "standard error of cubeful_equity",
    ),
    *_rate("mwc", "match winning chance, cubeless"),
    *_rate("cubeful_mwc", "match winning chance with the cube in play"),
    Column("mean_plies", pa.float64(), "rolls", "mean rolls of a trial"),
    Column(
        "variance_reduction",
        pa.string(),
        "",
        "method that reduces the variance: none, or stratified (errors do not count its gain)",
    ),
    Column(
        "truncated_trials",
        pa.int64(),
        "trials",
        "trials stopped at the limit of rolls, which score 0",
    ),
    Column(
        "settled_trials",
        pa.int64(),
        "trials",
        "trials that ended before the last checker was off, as nothing could change their outcome",
    ),
    Column("table_trials", pa.int64(), "trials", "trials that ended in an exact table"),
    Column("marked", pa.bool_(), "", "some trials were truncated: read with care"),
    Column("point_of_view", pa.string(), "", "whose view the figures are from"),
)

SCHEMA = pa.schema(
    [
        pa.field(
            c.name,
            c.type,
            metadata={"unit": c.unit, "meaning": c.meaning} if c.unit else {"meaning": c.meaning},
        )
        for c in COLUMNS
    ]
)


def write_table(path: Path, rows: Sequence[Mapping[str, Any]], metadata: Mapping[str, Any]) -> None:
    """Write rows (missing keys are null) to one Parquet file, whole or not at all.

    Raises:
        TableError: the file cannot be written.
    """
    table = pa.Table.from_pylist([dict(row) for row in rows], schema=SCHEMA)
    write_parquet(path, table, {"format_version": FORMAT_VERSION, **metadata})


def write_parquet(path: Path, table: pa.Table, metadata: Mapping[str, Any]) -> None:
    """Write any table with our metadata, whole or not at all.

    Parquet keeps a checksum of each page, but none of its footer, which holds names, types and metadata: so
    we add one.

    Raises:
        TableError: the file cannot be written.
    """
    kept = dict(table.schema.metadata or {})
    for key, value in metadata.items():
        text = value if isinstance(value, str) else json.dumps(value)
        kept[(PREFIX + key).encode()] = text.encode()
    table = table.replace_schema_metadata(kept)
    table = table.replace_schema_metadata({**kept, DIGEST: _digest(table)})
    write_aside(
        path,
        lambda aside: pq.write_table(table, aside, compression="zstd", write_page_checksum=True),
    )


def read_parquet(file: Path) -> pa.Table:
    """Return what `write_parquet` wrote.

    Raises:
        TableError: damaged, or not a Parquet file, or not one of bgsim; named in one sentence.
    """
    try:
        table = pq.ParquetFile(file, page_checksum_verification=True).read()
        digest = _digest(table)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise TableError(f"{file} is damaged or not a Parquet file: {_first_line(error)}") from None
    metadata = table.schema.metadata or {}
    if not any(key.startswith(PREFIX.encode()) for key in metadata):
        raise TableError(f"{file} is a Parquet file, but not one of bgsim")
    if metadata.get(DIGEST) != digest:
        raise TableError(f"{file} is damaged: its footer is not the one that was written")
    return table


def _digest(table: pa.Table) -> bytes:
    """Checksum of what the footer says: rows, names, types and all metadata but the checksum itself."""
    # Arrow calls a list's entries "item", Parquet "element": which one comes back depends on the versions.
    types = [str(field.type).replace("<item: ", "<element: ") for field in table.schema]
    notes = [sorted((field.metadata or {}).items()) for field in table.schema]
    metadata = {key: value for key, value in (table.schema.metadata or {}).items() if key != DIGEST}
    text = repr((table.num_rows, table.column_names, types, notes, sorted(metadata.items())))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest().encode()


def read_table(path: str | Path) -> pa.Table:
    """Return a table that bgsim has written: one Parquet file, or a folder of parts.

    Raises:
        TableError: no such file, not a Parquet file, damaged, or not a table of bgsim; named in one sentence.
    """
    place = as_path(path)
    files = _files_of(place)
    try:
        return pa.concat_tables([_read_file(file) for file in files])
    except pa.ArrowInvalid as error:
        raise TableError(f"the files of {place} do not fit together: {_first_line(error)}") from None


def read_metadata(path: str | Path) -> dict[str, str]:
    """Return bgsim's own entries of a table's file metadata, by name.

    Raises:
        TableError: as `read_table`.
    """
    table = _read_file(_files_of(as_path(path))[0])
    found = table.schema.metadata or {}
    return {
        key.decode().removeprefix(PREFIX): value.decode()
        for key, value in found.items()
        if key.decode().startswith(PREFIX) and key != DIGEST
    }


def _files_of(place: Path) -> list[Path]:
    if place.is_dir():
        files = sorted(p for p in place.glob("*.parquet") if not p.name.startswith((".", "_")))
        if not files:
            raise TableError(f"{place} holds no .parquet file")
        return files
    if not place.exists():
        raise TableError(f"there is no table {place}")
    return [place]


def _read_file(file: Path) -> pa.Table:
    table = read_parquet(file)
    version = table.schema.metadata.get((PREFIX + "format_version").encode())
    if version is None:
        raise TableError(f"{file} is a Parquet file of bgsim, but not a table of results")
    if version != str(FORMAT_VERSION).encode():
        raise TableError(
            f"{file} has format version {version.decode()}, and this bgsim reads version {FORMAT_VERSION}"
        )
    return table


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
