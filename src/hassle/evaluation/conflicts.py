"""Examples that no model can get right together, whatever its clauses and weights.

Two laws that every model obeys, because an optimum beats everything in its context:

- *Narrowing.* Who is optimal in a context is optimal in every narrower one it satisfies. So a positive x in ψ and a
  negative x in a context that implies ψ exclude each other; the same context twice is the plainest case.
- *Ties.* If x is optimal in ψ₁ and y in ψ₂, and both satisfy both contexts, they are worth the same, so x is optimal in
  ψ₂ as well. So a positive x in ψ₁, a positive y in ψ₂ and a negative x in ψ₂ exclude each other.

Of each such group at least one example must be wrong, so the number of disjoint groups is a lower bound on how many.
For the pairs of the first law the largest number of disjoint ones is a maximum matching, which by König's theorem is
also the least number of examples whose removal settles them all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hassle.data import Dataset
from hassle.logic import Context, Schema


@dataclass(frozen=True)
class Conflicts:
    """Disjoint groups of examples (places from 0), of each of which every model gets at least one wrong."""

    groups: tuple[tuple[int, ...], ...]

    @property
    def least_mistakes(self) -> int:
        """How many examples every model gets wrong at least."""
        return len(self.groups)


def conflicts(data: Dataset) -> Conflicts:
    """Disjoint conflicts, as many of the first law as there can be, then those of the second that remain."""
    repeated = _repeated_assignments(data)
    pairs = _matching([pair for rows in repeated for pair in _narrowing_pairs(data, rows)])
    used = {k for pair in pairs for k in pair}
    triples = []
    for rows in repeated:
        for triple in _tie_triples(data, rows):
            if used.isdisjoint(triple):
                used.update(triple)
                triples.append(triple)
    return Conflicts((*pairs, *triples))


def implies(narrow: Context, wide: Context, schema: Schema) -> bool:
    """Whether the first context implies the second in the domain, as far as their form shows it (never wrongly True).

    Where the shift is night it is not early, so a context that says the one implies one that says the other.
    """
    return wide.rest in (None, narrow.rest) and set(wide.literals) <= set(narrow.within(schema).literals)


def _repeated_assignments(data: Dataset) -> list[list[int]]:
    """Groups of examples with the same assignment and both labels, in whatever contexts."""
    groups: dict[bytes, list[int]] = {}
    for k, row in enumerate(np.packbits(data.assignments, axis=1)):
        groups.setdefault(row.tobytes(), []).append(k)
    positive = data.positive
    return [rows for rows in groups.values() if len({bool(positive[k]) for k in rows}) == 2]


def _narrowing_pairs(data: Dataset, rows: list[int]) -> list[tuple[int, int]]:
    """(positive, negative) pairs among examples with one assignment that break the first law."""
    where = [data.contexts[c] for c in data.context_of[rows]]
    good = [i for i, k in enumerate(rows) if data.positive[k]]
    bad = [i for i, k in enumerate(rows) if not data.positive[k]]
    return [(rows[i], rows[j]) for i in good for j in bad if implies(where[j], where[i], data.schema)]


def _tie_triples(data: Dataset, rows: list[int]) -> list[tuple[int, int, int]]:
    """(positive x in ψ₁, positive y in ψ₂, negative x in ψ₂) that break the second law; x is the rows' own."""
    triples = []
    for p in rows:
        if not data.positive[p]:
            continue
        wide = data.contexts[data.context_of[p]]
        for q in rows:
            if data.positive[q]:
                continue
            rivals = data.rows_by_context[data.context_of[q]]
            rivals = rivals[data.positive[rivals]]
            inside = rivals[wide.holds(data.assignments[rivals])]
            triples += [(p, int(r), q) for r in inside[:1]]
    return triples


def _matching(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """As many of the pairs as possible, no example in two of them."""
    if not pairs:
        return []
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    good, rows = np.unique([p for p, _ in pairs], return_inverse=True)
    bad, columns = np.unique([q for _, q in pairs], return_inverse=True)
    graph = csr_array((np.ones(len(pairs), dtype=np.int8), (rows, columns)), shape=(len(good), len(bad)))
    partner = maximum_bipartite_matching(graph, perm_type="column")
    return [(int(good[i]), int(bad[j])) for i, j in enumerate(partner) if j >= 0]
