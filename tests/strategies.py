"""Hypothesis strategies for the things the project handles: names, schemas, constraints, contexts, models, datasets.

Sizes are small on purpose: brute force over all assignments is the judge in most tests (:func:`all_assignments`).
Strategies are cached, because making one costs more than drawing from it.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st
from numpy.typing import NDArray

from hassle.data import LABELS, Dataset
from hassle.errors import InputError
from hassle.logic import EMPTY, Choice, Clause, Column, Constraint, Context, Number, Schema, YesNo, as_schema
from hassle.logic.formula import (
    FALSE,
    TRUE,
    Formula,
    Literal,
    at_least,
    conjunction,
    disjunction,
    equivalence,
    implication,
)
from hassle.logic.formula import negation as negated
from hassle.model import Model
from hassle.model.weights import UNITS

# Names that are easy to get wrong: words of the context language, quotes, separators, signs, other scripts.
TRICKY_NAMES = (
    *(
        "a b",
        "two  blanks",
        "it's",
        'say "no"',
        "a,b",
        "a;b",
        "not",
        "at",
        "least",
        "exactly",
        "of",
        "True",
        "7",
        "-x",
        "!x",
        "''",
        "'",
        '"q"',
        "c:\\d",
        "\\",
    ),
    *(
        "naïve",
        "e\u0301",
        "x·y",
        "x²",
        "日本",
        "=1+1",
        "#",
        "%",
        "p cnf",
        "c var 1 a",
        "h",
        "Label",
        "a -> b",
        "(",
        "🙂",
    ),
)


def all_assignments(n: int) -> NDArray[np.uint8]:
    """Every 0/1 vector of length n, one per row."""
    return ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(np.uint8)


@cache
def names() -> st.SearchStrategy[str]:
    """A variable's name: mostly plain, often tricky, sometimes any printable text."""
    printable = st.characters(exclude_categories=["C", "Z"], include_characters=" ")
    anything = st.text(printable, min_size=1, max_size=8).map(str.strip).filter(bool)
    return st.sampled_from(["a", "b", "ben", "x1", "ana_monday"]) | st.sampled_from(TRICKY_NAMES) | anything


@cache
def variables(min_size: int = 1, max_size: int = 5) -> st.SearchStrategy[tuple[str, ...]]:
    """Distinct names for a few variables."""
    return st.lists(names(), min_size=min_size, max_size=max_size, unique=True).map(tuple)


@cache
def literals(n: int) -> st.SearchStrategy[int]:
    return st.builds(lambda v, sign: v * sign, st.integers(1, n), st.sampled_from((1, -1)))


@cache
def clauses(n: int, min_literals: int = 0, max_literals: int | None = None) -> st.SearchStrategy[Clause]:
    """A clause over n variables in normal form, possibly empty."""
    most = n if max_literals is None else min(n, max_literals)
    chosen = st.lists(literals(n), min_size=min_literals, max_size=most, unique_by=abs) if n else st.just([])
    return chosen.map(lambda lits: tuple(sorted(lits, key=abs)))


@st.composite
def constraints(draw: st.DrawFn, n: int, min_literals: int = 0) -> Constraint:
    """At least some of some literals over n variables; the empty clause is the only trivial one."""
    lits = draw(clauses(n, min_literals))
    return Constraint(lits, draw(st.integers(1, max(1, len(lits)))))


@cache
def columns() -> st.SearchStrategy[Column]:
    """Yes-or-no, a choice among two or three values, or a number of two to four."""
    values = st.lists(names(), min_size=2, max_size=3, unique=True).map(tuple)
    numbers = st.builds(
        lambda name, low, steps: Number(name, low, low + steps), names(), st.integers(-3, 3), st.integers(1, 3)
    )
    return names().map(YesNo) | st.builds(Choice, names(), values) | numbers


@st.composite
def schemas(draw: st.DrawFn, max_columns: int = 3) -> Schema:
    """A few columns of any kind; at most nine variables."""
    try:
        return Schema(tuple(draw(st.lists(columns(), min_size=1, max_size=max_columns, unique_by=lambda c: c.name))))
    except InputError:  # a column that is named like an atom of another
        reject()


