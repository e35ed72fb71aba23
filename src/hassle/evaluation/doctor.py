"""A doctor for data: what examples can teach, what is wrong with them, and what to do about it.

Everything found here holds whatever the learner: contradictions that no model can resolve, variables and contexts from
which nothing can be learned, and how much of a target context the examples speak about at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hassle.data import LABELS, Dataset, Label
from hassle.errors import HassleError
from hassle.evaluation.by_table import feasible_by_table, table_fits
from hassle.evaluation.conflicts import conflicts
from hassle.evaluation.counters import Clock, count_exactly
from hassle.evaluation.doctor_schema import schema_findings
from hassle.evaluation.finding import Finding
from hassle.logic import Assignment, Clause, Context, as_context
from hassle.logic.formula import conjunction, negation
from hassle.logic.names import listing
from hassle.model import Model
from hassle.solve import solve
from hassle.solve.optima_cnf import OptimaProblem
from hassle.theory import candidate_clauses, sample_size, vc_bound

COUNT_SECONDS = 10.0
SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True)
class ContextSummary:
    """One context: its text, its examples, and how many variables it leaves free."""

    context: str
    positives: int
    negatives: int
    free: int


@dataclass(frozen=True)
class Coverage:
    """Of the target's ``assignments``, so many lie in some context; ``outside`` is one that does not."""

    assignments: int
    covered: int
    outside: Assignment | None

    @property
    def share(self) -> Fraction | None:
        return Fraction(self.covered, self.assignments) if self.assignments else None


@dataclass(frozen=True)
class Required:
    """What the theory asks for in the worst case, up to its constants (:func:`hassle.theory.sample_size`)."""

    max_literals: int
    candidates: int
    dimension: int
    epsilon: float
    delta: float
    lower: int
    upper: int


@dataclass(frozen=True)
class Inspection:
    """All that was found, the gravest findings first."""

    variables: int
    examples: int
    labels: dict[str, int]
    contexts: tuple[ContextSummary, ...]
    contradictions: tuple[tuple[int, ...], ...]
    least_mistakes: int
    silent: tuple[str, ...]
    varying: NDArray[np.float64]
    coverage: Coverage | None
    required: Required
    findings: tuple[Finding, ...]

    @property
    def least_noise(self) -> Fraction:
        """The share of examples that every model gets wrong, at least."""
        return Fraction(self.least_mistakes, self.examples) if self.examples else Fraction(0)


def inspect(
    data: Dataset,
    *,
    target: object = None,
    max_literals: int = 3,
    epsilon: float = 0.1,
    delta: float = 0.05,
    noise: float = 0.0,
) -> Inspection:
    """Look through the examples; ``target`` is the context in which the model will be used (none: everywhere)."""
    where = as_context(target, data.schema)
    clashes = conflicts(data).groups
    varying = _varying(data)
    coverage, trouble = _coverage(data, where)
    summaries = tuple(_summary(data, c) for c in range(len(data.contexts)))
    required = _required(len(data.variables), max_literals, epsilon, delta, noise)
    findings = [
        *_empty(data),
        *_contradictions(data, clashes),
        *_odd_reasons(data),
        *_one_sided(summaries),
        *_constant_variables(data),
        *_silent_variables(data, varying),
        *_narrow(summaries),
        *_coverage_finding(coverage, trouble, data),
        *_repeats(data),
        *schema_findings(data),
        *_required_finding(required, summaries),
    ]
    return Inspection(
        variables=len(data.variables),
        examples=len(data),
        labels={label.value: int((data.labels == label.code).sum()) for label in LABELS},
        contexts=summaries,
        contradictions=tuple(tuple(k + 1 for k in rows) for rows in data.contradictions) if len(data) else (),
        least_mistakes=len(clashes),
        silent=_silent(data, varying),
        varying=varying,
        coverage=coverage,
        required=required,
        findings=tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))),
    )


def _summary(data: Dataset, c: int) -> ContextSummary:
    rows = data.rows_by_context[c]
    positives = int(data.positive[rows].sum())
    context = data.contexts[c]
    free = len(context.within(data.schema).free(len(data.variables)))
    return ContextSummary(context.text(data.schema), positives, len(rows) - positives, free)


