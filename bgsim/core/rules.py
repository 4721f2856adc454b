"""The rules a game is played by: one frozen record, its presets and its contradictions."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache

from bgsim.core.errors import RulesError, did_you_mean
from bgsim.core.numbers import parse_whole

__all__ = [
    "MAX_MATCH_LENGTH",
    "PRESETS",
    "START_POINTS",
    "Rules",
    "as_rules",
    "check_playable",
    "parse_rules",
]

MAX_MATCH_LENGTH = 32767  # what a Match ID can hold

START_POINTS: Mapping[str, Mapping[int, int]] = {
    "standard": {24: 2, 13: 5, 8: 3, 6: 5},
    "nackgammon": {24: 2, 23: 2, 13: 4, 8: 3, 6: 4},
    "longgammon": {24: 15},
    "hypergammon": {24: 1, 23: 1, 22: 1},
    "dutch": {25: 15},
}
"""The set-ups by name, as {own point: checkers} of either side; 25 is the bar (Dutch: in hand)."""

PRESETS = (
    "money",
    "cubeless",
    "match:N",
    "dmp",
    "nackgammon",
    "longgammon",
    "hypergammon",
    "dutch",
)
_VARIANTS = ("nackgammon", "longgammon", "hypergammon", "dutch")

_CHOICES: Mapping[str, tuple[object, ...]] = {
    "setup": tuple(START_POINTS),
    "opening": ("play", "reroll"),
    "gammon_saved_by": ("off", "home"),
    "max_result": (1, 2, 3),
    "max_animals": (0, 1, 2, None),
}
_WORDS: Mapping[str, bool | None] = {
    "on": True,
    "yes": True,
    "true": True,
    "off": False,
    "no": False,
    "false": False,
    "none": None,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Every option of a game; without any it is money play without Jacoby and beavers.

    Most users take a preset, `Rules.preset("match:7")`, and change an option with
    `dataclasses.replace`.

    Options of the cube: `jacoby` (gammons count only after a double was taken; money),
    `jacoby_counts_automatic` (an automatic double is enough for that), `automatic_doubles` (how
    many tied opening throws double the stake, None = all), `beavers`, `raccoons`, `max_animals` (a
    cap on turns of the cube after one double, None = no cap), `beaver_refusable` (a beaver may be
    refused at the doubled stake), `max_cube` (the largest cube, 1 = no cube, None = no limit).

    Options of a match: `match_length` (0 = money), `crawford`, `holland`, `house_rules` (allows
    automatic doubles and beavers in a match).

    Options of play: `setup` (a name of START_POINTS), `dutch`, `dutch_free_movement`, `opening`
    ("play" the opening throw or "reroll"), `larger_die` (the larger die must be played if only one
    can), `gammon_saved_by` ("off" or "home"), `max_result` (1 = no gammons, 2 = no backgammons,
    3).

    Raises:
        RulesError: an option has no allowed value, or options contradict each other; all reasons
        are named.

    Source: the project's rule list, sections 2 to 7.

    >>> Rules.preset("money").jacoby, Rules.preset("match:7").match_length
    (True, 7)
    """

    jacoby: bool = False
    jacoby_counts_automatic: bool = False
    automatic_doubles: int | None = 0
    beavers: bool = False
    raccoons: bool = False
    max_animals: int | None = 2
    beaver_refusable: bool = True
    max_cube: int | None = 1024
    crawford: bool = True
    holland: bool = False
    match_length: int = 0
    house_rules: bool = False
    setup: str = "standard"
    dutch: bool = False
    dutch_free_movement: bool = False
    opening: str = "play"
    larger_die: bool = True
    gammon_saved_by: str = "off"
    max_result: int = 3

    def __post_init__(self) -> None:
        # Contradictions are looked for among sound values only.
        reasons = _bad_values(self) or _contradictions(self)
        if reasons:
            raise RulesError("; ".join(reasons))

    @classmethod
    def preset(cls, name: str) -> "Rules":
        """Return the rules of this name: one of PRESETS, N being the length of the match in points.

        Raises:
            RulesError: there is no such preset.

        >>> Rules.preset("hypergammon").checkers
        3
        """
        return _preset(name.strip().lower())

    @classmethod
    def from_dict(cls, options: Mapping[str, object]) -> "Rules":
        """Return the rules of these options, those left out taken from `Rules()`.

        Raises:
            RulesError: an unknown option, or what `Rules` itself refuses.

        >>> Rules.from_dict(Rules.preset("money").to_dict()) == Rules.preset("money")
        True
        """
        for name in options:
            _check_option(name)
        return cls(**options)  # type: ignore[arg-type]  # values are checked by _bad_values

    def to_dict(self) -> dict[str, bool | int | str | None]:
        """Return all options by name, as plain values for JSON or TOML."""
        return asdict(self)

    @property
    def is_match(self) -> bool:
        """Whether a match is played, not a money game."""
        return self.match_length > 0

    @property
    def start_points(self) -> Mapping[int, int]:
        """Where the checkers of either side start, as {own point: checkers}."""
        return START_POINTS[self.setup]

    @property
    def checkers(self) -> int:
        """How many checkers a side has."""
        return sum(self.start_points.values())

    @property
    def animals_allowed(self) -> int | None:
        """How often a double may be turned again: beaver 1, raccoon 2, None without limit."""
        if not self.beavers:
            return 0
        return self.max_animals if self.raccoons else 1

    def __str__(self) -> str:
        """Return the preset nearest to these rules and the options that differ from it, for parse_rules.

        >>> str(replace(Rules.preset("money"), beavers=False))
        'money,beavers=off'
        """
        if self.is_match:
            return _text_from(self, f"match:{self.match_length}")
        if self.setup != "standard":
            return _text_from(self, self.setup)
        return _text_from(self, "cubeless" if self.max_cube == 1 else "money")


