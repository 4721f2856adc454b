"""Configuration files: TOML, checked key by key."""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from bgsim.apps.positions import PositionText, read_position_file
from bgsim.core.errors import PlanError, did_you_mean
from bgsim.core.files import as_path

__all__ = ["RolloutConfig", "read_config"]

Model = TypeVar("Model", bound=BaseModel)


class PositionEntry(BaseModel):
    """One `[[positions]]` table: a position and its name."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: str
    name: str = ""


def _as_entry(value: object) -> object:
    """A plain text is a position without a name."""
    return {"id": value} if isinstance(value, str) else value


class RolloutConfig(BaseModel):
    """Keys of a rollout's configuration; each is the command line option of the same name."""

    model_config = ConfigDict(extra="forbid", strict=True)

    positions: list[Annotated[PositionEntry, BeforeValidator(_as_entry)]] = []
    positions_file: str | None = None  # relative to the configuration file
    rules: str | None = None
    policy: str | None = None
    opponent_policy: str | None = None
    trials: int | None = None
    seed: int | None = None
    opening: bool | None = None
    stratified: bool | None = None
    tables: list[str] | None = None  # files relative to the configuration file
    truncate: str | None = None
    settle: bool | None = None
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
            PositionText(entry.id, entry.name, f"{path}, position {number}")
            for number, entry in enumerate(self.positions, start=1)
        ]
        if self.positions_file is not None:
            found += read_position_file(path.parent / as_path(self.positions_file))
        return found


def read_config(path: Path, model: type[Model]) -> Model:
    """Return the configuration of a TOML file.

    Raises:
        PlanError: no such file, not TOML, an unknown key (names the nearest), a value of the wrong type.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise PlanError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, or meant to break a reader
        raise PlanError(f"{path} is not TOML: {error}") from None
    try:
        return model.model_validate(values)
    except ValidationError as error:
        faults = dict.fromkeys(_fault(model, found) for found in error.errors())
        raise PlanError(f"{path}: {'; '.join(faults)}") from None


def _fault(model: type[BaseModel], found: Any) -> str:
    place = found["loc"]  # keys, and numbers of a list's entries, which people count from 1
    key = ".".join(part if isinstance(part, str) else str(part + 1) for part in place)
    if found["type"] == "extra_forbidden":
        known = _table_at(model, place[:-1]).model_fields
        hint = did_you_mean(place[-1], known) or f" (the keys are {', '.join(known)})"
        return f"unknown key '{key}'{hint}"
    if found["type"] == "missing":
        return f"'{key}' is missing"
    wanted = found["msg"].removeprefix("Input should be ")
    if found["type"] == "model_type":
        position = _table_at(model, place) is PositionEntry
        wanted = "a position, or a table with its id and name" if position else "a table"
    return f"'{key}' is {json.dumps(found['input'], default=str)}: it should be {wanted}"


def _table_at(model: type[BaseModel], place: Sequence[str | int]) -> type[BaseModel]:
    """The model of the table that lies there."""
    for key in place:
        if isinstance(key, str) and key in model.model_fields:
            model = _table_of(model.model_fields[key].annotation) or model
    return model


def _table_of(annotation: Any) -> type[BaseModel] | None:
    """The model in an annotation such as list[Model]."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_table_of, get_args(annotation))), None)
