"""Tables of runs that were stopped, finished, overwritten, or belong to somebody else."""

from __future__ import annotations

import json
import os
import shutil

import pyarrow as pa
import pytest

from bgsim.apps.rollout import run_rollout
from bgsim.core.errors import PlanError, TableError
from bgsim.core.notation import parse
from bgsim.run.plan import Plan, Root
from bgsim.run.runner import Stop
from bgsim.run.tables import read_metadata, write_parquet
from tests.columns import columns_of

ROOTS = (Root(parse("start"), "start"), Root(parse("nackgammon"), "nack"))
PLAN = Plan(roots=ROOTS, policy="greedy", trials=60, seed=5)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def half_done(out, plan=PLAN):
    """Stop a run of this plan midway; the trials that it finished."""
    stop = Stop()
    run = run_rollout(plan, out=out, workers=1, batch=6, stop=stop, listener=lambda trials: stop.request())
    assert not run.finished
    assert 0 < run.trials_played < 120
    return run.trials_played


@pytest.mark.parametrize("out", ["x.parquet", "x", "deep/er/x.parquet", "X.PARQUET"])
def test_a_stopped_run_goes_on_where_it_was(tmp_path, out):
    """What was finished is not played again, and the table is that of a run without a stop."""
    path = tmp_path / out
    done = half_done(path)
    assert not list(tmp_path.rglob("x.parquet"))
    run = run_rollout(PLAN, out=path, resume=True)
    assert run.finished
    assert run.trials_played == 120 - done
    run_rollout(PLAN, out=tmp_path / "straight.parquet")
    assert columns_of(path) == columns_of(tmp_path / "straight.parquet")
    files = {str(found.relative_to(tmp_path)) for found in tmp_path.rglob("*") if found.is_file()}
    assert files == {out if "." in out else f"{out}/part-000000.parquet", "straight.parquet"}


def test_a_file_ends_alone_and_a_folder_holds_one_file(tmp_path):
    run_rollout(PLAN, out=tmp_path / "file.parquet")
    run_rollout(PLAN, out=tmp_path / "folder")
    assert names(tmp_path) == ["file.parquet", "folder"]
    assert names(tmp_path / "folder") == ["part-000000.parquet"]


def test_finished_tables_are_kept_on_resume(tmp_path):
    path = tmp_path / "x.parquet"
    first = run_rollout(PLAN, out=path)
    before = path.read_bytes()
    again = run_rollout(PLAN, out=path, resume=True)
    assert (again.trials_played, again.finished) == (0, True)
    assert again.results == first.results
    assert path.read_bytes() == before


def test_existing_tables_and_unfinished_runs_are_not_overwritten(tmp_path):
    path, folder = tmp_path / "x.parquet", tmp_path / "x"
    for out in (path, folder):
        run_rollout(PLAN, out=out)
        with pytest.raises(TableError, match=f"{out} exists: add --resume to go on with it or --overwrite"):
            run_rollout(PLAN, out=out)
    half_done(tmp_path / "y.parquet")
    with pytest.raises(TableError, match=r"an unfinished run lies in .*y\.parquet\.parts: add --resume"):
        run_rollout(PLAN, out=tmp_path / "y.parquet")
    run = run_rollout(PLAN, out=tmp_path / "y.parquet", overwrite=True)
    assert run.trials_played == 120


def test_another_plan_is_refused_on_resume(tmp_path):
    path = tmp_path / "x.parquet"
    run_rollout(PLAN, out=path)
    other = Plan(roots=ROOTS, policy="greedy", trials=72, seed=5)
    with pytest.raises(
        TableError, match=r"x\.parquet belongs to another plan: trials is 60 there and 72 here"
    ):
        run_rollout(other, out=path, resume=True)
    half_done(tmp_path / "y.parquet")
    with pytest.raises(TableError, match="trials is 60 there and 72 here"):
        run_rollout(other, out=tmp_path / "y.parquet", resume=True)
    run = run_rollout(other, out=path, overwrite=True)
    assert run.trials_played == 144


def test_an_interrupted_overwrite_can_go_on(tmp_path):
    """The old table stays until the new one is whole, and does not stand in the new one's way."""
    path = tmp_path / "x.parquet"
    old = Plan(roots=ROOTS, policy="greedy", trials=12)
    run_rollout(old, out=path)
    stop = Stop()
    run = run_rollout(
        PLAN, out=path, overwrite=True, workers=1, batch=6, stop=stop, listener=lambda trials: stop.request()
    )
    assert not run.finished
    assert json.loads(read_metadata(path)["plan"])["trials"] == 12
    assert run_rollout(PLAN, out=path, resume=True).trials_played == 120 - run.trials_played
    assert json.loads(read_metadata(path)["plan"])["trials"] == 60
    assert names(tmp_path) == ["x.parquet"]


