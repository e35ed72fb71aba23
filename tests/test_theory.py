"""The paper's bounds, evaluated on concrete cases: they hold, and its example comes out as printed."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import naive
import numpy as np
import pytest

from hassle import theory
from hassle.errors import InputError, ResourceError
from hassle.logic import EMPTY, Context, as_context
from hassle.model import Model


def random_model(chance, variables, weights=(-4, 5)):
    names = tuple(f"x{i}" for i in range(variables))

    def clause():
        chosen = chance.sample(range(1, variables + 1), chance.randint(1, min(3, variables)))
        return tuple(sorted((v * chance.choice((1, -1)) for v in chosen), key=abs))

    hard = [clause() for _ in range(chance.randint(0, 3))]
    return Model.from_units(
        names, hard, [(clause(), chance.randint(*weights)) for _ in range(chance.randint(0, 4))], 10
    )


def random_context(chance, variables):
    chosen = chance.sample(range(1, variables + 1), chance.randint(0, variables - 1))
    return Context(tuple(sorted((v * chance.choice((1, -1)) for v in chosen), key=abs)))


def test_the_regret_bound_is_never_exceeded():
    chance = random.Random(7)
    tight = exceeded = 0
    for _ in range(1000):
        n = chance.randint(1, 4)
        model, truth, context = random_model(chance, n), random_model(chance, n), random_context(chance, n)
        size = len(theory.assignments_in(context, n))
        distribution = [chance.randint(1, 9) for _ in range(size)]
        worst = Fraction(chance.randint(0, 20), 10)
        found = theory.regret_bound(model, truth, context, worst_regret=worst, distribution=distribution)
        optima, expected = naive_regret(model, truth, context, worst)
        assert found.optima == optima
        assert found.regret == expected
        if found.regret is not None:
            assert found.assured
            exceeded += found.regret > found.bound
            tight += found.regret == found.bound
    assert exceeded == 0
    assert tight  # among them models without a mistake, where both sides are 0


def naive_regret(model, truth, context, worst):
    """The average regret from Definition "Regret", with what an infeasible assignment costs."""
    optima, _ = naive.optima(model, context)
    _, best = naive.optima(truth, context)
    regrets = [
        Fraction(best - naive.value(truth, bits)) if naive.feasible(truth, context, bits) else worst for bits in optima
    ]
    return len(optima), sum(regrets) / len(regrets) if regrets else None


def test_the_bound_needs_every_wrong_optimum_to_have_a_chance():
    """The theorem takes the least *positive* probability; where wrong optima never occur, its inequality can fail."""
    model = Model.build(("a", "b"), soft=[("a", 1), ("b", 1)])
    truth = Model.build(("a", "b"), soft=[("!a", 1), ("!b", 1)])
    only_01 = [int(tuple(row) == (0, 1)) for row in theory.assignments_in(EMPTY, 2).tolist()]
    found = theory.regret_bound(model, truth, worst_regret=0, distribution=only_01)
    assert (found.regret, found.bound, found.risk) == (2, 0, 0)
    assert not found.assured


def test_a_model_without_optima_has_no_regret():
    found = theory.regret_bound(Model.build(("a",), hard=["a", "!a"]), Model.build(("a",)), worst_regret=1)
    assert (found.regret, found.bound, found.optima) == (None, None, 0)


def literal_hypotheses():
    """Every MAX-SAT classifier over Φ = {X1, X2, X3, ¬X1, ¬X2, ¬X3}, up to what it says.

    Each variable's two weights matter only through the sign of their difference, so weights in {-1, 0, 1} on the
    positive literals give all classifiers, with every set of hard literals.
    """
    names = ("X1", "X2", "X3")
    literals = [(sign * v,) for v in (1, 2, 3) for sign in (1, -1)]
    for weights in itertools.product((-1, 0, 1), repeat=3):
        for chosen in itertools.product((False, True), repeat=6):
            hard = [lit for lit, hard in zip(literals, chosen, strict=True) if hard]
            yield Model.from_units(names, hard, [((v,), weight) for v, weight in enumerate(weights, start=1)], 1)


FIGURE_TRUTH = Model.build(("X1", "X2", "X3"), soft=[("X1", 1), ("X2", 1), ("X3", 1)])
FIGURE_CONTEXTS = ["X1", "!X1", "X2 & X3"]


def test_figure_rep_context_the_hypothesis_of_the_text():
    """x = (0, 1, 1) taken for a global optimum: neither X1 nor ¬X1 notices, X2 ∧ X3 does."""
    model = Model.build(("X1", "X2", "X3"), soft=[("!X1", 1), ("X2", 1), ("X3", 1)])
    without = theory.representativeness(model, FIGURE_TRUTH, FIGURE_CONTEXTS[:2])
    assert not without.representative
    assert (0, 1, 1) in set(map(tuple, without.uncovered.tolist()))
    counts = {tuple(row): n for row, n in zip(without.assignments.tolist(), without.matches.sum(axis=1), strict=True)}
    assert counts[(0, 1, 1)] == 0
    full = theory.representativeness(model, FIGURE_TRUTH, FIGURE_CONTEXTS)
    assert full.representative
    assert len(full.uncovered) == 0


def test_figure_rep_context_for_every_hypothesis():
    """The caption's claim: the three contexts are representative for Φ and w*, the first two are not."""
    uncovered = set()
    for model in literal_hypotheses():
        assert theory.representativeness(model, FIGURE_TRUTH, FIGURE_CONTEXTS).representative
        missing = theory.representativeness(model, FIGURE_TRUTH, FIGURE_CONTEXTS[:2]).uncovered
        uncovered |= set(map(tuple, missing.tolist()))
    assert (0, 1, 1) in uncovered


