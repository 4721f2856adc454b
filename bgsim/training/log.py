"""The log of a training run: one Parquet row a generation."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa

from bgsim.run.provenance import provenance
from bgsim.run.tables import read_parquet, write_parquet
from bgsim.training.generation import Generation

__all__ = ["read_log", "write_log"]

SCHEMA = pa.schema(
    [
        ("number", pa.int64()),
        ("targets", pa.string()),
        ("rate", pa.float64()),
        ("games", pa.int64()),
        ("samples", pa.int64()),
        ("contact_error", pa.float64()),
        ("race_error", pa.float64()),
        ("play_seconds", pa.float64()),
        ("fit_seconds", pa.float64()),
    ]
)


def read_log(path: Path) -> list[Generation]:
    """Return the generations of a log; none if there is no file."""
    if not path.exists():
        return []
    return [Generation(**row) for row in read_parquet(path).to_pylist()]


def write_log(path: Path, generations: Sequence[Generation]) -> None:
    """Write the whole log anew; the file is whole or not there."""
    table = pa.Table.from_pylist([asdict(generation) for generation in generations], schema=SCHEMA)
    write_parquet(path, table, provenance())
