"""Where a training run stands, in one file that another machine can go on from."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bgsim.core.errors import TableError
from bgsim.core.files import write_aside
from bgsim.engine.archives import read_archive
from bgsim.engine.weights import NETS
from bgsim.kernels.features import INPUTS
from bgsim.training.fit import OUTPUTS
from bgsim.training.generation import Recipe, State

__all__ = ["read_checkpoint", "write_checkpoint"]

FORMAT = 1


def write_checkpoint(path: Path, recipe: Recipe, state: State) -> None:
    """Write the state; the file is whole or not there.

    Raises:
        TableError: it cannot be written.
    """
    head = {
        "format": FORMAT,
        "seed": recipe.seed,
        "generation": state.generation,
        "games": state.games,
        "cpu_seconds": state.cpu_seconds,
        "begin": state.begin,
    }
    arrays: dict[str, Any] = {"head": np.frombuffer(json.dumps(head, sort_keys=True).encode(), np.uint8)}
    for name, net in zip(NETS, state.nets, strict=False):
        for number, array in enumerate(net):
            arrays[f"{name}_{number}"] = array

    def write(aside: Path) -> None:
        with aside.open("wb") as file:
            np.savez_compressed(file, **arrays)

    write_aside(path, write)


def read_checkpoint(path: Path, recipe: Recipe) -> State:
    """Return the state of a checkpoint of this recipe's nets.

    Raises:
        TableError: it cannot be read, is damaged, or is of other widths or another seed; says which.
    """
    head, arrays = read_archive(path, "checkpoint", TableError)
    try:
        if head["format"] != FORMAT:
            raise ValueError(head["format"])
        nets = tuple(
            tuple(arrays[f"{name}_{k}"] for k in range(sum(key.startswith(f"{name}_") for key in arrays)))
            for name in NETS[: 4 if any(key.startswith("quick_") for key in arrays) else 2]
        )
        state = State(
            generation=int(head["generation"]),
            nets=nets,
            games=int(head["games"]),
            cpu_seconds=float(head["cpu_seconds"]),
            begin=str(head.get("begin", "")),  # older checkpoints have none
        )
        seed = head["seed"]
        if state.generation < 0 or not all(map(_are_layers, nets)):
            raise ValueError(path)
    except (ValueError, KeyError, TypeError):
        raise TableError(f"{path} is no checkpoint of bgsim, or is damaged") from None
    if state.widths != recipe.widths or seed != recipe.seed:
        raise TableError(
            f"{path} is of nets {state.widths} and seed {seed}, the configuration of "
            f"{recipe.widths} and {recipe.seed}: move it away to begin anew"
        )
    return state


def _are_layers(arrays: tuple[npt.NDArray[Any], ...]) -> bool:
    """Whether these are weights and biases of layers that follow one another, as a state has them."""
    half = len(arrays) // 2
    sizes = [INPUTS, *(array.size for array in arrays[half:])]
    shapes = [*pairwise(sizes), *((size,) for size in sizes[1:])]
    return (
        half >= 2
        and sizes[-1] == OUTPUTS
        and [array.shape for array in arrays] == shapes
        and all(array.dtype == np.float16 for array in arrays)
    )
