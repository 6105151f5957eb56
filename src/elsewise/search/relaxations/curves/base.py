r"""What is known of a function of one number: its values, its slopes, and how it bends between breaks.

A curve is a function of doubles. Its *breaks* are finitely many numbers between which it has two derivatives; where it
jumps, the doubles on both sides of the jump are breaks, so that nothing lies in between. On an interval
:math:`[a, b]` without a break inside, a range of the second derivative, :math:`m \le f'' \le M`, bounds the function by
its chord :math:`c`:

.. math:: c(t) - \tfrac12 M^+ (t - a)(b - t) \;\le\; f(t) \;\le\; c(t) + \tfrac12 (-m)^+ (t - a)(b - t) .

Bisecting doubles: where a condition of one number ends, to the last bit, many at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....arrays import BoolArray, FloatArray, IntArray


class CurveCells(NamedTuple):
    """What a curve is on intervals without a break inside: arrays of shape (n,).

    Attributes
    ----------
    first, last : slopes at the lower and the upper end, from inside
    least, most : ends of the range of slopes
    least_bend, most_bend : ends of the range of second derivatives
    """

    first: FloatArray
    last: FloatArray
    least: FloatArray
    most: FloatArray
    least_bend: FloatArray
    most_bend: FloatArray

    @classmethod
    def between_ends(cls, slopes: tuple[FloatArray, FloatArray], bends: tuple[FloatArray, FloatArray]) -> CurveCells:
        """Make cells on which slopes and bends rise or fall throughout: the ends are all there is to know."""
        return cls(*slopes, np.minimum(*slopes), np.maximum(*slopes), np.fmin(*bends), np.fmax(*bends))


class Curve(ABC):
    """A function of one number.

    Attributes
    ----------
    jumps : bool
        Whether it is not continuous.
    """

    jumps: bool = False

    @abstractmethod
    def value(self, t: FloatArray) -> FloatArray:
        """Return values, of any shape."""

    @abstractmethod
    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives, of any shape; at a kink that of a side."""

    @abstractmethod
    def breaks(self) -> FloatArray:
        """List the breaks, ascending, of shape (n,)."""

    @abstractmethod
    def on_cells(self, a: FloatArray, b: FloatArray) -> CurveCells:
        """Return what it is on intervals without a break inside, arrays of shape (n,)."""

    def ranges(self, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Bound values on intervals without a break inside, arrays of shape (n,); endless where it is not monotone."""
        cells, ends = self.on_cells(a, b), (self.value(a), self.value(b))
        is_monotone = (cells.least >= 0) | (cells.most <= 0)
        return np.where(is_monotone, np.minimum(*ends), -np.inf), np.where(is_monotone, np.maximum(*ends), np.inf)


@dataclass(frozen=True, slots=True)
class AffineCurve(Curve):
    """``scale t + offset``."""

    scale: float
    offset: float

    def value(self, t: FloatArray) -> FloatArray:
        """Return values."""
        return np.asarray(self.scale * t + self.offset)

    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives."""
        return np.full(np.shape(t), self.scale)

    def breaks(self) -> FloatArray:
        """List none."""
        return np.empty(0)

    def on_cells(self, a: FloatArray, b: FloatArray) -> CurveCells:
        """Return the slope."""
        slope, nothing = np.full(len(a), self.scale), np.zeros(len(a))
        return CurveCells(slope, slope, slope, slope, nothing, nothing)


# Halvings after which any two doubles are neighbours: there are less than 2^64 of them.
_HALVINGS = 64


def last_where(holds: Callable[[FloatArray], BoolArray], low: FloatArray, high: FloatArray) -> FloatArray:
    """Find the largest doubles at which conditions hold that hold at first and then no more.

    Parameters
    ----------
    holds : function of an array of shape (n,) that returns a bool array of shape (n,)
        Conditions, one a place of the array; each is asked at one number a call, 66 times in all.
    low, high : arrays of shape (n,)
        Finite numbers between which each is looked for.

    Returns
    -------
    array of shape (n,)
        ``-inf`` where the condition does not hold at ``low``, ``inf`` where it still does at ``high``; else it holds at
        the number, and not at the next double.
    """
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    never, always = ~holds(low), holds(high)
    first, last = _places(low), _places(high)
    for _ in range(_HALVINGS):
        middle = (first >> 1) + (last >> 1) + (first & last & 1)
        is_before = holds(_numbers(middle))
        first, last = np.where(is_before, middle, first), np.where(is_before, last, middle)
    return np.where(never, -np.inf, np.where(always, np.inf, _numbers(first)))


def _places(numbers: FloatArray) -> IntArray:
    """Places of doubles in the order of all doubles; that of zero is 0."""
    bits = np.abs(numbers).view(np.int64)
    return np.where(numbers < 0, -bits, bits)


def _numbers(places: IntArray) -> FloatArray:
    size = np.abs(places).view(np.float64)
    return np.where(places < 0, -size, size)
