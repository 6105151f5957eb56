"""Faults that were found by hostile testing, each with the smallest case that shows it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

# NumPy says that numbers overflow, which is what these tests are about.
OVERFLOW = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.parametrize("distance", ["mahalanobis", "manhattan"])
@pytest.mark.parametrize(
    "model", [LogisticRegression(), DecisionTreeClassifier(max_depth=4, random_state=0)], ids=["logistic", "tree"]
)
def test_rows_that_all_but_satisfy_everything_have_an_answer(model, distance):
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    explainer = ew.Explainer(model.fit(X, y), distance=distance).fit(X, y)
    for target in (0, 1, 2):
        answers = np.asarray(explainer.explain(X, target=target).counterfactuals)
        rows = np.round(answers, 8)
        again = explainer.explain(rows, target=target)
        assert again.found.all()
        # The answer that was rounded is one, too: what is found is no farther, and no bound lies above it.
        known = explainer.distance_(answers, rows)
        assert (again.distances <= known * (1 + 1e-6) + 1e-30).all()
        assert (again.lower_bounds <= known).all()


def two_clouds(n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    return 2.0 * rng.normal(size=(2, 3))[y] + rng.normal(size=(n, 3)), y


def assert_infinite_bounds_are_proofs(explainer, rows, rules=None):
    answers = explainer.explain(rows, target=1, constraints=rules)
    assert not np.isinf(answers.lower_bounds).any()  # the model says 1 of many training rows that are dense enough
    for status, reason in zip(answers.statuses, answers.reasons):
        assert (status == "unknown") == ("is not known" in reason)


@pytest.mark.parametrize("rules", [None, ew.Constraints(max_changes=3)], ids=["no rules", "a rule that holds"])
@pytest.mark.parametrize("distance", ["manhattan", "scaled", "mahalanobis"])
@pytest.mark.parametrize("density", ["auto", None])
@pytest.mark.parametrize("value", [1e148, -1e150])
@OVERFLOW
def test_values_that_overflow_prove_nothing(value, density, distance, rules):
    if rules is not None and distance == "mahalanobis":
        pytest.skip("rules need a distance that is a sum over columns")
    X, y = two_clouds()
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    explainer = ew.Explainer(model, distance=distance, density=density).fit(X, y)
    rows = X[:10].copy()
    rows[:, 0] = value
    assert_infinite_bounds_are_proofs(explainer, rows, rules)


@pytest.mark.parametrize("rules", [None, ew.Constraints(max_changes=3)], ids=["no rules", "a rule that holds"])
@pytest.mark.parametrize(
    "weights", [(1e-300, 1, 1), (1e-200, 1e-200, 1e-200), (1e300, 1, 1), (1e-300, 1e300, 1)], ids=str
)
@OVERFLOW
def test_weights_that_overflow_prove_nothing(weights, rules):
    X, y = two_clouds()
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    explainer = ew.Explainer(model, distance=ew.Manhattan(weights)).fit(X, y)
    assert_infinite_bounds_are_proofs(explainer, X[:20], rules)


@pytest.mark.parametrize("value", [1e148, 0.0])
@OVERFLOW
def test_a_model_that_never_says_so_is_proven_not_to_whatever_the_row(value):
    X, y = two_clouds()
    model = LogisticRegression().fit(X, y)
    model.coef_[:], model.intercept_[:] = 0.0, -1.0
    rows = X[:5].copy()
    rows[:, 0] = value
    answers = ew.Explainer(model).fit(X, y).explain(rows, target=1)
    assert np.isinf(answers.lower_bounds).all()


@pytest.mark.parametrize("rules", [None, ew.Constraints(max_changes=3)], ids=["no rules", "a rule"])
@pytest.mark.parametrize(
    "model",
    [Lasso(0.01), Ridge(), make_pipeline(StandardScaler(), LinearRegression())],
    ids=["lasso", "ridge", "scaled"],
)
def test_a_regressor_asked_about_the_returned_row_alone_stays_in_the_range(model, rules):
    # Each row's range begins where the model sees it, so that the last bit decides; alone and in a batch it differs.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 12))
    model.fit(X, X @ rng.normal(size=12) + rng.normal(size=200))
    alone = np.concatenate([model.predict(row[None]) for row in X])
    assert (alone != model.predict(X)).any()
    low = np.maximum(alone, model.predict(X))
    explainer, targets = ew.Explainer(model, density=None).fit(X), [(end, None) for end in low]
    answers = explainer.explain(X, targets, constraints=rules, on_satisfied="move")
    found = np.asarray(answers.counterfactuals)
    assert answers.found.all()
    assert (model.predict(found) >= low).all()
    assert (np.concatenate([model.predict(row[None]) for row in found]) >= low).all()
    assert answers.distances.max() < 1e-8


def test_a_classifier_asked_about_the_returned_row_alone_decides_as_in_the_batch():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 12))
    y = (X @ rng.normal(size=12) + rng.normal(size=300) > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    w, b = model.coef_[0], model.intercept_[0]
    rows = X - np.outer((X @ w + b) / (w @ w), w)  # on the boundary, up to rounding
    assert (np.concatenate([model.predict(row[None]) for row in rows]) != model.predict(rows)).any()
    for target in (0, 1):
        found = np.asarray(ew.Explainer(model, density=None).fit(X, y).explain(rows, target).counterfactuals)
        assert (np.concatenate([model.predict(row[None]) for row in found]) == target).all()
