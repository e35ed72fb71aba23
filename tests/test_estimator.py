"""The scikit-learn face: the ecosystem's own checks, contexts through cross-validation and grid search."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import hassle
from hassle.errors import InputError
from hassle.estimators import MaxSatClassifier
from hassle.generate import generate

QUICK = {"steps": 30, "n_jobs": 1, "options": {"searches": 1}}

# The checks draw real numbers for X, which only a classifier that binarizes takes. No check is expected to fail.
EXPECTED_FAILURES: dict[str, str] = {}


@parametrize_with_checks([MaxSatClassifier(**QUICK, binarize=0.0)], expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def problem():
    """X, y and a context per row, as a user has them."""
    data = generate(6, 4, 4, 24, seed=3).data
    contexts = [data.contexts[c].text(data.variables) for c in data.context_of]
    return np.array(data.assignments), data.positive.astype(int), contexts, data


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def quick(**options):
    return MaxSatClassifier(**{**QUICK, "steps": 1500, "constraints": 10, **options})


def test_fit_predict_and_score_with_contexts(problem):
    X, y, contexts, data = problem
    classifier = quick(options={"searches": 4}).fit(X, y, contexts)
    assert classifier.result_.score == classifier.score(X, y, contexts=contexts)
    assert classifier.score(X, y, contexts=contexts) >= 0.95
    for row in range(len(X)):
        verdict = classifier.model_.verdict(
            X[row], data.contexts[data.context_of[row]].text(classifier.model_.variables)
        )
        assert classifier.predict(X[row : row + 1], contexts[row : row + 1])[0] == (verdict == "optimal")


def test_a_row_that_breaks_its_context_is_not_optimal(problem):
    X, y, contexts, _ = problem
    classifier = quick(steps=5).fit(X, y, contexts)
    assert classifier.predict([[0, 1, 0, 1, 0, 1]], ["x1"])[0] == 0


def test_contexts_in_any_form(problem):
    X, y, _, data = problem
    as_objects = [data.contexts[c] for c in data.context_of]
    as_literals = [list(context.literals) for context in as_objects]
    as_texts = [context.text(data.variables) for context in as_objects]
    models = {quick(steps=20).fit(X, y, contexts).model_ for contexts in (as_objects, as_literals, as_texts)}
    assert len(models) == 1


def test_class_names_and_column_names_are_kept(problem):
    pandas = pytest.importorskip("pandas")
    X, y, _, _ = problem
    frame = pandas.DataFrame(X, columns=[f"shift {i}" for i in range(X.shape[1])])
    classifier = quick(steps=5).fit(frame, np.where(y == 1, "good", "bad"))
    assert classifier.model_.variables == tuple(frame.columns)
    assert set(classifier.predict(frame)) <= {"good", "bad"}


def test_cross_validation_by_context(problem, routing):
    X, y, contexts, _ = problem
    classifier = quick().set_fit_request(contexts=True).set_score_request(contexts=True)
    scores = cross_val_score(
        classifier, X, y, cv=GroupKFold(3), params={"contexts": contexts, "groups": contexts}, error_score="raise"
    )
    assert scores.mean() > 0.55  # better than guessing, on contexts that it has not seen


def test_grid_search_refits_the_best(problem, routing):
    X, y, contexts, _ = problem
    classifier = quick(steps=50).set_fit_request(contexts=True).set_score_request(contexts=True)
    search = GridSearchCV(
        classifier, {"constraints": [2, 8], "strategy": ["walksat", "novelty"]}, cv=GroupKFold(2), error_score="raise"
    )
    search.fit(X, y, contexts=contexts, groups=contexts)
    assert search.best_params_["constraints"] in (2, 8)
    assert search.best_estimator_.result_.constraints == search.best_params_["constraints"]


def test_pipeline(problem, routing):
    X, y, contexts, _ = problem
    pipeline = make_pipeline(quick(steps=5).set_fit_request(contexts=True).set_predict_request(contexts=True))
    assert len(pipeline.fit(X, y, contexts=contexts).predict(X, contexts=contexts)) == len(X)


def test_cloning_keeps_parameters_and_the_seed_repeats(problem):
    X, y, contexts, _ = problem
    classifier = quick(steps=20, random_state=5, strategy="novelty+")
    assert clone(classifier).get_params() == classifier.get_params()
    assert classifier.fit(X, y, contexts).model_ == clone(classifier).fit(X, y, contexts).model_


@pytest.mark.parametrize(
    ("X", "contexts", "error", "message"),
    [
        ([[0, 2], [1, 0]], None, ValueError, "other than 0 and 1"),
        ([[0, 0.5], [1, 0]], None, ValueError, "other than 0 and 1"),
        ([[0, 1], [1, 0]], ["x1"], ValueError, "inconsistent"),
        ([[0, 1], [1, 0]], "x1", InputError, "one context per row"),
        ([[0, 1], [1, 0]], ["x1", "x1"], InputError, "breaks its own context"),
        ([[0, 1], [1, 0]], ["y", "y"], InputError, "y"),
    ],
)
def test_bad_input(X, contexts, error, message):
    with pytest.raises(error, match=message):
        quick(steps=1).fit(X, [0, 1], contexts)


def test_the_package_offers_it():
    assert hassle.MaxSatClassifier is MaxSatClassifier
