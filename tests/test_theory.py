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
from hassle.data import Dataset
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


def test_examples_per_context_under_noise_and_with_mistakes():
    noisy = theory.examples_per_context(10, 0.1, 0.05, 4, 2.0, noise=0.25)
    assert noisy == theory.sample_size(10, 0.1 / 8, 0.05 / 4, noise=0.25)
    # What is needed does not depend on what cannot be avoided; what the paper prints does.
    assert theory.examples_per_context(10, 0.1, 0.05, 4, 2.0, mistakes=0.3) == theory.sample_size(10, 0.1 / 8, 0.05 / 4)
    printed = theory.examples_per_context(10, 0.1, 0.05, 4, 2.0, mistakes=0.3, as_printed=True)
    assert printed == theory.sample_size(10, 0.4 / 8, 0.05 / 4)
    assert theory.examples_per_context(10, 0.1, 0.05, 4, as_printed=True) == theory.examples_per_context(
        10, 0.1, 0.05, 4
    )


def test_extreme_numbers_have_clear_answers():
    nothing = theory.SampleSize(0, 0)
    assert theory.examples_per_context(10, 0.5, 0.05, 4, beta=0) == nothing
    assert theory.examples_per_context(10, 0.5, 0.05, 1, beta=0.1) == nothing
    for epsilon in (0.6, 0.61, 0.7, 0.99, 1 - 1e-12):
        size = theory.sample_size(10, epsilon, 0.05)
        assert size.lower <= size.upper
    for wrong, message in (
        ({"epsilon": 1}, "a risk is at most 1"),
        ({"epsilon": 7.5}, "a risk is at most 1"),
        ({"epsilon": math.inf}, "a risk is at most 1"),
        ({"epsilon": math.nan}, "epsilon is nan"),
        ({"epsilon": 1e-200}, "too small"),
        ({"delta": 1}, "delta is 1"),
        ({"beta": -1}, "beta is -1"),
        ({"beta": math.inf}, "beta is inf"),
        ({"beta": math.nan}, "beta is nan"),
        ({"mistakes": -0.5}, "mistakes is -0.5"),
        ({"mistakes": 3.5}, "mistakes is 3.5; take a number from 0 to 3"),
        ({"dimension": -1}, "dimension is -1"),
        ({"dimension": math.inf}, "dimension is inf"),
    ):
        with pytest.raises(InputError, match=message):
            theory.examples_per_context(**{"dimension": 10, "epsilon": 0.1, "delta": 0.1, "contexts": 3, **wrong})


def test_a_context_without_assignments_is_told():
    model = Model.build(("a", "b"), hard=["a"])
    for ask in (theory.risk, lambda *given: theory.regret_bound(*given, worst_regret=1)):
        with pytest.raises(InputError, match="no assignment satisfies the context"):
            ask(model, model, "a & !a")


@pytest.mark.parametrize("beta", [None, math.inf])
def test_contexts_that_are_not_representative_bound_nothing(beta):
    assert theory.target_risk_bound([0, 0], [1, beta]) == 1


def test_an_infinite_regret_makes_the_bound_void():
    truth = Model.build(("a", "b"), hard=["a"], soft=[("b", 1)])
    infeasible = Model.build(("a", "b"), soft=[("!a", 1)])
    suboptimal = Model.build(("a", "b"), hard=["a"], soft=[("!b", 1)])
    for model, regret, bound in ((infeasible, math.inf, math.inf), (suboptimal, 1, math.inf), (truth, 0, 0)):
        found = theory.regret_bound(model, truth, worst_regret=math.inf)
        assert (found.regret, found.bound) == (regret, bound)
    for wrong in (-1, math.nan):
        with pytest.raises(InputError, match="worst regret"):
            theory.regret_bound(truth, truth, worst_regret=wrong)


