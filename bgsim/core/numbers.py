"""Numbers as people give them, in text and as arguments."""

import re
from numbers import Integral

from bgsim.core.errors import BgsimError

__all__ = ["parse_decimal", "parse_whole", "whole_within"]

_NUMBER = re.compile(r"([+-]?)(\d+(?:[.,]\d+)?|[.,]\d+)(%?)")


def parse_decimal(text: str) -> float:
    """Return the number of a text with a decimal point or a decimal comma; "%" divides by 100.

    Signs for thousands are not read: "1.234,5" could be either and is refused.

    Raises:
        BgsimError: the text is no such number.

    Source: public case F26 of the project's case list.

    >>> parse_decimal("-0,306"), parse_decimal("44,57%"), parse_decimal("+1.5")
    (-0.306, 0.4457, 1.5)
    """
    found = _NUMBER.fullmatch("".join(text.replace("\N{MINUS SIGN}", "-").split()))
    if found is None:
        raise BgsimError(
            f"'{text}' is no number: write digits with at most one decimal point or comma, and '%' "
            "after them for per cent"
        )
    sign, digits, percent = found.groups()
    # The shift is done in decimal, because 44.57 / 100 may end one bit off 0.4457.
    return float(f"{sign}{digits.replace(',', '.')}{'e-2' if percent else ''}")


def parse_whole(text: str) -> int | None:
    """Return a whole number written in plain digits, or None; nobody means one of more than nine digits.

    Longer ones would reach Python's own limit, and other scripts' digits its int() but not its arithmetic.

    >>> parse_whole("42"), parse_whole("\u00b2"), parse_whole("9" * 5000)
    (42, None, None)
    """
    return int(text) if len(text) <= 9 and text.isascii() and text.isdigit() else None


def whole_within(value: object, low: int, high: int) -> int | None:
    """Return the value as an int if it is a whole number from low to high, else None; True is none.

    >>> whole_within(36, 1, 100), whole_within(0, 1, 100), whole_within(True, 0, 1), whole_within(3.0, 1, 9)
    (36, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        return None
    number = int(value)
    return number if low <= number <= high else None
