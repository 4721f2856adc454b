"""Mistakes in a training configuration or command: one sentence that names them, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from bgsim.apps.train import TrainJob
from bgsim.training.generation import first_state
from tests.training.recipes import CONFIG

MISTAKES = {
    "not TOML": ('name = "tiny"', "name = tiny", "is not TOML"),
    "unknown key": ("seed = 71", "sead = 71", "unknown key 'sead' (did you mean 'seed'?)"),
    "missing key": ("seed = 71", "", "'seed' is missing"),
    "unknown key of a stage": (
        "games = 66",
        "gams = 66",
        "unknown key 'stages.1.gams' (did you mean 'games'?)",
    ),
    "far from any key of a stage": ("passes = 2", "xyzzy = 2", "(the keys are generations, games, targets, "),
    "missing key of a stage": ("games = 65", "", "'stages.2.games' is missing"),
    "stage that is no table": ("workers = 2", "workers = 2\nx = 1", "unknown key 'x'"),
    "text for a number": ("seed = 71", 'seed = "71"', "'seed' is \"71\": it should be a valid integer"),
    "fraction": ("games = 66", "games = 66.5", "'stages.1.games' is 66.5"),
    "negative seed": ("seed = 71", "seed = -1", "'seed' is -1"),
    "seed beyond 64 bits": ("seed = 71", f"seed = {2**64}", f"'seed' is {2**64}"),
    "no generations": ("generations = 2", "generations = 0", "'stages.1.generations' is 0"),
    "no games": ("games = 66", "games = 0", "'stages.1.games' is 0"),
    "other targets": ('targets = "averaged"', 'targets = "avaraged"', "'stages.2.targets' is \"avaraged\""),
    "lambda above 1": ("lasting = 0.5", "lasting = 1.5", "'stages.1.lasting' is 1.5"),
    "lambda not a number": ("lasting = 0.5", "lasting = nan", "'stages.1.lasting' is NaN"),
    "no batch": ("batch = 64", "batch = 0", "'stages.1.batch' is 0"),
    "no rate": ("rate = 1e-3", "rate = 0.0", "'stages.1.rate' is 0.0"),
    "endless rate": ("rate = 1e-3", "rate = inf", "'stages.1.rate' is Infinity"),
    "name of a path": ('name = "tiny"', 'name = "../tiny"', "'name' is \"../tiny\""),
    "unknown start": ('"erratic"', '"eratic"', "unknown start 'eratic'; use: start, nackgammon,"),
    "no start": ('["hypergammon", "hypergammon", "erratic"]', "[]", "'starts' is empty"),
    "width that does not fit": ("contact = [128]", "contact = [100]", "[100]"),
    "no layer": ("contact = [128]", "contact = []", "[]"),
    "negative width": ("race = [128]", "race = [-128]", "[-128]"),
    "width of 0": ("race = [128]", "race = [0]", "[0]"),
    "too wide": ("race = [128]", "race = [4096]", "[4096]"),
    "second width that does not fit": ("race = [128]", "race = [128, 20]", "[128, 20]"),
    "too many layers": ("race = [128]", "race = [128, 32, 32, 32, 32]", "[128, 32, 32, 32, 32]"),
    "no workers": ("workers = 2", "workers = 0", "0 workers cannot be"),
    "teacher without nets": ("games = 66", 'games = 66\nteacher = "greedy"', "'greedy', which has no nets"),
    "unknown teacher": ("games = 66", 'games = 66\nteacher = "nte"', "did you mean 'net'"),
    "beginning without nets": ("seed = 71", 'seed = 71\nbegin = "greedy"', "'greedy', which has no nets"),
    "unknown beginning": ("seed = 71", 'seed = 71\nbegin = "nte"', "did you mean 'net'"),
    "beginning that is not there": (
        "seed = 71",
        'seed = 71\nbegin = "a.npz"',
        "a.npz cannot be read: No such",
    ),
    "one quick net alone": ("race = [128]", "race = [128]\nquick_race = [128]", "or neither"),
    "quick width that does not fit": (
        "race = [128]",
        "race = [128]\nquick_race = [128]\nquick_contact = [100]",
        "'quick_contact' is [100]",
    ),
    "gaps in games to be remembered": (
        "every = 4",
        "every = 4\nlasting = 0.5",
        "'stages.2.every' is 4: averaged targets with 'lasting' are made for all positions",
    ),
    "unknown executor": ("workers = 2", 'executor = "rya"', "unknown executor 'rya' (did you mean 'ray'?)"),
}


@pytest.mark.parametrize(("old", "new", "says"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_in_a_configuration_are_one_sentence(invoke, config, old, new, says):
    """And nothing is written."""
    assert old in CONFIG
    config.write_text(CONFIG.replace(old, new, 1))
    result = invoke("train", config)
    (line,) = result.stderr.splitlines()
    assert (result.exit_code, result.stdout) == (1, "")
    assert line.startswith("bgsim: ")
    assert says in line
    assert [path.name for path in config.parent.iterdir()] == ["tiny.toml"]


def test_stages_that_are_none(invoke, config):
    before, _, _ = CONFIG.partition("[[stages]]")
    for stages, says in (
        ("", "'stages' is missing"),
        ("stages = []", "'stages' is []"),
        ("stages = [5]", "5"),
    ):
        config.write_text(f"{before}{stages}\n")
        result = invoke("train", config)
        assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
        assert says in result.stderr
        assert "position" not in result.stderr


def test_missing_configuration(invoke, tmp_path):
    result = invoke("train", tmp_path / "none.toml")
    assert result.exit_code == 1
    assert result.stderr == f"bgsim: cannot read {tmp_path / 'none.toml'}: No such file or directory\n"


def test_place_that_cannot_be_written(invoke, config):
    """Found out before the first game."""
    (config.parent / "made").write_text("a file")
    result = invoke("train", config)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "cannot write" in result.stderr
    assert "is not a folder" in result.stderr


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_wrong_number_of_generations_is_wrong_usage(invoke, config, number):
    result = invoke("train", config, "--generations", number)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "generations" in result.stderr


@pytest.mark.parametrize("name", ["net", "net-small", "net-strong"])
def test_configurations_that_come_with_bgsim_are_some(name):
    job = TrainJob.make(Path(__file__).parents[2] / "configs" / f"train-{name}.toml")
    assert job.config.name == name
    assert tuple(net.widths for net in first_state(job.recipe).weights.nets) == job.recipe.widths
