"""Examples of models with counts, choices and numbers: contexts and assignments are in the domain, labels are true."""

from __future__ import annotations

import counting_problems
import naive
import numpy as np
import pytest

from hassle.errors import InputError
from hassle.generate import contexts as drawing
from hassle.generate import examples
from hassle.generate.contexts import draw_contexts
from hassle.generate.examples import Wanted, draw_examples
from hassle.generate.problem import generate_data
from hassle.logic import EMPTY, Choice, Constraint, Context, Number, Schema, YesNo
from hassle.model import Model
from hassle.solve.choice import has_counts

LABELS = {"positive": "optimal", "infeasible": "infeasible", "suboptimal": "suboptimal"}


def check(truth, data):
    assert data.schema == truth.schema
    for example in data:
        bits = example.assignment.bits
        assert naive.in_domain(truth.schema, bits)
        assert naive.context_holds(example.context, bits)
        assert naive.verdict(truth, example.context, bits) == LABELS[example.label]


@pytest.mark.parametrize("way", ["table", "solver"])
def test_examples_are_in_the_domain_and_truly_labelled(way, monkeypatch):
    if way == "solver":
        monkeypatch.setattr(drawing, "TABLE_VARIABLES", -1)
        monkeypatch.setattr(examples, "TABLE_FREE", 0)
        monkeypatch.setattr(examples, "SOLVER_ROUNDS", 3)
    seen = 0
    for seed in range(60 if way == "table" else 25):
        truth, _ = counting_problems.problem(seed)
        try:
            made = generate_data(truth, 4, context_literals=1, reasons=True, seed=seed)
        except InputError:
            continue  # no feasible assignment, or no context that changes anything
        check(truth, made.data)
        seen += len(made.data)
    assert seen > 50


def test_contexts_change_the_optimum_within_the_domain():
    schema = Schema((Choice("shift", ("early", "late", "night")), Number("staff", 0, 3), YesNo("ana"), YesNo("ben")))
    truth = Model.build(schema, ["at least 1 of ana, ben, 'staff>=2'"], [("shift = night", 1), ("staff >= 1", 0.5)])
    best, value = naive.optima(truth, EMPTY)
    for literals in (1, 2):
        drawn = draw_contexts(truth, 50, np.random.default_rng(0), literals)
        assert drawn.changing
        for context in drawn.contexts:
            _, here = naive.optima(truth, context)
            assert here is not None
            assert here < value or not all(naive.context_holds(context, bits) for bits in best)


def test_every_completion_in_the_domain_is_sampled_alike():
    schema = Schema((Choice("shift", ("early", "late", "night")), Number("staff", 0, 3), YesNo("ana")))
    context = Context.parse("shift != early & (ana | staff >= 2)", schema)
    rows = examples._completions(Model.build(schema), context, np.random.default_rng(0))
    found, counts = np.unique(rows, axis=0, return_counts=True)
    inside = [b for b in naive.all_assignments(7) if naive.in_domain(schema, b) and naive.context_holds(context, b)]
    assert sorted(map(tuple, found.tolist())) == sorted(inside)
    assert np.all(abs(counts - counts.mean()) < 5 * np.sqrt(counts.mean()))
    nowhere = Context.parse("staff >= 2 & staff < 1", schema)
    assert len(examples._completions(Model.build(schema), nowhere, np.random.default_rng(0))) == 0


def test_large_truths_with_counts_and_choices_give_examples():
    columns = [Choice(f"n{n}_d{d}", ("early", "late", "off")) for n in range(5) for d in range(4)]
    schema = Schema(tuple(columns))
    cells = np.arange(1, 61).reshape(5, 4, 3)  # by nurse, day and shift
    hard = [Constraint(tuple(cells[:, d, s].tolist())) for d in range(4) for s in (0, 1)]
    hard += [Constraint.at_most(3, nurse[:, :2].ravel().tolist()) for nurse in cells]
    rng = np.random.default_rng(1)
    wishes = [((int(v),), int(rng.integers(1, 1000))) for v in rng.choice(60, size=30, replace=False) + 1]
    truth = Model.from_units(schema, hard, wishes)
    assert has_counts(truth)
    made = generate_data(truth, 3, context_literals=4, reasons=True, seed=0)
    assert {example.label for example in made.data} == set(LABELS)
    for example in made.data:
        row = np.array(example.assignment.bits, dtype=np.uint8)
        assert schema.admits(row[None, :])[0]
        assert truth.verdict(example.assignment, example.context) == LABELS[example.label]


def test_a_context_in_which_nothing_is_feasible_gives_infeasible_examples_alone():
    schema = Schema((Choice("shift", ("early", "late")), YesNo("ana")))
    truth = Model.build(schema, ["shift = early"])
    rows, labels = draw_examples(truth, Context.parse("shift = late", schema), Wanted(), np.random.default_rng(0))
    assert len(rows) == len(labels) > 0
    assert all(naive.in_domain(schema, row.tolist()) for row in rows)
