"""The scikit-learn face: a classifier that learns a MAX-SAT model and calls a row positive if it is optimal.

A row of `X` is an assignment, a column a variable: 0 and 1, or a frame of pandas or Polars, whose columns may be
choices and small numbers too, recognised as in files. `contexts` gives each row its context, as a text (`"a & !b"`), a
list of literals, a `Context`, or None or NaN for no context. Contexts are metadata in scikit-learn's sense, so under
cross-validation and grid search they are passed through metadata routing:

>>> sklearn.set_config(enable_metadata_routing=True)
>>> model = MaxSatClassifier(steps=500)
>>> model.set_fit_request(contexts=True).set_score_request(contexts=True)
>>> cross_val_score(model, X, y, cv=ContextKFold(5), params={"contexts": contexts})

`ContextKFold` keeps each context in one half of every split: otherwise the score would tell how well known contexts are
remembered rather than how well new ones are solved.
"""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import Tags, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted, validate_data

from hassle.data import LABEL_WORDS, Dataset, Label, as_weight
from hassle.errors import DataWarning, InputError
from hassle.kernels.codes import INFEASIBLE_LOSS
from hassle.learners import LearnResult, learn
from hassle.learners.caveats import caveats
from hassle.learners.registry import goes_on
from hassle.logic import EMPTY, Context, Schema, as_context, as_schema
from hassle.solve import best_values

# What each learner calls the number of cores it may use; the others use one.
CORES_OPTION = {"auto": "jobs", "statistical": "jobs", "structured": "jobs", "sls": "jobs", "milp": "threads"}

# Labels that are numbers in words (scikit-learn's own checks have such); of two numbers the larger is positive.
NUMBER_WORDS = {"zero": 0.0, "one": 1.0, "two": 2.0, "three": 3.0}


