"""Model spaces of more features than the data have directions: columns used twice, and data on a plane."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.models import Label
from fitted_models import assert_certified, random_data, reference_distance


def twice() -> ColumnTransformer:
    """Five features of three columns."""
    return ColumnTransformer(
        [("scaled", StandardScaler(), [0, 1, 2]), ("again", MinMaxScaler(), [0]), ("plain", "passthrough", [1])]
    )


MODELS = {
    "twice, logistic": lambda: make_pipeline(twice(), LogisticRegression(max_iter=2_000)),
    "twice, tree": lambda: make_pipeline(twice(), DecisionTreeClassifier(max_depth=4, random_state=0)),
    "twice, neighbour": lambda: make_pipeline(twice(), KNeighborsClassifier(n_neighbors=1)),
}


def mixtures(model, X, y, move: float) -> dict:
    """Mixtures in model space; their means are moved off the plane on which all data lie."""
    Z = np.asarray(model[:-1].transform(X))
    rng = np.random.default_rng(0)
    flat = np.linalg.svd(Z - Z.mean(axis=0))[2][3:]  # directions in which no data vary
    found = {}
    for label in np.unique(y):
        mixture = GaussianMixture(2, reg_covar=0.05, random_state=0).fit(Z[y == label])
        mixture.means_ = mixture.means_ + move * rng.normal(size=(2, len(flat))) @ flat
        found[label] = mixture
    return found


@pytest.mark.parametrize("move", [0.0, 0.3])
@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
@pytest.mark.parametrize("name", MODELS)
def test_distances_are_those_of_the_reference(name, distance, move):
    X, y = random_data(3, seed=4, n_features=3)
    model = MODELS[name]().fit(X, y)
    n_found = 0
    for threshold in (0.3, 0.9):
        density = mixtures(model, X, y, move)
        explainer = ew.Explainer(model, density=density, distance=distance, threshold=threshold, learn_rules=False).fit(
            X, y
        )
        rows = X[::15]
        for index, label in enumerate(model.classes_):
            answers = explainer.explain(rows, label, on_satisfied="move")
            assert_certified(explainer, rows, answers)
            for i, x in enumerate(rows):
                expected = reference_distance(explainer, x, Label(index))
                assert (answers.statuses[i] == "infeasible") == np.isinf(expected)
                if np.isfinite(expected):
                    np.testing.assert_allclose(answers.distances[i], expected, rtol=1e-6, atol=1e-8)
                    assert answers.lower_bounds[i] <= expected * (1 + 1e-8) + 1e-8
                    n_found += 1
    assert n_found > 10


@pytest.mark.parametrize("move", [0.0, 1.0])
@pytest.mark.parametrize("name", MODELS)
def test_the_quantile_that_is_named_works_and_no_higher_one(name, move):
    X, y = random_data(3, seed=4, n_features=3)
    model = MODELS[name]().fit(X, y)
    others = model.classes_[(np.searchsorted(model.classes_, y) + 1) % 3]  # where a label is predicted, it is rare
    density = mixtures(model, X, others, move)
    explainer = ew.Explainer(model, density=density, threshold=0.97).fit(X, others)
    named = 0
    for label in model.classes_:
        answer = explainer.explain_one(X[0], label)
        told = re.search(r"The most typical one is .* \(threshold=(0\.\d+)\)", answer.reason)
        if told is None:
            continue
        named += 1
        for quantile, works in ((float(told[1]), True), (float(told[1]) + 2e-4, False)):
            again = ew.Explainer(model, density=density, threshold=quantile).fit(X, others).explain_one(X[0], label)
            assert (again.status != "infeasible") == works, (label, quantile)
    assert named > 0
    assert explainer.explain(X[:3]).statuses.tolist() == [explainer.explain_one(x).status for x in X[:3]]


def test_data_on_a_plane():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(90, 2))
    X = flat @ rng.normal(size=(2, 5)) + 3.0
    y = np.where(flat[:, 0] + 0.3 * flat[:, 1] > 0, "yes", "no")
    for model in (
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(PCA(5), DecisionTreeClassifier(max_depth=3, random_state=0)),
    ):
        model.fit(X, y)
        explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=2)).fit(X, y)
        rows = X[::18]
        answers = explainer.explain(rows, "yes")
        assert_certified(explainer, rows, answers)
        for i, x in enumerate(rows):
            expected = reference_distance(explainer, x, Label(1))
            np.testing.assert_allclose(answers.distances[i], expected, rtol=1e-5, atol=1e-7)
            assert answers.lower_bounds[i] <= expected * (1 + 1e-6) + 1e-7


def test_rotations_that_leave_directions_without_data():
    X, y = random_data(3, seed=4, n_features=3)
    model = make_pipeline(twice(), PCA(5, random_state=0), LogisticRegression(max_iter=2_000)).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    answers = explainer.explain(X[::15], "up")
    assert_certified(explainer, X[::15], answers)
    index = model.classes_.tolist().index("up")
    expected = [reference_distance(explainer, x, Label(index)) for x in X[::15]]
    np.testing.assert_allclose(answers.distances, expected, rtol=1e-6)
