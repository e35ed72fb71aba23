"""What a context is compared with: contexts that differ from it in one circumstance."""

import numpy as np
import pytest

from hassle.learners.statistical.neighbours import circumstances, draw_neighbours
from hassle.logic import Choice, Number, Schema, YesNo, as_context
from hassle.tables.completions import count_completions

SCHEMA = Schema((Choice("shift", ("early", "late", "night")), Number("staff", 1, 4), YesNo("bonus"), YesNo("rain")))


def values_left(context, column):
    """The values of a column that a context of literals leaves."""
    found, start = SCHEMA.column(column)
    return {
        value
        for value in found.values
        if all(
            found.encode(value)[abs(lit) - 1 - start] == (lit > 0)
            for lit in context.literals
            if start < abs(lit) <= start + len(found.atoms)
        )
    }


@pytest.mark.parametrize("text", ["shift = night & bonus", "staff = 2 & rain & shift = late", "staff = 4", "staff = 1"])
def test_a_neighbour_gives_one_column_another_value(text):
    context = as_context(text, SCHEMA)
    given = [name for name in SCHEMA.column_names if len(values_left(context, name)) == 1]
    near = draw_neighbours(context, SCHEMA, 9, np.random.default_rng(0))
    assert len(near) == len(given) == len(circumstances(context, SCHEMA))
    changed = set()
    for other in near:
        assert count_completions(other, SCHEMA) == count_completions(context, SCHEMA)
        differs = [name for name in SCHEMA.column_names if values_left(other, name) != values_left(context, name)]
        assert len(differs) == 1
        changed.update(differs)
    assert changed == set(given)


def test_every_other_value_may_come():
    found = circumstances(as_context("shift = night", SCHEMA), SCHEMA)
    assert len(found) == 1
    contexts = [as_context("shift = early", SCHEMA), as_context("shift = late", SCHEMA)]
    assert [values_left(type(contexts[0])(literals), "shift") for literals in found[0]] == [
        values_left(context, "shift") for context in contexts
    ]


def test_what_is_not_fixed_is_turned_around():
    context = as_context("shift != night & staff >= 2 & staff < 4 & bonus", SCHEMA)
    turned = {literals for ways in circumstances(context, SCHEMA) for literals in ways}
    texts = (
        "shift = night & staff >= 2 & staff < 4 & bonus",
        "shift != night & staff < 2 & staff < 4 & bonus",
        "shift != night & staff >= 2 & staff >= 4 & bonus",
        "shift != night & staff >= 2 & staff < 4 & !bonus",
    )
    assert turned == {as_context(text, SCHEMA).literals for text in texts}


def test_yes_or_no_is_turned_around_literal_by_literal():
    schema = Schema.of("abcd")
    context = as_context("a & !c & d", schema)
    near = draw_neighbours(context, schema, 2, np.random.default_rng(3))
    order = np.random.default_rng(3).permutation(3)[:2]
    expected = [tuple(-lit if i == k else lit for i, lit in enumerate(context.literals)) for k in order]
    assert [other.literals for other in near] == expected
