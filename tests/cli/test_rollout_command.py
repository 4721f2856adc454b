"""bgsim rollout: what it prints, which option wins, positions from files."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

import bgsim
from bgsim.apps.rollout_job import RolloutJob
from bgsim.run.tables import read_metadata, read_table
from tests.children import BGSIM
from tests.columns import columns_of

START = "4HPwATDgc/ABMA"
RACE = "6:5 5:5 4:5 / 6:5 5:5 4:5"
WON = "AQAABAAAAAAAAA"


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def rows(invoke):
    """`bgsim rollout ARGUMENTS --json` of few trials: its rows; nothing else may be printed."""

    def call(*arguments, stderr=""):
        few = () if "--trials" in arguments or "--config" in arguments else ("--trials", "24")
        result = invoke("rollout", *arguments, *few, "--json")
        assert (result.exit_code, result.stderr) == (0, stderr)
        return json.loads(result.stdout)

    return call


# --- output ---------------------------------------------------------------------------------------


def test_json_is_the_table_and_the_api(invoke, rows, tmp_path):
    """One row, by three ways."""
    (row,) = rows(START, "--trials", "100", "--seed", "4")
    result = bgsim.rollout(START, trials=100, seed=4)
    assert row == result.row()
    invoke("rollout", START, "--trials", "100", "--seed", "4", "--out", "x.parquet")
    (stored,) = read_table(tmp_path / "x.parquet").to_pylist()
    assert {name: stored[name] for name in row} == row


def test_the_printed_table(invoke):
    result = invoke("rollout", "start", RACE, "--trials", "300", "--policy", "random")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout + result.stderr
    text = result.stdout
    assert re.search(r"^ start +[+-]\d\.\d{4} ±\d\.\d{4} +0\.\d{4} ±0\.\d{4} .* 300 *$", text, re.MULTILINE)
    assert "policy random, seed 0; ± one standard error" in text
    assert "from the view of the player on roll" in text


def test_a_rate_never_seen_is_only_small(invoke):
    """Rule of three: 0 of 30 says below 3/30."""
    assert "< 3/30" in invoke("rollout", WON, "--trials", "30").stdout


def test_what_is_written_is_told_on_stderr(invoke, tmp_path):
    result = invoke("rollout", "start", "--trials", "20", "--out", "x.parquet")
    assert result.stderr == "table written to x.parquet\n"
    again = invoke("rollout", "start", "--trials", "20", "--out", "x.parquet", "--resume")
    assert (again.exit_code, again.stderr) == (0, "x.parquet was already finished\n")
    assert again.stdout == result.stdout
    assert read_table(tmp_path / "x.parquet").num_rows == 1


def test_out_may_be_a_folder(invoke, tmp_path):
    invoke("rollout", "start", "--trials", "20", "--out", "folder/")
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["part-000000.parquet"]


def test_an_existing_table_needs_a_word(invoke, tmp_path):
    command = ("rollout", "start", "--trials", "20", "--out", "x.parquet")
    invoke(*command)
    before = (tmp_path / "x.parquet").read_bytes()
    result = invoke(*command)
    assert (result.exit_code, result.stdout) == (1, "")
    assert (
        result.stderr
        == "bgsim: x.parquet exists: add --resume to go on with it or --overwrite to replace it\n"
    )
    assert (tmp_path / "x.parquet").read_bytes() == before
    other = ("rollout", "start", "--trials", "21", "--out", "x.parquet")
    assert "trials is 20 there and 21 here" in invoke(*other, "--resume").stderr
    assert invoke(*other, "--overwrite").exit_code == 0
    assert read_table(tmp_path / "x.parquet").column("trials").to_pylist() == [21]


def test_stratified_dice_say_how_they_round(rows):
    (start, race) = rows(
        "start",
        RACE,
        "--stratified",
        "--trials",
        "100",
        stderr="stratified dice need whole cycles of first rolls: 100 trials become 108 or 120\n",
    )
    assert (start["trials"], race["trials"]) == (120, 108)  # 30 first rolls of an opening, 36 elsewhere


@pytest.mark.parametrize(("trials", "become"), [("36", "36 or 60"), ("30", "30 or 36"), ("180", None)])
def test_stratified_dice_name_every_count_that_is_played(rows, trials, become):
    note = f"stratified dice need whole cycles of first rolls: {trials} trials become {become}\n"
    found = rows("start", RACE, "--stratified", "--trials", trials, stderr=note if become else "")
    assert {row["trials"] for row in found} == set(map(int, (become or trials).split(" or ")))


# --- options --------------------------------------------------------------------------------------


def test_opening_is_that_of_the_set_up_unless_told(rows):
    assert rows("start")[0]["opening"] is True
    assert rows(START)[0]["opening"] is False
    assert rows(START, "--opening")[0]["opening"] is True
    assert rows("start", "--no-opening")[0]["opening"] is False
    assert rows("start")[0]["equity"] == rows(START, "--opening")[0]["equity"]
    assert rows("start")[0]["equity"] != rows(START)[0]["equity"]


def test_rules_given_win_over_those_of_the_id(rows):
    match = "4HPwATDgc/ABMA:8AngAGAAEAAE"
    assert rows(match)[0]["rules"] == "match:7"
    assert rows(match, "--rules", "match:9")[0]["rules"] == "match:9"
    assert rows(match, "--rules", "money")[0]["rules"] == "money"
    assert rows(START)[0]["rules"] == "money"
    assert rows(match)[0]["equity"] == rows(START)[0]["equity"]  # cubeless: the score does not act


def test_seeds_of_64_bits_all_differ(rows):
    """Case R09: nothing wraps."""
    seeds = (0, 2**32, 2**63, 2**64 - 1)
    found = [rows(START, "--seed", seed)[0] for seed in seeds]
    assert [row["seed"] for row in found] == list(seeds)
    assert len({row["mean_plies"] for row in found}) == 4


def test_the_start_of_other_rules_has_their_name(rows):
    assert [row["name"] for row in rows("start", "--rules", "nackgammon")] == ["nackgammon"]
    assert [row["name"] for row in rows("start", "nackgammon", "--rules", "cubeless")] == [
        "start",
        "nackgammon",
    ]


def test_two_policies(rows):
    (row,) = rows(START, "--policy", "greedy", "--opponent-policy", "random", "--trials", "200")
    assert (row["policy"], row["opponent_policy"]) == ("greedy", "random")
    assert row["equity"] > 1.5  # greedy is about 2.3 points a game better; the error is 0.08


@pytest.mark.parametrize(
    "options", [("--workers", "1"), ("--workers", "3", "--batch", "5"), ("--batch", "1")]
)
def test_how_it_is_run_changes_nothing(rows, options):
    assert rows("start", RACE, *options) == rows("start", RACE)


def test_a_finished_game_is_reported(rows):
    """Case R18: the player on roll has borne off, the other 10 of 15."""
    (row,) = rows("4AMAAAAAAAAAAA")
    assert (row["equity"], row["win"], row["win_gammon"], row["mean_plies"]) == (1.0, 1.0, 0.0, 0.0)


def test_a_position_with_dice_begins_with_them(rows):
    (row,) = rows("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    assert row["roll"] == "31"


# --- files of positions ---------------------------------------------------------------------------

LINES = f"""# openings

