"""The exact learner from outside: its three kinds of answer, its limits, its options, and its backends."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from ortools.math_opt.python import mathopt

from hassle.data import Dataset
from hassle.errors import InputError, NoModelError
from hassle.generate import generate
from hassle.learners import Budget, Progress, learn, make_learner
from hassle.learners.budget import silent
from hassle.learners.milp.backends import Backend, Watch, last_improvement
from hassle.learners.milp.learner import MilpLearner
from hassle.learners.milp.worker import LOG_ROWS
from hassle.model import Model
from hassle.solve.tidying import tidied

SOLVERS = ("highs", "scip", "cp-sat")
NAMES = ("a", "b", "c")
EASY = Dataset.build(NAMES, [("a", "111", 1), ("a", "101", 0), ("!a", "010", 1), ("!a", "001", 0)])
IMPOSSIBLE = Dataset.build(NAMES, [("", "110", 1), ("", "101", 1), ("", "011", 1), ("", "000", 0), ("", "111", 0)])
# Far more than any backend settles, as to the fewest errors, within the seconds it gets here.
HARD = generate(8, 4, 4, 40, seed=1, noise=0.1).data
HARD_OPTIONS = {"constraints": 8, "max_literals": 4}
# The paper's own size, which no backend settles within a minute.
HOPELESS = generate(8, 10, 10, 50, seed=1).data


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_model_that_fits_is_found_and_called_proved(solver: str) -> None:
    result = learn(EASY, "milp", constraints=2, milp_solver=solver)
    assert (result.stopped, result.score, result.learner) == ("proved", 1, "milp")
    assert result.notes == ("this model fits every example (proved)",)
    assert tidied(result.trace[-1].model) == result.model


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_number_of_threads_changes_no_answer(solver: str) -> None:
    assert learn(EASY, "milp", constraints=2, milp_solver=solver, threads=2).stopped == "proved"
    with pytest.raises(NoModelError, match="proved"):
        learn(IMPOSSIBLE, "milp", constraints=1, max_literals=1, milp_solver=solver, threads=2)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_proof_that_no_model_fits_is_an_answer_of_its_own(solver: str) -> None:
    with pytest.raises(NoModelError, match=r"no model with 1 clause of at most 1 literal .*\(proved\)") as caught:
        learn(IMPOSSIBLE, "milp", constraints=1, max_literals=1, milp_solver=solver)
    assert (caught.value.proved, caught.value.exit_code) == (True, 1)


@pytest.mark.parametrize("solver", SOLVERS)
def test_running_out_of_time_is_never_called_a_proof(solver: str) -> None:
    with pytest.raises(NoModelError, match="no proof that there is none") as caught:
        learn(HOPELESS, "milp", time_limit=0.3, milp_solver=solver, constraints=20)
    assert (caught.value.proved, caught.value.exit_code) == (False, 1)


def test_contradictions_are_a_proof_without_a_solver() -> None:
    data = Dataset.build(NAMES, [("a", "111", 1), ("a", "101", 0), ("a", "111", 0)])
    with pytest.raises(NoModelError, match="examples 1, 3 are the same") as caught:
        learn(data, "milp")
    assert caught.value.proved
    fewest = learn(data, "milp", constraints=2, minimum_error=True)
    assert (fewest.price, fewest.bound, fewest.correct, fewest.stopped) == (1, 1, 2, "proved")


def test_stopped_early_the_minimum_error_form_still_has_a_model_and_a_bound() -> None:
    result = learn(HARD, "milp", time_limit=0.5, milp_solver="cp-sat", minimum_error=True, **HARD_OPTIONS)
    assert result.stopped == "time"
    assert result.bound < result.price == len(HARD) - result.correct
    assert f"at least {result.bound} (proved)" in result.notes[0]


@pytest.mark.parametrize("solver", SOLVERS)
def test_ctrl_c_keeps_the_best_model_so_far(solver: str) -> None:
    def ctrl_c(progress: Progress) -> None:
        raise KeyboardInterrupt

    options = HARD_OPTIONS | {"minimum_error": True, "local_search": 0}
    result = learn(HARD, "milp", listener=ctrl_c, milp_solver=solver, **options)
    assert result.stopped == "interrupted"
    assert result.correct >= HARD.positive.sum()


@pytest.mark.parametrize("solver", SOLVERS)
def test_interrupted_without_a_model_says_so(solver: str) -> None:
    interrupt = threading.Event()
    notes = []

    def stop(progress: Progress) -> None:
        notes.append(progress.note)
        interrupt.set()

    with pytest.raises(NoModelError, match="interrupted") as caught:
        learn(HOPELESS, "milp", listener=stop, interrupt=interrupt, milp_solver=solver, constraints=20)
    assert (caught.value.proved, caught.value.exit_code) == (False, 130)
    assert notes[0].startswith("round 1")


def test_rounds_are_steps() -> None:
    with pytest.raises(NoModelError, match="0 rounds"):
        learn(EASY, "milp", steps=0)
    assert learn(EASY, "milp", steps=5, constraints=2).steps <= 5


def test_a_lower_target_is_enough() -> None:
    result = learn(EASY, "milp", minimum_error=True, local_search=0, target_score=0.5)
    assert (result.stopped, result.steps) == ("target", 0)


def test_a_start_that_fits_is_the_answer() -> None:
    start = Model.build(NAMES, hard=["b"])
    result = learn(EASY, "milp", start=start, constraints=2)
    assert (result.model, result.steps, result.stopped) == (start, 0, "proved")
    smallest = learn(EASY, "milp", start=Model.build(NAMES, hard=["b", "c"]), constraints=2, smallest=True)
    assert len(smallest.model.constraints) == smallest.least_clauses == 1


def test_a_start_of_another_shape_is_refused() -> None:
    with pytest.raises(InputError, match="not one of 1 clause"):
        learn(EASY, "milp", start=Model.build(NAMES, hard=["b", "c"]), constraints=1)


def test_no_examples_are_fitted_by_no_clauses() -> None:
    data = Dataset.build(NAMES, [])
    result = make_learner("milp", {"smallest": True}).learn(data, Budget(), 0, silent)
    assert result.model.constraints == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"milp_solver": "cplex"}, "choose one of highs, scip, cp-sat, gurobi"),
        ({"constraints": 0}, "constraints is 0"),
        ({"max_literals": 0}, "max literals is 0"),
        ({"threads": 0}, "threads is 0"),
        ({"weight_levels": 3}, "weight levels 3"),
        ({"local_search": -1}, "local search"),
        ({"smallest": True, "minimum_error": True}, "cannot be asked for together"),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        MilpLearner(**options)  # type: ignore[arg-type]


def test_gurobi_is_used_where_it_is_licensed_and_explained_where_not() -> None:
    milp = mathopt.Model()
    milp.maximize(milp.add_binary_variable())
    try:
        answer = Backend("gurobi").solve(milp, Budget(5))
    except InputError as error:
        message = str(error)
        assert "licence" in message
    else:
        assert answer.optimal


def test_bound_and_incumbent_are_read_from_logs() -> None:
    highs = " L       0       0       0   0.00%   1304.904664     1249     4.48%      750   15    4    113     0.3s"
    row = LOG_ROWS["highs"].search(highs)
    assert row is not None
    assert (row["bound"], row["incumbent"]) == ("1304.904664", "1249")
    scip = " 0.3s|  1 |  0 |  101 |  - |  3019k |  0 |  60 |  40 |  0 |  0 | 1.19e+03 | 9.8e+02 |  21.67%| unknown"
    row = LOG_ROWS["scip"].search(scip)
    assert row is not None
    assert (row["bound"], row["incumbent"]) == ("1.19e+03", "9.8e+02")
    assert Watch(10, 8).text() == "bound 10, incumbent 8, gap 25.0%"
    assert Watch().text() == ""


def test_the_last_whole_improvement_is_read(tmp_path: Path) -> None:
    blocks = [(0, [0, 0]), (3, [1, 0.9999999]), (4, [1])]
    file = tmp_path / "improvements"
    assert last_improvement(file) is None
    text = [f"Objective {value}\n# Columns 2\n" + "".join(f" {bit}\n" for bit in bits) for value, bits in blocks]
    file.write_text("".join(text))
    assert last_improvement(file) == {0: 1, 1: 1}
    file.write_text("Objective")
    assert last_improvement(file) is None


def test_the_estimator_learns_exactly() -> None:
    estimators = pytest.importorskip("hassle.estimators")
    classifier = estimators.MaxSatClassifier("milp", constraints=2, options={"milp_solver": "cp-sat"})
    contexts = [example.context for example in EASY]
    classifier.fit(EASY.assignments, EASY.positive.astype(int), contexts=contexts)
    assert classifier.result_.stopped == "proved"
    assert classifier.score(EASY.assignments, EASY.positive.astype(int), contexts=contexts) == 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_heavy_examples_are_weighed_to_the_last_unit(solver: str) -> None:
    """A gap of 0.01 %, at which solvers stop unless told otherwise, would be ten units here."""
    data = Dataset.build(NAMES, [("", "111", 1), ("", "111", 0), ("", "000", 0)])
    options = {"constraints": 2, "minimum_error": True, "local_search": 0, "milp_solver": solver}
    result = learn(data, "milp", example_weights=[100_000, 100_001, 1], **options)
    assert (result.price, result.bound, result.stopped) == (100_000, 100_000, "proved")
