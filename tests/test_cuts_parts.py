"""The parts of the learner for large contexts, each against a twin written from its definition."""

from __future__ import annotations

from itertools import combinations, product

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hassle.data import Dataset
from hassle.generate import generate_data, roster_problem
from hassle.kernels import preferences
from hassle.learners.cuts.candidates import candidate_clauses, clause_number, columns_of
from hassle.learners.cuts.comparisons import BEATEN, TIED, Comparisons, comparisons_of, first_comparisons
from hassle.learners.cuts.judging import judge
from hassle.learners.cuts.rules import mine_rules
from hassle.learners.cuts.tallies import false_literals, tallies
from hassle.logic import Clause, Constraint, clauses_of, coverage
from hassle.model import Model
from hassle.solve import agrees, verdicts
from hassle.solve.implication import irredundant


def nothing() -> None:
    """A checkpoint that never stops."""


def all_clauses(variables: int, longest: int) -> list[Clause]:
    return [
        tuple(v * sign for v, sign in zip(chosen, signs, strict=True))
        for length in range(1, longest + 1)
        for chosen in combinations(range(1, variables + 1), length)
        for signs in product((1, -1), repeat=length)
    ]


def random_comparisons(variables: int, count: int, rng: np.random.Generator) -> Comparisons:
    better, worse = rng.integers(0, 2, (2, count, variables), dtype=np.uint8)
    return Comparisons(better, worse, np.arange(count), np.full(count, TIED))


