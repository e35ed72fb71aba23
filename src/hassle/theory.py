"""What learning theory says of learning MAX-SAT models (the paper's Section "Learnability of MAX-SAT Models").

Every function names the theorem, lemma or definition it evaluates. Those that speak of a concrete model go through all
assignments, so they are for few variables; they compute with exact fractions, because a bound that holds with equality
must not fail by rounding.

A distribution over the assignments of a context is given as one number per row of :func:`assignments_in`, in any scale;
None means the uniform one. Labels are taken to be the truth's, D(y | x, ψ) = [y = h*(x, ψ)].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, log

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError, ResourceError
from hassle.logic import Context, as_context
from hassle.model import Model
from hassle.solve import aligned

# Theorem "thm:ci" has u < 5; by "Theorem 1.1 of van der Vaart and Wellner" it is about 2.3 log(3.9 * 2) = 4.73.
U = 5
LARGEST = 16

Distribution = Sequence[int | float | Fraction] | None


# Sample sizes


def candidate_clauses(variables: int, max_literals: int) -> int:
    """How many clauses of 1 to ``max_literals`` literals there are: the paper's m, where Φ holds them all."""
    return sum(comb(variables, size) << size for size in range(1, min(max_literals, variables) + 1))


def vc_bound(candidates: int, u: float = U) -> int:
    """Theorem "thm:ci": the VC dimension of MAX-SAT classifiers in any context is at most u (2m + 1), with u < 5."""
    return ceil(u * (2 * candidates + 1))


@dataclass(frozen=True)
class SampleSize:
    """Between ``lower`` and ``upper`` examples suffice, up to the constants that were used."""

    lower: int
    upper: int


def sample_size(
    dimension: int,
    epsilon: float,
    delta: float,
    *,
    noise: float = 0.0,
    lower_constant: float = 1.0,
    upper_constant: float = 1.0,
) -> SampleSize:
    """Theorem "thm:sampleComplexity": examples of one context after which, with probability 1 - δ, risks are within ε.

    C₁/ε² (d + log 1/δ) ≤ s ≤ C₂/ε² (d log 1/ε² + log 1/δ), times (1 - 2ρ)⁻² where labels are flipped with
    probability ρ (Angluin and Laird, as the paper cites them). The theorem only says that universal constants C₁ and C₂
    exist; they are 1 unless given, so take the result as an order of magnitude.
    """
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        if not 0 < value < 1:
            raise InputError(f"{name} is {value}", fix="take a number between 0 and 1")
    if not 0 <= noise < 0.5:
        raise InputError(f"the noise rate is {noise}", fix="take a number from 0 to below 0.5")
    factor = 1 / (epsilon**2 * (1 - 2 * noise) ** 2)
    doubt = log(1 / delta)
    return SampleSize(
        ceil(lower_constant * factor * (dimension + doubt)),
        ceil(upper_constant * factor * (dimension * log(1 / epsilon**2) + doubt)),
    )


def examples_per_context(
    dimension: int,
    epsilon: float,
    delta: float,
    contexts: int,
    beta: float = 1.0,
    *,
    mistakes: float = 0.0,
    noise: float = 0.0,
) -> SampleSize:
    """Theorem "thm:lastone": t_ψ(ε, δ) = s_ψ((l + ε) / (β |Ψ|), δ / |Ψ|) examples for each of the contexts Ψ.

    ``beta`` is the largest of the constants β_ψ (:meth:`Representativeness.betas`), ``mistakes`` the least empirical
    risk l, summed over the contexts (0 where some model fits the data).
    """
    if contexts < 1:
        raise InputError(f"{contexts} contexts are too few", fix="take at least 1")
    # A risk never exceeds 1, so an allowance beyond it asks for nothing more.
    allowance = min((mistakes + epsilon) / (beta * contexts), 1 - 1e-9)
    return sample_size(dimension, allowance, delta / contexts, noise=noise)


# Labels, risk and regret of a concrete model


