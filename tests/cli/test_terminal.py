"""What a run looks like on a terminal and elsewhere."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from bgsim.cli.progress import PLAIN_SECONDS, PlainLines
from tests.children import BGSIM, PATIENCE, environment, run_bgsim, wait_until

pytestmark = pytest.mark.slow

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"  # the cursor
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9\d|10\d)(?:;\d+)*m")
CODE = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")
STYLE = re.compile(r"\x1b\[[\d;]*m")


class Terminal:
    """A command with stdin, stdout and stderr on a terminal of its own."""

    def __init__(self, *arguments, **changes):
        self.text = ""
        self._end, other = pty.openpty()
        os.set_blocking(self._end, False)
        self.process = subprocess.Popen(
            [*BGSIM, *arguments],
            env=environment(**{"TERM": "xterm-256color", "COLUMNS": "132", "LINES": "40"} | changes),
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
        )
        os.close(other)

    def read(self):
        """Take what it has written since; returns all text so far."""
        try:
            while data := os.read(self._end, 1 << 16):
                self.text += data.decode(errors="replace")
        except (BlockingIOError, OSError):  # nothing new, or the other end is closed
            pass
        return self.text

    def wait(self):
        """Its exit status, once it has ended."""
        until = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < until:
            self.read()
            time.sleep(0.02)
        self.read()
        return self.process.wait(1)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self._end)


@contextmanager
def terminal(*arguments, **changes):
    found = Terminal(*arguments, **changes)
    try:
        yield found
    finally:
        found.close()


def test_a_bar_on_a_terminal_that_leaves_no_trace(tmp_path):
    """Trials, speed and the time left while it runs; afterwards the cursor is back and the table printed."""
    with terminal("rollout", "start", "--trials", "20000", "--out", str(tmp_path / "x.parquet")) as shown:
        assert shown.wait() == 0
        text = STYLE.sub("", shown.text)
    assert re.search(r"rolling out .* getting ready", text)
    assert re.search(r"rolling out .* [1-9][\d,]+ of 20,000 trials [1-9][\d,]+ trials/s \d+:\d\d:\d\d", text)
    assert text.count(HIDE) == text.count(SHOW) == 1
    assert text.index(HIDE) < text.index(SHOW)
    after = text.partition(SHOW)[2]
    assert re.search(r"start +[+-]\d\.\d{4} ±\d\.\d{4} .* 20,000", after)
    assert "table written to" in after


def test_the_bar_stays_on_one_line_of_80_columns(tmp_path):
    """Of millions of trials too: a line that wraps would be drawn a hundred times one below the other."""
    with terminal("rollout", "start", "--trials", "40000000", COLUMNS="80") as shown:
        wait_until(lambda: re.search(r"[1-9][\d,]* of 40,000,000 trials +[1-9]", CODE.sub("", shown.read())))
        os.killpg(shown.process.pid, signal.SIGINT)
        assert shown.wait() == 130
        drawn = [line for line in re.split(r"[\r\n]+", CODE.sub("", shown.text)) if "of 40,000,000" in line]
    assert drawn
    assert all(len(line) <= 80 and re.search(r"trials/s( +[-\d]+:[-\d:]+)? *$", line) for line in drawn)


def test_every_figure_fits_on_80_columns():
    """Names, errors and trials too: figures and errors stand in two lines then."""
    with terminal("rollout", "start", "4HPwATDgc/ABMA", "--trials", "2000", COLUMNS="80") as shown:
        assert shown.wait() == 0
        lines = CODE.sub("", shown.text.partition(SHOW)[2]).replace("\r", "").splitlines()
    assert max(map(len, lines)) <= 80
    (at,) = [number for number, line in enumerate(lines) if line.startswith(" start")]
    assert re.fullmatch(r" start +[+-]\d\.\d{4}(  +0\.\d{4}){5}  +2,000 *", lines[at])
    assert re.fullmatch(r" +(±0\.\d{4} *){6}", lines[at + 1])
    assert lines[at + 2].startswith(" 4HPwATDgc/ABMA ")
    assert "…" not in "".join(lines)


def test_ctrl_c_gives_the_terminal_back(tmp_path):
    out = tmp_path / "x.parquet"
    with terminal("rollout", "start", "--trials", "3000000", "--out", str(out)) as shown:
        wait_until(lambda: re.search(r"[1-9][\d,]* of 3,000,000", shown.read()))
        os.killpg(shown.process.pid, signal.SIGINT)
        assert shown.wait() == 130
        text = shown.text
    assert text.rindex(SHOW) > text.rindex(HIDE)
    assert f"go on with --resume --out {out}" in text.replace("\r\n", "")


def test_json_on_a_terminal_is_json_alone():
    with terminal("rollout", "start", "--trials", "500", "--json") as shown:
        assert shown.wait() == 0
    assert json.loads(shown.text)[0]["trials"] == 500


def test_no_color():
    with terminal("rollout", "start", "--trials", "3000", NO_COLOR="1") as shown:
        assert shown.wait() == 0
    assert "start" in shown.text
    assert not COLOUR.search(shown.text)


@pytest.mark.parametrize("changes", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}, {"COLUMNS": "40"}], ids=str)
def test_plain_text_elsewhere(changes):
    done = run_bgsim("rollout", "start", "--trials", "200", **changes)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "\r" not in done.stdout
    (row,) = [line for line in done.stdout.splitlines() if line.startswith(" start")]
    assert len(row.split()) > 10  # on one line, however narrow the terminal that it was not made for


def test_plain_lines_now_and_then(monkeypatch, capsys):
    """Elsewhere a line every ten seconds, with the speed of this run only."""
    now = [100.0]
    monkeypatch.setattr("bgsim.cli.progress.time.monotonic", lambda: now[0])
    lines = PlainLines("trials")
    lines.start(10_000, 4_000)
    for _ in range(12):
        now[0] += PLAIN_SECONDS / 4
        lines.advance(100)
    assert capsys.readouterr().err.splitlines() == [
        "4,400 of 10,000 trials, 40 a second, 140 s left",
        "4,800 of 10,000 trials, 40 a second, 130 s left",
        "5,200 of 10,000 trials, 40 a second, 120 s left",
    ]


def test_plain_lines_of_a_run_that_has_done_nothing_yet(monkeypatch, capsys):
    now = [100.0]
    monkeypatch.setattr("bgsim.cli.progress.time.monotonic", lambda: now[0])
    lines = PlainLines("trials")
    lines.start(10_000, 0)
    now[0] += 1_000
    lines.advance(0)
    assert capsys.readouterr().err == ""


def test_a_reader_that_goes_away_is_no_fault():
    """bgsim plays start 66 | head -1"""
    listing = subprocess.Popen(
        [*BGSIM, "plays", "start", "11"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    listing.stdout.close()
    _, err = listing.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    assert sys.platform != "linux" or listing.returncode == 1
