"""Decision trees: a union of boxes, one for each leaf that gives the wanted outcome.

scikit-learn rounds inputs to 32-bit floats before it compares them with a threshold ``t`` of 64 bits: a number ``z``
goes left where ``float32(z) <= t``. With ``f`` the largest 32-bit float not above ``t`` and ``f+`` the next one,
rounding to the nearest puts the limit at their midpoint ``m = (f + f+) / 2``, not at ``t``::

    left:  z <= m        right:  z >= m        (which of the two gets m itself is decided by rounding ties to even)

So the boxes below are the exact closures of the sets the tree uses, and their limits can differ from ``t`` by a few
parts in 10^8 either way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import UnsupportedSettingError
from .outcomes import Outcome, Probability, Response, require_interval, require_label
from .polyhedra import PolyhedronUnion
from .registry import register, register_response

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator
    from sklearn.tree._tree import Tree

# What scikit-learn writes for the children of a leaf.
_NO_CHILD = -1


@register(DecisionTreeClassifier, ExtraTreeClassifier)
def tree_classifier_region(model: BaseEstimator, outcome: Outcome) -> PolyhedronUnion:
    """Union of the leaves whose most frequent class (the first one if tied, as in ``predict``) is the wanted one."""
    label = require_label(model, outcome)
    _require_one_output(model)
    return _boxes(model.tree_, model.tree_.value[:, 0, :].argmax(axis=1) == label.index)


@register_response(DecisionTreeClassifier, ExtraTreeClassifier)
def tree_response_region(model: BaseEstimator, response: Response) -> PolyhedronUnion:
    """Union of the leaves whose share of a class lies in a range."""
    if not isinstance(response, Probability):
        raise UnsupportedSettingError(f"{type(model).__name__} has probabilities, but no decision_function.")
    _require_one_output(model)
    probabilities = model.tree_.value[:, 0, response.index]
    return _boxes(model.tree_, (response.low <= probabilities) & (probabilities <= response.high))


@register(DecisionTreeRegressor, ExtraTreeRegressor)
def tree_regressor_region(model: BaseEstimator, outcome: Outcome) -> PolyhedronUnion:
    """Union of the leaves whose value lies in the interval."""
    interval = require_interval(model, outcome)
    _require_one_output(model)
    values = model.tree_.value[:, 0, 0]
    return _boxes(model.tree_, (interval.low <= values) & (values <= interval.high))


def cast_limits(thresholds: FloatArray) -> FloatArray:
    """Limits ``m`` such that ``float32(z) <= threshold`` where ``z < m`` and not where ``z > m``.

    Infinite where no finite 32-bit float lies on one of the two sides: ``m = inf`` sends everything left (scikit-learn
    writes such a threshold to part missing values from all others), ``m = -inf`` sends everything right.

    Parameters
    ----------
    thresholds : array of shape (n_nodes,)

    Returns
    -------
    limits : array of shape (n_nodes,)
    """
    largest = np.finfo(np.float32).max
    with np.errstate(over="ignore"):  # stepping from the largest float to infinity is meant
        nearest = np.clip(thresholds, -largest, largest).astype(np.float32)
        below = np.where(nearest > thresholds, np.nextafter(nearest, np.float32(-np.inf)), nearest)
        above = np.nextafter(below, np.float32(np.inf))
    # exact: the sum of two neighbouring 32-bit floats has 25 significant bits
    return (below.astype(np.float64) + above.astype(np.float64)) / 2


def _require_one_output(model: BaseEstimator) -> None:
    if model.n_outputs_ > 1:
        raise UnsupportedSettingError(
            f"This {type(model).__name__} predicts {model.n_outputs_} outputs at once; expected one. Fit one model for "
            "each output and explain the one of interest."
        )


def _boxes(tree: Tree, wanted: BoolArray) -> PolyhedronUnion:
    """Boxes of the leaves among the wanted nodes, leaves no input can reach left out."""
    leaves = np.flatnonzero(wanted & (tree.children_left == _NO_CHILD))
    leaf, feature, sign, limit = _tightest(*_conditions(tree, leaves), n_features=tree.n_features)

    # Both conditions on a feature are neighbours (-z <= -lower, then z <= upper); nothing is left where lower >= upper.
    unreachable = np.zeros(len(leaves), dtype=bool)
    unreachable[leaf[limit == -np.inf]] = True
    pair = np.flatnonzero((leaf[1:] == leaf[:-1]) & (feature[1:] == feature[:-1]))
    unreachable[leaf[pair[-limit[pair] >= limit[pair + 1]]]] = True

    kept = ~unreachable[leaf] & (limit < np.inf)
    normals = np.zeros((kept.sum(), tree.n_features))
    normals[np.arange(len(normals)), feature[kept]] = sign[kept]
    ends = np.concatenate([[0], np.cumsum(np.bincount(leaf[kept], minlength=len(leaves))[~unreachable])])
    n_boxes = len(ends) - 1
    return PolyhedronUnion(
        normals=normals,
        offsets=limit[kept],
        spans=np.column_stack([ends[:-1], ends[1:]]).astype(np.int64),
        shifts=np.zeros((n_boxes, tree.n_features)),
        shift_offsets=np.zeros(n_boxes),
    )


def _conditions(tree: Tree, leaves: IntArray) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Conditions ``sign·z[feature] <= limit`` on the way to each leaf, found by climbing from all leaves at once."""
    inner = np.flatnonzero(tree.children_left != _NO_CHILD)
    parent = np.full(tree.node_count, -1)
    parent[tree.children_left[inner]] = inner
    parent[tree.children_right[inner]] = inner
    limits = cast_limits(tree.threshold)

    found: list[tuple[IntArray, IntArray, FloatArray, FloatArray]] = []
    leaf, node = np.arange(len(leaves)), leaves
    while True:
        below_root = parent[node] >= 0
        leaf, node = leaf[below_root], node[below_root]
        if not len(node):
            break
        above = parent[node]
        sign = np.where(tree.children_left[above] == node, 1.0, -1.0)
        found.append((leaf, tree.feature[above], sign, sign * limits[above]))
        node = above
    if not found:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0), np.empty(0)
    owner, feature, sign, limit = (np.concatenate(column) for column in zip(*found))
    return owner, feature, sign, limit


def _tightest(
    leaf: IntArray, feature: IntArray, sign: FloatArray, limit: FloatArray, *, n_features: int
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Keep the smallest limit for each leaf, feature and sign, sorted in this order."""
    key, group = np.unique((leaf * n_features + feature) * 2 + (sign > 0), return_inverse=True)
    smallest = np.full(len(key), np.inf)
    np.minimum.at(smallest, group, limit)
    return key // 2 // n_features, key // 2 % n_features, np.where(key % 2, 1.0, -1.0), smallest
