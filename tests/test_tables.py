"""Tables list what a context allows and nothing else, and know what constraints of any need leave uncovered in it."""

from __future__ import annotations

from fractions import Fraction

import naive
import numpy as np
import pytest
import strategies as some
from hypothesis import given, settings
from hypothesis import strategies as st

from hassle.data import Dataset
from hassle.errors import ResourceError
from hassle.evaluation import evaluate
from hassle.kernels.codes import FALSE, INFEASIBLE_LOSS, TRUE
from hassle.logic import EMPTY, Constraint, Context, Schema, as_context
from hassle.logic.schema import Choice, Number, YesNo
from hassle.model import VERDICTS, Model
from hassle.solve import best_values, optima, solve, verdicts
from hassle.solve.table import losses_of_all, losses_of_completions, rows_at
from hassle.tables import completions as module
from hassle.tables.completions import completions, count_completions, list_tables, listable, total_points
from hassle.tables.limits import WORD_BITS, largest_table

MOST_ATOMS = 7


@st.composite
def schemas(draw):
    """Columns of all kinds, seven atoms at most."""
    columns, atoms = [], 0
    for i in range(draw(st.integers(1, 4))):
        left = MOST_ATOMS - atoms
        kinds = [YesNo(f"c{i}")]
        if left >= 2:
            size = draw(st.integers(2, min(4, left)))
            kinds += [Choice(f"c{i}", tuple("pqrs"[:size])), Number(f"c{i}", 3, 3 + size)]
        if left:
            columns.append(draw(st.sampled_from(kinds)))
            atoms += len(columns[-1].atoms)
    return Schema(tuple(columns))


def constraints(n):
    return some.clauses(n, 1).flatmap(lambda lits: st.integers(1, len(lits)).map(lambda k: Constraint(lits, k)))


@st.composite
def problems(draw):
    """A schema, a context over it and a model with counts."""
    schema = draw(schemas())
    n = len(schema.variables)
    hard = draw(st.lists(constraints(n), max_size=3))
    soft = draw(st.lists(st.tuples(constraints(n), st.integers(-5, 5)), max_size=4))
    return Model.from_units(schema, hard, soft), draw(some.contexts(n))


def allowed(context, schema):
    return [
        bits
        for bits in naive.all_assignments(len(schema.variables))
        if naive.in_domain(schema, bits) and naive.context_holds(context, bits)
    ]


@given(schemas().flatmap(lambda s: st.tuples(st.just(s), some.contexts(len(s.variables)))))
@settings(max_examples=200)
def test_a_table_lists_the_points_that_are_allowed_and_no_others(problem):
    schema, context = problem
    listed = completions(context, schema)
    words = listed.words()
    assert words.tolist() == sorted(set(words.tolist()))
    rows = list(map(tuple, listed.assignments(words).tolist()))
    assert sorted(rows) == sorted(allowed(context, schema))
    assert listed.count == count_completions(context, schema) == len(rows)
    assert listed.full == (len(rows) == 1 << len(listed.free) and listed.rest is None)


def test_five_choices_among_four_values_are_1024_points():
    schema = Schema(tuple(Choice(f"c{i}", tuple("wxyz")) for i in range(5)))
    assert len(schema.variables) == 20
    tables = list_tables([EMPTY, as_context("c0 = w", schema), as_context("c1 = y", schema)], schema)
    assert tables.sizes.tolist() == [4**5, 4**4, 4**4]
    assert total_points([EMPTY], schema) == 4**5
    # Four open choices have the same list, whichever they are, and it is stored once.
    assert len(tables.words) == 4**5 + 4**4
    assert tables.starts[1] == tables.starts[2]


def test_full_cubes_share_their_words():
    schema = Schema.of("abcd")
    contexts = [as_context(text, schema) for text in ("a", "!b & c", "a & b & c & d", "a | b")]
    tables = list_tables(contexts, schema)
    assert tables.full.tolist() == [True, True, True, False]
    assert tables.starts[:3].tolist() == [0, 0, 0]
    assert tables.words[:8].tolist() == list(range(8))
    assert tables.sizes.tolist() == [8, 4, 1, 12]


@given(
    schemas().flatmap(
        lambda s: st.tuples(st.just(s), st.lists(some.contexts(len(s.variables)), min_size=1, max_size=4))
    )
)
@settings(max_examples=100)
def test_every_point_is_where_the_tables_say(problem):
    schema, contexts = problem
    tables = list_tables(contexts, schema)
    for t, context in enumerate(contexts):
        rows = np.array(allowed(context, schema), dtype=np.uint8).reshape(-1, len(schema.variables))
        points = tables.points(rows, np.full(len(rows), t))
        assert sorted(points.tolist()) == list(range(len(rows))) == list(range(tables.sizes[t]))
        for row, point in zip(rows, points, strict=True):
            word = tables.words[tables.starts[t] + point]
            read = [word >> p & 1 if p >= 0 else {FALSE: 0, TRUE: 1}[p] for p in tables.places[t].tolist()]
            assert read == row.tolist()


