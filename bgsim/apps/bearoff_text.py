"""What exact tables say, for people."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from bgsim.core.notation import parse

__all__ = ["rolls_in_words", "values_in_words"]

LEAST = 5e-5  # smaller chances are not shown


def rolls_in_words(text: str, answer: Mapping[str, Any]) -> str:
    """A side's rolls as lines, or both sides' of a position with its board."""
    if "on_roll" not in answer:
        return "\n".join([text, *_side_lines(answer)])
    lines = [str(parse(text)), "", " Player on roll:", *_side_lines(answer["on_roll"])]
    lines += ["", " Opponent:", *_side_lines(answer["opponent"])]
    if "win" in answer:
        lines += [
            "",
            f" The player on roll wins {answer['win']:.2%} if neither minds the other.",
        ]
    return "\n".join(lines)


def _side_lines(answer: Mapping[str, Any]) -> list[str]:
    lines = [
        f" {answer['pips']} pips, {answer['mean_rolls']:.4f} rolls on average, "
        f"EPC {answer['epc']:.2f}, wastage {answer['wastage']:.2f}"
    ]
    if "mean_rolls_first" in answer:
        lines.append(f" First checker off after {answer['mean_rolls_first']:.4f} rolls on average")
    if "distribution" in answer:
        lines += [" rolls    exactly   within", *_chances(answer["distribution"])]
    return lines


def _chances(chances: Sequence[float]) -> list[str]:
    within = accumulate(chances)
    rows = enumerate(zip(chances, within, strict=True))
    return [f" {k:5}  {chance:9.2%}  {so_far:7.2%}" for k, (chance, so_far) in rows if chance >= LEAST]


def values_in_words(text: str, answer: Mapping[str, Any]) -> str:
    """The board, chances, equities and best cube actions."""
    take = f"double/take {answer['equity_double_take']:+.4f}, double/pass +1.0000"
    lines = [
        str(parse(text)),
        "",
        f" Wins {answer['win']:.2%}, gammons {answer['win_gammon']:.2%}; loses gammons "
        f"{answer['lose_gammon']:.2%}",
        f" Cubeless equity        {answer['equity_cubeless']:+.4f}",
    ]
    for name, where, action in (
        ("equity_centred", "Cube in the middle", "action"),
        ("equity_centred_jacoby", "The same with Jacoby", "action_centred_jacoby"),
        ("equity_owned", "Cube owned", "action_redouble"),
    ):
        lines.append(f" {where + ':':22} no double {answer[name]:+.4f}, {take}: {answer[action]}")
    lines.append(f" Cube with the opponent: {answer['equity_opponent_owned']:+.4f}")
    return "\n".join(lines)
