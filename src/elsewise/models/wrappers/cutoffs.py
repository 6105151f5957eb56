"""Cut-offs and calibrations of one score: the wrapper's cut becomes a cut on what the estimator inside gives.

Wrappers asked about one number: where their own arithmetic turns from one decision to another.

A cut-off, a calibration or a transformed target sees nothing of a row but one number that the estimator inside gives.
Put around an *echo*, an estimator that gives back the number it is asked about, it says what it makes of any number, by
its own code; where it changes its mind is found to the last bit.

Regressors of a transformed target: the wanted range is taken back through the inverse, float by float.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

from ...arrays import AnyArray, BoolArray, Estimator, FloatArray, IntArray, UserData
from ...errors import UnsupportedModelError, UnsupportedSettingError
from ...search import Region
from ...search.region import DecisionValue, Interval, Outcome, Probability, Response, require_interval, require_label
from ...search.relaxations.softmax import SoftmaxRegion
from ..linear import is_linear_classifier, largest_score_region, scores
from ..registry import region_of, register, register_response, response_region_of
from ..unit_sums.isotonic import IsotonicMean, mean_of_isotonic
from ..unit_sums.means import MeanProbability, mean_of_calibrated
from .means import mean_of_scores
from .members import members_of, seen_through, with_members

# Numbers farther out than this are not distinguished: products with them overflow in wrappers.
LARGEST_TOLD_APART = 1e30
# Numbers a wrapper is asked about at a time: a call costs more than they do.
NUMBERS_AT_ONCE = 256

# The largest double, and the place of infinity in the order of doubles.
_FARTHEST, _PLACE_OF_INFINITY = float(np.finfo(np.float64).max), int(np.float64(np.inf).view(np.int64))


class EchoedDecision(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose decision value is the number it is asked about."""

    def __init__(self, classes: AnyArray) -> None:
        self.classes = self.classes_ = classes

    def fit(self, X: UserData, y: Any) -> EchoedDecision:
        """Learn nothing."""
        return self

    def decision_function(self, X: FloatArray) -> FloatArray:
        """Return the numbers, array of shape (n_samples,)."""
        return np.clip(X[:, 0], -LARGEST_TOLD_APART, LARGEST_TOLD_APART)


