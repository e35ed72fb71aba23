"""True models: uniform clauses, exact counts, nothing implied, satisfiable; all judged by brute force."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from math import comb
from pathlib import Path

import numpy as np
import pytest
from naive import all_assignments, clause_holds
from scipy.stats import chisquare

from hassle import InputError
from hassle.generate import model_from_cnf, random_model, satlib_like
from hassle.generate.clauses import clause_counts, uniform_below, uniform_clauses
from hassle.generate.models import is_open, sat_solver
from hassle.logic import clauses_of, default_names
from hassle.model import Model

REAL_FILES = sorted(Path(__file__).resolve().parents[2].glob("shared/data/uf20-91/*.cnf"))


def every_clause(variables, max_literals):
    return [
        tuple(sign * (v + 1) for v, sign in zip(chosen, signs, strict=True))
        for length in range(1, max_literals + 1)
        for chosen in combinations(range(variables), length)
        for signs in product((1, -1), repeat=length)
    ]


def satisfying(clauses, variables):
    return [bits for bits in all_assignments(variables) if all(clause_holds(clause, bits) for clause in clauses)]


def is_left_open(clause, clauses, variables):
    return len({clause_holds(clause, bits) for bits in satisfying(clauses, variables)}) == 2


def test_clause_counts_are_those_of_an_enumeration():
    for variables in range(1, 6):
        for longest in range(1, variables + 1):
            assert sum(clause_counts(variables, longest)) == len(every_clause(variables, longest))


def test_every_clause_is_equally_likely():
    stream = uniform_clauses(4, 3, np.random.default_rng(5))
    counts = Counter(next(stream) for _ in range(12_000))
    space = every_clause(4, 3)
    assert set(counts) == set(space)
    assert chisquare([counts[clause] for clause in space]).pvalue > 0.001


def test_integers_beyond_64_bits_are_drawn_uniformly():
    rng = np.random.default_rng(0)
    bound = 3 * 2**100
    thirds = Counter(uniform_below(bound, rng) >> 100 for _ in range(6_000))
    assert set(thirds) == {0, 1, 2}
    assert chisquare([thirds[third] for third in range(3)]).pvalue > 0.001


def test_many_variables_need_no_enumeration():
    model = random_model(300, 40, 40, np.random.default_rng(1))
    lengths = [len(clause.literals) for clause in model.constraints]
    assert max(lengths) <= 150
    # Nearly all clauses of up to n/2 literals are of nearly n/2.
    assert min(lengths) > 140


@pytest.mark.parametrize(
    ("variables", "hard", "soft", "longest"), [(8, 10, 10, None), (6, 8, 5, 2), (4, 5, 5, 4), (1, 0, 2, 1)]
)
def test_models_keep_their_promises(variables, hard, soft, longest):
    for seed in range(5):
        model = random_model(variables, hard, soft, np.random.default_rng(seed), longest)
        limit = max(1, variables // 2) if longest is None else longest
        assert model.variables == default_names(variables)
        assert (len(model.hard), len(model.soft)) == (hard, soft)
        assert len(set(model.constraints)) == hard + soft
        assert all(1 <= len(clause.literals) <= limit for clause in model.constraints)
        clauses = clauses_of(model.hard)
        for j, clause in enumerate(clauses):
            assert is_left_open(clause, clauses[:j], variables)
        for clause in clauses_of(model.soft_constraints):
            assert is_left_open(clause, clauses, variables)
        assert satisfying(clauses, variables)
        assert all(1 <= weight <= 1000 for weight in model.weights)
        assert model.unit == 1000


def test_openness_by_solver_is_openness_by_brute_force():
    rng = np.random.default_rng(3)
    answers = Counter()
    for _ in range(60):
        stream = uniform_clauses(4, 2, rng)
        clauses = [next(stream) for _ in range(3)]
        with sat_solver(clauses) as solver:
            for clause in every_clause(4, 2):
                expected = is_left_open(clause, clauses, 4)
                answers[expected] += 1
                assert is_open(solver, clause) == expected
    assert min(answers.values()) > 100


def test_weights_are_uniform_over_the_thousandths():
    rng = np.random.default_rng(2)
    weights = np.concatenate([random_model(10, 0, 200, rng).weights for _ in range(30)])
    assert {1, 1000} >= {weights.min(), weights.max()} or (weights.min() < 5 and weights.max() > 995)
    assert chisquare(np.bincount((weights - 1) // 100, minlength=10)).pvalue > 0.001


def test_another_seed_makes_another_model_and_the_same_seed_the_same():
    """The reference code's restarts made the same "random" model over and over, because its seed was fixed."""
    models = [random_model(8, 10, 10, np.random.default_rng(seed)) for seed in range(20)]
    assert len({model.hard for model in models}) == 20
    assert len({tuple(model.weights) for model in models}) == 20
    assert random_model(8, 10, 10, np.random.default_rng(7)) == models[7]
    rng = np.random.default_rng(0)
    assert random_model(8, 10, 10, rng) != random_model(8, 10, 10, rng)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2, 5, 4, 1), "9 clauses asked for, but 2 variables have only 4 clauses"),
        ((3, 8, 0, 3), "8 hard clauses over 3 variables cannot be satisfied"),
        ((3, 7, 1, 3), "found no 7 hard and 1 soft clauses"),
        ((5, 6, 0, 1), "found no 6 hard and 0 soft clauses"),
        ((0, 1, 1, None), "0 variables"),
        ((4, -1, 1, None), "-1 clauses"),
        ((4, 1, 1, 5), "up to 5 literals over 4 variables"),
        ((4, 1, 1, 0), "up to 0 literals"),
    ],
)
def test_impossible_wishes_end_with_a_message(arguments, message):
    variables, hard, soft, longest = arguments
    with pytest.raises(InputError, match=message):
        random_model(variables, hard, soft, np.random.default_rng(0), longest)


