"""The structured learner: its parts against their definitions, and what it finds on small wards."""

from __future__ import annotations

import itertools
import math
import threading
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import naive_tabu
import numpy as np
import pytest

from hassle.cli.learn import as_record, as_text
from hassle.data import Dataset
from hassle.errors import InputError
from hassle.generate.arranged import (
    arranged_examples,
    configurator,
    elsewhere,
    feasible_situations,
    timetable,
    ward,
)
from hassle.learners import learn
from hassle.learners.budget import Budget
from hassle.learners.knowing import Known
from hassle.learners.places import Here
from hassle.learners.structured.candidates import Candidates
from hassle.learners.structured.fit import Contrast, Fit, belief, bounded, fit, gradient
from hassle.learners.structured.learner import StructuredLearner
from hassle.learners.structured.models import decisive
from hassle.learners.structured.pool import CUT, NEGATIVE, POSITIVE, Moves, first_pool
from hassle.learners.structured.run import Run
from hassle.learners.structured.search import Search, free_variables
from hassle.learners.structured.trusting import Trust, trusted
from hassle.logic import EMPTY, Context
from hassle.model import Model, Rule
from hassle.solve import verdicts


@pytest.fixture(scope="module")
def home():
    return ward(4, 4, 2, np.random.default_rng(3))


@pytest.fixture(scope="module")
def data(home):
    return arranged_examples(home.truth, home.situation, 30, np.random.default_rng(4))


@pytest.fixture(scope="module")
def contrast(data):
    candidates = Candidates.of(data.schema, data.assignments[data.positive])
    pool = first_pool(data, 6, np.random.default_rng(0))
    trust = Trust.full(len(pool)).weights(pool)
    rows = candidates.broken(np.array(pool.rows))
    return candidates, Contrast.of(rows, np.array(pool.context_of), np.array(pool.sort), trust)


def naive_loss(contrast: Contrast, scores: np.ndarray) -> float:
    """By the words of the module."""

    def counted(loss: float, doubt: float) -> float:
        return loss if doubt == 0 else math.log(1 + doubt) - math.log(math.exp(-loss) + doubt)

    total, x = 0.0, np.flatnonzero(contrast.sort == POSITIVE)
    for i in x:
        others = (contrast.context_of == contrast.context_of[i]) & (contrast.sort != POSITIVE)
        masses = contrast.trust[others] * np.exp(scores[others])
        own = np.log(np.exp(scores[i]) + masses.sum()) - scores[i]
        total += contrast.trust[i] * counted(own, contrast.doubt)
    for i, j in itertools.pairwise(x):
        if contrast.context_of[i] == contrast.context_of[j]:
            total += counted(0.3 / 2 * (scores[i] - scores[j]) ** 2, 4 * contrast.doubt)
    return float(total)


@pytest.mark.parametrize("doubt", [0.0, 0.05])
def test_the_loss_is_its_definition_and_its_derivatives_are_those_of_finite_differences(contrast, doubt):
    candidates, rows = contrast
    rows = replace(rows, doubt=doubt)
    rng = np.random.default_rng(0)
    found = Fit(rng.choice(candidates.columns, 5, replace=False) * 2, rng.random(5))
    scores = found.scores(candidates, rows.broken)
    value, slope = rows.loss(scores)
    assert value == pytest.approx(naive_loss(rows, scores), rel=1e-9)
    down = gradient(candidates, rows, slope)
    for candidate in rng.choice(np.flatnonzero(np.isfinite(candidates.prices)), 20, replace=False).tolist():
        column = candidates.signed(rows.broken, [candidate])[:, 0]
        low, here, high = (rows.loss(scores - step * column)[0] for step in (-1e-3, 0, 1e-3))
        assert down[candidate] == pytest.approx((high - low) / 2e-3, abs=0.02)
        bend = rows.second_derivative(scores, column[:, None])[0, 0]
        if doubt:  # as if the belief in each label stayed as it is
            assert bend >= (high - 2 * here + low) / 1e-6 - 0.05
        else:
            assert bend == pytest.approx((high - 2 * here + low) / 1e-6, rel=0.1, abs=0.05)


def test_no_label_asks_for_more_than_its_bound_and_a_hopeless_one_for_nothing():
    losses = np.array([0.0, 1.0, 5.0, 600.0])
    counted = bounded(losses, 0.05)
    assert counted[0] == pytest.approx(0)
    assert (np.diff(counted) > 0).all()
    assert counted[-1] == pytest.approx(math.log(21))
    slopes = (bounded(losses + 1e-6, 0.05) - bounded(losses - 1e-6, 0.05)) / 2e-6
    np.testing.assert_allclose(belief(losses, 0.05), slopes, atol=1e-6)
    np.testing.assert_array_equal(bounded(losses, 0.0), losses)


