"""bgsim: a high-performance backgammon simulation and rollout engine.

Everything here is imported on first use, so that `import bgsim` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bgsim._version import __version__

if TYPE_CHECKING:
    from bgsim.apps.bearoff import Bearoff, build_bearoff, open_bearoff
    from bgsim.apps.evaluate import Evaluation, evaluate
    from bgsim.apps.rollout import RolloutResult, rollout
    from bgsim.core.errors import BgsimError, PositionError
    from bgsim.core.notation import parse, parse_roll
    from bgsim.core.play import Play
    from bgsim.core.position import Position
    from bgsim.core.rules import Rules
    from bgsim.core.state import GameState
    from bgsim.engine.plays import legal_plays, perft
    from bgsim.run.tables import read_table

_HOMES = {
    "Bearoff": "apps.bearoff",
    "BgsimError": "core.errors",
    "Evaluation": "apps.evaluate",
    "GameState": "core.state",
    "Play": "core.play",
    "Position": "core.position",
    "PositionError": "core.errors",
    "RolloutResult": "apps.rollout",
    "Rules": "core.rules",
    "build_bearoff": "apps.bearoff",
    "evaluate": "apps.evaluate",
    "legal_plays": "engine.plays",
    "open_bearoff": "apps.bearoff",
    "parse": "core.notation",
    "parse_roll": "core.notation",
    "perft": "engine.plays",
    "read_table": "run.tables",
    "rollout": "apps.rollout",
}

__all__ = [
    "Bearoff",
    "BgsimError",
    "Evaluation",
    "GameState",
    "Play",
    "Position",
    "PositionError",
    "RolloutResult",
    "Rules",
    "__version__",
    "build_bearoff",
    "evaluate",
    "legal_plays",
    "open_bearoff",
    "parse",
    "parse_roll",
    "perft",
    "read_table",
    "rollout",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'bgsim' has no attribute {name!r}")
    found = getattr(import_module(f"bgsim.{home}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
