"""The example at the end of the paper's Appendix D: where the plain encoding goes wrong, and what repair makes of it.

The last row is printed as [0, 0, 0], negative, in context ¬X2 ∧ ¬X3. Under the stated true model that assignment is
optimal there, and the γ values given do not fit it either; [1, 0, 0] is meant, and with it everything else holds.
"""

from __future__ import annotations

import pytest
from milp_judge import least_prices

from hassle.data import Dataset
from hassle.errors import InputError, NoModelError
from hassle.learners import learn
from hassle.learners.budget import Budget
from hassle.learners.milp.backends import Backend
from hassle.learners.milp.hints import solution_of
from hassle.learners.milp.programme import Form, Programme
from hassle.learners.milp.shape import Shape
from hassle.model import Model
from hassle.solve import agrees, best_values, verdicts

NAMES = ("x1", "x2", "x3")
SIX_ROWS = [
    ("", "111", 0),
    ("", "010", 1),
    ("x3", "111", 1),
    ("x3", "101", 1),
    ("x2 & !x3", "010", 1),
    ("x2 & !x3", "110", 0),
]
CORRECTED = Dataset.build(NAMES, [*SIX_ROWS, ("!x2 & !x3", "100", 0)])
PRINTED = Dataset.build(NAMES, [*SIX_ROWS, ("!x2 & !x3", "000", 0)])
TRUTH = Model.build(NAMES, hard=["x1 | !x3"], soft=[("!x1", 1)])
MISLABELLING = Model.build(NAMES, soft=[("!x1", 1), ("!x1 | x3", 1)])
# Weights are 0, 1/2 or 1, which is enough for two clauses: a γ of 1 is two steps.
SHAPE = Shape(NAMES, clauses=2, literals=3, levels=2)
AS_IN_THE_PAPER = Form(maximise_gamma=True, ordered=False, rivals_from_examples=False)
STRICT = {"learner": "milp", "constraints": 2, "max_literals": 3, "paper": True}
SOLVERS = ("highs", "scip", "cp-sat")


def test_the_true_model_fits_the_corrected_table_with_the_gammas_of_the_paper() -> None:
    assert agrees(verdicts(TRUTH, CORRECTED), CORRECTED).all()
    assert not agrees(verdicts(TRUTH, PRINTED), PRINTED).all()
    assert best_values(TRUTH, CORRECTED.contexts) == [1000, 0, 1000, 1000]


def test_the_mislabelling_model_has_the_gammas_of_the_paper_and_two_examples_wrong() -> None:
    assert best_values(MISLABELLING, CORRECTED.contexts) == [2000, 2000, 2000, 2000]
    assert agrees(verdicts(MISLABELLING, CORRECTED), CORRECTED).tolist() == [True, True, False, False, True, True, True]


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_plain_encoding_reaches_a_sum_of_seven(solver: str) -> None:
    programme = Programme(CORRECTED, SHAPE, AS_IN_THE_PAPER)
    answer = Backend(solver).solve(programme.milp, Budget(30))
    assert answer.optimal
    gammas = [answer.value(gamma) for gamma in programme.gamma]
    assert gammas == [4, 2, 4, 4]
    assert sum(gammas) / SHAPE.levels == 7


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_plain_encoding_takes_the_mislabelling_model_and_the_repaired_one_does_not(solver: str) -> None:
    programme = Programme(CORRECTED, SHAPE, AS_IN_THE_PAPER)
    solution = solution_of(programme, MISLABELLING)
    assert solution is not None
    for clause in programme.clauses:
        for variable in (*clause.contains.values(), clause.hard, clause.weight):
            variable.lower_bound = variable.upper_bound = solution[variable]
    answer = Backend(solver).solve(programme.milp, Budget(30))
    assert [answer.value(gamma) for gamma in programme.gamma] == [4, 2, 4, 4]
    x3 = CORRECTED.contexts.index(CORRECTED[2].context)
    assert programme.add_rival(x3, (0, 1, 1))
    assert Backend(solver).solve(programme.milp, Budget(30)).impossible


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("maximise_gamma", [False, True])
def test_the_repaired_learner_labels_all_seven_examples_right(solver: str, maximise_gamma: bool) -> None:
    result = learn(CORRECTED, "milp", constraints=2, max_literals=3, milp_solver=solver, maximise_gamma=maximise_gamma)
    assert (result.correct, result.stopped) == (7, "proved")
    assert agrees(verdicts(result.model, CORRECTED), CORRECTED).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_with_the_row_as_printed_two_clauses_are_proved_too_few(solver: str) -> None:
    assert least_prices(PRINTED, 3) == [3, 2, 1]
    with pytest.raises(
        NoModelError, match="no model with 2 clauses of at most 3 literals fits every example"
    ) as caught:
        learn(PRINTED, "milp", constraints=2, max_literals=3, milp_solver=solver)
    assert caught.value.proved
    fewest = learn(PRINTED, "milp", constraints=2, max_literals=3, milp_solver=solver, minimum_error=True)
    assert (fewest.price, fewest.bound, fewest.stopped) == (1, 1, "proved")


