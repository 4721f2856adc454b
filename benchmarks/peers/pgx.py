"""pgx's backgammon: JAX, many games at once, made for accelerators and here on the CPU."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from benchmarks.peers.contest import Contest, Peer, Work, bgsim_games, work_for
from benchmarks.peers.counts import CountCheck, Listed, Sides, compare, side_of
from benchmarks.peers.installed import load, version_of
from bgsim.core.position import Position

__all__ = ["check_counts", "contests", "describe"]

LANES = 256  # games at once; more were not faster on a CPU
MOVES_A_ROUND = 25  # between two looks for finished games
ROUNDS_A_STEP = 4
MIXING_ROUNDS = 40  # some four games a lane: by then the lanes end at all times alike
CHECKED_ROUNDS = 4  # the turns that have just begun after each: about 100
EXPANDED = 512  # states moved on by one call: a fixed shape compiles once


def describe() -> Peer:
    jax = version_of("jax")
    version = version_of("pgx")
    return Peer(
        name="pgx",
        requirement="pip install 'pgx>=2.6'",
        version=f"{version} (jax {jax})" if version and jax else None,
        lists="a die at a time",
        uses_both_dice=False,
        note="uniform over the moves of a die, so its random games are not quite bgsim's",
    )


def contests() -> tuple[Contest, ...]:
    """Random games, compiled and batched; compiling is not timed."""
    lanes = _lanes()
    return (
        Contest(task="random games, batched", unit="games", bgsim=bgsim_games("random"), peer=lanes.play),
    )


class _Lanes:
    """Games side by side that go on from call to call, a finished one giving way to a new one.

    Looking for finished games every few moves favours pgx: its own `auto_reset` makes a fresh game in
    every step, a third of the time.
    """

    def __init__(self) -> None:
        self._jax = load("jax")
        self._env = load("pgx").make("backgammon")
        self._round = self._jax.jit(self._round_of_steps)
        self._key = self._jax.random.PRNGKey(1)
        self._state = self._jax.jit(self._fresh)(self._key)
        for _ in range(MIXING_ROUNDS):
            self._next_round()

    def play(self, seconds: float) -> Work:
        return work_for(seconds, self._step, lambda counts: counts)

    def next_turns(self) -> Any:
        """Play on a little; returns the states whose turn has just begun, as host arrays."""
        self._next_round()
        states = self._jax.device_get(self._state)
        begun = np.flatnonzero(states._played_dice_num == 0)
        return self._jax.tree_util.tree_map(lambda array: np.asarray(array)[begun], states)

    def _step(self) -> tuple[int, int]:
        rounds = [self._next_round() for _ in range(ROUNDS_A_STEP)]
        return sum(int(games) for games, _ in rounds), sum(int(rolls) for _, rolls in rounds)

    def _next_round(self) -> tuple[Any, Any]:
        self._key, key = self._jax.random.split(self._key)
        self._state, games, rolls = self._round(self._state, key)
        return games, rolls

    def _fresh(self, key: Any) -> Any:
        return self._jax.vmap(self._env.init)(self._jax.random.split(key, LANES))

    def _round_of_steps(self, state: Any, key: Any) -> tuple[Any, Any, Any]:
        """Some moves of one die in all lanes, then new games for the finished ones."""
        jax, numpy = self._jax, self._jax.numpy
        step = jax.vmap(self._env.step)

        def move(state: Any, key: Any) -> tuple[Any, Any]:
            choice, dice = jax.random.split(key)
            legal = numpy.where(state.legal_action_mask, 0.0, -numpy.inf)
            action = jax.random.categorical(choice, legal, axis=-1)
            after = step(state, action, jax.random.split(dice, LANES))
            turned = (after.current_player != state.current_player) | after.terminated
            return after, (turned & ~state.terminated).sum()

        *keys, last = jax.random.split(key, MOVES_A_ROUND + 1)
        state, rolls = jax.lax.scan(move, state, numpy.stack(keys))
        over = state.terminated

        def renewed(new: Any, old: Any) -> Any:
            return numpy.where(over.reshape(-1, *[1] * (old.ndim - 1)), new, old)

        return jax.tree_util.tree_map(renewed, self._fresh(last), state), over.sum(), rolls.sum()


@cache
def _lanes() -> _Lanes:
    """The one set of lanes of a process: compiling it takes longer than a contest."""
    return _Lanes()


def check_counts() -> CountCheck:
    """Turns met in random games: every way to play the dice one by one, against the rules."""
    return compare(_walk(_lanes(), _Expansion()))


def _walk(lanes: _Lanes, expand: "_Expansion") -> Iterator[Listed]:
    for _ in range(CHECKED_ROUNDS):
        states = lanes.next_turns()
        for row, found in enumerate(expand(states)):
            dice = states._dice[row]
            yield Position(*_sides(states._board[row])), (int(dice[0]) + 1, int(dice[1]) + 1), found


class _Expansion:
    """All results of the turns of some states, a die at a time."""

    def __init__(self) -> None:
        self._jax = load("jax")
        env = load("pgx").make("backgammon")
        self._move = self._jax.jit(self._jax.vmap(env.step))

    def __call__(self, states: Any) -> list[set[Sides]]:
        found: list[set[Sides]] = [set() for _ in states.terminated]
        roots = np.arange(len(found))
        while len(roots):
            mover = states.current_player
            which, actions = np.nonzero(_one_pass(states.legal_action_mask))
            after = self._moved(self._rows(states, which), actions)
            ended = after.terminated | (after.current_player != mover[which])
            for row in np.flatnonzero(ended):
                # The board is turned to the next player, unless the game is over.
                sides = _sides(after._board[row])
                found[roots[which[row]]].add(sides if after.terminated[row] else sides[::-1])
            kept = _distinct(roots[which], after, ~ended)
            states, roots = self._rows(after, kept), roots[which][kept]
        return found

    def _rows(self, states: Any, rows: Any) -> Any:
        return self._jax.tree_util.tree_map(lambda array: array[rows], states)

    def _moved(self, states: Any, actions: Any) -> Any:
        """Every state after its action, in calls of one size."""
        n = len(actions)
        parts = []
        for at in range(0, n, EXPANDED):
            rows = np.minimum(np.arange(at, at + EXPANDED), n - 1)
            keys = self._jax.random.split(self._jax.random.PRNGKey(0), EXPANDED)
            parts.append(self._jax.device_get(self._move(self._rows(states, rows), actions[rows], keys)))
        return self._jax.tree_util.tree_map(lambda *arrays: np.concatenate(arrays)[:n], *parts)


def _one_pass(mask: Any) -> Any:
    """The legal moves, with one instead of six ways to pass."""
    once = np.array(mask)
    once[:, 1:6] = False
    return once


def _distinct(roots: Any, states: Any, wanted: Any) -> Any:
    """Rows of the wanted states, one for each root, board and dice left."""
    left = np.sort(states._playable_dice, axis=1)
    keys = np.column_stack([roots, states._board, left])
    rows = np.flatnonzero(wanted)
    return rows[np.unique(keys[rows], axis=0, return_index=True)[1]]


def _sides(board: Any) -> Sides:
    """Both sides of its 28 counts: points from the mover's far end, both bars, both off."""
    mover = np.maximum(board[:24], 0)[::-1]
    opponent = np.maximum(-board[:24], 0)
    return side_of(mover.tolist(), int(board[24])), side_of(opponent.tolist(), int(-board[25]))
