"""The optima as clauses and as diagrams: both hold exactly what enumeration finds, and drawing is uniform."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from strategies import contexts, models

from hassle.errors import ResourceError
from hassle.logic import EMPTY, as_context
from hassle.model import Model
from hassle.solve import diagram as diagrams
from hassle.solve.diagram import below, diagram_of
from hassle.solve.optima_cnf import OptimaProblem
from hassle.solve.sampling import draw_distinct, sample_optima


def in_units(model, value):
    return None if value is None else int(value * model.unit)


def extensions(cnf, bits):
    """In how many ways the determined variables can be chosen for these values of the model's own, by plain search."""
    clauses = [clause for clause in cnf.clauses if not any(_true(lit, bits) for lit in clause)]
    open_ = [tuple(lit for lit in clause if abs(lit) > len(bits)) for clause in clauses]
    fresh = range(len(bits) + 1, cnf.variables + 1)
    return _search(open_, list(fresh))


def _true(lit, bits):
    return abs(lit) <= len(bits) and (bits[abs(lit) - 1] == 1) == (lit > 0)


def _search(clauses, variables):
    if any(not clause for clause in clauses):
        return 0
    if not variables:
        return 1
    v, *rest = variables
    total = 0
    for lit in (v, -v):
        left = [tuple(other for other in clause if other != -lit) for clause in clauses if lit not in clause]
        total += _search(left, rest)
    return total


@st.composite
def cases(draw):
    model = draw(models(max_variables=5, max_soft=6, plain_names=True, min_weight=-4, max_weight=4))
    return model, draw(contexts(len(model.variables)))


@settings(max_examples=150, deadline=None)
@given(cases())
def test_clauses_hold_for_the_optima_alone_and_extend_in_one_way(case):
    model, context = case
    best, value = naive.optima(model, context)
    cnf = OptimaProblem.optima(model, context, in_units(model, value)).cnf()
    for bits in naive.all_assignments(len(model.variables)):
        assert extensions(cnf, bits) == (bits in best)


@settings(max_examples=200, deadline=None)
@given(cases(), st.integers(0, 2**32))
def test_a_diagram_counts_and_draws_the_optima_alone(case, seed):
    model, context = case
    best, value = naive.optima(model, context)
    diagram = diagram_of(OptimaProblem.optima(model, context, in_units(model, value)))
    assert diagram.count == len(best)
    rows = draw_distinct(diagram, len(model.variables), 100, np.random.default_rng(seed))
    assert {tuple(row) for row in rows.tolist()} == best
    assert len(rows) == len(best)
    for wanted in itertools.product(*((0, v, -v) for v in range(1, len(model.variables) + 1))):
        literals = [lit for lit in wanted if lit]
        expected = sum(all((bits[abs(lit) - 1] == 1) == (lit > 0) for lit in literals) for bits in best)
        assert diagram.count_where(literals) == expected
    assert diagram.count_where([1, -1]) == 0


@settings(max_examples=150, deadline=None)
@given(cases(), st.data())
def test_optima_of_two_models_at_once(case, data):
    model, context = case
    other = data.draw(models(len(model.variables), len(model.variables), max_soft=5, plain_names=True, max_weight=5))
    found = [naive.optima(each, context) for each in (model, other)]
    demands = [(each, in_units(each, value)) for each, (_, value) in zip((model, other), found, strict=True)]
    problem = OptimaProblem.of(model.schema, model.hard + other.hard, context, demands)
    common = found[0][0] & found[1][0]
    assert diagram_of(problem).count == len(common)
    cnf = problem.cnf()
    for bits in naive.all_assignments(len(model.variables)):
        assert extensions(cnf, bits) == (bits in common)


