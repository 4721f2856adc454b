"""Whatever a user may type by mistake: one sentence that names it, exit 1, and nothing written."""

from __future__ import annotations

import os
import re

import pytest

from bgsim.apps.rollout import run_rollout
from bgsim.core.notation import parse
from bgsim.engine.policies import POLICIES
from bgsim.run.plan import Plan, Root

POLICY_NAMES = f"{', '.join(POLICIES)}, or the path of a weight file (.npz)"

START = "4HPwATDgc/ABMA"
XGID = "XGID=-b----E-C---eE---c-e----B-"


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def sentence(invoke, tmp_path):
    """The sentence with which `bgsim ARGUMENTS` is refused; no file was made, changed or deleted."""

    def files():
        return {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}

    def call(*arguments):
        before = files()
        result = invoke(*arguments)
        assert (result.exit_code, result.stdout) == (1, "")
        assert files() == before
        (line,) = result.stderr.splitlines()
        assert line.startswith("bgsim: ")
        assert "Traceback" not in line
        assert len(line) < 1_100
        assert line.isprintable()
        assert not re.search(r"\b(None|Error:|Exception|<class)\b", line), "words of a program, not of people"
        return line.removeprefix("bgsim: ")

    return call


def rollout(*more):
    return ("rollout", "start", "--trials", "8", *more)


# --- positions, the F cases by id -----------------------------------------------------------------

POSITIONS = {
    "F11 77": (f"{XGID}:0:0:1:77:0:0:3:0:10", "the dice are '77'"),
    "F11 07": (f"{XGID}:0:0:1:07:0:0:3:0:10", "the dice are '07'"),
    "F11 offered double": (f"{XGID}:0:0:1:D:0:0:3:0:10", "waits for an answer to a double"),
    "F11 beaver": (f"{XGID}:0:0:1:B:0:0:3:0:10", "waits for an answer"),
    "F13": ("XGID=A-b---E-C---eE---c-e----A-:0:0:1:31:0:0:0:0:10", "the board part begins with 'A'"),
    "F14": ("XGID=-b----E-C---eE---c-e----C-:0:0:1:31:0:0:0:0:10", "16 checkers for the bottom player"),
    "F17": ("4HPwATDgc/ABM", "has 13 characters, it needs 14"),
    "F23": ("//////////////", "is no position"),
    "F28": (
        "XGID=-a-bE-D---cD---c-b-a-E-:-1:0:0:00:0:0:0:0",
        "the board part has 23 characters, it needs 26",
    ),
    "C18": (f"{XGID}:0:0:1:00:1:2:1:5:10", "the Crawford flag is set"),
    "nothing": ("", "names no position"),
    "spaces": ("   ", "names no position"),
    "a word": ("nonsense", "names no position"),
    "nearly a name": ("strat", "did you mean 'start'"),
    "both on one point": ("24:2 6:5 / 24:2 19:5", "both sides are on one point"),
    "too many": ("25:16 / 6:15", "16 checkers for the player on roll"),
    "no such point": ("26:1 / 6:5", "26"),
    "half a list": ("6:5 5:5", "a point list is two sides"),
    "bad match id": (f"{START}:xx", "the Match ID 'xx' has 2 characters"),
    "bad position id": (f"4HPwATDgc/ABM!:{'cAkAAAAAAAAE'}", "4HPwATDgc/ABM!"),
    "both off": ("AAAAAAAAAAAAAA", "both sides have borne off"),
    "a slash": ("/", "names no position"),
    "a control character": ("6:5\x1b[31m / 6:5", "\\x1b[31m"),
    "two lines": ("start\nstart", "start\\nstart"),
    "endless": ("x" * 100_000, " ... "),
    "a path that cannot be": ("a\0b", "\\x00"),
}


@pytest.mark.parametrize(("text", "says"), POSITIONS.values(), ids=POSITIONS)
def test_bad_positions(sentence, text, says):
    assert says in sentence("rollout", text, "--trials", "8", "--out", "x.parquet")


@pytest.mark.parametrize("command", ["show", "plays", "perft"])
def test_bad_positions_of_the_other_commands(sentence, command):
    more = {"show": (), "plays": ("63",), "perft": ("1",)}[command]
    for text, says in (("nonsense", "names no position"), ("4HPwATDgc/ABM", "it needs 14")):
        assert says in sentence(command, text, *more)


def test_every_fault_of_a_position_is_named_at_once(sentence):
    said = sentence("rollout", "XGID=-a-bE-D---cD---c-b-a-E-:-1:0:0:00:0:0:0:0")
    for fault in ("23 characters", "9 fields", "cube (log2) is '-1'", "turn is '0'"):
        assert fault in said


