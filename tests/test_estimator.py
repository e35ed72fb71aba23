"""The scikit-learn face: the ecosystem's own checks, contexts through cross-validation and grid search."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from joblib import cpu_count, parallel_config
from sklearn.base import clone
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import hassle
from hassle import learners
from hassle.errors import DataWarning, InputError
from hassle.estimators import MaxSatClassifier
from hassle.generate import generate
from hassle.splitting import ContextKFold

QUICK = {"learner": "sls", "steps": 30, "n_jobs": 1, "options": {"searches": 1}}
AUTO = {"steps": 200, "n_jobs": 1}

# The checks draw real numbers for X, which only a classifier that binarizes takes. No check is expected to fail.
EXPECTED_FAILURES: dict[str, str] = {}


@pytest.mark.filterwarnings("ignore::hassle.errors.DataWarning")  # some checks have one class only
@parametrize_with_checks(
    [MaxSatClassifier(**QUICK, binarize=0.0), MaxSatClassifier(**AUTO, binarize=0.0)],
    expected_failed_checks=lambda _: EXPECTED_FAILURES,
)
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
    return MaxSatClassifier(**{**QUICK, "steps": 1500, "constraints": 10, "random_state": 0, **options})


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


SINGLE = [
    (0, None),
    (1, 1),
    (-1, None),
    (False, None),
    (True, True),
    ("negative", None),
    ("bad", None),
    ("infeasible", None),
    ("Good", "Good"),
    ("0", None),
    (1.0, 1.0),
]


@pytest.mark.parametrize(("label", "good"), SINGLE)
def test_what_a_single_class_says_decides_whether_it_is_good(label, good):
    X = [[0, 1], [1, 0], [1, 1]]
    with pytest.warns(DataWarning, match="none of the 3 examples is " + ("positive" if good is None else "negative")):
        classifier = quick(steps=5000, constraints=4).fit(X, np.array([label] * 3))
    assert classifier.pos_label_ == good
    assert classifier.predict(X).tolist() == [label] * 3
    for row in X:  # the model itself calls bad rows bad
        assert (classifier.model_.verdict(row) == "optimal") == (good is not None)


def test_a_single_class_beside_the_label_of_good_rows_is_bad():
    with pytest.warns(DataWarning, match="is positive"):
        classifier = quick(steps=50, pos_label="fine").fit([[0, 1], [1, 0]], ["late", "late"])
    assert classifier.model_.verdict([0, 1]) != "optimal"
    assert classifier.pos_label_ is None


@pytest.mark.parametrize(
    ("labels", "good"),
    [
        (("good", "bad"), "good"),
        (("Yes", "No"), "Yes"),
        (("negative", "positive"), "positive"),
        (("suboptimal", "positive"), "positive"),
        (("False", "True"), "True"),
        ((False, True), True),
        ((-1, 1), 1),
        ((1, 2), 2),
        (("10", "9"), "10"),
        (("one", "two"), "two"),
    ],
)
def test_plain_labels_need_no_pos_label(labels, good):
    classifier = quick(steps=200).fit([[0, 1], [1, 0]], np.array([good, *(set(labels) - {good})]))
    assert classifier.pos_label_ == good
    assert [classifier.model_.verdict(row) == "optimal" for row in ([0, 1], [1, 0])] == [True, False]
    assert classifier.predict([[0, 1], [1, 0]]).tolist() == [good, *(set(labels) - {good})]


def test_the_reason_of_a_bad_row_reaches_the_learner(monkeypatch):
    seen = []

    def remember(data, *arguments, **options):
        seen.extend(example.label for example in data)
        return learners.learn(data, *arguments, **options)

    monkeypatch.setattr("hassle.estimators.learn", remember)
    quick(steps=5).fit([[0, 1], [1, 0]], ["positive", "infeasible"])
    assert seen == ["positive", "infeasible"]


@pytest.mark.parametrize(
    "labels",
    [("cat", "dog"), ("approved", "rejected"), ("good", "late"), ("yes", "good"), ("infeasible", "no"), (7, 7)],
)
def test_labels_that_are_not_plain_are_an_error_that_names_the_option(labels):
    with pytest.raises(ValueError, match="pos_label"):
        quick(steps=5).fit([[0, 1], [1, 0]], labels)


def test_pos_label_decides():
    X, y = [[0, 1], [1, 0]], ["approved", "rejected"]
    classifier = quick(steps=200, pos_label="approved").fit(X, y)
    assert classifier.model_.verdict([0, 1]) == "optimal"
    assert classifier.predict(X).tolist() == y
    assert classifier.classes_.tolist() == y
    reversed_classes = quick(steps=200, pos_label=0).fit(X, [0, 1])
    assert reversed_classes.model_.verdict([0, 1]) == "optimal"
    with pytest.raises(ValueError, match="'accepted', but the classes are 'approved' and 'rejected'"):
        quick(pos_label="accepted").fit(X, y)


def test_an_empty_cell_is_no_context(problem):
    pandas = pytest.importorskip("pandas")
    X, y, contexts, _ = problem
    texts = ["" if row % 2 else text for row, text in enumerate(contexts)]
    expected = quick(steps=20).fit(X, y, texts)
    for missing in (None, float("nan"), np.nan, np.float32("nan"), pandas.NA, pandas.NaT):
        cells = [missing if text == "" else text for text in texts]
        assert quick(steps=20).fit(X, y, cells).model_ == expected.model_
        assert (expected.predict(X, cells) == expected.predict(X, texts)).all()
    column = pandas.DataFrame({"context": [text or None for text in texts]})["context"]
    assert column.isna().any()
    assert quick(steps=20).fit(X, y, column).model_ == expected.model_


@pytest.mark.parametrize(
    ("n_jobs", "cores"), [(None, 1), (1, 1), (3, 3), (-1, cpu_count()), (-2, max(1, cpu_count() - 1))]
)
@pytest.mark.parametrize(
    ("learner", "option"), [("auto", "jobs"), ("sls", "jobs"), ("milp", "threads"), ("cuts", None)]
)
def test_n_jobs_is_scikit_learns(n_jobs, cores, learner, option, problem, monkeypatch):
    X, y, contexts, _ = problem
    given = {}

    def remember(data, name, **options):
        given.update(options)
        return learners.learn(data, "sls", steps=1)

    monkeypatch.setattr("hassle.estimators.learn", remember)
    MaxSatClassifier(learner, n_jobs=n_jobs).fit(X, y, contexts)
    assert {name: given[name] for name in ("jobs", "threads") if name in given} == ({option: cores} if option else {})


def test_n_jobs_of_a_joblib_context_is_taken_over():
    with parallel_config("threading", n_jobs=2):
        assert quick()._learner_options("sls")["jobs"] == 1  # as it says so itself
        assert quick(n_jobs=None)._learner_options("sls")["jobs"] == 2


def test_zero_jobs_have_no_meaning(problem):
    X, y, contexts, _ = problem
    with pytest.raises(ValueError, match="n_jobs"):
        quick(n_jobs=0).fit(X, y, contexts)


def test_random_states_of_every_kind(problem):
    X, y, contexts, _ = problem

    def seed_of(state):
        return quick(steps=1, random_state=state).fit(X, y, contexts).result_.seed

    assert seed_of(7) == seed_of(np.int64(7)) == 7
    assert seed_of(np.random.RandomState(3)) == seed_of(np.random.RandomState(3))
    moving = np.random.RandomState(3)
    assert seed_of(moving) != seed_of(moving)
    np.random.seed(5)  # noqa: NPY002 - None means NumPy's global state, as everywhere in scikit-learn
    first = seed_of(None)
    assert seed_of(None) != first
    np.random.seed(5)  # noqa: NPY002
    assert seed_of(None) == first
    with pytest.raises(ValueError, match="seed"):
        seed_of("x")


def test_the_default_learner_is_auto_and_a_strategy_means_local_search(problem):
    X, y, contexts, _ = problem
    assert MaxSatClassifier(steps=20).fit(X, y, contexts).result_.learner == "auto"
    assert MaxSatClassifier(steps=20, strategy="novelty").fit(X, y, contexts).result_.learner == "sls"


def test_cross_validation_by_context(problem, routing):
    X, y, contexts, _ = problem
    classifier = quick().set_fit_request(contexts=True).set_score_request(contexts=True)
    scores = cross_val_score(
        classifier, X, y, cv=GroupKFold(3), params={"contexts": contexts, "groups": contexts}, error_score="raise"
    )
    assert scores.mean() > 0.55  # better than guessing, on contexts that it has not seen


def test_folds_by_context_take_contexts_by_name(problem, routing):
    X, y, contexts, _ = problem
    classifier = quick(steps=50).set_fit_request(contexts=True).set_score_request(contexts=True)
    scores = cross_val_score(classifier, X, y, cv=ContextKFold(3), params={"contexts": contexts}, error_score="raise")
    assert len(scores) == 3


def test_no_context_is_divided(problem):
    X, y, contexts, _ = problem
    tested = []
    for learned, judged in ContextKFold(4, shuffle=True, random_state=1).split(X, y, contexts):
        assert not {contexts[i] for i in learned} & {contexts[i] for i in judged}
        tested += judged.tolist()
    assert sorted(tested) == list(range(len(X)))


def test_contexts_are_the_same_however_blank():
    contexts = ["a", " a ", None, "", float("nan"), [1, -2], [1, -2], "b"]
    folds = list(ContextKFold(4).split(np.zeros((8, 1)), None, contexts))
    assert sorted(sorted(judged.tolist()) for _, judged in folds) == [[0, 1], [2, 3, 4], [5, 6], [7]]
    with pytest.raises(ValueError, match="4 different contexts"):
        list(ContextKFold(5).split(np.zeros((8, 1)), None, contexts))
    with pytest.raises(ValueError, match="needs contexts"):
        list(ContextKFold(2).split(np.zeros((8, 1))))


def test_the_decision_function_is_the_loss_against_the_optimum(problem):
    X, y, contexts, _ = problem
    classifier = quick(options={"searches": 4}).fit(X, y, contexts)
    decided = classifier.decision_function(X, contexts)
    assert ((decided > 0) == (classifier.predict(X, contexts) == 1)).all()
    model = classifier.model_
    lowest = min(0.5 / model.unit - float(model.value(row)) for row in X if not model.broken(row))
    for row, context, value in zip(X, contexts, decided, strict=True):
        best = model.solve(context)
        if best is None or model.broken(row):
            assert value < lowest
        else:
            assert value == pytest.approx(0.5 / model.unit - float(model.value(best) - model.value(row)))


def test_the_decision_function_turns_with_the_classes():
    X, y = [[0, 1], [1, 0]], ["approved", "rejected"]
    classifier = quick(steps=200, pos_label="approved").fit(X, y)
    assert (classifier.decision_function(X) > 0).tolist() == [False, True]


def test_importances_of_columns_by_permutation(problem):
    X, y, contexts, _ = problem
    classifier = quick(options={"searches": 4}).fit(X, y, contexts)

    def score(estimator, rows, labels):
        return estimator.score(rows, labels, contexts=contexts)

    found = permutation_importance(classifier, X, y, scoring=score, n_repeats=2, random_state=0)
    assert found.importances_mean.max() > 0


def test_grid_search_refits_the_best(problem, routing):
    X, y, contexts, _ = problem
    classifier = quick(steps=50).set_fit_request(contexts=True).set_score_request(contexts=True)
    search = GridSearchCV(
        classifier, {"constraints": [2, 8], "strategy": ["walksat", "novelty"]}, cv=GroupKFold(2), error_score="raise"
    )
    search.fit(X, y, contexts=contexts, groups=contexts)
    assert search.best_params_["constraints"] in (2, 8)
    # The model itself is tidied, so that it may have fewer; the search went through models of the size asked for.
    found = search.best_estimator_.result_.trace[-1].model
    assert len(found.constraints) == search.best_params_["constraints"]


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
