"""Forests and boosting: which library's models these are, and how their scores become decisions."""

from __future__ import annotations

from collections.abc import Callable
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

from ...errors import InvalidInputError, UnsupportedSettingError
from ..outcomes import Interval, Label, Outcome, require_interval, require_label
from ..registry import register, register_by_name
from .decisions import Decision, Largest, Range, largest_number, smallest_number
from .reading import read_forest, read_histogram_boosting, read_lightgbm, read_xgboost
from .region import EnsembleRegion
from .trees import TreeSum

Link = Callable[[float], float]


def _sigmoid_single(s: float) -> float:
    with np.errstate(over="ignore", under="ignore"):
        one = np.float32(1.0)
        return float(one / (one + np.exp(-np.float32(np.clip(s, -3e38, 3e38)))))


def sigmoid(s: float, steepness: float = 1.0) -> float:
    """Probability of the second class, with 64 bits."""
    with np.errstate(over="ignore"):
        return float(1.0 / (1.0 + np.exp(-steepness * s)))


def _exp_single(s: float) -> float:
    return float(np.exp(np.float32(s)))


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
    "reg:logistic": _sigmoid_single,
}
LIGHTGBM_CLASSES = ("binary", "multiclass")
LIGHTGBM_LINKS: dict[str, Link | None] = {
    **dict.fromkeys(["regression", "regression_l1", "huber", "fair", "quantile", "mape"]),
    **dict.fromkeys(["poisson", "gamma", "tweedie"], lambda s: float(np.exp(s))),
}


@register(RandomForestClassifier, ExtraTreesClassifier)
def forest_classifier_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of a forest that averages the shares of classes in its leaves; ties go to the first class."""
    label = require_label(model, outcome)
    _require_one_output(model)
    p = minimum_probability(model, label)
    return EnsembleRegion(read_forest(model), Largest(label.index, least=-np.inf if p is None else p))


@register(RandomForestRegressor, ExtraTreesRegressor)
def forest_regressor_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of a forest that averages numbers."""
    interval = require_interval(model, outcome)
    _require_one_output(model)
    return EnsembleRegion(read_forest(model), Range(interval.low, interval.high))


@register(GradientBoostingClassifier)
def gradient_boosting_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of gradient boosting: class 1 where the sum is at least zero, or the class of the largest sum."""
    label, trees = require_label(model, outcome), read_forest(model)
    if model.loss != "log_loss":
        raise UnsupportedSettingError(
            f"GradientBoostingClassifier is supported with loss='log_loss', received {model.loss!r}."
        )
    return EnsembleRegion(trees, _of_boosting(model, trees, label, lambda s: s >= 0, lambda s: float(expit(s))))


@register(HistGradientBoostingClassifier)
def histogram_boosting_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of histogram boosting: class 1 where the sum is above zero, or the class of the largest sum."""
    label, trees = require_label(model, outcome), read_histogram_boosting(model)
    return EnsembleRegion(trees, _of_boosting(model, trees, label, lambda s: s > 0, lambda s: float(expit(s))))


@register(GradientBoostingRegressor)
def gradient_boosting_regressor_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of a boosted sum of numbers."""
    return _of_regressor(require_interval(model, outcome), read_forest(model))


@register(HistGradientBoostingRegressor)
def histogram_boosting_regressor_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of a boosted sum of numbers, or of its exponential."""
    has_log_link = model.loss in ("poisson", "gamma")
    link = (lambda s: float(np.exp(s))) if has_log_link else None
    return _of_regressor(require_interval(model, outcome), read_histogram_boosting(model), link)


@register_by_name("xgboost.sklearn.XGBClassifier", "xgboost.sklearn.XGBRFClassifier")
def xgboost_classifier_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of XGBoost: class 1 where the probability, in 32 bits, is above one half, or the most probable class."""
    label, trees = require_label(model, outcome), read_xgboost(_best_iterations_alone(model), in_place=True)
    return xgboost_classes(model, trees, label, model.objective)


@register_by_name("xgboost.sklearn.XGBRegressor", "xgboost.sklearn.XGBRFRegressor")
def xgboost_regressor_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of an XGBoost regressor."""
    interval, trees = require_interval(model, outcome), read_xgboost(_best_iterations_alone(model), in_place=True)
    return xgboost_numbers(model, trees, interval, model.objective)


@register_by_name("lightgbm.sklearn.LGBMClassifier")
def lightgbm_classifier_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of LightGBM: class 1 where its probability is above that of class 0, or the most probable class."""
    label = require_label(model, outcome)
    return lightgbm_classes(model, model.booster_, label)


@register_by_name("lightgbm.sklearn.LGBMRegressor")
def lightgbm_regressor_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of a LightGBM regressor."""
    return lightgbm_numbers(model, model.booster_, require_interval(model, outcome))


