"""What the tests of training share."""

from __future__ import annotations

import pytest

from tests.training.recipes import CONFIG, trained


@pytest.fixture(scope="session")
def straight():
    """Three generations by two workers, without a stop."""
    return trained()


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(CONFIG)
    return path
