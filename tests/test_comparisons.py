"""Comparisons and weights: checked, kept in files, and to learners what their definition says."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import all_assignments, compared_datasets, models
from test_frames_and_excel import excel, read_excel

from hassle.data import Comparisons, Dataset, as_weight
from hassle.errors import DataWarning, InputError
from hassle.evaluation.score import score
from hassle.files.csv_examples import csv_text, read_csv
from hassle.files.jsonl_examples import jsonl_text, read_jsonl
from hassle.files.sheet_examples import Reading
from hassle.learners import learn
from hassle.learners.weighing import agreement, shown_to
from hassle.logic import Context, Number, Schema, YesNo
from hassle.model import Model
from hassle.tables.completions import completions, listable, points_in

AB = ("a", "b")
ABC = ("a", "b", "c")


@given(compared_datasets())
def test_what_is_written_is_read_back(data):
    assert read_jsonl(jsonl_text(data)) == data
    assert read_csv(csv_text(data)) == data
    assert Dataset.from_frame(data.to_frame("pandas")) == data
    assert Dataset.from_frame(data.to_frame("polars")) == data
    assert read_excel(excel(data), Reading()) == data


@given(compared_datasets())
def test_subsets_keep_weights_and_the_comparisons_of_their_contexts(data):
    rows = list(range(0, len(data), 2))
    part = data.subset(rows)
    assert list(part) == [data[k] for k in rows]
    gone = {e.context for e in data} - {data[k].context for k in rows}
    assert list(part.comparisons) == [each for each in data.comparisons if each.context not in gone]


@given(compared_datasets())
def test_a_pair_is_two_examples_in_a_context_of_these_two(data):
    paired = data.paired()
    assert [paired[k] for k in range(len(data))] == list(data)
    assert paired.contexts[: len(data.contexts)] == data.contexts
    assert paired.compared.tolist() == [False] * len(data) + [True] * (len(paired) - len(data))
    rows = all_assignments(len(data.variables))
    for k, comparison in enumerate(data.comparisons):
        better, worse = paired[len(data) + 2 * k], paired[len(data) + 2 * k + 1]
        assert (better.assignment, better.label) == (comparison.better, "positive")
        assert (worse.assignment, worse.label) == (comparison.worse, "negative")
        assert better.weight == worse.weight == comparison.weight
        assert better.context == worse.context
        allowed = rows[better.context.holds(rows)].tolist()
        assert sorted(allowed) == sorted([list(comparison.better.bits), list(comparison.worse.bits)])
        found = completions(better.context, data.schema)
        assert found.assignments(found.words()).tolist() == sorted(allowed, key=lambda bits: bits[::-1])
        assert points_in([better.context], data.schema)[0] == 2
        assert listable([better.context], data.schema, 2)[0]


@given(compared_datasets(st.just(ABC)).filter(lambda data: len(data.comparisons)), models(over=st.just(ABC)))
def test_agreement_is_what_the_verdicts_on_the_pair_say(data, model):
    right = 0
    for pair in data.comparisons:
        where = Context.between(pair.better.bits, pair.worse.bits)
        verdicts = [model.verdict(pair.better, where), model.verdict(pair.worse, where)]
        right += verdicts[0] == "optimal" and verdicts[1] != "optimal"
    assert agreement(model, data).correct == right


def test_a_pair_context_respects_the_domain():
    schema = Schema((YesNo("a"), Number("staff", 0, 3)))
    data = Dataset.build(schema, [], [("", [1, 0], [0, 3])])
    context = data.paired().contexts[0]
    found = completions(context, schema)
    assert [schema.decode(row) for row in found.assignments(found.words())] == [(1, 0), (0, 3)]
    # Somebody may write such a formula by hand; only what the domain allows is a completion.
    by_hand = Context.parse("!a & (staff>=1 <-> !staff>=2) & (staff>=1 <-> staff>=3)", schema)
    assert completions(by_hand, schema).count == 0


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (("a", "01", "10"), r"better assignment \(a = 0\) breaks the comparison's context 'a'"),
        (("a", "10", "01"), r"worse assignment \(a = 0\) breaks the comparison's context 'a'"),
        (("", "10", "10"), "better assignment 10 is also the worse one"),
        (("", "10", "1"), "comparison 1: the assignment has 1 values"),
        (("", "10", "11", 0), "comparison 1: 0 is not a weight"),
    ],
)
def test_what_is_wrong_with_a_comparison_is_said(pair, words):
    with pytest.raises(InputError, match=words):
        Dataset.build(AB, [], [pair])


@pytest.mark.parametrize("value", [0, -1, "x", float("nan"), float("inf"), True, "", 1e9])
def test_what_is_no_weight(value):
    with pytest.raises(InputError, match="is not a weight"):
        as_weight(value)


def test_arrays_cannot_be_changed():
    data = Dataset.build(AB, [("", "10", 1, 2)], [("", "10", "01")])
    for array in (data.weights, data.compared, data.comparisons.better, data.comparisons.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


HEAD = "a,b,label,weight\n"


def test_a_column_named_weight():
    data = read_csv(HEAD + '1,0,good,2\n0,1,bad,"0,5"\n1,1,bad,\n')
    assert data.variables == AB
    assert data.weights.tolist() == [2, 0.5, 1]
    with pytest.warns(DataWarning, match="'weight' is taken for the weights of the examples; if it is a decision"):
        assert read_csv(HEAD + "1,0,good,2\n0,1,bad,3\n").weights.tolist() == [2, 3]
    # 0 and 1, and words, are decisions; so is what a schema describes.
    assert read_csv(HEAD + "1,0,good,1\n0,1,bad,0\n").variables == ("a", "b", "weight")
    assert read_csv(HEAD + "1,0,good,light\n0,1,bad,heavy\n").schema.column_names == ("a", "b", "weight")
    schema = Schema((YesNo("a"), YesNo("b"), Number("weight", 1, 3)))
    data = read_csv(HEAD + "1,0,good,2\n0,1,bad,3\n", schema=schema)
    assert data.schema == schema
    assert set(data.weights.tolist()) == {1}
    with pytest.raises(InputError, match="a column named 'weight' cannot stand in a table"):
        csv_text(data)
    assert read_jsonl(jsonl_text(data)) == data


def test_comparisons_in_a_table():
    data = read_csv("a,b,context,label\n1,0,,worse\n0,1,,better\n1,1,a,good\n")
    assert [(c.better.bits, c.worse.bits) for c in data.comparisons] == [((0, 1), (1, 0))]
    assert data.comparisons.lines.tolist() == [3]
    assert len(data) == 1
    for text, words, line in [
        ("1,0,,better\n0,1,,good\n", "the row is 'better', but the next one is not 'worse'", 2),
        ("0,1,,good\n1,0,,worse\n", "the row is 'worse', but the next one is not 'better'", 3),
        ("1,0,,better\n0,1,,better\n", "the row is 'better', but the next one is not 'worse'", 2),
        ("1,0,a,better\n0,1,b,worse\n", "different contexts", 3),
    ]:
        with pytest.raises(InputError, match=words) as error:
            read_csv("a,b,context,label\n" + text)
        assert error.value.line == line


def test_what_is_given_is_given_to_both():
    frame = pd.DataFrame({"rain": ["yes", "yes", "no"], "b": ["no", "yes", "no"], "label": ["better", "worse", "good"]})
    data = Dataset.from_frame(frame, given=["rain"])
    assert data.comparisons[0].context.text(data.schema) == "rain"
    frame["rain"] = ["yes", "no", "no"]
    with pytest.raises(InputError, match="the two assignments of a comparison differ in rain, which is given"):
        Dataset.from_frame(frame, given=["rain"])


def truth_pairs():
    """All pairs that a model ranks: a is worth more than b, and c must not be alone."""
    truth = Model.build(ABC, hard=["!c | a | b"], soft=[("a", 0.7), ("b", 0.3)])
    rows = all_assignments(3)
    value = [int(truth.values(row[None])[0]) if truth.feasible(row[None])[0] else -1 for row in rows]
    pairs = [("", rows[i], rows[j]) for i in range(8) for j in range(8) if value[i] > value[j]]
    return truth, Dataset.build(ABC, [], pairs)


@pytest.mark.parametrize("learner", ["auto", "statistical", "sls", "milp"])
def test_every_learner_takes_comparisons(learner):
    truth, data = truth_pairs()
    options = {"minimum_error": True} if learner == "milp" else {}
    limit = {"time_limit": 20} if learner == "milp" else {"steps": 3000 if learner == "sls" else 20_000}
    result = learn(data, learner, seed=1, **limit, **options)
    assert result.examples == 0
    assert result.comparisons.comparisons == len(data.comparisons)
    assert result.comparisons == agreement(result.model, data)
    if learner != "milp":
        assert result.comparisons.correct == len(data.comparisons)
        for context in ("", "!a", "!b", "c"):
            assert truth.verdict(result.model.solve(context), context) == "optimal"


def test_weights_decide_between_contradictions():
    rows = [("", "10", 1, 9), ("", "10", 0, 1), ("", "01", 0, 9), ("", "01", 1, 1), ("", "00", 0), ("", "11", 0)]
    for learner in ("statistical", "sls"):
        result = learn(Dataset.build(AB, rows), learner, steps=2000, seed=0)
        assert result.model.solve().bits == (1, 0)
        assert (result.correct, result.examples) == (4, 6)


def test_repetitions_are_whole():
    data = Dataset.build(AB, [("", "10", 1, 3), ("", "01", 0)])
    shown, notes = shown_to("sls", data)
    assert (len(shown), notes) == (4, ())
    data = replace(data, weights=np.array([0.5, 1.0]))
    with pytest.raises(InputError, match="the learner 'sls' takes whole numbers as weights"):
        learn(data, "sls", steps=10)
    assert "makes no use of weights" in shown_to("cuts", data)[1][0]


def test_no_comparisons_are_none():
    assert len(Comparisons.none(Schema((YesNo("a"),)))) == 0


def test_the_score_tells_of_comparisons():
    model = Model.build(AB, soft=[("a", 1)])
    data = Dataset.build(AB, [("", "10", 1)], [("", "10", "01"), ("", "00", "10"), ("", "11", "01")])
    found = score(model, data)
    assert (found.examples, found.correct, found.comparisons, found.disagreed) == (1, 1, 3, (2,))
