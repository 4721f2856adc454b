"""Weight files: a contact net and a race net with where they come from, refused by name when damaged."""

import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from bgsim.core.errors import PolicyError
from bgsim.engine.nets import Layer, Net
from bgsim.kernels.features import INPUTS

__all__ = ["FORMAT", "INPUT_SET", "Weights", "load_weights", "stamp_of", "weights_of", "write_weights"]

FORMAT = 1
INPUT_SET = "bgsim bit features 1"  # those of bgsim.kernels.features
NETS = ("contact", "race")


@dataclass(frozen=True, slots=True)
class Weights:
    """The nets of a policy, for positions with contact and for races; plain facts of how they were made."""

    contact: Net
    race: Net
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """16 hex digits that name the weights: a hash of their values."""
        return _digest(_arrays(self))


def _arrays(weights: Weights) -> dict[str, npt.NDArray[Any]]:
    """Every array by its name in the file."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for name in NETS:
        for number, layer in enumerate(getattr(weights, name).layers):
            arrays[f"{name}_{number}_weights"] = layer.weights
            arrays[f"{name}_{number}_biases"] = layer.biases
    return arrays


def _digest(arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}".encode())
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()


def write_weights(target: IO[bytes], weights: Weights) -> None:
    """Write a weight file (.npz) to an open binary file."""
    head = {
        "format": FORMAT,
        "inputs": INPUT_SET,
        "digest": weights.digest,
        "provenance": dict(weights.provenance),
    }
    text = np.frombuffer(json.dumps(head, sort_keys=True).encode(), np.uint8)
    np.savez_compressed(target, head=text, **_arrays(weights))  # type: ignore[arg-type]


def load_weights(path: Path) -> Weights:
    """Return the nets of a weight file.

    Raises:
        PolicyError: it cannot be read, is no weight file, is damaged, or is of another version; says which.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        head = json.loads(arrays.pop("head").tobytes())
        version, inputs = head["format"], head["inputs"]
    except OSError as error:
        raise PolicyError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, NotImplementedError) as error:
        raise PolicyError(f"{path} is no weight file of bgsim, or is damaged") from error
    if version != FORMAT or inputs != INPUT_SET:
        raise PolicyError(
            f"{path} has weights of format {version} for the inputs {inputs!r}; this version reads format "
            f"{FORMAT} for {INPUT_SET!r}"
        )
    if _digest(arrays) != head.get("digest"):
        raise PolicyError(f"{path} is damaged: its weights are not those that were written")
    try:
        contact, race = (_net(name, arrays) for name in NETS)
    except (KeyError, PolicyError) as error:
        raise PolicyError(f"{path} has no nets that this version can use: {error}") from error
    return Weights(contact, race, head["provenance"])


def _net(name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> Net:
    count = sum(key.startswith(f"{name}_") for key in arrays) // 2
    layers = [Layer(arrays[f"{name}_{k}_weights"], arrays[f"{name}_{k}_biases"]) for k in range(count)]
    if count == 0 or layers[0].weights.shape[0] != INPUTS:
        raise KeyError(name)
    return Net(tuple(layers))


def _path(name: str) -> Path:
    """Where the weights of that name lie: beside this module, or at the path that it is."""
    return Path(name) if name.endswith(".npz") else Path(str(files("bgsim.engine").joinpath(f"{name}.npz")))


def stamp_of(name: str) -> tuple[int, int]:
    """Size and time of change of a weight file: another stamp, other weights."""
    try:
        found = _path(name).stat()
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns


def weights_of(name: str) -> Weights:
    """Return the weights that come with bgsim under a name, or those of a file (.npz).

    Raises:
        PolicyError: the file cannot be used.
    """
    return _loaded(name, stamp_of(name))


@lru_cache(maxsize=16)
def _loaded(name: str, stamp: tuple[int, int]) -> Weights:
    return load_weights(_path(name))