def test_the_fit_leaves_out_only_what_is_not_worth_its_price(contrast):
    candidates, rows = contrast
    prices = 0.5 * candidates.prices
    found = fit(candidates, rows, prices)
    _, slope = rows.loss(found.scores(candidates, rows.broken))
    down = gradient(candidates, rows, slope)
    assert len(found.chosen)
    assert (-down <= prices * 1.02 + 0.05).all(), "nothing left out would pay"
    inside = (found.weights > 1e-3) & (found.weights < 29)
    np.testing.assert_allclose(-down[found.chosen][inside], prices[found.chosen][inside], atol=0.05)


def test_near_completions_keep_context_and_domain():
    problem = timetable(5, 4, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    context = problem.situation(rng)
    row = problem.truth.solve(context)
    assert row is not None
    near = list(Moves(problem.truth.schema).near(problem.truth.bits(row), context, 40, rng))
    assert len(near) > 10
    assert context.holds(np.array(near)).all()
    assert problem.truth.schema.admits(np.array(near)).all()


@pytest.mark.parametrize("make", [lambda rng: ward(4, 3, 2, rng), lambda rng: timetable(4, 4, rng)])
def test_the_search_finds_the_best_and_counts_its_cost_right(make):
    problem = make(np.random.default_rng(2))
    truth, rng = problem.truth, np.random.default_rng(5)
    hard = 1e6
    weights = [hard] * len(truth.hard) + [float(w) for w in truth.weights]
    search = Search.of(truth.schema, truth.constraints, weights)
    context = problem.situation(rng)
    while (best := truth.solve(context)) is None:
        context = problem.situation(rng)
    start = next(iter(Moves(truth.schema).near(truth.bits(best), context, 40, rng)))
    ties, cost = search.improved(start, free_variables(context, truth.schema), 5000, 1, 4)
    assert len({row.tobytes() for row in ties}) == len(ties) <= 4
    assert all(search.cost(row) == pytest.approx(cost) for row in ties)
    found = ties[0]
    assert context.holds(found[None, :])[0]
    assert truth.schema.admits(found[None, :])[0]
    broken = [weight for each, weight in zip(truth.constraints, weights, strict=True) if not each.holds(found)]
    assert cost == pytest.approx(sum(broken))
    assert search.cost(found) == pytest.approx(cost)
    assert truth.feasible(found[None, :])[0]
    assert truth.values(found[None, :])[0] == truth.values(truth.bits(best)[None, :])[0]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("make", [lambda rng: ward(4, 3, 3, rng), lambda rng: timetable(4, 4, rng)])
def test_the_search_takes_the_steps_of_its_slow_twin(make, seed):
    """What each change would gain is kept there instead of asked anew; with whole weights not a bit is different."""
    rng = np.random.default_rng(seed)
    problem = make(rng)
    truth = problem.truth
    weights = [float(rng.integers(1, 50)) for _ in truth.constraints]
    search = Search.of(truth.schema, truth.constraints, weights)
    context = problem.situation(rng)
    row = list(Moves(truth.schema).near(truth.bits(truth.solve()), EMPTY, 40, rng))[-1]
    free = free_variables(context, truth.schema)
    found, cost = search.improved(row, free, 60, seed, 3)
    plain, least = naive_tabu.tabu_search(search, row, free, 60, seed, 3)
    assert found.tolist() == plain
    assert cost == least == search.cost(found[0])
    assert least < search.cost(row)


def test_trust_goes_to_positives_that_are_good_and_negatives_that_are_bad(data):
    pool = first_pool(data, 0, np.random.default_rng(0))
    sort = np.array(pool.sort)
    scores = np.where(sort == POSITIVE, 0.0, -20.0)
    bad, good = np.flatnonzero(sort == POSITIVE)[0], np.flatnonzero(sort == NEGATIVE)[-1]
    scores[bad], scores[good] = -60.0, 0.0
    trust = trusted(Trust.full(len(pool)), pool, scores)
    assert trust.values[bad] < 0.5 < np.delete(trust.values[sort == POSITIVE], 0).min()
    assert trust.values[good] == trust.values[sort == NEGATIVE].min()


@pytest.mark.slow
def test_a_ward_is_recovered():
    rng = np.random.default_rng(0)
    home = ward(6, 5, 2, rng)
    data = arranged_examples(home.truth, home.situation, 100, rng)
    found = learn(data, "structured", time_limit=300).model
    true = {rule.what for rule in home.truth.rules if rule.weight is None}
    assert true <= {rule.what for rule in found.rules if rule.weight is None}
    plans = [(found.solve(context), best) for context, best in feasible_situations(home.truth, home.situation, 20, rng)]
    assert all(plan is not None and home.truth.feasible(home.truth.bits(plan)[None, :])[0] for plan, _ in plans)
    assert np.mean([home.truth.value(plan) == home.truth.value(best) for plan, best in plans]) > 0.9


@pytest.fixture(scope="module")
def learned(data):
    return learn(data, "structured", steps=8)


def test_few_rules_explain_a_small_ward(learned, data, home):
    result = learned
    assert result.score > 0.85
    assert len(result.model.rules) <= 2 * len(home.truth.rules)
    assert {rule.what for rule in result.model.rules} & {rule.what for rule in home.truth.rules}


def test_what_is_reported_is_what_the_solver_says(data):
    result = learn(data, "structured", steps=2)
    assert result.learner == "structured"
    assert result.steps == 2
    assert result.correct == int(((verdicts(result.model, data) == 2) == data.positive).sum())
    again = learn(data, "structured", steps=2)
    assert again.model == result.model


def test_known_rules_are_kept_as_they_are(data, home):
    known = Model(data.schema, (Rule(home.truth.rules[0].what),))
    result = learn(data, "structured", steps=1, known=known)
    assert result.model.rules[0] == known.rules[0]
    assert [rule.what for rule in result.model.rules].count(known.rules[0].what) == 1


def test_the_search_stays_within_known_rules(data, home):
    """Else nearly all that it finds breaks them, and no cut is left."""
    known = Model(data.schema, (Rule(home.truth.rules[0].what),))
    narrowed = Known.of(known, data).left
    run = Run(narrowed, Budget(steps=2), lambda progress: None, Here(1), None, None, np.random.default_rng(0))
    assert set(known.hard) <= set(run._asked)
    run.work()
    cuts = np.array([row for row, sort in zip(run.pool.rows, run.pool.sort, strict=True) if sort == CUT])
    assert len(cuts)
    assert known.feasible(cuts).all()


def test_a_rule_and_what_it_implies_do_not_vouch_for_each_other():
    """A positive gives up a wish, and the alternative that does not breaks a rule for all and the same for some."""
    columns = np.array([[0, 0, 1], [1, 1, 0]])  # the rule, what it implies, the wish
    candidates = SimpleNamespace(signed=lambda broken, chosen: columns[:, chosen])
    pool = SimpleNamespace(context_of=[0, 0], sort=[POSITIVE, NEGATIVE], data=SimpleNamespace(contexts=[None]))
    weights = np.array([5.0, 5.0, 3.0])
    for chosen in ([0, 1, 2], [0, 2]):
        found = Fit(np.array(chosen), weights[chosen])
        assert decisive(candidates, columns, pool, found)[0] == 1
    assert decisive(candidates, columns, pool, Fit(np.array([0, 1]), weights[:2]))[0] == 0, "nothing is gained by it"


def test_the_time_limit_and_interruptions_are_kept(data):
    assert learn(data, "structured", time_limit=0).stopped == "time"
    stop = threading.Event()
    stop.set()
    result = StructuredLearner().learn(data, Budget(10, interrupt=stop), 0, lambda progress: None)
    assert result.stopped == "interrupted"

    def interrupted(progress):
        if progress.steps == 1:
            raise KeyboardInterrupt

    result = learn(data, "structured", time_limit=60, listener=interrupted)
    assert result.stopped == "interrupted"
    assert result.model.rules, "the best so far is kept"


def test_a_model_that_nothing_was_judged_by_has_no_score(data, monkeypatch):
    """On a starved machine the time may be up before the first context is solved: that is no perfect score."""
    monkeypatch.setattr("hassle.learners.structured.run.JUDGING_SECONDS", 0)
    result = learn(data, "structured", time_limit=0)
    assert (result.stopped, result.score, result.judged, result.examples) == ("time", None, (), 0)
    assert any("no time to judge the model" in note for note in result.notes)
    assert as_record(result)["score"] is None
    assert as_text(result, None).startswith("No score, as the model was judged on no example, the time is up")


def test_a_model_that_was_judged_in_part_is_not_called_perfect(data, monkeypatch):
    monkeypatch.setattr(import_module("hassle.solve.verdicts"), "BLOCK", 1)
    run = Run(data, Budget(0), lambda progress: None, Here(1), None, None, np.random.default_rng(0))
    run.work()
    looks = iter([1.0, 0.0])
    monkeypatch.setattr(run, "_seconds_to_judge", lambda: next(looks))
    positives = data.subset(np.flatnonzero(data.positive))
    run.data = positives  # which any model without rules explains
    result = run.result(0)
    assert result.judged is not None
    assert 0 < result.examples == result.correct < len(positives)
    assert result.stopped == "time"


def test_a_run_goes_on_from_an_earlier_result(learned, data):
    first = learned
    again = learn(data, "structured", steps=1, start=first)
    assert again.score >= first.score - 0.05
    assert {rule.what for rule in again.model.rules} & {rule.what for rule in first.model.rules}


def test_what_breaks_the_rest_of_a_context_is_no_cut(data):
    """A comparison is a context that allows two assignments: nothing else may be held against the better one."""
    good, bad = data.assignments[data.positive][0], data.assignments[~data.positive][0]
    context = Context.between(good, bad)
    pair = Dataset.from_arrays(data.schema, [context, context], np.array([good, bad]), [1, 0])
    run = Run(
        data.extended(pair), Budget(steps=2), lambda progress: None, Here(1), None, None, np.random.default_rng(0)
    )
    run.work()
    last = len(run.data.contexts) - 1
    assert run.data.contexts[last] == context
    inside = [row for row, c in zip(run.pool.rows, run.pool.context_of, strict=True) if c == last]
    assert len(inside) == 2
    assert context.holds(np.array(inside)).all()


def test_heavier_examples_count_for_more(data):
    weights = np.where(np.arange(len(data)) == 0, 5.0, 1.0)
    pool = first_pool(replace(data, weights=weights), 0, np.random.default_rng(0))
    counts = Trust.full(len(pool)).weights(pool)
    first = pool.example.index(0)
    others = [row for row, sort in enumerate(pool.sort) if sort == pool.sort[first] and row != first]
    assert counts[first] == pytest.approx(5 * counts[others[0]])


def test_positives_alone_will_do(data, home):
    only = data.subset(np.flatnonzero(data.positive))
    model = learn(only, "structured", steps=3).model
    assert any(rule.weight is None for rule in model.rules)


def test_options_are_checked(data):
    with pytest.raises(InputError, match="jobs"):
        learn(data, "structured", jobs=0)
    with pytest.raises(InputError, match="no option"):
        learn(data, "structured", strategy="x")


def test_no_positive_teaches_nothing(data):
    result = learn(data.subset(np.flatnonzero(~data.positive)), "structured", steps=1)
    assert not result.model.rules
    assert any("no positive" in note for note in result.notes)


def test_plain_columns_learn_pairs():
    rows = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    truth = Model.build(["a", "b", "c"], ["!a | !b"], [("c", 1), ("a", "0.5")])
    examples = [
        (context, row, truth.verdict(row, context) == "optimal")
        for context in ("", "b", "!c", "a")
        for row in rows
        if Context.parse(context, truth.schema).holds(np.array([row], dtype=np.uint8))[0]
    ]
    data = Dataset.build(truth.schema, examples)
    result = learn(data, "structured", time_limit=20)
    assert result.score > 0.9


def test_other_places_have_the_rules_of_home(home):
    other = elsewhere(home, 6, 5, 2)
    assert {rule.what for rule in other.truth.rules} <= {rule.what for rule in home.truth.rules}
    assert len(other.truth.schema.dimension("nurse").members) == 6


@pytest.mark.parametrize(
    "make", [lambda rng: ward(4, 3, 3, rng), lambda rng: timetable(6, 4, rng), lambda rng: configurator(5, rng)]
)
def test_examples_are_what_the_truth_says(make):
    rng = np.random.default_rng(7)
    problem = make(rng)
    made = arranged_examples(problem.truth, problem.situation, 6, rng)
    codes = verdicts(problem.truth, made)
    assert ((codes == 2) == made.positive).all()
    assert len(made.contexts) == 6


@pytest.mark.parametrize(("interrupted", "least", "most"), [(False, 50, 60), (True, 0, 1)])
def test_whoever_interrupts_a_run_does_not_wait_for_the_rest_of_its_time(interrupted, least, most):
    budget = Budget(time_limit=60)
    if interrupted:
        budget.interrupt.set()
    run = SimpleNamespace(budget=budget, worked=budget.seconds)
    assert least <= Run._seconds_to_judge(run) <= most
