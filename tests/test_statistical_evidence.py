"""The likelihood that the statistical learner works with, against its definition: incremental, mined and measured."""

from __future__ import annotations

from itertools import combinations
from math import comb, log

import naive
import naive_evidence
import numpy as np
import pytest
from numba import njit

from hassle.data import Dataset
from hassle.evaluation import evaluate
from hassle.generate import generate, random_model
from hassle.kernels.evidence import drop_change
from hassle.kernels.metropolis import BLOCK, is_accepted
from hassle.kernels.mining import mark_violated
from hassle.learners.statistical import probing
from hassle.learners.statistical.candidates import NO_VARIABLE, clause_count, counts_over, numbered_clause
from hassle.learners.statistical.choice import expected_quality, most_expected
from hassle.learners.statistical.probing import Opinion, Probes, contexts_like
from hassle.learners.statistical.problem import make_problem
from hassle.learners.statistical.rooms import row_of
from hassle.learners.statistical.sampler import COUNTS_BEFORE, LENGTHS_BEFORE, Rates, Sample, Sampler
from hassle.logic import Choice, Constraint, Context, Number, Schema, YesNo, as_context
from hassle.model import Model
from hassle.solve import solve, verdicts
from hassle.tables.completions import count_completions

VARIABLES = 5


def random_data(seed, reasons=False):
    return generate(VARIABLES, 3, 3, 8, noise=0.15, reasons=reasons, seed=seed).data


def many_contexts(seed):
    """All contexts of two literals, more than a block has; in each some assignments with labels at random."""
    rng = np.random.default_rng(seed)
    triples = []
    for first, second in combinations(range(1, VARIABLES + 1), 2):
        for context in (Context((i * first, j * second)) for i in (1, -1) for j in (1, -1)):
            rows = [bits for bits in naive.all_assignments(VARIABLES) if naive.context_holds(context, bits)]
            chosen = rng.permutation(len(rows))[:3].tolist()
            triples += [(context, rows[i], int(rng.random() < 0.6)) for i in chosen]
    return Dataset.build([f"x{v}" for v in range(VARIABLES)], triples)


def formula_data():
    """Contexts with general parts, one of them the global one."""
    contexts = ("a & (b | !c)", "!a & (c <-> d)", "b", "!(a & b & c)")
    rows = [
        (context, bits, sum(bits) % 2)
        for context in (as_context(text, tuple("abcd")) for text in contexts)
        for bits in naive.all_assignments(4)
        if naive.context_holds(context, bits)
    ]
    return Dataset.build("abcd", rows)


def domain_data(seed=0, counts=True):
    """Choices and numbers, contexts of all kinds, labels at random."""
    schema = Schema((Choice("shift", ("early", "late", "night")), Number("staff", 1, 3), YesNo("bonus")))
    rng = np.random.default_rng(seed)
    rows = [bits for bits in naive.all_assignments(len(schema.variables)) if naive.in_domain(schema, bits)]
    texts = ("shift = night", "shift != early", "staff >= 2 & bonus", "staff = 2", "shift = late | bonus")
    if counts:
        texts = (*texts, "at least 2 of bonus, shift=late, staff>=3")
    triples = []
    for context in (as_context(text, schema) for text in texts):
        triples += [
            (context, np.array(bits, dtype=np.uint8), int(rng.integers(2)))
            for bits in rows
            if naive.context_holds(context, bits)
        ]
    return Dataset.build(schema, triples)


def slots_data(seed=0):
    """Three choices of the same values and a yes-or-no column, contexts of one value each, labels at random."""
    schema = Schema((*(Choice(name, ("mon", "tue", "wed")) for name in ("art", "latin", "maths")), YesNo("hall")))
    rng = np.random.default_rng(seed)
    triples = []
    for context in (as_context(text, schema) for text in ("art = mon", "maths = wed", "latin = tue", "hall")):
        for _ in range(8):
            bits = schema.encode([*rng.choice(["mon", "tue", "wed"], 3).tolist(), int(rng.integers(2))])
            if naive.context_holds(context, tuple(bits.tolist())):
                triples.append((context, bits, int(rng.integers(2))))
    return Dataset.build(schema, triples)


