"""Fixtures of several files: real data, and explainers that are dear to fit."""

from __future__ import annotations

import gc
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

import elsewise as ew
from elsewise.density import threshold


@pytest.fixture(scope="session", autouse=True)
def one_thread_a_process():
    """Tests run in parallel processes; threads of the numerical libraries would only wait for each other."""
    with threadpool_limits(limits=1):
        yield


def pytest_collection_finish():
    """Leave thousands of collected tests out of what the garbage collector looks through."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def densities_fitted_once():
    """Fit the density of the same rows with the same settings once: that is a fifth of what tests of answers take.

    Tests of fits themselves, in ``density/``, fit each time.
    """
    known, fit = {}, threshold._fitted

    def fitted(estimator, rows):
        if type(estimator) not in (ew.GaussianMixtureDensity, ew.MixedMixtureDensity, ew.KernelDensity):
            return fit(estimator, rows)
        key = type(estimator), repr(sorted(estimator.get_params().items())), rows.shape, rows.dtype.str, rows.tobytes()
        if key not in known:
            known[key] = fit(estimator, rows)
        return known[key]

    fitted.__wrapped__ = fit
    threshold._fitted = fitted
    yield
    threshold._fitted = fit


_GRACE = [
    f"elsewise.{module}.GRACE"
    for module in (
        "search.ledger",
        "search.boxes.box_search",
        "search.relaxations.tree_sums.deepening",
        "search.relaxations.tree_sums.inside",
        "search.relaxations.tree_sums.inside_search",
        "search.branch_and_bound.whole_search",
    )
]


@pytest.fixture
def no_grace(monkeypatch):
    """Rows without a point end with their time."""
    for name in _GRACE:
        monkeypatch.setattr(name, 0.0)


@pytest.fixture
def any_grace(monkeypatch):
    """Rows without a point go on until they have one, however slow the machine is."""
    for name in _GRACE:
        monkeypatch.setattr(name, np.inf)


@pytest.fixture(scope="session")
def iris():
    """Rows and labels, as strings."""
    data = load_iris()
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="session")
def iris_explainer(iris):
    """Softmax on iris with two components a class: never change it, clone it."""
    X, y = iris
    model = LogisticRegression(max_iter=1000).fit(X, y)
    return ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=2)).fit(X, y)


@pytest.fixture(scope="session")
def cancer_explainer():
    """Binary logistic regression behind a scaler, and the rows: never change it, clone it."""
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    return ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=2)).fit(X, y), X


@pytest.fixture(scope="session")
def loans():
    """A table of several types with its labels, and an explainer: never change them, copy them."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    n = 240
    label = np.repeat(["no", "yes"], n // 2)
    good = label == "yes"
    frame = pandas.DataFrame(
        {
            "years": rng.poisson(np.where(good, 9, 4)),
            "income": rng.normal(np.where(good, 4.0, 2.5), 0.6),
            "housing": np.where(rng.random(n) < np.where(good, 0.7, 0.3), "own", rng.choice(["rent", "free"], n)),
            "guarantor": rng.random(n) < np.where(good, 0.6, 0.2),
        }
    )
    encode = make_column_transformer(
        (StandardScaler(), ["years", "income"]), (OneHotEncoder(), ["housing", "guarantor"])
    )
    model = make_pipeline(encode, LogisticRegression()).fit(frame, label)
    explainer = ew.Explainer(model, density=ew.MixedMixtureDensity(n_components=2)).fit(frame, label)
    return SimpleNamespace(frame=frame, label=label, explainer=explainer)
