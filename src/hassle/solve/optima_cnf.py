"""A model's optima: "feasible in the context, and worth at least v*", for diagrams, and as clauses for counters.

The paper's formula (Section "Computing accuracy and infeasibility using model counting") is a disjunction over all
subsets of soft clauses whose weights sum up to v*, of which there are exponentially many. Here the sum is a decision
diagram instead.

Count what an assignment *loses* against the best that any assignment could hope for: a positive weight is lost where
its clause is violated, a negative one where its clause is satisfied. Being worth at least v* means losing at most a
budget, and since v* is the optimum, "at least" is "exactly". A weight above the budget must never be lost, so its
clause becomes hard; often no others remain. Over those that do, heaviest first, the diagram's node (i, b) says "items
i, i+1, … lose at most b". Two budgets between which nothing can happen share a node (Abío et al., "A new look at BDDs
for pseudo-Boolean constraints", 2012): each node carries the interval of budgets for which it is the same function.

Invariant: every added variable is defined in both directions by the variables before it. So each assignment extends in
exactly one way, and plain model counts, projected counts and samples all mean the same.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hassle.errors import ResourceError
from hassle.logic import Clause, Constraint, Context, Schema
from hassle.logic.cnf import constraint_clauses, definition
from hassle.logic.constraint import FALSE
from hassle.model import Model

MOST_NODES = 200_000
# The diagram is built by recursion over the soft clauses that are not settled by their weight alone.
MOST_ITEMS = 800


@dataclass(frozen=True, slots=True)
class Item:
    """Losing ``loss`` where the constraint is violated (``wanted``) or where it is satisfied (not ``wanted``)."""

    constraint: Constraint
    wanted: bool
    loss: int


@dataclass(frozen=True)
class Demand:
    """Lose no more than ``budget`` in all; no single item does."""

    items: tuple[Item, ...]
    budget: int


@dataclass(frozen=True)
class Cnf:
    """``clauses`` over DIMACS variables 1 to ``variables``; all but the first ``originals`` are determined by those."""

    clauses: tuple[Clause, ...]
    variables: int
    originals: int

    def with_clauses(self, clauses: Iterable[Clause]) -> Cnf:
        """The same, with further clauses over its variables."""
        return replace(self, clauses=(*self.clauses, *clauses))


@dataclass(frozen=True)
class OptimaProblem:
    """The assignments that satisfy the constraints and meet every demand.

    Of the ``variables``, all but the first ``originals`` are determined by those.
    """

    constraints: tuple[Constraint, ...]
    variables: int
    originals: int
    demands: tuple[Demand, ...] = ()

    @classmethod
    def of(
        cls,
        schema: Schema,
        hard: Iterable[Constraint],
        context: Context,
        optimal_for: Sequence[tuple[Model, int | None]] = (),
    ) -> OptimaProblem:
        """Satisfying the constraints and the context, and worth each model's value (in units; None: impossible)."""
        originals = len(schema.variables)
        counts, where = context.within(schema).without_counts()
        clauses, fresh = where.clauses(originals + 1)
        constraints = [*map(Constraint, clauses), *counts, *hard]
        demands = []
        for model, value in optimal_for:
            forced, demand = _demand(_items(model), value)
            constraints += forced
            if demand is not None:
                demands.append(demand)
        return cls(tuple(constraints), fresh - 1, originals, tuple(demands))

    @classmethod
    def optima(cls, model: Model, context: Context, value: int | None) -> OptimaProblem:
        """The model's optima in the context, where ``value`` is its best value there."""
        return cls.of(model.schema, model.hard, context, [(model, value)])

    def narrowed(self, constraint: Constraint) -> OptimaProblem:
        """Those of the assignments that satisfy one more constraint."""
        return replace(self, constraints=(*self.constraints, constraint))

    def cnf(self) -> Cnf:
        """The same as clauses alone."""
        encoder = _Encoder(self.variables + 1)
        for constraint in self.constraints:
            encoder.insist(constraint)
        for demand in self.demands:
            encoder.require(demand)
        return Cnf(tuple(encoder.clauses), encoder.fresh - 1, self.originals)


def _demand(items: Sequence[Item], value: int | None) -> tuple[list[Constraint], Demand | None]:
    """What "worth at least ``value``" means: what must hold, and what may be lost beyond that (None: anything)."""
    budget = -1 if value is None else sum(item.loss for item in items if item.wanted) - value
    if budget < 0:
        return [FALSE], None
    forced = [item.constraint if item.wanted else item.constraint.negation for item in items if item.loss > budget]
    affordable = tuple(item for item in items if item.loss <= budget)
    if sum(item.loss for item in affordable) <= budget:
        return forced, None
    return forced, Demand(affordable, budget)