class MaxSatClassifier(ClassifierMixin, BaseEstimator):
    """Learns which assignments are optimal in which contexts.

    Parameters
    ----------
    learner : the learner's name, as in `hassle.learn`; with a `strategy`, "auto" means "sls".
    constraints, max_literals, strategy, time_limit, steps, target_score : as in `hassle.learn`; None leaves the choice
        to the learner.
    n_jobs : cores to use, as everywhere in scikit-learn: -1 all of them, -2 all but one, None one of them unless
        `joblib.parallel_config` says otherwise.
    random_state : an int (the seed), a `RandomState`, or None for NumPy's global one.
    binarize : values of X above it count as true; without it, X must hold 0 and 1 only.
    pos_label : the label of good rows. Not needed where it is plain which that is: of two numbers or truth values the
        larger, and the words of `hassle.data.LABEL_WORDS` ("good" and "bad", "yes" and "no", "positive" and
        "infeasible", …).
    options : the learner's other options, by name; ``{"cluster": "tcp://host:8786"}`` works on a Dask cluster.

    Attributes
    ----------
    model_ : the learned model. result_ : how it was learned. schema_ : what the columns of a frame were recognised as,
    None for 0 and 1. examples_ : what it was learned from. classes_, n_features_in_, feature_names_in_ : as
    everywhere in scikit-learn. pos_label_ : the label of good rows, None where no row is good.

    Where all rows have the same label, what it says decides whether they are good or bad, and a `DataWarning` tells
    that little can be learned from them.
    """

    def __init__(
        self,
        learner: str = "auto",
        *,
        constraints: int | None = None,
        max_literals: int | None = None,
        strategy: str | None = None,
        time_limit: float | None = None,
        steps: int | None = None,
        target_score: float = 1.0,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        binarize: float | None = None,
        pos_label: object = None,
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
        self.pos_label = pos_label
        self.options = options

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        contexts: Sequence[object] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> MaxSatClassifier:
        """Learn a model from assignments X, their labels y and the contexts they were made in.

        `sample_weight` says how often each row was seen, or how sure it is; rows of weight 0 are left out.
        """
        return self._learn(self._read(X, y, contexts, sample_weight, known=None), start=None)

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        contexts: Sequence[object] | None = None,
        classes: Sequence[object] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> MaxSatClassifier:
        """Learn on from further rows: all rows seen so far count, and what was known is where learning starts.

        `classes` lists both labels where the first rows do not show them.
        """
        if not hasattr(self, "result_"):
            return self._learn(self._read(X, y, contexts, sample_weight, classes, known=None), start=None)
        more = self._read(X, y, contexts, sample_weight, known=self.examples_)
        return self._learn(self.examples_.extended(more), start=self.result_)

    def _read(
        self,
        X: ArrayLike,
        y: ArrayLike,
        contexts: Sequence[object] | None,
        sample_weight: ArrayLike | None,
        classes: Sequence[object] | None = None,
        *,
        known: Dataset | None,
    ) -> Dataset:
        """The rows as examples; over the columns and with the classes of the `known` ones, if there are any."""
        self.schema_: Schema | None = None
        if self._is_table(X):
            table, labels = validate_data(self, X, y, skip_check_array=True, reset=known is None)
            labels = column_or_1d(labels)
            rows = Dataset.from_frame(table, labels=False, schema=None if known is None else known.schema)
            check_consistent_length(rows, labels)
            self.schema_ = rows.schema
        else:
            rows, labels = validate_data(self, X, y, reset=known is None)
        check_classification_targets(labels)
        if known is None:
            self._set_classes(unique_labels(labels if classes is None else np.asarray(classes)))
        if not np.isin(labels, self.classes_).all():
            raise ValueError(
                f"The labels {np.setdiff1d(labels, self.classes_)} are not in the classes {self.classes_}."
            )
        names = tuple(getattr(self, "feature_names_in_", [f"x{i + 1}" for i in range(self.n_features_in_)]))
        schema = self.schema_ or as_schema(names)
        data = Dataset.from_arrays(
            schema,
            self._read_contexts(contexts, len(labels), schema),
            rows.assignments if isinstance(rows, Dataset) else self._read_bits(rows),
            np.array(self._codes, dtype=np.int8)[np.searchsorted(self.classes_, labels)],
        )
        if sample_weight is None:
            return data
        return _weighed(data, _check_sample_weight(sample_weight, labels, ensure_non_negative=True))

    def _set_classes(self, classes: NDArray[Any]) -> None:
        self.classes_ = classes
        if len(classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"{len(classes)} classes."
            )
        self._codes = _codes(classes.tolist(), self.pos_label)
        self._good = self._codes.index(Label.POSITIVE.code) if Label.POSITIVE.code in self._codes else None
        self.pos_label_ = None if self._good is None else classes[self._good]

    def _learn(self, data: Dataset, start: LearnResult | None) -> MaxSatClassifier:
        learner = "sls" if self.learner == "auto" and self.strategy is not None else self.learner
        self.result_ = learn(
            data,
            learner,
            time_limit=self.time_limit,
            steps=self.steps,
            target_score=self.target_score,
            seed=self._seed(),
            start=start if goes_on(learner) else None,
            **self._learner_options(learner),
        )
        for caveat in caveats(data, self.result_.model):
            warnings.warn(caveat, DataWarning, stacklevel=3)
        self.examples_ = data
        self.model_ = self.result_.model
        return self

    def predict(self, X: ArrayLike, contexts: Sequence[object] | None = None) -> NDArray[Any]:
        """The class of each row: the positive one where the row is optimal in its context.

        Where all rows of `fit` had one label, that is the only class there is.
        """
        losses = self._losses(X, contexts)
        if len(self.classes_) < 2:
            return np.repeat(self.classes_, len(losses))
        assert self._good is not None
        return self.classes_[np.where(losses == 0, self._good, 1 - self._good)]

    def decision_function(self, X: ArrayLike, contexts: Sequence[object] | None = None) -> NDArray[np.float64]:
        """How good each row is in its context: half a unit of weight minus its loss against the optimum there.

        Above zero exactly where the row is optimal, and the lower the more it loses; a row that breaks a rule or its
        own context is below all that only lose. The other way round where the good class is the first of `classes_`.
        """
        losses = self._losses(X, contexts)
        worst = 1 + int(np.abs(self.model_.weights).sum())
        units = 0.5 - np.where(losses == INFEASIBLE_LOSS, worst, losses)
        return np.asarray(units / self.model_.unit * (-1 if self._good == 0 and len(self.classes_) > 1 else 1))

    def _losses(self, X: ArrayLike, contexts: Sequence[object] | None) -> NDArray[np.int64]:
        """What each row loses against the best in its context, in units."""
        check_is_fitted(self)
        if self.schema_ is None:
            bits = self._read_bits(validate_data(self, X, reset=False))
        else:
            table = validate_data(self, X, reset=False, skip_check_array=True)
            bits = Dataset.from_frame(table, labels=False, schema=self.schema_).assignments
        where = self._read_contexts(contexts, len(bits), self.model_.schema)
        distinct = list(dict.fromkeys(where))
        best = dict(zip(distinct, best_values(self.model_, distinct), strict=True))
        feasible, values = self.model_.feasible(bits), self.model_.values(bits)
        losses = np.full(len(bits), INFEASIBLE_LOSS, dtype=np.int64)
        for row, context in enumerate(where):
            optimum = best[context]
            if feasible[row] and optimum is not None and context.holds(bits[row : row + 1])[0]:
                losses[row] = optimum - values[row]
        return losses

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        contexts: Sequence[object] | None = None,
    ) -> float:
        """The share of rows whose class is predicted as given."""
        return float(accuracy_score(y, self.predict(X, contexts), sample_weight=sample_weight))

    def _learner_options(self, learner: str) -> dict[str, Any]:
        named: dict[str, Any] = {
            "constraints": self.constraints,
            "max_literals": self.max_literals,
            "strategy": self.strategy,
        }
        if learner in CORES_OPTION:
            named[CORES_OPTION[learner]] = effective_n_jobs(self.n_jobs)
        return {name: value for name, value in named.items() if value is not None} | dict(self.options or {})

    def _seed(self) -> int:
        """The learner's seed: a whole number given is taken as it is, so that `hassle.learn` repeats the run."""
        state = check_random_state(self.random_state)
        if isinstance(self.random_state, numbers.Integral):
            return int(self.random_state)
        return int(state.randint(np.iinfo(np.int32).max))

    def _is_table(self, X: object) -> bool:
        """Whether X is a frame whose columns are more than 0 and 1, so that they are recognised."""
        from hassle.files.frames import holds_bits, is_frame

        return self.binarize is None and is_frame(X) and not holds_bits(X)

    def _read_bits(self, X: NDArray[Any]) -> NDArray[np.uint8]:
        if self.binarize is not None:
            return np.ascontiguousarray(self.binarize < X, dtype=np.uint8)
        bits = np.ascontiguousarray(X, dtype=np.uint8)
        if (bits != X).any() or (bits > 1).any():
            raise ValueError("X holds values other than 0 and 1; give 0 and 1, or set binarize")
        return bits

    def _read_contexts(self, contexts: Sequence[object] | None, rows: int, names: Schema) -> list[Context]:
        if contexts is None:
            return [EMPTY] * rows
        if isinstance(contexts, str):
            raise InputError("contexts is one text", fix="give one context per row")
        listed = list(contexts)
        check_consistent_length(listed, range(rows))
        known = {text: as_context(text, names) for text in {item for item in listed if isinstance(item, str)}}
        return [known[item] if isinstance(item, str) else as_context(item, names) for item in listed]