def assignments_in(context: Context, variables: int) -> NDArray[np.uint8]:
    """All assignments that satisfy the context, one per row, in the order in which distributions are given."""
    if variables > LARGEST:
        raise ResourceError(f"{variables} variables have too many assignments to go through; at most {LARGEST} can be")
    rows = ((np.arange(1 << variables)[:, None] >> np.arange(variables)) & 1).astype(np.uint8)
    return rows[context.holds(rows)]


def classified(model: Model, context: Context, rows: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Definition "MAX-SAT classifier": h(x, ψ) for each row x; an assignment outside ψ is never an optimum in it."""
    inside = assignments_in(context, len(model.variables))
    candidates = inside[model.feasible(inside)]
    if not len(candidates):
        return np.zeros(len(rows), dtype=np.bool_)
    best = model.values(candidates).max()
    return context.holds(rows) & model.feasible(rows) & (model.values(rows) == best)


def risk(model: Model, truth: Model, context: object = None, distribution: Distribution = None) -> Fraction:
    """L_{D,ψ}(h): the probability that the model misclassifies an assignment of the context."""
    truth, where, rows = _setting(model, truth, context)
    wrong = classified(model, where, rows) != classified(truth, where, rows)
    chances = _chances(distribution, len(rows))
    return sum((chances[i] for i in np.flatnonzero(wrong)), Fraction(0))


@dataclass(frozen=True)
class RegretBound:
    """Both sides of Theorem "thm:RegretBound", ``regret`` ≤ ``bound``, and what the right one is made of.

    Both are None where the model has no optimum in the context. The theorem's proof needs D(x | ψ) > 0 for every
    optimum of the model that is not one of the truth; ``assured`` says whether that is so, and without it the
    inequality may fail.
    """

    regret: Fraction | None
    bound: Fraction | None
    risk: Fraction
    norm: Fraction
    least_probability: Fraction
    optima: int
    assured: bool


def regret_bound(
    model: Model,
    truth: Model,
    context: object = None,
    *,
    worst_regret: float | Fraction,
    distribution: Distribution = None,
) -> RegretBound:
    """Theorem "thm:RegretBound": reg(h, ψ) ≤ (‖w*‖₁ + r∞) / (p_min |O(ψ)|) · L_{D,ψ}(h), for a concrete model.

    ``worst_regret`` is r∞, the regret of an infeasible assignment; p_min is the least positive probability of an
    assignment. Regrets are in the truth's weights, not normalised.
    Differs from the paper: Definition "Regret" writes φ(c) where feasibility in the truth, φ(c*), is meant, as its text
    and the theorem's proof say.
    """
    truth, where, rows = _setting(model, truth, context)
    chosen, right = classified(model, where, rows), classified(truth, where, rows)
    chances = _chances(distribution, len(rows))
    wrong_risk = sum((chances[i] for i in np.flatnonzero(chosen != right)), Fraction(0))
    norm = Fraction(sum(abs(units) for units in truth.weights.tolist()), truth.unit)
    least = min((chance for chance in chances if chance), default=Fraction(0))
    regrets = _regrets(truth, rows, Fraction(worst_regret))
    optima = int(chosen.sum())
    regret = bound = None
    if optima:
        regret = sum((regrets[i] for i in np.flatnonzero(chosen)), Fraction(0)) / optima
        bound = (norm + Fraction(worst_regret)) / (least * optima) * wrong_risk
    assured = all(chances[i] for i in np.flatnonzero(chosen & ~right))
    return RegretBound(regret, bound, wrong_risk, norm, least, optima, assured)


def _regrets(truth: Model, rows: NDArray[np.uint8], worst: Fraction) -> list[Fraction]:
    """Definition "Regret" for each row, all of which satisfy the context."""
    values = truth.values(rows).tolist()
    feasible = truth.feasible(rows)
    best = max((value for value, ok in zip(values, feasible, strict=True) if ok), default=0)
    return [Fraction(best - value, truth.unit) if ok else worst for value, ok in zip(values, feasible, strict=True)]


# Representative contexts


@dataclass(frozen=True)
class Representativeness:
    """For each assignment of the target context (a row), in which contexts an error of the model there shows up.

    ``matches[i, k]`` is the definition's errormatch(ψ_t, x_i, ψ_k), so ``matches[i].sum()`` is #(ψ_t, x_i).
    """

    target: Context
    contexts: tuple[Context, ...]
    assignments: NDArray[np.uint8]
    matches: NDArray[np.bool_]

    @property
    def representative(self) -> bool:
        """Whether every assignment is covered by some context."""
        return bool(self.matches.any(axis=1).all())

    @property
    def uncovered(self) -> NDArray[np.uint8]:
        """The assignments with #(ψ_t, x) = 0."""
        return self.assignments[~self.matches.any(axis=1)]

    def betas(
        self, distribution: Distribution = None, of_contexts: Sequence[Distribution] | None = None
    ) -> list[Fraction | None]:
        """Lemma "thm:mixtotop": β_ψ = max over x ⊨ ψ of D(x | ψ_t) / (#(ψ_t, x) D(x | ψ)), for each context.

        With these, L_{D,ψ_t}(h) ≤ Σ β_ψ L_{D,ψ}(h). None where it is not finite: the contexts are not representative,
        or D(x | ψ) = 0 for an assignment of the target. ``distribution`` is that of the target, ``of_contexts`` those
        of the contexts.
        """
        wanted = _chances(distribution, len(self.assignments))
        given = of_contexts if of_contexts is not None else [None] * len(self.contexts)
        return [self._beta(c, wanted, given[c]) for c in range(len(self.contexts))]

    def _beta(self, c: int, wanted: list[Fraction], given: Distribution) -> Fraction | None:
        inside = assignments_in(self.contexts[c], self.assignments.shape[1])
        chances = dict(zip(map(bytes, inside), _chances(given, len(inside)), strict=True))
        counts = self.matches.sum(axis=1).tolist()
        largest = Fraction(0)
        for row, want, count in zip(self.assignments, wanted, counts, strict=True):
            chance = chances.get(bytes(row))
            if chance is None or not want:
                continue
            if not count or not chance:
                return None
            largest = max(largest, want / (count * chance))
        return largest


def representativeness(
    model: Model, truth: Model, contexts: Sequence[object], target: object = None
) -> Representativeness:
    """Definition "Representativeness": whether each mistake of the model in the target shows up in some context.

    Differs from the paper: "for all assignments" is read as all that satisfy the target, because errormatch asks for
    x ⊨ ψ_t and nothing outside the target could ever be covered.
    """
    truth, where, rows = _setting(model, truth, target)
    observed = tuple(as_context(context, model.variables) for context in contexts)
    mistaken = classified(model, where, rows) != classified(truth, where, rows)
    columns = []
    for context in observed:
        caught = classified(model, context, rows) != classified(truth, context, rows)
        columns.append(context.holds(rows) & (~mistaken | caught))
    matches = np.array(columns, dtype=np.bool_).reshape(len(observed), len(rows)).T
    return Representativeness(where, observed, rows, matches)


def _setting(model: Model, truth: Model, context: object) -> tuple[Model, Context, NDArray[np.uint8]]:
    where = as_context(context, model.variables)
    return aligned(truth, model.variables), where, assignments_in(where, len(model.variables))


def _chances(distribution: Distribution, size: int) -> list[Fraction]:
    """The distribution as exact probabilities."""
    if distribution is None:
        return [Fraction(1, size)] * size
    weights = [Fraction(weight) for weight in distribution]
    if len(weights) != size:
        raise InputError(f"the distribution has {len(weights)} numbers for {size} assignments", fix="give one for each")
    if min(weights, default=Fraction(0)) < 0 or sum(weights) == 0:
        raise InputError("a distribution cannot be negative or zero everywhere", fix="give positive numbers")
    total = sum(weights)
    return [weight / total for weight in weights]
