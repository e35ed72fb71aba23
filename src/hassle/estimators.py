"""The scikit-learn face: a classifier that learns a MAX-SAT model and calls a row positive if it is optimal.

A row of `X` is an assignment, a column a variable; `contexts` gives each row its context, as a text (`"a & !b"`), a
list of literals, a `Context`, or None. Contexts are metadata in scikit-learn's sense, so under cross-validation and
grid search they are passed through metadata routing:

>>> sklearn.set_config(enable_metadata_routing=True)
>>> model = MaxSatClassifier(steps=500)
>>> model.set_fit_request(contexts=True).set_score_request(contexts=True)
>>> params = {"contexts": contexts, "groups": contexts}
>>> cross_val_score(model, X, y, cv=GroupKFold(5), params=params)

`GroupKFold` with the contexts as groups keeps each context in one half of every split: otherwise the score
would tell how well known contexts are remembered rather than how well new ones are solved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from hassle.data import Dataset, Label
from hassle.errors import InputError
from hassle.learners import learn
from hassle.logic import EMPTY, Context, as_context
from hassle.solve import best_values


class MaxSatClassifier(ClassifierMixin, BaseEstimator):
    """Learns which assignments are optimal in which contexts.

    Parameters are those of `hassle.learn`; None leaves the choice to the learner, and `options` holds any others by
    name. With `binarize`, values of X above it count as true; without, X must hold 0 and 1 only. Of two classes
    the one that sorts last is positive, as in all of scikit-learn.

    After `fit`: `model_` (the learned model), `result_` (how it was learned), `classes_`, `n_features_in_`, and
    `feature_names_in_` if X had names.
    """

    def __init__(
        self,
        learner: str = "sls",
        *,
        constraints: int | None = None,
        max_literals: int | None = None,
        strategy: str | None = None,
        time_limit: float | None = None,
        steps: int | None = None,
        target_score: float = 1.0,
        n_jobs: int | None = None,
        random_state: int | None = None,
        binarize: float | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.learner = learner
        self.constraints = constraints
        self.max_literals = max_literals
        self.strategy = strategy
        self.time_limit = time_limit
        self.steps = steps
        self.target_score = target_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.binarize = binarize
        self.options = options

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike, contexts: Sequence[object] | None = None) -> MaxSatClassifier:
        """Learn a model from assignments X, their labels y and the contexts they were made in."""
        rows, labels = validate_data(self, X, y)
        check_classification_targets(labels)
        self.classes_ = unique_labels(labels)
        if len(self.classes_) > 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is multiclass: "
                f"{len(self.classes_)} classes."
            )
        names = tuple(getattr(self, "feature_names_in_", [f"x{i + 1}" for i in range(self.n_features_in_)]))
        positive = labels == self.classes_[-1]
        data = Dataset.from_arrays(
            names,
            self._read_contexts(contexts, len(rows), names),
            self._read_bits(rows),
            np.where(positive, Label.POSITIVE.code, Label.NEGATIVE.code),
        )
        self.result_ = learn(
            data,
            self.learner,
            time_limit=self.time_limit,
            steps=self.steps,
            target_score=self.target_score,
            seed=self.random_state or 0,
            **self._learner_options(),
        )
        self.model_ = self.result_.model
        return self

    def predict(self, X: ArrayLike, contexts: Sequence[object] | None = None) -> NDArray[Any]:
        """The class of each row: the positive one where the row is optimal in its context."""
        check_is_fitted(self)
        bits = self._read_bits(validate_data(self, X, reset=False))
        where = self._read_contexts(contexts, len(bits), self.model_.variables)
        distinct = list(dict.fromkeys(where))
        best = dict(zip(distinct, best_values(self.model_, distinct), strict=True))
        optimal = self.model_.feasible(bits)
        values = self.model_.values(bits)
        for row, context in enumerate(where):
            optimal[row] &= bool(context.holds(bits[row : row + 1])[0]) and values[row] == best[context]
        return self.classes_[np.where(optimal, len(self.classes_) - 1, 0)]

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        contexts: Sequence[object] | None = None,
    ) -> float:
        """The share of rows whose class is predicted as given."""
        return float(accuracy_score(y, self.predict(X, contexts), sample_weight=sample_weight))

    def _learner_options(self) -> dict[str, Any]:
        named = {
            "constraints": self.constraints,
            "max_literals": self.max_literals,
            "strategy": self.strategy,
            "jobs": self.n_jobs,
        }
        return {name: value for name, value in named.items() if value is not None} | dict(self.options or {})

    def _read_bits(self, X: NDArray[Any]) -> NDArray[np.uint8]:
        if self.binarize is not None:
            return (self.binarize < X).astype(np.uint8)
        bits = X.astype(np.uint8)
        if (bits != X).any() or (bits > 1).any():
            raise ValueError("X holds values other than 0 and 1; give 0 and 1, or set binarize")
        return bits

    def _read_contexts(self, contexts: Sequence[object] | None, rows: int, names: tuple[str, ...]) -> list[Context]:
        if contexts is None:
            return [EMPTY] * rows
        if isinstance(contexts, str):
            raise InputError("contexts is one text", fix="give one context per row")
        listed = list(contexts)
        check_consistent_length(listed, range(rows))
        known = {text: as_context(text, names) for text in {item for item in listed if isinstance(item, str)}}
        return [known[item] if isinstance(item, str) else as_context(item, names) for item in listed]
