"""Small ensembles of every library, over numbers, whole numbers and categories, and the list of all their answers."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from elsewise.arrays import FloatArray

LEVELS = ["blue", "green", "red"]


def classifier(name: str, seed: int = 0, n_trees: int = 6, depth: int = 2) -> Any:
    """A classifier by name; skips where its library is not installed."""
    if name == "forest":
        return RandomForestClassifier(n_trees, max_depth=depth, random_state=seed)
    if name == "extra trees":
        return ExtraTreesClassifier(n_trees, max_depth=depth, random_state=seed)
    if name == "bagging":
        tree = DecisionTreeClassifier(max_depth=depth)
        return BaggingClassifier(tree, n_estimators=n_trees, max_features=2, random_state=seed)
    if name == "adaboost":
        return AdaBoostClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=n_trees, random_state=seed)
    if name == "boosting":
        return GradientBoostingClassifier(n_estimators=n_trees, max_depth=depth, random_state=seed)
    if name == "histograms":
        return HistGradientBoostingClassifier(
            max_iter=n_trees, max_leaf_nodes=2**depth, min_samples_leaf=5, early_stopping=False, random_state=seed
        )
    if name == "xgboost":
        xgboost = pytest.importorskip("xgboost")
        return xgboost.XGBClassifier(n_estimators=n_trees, max_depth=depth, n_jobs=1, random_state=seed)
    if name == "catboost":
        catboost = pytest.importorskip("catboost")
        return catboost.CatBoostClassifier(
            iterations=n_trees, depth=depth, random_seed=seed, thread_count=1, verbose=0, allow_writing_files=False
        )
    lightgbm = pytest.importorskip("lightgbm")
    return lightgbm.LGBMClassifier(
        n_estimators=n_trees, num_leaves=2**depth, min_child_samples=5, n_jobs=1, verbose=-1, random_state=seed
    )


def regressor(name: str, seed: int = 0, n_trees: int = 6, depth: int = 2) -> Any:
    """A regressor by name; skips where its library is not installed."""
    if name == "forest":
        return RandomForestRegressor(n_trees, max_depth=depth, random_state=seed)
    if name == "extra trees":
        return ExtraTreesRegressor(n_trees, max_depth=depth, random_state=seed)
    if name == "bagging":
        return BaggingRegressor(DecisionTreeRegressor(max_depth=depth), n_estimators=n_trees, random_state=seed)
    if name == "boosting":
        return GradientBoostingRegressor(n_estimators=n_trees, max_depth=depth, random_state=seed)
    if name == "histograms":
        return HistGradientBoostingRegressor(
            max_iter=n_trees, max_leaf_nodes=2**depth, min_samples_leaf=5, early_stopping=False, random_state=seed
        )
    if name == "xgboost":
        xgboost = pytest.importorskip("xgboost")
        return xgboost.XGBRegressor(n_estimators=n_trees, max_depth=depth, n_jobs=1, random_state=seed)
    if name == "catboost":
        catboost = pytest.importorskip("catboost")
        return catboost.CatBoostRegressor(
            iterations=n_trees, depth=depth, random_seed=seed, thread_count=1, verbose=0, allow_writing_files=False
        )
    lightgbm = pytest.importorskip("lightgbm")
    return lightgbm.LGBMRegressor(
        n_estimators=n_trees, num_leaves=2**depth, min_child_samples=5, n_jobs=1, verbose=-1, random_state=seed
    )


LIBRARIES = ["forest", "extra trees", "boosting", "histograms", "xgboost", "lightgbm"]
OVER_TREES = ["bagging", "adaboost"]


def numbers(seed: int, n_classes: int = 2, n: int = 150) -> tuple[FloatArray, np.ndarray, FloatArray]:
    """Rows of three numbers of very different size, labels, and the score they come from."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * rng.choice([1.0, 10.0, 1e-3], 3)
    if seed % 3 == 1:  # many equal values: thresholds coincide, and rows lie on them
        X = np.round(X / X.std(axis=0), 1)
    score = (X / X.std(axis=0)).sum(axis=1) + rng.normal(size=n)
    return X, np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])), score


def table(seed: int, n_classes: int = 2, n: int = 200) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows of a whole number, a number and a category, with labels."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"age": rng.integers(20, 40, n), "income": rng.normal(size=n).round(2), "colour": rng.choice(LEVELS, n)}
    )
    score = frame.age / 6 + frame.income + frame.colour.map({"blue": 0.0, "green": 1.0, "red": -1.0})
    score += rng.normal(size=n) / 2
    return frame, np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))


def encoded_by(encoder: str, estimator: Any) -> Any:
    """A pipeline that encodes the colour in front of an estimator."""
    codes: Any = OneHotEncoder(sparse_output=False) if encoder == "one-hot" else OrdinalEncoder()
    return make_pipeline(make_column_transformer((codes, ["colour"]), remainder="passthrough"), estimator)


@dataclass
class Nearest:
    """What a list of all answers says of a row: the smallest distance, infinite if there is none."""

    distance: float
    n_listed: int


def nearest_of_numbers(cuts: list[FloatArray], x: FloatArray, weights: FloatArray, wanted: Any) -> Nearest:
    """Go through all cells between cuts: in each, the point nearest to ``x`` is asked for."""
    values = []
    for i, of_feature in enumerate(cuts):
        low = np.concatenate([[-np.inf], np.nextafter(of_feature, np.inf)])
        values.append(np.clip(x[i], low, np.concatenate([of_feature, [np.inf]])))
    points = np.array(list(itertools.product(*values)))
    good = wanted(points)
    distances = np.abs(points - x) @ weights
    return Nearest(float(distances[good].min(initial=np.inf)), len(points))
