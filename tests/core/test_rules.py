"""Rules: presets, options, contradictions, texts and what is played today."""

from dataclasses import replace

import pytest

from bgsim.core.errors import RulesError
from bgsim.core.rules import PRESETS, START_POINTS, Rules, check_playable, parse_rules

MONEY = Rules.preset("money")
MATCH = Rules.preset("match:7")


def test_presets() -> None:
    assert (MONEY.jacoby, MONEY.beavers, MONEY.match_length) == (True, True, 0)
    assert Rules.preset("cubeless") == Rules(max_cube=1)
    assert (MATCH.match_length, MATCH.crawford, MATCH.jacoby, MATCH.beavers) == (
        7,
        True,
        False,
        False,
    )
    assert Rules.preset("dmp") == Rules.preset("match:1")
    assert Rules.preset(" Money ") == MONEY
    for name in ("nackgammon", "longgammon", "hypergammon"):
        assert Rules.preset(name) == replace(MONEY, setup=name)
    assert Rules.preset("dutch") == replace(MONEY, setup="dutch", dutch=True)


def test_setups() -> None:
    assert {name: sum(points.values()) for name, points in START_POINTS.items()} == {
        "standard": 15,
        "nackgammon": 15,
        "longgammon": 15,
        "hypergammon": 3,
        "dutch": 15,
    }
    assert Rules.preset("nackgammon").start_points == {24: 2, 23: 2, 13: 4, 8: 3, 6: 4}
    pips = {n: sum(p * c for p, c in points.items()) for n, points in START_POINTS.items()}
    assert (pips["standard"], pips["nackgammon"], pips["hypergammon"]) == (167, 194, 69)


@pytest.mark.parametrize("name", ["mony", "match", "match:0", "match:x", "match:-3", "match:40000", ""])
def test_unknown_preset_names_what_is_allowed(name: str) -> None:
    with pytest.raises(RulesError) as caught:
        Rules.preset(name)
    assert "match:" in str(caught.value)


def test_unknown_preset_names_the_nearest() -> None:
    with pytest.raises(RulesError) as caught:
        Rules.preset("hypergamon")
    assert str(caught.value) == (
        "there are no rules 'hypergamon' (did you mean 'hypergammon'?): take one of " + ", ".join(PRESETS)
    )


@pytest.mark.parametrize(
    ("base", "changes", "reason"),
    [
        (MATCH, {"jacoby": True}, "Jacoby is a rule of money play"),
        (MATCH, {"jacoby": True, "house_rules": True}, "Jacoby is a rule of money play"),
        (MATCH, {"beavers": True}, "beavers are not played in a match"),
        (MATCH, {"automatic_doubles": 1}, "automatic doubles are not played in a match"),
        (MATCH, {"automatic_doubles": None}, "automatic doubles are not played in a match"),
        (MATCH, {"holland": True, "crawford": False}, "acts after the Crawford game"),
        (MONEY, {"holland": True}, "the Holland rule belongs to a match"),
        (MONEY, {"beavers": False, "raccoons": True}, "a raccoon answers a beaver"),
        (MONEY, {"max_animals": 0}, "max_animals=0 forbids them"),
        (MONEY, {"raccoons": True, "max_animals": 1}, "max_animals=1 forbids them"),
        (MONEY, {"jacoby": False, "jacoby_counts_automatic": True}, "jacoby must be on"),
        (MONEY, {"dutch_free_movement": True}, "dutch must be on"),
        (MONEY, {"dutch": True}, "dutch=on needs setup=dutch"),
        (MONEY, {"setup": "dutch"}, "setup=dutch needs dutch=on"),
        (MONEY, {"setup": "portes"}, "setup is 'portes', allowed are standard"),
        (MONEY, {"jacoby": "off"}, "jacoby is 'off', on or off is allowed"),
        (MONEY, {"jacoby": 1}, "jacoby is 1, on or off is allowed"),
        (MONEY, {"max_cube": 3}, "max_cube is 3, allowed is a power of two"),
        (MONEY, {"max_cube": True}, "max_cube is True"),
        (MONEY, {"max_result": 4}, "max_result is 4, allowed are 1, 2, 3"),
        (MONEY, {"max_result": True}, "max_result is True"),
        (MONEY, {"max_animals": 3}, "max_animals is 3, allowed are 0, 1, 2, none"),
        (MONEY, {"automatic_doubles": -1}, "automatic_doubles is -1"),
        (MONEY, {"match_length": None}, "match_length is None"),
        (MONEY, {"opening": "roll"}, "opening is 'roll', allowed are play, reroll"),
        (MONEY, {"gammon_saved_by": False}, "gammon_saved_by is False, allowed are off, home"),
    ],
)
def test_refused_rules(base: Rules, changes: dict[str, object], reason: str) -> None:
    with pytest.raises(RulesError) as caught:
        replace(base, **changes)  # type: ignore[arg-type]
    assert reason in str(caught.value)


