"""Several models that fit equally well: what they agree on can be trusted, what they differ on cannot.

A rule's confidence is the share of members in which it is found, or implied; an assignment's share is the share of
members that call it optimal. The member whose optima the others call optimal most often speaks for the committee. A
committee travels with that model (:class:`hassle.model.Peers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hassle.errors import InputError, ResourceError
from hassle.logic import EMPTY, Assignment, Constraint, Context, as_context
from hassle.model import Model, Peers, Rule
from hassle.solve import aligned, best_value, best_values, optima, solve
from hassle.solve.choice import QUICK_TABLE, solver_for
from hassle.solve.implication import feasible

# Optima of a member that stand for election where completions cannot be listed.
NOMINEES = 20


@dataclass(frozen=True)
class Committee:
    """Models over the same variables in the same order, at least one."""

    members: tuple[Model, ...]

    def __post_init__(self) -> None:
        if not self.members:
            raise InputError("a committee needs at least one member")

    def __len__(self) -> int:
        return len(self.members)

    def solve(self, context: object = None) -> tuple[Assignment, Fraction] | None:
        """The assignment that most members call optimal in the context, and their share; None where none has any."""
        variables = self.members[0].variables
        where = as_context(context, variables)
        if len(variables) - len(where.literals) <= QUICK_TABLE:
            found = self._elected_of_all(where)
        else:
            found = self._elected_of_nominees(where)
        if found is None:
            return None
        bits, votes = found
        return Assignment.of(variables, bits), Fraction(votes, len(self))

    def _elected_of_all(self, context: Context) -> tuple[NDArray[np.uint8], int] | None:
        """By listing every completion: its votes are the members it is optimal for."""
        from hassle.kernels.codes import INFEASIBLE_LOSS
        from hassle.solve.table import losses_of_completions, rows_at

        votes = np.zeros(1, dtype=np.int32)
        for member in self.members:
            listed, losses = losses_of_completions(member, context)
            votes = votes + ((losses == losses.min(initial=INFEASIBLE_LOSS)) & (losses != INFEASIBLE_LOSS))
        if not votes.any():
            return None
        place = int(votes.argmax())
        return rows_at(listed, np.array([place]))[0], int(votes[place])

    def _elected_of_nominees(self, context: Context) -> tuple[NDArray[np.uint8], int] | None:
        """By letting every member vote on the optima of every member."""
        nominees = np.concatenate([_nominees(member, context) for member in self.members])
        if not len(nominees):
            return None
        votes = self._votes(nominees, context)
        return nominees[int(votes.argmax())], int(votes.max())

    def share(self, assignment: object, context: object = None) -> Fraction:
        """The share of members that call the assignment optimal in the context."""
        return self.shares(self.members[0].bits(assignment)[None, :], context)[0]

    def shares(self, rows: NDArray[np.uint8], context: object = None) -> list[Fraction]:
        """The same for several assignments, a row each; every member is solved once."""
        where = as_context(context, self.members[0].variables)
        votes = np.where(where.holds(rows), self._votes(rows, where), 0)
        return [Fraction(int(count), len(self)) for count in votes]

    def _votes(self, rows: NDArray[np.uint8], context: Context) -> NDArray[np.int64]:
        return np.sum([_called_optimal(member, rows, context) for member in self.members], axis=0, dtype=np.int64)

    def confidence(self, rules: Sequence[Rule]) -> list[Fraction]:
        """For each rule the share of members that insist on it, or, if it has a weight, wish for it."""
        votes = [_agreeing(member, rules) for member in self.members]
        return [Fraction(sum(column), len(self)) for column in zip(*votes, strict=True)]

    def speaker(self, contexts: Sequence[Context]) -> int:
        """The member whose optima in these contexts the others call optimal most often; of equals the smallest."""
        answers = [
            (i, c, member.bits(answer))
            for i, member in enumerate(self.members)
            for c, context in enumerate(contexts)
            if (answer := solve(member, context)) is not None
        ]
        agreement = np.zeros(len(self))
        if answers:
            owner, where = np.array([(i, c) for i, c, _ in answers]).T
            rows = np.array([bits for _, _, bits in answers])
            for judge in self.members:
                best = best_values(judge, contexts)
                solvable, value = np.array([(each is not None, each or 0) for each in best], dtype=np.int64).T
                called = judge.feasible(rows) & (solvable[where] > 0) & (judge.values(rows) == value[where])
                agreement += np.bincount(owner, weights=called, minlength=len(self))
        return max(range(len(self)), key=lambda i: (agreement[i], -len(self.members[i].constraints)))

    def announced_by(self, speaker: Model) -> Model:
        """The model with the members as its peers, and how sure they are of each of its rules."""
        shares = tuple(map(float, self.confidence(speaker.rules)))
        hard = sum(rule.weight is None for rule in speaker.rules)
        peers = Peers(tuple(replace(member, about={}) for member in self.members), shares[:hard], shares[hard:])
        return replace(speaker, peers=peers)


def committee_of(model: Model) -> Committee | None:
    """The committee that a model speaks for; None where there is none."""
    if model.peers is None:
        return None
    return Committee(tuple(aligned(member, model.schema) for member in model.peers.models))


def _nominees(member: Model, context: Context) -> NDArray[np.uint8]:
    """Some optima of a member; a single one where more are hard to come by."""
    try:  # the solver that is quick for a single answer: a large table would count all optima, which nobody asks
        return optima(member, context, limit=NOMINEES, solver=solver_for(member, context).name).assignments
    except ResourceError:
        best = solve(member, context)
        return np.zeros((0, len(member.variables)), dtype=np.uint8) if best is None else member.bits(best)[None, :]


def _called_optimal(member: Model, rows: NDArray[np.uint8], context: Context) -> NDArray[np.bool_]:
    best = best_value(member, context)
    if best is None:
        return np.zeros(len(rows), dtype=np.bool_)
    return member.feasible(rows) & (member.values(rows) == best)


def _agreeing(member: Model, rules: Sequence[Rule]) -> list[bool]:
    """Which of the rules the member has or implies; of wishes also those of which it wishes for each constraint."""
    insisted = set(member.hard)
    wished = {(soft.constraint, soft.weight > 0) for soft in member.soft}
    domain = EMPTY.within(member.schema)
    with feasible(member.hard, len(member.variables), domain, name="cadical153") as known:

        def implied(constraint: Constraint) -> bool:
            return constraint in insisted or known.implies(constraint)

        def agrees(rule: Rule) -> bool:
            instances = rule.instances(member.schema)
            if rule.weight is None:
                return all(map(implied, instances))
            wanted = rule.weight > 0
            return all((each, wanted) in wished or (wanted and implied(each)) for each in instances)

        return [agrees(rule) for rule in rules]
