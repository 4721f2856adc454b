"""A recipe so small that a run of it takes a second, as a configuration too, and how tests run it."""

from __future__ import annotations

from dataclasses import replace

from bgsim.apps.train import TrainJob
from bgsim.run.local import LocalExecutor
from bgsim.training.checkpoint import write_checkpoint
from bgsim.training.generation import Recipe, Stage, first_state, run_generation

RECIPE = Recipe(
    seed=71,
    contact=(128,),
    race=(128,),
    starts=("hypergammon", "hypergammon", "erratic"),
    stages=(
        Stage(generations=2, games=66, lasting=0.5, batch=64, rate=1e-3),
        Stage(generations=1, games=65, targets="averaged", every=4, batch=32, passes=2, rate_end=1e-4),
    ),
)
CONFIG = """
name = "tiny"
seed = 71
contact = [128]
race = [128]
out = "made"
workers = 2
starts = ["hypergammon", "hypergammon", "erratic"]

[[stages]]
generations = 2
games = 66
lasting = 0.5
batch = 64
rate = 1e-3

[[stages]]
generations = 1
games = 65
targets = "averaged"
every = 4
batch = 32
passes = 2
rate_end = 1e-4
"""


def trained(recipe=RECIPE, workers=2, generations=3):
    """The state after so many generations, and the rows of the log."""
    state, rows = first_state(recipe), []
    with LocalExecutor(workers) as executor:
        for _ in range(generations):
            state, row = run_generation(recipe, state, executor)
            rows.append(row)
    return state, rows


def bytes_of(path, state, recipe=RECIPE):
    """The checkpoint of a state without its time, which alone differs from run to run."""
    write_checkpoint(path, recipe, replace(state, cpu_seconds=0.0))
    return path.read_bytes()


def job_run(config, generations=None):
    """Run in this process; the state, whether it was stopped, and the rows it made."""
    rows = []
    job = TrainJob.make(config)
    state, stopped = job.run(generations=generations, listener=rows.append, games=lambda games: None)
    return state, stopped, rows


def facts(row):
    """A generation without its times."""
    return replace(row, play_seconds=0.0, fit_seconds=0.0)
