"""The learning curve: what it draws, and what it refuses in a sentence."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from bgsim.training.generation import Generation
from bgsim.training.log import write_log
from tests.training.recipes import CONFIG

STRENGTHS = "games,opponent,points_per_game,standard_error\n200,gnubg-nn,-0.2,0.02\n400,gnubg-nn,-0.1,0.02\n"


@pytest.fixture
def trained(tmp_path):
    """A configuration whose run has left a log of five generations."""
    config = tmp_path / "tiny.toml"
    config.write_text(CONFIG)
    (tmp_path / "made").mkdir()
    kinds = ("sampled", "sampled", "sampled", "averaged", "averaged")
    rows = [
        Generation(number, kind, 1e-3, 100, 5000, 0.3 / number, 0.2 / number, 1.0, 2.0)
        for number, kind in enumerate(kinds, 1)
    ]
    write_log(tmp_path / "made" / "tiny.log.parquet", rows)
    return config


def texts(path):
    return [element.text for element in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def test_errors_of_both_nets_by_kind_of_target(trained, invoke, tmp_path):
    out = tmp_path / "curve.svg"
    result = invoke("train", trained, "--curve", out)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"the learning curve is in {out}\n"
    found = texts(out)
    for kind in ("contact, sampled", "race, sampled", "contact, averaged", "race, averaged"):
        assert found.count(f"{kind} targets") == 1
    assert not any("points a game" in text for text in found)
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == ["tiny.log.parquet"]


def test_strengths_beside_the_log_are_drawn_below(trained, invoke, tmp_path):
    (tmp_path / "made" / "tiny.strength.csv").write_text(STRENGTHS)
    assert invoke("train", trained, "--curve", tmp_path / "curve.svg").exit_code == 0
    assert "against gnubg-nn, ± one standard error" in texts(tmp_path / "curve.svg")


def test_the_same_log_gives_the_same_bytes(trained, invoke, tmp_path):
    for name in ("a.svg", "b.svg"):
        invoke("train", trained, "--curve", tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.slow
def test_pictures_of_pixels(trained, invoke, tmp_path):
    assert invoke("train", trained, "--curve", tmp_path / "curve.png").exit_code == 0
    assert (tmp_path / "curve.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_mistakes_are_one_sentence(trained, invoke, tmp_path):
    made = tmp_path / "made"
    for name, prepare, says in (
        ("curve.txt", lambda: None, "is no picture: the name may end in .svg, .png, .pdf"),
        (
            "a.svg",
            lambda: (made / "tiny.strength.csv").write_text("games,points\n1,2\n"),
            "tiny.strength.csv is no CSV with the columns games, opponent, points_per_game, standard_error",
        ),
        ("a.svg", lambda: (made / "tiny.log.parquet").unlink(), "tiny.log.parquet is not there: train first"),
    ):
        prepare()
        result = invoke("train", trained, "--curve", tmp_path / name)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
        assert says in result.stderr
        assert not (tmp_path / name).exists()
