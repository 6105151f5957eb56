"""From a fitted ensemble to a :class:`TreeSum`, through treelite where it reads to the bit.

treelite reads thresholds, leaves and missing directions of scikit-learn and XGBoost to the bit. It does not say in
which precision a library compares and sums: that is known here. What it gives are views of its own memory: they are
copied. It falls short in four places:

- Trees of scikit-learn it counts by ``n_estimators``, and reads beyond its memory where training stopped early: it gets
  a copy with their number.
- Shares of classes in the leaves of forests it divides once more: they are read from scikit-learn's trees.
- Histogram boosting it reads without its encoder of categories: the predictors are read as scikit-learn has them.
- XGBoost's models that hold the names of categories it refuses, and weights of trees, which dropout leaves behind, it
  reads in one of two formats and rounds otherwise (`of_xgboost`): it gets the trees without names and weights.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor

from ...arrays import Estimator, IntArray
from ...errors import UnsupportedSettingError
from ...search.relaxations.tree_sums.trees import TreeSum, left_limits

# treelite's numbers for kinds of nodes and comparisons.
_BY_CATEGORY, _LESS = 2, 2


def read_forest(model: Estimator) -> TreeSum:
    """Read a scikit-learn ensemble whose trees round values to 32 bits and sum in 64: forests, gradient boosting."""
    import treelite  # nothing of it, nor of the libraries it reads, is imported before a model needs it

    _require_constant_start(model)
    grown = copy(model)
    grown.n_estimators = len(model.estimators_)
    trees = trees_of(treelite.sklearn.import_model(grown), compares_single=True, sums_single=False)
    if trees.divisor != 1.0:
        own = np.concatenate([estimator.tree_.value[:, 0, :] for estimator in model.estimators_])
        trees = replace(trees, value=np.where(trees.feature[:, None] < 0, own, 0.0))
    return trees


def _require_constant_start(model: Estimator) -> None:
    """Refuse gradient boosting that starts from another model: treelite reads what is the same for all rows."""
    start = getattr(model, "init_", "zero")
    is_constant = isinstance(start, str | DummyRegressor)
    if not is_constant and not (isinstance(start, DummyClassifier) and start.strategy == "prior"):
        raise UnsupportedSettingError(
            f"{type(model).__name__} is supported with init=None or 'zero', received init={start!r}: what its sums "
            "start from differs from row to row. Fit it without init, or have it asked: "
            "elsewise.BlackBox(model.predict, classes=...)."
        )


def read_histogram_boosting(model: Estimator) -> TreeSum:
    """Read scikit-learn's histogram boosting: 64 bits throughout; categories as codes, in the order of its columns."""
    categorical = model.is_categorical_
    n_features = model.n_features_in_
    columns = np.arange(n_features)
    if categorical is not None:  # its encoder puts categories in front
        columns = np.concatenate([np.flatnonzero(categorical), np.flatnonzero(~categorical)])
    base = np.asarray(model._baseline_prediction, dtype=np.float64).ravel()
    trees = [
        _histogram_tree(predictor, columns, n_features, k, len(base))
        for iteration in model._predictors
        for k, predictor in enumerate(iteration)
    ]
    return replace(trees[0].joined(trees[1:]), base=base)


def _histogram_tree(
    predictor: Estimator, columns: IntArray, n_features: int, class_index: int, n_scores: int
) -> TreeSum:
    nodes = predictor.nodes
    is_leaf = nodes["is_leaf"].astype(np.bool_)
    by_category = np.flatnonzero(nodes["is_categorical"].astype(np.bool_) & ~is_leaf)
    codes = np.full(len(nodes), -1)
    codes[by_category] = np.arange(len(by_category))
    value = np.zeros((len(nodes), n_scores))
    value[is_leaf, class_index] = nodes["value"][is_leaf]
    return TreeSum(
        n_features=n_features,
        roots=np.zeros(1, dtype=np.int64),
        feature=np.where(is_leaf, -1, columns[np.where(is_leaf, 0, nodes["feature_idx"]).astype(np.int64)]),
        limit=np.where(is_leaf | (codes >= 0), 0.0, nodes["num_threshold"]),
        codes=codes,
        code_sets=tuple(_codes_in(predictor.raw_left_cat_bitsets[nodes["bitset_idx"][node]]) for node in by_category),
        missing_left=nodes["missing_go_to_left"].astype(np.bool_),
        zero_is_missing=np.zeros(len(nodes), dtype=np.bool_),
        left=np.where(is_leaf, -1, nodes["left"].astype(np.int64)),
        right=np.where(is_leaf, -1, nodes["right"].astype(np.int64)),
        value=value,
        base=np.zeros(n_scores),
        single=False,
        divisor=1.0,
    )