def test_the_agnostic_theorem_is_false_as_printed_and_holds_with_beta():
    """Truth "a", one hypothesis without clauses, contexts b and ¬b: summed risk .02, target risk .98, β = 97."""
    truth, only = Model.build(("a", "b"), hard=["a"]), Model.build(("a", "b"))
    contexts = ["b", "!b"]

    def chances(context, of):
        rows = theory.assignments_in(as_context(context, ("a", "b")), 2)
        return [Fraction(of[tuple(row)]) for row in rows.tolist()]

    given = [chances("b", {(0, 1): "0.01", (1, 1): "0.99"}), chances("!b", {(0, 0): "0.01", (1, 0): "0.99"})]
    target = chances(None, {(0, 1): "0.97", (0, 0): "0.01", (1, 1): "0.01", (1, 0): "0.01"})
    found = theory.representativeness(only, truth, contexts)
    assert found.representative
    betas = found.betas(target, given)
    assert betas == [97, 1]
    risks = [theory.risk(only, truth, context, each) for context, each in zip(contexts, given, strict=True)]
    summed, in_target = sum(risks), theory.risk(only, truth, None, target)
    assert (summed, in_target) == (Fraction(2, 100), Fraction(98, 100))
    epsilon = Fraction(1, 2)
    assert in_target > summed + epsilon  # with the one hypothesis that there is, so that no examples help
    assert in_target <= theory.target_risk_bound(risks, betas) == Fraction(98, 100)
    assert in_target <= theory.target_risk_bound(risks, [97, 97], epsilon) == 1


def test_the_target_bound_holds_whenever_the_samples_are_representative():
    """The corrected theorem, without its probability: if no empirical risk is far off, the target's is bounded."""
    chance = random.Random(5)
    checked = 0
    for _ in range(200):
        n = chance.randint(1, 3)
        model, truth = random_model(chance, n), random_model(chance, n)
        contexts = [random_context(chance, n) for _ in range(chance.randint(1, 3))]
        target = random_context(chance, n)
        found = theory.representativeness(model, truth, contexts, target)
        if not found.representative or len(set(contexts)) < len(contexts):
            continue
        checked += 1
        data = sample(chance, truth, contexts, n)
        order = [data.contexts.index(context) for context in contexts]
        seen = [theory.empirical_risks(model, data)[place] for place in order]
        off = max(theory.largest_gap([model], truth, data, context) for context in contexts)
        betas = found.betas()
        allowed = theory.target_risk_bound(seen, betas, sum(betas) * off)
        assert theory.risk(model, truth, target) <= allowed
    assert checked > 30


def sample(chance, truth, contexts, n, count=6):
    rows = []
    for context in contexts:
        inside = theory.assignments_in(context, n).tolist()
        optima = naive.optima(truth, context)[0]
        for _ in range(count):
            bits = tuple(chance.choice(inside))
            rows.append((context, bits, int(bits in optima)))
    return Dataset.build(truth.variables, rows)


def test_empirical_risks_equal_their_definition():
    chance = random.Random(8)
    for _ in range(60):
        n = chance.randint(1, 4)
        model, truth = random_model(chance, n), random_model(chance, n)
        data = sample(chance, truth, [random_context(chance, n) for _ in range(3)], n)
        expected = []
        for context in data.contexts:
            own = [example for example in data if example.context == context]
            wrong = sum(
                (tuple(example.assignment.bits) in naive.optima(model, context)[0]) != (example.label == "positive")
                for example in own
            )
            expected.append(Fraction(wrong, len(own)))
        assert theory.empirical_risks(model, data) == expected


def test_epsilon_representativeness_is_about_the_worst_hypothesis():
    truth, wrong = Model.build(("a",), hard=["a"]), Model.build(("a",), hard=["!a"])
    data = Dataset.build(("a",), [("", (1,), 1), ("", (1,), 1), ("", (0,), 0)])
    both = Model.build(("a",))
    # Truth errs nowhere, "wrong" everywhere; "both" errs on (0): a third of the sample, a half of the distribution.
    assert theory.largest_gap([truth, wrong], truth, data) == 0
    assert theory.largest_gap([truth, both, wrong], truth, data) == Fraction(1, 6)
    assert theory.is_representative_within(Fraction(1, 6), [truth, both, wrong], truth, data)
    assert not theory.is_representative_within(0.1, [truth, both, wrong], truth, data)
    assert theory.largest_gap([both], truth, data, None, [1, 2]) == 0
    with pytest.raises(InputError, match="no example in this context"):
        theory.largest_gap([both], truth, data, "a")


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
