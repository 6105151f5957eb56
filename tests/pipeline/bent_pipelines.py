"""Pipelines with steps that are not affine, and all their answers listed without help of the library."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy import special
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from elsewise.arrays import FloatArray

# one column each for one: what comes out rises with what goes in
MONOTONE: dict[str, Any] = {
    "yeo-johnson": PowerTransformer(),
    "box-cox": PowerTransformer(method="box-cox", standardize=False),
    "uniform quantiles": QuantileTransformer(n_quantiles=20),
    "normal quantiles": QuantileTransformer(n_quantiles=20, output_distribution="normal"),
    "log": FunctionTransformer(np.log),
    "log1p": FunctionTransformer(np.log1p),
    "sqrt": FunctionTransformer(np.sqrt),
    "exp": FunctionTransformer(np.exp),
    "tanh": FunctionTransformer(np.tanh),
    "expit": FunctionTransformer(special.expit),
    "rounded": FunctionTransformer(np.round, kw_args={"decimals": 1}),
    "clipped": FunctionTransformer(np.clip, kw_args={"a_min": 0.5, "a_max": 3.0}),
    "min-max": MinMaxScaler(clip=True),
    "max-abs": MaxAbsScaler(clip=True),
    "ordinal bins": KBinsDiscretizer(5, encode="ordinal", strategy="uniform"),
    "threshold": Binarizer(threshold=1.0),
}
# several columns for one
CODES: dict[str, Any] = {
    "sparse codes": KBinsDiscretizer(5, encode="onehot", strategy="kmeans", random_state=0),
    "dense codes": KBinsDiscretizer(4, encode="onehot-dense", strategy="uniform"),
    "spline": SplineTransformer(n_knots=6, degree=0, extrapolation="continue"),
    "spline without bias": SplineTransformer(n_knots=5, degree=0, extrapolation="continue", include_bias=False),
}
BENT = {**MONOTONE, **CODES}

TREES: dict[str, Any] = {
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": RandomForestClassifier(5, max_depth=3, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=0),
    "histograms": HistGradientBoostingClassifier(max_iter=5, max_leaf_nodes=4, early_stopping=False),
}


def rows(seed: int, n: int = 200) -> tuple[FloatArray, np.ndarray]:
    """Positive numbers of three columns, skewed, and labels."""
    rng = np.random.default_rng(seed)
    X = np.exp(0.7 * rng.normal(size=(n, 3)))
    return X, (np.log(X) @ [1.0, 1.0, -1.0] + 0.5 * rng.normal(size=n) > 0).astype(int)


def pipeline(step: str, model: str, seed: int = 0, scaled: bool = False) -> tuple[Pipeline, FloatArray, np.ndarray]:
    """A fitted pipeline of a step and a tree model, with its data."""
    X, y = rows(seed)
    after = [StandardScaler(with_mean=False)] if scaled else []
    return make_pipeline(clone(BENT[step]), *after, clone(TREES[model])).fit(X, y), X, y


def thresholds_of(estimator: Any) -> list[tuple[int, float]]:
    """Column and threshold of every split of a scikit-learn model of trees."""
    if hasattr(estimator, "_predictors"):
        nodes = np.concatenate([tree.nodes for of_class in estimator._predictors for tree in of_class])
        return [(int(n["feature_idx"]), float(n["num_threshold"])) for n in nodes if not n["is_leaf"]]
    trees = [estimator] if hasattr(estimator, "tree_") else list(np.ravel(estimator.estimators_))
    found = []
    for tree in (one.tree_ for one in trees):
        inner = tree.children_left >= 0
        found += list(zip(tree.feature[inner].tolist(), tree.threshold[inner].tolist()))
    return found


def cuts_by_hand(model: Pipeline, X: FloatArray) -> list[FloatArray]:
    """Last numbers before what the final estimator sees crosses one of its thresholds, column by column.

    Found on a grid and bisected with the pipeline's own transform on whole rows.
    """
    estimator = model[-1]

    def seen(column: int, numbers: FloatArray) -> FloatArray:
        points = np.repeat(X.mean(axis=0)[None], len(numbers), axis=0)
        points[:, column] = numbers
        out = model[:-1].transform(points)
        out = out.toarray() if hasattr(out, "toarray") else np.asarray(out)
        # forests and boosting compare 32-bit floats with thresholds of 64, histograms all with 64
        return out if hasattr(estimator, "_predictors") else out.astype(np.float32).astype(np.float64)

    n_columns = X.shape[1]
    widths = [seen(0, X[:1, 0]).shape[1] // n_columns] * n_columns
    if isinstance(model[0], KBinsDiscretizer) and model[0].encode != "ordinal":
        widths = model[0].n_bins_.tolist()
    owner = np.repeat(np.arange(n_columns), widths)
    splits = sorted(set(thresholds_of(estimator)))
    cuts = []
    for column in range(n_columns):
        outputs = np.array([output for output, _ in splits if owner[output] == column], dtype=int)
        limits = np.array([threshold for output, threshold in splits if owner[output] == column])
        # codes of bins go up and down again: look between neighbours of a grid
        grid = np.concatenate([[1e-6], np.linspace(X[:, column].min(), X[:, column].max(), 41), [80.0]])
        is_left = seen(column, grid)[:, outputs] <= limits
        at, split = np.nonzero(is_left[1:] != is_left[:-1])
        low, high, every = grid[at], grid[at + 1], np.arange(len(at))
        while (np.nextafter(low, np.inf) < high).any():
            middle = low + (high - low) / 2
            stays = (seen(column, middle)[every, outputs[split]] <= limits[split]) == is_left[at, split]
            low, high = np.where(stays, middle, low), np.where(stays, high, middle)
        cuts.append(np.unique(low))
    return cuts


def nearest(model: Pipeline, x: FloatArray, cuts: list[FloatArray], weights: FloatArray, label: Any) -> float:
    """Smallest distance of all cells in which the model itself decides for the label."""
    values = []
    for number, of_column in zip(x, cuts):
        low = np.concatenate([[-np.inf], np.nextafter(of_column, np.inf)])
        values.append(np.clip(number, low, np.concatenate([of_column, [np.inf]])))
    points = np.array(list(itertools.product(*values)))
    good = model.predict(points) == label
    return float((np.abs(points - x) @ weights)[good].min(initial=np.inf))