@cache
def formulas(n: int, max_leaves: int = 8, counts: bool = False) -> st.SearchStrategy[Formula]:
    """Any formula over n variables, constants included."""
    leaves = literals(n).map(Literal) | st.sampled_from((TRUE, FALSE))
    if counts:
        leaves |= constraints(n).map(at_least)

    def compound(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        several = st.lists(parts, min_size=1, max_size=3)
        return (
            parts.map(negated)
            | several.map(conjunction)
            | several.map(disjunction)
            | st.builds(implication, parts, parts)
            | st.builds(equivalence, parts, parts)
        )

    return st.recursive(leaves, compound, max_leaves=max_leaves)


@cache
def conjunctions(n: int) -> st.SearchStrategy[Context]:
    """A context that is a conjunction of literals."""
    return clauses(n).map(lambda lits: Context(lits))


@cache
def contexts(n: int, counts: bool = False) -> st.SearchStrategy[Context]:
    """Any context, satisfiable or not: none, a conjunction, or a general formula."""
    return st.just(EMPTY) | conjunctions(n) | formulas(n, counts=counts).map(Context.of)


@cache
def satisfiable_contexts(n: int) -> st.SearchStrategy[Context]:
    return contexts(n).filter(lambda context: bool(context.holds(all_assignments(n)).any()))


@st.composite
def models(
    draw: st.DrawFn,
    min_variables: int = 1,
    max_variables: int = 5,
    max_hard: int = 4,
    max_soft: int = 4,
    min_weight: int = -3000,
    max_weight: int = 3000,
    min_literals: int = 0,
    plain_names: bool = False,
    counts: bool = False,
    over: st.SearchStrategy[Schema] | None = None,
) -> Model:
    """A model with any unit; weights between the bounds, counted in units. Often has no feasible assignment.

    Its constraints are clauses, and with ``counts`` counts too; its variables are yes-or-no, or of a schema ``over``.
    """
    if over is not None:
        named: Schema | tuple[str, ...] = draw(over)
    elif plain_names:
        named = tuple(f"v{i}" for i in range(draw(st.integers(min_variables, max_variables))))
    else:
        named = draw(variables(min_variables, max_variables))
    count = len(as_schema(named).variables)
    clause = constraints(count, min_literals) if counts else clauses(count, min_literals)
    return Model.from_units(
        named,
        draw(st.lists(clause, max_size=max_hard)),
        draw(st.lists(st.tuples(clause, st.integers(min_weight, max_weight)), max_size=max_soft)),
        draw(st.sampled_from(UNITS)),
    )


@st.composite
def datasets(draw: st.DrawFn, over: st.SearchStrategy[tuple[str, ...]] | None = None, max_examples: int = 8) -> Dataset:
    """At least one example in at least one satisfiable context; may hold contradictions and repeated examples."""
    named = draw(variables() if over is None else over)
    n = len(named)
    known = draw(st.lists(satisfiable_contexts(n), min_size=1, max_size=3))
    triples = []
    for context in draw(st.lists(st.sampled_from(known), min_size=1, max_size=max_examples)):
        rows = all_assignments(n)
        rows = rows[context.holds(rows)]
        triples.append((context, rows[draw(st.integers(0, len(rows) - 1))], draw(st.sampled_from(LABELS))))
    return Dataset.build(named, triples)


@st.composite
def compared_datasets(draw: st.DrawFn, over: st.SearchStrategy[tuple[str, ...]] | None = None) -> Dataset:
    """Examples with weights, and comparisons with weights beside them; there may be no examples."""
    data = draw(datasets(over))
    weight = st.one_of(st.just(1.0), st.sampled_from([0.5, 2.0, 3.0, 0.1]), st.floats(1e-3, 1e3))
    rows = all_assignments(len(data.variables))
    pairs = []
    for context in draw(st.lists(st.sampled_from(data.contexts), max_size=4)):
        inside = rows[context.holds(rows)]
        if len(inside) > 1:
            first, second = draw(st.lists(st.integers(0, len(inside) - 1), min_size=2, max_size=2, unique=True))
            pairs.append((context, inside[first], inside[second], draw(weight)))
    examples = [(e.context, e.assignment, e.label, draw(weight)) for e in data]
    kept = examples if not pairs or draw(st.booleans()) else []
    return Dataset.build(data.variables, kept, pairs)
