"""Few, equal and constant data, and labels of any type."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from models import assert_certified, random_data


def test_too_few_rows_for_the_mixture(iris, iris_explainer):
    X, y = iris
    few = np.r_[0:3, 50:100, 100:150]
    with pytest.raises(
        ew.InvalidInputError, match=r"too few rows for the mixture: expected at least 5 rows.*received 3"
    ):
        ew.Explainer(iris_explainer.model, density=ew.GaussianMixtureDensity(n_components=5)).fit(X[few], y[few])
    with pytest.raises(ew.InvalidInputError, match="too few rows"):
        ew.Explainer(iris_explainer.model).fit(X[few[2:]], y[few[2:]])


@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
@pytest.mark.parametrize("density", ["gaussian_mixture", "kernel", None])
@pytest.mark.parametrize("model", [LogisticRegression(), DecisionTreeClassifier(random_state=0)], ids=str)
def test_one_feature(model, density, distance):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0, 1, 30), rng.normal(4, 1, 30)])[:, None]
    y = np.repeat(["low", "high"], 30)
    explainer = ew.Explainer(model.fit(x, y), density=density, distance=distance).fit(x, y)
    answers = explainer.explain(x[::7], "high")
    assert_certified(explainer, x[::7], answers)
    assert (answers.statuses == "optimal").all()
    line = np.linspace(-5, 10, 200_001)[:, None]
    good = model.predict(line) == "high"
    if density is not None:
        mine = explainer.densities_["high"]
        good &= mine.log_max(line) >= mine.log_threshold_
    for row, found in zip(x[::7], answers.distances):
        nearest = explainer.distance_(line[good], row).min()
        assert found <= nearest * (1 + 1e-6) + 1e-12
        np.testing.assert_allclose(np.sqrt(found), np.sqrt(nearest), atol=0.02)


@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
@pytest.mark.parametrize("constant", [0.0, 1.0, -250.0])
def test_constant_features(constant, distance):
    X, y = random_data(3)
    X = np.column_stack([X, np.full(len(X), constant)])
    for model in (LogisticRegression(max_iter=2000), make_pipeline(StandardScaler(), LogisticRegression())):
        model.fit(X, y)
        density = ew.GaussianMixtureDensity(n_components=2)
        explainer = ew.Explainer(model, distance=distance, density=density).fit(X, y)
        answers = explainer.explain(X[:10])
        assert_certified(explainer, X[:10], answers)
        assert (answers.statuses == "optimal").all()
        np.testing.assert_allclose(answers.counterfactuals[:, -1], constant, atol=1e-3 * max(abs(constant), 1))


@pytest.mark.parametrize("density", ["gaussian_mixture", "kernel"])
def test_duplicated_rows(density):
    X, y = random_data(3)
    X, y = np.repeat(X, 4, axis=0), np.repeat(y, 4)
    model = KNeighborsClassifier(n_neighbors=1).fit(X, y)
    explainer = ew.Explainer(model, density=density).fit(X, y)
    answers = explainer.explain(X[::40])
    assert_certified(explainer, X[::40], answers)
    assert (answers.statuses == "optimal").all()
    np.testing.assert_array_equal(answers.counterfactuals, explainer.explain(X[1::40]).counterfactuals)


def test_equal_rows_of_different_classes():
    # One-nearest-neighbour can decide for one of the two only; the other class has other rows.
    X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 0.0], [9.0, 0.0]])
    y = np.array(["a", "a", "b", "b"])
    model = KNeighborsClassifier(n_neighbors=1).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    for target in ("a", "b"):
        rows = np.array([[-1.0, 0.5], [1.0, 1.0], [5.0, 0.0], [20.0, 3.0]])
        answers = explainer.explain(rows, target)
        assert_certified(explainer, rows, answers)
        assert (answers.statuses != "infeasible").all()


# --- labels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [[False, True], ["no", "yes"], [-1, 1], [1.0, 2.0], [3, 10]], ids=str)
def test_labels_of_any_type(labels):
    X, y = random_data(2)
    y = np.array(labels)[(y == "right").astype(int)]
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=1)).fit(X, y)
    assert list(explainer.densities_) == labels
    for target in (labels[1], model.classes_[1], np.full(20, labels[1]), [labels[1]] * 20):
        answers = explainer.explain(X[:20], target)
        assert_certified(explainer, X[:20], answers)
        assert all(found == labels[1] for found in answers.targets)
    open_choice = explainer.explain(X[:20])
    assert (np.asarray(open_choice.targets) != model.predict(X[:20])).all()


def test_labels_as_lists_and_objects(iris):
    X, y = iris
    model = LogisticRegression(max_iter=1000).fit(X, y.astype(object))
    density = ew.GaussianMixtureDensity(n_components=1)
    explainer = ew.Explainer(model, density=density).fit(X.tolist(), y.tolist())
    assert explainer.explain_one(X[0].tolist(), "virginica").status == "optimal"


def test_a_regressor_takes_no_labels_and_no_probability():
    X, y = random_data(None)
    explainer = ew.Explainer(LinearRegression().fit(X, y), density=None).fit(X)
    with pytest.raises(ew.InvalidInputError, match=r"A regressor needs target=\(low, high\).*received None"):
        explainer.explain(X[:2])
    with pytest.raises(ew.InvalidInputError, match="min_probability is for classifiers"):
        explainer.explain(X[:2], (0, 1), min_probability=0.9)
    with pytest.raises(ew.InvalidInputError, match="explain_one takes one target"):
        explainer.explain_one(X[0], [(0, 1), (1, 2)])
