"""The commands that answer at once: show, plays, perft, info, help and version."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

import bgsim
from bgsim.apps.rollout import run_rollout
from bgsim.core.notation import parse
from bgsim.run.plan import Plan, Root
from bgsim.run.runner import Stop
from tests.cases import reference_plays
from tests.children import BGSIM, PATIENCE, run_bgsim, run_python

COMMANDS = (
    "rollout",
    "plays",
    "evaluate",
    "show",
    "perft",
    "duel",
    "train",
    "bench",
    "warm",
    "info",
    "bearoff",
    "match-equity",
)
START = "4HPwATDgc/ABMA"
START_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:3:0:10"


def answer(result):
    """stdout as JSON, of a command that had nothing else to say."""
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


# --- help and version -----------------------------------------------------------------------------


def test_help_lists_the_commands(invoke):
    text = invoke("--help").stdout
    listed = re.findall(r"^  ([\w-]+)  +\S", text.partition("Commands:")[2], re.MULTILINE)
    assert listed == list(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_help_text(invoke, command):
    result = invoke(command, "--help")
    assert result.exit_code == 0
    assert "Usage:" in result.stdout
    assert "\x1b" not in result.stdout


def test_help_of_rollout_names_the_options(invoke):
    text = invoke("rollout", "--help").stdout
    options = (
        "config trials rules policy cubeful seed opening no-opening executor address workers batch out resume"
    )
    for option in (*options.split(), "overwrite", "strict", "json"):
        assert f"--{option}" in text


def test_version(invoke):
    result = invoke("--version")
    assert result.stdout.startswith(f"bgsim {bgsim.__version__}")
    assert (result.exit_code, result.stdout.count("\n")) == (0, 1)


@pytest.mark.slow
def test_python_m_bgsim_is_the_command():
    done = run_python("-m", "bgsim", "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"bgsim {bgsim.__version__}")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nosuch"],
        ["--nosuch"],
        ["rollout", "start", "--nosuch"],
        ["rollout", "start", "--trials"],
        ["rollout", "start", "--trials", "many"],
        ["rollout", "start", "--trials", "1.5"],
        ["rollout", "start", "--seed", "x"],
        ["show"],
        ["show", "start", "start"],
        ["plays"],
        ["perft", "start"],
        ["perft", "start", "0"],
        ["perft", "start", "two"],
        ["info"],
        ["warm", "now"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_told_and_ends_with_2(invoke, arguments):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Error: " in result.stderr
    assert "Traceback" not in result.stderr


def test_bgsim_alone_shows_its_help(invoke):
    result = invoke()
    assert result.exit_code == 2
    assert "Commands:" in result.stdout + result.stderr


# --- show -----------------------------------------------------------------------------------------


def test_show_draws_the_board_and_names_it(invoke):
    text = invoke("show", START_XGID).stdout
    state = parse(START_XGID)
    assert str(state) in text
    for word in (START, state.match_id, START_XGID, "X 167, O 167", "contact", "money"):
        assert word in text


def test_show_as_json(invoke):
    assert answer(invoke("show", "4HPwATDgc/ABMA:8AngAGAAEAAE", "--json")) == {
        "position_id": START,
        "match_id": "8AngAGAAEAAE",
        "xgid": "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:2:6:1:7:10",
        "pips_on_roll": 167,
        "pips_opponent": 167,
        "class": "contact",
        "rules": "match:7",
        "opening": False,
    }


@pytest.mark.parametrize("name", ["start", "nackgammon", "longgammon", "hypergammon", "dutch"])
def test_show_knows_the_set_ups(invoke, name):
    found = answer(invoke("show", name, "--json"))
    assert found["opening"] is True
    assert found["class"] == "contact"
    assert found["pips_on_roll"] == {
        "start": 167,
        "nackgammon": 194,
        "longgammon": 360,
        "hypergammon": 69,
    }.get(name, 375)


@pytest.mark.parametrize(
    ("text", "kind", "pips"),
    [
        ("6:5 5:5 4:5 / 6:5 5:5 4:5", "bear-off", [75, 75]),
        ("13:5 6:10 / 6:15", "race", [125, 90]),
        ("/ 6:5", "over", [0, 30]),
    ],
)
def test_show_names_the_class(invoke, text, kind, pips):
    found = answer(invoke("show", text, "--json"))
    assert (found["class"], [found["pips_on_roll"], found["pips_opponent"]]) == (kind, pips)


def test_show_takes_rules(invoke):
    assert answer(invoke("show", "start", "--rules", "match:5", "--json"))["rules"] == "match:5"


# --- plays ----------------------------------------------------------------------------------------


def test_plays_as_json(invoke):
    found = answer(invoke("plays", "start", "31", "--json"))
    assert len(found) == 16
    assert all(row.keys() >= {"play", "position_id", "equity"} for row in found)
    best = {row["play"]: row for row in found}["8/5 6/5"]
    # the example of the reference data: the mover still on roll, and the next player
    assert (best["position_id"], best["next_position_id"]) == ("4HPwATCwZ/ABMA", "sGfwATDgc/ABMA")
    assert [row["score"] for row in found] == sorted((row["score"] for row in found), reverse=True)


def test_plays_are_those_of_the_reference(invoke):
    for case in reference_plays()[::600]:
        found = answer(invoke("plays", case["position_id"], "{}{}".format(*case["dice"]), "--json"))
        assert sorted(row["position_id"] for row in found) == case["after"]


def test_plays_as_a_list(invoke):
    lines = invoke("plays", "start", "3-1").stdout.splitlines()
    assert len(lines) == 16
    assert lines[0].split() == ["1", "8/5", "6/5", lines[0].split()[3], "4HPwATCwZ/ABMA"]


def test_plays_takes_the_roll_of_the_id(invoke):
    rolled = START_XGID.replace(":00:", ":31:")
    assert answer(invoke("plays", rolled, "--json")) == answer(invoke("plays", "start", "31", "--json"))
    assert len(answer(invoke("plays", rolled, "66", "--json"))) == 11  # the argument wins


def test_plays_when_there_are_none(invoke):
    assert invoke("plays", "4HPwATDgc/ABUA", "66").stdout == "no legal play: the turn is lost\n"  # case L07
    assert answer(invoke("plays", "4HPwATDgc/ABUA", "66", "--json")) == []
    assert invoke("plays", "/ 6:5", "66").stdout == "the game is over\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["start"], "there is no roll: give one after the position, such as 63"),
        (["start", "77"], "'77' is no roll"),
        (["start", "6"], "'6' is no roll"),
        (["start", "63", "--policy", "gredy"], "unknown policy 'gredy' (did you mean 'greedy'?)"),
        (["start", "63", "--rules", "mony"], "there are no rules 'mony' (did you mean 'money'?)"),
        (["start", "43", "--rules", "money,larger_die=off"], "bgsim does not play larger_die=off yet"),
        (["dutch", "42"], "bgsim does not play Dutch backgammon yet"),
    ],
    ids=str,
)
def test_plays_refuses_in_a_sentence(invoke, arguments, says):
    result = invoke("plays", *arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"bgsim: {says}")
    assert result.stderr.count("\n") == 1


# --- perft ----------------------------------------------------------------------------------------


def test_perft(invoke):
    """Counts of two independent programs: 447 and 202,782."""
    assert invoke("perft", "start", "2").stdout == "depth 1: 447\ndepth 2: 202782\n"
    assert answer(invoke("perft", START, "2", "--json")) == {
        "position_id": START,
        "depth": 2,
        "results": [447, 202782],
    }


def test_perft_of_a_finished_game(invoke):
    assert answer(invoke("perft", "/ 6:5", "2", "--json"))["results"] == [0, 0]


def test_perft_does_not_count_other_rules(invoke):
    result = invoke("perft", "dutch", "1")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("bgsim: bgsim does not play Dutch backgammon yet")


# --- info -----------------------------------------------------------------------------------------


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "x.parquet"
    roots = (Root(parse("start"), "the [bold]start[/] :smile: [/nothing]"), Root(parse("nackgammon")))
    run_rollout(Plan(roots=roots, trials=40), out=path)
    return path


def test_info_shows_metadata_and_rows(invoke, table):
    text = invoke("info", table).stdout
    for word in ("format_version: 1", f"version: {bgsim.__version__}", "finished_trials: 80", "machine: {"):
        assert word in text
    # names are shown as they are, whatever they mean to a terminal library
    assert "the [bold]start[/] :smile: [/nothing]" in text
    assert "nackgammon" not in text  # this one has no name, so its id stands there
    assert parse("nackgammon").position.gnubg_id in text


def test_info_as_json(invoke, table):
    found = answer(invoke("info", table, "--json"))
    assert found["metadata"]["finished_trials"] == "80"
    assert json.loads(found["metadata"]["plan"])["trials"] == 40
    assert [row["trials"] for row in found["rows"]] == [40, 40]
    assert found["rows"][0]["name"] == "the [bold]start[/] :smile: [/nothing]"


def test_info_of_a_folder(invoke, tmp_path):
    run_rollout(Plan(roots=(Root(parse("start")),), trials=4), out=tmp_path / "folder")
    assert len(answer(invoke("info", tmp_path / "folder", "--json"))["rows"]) == 1


@pytest.mark.parametrize(("out", "parts"), [("x.parquet", "x.parquet.parts"), ("folder", "folder/_parts")])
def test_info_of_an_interrupted_run_says_how_far_it_came(invoke, tmp_path, monkeypatch, out, parts):
    """Two tasks or three of fifty trials, in parts beside the table to come."""
    monkeypatch.chdir(tmp_path)
    stop = Stop()
    plan = Plan(roots=(Root(parse("start")), Root(parse("nackgammon"))), trials=100_000)
    run = run_rollout(plan, out=out, batch=50, stop=stop, listener=lambda _: stop.request())
    assert not run.finished
    result = invoke("info", out)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"bgsim: {out} is unfinished: {run.trials_played} trials are kept in {parts}; "
        "give the command that began it once more with --resume\n"
    )


def test_info_of_a_table_without_rows(invoke, tmp_path):
    from bgsim.run.tables import write_table

    write_table(tmp_path / "x.parquet", [], {})
    assert invoke("info", tmp_path / "x.parquet").exit_code == 0


# --- a full or closed stdout ----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("command", [("show", "start"), ("rollout", "start", "--trials", "4", "--json")])
def test_a_full_stdout_is_told_in_a_sentence(command):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*BGSIM, *command], stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "bgsim: cannot read or write: No space left on device\n"


@pytest.mark.slow
def test_a_stdout_that_knows_no_plus_minus_sign_is_no_reason_to_fail():
    done = run_bgsim("rollout", "start", "--trials", "4", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "one standard error" in done.stdout


def test_info_of_the_openings_shows_what_the_readme_shows(invoke):
    root = Path(__file__).parents[2]
    printed = [" ".join(line.split()) for line in (root / "README.md").read_text().splitlines()]
    shown = invoke("info", root / "results" / "openings.parquet").stdout
    rows = [" ".join(line.split()) for line in shown.splitlines() if "46,656" in line]
    assert len(rows) == 16
    equities = [row.partition(" ±")[0] for row in rows]  # a name and its equity
    assert sum(any(line.startswith(found) for line in printed) for found in equities) == 6