{START} # the start
   {RACE}   #a race, with a name
start
  # a comment
{WON}\t
"""


@pytest.mark.parametrize(
    "text",
    [LINES, LINES.replace("\n", "\r\n"), "\ufeff" + LINES, LINES.rstrip("\n"), LINES.replace("\n", "\n\n")],
    ids=["plain", "CRLF", "BOM", "no newline at the end", "blank lines"],
)
def test_a_text_file_of_positions(rows, tmp_path, text):
    (tmp_path / "positions.txt").write_bytes(text.encode())
    found = rows("positions.txt")
    assert [row["name"] for row in found] == ["the start", "a race, with a name", "start", ""]
    race = bgsim.parse(RACE).position.gnubg_id
    assert [row["position_id"] for row in found] == [START, race, START, WON]
    assert [row["opening"] for row in found] == [False, False, True, False]


PIPED = ("rollout", "--trials", "8", "--json")


@pytest.mark.slow
def test_positions_may_be_piped_in():
    """By -, by the name of stdin, and by a pipe that the shell names."""
    command = shlex.join([*BGSIM, *PIPED])
    for script in (f"{command} - < p.txt", f"cat p.txt | {command} /dev/stdin", f"{command} <(cat p.txt)"):
        Path("p.txt").write_text(f"{START} # piped\nnonsense\n")
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        assert [row["name"] for row in json.loads(done.stdout)] == ["piped"]
        assert re.match(r"bgsim: (stdin|/dev/stdin|/dev/fd/\d+), line 2: 'nonsense' names", done.stderr)


@pytest.mark.slow
def test_nothing_on_stdin():
    for redirected in ("< /dev/null", "<&-"):
        script = f"{shlex.join([*BGSIM, *PIPED])} - {redirected}"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (1, "bgsim: stdin holds no position: write one a line\n")


def test_files_and_positions_may_be_mixed(rows, tmp_path):
    (tmp_path / "a").write_text(f"{WON} # from the file\n")
    assert [row["name"] for row in rows("start", "a", WON)] == ["start", "from the file", ""]


BAD_LINES = f"""{START}
nonsense
{WON}
XGID=-b----E-C---eE---c-e----C-:0:0:1:31:0:0:0:0:10
"""


def test_bad_lines_are_told_by_number_while_the_good_ones_run(invoke, tmp_path):
    (tmp_path / "p.txt").write_text(BAD_LINES)
    result = invoke("rollout", "p.txt", "--trials", "8", "--json", "--out", "x.parquet")
    assert result.exit_code == 0
    first, second, written = result.stderr.splitlines()
    assert first.startswith("bgsim: p.txt, line 2: 'nonsense' names no position")
    assert second == "bgsim: p.txt, line 4: 16 checkers for the bottom player, at most 15 are allowed"
    assert written == "table written to x.parquet"
    assert [row["position_id"] for row in json.loads(result.stdout)] == [START, WON]
    assert read_table(tmp_path / "x.parquet").num_rows == 2


def test_strict_refuses_a_file_with_bad_lines(invoke, tmp_path):
    (tmp_path / "p.txt").write_text(BAD_LINES)
    result = invoke("rollout", "p.txt", "--trials", "8", "--strict", "--out", "x.parquet")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines()[-1] == "bgsim: 2 bad lines and --strict: nothing was rolled out"
    assert not (tmp_path / "x.parquet").exists()


def test_a_line_that_cannot_be_rolled_out_is_told_by_its_number(invoke, tmp_path):
    """A cube decision and Dutch backgammon can be read, but not rolled out."""
    doubled = "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:3:0:10"
    (tmp_path / "p.txt").write_text(f"{doubled}\n{START}\ndutch\n")
    result = invoke("rollout", "p.txt", "--trials", "8", "--json")
    assert result.exit_code == 0
    first, second = result.stderr.splitlines()
    assert first.startswith(f"bgsim: p.txt, line 1: {doubled} waits for an answer to a double")
    assert second.startswith("bgsim: p.txt, line 3: bgsim does not play Dutch backgammon yet")
    assert [row["position_id"] for row in json.loads(result.stdout)] == [START]
    strict = invoke("rollout", "p.txt", "--trials", "8", "--strict")
    assert (strict.exit_code, strict.stdout) == (1, "")


def test_rules_that_are_not_played_are_told_once(invoke, tmp_path):
    (tmp_path / "p.txt").write_text(f"{START}\n{START}\n")
    result = invoke("rollout", "p.txt", "--rules", "money,larger_die=off")
    assert result.exit_code == 1
    assert result.stderr.startswith("bgsim: bgsim does not play larger_die=off yet")
    assert result.stderr.count("larger_die") == 1


def test_one_bad_line_is_one(invoke, tmp_path):
    (tmp_path / "p.txt").write_text(f"{START}\nnonsense\n")
    result = invoke("rollout", "p.txt", "--strict")
    assert result.stderr.splitlines()[-1] == "bgsim: 1 bad line and --strict: nothing was rolled out"


def test_a_file_of_bad_lines_only(invoke, tmp_path):
    (tmp_path / "p.txt").write_text("x\n\ny\n")
    result = invoke("rollout", "p.txt")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "p.txt, line 1: 'x' names no position" in result.stderr
    assert "p.txt, line 3: 'y' names no position" in result.stderr


def test_a_bad_position_on_the_command_line_is_no_line_of_a_file(invoke):
    """It was typed just now: nothing runs."""
    result = invoke("rollout", START, "nonsense", "--trials", "8")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("bgsim: 'nonsense' names no position")


# --- configurations -------------------------------------------------------------------------------

CONFIG = f"""
trials = 24
seed = 7
policy = "random"

