"""Tables compared to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bgsim.run.tables import read_table


def columns_of(table: pa.Table | Path) -> dict[str, Any]:
    """Every column by name: real numbers as their bytes (and where they are null), the rest as values."""
    if isinstance(table, Path):
        table = read_table(table)
    found: dict[str, Any] = {}
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        if pa.types.is_floating(column.type):
            nulls = column.is_null().to_pylist()
            found[name] = (np.asarray(column.fill_null(0.0)).tobytes(), nulls)
        else:
            found[name] = column.to_pylist()
    return found


def rows_of(table: pa.Table | Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows by position id and name, for tables whose order differs."""
    if isinstance(table, Path):
        table = read_table(table)
    rows = {(row["position_id"], row["name"]): row for row in table.to_pylist()}
    assert len(rows) == table.num_rows
    return rows
