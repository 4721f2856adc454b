"""What doubles are worth in a match: take points, cash points, gammon values at a score.

Everything follows from a match equity table, here a function: the chance to win the match of a player who
needs so many points against one who needs so many. Sources: GNU Backgammon's manual (match equities, market
windows) and its worked example; the project's theory page, section 2.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

__all__ = ["Stakes", "dead_take_point", "double_point", "gammon_value", "live_take_point", "too_good_point"]

Chance = Callable[[int, int, bool], float]
"""(points needed, points the other needs, whether the Crawford game has been played) -> chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stakes:
    """One game of a match, seen by a player, and how often each side's wins are gammons.

    own, other: points that he and his opponent need. crawford: this is the Crawford game, in which nobody
    doubles; after_crawford: it has been played. gammons, other_gammons: share of his wins, and of the
    other's, that are gammons (backgammons are left out).
    """

    chance: Chance
    own: int
    other: int
    crawford: bool = False
    after_crawford: bool = False
    gammons: float = 0.0
    other_gammons: float = 0.0

    @property
    def turned(self) -> "Stakes":
        """The same game seen by the other player."""
        return replace(
            self,
            own=self.other,
            other=self.own,
            gammons=self.other_gammons,
            other_gammons=self.gammons,
        )

    def ended(self, points: int) -> float:
        """His chance to win the match once he has won so many points, or lost them (negative)."""
        own, other = self.own - max(points, 0), self.other - max(-points, 0)
        if own <= 0:
            return 1.0
        if other <= 0:
            return 0.0
        return self.chance(own, other, self.crawford or self.after_crawford)

    def won(self, cube: int) -> float:
        """Mean of that when he wins with the cube at this value, by his share of gammons."""
        return (1 - self.gammons) * self.ended(cube) + self.gammons * self.ended(2 * cube)

    def lost(self, cube: int) -> float:
        """Mean of that when he loses."""
        return (1 - self.other_gammons) * self.ended(-cube) + self.other_gammons * self.ended(-2 * cube)


def _played_for(stakes: Stakes, cube: int) -> int:
    """The cube that a game is really played for: whom a loss costs the match anyway turns it once more.

    cube: after a take, owned by the player of the stakes.
    """
    return 2 * cube if stakes.other <= cube < stakes.own else cube


def dead_take_point(stakes: Stakes, cube: int, *, automatic: bool = True) -> float:
    """Least chance to win the game with which he may take a double from `cube`, if it is never turned again.

    automatic: but a taker who would lose the match with the game redoubles at once.
    """
    passed = stakes.ended(-cube)
    played = _played_for(stakes, 2 * cube) if automatic else 2 * cube
    won, lost = stakes.won(played), stakes.lost(played)
    return (passed - lost) / (won - lost)


def live_take_point(stakes: Stakes, cube: int) -> float:
    """The same if the cube is turned with perfect timing, up to the last value that is of use to anyone.

    With the cube his he redoubles when the other is indifferent between taking and passing.
    """
    taken = 2 * cube
    if taken >= stakes.own or taken >= stakes.other:
        return dead_take_point(stakes, cube)
    passed, lost, cashed = stakes.ended(-cube), stakes.lost(taken), stakes.ended(taken)
    cash_point = 1 - live_take_point(stakes.turned, taken)
    return cash_point * (passed - lost) / (cashed - lost)


def double_point(stakes: Stakes, cube: int) -> float:
    """Least chance to win the game with which he may double from `cube` on the last roll: risk and gain."""
    risk = stakes.lost(cube) - stakes.lost(2 * cube)
    gain = stakes.won(2 * cube) - stakes.won(cube)
    return risk / (risk + gain) if risk + gain > 0 else 1.0


def too_good_point(stakes: Stakes, cube: int) -> float:
    """Chance to win the game beyond which he plays on for a gammon instead of cashing, the cube being dead.

    Above 1: never.
    """
    won, lost, cashed = stakes.won(cube), stakes.lost(cube), stakes.ended(cube)
    return (cashed - lost) / (won - lost) if won > lost else 1.0


def gammon_value(stakes: Stakes, cube: int) -> float:
    """What a gammon adds to a win, as a share of what a win is worth more than a loss; in money play 1/2."""
    won, lost = stakes.ended(cube), stakes.ended(-cube)
    return (stakes.ended(2 * cube) - won) / (won - lost)