[[positions]]
id = "start"
name = "the opening"

[[positions]]
id = "{WON}"
"""


@pytest.fixture
def config(tmp_path):
    """A configuration file with more lines after these."""

    def write(*lines, text=CONFIG):
        path = tmp_path / "c.toml"
        path.write_text("\n".join(lines) + "\n" + text, encoding="utf-8")
        return path

    return write


def test_a_configuration(rows, config):
    found = rows("--config", config())
    assert [row["name"] for row in found] == ["the opening", ""]
    assert {(row["trials"], row["seed"], row["policy"]) for row in found} == {(24, 7, "random")}


def test_options_win_over_the_configuration(rows, config, tmp_path):
    path = config('out = "from_config.parquet"', "stratified = true", 'rules = "dmp"', "opening = true")
    found = rows(
        *("--config", path, "--trials", "36", "--seed", "8", "--policy", "greedy", "--rules", "match:3"),
        *("--plain", "--no-opening", "--out", "given.parquet"),
        stderr="table written to given.parquet\n",
    )
    assert {(row["trials"], row["seed"], row["policy"], row["rules"]) for row in found} == {
        (36, 8, "greedy", "match:3")
    }
    assert {(row["stratified"], row["opening"]) for row in found} == {(False, False)}
    assert not (tmp_path / "from_config.parquet").exists()
    assert json.loads(read_metadata(tmp_path / "given.parquet")["plan"])["seed"] == 8


def test_positions_given_replace_those_of_the_configuration(rows, config):
    assert [row["position_id"] for row in rows(WON, "--config", config())] == [WON]


def test_plain_texts_and_a_file_of_positions(rows, config, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "p.txt").write_text(f"{START} # third\n")
    (tmp_path / "sub" / "c.toml").write_text(
        f'positions = ["start", "{WON}"]\npositions_file = "p.txt"\ntrials = 8\n'
    )
    assert [row["name"] for row in rows("--config", tmp_path / "sub" / "c.toml")] == ["start", "", "third"]


def test_a_tilde_is_the_home_folder_wherever_a_path_is_read(invoke, tmp_path, monkeypatch):
    """Quoted, or in a configuration, no shell has read it."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    (home / "p.txt").write_text(f"{START}\n")
    (home / "c.toml").write_text('positions_file = "~/p.txt"\nout = "~/a.parquet"\ntrials = 8\n')
    assert invoke("rollout", "--config", "~/c.toml").exit_code == 0
    assert invoke("rollout", "~/p.txt", "--trials", "8", "--out", "~/b.parquet").exit_code == 0
    assert invoke("info", "~/b.parquet").exit_code == 0
    assert bgsim.read_table("~/a.parquet").num_rows == 1
    assert not (tmp_path / "~").exists()
    assert invoke("rollout", START, "--trials", "8", "--out", "~nobody.parquet").exit_code == 0
    assert (tmp_path / "~nobody.parquet").exists()


