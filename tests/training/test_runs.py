"""Training runs: the same weights whatever the workers and stops; the log; Ctrl-C and full disks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bgsim.apps.train import TrainJob
from bgsim.core.errors import TableError
from bgsim.core.files import write_aside
from bgsim.engine.weights import load_weights
from bgsim.run.local import LocalExecutor
from bgsim.training.checkpoint import read_checkpoint, write_checkpoint
from bgsim.training.generation import Stage, first_state, run_generation
from bgsim.training.log import read_log, write_log
from tests.children import ctrl_c, ended, said, started_bgsim, wait_until
from tests.training.recipes import CONFIG, RECIPE, bytes_of, facts, job_run, trained

# --- the same numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_workers_change_no_byte(tmp_path, straight, workers):
    state, rows = trained(workers=workers)
    assert bytes_of(tmp_path / "a.npz", state) == bytes_of(tmp_path / "b.npz", straight[0])
    assert list(map(facts, rows)) == list(map(facts, straight[1]))


@pytest.mark.slow
def test_stops_after_each_generation_change_no_byte(tmp_path, straight):
    """Written, read and gone on with."""
    path, state = tmp_path / "x.npz", first_state(RECIPE)
    for _ in range(3):
        write_checkpoint(path, RECIPE, state)
        with LocalExecutor(1) as executor:
            state, _ = run_generation(RECIPE, read_checkpoint(path, RECIPE), executor)
    assert bytes_of(tmp_path / "a.npz", state) == bytes_of(tmp_path / "b.npz", straight[0])


@pytest.mark.slow
def test_command_in_one_go_and_in_three_gives_the_same_weights(tmp_path, invoke, straight, config):
    once = invoke("train", config)
    assert (once.exit_code, once.stdout) == (0, "")
    (tmp_path / "again").mkdir()
    other = tmp_path / "again" / "tiny.toml"
    other.write_text(CONFIG.replace("workers = 2", "workers = 1"))
    for number in range(1, 4):
        result = invoke("train", other, "--generations", 1)
        assert (result.exit_code, result.stderr.count("\n")) == (0, 2)
        assert result.stderr.startswith(f"generation {number}: ")
    expected = bytes_of(tmp_path / "x.npz", straight[0])
    for folder in (tmp_path / "made", tmp_path / "again" / "made"):
        assert (
            bytes_of(tmp_path / "y.npz", read_checkpoint(folder / "tiny.checkpoint.npz", RECIPE)) == expected
        )
        assert load_weights(folder / "tiny.npz").digest == straight[0].weights.digest
        names = sorted(path.name for path in folder.iterdir())
        assert names == ["tiny.checkpoint.npz", "tiny.log.parquet", "tiny.npz"]


def test_other_seeds_give_other_weights(straight):
    state, _ = trained(replace(RECIPE, seed=72), generations=1)
    assert state.weights.digest != straight[0].weights.digest


def test_finished_recipe_has_nothing_left_to_do(straight):
    with LocalExecutor(1) as executor:
        assert run_generation(RECIPE, straight[0], executor) is None


def test_weights_written_say_where_they_come_from(config):
    state, _, _ = job_run(config, generations=2)
    weights = load_weights(config.parent / "made" / "tiny.npz")
    assert weights.digest == state.weights.digest
    known = {"name": "tiny", "recipe_seed": 71, "generations": 2, "games": 66 + 66}
    assert weights.provenance.items() >= known.items()
    assert {"version", "git_commit", "cpu_hours"} <= set(weights.provenance)


def test_trained_weights_play(invoke, config):
    job_run(config, generations=1)
    path = config.parent / "made" / "tiny.npz"
    result = invoke("rollout", "hypergammon", "--trials", 6, "--policy", path, "--json")
    assert (result.exit_code, result.stderr) == (0, "")


# --- stages ---------------------------------------------------------------------------------------


def test_stages_follow_one_another_and_rates_fall_on_a_line():
    recipe = replace(
        RECIPE,
        stages=(
            Stage(generations=3, games=1, rate=1e-3, rate_end=2e-4),
            Stage(generations=1, games=2, rate=5e-4, rate_end=1e-4),
            Stage(generations=2, games=3, rate=1e-4),
        ),
    )
    found = [recipe.stage_of(generation) for generation in range(7)]
    assert [stage.games for stage, _ in found[:-1]] == [1, 1, 1, 2, 3, 3]
    assert [rate for _, rate in found[:-1]] == pytest.approx([1e-3, 6e-4, 2e-4, 5e-4, 1e-4, 1e-4])
    assert found[-1] is None


def test_rows_say_what_a_generation_did(straight):
    rows = straight[1]
    assert [row.number for row in rows] == [1, 2, 3]
    assert [row.targets for row in rows] == ["sampled", "sampled", "averaged"]
    assert [row.games for row in rows] == [66, 66, 65]
    assert all(row.samples > row.games for row in rows)
    assert all(0 < error < 6 for row in rows for error in (row.contact_error, row.race_error))
    assert straight[0].games == 66 + 66 + 65


def test_cancelled_generation_leaves_no_state():
    with LocalExecutor(2) as executor:
        assert run_generation(RECIPE, first_state(RECIPE), executor, cancelled=lambda: True) is None


# --- the log --------------------------------------------------------------------------------------


def test_log_has_a_row_a_generation(config):
    _, _, first = job_run(config, generations=2)
    path = config.parent / "made" / "tiny.log.parquet"
    assert read_log(path) == first
    _, stopped, rest = job_run(config)
    assert not stopped
    assert read_log(path) == first + rest
    assert [row.number for row in first + rest] == [1, 2, 3]


def test_rows_beyond_the_checkpoint_are_made_anew(config, straight):
    """A log may be ahead by a generation, or by more when an older checkpoint was put back."""
    job_run(config, generations=1)
    path = config.parent / "made" / "tiny.log.parquet"
    write_log(path, straight[1])
    job_run(config, generations=1)
    assert [facts(row) for row in read_log(path)] == [facts(row) for row in straight[1][:2]]


def test_no_log_has_no_rows(tmp_path):
    assert read_log(tmp_path / "none.parquet") == []


def test_damaged_log_is_one_sentence(invoke, config):
    job_run(config, generations=1)
    path = config.parent / "made" / "tiny.log.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    result = invoke("train", config)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "tiny.log.parquet is damaged or not a Parquet file" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".npz", ".log.parquet", ".checkpoint.npz"])
def test_disk_that_fails_between_the_files_loses_no_row_and_no_weights(config, monkeypatch, straight, ending):
    """Whatever file of the last generation could not be written: going on gives all three in full."""
    job_run(config, generations=2)
    made = config.parent / "made"

    def failing(path, *rest):
        if path.name == f"tiny{ending}":
            raise TableError(f"cannot write {path}: No space left on device")
        write_aside(path, *rest)

    for module in ("apps.train", "run.tables", "training.checkpoint"):
        monkeypatch.setattr(f"bgsim.{module}.write_aside", failing)
    with pytest.raises(TableError, match="No space left on device"):
        job_run(config)
    monkeypatch.undo()
    job_run(config)
    assert [facts(row) for row in read_log(made / "tiny.log.parquet")] == [facts(row) for row in straight[1]]
    assert load_weights(made / "tiny.npz").digest == straight[0].weights.digest


# --- Ctrl-C ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_ctrl_c_keeps_the_last_generation(config):
    """Exit 130; what the files hold is a whole generation, and the run goes on from it as if nothing was."""
    config.write_text(CONFIG.replace("generations = 2", "generations = 2000"))
    made = config.parent / "made"
    with started_bgsim("train", config) as process:
        wait_until(lambda: (made / "tiny.npz").exists(), process)
        ctrl_c(process)
        status, out, err, _ = ended(process)
    assert (status, out) == (130, "")
    assert "Traceback" not in err
    assert said(err)[-1] == "bgsim: stopped; the same command goes on from the last generation"
    recipe = TrainJob.make(config).recipe
    kept = read_checkpoint(made / "tiny.checkpoint.npz", recipe)
    assert kept.generation >= 1
    assert len(read_log(made / "tiny.log.parquet")) == kept.generation
    assert load_weights(made / "tiny.npz").digest == kept.weights.digest
    state, _, _ = job_run(config, generations=1)
    expected, _ = trained(recipe, generations=kept.generation + 1)
    assert state.weights.digest == expected.weights.digest
