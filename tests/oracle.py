"""A slow, plain rule book to hold the kernels against.

It is written from the rules as a person reads them, uses nothing but the standard library and
shares no line and no idea with the engine: no bit planes, no pruning, no ordering of moves.

A position is two tuples of 26 counts, `mover` and `opponent`, each seen by its own side: index 0
the checkers borne off, 1..24 the points from that side's ace point, 25 the bar. The mover's point
p is the opponent's point 25 - p. After a play the two tuples stay in this order: no swap.

The rule numbers (P3 ... G3) are those of the project's reading of the rules, restated where used.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator
from typing import NamedTuple

Side = tuple[int, ...]
Board = tuple[Side, Side]
Roll = tuple[int, int]

OFF, BAR = 0, 25
DICE = range(1, 7)
ALL_ROLLS: tuple[Roll, ...] = tuple((high, low) for high in DICE for low in DICE if low <= high)


class Step(NamedTuple):
    """One checker moved by one die, from `source` to `target` (0 is off); `hit` if onto a blot."""

    source: int
    die: int
    target: int
    hit: bool


def side(points: dict[int, int], checkers: int = 15) -> Side:
    """The 26 counts of one side from {point: count}; what is not listed has been borne off."""
    counts = [points.get(point, 0) for point in range(26)]
    counts[OFF] = checkers - sum(counts[1:])
    return tuple(counts)


START_SIDE = side({24: 2, 13: 5, 8: 3, 6: 5})
START: Board = (START_SIDE, START_SIDE)
NACKGAMMON_SIDE = side({24: 2, 23: 2, 13: 4, 8: 3, 6: 4})
LONGGAMMON_SIDE = side({24: 15})
HYPERGAMMON_SIDE = side({24: 1, 23: 1, 22: 1}, 3)


# --- one checker, one die -------------------------------------------------------------------------


def target_of(mover: Side, opponent: Side, source: int, die: int) -> int | None:
    """Where the checker on `source` lands with `die` (0 is off), or None if it may not move.

    P5 (all of the bar first), P3 (two enemy checkers block), P7 (bearing off).
    """
    if mover[BAR] and source != BAR:
        return None
    target = source - die
    if target >= 1:
        return None if opponent[25 - target] >= 2 else target
    if any(mover[7:]):
        return None  # P7: a checker is still outside the home board or on the bar
    if target < 0 and any(mover[source + 1 :]):
        return None  # P7: the die is larger than needed and a checker stands further back
    return OFF


def moved(mover: Side, opponent: Side, source: int, target: int) -> Board:
    """Both sides after a checker went from `source` to `target`, where it hits a lone enemy."""
    own = list(mover)
    own[source] -= 1
    own[target] += 1
    if target == OFF or not opponent[25 - target]:
        return tuple(own), opponent
    theirs = list(opponent)
    theirs[25 - target] -= 1
    theirs[BAR] += 1
    return tuple(own), tuple(theirs)


def after_one_die(mover: Side, opponent: Side, die: int) -> set[Board]:
    """Every position that one die can lead to."""
    boards = set()
    for source in [BAR] if mover[BAR] else range(1, 25):
        if mover[source]:
            target = target_of(mover, opponent, source, die)
            if target is not None:
                boards.add(moved(mover, opponent, source, target))
    return boards


# --- a whole turn ---------------------------------------------------------------------------------


def dice_orders(roll: Roll) -> list[tuple[int, ...]]:
    """P4: two dice in either order, a double four times."""
    first, second = roll
    return [(first,) * 4] if first == second else [(first, second), (second, first)]


def results_and_dice(mover: Side, opponent: Side, roll: Roll) -> tuple[set[Board], int]:
    """All positions after a legal turn, each once, and how many dice such a turn uses.

    P6: as many dice as possible; where only one of two different dice can be played, the larger if
    it can be. Nothing is played in a lost turn: the empty set and 0 dice.

    P6 is read strictly for the last checker too: on 6 with 6-1 it is played 6/5/off, not 6/off. The
    position is the same unless a blot stands on the way (6/5*/off), and the points of the game are
    the same even then: a loser on the bar scores as one in the winner's home board.
    """
    reached: dict[tuple[int, int], set[Board]] = {}  # (dice used, first die) -> positions
    for order in dice_orders(roll):
        boards = {(mover, opponent)}
        for used, die in enumerate(order, start=1):
            boards = {after for board in boards for after in after_one_die(*board, die)}
            if not boards:
                break
            reached[used, order[0]] = boards
    if not reached:
        return set(), 0
    most = max(used for used, _ in reached)
    if most == 1:
        return reached[1, max(die for _, die in reached)], 1
    return set().union(*(boards for (used, _), boards in reached.items() if used == most)), most


def results(mover: Side, opponent: Side, roll: Roll) -> set[Board]:
    """All positions after a legal turn, each once; empty when the turn is lost."""
    return results_and_dice(mover, opponent, roll)[0]


def dice_used(mover: Side, opponent: Side, roll: Roll) -> int:
    """How many dice a legal turn uses: 0 to 2, or 0 to 4 for a double."""
    return results_and_dice(mover, opponent, roll)[1]


def count(mover: Side, opponent: Side, roll: Roll) -> int:
    """The number of distinct results, a lost turn counting as one."""
    return max(1, len(results(mover, opponent, roll)))


def _sequences_of(board: Board, order: tuple[int, ...]) -> Iterator[tuple[Step, ...]]:
    """Every way to play the dice in this order until one cannot be played, shorter ones too."""
    mover, opponent = board
    played = False
    for source in range(BAR, 0, -1) if order else ():
        target = target_of(mover, opponent, source, order[0]) if mover[source] else None
        if target is None:
            continue
        played = True
        hit = target != OFF and opponent[25 - target] == 1
        step = Step(source, order[0], target, hit)
        for rest in _sequences_of(moved(mover, opponent, source, target), order[1:]):
            yield (step, *rest)
    if not played:
        yield ()


def sequences(mover: Side, opponent: Side, roll: Roll) -> list[tuple[Step, ...]]:
    """Every legal turn as the checker moves in the order played; [] when the turn is lost.

    Different orders of the same checker moves are different entries. Nothing is merged on the way,
    so this walks up to 15^4 paths for a double; `results` is the quick one.
    """
    found = [s for order in dice_orders(roll) for s in _sequences_of((mover, opponent), order)]
    most = max(len(sequence) for sequence in found)
    if most == 0:
        return []
    longest = [sequence for sequence in found if len(sequence) == most]
    if most == 1:
        largest = max(sequence[0].die for sequence in longest)
        longest = [sequence for sequence in longest if sequence[0].die == largest]
    return longest


def replay(mover: Side, opponent: Side, sequence: tuple[Step, ...]) -> Board:
    """The position after these checker moves."""
    for step in sequence:
        mover, opponent = moved(mover, opponent, step.source, step.target)
    return mover, opponent


# --- the result of a game -------------------------------------------------------------------------


def finished(mover: Side, opponent: Side) -> tuple[str, int] | None:
    """None while the game goes on, else ("mover" or "opponent" for the winner, 1, 2 or 3 points).

    G1 single: the loser has borne off a checker. G2 gammon: he has not. G3 backgammon: he has not
    and stands on the bar or in the winner's home board, his own points 19 to 24.
    """
    for name, winner, loser in (("mover", mover, opponent), ("opponent", opponent, mover)):
        if sum(winner[1:]) == 0:
            if loser[OFF]:
                return name, 1
            return name, 3 if sum(loser[19:]) else 2
    return None


def pips(counts: Side) -> int:
    """The pip count of one side; a checker on the bar counts 25."""
    return sum(point * n for point, n in enumerate(counts))


# --- position ids ---------------------------------------------------------------------------------


def gnubg_id(mover: Side, opponent: Side) -> str:
    """The 14 characters of the GNU Position ID with the mover on roll.

    For each side, the side not on roll first, its own points 1 ... 24 and the bar: one 1-bit a
    checker and then a 0. The bits fill 10 bytes from the lowest bit of each; base64 unpadded.
    """
    counts = opponent[1:] + mover[1:]
    bits = "".join("1" * number + "0" for number in counts)
    data = int(bits[::-1], 2).to_bytes(10, "little")
    return base64.b64encode(data).decode().rstrip("=")


def from_gnubg_id(text: str, checkers: int = 15) -> Board:
    """(mover, opponent) of an id; the checkers that are missing have been borne off."""
    value = int.from_bytes(base64.b64decode(text + "=="), "little")
    sides: list[Side] = []
    for _ in range(2):
        points = {}
        for point in range(1, 26):
            points[point] = 0
            while value & 1:
                points[point] += 1
                value >>= 1
            value >>= 1
        sides.append(side(points, checkers))
    opponent, mover = sides
    return mover, opponent


# --- positions to test with -----------------------------------------------------------------------


def opening_roll(rng: random.Random) -> Roll:
    """P2: the first roll is never a double."""
    high, low = sorted(rng.sample(range(1, 7), 2), reverse=True)
    return high, low


def any_roll(rng: random.Random) -> Roll:
    """Two dice, the larger first."""
    high, low = sorted((rng.randint(1, 6), rng.randint(1, 6)), reverse=True)
    return high, low


STARTS: tuple[Side, ...] = (
    START_SIDE,
    START_SIDE,
    NACKGAMMON_SIDE,
    LONGGAMMON_SIDE,
    HYPERGAMMON_SIDE,
)


def _taste(rng: random.Random) -> tuple[float, float, float]:
    """How a player of `play_random_game` likes made points, hits and running."""
    return rng.choice(((0, 0, 0), (3, 1, 0), (1, 4, 0), (0, -2, 1), (2, -1, -0.3)))


def _liking(board: Board, taste: tuple[float, float, float], rng: random.Random) -> float:
    mover, opponent = board
    points, hits, running = taste
    made = sum(n >= 2 for n in mover[1:25]) if points else 0
    far = pips(mover) if running else 0
    return points * made + hits * opponent[BAR] - running * far / 8 + rng.random()


def play_random_game(rng: random.Random, start: Side | None = None) -> Iterator[Board]:
    """The positions of one game, each seen by the player who is about to roll.

    Each of the two players has a taste of his own (none at all, blocks, hits, races, holds back),
    so that games pass through primes, back games and bear-offs against a checker on the bar.
    """
    mover = opponent = rng.choice(STARTS) if start is None else start
    taste, other_taste = _taste(rng), _taste(rng)
    roll = opening_roll(rng)
    while finished(mover, opponent) is None:
        yield mover, opponent
        # sorted: the order of a set is no promise, and the games must be the same everywhere
        choices = sorted(results(mover, opponent, roll)) or [(mover, opponent)]
        mover, opponent = max(choices, key=lambda board: _liking(board, taste, rng))
        mover, opponent = opponent, mover
        taste, other_taste = other_taste, taste
        roll = any_roll(rng)


class _Builder:
    """Puts checkers of both sides on one board and never both on a point."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.counts: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self.total = 15

    def left(self, who: int) -> int:
        return self.total - sum(self.counts[who].values())

    def free(self, who: int, point: int) -> bool:
        return point == BAR or not self.counts[1 - who].get(25 - point, 0)

    def put(self, who: int, point: int, number: int = 1) -> None:
        """Up to `number` checkers of side `who` (0 mover, 1 opponent) on its own `point`."""
        number = min(number, self.left(who))
        if number > 0 and self.free(who, point):
            self.counts[who][point] = self.counts[who].get(point, 0) + number

    def scatter(self, who: int, low: int, high: int, number: int, most: int = 5) -> None:
        """About `number` checkers in small groups on own points `low` to `high`."""
        while number > 0 and self.left(who) > 0:
            group = min(self.rng.randint(1, most), number)
            self.put(who, self.rng.randint(low, high), group)
            number -= group

    def board(self) -> Board:
        """Both sides; one that got no checker gets one on its bar, so that no game is over."""
        for who in (0, 1):
            if not self.counts[who]:
                self.put(who, BAR)
        return side(self.counts[0], self.total), side(self.counts[1], self.total)


