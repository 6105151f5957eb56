r"""Functions of one number, and lines above and below them on an interval.

A unit of a sum is :math:`a\,\varphi(t)`, with :math:`t = w^\top x + b` in an interval :math:`[l, u]`. What bounds the
sum are lines: :math:`\varphi(t) \le \alpha + \sigma t` on the interval where :math:`a > 0`, and
:math:`\varphi(t) \ge \alpha + \sigma t` where :math:`a < 0`. A chord is the best line above a convex function, a
tangent at any point one below it. A line that does not exist, above a parabola without end, has an infinite
:math:`\alpha`.

Layers whose units have different functions.

Least probabilities of a softmax: the soft minimum of the margins ahead of all rivals.

With :math:`m_j = s_t - s_j` ahead of rival :math:`j`, a class has a probability of at least :math:`p` where

.. math:: \mu(m) = -\log \sum_j e^{-m_j} \;\ge\; -\ell, \qquad \ell = \log \frac{1 - p}{p} .

The soft minimum :math:`\mu` is concave and grows with every margin. For all shares :math:`w \ge 0` that add up to one,

.. math:: \mu(m) \;\le\; \sum_j w_j m_j + \sum_j w_j \log w_j ,

with equality at :math:`w_j \propto e^{-m_j}`. So the right side, a sum of univariate functions as each margin is one,
may take the place of :math:`\mu`: one row for each choice of shares. With :math:`w` a unit vector it is the margin
ahead of one rival alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from ....arrays import BoolArray, FloatArray

# Halvings of an interval in which a tangent is looked for: until doubles are next to each other, all but.
HALVINGS = 60
# Where to divide an interval, at least this share of it from either end.
SHARE_OF_INTERVAL = 0.15


class Lines(NamedTuple):
    """Lines ``offset + slope t``, one a unit: arrays of shape (n_units,), or (n_pieces, n_units)."""

    slope: FloatArray
    offset: FloatArray


class Function(ABC):
    """A function of one number, applied to every unit of a layer.

    Attributes
    ----------
    is_convex : bool
        Tangents are below it everywhere: no interval is needed where a unit hurts.
    never_falls : bool
        It is known to fall nowhere.
    """

    is_convex: bool = False
    never_falls: bool = False

    @abstractmethod
    def value(self, t: FloatArray) -> FloatArray:
        """Return values, of any shape whose last axis is units."""

    @abstractmethod
    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives, of the same shape; any between those of the two sides at a kink."""

    @abstractmethod
    def above(self, low: FloatArray, high: FloatArray, near: FloatArray) -> Lines:
        """Lines above the function on intervals, tight near a point; arrays of shape (n_units,)."""

    @abstractmethod
    def below(self, low: FloatArray, high: FloatArray, near: FloatArray) -> Lines:
        """Lines below the function on intervals, tight near a point; arrays of shape (n_units,)."""

    def divide_at(self, low: float, high: float, near: float, unit: int) -> float | None:
        """Return where to divide the interval of a unit; None if that leads nowhere."""
        width = high - low
        if np.isfinite(width) and not width > np.spacing(max(abs(low), abs(high), 1.0) * 2**10):
            return None
        if not np.isfinite(width):
            inside = near if low < near < high else (low if np.isfinite(low) else high if np.isfinite(high) else 0.0)
            return inside + 1.0 if inside == low else inside - 1.0 if inside == high else inside
        return float(np.clip(near, low + SHARE_OF_INTERVAL * width, high - SHARE_OF_INTERVAL * width))

    def beyond(self, at: float, unit: int) -> float:
        """Return the number from which on a unit goes on where it is divided: the next double, if it jumps to that."""
        return at


def _tangents(function: Function, at: FloatArray) -> Lines:
    slope = function.slope(at)
    return Lines(slope, function.value(at) - slope * at)


def _chords(function: Function, low: FloatArray, high: FloatArray) -> Lines:
    """Lines through the ends; flat and endlessly high where an end is infinite."""
    is_finite = np.isfinite(low) & np.isfinite(high)
    a, b = np.where(is_finite, low, 0.0), np.where(is_finite, high, 0.0)
    at_a, at_b = function.value(a), function.value(b)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(b > a, (at_b - at_a) / (b - a), function.slope(a))
    # of the two ends the one that leaves the line higher: rounding must not lower it
    offset = np.maximum(at_a - slope * a, at_b - slope * b)
    return Lines(np.where(is_finite, slope, 0.0), np.where(is_finite, offset, np.inf))