def test_drawing_is_uniform():
    """Chi-square over the optima of a model whose diagram has free variables, branches and several parts."""
    names = tuple("abcdefgh")
    model = Model.build(
        names,
        hard=["a | b", "!b | c", "e | f | g"],
        soft=[("!a", 1), ("!c", 1), ("d | e", 2), ("!d | !e", "0.5"), ("f", "-0.25"), ("!f", "-0.25")],
    )
    best, value = naive.optima(model, EMPTY)
    assert 8 < len(best) < 60
    diagram = diagram_of(OptimaProblem.optima(model, EMPTY, in_units(model, value)))
    rng = np.random.default_rng(1)
    seen = dict.fromkeys(best, 0)
    for _ in range(200 * len(best)):
        seen[tuple(diagram.draw(rng, len(names)).tolist())] += 1
    assert chisquare(list(seen.values())).pvalue > 0.001


def test_distinct_samples_are_uniform_over_pairs():
    model = Model.build(("a", "b", "c"), hard=["a | b | c", "!a | !b"])
    best, _ = naive.optima(model, EMPTY)
    pairs = dict.fromkeys(map(frozenset, itertools.combinations(sorted(best), 2)), 0)
    rng = np.random.default_rng(2)
    for _ in range(100 * len(pairs)):
        drawn = sample_optima(model, EMPTY, 0, 2, rng)
        assert not drawn.complete
        assert drawn.count == len(best)
        pairs[frozenset(map(tuple, drawn.assignments.tolist()))] += 1
    assert chisquare(list(pairs.values())).pvalue > 0.001


DRAW = """
import numpy as np
from hassle.logic import EMPTY
from hassle.model import Model
from hassle.solve.sampling import sample_optima
names = tuple(f"x{i}" for i in range(40))
rng = np.random.default_rng(5)
clauses = [[int(v) * int(rng.choice([1, -1])) for v in 1 + rng.choice(40, 3, replace=False)] for _ in range(45)]
model = Model.build(names, hard=clauses)
print(sample_optima(model, EMPTY, 0, 20, rng).assignments.tolist())
"""


def test_the_same_seed_draws_the_same_optima_in_every_process():
    runs = []
    for hashing in ("1", "2"):  # Python's order of sets and names differs from process to process by this alone
        environment = {**os.environ, "PYTHONHASHSEED": hashing}
        runs.append(
            subprocess.run([sys.executable, "-c", DRAW], capture_output=True, check=True, env=environment).stdout
        )
    assert runs[0] == runs[1]
    rows = np.array(json.loads(runs[0]), dtype=np.uint8)
    assert len({tuple(row) for row in rows.tolist()}) == 20


def test_a_chain_has_as_many_covers_as_fibonacci_says():
    names = tuple(f"x{i}" for i in range(100))
    model = Model.build(names, hard=[f"x{i} | x{i + 1}" for i in range(99)])
    old, new = 1, 2
    for _ in range(99):
        old, new = new, old + new
    assert diagram_of(OptimaProblem.optima(model, EMPTY, 0)).count == new


def test_large_numbers_are_drawn_evenly():
    rng = np.random.default_rng(0)
    bound = 3 * 2**100
    thirds = np.bincount([3 * below(bound, rng) // bound for _ in range(3000)], minlength=3)
    assert chisquare(thirds).pvalue > 0.001
    assert below(1, rng) == 0


def test_too_large_a_diagram_is_an_error(monkeypatch):
    monkeypatch.setattr(diagrams, "MOST_PARTS", 3)
    rng = np.random.default_rng(0)
    clauses = [[int(v) * rng.choice([1, -1]) for v in 1 + rng.choice(12, 3, replace=False)] for _ in range(30)]
    model = Model.build(tuple(f"x{i}" for i in range(12)), hard=clauses)
    with pytest.raises(ResourceError, match="too entangled"):
        diagram_of(OptimaProblem.optima(model, EMPTY, 0))


def test_contexts_that_are_formulas():
    names = ("a", "b", "c", "d")
    model = Model.build(names, soft=[("a", 1), ("b", 1), ("c", 1)])
    context = as_context("(a -> !b) & (c <-> d)", names)
    best, value = naive.optima(model, context)
    assert diagram_of(OptimaProblem.optima(model, context, in_units(model, value))).count == len(best) == 2