def chain(data, seed=1):
    return Sampler(make_problem(data, np.random.default_rng(seed)), 3, 4, 12, seed)


def random_sample(variables, rng):
    """Clauses and counts, hard and soft."""
    found = {Constraint(numbered_clause(int(i), variables)) for i in rng.integers(0, clause_count(variables, 3), 5)}
    for _ in range(3):
        chosen = np.sort(rng.permutation(variables)[: rng.integers(2, min(4, variables) + 1)]) + 1
        literals = tuple(int(v) for v in chosen * rng.choice([-1, 1], len(chosen)))
        found.add(Constraint(literals, int(rng.integers(2, len(literals) + 1))))
    return Sample(tuple((one, None if rng.integers(2) else int(rng.integers(1, 100)) * 10) for one in sorted(found)))


def twice(data):
    """The data with its first example once more."""
    return data.subset([0, *range(len(data))])


def clean_data():
    """Two different positives in each context."""
    data = generate(VARIABLES, 3, 3, 6, seed=3).data
    assert naive_evidence.fewest_positives(data) == 2
    return data


def compared_data():
    """Examples, and beside them comparisons."""
    data = clean_data()
    pairs = [(data.contexts[0], (0, 1, 0, 0, 1), (1, 1, 0, 1, 0)), ("", (1, 0, 0, 0, 1), (0, 1, 1, 1, 0))]
    pairs = [
        pair for pair in pairs if all(naive.context_holds(as_context(pair[0], data.schema), one) for one in pair[1:])
    ]
    return data.extended(Dataset.build(data.schema, [], pairs)).paired()


LIKELY = [
    random_data(1),
    random_data(2, reasons=True),
    formula_data(),
    domain_data(),
    clean_data(),
    twice(clean_data()),
    compared_data(),
]


@pytest.mark.parametrize("data", LIKELY, ids=str)
def test_likelihood_is_its_definition(data):
    rng = np.random.default_rng(5)
    sampler = chain(data)
    neighbours = int(sampler.problem.cases.neighbours)
    for _ in range(6):
        sample = random_sample(len(data.variables), rng)
        sampler.load(sample)
        expected = naive_evidence.examples_log_likelihood(sample.hard, sample.soft, data, sampler.rates)
        if neighbours:
            assert all(len(context.literals) == neighbours for context in naive_evidence.recorded(data))
            expected += naive_evidence.contexts_log_likelihood(sample.hard, sample.soft, data, sampler.rates)
        assert sampler.log_likelihood == pytest.approx(expected)


@pytest.mark.parametrize("data", [random_data(3), formula_data(), domain_data()], ids=str)
def test_verdicts_are_the_solvers(data):
    sampler = chain(data)
    sampler.refresh_pool()
    for sharpness in (0.05, 0.3, 1.0):
        sampler.search(300, sharpness)
        sample = sampler.sample
        model = Model.from_units(data.schema, sample.hard, sample.soft)
        assert np.array_equal(sampler.verdicts(), verdicts(model, data)[sampler.problem.rows])


@pytest.mark.parametrize(
    "data",
    [random_data(4), domain_data(), slots_data(), many_contexts(5)],
    ids=["clauses", "domain", "slots", "blocks"],
)
def test_a_chain_keeps_its_books(data):
    """After any moves, evidence and sampler are those of the model computed from nothing."""
    sampler = chain(data)
    again = chain(data)
    needs = set()
    for sharpness in (0.02, 0.2, 1.0, 1.0):
        sampler.refresh_pool()
        sampler.update_rates()
        assert sampler.search(1500, sharpness) > 0
        again.rates = sampler.rates
        again.load(sampler.sample)
        assert sampler.log_posterior == pytest.approx(again.log_posterior)
        for constraint, _ in sampler.sample.constraints:
            assert constraint == Constraint.of(constraint.literals, constraint.need)
            assert len(constraint.literals) <= (3 if constraint.is_clause else 4)
            needs.add(constraint.need)
            assert constraint.is_clause or naive_evidence.is_sensible(constraint, data.schema)
    for _ in range(20):  # counts come and go
        sampler.search(100, 0.02)
        needs |= {constraint.need for constraint, _ in sampler.sample.constraints}
    assert len(needs) > 1 or data.schema.columns[0].name == "shift"  # where nothing is alike, nothing is counted


