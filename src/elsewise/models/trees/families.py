"""Forests and boosting: which library's models these are, and how their scores become decisions."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from ...arrays import Estimator
from ...errors import InvalidInputError, UnsupportedSettingError
from ...search.region import (
    DecisionValue,
    Interval,
    Label,
    Outcome,
    Probability,
    Response,
    require_interval,
    require_label,
)
from ...search.relaxations.tree_sums.decisions import (
    Decision,
    Largest,
    Range,
    largest_number,
    range_of_scores,
    smallest_number,
)
from ...search.relaxations.tree_sums.region import EnsembleRegion
from ...search.relaxations.tree_sums.trees import TreeSum
from ..registry import register, register_by_name, register_response, register_response_by_name
from .of_lightgbm import LightGBMText, lightgbm_trees
from .of_xgboost import xgboost_trees
from .reading import read_forest, read_histogram_boosting

Link = Callable[[float], float]
# Name of an objective of LightGBM, and its settings as they are written.
Objective = tuple[str, dict[str, str]]


def sigmoid_single(s: float) -> float:
    """Probability of the second class, with 32 bits."""
    one = np.float32(1.0)
    return float(one / (one + np.float32(_exp_single(min(-s, 88.7)))))  # XGBoost avoids an infinite exponential


def sigmoid(s: float, steepness: float = 1.0) -> float:
    """Probability of the second class, with 64 bits."""
    with np.errstate(over="ignore"):
        return float(1.0 / (1.0 + np.exp(-steepness * s)))


def _exp_single(s: float) -> float:
    # nearly always the 32-bit number next to the exact one, as that of the C library
    with np.errstate(over="ignore"):
        return float(np.float32(np.exp(np.float64(np.float32(s)))))


# Objectives of classes; of numbers, with the growing function that a sum of leaves goes through.
XGBOOST_CLASSES = ("binary:logistic", "multi:softprob", "multi:softmax")
XGBOOST_LINKS: dict[str, Link | None] = {
    "reg:squarederror": None,
    "reg:absoluteerror": None,
    "reg:pseudohubererror": None,
    "reg:quantileerror": None,
    "count:poisson": _exp_single,
    "reg:gamma": _exp_single,
    "reg:tweedie": _exp_single,
    "reg:logistic": sigmoid_single,
}
# What to do about another objective.
INSTEAD = "Fit it with one of these, or have it asked: elsewise.BlackBox(model.predict, classes=...)."
LIGHTGBM_CLASSES = ("binary", "multiclass")
LIGHTGBM_LINKS: dict[str, Link | None] = {
    **dict.fromkeys(["regression", "regression_l1", "huber", "fair", "quantile", "mape"]),
    **dict.fromkeys(["poisson", "gamma", "tweedie"], lambda s: float(np.exp(s))),
}


@register(RandomForestClassifier, ExtraTreesClassifier)
def forest_classifier_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of a forest that averages the shares of classes in its leaves; ties go to the first class."""
    label = require_label(model, outcome)
    _require_one_output(model)
    return EnsembleRegion(read_forest(model), Largest(label.index))


@register_response(RandomForestClassifier, ExtraTreesClassifier)
def forest_response_region(model: Estimator, response: Response) -> EnsembleRegion:
    """Region where a forest's share of a class lies in a range: a sum of its own."""
    if not isinstance(response, Probability):
        raise UnsupportedSettingError(f"{type(model).__name__} has probabilities, but no decision_function.")
    _require_one_output(model)
    return EnsembleRegion(read_forest(model).only(response.index), Range(response.low, response.high))


@register(RandomForestRegressor, ExtraTreesRegressor)
def forest_regressor_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of a forest that averages numbers."""
    interval = require_interval(model, outcome)
    _require_one_output(model)
    return EnsembleRegion(read_forest(model), Range(interval.low, interval.high))


@register(GradientBoostingClassifier)
def gradient_boosting_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of gradient boosting: class 1 where the sum is at least zero, or the class of the largest sum."""
    label, trees = require_label(model, outcome), read_forest(model)
    return EnsembleRegion(trees, _of_boosting(trees, label, lambda s: s >= 0))


@register_response(GradientBoostingClassifier)
def gradient_boosting_response_region(model: Estimator, response: Response) -> EnsembleRegion:
    """Region where the sum of gradient boosting, or its probability, lies in a range."""
    steepness = 2.0 if model.loss == "exponential" else 1.0
    return of_response(model, read_forest(model), response, lambda s: float(expit(steepness * s)))


