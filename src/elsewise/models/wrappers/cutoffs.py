"""Cut-offs and calibrations of one score: the wrapper's cut becomes a cut on what the estimator inside gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

from ...arrays import BoolArray, FloatArray
from ...errors import UnsupportedModelError, UnsupportedSettingError
from ...search import Region
from ...search.outcomes import DecisionValue, Outcome, Probability, Response, require_label
from ...search.relaxations.softmax import SoftmaxRegion
from ..linear import is_linear_classifier, largest_score_region, scores
from ..registry import register, register_response, response_region_of
from ..unit_sums.isotonic import IsotonicMean, mean_of_isotonic
from ..unit_sums.means import MeanProbability, mean_of_calibrated
from .echo import EchoedDecision, EchoedProbability, numbers_between, numbers_where
from .members import members_of, seen_through, with_members

# The class whose probability wrappers of two classes look at, unless the user says otherwise.
_SECOND = 1


@register(FixedThresholdClassifier, TunedThresholdClassifierCV)
def threshold_region(model: Any, outcome: Outcome) -> Region:
    """Region of a label where the response of the estimator inside is above, or below, a threshold."""
    label = require_label(model, outcome)
    inside = _only_member(model)
    methods = ("predict_proba", "decision_function") if model.response_method == "auto" else (model.response_method,)
    return _where(model, inside, methods, lambda asked, s: asked.predict(s) == model.classes_[label.index])


@register_response(FixedThresholdClassifier, TunedThresholdClassifierCV)
def response_of_threshold(model: Any, response: Response) -> Region:
    """Pass the question on: probabilities and decision values are those of the estimator inside."""
    return response_region_of(_only_member(model), response)


@register(CalibratedClassifierCV)
def calibrated_region(model: Any, outcome: Outcome) -> Region:
    """Region of a label where the calibrated probability of one score is the larger one."""
    label = require_label(model, outcome)
    mean = _mean_of_folds(model)
    if mean is not None:
        return mean.region_of_label(label.index)
    several = _calibrated_scores(model)
    if several is not None:
        return largest_score_region(*several, label.index)
    inside = _one_calibrated(model)
    return _where(model, inside, _CALIBRATED, lambda asked, s: asked.predict_proba(s).argmax(axis=1) == label.index)


@register_response(CalibratedClassifierCV)
def response_of_calibrated(model: Any, response: Response) -> Region:
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
    inside = _one_calibrated(model)
    asked, kind = _echoed(model, inside, _CALIBRATED)
    low, high = numbers_between(
        lambda s: np.asarray(asked.predict_proba(s[:, None])[:, response.index]), response.low, response.high
    )
    return response_region_of(inside, _response(kind, low, high))


# What calibrations look at, the first that the estimator has.
_CALIBRATED = ("decision_function", "predict_proba")


def _where(model: Any, inside: Any, methods: tuple[str, ...], holds: Callable[[Any, FloatArray], BoolArray]) -> Region:
    """Region where a condition holds on what the wrapper says of a column of numbers."""
    asked, kind = _echoed(model, inside, methods)
    low, high = numbers_where(lambda s: np.asarray(holds(asked, s[:, None])))
    return response_region_of(inside, _response(kind, low, high))


def _echoed(model: Any, inside: Any, methods: tuple[str, ...]) -> tuple[Any, str]:
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


def _only_member(model: Any) -> Any:
    (inside,) = members_of(model)
    return seen_through(inside)


def _mean_of_folds(model: Any) -> MeanProbability | IsotonicMean | None:
    """Give the mean of several calibrated folds of linear models; None if there is one, or others."""
    members = [seen_through(member) for member in members_of(model)]
    if len(members) < 2 or len(model.classes_) > 2:
        return None
    return mean_of_calibrated(model, members) or mean_of_isotonic(model, members)


def _calibrated_scores(model: Any) -> tuple[FloatArray, FloatArray] | None:
    """Give weights and intercepts of the scores of several classes whose largest wins; None if they are not linear.

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


def _one_calibrated(model: Any) -> Any:
    """Give the estimator whose one score is calibrated, or explain that there are several."""
    members = [seen_through(member) for member in members_of(model)]
    if len(members) > 1:
        raise UnsupportedModelError(
            f"This CalibratedClassifierCV averages {len(members)} calibrated classifiers: their average is no function "
            "of one score, and has an exact description only for linear models of two classes. Fit it "
            "with ensemble=False, which calibrates one model on all folds, or calibrate a FrozenEstimator."
        )
    if len(model.classes_) > 2:
        raise UnsupportedModelError(
            f"CalibratedClassifierCV of {len(model.classes_)} classes is supported over linear models that sigmoids or "
            "a temperature calibrate, and asked by labels: other probabilities of several classes have no exact "
            "description yet."
        )
    return members[0]