# --- rules, policies, numbers ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ("mony", "there are no rules 'mony' (did you mean 'money'?)"),
        ("", "there are no rules ''"),
        ("match", "match"),
        ("match:0", "'match:0' is no match"),
        ("match:x", "'match:x' is no match"),
        ("match:7,jacoby=on", "acoby"),
        ("money,jakoby=off", "did you mean 'jacoby'"),
        ("money,jacoby=perhaps", "perhaps"),
        ("dutch", "bgsim does not play Dutch backgammon yet"),
        ("money,larger_die=off", "bgsim does not play larger_die=off yet"),
        ("money,opening=reroll", "bgsim does not play opening=reroll yet"),
    ],
)
def test_bad_rules(sentence, rules, says):
    assert says in sentence(*rollout("--rules", rules))


def test_rules_that_do_not_fit_the_position(sentence):
    assert "at most 3 are allowed" in sentence("rollout", START, "--rules", "hypergammon")
    assert "does not fit the rules" in sentence("rollout", "nackgammon", "--rules", "hypergammon")


def test_bad_rules_are_told_once_whatever_the_number_of_lines(sentence, tmp_path):
    (tmp_path / "p.txt").write_text(f"{START}\n" * 50)
    assert sentence("rollout", "p.txt", "--rules", "mony").startswith("there are no rules 'mony'")


@pytest.mark.parametrize("option", ["--policy", "--opponent-policy"])
def test_bad_policies(sentence, option):
    said = sentence(*rollout(option, "gredy"))
    assert said == f"unknown policy 'gredy' (did you mean 'greedy'?); use one of: {POLICY_NAMES}"
    assert "unknown policy 'GNU'" in sentence(*rollout(option, "GNU"))


@pytest.mark.parametrize("seed", [-1, 2**64, 10**30])
def test_R09_bad_seeds(sentence, seed):
    said = sentence(*rollout("--seed", seed))
    assert said == f"seed is {seed}: a whole number from 0 to {2**64 - 1} is allowed"


@pytest.mark.parametrize("trials", [0, -5, 2**48 + 1, 10**30])
def test_bad_trials(sentence, trials):
    said = sentence("rollout", "start", "--trials", trials)
    assert said == f"trials is {trials}: a whole number from 1 to {2**48} is allowed"


def test_bad_batches_and_workers(sentence):
    assert sentence(*rollout("--batch", 0)) == "batch is 0: a whole number from 1 to 524288 is allowed"
    assert (
        sentence(*rollout("--workers", 0))
        == "0 workers cannot be: a whole number from 1 to 100000 is allowed"
    )
    assert "unknown executor 'rya' (did you mean 'ray'?)" in sentence(*rollout("--executor", "rya"))
    assert "add --executor ray" in sentence(*rollout("--address", "127.0.0.1:6379"))


def test_cubeful_rollouts_are_not_there_yet(sentence):
    assert sentence(*rollout("--cubeful")).startswith("cubeful rollouts are not there yet")


def test_unreachable_ray(sentence):
    """Refused before anything of Ray is started."""
    said = sentence(*rollout("--executor", "ray", "--address", "127.0.0.1:1"))
    assert said.startswith("no Ray cluster answers at 127.0.0.1:1: ")
    assert "is no Ray address" in sentence(*rollout("--executor", "ray", "--address", "somewhere"))


# --- files ----------------------------------------------------------------------------------------


def test_missing_files(sentence):
    assert sentence("rollout", "none.txt") == "there is no file none.txt"
    assert sentence("rollout", "no/such/p.txt") == "there is no file no/such/p.txt"
    assert sentence("rollout", "--config", "none.toml") == "cannot read none.toml: No such file or directory"
    assert sentence("info", "none.parquet") == "there is no table none.parquet"


def test_folders_in_place_of_files(sentence, tmp_path):
    (tmp_path / "folder").mkdir()
    assert sentence("rollout", "folder") == "folder is a folder: give a position or a text file of them"
    assert sentence("rollout", "--config", "folder") == "cannot read folder: Is a directory"
    assert sentence("info", "folder") == "folder holds no .parquet file"


