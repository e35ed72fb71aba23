"""What the statistical learner must find, must not find, and must do the same way twice."""

from __future__ import annotations

import time

import naive
import numpy as np
import pytest

from hassle.data import Dataset
from hassle.errors import InputError, ResourceError
from hassle.evaluation import evaluate
from hassle.generate import generate
from hassle.learners import learn
from hassle.learners.statistical import chains, problem
from hassle.learners.statistical.chains import FLAT
from hassle.learners.statistical.learner import CHAINS_OF_STEPS, ROUNDS
from hassle.learners.statistical.problem import make_problem
from hassle.learners.statistical.sampler import Sample, Sampler
from hassle.logic import Choice, Constraint, Schema, YesNo, clauses_of
from hassle.logic import as_context as hassle_context
from hassle.model import Model
from hassle.solve import agrees, verdicts


def complete_data(truth, contexts):
    """Every completion of every context, labelled by the true model."""
    rows = []
    for context in contexts:
        best, _ = naive.optima(truth, context)
        rows += [
            (context, bits, int(bits in best))
            for bits in naive.all_assignments(len(truth.variables))
            if naive.context_holds(context, bits)
        ]
    return Dataset.build(truth.variables, rows)


def as_sample(model):
    return Sample(
        tuple((constraint, None) for constraint in model.hard)
        + tuple((soft.constraint, int(soft.weight * 1000)) for soft in model.soft)
    )


@pytest.mark.parametrize("seed", range(3))
def test_small_models_are_recovered_from_complete_data(seed):
    made = generate(5, 2, 2, 24, seed=seed)
    data = complete_data(made.truth, made.data.contexts)
    result = learn(data, "statistical", steps=30_000, seed=seed)
    assert result.score == 1.0
    assert result.stopped == "perfect"
    for context in made.data.contexts:
        assert evaluate(result.model, made.truth, context).accuracy == 1.0


def test_a_hard_clause_is_found_although_mislabelled_positives_break_it():
    truth = Model.build("abcdef", hard=["a | b", "!c | d"], soft=[("e", "0.7"), ("!a | f", "0.4")])
    contexts = [context for seed in range(2) for context in generate(6, 2, 2, 40, seed=seed).data.contexts]
    data = complete_data(truth, [context for context in dict.fromkeys(contexts) if naive.optima(truth, context)[0]])
    flipped = np.random.default_rng(0).random(len(data)) < 0.1
    noisy = Dataset(
        data.schema,
        data.contexts,
        data.context_of,
        data.assignments,
        np.where(flipped, 1 - data.labels, data.labels).astype(np.int8),
    )
    broken = [not naive.clause_holds((1, 2), bits) for bits in noisy.assignments[noisy.positive]]
    assert any(broken)
    result = learn(noisy, "statistical", steps=120_000)
    assert evaluate(result.model, truth).infeasibility == 0
    assert agrees(verdicts(result.model, data), data).all()
    assert any("seem wrong" in note for note in result.notes)


def test_a_spurious_hard_clause_is_rejected():
    """No positive breaks the clause, but then hardly anything would have: chance explains it as well."""
    made = generate(8, 6, 6, 60, seed=11)
    clause, known = (1, 2, 3, 4), set(clauses_of(made.truth.constraints))
    while True:
        positives = made.data.assignments[made.data.positive]
        if clause not in known and all(naive.clause_holds(clause, bits) for bits in positives):
            break
        signs = np.random.default_rng(sum(clause) & 255).integers(0, 2, 4) * 2 - 1
        clause = tuple(int(s * v) for s, v in zip(signs, (1, 3, 5, 7), strict=True))
    sampler = Sampler(make_problem(made.data, np.random.default_rng(0)), 4, 6, 40, 1)
    truth = as_sample(made.truth)
    sampler.load(truth)
    without = sampler.log_posterior
    sampler.load(Sample((*truth.constraints, (Constraint(clause), None))))
    assert sampler.log_posterior < without


def test_steps_and_seed_decide_the_model_whatever_the_jobs():
    data = generate(6, 4, 4, 20, seed=1).data
    first = learn(data, "statistical", steps=5000, seed=4, jobs=1)
    second = learn(data, "statistical", steps=5000, seed=4, jobs=2)
    assert first.model == second.model
    assert first.neighbours == second.neighbours == 2 * 5000


def test_limits_are_kept():
    data = generate(6, 4, 4, 20, seed=2).data
    result = learn(data, "statistical", steps=3000, constraints=5, max_literals=2)
    assert len(result.model.constraints) <= 5
    assert all(len(clause.literals) <= 2 for clause in result.model.constraints)
    assert learn(data, "statistical", time_limit=0).examples == len(data)


@pytest.mark.parametrize(
    "data",
    [
        Dataset.build("ab", [("", "00", 1)]),
        Dataset.build("ab", [("", "00", 0), ("", "01", 0), ("a", "11", 0)]),
        Dataset.build("ab", [("", "00", 1), ("", "00", 0)]),
        Dataset.build("a", [("a", "1", 1), ("!a", "0", 1)]),
    ],
    ids=["one example", "negatives only", "a contradiction", "nothing to choose"],
)
def test_odd_data_is_learned_from(data):
    result = learn(data, "statistical", steps=2000)
    assert result.correct == int(agrees(verdicts(result.model, data), data).sum())


