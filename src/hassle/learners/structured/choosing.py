"""How strongly to shrink and how much a family must explain; chosen by contexts that were left out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """``shrinking`` is the lasso's factor on prices, ``worth`` how much loss a family must save per unit of price."""

    shrinking: float = 0.3
    worth: float = 0.7


def chosen_setting() -> Setting:
    return Setting()
