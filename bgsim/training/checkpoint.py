"""Where a training run stands, in one file that another machine can go on from."""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from bgsim.core.errors import TableError
from bgsim.run.files import write_aside
from bgsim.training.generation import Recipe, State

__all__ = ["read_checkpoint", "write_checkpoint"]

FORMAT = 1
ARRAYS = ("contact", "race")


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
    }
    arrays: dict[str, Any] = {"head": np.frombuffer(json.dumps(head, sort_keys=True).encode(), np.uint8)}
    for name in ARRAYS:
        for number, array in enumerate(getattr(state, name)):
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
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        head = json.loads(arrays.pop("head").tobytes())
        contact, race = (
            tuple(arrays[f"{name}_{k}"] for k in range(sum(key.startswith(f"{name}_") for key in arrays)))
            for name in ARRAYS
        )
        state = State(head["generation"], contact, race, head["games"], head["cpu_seconds"])
        seed = head["seed"]
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, NotImplementedError):
        raise TableError(f"{path} is no checkpoint of bgsim, or is damaged") from None
    if state.widths != (recipe.contact, recipe.race) or seed != recipe.seed:
        raise TableError(
            f"{path} is of nets {state.widths} and seed {seed}, the configuration of "
            f"{(recipe.contact, recipe.race)} and {recipe.seed}: move it away to begin anew"
        )
    return state
