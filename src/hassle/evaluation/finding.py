"""What an inspection finds, one thing at a time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """Something worth knowing: how serious, what it is, what to do; ``rows`` are examples it is about, from 1."""

    kind: str
    severity: str
    what: str
    todo: str
    rows: tuple[int, ...] = ()
