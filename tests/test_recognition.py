"""What columns are taken for, and what is refused."""

from __future__ import annotations

import pytest

from hassle.errors import InputError
from hassle.files.recognition import STYLES, recognise
from hassle.logic import Choice, Number, YesNo


def look(*cells, times=1, name="c"):
    table = list(cells) * times
    return recognise(name, table, range(2, 2 + len(table)))


@pytest.mark.parametrize("style", STYLES)
def test_every_style_of_yes_and_no(style):
    yes, no = style
    found = look(yes.upper(), no, f" {yes} ", no)
    assert found.column == YesNo("c")
    assert [found.encode(cell) for cell in (yes, no)] == [(1,), (0,)]


@pytest.mark.parametrize(
    ("cells", "column"),
    [
        (("0", "True", "false", "1"), YesNo("c")),
        (("off", "off"), Choice("c", ("off",))),
        (("early", "off"), Choice("c", ("early", "off"))),
        (("1", "1", "1", "1", "3"), Number("c", 1, 3)),
        (("100", "2000"), Choice("c", ("100", "2000"))),
        (("early", "night", "off", "early"), Choice("c", ("early", "night", "off"))),
        (("3", "5", "4", "5"), Number("c", 3, 5)),
        (("-1", "2", "0", "0"), Number("c", -1, 2)),
        (("mon_am", "mon_pm"), Choice("c", ("mon_am", "mon_pm"))),
        (("yes", "no", "maybe"), Choice("c", ("yes", "no", "maybe"))),
        (("0", "1", "2"), Number("c", 0, 2)),
    ],
)
def test_choices_and_numbers(cells, column):
    assert look(*cells, times=5).column == column


@pytest.mark.parametrize("mark", [",", "."])
def test_whole_numbers_with_decimals_are_whole_numbers(mark):
    found = look(f"1{mark}0", f"3{mark}00", "2", times=5)
    assert found.column == Number("c", 1, 3)
    assert found.encode(f"3{mark}00") == found.column.encode(3)
    found = look(f"1{mark}0", f"0{mark}0", times=5)
    assert found.column == YesNo("c")
    assert [found.encode(cell) for cell in (f"1{mark}0", "0")] == [(1,), (0,)]


def test_zeros_in_front_say_nothing():
    found = look("00", "01", "1", times=5)
    assert found.column == YesNo("c")
    assert [found.encode(cell) for cell in ("00", "01", "1")] == [(0,), (1,), (1,)]
    assert look("00", times=3).column == YesNo("c")
    assert look("01", "02", times=5).column == Number("c", 1, 2)


@pytest.mark.parametrize("mark", [",", "."])
def test_decimals_are_choices_in_their_order_and_a_single_one_is_a_slip(mark):
    prices = (f"2{mark}5", f"10{mark}0", f"1{mark}0")
    assert look(*prices, times=5).column == Choice("c", (prices[2], prices[0], prices[1]))
    thousands = (f"1{mark}000", f"2{mark}000")  # or thousandths: nobody knows
    assert look(*thousands, times=5).column == Choice("c", thousands)
    with pytest.raises(InputError, match="no whole number, as the other cells are") as error:
        look(*[f"1{mark}0", f"3{mark}0"] * 5, f"2{mark}5")
    assert (error.value.line, f"2{mark}5" in str(error.value)) == (12, True)


def test_what_never_varies_is_kept_and_said():
    for cell, kind in (("1", YesNo), ("night", Choice), ("7", Number)):
        found = look(cell, times=12)
        assert isinstance(found.column, kind)
        assert found.constant
        assert len(found.encode(cell)) == len(found.column.atoms)


@pytest.mark.parametrize(
    ("cells", "what"),
    [
        ([f"row-{i}" for i in range(30)], "30 different values in 30 rows"),
        ([str(1000 + 7 * i % 30) for i in range(30)], "an id?"),
        (["1", "2", "3"], "it counts the rows, from 1 to 3"),
        (["early", "swapped with Ben because " * 5], "it holds free text"),
        (["early", "two\nlines"], "it holds free text"),
        (["", ""], "all its cells are empty"),
        (["1", "0", "1", "0", "maybe"], "line 6: column 'c': 'maybe' is neither 0 nor 1"),
        (["1", "0", "1", "0", "10"], "line 6: column 'c': '10' is neither 0 nor 1"),
        (["yes", "no", "oui", "yes", "no"], "line 4: column 'c': 'oui' is neither yes nor no"),
        (["x", "", "y", "x", ""], "line 4: column 'c': 'y' is neither x nor empty"),
        (["3", "4", "3", "4", "3x"], "line 6: column 'c': '3x' is no whole number"),
        (["3", "4", "300", "4", "3"], "line 4: column 'c': '300' is far from the other cells, 3 to 4"),
        ([str(1000 * i * i) for i in range(30)], "a measurement or an id"),
        ([f"2024-01-{i:02}" for i in range(1, 31)], "it holds dates"),
        (["night", "", "early", ""], "2 of 4 cells are empty (lines 3, 5)"),
        (["yes", "no", "1", "0"], "two ways: 'yes' and '1'"),
    ],
)
def test_what_cannot_be_a_decision_is_refused(cells, what):
    with pytest.raises(InputError) as error:
        look(*cells)
    assert what in str(error.value)
    assert error.value.fix