@pytest.mark.parametrize(
    "content",
    [
        os.urandom(200) + b"\xff\xfe",
        b"\0\1\2" * 30,
        b"PAR1" + bytes(100) + b"PAR1",
        "4HPw\u20ac".encode("utf-16"),
    ],
    ids=["random", "zeros", "parquet", "UTF-16"],
)
def test_binary_files(sentence, tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    assert "file is not a text file of positions" in sentence("rollout", "file")
    assert "file is not TOML" in sentence("rollout", "--config", "file")
    assert "file is damaged or not a Parquet file" in sentence("info", "file")


def test_empty_files(sentence, tmp_path):
    (tmp_path / "empty").touch()
    (tmp_path / "comments").write_text("# nothing\n\n# but comments\n")
    for name in ("empty", "comments"):
        assert sentence("rollout", name) == f"{name} holds no position: write one a line"
    assert "there is nothing to roll out" in sentence("rollout", "--config", "empty")
    assert "empty is damaged or not a Parquet file" in sentence("info", "empty")


def test_nothing_to_roll_out(sentence):
    assert sentence("rollout").startswith("there is nothing to roll out: give positions")


def test_a_damaged_table(sentence, tmp_path):
    path = tmp_path / "x.parquet"
    run_rollout(Plan(roots=(Root(parse("start")),), trials=8), out=path)
    data = path.read_bytes()
    for change in (data[:-1], data[: len(data) // 2], data[:40] + bytes([data[40] ^ 1]) + data[41:], b""):
        path.write_bytes(change)
        assert sentence("info", "x.parquet").startswith("x.parquet is damaged")
        said = sentence(*rollout("--out", "x.parquet", "--resume"))
        assert said.startswith("x.parquet is damaged")


# --- configurations -------------------------------------------------------------------------------

CONFIGURATIONS = {
    "no TOML": ("trials = [", "c.toml is not TOML"),
    "two values": ("trials = 1\ntrials = 2", "c.toml is not TOML"),
    "an endless number": (f"trials = {'9' * 5000}", "c.toml is not TOML"),
    "too deep": ("x = " + "[" * 100_000, "c.toml is not TOML"),
    "unknown key": ("trails = 5", "unknown key 'trails' (did you mean 'trials'?)"),
    "key in capitals": ("Trials = 5", "unknown key 'Trials' (did you mean 'trials'?)"),
    "unknown key, none near": ("zzz = 5", "unknown key 'zzz' (the keys are positions, positions_file, rules"),
    "two unknown keys": ("trails = 5\nsede = 1", "unknown key 'sede' (did you mean 'seed'?)"),
    "unknown key of a position": ("[[positions]]\nid = 'start'\nnam = 'x'", "unknown key 'positions.1.nam'"),
    "unknown table": ("[rollout]\ntrials = 5", "unknown key 'rollout'"),
    "a text for a number": ("trials = '5'", "'trials' is \"5\": it should be a valid integer"),
    "a fraction": ("trials = 5.5", "'trials' is 5.5: it should be a valid integer"),
    "a truth for a number": ("trials = true", "'trials' is true: it should be a valid integer"),
    "a text for a truth": ("opening = 'yes'", "'opening' is \"yes\": it should be a valid boolean"),
    "a number for a text": ("out = 5", "'out' is 5: it should be a valid string"),
    "a number for a position": ("positions = ['start', 5]", "'positions.2' is 5: it should be a position"),
    "a position for a list": ("positions = 'start'", "'positions' is \"start\": it should be a valid list"),
    "a position without id": ("[[positions]]\nname = 'x'", "'positions.1.id' is missing"),
    "a point of view": ("point_of_view = 'top'", "it should be 'on_roll' or 'bottom'"),
    "no such file": ("positions_file = 'none.txt'", "cannot read none.txt"),
    "bad seed": ("seed = -1\npositions = ['start']", "seed is -1"),
    "bad trials": ("trials = 0\npositions = ['start']", "trials is 0"),
    "bad policy": ("policy = 'best'\npositions = ['start']", "unknown policy 'best'"),
    "bad rules": ("rules = 'mony'\npositions = ['start']", "there are no rules 'mony'"),
    "bad executor": ("executor = 'dask'\npositions = ['start']", "unknown executor 'dask'"),
    "cubeful": ("cubeful = true\npositions = ['start']", "cubeful rollouts are not there yet"),
    "only bad positions": ("positions = ['nonsense']", "c.toml, position 1: 'nonsense' names no position"),
    "no positions": ("trials = 5", "there is nothing to roll out"),
}


@pytest.mark.parametrize(("text", "says"), CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_bad_configurations(sentence, tmp_path, text, says):
    (tmp_path / "c.toml").write_text(text)
    assert says in sentence("rollout", "--config", "c.toml")


# --- places where nothing can be written ----------------------------------------------------------


@pytest.mark.parametrize("out", ["file/x.parquet", "file/x/", "file", "file/a/b/c/x.parquet"])
def test_out_below_a_file(sentence, tmp_path, out):
    (tmp_path / "file").write_text("a file")
    assert sentence(*rollout("--out", out)).endswith("file is not a folder")


def test_out_that_is_a_folder_of_that_name(sentence, tmp_path):
    (tmp_path / "x.parquet").mkdir()
    for more in ((), ("--overwrite",), ("--resume",)):
        assert sentence(*rollout("--out", "x.parquet", *more)) == "cannot write x.parquet: it is a folder"


@pytest.mark.parametrize("out", ["", " ", "x/ /", ".", "x.csv", "x.json"])
def test_out_that_names_no_table(sentence, out):
    assert "use X.parquet, or X/ for a folder" in sentence(*rollout("--out", out))


def test_resume_without_a_table(sentence):
    assert sentence(*rollout("--resume")).startswith("--resume needs --out")
    assert sentence(*rollout("--overwrite")).startswith("--overwrite needs --out")
    said = sentence(*rollout("--out", "x.parquet", "--resume", "--overwrite"))
    assert said == "x.parquet: --resume goes on, --overwrite begins anew: give one of them"
