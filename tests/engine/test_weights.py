"""Weight files: what was written comes back, and whatever else a file holds is refused by its name."""

from __future__ import annotations

import io
import json
import os
import random
import zipfile
from hashlib import blake2b
from itertools import pairwise

import numpy as np
import pytest

import bgsim
from bgsim.apps.rollout import run_rollout
from bgsim.core.errors import PolicyError, TableError
from bgsim.core.notation import parse
from bgsim.engine.nets import Layer, Net, rounded
from bgsim.engine.policies import find_policy, players_of
from bgsim.engine.weights import (
    FORMAT,
    INPUT_SET,
    Weights,
    load_weights,
    stamp_of,
    weights_of,
    write_weights,
)
from bgsim.run.plan import Plan, Root
from tests.kernels.plain_nets import constant_net, random_net

FACTS = {"name": "made up", "games": 12, "git_commit": "0123abc"}


def some_weights(seed=31):
    rng = np.random.default_rng(seed)
    return Weights(random_net(rng, (128, 32)), random_net(rng, (128,)), FACTS)


def write(path, weights):
    with path.open("wb") as file:
        write_weights(file, weights)
    return path


def arrays_of(weights):
    """Every array of both nets."""
    nets = weights.contact, weights.race
    return [array for net in nets for layer in net.layers for array in (layer.weights, layer.biases)]


@pytest.fixture(scope="module")
def file_bytes(tmp_path_factory):
    """The bytes of a file of weights."""
    return write(tmp_path_factory.mktemp("weights") / "w.npz", some_weights()).read_bytes()


@pytest.fixture
def path(tmp_path, file_bytes):
    path = tmp_path / "w.npz"
    path.write_bytes(file_bytes)
    return path


def rewritten(path, change):
    """The file with its arrays and head changed, and a digest that fits."""
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    head = json.loads(arrays.pop("head").tobytes())
    change(arrays, head)
    if "digest" in head:
        head["digest"] = plain_digest(arrays)
    np.savez(path, head=np.frombuffer(json.dumps(head).encode(), np.uint8), **arrays)
    return path


def plain_digest(arrays):
    """The hash that names weights: names, types, shapes and bytes in the order of the names."""
    text = b""
    for name, array in sorted(arrays.items()):
        text += f"{name} {array.dtype.str} {array.shape}".encode() + array.tobytes()
    return blake2b(text, digest_size=8).hexdigest()


def refusal(path):
    """The sentence with which a file is refused: one line that names it."""
    with pytest.raises(PolicyError) as caught:
        load_weights(path)
    text = str(caught.value)
    assert str(path) in text
    assert text.isprintable()
    return text


# --- there and back -------------------------------------------------------------------------------


def test_what_was_written_comes_back(path):
    before, after = some_weights(), load_weights(path)
    for array, read in zip(arrays_of(before), arrays_of(after), strict=True):
        assert (read.dtype, read.shape) == (array.dtype, array.shape)
        assert np.array_equal(read, array)
    assert after.provenance == FACTS
    assert (after.contact.widths, after.race.widths) == ((128, 32), (128,))


def test_same_weights_give_the_same_bytes():
    """Nothing of the clock or the machine is in a file."""
    files = io.BytesIO(), io.BytesIO()
    for file in files:
        write_weights(file, some_weights())
    assert files[0].getvalue() == files[1].getvalue()


def test_digest_names_the_values_alone():
    """The same for other facts; another one for a step of a single weight or bias, or a swap of nets."""
    weights = some_weights()
    assert weights.digest == Weights(weights.contact, weights.race, {}).digest
    assert len(weights.digest) == 16
    digests = {weights.digest, Weights(weights.race, weights.contact).digest}
    for number in range(len(arrays_of(weights))):
        other = some_weights()
        arrays_of(other)[number].ravel()[0] ^= 1
        digests.add(other.digest)
    assert len(digests) == 2 + len(arrays_of(weights))


def test_digest_of_a_file_is_that_of_its_weights(path):
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    head = json.loads(arrays.pop("head").tobytes())
    assert head["digest"] == plain_digest(arrays) == some_weights().digest == load_weights(path).digest


# --- damage ---------------------------------------------------------------------------------------


