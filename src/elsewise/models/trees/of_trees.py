"""Ensembles that scikit-learn builds over estimators, where these are trees: bagging, AdaBoost, isolation forests.

treelite does not read these; their trees are read as scikit-learn has them.

A single decision tree as a sum of one: that knows where missing values go, and takes steps before it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier, AdaBoostRegressor, IsolationForest
from sklearn.tree import BaseDecisionTree, DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.extmath import softmax

from ...arrays import Estimator, FloatArray, IntArray
from ...errors import UnsupportedModelError, UnsupportedSettingError
from ...search.region import DecisionValue, Label, Outcome, Probability, Response, require_interval, require_label
from ...search.relaxations.tree_sums.decisions import Largest, Range, range_of_scores, smallest_number
from ...search.relaxations.tree_sums.region import EnsembleRegion
from ...search.relaxations.tree_sums.trees import TreeSum, left_limits
from ..registry import region_of, register, register_response


def bagging_classifier_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of bagged trees, whose shares of classes are averaged; ties go to the first class."""
    label = require_label(model, outcome)
    return EnsembleRegion(bagging_trees(model), Largest(label.index))


def bagging_trees(model: Estimator) -> TreeSum:
    """Read bagged trees: a score is the mean share of a class in the leaves."""
    trees, read = _require_trees(model, DecisionTreeClassifier), []
    for tree, features in zip(trees, model.estimators_features_):
        value = np.zeros((tree.tree_.node_count, len(model.classes_)))
        value[:, tree.classes_.astype(np.int64)] = tree.tree_.value[:, 0, :]
        read.append(one_tree(tree.tree_, value, model.n_features_in_, features))
    return _sum(read, float(len(trees)))


def bagging_regressor_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of bagged trees, whose numbers are averaged."""
    interval = require_interval(model, outcome)
    trees = _require_trees(model, DecisionTreeRegressor)
    read = [
        one_tree(tree.tree_, tree.tree_.value[:, 0, :1], model.n_features_in_, features)
        for tree, features in zip(trees, model.estimators_features_)
    ]
    return EnsembleRegion(_sum(read, float(len(trees))), Range(interval.low, interval.high))


@register(AdaBoostClassifier)
def adaboost_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of boosted trees that vote with weights, for their class and against all others."""
    label = require_label(model, outcome)
    together, n_classes = _votes(model), len(model.classes_)
    if n_classes > 2:
        return EnsembleRegion(together, Largest(label.index))
    above = smallest_number(lambda score: score > 0)
    return EnsembleRegion(together, Range(above, np.inf) if label.index == 1 else Range(-np.inf, 0.0))


@register_response(AdaBoostClassifier)
def adaboost_response_region(model: Estimator, response: Response) -> EnsembleRegion:
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


def _votes(model: Estimator) -> TreeSum:
    """Read the sum of votes, of two classes those for the second: those for the first are their negative."""
    trees, n_classes = _require_trees(model, DecisionTreeClassifier), len(model.classes_)
    everything, read = np.arange(model.n_features_in_), []
    for tree, weight in zip(trees, model.estimator_weights_):
        voted = tree.classes_.take(tree.tree_.value[:, 0, :].argmax(axis=1))
        votes = np.where(voted[:, None] == model.classes_, weight, -1 / (n_classes - 1) * weight)
        read.append(one_tree(tree.tree_, votes[:, 1:] if n_classes == 2 else votes, model.n_features_in_, everything))
    return _sum(read, float(model.estimator_weights_.sum()))


