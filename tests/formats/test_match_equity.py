"""Match equity tables: what they say, and files that are none."""

from __future__ import annotations

import pytest

from bgsim.core.errors import MatchEquityError
from bgsim.formats.match_equity import TABLES, load_match_equities

XML = """<?xml version = "1.0"?>
<!DOCTYPE met PUBLIC "-//GNU Backgammon//DTD Match Equity Tables//EN" "met.dtd">
<met><info><name>two points</name><length>2</length></info>
<pre-crawford-table type="explicit">
<row><me>0.55</me><me>0.72</me></row><row><me>0.35</me><me>0.54</me></row></pre-crawford-table>
{post}
</met>"""
AFTER = """<post-crawford-table type="explicit" player="{}">
<row><me>{}</me><me>{}</me></row></post-crawford-table>"""
BOTH = AFTER.format("both", 0.5, 0.48)
EACH = AFTER.format(0, 0.55, 0.51) + AFTER.format(1, 0.45, 0.44)


def write(tmp_path, text, name="x.xml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


# --- the tables that come with bgsim --------------------------------------------------------------


def test_kazaross_xg2():
    """Check 11 of the project's list: M(1,2), M(2,3), M(1,3); after the Crawford game 2, 3, 4 needed."""
    table = load_match_equities()
    assert (table.name, table.length) == ("kazaross-xg2", 25)
    assert [table.chance(*score) for score in ((1, 2), (2, 3), (1, 3))] == [0.67736, 0.59947, 0.75076]
    after = [table.chance(n, 1, after_crawford=True) for n in (2, 3, 4)]
    assert after == [0.48803, 0.32264, 0.31002]
    assert table.chance(1, 2, after_crawford=True) == pytest.approx(1 - 0.48803, abs=1e-15)


def test_M01_before_and_after_the_crawford_game():
    table = load_match_equities("kazaross-xg2")
    assert table.chance(2, 1) == 0.32264
    assert table.chance(2, 1, after_crawford=True) == 0.48803


@pytest.mark.parametrize("name", TABLES)
def test_what_one_wins_the_other_loses(name):
    table = load_match_equities(name)
    known = 0
    for own in range(1, table.length + 1):
        for other in range(1, table.length + 1):
            try:
                total = table.chance(own, other) + table.chance(other, own)
            except MatchEquityError:
                continue
            known += 1
            assert total == pytest.approx(1, abs=1e-12)
    assert known >= table.length**2 - 2


def test_a_match_that_is_over():
    table = load_match_equities("snowie")
    assert (table.chance(0, 3), table.chance(-2, 1), table.chance(3, 0)) == (1.0, 1.0, 0.0)


def test_points_that_a_table_does_not_know():
    with pytest.raises(MatchEquityError, match="16 points needed against 3; it goes to 15"):
        load_match_equities("snowie").chance(16, 3)
    with pytest.raises(MatchEquityError, match="16 points needed against 1 after the Crawford game"):
        load_match_equities("snowie").chance(16, 1, after_crawford=True)


# --- files ----------------------------------------------------------------------------------------


def test_M11_a_file_that_names_a_dtd_is_read_without_it(tmp_path):
    table = load_match_equities(write(tmp_path, XML.format(post=BOTH)))
    assert table.pre == ((0.55, 0.72), (0.35, 0.54))
    assert table.chance(2, 1, after_crawford=True) == 0.48


def test_M11_entities_are_not_expanded(tmp_path):
    text = XML.format(post=BOTH).replace('"met.dtd">', '"met.dtd" [<!ENTITY a "1">]>')
    with pytest.raises(MatchEquityError, match=r"x\.xml declares entities, which are not expanded"):
        load_match_equities(write(tmp_path, text))


def test_M05_players_of_unequal_strength_are_kept_as_given(tmp_path):
    table = load_match_equities(write(tmp_path, XML.format(post=EACH)))
    assert not table.is_equal
    assert (table.chance(1, 1), table.chance(2, 2)) == (0.55, 0.54)
    assert table.chance(1, 2) + table.chance(2, 1) == pytest.approx(1.07)
    assert table.chance(2, 1, after_crawford=True) == 0.51
    assert table.chance(1, 2, after_crawford=True) == pytest.approx(1 - 0.44)


def test_M08_parameters_are_no_numbers(tmp_path):
    text = XML.format(post=BOTH).replace(
        '<pre-crawford-table type="explicit">', '<pre-crawford-table type="zadeh">'
    )
    with pytest.raises(MatchEquityError, match=r"parameters of a formula \(zadeh\), not numbers"):
        load_match_equities(write(tmp_path, text))


def test_a_csv_with_a_missing_value(tmp_path):
    text = "table,my_away,opp_1,opp_2\npre,1,0.5,\npre,2,0.3,0.5\npost_crawford_trailer,opp_away_1,0.5,0.48\n"
    table = load_match_equities(write(tmp_path, text, "x.csv"))
    assert table.chance(2, 1) == 0.3
    with pytest.raises(MatchEquityError, match="no value for 1 points needed against 2"):
        table.chance(1, 2)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "it has 0 rows of no columns and 0 rows for after"),
        ("head\npre,1,0.5,0.7\n", "it has 1 rows of 2 columns"),
        ("head\npre,2,0.5\n", "line 2: row '2' where 1 was due"),
        ("head\npre,1,1.5\n", "line 2: '1.5' is no chance from 0 to 1"),
        ("head\npre,1,nan\n", "line 2: 'nan' is no chance from 0 to 1"),
        ("head\nbefore,1,0.5\n", "line 2: a row is 'pre' or"),
    ],
)
def test_a_csv_that_is_none(tmp_path, text, sentence):
    with pytest.raises(MatchEquityError, match=r"x\.csv") as found:
        load_match_equities(write(tmp_path, text, "x.csv"))
    assert sentence in str(found.value)


def test_what_is_no_table(tmp_path):
    with pytest.raises(
        MatchEquityError, match=r"unknown match equity table 'snowy' \(did you mean 'snowie'\?\)"
    ):
        load_match_equities("snowy")
    with pytest.raises(MatchEquityError, match=r"cannot read .*nothing\.xml: No such file"):
        load_match_equities(tmp_path / "nothing.xml")
    with pytest.raises(MatchEquityError, match=r"x\.xml is no XML file"):
        load_match_equities(write(tmp_path, "<met>"))
    with pytest.raises(MatchEquityError, match="it is a <svg>, not a <met>"):
        load_match_equities(write(tmp_path, "<svg/>"))