def _varying(data: Dataset) -> NDArray[np.float64]:
    """For each variable: the share of contexts in which its examples differ in it."""
    differs = np.zeros((len(data.contexts), len(data.variables)), dtype=np.bool_)
    for c, rows in enumerate(data.rows_by_context):
        differs[c] = (data.assignments[rows] != data.assignments[rows[0]]).any(axis=0)
    return differs.mean(axis=0) if len(differs) else np.zeros(len(data.variables))


def _silent(data: Dataset, varying: NDArray[np.float64]) -> tuple[str, ...]:
    """The columns none of whose variables ever varies within a context."""
    if not len(data):
        return ()
    spoken = set(data.schema.column_of[varying > 0].tolist())
    return tuple(name for place, name in enumerate(data.schema.column_names) if place not in spoken)


# How far the contexts reach


def _coverage(data: Dataset, target: Context) -> tuple[Coverage | None, str]:
    """How much of the target the contexts cover together, exactly; or why that could not be counted."""
    hard: list[Clause] = []
    formulas = [target.formula]
    for context in data.contexts:
        if context.rest is None:
            hard.append(tuple(-lit for lit in context.literals))
        else:
            formulas.append(negation(context.formula))
    outside = Model.from_units(data.schema, hard)
    elsewhere = Context.of(conjunction(formulas))
    try:
        total = _number(Model(data.schema), target)
        uncovered = _number(outside, elsewhere)
        example = solve(outside, elsewhere) if uncovered else None
    except HassleError as error:
        return None, str(error)
    return Coverage(total, total - uncovered, example), ""


def _number(model: Model, context: Context) -> int:
    """How many assignments of the context, in the domain, satisfy the model's hard clauses."""
    context = context.within(model.schema)
    variables = len(model.variables)
    if table_fits(context, variables):
        return feasible_by_table(model, context)
    return count_exactly(OptimaProblem.of(model.schema, model.hard, context), Clock.of(COUNT_SECONDS))


def _required(variables: int, max_literals: int, epsilon: float, delta: float, noise: float) -> Required:
    candidates = candidate_clauses(variables, max_literals)
    dimension = vc_bound(candidates)
    size = sample_size(dimension, epsilon, delta, noise=noise)
    return Required(max_literals, candidates, dimension, epsilon, delta, size.lower, size.upper)


# Findings


def _empty(data: Dataset) -> list[Finding]:
    if len(data):
        return []
    if pairs := len(data.comparisons):
        what = f"there are {_counted(pairs, 'comparison')} and no examples"
        return [Finding("comparisons", "note", what, "they can be learned from; what follows is about examples")]
    return [Finding("empty", "error", "there are no examples", "add some before learning")]


def _contradictions(data: Dataset, clashes: Sequence[tuple[int, ...]]) -> list[Finding]:
    if not clashes:
        return []
    same = [rows for rows in clashes if len({int(data.context_of[k]) for k in rows}) == 1]
    what = f"every model gets at least {_counted(len(clashes), 'example')} wrong ({len(clashes) / len(data):.1%})"
    if same:
        what += f"; {_counted(len(same), 'time')} the same assignment is good and bad in the same context"
    if len(same) < len(clashes):
        rest = _counted(len(clashes) - len(same), "time")
        what += f"; {rest} an assignment is good in a context and bad in a narrower one or beside an equal"
    todo = "look at these examples and correct their labels or contexts, or learn with noise in mind"
    return [Finding("contradiction", "warning", what, todo, tuple(sorted(k + 1 for rows in clashes for k in rows)))]


def _odd_reasons(data: Dataset) -> list[Finding]:
    """Assignments called infeasible here and positive or suboptimal, hence feasible, elsewhere."""
    feasible = np.isin(data.labels, (Label.POSITIVE.code, Label.SUBOPTIMAL.code))
    known = {bits.tobytes() for bits in data.assignments[feasible]}
    barred = np.flatnonzero(data.labels == Label.INFEASIBLE.code)
    rows = [int(k) + 1 for k in barred if data.assignments[k].tobytes() in known]
    if not rows:
        return []
    what = f"{_counted(len(rows), 'assignment')} labelled infeasible {_are(rows)} feasible by another example"
    return [Finding("reason", "warning", what, "correct the reason, or write negative if it is not known", tuple(rows))]


