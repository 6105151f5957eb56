"""Wrappers asked about one number: where their own arithmetic turns from one decision to another.

A cut-off, a calibration or a transformed target sees nothing of a row but one number that the estimator inside gives.
Put around an *echo*, an estimator that gives back the number it is asked about, it says what it makes of any number, by
its own code; where it changes its mind is found by bisecting floats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from ...arrays import AnyArray, FloatArray
from ..ensembles.decisions import largest_number, smallest_number

# Numbers farther out than this are not told apart: products with them overflow in wrappers.
_LARGEST = 1e30


class EchoedDecision(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose decision value is the number it is asked about."""

    def __init__(self, classes: AnyArray) -> None:
        self.classes = self.classes_ = classes

    def fit(self, X: Any, y: Any) -> EchoedDecision:
        """Learn nothing."""
        return self

    def decision_function(self, X: FloatArray) -> FloatArray:
        """Give back the numbers, array of shape (n_samples,)."""
        return np.clip(X[:, 0], -_LARGEST, _LARGEST)


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


def numbers_where(holds: Callable[[float], bool]) -> tuple[float, float]:
    """Find the numbers for which a condition holds that changes at most once, either way.

    Returns
    -------
    low, high : float
        Ends of the range, both included; infinity and minus infinity if there is none.
    """
    largest = np.finfo(np.float64).max
    with np.errstate(all="ignore"):
        up, down = holds(largest), holds(-largest)
        if up and down:
            return -np.inf, np.inf
        if up:
            return smallest_number(holds), np.inf
        if down:
            return -np.inf, largest_number(holds)
    return np.inf, -np.inf


def numbers_between(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Find the numbers that a growing or falling function takes to ``[low, high]``, as :func:`numbers_where` does.

    It may be undefined (NaN) below some number that is not positive, and above some number that is not negative.
    """
    with np.errstate(all="ignore"):
        first = smallest_number(lambda s: s > 0 or not np.isnan(function(s)))
        last = largest_number(lambda s: s < 0 or not np.isnan(function(s)))
    defined = np.clip([first, last], -np.finfo(np.float64).max, np.finfo(np.float64).max)

    def extended(s: float) -> float:
        return function(float(np.clip(s, *defined)))

    above, below = numbers_where(lambda s: extended(s) >= low), numbers_where(lambda s: extended(s) <= high)
    return max(first, above[0], below[0]), min(last, above[1], below[1])
