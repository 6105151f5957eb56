"""Averages of numbers: linear regressors average to a linear one, sums of trees to a sum of trees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.ensemble import (
    BaggingRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    VotingRegressor,
)
from sklearn.ensemble._forest import ForestRegressor
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

from ...arrays import Estimator, FloatArray, IntArray
from ...errors import UnsupportedModelError, UnsupportedSettingError
from ...search import Region
from ...search.region import Interval, Outcome, require_interval
from ...search.relaxations.tree_sums.decisions import Range
from ...search.relaxations.tree_sums.trees import TreeSum
from ..linear import linear_regression_region, scores, slab
from ..registry import builder_of, region_of, register
from ..trees import EnsembleRegion
from ..trees.of_trees import bagging_regressor_region, one_tree
from .members import seen_through

# Rounding of averages, so many times over.
ROUNDING_SAFETY = 4.0


@register(VotingRegressor)
def voting_regressor_region(model: Estimator, outcome: Outcome) -> Region:
    """Region of a weighted mean of linear regressors, or of trees."""
    interval = require_interval(model, outcome)
    members, weights = weighted_members(model)
    if len(members) == 1:
        return region_of(members[0], interval)
    if all(is_linear_regressor(member) for member in members):
        everything = [np.arange(model.n_features_in_)] * len(members)
        return slab(*_averaged(members, weights, everything, model.n_features_in_), interval)
    trees = [_tree_sum_of(member, model) for member in members]
    together = averaged_trees(trees, weights)
    slack = rounding_of_average(trees, together)
    return EnsembleRegion(together, Range(interval.low - slack, interval.high + slack))


@register(BaggingRegressor)
def bagged_regressor_region(model: Estimator, outcome: Outcome) -> Region:
    """Region of an average of linear regressors, or of trees."""
    interval = require_interval(model, outcome)
    members = [seen_through(member) for member in model.estimators_]
    if not all(is_linear_regressor(member) for member in members):
        return bagging_regressor_region(model, outcome)
    weights = np.ones(len(members))
    return slab(*_averaged(members, weights, model.estimators_features_, model.n_features_in_), interval)


def weighted_members(model: Estimator) -> tuple[list[Any], FloatArray]:
    """Members of a vote that count, and their weights; members that are dropped have none."""
    members = [seen_through(member) for member in model.estimators_]
    weights = np.ones(len(members))
    if model.weights is not None:
        present = [one for one, (_, given) in zip(model.weights, model.estimators) if given != "drop"]
        weights = np.asarray(present, dtype=np.float64)
    if (weights < 0).any():
        raise UnsupportedSettingError(f"weights of {type(model).__name__}: expected none below zero.")
    return [member for member, weight in zip(members, weights) if weight > 0], weights[weights > 0]


def is_linear_regressor(model: object) -> bool:
    """Whether a model predicts ``scores(model)``."""
    return builder_of(model) is linear_regression_region


def averaged_trees(trees: list[TreeSum], weights: FloatArray) -> TreeSum:
    """Make one sum of the weighted mean of several, up to rounding."""
    scaled = []
    for one, weight in zip(trees, weights):
        share = weight / (weights.sum() * one.divisor)
        scaled.append(replace(one, value=one.value * share, base=one.base * share, divisor=1.0, single=False))
    return replace(scaled[0].joined(scaled[1:]), base=np.sum([one.base for one in scaled], axis=0))


def rounding_of_average(trees: list[TreeSum], together: TreeSum) -> float:
    """How far the model's own average may be from the one sum."""
    return ROUNDING_SAFETY * (together.rounding() + max(one.rounding() / one.divisor for one in trees))


def _averaged(
    members: list[Estimator], weights: FloatArray, features: list[IntArray], n_features: int
) -> tuple[FloatArray, FloatArray]:
    W, b = np.zeros((1, n_features)), np.zeros(1)
    for member, weight, seen in zip(members, weights / weights.sum(), features):
        own, constant = scores(member)
        if len(own) > 1:
            raise UnsupportedSettingError(
                f"This {type(member).__name__} predicts {len(own)} outputs at once; expected one. Fit one model for "
                "each output and explain the one of interest."
            )
        W[:, seen] += weight * own
        b = b + weight * constant
    return W, b


def _tree_sum_of(member: Estimator, model: Estimator) -> TreeSum:
    """Read a regressor whose prediction is a sum, or an average, of trees."""
    if isinstance(member, (DecisionTreeRegressor, ExtraTreeRegressor)):
        everything = np.arange(model.n_features_in_)
        return one_tree(member.tree_, member.tree_.value[:, 0, :1], model.n_features_in_, everything)
    if _predicts_sum(member):
        region = region_of(member, Interval(-np.inf, np.inf))
        if isinstance(region, EnsembleRegion):
            return region.trees
    builder_of(member)
    raise UnsupportedModelError(
        f"{type(model).__name__} is supported over linear regressors alone, or over trees, forests and boosting whose "
        f"predictions are sums alone; received {type(member).__name__} among {len(model.estimators_)}. The mean of "
        "others has no exact description yet."
    )


def _predicts_sum(member: Estimator) -> bool:
    if isinstance(member, HistGradientBoostingRegressor):
        return member.loss not in ("poisson", "gamma")
    if isinstance(member, (ForestRegressor, GradientBoostingRegressor, BaggingRegressor)):
        return True
    objective = str(getattr(member, "objective_", getattr(member, "objective", "")))
    library = type(member).__module__.split(".")[0]
    return library in ("lightgbm", "xgboost") and objective in ("regression", "regression_l1", "reg:squarederror")
