"""Weight files: nets for contact and races with where they come from, refused by name when damaged."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from bgsim.core.errors import PolicyError
from bgsim.engine.archives import read_archive
from bgsim.engine.nets import Layer, Net

__all__ = [
    "FORMAT",
    "INPUT_SET",
    "NETS",
    "Weights",
    "digest_of",
    "load_weights",
    "stamp_of",
    "weights_of",
    "write_weights",
]

FORMAT = 1
INPUT_SET = "bgsim bit features 1"  # those of bgsim.kernels.features
NETS = ("contact", "race", "quick_contact", "quick_race")


@dataclass(frozen=True, slots=True)
class Weights:
    """The nets of a policy, for positions with contact and for races; plain facts of how they were made.

    The quick nets, if there are any, are small ones that may sort plays out before the others see them.
    """

    contact: Net
    race: Net
    provenance: Mapping[str, Any] = field(default_factory=dict)
    quick: tuple[Net, Net] | None = None

    @property
    def nets(self) -> tuple[Net, ...]:
        """For contact and for races, and the same of the quick ones."""
        return (self.contact, self.race, *(self.quick or ()))

    @property
    def digest(self) -> str:
        """16 hex digits that name the weights: a hash of their values."""
        return _digest(_arrays(self))


def _arrays(weights: Weights) -> dict[str, npt.NDArray[Any]]:
    """Every array by its name in the file."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for name, net in zip(NETS, weights.nets, strict=False):
        for number, layer in enumerate(net.layers):
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
    head, arrays = read_archive(path, "weight file", PolicyError)
    version, inputs = head.get("format"), head.get("inputs")
    if version != FORMAT or inputs != INPUT_SET:
        raise PolicyError(
            f"{path} has weights of format {version} for the inputs {inputs!r}; this version reads format "
            f"{FORMAT} for {INPUT_SET!r}"
        )
    if _digest(arrays) != head.get("digest") or "provenance" not in head:
        raise PolicyError(f"{path} is damaged: its weights are not those that were written")
    try:
        contact, race = (_net(name, arrays) for name in NETS[:2])
        has_quick = any(key.startswith("quick_") for key in arrays)
        quick = (_net(NETS[2], arrays), _net(NETS[3], arrays)) if has_quick else None
    except (KeyError, PolicyError) as error:
        raise PolicyError(f"{path} has no nets that this version can use: {error}") from error
    return Weights(contact, race, head["provenance"], quick)


def _net(name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> Net:
    count = sum(key.startswith(f"{name}_") for key in arrays) // 2
    layers = [Layer(arrays[f"{name}_{k}_weights"], arrays[f"{name}_{k}_biases"]) for k in range(count)]
    if not layers:
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


def digest_of(name: str) -> str:
    """The digest of the weights that `weights_of` returns, worked out once.

    Raises:
        PolicyError: the file cannot be used.
    """
    return _digest_of(name, stamp_of(name))


@lru_cache(maxsize=16)
def _digest_of(name: str, stamp: tuple[int, int]) -> str:
    return _loaded(name, stamp).digest


@lru_cache(maxsize=16)
def _loaded(name: str, stamp: tuple[int, int]) -> Weights:
    return load_weights(_path(name))