def _weighed(data: Dataset, weights: NDArray[np.float64]) -> Dataset:
    """The rows that have a weight."""
    kept = np.flatnonzero(weights)
    return replace(data.subset(kept), weights=np.array([as_weight(weight) for weight in weights[kept].tolist()]))


def _codes(classes: list[object], pos_label: object) -> list[int]:
    """What each class (one or two of them, sorted) says of its rows, as a code; at most one is positive."""
    if pos_label is not None:
        if len(classes) > 1 and pos_label not in classes:
            raise ValueError(f"pos_label is {pos_label!r}, but the classes are {classes[0]!r} and {classes[1]!r}")
        return [_code(each == pos_label) for each in classes]
    found = [number for each in classes if (number := _as_number(each)) is not None]
    if len(classes) == 2 and len(set(found)) == 2:
        # As everywhere in scikit-learn; -1 and 1, or 1 and 2, are as common as 0 and 1.
        return [_code(number == max(found)) for number in found]
    words = [LABEL_WORDS.get(_as_word(each)) for each in classes]
    known = [word.code for word in words if word is not None]
    if len(known) < len(classes) or (len(classes) == 2 and known.count(Label.POSITIVE.code) != 1):
        labels = " and ".join(map(repr, classes))
        raise ValueError(
            f"y holds {labels}, and it is not plain which class is good: set pos_label to the label of good rows"
        )
    return known


def _code(good: bool) -> int:
    return (Label.POSITIVE if good else Label.NEGATIVE).code


def _as_number(label: object) -> float | None:
    """The number that a label is or writes out; None where it is none."""
    if isinstance(label, str) and label.strip().lower() in NUMBER_WORDS:
        return NUMBER_WORDS[label.strip().lower()]
    try:
        number = float(label)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _as_word(label: object) -> str:
    """The label as it would stand in a file; -1 is scikit-learn's other way to write 0."""
    number = _as_number(label)
    if number in (-1, 0, 1):
        return "1" if number == 1 else "0"
    return str(label).strip().lower()