def test_parts_left_beside_a_finished_table_are_cleared_away(tmp_path):
    """A crash after the table was written and before its parts were deleted."""
    path = tmp_path / "x.parquet"
    half_done(path)
    shutil.copytree(tmp_path / "x.parquet.parts", tmp_path / "kept")
    run_rollout(PLAN, out=path, resume=True)
    (tmp_path / "kept").rename(tmp_path / "x.parquet.parts")
    assert run_rollout(PLAN, out=path, resume=True).trials_played == 0
    assert names(tmp_path) == ["x.parquet"]


def test_a_resume_with_nothing_there_begins(tmp_path):
    assert run_rollout(PLAN, out=tmp_path / "x.parquet", resume=True).trials_played == 120


@pytest.mark.parametrize("out", ["", ".", "x.csv", "x.txt", "x.json"])
def test_names_that_are_no_table_are_refused(tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TableError, match=r"use X\.parquet, or X/ for a folder"):
        run_rollout(PLAN, out=out)
    assert names(tmp_path) == []


def test_places_where_nothing_can_be_written_are_refused_before_the_work(tmp_path):
    (tmp_path / "file").write_text("a file")
    (tmp_path / "folder.parquet").mkdir()
    played = []
    for out in ("file/x.parquet", "file/x", "file", "folder.parquet", "file/a/b/x.parquet"):
        with pytest.raises(TableError, match="cannot write"):
            run_rollout(PLAN, out=tmp_path / out, listener=played.append)
        with pytest.raises(TableError, match="cannot write"):
            run_rollout(PLAN, out=tmp_path / out, overwrite=True, listener=played.append)
    assert played == []
    assert names(tmp_path) == ["file", "folder.parquet"]


def test_a_folder_with_another_table_is_refused(tmp_path):
    run_rollout(PLAN, out=tmp_path / "other.parquet")
    with pytest.raises(TableError, match=r"holds another table, other\.parquet: give a folder of its own"):
        run_rollout(PLAN, out=tmp_path)
    assert names(tmp_path) == ["other.parquet"]


def test_tables_of_other_kinds_are_not_resumed(tmp_path):
    path = tmp_path / "x.parquet"
    write_parquet(path, pa.table({"a": [1]}), {"format_version": 1})
    with pytest.raises(TableError, match=r"x\.parquet is no rollout table"):
        run_rollout(PLAN, out=path, resume=True)


@pytest.mark.parametrize("option", ["resume", "overwrite"])
def test_resume_and_overwrite_need_a_table(option):
    with pytest.raises(PlanError, match=f"--{option} needs --out"):
        run_rollout(PLAN, **{option: True})


def test_resume_and_overwrite_contradict_each_other(tmp_path):
    half_done(tmp_path / "x.parquet")
    with pytest.raises(TableError, match="give one of them"):
        run_rollout(PLAN, out=tmp_path / "x.parquet", resume=True, overwrite=True)
    assert list((tmp_path / "x.parquet.parts").glob("part-*.parquet"))


def test_a_second_run_of_a_table_is_refused(tmp_path):
    """While the first is at work, in one sentence, whatever the second wants; the first is not disturbed."""
    path, refused = tmp_path / "x.parquet", []

    def intrude(trials):
        for options in ({}, {"resume": True}, {"overwrite": True}):
            with pytest.raises(TableError) as caught:
                run_rollout(PLAN, out=path, **options)
            refused.append(str(caught.value))

    run_rollout(PLAN, out=path, batch=60, workers=1, listener=intrude)
    assert len(refused) == 6
    assert all(sentence.startswith(f"process {os.getpid()} is at work on") for sentence in refused)
    assert names(tmp_path) == ["x.parquet"]


def test_a_lock_of_the_dead_locks_nothing(tmp_path):
    """The file may stay after a crash; the system's lock does not."""
    (tmp_path / "x.parquet.parts").mkdir()
    (tmp_path / "x.parquet.parts" / "lock").write_text("1\n")
    assert run_rollout(PLAN, out=tmp_path / "x.parquet").finished
    assert names(tmp_path) == ["x.parquet"]
