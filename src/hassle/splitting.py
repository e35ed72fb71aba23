"""Folds for scikit-learn that never divide a context.

Examples of one context are answers to one question: with some of them in each half of a split, the score would tell how
well known contexts are remembered rather than how well new ones are solved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import BaseCrossValidator, GroupKFold

from hassle.logic.context import MISSING


class ContextKFold(BaseCrossValidator):
    """Folds over contexts: each is judged by a model that has seen none of its examples.

    Under scikit-learn's metadata routing the contexts reach it by their name, as they reach `MaxSatClassifier`:

    >>> cross_val_score(model, X, y, cv=ContextKFold(5), params={"contexts": contexts})

    Parameters
    ----------
    n_splits : the number of folds; at most as many as there are different contexts.
    shuffle : whether contexts are put into folds at random; without it, so that folds are about equally large.
    random_state : an int, a `RandomState` or None, for the shuffle.
    """

    # Asks for what MaxSatClassifier asks for.
    __metadata_request__split: ClassVar[dict[str, bool]] = {"contexts": True}

    def __init__(self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def get_n_splits(self, X: object = None, y: object = None, contexts: object = None) -> int:
        """The number of folds."""
        return self.n_splits

    def split(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        contexts: Sequence[object] | None = None,
        groups: Sequence[object] | None = None,
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """The rows to learn from and the rows to judge, for each fold; `groups` is another name for `contexts`."""
        contexts = groups if contexts is None else contexts
        if contexts is None:
            raise ValueError("ContextKFold needs contexts, one per row")
        known: dict[object, int] = {}
        codes = [known.setdefault(_key(context), len(known)) for context in contexts]
        if len(known) < self.n_splits:
            raise ValueError(f"There are {len(known)} different contexts, which cannot make {self.n_splits} folds")
        folds = GroupKFold(self.n_splits, shuffle=self.shuffle, random_state=self.random_state)
        yield from folds.split(X, y, groups=codes)


def _key(context: object) -> object:
    """What makes two contexts the same, as far as their writing shows it; empty cells are the same as none."""
    if context is None or type(context).__name__ in MISSING or context != context:
        return ""
    if isinstance(context, str):
        return " ".join(context.split())
    return tuple(context) if isinstance(context, list) else context