def test_bad_options_are_named():
    data = generate(4, 1, 1, 3, seed=0).data
    with pytest.raises(InputError, match="max literals is 0"):
        learn(data, "statistical", max_literals=0)
    with pytest.raises(InputError, match="no examples"):
        learn(Dataset.build("ab", []), "statistical")


def test_contexts_too_large_for_tables_are_for_auto_to_send_elsewhere(monkeypatch):
    monkeypatch.setattr(problem, "MOST_IN_A_CONTEXT", 2)
    data = generate(6, 2, 3, 20, max_literals=2, seed=1).data
    with pytest.raises(ResourceError, match="use --learner auto"):
        learn(data, "statistical", time_limit=5, jobs=1)
    assert learn(data, "auto", time_limit=2, jobs=1).score > 0.8


def test_chains_are_cooled_from_the_start_even_if_compiling_takes_long(monkeypatch):
    """On a fresh machine the first call of a kernel takes seconds, which must not count as cooling."""
    original, sharpness = Sampler.search, []

    def slow_at_first(self, steps, sharp):
        if not sharpness:
            time.sleep(0.6)
        sharpness.append(sharp)
        return original(self, steps, sharp)

    monkeypatch.setattr(Sampler, "search", slow_at_first)
    learn(generate(5, 2, 2, 10, seed=1).data, "statistical", time_limit=4.0, jobs=1)
    assert sharpness[1] < 1.2 * FLAT
    assert sharpness[-1] == 1


def chains_of(data, monkeypatch, agree, moves=2000, **limits):
    """How many chains of so many moves a run had, told whether any two come to rest equally high."""
    with monkeypatch.context() as patch:
        patch.setattr(chains, "settled_chains", lambda found, margin=5.0: found if agree else found[:1])
        patch.setattr(chains, "MOST_MOVES", moves)
        return learn(data, "statistical", jobs=1, **limits).details["chains"]


def test_chains_follow_as_long_as_no_two_agree_and_there_is_time(monkeypatch):
    data = generate(5, 2, 2, 10, seed=1).data
    assert chains_of(data, monkeypatch, agree=False, time_limit=20) == ROUNDS
    with monkeypatch.context() as patch:
        patch.setattr(chains, "MOST_MOVES", 2000)
        start = learn(data, "statistical", jobs=1, time_limit=20)
    assert chains_of(data, monkeypatch, agree=False, time_limit=20, start=start) == 1
    assert chains_of(data, monkeypatch, agree=True, time_limit=20) == 1 + 1  # one has none to agree with
    assert chains_of(data, monkeypatch, agree=False, moves=10**9, time_limit=0.5) == 1
    assert chains_of(data, monkeypatch, agree=False, steps=2000) == CHAINS_OF_STEPS


@pytest.mark.parametrize("seed", range(2))
def test_counts_are_recovered_from_complete_data(seed):
    """Hard and soft counts that no few clauses say: the model is right in every context that was shown."""
    names = tuple("abcdef")
    truth = Model.build(
        names,
        hard=[Constraint((1, 2, 3, 4), 2), Constraint.at_most(3, range(1, 7))],
        soft=[("e", "0.3"), (Constraint((2, 4, 5, 6), 2), "0.6")],
    )
    drawn = generate(6, 2, 2, 30, allow_fewer=True, seed=seed).data.contexts
    contexts = [context for context in drawn if naive.optima(truth, context)[0]]
    data = complete_data(truth, contexts)
    result = learn(data, "statistical", steps=100_000, seed=seed)
    assert result.score == 1.0
    assert any(not constraint.is_clause for constraint in result.model.constraints)


def test_the_domain_is_known_and_not_learned():
    """One of the values is always taken: the learner need not say so, and its optima mean something."""
    schema = Schema((Choice("shift", ("early", "late", "night")), Choice("who", ("ana", "ben", "cem")), YesNo("bonus")))
    truth = Model.build(schema, hard=["shift != night | bonus", "who != cem | shift = late"], soft=[("!bonus", 1)])
    contexts = ["shift = night", "who = cem", "shift != late", "bonus", "who != ana & !bonus", ""]
    rows = []
    for context in (hassle_context(text, schema) for text in contexts):
        best, _ = naive.optima(truth, context)
        rows += [
            (context, np.array(bits, dtype=np.uint8), int(bits in best))
            for bits in naive.all_assignments(len(schema.variables))
            if naive.in_domain(schema, bits) and naive.context_holds(context, bits)
        ]
    data = Dataset.build(schema, rows)
    for learner, options in (("statistical", {"steps": 20_000}), ("sls", {"steps": 2000})):
        result = learn(data, learner, seed=1, **options)
        assert result.model.schema == schema
        assert result.score == 1.0
