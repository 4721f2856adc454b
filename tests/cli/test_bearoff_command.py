"""bgsim bearoff: build, query, check, export, and what a mistake is told."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import bgsim
from bgsim.cli.main import app


def run(*arguments):
    return CliRunner().invoke(app, ["bearoff", *map(str, arguments)])


def answer(*arguments):
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    assert run("build", "one-sided", "--out", folder / "one.arrow", "--quiet").exit_code == 0
    assert run("build", "two-sided", "--checkers", 4, "--out", folder / "two.arrow", "--quiet").exit_code == 0
    return folder


def test_query_of_a_side(tables):
    """Five on the ace and four on the deuce point: 4.41 rolls, EPC 36.02 (check 3); 7 aces 3.5509259."""
    found = answer("query", tables / "one.arrow", "1:5 2:4")
    assert found["mean_rolls"] == pytest.approx(4.41, abs=5e-3)
    assert found["epc"] == pytest.approx(36.02, abs=5e-3)
    assert found["wastage"] == pytest.approx(found["epc"] - 13, abs=1e-12)
    assert sum(found["distribution"]) == pytest.approx(1, abs=1e-6)
    many = answer("query", tables / "one.arrow", "1:7", "1:15")
    assert [row["mean_rolls"] for row in many] == pytest.approx([3.5509259259, 6.9795917638], abs=1e-9)


def test_query_of_both_sides_of_a_one_sided_table(tables):
    found = answer("query", tables / "one.arrow", "1:2 / 1:3")
    assert found["win"] == pytest.approx(1.0)
    assert (found["on_roll"]["mean_rolls"], found["opponent"]["pips"]) == (1.0, 3)
    text = run("query", tables / "one.arrow", "1:2 / 1:3").output
    assert "The player on roll wins 100.00%" in text
    assert "BAR" in text  # a board


def test_query_of_a_pair(tables):
    """5,2 v 3,2, check 5: .671, owned .3441, unavailable .1605, double/take .3210; no redouble."""
    found = answer("query", tables / "two.arrow", "5:1 2:1 / 3:1 2:1")
    assert found["win"] == pytest.approx(0.671124829, abs=1e-5)
    assert found["equity_owned"] == pytest.approx(0.344135802, abs=2e-5)
    assert found["equity_double_take"] == pytest.approx(0.320987654, abs=4e-5)
    assert (found["action"], found["action_redouble"]) == ("double/take", "no redouble")
    assert found["action_centred_jacoby"] == "double/take"
    assert found == answer("query", tables / "two.arrow", "CgAAEAEAAAAAAA")
    text = run("query", tables / "two.arrow", "CgAAEAEAAAAAAA").output
    assert "no double +0.1605, double/take +0.3210, double/pass +1.0000: double/take" in text


def test_the_same_from_python(tables):
    table = bgsim.open_bearoff(tables / "two.arrow")
    texts = ["5:1 2:1 / 3:1 2:1", "2:2 / 2:2"]
    assert table.query_all(texts) == answer("query", tables / "two.arrow", *texts)
    assert table.query(bgsim.parse(texts[1])) == table.query_all(texts)[1]
    assert table.query(bgsim.parse(texts[1]).position) == table.query_all(texts)[1]


def test_check(tables):
    done = run("check", tables / "two.arrow", "--pairs", 2000)
    assert done.exit_code == 0
    assert "is whole: two-sided, 4 checkers on 6 points, 44,100 pairs" in done.output
    assert "2,000 random pairs agree" in done.output
    assert "is whole: one-sided, 15 checkers on 6 points" in run("check", tables / "one.arrow").output


def test_export(tables, tmp_path):
    assert run("export", tables / "two.arrow", "--out", tmp_path / "two.parquet").exit_code == 0
    pairs = pq.read_table(tmp_path / "two.parquet")
    assert pairs.num_rows == 209**2
    assert pairs.column_names[:4] == ["points_on_roll", "points_opponent", "win", "win_gammon"]
    row = pairs.slice(209 * 50 + 3, 1).to_pylist()[0]
    sides = [" ".join(f"{p}:{n}" for p, n in enumerate(row[name], 1) if n) for name in pairs.column_names[:2]]
    found = answer("query", tables / "two.arrow", " / ".join(sides))
    assert {name: row[name] for name in found if name != "position_id"} == {
        name: value for name, value in found.items() if name != "position_id"
    }
    assert run("export", tables / "one.arrow", "--out", tmp_path / "one.parquet").exit_code == 0
    assert pq.read_table(tmp_path / "one.parquet").num_rows == 54_264


MISTAKES = [
    (("query", "{two}", "start"), "is not in the table: it has 1 to 4 checkers of each side"),
    (("query", "{two}", "6:1 /"), "is not in the table"),
    (("query", "{two}", "nonsense"), "nonsense"),
    (("query", "{one}", "7:1"), "has checkers beyond the 6 points of the table"),
    (("query", "nowhere.arrow", "1:1"), "there is no file nowhere.arrow"),
    (("check", "nowhere.arrow"), "there is no file nowhere.arrow"),
    (("build", "three-sided"), "unknown kind 'three-sided' (did you mean"),
    (("build", "two-sided", "--checkers", "16"), "16 checkers on 6 points cannot be built"),
    (("build", "one-sided", "--points", "25"), "15 checkers on 25 points cannot be built"),
    (("build", "one-sided", "--beavers"), "a one-sided table knows no cube"),
    (("build", "one-sided", "--out", "{one}"), "one.arrow exists: remove it, or choose another --out"),
    (("export", "{two}", "--out", "{one}"), "one.arrow exists: remove it, or choose another --out"),
]


@pytest.mark.parametrize(("arguments", "sentence"), MISTAKES, ids=lambda value: str(value)[:40])
def test_mistakes_get_one_sentence(tables, arguments, sentence):
    names = {"one": tables / "one.arrow", "two": tables / "two.arrow"}
    done = run(*(argument.format(**names) for argument in arguments))
    assert done.exit_code == 1
    assert done.exception is None or isinstance(done.exception, SystemExit)
    lines = done.output.strip().splitlines()
    assert sentence in lines[-1]
    assert lines[-1].startswith("bgsim: ")