@register(HistGradientBoostingClassifier)
def histogram_boosting_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of histogram boosting: class 1 where the sum is above zero, or the class of the largest sum."""
    label, trees = require_label(model, outcome), read_histogram_boosting(model)
    return EnsembleRegion(trees, _of_boosting(trees, label, lambda s: s > 0))


@register_response(HistGradientBoostingClassifier)
def histogram_boosting_response_region(model: Estimator, response: Response) -> EnsembleRegion:
    """Region where the sum of histogram boosting, or its probability, lies in a range."""
    return of_response(model, read_histogram_boosting(model), response, lambda s: float(expit(s)))


@register(GradientBoostingRegressor)
def gradient_boosting_regressor_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of a boosted sum of numbers."""
    return _of_regressor(require_interval(model, outcome), read_forest(model))


@register(HistGradientBoostingRegressor)
def histogram_boosting_regressor_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of a boosted sum of numbers, or of its exponential."""
    has_log_link = model.loss in ("poisson", "gamma")
    link = (lambda s: float(np.exp(s))) if has_log_link else None
    return _of_regressor(require_interval(model, outcome), read_histogram_boosting(model), link)


@register_by_name("xgboost.sklearn.XGBClassifier", "xgboost.sklearn.XGBRFClassifier")
def xgboost_classifier_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of XGBoost: class 1 where the probability, in 32 bits, is above one half, or the most probable class."""
    label = require_label(model, outcome)
    return xgboost_classes(model, _estimator_trees(model), label, model.objective)


@register_response_by_name("xgboost.sklearn.XGBClassifier", "xgboost.sklearn.XGBRFClassifier")
def xgboost_response_region(model: Estimator, response: Response) -> EnsembleRegion:
    """Region where a probability of XGBoost, in 32 bits, lies in a range."""
    return xgboost_probabilities(model, _estimator_trees(model), response, model.objective)


@register_by_name("xgboost.sklearn.XGBRegressor", "xgboost.sklearn.XGBRFRegressor")
def xgboost_regressor_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of an XGBoost regressor."""
    interval = require_interval(model, outcome)
    return xgboost_numbers(model, _estimator_trees(model), interval, model.objective)


@register_by_name("lightgbm.sklearn.LGBMClassifier")
def lightgbm_classifier_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of LightGBM: class 1 where its probability is above that of class 0, or the most probable class."""
    return lightgbm_classes(model, *read_lightgbm_booster(model.booster_), require_label(model, outcome))


@register_response_by_name("lightgbm.sklearn.LGBMClassifier")
def lightgbm_response_region(model: Estimator, response: Response) -> EnsembleRegion:
    """Region where the sum of LightGBM, which newer versions give as decision value, or a probability is in a range."""
    return lightgbm_responses(model, *read_lightgbm_booster(model.booster_), response)


@register_by_name("lightgbm.sklearn.LGBMRegressor")
def lightgbm_regressor_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of a LightGBM regressor."""
    return lightgbm_numbers(model, *read_lightgbm_booster(model.booster_), require_interval(model, outcome))


def xgboost_classes(model: Estimator, trees: TreeSum, label: Label, objective: Any) -> EnsembleRegion:
    """Region of a class of XGBoost, with the objective it was trained for."""
    require_objective(model, objective, XGBOOST_CLASSES)
    return EnsembleRegion(trees, _of_boosting(trees, label, lambda s: sigmoid_single(s) > 0.5))


def xgboost_probabilities(model: Estimator, trees: TreeSum, response: Response, objective: Any) -> EnsembleRegion:
    """Region where a probability of XGBoost, in 32 bits, lies in a range."""
    require_objective(model, objective, XGBOOST_CLASSES)
    if isinstance(response, DecisionValue):
        raise UnsupportedSettingError(f"{type(model).__name__} has probabilities, but no decision_function.")
    return of_response(model, trees, response, sigmoid_single)


def xgboost_numbers(model: Estimator, trees: TreeSum, interval: Interval, objective: Any) -> EnsembleRegion:
    """Region of a range of XGBoost's predictions."""
    require_objective(model, objective, XGBOOST_LINKS)
    return _of_regressor(interval, trees, XGBOOST_LINKS[objective])


def lightgbm_classes(model: Estimator, trees: TreeSum, objective: Objective, label: Label) -> EnsembleRegion:
    """Region of a class of LightGBM."""
    probability = lightgbm_probability(model, objective)
    return EnsembleRegion(trees, _of_boosting(trees, label, lambda s: probability(s) > 1.0 - probability(s)))


def lightgbm_responses(model: Estimator, trees: TreeSum, objective: Objective, response: Response) -> EnsembleRegion:
    """Region where the sum of LightGBM, or a probability, lies in a range."""
    if isinstance(response, DecisionValue):
        trees = replace(trees, divisor=1.0)  # of random forests, too: only probabilities are made of averages
    return of_response(model, trees, response, lightgbm_probability(model, objective))


