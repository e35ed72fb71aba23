"""What learning theory says of learning MAX-SAT models (the paper's Section "Learnability of MAX-SAT Models").

Every function names the theorem, lemma or definition it evaluates. Those that speak of a concrete model go through all
assignments, so they are for few variables; they compute with exact fractions, because a bound that holds with equality
must not fail by rounding.

A distribution over the assignments of a context is given as one number per row of :func:`assignments_in`, in any scale;
None means the uniform one. Labels are taken to be the truth's, D(y | x, ψ) = [y = h*(x, ψ)].
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, inf, log

import numpy as np
from numpy.typing import NDArray

from hassle.data import Dataset
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
    exist; they are 1 unless given, so take the result as an order of magnitude. With C₁ = C₂ the lower bound exceeds
    the upper one for ε > e^(-1/2) ≈ 0.61, where log 1/ε² < 1: both are the lower one then.
    """
    if not 0 <= dimension < inf:
        raise InputError(f"the dimension is {dimension}", fix="take a whole number from 0 on")
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        if not 0 < value < 1:
            beyond = ": a risk is at most 1, so that nothing is asked for" if name == "epsilon" and value >= 1 else ""
            raise InputError(f"{name} is {value}{beyond}", fix="take a number between 0 and 1")
    if not 0 <= noise < 0.5:
        raise InputError(f"the noise rate is {noise}", fix="take a number from 0 to below 0.5")
    try:
        factor = 1 / (epsilon**2 * (1 - 2 * noise) ** 2)
        doubt = log(1 / delta)
        lower = ceil(lower_constant * factor * (dimension + doubt))
        upper = ceil(upper_constant * factor * (dimension * log(1 / epsilon**2) + doubt))
    except (OverflowError, ZeroDivisionError):
        raise InputError(f"epsilon {epsilon} or delta {delta} is too small to compute with", fix="take more") from None
    return SampleSize(lower, max(lower, upper))


def examples_per_context(
    dimension: int,
    epsilon: float,
    delta: float,
    contexts: int,
    beta: float = 1.0,
    *,
    mistakes: float = 0.0,
    noise: float = 0.0,
    as_printed: bool = False,
) -> SampleSize:
    """Examples for each of the contexts Ψ after which, with probability 1 - δ, the target's risk is at most β l + ε.

    They are t_ψ(ε, δ) = s_ψ(ε / (β |Ψ|), δ / |Ψ|). ``beta`` is the largest of the constants β_ψ
    (:meth:`Representativeness.betas`), and l the least empirical risk, summed over the contexts (0 where some model
    fits the data); :func:`target_risk_bound` is the bound.

    Differs from the paper: Theorem "thm:lastone" promises l + ε, with t_ψ = s_ψ((l + ε) / (β |Ψ|), δ / |Ψ|), which is
    what ``as_printed`` gives for l = ``mistakes``. Its proof bounds the true risks by the allowance alone, without the
    empirical ones. For l = 0 both are the same; for l > 0 and β > 1 the theorem is false: let the truth be "a", the
    only hypothesis the model without clauses, the contexts b and ¬b, and let "a is false" have probability 0.01 in
    each, but 0.97 with b and 0.01 with ¬b in the target ⊤. The contexts are representative, β = 97, the risks add up
    to l = 0.02 however many examples there are, and the risk in the target is 0.98.
    """
    if contexts < 1:
        raise InputError(f"{contexts} contexts are too few", fix="take at least 1")
    if not 0 <= beta < inf:
        raise InputError(f"beta is {beta}", fix="take a number from 0 on")
    if not 0 <= mistakes <= contexts:
        fix = f"take a number from 0 to {contexts}: a risk for each context, added up"
        raise InputError(f"mistakes is {mistakes}", fix=fix)
    sample_size(dimension, epsilon, delta, noise=noise)  # for its checks
    allowance = (mistakes + epsilon if as_printed else epsilon) / (beta * contexts) if beta else inf
    if allowance >= 1:  # no risk is larger: the target's is small whatever was learned
        return SampleSize(0, 0)
    return sample_size(dimension, allowance, delta / contexts, noise=noise)


def target_risk_bound(
    empirical_risks: Sequence[Fraction | float],
    betas: Sequence[Fraction | float | None],
    epsilon: Fraction | float = 0,
) -> Fraction:
    """Σ_ψ β_ψ L_{S,ψ}(h) + ε, at most 1: what the risk in the target is at most after enough examples.

    Lemma "thm:mixtotop" with empirical risks in place of true ones, each at most ε / (β |Ψ|) off
    (:func:`examples_per_context`). With ε = 0 and true risks it is the lemma. Where a β is not finite (None, as
    :meth:`Representativeness.betas` says it), nothing is known of the target: 1.
    """
    if len(empirical_risks) != len(betas):
        raise InputError(f"{len(empirical_risks)} risks and {len(betas)} betas", fix="give one of each per context")
    finite = [Fraction(beta) for beta in betas if beta is not None and beta != inf]
    if len(finite) < len(betas):
        return Fraction(1)
    mixed = sum((beta * Fraction(each) for beta, each in zip(finite, empirical_risks, strict=True)), Fraction(0))
    return min(Fraction(1), mixed + Fraction(epsilon))


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


