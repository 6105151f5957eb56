"""Small tables with finite domains, and a small model of every family."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from catboost import CatBoostClassifier
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from xgboost import XGBClassifier, XGBRegressor

import elsewise as ew

TABLES = {"levels": "abcd", "codes": "asgc", "numbers": "abs", "products": "abct"}
DERIVED = {"t": "a * b"}  # in tables that have the column
GRADES = ["low", "mid", "top"]


def _network(activation: str) -> Any:
    return MLPClassifier((2,), activation=activation, solver="lbfgs", max_iter=100, alpha=0.05, random_state=0)


# By family: the number of classes (None for a regressor) and what makes the last step of the model.
FAMILIES: dict[str, tuple[int | None, Callable[[], Any]]] = {
    "linear": (2, lambda: LogisticRegression(max_iter=1_000)),
    "softmax": (3, lambda: LogisticRegression(max_iter=1_000)),
    "tree": (3, lambda: DecisionTreeClassifier(max_depth=4, random_state=0)),
    "forest": (2, lambda: RandomForestClassifier(5, max_depth=3, random_state=0)),
    "gradient boosting": (2, lambda: GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=0)),
    "histogram boosting": (3, lambda: HistGradientBoostingClassifier(max_iter=4, max_leaf_nodes=5, random_state=0)),
    "xgboost": (2, lambda: XGBClassifier(n_estimators=5, max_depth=2, n_jobs=1, random_state=0)),
    "lightgbm": (2, lambda: LGBMClassifier(n_estimators=5, num_leaves=5, n_jobs=1, verbose=-1, random_state=0)),
    "catboost": (
        2,
        lambda: CatBoostClassifier(
            iterations=5, depth=2, verbose=0, random_seed=0, thread_count=1, allow_writing_files=False
        ),
    ),
    "relu network": (2, lambda: _network("relu")),
    "tanh network": (2, lambda: _network("tanh")),
    "gaussian naive bayes": (2, lambda: GaussianNB(var_smoothing=0.05)),
    "quadratic": (2, lambda: QuadraticDiscriminantAnalysis(reg_param=0.3)),
    "one neighbour": (2, lambda: KNeighborsClassifier(1)),
    "nearest centroid": (3, NearestCentroid),
    "calibrated": (2, lambda: CalibratedClassifierCV(LogisticRegression(max_iter=1_000), cv=2)),
    "voting": (
        2,
        lambda: VotingClassifier(
            [("l", LogisticRegression(max_iter=1_000)), ("t", DecisionTreeClassifier(max_depth=2, random_state=0))],
            voting="soft",
        ),
    ),
    "ridge": (None, Ridge),
    "poisson": (None, lambda: PoissonRegressor(max_iter=1_000)),
    "regression tree": (None, lambda: DecisionTreeRegressor(max_depth=4, random_state=0)),
    "regression forest": (None, lambda: RandomForestRegressor(4, max_depth=3, random_state=0)),
    "regression boosting": (None, lambda: GradientBoostingRegressor(n_estimators=4, max_depth=2, random_state=0)),
    "xgboost regressor": (None, lambda: XGBRegressor(n_estimators=4, max_depth=2, n_jobs=1, random_state=0)),
    "lightgbm regressor": (None, lambda: LGBMRegressor(n_estimators=4, num_leaves=5, n_jobs=1, verbose=-1)),
    "black box": (2, lambda: LogisticRegression(max_iter=1_000)),
}
# Regressors whose predictions of a row are the same bits alone and among others.
ATTAINED = ("regression tree", "regression forest", "regression boosting", "xgboost regressor", "lightgbm regressor")


@cache
def table(name: str) -> pd.DataFrame:
    """Return the training rows of a table."""
    rng = np.random.default_rng(len(name))
    n = 110
    columns = {
        "a": rng.integers(0, 5, n),
        "b": rng.integers(0, 5, n) * 0.5,
        "s": np.where(rng.random(n) < 0.15, -9, rng.integers(0, 4, n)),
        "c": rng.choice(["x", "y", "z"], n),
        "d": rng.random(n) < 0.5,
        "g": pd.Categorical.from_codes(rng.integers(0, 3, n), GRADES, ordered=True),
    }
    columns["t"] = columns["a"] * columns["b"]
    return pd.DataFrame({column: columns[column] for column in TABLES[name]})


@cache
def response(name: str) -> np.ndarray:
    """Return a noisy score of each training row, shape (n_samples,)."""
    X, rng = table(name), np.random.default_rng(7)
    score = X["a"] + 0.4 * rng.normal(size=len(X))
    for column, worth in (("b", 1.2), ("s", 0.2), ("d", 1.5)):
        if column in X:
            score = score + worth * X[column]
    if "c" in X:
        score = score - 1.7 * (X["c"] == "x") * X["a"].clip(1, 3) + 0.6 * (X["c"] == "z")
    if "g" in X:
        score = score + 0.8 * X["g"].cat.codes
    return np.asarray(score, dtype=float)


def labels(name: str, n_classes: int | None) -> np.ndarray:
    """Return what a model of the table predicts: positive numbers, or whole numbers from 0."""
    score = response(name)
    if n_classes is None:
        return score - score.min() + 0.5
    return np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)


def _encoded(name: str, last: Any) -> Any:
    numbers = [column for column in TABLES[name] if column in "abst"]
    steps = [(StandardScaler(), numbers)]
    if "g" in TABLES[name]:
        steps.append((OrdinalEncoder(categories=[GRADES]), ["g"]))
    levels = [column for column in TABLES[name] if column in "cd"]
    if levels:
        steps.append((OneHotEncoder(sparse_output=False), levels))
    return make_pipeline(make_column_transformer(*steps), last)


@cache
def model(family: str, name: str) -> Any:
    """Return the fitted model of a family for a table."""
    n_classes, make = FAMILIES[family]
    X, y = table(name), labels(name, n_classes)
    n = 14 if family == "one neighbour" else len(X)
    fitted = _encoded(name, make()).fit(X[:n], y[:n])
    return ew.BlackBox(fitted.predict, classes=fitted.classes_) if family == "black box" else fitted


@cache
def other_model(name: str, n_classes: int | None) -> Any:
    """Return a second model of the table, of another family."""
    make = DecisionTreeRegressor if n_classes is None else DecisionTreeClassifier
    return _encoded(name, make(max_depth=3, random_state=1)).fit(table(name), labels(name, n_classes))


def target(name: str, n_classes: int | None) -> Any:
    """Return the wanted label or range."""
    if n_classes is not None:
        return 1
    return tuple(np.quantile(labels(name, None), [0.55, 0.9]).tolist())


def attained(family: str, name: str) -> tuple[float, float]:
    """Return a range whose ends the model predicts for training rows."""
    given = np.unique(model(family, name).predict(table(name)).astype(float))
    return float(given[len(given) * 6 // 10]), float(given[len(given) * 8 // 10])
