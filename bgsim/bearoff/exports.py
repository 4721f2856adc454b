"""Tables as Parquet files for people and other programs."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from bgsim.bearoff.answers import columns_of_pairs
from bgsim.bearoff.files import place_for
from bgsim.bearoff.one_sided import OneSided
from bgsim.bearoff.two_sided import TwoSided
from bgsim.core.files import write_aside
from bgsim.kernels.numbering import write_positions

__all__ = ["export_one_sided", "export_two_sided"]

ROWS = 1 << 18  # of a row group


def export_one_sided(table: OneSided, out: str | Path) -> None:
    """One row a position; the columns are those of the table.

    Raises:
        TableError: the file is there or cannot be written.
    """
    _write(place_for(out), table.batches[0].schema.remove_metadata(), iter(table.batches))


def export_two_sided(table: TwoSided, out: str | Path) -> None:
    """One row a pair, the side on roll first: both sides' checkers and all that the table says.

    Raises:
        TableError: the file is there or cannot be written.
    """
    n = len(table.full)
    positions = np.zeros((n, table.points), np.uint8)
    write_positions(table.ways, table.firsts, 0, positions)

    def batches() -> Iterator[pa.RecordBatch]:
        for m in range(1, n):
            for start in range(1, n, ROWS):
                yield _pairs(table, positions, m, np.arange(start, min(start + ROWS, n)))

    _write(place_for(out), _pairs(table, positions, 1, np.array([1])).schema, batches())


def _pairs(
    table: TwoSided, positions: npt.NDArray[np.uint8], m: int, opponents: npt.NDArray[np.int64]
) -> pa.RecordBatch:
    pairs = np.stack([np.full(len(opponents), m), opponents], axis=1)
    sides = {"points_on_roll": positions[pairs[:, 0]], "points_opponent": positions[opponents]}
    lists = {
        name: pa.FixedSizeListArray.from_arrays(pa.array(side.reshape(-1)), table.points)
        for name, side in sides.items()
    }
    return pa.RecordBatch.from_pydict({**lists, **columns_of_pairs(table, pairs)})


def _write(path: Path, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:
    def write(aside: Path) -> None:
        with pq.ParquetWriter(aside, schema, compression="zstd") as writer:
            waiting: list[pa.RecordBatch] = []
            for batch in batches:
                waiting.append(batch)
                if sum(map(len, waiting)) >= ROWS:
                    writer.write_table(pa.Table.from_batches(waiting))
                    waiting = []
            if waiting:
                writer.write_table(pa.Table.from_batches(waiting))

    write_aside(path, write)
