"""Linear models of products of two columns against their own predict, against SCIP and against a grid."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.models import Interval, Label
from fitted_models import assert_certified
from score_reference import distance_by_scip
from search.relaxations.unit_sums.judging import assert_nothing_on_a_grid_is_nearer
from unread import reason_unread

CLASSIFIERS = {
    "squares and products": lambda: make_pipeline(
        StandardScaler(), PolynomialFeatures(2), LogisticRegression(max_iter=5000)
    ),
    "products alone, scaled": lambda: make_pipeline(
        PolynomialFeatures(2, interaction_only=True, include_bias=False),
        StandardScaler(),
        LogisticRegression(max_iter=5000),
    ),
    "ridge": lambda: make_pipeline(PolynomialFeatures((1, 2)), RidgeClassifier()),
}


def curved(n_classes=2, *, n_features=4, n_rows=160, seed=0):
    """Rows, and classes by how large a quadratic form of them is."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features)) * rng.uniform(0.5, 3.0, n_features) + rng.normal(size=n_features)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    value = Z[:, 0] * Z[:, 1] - 0.5 * Z[:, -1] ** 2 + 0.5 * Z[:, 0] + rng.normal(0, 0.2, n_rows)
    return X, np.searchsorted(np.quantile(value, np.arange(1, n_classes) / n_classes), value)


def boundary_pairs(says, X):
    """Pairs of rows, a millionth of a way apart, that a model tells from each other."""
    inside, outside = X[says(X)], X[~says(X)]
    n = min(len(inside), len(outside))
    inside, outside = inside[:n].copy(), outside[:n].copy()
    for _ in range(20):
        middle = (inside + outside) / 2
        held = says(middle)
        inside[held], outside[~held] = middle[held], middle[~held]
    return inside, outside


def assert_agrees(explainer, outcome, says, X):
    fitted = explainer.fitted_
    region = fitted.region(outcome)
    inside, outside = boundary_pairs(says, X)
    for points in (X, inside, outside):
        np.testing.assert_array_equal(region.accepts(fitted.to_model(points)), says(points))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_regions_agree_with_predict(name, n_classes):
    X, y = curved(n_classes)
    model = CLASSIFIERS[name]().fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    assert explainer.exactness_ == "exact"
    for index in range(n_classes):
        assert_agrees(explainer, Label(index), lambda points, index=index: model.predict(points) == index, X)
    if hasattr(model, "predict_proba"):
        assert_agrees(explainer, Label(0, 0.6), lambda points: model.predict_proba(points)[:, 0] >= 0.6, X)


def test_ranges_of_regressors_agree_with_predict():
    X, _ = curved()
    model = make_pipeline(PolynomialFeatures(2), LinearRegression()).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    low, high = np.quantile(model.predict(X), [0.3, 0.6])
    explainer = ew.Explainer(model, density=None).fit(X, X[:, 0])
    assert_agrees(
        explainer,
        Interval(low, high),
        lambda points: (model.predict(points) >= low) & (model.predict(points) <= high),
        X,
    )


def scores_of(model, v):
    """Write the scores of classes as the pipeline's own monomials of SCIP's variables."""
    from pyscipopt import quicksum

    scaler, powers, linear = [step for _, step in model.steps]
    z = [(entry - float(m)) / float(s) for entry, m, s in zip(v, scaler.mean_, scaler.scale_)]
    monomials = []
    for row in powers.powers_:
        term = 1.0
        for entry, power in zip(z, row):
            for _ in range(power):
                term = term * entry
        monomials.append(term)
    scores = [
        quicksum(float(w) * m for w, m in zip(W, monomials)) + float(b) for W, b in zip(linear.coef_, linear.intercept_)
    ]
    return [-0.5 * scores[0], 0.5 * scores[0]] if len(scores) == 1 else scores


@pytest.mark.parametrize("n_classes", [2, 3])
def test_answers_are_as_near_as_scip_finds_them(n_classes):
    pytest.importorskip("pyscipopt")
    X, y = curved(n_classes, n_features=3, seed=1)
    model = CLASSIFIERS["squares and products"]().fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows = X[:4]
    targets = (model.predict(rows) + 1) % n_classes
    answers = explainer.explain(rows, target=targets, time_limit=20)
    assert_certified(explainer, rows, answers)
    for x, target, distance, bound in zip(rows, targets, answers.distances, answers.lower_bounds):
        value, lower = distance_by_scip(
            partial(scores_of, model), x, explainer.distance_.weights, int(target), distance
        )
        assert distance <= value * (1 + 1e-5)
        assert distance >= lower * (1 - 1e-5)
        assert bound <= value * (1 + 1e-6)
        assert bound >= distance * (1 - 1e-4)


def test_answers_with_a_density_are_bounded_by_everything_on_a_grid():
    X, y = curved(n_features=2, seed=2)
    y = np.where(y == 1, "right", "left")
    model = CLASSIFIERS["squares and products"]().fit(X, y)
    explainer = ew.Explainer(model).fit(X, y)
    rows = X[model.predict(X) == "left"][:3]
    answers = explainer.explain(rows, target="right", time_limit=20)
    assert_certified(explainer, rows, answers)
    assert_nothing_on_a_grid_is_nearer(explainer, X, rows, answers, lambda grid: model.predict(grid) == "right")


def test_curves_and_whole_numbers_may_come_before_products():
    X, y = curved(n_features=3)
    frame = pd.DataFrame(np.round(np.exp(X / 3) * 10).astype(int), columns=["a", "b", "c"])
    model = make_pipeline(FunctionTransformer(np.log1p), PolynomialFeatures(2), LogisticRegression(max_iter=5000))
    model.fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    assert explainer.exactness_ == "exact"
    rows = frame[model.predict(frame) == 0][:3]
    answers = explainer.explain(rows, target=1, time_limit=10)
    assert (model.predict(answers.counterfactuals) == 1).all()
    # no row of whole numbers around is nearer than what is proven
    steps = np.stack(np.meshgrid(*[np.arange(-6, 7)] * 3), axis=-1).reshape(-1, 3)
    for k in range(3):
        around = rows.iloc[k].to_numpy() + steps
        around = around[(around >= 0).all(axis=1)]
        good = around[model.predict(pd.DataFrame(around, columns=frame.columns)) == 1]
        if len(good):
            apart = (np.abs(good - rows.iloc[k].to_numpy()) * explainer.distance_.weights).sum(axis=1)
            assert answers.lower_bounds[k] <= apart.min() * (1 + 1e-9)
            assert answers.distances[k] <= apart.min() * (1 + 1e-6) or answers.statuses[k] == "feasible"


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(PolynomialFeatures(3), LogisticRegression(max_iter=5000)),
        make_pipeline(PolynomialFeatures(2), DecisionTreeClassifier(max_depth=3)),
        make_pipeline(PolynomialFeatures(2), MLPClassifier((3,), solver="lbfgs", max_iter=5000)),
    ],
    ids=["degree 3", "tree", "network"],
)
def test_other_products_stay_black_boxes(model):
    X, y = curved()
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert "is not affine: it multiplies columns 'x0', 'x1'" in reason_unread(model.fit(Z, y), Z, y)