def _both_bars(b: _Builder) -> None:
    b.put(0, BAR, b.rng.randint(1, 7))
    b.put(1, BAR, b.rng.randint(0, 5))
    for point in b.rng.sample(range(1, 7), b.rng.randint(1, 5)):
        b.put(1, point, b.rng.choice((1, 2, 2, 3)))
    b.scatter(0, 1, 24, 15)
    b.scatter(1, 1, 24, 15)


def _closed_board(b: _Builder) -> None:
    owner = b.rng.randint(0, 1)
    gap = b.rng.choice((0, 0, *range(1, 7)))
    for point in range(1, 7):
        b.put(owner, point, 1 if point == gap else b.rng.choice((2, 2, 2, 3)))
    b.put(1 - owner, BAR, b.rng.randint(0, 3))
    b.scatter(1 - owner, 1, 24, 15)
    b.scatter(owner, 1, 24, 15)


def _prime_against_prime(b: _Builder) -> None:
    for who in (0, 1):
        low = b.rng.randint(2, 7)
        for point in range(low, low + b.rng.randint(4, 6)):
            b.put(who, point, 2)
        b.put(1 - who, BAR, b.rng.choice((0, 0, 0, 1, 2)))
        b.scatter(who, 18, 24, b.rng.randint(1, 4), 2)
    b.scatter(0, 1, 24, 15)
    b.scatter(1, 1, 24, 15)


