"""Whole problems from one seed, and the command that writes them."""

from __future__ import annotations

import json
from collections import Counter

import naive
import numpy as np
import pytest

from hassle import Dataset, InputError, Model
from hassle.cli.main import main
from hassle.data import LABELS
from hassle.generate import generate, generate_data, satlib_like


def test_problems_follow_the_papers_protocol():
    problem = generate(6, 4, 4, 12, reasons=True, seed=3)
    truth, data = problem.truth, problem.data
    assert data.variables == truth.variables == tuple(f"x{i}" for i in range(1, 7))
    assert (len(truth.hard), len(truth.soft), len(data.contexts)) == (4, 4, 12)
    for example in data:
        assert naive.context_holds(example.context, example.assignment.bits)
        verdict = naive.verdict(truth, example.context, example.assignment.bits)
        assert example.label == ("positive" if verdict == "optimal" else verdict)
    for rows in data.rows_by_context:
        counts = Counter(LABELS[code].value for code in data.labels[rows])
        assert counts["positive"] <= 2
        assert counts["infeasible"] <= 1
        assert counts["suboptimal"] <= 1
        assert counts["positive"] >= 1


@pytest.mark.parametrize("kind", ["both", "infeasible", "suboptimal"])
def test_every_context_gives_two_and_two(kind):
    for seed in range(3):
        problem = generate(negative_kind=kind, reasons=True, seed=seed)
        assert len(problem.data) == 400
        for rows in problem.data.rows_by_context:
            labels = [LABELS[code].value for code in problem.data.labels[rows]]
            assert labels[:2] == ["positive"] * 2
            assert sorted(labels[2:]) == (["infeasible", "suboptimal"] if kind == "both" else [kind] * 2)


def test_contexts_that_give_fewer_are_kept_on_request():
    kept, redrawn = generate(allow_fewer=True, seed=1), generate(seed=1)
    assert len(kept.data) < len(redrawn.data) == 400
    assert kept.truth == redrawn.truth
    assert kept.changing > redrawn.changing  # redrawing comes at this price
    assert any("examples" in note for note in kept.notes)
    assert not any("examples" in note for note in redrawn.notes)


def test_where_no_context_gives_enough_those_that_exist_are_kept():
    # Every context of one literal has a single optimum, so that two positives are nowhere to be had.
    truth = Model.build(("a", "b"), [], [("a", 1), ("b", "0.5")])
    problem = generate_data(truth, 4, context_literals=1, seed=0)
    assert len(problem.data.contexts) == 2
    assert any("examples" in note for note in problem.notes)


def test_a_kind_that_the_model_has_nowhere_is_not_asked_for():
    problem = generate(8, 0, 10, 50, negative_kind="suboptimal", seed=0)
    assert len(problem.data) == 200


def test_the_seed_decides_everything():
    once, again, other = generate(seed=1), generate(seed=1), generate(seed=2)
    assert (once.truth, once.data, once.notes) == (again.truth, again.data, again.notes)
    assert other.truth != once.truth
    assert other.data != once.data


def test_a_problem_does_not_depend_on_what_was_generated_before():
    np.random.seed(0)  # noqa: NPY002
    first = generate(seed=5)
    np.random.seed(1)  # noqa: NPY002
    generate(seed=6)
    assert generate(seed=5).data == first.data


def test_noise_and_negatives_leave_model_and_contexts_alone():
    plain = generate(contexts=20, seed=1)
    noisy = generate(contexts=20, noise=0.3, seed=1)
    assert noisy.truth == plain.truth
    assert noisy.data.contexts == plain.data.contexts
    assert (noisy.data.assignments == plain.data.assignments).all()
    assert 0 < (noisy.data.labels != plain.data.labels).mean() < 0.5
    assert generate(contexts=20, negative_kind="infeasible", seed=1).data.contexts == plain.data.contexts


def test_one_model_can_have_several_datasets():
    truth = generate(seed=0).truth
    one, two = generate_data(truth, 10, seed=1), generate_data(truth, 10, seed=2)
    assert one.truth == two.truth == truth
    assert one.data != two.data


def test_labels_say_no_reasons_unless_asked():
    labels = {example.label for example in generate(contexts=10).data}
    assert labels == {"positive", "negative"}
    labels = {example.label for example in generate(contexts=10, noise=0.2, reasons=True).data}
    assert labels == {"positive", "infeasible", "suboptimal"}