def empirical_risks(model: Model, data: Dataset) -> list[Fraction]:
    """L_{S,ψ}(h) for each context of the data, in their order: the share of its examples that are misclassified."""
    found = []
    for context, rows in zip(data.contexts, data.rows_by_context, strict=True):
        said = classified(model, context, data.assignments[rows])
        found.append(Fraction(int((said != data.positive[rows]).sum()), len(rows)))
    return found


def largest_gap(
    hypotheses: Iterable[Model],
    truth: Model,
    data: Dataset,
    context: object = None,
    distribution: Distribution = None,
) -> Fraction:
    """Definition "ε-representative": the largest |L_{S,ψ}(h) - L_{D,ψ}(h)| of the hypotheses in a context of the data.

    The examples of the context are ε-representative for these hypotheses iff this is at most ε.
    """
    where = as_context(context, data.variables)
    if where not in data.contexts:
        raise InputError("the data has no example in this context", fix="name one of its contexts")
    place = data.contexts.index(where)
    gaps = [abs(empirical_risks(model, data)[place] - risk(model, truth, where, distribution)) for model in hypotheses]
    return max(gaps, default=Fraction(0))


def is_representative_within(
    epsilon: float | Fraction,
    hypotheses: Iterable[Model],
    truth: Model,
    data: Dataset,
    context: object = None,
    distribution: Distribution = None,
) -> bool:
    """Definition "ε-representative": whether no hypothesis' empirical risk is more than ε off its risk."""
    return largest_gap(hypotheses, truth, data, context, distribution) <= Fraction(epsilon)


@dataclass(frozen=True)
class RegretBound:
    """Both sides of Theorem "thm:RegretBound", ``regret`` ≤ ``bound``, and what the right one is made of.

    Both are None where the model has no optimum in the context. The theorem's proof needs D(x | ψ) > 0 for every
    optimum of the model that is not one of the truth; ``assured`` says whether that is so, and without it the
    inequality may fail. Both may be infinite where an infeasible assignment is infinitely bad; the bound is void then.
    """

    regret: Fraction | float | None
    bound: Fraction | float | None
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
    assignment. Regrets are in the truth's weights, not normalised. Where r∞ is infinite, so is the bound of a model
    that errs, as the paper says; a model that never errs has regret 0 all the same.
    Differs from the paper: Definition "Regret" writes φ(c) where feasibility in the truth, φ(c*), is meant, as its text
    and the theorem's proof say.
    """
    if not worst_regret >= 0:
        raise InputError(f"the worst regret is {worst_regret}", fix="take a number from 0 on, or infinity")
    truth, where, rows = _setting(model, truth, context)
    chosen, right = classified(model, where, rows), classified(truth, where, rows)
    chances = _chances(distribution, len(rows))
    wrong_risk = sum((chances[i] for i in np.flatnonzero(chosen != right)), Fraction(0))
    norm = Fraction(sum(abs(units) for units in truth.weights.tolist()), truth.unit)
    least = min((chance for chance in chances if chance), default=Fraction(0))
    void = worst_regret == inf
    regrets = _regrets(truth, rows, Fraction(0 if void else worst_regret))
    optima = int(chosen.sum())
    regret: Fraction | float | None = None
    bound: Fraction | float | None = None
    if optima:
        regret = sum((regrets[i] for i in np.flatnonzero(chosen)), Fraction(0)) / optima
        bound = (norm + Fraction(0 if void else worst_regret)) / (least * optima) * wrong_risk
        if void and not truth.feasible(rows[chosen]).all():
            regret = inf
        if void and wrong_risk:
            bound = inf
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
    if not size:
        raise InputError("no assignment satisfies the context", fix="take one that some satisfy")
    if distribution is None:
        return [Fraction(1, size)] * size
    weights = [Fraction(weight) for weight in distribution]
    if len(weights) != size:
        raise InputError(f"the distribution has {len(weights)} numbers for {size} assignments", fix="give one for each")
    if min(weights, default=Fraction(0)) < 0 or sum(weights) == 0:
        raise InputError("a distribution cannot be negative or zero everywhere", fix="give positive numbers")
    total = sum(weights)
    return [weight / total for weight in weights]