@njit
def _share_accepted(cases, belief, state, trial, costs, random, sharpness, tries):
    accepted = 0
    for _ in range(tries):
        accepted += is_accepted(cases, belief, state, trial, costs, random, 0.0, sharpness)
        drop_change(state, trial)
    return accepted / tries


@pytest.mark.parametrize("sharpness", [0.3, pytest.param(1.0, marks=pytest.mark.slow)])
def test_stages_accept_there_and_back_in_proportion_to_the_likelihood(sharpness):
    """Whatever the stages look at first: the chances of a change and of its reverse have the ratio that they must."""
    data, rng = many_contexts(5), np.random.default_rng(0)
    assert len(data.contexts) >= 2 * BLOCK  # or all would be looked at first
    sampler = chain(data)
    random = np.array([7], dtype=np.uint64)
    ratios = 0
    for _ in range(300):
        sample = random_sample(VARIABLES, rng)
        (clause, _), *others = sample.constraints
        without = Sample(tuple(others))
        width = sampler._state.rows.shape[1]
        heights, shares = [], []
        for before, old, new in ((without, None, clause), (Sample(((clause, 20), *others)), clause, None)):
            sampler.load(before)
            heights.append(sampler.log_likelihood)
            for k, one in enumerate((old, new)):
                sampler._trial.rows[k] = 0 if one is None else row_of(one, width)
            costs = tuple(np.int32(0 if one is None else 20) for one in (old, new))
            shares.append(
                _share_accepted(
                    sampler.problem.cases,
                    sampler._belief(),
                    sampler._state,
                    sampler._trial,
                    costs,
                    random,
                    sharpness,
                    10_000,
                )
            )
        if min(shares) > 0.01:
            assert np.log(shares[0] / shares[1]) == pytest.approx(sharpness * (heights[1] - heights[0]), abs=0.3)
            ratios += abs(heights[1] - heights[0]) > 0.5
        if ratios >= 10:
            break
    assert ratios >= 5


def test_mined_counts_are_the_violated_clauses():
    rng = np.random.default_rng(0)
    for longest in (1, 2, 3):
        bits = rng.integers(0, 2, VARIABLES).astype(np.int64)
        counts = np.zeros(clause_count(VARIABLES, longest), dtype=np.int32)
        mark_violated.py_func(bits, longest, np.int32(1), counts)
        clauses = [numbered_clause(i, VARIABLES) for i in range(len(counts))]
        assert len(set(clauses)) == len(clauses)
        assert counts.tolist() == [int(not naive.clause_holds(clause, bits)) for clause in clauses]


def repeated(data):
    """Every third example four times, every second one twice."""
    return data.subset([k for k in range(len(data)) for _ in range(4 if k % 3 == 0 else 1 + k % 2)])


def complete_data():
    """Every completion of two contexts labelled, some of them twice: more examples than completions."""
    truth = Model.build("abcde", hard=["a | b"], soft=[("c", 1), ("!d", 1)])
    contexts = (as_context(text, truth.variables) for text in ("!a", "d & e"))
    rows = [
        (context, bits, naive.verdict(truth, context, bits) == "optimal")
        for context in contexts
        for bits in naive.all_assignments(5)
        if naive.context_holds(context, bits)
    ]
    return Dataset.build("abcde", rows + rows[::3])


