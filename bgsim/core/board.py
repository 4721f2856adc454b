"""The picture of a board in text, as players write it in letters and forums."""

from collections.abc import Mapping

__all__ = ["BOTTOM_LINE", "MIDDLE_LINE", "TOP_LINE", "draw_board", "side_note"]

_TOP_EDGE = " +13-14-15-16-17-18------19-20-21-22-23-24-+"
_BAR_LINE = " |                  |BAR|                  |"
_BOTTOM_EDGE = " +12-11-10--9--8--7-------6--5--4--3--2--1-+"
_HEIGHT = 5  # checkers that a stack shows before it shows its number
_NO_NOTES: Mapping[int, str] = {}

# Lines of the picture that have room for a note at their right.
TOP_LINE, MIDDLE_LINE, BOTTOM_LINE = 0, 6, 12


def draw_board(
    on_roll: tuple[int, ...], opponent: tuple[int, ...], notes: Mapping[int, str] = _NO_NOTES
) -> str:
    """Return the board as text, seen by the player on roll: X, who bears off at the lower right.

    Both sides are 26 counts from their own view. A stack above five shows its number in the place
    that is furthest from the edge. Checkers on the bar stand in the half where they will enter: X
    above, O below. notes puts text beside the lines with these numbers, 0 being the upper edge.
    """
    rows = [_TOP_EDGE]
    rows += [_row(on_roll, opponent, height, True) for height in range(1, _HEIGHT + 1)]
    rows.append(_BAR_LINE)
    rows += [_row(on_roll, opponent, height, False) for height in range(_HEIGHT, 0, -1)]
    rows.append(_BOTTOM_EDGE)
    said = {TOP_LINE: side_note("O", opponent), BOTTOM_LINE: side_note("X", on_roll), **notes}
    lines = [f"{row}  {said[number]}" if number in said else row for number, row in enumerate(rows)]
    return "\n".join(lines)


def _row(on_roll: tuple[int, ...], opponent: tuple[int, ...], height: int, upper: bool) -> str:
    """Return one line of checkers, height counted from the edge."""
    points = range(13, 25) if upper else range(12, 0, -1)
    cells = []
    for point in points:
        mine, theirs = on_roll[point], opponent[25 - point]
        cells.append(_cell("X" if mine else "O", mine or theirs, height))
    bar = _cell("X", on_roll[25], height) if upper else _cell("O", opponent[25], height)
    return f" |{''.join(cells[:6])}|{bar}|{''.join(cells[6:])}|"


def _cell(letter: str, count: int, height: int) -> str:
    """Return the three characters of a stack at one height."""
    if count > _HEIGHT and height == _HEIGHT:
        return f"{count:>2} "
    return f" {letter} " if count >= height else "   "


def side_note(letter: str, side: tuple[int, ...]) -> str:
    """Return what stands beside a player's edge of the board: pip count and checkers off."""
    pips = sum(point * n for point, n in enumerate(side))
    return f"{letter}: pips {pips}, off {side[0]}"
