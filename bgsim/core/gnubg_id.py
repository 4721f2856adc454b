"""GNU Backgammon Position IDs: 80 bits in 14 base64 characters.

The bits run from the lowest bit of each byte up. For every point of a side, n checkers are n
one-bits and a zero: first the side NOT on roll, then the side on roll; within a side its own
1-point to 24-point, then the bar. Checkers that are missing have been borne off.

Source: the description of the Position ID in the GNU Backgammon manual.
"""

import binascii

from bgsim.core.errors import PositionError

__all__ = [
    "POSITION_ID_LENGTH",
    "base64_bits",
    "bits_base64",
    "decode_position_id",
    "encode_position_id",
    "is_base64",
]

POSITION_ID_LENGTH = 14
_ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_LAST_CHARACTERS = frozenset("AQgw")
_RUNS = tuple("1" * n + "0" for n in range(16))


def is_base64(text: str) -> bool:
    """Return whether a text is made of base64 characters alone, padding at its end apart.

    >>> is_base64("4HPwATDgc/ABMA=="), is_base64("6:5 / 5:6")
    (True, False)
    """
    core = text.rstrip("=")
    return core != "" and _ALPHABET.issuperset(core)


def base64_bits(text: str, length: int, what: str) -> int:
    """Return the bits of an id of so many characters as one integer, its first bit the lowest.

    Trailing "=" padding is allowed. what names the kind of id in the messages.

    Raises:
        PositionError: wrong number of characters, or a character that base64 does not have.
    """
    core = text.rstrip("=")
    faults = []
    if len(core) != length:
        faults.append(f"the {what} '{core}' has {len(core)} characters, it needs {length}")
    if not _ALPHABET.issuperset(core):
        shown = " ".join(repr(char) for char in dict.fromkeys(core) if char not in _ALPHABET)
        faults.append(f"the {what} '{core}' holds {shown}, only A-Z a-z 0-9 + / may stand there")
    if faults:
        raise PositionError(*faults)
    return int.from_bytes(binascii.a2b_base64(core + "=" * (-length % 4)), "little")


def bits_base64(bits: int, n_bytes: int) -> str:
    """Return an integer as base64 text without padding, its lowest bit first."""
    raw = bits.to_bytes(n_bytes, "little")
    return binascii.b2a_base64(raw, newline=False).decode("ascii").rstrip("=")


def decode_position_id(text: str) -> tuple[list[int], list[int]]:
    """Return the counts that a Position ID holds: (player on roll, opponent).

    Each list has 26 counts from that side's own view, entry 0 (borne off) left at 0 because an id
    does not say how many checkers the set has.

    Raises:
        PositionError: not 14 base64 characters, or bits that no position has.

    >>> on_roll, opponent = decode_position_id("CgAAEAEAAAAAAA")
    >>> {point: n for point, n in enumerate(on_roll) if n}
    {2: 1, 5: 1}
    """
    bits = base64_bits(text, POSITION_ID_LENGTH, "Position ID")
    # Splitting at the zeros turns the unary counts into lengths without a loop over bits.
    runs = list(map(len, f"{bits:080b}"[::-1].split("0")))
    faults = []
    if len(runs) <= 50:
        faults.append(
            f"the Position ID '{text}' is no position: "
            f"{len(runs) - 1} of its bits are zeros, 50 must be to part the points"
        )
    elif any(runs[50:]):
        faults.append(f"the Position ID '{text}' is no position: bits are set after the last bar")
    # The last character has room for bits that are in no byte; two texts would be one id.
    if text.rstrip("=")[-1] not in _LAST_CHARACTERS:
        faults.append(f"the Position ID '{text}' cannot end so, its last character is A, Q, g or w")
    if faults:
        raise PositionError(*faults)
    return [0, *runs[25:50]], [0, *runs[:25]]


def encode_position_id(on_roll: tuple[int, ...], opponent: tuple[int, ...]) -> str:
    """Return the Position ID of two sides of 26 counts, each from its own view.

    >>> start = (0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)
    >>> encode_position_id(start, start)
    '4HPwATDgc/ABMA'
    """
    runs = "".join([_RUNS[n] for n in opponent[1:] + on_roll[1:]])
    return bits_base64(int(runs[::-1], 2), 10)
