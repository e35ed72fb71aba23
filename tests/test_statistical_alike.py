"""Which literals chains put together where columns have values, against the definition."""

from collections import Counter
from itertools import combinations, product
from math import comb, exp, log

import naive_evidence
import numpy as np
import pytest

from hassle.kernels import alike
from hassle.learners.statistical.atoms import atoms_of, draw_alike_sets, sensible_clauses
from hassle.learners.statistical.candidates import NO_VARIABLE, clause_count, numbered_clause
from hassle.learners.statistical.problem import log_set_counts
from hassle.learners.statistical.rooms import row_of
from hassle.learners.statistical.sampler import (
    ALIKE_BEFORE,
    COUNTS_BEFORE,
    Sample,
    Sampler,
    _promising,
    form_weights,
)
from hassle.logic import Choice, Constraint, Number, Schema, YesNo

SLOTS = ("mon", "tue", "wed", "thu")
SCHEMA = Schema(
    (
        Choice("art", SLOTS),
        Choice("maths", SLOTS[:3]),
        Number("rooms", 1, 4),
        Number("staff", 2, 4),
        YesNo("a"),
        YesNo("b"),
    )
)
VARIABLES = len(SCHEMA.variables)


def all_constraints(longest):
    for length in range(1, longest + 1):
        for chosen in combinations(range(1, VARIABLES + 1), length):
            for signs in product((1, -1), repeat=length):
                for need in range(1, length + 1):
                    yield Constraint(tuple(sign * v for sign, v in zip(signs, chosen, strict=True)), need)


@pytest.fixture
def interpreted(monkeypatch):
    """The parts as Python runs them: only kernels compile them."""
    for name in ("same_said", "are_alike", "is_sensible", "size_of"):
        monkeypatch.setattr(alike, name, getattr(alike, name).py_func)
    return alike


def test_what_is_sensible_and_alike_is_its_definition(interpreted):
    atoms = atoms_of(SCHEMA, 4)
    for number, constraint in enumerate(all_constraints(3)):
        if number % 3 == 0:
            row = row_of(constraint, 5)
            assert interpreted.is_sensible(row, atoms) == naive_evidence.is_sensible(constraint, SCHEMA), constraint
            if constraint.is_clause:
                assert interpreted.are_alike(row, atoms) == naive_evidence.are_alike(constraint, SCHEMA)


def test_every_priced_clause_is_known_to_be_sensible_or_not(interpreted):
    found = sensible_clauses(SCHEMA, 3)
    assert len(found) == clause_count(VARIABLES, 3)
    atoms = atoms_of(SCHEMA, 3)
    for number in range(0, len(found), 7):
        row = row_of(Constraint(numbered_clause(number, VARIABLES)), 5)
        assert found[number] == interpreted.is_sensible(row, atoms)
    assert sensible_clauses(Schema.of("abc"), 2).all()


def test_alike_sets_are_counted():
    atoms = atoms_of(SCHEMA, 3)
    clauses = Counter(
        len(one.literals)
        for one in all_constraints(3)
        if one.is_clause and naive_evidence.are_alike(one, SCHEMA) and naive_evidence.is_sensible(one, SCHEMA)
    )
    assert np.exp(atoms.log_alike_clauses[2:]) == pytest.approx([max(1, clauses[k]) for k in (2, 3)])
    counts = Counter(
        len(one.literals) for one in all_constraints(3) if one.need == 2 and naive_evidence.is_sensible(one, SCHEMA)
    )
    assert np.exp(atoms.log_alike[2:]) == pytest.approx([max(1, counts[k]) for k in (2, 3)])


