"""Units decades apart: no proof may depend on them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

# Powers of two: every number of the data, and of the scaler, has the same digits in all units.
UNITS = np.array([2.0**26, 1.0, 2.0**-26])
MODELS = {
    "logistic": (LogisticRegression(C=10.0),),
    "tree": (DecisionTreeClassifier(max_depth=4, random_state=0),),
    "neighbour": (KNeighborsClassifier(1),),
    "pca": (PCA(2), LogisticRegression(C=10.0)),
}


def clouds(seed, n=120):
    """Three classes of rows, apart in every feature."""
    rng = np.random.default_rng(seed)
    label = rng.integers(3, size=n)
    mixing = np.eye(3) + 0.5 * rng.normal(size=(3, 3))
    return 3.0 * rng.normal(size=(3, 3))[label] + rng.normal(size=(n, 3)) @ mixing, label


def explainer_of(steps, X, y, **parameters):
    return ew.Explainer(make_pipeline(StandardScaler(), *steps).fit(X, y), **parameters).fit(X, y)


def known_answers(explainer, X, target):
    """Rows that are answers by the model's own word and by their density."""
    if explainer.classes_ is None:
        label, good = None, (explainer.model.predict(X) >= target[0]) & (explainer.model.predict(X) <= target[1])
    else:
        label, good = target, explainer.model.predict(X) == target
    if explainer.densities_:
        good &= explainer.log_density(X, label) >= explainer.densities_[label].log_threshold_
    return X[good]


def assert_no_wrong_proof(explainer, rows, target, known, rules=None):
    answers = explainer.explain(rows, target=target, constraints=rules)
    nearest = np.array([explainer.distance_(known, row).min() for row in rows])
    assert (answers.lower_bounds <= nearest * (1 + 1e-9)).all()
    if rules is None:
        assert answers.found.all()
    optimal = answers.statuses == "optimal"
    assert (answers.distances[optimal] <= nearest[optimal] * (1 + 1e-6)).all()


@pytest.mark.parametrize("density", ["auto", "kernel"])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", [0, 1])
def test_scaled_answers_are_those_of_the_same_data_in_ordinary_units(seed, name, density):
    X, y = clouds(seed)
    steps = MODELS[name]
    plain = explainer_of(steps, X, y, distance="scaled", density=density)
    odd = explainer_of(steps, X * UNITS, y, distance="scaled", density=density)
    for target in (0, 1, 2):
        expected, found = plain.explain(X[::4], target=target), odd.explain((X * UNITS)[::4], target=target)
        np.testing.assert_array_equal(found.statuses, expected.statuses)
        np.testing.assert_allclose(found.distances, expected.distances, rtol=1e-6, atol=1e-9)
        np.testing.assert_array_equal(np.isinf(found.lower_bounds), np.isinf(expected.lower_bounds))


@pytest.mark.parametrize("distance", ["manhattan", "scaled", "mahalanobis"])
@pytest.mark.parametrize("density", ["auto", "kernel", None])
@pytest.mark.parametrize("name", MODELS)
def test_known_answers_are_not_ruled_out(name, density, distance):
    X, y = clouds(3)
    explainer = explainer_of(MODELS[name], X * UNITS, y, distance=distance, density=density)
    for target in (0, 1, 2):
        known = known_answers(explainer, X * UNITS, target)
        assert len(known)
        assert_no_wrong_proof(explainer, (X * UNITS)[::8], target, known)


@pytest.mark.parametrize("rules", [None, ew.Constraints(max_changes=2)], ids=["no rules", "a rule that holds"])
@pytest.mark.parametrize("span", [8, 12, 16])
def test_a_regressor_in_raw_units_is_not_called_infeasible(span, rules):
    # Only moving the column in large units far helps some rows: that costs 1e8 times what single constraints ask for.
    rng = np.random.default_rng(7)
    X = rng.normal(size=(150, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]]) * 10.0 ** np.array([-span / 2, span / 2])
    y = X @ 10.0 ** np.array([span / 2, -span / 2]) + 0.1 * rng.normal(size=150)
    explainer = explainer_of((Ridge(alpha=1e-3),), X, y, distance="manhattan")
    low, high = np.quantile(y, [0.8, 0.9])
    known = known_answers(explainer, X, (low, high))
    assert len(known)
    assert_no_wrong_proof(explainer, X[:50], (low, high), known, rules)


def test_whole_numbers_in_raw_units_are_not_called_infeasible():
    rng = np.random.default_rng(5)
    label = rng.integers(2, size=200)
    X = np.column_stack([
        1e-7 * (label + rng.normal(size=200)), 1e7 * (label + rng.normal(size=200)), rng.integers(0, 9, 200) + label,
    ])  # fmt: skip
    explainer = explainer_of((LogisticRegression(C=10.0),), X, label, distance="manhattan", columns={"x2": "integer"})
    for target in (0, 1):
        known = known_answers(explainer, X, target)
        assert_no_wrong_proof(explainer, X[:40], target, known)


def test_classes_that_share_a_row_of_scores_up_to_units_are_reached_without_a_density():
    # In raw units the half-spaces of the three classes are parallel up to 1e-12; they meet all the same.
    X, y = clouds(11)
    explainer = explainer_of(MODELS["logistic"], X * UNITS, y, distance="manhattan", density=None)
    for target in (0, 1, 2):
        known = known_answers(explainer, X * UNITS, target)
        assert_no_wrong_proof(explainer, X * UNITS, target, known)


def test_a_class_that_never_wins_stays_proven_infeasible_in_any_units():
    X, y = clouds(0)
    for units in (np.ones(3), UNITS):
        model = make_pipeline(StandardScaler(), LogisticRegression(C=10.0)).fit(X * units, y)
        model[-1].coef_[2] = 0.5 * (model[-1].coef_[0] + model[-1].coef_[1])
        model[-1].intercept_[2] = 0.5 * (model[-1].intercept_[0] + model[-1].intercept_[1]) - 1.0
        for distance in ("manhattan", "scaled", "mahalanobis"):
            for density in ("auto", None):
                explainer = ew.Explainer(model, distance=distance, density=density).fit(X * units, y)
                answers = explainer.explain(X[:20] * units, target=2)
                assert (answers.statuses == "infeasible").all()
                assert np.isinf(answers.lower_bounds).all(), (units, distance, density)


def test_mahalanobis_behind_a_projection_keeps_the_digits_of_small_units():
    # The projection sees both columns alike; this omega makes the second one 1e11 times as cheap for the same effect.
    rng = np.random.default_rng(3)
    label = rng.integers(2, size=150)
    X = (2.0 * rng.normal(size=(2, 2))[label] + rng.normal(size=(150, 2)) + 5.0) * np.array([2e7, 5e-8])
    omega = np.diag([1e-15, 1e-9])
    explainer = explainer_of((PCA(1), LogisticRegression(C=10.0)), X, label, distance=ew.Mahalanobis(omega))
    for target in (0, 1):
        answers = explainer.explain(X[:60], target=target)
        found = np.asarray(answers.counterfactuals)
        assert (answers.statuses == "optimal").all()
        # All that counts is the one direction: what it lacks, the second column makes up for nearly at no cost.
        scale = explainer.to_model_space(np.array([[0.0, 5e-8], [0.0, 0.0]]))
        lacking = explainer.to_model_space(found)[:, 0] - explainer.to_model_space(X[:60])[:, 0]
        step = lacking / (scale[0, 0] - scale[1, 0]) * 5e-8
        np.testing.assert_allclose(answers.lower_bounds, 1e-9 * step**2, rtol=1e-6, atol=1e-40)
