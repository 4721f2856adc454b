"""Hypergammon: the best play of every roll in every position, and what the positions are worth.

A side of N checkers stands on N of 26 places (0 borne off, 1-24 its own points, 25 the bar), some perhaps
the same. Sides are numbered so that a checker move leads to a lower number and a hit to a higher one; those
with a checker on the bar come last. Values are [o, m], to m on roll against o; replies are [o, m] as well,
to m who has just played against o on roll. Thus plays that do not hit lead to one row of replies.

A play is 15 bits: the mover's new number, and in bits 12-14 which of the opponent's checkers were hit,
counted from his lowest up. Plays are compared as words: a reply in 2^-45 points, and the play below it.

Three checkers, 7.95 million positions, on one core: 1.5 s to choose all plays (5 s with plays beside the
replies instead of inside), 0.2 s to evaluate them, 0.03 s for the replies.
"""

from typing import NamedTuple

import numpy as np

from bgsim.kernels._jit import inlined, jit

BAR, PLACES = 25, 26
HOME, FAR_HOME = 6, 19
ROLLS = 21  # 2-1, 3-1, 3-2, ... 6-5, then the doubles from 1-1 up
MIXED = 15

HITS = np.uint32(12)  # a play's lowest bit of the checkers hit
PLAY_BITS = 15
NUMBER = np.uint32((1 << 12) - 1)
UNITS = 2.0**45  # of a reply in a word; replies are within 3 points
NONE = np.int64(-(1 << 63))  # no such play; adding the bits of hits to it makes it no better
LEGAL = np.int64(-(1 << 62))

# Words of a position: as it stands, and with one, two, three dice of each of the six numbers still to play.
WORDS = 19
ONE, TWO, THREE = 1, 7, 13


class Sides(NamedTuple):
    """All positions of one side, by number."""

    counts: np.ndarray  # uint8[S, 26], checkers on each place
    moves: np.ndarray  # uint8[S, 6], how many checker moves each die has if no enemy is in the way
    ends: np.ndarray  # uint32[S, 6, N], where they lead to
    landings: np.ndarray  # uint8[S, 6, N], on which own point, 0 off
    stands: np.ndarray  # uint64[S], own points with a checker
    faces: np.ndarray  # uint64[S], the same points as the enemy numbers them
    blocks: np.ndarray  # uint64[S], points with two checkers or more, as the enemy numbers them
    order: np.ndarray  # uint8[S, 25], how many checkers are lower than that on the enemy's point p
    struck: np.ndarray  # uint32[S, 2^N], number after the checkers of these bits were hit
    first_barred: int  # from this number on there are checkers on the bar


@inlined
def _ways(place: int, checkers: int) -> int:
    """Ways to put so many checkers on places below this one."""
    ways = 1
    for k in range(checkers):
        ways = ways * (place + k) // (k + 1)
    return ways


@jit
def number_of(counts: np.ndarray, checkers: int) -> int:
    """Number of a side with these checkers on its 26 places."""
    number, left = 0, checkers
    for place in range(BAR, 0, -1):
        for _ in range(counts[place]):
            number += _ways(place, left)
            left -= 1
    return number


@jit
def write_counts(number: int, checkers: int, counts: np.ndarray) -> None:
    """Write the checkers on the 26 places of the side of this number (uint8[26])."""
    left = checkers
    for place in range(BAR, 0, -1):
        counts[place] = 0
        while left > 0 and number >= _ways(place, left):
            number -= _ways(place, left)
            left -= 1
            counts[place] += 1
    counts[0] = left


@inlined
def _number_after(here: np.ndarray, source: int, target: int, checkers: int) -> int:
    here[source] -= 1
    here[target] += 1
    number = number_of(here, checkers)
    here[source] += 1
    here[target] -= 1
    return number


@jit
def _write_moves(sides: Sides, number: int, checkers: int) -> None:
    """Where a checker can go with each die. Source: rules.md P3, P5, P7."""
    here = sides.counts[number]
    highest = 0
    for place in range(PLACES):
        if here[place] > 0:
            highest = place
    for die in range(1, 7):
        found = 0
        for source in range(1, highest + 1):
            target = source - die
            bears_off = highest <= HOME and (target == 0 or source == highest)
            waits = here[BAR] > 0 and source < BAR
            if here[source] == 0 or waits or (target <= 0 and not bears_off):
                continue
            target = max(target, 0)
            sides.ends[number, die - 1, found] = _number_after(here, source, target, checkers)
            sides.landings[number, die - 1, found] = target
            found += 1
        sides.moves[number, die - 1] = found


@jit
def write_sides(sides: Sides, checkers: int) -> None:
    """Fill the tables, which hold zeros."""
    for number in range(sides.counts.shape[0]):
        here = sides.counts[number]
        write_counts(number, checkers, here)
        lower = np.int64(here[0])
        for point in range(1, BAR):
            if here[point] > 0:
                far = np.uint64(1) << np.uint64(BAR - point)
                sides.stands[number] |= np.uint64(1) << np.uint64(point)
                sides.faces[number] |= far
                sides.blocks[number] |= far if here[point] > 1 else np.uint64(0)
                sides.order[number, BAR - point] = lower
            lower += here[point]
        for hits in range(sides.struck.shape[1]):
            for point in range(1, BAR):
                if here[point] == 1 and hits >> sides.order[number, BAR - point] & 1:
                    here[point] = 0
                    here[BAR] += 1
            sides.struck[number, hits] = number_of(here, checkers)
            write_counts(number, checkers, here)
        _write_moves(sides, number, checkers)


@inlined
def _seen_from(word: np.int64, above: np.int64, hit: np.int64) -> np.int64:
    """A word of the position after a hit for the one before it, where the checker hit is not yet the last."""
    return word + (word & above) + hit