def lightgbm_probability(model: Estimator, objective: Objective) -> Link:
    """Return what makes the second class's probability of the only sum."""
    name, settings = objective
    require_objective(model, name, LIGHTGBM_CLASSES)
    steepness = float(settings.get("sigmoid", 1.0))
    return lambda s: sigmoid(s, steepness)


def lightgbm_numbers(model: Estimator, trees: TreeSum, objective: Objective, interval: Interval) -> EnsembleRegion:
    """Region of a range of LightGBM's predictions."""
    return _of_regressor(interval, trees, lightgbm_link(model, objective))


def lightgbm_link(model: Estimator, objective: Objective) -> Link | None:
    """Return the growing function that a sum of leaves of a regressor goes through; None for none."""
    name, settings = objective
    if name not in LIGHTGBM_LINKS or "sqrt" in settings:
        raise UnsupportedSettingError(
            f"{type(model).__name__} is supported with the objectives {', '.join(LIGHTGBM_LINKS)}, without reg_sqrt, "
            f"received {' '.join([name, *settings])!r}. {INSTEAD}"
        )
    return LIGHTGBM_LINKS[name]


def read_lightgbm_booster(booster: Estimator) -> tuple[TreeSum, Objective]:
    """Read a LightGBM booster: its trees and its objective."""
    written = lightgbm_text(booster)
    return lightgbm_trees(written), written.objective


def lightgbm_text(booster: Estimator) -> LightGBMText:
    """Return a LightGBM booster as it writes itself, up to the iteration it predicts with."""
    return LightGBMText.parse(booster.model_to_string())


def _of_boosting(trees: TreeSum, label: Label, is_second: Callable[[float], bool]) -> Decision:
    """Decision for a label: a range of the only sum of two classes, or the largest of several sums."""
    if trees.n_scores > 1:
        return Largest(label.index)
    if label.index == 1:
        return Range(smallest_number(is_second, single=trees.single), np.inf)
    return Range(-np.inf, largest_number(lambda s: not is_second(s), single=trees.single))


def of_response(model: Estimator, trees: TreeSum, response: Response, probability: Link) -> EnsembleRegion:
    """Region where the only sum of two classes, or a probability, lies in a range."""
    name = type(model).__name__
    if isinstance(response, DecisionValue):
        if trees.n_scores > 1:
            raise UnsupportedSettingError(
                f"{name} has {trees.n_scores} decision values a row; expected one, of a model of two classes."
            )
        return EnsembleRegion(trees, Range(response.low, response.high))
    p = response.low
    if 1 <= p < np.inf:
        raise InvalidInputError(f"min_probability of {name} must be a number p with 0 < p < 1, received {p!r}.")
    if trees.n_scores > 1:
        if p <= 0 or response.high < 1:
            raise UnsupportedSettingError(
                f"Where a class of {name} with {trees.n_scores} classes has at most a probability is not supported."
            )
        return EnsembleRegion(trees, Largest(response.index, least_log_odds=float(np.log(p) - np.log1p(-p))))
    grows = response.index == 1
    function = probability if grows else lambda s: _other(probability(s), trees.single)
    return EnsembleRegion(trees, range_of_scores(function, response, grows=grows, single=trees.single))


def _of_regressor(interval: Interval, trees: TreeSum, link: Link | None = None) -> EnsembleRegion:
    """Region of a regressor whose prediction is a growing function of the only sum."""
    if link is None:
        return EnsembleRegion(trees, Range(interval.low, interval.high))
    return EnsembleRegion(trees, range_of_scores(link, interval, grows=True, single=trees.single))


def _other(p: float, single: bool) -> float:
    return float(np.float32(1.0) - np.float32(p)) if single else 1.0 - p


def _estimator_trees(model: Estimator) -> TreeSum:
    """Read an estimator's booster, cut to the iterations that predict uses: up to the best one that the booster has.

    Early stopping leaves one behind, also where it was a callback, or another estimator's that a file was saved of.
    """
    booster = model.get_booster()
    best = getattr(booster, "best_iteration", None)
    booster = booster if best is None else booster[: best + 1]
    return xgboost_trees(booster, in_place=True, missing=float(model.missing))


def require_objective(model: Estimator, objective: Any, supported: Collection[str]) -> None:
    """Refuse a model that was trained for another objective than the supported ones."""
    if objective not in supported:
        raise UnsupportedSettingError(
            f"{type(model).__name__} is supported with the objectives {', '.join(supported)}, received {objective!r}. "
            f"{INSTEAD}"
        )


def _require_one_output(model: Estimator) -> None:
    if model.n_outputs_ > 1:
        raise UnsupportedSettingError(
            f"This {type(model).__name__} predicts {model.n_outputs_} outputs at once; expected one. Fit one model for "
            "each output and explain the one of interest."
        )
