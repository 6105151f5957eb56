"""Forests and boosting: which library's models these are, and how their scores become decisions."""

from __future__ import annotations

from collections.abc import Callable
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

from ...errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError
from ..outcomes import DecisionValue, Interval, Label, Outcome, Probability, Response, require_interval, require_label
from ..registry import register, register_by_name, register_response, register_response_by_name
from .decisions import Decision, Largest, Range, largest_number, range_of_scores, smallest_number
from .reading import read_forest, read_histogram_boosting, read_lightgbm, read_xgboost
from .region import EnsembleRegion
from .trees import TreeSum

Link = Callable[[float], float]


@register(RandomForestClassifier, ExtraTreesClassifier)
def forest_classifier_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of a forest that averages the shares of classes in its leaves; ties go to the first class."""
    label = require_label(model, outcome)
    _require_one_output(model)
    return EnsembleRegion(read_forest(model), Largest(label.index))


@register_response(RandomForestClassifier, ExtraTreesClassifier)
def forest_response_region(model: Any, response: Response) -> EnsembleRegion:
    """Region where a forest's share of a class lies in a range: a sum of its own."""
    if not isinstance(response, Probability):
        raise UnsupportedSettingError(f"{type(model).__name__} has probabilities, but no decision_function.")
    _require_one_output(model)
    trees, k = read_forest(model), response.index
    return EnsembleRegion(
        replace(trees, value=trees.value[:, [k]], base=trees.base[[k]]), Range(response.low, response.high)
    )


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
    return EnsembleRegion(trees, _of_boosting(trees, label, lambda s: s >= 0))


@register_response(GradientBoostingClassifier)
def gradient_boosting_response_region(model: Any, response: Response) -> EnsembleRegion:
    """Region where the sum of gradient boosting, or its probability, lies in a range."""
    return _of_response(model, read_forest(model), response, lambda s: float(expit(s)))


@register(HistGradientBoostingClassifier)
def histogram_boosting_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of histogram boosting: class 1 where the sum is above zero, or the class of the largest sum."""
    label, trees = require_label(model, outcome), read_histogram_boosting(model)
    return EnsembleRegion(trees, _of_boosting(trees, label, lambda s: s > 0))


@register_response(HistGradientBoostingClassifier)
def histogram_boosting_response_region(model: Any, response: Response) -> EnsembleRegion:
    """Region where the sum of histogram boosting, or its probability, lies in a range."""
    return _of_response(model, read_histogram_boosting(model), response, lambda s: float(expit(s)))


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
    label, trees = require_label(model, outcome), _require_plain_xgboost(model)
    return EnsembleRegion(trees, _of_boosting(trees, label, lambda s: _sigmoid_single(s) > 0.5))


@register_response_by_name("xgboost.sklearn.XGBClassifier", "xgboost.sklearn.XGBRFClassifier")
def xgboost_response_region(model: Any, response: Response) -> EnsembleRegion:
    """Region where a probability of XGBoost, in 32 bits, lies in a range."""
    if isinstance(response, DecisionValue):
        raise UnsupportedSettingError("XGBClassifier has probabilities, but no decision_function.")
    return _of_response(model, _require_plain_xgboost(model), response, _sigmoid_single)


@register_by_name("xgboost.sklearn.XGBRegressor", "xgboost.sklearn.XGBRFRegressor")
def xgboost_regressor_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of an XGBoost regressor."""
    links: dict[str, Link | None] = {
        "reg:squarederror": None,
        "reg:absoluteerror": None,
        "reg:pseudohubererror": None,
        "reg:quantileerror": None,
        "count:poisson": lambda s: float(np.exp(np.float32(s))),
        "reg:gamma": lambda s: float(np.exp(np.float32(s))),
        "reg:tweedie": lambda s: float(np.exp(np.float32(s))),
        "reg:logistic": _sigmoid_single,
    }
    if model.objective not in links:
        raise UnsupportedSettingError(
            f"XGBRegressor is supported with the objectives {', '.join(links)}, received {model.objective!r}."
        )
    trees = read_xgboost(_best_iterations_alone(model))
    return _of_regressor(require_interval(model, outcome), trees, links[model.objective])


@register_by_name("lightgbm.sklearn.LGBMClassifier")
def lightgbm_classifier_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of LightGBM: class 1 where its probability is above that of class 0, or the most probable class."""
    label, trees = require_label(model, outcome), _require_plain_lightgbm_classifier(model)
    return EnsembleRegion(trees, _of_boosting(trees, label, lambda s: _sigmoid(s) > 1.0 - _sigmoid(s)))


@register_response_by_name("lightgbm.sklearn.LGBMClassifier")
def lightgbm_response_region(model: Any, response: Response) -> EnsembleRegion:
    """Region where the sum of LightGBM, which newer versions give as decision value, or a probability is in a range."""
    return _of_response(model, _require_plain_lightgbm_classifier(model), response, _sigmoid)


@register_by_name("lightgbm.sklearn.LGBMRegressor")
def lightgbm_regressor_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Region of a LightGBM regressor."""
    objective = str(model.objective_)
    if objective in ("poisson", "gamma", "tweedie"):
        link: Link | None = lambda s: float(np.exp(s))  # noqa: E731
    elif objective in ("regression", "regression_l1", "huber", "fair", "quantile", "mape"):
        link = None
    else:
        raise UnsupportedSettingError(f"LGBMRegressor with the objective {objective!r} is not supported.")
    return _of_regressor(require_interval(model, outcome), _require_plain_lightgbm(model), link)


