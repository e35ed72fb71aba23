"""Examples with unknown cells: kept as far as they go, completed by what the others teach, and learned from."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import all_assignments, compared_datasets

from hassle.data import Dataset, Partial
from hassle.errors import InputError
from hassle.files.csv_examples import csv_text, read_csv
from hassle.files.jsonl_examples import jsonl_text, read_jsonl
from hassle.learners import learn
from hassle.learners.completing import completed
from hassle.logic import EMPTY, Choice, Context, Number, Schema, YesNo
from hassle.model import Model

ABC = ("a", "b", "c")
SCHEMA = Schema((YesNo("a"), Choice("shift", ("early", "late", "off")), Number("staff", 0, 3)))


@st.composite
def gappy(draw):
    """Whole examples, and good ones of which some columns are unknown."""
    data = draw(compared_datasets(st.just(ABC)).filter(len))
    rows = all_assignments(3)
    partial = []
    for context in draw(st.lists(st.sampled_from(data.contexts), max_size=3)):
        row = draw(st.sampled_from(rows[context.holds(rows)].tolist()))
        known = draw(st.sets(st.integers(0, 2), max_size=2))
        literals = tuple(v + 1 if row[v] else -(v + 1) for v in sorted(known))
        partial.append(Partial(context, literals, draw(st.sampled_from([1.0, 2.5]))))
    return replace(data, partial=tuple(partial))


@given(gappy())
def test_what_is_written_is_read_back(data):
    assert read_jsonl(jsonl_text(data)) == data
    known = Schema(tuple(map(YesNo, ABC)))
    # A row of gaps alone is blank to a table, unless it says something else.
    assert read_csv(csv_text(data), missing="unknown", schema=known) == data


def test_cells_of_every_kind():
    text = (
        "a,shift,staff,context,label\n1,early,2,,good\n0,,3,staff >= 1,good\n,off,,,good\n1,late,0,,bad\n,late,,,good\n"
    )
    data = read_csv(text, missing="unknown")
    assert data.schema.columns[1].values == ("early", "off", "late")
    assert [each.values(data.schema) for each in data.partial] == [
        {"a": 0, "staff": 3},
        {"shift": "off"},
        {"shift": "late"},
    ]
    assert [each.line for each in data.partial] == [3, 4, 6]
    assert read_jsonl(jsonl_text(data)) == data
    assert data.partial[0].context == Context.parse("staff >= 1", data.schema)
    with pytest.raises(InputError, match="breaks its own context"):
        read_csv(text.replace("0,,3,staff >= 1", "0,,3,staff < 2"), missing="unknown")
    with pytest.raises(InputError, match="every row has empty cells"):
        read_csv("a,b,label\n1,,1\n,1,1\n0,,1\n", missing="unknown")
    with pytest.raises(InputError, match="an example that is not good has unknown values"):
        read_jsonl('{"variables": ["a", "b"]}\n{"assignment": {"a": null, "b": 1}, "label": 0}\n')


def test_what_is_given_joins_the_context():
    data = Dataset.build(SCHEMA, [("", [1, "early", 1], 1)])
    data = replace(data, partial=(Partial(EMPTY, Context.parse("shift = late", SCHEMA).within(SCHEMA).literals),))
    narrowed = data.given(["shift"]).partial[0]
    assert narrowed.context.within(SCHEMA) == Context.parse("shift = late", SCHEMA).within(SCHEMA)


@given(gappy())
def test_gaps_are_filled_with_the_best_of_what_is_known(data):
    model = Model.build(ABC, hard=["!a | !b"], soft=[("b", 0.5), ("!c", 0.25)])
    more, unused = completed(data, model)
    rows = all_assignments(3)
    k = 0
    for each in data.partial:
        allowed = [
            row for row in rows[each.context.holds(rows)] if all(row[abs(x) - 1] == (x > 0) for x in each.literals)
        ]
        own = np.array(more[k].assignment.bits, dtype=np.uint8)
        assert any((own == row).all() for row in allowed)
        # What keeps the rule is better than anything that does not.
        worth = [(model.feasible(row[None])[0], model.values(row[None])[0]) for row in (own, *allowed)]
        assert worth[0] == max(worth)
        assert (more[k].context, more[k].weight, more[k].label) == (each.context, each.weight, "positive")
        k += 1
    assert (k, unused) == (len(more), 0)


def test_gaps_teach_what_they_say():
    """What is known of them, in a context of which the whole examples say nothing, is explained."""
    whole = [("", "100", 1), ("", "010", 0), ("", "110", 0), ("!a", "010", 1)]
    data = Dataset.build(ABC, whole)
    context = Context.parse("!a & !b", ABC)
    taught = replace(data, partial=(Partial(context, (3,)),) * 4)
    result = learn(taught, "statistical", steps=3000)
    assert result.model.verdict("001", context) == "optimal"
    assert result.examples == 8
    assert "4 examples with unknown cells were completed" in result.notes[0]
    with pytest.raises(InputError, match="every example has unknown cells"):
        learn(replace(Dataset.build(ABC, []), partial=taught.partial), steps=10)
