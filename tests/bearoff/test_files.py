"""Table files that are not what was written: refused by name, never an equity."""

from __future__ import annotations

import json
import random

import pyarrow as pa
import pytest

from bgsim.apps.bearoff import check_bearoff, open_bearoff
from bgsim.bearoff import files
from bgsim.bearoff.one_sided import build_one_sided
from bgsim.bearoff.two_sided import build_two_sided
from bgsim.core.errors import TableError


@pytest.fixture(scope="module", params=["one-sided", "two-sided"])
def written(request, tmp_path_factory):
    """A sound file."""
    path = tmp_path_factory.mktemp("tables") / f"{request.param}.arrow"
    if request.param == "one-sided":
        build_one_sided(checkers=4, out=path)
    else:
        build_two_sided(checkers=3, out=path)
    return path


def test_a_sound_file(written):
    assert open_bearoff(written).kind == written.stem
    assert check_bearoff(written, pairs=10).bearoff.kind == written.stem


def places(size):
    """Some bytes of every part of a file."""
    edges = [*range(0, 64, 7), *range(size - 64, size, 7)]
    return edges + random.Random(7).sample(range(size), 150)


def test_a_flipped_byte(written, tmp_path):
    """Case B10: anywhere, in the values, the schema, the footer or the padding."""
    whole = written.read_bytes()
    damaged = tmp_path / "damaged.arrow"
    for place in places(len(whole)):
        damaged.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        with pytest.raises(TableError, match=r"damaged\.arrow"):
            open_bearoff(damaged)


def test_a_file_cut_short(written, tmp_path):
    whole = written.read_bytes()
    damaged = tmp_path / "damaged.arrow"
    for size in (0, 1, 8, 100, len(whole) // 2, len(whole) - 100, len(whole) - 1):
        damaged.write_bytes(whole[:size])
        with pytest.raises(TableError, match=r"damaged\.arrow is no table file, or is damaged"):
            open_bearoff(damaged)


def test_another_version(written, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "FORMAT", files.FORMAT + 1)
    with pytest.raises(TableError, match=rf"{written.name} has format 1 of exact tables; this version reads"):
        open_bearoff(written)


def test_another_kind(tmp_path):
    from bgsim.bearoff.two_sided import open_two_sided

    build_one_sided(checkers=2, out=tmp_path / "x.arrow")
    with pytest.raises(TableError, match=r"x\.arrow is a one-sided table, not a two-sided one"):
        open_two_sided(tmp_path / "x.arrow")


def test_foreign_files(tmp_path):
    table = pa.table({"a": [1]})
    path = tmp_path / "x.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(TableError, match=r"x\.arrow is an Arrow file, but no exact table of bgsim"):
        open_bearoff(path)
    path.write_text("mean_rolls,epc\n")
    with pytest.raises(TableError, match=r"x\.arrow is no table file, or is damaged"):
        open_bearoff(path)
    with pytest.raises(TableError, match=r"there is no file .*nothing\.arrow"):
        open_bearoff(tmp_path / "nothing.arrow")
    with pytest.raises(TableError, match=r"is a folder, but no table of bgsim"):
        open_bearoff(tmp_path)


def signed(path, schema, batches, facts):
    """A file of our format with other contents, its checksum right."""
    files.write_file(path, schema, batches, facts)
    return path


@pytest.mark.parametrize("kind", ["one-sided", "two-sided", "part"])
def test_a_foreign_schema_with_a_right_checksum(tmp_path, kind):
    table = pa.table({"a": [1, 2]})
    facts = {"kind": kind, "points": 6, "checkers": 3, "beavers": False}
    path = signed(tmp_path / "x.arrow", table.schema, table.to_batches(), facts)
    with pytest.raises(TableError, match=r"x\.arrow (is damaged: it has not the rows|is a part table, not)"):
        open_bearoff(path)


def test_facts_that_are_missing(tmp_path):
    table = pa.table({"a": [1, 2]})
    path = signed(tmp_path / "x.arrow", table.schema, table.to_batches(), {"kind": "one-sided"})
    with pytest.raises(TableError, match=r"x\.arrow is damaged: it does not say what it holds"):
        open_bearoff(path)


def test_metadata_says_what_a_file_holds(written):
    with pa.memory_map(str(written)) as source:
        metadata = pa.ipc.open_file(source).schema.metadata
    facts = json.loads(metadata[b"bgsim.bearoff"])
    assert facts["kind"] == written.stem
    assert facts["format"] == 1
    assert {"points", "checkers", "version", "digest"} <= facts.keys()