def _one_sided(summaries: Sequence[ContextSummary]) -> list[Finding]:
    findings = []
    for kind, lacking in (
        ("positive", [s for s in summaries if not s.positives]),
        ("negative", [s for s in summaries if not s.negatives]),
    ):
        if lacking:
            few = len(lacking) < len(summaries)
            what = f"{_counted(len(lacking), 'context')} of {len(summaries)} {_have(lacking)} no {kind} example"
            lost = "what is best there" if kind == "positive" else "what is to be avoided there"
            todo = f"add a {kind} example to each if you can: without one the data does not say {lost}"
            findings.append(Finding(f"no-{kind}", "note" if few else "warning", what, todo))
    return findings


def _constant_variables(data: Dataset) -> list[Finding]:
    if len(data) < 2:
        return []
    constant = np.flatnonzero((data.assignments == data.assignments[0]).all(axis=0))
    if not len(constant):
        return []
    what = f"{listing([data.variables[v] for v in constant])}: the same in every example"
    todo = "add examples that differ there; drop the column only if it is nothing to decide on"
    return [Finding("constant", "warning", what, todo)]


def _silent_variables(data: Dataset, varying: NDArray[np.float64]) -> list[Finding]:
    """Variables that differ between contexts only; where contexts have one example each, that says nothing of them."""
    if len(data) < 2:
        return []
    if len(data) == len(data.contexts):
        what = "every context has a single example, so no two decisions in the same situation are compared"
        todo = "add other decisions, good and bad, to the same contexts if you can"
        return [Finding("single", "warning", what, todo)]
    differs = (data.assignments != data.assignments[0]).any(axis=0)
    silent = [data.variables[v] for v in np.flatnonzero((varying == 0) & differs)]
    if not silent:
        return []
    what = (
        f"{listing(silent)}: never {'varies' if len(silent) == 1 else 'vary'} within a context, only between contexts"
    )
    todo = "right for what the context gives; where it is decided, add examples of one context that differ there"
    return [Finding("silent", "note", what, todo)]


def _narrow(summaries: Sequence[ContextSummary]) -> list[Finding]:
    fixed = [summary for summary in summaries if summary.free == 0]
    if not fixed:
        return []
    what = f"{_counted(len(fixed), 'context')} {_have(fixed)} no free variable, so only one assignment"
    return [Finding("fixed", "warning", what, "put into the context only what was given before the decision was made")]


def _coverage_finding(coverage: Coverage | None, trouble: str, data: Dataset) -> list[Finding]:
    if not len(data):
        return []
    if coverage is None:
        return [Finding("coverage", "note", f"the contexts' reach was not counted: {trouble}", "name a target context")]
    share = coverage.share
    if share is None:
        return [Finding("coverage", "warning", "no assignment satisfies the target context", "name another one")]
    if share == 1:
        return []
    outside = (
        f", for example not {coverage.outside}" if coverage.outside is not None and len(data.variables) <= 40 else ""
    )
    what = f"the contexts cover {float(share):.1%} of the target's assignments{outside}"
    todo = "add examples in contexts that hold elsewhere, or ask the model only where a context holds"
    return [Finding("coverage", "note" if share > Fraction(1, 2) else "warning", what, todo)]


def _repeats(data: Dataset) -> list[Finding]:
    if not len(data):
        return []
    keys = np.column_stack([data.context_of, data.labels, np.packbits(data.assignments, axis=1)])
    repeats = len(data) - len(np.unique(keys, axis=0))
    if not repeats:
        return []
    what = f"{_counted(repeats, 'example')} {'repeats' if repeats == 1 else 'repeat'} an earlier one"
    return [Finding("repeat", "note", what, "keep them if they are separate decisions: each counts in the score")]


def _required_finding(required: Required, summaries: Sequence[ContextSummary]) -> list[Finding]:
    most = max((summary.positives + summary.negatives for summary in summaries), default=0)
    if most >= required.lower:
        return []
    what = (
        f"for clauses of up to {required.max_literals} literals, risk within {required.epsilon:g} with probability "
        f"{1 - required.delta:g}, theory asks for {required.lower:,} to {required.upper:,} examples of a context "
        f"(worst case, constants taken as 1); the largest context has {most:,}"
    )
    todo = "do not wait for that many: learn, and judge the model on contexts that it has not seen"
    return [Finding("sample-size", "note", what, todo)]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _have(things: Sequence[object]) -> str:
    return "has" if len(things) == 1 else "have"


def _are(things: Sequence[object]) -> str:
    return "is" if len(things) == 1 else "are"