@pytest.mark.parametrize("data", [repeated(random_data(8)), complete_data()], ids=str)
def test_equal_examples_are_evidence_with_a_count(data):
    sampler = chain(data)
    assert len(sampler.problem.rows) < sampler.problem.examples == len(data)
    for seed in range(3):
        sample = random_sample(VARIABLES, np.random.default_rng(seed))
        sampler.load(sample)
        model = Model.from_units(data.variables, sample.hard, sample.soft)
        assert sampler.correct == sum(
            (naive.verdict(model, example.context, tuple(example.assignment.values())) == "optimal")
            == (example.label == "positive")
            for example in data
        )


@pytest.mark.parametrize(
    "data",
    [random_data(6), random_data(7), repeated(random_data(6)), complete_data(), clean_data()],
    ids=["plain", "other", "repeated", "complete", "clean"],
)
def test_a_price_is_the_difference_that_the_smallest_weight_makes(data):
    """Prices are the likelihood's finite differences: all weights are multiples of ten, and the new one is one unit."""
    for seed in (7, 8, 9):
        check_prices(data, random_sample(VARIABLES, np.random.default_rng(seed)))
    check_prices(data, Sample(()))  # by which all is optimal


def check_prices(data, sample):
    sampler = chain(data)
    sampler.load(sample)
    rates = sampler.rates
    sets = np.array([[0, 2, 3, NO_VARIABLE], [1, 2, 3, 4]], dtype=np.int16)
    prices = sampler.prices(3, sets)
    priced = [Constraint(numbered_clause(i, VARIABLES)) for i in range(clause_count(VARIABLES, 3))] + counts_over(sets)
    assert len(priced) == len(prices)
    assert set(counts_over(sets[:1])) == {
        Constraint(tuple(sign * v for v in (1, 3, 4)), need) for sign in (1, -1) for need in (2, 3)
    }
    before = naive_evidence.examples_log_likelihood(sample.hard, sample.soft, data, rates)
    for number in {*range(0, len(prices), 7), *range(len(prices) - 10, len(prices))}:
        soft = (*sample.soft, (priced[number], 1))
        after = naive_evidence.examples_log_likelihood(sample.hard, soft, data, rates)
        assert prices[number] == pytest.approx(after - before, abs=1e-9)


def test_a_count_is_less_expected_than_a_clause_and_the_second_less_surprising():
    """The prior from its definition: forms by a Dirichlet, then literals, length and need at even odds."""
    data = random_data(5)
    sampler = chain(data)
    clauses = (Constraint((1, 2)), Constraint((-2, 3, 4)))
    counts = (Constraint((1, 2, 3), 2), Constraint((-1, -2, -4, -5), 3))

    def log_prior(*constraints):
        sampler.load(Sample(tuple((constraint, None) for constraint in constraints)))
        return sampler.log_prior

    for new, before in ((counts[0], clauses), (counts[1], (*clauses, counts[0]))):
        known = sum(not constraint.is_clause for constraint in before)
        length = len(new.literals)
        share = (COUNTS_BEFORE + known) / (COUNTS_BEFORE + LENGTHS_BEFORE + len(before))
        one_of = comb(VARIABLES, length) * 2**length * (4 - 1) * (length - 1)
        expected = log(share / one_of * (1 + len(before)))
        assert log_prior(*before, new) - log_prior(*before) == pytest.approx(expected)
    other = Constraint((1, -3, 5))
    assert log_prior(*clauses, other) > log_prior(*clauses, counts[0]) + 2


def test_rates_follow_the_labels():
    data = generate(6, 4, 4, 60, noise=0.2, seed=3)
    sampler = chain(data.data)
    truth = Sample(
        tuple((constraint, None) for constraint in data.truth.hard)
        + tuple((soft.constraint, int(soft.weight * 1000)) for soft in data.truth.soft)
    )
    sampler.load(truth)
    sampler.update_rates()
    assert 0.1 < sampler.rates.wrong < 0.3
    assert Rates().wrong < 0.1


