"""Nets that begin from smaller ones: they say the same at first, then the new units learn too."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from bgsim.apps.train import TrainJob
from bgsim.core.errors import PlanError
from bgsim.engine.estimates import new_scratch
from bgsim.engine.nets import reals_of, rounded
from bgsim.engine.policies import players_by
from bgsim.engine.weights import Weights, load_weights, weights_of, write_weights
from bgsim.kernels.self_play import estimate_boards
from bgsim.training.checkpoint import read_checkpoint, write_checkpoint
from bgsim.training.fit import Fit
from bgsim.training.generation import first_state
from tests import oracle
from tests.kernels.plain_nets import can_meet, random_net, rows_of_boards
from tests.training.recipes import CONFIG, RECIPE, job_run

WIDE = replace(RECIPE, contact=(256, 64), race=(256,), quick_contact=(128, 32), quick_race=(256,))


def written(path, weights):
    with path.open("wb") as file:
        write_weights(file, weights)
    return str(path)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A file of nets that nowhere are as wide as those of WIDE, but one."""
    rng = np.random.default_rng(81)
    contact, race, *quick = (random_net(rng, widths) for widths in ((128, 32), (128,), (128, 32), (128,)))
    return written(
        tmp_path_factory.mktemp("small") / "small.npz", Weights(contact, race, {}, (quick[0], quick[1]))
    )


@pytest.fixture(scope="module")
def rows():
    """Boards of played positions, some of them races."""
    boards = list(islice(oracle.played_positions(random.Random(82), every=3), 300))
    assert 30 < sum(map(can_meet, boards)) < 270
    return rows_of_boards(boards)


def chances(weights, rows):
    """What the large nets of some weights say by themselves, and what the quick ones do."""
    found = np.zeros((2, len(rows), 5), np.float32)
    for pair, out in zip([(weights.contact, weights.race), weights.quick], found, strict=True):
        ready = players_by(Weights(*pair))
        estimate_boards(rows, ready.players[0], False, new_scratch(ready), out)
    return found


# --- the same at first ----------------------------------------------------------------------------


def test_wider_nets_say_what_the_small_ones_said(small, rows):
    """But for biases in half precision: contact, race and both quick nets."""
    wide = first_state(replace(WIDE, begin=small)).weights
    assert [net.widths for net in wide.nets] == list(WIDE.widths)
    before, after = (chances(weights, rows) for weights in (weights_of(small), wide))
    for old, new in zip(before, after, strict=True):
        assert old.std(axis=0).min() > 0.01
        assert new == pytest.approx(old, abs=1e-3)


def test_trained_nets_come_back_to_the_bit(straight, tmp_path):
    """Their weights were in half precision before they were rounded."""
    path = written(tmp_path / "old.npz", straight[0].weights)
    assert first_state(replace(RECIPE, begin=path)).weights.digest == straight[0].weights.digest


def test_wider_nets_than_those_of_net_say_the_same_to_the_bit(rows):
    net = weights_of("net")
    widths = {"contact": (768, 256, 64), "race": (256, 64, 32)}
    wide = first_state(
        replace(RECIPE, **widths, quick_contact=(128,), quick_race=(128,), begin="net")
    ).weights
    assert np.array_equal(chances(net, rows), chances(wide, rows))


def test_reals_are_rounded_to_the_net_that_they_are_of():
    net = random_net(np.random.default_rng(83), (128, 64, 32))
    for layer, same in zip(net.layers, rounded(*reals_of(net)).layers, strict=True):
        assert np.array_equal(layer.weights, same.weights)
        assert np.array_equal(layer.biases, same.biases)


# --- and then -------------------------------------------------------------------------------------


def test_new_units_are_the_random_ones_of_the_seed(small):
    random_state, state = first_state(WIDE), first_state(replace(WIDE, begin=small))
    for fresh, net in zip(random_state.nets, state.nets, strict=True):
        assert np.array_equal(fresh[0][:, 128:], net[0][:, 128:])
        assert not np.array_equal(fresh[0][:, :128], net[0][:, :128])
    assert np.array_equal(random_state.nets[0][1][:, 32:], state.nets[0][1][:, 32:])
    assert not state.nets[0][1][128:, :32].any()


def test_new_units_learn():
    """One step moves what goes out from them."""
    fit = Fit((256,), np.random.default_rng(84))
    fit.begin_from(random_net(np.random.default_rng(85), (128,)))
    assert not fit.weights[1][128:].any()
    words = np.random.default_rng(86).integers(0, 2**64, (64, 20), np.uint64)
    words[:, 0] &= ~np.uint64(1)
    fit.step(words, np.arange(64), np.full((64, 5), 0.1, np.float32), rate=1e-3)
    assert (fit.weights[1][128:] != 0).mean() > 0.5


def test_quick_nets_that_are_missing_begin_at_random(tmp_path):
    rng = np.random.default_rng(87)
    path = written(tmp_path / "old.npz", Weights(random_net(rng, (128, 32)), random_net(rng, (128,))))
    fresh, state = first_state(WIDE), first_state(replace(WIDE, begin=path))
    assert all(map(np.array_equal, fresh.nets[2], state.nets[2]))
    assert not np.array_equal(fresh.nets[0][0], state.nets[0][0])


def test_quick_nets_that_are_not_wanted_are_left(small):
    state = first_state(replace(WIDE, quick_contact=(), quick_race=(), begin=small))
    assert state.weights.quick is None


# --- runs -----------------------------------------------------------------------------------------


def test_digest_is_kept_and_told(config, straight):
    """In the checkpoint, so that the weights may change or go in the meantime; the path is the config's."""
    path = config.parent / "old.npz"
    written(path, straight[0].weights)
    config.write_text(CONFIG.replace("seed = 71", 'seed = 71\nbegin = "old.npz"'))
    job_run(config, generations=1)
    path.unlink()
    kept = TrainJob.make(config).state()
    made = load_weights(config.parent / "made" / "tiny.npz")
    assert made.provenance["begin"] == kept.begin == straight[0].weights.digest


def test_checkpoints_of_before_say_nothing_of_a_beginning(tmp_path):
    """They lack the key in their head."""
    path = tmp_path / "x.npz"
    write_checkpoint(path, RECIPE, first_state(RECIPE))
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    head = json.loads(arrays["head"].tobytes())
    del head["begin"]
    arrays["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)
    np.savez(path, **arrays)
    assert read_checkpoint(path, RECIPE).begin == ""


@pytest.mark.parametrize("widths", [(256,), (256, 64, 32)], ids=["fewer", "more"])
@pytest.mark.parametrize("key", ["contact", "quick_contact"])
def test_other_numbers_of_layers_are_refused(small, key, widths):
    with pytest.raises(PlanError) as caught:
        first_state(replace(WIDE, **{key: widths}, begin=small))
    assert str(caught.value) == (
        f"'{key}' is {list(widths)}, but that of {small!r}, to begin from, is [128, 32]: give as many "
        "layers, none of them narrower"
    )


@pytest.mark.parametrize("widths", [[384, 128, 64], [512, 128, 32]], ids=str)
def test_narrower_layers_are_refused_before_anything_is_written(invoke, config, widths):
    config.write_text(CONFIG.replace("contact = [128]", f'begin = "net"\ncontact = {widths}'))
    result = invoke("train", config)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert f"'contact' is {widths}, but that of 'net', to begin from, is [512, 128, 64]" in result.stderr
    assert [path.name for path in config.parent.iterdir()] == ["tiny.toml"]