def _bear_off_with_contact(b: _Builder) -> None:
    b.put(1, BAR, b.rng.choice((0, 0, 1, 2, 3)))
    b.scatter(1, 19, 24, b.rng.randint(1, 5), 2)
    b.scatter(0, 1, b.rng.choice((6, 6, 6, 8)), b.rng.randint(1, 15))
    b.scatter(1, 1, 24, b.rng.randint(0, 15))


def _bear_off_race(b: _Builder) -> None:
    b.scatter(0, 1, 6, b.rng.randint(1, 15))
    b.scatter(1, 1, 6, b.rng.randint(1, 15))


def _few_checkers(b: _Builder) -> None:
    b.total = b.rng.choice((1, 2, 3, 3, 3, 4, 15))
    for who in (0, 1):
        b.put(who, BAR, b.rng.choice((0, 0, 0, 1, 2)))
        b.scatter(who, 1, b.rng.choice((6, 12, 24)), b.rng.randint(1, 4), 2)


def _stacks(b: _Builder) -> None:
    for who in (0, 1):
        for _ in range(b.rng.randint(1, 3)):
            b.put(who, b.rng.randint(1, 25), b.rng.choice((15, 14, 8, 7, 5)))
        b.scatter(who, 1, 24, b.rng.randint(0, 4), 1)