def test_drawn_literals_are_alike_and_as_likely_as_told(interpreted, monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.setattr(alike, "below", lambda random, count: int(random.integers(count)))
    monkeypatch.setattr(alike, "coin", lambda random: bool(random.integers(2)))
    monkeypatch.setattr(alike, "new_alike", alike.new_alike.py_func)
    atoms, seen, draws = atoms_of(SCHEMA, 4), Counter(), 4000
    for _ in range(draws):
        literals = np.zeros(4, dtype=np.int32)
        length = alike.draw_alike.py_func(rng, 3, atoms, literals)
        seen[tuple(sorted((int(lit) for lit in literals[:length]), key=abs))] += 1
    total = 0.0
    for literals, times in seen.items():
        assert len(literals) == 1 or naive_evidence.are_alike(Constraint(literals), SCHEMA)
        chance = alike.chance_of_alike.py_func(row_of(Constraint(literals), 5), len(literals), 3, atoms)
        total += chance
        assert abs(times - draws * chance) < 5 * (draws * chance) ** 0.5 + 1
    assert total == pytest.approx(1)


def test_sets_to_count_in_say_the_same():
    schema = Schema(tuple(Choice(name, SLOTS) for name in ("art", "latin", "maths", "music")))
    atoms = atoms_of(schema, 5)
    drawn = draw_alike_sets(np.full((30, 5), NO_VARIABLE, dtype=np.int16), 3, atoms, np.random.default_rng(0))
    for row in drawn:
        chosen = [int(v) for v in row if v != NO_VARIABLE]
        assert 3 <= len(chosen) <= 4
        assert len({v % len(SLOTS) for v in chosen}) == 1
    none = np.full((30, 5), NO_VARIABLE, dtype=np.int16)
    assert len(draw_alike_sets(none, 3, atoms_of(SCHEMA, 5), np.random.default_rng(0))) == 0


def test_the_prior_of_what_is_alike():
    """A Dirichlet over counts, lengths and alike clauses; those by length at even odds."""
    from test_statistical_evidence import slots_data

    from hassle.learners.statistical.problem import make_problem

    data = slots_data()
    sampler = Sampler(make_problem(data, np.random.default_rng(0)), 3, 4, 12, 1)
    variables = len(data.variables)
    weights = form_weights(log_set_counts(variables, 3), plain=False)
    total = weights.sum()
    assert (weights[0], weights[-1]) == (COUNTS_BEFORE, ALIKE_BEFORE)

    def log_prior(*constraints):
        sampler.load(Sample(tuple((constraint, None) for constraint in constraints)))
        return sampler.log_prior

    same = Constraint.of((-1, -4), 1)  # neither art nor latin on Monday
    mixed = Constraint.of((-1, -5), 1)
    two = Constraint.of((-1, -4, -7), 2)  # at most one of three on Monday
    pairs = 2 * 3 * comb(3, 2)  # two signs, three days; of three values a clause names one
    assert log_prior(same) == pytest.approx(log(ALIKE_BEFORE / total / 2 / pairs))
    assert log_prior(mixed) == pytest.approx(log(weights[2] / total) - log_set_counts(variables, 2)[2])
    assert log_prior(two) == pytest.approx(log(COUNTS_BEFORE / total / (3 * 2) / (2 * 3)))
    again = Constraint.of((-2, -5), 1)
    expected = log((ALIKE_BEFORE + 1) / (total + 1) / 2 / pairs * 2)
    assert log_prior(same, again) - log_prior(same) == pytest.approx(expected)
    assert exp(log_prior(same) - log_prior(mixed)) > 5


@pytest.mark.parametrize("count", [1, 5, 40, 200])
def test_the_most_promising_are_those_that_sorting_all_finds(count):
    rng = np.random.default_rng(count)
    prices = rng.choice([-np.inf, -2.0, 0.0, 1.0, 1.5, 3.0], size=count) + rng.choice([0.0, 0.25], size=count)
    prices[0] = 0.5
    wanted = [i for i in sorted(range(count), key=lambda i: (-prices[i], i))[:7] if prices[i] != -np.inf]
    top, chances = _promising(prices, 7)
    assert top.tolist() == wanted
    assert chances.sum() == pytest.approx(1)