def _items(model: Model) -> list[Item]:
    """What can be lost, heaviest first.

    Weights of equal constraints are summed up, and those that cancel out vanish. An empty clause is never satisfied, so
    its weight can be neither earned nor lost.
    """
    totals: dict[Constraint, int] = {}
    for soft, units in zip(model.soft, model.weights.tolist(), strict=True):
        totals[soft.constraint] = totals.get(soft.constraint, 0) + units
    heaviest_first = sorted(totals.items(), key=lambda item: (-abs(item[1]), item[0]))
    return [
        Item(constraint, units > 0, abs(units)) for constraint, units in heaviest_first if units and constraint.literals
    ]


_TRUE, _FALSE = "true", "false"
_Truth = int | str  # a literal, or one of the two constants
_ENDLESS = 1 << 62  # beyond every sum of weights


@dataclass(frozen=True, slots=True)
class _Node:
    """What decides whether the rest stays within the budget, for every budget from ``low`` to ``high``."""

    truth: _Truth
    low: int
    high: int


class _Encoder:
    """Clauses for constraints and demands, over fresh variables numbered from ``fresh``."""

    def __init__(self, fresh: int) -> None:
        self.clauses: list[Clause] = []
        self.fresh = fresh

    def insist(self, constraint: Constraint) -> None:
        clauses, self.fresh = constraint_clauses(constraint, self.fresh)
        self.clauses += clauses

    def require(self, demand: Demand) -> None:
        if len(demand.items) > MOST_ITEMS:
            raise ResourceError(
                f"the optimum leaves {len(demand.items)} soft clauses open, more than the {MOST_ITEMS} "
                "that can be counted; give a narrower context"
            )
        self.items = demand.items
        self.lost = [self._loss_literal(item) for item in demand.items]
        self.rest = [sum(item.loss for item in demand.items[i:]) for i in range(len(demand.items) + 1)]
        self.layers: list[list[_Node]] = [[] for _ in demand.items]
        self.nodes = 0
        self._add(self._node(0, demand.budget).truth)

    def _loss_literal(self, item: Item) -> int:
        """A literal that is true exactly when the item is lost."""
        satisfied, clauses, self.fresh = definition(item.constraint, self.fresh)
        self.clauses += clauses
        return -satisfied if item.wanted else satisfied

    def _node(self, i: int, budget: int) -> _Node:
        if budget < 0:
            return _Node(_FALSE, -_ENDLESS, -1)
        if budget >= self.rest[i]:
            return _Node(_TRUE, self.rest[i], _ENDLESS)
        layer = self.layers[i]
        place = bisect_right(layer, budget, key=_low)
        if place and budget <= layer[place - 1].high:
            return layer[place - 1]
        loss = self.items[i].loss
        kept, lost = self._node(i + 1, budget), self._node(i + 1, budget - loss)
        low, high = max(kept.low, lost.low + loss), min(kept.high, lost.high + loss)
        node = _Node(self._define(self.lost[i], kept.truth, lost.truth), low, high)
        insort(layer, node, key=_low)
        return node

    def _define(self, loss: int, kept: _Truth, lost: _Truth) -> _Truth:
        """A literal for "kept and, in case of a loss, lost": whoever can afford the loss can afford to keep."""
        if kept in (lost, _FALSE):
            return kept
        if kept == _TRUE and lost == _FALSE:
            return -loss
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise ResourceError(
                f"the weighted sum of the optimum needs more than {MOST_NODES} nodes; use coarser weights"
            )
        name = self._new()
        self._add(-name, kept)
        self._add(-name, -loss, lost)
        self._add(name, _negated(lost))
        self._add(name, loss, _negated(kept))
        return name

    def _new(self) -> int:
        self.fresh += 1
        return self.fresh - 1

    def _add(self, *truths: _Truth) -> None:
        if _TRUE not in truths:
            self.clauses.append(tuple(sorted({truth for truth in truths if isinstance(truth, int)}, key=abs)))


def _low(node: _Node) -> int:
    return node.low


def _negated(truth: _Truth) -> _Truth:
    if isinstance(truth, int):
        return -truth
    return _FALSE if truth == _TRUE else _TRUE