def loads_the_same(path):
    """Whether the file still gives the weights that were written; if not, it must be refused by name."""
    try:
        return load_weights(path).digest == some_weights().digest
    except PolicyError as error:
        if str(path) in str(error):
            return False
        raise


@pytest.mark.slow
def test_every_damaged_region_is_noticed_or_does_no_harm(path):
    """Bytes in every region of the file are changed, one at a time and in runs of 16: a time of day in the
    zip's headers may differ unseen, a weight may not.
    """
    whole, rng = path.read_bytes(), random.Random(32)
    with zipfile.ZipFile(path) as stored:
        starts = [entry.header_offset for entry in stored.infolist()]
    directory = whole.rindex(b"PK\x01\x02")
    places = {at for start in starts for at in range(start, start + 60)}
    places |= set(range(directory, len(whole))) | set(rng.sample(range(len(whole)), 150))
    for length in (1, 16):
        noticed = 0
        for at in sorted(places)[:: 1 if length == 1 else 7]:
            damaged = bytearray(whole)
            damaged[at : at + length] = bytes(
                byte ^ rng.randrange(1, 256) for byte in whole[at : at + length]
            )
            path.write_bytes(damaged)
            noticed += not loads_the_same(path)
        assert noticed > 100


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.9, 0.999])
def test_cut_off_files_are_refused(path, share):
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    assert "is no weight file of bgsim, or is damaged" in refusal(path)


def test_single_changed_weight_is_refused(path):
    """As a well-made file: only the digest tells."""

    with np.load(path) as stored:
        head = stored["head"]
        arrays = {name: stored[name] for name in stored.files if name != "head"}
    arrays["race_1_weights"][0, 0] += 1
    np.savez(path, head=head, **arrays)
    assert refusal(path).endswith("is damaged: its weights are not those that were written")


# --- other files ----------------------------------------------------------------------------------


def test_missing_files_folders_and_unreadable_paths(tmp_path):
    assert (
        refusal(tmp_path / "none.npz") == f"{tmp_path / 'none.npz'} cannot be read: No such file or directory"
    )
    (tmp_path / "folder.npz").mkdir()
    assert "cannot be read: Is a directory" in refusal(tmp_path / "folder.npz")


@pytest.mark.parametrize(
    "content",
    [b"", b"PK", b"no weights", b"PK\x05\x06" + bytes(18), os.urandom(500), b"\x93NUMPY", b"\x80\x04N."],
    ids=["empty", "two letters", "text", "an empty zip", "noise", "half an array", "a pickle"],
)
def test_foreign_files(tmp_path, content):
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    assert "is no weight file of bgsim, or is damaged" in refusal(path)


def test_single_array_and_archives_of_others(tmp_path):
    path = tmp_path / "x.npz"
    with path.open("wb") as file:
        np.save(file, np.arange(5))
    assert "is no weight file" in refusal(path)
    np.savez(path, contact=np.arange(5))
    assert "is no weight file" in refusal(path)
    with zipfile.ZipFile(path, "w") as stored:
        stored.writestr("head.npy", "not an array")
    assert "is no weight file" in refusal(path)


def test_pickled_arrays_are_not_unpickled(tmp_path):
    """A pickle may run anything: here it would make a file."""

    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    path = tmp_path / "x.npz"
    np.savez(path, head=np.array([Trap()], dtype=object))
    assert "is no weight file" in refusal(path)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    "head", [[], 5, None, "text", {}, {"format": FORMAT}, {"inputs": INPUT_SET}], ids=repr
)
def test_foreign_heads(path, head):
    np.savez(path, head=np.frombuffer(json.dumps(head).encode(), np.uint8), contact_0_weights=np.zeros(3))
    refusal(path)


def test_other_formats_and_inputs_are_named(path):
    def newer(arrays, head):
        head["format"] = 2

    def other(arrays, head):
        head["inputs"] = "bgsim bit features 9"

    assert "has weights of format 2 " in refusal(rewritten(path, newer))
    write(path, some_weights())
    said = refusal(rewritten(path, other))
    assert (
        "for the inputs 'bgsim bit features 9'; this version reads format 1 for 'bgsim bit features 1'"
        in said
    )


def test_file_without_provenance_is_refused_in_a_sentence(path):
    refusal(rewritten(path, lambda arrays, head: head.pop("provenance")))


