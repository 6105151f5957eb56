"""A model whose ``predict`` denies some of its own region: answers come from the rest, and bounds stay honest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import elsewise as ew
from elsewise import models as regions


class Boxes(ClassifierMixin, BaseEstimator):
    """Says "in" inside of some boxes.

    Parameters
    ----------
    boxes : array of shape (n_boxes, n_features, 2)
        Lower and upper ends.
    denied : tuple of int
        Boxes that belong to the registered region, but in which ``predict`` says "out".
    """

    def __init__(self, boxes: Any, denied: tuple[int, ...] = ()) -> None:
        self.boxes, self.denied = boxes, denied

    def fit(self, X: Any, y: Any = None) -> Boxes:
        self.classes_ = np.array(["in", "out"])
        self.n_features_in_ = np.shape(X)[1]
        return self

    def predict(self, X: Any) -> np.ndarray:
        Z = np.asarray(X, dtype=float)[:, None, :]
        kept = np.delete(self.boxes, list(self.denied), axis=0)
        inside = ((kept[None, :, :, 0] <= Z) & (kept[None, :, :, 1] >= Z)).all(axis=2).any(axis=1)
        return self.classes_[np.where(inside, 0, 1)]


@regions.register(Boxes)
def boxes_region(model: Boxes, outcome: Any) -> Any:
    n = model.n_features_in_
    if outcome.index == 1:
        return regions.union([(np.zeros((0, n)), np.zeros(0))], n_features=n)
    A = np.vstack([np.eye(n), -np.eye(n)])
    return regions.union([(A, np.concatenate([box[:, 1], -box[:, 0]])) for box in model.boxes], n_features=n)


def grid(n: int = 6, size: float = 0.8) -> np.ndarray:
    """Boxes around whole numbers of the plane."""
    centre = np.stack(np.meshgrid(np.arange(n), np.arange(n)), axis=-1).reshape(-1, 2).astype(float)
    return np.stack([centre - size / 2, centre + size / 2], axis=-1)


def data(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of "in" in two clusters within the grid, and others beside it."""
    rng = np.random.default_rng(seed)
    first, second = rng.normal([2.0, 2.5], 0.7, size=(60, 2)), rng.normal([4.5, 3.5], 0.5, size=(60, 2))
    other = rng.normal([-3.0, 2.0], 0.5, size=(40, 2))
    return np.vstack([first, second, other]), np.repeat(["in", "in", "out"], [60, 60, 40])


def explainers(
    denied: tuple[int, ...], density: Any, **options: Any
) -> tuple[ew.Explainer, ew.Explainer, ew.Explainer]:
    """The explainer of the model that lies, of one that has only the true boxes, and of one that has all of them."""
    X, y = data()
    boxes = grid()
    models = [Boxes(boxes, denied), Boxes(np.delete(boxes, denied, axis=0)), Boxes(boxes)]
    fitted = [ew.Explainer(model.fit(X), density=density, **options).fit(X, y) for model in models]
    return fitted[0], fitted[1], fitted[2]


def check(lying: ew.Explainer, honest: ew.Explainer, gullible: ew.Explainer, rows: Any, **options: Any) -> Any:
    """Check answers of a lying model: those of the honest one, with bounds of the one that believes everything."""
    answers = lying.explain(rows, "in", **options)
    expected = honest.explain(rows, "in", **options)
    believed = gullible.explain(rows, "in", **options)
    assert (expected.statuses == "optimal").all()
    assert answers.found.all()
    np.testing.assert_array_equal(lying.model.predict(answers.counterfactuals), "in")
    # Where predict disagrees the search keeps away from boundaries, and with it from the nearest point.
    assert (answers.distances >= expected.distances * (1 - 1e-6)).all()
    np.testing.assert_allclose(answers.distances, expected.distances, rtol=2e-3)
    # What was denied may hold a point that predict would take: nothing beyond it is proven.
    assert (answers.lower_bounds <= believed.distances).all()
    np.testing.assert_allclose(answers.lower_bounds, believed.lower_bounds, rtol=1e-5)
    apart = expected.distances > believed.distances * (1 + 1e-5)
    np.testing.assert_array_equal(answers.statuses == "feasible", apart)
    assert all(answers.reasons[i] for i in np.flatnonzero(apart))
    if lying.densities_:
        assert (lying.log_density(answers.counterfactuals, "in") >= lying.densities_["in"].log_threshold_).all()
        assert (answers.log_densities >= answers.log_thresholds).all()
    return apart


