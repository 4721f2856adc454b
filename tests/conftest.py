"""What all tests share."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import settings

from tests.children import run_bgsim, started_ray

# The first call of a kernel loads or compiles it: a deadline on one example says nothing.
settings.register_profile("bgsim", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=25)  # of make check
settings.load_profile("bgsim")


@pytest.fixture(scope="session", autouse=True)
def compiled():
    """Kernels compiled first, so that no command says that it compiles: on a new machine one would."""
    from bgsim.apps.warm import warm_all

    warm_all()


@cache
def _command(app):
    """An app as its runner calls it: built once, as it would take half of the time of a call."""
    from typer.main import get_command

    return get_command(app)


@pytest.fixture
def invoke(monkeypatch):
    """Call `bgsim ARGUMENTS` in this process; what it printed, and its exit status.

    An error that no command is meant to raise is raised here, so every call checks for tracebacks as well.
    """
    from typer.testing import CliRunner

    from bgsim.cli.main import app

    monkeypatch.setattr("typer.testing._get_command", _command)

    def call(*arguments):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return call


@pytest.fixture(scope="session")
def ray_head():
    """The address of a Ray of two cores that somebody else has started: one for all tests."""
    with started_ray() as address:
        yield address


# Some seconds of work: long enough to be disturbed, short enough to be repeated.
LONG_RUN = (
    *("rollout", "start", "nackgammon", "--policy", "greedy"),
    *("--trials", "100000", "--seed", "10", "--workers", "2"),
)


@pytest.fixture(scope="session")
def long_run():
    """Arguments of a run of 200,000 trials, without its --out."""
    return LONG_RUN


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """The table of that run when nothing happens."""
    path = tmp_path_factory.mktemp("undisturbed") / "x.parquet"
    done = run_bgsim(*LONG_RUN, "--out", path)
    assert done.returncode == 0, done.stderr
    return path
