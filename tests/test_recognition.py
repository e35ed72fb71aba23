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
    assert [found.column.encode(found.value(cell)) for cell in (yes, no)] == [(1,), (0,)]


@pytest.mark.parametrize(
    ("cells", "column"),
    [
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


def test_what_never_varies_is_kept_and_said():
    for cell, kind in (("1", YesNo), ("night", Choice), ("7", Number)):
        found = look(cell, times=12)
        assert isinstance(found.column, kind)
        assert found.constant
        found.column.encode(found.value(cell))


@pytest.mark.parametrize(
    ("cells", "what"),
    [
        ([f"row-{i}" for i in range(30)], "30 different values in 30 rows"),
        ([str(1000 + i) for i in range(30)], "an id?"),
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
