"""Checks of options that several learners share."""

from __future__ import annotations

from hassle.errors import InputError


def check_counts(learner: object, *names: str) -> None:
    """Insist that these options are 1 or more where they are given."""
    for name in names:
        value = getattr(learner, name)
        if value is not None and value < 1:
            raise InputError(f"{name.replace('_', ' ')} is {value}", fix="give a whole number, 1 or more")
