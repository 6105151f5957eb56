"""Ensembles that scikit-learn builds over any estimator, where that is a tree: bagging and AdaBoost.

treelite does not read these; their trees are read as scikit-learn has them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier, AdaBoostRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.extmath import softmax

from ...arrays import FloatArray, IntArray
from ...errors import UnsupportedModelError, UnsupportedSettingError
from ..outcomes import DecisionValue, Outcome, Response, require_interval, require_label
from ..registry import register, register_response
from .decisions import Largest, Range, range_of_scores, smallest_number
from .region import EnsembleRegion
from .trees import TreeSum, left_limits


def bagging_classifier_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of bagged trees, whose shares of classes are averaged; ties go to the first class."""
    label = require_label(model, outcome)
    return EnsembleRegion(bagging_trees(model), Largest(label.index))


def bagging_trees(model: Any) -> TreeSum:
    """Read bagged trees: a score is the mean share of a class in the leaves."""
    trees, read = _require_trees(model, DecisionTreeClassifier), []
    for tree, features in zip(trees, model.estimators_features_):
        value = np.zeros((tree.tree_.node_count, len(model.classes_)))
        value[:, tree.classes_.astype(np.int64)] = tree.tree_.value[:, 0, :]
        read.append(one_tree(tree.tree_, value, model.n_features_in_, features))
    return _sum(read, float(len(trees)))


def bagging_regressor_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of bagged trees, whose numbers are averaged."""
    interval = require_interval(model, outcome)
    trees = _require_trees(model, DecisionTreeRegressor)
    read = [
        one_tree(tree.tree_, tree.tree_.value[:, 0, :1], model.n_features_in_, features)
        for tree, features in zip(trees, model.estimators_features_)
    ]
    return EnsembleRegion(_sum(read, float(len(trees))), Range(interval.low, interval.high))


@register(AdaBoostClassifier)
def adaboost_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of boosted trees that vote with weights, for their class and against all others."""
    label = require_label(model, outcome)
    together, n_classes = _votes(model), len(model.classes_)
    if n_classes > 2:
        return EnsembleRegion(together, Largest(label.index))
    above = smallest_number(lambda score: score > 0)
    return EnsembleRegion(together, Range(above, np.inf) if label.index == 1 else Range(-np.inf, 0.0))


@register_response(AdaBoostClassifier)
def adaboost_response_region(model: Any, response: Response) -> EnsembleRegion:
    """Region where the sum of the votes of two classes, or its softmax, lies in a range."""
    if len(model.classes_) > 2:
        raise UnsupportedSettingError(
            f"min_probability of AdaBoostClassifier is supported for two classes, received {len(model.classes_)}. "
            "Leave it out, or use a RandomForestClassifier."
        )
    together = _votes(model)
    if isinstance(response, DecisionValue):
        return EnsembleRegion(together, Range(response.low / 2, response.high / 2))

    def probability(score: float) -> float:
        # the model's decision value is twice the votes for the second class, and its softmax is that of half of it
        return float(softmax(np.array([[-score, score]]), copy=False)[0, response.index])

    return EnsembleRegion(together, range_of_scores(probability, response, grows=response.index == 1))


def _votes(model: Any) -> TreeSum:
    """Read the sum of votes, of two classes those for the second: those for the first are their negative."""
    trees, n_classes = _require_trees(model, DecisionTreeClassifier), len(model.classes_)
    everything, read = np.arange(model.n_features_in_), []
    for tree, weight in zip(trees, model.estimator_weights_):
        voted = tree.classes_.take(tree.tree_.value[:, 0, :].argmax(axis=1))
        votes = np.where(voted[:, None] == model.classes_, weight, -1 / (n_classes - 1) * weight)
        read.append(one_tree(tree.tree_, votes[:, 1:] if n_classes == 2 else votes, model.n_features_in_, everything))
    return _sum(read, float(model.estimator_weights_.sum()))


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


def one_tree(tree: Any, value: FloatArray, n_features: int, features: IntArray) -> TreeSum:
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