# --- nets that are none ---------------------------------------------------------------------------


def changed(name, change):
    def apply(arrays, head):
        arrays[name] = change(arrays[name])

    return apply


def without(*names):
    def apply(arrays, head):
        for name in names:
            del arrays[name]

    return apply


SHAPES = {
    "no race net": without("race_0_weights", "race_0_biases", "race_1_weights", "race_1_biases"),
    "no last layer": without("contact_2_weights", "contact_2_biases"),
    "no layer between": without("contact_1_weights", "contact_1_biases"),
    "no first biases": without("contact_0_biases"),
    "other inputs": changed("contact_0_weights", lambda a: a[:640]),
    "narrow first layer": changed("contact_0_weights", lambda a: a[:, :100]),
    "biases of another width": changed("race_0_biases", lambda a: a[:-1]),
    "four outputs": changed("race_1_weights", lambda a: a[:, :4]),
    "layers that do not meet": changed("contact_1_weights", lambda a: a[:64]),
    "flat weights": changed("contact_1_weights", lambda a: a.ravel()),
    "flat first weights": changed("contact_0_weights", lambda a: a.ravel()),
    "weights in three dimensions": changed("contact_1_weights", lambda a: a[None]),
    "a single number": changed("contact_0_weights", lambda a: a[0, 0]),
    "real weights": changed("contact_1_weights", lambda a: a.astype(np.float32)),
    "real biases": changed("race_1_biases", lambda a: a.astype(np.float64)),
    "texts": changed("race_1_biases", lambda a: a.astype("U12")),
    "wider integers": changed("contact_0_weights", lambda a: a.astype(np.int64)),
    "other byte order": changed("contact_1_weights", lambda a: a.astype(">i2")),
}


@pytest.mark.parametrize("change", SHAPES.values(), ids=SHAPES)
def test_nets_of_other_shapes_and_types_are_refused(path, change):
    """Whole and with the right digest, yet nothing that the kernels could read."""
    assert "has no nets that this version can use" in refusal(rewritten(path, change))


def test_weights_whose_sums_could_overflow_are_refused(path):
    """4095 x 17 x 32767 exceeds 2^31, 4095 x 16 x 32767 + 2^31 / 100 does not."""

    def large(rows):
        def change(arrays, head):
            arrays["contact_1_weights"][:] = 0
            arrays["contact_1_weights"][:rows] = 32_767

        return change

    load_weights(rewritten(path, large(15)))
    assert "weights are so large that a sum could overflow" in refusal(rewritten(path, large(17)))


def test_biases_whose_sums_could_overflow_are_refused(path):
    def change(arrays, head):
        arrays["race_1_biases"][0] = 2**31 - 1

    assert "so large that a sum could overflow" in refusal(rewritten(path, change))


def test_first_biases_beyond_16_bits_are_refused(path):
    """They are a row of the first layer: 40000 would become -25536."""

    def change(arrays, head):
        arrays["contact_0_biases"][3] = 40_000

    assert "biases are so large that a sum could overflow" in refusal(rewritten(path, change))


def test_nets_too_wide_too_deep_or_too_shallow_are_refused():
    def layer(before, after):
        return Layer(np.zeros((before, after), np.int16), np.zeros(after, np.int32))

    for widths in ((1152,), (128, 32, 32, 32, 32), (), (130,), (128, 33)):
        sizes = (1280, *widths, 5)
        layers = tuple(layer(a, b) for a, b in pairwise(sizes))
        with pytest.raises(PolicyError, match="are no net of this version"):
            Net(layers)
    Net(constant_net((0,) * 5, width=1024).layers)  # the widest that there is
    with pytest.raises(PolicyError, match="are no net of this version"):
        Net(())


# --- rounding -------------------------------------------------------------------------------------