def test_representativeness_equals_its_definition():
    chance = random.Random(3)
    for _ in range(150):
        n = chance.randint(1, 4)
        model, truth = random_model(chance, n), random_model(chance, n)
        target = random_context(chance, n)
        contexts = [random_context(chance, n) for _ in range(chance.randint(0, 3))]
        found = theory.representativeness(model, truth, contexts, target)
        for row, matches in zip(found.assignments.tolist(), found.matches.tolist(), strict=True):
            assert matches == [error_match(model, truth, target, tuple(row), context) for context in contexts]
        expected = [bits for bits in naive.all_assignments(n) if naive.context_holds(target, bits)]
        assert {tuple(row) for row in found.assignments.tolist()} == set(expected)


def error_match(model, truth, target, bits, context):
    def errs(where):
        return (bits in naive.optima(model, where)[0]) != (bits in naive.optima(truth, where)[0])

    return naive.context_holds(context, bits) and (not errs(target) or errs(context))


def test_the_mixture_lemma_holds_with_its_betas():
    chance = random.Random(11)
    checked = 0
    for _ in range(400):
        n = chance.randint(1, 3)
        model, truth = random_model(chance, n), random_model(chance, n)
        contexts = [random_context(chance, n) for _ in range(chance.randint(1, 4))]
        target = random_context(chance, n)

        def distribution(context, n=n):
            return [chance.randint(1, 9) for _ in theory.assignments_in(context, n)]

        mine, theirs = distribution(target), [distribution(context) for context in contexts]
        found = theory.representativeness(model, truth, contexts, target)
        betas = found.betas(mine, theirs)
        if not found.representative:
            continue
        checked += 1
        assert None not in betas
        mixed = sum(
            beta * theory.risk(model, truth, context, each)
            for beta, context, each in zip(betas, contexts, theirs, strict=True)
        )
        assert theory.risk(model, truth, target, mine) <= mixed
    assert checked > 50


def test_betas_of_contexts_that_do_not_cover_the_target_are_infinite():
    model = Model.build(("X1", "X2", "X3"), soft=[("!X1", 1), ("X2", 1), ("X3", 1)])
    found = theory.representativeness(model, FIGURE_TRUTH, FIGURE_CONTEXTS[:2])
    assert found.betas()[1] is None
    full = theory.representativeness(model, FIGURE_TRUTH, FIGURE_CONTEXTS)
    # Uniform: 1/8 in the target, 1/4 in X1 and in !X1, 1/2 in X2 & X3; (0, 0, 0) is covered by !X1 alone.
    assert full.betas()[1] == Fraction(1, 8) / Fraction(1, 4)


def test_vc_bound_and_candidates():
    assert theory.vc_bound(6) == 5 * 13
    assert theory.vc_bound(10, u=4.5) == math.ceil(4.5 * 21)
    # The paper's benchmark: 20 variables, up to 3 literals.
    assert theory.candidate_clauses(20, 3) == 9920
    assert theory.candidate_clauses(3, 9) == 3**3 - 1


def test_sample_sizes():
    size = theory.sample_size(10, 0.1, 0.05)
    assert size.lower == math.ceil(100 * (10 + math.log(20)))
    assert size.upper == math.ceil(100 * (10 * math.log(100) + math.log(20)))
    noisy = theory.sample_size(10, 0.1, 0.05, noise=0.25)
    assert noisy.upper == math.ceil(4 * 100 * (10 * math.log(100) + math.log(20)))
    doubled = theory.sample_size(10, 0.1, 0.05, upper_constant=2, lower_constant=0.5)
    assert doubled.upper == math.ceil(200 * (10 * math.log(100) + math.log(20)))
    assert theory.sample_size(10, 0.05, 0.05).upper > size.upper
    for wrong in ({"epsilon": 0}, {"epsilon": 1.5}, {"delta": 0}, {"noise": 0.5}, {"noise": -0.1}):
        with pytest.raises(InputError):
            theory.sample_size(**{"dimension": 10, "epsilon": 0.1, "delta": 0.1, **wrong})


def test_examples_per_context():
    assert theory.examples_per_context(10, 0.1, 0.05, 1) == theory.sample_size(10, 0.1, 0.05)
    assert theory.examples_per_context(10, 0.1, 0.05, 4, 2.0) == theory.sample_size(10, 0.1 / 8, 0.05 / 4)
    with pytest.raises(InputError):
        theory.examples_per_context(10, 0.1, 0.05, 0)


def test_distributions_are_checked():
    model = Model.build(("a",))
    assert theory.risk(model, Model.build(("a",), hard=["a"]), distribution=[0.25, 0.75]) == Fraction(1, 4)
    for wrong in ([1], [0, 0], [2, -1]):
        with pytest.raises(InputError):
            theory.risk(model, model, distribution=wrong)
    with pytest.raises(ResourceError):
        theory.assignments_in(EMPTY, 30)


def test_classifiers_equal_their_definition():
    chance = random.Random(2)
    for _ in range(100):
        n = chance.randint(1, 4)
        model = random_model(chance, n)
        context = as_context("x0 | !x0" if chance.random() < 0.2 else random_context(chance, n), model.variables)
        rows = np.array(naive.all_assignments(n), dtype=np.uint8)
        expected = naive.optima(model, context)[0]
        assert theory.classified(model, context, rows).tolist() == [tuple(row) in expected for row in rows.tolist()]
