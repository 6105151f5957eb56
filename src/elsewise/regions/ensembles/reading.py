"""From a fitted ensemble to a :class:`TreeSum`, through treelite.

treelite reads thresholds, leaves, missing directions and categories of scikit-learn, XGBoost and LightGBM to the bit.
It does not say in which precision a library compares and sums: that is known here. Shares of classes in the leaves of
forests it divides once more, which changes last bits: they are read from scikit-learn's trees. What it gives are views
of its own memory: they are copied.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import treelite

from ...errors import UnsupportedSettingError
from .trees import TreeSum, left_limits

# treelite's numbers for kinds of nodes and comparisons.
_BY_CATEGORY, _LESS = 2, 2
# LightGBM's name of the mode in which zero stands for a missing value.
_ZERO_IS_MISSING = "Zero"
# Numbers that are no larger than this are zero to LightGBM.
_LIGHTGBM_ZERO = float(np.float32(1e-35))


def read_forest(model: Any) -> TreeSum:
    """Read a scikit-learn ensemble whose trees round values to 32 bits and sum in 64: forests, gradient boosting."""
    trees = _trees(treelite.sklearn.import_model(model), compares_single=True, sums_single=False)
    if trees.divisor != 1.0:
        own = np.concatenate([estimator.tree_.value[:, 0, :] for estimator in model.estimators_])
        trees = replace(trees, value=np.where(trees.feature[:, None] < 0, own, 0.0))
    return trees


def read_histogram_boosting(model: Any) -> TreeSum:
    """Read scikit-learn's histogram boosting: 64 bits throughout."""
    if getattr(model, "is_categorical_", None) is not None:
        raise UnsupportedSettingError(
            f"This {type(model).__name__} has categorical_features: it sends unknown codes where missing values go, "
            "which is not described exactly yet. Encode categories with OneHotEncoder or OrdinalEncoder in a pipeline "
            "and fit with categorical_features=None."
        )
    return _trees(treelite.sklearn.import_model(model), compares_single=False, sums_single=False)


def read_xgboost(booster: Any) -> TreeSum:
    """Read an XGBoost booster: 32 bits throughout."""
    learner = json.loads(booster.save_config())["learner"]
    kind = learner["gradient_booster"]["name"]
    if kind != "gbtree":
        raise UnsupportedSettingError(
            f"XGBoost is supported with booster='gbtree', received {kind!r}: its scores are no plain sum of trees."
        )
    trees = _trees(treelite.frontend.from_xgboost(booster), compares_single=True, sums_single=True)
    if learner["objective"]["name"] == "binary:logistic":  # its logit has the last bits of 32-bit arithmetic
        one, p = np.float32(1.0), np.float32(learner["learner_model_param"]["base_score"].strip("[]"))
        trees = replace(trees, base=np.array([float(-np.log(one / p - one))]))
    return trees


def read_lightgbm(booster: Any) -> TreeSum:
    """Read a LightGBM booster: 64 bits throughout."""
    dumped = booster.dump_model()
    if any(_has_zero_as_missing(tree["tree_structure"]) for tree in dumped["tree_info"]):
        raise UnsupportedSettingError(
            "This LightGBM model takes zeros for missing values (zero_as_missing=True), which is not supported. Fit it "
            "with zero_as_missing=False."
        )
    trees = _trees(treelite.frontend.from_lightgbm(booster), compares_single=False, sums_single=False)
    is_zero = np.abs(trees.limit) <= _LIGHTGBM_ZERO
    with_zero = np.where(trees.limit >= 0, _LIGHTGBM_ZERO, np.nextafter(-_LIGHTGBM_ZERO, -np.inf))
    return replace(trees, limit=np.where(is_zero & (trees.feature >= 0), with_zero, trees.limit))


def _has_zero_as_missing(node: dict[str, Any]) -> bool:
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.get("missing_type") == _ZERO_IS_MISSING:
            return True
        waiting += [node[side] for side in ("left_child", "right_child") if side in node]
    return False


def _trees(model: Any, *, compares_single: bool, sums_single: bool) -> TreeSum:
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
        for node in np.flatnonzero(is_leaf):
            value[node] = vectors[begin[node] : end[node]]
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
        left=np.where(is_leaf, -1, left),
        right=np.where(is_leaf, -1, right),
        value=value,
        base=np.zeros(n_scores),
        single=sums_single,
        divisor=1.0,
    )
