"""The programme's parts: weight steps that lose nothing, rows that every model satisfies, models read back."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from test_milp_exact import random_data, random_model

from hassle.data import Dataset
from hassle.errors import InputError
from hassle.learners.milp.clauses import draft, read_model, sought_clauses
from hassle.learners.milp.hints import solution_of
from hassle.learners.milp.minimum_error import prices_of
from hassle.learners.milp.programme import Form, Programme
from hassle.learners.milp.shape import LEVELS, Shape, levels_needed, usual_levels
from hassle.model import Model
from hassle.solve import agrees, verdicts

NAMES = ("a", "b", "c")


def sign_patterns(clauses: int, levels: int) -> set[bytes]:
    """How sums of weights compare, for all weights in steps up to ``levels``, sorted (which loses nothing)."""
    weights = np.array(list(combinations_with_replacement(range(levels + 1), clauses)))
    forms = np.array(list(product((-1, 0, 1), repeat=clauses)))
    return {row.tobytes() for row in np.unique(np.sign(weights @ forms.T).astype(np.int8), axis=0)}


@pytest.mark.parametrize(("clauses", "fine"), [(1, 5), (2, 9), (3, 24), (4, 26)])
def test_the_usual_steps_compare_sums_in_every_way_that_finer_ones_do(clauses: int, fine: int) -> None:
    assert levels_needed(clauses) <= usual_levels(clauses) < fine
    assert sign_patterns(clauses, usual_levels(clauses)) == sign_patterns(clauses, fine)


def test_too_few_steps_would_lose_models() -> None:
    assert sign_patterns(3, 2) < sign_patterns(3, usual_levels(3))


def test_steps_divide_the_unit_and_stop_at_a_hundred() -> None:
    assert [usual_levels(clauses) for clauses in range(9)] == [1, 1, 2, 8, 20, 100, 100, 100, 100]
    assert all(1000 % levels == 0 for levels in LEVELS)
    assert Shape(NAMES, 5, 2, 100).weights_are_general
    assert "1/100" in Shape(NAMES, 6, 2, 100).text()
    assert Shape(NAMES, 1, 1, 1).text() == "1 clause of at most 1 literal"


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("tolerant", [False, True])
def test_a_model_that_fits_satisfies_every_row(seed: int, tolerant: bool) -> None:
    """No row cuts off a model that fits, nor in the tolerant form any model at all: so no proof can be wrong."""
    data, literals = random_data(seed)
    model = random_model(data.variables, literals, np.random.default_rng(seed))
    right = agrees(verdicts(model, data), data)
    if not tolerant:
        data = data.subset(np.flatnonzero(right))
    shape = Shape(data.variables, 3, literals, usual_levels(3))
    programme = Programme(data, shape, Form(tolerant=tolerant, every_optimum=bool(seed % 2)))
    for bits in product((0, 1), repeat=len(data.variables)):
        for c, context in enumerate(data.contexts):
            if context.holds(np.array([bits], dtype=np.uint8))[0]:
                programme.add_rival(c, bits)
    solution = solution_of(programme, model)
    assert solution is not None
    for variable, value in solution.items():
        assert variable.lower_bound <= value <= variable.upper_bound
    for row in programme.milp.linear_constraints():
        terms = [(term.variable, term.coefficient) for term in row.terms()]
        # Fresh variables that define parts of a general context are left to the solver.
        if all(variable in solution for variable, _ in terms):
            total = sum(coefficient * solution[variable] for variable, coefficient in terms)
            assert row.lower_bound <= total <= row.upper_bound, row
    if tolerant:
        assert [solution[var] == 0 for var in programme.given_up] == right.tolist()


def test_a_model_written_into_the_programme_is_read_back() -> None:
    from ortools.math_opt.python import mathopt

    shape = Shape(NAMES, 5, 3, 100)
    model = Model.build(NAMES, hard=["a | b", "!c"], soft=[("a | !b | c", "0.3"), ("b", 1)])
    written = draft(model, shape)
    assert written is not None
    clauses = sought_clauses(mathopt.Model(), shape)
    back = read_model(clauses, written.values(clauses).__getitem__, shape)
    assert set(back.hard) == set(model.hard)
    assert set(back.soft) == set(model.soft)


def test_a_model_of_another_shape_is_not_written() -> None:
    shape = Shape(NAMES, 1, 1, 1)
    assert draft(Model.build(NAMES, hard=["a", "b"]), shape) is None
    assert draft(Model.build(NAMES, hard=["a | b"]), shape) is None
    assert draft(Model.build(NAMES, soft=[("a", -1)]), shape) is None
    assert draft(Model.build(NAMES, hard=["a"]), shape) is not None


def test_examples_with_the_same_assignment_share_a_point() -> None:
    data = Dataset.build(NAMES, [("", "111", 1), ("a", "111", 1), ("b", "110", 0)])
    programme = Programme(data, Shape(NAMES, 2, 2, 2), Form(rivals_from_examples=False))
    assert len(programme.points) == 2
    # Only the context without a positive needs an optimum of its own (the paper's remark on Eq. 10).
    assert list(programme.choices) == [2]
    assert len(Programme(data, Shape(NAMES, 2, 2, 2), Form(every_optimum=True)).choices) == 3


def test_prices_are_whole_and_one_per_example() -> None:
    data = Dataset.build(NAMES, [("", "111", 1), ("", "110", 0)])
    assert prices_of(data, None) == (1, 1)
    assert prices_of(data, [3, 0]) == (3, 0)
    with pytest.raises(InputError, match="1 example weights for 2 examples"):
        prices_of(data, [1])
    with pytest.raises(InputError, match="example 2"):
        prices_of(data, [1, -1])
