"""Positions of one side on its last points, numbered by pip count.

Every play then leads to a lower number, and positions of equal pip count never lead to one another. A
position is uint8[points], checkers on the points from the ace point up; what is missing is borne off.
"""

import numpy as np

from bgsim.kernels._jit import inlined, jit


def ways_of(points: int, checkers: int) -> np.ndarray:
    """int64[points + 1, checkers + 1, pips + 1]: ways to put up to c checkers on points 1..p with s pips."""
    ways = np.zeros((points + 1, checkers + 1, points * checkers + 1), np.int64)
    ways[:, :, 0] = 1
    for p in range(1, points + 1):
        for c in range(1, checkers + 1):
            ways[p, c] = ways[p - 1, c]
            ways[p, c, p:] += ways[p, c - 1, :-p]
    return ways


def firsts_of(ways: np.ndarray) -> np.ndarray:
    """int64[pips + 2]: number of the first position of each pip count, and of all positions at the end."""
    return np.concatenate([[0], np.cumsum(ways[-1, -1])])


@inlined
def number_of(ways: np.ndarray, firsts: np.ndarray, position: np.ndarray) -> int:
    """Number of a position; among equal pip counts those with fewer checkers on high points come first."""
    points, c = ways.shape[0] - 1, ways.shape[1] - 1
    s = 0
    for p in range(points):
        s += (p + 1) * np.int64(position[p])
    number = firsts[s]
    for p in range(points, 0, -1):
        for _ in range(position[p - 1]):
            number += ways[p - 1, c, s]
            c -= 1
            s -= p
    return number


@jit
def write_positions(ways: np.ndarray, firsts: np.ndarray, start: int, positions: np.ndarray) -> None:
    """Write the positions (uint8[n, points]) number start, start + 1, ..."""
    points = ways.shape[0] - 1
    s = 0
    for row in range(positions.shape[0]):
        while firsts[s + 1] <= start + row:
            s += 1
        left, c, pips = start + row - firsts[s], ways.shape[1] - 1, s
        for p in range(points, 0, -1):
            count = 0
            while left >= ways[p - 1, c, pips]:
                left -= ways[p - 1, c, pips]
                c -= 1
                pips -= p
                count += 1
            positions[row, p - 1] = count


@jit
def write_numbers(ways: np.ndarray, firsts: np.ndarray, positions: np.ndarray, numbers: np.ndarray) -> None:
    """Write the numbers (int64[n]) of positions (uint8[n, points])."""
    for row in range(positions.shape[0]):
        numbers[row] = number_of(ways, firsts, positions[row])
