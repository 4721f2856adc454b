"""Configuration files: TOML, checked key by key."""

import tomllib
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from bgsim.apps.positions import PositionText, read_position_file
from bgsim.core.errors import PlanError, did_you_mean

__all__ = ["RolloutConfig", "read_config"]

Model = TypeVar("Model", bound=BaseModel)


class PositionEntry(BaseModel):
    """One `[[positions]]` table: a position and its name."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: str
    name: str = ""


class RolloutConfig(BaseModel):
    """Keys of a rollout's configuration; each is the command line option of the same name."""

    model_config = ConfigDict(extra="forbid", strict=True)

    positions: list[str | PositionEntry] = []
    positions_file: str | None = None  # relative to the configuration file
    rules: str | None = None
    policy: str | None = None
    opponent_policy: str | None = None
    trials: int | None = None
    seed: int | None = None
    opening: bool | None = None
    stratified: bool | None = None
    cubeful: bool | None = None
    executor: str | None = None
    address: str | None = None
    workers: int | None = None
    batch: int | None = None
    out: str | None = None
    point_of_view: Literal["on_roll", "bottom"] | None = None

    def texts(self, path: Path) -> list[PositionText]:
        """The positions of this configuration, which was read from `path`."""
        found = [
            PositionText(entry, "", f"{path}, position {number}")
            if isinstance(entry, str)
            else PositionText(entry.id, entry.name, f"{path}, position {number}")
            for number, entry in enumerate(self.positions, start=1)
        ]
        if self.positions_file is not None:
            found += read_position_file(path.parent / self.positions_file)
        return found


def read_config(path: Path, model: type[Model]) -> Model:
    """Return the configuration of a TOML file.

    Raises:
        PlanError: no such file, not TOML, an unknown key (names the nearest), a value of the wrong type.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlanError(f"cannot read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PlanError(f"{path} is not TOML: {error}") from None
    try:
        return model.model_validate(values)
    except ValidationError as error:
        faults = dict.fromkeys(_fault(model, found) for found in error.errors())
        raise PlanError(f"{path}: {'; '.join(faults)}") from None


def _fault(model: type[BaseModel], found: Any) -> str:
    # A location may pass through list numbers and names of union members: only keys are for people.
    keys = [str(part) for part in found["loc"] if isinstance(part, str) and part.islower()]
    key = ".".join(keys)
    if found["type"] == "extra_forbidden":
        known = PositionEntry.model_fields if len(keys) > 1 else model.model_fields
        hint = did_you_mean(keys[-1], known) or f", the keys are {', '.join(known)}"
        return f"unknown key '{key}'{hint}"
    return f"'{key}' is {found['input']!r}: {found['msg'][0].lower()}{found['msg'][1:]}"
