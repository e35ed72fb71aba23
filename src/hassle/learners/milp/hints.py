"""A model as a solution of the programme, to start a solver from.

Every variable follows from the model: what it makes of each point, the best value of each context, which examples it
gets wrong. Solvers accept a hint that breaks some rows (a model that does not fit yet), and repair or ignore it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ortools.math_opt.python.mathopt import Variable

from hassle.learners.milp.clauses import Draft, draft
from hassle.learners.milp.points import Choice, Point
from hassle.learners.milp.programme import Programme
from hassle.logic import Constraint
from hassle.model import Model
from hassle.solve import solver_for


def solution_of(programme: Programme, model: Model) -> Mapping[Variable, int] | None:
    """The programme's variables as the model has them; None where the model has another shape."""
    written = draft(model, programme.shape)
    return None if written is None else _Completion(programme, written).values


class _Completion:
    def __init__(self, programme: Programme, written: Draft) -> None:
        self.written = written
        self.values: dict[Variable, int] = dict(written.values(programme.clauses))
        for bits, point in programme.points.items():
            self._judge(point, bits)
        model = written.model(programme.shape)
        data = programme.data
        for c, context in enumerate(data.contexts):
            best = solver_for(model, context).best(model, context)
            self.values[programme.gamma[c]] = 0 if best is None else best.value
            if c in programme.choices:
                chosen = data.assignments[data.rows_by_context[c][0]] if best is None else best.bits
                self._choose(programme.choices[c], chosen.tolist())
        self._label(programme, model)

    def _judge(self, point: Point, bits: Sequence[int]) -> None:
        covered = [Constraint(clause).holds(bits) for clause in self.written.clauses]
        self.values |= point.values(covered, self.written.hard, self.written.weights)

    def _choose(self, choice: Choice, bits: Sequence[int]) -> None:
        self._judge(choice.point, bits)
        for v, bit in enumerate(bits, start=1):
            holds = choice.truth[v]
            if isinstance(holds, Variable):
                self.values[holds] = bit
        for clause, by_literal in zip(self.written.clauses, choice.coverage, strict=True):
            for lit, cover in by_literal.items():
                if isinstance(cover, Variable):
                    self.values[cover] = int(lit in clause and bits[abs(lit) - 1] == (lit > 0))

    def _label(self, programme: Programme, model: Model) -> None:
        data = programme.data
        feasible, values = model.feasible(data.assignments), model.values(data.assignments)
        for k, positive in enumerate(data.positive):
            reaches = int(values[k]) >= self.values[programme.gamma[data.context_of[k]]]
            if k in programme.optimal:
                self.values[programme.optimal[k]] = int(reaches)
            if programme.form.tolerant:
                self.values[programme.given_up[k]] = int((feasible[k] and reaches) != positive)