@register(AdaBoostRegressor)
def adaboost_regressor_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of a weighted median of trees.

    The median is the smallest prediction up to which at least half of the weight lies. So it is at most ``high`` where
    the trees that say so have half of the weight, and at least ``low`` where those that say less have not: two sums of
    leaves, each on its side of one half. Written as the largest of three scores, of which the middle one is zero.
    """
    interval = require_interval(model, outcome)
    trees, n_features = _require_trees(model, DecisionTreeRegressor), model.n_features_in_
    weights, read = model.estimator_weights_[: len(trees)], []
    for tree, weight in zip(trees, weights):
        predicted = tree.tree_.value[:, 0, 0]
        below, up_to = weight * (predicted < interval.low), weight * (predicted <= interval.high)
        value = np.column_stack([below, np.zeros(len(predicted)), -up_to])
        read.append(one_tree(tree.tree_, value, n_features, np.arange(n_features)))
    half = 0.5 * float(weights.sum())
    # it sums weights in the order of the predictions, not of the trees
    doubt = 2 * len(trees) * float(np.finfo(np.float64).eps) * half
    together = replace(_sum(read, 1.0), base=np.array([-half, 0.0, half]), doubt=doubt)
    if interval.low > interval.high:
        return EnsembleRegion(together, Largest(1, least=np.inf))
    return EnsembleRegion(together, Largest(1))


@register(IsolationForest)
def isolation_forest_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of inliers (1) or outliers (-1): where the paths through all trees are long enough, or not.

    Its labels in order are -1 and 1; a range of predictions is taken, too.
    """
    if isinstance(outcome, Label):
        wanted = [(-1, 1)[outcome.index]]
    else:
        wanted = [label for label in (-1, 1) if outcome.low <= label <= outcome.high]
    if len(wanted) != 1:
        return EnsembleRegion(_path_lengths(model), Range(-np.inf if wanted else np.inf, np.inf if wanted else -np.inf))
    longest = len(model.estimators_) * _typical_path_length(float(model.max_samples_))

    def is_inlier(length: float) -> bool:  # as decision_function has it, in arrays, whose powers may round otherwise
        share = np.array([length]) / longest if longest else np.ones(1)
        return bool((-(2.0**-share) - model.offset_ >= 0).all())

    shortest = smallest_number(is_inlier)
    below = np.nextafter(shortest, -np.inf)
    decision = Range(shortest, np.inf) if wanted == [1] else Range(-np.inf, below)
    return EnsembleRegion(_path_lengths(model), decision)


@register_response(IsolationForest)
def isolation_forest_response_region(model: Estimator, response: Response) -> EnsembleRegion:
    """Explain that it gives no probability."""
    raise UnsupportedSettingError("min_probability is not supported for IsolationForest, which reports none.")


def _path_lengths(model: Estimator) -> TreeSum:
    """Read how long the ways to the leaves of an isolation forest are, with what samples in one leaf would add."""
    lengths = zip(model._decision_path_lengths, model._average_path_length_per_tree)
    read = [
        one_tree(tree.tree_, (depth + more - 1.0)[:, None], model.n_features_in_, features)
        for tree, features, (depth, more) in zip(model.estimators_, model.estimators_features_, lengths)
    ]
    return _sum(read, 1.0)


def _typical_path_length(n: float) -> float:
    """Average length of a way in an isolation tree of so many samples, as scikit-learn has it."""
    if n <= 2:
        return 0.0 if n <= 1 else 1.0
    return float(2.0 * (np.log(n - 1.0) + np.euler_gamma) - 2.0 * (n - 1.0) / n)


def _require_trees(model: Estimator, kind: type) -> list[Any]:
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
        zero_is_missing=np.zeros(len(is_leaf), dtype=np.bool_),
        left=tree.children_left.astype(np.int64),
        right=tree.children_right.astype(np.int64),
        value=np.where(is_leaf[:, None], value, 0.0),
        base=np.zeros(value.shape[1]),
        single=False,
        divisor=1.0,
    )


class TreeAsSum:
    """A decision tree whose region is that of a sum of trees.

    Parameters
    ----------
    tree : fitted decision tree
    """

    def __init__(self, tree: BaseDecisionTree) -> None:
        self.tree = tree
        self.n_features_in_ = tree.n_features_in_
        if hasattr(tree, "predict_proba"):  # wrappers ask for these
            self.classes_, self.predict_proba = tree.classes_, tree.predict_proba


@register(TreeAsSum)
def tree_as_sum_region(model: TreeAsSum, outcome: Outcome) -> EnsembleRegion:
    """Region of the most frequent class, or of a range of numbers."""
    if not hasattr(model, "classes_"):
        interval = require_interval(model.tree, outcome)
        return EnsembleRegion(tree_sum(model.tree), Range(interval.low, interval.high))
    return EnsembleRegion(tree_sum(model.tree), Largest(require_label(model.tree, outcome).index))


@register_response(TreeAsSum)
def tree_as_sum_response_region(model: TreeAsSum, response: Response) -> EnsembleRegion:
    """Region where the share of a class lies in a range."""
    if not isinstance(response, Probability):
        raise UnsupportedSettingError(f"{type(model.tree).__name__} has probabilities, but no decision_function.")
    return EnsembleRegion(tree_sum(model.tree).only(response.index), Range(response.low, response.high))


def one_tree_region(model: BaseDecisionTree, outcome: Outcome) -> EnsembleRegion:
    """Region of a single decision tree, as a sum of one."""
    region = region_of(TreeAsSum(model), outcome)
    assert isinstance(region, EnsembleRegion)
    return region


def tree_sum(model: Estimator) -> TreeSum:
    """Read a decision tree of scikit-learn: its scores are the shares of classes, or its number."""
    return one_tree(model.tree_, model.tree_.value[:, 0, :], model.n_features_in_, np.arange(model.n_features_in_))
