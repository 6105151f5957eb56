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
from sklearn.base import RegressorMixin
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import UnsupportedSettingError
from ..search.region import DecisionValue, Interval, Outcome, Probability, Response, require_interval, require_label
from ..search.relaxations.polyhedra import PolyhedronUnion
from ..search.relaxations.tree_sums.trees import cast_limits
from .registry import register, register_response

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

# What scikit-learn writes for the children of a leaf.
_NO_CHILD = -1


@register(DecisionTreeClassifier, ExtraTreeClassifier)
def tree_classifier_region(model: BaseEstimator, outcome: Outcome) -> PolyhedronUnion:
    """Union of the leaves whose most frequent class is the wanted one."""
    return _region(model, outcome)


@register_response(DecisionTreeClassifier, ExtraTreeClassifier)
def tree_response_region(model: BaseEstimator, response: Response) -> PolyhedronUnion:
    """Union of the leaves whose share of a class lies in a range."""
    return _region(model, response)


@register(DecisionTreeRegressor, ExtraTreeRegressor)
def tree_regressor_region(model: BaseEstimator, outcome: Outcome) -> PolyhedronUnion:
    """Union of the leaves whose value lies in the interval."""
    return _region(model, outcome)


def _region(model: BaseEstimator, asked: Outcome | Response) -> PolyhedronUnion:
    tree = model.tree_
    wanted = wanted_leaves(model, asked, tree.value[:, 0, :])
    feature, left, right = (array.astype(np.int64) for array in (tree.feature, tree.children_left, tree.children_right))
    return boxes(feature, cast_limits(tree.threshold), left, right, wanted, n_features=tree.n_features)


def wanted_leaves(model: BaseEstimator, asked: Outcome | Response, values: FloatArray) -> BoolArray:
    """Whether nodes give the wanted outcome, bool array of shape (n_nodes,).

    That is where the most frequent class (the first one if tied, as in ``predict``) is the wanted one, where the share
    of a class lies in a range, or where the number of a regressor lies in the interval.

    Parameters
    ----------
    model : fitted tree
    asked : Outcome or Response
        Least probabilities as ranges: :func:`~elsewise.models.registry.asked_of`.
    values : array of shape (n_nodes, n_classes), or (n_nodes, 1) for a regressor
    """
    _require_one_output(model)
    if isinstance(asked, DecisionValue):
        raise UnsupportedSettingError(f"{type(model).__name__} has probabilities, but no decision_function.")
    if isinstance(asked, Probability):
        return _between(values[:, asked.index], asked)
    if isinstance(model, RegressorMixin):
        return _between(values[:, 0], require_interval(model, asked))
    return np.asarray(values.argmax(axis=1) == require_label(model, asked).index)


def _between(values: FloatArray, wanted: Interval | Probability) -> BoolArray:
    return np.asarray((wanted.low <= values) & (values <= wanted.high))


def _require_one_output(model: BaseEstimator) -> None:
    if model.n_outputs_ > 1:
        raise UnsupportedSettingError(
            f"This {type(model).__name__} predicts {model.n_outputs_} outputs at once; expected one. Fit one model for "
            "each output and explain the one of interest."
        )


def boxes(
    feature: IntArray,
    limits: FloatArray,
    left: IntArray,
    right: IntArray,
    wanted: BoolArray,
    *,
    n_features: int,
) -> PolyhedronUnion:
    """Make the boxes of the leaves among the wanted nodes, leaves no input can reach left out.

    Parameters
    ----------
    feature, left, right : int arrays of shape (n_nodes,)
        ``left`` is -1 for leaves.
    limits : array of shape (n_nodes,)
        Numbers below a limit go left, those above it right.
    wanted : bool array of shape (n_nodes,)
    n_features : int
    """
    leaves = np.flatnonzero(wanted & (left == _NO_CHILD))
    leaf, split_by, sign, limit = _tightest(*_conditions(feature, limits, left, right, leaves), n_features=n_features)

    # Both conditions on a feature are neighbours (-z <= -lower, then z <= upper); nothing is left where lower >= upper.
    unreachable = np.zeros(len(leaves), dtype=bool)
    unreachable[leaf[limit == -np.inf]] = True
    pair = np.flatnonzero((leaf[1:] == leaf[:-1]) & (split_by[1:] == split_by[:-1]))
    unreachable[leaf[pair[-limit[pair] >= limit[pair + 1]]]] = True

    kept = ~unreachable[leaf] & (limit < np.inf)
    normals = np.zeros((kept.sum(), n_features))
    normals[np.arange(len(normals)), split_by[kept]] = sign[kept]
    ends = np.concatenate([[0], np.cumsum(np.bincount(leaf[kept], minlength=len(leaves))[~unreachable])])
    n_boxes = len(ends) - 1
    return PolyhedronUnion(
        normals=normals,
        offsets=limit[kept],
        spans=np.column_stack([ends[:-1], ends[1:]]).astype(np.int64),
        shifts=np.zeros((n_boxes, n_features)),
        shift_offsets=np.zeros(n_boxes),
        compares=True,
    )


def _conditions(
    feature: IntArray, limits: FloatArray, left: IntArray, right: IntArray, leaves: IntArray
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Conditions ``sign·z[feature] <= limit`` on the way to each leaf, found by climbing from all leaves at once."""
    inner = np.flatnonzero(left != _NO_CHILD)
    parent = np.full(len(feature), -1)
    parent[left[inner]] = inner
    parent[right[inner]] = inner

    found: list[tuple[IntArray, IntArray, FloatArray, FloatArray]] = []
    leaf, node = np.arange(len(leaves)), leaves
    while True:
        below_root = parent[node] >= 0
        leaf, node = leaf[below_root], node[below_root]
        if not len(node):
            break
        above = parent[node]
        sign = np.where(left[above] == node, 1.0, -1.0)
        found.append((leaf, feature[above], sign, sign * limits[above]))
        node = above
    if not found:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0), np.empty(0)
    owner, split_by, sign, limit = (np.concatenate(column) for column in zip(*found))
    return owner, split_by, sign, limit


def _tightest(
    leaf: IntArray, feature: IntArray, sign: FloatArray, limit: FloatArray, *, n_features: int
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Keep the smallest limit for each leaf, feature and sign, sorted in this order."""
    key, group = np.unique((leaf * n_features + feature) * 2 + (sign > 0), return_inverse=True)
    smallest = np.full(len(key), np.inf)
    np.minimum.at(smallest, group, limit)
    return key // 2 // n_features, key // 2 % n_features, np.where(key % 2, 1.0, -1.0), smallest