def test_as_many_hard_clauses_as_can_be():
    # Each excludes one assignment at least, and one assignment is left.
    model = random_model(2, 3, 0, np.random.default_rng(0), 2)
    assert len(satisfying(clauses_of(model.hard), 2)) == 1


def test_formulas_like_satlib_are_satisfiable_and_uniform():
    formula = satlib_like(np.random.default_rng(4))
    assert len(formula.variables) == 20
    assert not formula.soft
    assert len(set(formula.hard)) == 91
    assert {len(clause.literals) for clause in formula.hard} == {3}
    with sat_solver(clauses_of(formula.hard)) as solver:
        assert solver.solve()
    rng = np.random.default_rng(8)
    counts = Counter(clause for _ in range(400) for clause in satlib_like(rng, 5, 6, 3).hard)
    assert len(counts) == comb(5, 3) * 8
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_formulas_that_cannot_be_are_refused():
    with pytest.raises(InputError, match="no 9 clauses of 3 literals over 3"):
        satlib_like(np.random.default_rng(0), 3, 9, 3)
    with pytest.raises(InputError, match="none of 1000 random formulas"):
        satlib_like(np.random.default_rng(0), 3, 8, 3)


def test_benchmark_models_take_their_clauses_from_the_formula():
    formula = satlib_like(np.random.default_rng(0))
    models = [model_from_cnf(formula, 10, 10, np.random.default_rng(seed)) for seed in range(5)]
    for model in models:
        assert model.variables == formula.variables
        assert (len(model.hard), len(model.soft)) == (10, 10)
        assert len(set(model.constraints)) == 20
        assert set(model.constraints) <= set(formula.hard)
        for j, clause in enumerate(clauses_of(model.constraints)):
            with sat_solver(clauses_of(model.hard[:j])) as solver:
                assert is_open(solver, clause)
    assert len({model.hard for model in models}) == 5


def test_redundant_and_impossible_clauses_of_a_formula_are_passed_over():
    formula = Model.from_units(default_names(3), [(1,), (1, 2), (1, 3), (-1,), (), (2, 3), (1,)])
    for seed in range(20):
        model = model_from_cnf(formula, 2, 0, np.random.default_rng(seed))
        first, second = clauses_of(model.hard)
        assert is_left_open(second, [first], 3)
    with pytest.raises(InputError, match="found no 5 hard"):
        model_from_cnf(formula, 5, 0, np.random.default_rng(0))
    with pytest.raises(InputError, match="the file has only 6"):
        model_from_cnf(formula, 5, 5, np.random.default_rng(0))


@pytest.mark.skipif(not REAL_FILES, reason="the SATLIB files are not here")
def test_real_satlib_files_make_benchmark_models():
    formula = Model.read(REAL_FILES[0])
    model = model_from_cnf(formula, 10, 10, np.random.default_rng(0))
    assert len(model.variables) == 20
    assert set(model.constraints) <= set(formula.hard)