@register_by_name("xgboost.core.Booster", "lightgbm.basic.Booster")
def booster_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Refuse a bare booster: it has no labels, and takes no plain rows."""
    library = type(model).__module__.split(".")[0]
    advice = (
        "XGBClassifier() or XGBRegressor() with load_model"
        if library == "xgboost"
        else "LGBMClassifier or LGBMRegressor, fitted"
    )
    raise UnsupportedModelError(
        f"A bare Booster of {library} says neither labels nor how rows are predicted. Explain {advice} instead."
    )


@register_by_name("catboost.core.CatBoostClassifier", "catboost.core.CatBoostRegressor", "catboost.core.CatBoost")
def catboost_region(model: Any, outcome: Outcome) -> EnsembleRegion:
    """Refuse CatBoost for now."""
    raise UnsupportedModelError(
        f"{type(model).__name__} is not supported yet: how CatBoost rounds values and sums leaves is not known to the "
        "bit. Use HistGradientBoostingClassifier, XGBClassifier or LGBMClassifier instead."
    )


def _of_boosting(trees: TreeSum, label: Label, is_second: Callable[[float], bool]) -> Decision:
    """Decision for a label: a range of the only sum of two classes, or the largest of several sums."""
    if trees.n_scores > 1:
        return Largest(label.index)
    if label.index == 1:
        return Range(smallest_number(is_second, single=trees.single), np.inf)
    return Range(-np.inf, largest_number(lambda s: not is_second(s), single=trees.single))


def _of_response(model: Any, trees: TreeSum, response: Response, probability: Link) -> EnsembleRegion:
    """Region where the only sum of two classes, or a probability, lies in a range."""
    name = type(model).__name__
    if isinstance(response, DecisionValue):
        if trees.n_scores > 1:
            raise UnsupportedSettingError(
                f"{name} has {trees.n_scores} decision values a row; expected one, of a model of two classes."
            )
        return EnsembleRegion(trees, Range(response.low, response.high))
    p = response.low
    if p >= 1:
        raise InvalidInputError(f"min_probability of {name} must be a number p with 0 < p < 1, received {p!r}.")
    if trees.n_scores > 1:
        if response.high < 1:
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
    low = smallest_number(lambda s: link(s) >= interval.low, single=trees.single)
    high = largest_number(lambda s: link(s) <= interval.high, single=trees.single)
    return EnsembleRegion(trees, Range(low, high))


def _sigmoid(s: float) -> float:
    with np.errstate(over="ignore"):
        return float(1.0 / (1.0 + np.exp(-s)))


def _sigmoid_single(s: float) -> float:
    with np.errstate(over="ignore", under="ignore"):
        one = np.float32(1.0)
        return float(one / (one + np.exp(-np.float32(np.clip(s, -3e38, 3e38)))))


def _other(p: float, single: bool) -> float:
    return float(np.float32(1.0) - np.float32(p)) if single else 1.0 - p


def _best_iterations_alone(model: Any) -> Any:
    """Take the booster, cut to the iterations that predict uses after early stopping."""
    booster = model.get_booster()
    best = getattr(booster, "best_iteration", None) if model.early_stopping_rounds is not None else None
    return booster if best is None else booster[: best + 1]


def _require_plain_xgboost(model: Any) -> TreeSum:
    if model.objective not in ("binary:logistic", "multi:softprob", "multi:softmax"):
        raise UnsupportedSettingError(
            "XGBClassifier is supported with the objectives binary:logistic, multi:softprob and multi:softmax, "
            f"received {model.objective!r}."
        )
    return read_xgboost(_best_iterations_alone(model))


def _require_plain_lightgbm_classifier(model: Any) -> TreeSum:
    objective = str(model.objective_)
    if objective not in ("binary", "multiclass"):
        raise UnsupportedSettingError(
            f"LGBMClassifier is supported with the objectives binary and multiclass, received {objective!r}."
        )
    return _require_plain_lightgbm(model)


def _require_plain_lightgbm(model: Any) -> TreeSum:
    booster = model.booster_
    if model.boosting_type == "rf":
        raise UnsupportedSettingError(
            "LightGBM is supported with boosting_type='gbdt' or 'dart', received 'rf'. Use a RandomForestClassifier."
        )
    trees = read_lightgbm(booster)
    best = booster.best_iteration
    if best is not None and 0 < best < booster.current_iteration():
        kept = best * booster.num_model_per_iteration()
        trees = replace(trees, roots=trees.roots[:kept])
    return trees


def _require_one_output(model: Any) -> None:
    if model.n_outputs_ > 1:
        raise UnsupportedSettingError(
            f"This {type(model).__name__} predicts {model.n_outputs_} outputs at once; expected one. Fit one model for "
            "each output and explain the one of interest."
        )
