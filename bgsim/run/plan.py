"""A plan: everything that decides the rows of a rollout's table, and nothing else."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bgsim.core.errors import PlanError
from bgsim.core.match import Pending
from bgsim.core.numbers import whole_within
from bgsim.core.rules import check_playable
from bgsim.core.state import GameState
from bgsim.engine.boards import pack
from bgsim.engine.policies import DEFAULT, find_policy, players_of
from bgsim.engine.tables import BUILT_IN, names_of, tables_of
from bgsim.kernels.dice import MAX_TRIAL
from bgsim.kernels.playout import Roots, Settings

__all__ = ["MAX_PLIES", "NUMBERS_VERSION", "Plan", "Root", "check_root", "differences"]

# Raised whenever the same plan would give other numbers, so that old parts are never mixed with new ones.
NUMBERS_VERSION = 2
MAX_PLIES = 10_000
MAX_SEED = 2**64 - 1
TRUNCATE = ("none", "exact", "bearoff")  # in the kernels' order


@dataclass(frozen=True, slots=True)
class Root:
    """One position to roll out, and the name it goes by in tables.

    `swapped`: the plan's second policy plays for the player on roll.
    """

    state: GameState
    name: str = ""
    swapped: bool = False

    def to_dict(self) -> dict[str, Any]:
        """What identifies this root, as plain values."""
        state = self.state
        return {
            "xgid": state.xgid,
            "checkers": [sum(state.position.on_roll), sum(state.position.opponent)],
            "opening": state.opening,
            "rules": str(state.rules),
            "name": self.name,
            "swapped": self.swapped,
        }

    @property
    def stream(self) -> int:
        """64 bits that name the dice: a hash of the position alone, so the order of rows never matters."""
        position = self.state.position
        text = repr((position.on_roll, position.opponent)).encode()
        return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def check_root(root: Root) -> None:
    """Raise unless this position can be rolled out by itself, whatever else a plan holds.

    Raises:
        RulesError: its rules are not played yet.
        PlanError: it waits for an answer, not for a roll.
    """
    state = root.state
    check_playable(state.rules)
    if state.pending is not Pending.NONE or state.resigned:
        raise PlanError(
            f"{state.xgid} waits for an answer to a double or a resignation, which a cubeless rollout cannot "
            "give: set the dice field to 00 or to the roll"
        )


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A rollout of some roots: equal plans give bit-identical numbers wherever and however they run.

    tables: exact tables ("built-in", or files), by which nets rank plays where both sides bear off. With
    `truncate` trials end there too: "exact" where a two-sided table has the position, "bearoff" also where
    the one-sided one has both sides (built-in tables, if none are named). `settle`: a trial ends when nothing
    can change its outcome.

    Raises:
        PlanError, PolicyError, RulesError: a value that is not allowed; says which and what is.
    """

    roots: tuple[Root, ...]
    policy: str = DEFAULT
    opponent_policy: str = ""  # "" = the same as policy
    trials: int = 1296
    seed: int = 0
    stratified: bool = False
    max_plies: int = MAX_PLIES
    tables: Sequence[str] = ()
    truncate: str = "none"
    settle: bool = True

    def __post_init__(self) -> None:
        players_of(*self.two_policies)  # weights that cannot be used are refused now, not in a worker
        # plain integers even if numpy's came: they are written as JSON
        object.__setattr__(self, "trials", _whole("trials", self.trials, 1, MAX_TRIAL))
        object.__setattr__(self, "seed", _whole("seed", self.seed, 0, MAX_SEED))
        object.__setattr__(self, "max_plies", _whole("max_plies", self.max_plies, 1, MAX_PLIES))
        for name in ("stratified", "settle"):
            if not isinstance(getattr(self, name), bool):
                raise PlanError(f"{name} is {getattr(self, name)!r}: true or false is allowed")
        if self.truncate not in TRUNCATE:
            raise PlanError(f"truncate is {self.truncate!r}: {', '.join(TRUNCATE)} are allowed")
        tables = names_of(self.tables)
        object.__setattr__(self, "tables", BUILT_IN if self.truncate != "none" and not tables else tables)
        tables_of(self.tables)  # those that cannot be used are refused now, not in a worker
        if not self.roots:
            raise PlanError("there is no position to roll out: give at least one")
        for root in self.roots:
            check_root(root)

    @property
    def two_policies(self) -> tuple[str, str]:
        """Policies of the root's player on roll and of his opponent."""
        return self.policy, self.opponent_policy or self.policy

    @property
    def weights(self) -> dict[str, str]:
        """Hash of each of the policies' weights, by name."""
        return {
            weights: digest
            for policy in self.two_policies
            for weights, digest in find_policy(policy).digests.items()
        }

    def trials_of(self, root: Root) -> int:
        """Trials of one root: stratified dice round them up to whole cycles of first rolls."""
        if not self.stratified:
            return self.trials
        cycle = 30 if root.state.opening and root.state.roll is None else 36
        return -(-self.trials // cycle) * cycle

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain values, in a fixed order."""
        return {
            "numbers_version": NUMBERS_VERSION,
            "policy": self.policy,
            "opponent_policy": self.two_policies[1],
            "weights": self.weights,
            "trials": self.trials,
            "seed": self.seed,
            "stratified": self.stratified,
            "max_plies": self.max_plies,
            "tables": [list(named) for named in tables_of(self.tables).digests],
            "truncate": self.truncate,
            "settle": self.settle,
            "cubeful": False,
            "roots": [root.to_dict() for root in self.roots],
        }

    @cached_property
    def json(self) -> str:
        """The plan as canonical JSON."""
        return json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))

    @cached_property
    def plan_id(self) -> str:
        """16 hex digits that name the plan: a hash of its JSON."""
        return hashlib.blake2b(self.json.encode(), digest_size=8).hexdigest()

    def settings(self) -> Settings:
        """The kernels' view of everything but the roots."""
        player, opponent = players_of(*self.two_policies).players
        return Settings(
            seed=np.uint64(self.seed),
            player=player,
            opponent=opponent,
            stratified=self.stratified,
            max_plies=self.max_plies,
            settle=self.settle,
            truncate=TRUNCATE.index(self.truncate),
        )

    def kernel_roots(self) -> Roots:
        """The kernels' view of the roots, one row each."""
        states = [root.state for root in self.roots]
        return Roots(
            boards=pack([state.position for state in states]),
            dice=np.array([state.roll or (0, 0) for state in states], np.int64).reshape(-1, 2),
            opening=np.array([state.opening for state in states], np.bool_),
            streams=np.array([root.stream for root in self.roots], np.uint64),
            swapped=np.array([root.swapped for root in self.roots], np.bool_),
        )


def _whole(name: str, value: object, low: int, high: int) -> int:
    number = whole_within(value, low, high)
    if number is None:
        raise PlanError(f"{name} is {value!r}: a whole number from {low} to {high} is allowed")
    return number


def differences(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> list[str]:
    """What a table's plan and this plan do not agree on, one phrase each.

    >>> differences({"trials": 36, "roots": []}, {"trials": 72, "roots": []})
    ['trials is 36 there and 72 here']
    """
    found = [
        f"{key} is {theirs.get(key)!r} there and {ours.get(key)!r} here"
        for key in sorted({*theirs, *ours} - {"roots"})
        if theirs.get(key) != ours.get(key)
    ]
    return found + _root_differences(theirs.get("roots", []), ours.get("roots", []))


def _root_differences(theirs: Sequence[Any], ours: Sequence[Any]) -> list[str]:
    if len(theirs) != len(ours):
        return [f"it has {len(theirs)} positions, not {len(ours)}"]
    for number, (their, our) in enumerate(zip(theirs, ours, strict=True), start=1):
        if their != our:
            parts = [key for key in our if their.get(key) != our[key]]
            return [f"position {number} differs in {', '.join(parts)}"]
    return []
