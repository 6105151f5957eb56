"""Ensembles that scikit-learn builds over any estimator, where that is a tree: bagging and AdaBoost.

treelite does not read these; their trees are read as scikit-learn has them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier, AdaBoostRegressor, BaggingClassifier, BaggingRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ...arrays import FloatArray, IntArray
from ...errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError
from ..outcomes import Outcome, require_interval, require_label
from ..registry import register
from .decisions import Largest, Range, smallest_number
from .region import EnsembleRegion
from .trees import TreeSum, left_limits


@register(BaggingClassifier)
def bagging_classifier_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of bagged trees, whose shares of classes are averaged; ties go to the first class."""
    label = require_label(model, outcome)
    trees = _require_trees(model, DecisionTreeClassifier)
    p = label.min_probability
    if p is not None and not 0 < p < 1:
        raise InvalidInputError(
            f"min_probability of BaggingClassifier must be a number p with 0 < p < 1, received {p!r}."
        )
    read = []
    for tree, features in zip(trees, model.estimators_features_):
        value = np.zeros((tree.tree_.node_count, len(model.classes_)))
        value[:, tree.classes_.astype(np.int64)] = tree.tree_.value[:, 0, :]
        read.append(_tree(tree.tree_, value, model.n_features_in_, features))
    return EnsembleRegion(_sum(read, float(len(trees))), Largest(label.index, least=-np.inf if p is None else p))


@register(BaggingRegressor)
def bagging_regressor_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of bagged trees, whose numbers are averaged."""
    interval = require_interval(model, outcome)
    trees = _require_trees(model, DecisionTreeRegressor)
    read = [
        _tree(tree.tree_, tree.tree_.value[:, 0, :1], model.n_features_in_, features)
        for tree, features in zip(trees, model.estimators_features_)
    ]
    return EnsembleRegion(_sum(read, float(len(trees))), Range(interval.low, interval.high))


@register(AdaBoostClassifier)
def adaboost_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of boosted trees that vote with weights, for their class and against all others."""
    label = require_label(model, outcome)
    if label.min_probability is not None:
        raise UnsupportedSettingError(
            "min_probability is not supported for AdaBoostClassifier, whose probabilities are no shares of votes. "
            "Leave it out, or use a RandomForestClassifier."
        )
    trees, n_classes = _require_trees(model, DecisionTreeClassifier), len(model.classes_)
    everything, read = np.arange(model.n_features_in_), []
    for tree, weight in zip(trees, model.estimator_weights_):
        voted = tree.classes_.take(tree.tree_.value[:, 0, :].argmax(axis=1))
        votes = np.where(voted[:, None] == model.classes_, weight, -1 / (n_classes - 1) * weight)
        read.append(_tree(tree.tree_, votes[:, 1:] if n_classes == 2 else votes, model.n_features_in_, everything))
    together = _sum(read, float(model.estimator_weights_.sum()))
    if n_classes > 2:
        return EnsembleRegion(together, Largest(label.index))
    above = smallest_number(lambda score: score > 0)
    return EnsembleRegion(together, Range(above, np.inf) if label.index == 1 else Range(-np.inf, 0.0))


@register(AdaBoostRegressor)
def adaboost_regressor_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Refuse a weighted median."""
    raise UnsupportedModelError(
        "AdaBoostRegressor predicts a weighted median of its trees, which is no sum. Use GradientBoostingRegressor or "
        "RandomForestRegressor instead."
    )


def _require_trees(model: Any, kind: type) -> list[Any]:
    for estimator in model.estimators_:
        if not isinstance(estimator, kind):
            raise UnsupportedModelError(
                f"{type(model).__name__} is supported over decision trees, received {type(estimator).__name__} in it."
            )
    return list(model.estimators_)


def _sum(trees: list[TreeSum], divisor: float) -> TreeSum:
    return replace(trees[0].joined(trees[1:]), divisor=divisor)


def _tree(tree: Any, value: FloatArray, n_features: int, features: IntArray) -> TreeSum:
    """Read one tree of scikit-learn with values of its own, grown on some of the features."""
    is_leaf = tree.children_left < 0
    limit = left_limits(tree.threshold, strict=False, single=True)
    return TreeSum(
        n_features=n_features,
        roots=np.zeros(1, dtype=np.int64),
        feature=np.where(is_leaf, -1, np.asarray(features)[np.where(is_leaf, 0, tree.feature)]),
        limit=np.where(is_leaf, 0.0, limit),
        codes=np.full(len(is_leaf), -1),
        code_sets=(),
        missing_left=tree.missing_go_to_left.astype(np.bool_),
        left=tree.children_left.astype(np.int64),
        right=tree.children_right.astype(np.int64),
        value=np.where(is_leaf[:, None], value, 0.0),
        base=np.zeros(value.shape[1]),
        single=False,
        divisor=1.0,
    )
