"""The doctor for data: what it calls impossible is impossible, what it counts is right, and it says what to do."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction

import naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import datasets

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.evaluation import by_table, counters, doctor
from hassle.evaluation.conflicts import conflicts, implies
from hassle.evaluation.doctor import inspect
from hassle.logic import as_context, as_schema

PAIR = ("a", "b")


def fewest_mistakes(data):
    """The least number of examples that any model over two variables gets wrong.

    Clauses over both variables can single out each assignment, so every choice of feasible assignments and every
    ranking of them is a model: a rank for each of the four, or -1 where it is infeasible.
    """
    everything = naive.all_assignments(2)
    fewest = len(data)
    for ranks in itertools.product(range(-1, 4), repeat=4):
        rank = dict(zip(everything, ranks, strict=True))
        wrong = 0
        for example in data:
            allowed = [bits for bits in everything if naive.context_holds(example.context, bits)]
            best = max(rank[bits] for bits in allowed)
            optimal = rank[example.assignment.bits] == best >= 0
            wrong += optimal != (example.label.value == "positive")
        fewest = min(fewest, wrong)
    return fewest


@settings(max_examples=40, deadline=None)
@given(datasets(over=st.just(PAIR), max_examples=6))
def test_no_model_makes_fewer_mistakes_than_the_doctor_says(data):
    found = conflicts(data)
    used = [k for rows in found.groups for k in rows]
    assert len(used) == len(set(used))
    assert found.least_mistakes <= fewest_mistakes(data)


@pytest.mark.parametrize(
    ("examples", "least"),
    [
        ([("", "10", 1), ("", "10", 0)], 1),
        ([("", "10", 1), ("", "10", 0), ("", "10", 0), ("", "10", 1), ("", "10", 1)], 2),
        # Good everywhere, bad where less is possible.
        ([("", "10", 1), ("!b", "10", 0)], 1),
        # The other way round is possible: better assignments exist outside.
        ([("", "10", 0), ("!b", "10", 1)], 0),
        # Good in a, and in "a | b" another one that lies in a is good: so they are worth the same.
        ([("a", "10", 1), ("a | b", "11", 1), ("a | b", "10", 0)], 1),
        ([("a", "10", 1), ("a | b", "01", 1), ("a | b", "10", 0)], 0),
    ],
)
def test_least_mistakes(examples, least):
    data = Dataset.build(PAIR, examples)
    assert conflicts(data).least_mistakes == least == fewest_mistakes(data)
    assert inspect(data).least_noise == Fraction(least, len(data))


def test_implication_between_contexts():
    names = ("a", "b", "c")
    contexts = [as_context(text, names) for text in ("", "a", "a & b", "b | c", "a & (b | c)")]
    assert [[implies(x, y, as_schema(names)) for y in contexts] for x in contexts] == [
        [True, False, False, False, False],
        [True, True, False, False, False],
        [True, True, True, False, False],
        [True, False, False, True, False],
        [True, True, False, True, True],
    ]


@settings(max_examples=60, deadline=None)
@given(datasets())
def test_numbers_equal_their_definitions(data):
    found = inspect(data)
    n = len(data.variables)
    everything = naive.all_assignments(n)
    covered = [bits for bits in everything if any(naive.context_holds(context, bits) for context in data.contexts)]
    assert found.coverage.share == Fraction(len(covered), len(everything))
    assert (found.coverage.outside is None) == (len(covered) == len(everything))
    if found.coverage.outside is not None:
        assert found.coverage.outside.bits not in covered
    silent = []
    for v, name in enumerate(data.variables):
        values = {
            context: {row.assignment.bits[v] for row in data if row.context == context} for context in data.contexts
        }
        if all(len(seen) == 1 for seen in values.values()):
            silent.append(name)
    assert list(found.silent) == silent
    assert sum(found.labels.values()) == found.examples == len(data)
    for context, summary in zip(data.contexts, found.contexts, strict=True):
        labels = [row.label.value for row in data if row.context == context]
        assert (summary.positives, summary.negatives) == (
            labels.count("positive"),
            len(labels) - labels.count("positive"),
        )
    assert all(finding.what and finding.todo for finding in found.findings)


@settings(max_examples=20, deadline=None)
@given(datasets())
def test_coverage_by_counting_equals_coverage_by_table(data):
    expected = inspect(data).coverage
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(doctor, "table_fits", lambda context, variables: False)
        patch.setattr(counters, "is_installed", lambda package: False)
        assert inspect(data).coverage.share == expected.share


def test_coverage_of_a_target_context():
    data = Dataset.build(("a", "b", "c"), [("a & b", "110", 1), ("a & !b & c", "101", 0)])
    assert inspect(data).coverage.share == Fraction(3, 8)
    found = inspect(data, target="a").coverage
    assert found.share == Fraction(3, 4)
    assert found.outside.bits == (1, 0, 0)
    assert inspect(data, target="a & (b | c)").coverage.share == 1
    assert inspect(data, target="a & !a").coverage.share is None


def test_coverage_beyond_tables():
    names = tuple(f"x{i}" for i in range(60))
    rows = [("x0 & x1", "1" * 60, 1), ("!x0 & (x5 | x6)", "0" + "1" * 59, 0)]
    assert inspect(Dataset.build(names, rows)).coverage.share == Fraction(1, 4) + Fraction(3, 8)


def kinds(examples, **options):
    return {finding.kind: finding for finding in inspect(Dataset.build(("a", "b", "c"), examples), **options).findings}


def test_findings():
    assert kinds([])["empty"].severity == "error"
    plain = kinds([("", "110", 1), ("", "001", 0)])
    assert set(plain) == {"sample-size"}
    assert plain["sample-size"].severity == "note"
    found = kinds([("a", "110", 1), ("a", "110", 0), ("b", "110", "infeasible"), ("!c", "010", "suboptimal")])
    assert found["contradiction"].rows == (1, 2)
    assert found["reason"].rows == (3,)
    assert found["no-positive"].what == "2 contexts of 3 have no positive example"
    assert found["silent"].what == "a: never varies within a context, only between contexts"
    assert found["constant"].what == "b, c: the same in every example"
    assert found["coverage"].what.startswith("the contexts cover 87.5%")
    assert kinds([("a & b & c", "111", 1), ("", "000", 0)])["fixed"]
    assert kinds([("", "111", 1), ("", "111", 1), ("", "000", 0)])["repeat"].what == "1 example repeats an earlier one"


def test_one_example_per_context_is_called_what_it_is():
    """No variable can vary within a context then, which is no reason to drop a column."""
    found = kinds([("a", "110", 1), ("!a", "011", 0), ("b", "010", 1)])
    assert found["single"].severity == "warning"
    assert found["single"].what.startswith("every context has a single example")
    assert found["constant"].what == "b: the same in every example"
    assert "silent" not in found
    assert not any("drop" in finding.todo for kind, finding in found.items() if kind != "constant")
    assert not {"single", "constant", "silent"} & set(kinds([("a", "110", 1)]))


@settings(max_examples=60, deadline=None)
@given(datasets())
def test_variables_are_called_constant_or_silent_by_definition(data):
    found = {finding.kind: finding.what for finding in inspect(data).findings}
    rows = list(data)
    bits = [row.assignment.bits for row in rows]
    pairs = list(itertools.combinations(rows, 2))
    together = [(x.assignment.bits, y.assignment.bits) for x, y in pairs if x.context == y.context]
    constant = [v for v in range(len(data.variables)) if len({row[v] for row in bits}) == 1]
    silent = [v for v in range(len(data.variables)) if v not in constant and all(x[v] == y[v] for x, y in together)]
    assert ("constant" in found) == bool(constant and pairs)
    assert ("single" in found) == bool(pairs and not together)
    assert ("silent" in found) == bool(silent and together)


def test_theory_is_asked_with_the_given_numbers():
    data = Dataset.build(("a", "b", "c"), [("", "110", 1)])
    found = inspect(data, max_literals=2, epsilon=0.2, delta=0.1, noise=0.1).required
    assert (found.candidates, found.dimension) == (6 + 12, 5 * 37)
    assert found.lower < found.upper
    assert found.upper > inspect(data, max_literals=2, epsilon=0.2, delta=0.1).required.upper


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "examples.csv"
    path.write_text("a,b,$c$,context,label\n1,1,0,a,1\n1,0,1,a,0\n0,1,1,!a,1\n")
    return path


def test_command(file, capsys):
    assert main(["inspect", str(file), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["examples"], answer["variables"], len(answer["contexts"])) == (3, 3, 2)
    assert answer["contexts"][0] == {"context": "a", "positives": 1, "negatives": 1, "free": 2}
    assert answer["silent_variables"] == ["a"]
    assert answer["contexts_without_negatives"] == ["!a"]
    assert answer["coverage"] == 1
    assert answer["least_noise"] == 0
    assert all(set(finding) == {"kind", "severity", "what", "todo", "rows"} for finding in answer["findings"])
    assert main(["inspect", str(file)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("3 examples over 3 variables in 2 contexts: 2 positive, 1 negative")
    assert "→" in text


def test_plot(file, tmp_path):
    picture = tmp_path / "data.svg"
    assert main(["inspect", str(file), "--plot", str(picture)]) == 0
    assert picture.read_text().lstrip().startswith("<?xml")
    assert main(["inspect", str(file), "--plot", str(tmp_path / "no" / "data.svg")]) == 2
    assert main(["inspect", str(file), "--plot", str(tmp_path / "data.nonsense")]) == 2


def test_blocks_do_not_matter_for_feasible_counts():
    from hassle.model import Model

    model = Model.build(("a", "b", "c", "d"), hard=["a | b", "!c | d"])
    context = as_context("a | c", model.variables)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_table, "BLOCK", 1)
        expected = [bits for bits in naive.all_assignments(4) if naive.feasible(model, context, bits)]
        assert by_table.feasible_by_table(model, context) == len(expected)
