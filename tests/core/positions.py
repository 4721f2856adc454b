"""Hypothesis strategies for positions, shared by the tests of this folder."""

from collections import Counter

from hypothesis import strategies as st

from bgsim.core.position import Position


@st.composite
def positions(draw: st.DrawFn, checkers: int = 15) -> Position:
    """Draw any position of sets of this many checkers, finished games among them."""
    mine = draw(st.lists(st.integers(1, 25), max_size=checkers))
    free = [point for point in range(1, 26) if point == 25 or 25 - point not in mine]
    least = 0 if mine else 1  # not both sides can have borne off everything
    theirs = draw(st.lists(st.sampled_from(free), min_size=least, max_size=checkers))
    return Position.from_points(Counter(mine), Counter(theirs), checkers=checkers)
