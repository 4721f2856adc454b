"""Checkpoints of training: what was written comes back, anything else is refused in a sentence."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from bgsim.core.errors import TableError
from bgsim.training.checkpoint import read_checkpoint, write_checkpoint
from tests.training.recipes import CONFIG, RECIPE, bytes_of, job_run


def test_checkpoint_comes_back(tmp_path, straight):
    path = tmp_path / "x.npz"
    write_checkpoint(path, RECIPE, straight[0])
    found = read_checkpoint(path, RECIPE)
    for net, same in zip(straight[0].nets, found.nets, strict=True):
        for array, read in zip(net, same, strict=True):
            assert (read.dtype, read.tobytes()) == (array.dtype, array.tobytes())
    rest = ("generation", "games", "cpu_seconds", "widths")
    assert [getattr(found, name) for name in rest] == [getattr(straight[0], name) for name in rest]


@pytest.mark.parametrize("change", [{"contact": (256,)}, {"race": (128, 32)}, {"seed": 72}], ids=str)
def test_checkpoints_of_another_recipe_are_refused(tmp_path, straight, change):
    path = tmp_path / "x.npz"
    write_checkpoint(path, RECIPE, straight[0])
    other = replace(RECIPE, **change)
    with pytest.raises(TableError) as caught:
        read_checkpoint(path, other)
    assert str(caught.value) == (
        f"{path} is of nets ((128,), (128,)) and seed 71, the configuration of "
        f"{(other.contact, other.race)} and {other.seed}: move it away to begin anew"
    )


def refused(path):
    with pytest.raises(TableError) as caught:
        read_checkpoint(path, RECIPE)
    text = str(caught.value)
    assert str(path) in text
    assert text.isprintable()
    return text


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_cut_off_checkpoints_are_refused(tmp_path, straight, share):
    path = tmp_path / "x.npz"
    whole = bytes_of(path, straight[0])
    path.write_bytes(whole[: int(share * len(whole))])
    assert refused(path) == f"{path} is no checkpoint of bgsim, or is damaged"


@pytest.mark.slow
def test_damaged_checkpoints_are_refused_or_as_good_as_new(tmp_path, straight):
    path, rng, noticed = tmp_path / "x.npz", random.Random(73), 0
    whole = bytes_of(path, straight[0])
    for at in (
        *range(0, 60, 3),
        *rng.sample(range(len(whole)), 120),
        *range(len(whole) - 300, len(whole), 3),
    ):
        damaged = bytearray(whole)
        damaged[at] ^= rng.randrange(1, 256)
        path.write_bytes(damaged)
        try:
            found = read_checkpoint(path, RECIPE)
        except TableError as error:
            noticed += str(path) in str(error)
        else:
            assert bytes_of(tmp_path / "y.npz", found) == whole
    assert noticed > 100


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x05\x06" + bytes(18), b"\x80\x04N."], ids=repr)
def test_foreign_files_are_no_checkpoints(tmp_path, content):
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    assert refused(path) == f"{path} is no checkpoint of bgsim, or is damaged"


def test_weight_file_is_no_checkpoint(tmp_path, config):
    job_run(config, generations=1)
    assert "is no checkpoint of bgsim, or is damaged" in refused(config.parent / "made" / "tiny.npz")


HEADS = {
    "another format": {"format": 2},
    "no generation": {"generation": None},
    "a text": {"generation": "three"},
    "a negative generation": {"generation": -1},
}


@pytest.mark.parametrize("change", HEADS.values(), ids=HEADS)
def test_checkpoints_of_other_heads_are_refused(tmp_path, straight, change):
    path = tmp_path / "x.npz"
    write_checkpoint(path, RECIPE, straight[0])
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    head = json.loads(arrays.pop("head").tobytes()) | change
    head = {key: value for key, value in head.items() if value is not None}
    np.savez(path, head=np.frombuffer(json.dumps(head).encode(), np.uint8), **arrays)
    refused(path)


ARRAYS = {
    "too few": lambda arrays: arrays.pop("contact_3"),
    "flat": lambda arrays: arrays.update(contact_0=arrays["contact_0"].ravel()),
    "a number": lambda arrays: arrays.update(race_2=arrays["race_2"][0]),
    "other inputs": lambda arrays: arrays.update(race_0=arrays["race_0"][:600]),
    "other outputs": lambda arrays: arrays.update(contact_1=arrays["contact_1"][:, :3]),
    "texts": lambda arrays: arrays.update(contact_1=arrays["contact_1"].astype("U12")),
}


@pytest.mark.parametrize("change", ARRAYS.values(), ids=ARRAYS)
def test_checkpoints_of_other_arrays_are_refused(tmp_path, straight, change):
    path = tmp_path / "x.npz"
    write_checkpoint(path, RECIPE, straight[0])
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    change(arrays)
    np.savez(path, **arrays)
    refused(path)


def test_wrong_checkpoints_are_one_sentence_of_the_command(invoke, config):
    job_run(config, generations=1)
    config.write_text(CONFIG.replace("contact = [128]", "contact = [256]"))
    result = invoke("train", config)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert "tiny.checkpoint.npz is of nets ((128,), (128,)) and seed 71" in result.stderr
    (config.parent / "made" / "tiny.checkpoint.npz").write_bytes(b"PK")
    result = invoke("train", config)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "is no checkpoint of bgsim, or is damaged" in result.stderr