@dataclass(frozen=True)
class Relu(Function):
    """``max(t, 0)``."""

    is_convex = True

    def value(self, t: FloatArray) -> FloatArray:
        """Return values."""
        return np.maximum(t, 0.0)

    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives."""
        return np.where(t > 0, 1.0, 0.0)

    def above(self, low: FloatArray, high: FloatArray, near: FloatArray) -> Lines:
        """Return lines above."""
        bends = (low < 0) & (high > 0)
        a, b = np.where(bends, low, 0.0), np.where(bends, high, 1.0)
        is_endless = np.isinf(a) | np.isinf(b)
        a[is_endless], b[is_endless] = 0.0, 1.0
        slope = np.where(bends, np.where(is_endless, 0.0, b / (b - a)), low >= 0)
        # of the two ends the one that leaves the line higher: rounding must not lower it
        offset = np.where(bends, np.where(is_endless, np.inf, np.maximum(-slope * a, b - slope * b)), 0.0)
        return Lines(slope, offset)

    def below(self, low: FloatArray, high: FloatArray, near: FloatArray) -> Lines:
        """Return lines below."""
        slope = np.where(low >= 0, 1.0, np.where(high <= 0, 0.0, self.slope(near)))
        return Lines(slope, np.zeros_like(slope))

    def divide_at(self, low: float, high: float, near: float, unit: int) -> float | None:
        """At the kink."""
        return 0.0 if low < 0 < high else None


@dataclass(frozen=True)
class Identity(Function):
    """``t`` itself."""

    def value(self, t: FloatArray) -> FloatArray:
        """Return values."""
        return np.asarray(t)

    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives."""
        return np.ones_like(t)

    def above(self, low: FloatArray, high: FloatArray, near: FloatArray) -> Lines:
        """Return lines above."""
        return Lines(np.ones_like(low), np.zeros_like(low))

    below = above

    def divide_at(self, low: float, high: float, near: float, unit: int) -> float | None:
        """Nowhere: it is its own line."""
        return None


@dataclass(frozen=True)
class Square(Function):
    """``t^2``."""

    is_convex = True

    def value(self, t: FloatArray) -> FloatArray:
        """Return values."""
        return np.asarray(t * t)

    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives."""
        return np.asarray(2.0 * t)

    def above(self, low: FloatArray, high: FloatArray, near: FloatArray) -> Lines:
        """Return lines above."""
        return _chords(self, low, high)

    def below(self, low: FloatArray, high: FloatArray, near: FloatArray) -> Lines:
        """Return lines below."""
        return _tangents(self, np.clip(near, low, high))


@dataclass(frozen=True)
class Sigmoid(Function):
    """A growing function with ``phi(-t) = total - phi(t)``, convex below 0 and concave above it.

    Attributes
    ----------
    of : function of an array
    derivative : function of an array
    total : float
        Sum of the limits at both ends.
    largest : float
        Limit at infinity.
    """

    of: Callable[[FloatArray], FloatArray]
    derivative: Callable[[FloatArray], FloatArray]
    total: float
    largest: float

    def value(self, t: FloatArray) -> FloatArray:
        """Return values."""
        return self.of(t)

    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives."""
        return self.derivative(t)

    def above(self, low: FloatArray, high: FloatArray, near: FloatArray) -> Lines:
        """Chords where it is convex, tangents where it is concave; in between, the tangent through the lower end.

        The tangent at a point ``d > 0`` is above the concave side; if it is not below the function at the lower end, it
        is above the convex side, too. The smallest such ``d`` is found by halving. Where there is none within the
        interval, the chord is the best line.
        """
        endless = ~(np.isfinite(low) & np.isfinite(high))
        a, b = np.where(endless, -1.0, low), np.where(endless, 1.0, high)
        first, last = np.maximum(a, 0.0), np.maximum(b, 0.0)
        is_chord = ~self._clears(last, a)
        for _ in range(HALVINGS):
            middle = first + (last - first) / 2
            clears = self._clears(middle, a)
            first, last = np.where(clears, first, middle), np.where(clears, middle, last)
        chords, tangents = _chords(self, a, b), _tangents(self, np.clip(near, last, np.maximum(b, last)))
        slope = np.where(is_chord, chords.slope, tangents.slope)
        offset = np.where(is_chord, chords.offset, tangents.offset)
        return Lines(np.where(endless, 0.0, slope), np.where(endless, self.value(np.minimum(high, 1e300)), offset))

    def below(self, low: FloatArray, high: FloatArray, near: FloatArray) -> Lines:
        """Return lines below."""
        slope, offset = self.above(-high, -low, -near)
        return Lines(slope, self.total - offset)

    def _clears(self, d: FloatArray, low: FloatArray) -> BoolArray:
        """Whether the tangent at ``d >= 0`` is not below the function at the lower end."""
        return np.asarray(self.of(d) + self.derivative(d) * (low - d) >= self.of(low)) & (d >= 0)