def test_a_configuration_may_have_a_byte_order_mark(rows, config, tmp_path):
    path = config()
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert len(rows("--config", path)) == 2


def test_the_point_of_view_is_that_of_the_print_only(invoke, tmp_path):
    """After an opening play the bottom player waits: his figures have the other sign, the table's not."""
    xgid = "XGID=-b---BD-B---eE---c-e----B-:0:0:-1:00:0:0:3:0:10"
    (tmp_path / "c.toml").write_text(
        f'positions = ["{xgid}"]\ntrials = 200\npoint_of_view = "bottom"\nout = "x.parquet"\n'
    )
    text = invoke("rollout", "--config", "c.toml").stdout
    (row,) = read_table(tmp_path / "x.parquet").to_pylist()
    assert f"{-row['equity']:+.4f} ±{row['equity_se']:.4f}" in text
    assert f"{1 - row['win']:.4f}" in text
    assert "from the view of the bottom player of the XGID" in text
    assert row["point_of_view"] == "on_roll"
    assert invoke("info", "x.parquet").stdout.endswith(text)
    told = json.loads(invoke("info", "x.parquet", "--json").stdout)
    assert told["metadata"]["printed_point_of_view"] == "bottom"
    assert [found["point_of_view"] for found in told["rows"]] == ["on_roll"]
    assert told["rows"][0]["equity"] == row["equity"]


def test_the_same_job_by_options_and_by_configuration(invoke, config, tmp_path):
    invoke("rollout", "--config", config(), "--out", "a.parquet")
    command = ("rollout", "start", WON, "--trials", "24", "--seed", "7", "--policy", "random")
    invoke(*command, "--out", "b.parquet")
    one, two = columns_of(tmp_path / "a.parquet"), columns_of(tmp_path / "b.parquet")
    assert one.pop("name") == ["the opening", ""]
    assert two.pop("name") == ["start", ""]
    assert one == two


def test_the_configuration_of_the_main_job_is_sound():
    path = Path(__file__).parents[2] / "configs" / "openings.toml"
    job = RolloutJob.make([], path, {})
    assert job.faults == []
    assert len(job.plan.roots) == 16
    assert (job.options["executor"], job.point_of_view) == ("ray", "bottom")