def test_all_contradictions_are_named_at_once() -> None:
    with pytest.raises(RulesError) as caught:
        Rules(match_length=5, jacoby=True, beavers=True, dutch_free_movement=True)
    assert str(caught.value).count(";") == 2


def test_house_rules_allow_automatic_doubles_and_beavers_in_a_match() -> None:
    house = replace(MATCH, automatic_doubles=1, beavers=True, house_rules=True)
    assert str(house) == "match:7,automatic_doubles=1,beavers=on,house_rules=on"


def test_animals_allowed() -> None:
    assert Rules().animals_allowed == 0
    assert MONEY.animals_allowed == 1
    assert replace(MONEY, raccoons=True).animals_allowed == 2
    assert replace(MONEY, raccoons=True, max_animals=None).animals_allowed is None


@pytest.mark.parametrize(
    "text",
    [
        *(name.replace("N", "13") for name in PRESETS if name != "dmp"),
        "money,jacoby=off",
        "money,automatic_doubles=1,max_cube=none",
        "money,automatic_doubles=none,max_result=1",
        "cubeless,gammon_saved_by=home",
        "match:5,crawford=off",
        "dutch,dutch_free_movement=on",
        "hypergammon,opening=reroll",
        "money,raccoons=on,max_animals=none",
        "money,larger_die=off",
    ],
)
def test_rules_and_their_text_are_one_thing(text: str) -> None:
    rules = parse_rules(text)
    assert str(rules) == text
    assert Rules.from_dict(rules.to_dict()) == rules


def test_texts_of_rules_are_forgiving_about_case_and_spaces() -> None:
    assert parse_rules(" Money , jacoby = no ") == parse_rules("money,jacoby=off")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("money,jacobi=on", "there is no rules option 'jacobi' (did you mean 'jacoby'?)"),
        ("money,jacoby", "'jacoby' in the rules 'money,jacoby' is no option, write option=value"),
        ("money,jacoby=maybe", "jacoby is 'maybe', on or off is allowed"),
        ("match:7,jacoby=on", "Jacoby is a rule of money play"),
    ],
)
def test_refused_texts_of_rules(text: str, reason: str) -> None:
    with pytest.raises(RulesError) as caught:
        parse_rules(text)
    assert reason in str(caught.value)


def test_from_dict_refuses_an_unknown_option() -> None:
    with pytest.raises(RulesError, match="there is no rules option 'beaver'"):
        Rules.from_dict({"beaver": True})


@pytest.mark.parametrize(
    "text",
    [
        *("money", "cubeless", "match:7", "dmp", "nackgammon", "longgammon", "hypergammon"),
        "money,automatic_doubles=none,raccoons=on,jacoby_counts_automatic=on",
        "match:7,holland=on",
        "money,max_cube=none",
    ],
)
def test_rules_that_are_played_without_the_cube(text: str) -> None:
    check_playable(parse_rules(text))
    with pytest.raises(RulesError, match="does not play games with the cube yet"):
        check_playable(parse_rules(text), cubeful=True)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("dutch", "Dutch backgammon"),
        ("dutch,dutch_free_movement=on", "Dutch backgammon"),
        ("money,opening=reroll", "opening=reroll"),
        ("money,larger_die=off", "larger_die=off"),
        ("money,gammon_saved_by=home", "gammon_saved_by=home"),
        ("money,max_result=2", "max_result=2"),
    ],
)
def test_rules_that_are_not_played_yet(text: str, what: str) -> None:
    with pytest.raises(RulesError, match=f"bgsim does not play {what} yet"):
        check_playable(parse_rules(text))
