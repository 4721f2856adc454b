"""Files of arrays (.npz) with a head of plain facts, read so that whatever a file holds is one sentence."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bgsim.core.errors import BgsimError

__all__ = ["read_archive"]


def read_archive(
    path: Path, what: str, error: type[BgsimError]
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the head and the arrays of a file, which should be `what`.

    Raises:
        BgsimError: as `error`: it cannot be read, is no such file, or is damaged; says which.
    """
    try:
        # Opened here, because numpy leaves a file open that turns out to be no zip.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        head = dict(json.loads(arrays.pop("head").tobytes()))
    except OSError as found:
        raise error(f"{path} cannot be read: {found.strerror or found}") from None
    except Exception as found:  # what zipfile, zlib, numpy and json make of damaged bytes is no short list
        raise error(f"{path} is no {what} of bgsim, or is damaged") from found
    return head, arrays
