"""Incremental scores against scores from the definition: after any moves, in any contexts."""

from __future__ import annotations

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

from hassle.data import Dataset
from hassle.kernels import moves, scoring
from hassle.kernels.moves import ANYTHING, NO_LITERAL, changed_cost, changed_sign, write_moves
from hassle.learners.budget import Budget
from hassle.learners.sls.models import as_model
from hassle.learners.sls.search import draw_model
from hassle.learners.sls.solver import SolverScorer
from hassle.learners.sls.tables import TableScorer, make_problem
from hassle.solve import agrees, verdicts


def naive_correct(model, data):
    """The number of examples whose verdict agrees with their label, by enumeration."""
    return sum(
        (naive.verdict(model, example.context, tuple(bits)) == "optimal") == (example.label == "positive")
        for example, bits in zip(data, data.assignments.tolist(), strict=True)
    )


def model_of(scorer, data):
    return as_model(data.variables, scorer.signs, scorer.costs, int(scorer.hard))


def table_scorer(data, constraints):
    return TableScorer(make_problem(data, constraints), constraints, np.zeros(1, dtype=np.bool_))


def begin(scorer, data, seed, longest=None):
    variables = len(data.variables)
    rng = np.random.default_rng(seed)
    scorer.begin(*draw_model(len(scorer.costs), variables, longest or variables, int(scorer.hard), rng))


def test_optima_are_found_where_words_are_long():
    """A context that leaves 17 variables open: words do not fit the small integers that places are."""
    names = [f"x{k}" for k in range(17)]
    data = Dataset.build(names, [("", [1] * 17, 1), ("", [0] * 17, 0)])
    scorer = table_scorer(data, 3)
    scorer.begin(np.zeros((3, 17), dtype=np.int8), np.ones(3, dtype=np.int32))
    drawn = [scorer.optimum(0, np.random.default_rng(seed)) for seed in range(5)]
    assert all(len(bits) == 17 and set(bits.tolist()) <= {0, 1} for bits in drawn)
    assert any(bits[15:].any() for bits in drawn)


def all_moves(scorer):
    constraints, variables = scorer.signs.shape
    found = np.zeros((constraints * (2 * variables + 3), 3), dtype=np.int64)
    x = np.zeros(variables, dtype=np.uint8)
    everything = np.ones(constraints, dtype=np.bool_)
    count = write_moves(scorer.signs, scorer.costs, scorer.hard, variables, everything, ANYTHING, x, x, found)
    return found[:count]


def scored(scorer, some, example=0):
    """The scores after these moves."""
    return scored_and_fixed(scorer, some, example)[0]


def scored_and_fixed(scorer, some, example):
    scores, fixes = np.zeros(len(some), dtype=np.int32), np.zeros(len(some), dtype=np.bool_)
    assert scorer.score(some, example, scores, fixes)
    return scores, fixes


def changed(scorer, data, move):
    """The model after a move."""
    signs, costs = scorer.signs.copy(), scorer.costs.copy()
    clause, kind, literal = move
    if literal != NO_LITERAL:
        signs[clause, literal >> 1] = changed_sign(kind, literal)
    costs[clause] = changed_cost(costs[clause], kind, scorer.hard)
    return as_model(data.variables, signs, costs, int(scorer.hard))


@settings(max_examples=60, deadline=None)
@given(strategies.datasets(), st.integers(1, 4), st.integers(0, 2**32), st.lists(st.integers(0, 10**6), max_size=6))
def test_scores_are_those_of_the_definition_after_any_moves(data, constraints, seed, choices):
    scorer = table_scorer(data, constraints)
    begin(scorer, data, seed)
    assert scorer.correct == naive_correct(model_of(scorer, data), data)
    for choice in choices:
        neighbours = all_moves(scorer)
        scores = scored(scorer, neighbours)
        sample = choice % len(neighbours)
        assert scores[sample] == naive_correct(changed(scorer, data, neighbours[sample]), data)
        scorer.make(neighbours[sample], int(scores[sample]))
        assert scorer.correct == naive_correct(model_of(scorer, data), data)