@inlined
def _first_legal(
    first: np.int64, second: np.int64, third: np.int64, fourth: np.int64, last: np.int64
) -> np.uint16:
    """The play of the first word that is one."""
    word = first
    if word < LEGAL:
        word = second
        if word < LEGAL:
            word = third
            if word < LEGAL:
                word = fourth
                if word < LEGAL:
                    word = last
    return np.uint16(word & ((1 << PLAY_BITS) - 1))


@jit
def choose(
    sides: Sides,
    replies: np.ndarray,
    opponents: tuple[int, int, int],
    best: np.ndarray,
    slot: int,
    mixed: np.ndarray,
    plays: np.ndarray,
) -> None:
    """Write the best plays of each roll against these opponents (start, end, step).

    best: int64[slots, S, WORDS], a slot a position of the opponent: from `first_barred` on each has its own,
    which must be worked out before those that a hit leads from; the others take turns in the given one.
    mixed: int64[6, 6], scratch. plays: uint16[S, S, ROLLS].
    """
    barred = sides.first_barred
    for o in range(np.uint64(opponents[0]), np.uint64(opponents[1]), np.uint64(opponents[2])):
        own = np.uint64(slot if o < barred else o - barred)
        for k in range(WORDS):  # he has borne off all: dice left over change nothing
            best[own, 0, k] = np.int64(replies[o, 0] * UNITS) << PLAY_BITS
        blots = sides.faces[o] & ~sides.blocks[o]
        for m in range(np.uint64(1), np.uint64(sides.stands.shape[0])):
            if sides.stands[m] & sides.faces[o]:
                continue
            here = best[own, m]
            stays = np.int64(replies[o, m] * UNITS) << PLAY_BITS | np.int64(m)
            here[0] = stays
            for die in range(6):
                for other in range(6):
                    mixed[die, other] = NONE
                once = thrice = four = NONE
                for k in range(sides.moves[m, die]):
                    point = np.uint64(sides.landings[m, die, k])
                    landing = np.uint64(1) << point
                    if landing & sides.blocks[o]:
                        continue
                    there, above, hit = own, np.int64(0), np.int64(0)
                    if landing & blots:
                        checker = np.int64(sides.order[o, point])
                        hit = np.int64(1) << (HITS + checker)
                        above = (8 << HITS) - hit
                        there = np.uint64(sides.struck[o, np.uint64(1 << checker)] - barred)
                    then = best[there, np.uint64(sides.ends[m, die, k])]
                    once = max(once, _seen_from(then[0], above, hit))
                    thrice = max(thrice, _seen_from(then[TWO + die], above, hit))
                    four = max(four, _seen_from(then[THREE + die], above, hit))
                    for other in range(6):
                        word = _seen_from(then[ONE + other], above, hit)
                        mixed[die, other] = max(mixed[die, other], word)
                twice = mixed[die, die]
                here[ONE + die], here[TWO + die], here[THREE + die] = once, twice, thrice
                plays[o, m, MIXED + die] = _first_legal(four, thrice, twice, once, stays)
            roll = 0
            for high in range(1, 6):
                for low in range(high):
                    both = max(mixed[high, low], mixed[low, high])
                    plays[o, m, roll] = _first_legal(both, here[ONE + high], here[ONE + low], stays, stays)
                    roll += 1


@jit
def evaluate(
    sides: Sides, replies: np.ndarray, plays: np.ndarray, opponents: tuple[int, int], values: np.ndarray
) -> float:
    """Write the values of these plays against opponents number start to end; returns the largest change."""
    largest = 0.0
    for o in range(np.uint64(opponents[0]), np.uint64(opponents[1])):
        for m in range(np.uint64(1), np.uint64(sides.stands.shape[0])):
            if sides.stands[m] & sides.faces[o]:
                continue
            mixed = doubles = 0.0
            for roll in range(MIXED):
                play = plays[o, m, roll]
                mixed += replies[sides.struck[o, play >> HITS], play & NUMBER]
            for roll in range(MIXED, ROLLS):
                play = plays[o, m, roll]
                doubles += replies[sides.struck[o, play >> HITS], play & NUMBER]
            value = (2 * mixed + doubles) / 36
            largest = max(largest, abs(value - values[o, m]))
            values[o, m] = value
    return largest


SAME, NEGATED, REST, DOUBLED, BEAVERED = range(5)  # what a reply is, of values to the opponent
TILE = 32


@jit
def reply(
    rule: int,
    values: np.ndarray,
    taken: np.ndarray,
    movers: tuple[int, int],
    opponents: tuple[int, int],
    replies: np.ndarray,
) -> None:
    """Write replies from values to the opponent o on roll against m, by tiles: one is the other turned.

    SAME: value. NEGATED: -value. REST: 1 - value. DOUBLED: minus the better of o's not doubling and his
    doubling, which m passes or takes (taken: o's values then, per unit). BEAVERED: m may also beaver.
    """
    for first_o in range(opponents[0], opponents[1], TILE):
        for first_m in range(movers[0], movers[1], TILE):
            for o in range(first_o, min(first_o + TILE, opponents[1])):
                for m in range(first_m, min(first_m + TILE, movers[1])):
                    value = values[m, o]
                    if rule == SAME:
                        replies[o, m] = value
                    elif rule == NEGATED:
                        replies[o, m] = -value
                    elif rule == REST:
                        replies[o, m] = 1 - value
                    else:
                        double = min(2 * taken[m, o], 1.0)
                        if rule == BEAVERED:
                            double = min(double, 4 * taken[m, o])
                        replies[o, m] = -max(value, double)