def test_a_shortage_is_noted():
    problem = generate(3, 2, 2, 1000, positives=50, seed=0)
    assert any("contexts that change the optimum" in note for note in problem.notes)
    assert any(note.startswith(f"{len(problem.data)} of ") for note in problem.notes)


def test_a_formulas_clauses_make_a_problem():
    formula = satlib_like(np.random.default_rng(0))
    problem = generate(cnf=formula, contexts=15, seed=4)
    assert len(problem.truth.variables) == 20
    assert set(problem.truth.constraints) <= set(formula.hard)
    assert len(problem.data.contexts) == 15
    assert {len(context.literals) for context in problem.data.contexts} == {10}


@pytest.mark.parametrize("wish", [{"seed": -1}, {"noise": 2}, {"contexts": -1}, {"negative_kind": "x"}])
def test_bad_wishes_are_refused(wish):
    with pytest.raises(InputError):
        generate(**wish)


def test_the_command_writes_truth_and_examples(tmp_path, capsys):
    target = tmp_path / "deep" / "problem"
    options = ["generate", "-o", str(target), "--variables", "7", "--hard", "4", "--soft", "5", "--contexts", "9"]
    assert main([*options, "--seed", "3", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    expected = generate(7, 4, 5, 9, seed=3)
    assert Model.read(target / "truth.wcnf") == expected.truth
    assert Dataset.read(target / "examples.csv") == expected.data
    assert record == {
        "truth_file": str(target / "truth.wcnf"),
        "examples_file": str(target / "examples.csv"),
        "variables": 7,
        "hard": 4,
        "soft": 5,
        "contexts": 9,
        "changing": expected.changing,
        "examples": len(expected.data),
        "positive": int(expected.data.positive.sum()),
        "seed": 3,
        "notes": list(expected.notes),
    }
    assert main([*options, "--seed", "3", "--allow-fewer"]) == 0
    capsys.readouterr()
    assert Dataset.read(target / "examples.csv") == generate(7, 4, 5, 9, allow_fewer=True, seed=3).data
    # A second run writes over the first, and its text says where.
    assert main([*options, "--seed", "4", "--reasons", "--noise", "0.1", "--negative-kind", "suboptimal"]) == 0
    assert f"{target / 'truth.wcnf'}: 7 variables, 4 hard and 5 soft clauses" in capsys.readouterr().out
    assert Model.read(target / "truth.wcnf") == generate(7, 4, 5, 9, seed=4).truth
    assert {path.name for path in target.iterdir()} == {"truth.wcnf", "examples.csv"}


def test_the_command_takes_a_formula(tmp_path, capsys):
    formula = tmp_path / "formula.cnf"
    satlib_like(np.random.default_rng(1)).write(formula)
    assert main(["generate", "-o", str(tmp_path / "out"), "--cnf", str(formula), "--contexts", "5", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["variables"], record["hard"], record["soft"], record["contexts"]) == (20, 10, 10, 5)
    assert set(Model.read(tmp_path / "out" / "truth.wcnf").constraints) <= set(Model.read(formula).hard)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--variables", "2", "--max-literals", "1"], "20 clauses asked for"),
        (["--variables", "3", "--hard", "8", "--max-literals", "3"], "8 hard clauses over 3 variables"),
        (["--negative-kind", "odd"], "'odd' is not a kind of negatives"),
        (["--noise", "1.5"], "--noise"),
        (["--contexts", "0"], "--contexts"),
        (["--max-literals", "9"], "up to 9 literals over 8 variables"),
        (["--context-literals", "9"], "contexts of 9 literals over 8 variables"),
        (["--cnf", "missing.cnf"], "missing.cnf"),
        (["--cnf", "missing.cnf", "--variables", "4"], "--variables and --cnf exclude each other"),
    ],
)
def test_the_command_says_what_is_wrong(tmp_path, capsys, options, message):
    assert main(["generate", "-o", str(tmp_path / "out"), *options]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err
    assert len(printed.err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_way_is_named(tmp_path, capsys):
    (tmp_path / "out").write_text("x")
    assert main(["generate", "-o", str(tmp_path / "out"), "--contexts", "2"]) == 2
    assert f"{str(tmp_path / 'out')!r} is not a directory; name another one" in capsys.readouterr().err