def _codes_in(bitset: Any) -> IntArray:
    """Whole numbers whose bits are set, the lowest bit of the first word for zero."""
    bits = np.unpackbits(np.ascontiguousarray(bitset, dtype="<u4").view(np.uint8), bitorder="little")
    return np.flatnonzero(bits)


def trees_of(model: Estimator, *, compares_single: bool, sums_single: bool) -> TreeSum:
    """Copy what treelite has read, with the precisions in which the library compares and sums."""
    header = model.get_header_accessor()
    if int(header.get_field("num_target")[0]) > 1:
        raise UnsupportedSettingError(
            "This ensemble predicts several outputs at once; expected one. Fit one model for each output and explain "
            "the one of interest."
        )
    n_scores = int(header.get_field("num_class")[0])
    class_of_tree = np.array(header.get_field("class_id"), dtype=np.int64)
    n_features, base = int(header.get_field("num_feature")[0]), np.array(header.get_field("base_scores"), dtype=float)
    trees = [
        _tree(model.get_tree_accessor(t), n_features, n_scores, int(class_of_tree[t]), compares_single, sums_single)
        for t in range(model.num_tree)
    ]
    # sums are formed tree by tree: averages are divided at the end
    averages = bool(header.get_field("average_tree_output")[0])
    first = trees[0].joined(trees[1:])
    return replace(
        first,
        base=base if len(base) == n_scores else np.full(n_scores, base[0]),
        divisor=float(len(trees)) if averages else 1.0,
    )


def _tree(
    tree: Any, n_features: int, n_scores: int, class_index: int, compares_single: bool, sums_single: bool
) -> TreeSum:
    left = np.array(tree.get_field("cleft"), dtype=np.int64)
    is_leaf = left < 0
    begin, end = (np.array(tree.get_field(name), dtype=np.int64) for name in ("leaf_vector_begin", "leaf_vector_end"))
    value = np.zeros((len(left), n_scores))
    if (end > begin).any():
        vectors = np.array(tree.get_field("leaf_vector"), dtype=np.float64)
        value[is_leaf] = vectors[begin[is_leaf][:, None] + np.arange(n_scores)]
    else:
        value[is_leaf, max(class_index, 0)] = np.array(tree.get_field("leaf_value"), dtype=np.float64)[is_leaf]
    right = np.array(tree.get_field("cright"), dtype=np.int64)
    threshold = np.array(tree.get_field("threshold"), dtype=np.float64)
    strict = np.array(tree.get_field("cmp")) == _LESS
    limit = np.where(
        strict,
        left_limits(threshold, strict=True, single=compares_single),
        left_limits(threshold, strict=False, single=compares_single),
    )
    by_category = np.flatnonzero(np.array(tree.get_field("node_type")) == _BY_CATEGORY)
    codes, code_sets = np.full(len(left), -1), []
    missing_left = np.array(tree.get_field("default_left")).astype(np.bool_)
    if len(by_category):
        listed = np.array(tree.get_field("category_list"), dtype=np.int64)
        first, last = (
            np.array(tree.get_field(name), dtype=np.int64) for name in ("category_list_begin", "category_list_end")
        )
        goes_right = np.array(tree.get_field("category_list_right_child")).astype(np.bool_)
        for place, node in enumerate(by_category):
            codes[node] = place
            code_sets.append(listed[first[node] : last[node]])
            if goes_right[node]:  # listed codes go left here
                left[node], right[node], missing_left[node] = right[node], left[node], ~missing_left[node]
    return TreeSum(
        n_features=n_features,
        roots=np.zeros(1, dtype=np.int64),
        feature=np.where(is_leaf, -1, np.array(tree.get_field("split_index"), dtype=np.int64)),
        limit=np.where(is_leaf | (codes >= 0), 0.0, limit),
        codes=codes,
        code_sets=tuple(code_sets),
        missing_left=missing_left,
        zero_is_missing=np.zeros(len(left), dtype=np.bool_),
        left=np.where(is_leaf, -1, left),
        right=np.where(is_leaf, -1, right),
        value=value,
        base=np.zeros(n_scores),
        single=sums_single,
        divisor=1.0,
    )
