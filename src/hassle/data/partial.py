"""Partial examples: good decisions of which some cells are unknown.

Any completion may have been meant: all that is said is that one of them was best. Of a bad decision with gaps nothing
can be said, so there are only good ones here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hassle.errors import InputError
from hassle.logic import Clause, Context, Schema
from hassle.logic.columns import Value
from hassle.logic.formula import FALSE, Literal, conjunction


@dataclass(frozen=True, slots=True)
class Partial:
    """In ``context``, some assignment with these ``literals`` was best; ``line`` is where that stands, if anywhere."""

    context: Context
    literals: Clause
    weight: float = 1.0
    line: int | None = None

    @property
    def narrowed(self) -> Context:
        """The context that allows just what may have been meant."""
        return Context.of(conjunction([self.context.formula, *map(Literal, self.literals)]))

    def values(self, schema: Schema) -> dict[str, Value]:
        """The values of the columns that are known."""
        true = {abs(lit) - 1: int(lit > 0) for lit in self.literals}
        return {
            column.name: column.decode([true[v] for v in range(start, start + len(column.atoms))])
            for column, start in zip(schema.columns, schema.starts, strict=False)
            if start in true or not column.atoms
        }

    def check(self, schema: Schema, source: str | None) -> None:
        if self.narrowed.within(schema).rest == FALSE:
            raise InputError(
                f"what is known of the assignment breaks its own context {self.context.text(schema)!r}",
                fix="correct one of them",
                file=source,
                line=self.line,
            )

    def given(self, variables: frozenset[int]) -> Partial:
        """The same with what is known of these variables as part of the context."""
        known = [Literal(lit) for lit in self.literals if abs(lit) - 1 in variables]
        return replace(self, context=Context.of(conjunction([self.context.formula, *known])))

    def same(self, other: Partial) -> bool:
        """Whether the two say the same, wherever they stand."""
        return replace(self, line=None) == replace(other, line=None)