@settings(max_examples=15, deadline=None)
@given(strategies.datasets(max_examples=5), st.integers(1, 3), st.integers(0, 2**32))
def test_every_neighbour_has_its_score(data, constraints, seed):
    scorer = table_scorer(data, constraints)
    begin(scorer, data, seed)
    neighbours = all_moves(scorer)
    example = seed % len(data)
    scores, fixes = scored_and_fixed(scorer, neighbours, example)
    after = [changed(scorer, data, move) for move in neighbours]
    assert scores.tolist() == [naive_correct(model, data) for model in after]
    assert fixes.tolist() == [naive_correct(model, data.subset([example])) == 1 for model in after]


@settings(max_examples=30, deadline=None)
@given(strategies.datasets(), st.integers(1, 4), st.integers(0, 2**32), st.lists(st.integers(0, 10**6), max_size=4))
def test_minima_are_minima_wherever_they_are_not_stale(data, constraints, seed, choices):
    scorer = table_scorer(data, constraints)
    begin(scorer, data, seed)
    for choice in choices:
        neighbours = all_moves(scorer)
        scorer.make(neighbours[choice % len(neighbours)], 0)
        scored(scorer, all_moves(scorer)[choice % 3 :])
        candidate, problem = scorer.candidate, scorer.problem
        for clause, context in np.argwhere(~candidate.stale):
            losses = candidate.losses[problem.offsets[context] : problem.offsets[context + 1]]
            words = np.arange(len(losses))
            places = problem.places[context]
            truth = [words >> place & 1 if place >= 0 else np.full(len(words), place == -2) for place in places]
            uncovered = np.ones(len(words), dtype=bool)
            for variable in np.flatnonzero(candidate.signs[clause]):
                uncovered &= truth[variable] != (candidate.signs[clause, variable] > 0)
            assert candidate.least[clause, context] == losses[uncovered].min(initial=scoring.NOWHERE)
            for literal, minimum in enumerate(candidate.minima[clause, :, context]):
                inside = uncovered & (truth[literal >> 1] == literal % 2)
                assert minimum == losses[inside].min(initial=scoring.NOWHERE)


def wide_data(variables=90, contexts=12, free=(0, 1, 3, 5), seed=0):
    """Many variables, contexts that fix all but a few of them."""
    rng = np.random.default_rng(seed)
    names = tuple(f"v{i}" for i in range(variables))
    triples = []
    for c in range(contexts):
        base = rng.integers(0, 2, variables)
        left = rng.permutation(variables)[: free[c % len(free)]]
        fixed = [int((v + 1) * (1 if base[v] else -1)) for v in range(variables) if v not in left]
        for _ in range(3):
            bits = base.copy()
            bits[left] = rng.integers(0, 2, len(left))
            triples.append((fixed, bits, int(rng.integers(0, 2))))
    return Dataset.build(names, triples)


@pytest.mark.parametrize("seed", range(3))
def test_more_than_64_variables_and_uneven_contexts(seed):
    data = wide_data(seed=seed)
    scorer = table_scorer(data, 15)
    begin(scorer, data, seed, longest=3)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        neighbours = all_moves(scorer)
        chosen = neighbours[rng.integers(len(neighbours), size=1)]
        scorer.make(chosen[0], int(scored(scorer, chosen)[0]))
        model = model_of(scorer, data)
        assert scorer.correct == agrees(verdicts(model, data), data).sum()


def test_in_an_infeasible_context_nothing_is_optimal():
    data = Dataset.build(("a", "b"), [("a", (1, 0), 1), ("a", (1, 1), 0), ("!a", (0, 1), 1)])
    scorer = table_scorer(data, 2)
    hard = int(scorer.hard)
    scorer.begin(np.array([[-1, 0], [0, 1]], dtype=np.int8), np.array([hard, 5], dtype=np.int32))  # !a hard, b soft
    assert scorer.correct == 2  # the positive in a is infeasible, the negative rightly so, !a & b is optimal