def parse_rules(text: str) -> Rules:
    """Return the rules of a text: a preset, then options after commas if any, "money,jacoby=off".

    Raises:
        RulesError: an unknown preset or option, or rules that contradict each other.

    >>> parse_rules("match:5,crawford=off").crawford
    False
    """
    name, *options = [part.strip() for part in text.split(",")]
    rules = Rules.preset(name)
    changes: dict[str, object] = {}
    for option in options:
        key, equals, value = (part.strip() for part in option.partition("="))
        if not equals:
            raise RulesError(f"'{option}' in the rules '{text}' is no option, write option=value")
        _check_option(key)
        changes[key] = _WORDS.get(value.lower(), value if (number := parse_whole(value)) is None else number)
        if changes[key] is False and "off" in _CHOICES.get(key, ()):
            changes[key] = value  # gammon_saved_by=off is a word there, no switch
    return replace(rules, **changes)  # type: ignore[arg-type]  # values are checked by _bad_values


def as_rules(rules: object) -> Rules:
    """Return the rules meant by a `Rules` or by a text of them.

    Raises:
        RulesError: as `parse_rules`, or it is neither.

    >>> as_rules("dmp") == as_rules(Rules(match_length=1))
    True
    """
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, str):
        return parse_rules(rules)
    raise RulesError(f"rules are a text such as 'match:7' or a Rules, not {type(rules).__name__}")


def check_playable(rules: Rules, cubeful: bool = False) -> None:
    """Do nothing if a rollout can play these rules today.

    Options of the cube (Jacoby, beavers, automatic doubles, Crawford, the largest cube) do not act
    on a cubeless rollout and are accepted there.

    Raises:
        RulesError: naming what is not played yet.

    >>> check_playable(Rules.preset("match:7"))
    """
    unplayed = [
        (cubeful, "games with the cube", "leave out cubeful"),
        (rules.dutch, "Dutch backgammon", "take another preset"),
        (rules.opening == "reroll", "opening=reroll", "take opening=play"),
        (not rules.larger_die, "larger_die=off", "leave it on"),
        (rules.gammon_saved_by == "home", "gammon_saved_by=home", "take gammon_saved_by=off"),
        (rules.max_result < 3, f"max_result={rules.max_result}", "take max_result=3"),
    ]
    for found, what, remedy in unplayed:
        if found:
            raise RulesError(f"bgsim does not play {what} yet: {remedy}")


@lru_cache(maxsize=512)
def _preset(name: str) -> Rules:
    if name.startswith("match:"):
        return Rules(match_length=_match_length(name))
    if name == "dmp":
        return Rules(match_length=1)
    if name == "cubeless":
        return Rules(max_cube=1)
    if name == "money":
        return Rules(jacoby=True, beavers=True)
    if name in _VARIANTS:
        return Rules(jacoby=True, beavers=True, setup=name, dutch=name == "dutch")
    raise RulesError(
        f"there are no rules '{name}'{did_you_mean(name, PRESETS)}: take one of {', '.join(PRESETS)}"
    )


