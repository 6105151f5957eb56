"""Monotone: whether more of a column can ever lower the score of an outcome.

The score of a label is its lead over each other class; where no lead ever falls, neither does its probability. The
score of a regressor is its prediction.

Linear models: the sign of the weight of the column in each lead. Sums of trees: a lead is a sum of leaves, which
changes only where the column crosses a cut. At each cut, the change is at least the sum over trees of the smallest
difference between leaves on both sides that some row can fall into; where that is negative, the other columns are
divided, until it no longer is or too many boxes are open. Networks of scikit-learn: derivatives of activations lie
between 0 and 1, so the derivative of each lead lies in an interval.

What is not proven is looked for among rows with typical values: two rows that differ in the column alone refute it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.tree import BaseDecisionTree

from ...arrays import AnyArray, BoolArray, Estimator, FloatArray, UserData, UserValue
from ...fitted import FittedModel
from ...models import Interval, Label, PolyhedronUnion, is_linear_model
from ...models.trees import EnsembleRegion, one_tree_region
from ...search.relaxations.tree_sums.decisions import Mean
from ...search.relaxations.tree_sums.joint import Joint
from ...table.rows import column_values

# Boxes of other columns that are looked into at one cut before nothing is proven.
MOST_MONOTONE_BOXES = 2_000
# Share of the largest score up to which a fall is rounding: that of sums in 32 bits. Share of the largest leaf that the
# rounding of a sum of doubles may add for each tree.
MONOTONE_ROUNDING, SUM_ROUNDING = 1e-6, 1e-15
# Rows with typical values, and values of the column, at which a fall is looked for.
ROWS_TRIED, VALUES_TRIED = 300, 41


@dataclass(frozen=True, slots=True, eq=False)
class MonotoneResult:
    """What is known of a column.

    Attributes
    ----------
    status : "proven", "refuted" or "unknown"
    rows : data frame or array of shape (2, n_columns), or None
        Two rows that differ in the column alone and refute it: the second has more, or less, of it.
    scores : tuple of two floats, or None
        What the model says of them.
    """

    status: Literal["proven", "refuted", "unknown"]
    rows: UserData = None
    scores: tuple[float, float] | None = None


def find_monotone(fitted: FittedModel, number: int, sign: float, label: Label | None) -> MonotoneResult:
    """Find out whether a column that grows (``sign`` 1) or falls (-1) never lowers the score.

    Parameters
    ----------
    fitted : FittedModel
    number : int
        The column, a number or ordered levels.
    sign : 1.0 or -1.0
    label : Label or None
        None for a regressor.
    """
    if is_proven(fitted, fitted.table.columns[number].start, sign, label):
        return MonotoneResult("proven")
    return _refutation(fitted, number, sign, label)


def is_proven(fitted: FittedModel, feature: int, sign: float, label: Label | None) -> bool:
    """Whether it is proven, by what the model is, that a feature never lowers the score."""
    if fitted.training is not None:
        return False
    direction = sign * fitted.to_model.matrix[:, feature]
    if not direction.any():
        return True
    outcome: UserValue = label
    if label is None:
        outcome = Interval(_level(fitted), np.inf)
    model = fitted.estimator
    if isinstance(model, (MLPClassifier, MLPRegressor)) and fitted.steps is None:
        return _is_proven_of_network(model, direction, label)
    region = fitted.region(outcome)
    if isinstance(model, BaseDecisionTree) and fitted.steps is None:
        region = one_tree_region(model, outcome)
    if isinstance(region, PolyhedronUnion) and is_linear_model(model) and fitted.steps is None:
        if region.n_polyhedra != 1:
            return False
        return bool((region.polyhedron(0)[0] @ direction <= 0.0).all())
    moves = np.flatnonzero(direction)
    if isinstance(region, EnsembleRegion) and len(moves) == 1:
        return _is_proven_of_trees(region, int(moves[0]), float(np.sign(direction[moves[0]])))
    return False


def _level(fitted: FittedModel) -> float:
    """Return a number that a regressor predicts: its range from there on is a region with one condition."""
    return float(fitted.predict_written(rows_of_features(fitted, fitted.origin[None], is_whole=True))[0])


def _is_proven_of_network(model: Estimator, direction: FloatArray, label: Label | None) -> bool:
    """Bound the derivatives of all leads of a network along a direction of its inputs."""
    low = high = direction @ model.coefs_[0]
    for weights in model.coefs_[1:]:
        if model.activation != "identity":  # derivatives of all others are between 0 and 1
            low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
        up, down = np.maximum(weights, 0.0), np.minimum(weights, 0.0)
        low, high = low @ up + high @ down, high @ up + low @ down
    if label is None:
        return bool(low[0] >= 0.0)
    if len(low) == 1:
        return bool(low[0] >= 0.0 if label.index == 1 else high[0] <= 0.0)
    return bool((low[label.index] >= np.delete(high, label.index)).all())


def _is_proven_of_trees(region: EnsembleRegion, feature: int, sign: float) -> bool:
    """Bound the change of every lead of a sum of trees at every cut of a feature of model space."""
    trees = region.trees
    if isinstance(region.decision, (Joint, Mean)) or trees.is_by_table[trees.feature == feature].any():
        return False
    leaves, n_cuts = region.leaves, len(region.cuts[feature])
    gain = sign * leaves.gain
    tolerance = SUM_ROUNDING * trees.n_trees * np.abs(gain).max(initial=0.0)
    ends = np.append(leaves.first[1:], len(gain))
    spans = list(zip(leaves.first.tolist(), ends.tolist(), strict=True))
    others = np.arange(trees.n_features) != feature
    for cut in range(n_cuts):
        pairs = [
            pair
            for first, end in spans
            if (pair := _pairs_at(leaves.low[first:end], leaves.high[first:end], gain[first:end], feature, cut))
        ]
        if not _rises_everywhere(pairs, others, tolerance):
            return False
    return True


# Boxes of the other features, and what crossing the cut adds to each lead there.
_Pairs = tuple[Any, Any, FloatArray]


def _pairs_at(low: UserValue, high: UserValue, gain: FloatArray, feature: int, cut: int) -> _Pairs | None:
    """List leaves of one tree on both sides of a cut that rows with the same other columns can fall into."""
    below, above = np.flatnonzero(high[:, feature] == cut), np.flatnonzero(low[:, feature] == cut + 1)
    if len(below) == 0:
        return None
    across = np.flatnonzero((low[:, feature] <= cut) & (high[:, feature] > cut))
    least = np.maximum(low[below][:, None], low[above][None])
    most = np.minimum(high[below][:, None], high[above][None])
    meets = np.delete(least <= most, feature, axis=2).all(axis=2)
    i, j = np.nonzero(meets)
    added = gain[above[j]] - gain[below[i]]
    return (
        np.concatenate([least[i, j], low[across]]),
        np.concatenate([most[i, j], high[across]]),
        np.concatenate([added, np.zeros((len(across), gain.shape[1]))]),
    )


def _rises_everywhere(pairs: list[_Pairs], others: BoolArray, tolerance: float) -> bool:
    """Whether the changes of all trees add up to nothing negative, whatever the other columns are."""
    if all((added >= 0.0).all() for _, _, added in pairs):
        return True
    least = np.min([low.min(axis=0) for low, _, _ in pairs], axis=0)
    most = np.max([high.max(axis=0) for _, high, _ in pairs], axis=0)
    waiting, n_boxes = [(least, most)], 0
    while waiting:
        n_boxes += 1
        if n_boxes > MOST_MONOTONE_BOXES:
            return False
        low, high = waiting.pop()
        split, worst, total = None, 0.0, 0.0
        for of_low, of_high, added in pairs:
            meets = ((of_low <= high) & (of_high >= low))[:, others].all(axis=1)
            smallest = added[meets].min(axis=0)
            total = total + smallest
            lowest = np.flatnonzero(meets)[added[meets].min(axis=1).argmin()]
            spread = float((added[meets].max(axis=0) - smallest).max())
            inside = others & ((of_low[lowest] > low) | (of_high[lowest] < high))
            if inside.any() and spread > worst:
                worst, split = spread, (of_low[lowest], of_high[lowest], inside)
        if (np.asarray(total) >= -tolerance).all():
            continue
        if split is None:
            return False
        waiting += _divided(low, high, *split)
    return True


def _divided(
    low: UserValue, high: UserValue, inner_low: Any, inner_high: Any, inside: BoolArray
) -> list[tuple[Any, Any]]:
    """Divide a box at a side of one within it."""
    feature = int(np.flatnonzero(inside)[0])
    at = int(inner_low[feature]) if inner_low[feature] > low[feature] else int(inner_high[feature]) + 1
    first, second = high.copy(), low.copy()
    first[feature], second[feature] = at - 1, at
    return [(low, first), (second, high)]


def _refutation(fitted: FittedModel, number: int, sign: float, label: Label | None) -> MonotoneResult:
    """Look for two rows that differ in one column alone and refute that it is monotone."""
    column, rng = fitted.table.columns[number], np.random.default_rng(0)
    points = _typical_points(fitted, rng)
    values = _values_of(fitted, number)
    if len(values) < 2:
        return MonotoneResult("unknown")
    tried = np.repeat(points, len(values), axis=0)
    tried[:, column.start] = np.tile(values[:: int(sign)], len(points))
    rows = rows_of_features(fitted, tried)
    scores = score_of(fitted, rows, label).reshape(len(points), len(values))
    falls = scores[:, :-1] - scores[:, 1:]
    place, step = np.unravel_index(int(falls.argmax()), falls.shape)
    size = float(np.abs(scores).max())
    if not falls[place, step] > MONOTONE_ROUNDING * max(size, np.finfo(np.float64).tiny):
        return MonotoneResult("unknown")
    at = int(place) * len(values) + int(step)
    pair = rows.iloc[[at, at + 1]].reset_index(drop=True) if hasattr(rows, "iloc") else rows[[at, at + 1]]
    return MonotoneResult("refuted", pair, (float(scores[place, step]), float(scores[place, step + 1])))


def _typical_points(fitted: FittedModel, rng: np.random.Generator) -> FloatArray:
    """Draw rows in features, each column by itself from its values among the training rows; (n_rows, n_features)."""
    points = np.empty((ROWS_TRIED, fitted.table.n_features))
    for number, column in enumerate(fitted.table.columns):
        profile = fitted.profiles[None][number]
        if column.kind == "category":
            counts = np.append(profile.counts, np.zeros(column.width - len(profile.counts)))
            chosen = rng.choice(column.width, ROWS_TRIED, p=counts / counts.sum())
            points[:, column.features] = np.eye(column.width)[chosen]
        else:
            points[:, column.start] = rng.choice(_values_of(fitted, number, n=101), ROWS_TRIED)
    return points


def _values_of(fitted: FittedModel, number: int, n: int = VALUES_TRIED) -> FloatArray:
    """List values that a column has among the training rows, ascending, from its smallest to its largest."""
    column, profile = fitted.table.columns[number], fitted.profiles[None][number]
    if column.kind == "ordinal":
        return np.arange(len(column.levels), dtype=np.float64)
    values = np.interp(np.linspace(0.0, 100.0, n), np.arange(101), profile.percentiles)
    return np.unique(np.round(values) if column.kind == "integer" else values)


def rows_of_features(fitted: FittedModel, points: FloatArray, *, is_whole: bool = False) -> Any:
    """Write features, of shape (n_rows, n_features), in the columns of the training data.

    ``is_whole`` rounds what has to be whole first.
    """
    table = fitted.table
    if is_whole:
        points = points.copy()
        for column in table.columns:
            if column.kind == "category":
                points[:, column.features] = np.eye(column.width)[points[:, column.features].argmax(axis=1)]
            elif column.kind != "number":
                points[:, column.start] = np.round(points[:, column.start])
    values: dict[int, Any] = dict.fromkeys(range(len(table.names)), np.zeros(len(points)))
    for column in table.columns:
        values.update(zip(column.sources, column_values(points[:, column.features], column), strict=True))
    if not table.named and all(column.kind in ("number", "integer") for column in table.columns):
        return np.column_stack([np.asarray(values[place], dtype=np.float64) for place in range(len(table.names))])
    import pandas

    frame = pandas.DataFrame({name: values[place] for place, name in enumerate(table.names)})
    dtypes = {name: dtype for name, dtype in zip(table.names, table.dtypes, strict=True) if dtype is not None}
    frame = frame.astype(dtypes)
    return frame if table.named else frame.to_numpy()


def score_of(fitted: FittedModel, rows: UserData, label: Label | None) -> AnyArray:
    """Ask the model for scores of rows, shape (n_rows,): a probability, a decision value or a prediction."""
    model = fitted.model
    if label is None:
        return np.asarray(model.predict(rows), dtype=np.float64).ravel()
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(rows), dtype=np.float64)[:, label.index]
    if hasattr(model, "decision_function"):
        decision = np.asarray(model.decision_function(rows), dtype=np.float64)
        if decision.ndim == 1:
            return decision if label.index == 1 else -decision
        return np.asarray(decision[:, label.index] - np.delete(decision, label.index, axis=1).max(axis=1))
    assert fitted.classes is not None
    return np.asarray(np.asarray(model.predict(rows)) == fitted.classes[label.index], dtype=np.float64)