@given(problems())
@settings(max_examples=200)
def test_losses_of_counts_in_domains_are_brute_forces(problem):
    model, context = problem
    listed, losses = losses_of_completions(model, context)
    rows = rows_at(listed, np.arange(len(losses)))
    assert sorted(map(tuple, rows.tolist())) == sorted(allowed(context, model.schema))
    total = model.weights.sum()
    for bits, loss in zip(rows.tolist(), losses.tolist(), strict=True):
        if naive.feasible(model, context, bits):
            assert model.decimal(int(total - loss)) == naive.value(model, bits)
        else:
            assert loss == INFEASIBLE_LOSS


@given(problems())
@settings(max_examples=150)
def test_optima_with_counts_in_domains_are_brute_forces(problem):
    model, context = problem
    expected, value = naive.optima(model, context)
    found = optima(model, context, solver="table")
    assert sorted(map(tuple, found.assignments.tolist())) == sorted(expected)
    assert (None if found.value is None else model.decimal(found.value)) == value
    best = solve(model, context, solver="table")
    assert (best is None) == (not expected)
    assert best is None or tuple(best.bits) in expected
    some_value = best_values(model, [context, EMPTY], solver="table")[0]
    assert (None if some_value is None else model.decimal(some_value)) == value


@given(problems(), st.data())
@settings(max_examples=60)
def test_verdicts_with_counts_in_domains_are_brute_forces(problem, data):
    model, context = problem
    rows = allowed(context, model.schema)
    if rows:
        examples = Dataset.build(model.schema, [(context, np.array(row, dtype=np.uint8), 1) for row in rows])
        codes = verdicts(model, examples, solver="table")
        assert [VERDICTS[code] for code in codes] == [naive.verdict(model, context, row) for row in rows]


@given(problems())
@settings(max_examples=60)
def test_losses_of_all_vectors_are_brute_forces(problem):
    model, _ = problem
    total, losses = model.weights.sum(), losses_of_all(model)
    for number, loss in enumerate(losses.tolist()):
        bits = tuple(number >> v & 1 for v in range(len(model.variables)))
        if naive.feasible(model, EMPTY, bits):
            assert model.decimal(int(total - loss)) == naive.value(model, bits)
        else:
            assert loss == INFEASIBLE_LOSS


def test_accuracy_counts_points_of_the_domain_only():
    schema = Schema((Choice("shift", ("early", "late", "night")), YesNo("bonus")))
    truth = Model.build(schema, soft=[("shift = night", 1)])
    other = Model.build(schema, soft=[("shift = late", 1)])
    assert evaluate(other, truth).accuracy == Fraction(2, 6)


def test_long_lists_are_made_in_blocks(monkeypatch):
    schema = Schema((Choice("a", tuple("vwxyz")), Number("b", 0, 4), YesNo("c")))
    context = as_context("a != v & (b >= 2 | c)", schema)
    whole = completions(context, schema).words()
    monkeypatch.setattr(module, "BLOCK", 3)
    monkeypatch.setattr(module, "WIDEST_DIGIT", 4)
    assert completions(context, schema).words().tolist() == whole.tolist()
    assert count_completions(context, schema) == len(allowed(context, schema)) == len(whole)


def test_what_cannot_be_listed_is_refused_in_words():
    wide = Schema(tuple(Choice(f"c{i}", tuple("wxyz")) for i in range(8)))
    assert not listable([EMPTY], wide, 1 << 20)[0]
    with pytest.raises(ResourceError, match=rf"32 variables open, more than the {WORD_BITS}"):
        solve(Model(wide), solver="table")
    with pytest.raises(ResourceError, match="GB, more than"):
        solve(Model.build([f"x{i}" for i in range(largest_table() + 1)]), solver="table")
    # A contradiction has no completions, however many variables it leaves open.
    assert solve(Model(wide), Context((1, 2)), solver="table") is None


def test_a_context_against_the_domain_has_no_points():
    schema = Schema((Number("n", 0, 3), YesNo("a")))
    context = Context((-1, 2))
    assert count_completions(context, schema) == 0
    assert list_tables([context], schema).sizes.tolist() == [0]
    assert best_values(Model.build(schema), [context], solver="table") == [None]
