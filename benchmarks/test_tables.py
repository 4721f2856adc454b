"""The table of a rollout: written, read, and the parts that keep unfinished work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import bgsim
from benchmarks.clock import cpu_seconds
from benchmarks.games import play_records
from bgsim.run.ledger import Ledger
from bgsim.run.parts import PartStore
from bgsim.run.plan import Plan, Root
from bgsim.run.tables import read_table, write_table

pytestmark = pytest.mark.benchmark(group="tables", timer=cpu_seconds)

ROWS = 5_000
SEGMENTS = 200
TRIALS_OF_EACH = 4


def rows() -> list[dict[str, Any]]:
    """The row of one rollout under many names."""
    row = bgsim.rollout("start", trials=36, workers=1).row()
    return [{**row, "name": str(number)} for number in range(ROWS)]


def test_write_a_table(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    written, path = rows(), tmp_path / "table.parquet"
    write_table(path, written, {})
    assert read_table(path).num_rows == ROWS
    benchmark.extra_info["rows"] = ROWS
    benchmark.pedantic(write_table, (path, written, {}), rounds=5)


def test_read_a_table(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    written, path = rows(), tmp_path / "table.parquet"
    write_table(path, written, {})
    assert read_table(path).to_pylist() == written
    benchmark.extra_info["rows"] = ROWS
    benchmark.pedantic(read_table, (path,), rounds=20)


def test_keep_and_load_parts(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """Finished segments to disk and back into a ledger, as a resumed rollout does."""
    plan = Plan(roots=(Root(bgsim.parse("start")),), trials=SEGMENTS * TRIALS_OF_EACH)
    finished = [
        play_records("greedy", TRIALS_OF_EACH, first=TRIALS_OF_EACH * number) for number in range(SEGMENTS)
    ]

    def keep_and_load() -> int:
        store = PartStore(tmp_path / "parts", plan)
        for records in finished:
            store.add(records)
        store.flush()
        trials = PartStore(tmp_path / "parts", plan).load(Ledger(1))
        store.clear()
        return trials

    assert keep_and_load() == plan.trials
    benchmark.extra_info["segments"] = SEGMENTS
    assert benchmark.pedantic(keep_and_load, rounds=5) == plan.trials