def test_with_the_row_as_printed_three_clauses_are_the_fewest_that_fit() -> None:
    result = learn(PRINTED, "milp", constraints=4, max_literals=3, smallest=True, milp_solver="cp-sat")
    assert (result.least_clauses, len(result.model.constraints), result.score) == (3, 3, 1)


@pytest.mark.parametrize("solver", ["highs", "cp-sat"])
def test_the_strict_recipe_is_one_shot_and_errs_as_the_paper_shows(solver: str) -> None:
    """The paper's example: Σγ = 7 is claimed, and the positives of the context X3 are mislabelled."""
    result = learn(CORRECTED, milp_solver=solver, time_limit=60, **STRICT)
    assert (result.steps, result.stopped) == (1, "steps")
    right = agrees(verdicts(result.model, CORRECTED), CORRECTED)
    assert right.sum() == result.correct < 7
    assert any(f"took {7 - result.correct} of 7 examples" in note for note in result.notes)


def test_the_strict_recipe_is_appendix_d_and_nothing_else() -> None:
    from hassle.learners.milp import MilpLearner

    strict = MilpLearner(constraints=2, paper=True)
    form = strict.form(CORRECTED)
    assert form == Form(
        maximise_gamma=True, every_optimum=True, ordered=False, rivals_from_examples=False, weights_apart=True
    )
    assert strict.shape(CORRECTED, 2).levels == 100  # the paper's ε is 0.01
    assert strict.steps_of_local_search() == 0
    programme = Programme(CORRECTED, strict.shape(CORRECTED, 2), form)
    assert sorted(programme.choices) == list(range(len(CORRECTED.contexts)))
    assert not programme.rivals


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_weights_are_none_or_at_least_three_epsilon(steps: int) -> None:
    programme = Programme(CORRECTED, Shape(NAMES, clauses=1, literals=3, levels=100), Form(weights_apart=True))
    for row in list(programme.milp.linear_constraints()):
        if programme.clauses[0].weight not in [term.variable for term in row.terms()]:
            programme.milp.delete_linear_constraint(row)
    programme.clauses[0].weight.lower_bound = programme.clauses[0].weight.upper_bound = steps
    assert Backend("highs").solve(programme.milp, Budget(30)).impossible == (steps < 3)


@pytest.mark.parametrize(
    "option",
    [{"smallest": True}, {"minimum_error": True}, {"local_search": 9}, {"weight_levels": 10}, {"start": TRUTH}],
)
def test_the_strict_recipe_takes_no_other(option: dict[str, object]) -> None:
    with pytest.raises(InputError, match="Appendix D as printed has no"):
        learn(CORRECTED, **STRICT, **option)
