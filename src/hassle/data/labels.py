"""Labels: what the data says of an example, and every way to write it."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from hassle.errors import InputError


class Label(StrEnum):
    """What the data says of an example; a negative may say why it is bad."""

    NEGATIVE = "negative"
    POSITIVE = "positive"
    INFEASIBLE = "infeasible"
    SUBOPTIMAL = "suboptimal"

    @property
    def code(self) -> int:
        """The label as it stands in ``Dataset.labels``."""
        return LABELS.index(self)


# A label's code is its place here.
LABELS = (Label.NEGATIVE, Label.POSITIVE, Label.INFEASIBLE, Label.SUBOPTIMAL)

# Every way to write a label in a file or an array.
LABEL_WORDS = {
    **dict.fromkeys(("1", "positive", "+", "true", "good", "yes", "y", "ok"), Label.POSITIVE),
    **dict.fromkeys(("0", "negative", "-", "false", "bad", "no", "n"), Label.NEGATIVE),
    # The same in German, French, Dutch and Spanish.
    **dict.fromkeys(("gut", "ja", "wahr", "bon", "oui", "vrai", "goed", "waar"), Label.POSITIVE),
    **dict.fromkeys(("bueno", "sí", "si", "verdadero"), Label.POSITIVE),
    **dict.fromkeys(("schlecht", "nein", "falsch", "mauvais", "non", "faux"), Label.NEGATIVE),
    **dict.fromkeys(("slecht", "nee", "onwaar", "malo", "falso"), Label.NEGATIVE),
    "infeasible": Label.INFEASIBLE,
    "suboptimal": Label.SUBOPTIMAL,
}


def as_label(value: object) -> Label:
    """The label a user wrote: a word, a sign, 0 or 1, or a truth value."""
    if isinstance(value, Label):
        return value
    if isinstance(value, bool | np.bool_ | int | float | np.integer | np.floating) and value in (0, 1):
        return Label.POSITIVE if value else Label.NEGATIVE
    label = LABEL_WORDS.get(value.strip().lower()) if isinstance(value, str) else None
    if label is None:
        raise InputError(
            f"{value!r} is not a label",
            fix="write 1 or 0, good or bad, yes or no, positive or negative, infeasible or suboptimal",
        )
    return label