def test_real_weights_are_rounded_to_the_nearest():
    """First layer in 512ths, further weights in 4096ths, their biases in 2^-21."""
    weights = [np.zeros((1280, 128), np.float32), np.zeros((128, 5), np.float32)]
    biases = [np.zeros(128, np.float32), np.zeros(5, np.float32)]
    weights[0][7, 3], weights[1][3, 4], biases[0][2], biases[1][1] = 1.001, -0.5, -2.0, 0.25
    net = rounded(weights, biases)
    assert net.layers[0].weights[7, 3] == 513  # 512.512
    assert net.layers[1].weights[3, 4] == -2048
    assert net.layers[0].biases[2] == -1024
    assert net.layers[1].biases[1] == 2**19
    assert (
        sum(np.count_nonzero(array) for layer in net.layers for array in (layer.weights, layer.biases)) == 4
    )


@pytest.mark.parametrize("value", [64.0, -65.0, np.inf, np.nan])
@pytest.mark.parametrize(("kind", "layer"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_real_weights_that_fit_no_integer_are_refused(kind, layer, value):
    """64 is 32768 512ths, one too many; as a further weight even 8 is. A further bias has 32 bits: 1024."""
    numbers = (
        [np.zeros((1280, 128), np.float32), np.zeros((128, 5), np.float32)],
        [np.zeros(128, np.float32), np.zeros(5, np.float32)],
    )
    numbers[kind][layer].ravel()[1] = value * (16 if (kind, layer) == (1, 1) else 1)
    with pytest.raises(PolicyError):
        rounded(*numbers)


# --- policies by a file ---------------------------------------------------------------------------


def test_changed_file_is_read_again(path):
    first = weights_of(str(path)).digest
    assert weights_of(str(path)) is weights_of(str(path))  # read once while it stays
    before = stamp_of(str(path))
    players = players_of(str(path))
    write(path, some_weights(seed=33))
    os.utime(path, ns=(before[1] + 1, before[1] + 1))
    assert stamp_of(str(path)) != before
    assert weights_of(str(path)).digest == some_weights(seed=33).digest != first
    assert not np.array_equal(players_of(str(path)).nets.rows, players.nets.rows)


def test_stamp_of_a_missing_file_is_0(tmp_path):
    assert stamp_of(str(tmp_path / "none.npz")) == (0, 0)


def test_policy_of_a_file_plays_and_its_digest_is_in_the_plan(path):
    policy = find_policy(str(path))
    digest = some_weights().digest
    assert policy.digests == {str(path): digest}
    plan = Plan(roots=(Root(parse("start")),), policy=str(path), trials=3)
    assert plan.to_dict()["weights"] == {str(path): digest}
    assert bgsim.rollout("start", policy=str(path), trials=3).trials == 3


def test_plan_of_policies_without_weights_names_none():
    plan = Plan(roots=(Root(parse("start")),), policy="greedy", opponent_policy="random", trials=3)
    assert plan.to_dict()["weights"] == {}


def test_resume_refuses_other_weights_of_the_same_name(path, tmp_path):
    plan = Plan(roots=(Root(parse("start")),), policy=str(path), trials=3)
    out = tmp_path / "x.parquet"
    run_rollout(plan, out=out)
    write(path, some_weights(seed=33))
    other = Plan(roots=plan.roots, policy=str(path), trials=3)
    with pytest.raises(TableError, match="belongs to another plan: weights is") as caught:
        run_rollout(other, out=out, resume=True)
    assert some_weights().digest in str(caught.value)
    assert some_weights(seed=33).digest in str(caught.value)


def test_policy_of_a_file_on_the_command_line(invoke, path):
    result = invoke("rollout", "start", "--trials", 3, "--policy", path, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout)[0]["policy"] == str(path)


def test_damaged_policy_on_the_command_line_is_one_sentence(invoke, path):
    path.write_bytes(path.read_bytes()[:-100])
    for arguments in (("rollout", "start", "--trials", 3, "--policy", path), ("duel", path, "random")):
        result = invoke(*arguments)
        assert result.exit_code == 1
        assert result.stderr == f"bgsim: {path} is no weight file of bgsim, or is damaged\n"


# --- the weights that come with bgsim -------------------------------------------------------------


def test_shipped_weights_load_and_say_where_they_come_from():
    weights = weights_of("net")
    assert {"name", "recipe_seed", "generations", "games", "cpu_hours", "version", "git_commit"} <= set(
        weights.provenance
    )
    assert weights.provenance["name"] == "net"
    assert weights.provenance["games"] > 0
    assert find_policy("net").digests == find_policy("net-1ply").digests == {"net": weights.digest}
