"""bgsim match-equity: show and matrix."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from bgsim.cli.main import app


def run(*arguments):
    return CliRunner().invoke(app, ["match-equity", *map(str, arguments)])


def shown(*arguments):
    done = run("show", *arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_a_score():
    """Check 11: 3-away each, dead take point .3017."""
    found = shown(3, 3)
    assert (found["win"], found["crawford"], found["after_crawford"]) == (0.5, False, False)
    assert found["player"] == found["opponent"]
    assert found["player"][0]["dead_take_point"] == pytest.approx(0.3017, abs=5e-5)
    assert [row["cube"] for row in found["player"]] == [1, 2]


def test_live_points_of_the_manual():
    """Black 7-away, White 4-away: take points 24.5% and 15%, 27.2% and 38.5%; cash points are the rest."""
    found = shown(7, 4, "--table", "woolsey-heinrich", "--gammons", 0.227, 0.194)
    black, white = found["player"], found["opponent"]
    assert [row["live_take_point"] for row in black[:2]] == pytest.approx([0.245, 0.15], abs=5e-4)
    assert [row["live_take_point"] for row in white[:2]] == pytest.approx([0.272, 0.385], abs=5e-4)
    assert [row["cash_point"] for row in black[:2]] == pytest.approx([0.728, 0.615], abs=5e-4)
    assert black[0]["gammon_price"] == 2 * black[0]["gammon_value"]


def test_crawford_and_after():
    assert shown(2, 1)["win"] == 0.32264
    assert set(shown(2, 1)["player"][0]) == {"cube", "gammon_value", "gammon_price"}
    after = shown(2, 1, "--after-crawford")
    assert (after["win"], after["player"][0]["dead_take_point"]) == (0.48803, 0.0)
    assert after["free_drop_cost"] == pytest.approx(0.5 - 0.48803)
    assert shown(3, 1, "--after-crawford")["free_drop_cost"] > 0.15  # no free drop at odd scores


def test_text():
    output = run("show", 4, 1, "--after-crawford").output
    assert "4-away against 1-away, after the Crawford game: 31.00% to win the match (kazaross-xg2)" in output
    assert "The leader may pass an immediate double at a cost of 1.26%" in output
    lines = run("matrix", "--length", 3).output.splitlines()
    assert lines[2].split() == ["1", "50.00", "67.74", "75.08"]
    assert lines[-1].split()[:4] == ["post", "50.00", "48.80", "32.26"]


def test_matrix_as_json():
    done = run("matrix", "--length", 15, "--table", "snowie", "--json")
    found = json.loads(done.stdout)
    assert (len(found["before"]), found["before"][0][1]) == (15, 0.685)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((0, 3), "0 points needed: whole numbers from 1 to 64 are allowed"),
        ((30, 3), "kazaross-xg2 has no value for 30 points needed against 3; it goes to 25 points"),
        ((3, 3, "--crawford"), "3 against 3 is no Crawford score"),
        ((3, 3, "--gammons", 2, 0), "two shares of wins from 0 to 1 are allowed"),
        ((3, 3, "--table", "snowy"), "(did you mean 'snowie'?)"),
        ((3, 3, "--table", "nothing.csv"), "cannot read nothing.csv: No such file or directory"),
    ],
    ids=str,
)
def test_mistakes(arguments, sentence):
    done = run("show", *arguments)
    assert done.exit_code == 1
    assert sentence in done.output
