"""What several learners' options have in common."""

from __future__ import annotations

import os

from hassle.errors import InputError

# Members of a committee at most: nobody needs more, and each is asked wherever the committee is.
MOST_MEMBERS = 200


def check_counts(learner: object, *names: str) -> None:
    """Insist that these options are 1 or more where they are given."""
    for name in names:
        value = getattr(learner, name)
        if value is not None and value < 1:
            raise InputError(f"{name.replace('_', ' ')} is {value}", fix="give a whole number, 1 or more")


def usable_cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
