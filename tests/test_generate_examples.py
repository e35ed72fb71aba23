"""Contexts and examples: every promise of the generator, checked by brute force on small models."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from strategies import contexts, models

from hassle import Context, InputError, Model
from hassle.data import LABELS, Label
from hassle.generate import (
    NEGATIVE_KINDS,
    Wanted,
    draw_contexts,
    draw_examples,
    flip_labels,
    random_model,
    without_reasons,
)
from hassle.generate import contexts as contexts_module
from hassle.generate import examples as examples_module
from hassle.logic import EMPTY, default_names

# One best assignment, 111; 011 is the next best; 000 is infeasible.
SMALL = Model.build(("a", "b", "c"), ["a | b | c"], [("a", "0.3"), ("b", "0.4"), ("c", "0.4")])


def small_models(count, variables=6, hard=5, soft=5):
    return [random_model(variables, hard, soft, np.random.default_rng(seed)) for seed in range(count)]


def changes_optimum(model, context):
    best, _ = naive.optima(model, EMPTY)
    feasible = naive.optima(model, context)[1] is not None
    return feasible and not any(naive.context_holds(context, bits) for bits in best)


def excludes_some_optimum(model, context):
    best, _ = naive.optima(model, EMPTY)
    feasible = naive.optima(model, context)[1] is not None
    return feasible and not all(naive.context_holds(context, bits) for bits in best)


@pytest.fixture(params=["all", "drawn", "solved"])
def way(request, monkeypatch):
    """Each way to find contexts, on models small enough to judge."""
    if request.param == "drawn":
        monkeypatch.setattr(contexts_module, "ALL_CONTEXTS", 0)
        monkeypatch.setattr(contexts_module, "DRAWN_COMPLETIONS", 2**16)
    if request.param == "solved":
        monkeypatch.setattr(contexts_module, "TABLE_VARIABLES", 0)
    return request.param


def test_contexts_change_the_optimum(way):
    fallbacks = 0
    for model in small_models(6):
        drawn = draw_contexts(model, 25, np.random.default_rng(1))
        assert len(drawn.contexts) == len(set(drawn.contexts)) <= 25
        changing = [changes_optimum(model, context) for context in drawn.contexts]
        assert sum(changing) == drawn.changing
        for context in drawn.contexts:
            assert context.rest is None
            assert len(context.literals) == 3
            assert excludes_some_optimum(model, context)
        fallbacks += drawn.changing < len(drawn.contexts)
        assert bool(drawn.notes) == (drawn.changing < 25)
    assert way != "all" or fallbacks < 6


def test_contexts_that_give_the_wanted_examples_come_first(way):
    """As brute force counts them, a context that gives fewer is drawn only where no other is left."""
    wanted, redrawn = Wanted(2, 1), 0
    for model in small_models(6):
        drawn = draw_contexts(model, 8, np.random.default_rng(2), wanted=wanted)
        assert sum(changes_optimum(model, context) for context in drawn.contexts) == drawn.changing
        whole = [_gives(model, context, wanted) for context in drawn.contexts]
        if way == "all" and not all(whole):
            others = set(all_contexts(model, 3)) - set(drawn.contexts)
            assert not any(
                excludes_some_optimum(model, context) and _gives(model, context, wanted) for context in others
            )
        redrawn += all(whole)
    assert redrawn


def _gives(model, context, wanted):
    found = Counter(
        naive.verdict(model, context, bits)
        for bits in naive.all_assignments(len(model.variables))
        if naive.context_holds(context, bits)
    )
    verdicts = {naive.verdict(model, EMPTY, bits) for bits in naive.all_assignments(len(model.variables))}
    return found["optimal"] >= wanted.positives and all(
        found[kind] >= wanted.negatives for kind in verdicts - {"optimal"}
    )


def all_contexts(model, length):
    for chosen in combinations(range(1, len(model.variables) + 1), length):
        for signs in product((1, -1), repeat=length):
            yield Context(tuple(sign * v for sign, v in zip(signs, chosen, strict=True)))


@pytest.mark.parametrize("length", [1, 2, 5])
def test_the_number_of_literals_can_be_chosen(length, way):
    model = random_model(5, 2, 5, np.random.default_rng(4))
    drawn = draw_contexts(model, 5, np.random.default_rng(0), literals=length)
    assert {len(context.literals) for context in drawn.contexts} == {length}


def test_all_contexts_that_change_the_optimum_are_found_before_any_other():
    expected = (
        {Context((a * 1, b * 2)) for a in (1, -1) for b in (1, -1)}
        | {Context((a * 1, b * 3)) for a in (1, -1) for b in (1, -1)}
        | {Context((a * 2, b * 3)) for a in (1, -1) for b in (1, -1)}
    )
    expected = {context for context in expected if changes_optimum(SMALL, context)}
    drawn = draw_contexts(SMALL, 100, np.random.default_rng(0), literals=2)
    assert set(drawn.contexts) == expected
    assert drawn.changing == len(expected) == 9
    assert drawn.notes == ("found only 9 of 100 contexts that change the optimum",)


def test_contexts_are_drawn_uniformly(monkeypatch):
    monkeypatch.setattr(contexts_module, "BATCH", 4)
    for everything in (2**20, 0):
        monkeypatch.setattr(contexts_module, "ALL_CONTEXTS", everything)
        rng = np.random.default_rng(11)
        counts = Counter(draw_contexts(SMALL, 1, rng, literals=2).contexts[0] for _ in range(3_000))
        assert len(counts) == 9
        assert chisquare(list(counts.values())).pvalue > 0.001


def test_without_soft_clauses_a_context_still_excludes_an_optimum():
    model = Model.build(default_names(4), ["x1 | x2"])
    drawn = draw_contexts(model, 5, np.random.default_rng(0))
    assert drawn.changing == 0
    assert all(excludes_some_optimum(model, context) for context in drawn.contexts)
    assert drawn.notes == (
        "5 of 5 contexts exclude some but not all of the best assignments, "
        "because too few that exclude them all were found",
    )


def test_where_nothing_can_change_there_is_a_message(way):
    only_one = Model.build(("a", "b"), ["a", "b"])
    with pytest.raises(InputError, match="no context of 1 literals was found"):
        draw_contexts(only_one, 5, np.random.default_rng(0))
    impossible = Model.build(("a", "b"), ["a", "!a"])
    with pytest.raises(InputError, match="no assignment satisfies"):
        draw_contexts(impossible, 5, np.random.default_rng(0))
    with pytest.raises(InputError, match="contexts of 3 literals over 2"):
        draw_contexts(SMALL.build(("a", "b")), 5, np.random.default_rng(0), literals=3)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("kind", ["both", "infeasible", "suboptimal"])
@pytest.mark.parametrize("rest", [False, True])
def test_examples_are_what_they_say(monkeypatch, large, kind, rest):
    """In the reference code, most "infeasible" negatives break their context, not a hard clause."""
    if large:
        monkeypatch.setattr(examples_module, "TABLE_FREE", -1)
        monkeypatch.setattr(examples_module, "SAMPLED", 40)
    rng = np.random.default_rng(2)
    for model in small_models(4):
        for context in draw_contexts(model, 6, rng, literals=2).contexts:
            if rest:
                names = model.variables
                context = Context.parse(f"{context.text(names)} & (x1 | !x2 | x3) & (x4 -> x5)", names)
            rows, labels = draw_examples(model, context, Wanted(3, 4, kind), rng)
            assert len(np.unique(rows, axis=0)) == len(rows)
            verdicts = [naive.verdict(model, context, tuple(row)) for row in rows.tolist()]
            for row, code, verdict in zip(rows.tolist(), labels, verdicts, strict=True):
                assert naive.context_holds(context, row)
                assert LABELS[code] == ("positive" if verdict == "optimal" else verdict)
                if verdict == "infeasible":
                    assert any(not naive.constraint_holds(clause, row) for clause in model.hard)
            holding = [bits for bits in naive.all_assignments(6) if naive.context_holds(context, bits)]
            exist = Counter(naive.verdict(model, context, bits) for bits in holding)
            share = {"both": (2, 2), "infeasible": (4, 0), "suboptimal": (0, 4)}[kind]
            drawn = Counter(verdicts)
            assert drawn["optimal"] == min(3, exist["optimal"])
            assert drawn["infeasible"] == min(share[0], exist["infeasible"])
            if not large:
                assert drawn["suboptimal"] == min(share[1], exist["suboptimal"])


@settings(max_examples=60, deadline=None)
@given(data=st.data(), large=st.booleans(), seed=st.integers(0, 2**32))
def test_examples_of_any_model_in_any_context(data, large, seed):
    """Negative weights, empty clauses, impossible contexts and formulas included."""
    model = data.draw(models(max_variables=4))
    context = data.draw(contexts(len(model.variables)))
    wanted = Wanted(*data.draw(st.tuples(st.integers(0, 3), st.integers(0, 4), st.sampled_from(NEGATIVE_KINDS))))
    with pytest.MonkeyPatch.context() as patch:
        if large:
            patch.setattr(examples_module, "TABLE_FREE", -1)
            patch.setattr(examples_module, "SAMPLED", 10)
        rows, labels = draw_examples(model, context, wanted, np.random.default_rng(seed))
    assert len({tuple(row) for row in rows.tolist()}) == len(rows) == len(labels)
    for row, code in zip(rows.tolist(), labels, strict=True):
        assert naive.context_holds(context, row)
        verdict = naive.verdict(model, context, tuple(row))
        assert LABELS[code] == ("positive" if verdict == "optimal" else verdict)
    assert np.count_nonzero(labels == Label.POSITIVE.code) == min(
        wanted.positives, len(naive.optima(model, context)[0])
    )


def test_no_infeasible_negative_breaks_its_context():
    rng = np.random.default_rng(0)
    broken_contexts = 0
    for model in small_models(5, variables=8, hard=10, soft=10):
        for context in draw_contexts(model, 10, rng).contexts:
            rows, _ = draw_examples(model, context, Wanted(0, 4, "infeasible"), rng)
            broken_contexts += np.count_nonzero(~context.holds(rows))
            assert not model.feasible(rows).any()
    assert broken_contexts == 0


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Wanted(1, 0), {(0, 0, 1), (0, 1, 0), (1, 1, 1)}),
        (Wanted(0, 1, "infeasible"), {(0, 0, 0), (1, 0, 0), (1, 0, 1)}),
        (Wanted(0, 1, "suboptimal"), {(0, 1, 1), (1, 1, 0)}),
    ],
)
def test_draws_are_uniform_among_the_completions_of_a_kind(wanted, expected):
    model = Model.build(
        ("a", "b", "c"),
        ["b | c", "!a | b"],
        [("a | !b | !c", "0.5"), ("!a | !b | c", "0.25")],
    )
    rng = np.random.default_rng(1)
    counts = Counter(tuple(draw_examples(model, EMPTY, wanted, rng)[0][0].tolist()) for _ in range(1_500))
    assert set(counts) == expected
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_pairs_of_optima_are_uniform_too():
    model = Model.build(("a", "b"), ["a | b"])
    rng = np.random.default_rng(3)
    counts = Counter(
        tuple(map(tuple, draw_examples(model, EMPTY, Wanted(2, 0), rng)[0].tolist())) for _ in range(1_800)
    )
    assert len(counts) == 6
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_an_odd_negative_is_of_either_kind():
    rng = np.random.default_rng(0)
    shares = Counter(Wanted(0, 3).split(rng) for _ in range(200))
    assert set(shares) == {(1, 2), (2, 1)}
    assert min(shares.values()) > 70


def test_optimality_is_decided_on_integers():
    """As floats, 0.1 + 0.2 is not 0.3 and one of two equally good assignments would be called suboptimal."""
    assert 0.1 + 0.2 != 0.3
    model = Model.build(("a", "b", "c"), ["!a | !c", "!b | !c"], [("a", "0.1"), ("b", "0.2"), ("c", "0.3")])
    rows, labels = draw_examples(model, EMPTY, Wanted(5, 0), np.random.default_rng(0))
    assert {tuple(row) for row in rows.tolist()} == {(1, 1, 0), (0, 0, 1)}
    assert (labels == Label.POSITIVE.code).all()


def test_large_contexts_get_every_kind_of_example():
    """30 variables without a context: beyond tables, and few random completions are feasible."""
    names = default_names(30)
    hard = [[-(v + 1), -(v + 2)] for v in range(29)] + [[v + 1, v + 2, v + 3] for v in range(0, 28, 3)]
    model = Model.build(names, hard, [([v + 1], v + 1) for v in range(30)])
    rows, labels = draw_examples(model, EMPTY, Wanted(1, 6), np.random.default_rng(5))
    assert Counter(LABELS[code] for code in labels) == {Label.POSITIVE: 1, Label.INFEASIBLE: 3, Label.SUBOPTIMAL: 3}
    assert len(np.unique(rows, axis=0)) == 7
    feasible = model.feasible(rows)
    assert feasible.tolist() == [label != Label.INFEASIBLE.code for label in labels]
    assert (model.values(rows)[feasible][1:] < model.values(rows)[0]).all()


def test_a_punished_clause_makes_suboptimal_examples():
    names = default_names(25)
    model = Model.build(names, [[v + 1] for v in range(22)], [([23, 24], -1)])
    rows, labels = draw_examples(model, EMPTY, Wanted(0, 4, "suboptimal"), np.random.default_rng(0))
    assert len(labels) == 4
    assert (model.values(rows) == -1000).all()


def test_impossible_contexts_have_no_positives(monkeypatch):
    model = Model.build(("a", "b"), ["a"])
    for limit in (20, -1):
        monkeypatch.setattr(examples_module, "TABLE_FREE", limit)
        rows, labels = draw_examples(model, Context((-1,)), Wanted(2, 4), np.random.default_rng(0))
        assert (labels == Label.INFEASIBLE.code).all()
        assert len(rows) == 2
        assert (
            len(draw_examples(model, Context.parse("b & !b", ("a", "b")), Wanted(), np.random.default_rng(0))[0]) == 0
        )


@pytest.mark.parametrize("arguments", [(-1, 2), (2, -1), (2, 2, "odd")])
def test_wishes_are_checked(arguments):
    with pytest.raises(InputError):
        Wanted(*arguments)


def test_noise_flips_as_many_labels_as_it_says():
    labels = np.array(
        [label.code for label in (Label.POSITIVE, Label.INFEASIBLE, Label.SUBOPTIMAL)] * 4_000, dtype=np.int8
    )
    noisy = flip_labels(labels, 0.2, np.random.default_rng(0))
    was, is_now = labels == Label.POSITIVE.code, noisy == Label.POSITIVE.code
    for positive in (True, False):
        flipped = (was != is_now)[was == positive]
        assert abs(flipped.mean() - 0.2) < 4 * (0.16 / len(flipped)) ** 0.5
    invented = Counter(noisy[was & ~is_now].tolist())
    assert set(invented) == {Label.INFEASIBLE.code, Label.SUBOPTIMAL.code}
    assert chisquare(list(invented.values())).pvalue > 0.001
    unflipped = was == is_now
    assert (labels[unflipped] == noisy[unflipped]).all()


def test_noise_at_its_ends_and_beyond():
    labels = np.array([1, 2, 3, 1], dtype=np.int8)
    assert flip_labels(labels, 0, np.random.default_rng(0)).tolist() == [1, 2, 3, 1]
    assert (without_reasons(flip_labels(labels, 1, np.random.default_rng(0))) == [0, 1, 1, 0]).all()
    for noise in (-0.1, 1.5, float("nan")):
        with pytest.raises(InputError, match="not a probability"):
            flip_labels(labels, noise, np.random.default_rng(0))


def test_more_noise_keeps_the_flips_of_less():
    labels = np.zeros(500, dtype=np.int8)
    little = flip_labels(labels, 0.1, np.random.default_rng(3)) == 1
    more = flip_labels(labels, 0.3, np.random.default_rng(3)) == 1
    assert (more | ~little).all()
    assert more.sum() > little.sum()
