r"""Means of probabilities of two classes: a sum of logistic functions of linear scores.

Calibrated folds, soft votes and bags of logistic models give the second class
:math:`\bar p(z) = \sum_m \omega_m\, \sigma(w_m^\top z + b_m)`, where the weights :math:`\omega` add up to one. It is
ahead where :math:`\bar p(z) > 1/2`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Estimator, FloatArray, IntArray
from ...search.region import Interval, Probability
from ...search.relaxations.unit_sums.functions import LOGISTIC
from ...search.relaxations.unit_sums.region import SumRegion
from ...search.relaxations.unit_sums.units import Layer
from ..linear import is_logistic, scores
from .networks import range_region


@dataclass(frozen=True, slots=True)
class MeanProbability:
    """Probability of the second class, ``shares . expit(W z + b)``.

    Attributes
    ----------
    W : array of shape (n_members, n_features)
    b, shares : arrays of shape (n_members,)
    """

    W: FloatArray
    b: FloatArray
    shares: FloatArray

    def region_of_label(self, index: int) -> SumRegion:
        """Region where a class is the more probable one."""
        return self._region(Interval(0.5, np.inf) if index == 1 else Interval(-np.inf, 0.5))

    def region_of_range(self, wanted: Probability) -> SumRegion:
        """Region where the probability of a class lies in a range."""
        if wanted.index == 1:
            return self._region(Interval(wanted.low, wanted.high))
        return self._region(Interval(1.0 - wanted.high, 1.0 - wanted.low))

    def _region(self, wanted: Interval) -> SumRegion:
        return range_region((Layer(self.W, self.b, LOGISTIC),), self.shares[None], np.zeros(1), wanted)


def mean_of_logistic(
    members: list[Estimator], weights: FloatArray, features: list[IntArray], n_features: int
) -> MeanProbability | None:
    """Read a weighted mean of the probabilities of logistic models; None if some member is none of two classes."""
    if not all(is_logistic(member) and len(member.classes_) == 2 for member in members):
        return None
    W, b = np.zeros((len(members), n_features)), np.zeros(len(members))
    for place, (member, seen) in enumerate(zip(members, features)):
        own, intercept = scores(member)
        W[place, seen], b[place] = own[0], intercept[0]
    return MeanProbability(W, b, weights / weights.sum())


def linear_folds(model: Estimator, members: list[Estimator], method: str) -> list[tuple[Any, FloatArray, float]] | None:
    """Read calibrators, weights and intercepts of folds of linear models with one score; None if one is not such."""
    folds = []
    for calibrated, member in zip(model.calibrated_classifiers_, members):
        is_such = calibrated.method == method and len(calibrated.calibrators) == 1
        if not is_such or not hasattr(member, "coef_") or not hasattr(member, "decision_function"):
            return None
        own, intercept = scores(member)
        if len(own) > 1:
            return None
        folds.append((calibrated.calibrators[0], own[0], float(intercept[0])))
    return folds


def mean_of_calibrated(model: Estimator, members: list[Estimator]) -> MeanProbability | None:
    """Read the mean of folds of linear models, each calibrated by a sigmoid; None if some fold is something else."""
    folds = linear_folds(model, members, "sigmoid")
    if folds is None:
        return None
    W, b = [], []
    for calibrator, own, intercept in folds:
        slope, offset = calibrator.a_, calibrator.b_  # expit(-(slope s + offset))
        W.append(-slope * own)
        b.append(-slope * intercept - offset)
    n = len(W)
    return MeanProbability(np.array(W), np.array(b), np.full(n, 1.0 / n))