def xgboost_classes(model: Any, trees: TreeSum, label: Label, objective: Any) -> EnsembleRegion:
    """Region of a class of XGBoost, with the objective it was trained for."""
    if objective not in XGBOOST_CLASSES:
        raise UnsupportedSettingError(
            f"{type(model).__name__} is supported with the objectives {', '.join(XGBOOST_CLASSES)}, received "
            f"{objective!r}."
        )
    return EnsembleRegion(trees, _of_boosting(model, trees, label, lambda s: _sigmoid_single(s) > 0.5, _sigmoid_single))


def xgboost_numbers(model: Any, trees: TreeSum, interval: Interval, objective: Any) -> EnsembleRegion:
    """Region of a range of XGBoost's predictions."""
    if objective not in XGBOOST_LINKS:
        raise UnsupportedSettingError(
            f"{type(model).__name__} is supported with the objectives {', '.join(XGBOOST_LINKS)}, received "
            f"{objective!r}."
        )
    return _of_regressor(interval, trees, XGBOOST_LINKS[objective])


def lightgbm_classes(model: Any, booster: Any, label: Label) -> EnsembleRegion:
    """Region of a class of LightGBM."""
    objective, settings = lightgbm_objective(booster)
    if objective not in LIGHTGBM_CLASSES:
        raise UnsupportedSettingError(
            f"{type(model).__name__} is supported with the objectives {', '.join(LIGHTGBM_CLASSES)}, received "
            f"{objective!r}."
        )
    trees, steepness = read_lightgbm(booster), float(settings.get("sigmoid", 1.0))

    def probability(s: float) -> float:
        return sigmoid(s, steepness)

    return EnsembleRegion(
        trees, _of_boosting(model, trees, label, lambda s: probability(s) > 1.0 - probability(s), probability)
    )


def lightgbm_numbers(model: Any, booster: Any, interval: Interval) -> EnsembleRegion:
    """Region of a range of LightGBM's predictions."""
    objective, settings = lightgbm_objective(booster)
    if objective not in LIGHTGBM_LINKS or "sqrt" in settings:
        raise UnsupportedSettingError(
            f"{type(model).__name__} is supported with the objectives {', '.join(LIGHTGBM_LINKS)}, without reg_sqrt, "
            f"received {' '.join([objective, *settings])!r}."
        )
    return _of_regressor(interval, read_lightgbm(booster), LIGHTGBM_LINKS[objective])


def lightgbm_objective(booster: Any) -> tuple[str, dict[str, str]]:
    """Name of the objective that a LightGBM booster was trained for, and its settings as they are written."""
    name, *settings = str(booster.dump_model(num_iteration=1).get("objective", "none")).split()
    return name, {word.partition(":")[0]: word.partition(":")[2] for word in settings}


def _of_boosting(
    model: Any, trees: TreeSum, label: Label, is_second: Callable[[float], bool], probability: Link
) -> Decision:
    """Decision for a label: a range of the only sum of two classes, or the largest of several sums."""
    p = minimum_probability(model, label)
    if trees.n_scores > 1:
        return Largest(label.index, least_log_odds=-np.inf if p is None else float(np.log(p) - np.log1p(-p)))
    if label.index == 1:
        low = smallest_number(is_second, single=trees.single)
        if p is not None:
            low = max(low, smallest_number(lambda s: probability(s) >= p, single=trees.single))
        return Range(low, np.inf)
    high = largest_number(lambda s: not is_second(s), single=trees.single)
    if p is not None:
        high = min(high, largest_number(lambda s: _other(probability(s), trees.single) >= p, single=trees.single))
    return Range(-np.inf, high)


def _of_regressor(interval: Interval, trees: TreeSum, link: Link | None = None) -> EnsembleRegion:
    """Region of a regressor whose prediction is a growing function of the only sum."""
    if link is None:
        return EnsembleRegion(trees, Range(interval.low, interval.high))
    low = smallest_number(lambda s: link(s) >= interval.low, single=trees.single)
    high = largest_number(lambda s: link(s) <= interval.high, single=trees.single)
    return EnsembleRegion(trees, Range(low, high))


def minimum_probability(model: Any, label: Label) -> float | None:
    """Give the least probability that is wanted, None for none, or say that it is no probability."""
    p = label.min_probability
    if p is not None and not 0 < p < 1:
        raise InvalidInputError(
            f"min_probability of {type(model).__name__} must be a number p with 0 < p < 1, received {p!r}."
        )
    return p


def _other(p: float, single: bool) -> float:
    return float(np.float32(1.0) - np.float32(p)) if single else 1.0 - p


def _best_iterations_alone(model: Any) -> Any:
    """Take the booster, cut to the iterations that predict uses after early stopping."""
    booster = model.get_booster()
    best = getattr(booster, "best_iteration", None) if model.early_stopping_rounds is not None else None
    return booster if best is None else booster[: best + 1]


def _require_one_output(model: Any) -> None:
    if model.n_outputs_ > 1:
        raise UnsupportedSettingError(
            f"This {type(model).__name__} predicts {model.n_outputs_} outputs at once; expected one. Fit one model for "
            "each output and explain the one of interest."
        )