@given(st.integers(1, 5), st.integers(1, 3), st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_every_clause_is_counted_once_with_its_violations(variables: int, longest: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (20, variables), dtype=np.uint8)
    weights = rng.integers(0, 5, 20).astype(np.float32)
    counted = [
        (block.clause(place), float(block.counts[place]))
        for block in tallies(false_literals(rows), weights, longest)
        for place in range(len(block.counts))
    ]
    expected = {
        clause: float(sum(w for row, w in zip(rows, weights, strict=True) if not naive.clause_holds(clause, row)))
        for clause in all_clauses(variables, min(longest, variables))
    }
    assert len(counted) == len(expected)
    assert dict(counted) == expected


def test_columns_say_which_side_of_a_comparison_violates_the_clause() -> None:
    comparisons = random_comparisons(5, 37, np.random.default_rng(1))
    clauses = all_clauses(5, 3)
    columns = columns_of(clauses, comparisons)
    difference = coverage(clauses, comparisons.better).astype(int) - coverage(clauses, comparisons.worse)
    dense = np.zeros_like(difference)
    for j in range(len(clauses)):
        part = slice(columns.starts[j], columns.starts[j + 1])
        dense[columns.rows[part], j] = columns.signs[part]
    assert np.array_equal(dense, difference)
    weights = np.arange(len(clauses))
    assert np.array_equal(columns.slacks(weights, 37), difference @ weights)


def test_the_pool_keeps_what_is_in_use_and_takes_the_clauses_that_speak_for_the_data() -> None:
    rng = np.random.default_rng(2)
    comparisons = random_comparisons(6, 400, rng)
    speaks = ~coverage([(1, -2, 3)], comparisons.worse)[:, 0] | coverage([(1, -2, 3)], comparisons.better)[:, 0]
    kept = Comparisons(*(part[speaks] for part in vars(comparisons).values()))
    backwards = coverage([(1, -2, 3)], kept.better)[:, 0] & ~coverage([(1, -2, 3)], kept.worse)[:, 0]
    only = Comparisons(*(part[backwards] for part in vars(kept).values()))
    pool = candidate_clauses(only, np.ones(len(only)), [(4, 5, 6)], [(1, 2)], 3, nothing, pool=20)
    assert {(v,) for v in range(1, 7)} | {(4, 5, 6), (1, -2, 3)} <= set(pool)
    assert (1, 2) not in pool
    everything = candidate_clauses(only, np.ones(len(only)), [], [], 2, nothing)
    assert len(everything) == clause_number(6, 1) + clause_number(6, 2)


def log_likelihood(slack: int, tie: float) -> float:
    return BEATEN if slack < 0 else tie if slack == 0 else 0.0


@pytest.mark.parametrize("draw", [0.0, 0.2, 0.5, 0.9, 0.999])
def test_a_weight_is_drawn_from_its_distribution_given_the_others(draw: float) -> None:
    rng = np.random.default_rng(3)
    comparisons = random_comparisons(4, 25, rng)
    clauses = all_clauses(4, 2)
    columns = columns_of(clauses, comparisons)
    bounds = np.array([[-6, 6] if len(clause) == 1 else [0, 6] for clause in clauses])
    log_odds = np.full(len(clauses), -1.5)
    losses = np.column_stack([np.full(25, BEATEN), rng.choice([TIED, 0.0, BEATEN], 25)])
    difference = coverage(clauses, comparisons.better).astype(int) - coverage(clauses, comparisons.worse)
    for j in range(len(clauses)):
        weights = rng.integers(0, 5, len(clauses))
        slacks = difference @ weights
        chances = []
        for level in range(bounds[j, 0], bounds[j, 1] + 1):
            tried = np.where(np.arange(len(clauses)) == j, level, weights)
            cost = sum(map(log_likelihood, (difference @ tried).tolist(), losses[:, 1].tolist()))
            chances.append(np.exp(cost + (log_odds[j] if level else 0.0)))
        expected = bounds[j, 0] + int(np.searchsorted(np.cumsum(chances), draw * sum(chances), side="right"))
        preferences.resample(columns.arrays, bounds, log_odds, losses, np.array([j]), np.array([draw]), weights, slacks)
        assert weights[j] == expected
        assert np.array_equal(slacks, difference @ weights)


def small_roster(seed: int, contexts: int, **options: object) -> tuple[Model, Dataset]:
    truth = roster_problem(4, 4, np.random.default_rng(seed))
    return truth, generate_data(truth, contexts, seed=seed, allow_fewer=True, **options).data  # type: ignore[arg-type]


def test_positives_are_compared_with_feasible_completions_of_their_own_context() -> None:
    truth, data = small_roster(1, 40)
    found = first_comparisons(data, tuple(clauses_of(truth.hard)), np.flatnonzero(data.positive), nothing)
    assert len(found) > 40
    assert coverage(truth.hard, found.worse).all()
    for k in range(len(found)):
        context = data.contexts[data.context_of[found.owner[k]]]
        assert context.holds(found.better[k : k + 1])[0]
        assert context.holds(found.worse[k : k + 1])[0]
    # The true model never loses a comparison, and ties only where a tie is free or only halves a chance.
    gap = truth.values(found.better) - truth.values(found.worse)
    assert (gap >= 0).all()
    assert (found.tie[gap == 0] > BEATEN).all()


def test_a_flip_is_repaired_by_what_the_rules_force() -> None:
    found = np.empty((3, 3), dtype=np.uint8)
    clauses = np.array([[-1, -2], [-2, 3]])
    count = preferences.near_completions(np.array([1, 0, 0], dtype=np.uint8), np.zeros(3, np.bool_), clauses, found)
    assert found[:count].tolist() == [[0, 0, 0], [0, 1, 1], [1, 0, 1]]
    fixed = np.array([True, False, False])
    count = preferences.near_completions(np.array([1, 0, 0], dtype=np.uint8), fixed, clauses, found)
    assert found[:count].tolist() == [[1, 0, 1]]


def test_the_judge_counts_as_the_solver_does_and_its_cuts_beat_the_positives() -> None:
    truth, data = small_roster(2, 60)
    wrong = Model.from_units(truth.variables, truth.hard, [((v,), 10 * v) for v in range(1, 17)])
    everywhere = range(len(data.contexts))
    judgement = judge(wrong, data, data.positive, everywhere, lambda done: None)
    assert judgement.correct.sum() == int(agrees(verdicts(wrong, data), data).sum())
    assert len(judgement.cuts)
    assert (wrong.values(judgement.cuts.worse) >= wrong.values(judgement.cuts.better)).all()
    assert wrong.feasible(judgement.cuts.worse).all()
    # What beats a positive in the context is worth less in truth: a valid cut.
    assert (truth.values(judgement.cuts.worse) <= truth.values(judgement.cuts.better)).all()
    right = judge(truth, data, data.positive, everywhere, lambda done: None)
    assert right.correct.sum() == len(data)


def test_rules_are_found_and_a_clause_that_chance_spares_is_not_taken() -> None:
    rng = np.random.default_rng(4)
    rows = rng.integers(0, 2, (2000, 6), dtype=np.uint8)
    rows = rows[coverage([(1, 2), (-3, 4)], rows).all(axis=1)][:300]
    # Variables 5 and 6 are nearly always true: that nobody violates 5 | 6 says nothing.
    rows[:, 4:] = 1
    rows[:20, 4] = 0
    rows[20:40, 5] = 0
    rules = mine_rules(rows, np.zeros((0, 6), dtype=np.uint8), 2, nothing).irredundant(6, nothing)
    assert set(rules.clauses) == {(1, 2), (-3, 4)}
    assert not rules.suspect.any()


def test_mislabelled_positives_do_not_hide_the_rules() -> None:
    rng = np.random.default_rng(5)
    truth = roster_problem(6, 6, rng)
    rows = generate_data(truth, 200, seed=5, negatives=1, negative_kind="infeasible", allow_fewer=True).data
    good, bad = rows.assignments[rows.positive], rows.assignments[~rows.positive]
    rules = mine_rules(np.concatenate([good, bad[:15]]), bad[15:], 2, nothing)
    assert rules.suspect[len(good) :].mean() > 0.6
    assert rules.suspect[: len(good)].mean() < 0.02
    clean = mine_rules(good, bad, 2, nothing)
    rules, clean = (each.irredundant(good.shape[1], nothing) for each in (rules, clean))
    shared = set(rules.clauses) & set(clean.clauses)
    assert len(shared) > 0.7 * len(clean.clauses)


def test_implied_clauses_are_dropped() -> None:
    clauses = [Constraint(literals) for literals in [(-1, 2), (-2, 3), (-1, 3), (-1, 3, 4)]]
    assert irredundant(clauses, 4) == clauses[:2]
    assert irredundant([Constraint((1, 2)), Constraint((1,))], 2) == [Constraint((1,))]


def test_no_comparisons_is_an_empty_table() -> None:
    empty = comparisons_of([], [], [], TIED, 3)
    assert (len(empty), empty.better.shape) == (0, (0, 3))