def test_expected_quality_is_the_mean_of_evaluations():
    problems = [generate(5, 2, 3, 5, seed=seed) for seed in range(3)]
    models = [problem.truth for problem in problems]
    expected = expected_quality(models, models)
    for i, model in enumerate(models):
        found = [evaluate(model, truth) for truth in models]
        assert expected.accuracy[i] == pytest.approx(np.mean([one.accuracy for one in found]), abs=1e-5)
        assert expected.infeasibility[i] == pytest.approx(np.mean([one.infeasibility for one in found]), abs=1e-5)


def probe_merit(model, truths, contexts, caution):
    """What a model's answers are worth if each of the truths is as likely, context by context, point by point."""
    means, chances = [], []
    for context in contexts:
        saying = [truth for truth in truths if naive.optima(truth, context)[0]]
        if not saying:
            continue
        chances.append(len(saying))
        answers, _ = naive.optima(model, context)
        if not answers:
            means.append(-caution)
            continue
        worth = 0.0
        for answer in answers:
            for truth in saying:
                right, best = naive.optima(truth, context)
                if not naive.feasible(truth, context, answer):
                    worth -= caution
                else:
                    lost = (best - naive.value(truth, answer)) / best if best else 0
                    worth += (answer in right) - float(lost)
        means.append(worth / len(answers) / len(saying))
    return np.average(means, weights=chances) if means else 0.0


def some_contexts(rng, count=6):
    def draw():
        chosen = np.sort(rng.permutation(VARIABLES)[:2]) + 1
        return Context(tuple(int(v) for v in chosen * rng.choice([-1, 1], 2)))

    return [draw() for _ in range(count)]


def test_answers_are_worth_what_the_models_say_of_them():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        truths = [random_model(VARIABLES, 4, 2, rng) for _ in range(5)]
        contexts = some_contexts(rng)
        opinion = Opinion(Probes.of(contexts, truths[0].schema), truths)
        for model, merit in zip(truths, opinion.merits(truths), strict=True):
            assert merit == pytest.approx(probe_merit(model, truths, contexts, probing.CAUTION))


def test_the_candidate_is_chosen_that_promises_most_less_its_handicap():
    data = clean_data()
    rng = np.random.default_rng(2)
    truths = [random_model(VARIABLES, 4, 2, rng) for _ in range(6)]
    candidates = [*truths, *(random_model(VARIABLES, 3, 3, rng) for _ in range(4))]
    probes = Probes.of(list(contexts_like(data, np.random.default_rng(1))), data.schema)
    merits = Opinion(probes, truths).merits(candidates) + expected_quality(candidates, truths).merit
    handicap = np.zeros(len(candidates))
    for _ in candidates:
        best = int(np.argmax(merits - handicap))
        assert most_expected(candidates, truths, data, np.random.default_rng(1), handicap) == best
        handicap[best] = np.inf


def test_probes_fix_as_much_as_the_data_and_leave_few_columns_open():
    wide = Schema((*(Choice(f"c{i}", tuple("wxyz")) for i in range(9)), Number("n", 0, 5), YesNo("y")))
    small = Schema((*(Choice(f"c{i}", tuple("wxyz")) for i in range(5)), Number("n", 3, 3)))  # n needs no variable
    rng = np.random.default_rng(0)

    def drawn(schema, text):
        context = as_context(text, schema)
        row = np.array(solve(Model(schema), context).bits, dtype=np.uint8)
        return list(contexts_like(Dataset.from_arrays(schema, [context], row[None, :], [1]), rng))

    assert drawn(small, "") == []  # 20 variables, but 1024 assignments: all can be listed
    for context in drawn(wide, ""):
        assert 2**7 < count_completions(context, wide) <= 2**10
    for context in drawn(small, "c0 = w & c3 = z"):
        assert count_completions(context, small) == 4**3
