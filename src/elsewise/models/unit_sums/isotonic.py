r"""Means of isotonic calibrations: a sum of growing, piecewise linear functions of linear scores.

Each fold :math:`m` of a ``CalibratedClassifierCV(method="isotonic")`` gives the second class
:math:`f_m(w_m^\top z + b_m)`, lines between the points of an isotonic regression, and the mean of these decides. They
have wide plateaus, on which the mean can be one half exactly: there the model's own arithmetic says who wins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import BoolArray, Estimator, FloatArray
from ...projection.distance import row_product
from ...search.region import Interval, Probability
from ...search.relaxations.curves import AffineCurve, Curve, PiecewiseLinear
from ...search.relaxations.unit_sums.of_curves import CurveFunction
from ...search.relaxations.unit_sums.region import SumRegion
from ...search.relaxations.unit_sums.units import FARTHEST_SCORE, Layer
from .means import linear_folds
from .networks import range_region


@dataclass(frozen=True, slots=True, eq=False)
class IsotonicMean:
    """Probability of the second class, the mean of ``f_m(W z + b)``.

    Attributes
    ----------
    W : array of shape (n_members, n_features)
    b : array of shape (n_members,)
    x, y : tuples of arrays of shape (n_points,), one a member
        The points of its isotonic regression, ``x`` ascending.
    """

    W: FloatArray
    b: FloatArray
    x: tuple[FloatArray, ...]
    y: tuple[FloatArray, ...]

    def terms(self, points: FloatArray) -> FloatArray:
        """Return what each member says of the second class, array of shape (n_samples, n_members)."""
        given = row_product(points, self.W.T) + self.b
        return np.column_stack([np.interp(s, x, y) for s, x, y in zip(given.T, self.x, self.y)])

    def region_of_label(self, index: int) -> SumRegion:
        """Region where a class is the more probable one, the first of two that are equally probable."""
        return self._region(Interval(0.5, np.inf) if index == 1 else Interval(-np.inf, 0.5), MoreProbable(self, index))

    def region_of_range(self, wanted: Probability) -> SumRegion:
        """Region where the probability of a class lies in a range."""
        ends = Interval(wanted.low, wanted.high)
        if wanted.index == 0:
            ends = Interval(1.0 - wanted.high, 1.0 - wanted.low)
        return self._region(ends, WithinRange(self, wanted))

    def _region(self, wanted: Interval, decides: MoreProbable | WithinRange) -> SumRegion:
        curves: tuple[Curve, ...] = tuple(
            PiecewiseLinear(x, y) if len(x) > 1 else AffineCurve(0.0, float(y[0])) for x, y in zip(self.x, self.y)
        )
        n, ends = len(curves), np.array([[x[0], x[-1]] for x in self.x]).T
        farthest = np.full(n, FARTHEST_SCORE)
        function = CurveFunction(curves, -farthest, farthest, ends, never_falls=True)
        region = range_region((Layer(self.W, self.b, function),), np.full((1, n), 1.0 / n), np.zeros(1), wanted)
        # plateaus have no slopes: a way to where all members are as sure as they get
        surest = ends[1] if wanted.low > -np.inf else ends[0]
        start = np.linalg.lstsq(self.W, surest - self.b, rcond=None)[0]
        return SumRegion(region.sums, region.is_empty, decides, start[None])


def _means(terms: FloatArray) -> FloatArray:
    """Return the mean of both classes, summed up as the model does it, array of shape (n_samples, 2)."""
    total = np.zeros((len(terms), 2))
    for of_second in terms.T:
        total += np.column_stack([1.0 - of_second, of_second])
    return np.asarray(total / terms.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class MoreProbable:
    """Whether a class is the more probable one at points."""

    mean: IsotonicMean
    index: int

    def __call__(self, points: FloatArray) -> BoolArray:
        """Tell, array of shape (n_samples,)."""
        return self.of_terms(self.mean.terms(points))

    def of_terms(self, terms: FloatArray) -> BoolArray:
        """Tell, by what members say of the second class, of shape (n_samples, n_members)."""
        return np.asarray(_means(terms).argmax(axis=1) == self.index)


@dataclass(frozen=True, slots=True, eq=False)
class WithinRange:
    """Whether the probability of a class is in a range at points."""

    mean: IsotonicMean
    wanted: Probability

    def __call__(self, points: FloatArray) -> BoolArray:
        """Tell, array of shape (n_samples,)."""
        return self.of_terms(self.mean.terms(points))

    def of_terms(self, terms: FloatArray) -> BoolArray:
        """Tell, by what members say of the second class, of shape (n_samples, n_members)."""
        given = _means(terms)[:, self.wanted.index]
        return np.asarray((given >= self.wanted.low) & (given <= self.wanted.high))


def mean_of_isotonic(model: Estimator, members: list[Estimator]) -> IsotonicMean | None:
    """Read the mean of folds of linear models, each calibrated by an isotonic regression; None if one is not."""
    folds = linear_folds(model, members, "isotonic")
    if folds is None:
        return None
    x = tuple(np.asarray(calibrator.X_thresholds_, dtype=np.float64) for calibrator, *_ in folds)
    y = tuple(np.asarray(calibrator.y_thresholds_, dtype=np.float64) for calibrator, *_ in folds)
    return IsotonicMean(np.array([own for _, own, _ in folds]), np.array([b for *_, b in folds]), x, y)
