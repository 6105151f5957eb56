"""Targets that ``predict`` attains exactly, behind exponentials whose last bits are the library's own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

import elsewise as ew

WITHIN = ew.Constraints(bounds={"x0": (0, 4), "x1": (0, 4)})
EVERY = np.array(list(itertools.product(range(5), repeat=2)), dtype=float)


def counts():
    """Rows of whole numbers, and positive numbers that are about an exponential of them."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, size=(150, 2)).astype(float)
    return X, rng.poisson(np.exp(X @ [0.3, -0.4])) + 0.5


def regressor(name):
    if name == "histograms":
        return HistGradientBoostingRegressor(loss="poisson", max_iter=9, max_leaf_nodes=5)
    library, objective = name.split(" ")
    if library == "xgboost":
        return pytest.importorskip("xgboost").XGBRegressor(objective=objective, n_estimators=9, max_depth=2)
    lightgbm = pytest.importorskip("lightgbm")
    return lightgbm.LGBMRegressor(objective=objective, n_estimators=9, max_depth=2, verbose=-1)


@pytest.mark.parametrize(
    "name",
    [
        "histograms",
        "xgboost count:poisson",
        "xgboost reg:gamma",
        "xgboost reg:tweedie",
        "lightgbm poisson",
        "lightgbm gamma",
        "lightgbm tweedie",
    ],
)
def test_every_prediction_is_attained_as_a_range_of_one_number(name):
    X, y = counts()
    model = regressor(name).fit(X, y)
    predicted = model.predict(EVERY).astype(float)
    explainer = ew.Explainer(model, density=None, distance="manhattan").fit(X, y)
    for value in np.unique(predicted):
        row = EVERY[np.abs(predicted - value).argmax()]
        answer = explainer.explain(row[None], (value, value), constraints=WITHIN)[0]
        # between whole numbers the model may say what it says at one of them
        assert answer.lower_bound <= np.abs(EVERY[predicted == value] - row).sum(axis=1).min()
        assert model.predict(answer.counterfactual[None])[0] == value


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("library", ["histograms", "xgboost", "lightgbm"])
def test_every_probability_is_attained_as_a_least_one(library, n_classes):
    X, y = counts()
    y = np.digitize(y, [0.6, 2.0][: n_classes - 1])
    if library == "histograms":
        model = HistGradientBoostingClassifier(max_iter=6, max_leaf_nodes=4)
    elif library == "xgboost":
        model = pytest.importorskip("xgboost").XGBClassifier(n_estimators=6, max_depth=2)
    else:
        model = pytest.importorskip("lightgbm").LGBMClassifier(n_estimators=6, max_depth=2, verbose=-1)
    probability = model.fit(X, y).predict_proba(EVERY).astype(float)
    explainer = ew.Explainer(model, density=None, distance="manhattan").fit(X, y)
    for label in range(n_classes):
        row = EVERY[probability[:, label].argmin()]
        for least in np.unique(probability[:, label])[1:]:
            answer = explainer.explain(row[None], label, min_probability=least, constraints=WITHIN)[0]
            known = EVERY[probability[:, label] >= least]
            assert answer.lower_bound <= np.abs(known - row).sum(axis=1).min()
            assert answer.status != "infeasible"
