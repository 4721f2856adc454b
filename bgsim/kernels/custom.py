"""The rollout kernel with some of its seams replaced by a caller's own jitted functions.

Numba cannot keep such a kernel in its cache, so it compiles anew in every process (about 15 seconds).
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba

from bgsim.kernels import playout, policy, rollout

SEAMS = ("score_results", "cube_phase", "stop_test", "blocked_points", "list_results")


def _rebuilt(kernel: Any, replaced: dict[str, Any]) -> Any:
    """The same Python function compiled with other globals."""
    source = kernel.py_func
    globals_ = {**source.__globals__, **replaced}
    copy = FunctionType(source.__code__, globals_, source.__name__, source.__defaults__)
    return numba.njit(nogil=True, error_model="numpy")(copy)


def rollout_kernel(**seams: Callable[..., Any]) -> Any:
    """Return `run_segments` with the named seams (SEAMS) replaced.

    Each replacement is a jitted function with the signature of the one it replaces.

    Raises:
        TypeError: a name that is not a seam.
    """
    unknown = sorted(set(seams) - set(SEAMS))
    if unknown:
        raise TypeError(f"no seam is called {unknown[0]}; the seams are {', '.join(SEAMS)}")
    choose = _rebuilt(policy.choose, seams)
    play_out = _rebuilt(playout.play_out, {**seams, "choose": choose})
    return _rebuilt(rollout.run_segments, {"play_out": play_out})