def _match_length(name: str) -> int:
    digits = name.removeprefix("match:").strip()
    length = parse_whole(digits)
    if length is None or not 1 <= length <= MAX_MATCH_LENGTH:
        raise RulesError(
            f"'{name}' is no match: write its length in points, 1 to {MAX_MATCH_LENGTH}, as in match:7"
        )
    return length


def _check_option(name: str) -> None:
    known = [field.name for field in fields(Rules)]
    if name not in known:
        raise RulesError(
            f"there is no rules option '{name}'{did_you_mean(name, known)}: "
            f"the options are {', '.join(known)}"
        )


def _bad_values(rules: Rules) -> list[str]:
    """Return what is wrong with each option by itself."""
    reasons = []
    for field in fields(rules):
        value = getattr(rules, field.name)
        if field.name in _CHOICES:
            allowed = _CHOICES[field.name]
            # True == 1, so a switch would pass for a number.
            if isinstance(value, bool) or value not in allowed:
                shown = ", ".join("none" if one is None else str(one) for one in allowed)
                reasons.append(f"{field.name} is {value!r}, allowed are {shown}")
        elif isinstance(field.default, bool):
            if not isinstance(value, bool):
                reasons.append(f"{field.name} is {value!r}, on or off is allowed")
        elif not _number_fits(field.name, value):
            reasons.append(f"{field.name} is {value!r}, allowed is {_NUMBERS[field.name]}")
    return reasons


_NUMBERS: Mapping[str, str] = {
    "automatic_doubles": "0, a number of doubles, or none for no limit",
    "max_cube": "a power of two (1 for no cube) or none for no limit",
    "match_length": f"0 (money) to {MAX_MATCH_LENGTH}",
}


def _number_fits(name: str, value: object) -> bool:
    if value is None:
        return name != "match_length"
    if isinstance(value, bool) or not isinstance(value, int):
        return False
    if name == "max_cube":
        return value > 0 and value & (value - 1) == 0
    return 0 <= value <= MAX_MATCH_LENGTH


def _contradictions(rules: Rules) -> list[str]:
    """Return every pair of options that cannot stand together, with the reason."""
    match, house = rules.is_match, rules.house_rules
    checks = [
        (match and rules.jacoby, "Jacoby is a rule of money play, a match counts every gammon"),
        (
            match and rules.beavers and not house,
            "beavers are not played in a match, unless house_rules is on",
        ),
        (
            match and rules.automatic_doubles != 0 and not house,
            "automatic doubles are not played in a match, unless house_rules is on",
        ),
        (rules.raccoons and not rules.beavers, "a raccoon answers a beaver, so beavers must be on"),
        (rules.beavers and rules.max_animals == 0, "beavers are on and max_animals=0 forbids them"),
        (
            rules.raccoons and rules.max_animals == 1,
            "raccoons are on and max_animals=1 forbids them",
        ),
        (
            rules.jacoby_counts_automatic and not rules.jacoby,
            "jacoby_counts_automatic says how Jacoby is read, so jacoby must be on",
        ),
        (rules.holland and not match, "the Holland rule belongs to a match, set match_length"),
        (
            rules.holland and not rules.crawford,
            "the Holland rule acts after the Crawford game, so crawford must be on",
        ),
        (
            rules.dutch_free_movement and not rules.dutch,
            "dutch_free_movement is an option of Dutch backgammon, so dutch must be on",
        ),
        (
            rules.dutch != (rules.setup == "dutch"),
            "Dutch backgammon starts with all checkers in hand: dutch=on needs setup=dutch, and "
            "setup=dutch needs dutch=on",
        ),
    ]
    return [reason for found, reason in checks if found]


def _text_from(rules: Rules, name: str) -> str:
    """Return the rules as a preset and the options in which they differ from it."""
    base = _preset(name)
    parts = [name]
    for field in fields(rules):
        value = getattr(rules, field.name)
        if value != getattr(base, field.name):
            parts.append(f"{field.name}={_word(value)}")
    return ",".join(parts)


def _word(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