class EchoedProbability(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that gives one of its two classes the number it is asked about as probability."""

    def __init__(self, classes: AnyArray, index: int) -> None:
        self.classes = self.classes_ = classes
        self.index = index

    def fit(self, X: UserData, y: Any) -> EchoedProbability:
        """Learn nothing."""
        return self

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Return the numbers, and what they leave to the other class; array of shape (n_samples, 2)."""
        p = np.clip(X[:, 0], 0.0, 1.0)
        return np.column_stack([p, 1.0 - p] if self.index == 0 else [1.0 - p, p])


class EchoedValue(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor that predicts the number it is asked about."""

    def fit(self, X: UserData, y: Any) -> EchoedValue:
        """Learn nothing."""
        return self

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the numbers, array of shape (n_samples,)."""
        return X[:, 0]


def numbers_where(holds: Callable[[FloatArray], BoolArray]) -> tuple[float, float]:
    """Find the numbers for which a condition holds that changes at most once, either way.

    Parameters
    ----------
    holds : function of an array of shape (n,) that gives a bool array of shape (n,)

    Returns
    -------
    low, high : float
        Ends of the range, both included; infinity and minus infinity if there is none.
    """
    with np.errstate(all="ignore"):
        down, up = holds(np.array([-_FARTHEST, _FARTHEST])).tolist()
        if up and down:
            return -np.inf, np.inf
        if up:
            return _first_number(holds), np.inf
        if down:
            return -np.inf, -_first_number(lambda s: holds(-s))
    return np.inf, -np.inf


def numbers_between(function: Callable[[FloatArray], FloatArray], low: float, high: float) -> tuple[float, float]:
    """Find the numbers that a growing or falling function takes to ``[low, high]``, as :func:`numbers_where` does.

    It may be undefined (NaN) below some number that is not positive, and above some number that is not negative.
    """
    first, _ = numbers_where(lambda s: (s > 0) | ~np.isnan(function(s)))
    _, last = numbers_where(lambda s: (s < 0) | ~np.isnan(function(s)))
    defined = np.clip([first, last], -_FARTHEST, _FARTHEST)

    def extended(s: FloatArray) -> FloatArray:
        return function(np.clip(s, *defined))

    above, below = numbers_where(lambda s: extended(s) >= low), numbers_where(lambda s: extended(s) <= high)
    return max(first, above[0], below[0]), min(last, above[1], below[1])


def _first_number(holds: Callable[[FloatArray], BoolArray]) -> float:
    """Find the smallest double for which a condition holds that does not at first, many at a time."""
    low, high = -_PLACE_OF_INFINITY, _PLACE_OF_INFINITY
    while high - low > 1:
        steps = min(NUMBERS_AT_ONCE, high - low)
        places = [low + (high - low) * k // steps for k in range(1, steps)]
        first = int(np.argmax(np.append(holds(_numbers_at(np.array(places))), True)))
        low, high = places[first - 1] if first else low, places[first] if first < len(places) else high
    return float(_numbers_at(np.array([high]))[0])


def _numbers_at(places: IntArray) -> FloatArray:
    """Return doubles by their places in the order of all doubles, zero at zero."""
    sizes = np.abs(places).astype(np.int64).view(np.float64)
    return np.where(places < 0, -sizes, sizes)


# The class whose probability wrappers of two classes look at, unless the user says otherwise.
_SECOND = 1


@register(FixedThresholdClassifier, TunedThresholdClassifierCV)
def threshold_region(model: Estimator, outcome: Outcome) -> Region:
    """Region of a label where the response of the estimator inside is above, or below, a threshold."""
    label = require_label(model, outcome)
    inside = _only_member(model)
    methods = ("predict_proba", "decision_function") if model.response_method == "auto" else (model.response_method,)
    return _where(model, inside, methods, lambda asked, s: asked.predict(s) == model.classes_[label.index])


@register_response(FixedThresholdClassifier, TunedThresholdClassifierCV)
def response_of_threshold(model: Estimator, response: Response) -> Region:
    """Pass the question on: probabilities and decision values are those of the estimator inside."""
    return response_region_of(_only_member(model), response)


@register(CalibratedClassifierCV)
def calibrated_region(model: Estimator, outcome: Outcome) -> Region:
    """Region of a label where the calibrated probability of one score is the larger one."""
    label = require_label(model, outcome)
    mean = _mean_of_folds(model)
    if mean is not None:
        return mean.region_of_label(label.index)
    several = _calibrated_scores(model)
    if several is not None:
        return largest_score_region(*several, label.index)
    if _has_folds(model):
        return mean_of_scores(model).region_of_label(label.index)
    inside = _one_calibrated(model)
    return _where(model, inside, _CALIBRATED, lambda asked, s: asked.predict_proba(s).argmax(axis=1) == label.index)


@register_response(CalibratedClassifierCV)
def response_of_calibrated(model: Estimator, response: Response) -> Region:
    """Region where a calibrated probability lies in a range."""
    if isinstance(response, DecisionValue):
        raise UnsupportedSettingError("CalibratedClassifierCV has probabilities, but no decision_function.")
    mean = _mean_of_folds(model)
    if mean is not None:
        return mean.region_of_range(response)
    several = _calibrated_scores(model)
    is_softmax = model.calibrated_classifiers_[0].method == "temperature"
    if several is not None and is_softmax and response.high >= 1:
        return SoftmaxRegion(*several, response.index, response.low)
    if _has_folds(model):
        return mean_of_scores(model).region_of_range(response)
    inside = _one_calibrated(model)
    asked, kind = _echoed(model, inside, _CALIBRATED)
    low, high = numbers_between(
        lambda s: np.asarray(asked.predict_proba(s[:, None])[:, response.index]), response.low, response.high
    )
    return response_region_of(inside, _response(kind, low, high))


# What calibrations look at, the first that the estimator has.
_CALIBRATED = ("decision_function", "predict_proba")


def _where(
    model: Estimator, inside: Any, methods: tuple[str, ...], holds: Callable[[Any, FloatArray], BoolArray]
) -> Region:
    """Region where a condition holds on what the wrapper says of a column of numbers."""
    asked, kind = _echoed(model, inside, methods)
    low, high = numbers_where(lambda s: np.asarray(holds(asked, s[:, None])))
    return response_region_of(inside, _response(kind, low, high))


def _echoed(model: Estimator, inside: Any, methods: tuple[str, ...]) -> tuple[Any, str]:
    """Put the wrapper around an echo of the first of the methods that the estimator inside has."""
    kind = next((method for method in methods if hasattr(inside, method)), None)
    if kind is None:
        raise UnsupportedSettingError(
            f"{type(model).__name__} needs {' or '.join(methods)} of {type(inside).__name__}, which has none."
        )
    echo = (
        EchoedDecision(inside.classes_) if kind == "decision_function" else EchoedProbability(inside.classes_, _SECOND)
    )
    return with_members(model, [echo]), kind


def _response(kind: str, low: float, high: float) -> Response:
    return DecisionValue(low, high) if kind == "decision_function" else Probability(_SECOND, low, high)


def _only_member(model: Estimator) -> Any:
    (inside,) = members_of(model)
    return seen_through(inside)


def _mean_of_folds(model: Estimator) -> MeanProbability | IsotonicMean | None:
    """Return the mean of several calibrated folds of linear models; None if there is one, or others."""
    members = [seen_through(member) for member in members_of(model)]
    if len(members) < 2 or len(model.classes_) > 2:
        return None
    return mean_of_calibrated(model, members) or mean_of_isotonic(model, members)


def _has_folds(model: Estimator) -> bool:
    """Whether several calibrated classifiers of two classes are averaged."""
    return len(model.calibrated_classifiers_) > 1 and len(model.classes_) == 2


def _calibrated_scores(model: Estimator) -> tuple[FloatArray, FloatArray] | None:
    """Return weights and intercepts of the scores of several classes whose largest wins; None if they are not linear.

    Sigmoids rise with what they are taken of, and all probabilities are divided by the same sum: the class wins whose
    calibrated score is the largest. A temperature multiplies all scores alike.
    """
    members = [seen_through(member) for member in members_of(model)]
    if len(members) > 1 or len(model.classes_) < 3 or not is_linear_classifier(members[0]):
        return None
    (calibrated,), (W, b) = model.calibrated_classifiers_, scores(members[0])
    if len(W) < len(model.classes_):  # rows of some class were not among those it was fitted on
        return None
    if calibrated.method == "temperature":
        warmth = float(calibrated.calibrators[0].beta_)
        return warmth * W, warmth * b
    if calibrated.method != "sigmoid":
        return None
    slope = np.array([one.a_ for one in calibrated.calibrators])
    offset = np.array([one.b_ for one in calibrated.calibrators])
    return -slope[:, None] * W, -slope * b - offset  # expit(-(slope s + offset))


def _one_calibrated(model: Estimator) -> Any:
    """Return the estimator whose one score is calibrated, or explain that there are several."""
    members = [seen_through(member) for member in members_of(model)]
    if len(members) > 1:
        raise UnsupportedModelError(
            f"This CalibratedClassifierCV averages {len(members)} calibrated classifiers: their average is no function "
            "of one score, and has an exact description only for two classes, over linear models and trees. Fit it "
            "with ensemble=False, which calibrates one model on all folds, or calibrate a FrozenEstimator."
        )
    if len(model.classes_) > 2:
        raise UnsupportedModelError(
            f"CalibratedClassifierCV of {len(model.classes_)} classes is supported over linear models that sigmoids or "
            "a temperature calibrate, and asked by labels: other probabilities of several classes have no exact "
            "description yet."
        )
    return members[0]


# Functions of one number that only grow, or only fall, where they are defined at all.
_MONOTONE = (
    None, np.arcsinh, np.arctan, np.cbrt, np.exp, np.exp2, np.expm1, np.log, np.log10, np.log1p, np.log2,
    np.negative, np.positive, np.sinh, np.sqrt, np.tanh, special.exp10, special.expit, special.ndtr,
)  # fmt: skip
_MONOTONE_TRANSFORMERS = (
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)


@register(TransformedTargetRegressor)
def transformed_target_region(model: Estimator, outcome: Outcome) -> Region:
    """Region of the regressor inside for the range of its predictions that the inverse takes to the wanted one."""
    interval = require_interval(model, outcome)
    (inside,) = members_of(model)
    _require_monotone(model.transformer_)
    asked = with_members(model, [EchoedValue()])
    low, high = numbers_between(lambda s: np.ravel(asked.predict(s[:, None])), interval.low, interval.high)
    return region_of(seen_through(inside), Interval(low, high))


def _require_monotone(transformer: Estimator) -> None:
    transformer = seen_through(transformer)
    if isinstance(transformer, _MONOTONE_TRANSFORMERS):
        return
    if isinstance(transformer, FunctionTransformer):
        function = transformer.inverse_func
        if any(function is known for known in _MONOTONE):
            return
        name = f"the function {getattr(function, '__name__', repr(function))}"
    else:
        name = type(transformer).__name__
    raise UnsupportedSettingError(
        f"TransformedTargetRegressor is supported where its inverse is known to be monotone, received {name}. Use a "
        "scaler, PowerTransformer, QuantileTransformer or a function of NumPy such as inverse_func=np.exp or np.expm1."
    )