def _of_tanh(t: FloatArray) -> FloatArray:
    return np.asarray(1.0 - np.tanh(t) ** 2)


def _of_expit(t: FloatArray) -> FloatArray:
    return np.asarray(expit(t) * expit(-t))


RELU, IDENTITY, SQUARE = Relu(), Identity(), Square()
TANH = Sigmoid(np.tanh, _of_tanh, total=0.0, largest=1.0)
LOGISTIC = Sigmoid(expit, _of_expit, total=1.0, largest=1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Mixed(Function):
    """Functions one after the other, each of so many units.

    Attributes
    ----------
    parts : tuple of (Function, int)
    """

    parts: tuple[tuple[Function, int], ...]

    def value(self, t: FloatArray) -> FloatArray:
        """Return values."""
        return np.concatenate([part.value(t[..., units]) for part, units in self._spans()], axis=-1)

    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives."""
        return np.concatenate([part.slope(t[..., units]) for part, units in self._spans()], axis=-1)

    def above(self, low: FloatArray, high: FloatArray, near: FloatArray) -> Lines:
        """Return lines above."""
        return self._joined(low, high, near, [part.above for part, _ in self.parts])

    def below(self, low: FloatArray, high: FloatArray, near: FloatArray) -> Lines:
        """Return lines below."""
        return self._joined(low, high, near, [part.below for part, _ in self.parts])

    def _joined(self, low: FloatArray, high: FloatArray, near: FloatArray, lines: list[Callable[..., Lines]]) -> Lines:
        ends = ((low[..., units], high[..., units], near[..., units]) for _, units in self._spans())
        own = [lines_of_part(*of_part) for lines_of_part, of_part in zip(lines, ends)]
        return Lines(*(np.concatenate(of_all, axis=-1) for of_all in zip(*own)))

    def divide_at(self, low: float, high: float, near: float, unit: int) -> float | None:
        """Where the unit's own function says."""
        part, first = self._of(unit)
        return part.divide_at(low, high, near, unit - first)

    def beyond(self, at: float, unit: int) -> float:
        """Return what the unit's own function says."""
        part, first = self._of(unit)
        return part.beyond(at, unit - first)

    def _spans(self) -> Iterator[tuple[Function, slice]]:
        first = 0
        for part, n in self.parts:
            yield part, slice(first, first + n)
            first += n

    def _of(self, unit: int) -> tuple[Function, int]:
        """Return the function of a unit, and the first unit of that."""
        return next((part, units.start) for part, units in self._spans() if unit < units.stop)


def soft_minimum(margins: FloatArray) -> FloatArray:
    """Return the soft minimum over the last axis, which stays with a length of one."""
    least = margins.min(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):  # endless margins
        return np.asarray(least - np.log(np.exp(least - margins).sum(axis=-1, keepdims=True)))


def shares_of(margins: FloatArray) -> FloatArray:
    """Return the shares at which the bound is tight, both of shape (n_rows,)."""
    weights = np.exp(margins.min() - margins)
    return np.asarray(weights / weights.sum())


def entropy(shares: FloatArray) -> float:
    """Return ``-sum w log w``."""
    positive = shares[shares > 0]
    return float(-(positive * np.log(positive)).sum())
