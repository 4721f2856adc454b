"""The repeats of a run as a Parquet file: one row a repeat, the whole report as metadata."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from bgsim.run.tables import write_parquet

__all__ = ["write"]

SCHEMA = pa.schema(
    [
        pa.field("peer", pa.string()),
        pa.field("peer_version", pa.string()),
        pa.field("task", pa.string()),
        pa.field("unit", pa.string()),
        pa.field("repeat", pa.int32()),
        *(
            pa.field(f"{side}_{name}", kind)
            for side in ("bgsim", "peer")
            for name, kind in (
                ("units", pa.int64()),
                ("rolls", pa.int64()),
                ("cpu_seconds", pa.float64()),
            )
        ),
    ]
)


def write(path: Path, report: dict[str, Any]) -> None:
    """Write the file whole or not at all.

    Raises:
        TableError: it cannot be written.
    """
    kept = {key: value for key, value in report.items() if key != "peers"}
    table = pa.Table.from_pylist(_rows(report), schema=SCHEMA)
    write_parquet(path, table, {**kept, "peers": json.dumps(report["peers"])})


def _rows(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "peer": peer["name"],
            "peer_version": peer["version"],
            "task": contest["task"],
            "unit": contest["unit"],
            "repeat": number,
            **{f"{side}_{name}": value for side, work in heat.items() for name, value in work.items()},
        }
        for peer in report["peers"]
        for contest in peer["contests"]
        for number, heat in enumerate(contest["heats"])
    ]