DENSITIES = {
    "none": None,
    "one": ew.GaussianMixtureDensity(n_components=1),
    "two": ew.GaussianMixtureDensity(n_components=2),
    "kernel": ew.KernelDensity(bandwidth=0.5),
}
# Boxes between the rows and the rest, a few of the middle, and all but a corner.
DENIED = {
    "one": (12,),
    "column": (0, 6, 12, 18, 24, 30),
    "middle": (13, 14, 15, 19, 20, 21),
    "several": tuple(range(9, 27)),
}


@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("denied", DENIED)
def test_answers_come_from_boxes_that_are_not_denied(denied, density, distance):
    X, y = data()
    rows = X[y == "out"][:12]
    told = explainers(DENIED[denied], DENSITIES[density], distance=distance)
    apart = check(*told, rows)
    assert apart.any() or denied != "several"  # few lies may lie out of the way


@pytest.mark.parametrize("density", ["none", "two"])
def test_under_rules(density):
    X, y = data()
    frame = pd.DataFrame(X, columns=["a", "b"])
    rows = frame[y == "out"][:8]
    boxes, denied = grid(), DENIED["several"]
    models = [Boxes(boxes, denied), Boxes(np.delete(boxes, denied, axis=0)), Boxes(boxes)]
    told = [ew.Explainer(model.fit(frame), density=DENSITIES[density], threshold=0.1).fit(frame, y) for model in models]
    rules = [
        ew.Constraints(monotone={"a": "increase"}),
        ew.Constraints(linear=["a + b <= 9.5"]),
        ew.Constraints(integer=["b"]),
    ]
    apart = [check(*told, rows, constraints=rule).any() for rule in rules]
    assert any(apart)


@pytest.mark.parametrize("density", ["none", "two"])
def test_a_model_that_denies_everything_is_not_said_to_be_proven_so(density):
    X, y = data()
    boxes = grid(2)
    lying = ew.Explainer(Boxes(boxes, (0, 1, 2, 3)).fit(X), density=DENSITIES[density], threshold=0.01).fit(X, y)
    believing = ew.Explainer(Boxes(boxes).fit(X), density=DENSITIES[density], threshold=0.01).fit(X, y)
    rows = X[y == "out"][:5]
    answers, believed = lying.explain(rows, "in"), believing.explain(rows, "in")
    assert (believed.statuses == "optimal").all()
    assert (answers.statuses == "unknown").all()
    assert (answers.lower_bounds <= believed.distances).all()
    assert all("is not known" in reason for reason in answers.reasons)


@pytest.mark.parametrize("density", ["none", "two"])
def test_more_lies_than_are_looked_into_leave_an_honest_bound(density):
    X, y = data()
    told = explainers(tuple(i for i in range(36) if i not in (28, 29, 34, 35)), DENSITIES[density], threshold=0.01)
    rows = X[y == "out"][:5]
    answers, expected, believed = (each.explain(rows, "in") for each in told)
    assert (expected.statuses == "optimal").all()
    assert (answers.lower_bounds <= believed.distances).all()
    found = answers.found
    assert (answers.distances[found] >= expected.distances[found] * (1 - 1e-6)).all()
    assert all("is not known" in answers.reasons[i] for i in np.flatnonzero(~found))


class DenyingLine(ClassifierMixin, BaseEstimator):
    """Says "in" where ``x0 + x1 >= 3``, but denies the point (3, 0)."""

    def fit(self, X: Any, y: Any = None) -> DenyingLine:
        self.classes_ = np.array(["in", "out"])
        self.n_features_in_ = 2
        return self

    def predict(self, X: Any) -> np.ndarray:
        Z = np.asarray(X, dtype=float)
        return self.classes_[np.where((Z.sum(axis=1) >= 3) & ~(Z == [3.0, 0.0]).all(axis=1), 0, 1)]


@regions.register(DenyingLine)
def line_region(model: DenyingLine, outcome: Any) -> Any:
    sign = -1.0 if outcome.index == 0 else 1.0
    return regions.union([(np.full((1, 2), sign), np.array([3.0 * sign]))], n_features=2)


def test_a_value_that_is_not_whole_may_stay_where_the_nearest_point_is_denied():
    X = np.array([[0.0, 0.0], [5.0, 5.0], [1.0, 4.0]])
    model = DenyingLine().fit(X)
    explainer = ew.Explainer(model, distance=ew.Manhattan([1.0, 1.2]), density=None).fit(X, model.predict(X))
    rules = ew.Constraints(integer=["x0", "x1"])
    answer = explainer.explain_one([2.5, 0.0], "in", constraints=rules)
    np.testing.assert_array_equal(answer.counterfactual, [2.5, 1.0])
    assert answer.status == "optimal"
    assert answer.distance == pytest.approx(1.2)
