"""Wrappers asked about one number: where their own arithmetic turns from one decision to another.

A cut-off, a calibration or a transformed target sees nothing of a row but one number that the estimator inside gives.
Put around an *echo*, an estimator that gives back the number it is asked about, it says what it makes of any number, by
its own code; where it changes its mind is found to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from ...arrays import AnyArray, BoolArray, FloatArray, IntArray

# Numbers farther out than this are not told apart: products with them overflow in wrappers.
LARGEST_TOLD_APART = 1e30
# Numbers a wrapper is asked about at a time: a call costs more than they do.
NUMBERS_AT_ONCE = 256

# The largest double, and the place of infinity in the order of doubles.
_FARTHEST, _PLACE_OF_INFINITY = float(np.finfo(np.float64).max), int(np.float64(np.inf).view(np.int64))


class EchoedDecision(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose decision value is the number it is asked about."""

    def __init__(self, classes: AnyArray) -> None:
        self.classes = self.classes_ = classes

    def fit(self, X: Any, y: Any) -> EchoedDecision:
        """Learn nothing."""
        return self

    def decision_function(self, X: FloatArray) -> FloatArray:
        """Give back the numbers, array of shape (n_samples,)."""
        return np.clip(X[:, 0], -LARGEST_TOLD_APART, LARGEST_TOLD_APART)


class EchoedProbability(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that gives one of its two classes the number it is asked about as probability."""

    def __init__(self, classes: AnyArray, index: int) -> None:
        self.classes = self.classes_ = classes
        self.index = index

    def fit(self, X: Any, y: Any) -> EchoedProbability:
        """Learn nothing."""
        return self

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Give back the numbers, and what they leave to the other class; array of shape (n_samples, 2)."""
        p = np.clip(X[:, 0], 0.0, 1.0)
        return np.column_stack([p, 1.0 - p] if self.index == 0 else [1.0 - p, p])


class EchoedValue(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor that predicts the number it is asked about."""

    def fit(self, X: Any, y: Any) -> EchoedValue:
        """Learn nothing."""
        return self

    def predict(self, X: FloatArray) -> FloatArray:
        """Give back the numbers, array of shape (n_samples,)."""
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
    """Give doubles by their places in the order of all doubles, zero at zero."""
    sizes = np.abs(places).astype(np.int64).view(np.float64)
    return np.where(places < 0, -sizes, sizes)