def test_general_contexts_block_points():
    data = Dataset.build(("a", "b", "c"), [("a | b", (1, 0, 0), 1), ("a -> c", (0, 1, 1), 0)])
    scorer = table_scorer(data, 1)
    scorer.begin(np.array([[-1, 0, 0]], dtype=np.int8), np.array([7], dtype=np.int32))  # prefers !a
    assert scorer.correct == naive_correct(model_of(scorer, data), data) == 0


@settings(max_examples=15, deadline=None)
@given(strategies.datasets(), st.integers(1, 3), st.integers(0, 2**32), st.integers(0, 10**6))
def test_scoring_by_solver_is_scoring_by_table(data, constraints, seed, choice):
    tables, solver = (
        table_scorer(data, constraints),
        SolverScorer(data, constraints, np.zeros(1, dtype=np.bool_), Budget()),
    )
    for scorer in (tables, solver):
        begin(scorer, data, seed)
    for _ in range(2):
        assert tables.correct == solver.correct
        neighbours = all_moves(tables)
        some = neighbours[choice % len(neighbours) :][:4]
        scores, fixes = scored_and_fixed(tables, some, choice % len(data))
        expected, expected_fixes = scored_and_fixed(solver, some, choice % len(data))
        assert scores.tolist() == expected.tolist()
        assert fixes.tolist() == expected_fixes.tolist()
        for scorer in (tables, solver):
            scorer.make(some[0], int(scores[0]))


@settings(max_examples=30, deadline=None)
@given(strategies.datasets(), st.integers(1, 4), st.integers(0, 2**32))
def test_mistakes_are_mistakes_and_the_optimum_is_one(data, constraints, seed):
    scorer = table_scorer(data, constraints)
    begin(scorer, data, seed)
    model = model_of(scorer, data)
    wrong = {k for k, agreed in enumerate(agrees(verdicts(model, data), data)) if not agreed}
    assert len(wrong) == len(data) - scorer.correct
    rng = np.random.default_rng(seed)
    for _ in range(3 * len(wrong)):
        mistake = scorer.pick_mistake(rng)
        assert mistake.example in wrong
        example, bits = data[mistake.example], tuple(data.assignments[mistake.example].tolist())
        verdict = naive.verdict(model, example.context, bits)
        assert tuple(mistake.x.tolist()) == bits
        if example.label == "positive":
            expected = moves.POSITIVE_INFEASIBLE if verdict == "infeasible" else moves.POSITIVE_SUBOPTIMAL
            assert mistake.error == expected
        if verdict != "infeasible":
            assert tuple(mistake.best.tolist()) in naive.optima(model, example.context)[0]


def test_a_raised_flag_stops_scoring():
    data = wide_data()
    scorer = table_scorer(data, 5)
    begin(scorer, data, 0)
    neighbours = all_moves(scorer)
    scorer.stop[0] = True
    count = len(neighbours)
    assert not scorer.score(neighbours, 0, np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.bool_))


def test_a_raised_flag_stops_solving():
    data = Dataset.build(("a", "b"), [("a", (1, 0), 1), ("!a", (0, 1), 0)])
    scorer = SolverScorer(data, 2, np.zeros(1, dtype=np.bool_), Budget())
    begin(scorer, data, 0)
    assert scorer.correct == naive_correct(model_of(scorer, data), data)
    scorer.stop[0] = True
    moves = all_moves(scorer)
    assert not scorer.score(moves, 0, np.zeros(50, dtype=np.int32), np.zeros(50, dtype=np.bool_))
    before = scorer.signs.copy()
    scorer.make(moves[0], 1)
    assert (scorer.signs == before).all()
    begin(scorer, data, 1)
    assert scorer.correct == -1


def test_most_clauses_fit_in_32_bits():
    """The largest loss there can be: a blocked point that violates as many hard clauses as a model may have."""
    most = scoring.MOST_CLAUSES
    assert int(scoring.BLOCKED) + most * moves.WHOLE * most + moves.WHOLE * most < 2**31
