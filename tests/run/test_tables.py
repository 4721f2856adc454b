"""The rollout table: its columns, who can read it, and what is refused."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bgsim
from bgsim.apps.rollout import load_results, run_rollout
from bgsim.core.errors import TableError
from bgsim.core.notation import parse
from bgsim.run.plan import Plan, Root
from bgsim.run.tables import (
    COLUMNS,
    SCHEMA,
    read_metadata,
    read_parquet,
    read_table,
    write_parquet,
    write_table,
)
from tests.columns import columns_of

RATES = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")
# The fixed part, in the order and with the types that readers outside the repository count on.
FIXED = {
    **dict.fromkeys(("position_id", "match_id", "xgid", "name", "roll"), pa.string()),
    "opening": pa.bool_(),
    "rules": pa.string(),
    "jacoby": pa.bool_(),
    "policy": pa.string(),
    "plies": pa.int32(),
    "cubeful": pa.bool_(),
    "trials": pa.int64(),
    "seed": pa.uint64(),
    **{f"{name}{end}": pa.float64() for name in (*RATES, "equity") for end in ("", "_se")},
    **{f"{n}{end}": pa.float64() for n in ("cubeful_equity", "mwc", "cubeful_mwc") for end in ("", "_se")},
    "mean_plies": pa.float64(),
    "variance_reduction": pa.string(),
    "truncated_trials": pa.int64(),
    "point_of_view": pa.string(),
}
# A start, an id in a match, a position with a roll, a race, a bear-off that is won at once, gammonish ones.
POSITIONS = {
    "start": "start",
    "match": "4HPwATDgc/ABMA:8AngAGAAEAAE",
    "rolled": "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
    "race": "6:5 5:5 4:5 / 6:5 5:5 4:5",
    "won": "AQAABAAAAAAAAA",
    "back game": "24:2 23:2 22:2 6:3 5:3 4:3 / 6:4 5:4 4:4 8:3",
    "on the bar": "25:2 24:1 13:4 6:8 / 6:2 5:2 4:2 3:2 2:2 8:3 7:2",
}
PLAN = Plan(
    roots=tuple(Root(parse(text), name) for name, text in POSITIONS.items()), trials=300, seed=2**64 - 1
)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """The path of a table of all positions."""
    path = tmp_path_factory.mktemp("tables") / "x.parquet"
    run_rollout(PLAN, out=path)
    return path


@pytest.fixture
def damaged(table, tmp_path):
    """A function that writes a copy of the table with other bytes."""

    def write(change):
        path = tmp_path / "damaged.parquet"
        path.write_bytes(change(table.read_bytes()))
        return path

    return write


# --- what is in it --------------------------------------------------------------------------------


def test_columns_are_the_fixed_ones_in_their_order(table):
    schema = read_table(table).schema
    assert {name: schema.field(name).type for name in FIXED} == FIXED
    assert [name for name in schema.names if name in FIXED] == list(FIXED)


def test_every_column_says_what_it_means_and_figures_their_unit(table):
    schema = read_table(table).schema
    for field in schema:
        notes = field.metadata
        assert notes[b"meaning"].strip(), field.name
        assert b"\n" not in notes[b"meaning"], field.name
        if pa.types.is_floating(field.type):
            assert notes[b"unit"], field.name
    assert schema.field("win").metadata[b"unit"] == b"probability"
    assert schema.field("equity").metadata[b"unit"] == b"points"
    assert schema.field("mean_plies").metadata[b"unit"] == b"rolls"


def test_file_metadata(table):
    metadata = read_metadata(table)
    assert metadata["format_version"] == "1"
    assert metadata["version"] == bgsim.__version__
    assert "git_commit" in metadata
    assert "weights_hash" in metadata
    assert json.loads(metadata["plan"]) == json.loads(PLAN.json)
    assert metadata["plan_id"] == PLAN.plan_id
    assert json.loads(metadata["machine"]).keys() >= {"system", "processor", "cores"}
    assert int(metadata["finished_trials"]) == 300 * len(POSITIONS)


def test_timings_are_in_the_metadata_only(table):
    """So that equal plans give equal columns."""
    assert float(read_metadata(table)["seconds"]) > 0
    assert not [name for name in read_table(table).column_names if "second" in name or "time" in name]


def test_rows_are_in_plan_order_and_say_what_was_rolled_out(table):
    rows = read_table(table).to_pylist()
    assert [row["name"] for row in rows] == list(POSITIONS)
    for row, root in zip(rows, PLAN.roots, strict=True):
        assert row["position_id"] == root.state.position.gnubg_id
        assert row["xgid"] == root.state.xgid
        assert row["match_id"] == root.state.match_id
        assert (row["trials"], row["seed"], row["cubeful"]) == (300, 2**64 - 1, False)
        assert row["point_of_view"] == "on_roll"
    assert [row["roll"] for row in rows] == [None, None, "31", None, None, None, None]
    assert [row["opening"] for row in rows] == [True, False, False, False, False, False, False]
    assert all(row["cubeful_equity"] is row["mwc"] is row["cubeful_mwc"] is None for row in rows)


def test_rates_are_cumulative_and_the_equity_is_theirs(table):
    """Case R07: backgammons <= gammons <= wins, and the equity can be recomputed from its row."""
    for row in read_table(table).to_pylist():
        assert 1 >= row["win"] >= row["win_gammon"] >= row["win_backgammon"] >= 0
        lose = 1 - row["win"] - row["truncated_trials"] / row["trials"]
        assert lose + 1e-12 >= row["lose_gammon"] >= row["lose_backgammon"] >= 0
        again = 2 * row["win"] - 1 + row["win_gammon"] + row["win_backgammon"]
        again -= row["lose_gammon"] + row["lose_backgammon"]
        assert row["equity"] == pytest.approx(again, abs=1e-12)


def test_a_sure_win_has_no_error(table):
    """Case R01: one checker each on the ace point."""
    (row,) = [row for row in read_table(table).to_pylist() if row["name"] == "won"]
    assert (row["win"], row["equity"], row["win_se"], row["equity_se"]) == (1.0, 1.0, 0.0, 0.0)
    assert (row["win_gammon"], row["lose_gammon"]) == (0.0, 0.0)


# --- who can read it ------------------------------------------------------------------------------


@pytest.mark.slow
def test_duckdb_polars_and_pandas_open_it(table):
    import duckdb  # here, for they take a second to import
    import pandas as pd
    import polars as pl

    rows = read_table(table).to_pylist()
    equities, names = [row["equity"] for row in rows], [row["name"] for row in rows]
    with duckdb.connect() as connection:
        found = connection.execute("select name, equity, seed from read_parquet(?)", [str(table)]).fetchall()
    assert found == [(name, equity, 2**64 - 1) for name, equity in zip(names, equities, strict=True)]
    polars = pl.read_parquet(table)
    assert polars["equity"].to_list() == equities
    assert polars["cubeful_equity"].null_count() == len(rows)
    assert polars["seed"].dtype == pl.UInt64
    pandas = pd.read_parquet(table)
    assert pandas["equity"].tolist() == equities
    assert pandas["name"].tolist() == names
    assert pandas["opening"].tolist() == [row["opening"] for row in rows]


def test_it_is_read_back_as_the_results(table):
    results = load_results(table)
    assert [result.row() for result in results] == [
        {name: row[name] for name in results[0].row()} for row in read_table(table).to_pylist()
    ]
    assert bgsim.read_table is read_table


def test_there_is_one_writer_and_one_reader():
    """Tables of bgsim go through `write_parquet` and `read_parquet`, in one module; exports are no tables."""
    uses = {}
    for path in Path(bgsim.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "pq." in text else ():
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "pq":
                uses.setdefault(node.attr, []).append(path.name)
    assert uses == {
        "write_table": ["tables.py"],
        "ParquetFile": ["tables.py"],
        "ParquetWriter": ["exports.py"],
    }


def test_missing_values_are_null(tmp_path):
    path = tmp_path / "y.parquet"
    write_table(path, [{"position_id": "4HPwATDgc/ABMA", "trials": 1}], {"plan": "{}"})
    (row,) = read_table(path).to_pylist()
    assert row.keys() == {column.name for column in COLUMNS}
    assert {name: value for name, value in row.items() if value is not None} == {
        "position_id": "4HPwATDgc/ABMA",
        "trials": 1,
    }


def test_a_folder_is_read_as_one_table(table, tmp_path):
    for name in ("part-000001.parquet", "part-000000.parquet", ".hidden.parquet", "_aside.parquet"):
        shutil.copy(table, tmp_path / name)
    (tmp_path / "_aside.parquet").write_bytes(b"never read")
    (tmp_path / "note.txt").write_text("never read")
    both = read_table(tmp_path)
    assert both.num_rows == 2 * len(POSITIONS)
    once = columns_of(both.slice(0, len(POSITIONS)))
    assert once == columns_of(both.slice(len(POSITIONS))) == columns_of(table)


# --- what is refused ------------------------------------------------------------------------------


def refused(path):
    """The one sentence with which reading is refused, by every function that reads."""
    with pytest.raises(TableError) as caught:
        read_table(path)
    sentence = str(caught.value)
    for read in (read_metadata, load_results):
        with pytest.raises(TableError) as again:
            read(path)
        assert str(again.value) == sentence
    assert path.name in sentence
    assert "\n" not in sentence
    return sentence


def flipped(data, at):
    """The bytes with one of them changed."""
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize(
    "change",
    [
        # A stretch: a single byte may be one that nobody reads, and provenance moves them from run to run.
        pytest.param(
            lambda data: data[: len(data) // 2] + bytes(64) + data[len(data) // 2 + 64 :],
            id="some bytes lost in the middle",
        ),
        pytest.param(lambda data: flipped(data, 40), id="one byte changed near the beginning"),
        pytest.param(lambda data: flipped(data, len(data) - 2), id="one byte changed at the end"),
        pytest.param(lambda data: data[: len(data) // 2], id="cut in half"),
        pytest.param(lambda data: data[:-1], id="one byte short"),
        pytest.param(lambda data: data[1:], id="first byte lost"),
        pytest.param(lambda data: data[:4], id="nothing but the magic number"),
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: b"position_id,equity\n4HPwATDgc/ABMA,0\n", id="CSV"),
        pytest.param(lambda data: bytes(1000), id="zeros"),
    ],
)
def test_P12_a_damaged_table_is_refused_by_name(damaged, change):
    assert "is damaged or not a Parquet file" in refused(damaged(change)) or "footer" in refused(
        damaged(change)
    )


@pytest.mark.slow
def test_P12_no_changed_byte_gives_other_values(table, damaged):
    """Every 97th byte in turn: refused, or (it held nothing of ours) read as it was written."""
    data, before = table.read_bytes(), (columns_of(table), read_metadata(table))
    count = {"refused": 0, "unharmed": 0}
    for at in range(0, len(data), 97):
        path = damaged(lambda data, at=at: flipped(data, at))
        try:
            found = columns_of(read_table(path)), read_metadata(path)
        except TableError:
            count["refused"] += 1
        else:
            assert found == before, f"byte {at} was changed unseen"
            count["unharmed"] += 1
    assert count["refused"] > count["unharmed"] > 0


def test_other_parquet_files_are_no_tables(tmp_path):
    path = tmp_path / "other.parquet"
    pq.write_table(pa.table({"equity": [0.5]}), path)
    assert "not one of bgsim" in refused(path)


def test_a_part_is_no_table(tmp_path):
    path = tmp_path / "part-000000.parquet"
    write_parquet(path, pa.table({"group": [0]}), {"plan": PLAN.json, "replaces": []})
    assert "not a table of results" in refused(path)


@pytest.mark.parametrize("version", ["2", "0", "x", ""])
def test_another_format_version_is_refused(table, tmp_path, version):
    path = tmp_path / "later.parquet"
    write_parquet(path, read_table(table), {"format_version": version})
    assert f"has format version {version}, and this bgsim reads version 1" in refused(path)


def test_a_table_without_our_columns_is_no_rollout_table(tmp_path):
    path = tmp_path / "few.parquet"
    write_parquet(path, pa.table({"equity": [0.5]}), {"format_version": 1})
    with pytest.raises(TableError, match=r"few\.parquet is no rollout table: it has no column cubeful"):
        load_results(path)


def test_missing_files_and_empty_folders(tmp_path):
    assert "there is no table" in refused(tmp_path / "none.parquet")
    assert "holds no .parquet file" in refused(tmp_path)


def test_one_damaged_file_of_a_folder_is_named(table, tmp_path):
    """Measured elsewhere: one empty part made a whole folder unreadable, and nobody said which."""
    shutil.copy(table, tmp_path / "part-000000.parquet")
    (tmp_path / "part-000001.parquet").touch()
    with pytest.raises(TableError, match=r"part-000001\.parquet is damaged"):
        read_table(tmp_path)


def test_files_that_do_not_fit_together(table, tmp_path):
    shutil.copy(table, tmp_path / "a.parquet")
    write_parquet(tmp_path / "b.parquet", pa.table({"equity": [0.5]}), {"format_version": 1})
    with pytest.raises(TableError, match="do not fit together"):
        read_table(tmp_path)


# --- writing --------------------------------------------------------------------------------------


def test_a_table_appears_whole(tmp_path, monkeypatch):
    """While it is written there is no file of its name, and afterwards no other."""
    path, seen = tmp_path / "z.parquet", []
    real = pq.write_table

    def watched(table, where, **options):
        seen.append((path.exists(), Path(where).name))
        real(table, where, **options)
        seen.append((path.exists(), Path(where).name))

    monkeypatch.setattr(pq, "write_table", watched)
    write_table(path, [{"trials": 1}], {})
    assert [exists for exists, _ in seen] == [False, False]
    assert all(name.startswith(".") and name.endswith(".partial") for _, name in seen)
    assert [found.name for found in tmp_path.iterdir()] == ["z.parquet"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_the_old_table_and_nothing_else(table, tmp_path, monkeypatch, error):
    path = tmp_path / "z.parquet"
    shutil.copy(table, path)
    before = path.read_bytes()

    def fails(table, where, **options):
        Path(where).write_bytes(before[:100])
        raise error

    monkeypatch.setattr(pq, "write_table", fails)
    kind = TableError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(kind) as caught:
        write_table(path, [], {})
    if kind is TableError:
        assert str(caught.value) == f"cannot write {path}: No space left on device"
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["z.parquet"]


def test_schema_has_no_name_twice():
    assert len(set(SCHEMA.names)) == len(SCHEMA.names)


def test_lists_keep_their_checksum(tmp_path):
    """Arrow and Parquet name a list's entries differently; that is no damage."""
    path = tmp_path / "lists.parquet"
    written = pa.table({"a": pa.array([[1, 2], []], pa.list_(pa.int64()))})
    write_parquet(path, written, {"k": 1})
    assert read_parquet(path).to_pydict() == {"a": [[1, 2], []]}
