"""Datasets: checked when they are made, contexts stored once, contradictions found."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import datasets

from hassle.data import LABEL_WORDS, LABELS, Dataset, Label, as_label
from hassle.errors import InputError
from hassle.logic import EMPTY, Context

AB = ("a", "b")


@given(datasets())
def test_examples_are_what_was_given(data):
    again = Dataset.build(data.variables, [(e.context, e.assignment, e.label) for e in data])
    assert again == data
    texts = [(e.context.text(data.variables), str(e.assignment), e.label.value) for e in data]
    assert Dataset.build(data.variables, texts) == data
    assert len(set(data.contexts)) == len(data.contexts)
    assert all(e.context.holds(data.assignments[k : k + 1]).all() for k, e in enumerate(data))
    assert data.positive.tolist() == [e.label == Label.POSITIVE for e in data]


@given(datasets())
def test_rows_by_context_are_a_partition(data):
    assert sorted(np.concatenate(data.rows_by_context).tolist()) == list(range(len(data)))
    for c, rows in enumerate(data.rows_by_context):
        assert rows.tolist() == [k for k in range(len(data)) if data.context_of[k] == c]


@given(datasets())
def test_contradictions_follow_the_definition(data):
    groups = defaultdict(list)
    for k, example in enumerate(data):
        groups[example.context, example.assignment].append(k)
    mixed = [tuple(g) for g in groups.values() if len({data[k].label == Label.POSITIVE for k in g}) == 2]
    assert list(data.contradictions) == sorted(mixed)


@given(datasets(), st.data())
def test_subsets_hold_the_chosen_examples(data, draw):
    rows = draw.draw(st.lists(st.integers(0, len(data) - 1)))
    part = data.subset(rows)
    assert [part[k] for k in range(len(part))] == [data[k] for k in rows]
    assert set(part.contexts) == {data[k].context for k in rows}


@given(datasets())
def test_hiding_contexts_keeps_the_rest(data):
    bare = data.without_contexts()
    assert bare.contexts == (EMPTY,)
    assert [(e.assignment, e.label) for e in bare] == [(e.assignment, e.label) for e in data]


def test_an_empty_dataset_is_possible():
    empty = Dataset.build(AB, [])
    assert len(empty) == 0
    assert empty.contradictions == ()


def test_a_broken_context_is_refused():
    with pytest.raises(InputError, match=r"the assignment \(a = 0\) breaks its own context 'a'"):
        Dataset.build(AB, [("b", "01", 1), ("a", "01", 0)])
    with pytest.raises(InputError, match="the assignment breaks its own context 'false'"):
        Dataset.build(AB, [("a & !a", "01", 1)])


def test_what_is_wrong_is_told_with_the_example():
    for wrong in [("c", "10", 1), ("", "1", 1), ("", "10", "fine")]:
        with pytest.raises(InputError, match="example 2: "):
            Dataset.build(AB, [("", "10", 1), wrong])


def test_arrays_cannot_be_changed():
    data = Dataset.build(AB, [("a", "10", 1)])
    for array in (data.assignments, data.labels, data.context_of):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_contexts_written_differently_are_stored_once():
    data = Dataset.build(AB, [("a & b", "11", 1), ("b, a", "11", 1), (Context((1, 2)), "11", 1)])
    assert data.contexts == (Context((1, 2)),)


def test_labels_in_every_form():
    for word, label in LABEL_WORDS.items():
        assert as_label(f" {word.upper()} ") == label
    assert as_label(True) == as_label(1) == as_label(np.int8(1)) == as_label(1.0) == Label.POSITIVE
    assert as_label(False) == as_label(0) == Label.NEGATIVE
    assert [label.code for label in LABELS] == [0, 1, 2, 3]
    for good, bad in (("good", "bad"), ("yes", "no")):
        assert (as_label(good), as_label(bad)) == (Label.POSITIVE, Label.NEGATIVE)
    for wrong in ("fine", "", 2, -1, None, 0.5, []):
        with pytest.raises(InputError, match="not a label"):
            as_label(wrong)