def _blots_everywhere(b: _Builder) -> None:
    b.put(0, BAR, b.rng.choice((0, 0, 0, 0, 1, 2, 4)))
    b.put(1, BAR, b.rng.choice((0, 0, 0, 1, 4)))
    for point in b.rng.sample(range(1, 25), 24):
        b.put(b.rng.randint(0, 1), point)


def _hard_to_move(b: _Builder) -> None:
    """The opponent holds point after point, the mover has few checkers that can move at all."""
    for point in b.rng.sample(range(1, 25), b.rng.randint(5, 7)):
        b.put(1, point, 2)
    b.put(0, BAR, b.rng.choice((0, 0, 1, 2)))
    b.scatter(0, 1, 3, b.rng.randint(0, 13), 8)
    b.scatter(0, 4, 24, b.rng.randint(1, 3), 2)


def _anything(b: _Builder) -> None:
    for who in b.rng.sample((0, 1), 2):
        b.scatter(who, 1, 25, b.rng.randint(1, 15), b.rng.choice((2, 3, 5)))


KINDS = (
    _both_bars,
    _closed_board,
    _prime_against_prime,
    _bear_off_with_contact,
    _bear_off_race,
    _few_checkers,
    _stacks,
    _blots_everywhere,
    _hard_to_move,
    _anything,
)


def constructed_positions(rng: random.Random) -> Iterator[Board]:
    """Hard positions without end, the kinds in turn. Both sides have a checker in play in each."""
    while True:
        for kind in KINDS:
            builder = _Builder(rng)
            kind(builder)
            yield builder.board()


def played_positions(rng: random.Random, every: int = 1) -> Iterator[Board]:
    """Positions of random games without end, about one in `every`."""
    while True:
        for board in play_random_game(rng):
            if every == 1 or rng.randrange(every) == 0:
                yield board
