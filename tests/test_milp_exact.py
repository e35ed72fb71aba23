"""The exact learner against brute force over all models, on tiny random problems."""

from __future__ import annotations

import numpy as np
import pytest
from milp_judge import all_clauses, errors_of, least_prices

import hassle
from hassle.data import Dataset
from hassle.errors import NoModelError
from hassle.learners import learn
from hassle.logic import default_names
from hassle.model import Model
from hassle.solve import agrees, optima, verdicts

CONTEXTS = ("", "x1", "!x1", "x2", "!x2", "x1 & !x2", "!x1 & !x2", "x1 | x2", "x1 <-> x2", "!(x1 & x2)")


def random_data(seed: int) -> tuple[Dataset, int]:
    """Examples in a few contexts, labelled by a small random model or by chance, and a length for clauses."""
    rng = np.random.default_rng(seed)
    names = default_names(int(rng.choice([2, 3, 4, 4])))
    literals = int(rng.integers(1, len(names) + 1))
    truth = random_model(names, literals, rng) if seed % 4 else None
    examples = {}
    for text in rng.choice(CONTEXTS, size=rng.integers(2, 6), replace=False):
        context = hassle.Context.parse(str(text), names)
        for _ in range(rng.integers(1, 6)):
            bits = rng.integers(0, 2, len(names)).astype(np.uint8)
            if not context.holds(bits[None, :])[0]:
                continue
            label = rng.integers(0, 2) if truth is None else truth.verdict(bits, context) == "optimal"
            examples[str(text), tuple(bits.tolist())] = int(label)
        if truth is not None and rng.random() < 0.7:
            for best in optima(truth, context, limit=2).assignments:
                examples[str(text), tuple(best.tolist())] = 1
    return Dataset.build(names, [(c, bits, label) for (c, bits), label in examples.items()]), literals


def random_model(names: tuple[str, ...], literals: int, rng: np.random.Generator) -> Model:
    clauses = list(all_clauses(len(names), literals))
    size = int(rng.integers(1, 4))
    drawn = [clauses[i] for i in rng.choice(len(clauses), size=size, replace=False)]
    hard = int(rng.integers(0, size))
    weights = rng.integers(1, 4, size=size).tolist()
    return Model.from_units(names, drawn[:hard], list(zip(drawn[hard:], weights[hard:], strict=True)))


def seeds(first: int, quick: int) -> list[object]:
    """So many problems by default, and a hundred in all by ``make test-all``."""
    slow = pytest.mark.slow
    return [pytest.param(seed, marks=[slow] if seed >= first + quick else []) for seed in range(first, first + 100)]


def solver(seed: int) -> str:
    return ("highs", "cp-sat", "cp-sat", "scip")[seed % 4]


@pytest.mark.parametrize("seed", seeds(0, 32))
def test_whether_a_model_fits_is_settled_as_brute_force_settles_it(seed: int) -> None:
    data, literals = random_data(seed)
    for clauses in (1, 2):
        fits = least_prices(data, literals)[clauses] == 0
        options = {"constraints": clauses, "max_literals": literals, "milp_solver": solver(seed)}
        if fits:
            result = learn(data, "milp", **options)
            assert result.stopped == "proved"
            assert agrees(verdicts(result.model, data), data).all()
            assert len(result.model.constraints) <= clauses
            assert all(1 <= len(clause.literals) <= literals for clause in result.model.constraints)
        else:
            with pytest.raises(NoModelError) as caught:
                learn(data, "milp", **options)
            assert caught.value.proved


@pytest.mark.parametrize("seed", seeds(100, 20))
def test_the_fewest_errors_are_those_of_brute_force(seed: int) -> None:
    data, literals = random_data(seed)
    prices = np.random.default_rng(seed).integers(0, 4, len(data)) if seed % 2 else None
    least = least_prices(data, literals, prices)
    for clauses in (1, 2):
        result = learn(
            data,
            "milp",
            constraints=clauses,
            max_literals=literals,
            milp_solver=solver(seed),
            minimum_error=True,
            local_search=0,
            example_weights=prices,
        )
        assert result.stopped == "proved"
        assert result.price == result.bound == least[clauses]
        wrong = ~agrees(verdicts(result.model, data), data)
        assert result.price == (wrong.sum() if prices is None else wrong @ prices)


@pytest.mark.parametrize("seed", seeds(200, 20))
def test_the_least_number_of_clauses_is_that_of_brute_force(seed: int) -> None:
    data, literals = random_data(seed)
    fitting = [clauses for clauses, price in enumerate(least_prices(data, literals)) if price == 0]
    options = {"constraints": 2, "max_literals": literals, "milp_solver": solver(seed), "smallest": True}
    if fitting:
        result = learn(data, "milp", **options)
        assert (result.stopped, result.score) == ("proved", 1)
        assert len(result.model.constraints) == result.least_clauses == fitting[0]
    else:
        with pytest.raises(NoModelError, match=r"no model .* \(proved\)"):
            learn(data, "milp", **options)


def test_the_judge_itself_on_a_case_done_by_hand() -> None:
    # In context x1 the point 11 is good and 10 is bad: "x2", hard or soft, fits; no model without clauses does.
    data = Dataset.build(("x1", "x2"), [("x1", "11", 1), ("x1", "10", 0)])
    assert least_prices(data, 1) == [1, 0, 0]
    nothing = (np.ones((1, 4), dtype=np.bool_), np.zeros((1, 4), dtype=np.int64))
    assert errors_of(nothing, data).tolist() == [[False, True]]
