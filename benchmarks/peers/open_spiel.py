"""OpenSpiel's backgammon, through its Python module `pyspiel`."""

import random
from collections.abc import Iterator
from itertools import count
from typing import Any

from benchmarks.peers.contest import Contest, Peer, Work, bgsim_games, work_for
from benchmarks.peers.counts import CountCheck, Listed, Sides, compare, side_of
from benchmarks.peers.installed import load, version_of
from bgsim.core.position import Position

__all__ = ["check_counts", "contests", "describe"]

GAME = "backgammon(scoring_type=full_scoring)"  # by default gammons do not count
BAR = 100  # its number of the bar
GAMES_A_STEP = 5
CHECKED_GAMES = 4


def describe() -> Peer:
    return Peer(
        name="OpenSpiel",
        requirement="pip install 'open_spiel>=2.0'",
        version=version_of("open_spiel"),
        lists="sequences of two dice (several for one result); a double is two decisions",
        uses_both_dice=True,
        note="uniform over sequences, so its random games are not quite bgsim's",
    )


def contests() -> tuple[Contest, ...]:
    """Random games by its own C++ loop, its fastest way from Python, and by a Python loop."""
    pyspiel = load("pyspiel")
    game = pyspiel.load_game(GAME)
    return (
        Contest(
            task="random games, its C++ loop",
            unit="games",
            bgsim=bgsim_games("random"),
            peer=_BotGames(pyspiel, game),
        ),
        Contest(
            task="random games, a Python loop",
            unit="games",
            bgsim=bgsim_games("random"),
            peer=_PythonGames(game),
        ),
    )


class _BotGames:
    """Two uniformly random bots, played by `pyspiel.evaluate_bots`."""

    def __init__(self, pyspiel: Any, game: Any) -> None:
        self._play, self._game = pyspiel.evaluate_bots, game
        self._bots = [pyspiel.make_uniform_random_bot(player, 1 + player) for player in (0, 1)]
        self._seeds = count()

    def __call__(self, seconds: float) -> Work:
        return work_for(seconds, self._games, _counted)

    def _games(self) -> list[Any]:
        played = []
        for _ in range(GAMES_A_STEP):
            state = self._game.new_initial_state()
            self._play(state, self._bots, next(self._seeds))
            played.append(state)
        return played


class _PythonGames:
    """The loop of OpenSpiel's own examples, with the standard library's faster random numbers."""

    def __init__(self, game: Any) -> None:
        self._game = game
        self._random = random.Random(1)

    def __call__(self, seconds: float) -> Work:
        return work_for(seconds, lambda: [self._game_played() for _ in range(GAMES_A_STEP)], _counted)

    def _game_played(self) -> Any:
        state = self._game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(_any_action(state, self._random))
        return state


def _any_action(state: Any, chance: random.Random) -> int:
    """A roll by its probability, or any listed sequence."""
    if state.is_chance_node():
        actions, weights = zip(*state.chance_outcomes(), strict=True)
        return int(chance.choices(actions, weights)[0])
    return int(chance.choice(state.legal_actions()))


def _counted(played: list[Any]) -> tuple[int, int]:
    """Games and rolls: in a history every roll is an action of player -1."""
    return len(played), sum(move.player == -1 for state in played for move in state.full_history())


def check_counts() -> CountCheck:
    """All turns of a few random games; it cannot be given a position."""
    pyspiel = load("pyspiel")
    return compare(_walk(pyspiel.load_game(GAME), random.Random(2)))


def _walk(game: Any, chance: random.Random) -> Iterator[Listed]:
    for _ in range(CHECKED_GAMES):
        state = game.new_initial_state()
        while not state.is_terminal():
            rolled = state.is_chance_node()
            state.apply_action(_any_action(state, chance))
            if rolled and not state.is_terminal():
                mover = state.current_player()
                yield Position(*_sides(state, mover)), _roll(state), _results(state, mover)


def _roll(state: Any) -> tuple[int, int]:
    """The dice as its text says them: "Dice: 63"."""
    dice = str(state).partition("Dice: ")[2]
    return int(dice[0]), int(dice[1])


def _results(state: Any, mover: int) -> set[Sides]:
    """Where the mover can get to: one decision, or two of a double."""
    found = set()
    for action in state.legal_actions():
        after = state.child(action)
        goes_on = not after.is_terminal() and not after.is_chance_node() and after.current_player() == mover
        found |= _results(after, mover) if goes_on else {_sides(after, mover)}
    return found


def _sides(state: Any, mover: int) -> Sides:
    """Both sides; player 0 moves up its points 0..23 and player 1 down."""
    found = []
    for player in (mover, 1 - mover):
        points = [state.board(player, point) for point in range(24)]
        found.append(side_of(points if player else reversed(points), state.board(player, BAR)))
    return found[0], found[1]
