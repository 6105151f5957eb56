"""Lattices: columns whose values are multiples of a step, which a search sees as whole numbers.

A step is a decimal as a person writes it, ``numerator / denominator`` in whole numbers. A search *counts* steps: the
feature of such a column is its value divided by the step, whole where the value is a multiple. Coming back, ``count *
numerator / denominator`` rounds once, which gives the double that the decimal itself is read as: 0.15, where ``3 *
0.05`` is 0.15000000000000002. A value that is no multiple may stay as it is, and has a count that is not whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ..constants import FAR_AWAY, SHORT_ROUNDING
from .clauses import Clauses
from .domain import Domain
from .least_moves import LeastMoves

# Values that are no multiples are read back to six decimals, or two more than the step has: more than people write.
DECIMALS, MORE_DECIMALS = 1e6, 1e2
# Doubles next to each other may come from one number, multiplied and divided.
SAME_NUMBER = 8 * 2.0**-52
# Numbers of which doubles hold every multiple of the last decimal, and far more.
EVERY_DECIMAL = 2.0**46
# Counts by which a value is the row's own: far less than a step, far more than rounding.
UNCHANGED = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Steps of some features.

    Attributes
    ----------
    n_features : int
    features : int array of shape (n_steps,)
        Ascending.
    numerator, denominator : arrays of shape (n_steps,)
        Whole numbers, the step of each.
    """

    n_features: int
    features: IntArray
    numerator: FloatArray
    denominator: FloatArray

    @classmethod
    def of(cls, steps: Mapping[int, Fraction], n_features: int) -> Lattice | None:
        """Make the lattice of some features, each with its step; None without any."""
        if not steps:
            return None
        features = sorted(steps)
        over = [_denominator(steps[feature]) for feature in features]
        return cls(
            n_features,
            np.array(features, dtype=np.int64),
            np.array([float(steps[feature] * down) for feature, down in zip(features, over)]),
            np.array(over, dtype=np.float64),
        )

    @property
    def key(self) -> tuple[bytes, bytes, bytes]:
        """What tells it from others."""
        return self.features.tobytes(), self.numerator.tobytes(), self.denominator.tobytes()

    @property
    def unit(self) -> FloatArray:
        """The step of each feature, 1 where there is none; array of shape (n_features,)."""
        unit = np.ones(self.n_features)
        unit[self.features] = self.numerator / self.denominator
        return unit

    def values(self, counts: FloatArray) -> FloatArray:
        """Features from what a search counts, arrays of shape (..., n_features)."""
        values = np.array(counts, dtype=np.float64)
        values[..., self.features] = _values(values[..., self.features], self.numerator, self.denominator)
        return values

    def value_of(self, feature: int) -> Callable[[FloatArray], FloatArray] | None:
        """Return the ascending function from counts of one feature to its values; None where it has no step."""
        for place in np.flatnonzero(self.features == feature).tolist():
            return partial(_values, numerator=self.numerator[place], denominator=self.denominator[place])
        return None

    def counts(self, values: FloatArray) -> FloatArray:
        """Count steps in features, arrays of shape (..., n_features)."""
        counts = np.array(values, dtype=np.float64)
        own = counts[..., self.features]
        quotient = own * self.denominator / self.numerator
        whole = np.round(quotient)
        written = _values(whole, self.numerator, self.denominator)
        with np.errstate(over="ignore"):
            is_short = (written.astype(np.float32) == own) & (np.abs(quotient - whole) < SHORT_ROUNDING)
        is_multiple = (written == own) | is_short
        counts[..., self.features] = np.where(is_multiple, whole, self._brought_back(quotient, own, is_multiple))
        return counts

    def _brought_back(self, quotient: FloatArray, own: FloatArray, is_multiple: BoolArray) -> FloatArray:
        """Choose counts, of those next to a quotient, whose values are the numbers themselves, where there are any."""
        for way in (np.inf, -np.inf):
            tried = quotient
            for _ in range(2):
                differs = ~is_multiple & (_values(quotient, self.numerator, self.denominator) != own)
                if not differs.any():
                    return quotient
                tried = np.nextafter(tried, way)
                is_own = differs & (_values(tried, self.numerator, self.denominator) == own)
                quotient = np.where(is_own, tried, quotient)
        return quotient

    def nearest(self, feature: int, values: FloatArray) -> FloatArray:
        """Multiples of the step of one feature nearest to values, of any shape; the values where it has no step."""
        for place in np.flatnonzero(self.features == feature).tolist():
            up, down = self.numerator[place], self.denominator[place]
            return _values(np.round(values * down / up), up, down)
        return values

    def first_at_least(self, low: FloatArray) -> FloatArray:
        """Smallest whole counts whose values are at least ``low``, for features with steps: shape (..., n_steps)."""
        return _first_at_least(low, self.numerator, self.denominator)

    def last_at_most(self, high: FloatArray) -> FloatArray:
        """Largest whole counts whose values are at most ``high``, for features with steps: shape (..., n_steps)."""
        return -_first_at_least(-high, self.numerator, self.denominator)

    def inner_limits(self, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Outermost multiples within limits of features with steps, all of shape (..., n_steps)."""
        low = _values(self.first_at_least(lower), self.numerator, self.denominator)
        return low, _values(self.last_at_most(upper), self.numerator, self.denominator)

    def points(self, counts: FloatArray, rows: FloatArray) -> FloatArray:
        """Features of what a search found for rows, all of shape (n_samples, n_features); what stayed is the row's."""
        stayed = np.abs(counts - self.counts(rows)) <= UNCHANGED
        has_step = np.zeros(self.n_features, dtype=np.bool_)
        has_step[self.features] = True
        return np.where(stayed & has_step, rows, self.values(counts))

    def domain(self, domain: Domain, rows: FloatArray) -> Domain:
        """Write what rows, of shape (n_samples, n_features), may become in counts."""
        f, own = self.features, self.counts(rows)
        lower, upper = domain.lower.copy(), domain.upper.copy()
        least = self._ends(domain.lower[:, f], rows[:, f], own[:, f], f, is_low=True)
        most = self._ends(domain.upper[:, f], rows[:, f], own[:, f], f, is_low=False)
        lower[:, f] = np.maximum(least, np.minimum(-FAR_AWAY, own[:, f]))
        upper[:, f] = np.minimum(most, np.maximum(FAR_AWAY, own[:, f]))
        integer, holds = domain.integer.copy(), domain.rules_hold
        integer[f] = True
        return replace(
            domain,
            lower=lower,
            upper=upper,
            integer=integer,
            normals=domain.normals * self.unit,
            rules_hold=None if holds is None else lambda counts: holds(self.values(counts)),
            clauses=None if domain.clauses is None else self._clauses(domain.clauses, rows, own),
            least_moves=None if domain.least_moves is None else self._least_moves(domain.least_moves, own),
        )

    def _ends(
        self, ends: FloatArray, values: FloatArray, own: FloatArray, features: IntArray, *, is_low: bool
    ) -> FloatArray:
        """Return ends of intervals in counts: the outermost multiple within, or the row's own value where it is within.

        Parameters
        ----------
        ends, values, own : arrays of shape (n_samples, n)
            Ends, rows, and the same rows in counts.
        features : int array of shape (n,)
            What each is about; each has a step.
        is_low : bool
            Lower ends, else upper ones.
        """
        place = np.searchsorted(self.features, features)
        steps = self.numerator[place], self.denominator[place]
        if is_low:
            inner = _first_at_least(ends, *steps)
            return np.where(values >= ends, np.minimum(inner, own), inner)
        inner = -_first_at_least(-ends, *steps)
        return np.where(values <= ends, np.maximum(inner, own), inner)

    def _clauses(self, clauses: Clauses, rows: FloatArray, own: FloatArray) -> Clauses:
        about = np.isin(clauses.feature, self.features)
        if not about.any():
            return clauses
        feature, low, high = clauses.feature[about], clauses.low.copy(), clauses.high.copy()
        values, counts = rows[:, feature], own[:, feature]
        low[:, about] = self._ends(clauses.low[:, about], values, counts, feature, is_low=True)
        high[:, about] = self._ends(clauses.high[:, about], values, counts, feature, is_low=False)
        return replace(clauses, low=low, high=high)

    def _least_moves(self, least: LeastMoves, own: FloatArray) -> LeastMoves:
        f = self.features
        below, above, is_free = least.below.copy(), least.above.copy(), least.below[:, f] == least.above[:, f]
        below[:, f] = np.where(is_free, own[:, f], self.last_at_most(least.below[:, f]))
        above[:, f] = np.where(is_free, own[:, f], self.first_at_least(least.above[:, f]))
        return LeastMoves(own, below, above)


def _values(counts: FloatArray, numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return ``counts numerator / denominator``; within rounding of a decimal of few digits, that decimal."""
    values = counts * numerator / denominator
    grid = np.maximum(denominator * MORE_DECIMALS, DECIMALS)
    with np.errstate(invalid="ignore", over="ignore"):
        decimals = values * grid
        short = np.round(decimals) / grid
        is_short = (np.abs(decimals) < EVERY_DECIMAL) & (np.abs(short - values) <= SAME_NUMBER * np.abs(values))
    return np.where(is_short, short, values)


def _first_at_least(low: FloatArray, numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Smallest whole counts whose values are at least ``low``; values are symmetric about zero."""
    counts = np.ceil(low * denominator / numerator) + 0.0  # no -0.0
    counts = np.where(_values(counts, numerator, denominator) < low, counts + 1.0, counts)
    return np.where(_values(counts - 1.0, numerator, denominator) >= low, counts - 1.0, counts)


def _denominator(step: Fraction) -> int:
    """Power of ten that makes a step whole; its own denominator where none does."""
    ten = 1
    while step.denominator > ten and ten < 10**18:
        ten *= 10
    return ten if (step * ten).denominator == 1 else step.denominator
