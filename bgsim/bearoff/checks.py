"""Two-sided tables held against themselves: pairs worked out again from what their plays lead to."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bgsim.bearoff.lists import Side, side_of
from bgsim.bearoff.passes import Pass, passes_of
from bgsim.bearoff.two_sided import TwoSided
from bgsim.bearoff.two_sided_files import TAKE, UNITS
from bgsim.kernels.bearoff_plays import ROLLS
from bgsim.kernels.two_sided import CENTRED_BEAVERS, OWNED, SAME

__all__ = ["Recomputed", "recompute"]

Reals = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
WEIGHTS = np.array([1.0 if low == high else 2.0 for high in range(6) for low in range(high + 1)]) / 36
AT_ONCE = 2000  # pairs
SLACK = 2e-6  # what float32 loses on the way


@dataclass(frozen=True, slots=True)
class Recomputed:
    """Pairs worked out again, and each value's largest difference as a share of what rounding allows."""

    pairs: int
    worst: dict[str, float]

    @property
    def passed(self) -> bool:
        """Whether rounding explains every difference."""
        return all(worst <= 1 for worst in self.worst.values())


def recompute(
    table: TwoSided,
    *,
    pairs: int = 10_000,
    seed: int = 0,
    listener: Callable[[int], None] = lambda pairs: None,
) -> Recomputed:
    """Work out random pairs from the table's values of all that the 21 rolls lead to."""
    side = side_of(table.points, table.checkers)
    steps = passes_of(table.checkers, beavers=table.beavers)
    worst = dict.fromkeys(table.values, 0.0)
    rng = np.random.default_rng(seed)
    for start in range(0, pairs, AT_ONCE):
        count = min(AT_ONCE, pairs - start)
        chosen = rng.integers(1, len(table.full), (count, 2))
        followed = _Followed(table, side, chosen)
        for step in steps:
            for name, share in followed.shares(step).items():
                worst[name] = max(worst[name], share)
        listener(count)
    return Recomputed(pairs, worst)


class _Followed:
    """All that some pairs (int64[n, 2]) lead to, one after the other."""

    def __init__(self, table: TwoSided, side: Side, pairs: Numbers) -> None:
        self._table, self._pairs = table, pairs
        rolls = pairs[:, :1] * ROLLS + np.arange(ROLLS)  # of the side on roll
        starts, ends = side.offsets[rolls].ravel(), side.offsets[rolls + 1].ravel()
        lengths = ends - starts
        self._segments = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        within = np.arange(lengths.sum()) - np.repeat(self._segments, lengths)
        after = side.plays[np.repeat(starts, lengths) + within].astype(np.int64)
        opponents = np.repeat(np.repeat(pairs[:, 1], ROLLS), lengths)
        self._over = after == 0
        self._next = np.stack([opponents, np.maximum(after, 1)], axis=1)
        self._full = table.full[opponents]
        self._unit = np.where(table.full[pairs].any(axis=1), UNITS[1], UNITS[0])

    def _read(self, name: str, lost: tuple[float, float]) -> Reals:
        """A value of what comes next, to the other side, who has lost where the game is over."""
        values = self._table.read(name, self._next)
        return np.where(self._over, np.where(self._full, lost[1], lost[0]), values)

    def _mean(self, chosen: Reals) -> Reals:
        """Mean over the rolls of one number each."""
        found: Reals = chosen.reshape(-1, ROLLS) @ WEIGHTS
        return found

    def shares(self, step: Pass) -> dict[str, float]:
        """Largest differences of a pass's values, as shares of what rounding to half a unit allows."""
        if step.follows:
            return self._shares_of_followers(step)
        replies = self._replies(step)
        found = {}
        for k, name in enumerate(step.values):
            expected = -self._mean(np.minimum.reduceat(replies[k], self._segments))
            # Two roundings: its own, and that of what comes next; a double counts that twice.
            halves = 3 if step.mode == OWNED and k == 1 else 2
            off = np.abs(self._table.read(name, self._pairs) - expected)
            found[name] = float((off / (halves * 0.5 / self._unit + SLACK)).max())
        return found

    def _replies(self, step: Pass) -> list[Reals]:
        """R of the values of a pass, see `bgsim.kernels.two_sided`."""
        values = [self._read(name, lost) for name, lost in zip(step.values, step.lost, strict=True)]
        if step.mode == SAME:
            return values
        if step.mode == OWNED:
            return [values[1], np.maximum(values[0], np.minimum(2 * values[1], 1))]
        take = self._read(TAKE, (-1.0, -2.0))
        times = np.where(take < 0, 4, 2) if step.mode == CENTRED_BEAVERS else 2
        return [np.maximum(value, np.minimum(times * take, 1)) for value in values]

    def _shares_of_followers(self, step: Pass) -> dict[str, float]:
        """Of plays that rounding cannot tell from the best any may have been the one."""
        equity, other = (self._read(name, lost) for name, lost in zip(step.values, step.lost, strict=True))
        unit = np.repeat(self._unit, ROLLS)
        best = np.minimum.reduceat(equity, self._segments)
        lengths = np.diff(np.append(self._segments, len(equity)))
        near = equity <= np.repeat(best + 1 / unit + SLACK, lengths)
        least = np.minimum.reduceat(np.where(near, other, np.inf), self._segments)
        most = np.maximum.reduceat(np.where(near, other, -np.inf), self._segments)
        bounds = np.sort([step.signs[1] * self._mean(edge) for edge in (least, most)], axis=0)
        allowed = 1 / self._unit + SLACK
        found = self._table.read(step.values[1], self._pairs)
        off = np.maximum(bounds[0] - found, found - bounds[1])
        shares = {step.values[1]: float(max(0, (off / allowed).max()))}
        if step.values[0] in (step.kept or step.values):
            off = np.abs(self._table.read(step.values[0], self._pairs) + self._mean(best))
            shares[step.values[0]] = float((off / allowed).max())
        return shares
