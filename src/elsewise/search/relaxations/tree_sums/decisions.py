"""How scores become decisions, to the last bit: ranges of a score, and the largest of several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ....arrays import BoolArray, FloatArray
from ...outcomes import Interval, Probability

# Units in the last place by which links of libraries, exponentials and what is made of them, may differ from NumPy's.
LINK_ROUNDING = 8.0


@dataclass(frozen=True, slots=True)
class Range:
    """The only score lies in ``[low, high]``."""

    low: float
    high: float

    def holds(self, scores: FloatArray) -> BoolArray:
        """Whether it does, for scores of shape (n_samples, 1)."""
        return np.asarray((scores[:, 0] >= self.low) & (scores[:, 0] <= self.high))

    def rows(self, n_scores: int) -> tuple[FloatArray, FloatArray]:
        """Linear conditions ``weights · scores >= least`` that follow from it."""
        weights, least = np.array([[1.0], [-1.0]]), np.array([self.low, -self.high])
        return weights[np.isfinite(least)], least[np.isfinite(least)]

    @property
    def is_empty(self) -> bool:
        """Whether no score will do."""
        return self.low > self.high


@dataclass(frozen=True, slots=True)
class Largest:
    """The score at ``index`` is the largest, the first of those that are equal; or its softmax is large enough.

    Attributes
    ----------
    index : int
    least : float
        Of the score itself; minus infinity for any.
    least_log_odds : float
        Of the softmax of the scores, which then decides whatever is the largest; minus infinity for none.
    """

    index: int
    least: float = -np.inf
    least_log_odds: float = -np.inf

    def holds(self, scores: FloatArray) -> BoolArray:
        """Whether it does, for scores of shape (n_samples, n_classes)."""
        holds = scores[:, self.index] >= self.least
        if self.least_log_odds == -np.inf:
            holds &= scores.argmax(axis=1) == self.index
        else:
            others = np.delete(scores, self.index, axis=1) - scores[:, [self.index]]
            highest = others.max(axis=1)
            rivals = highest + np.log(np.exp(others - highest[:, None]).sum(axis=1))
            holds &= -rivals >= self.least_log_odds
        return np.asarray(holds)

    def rows(self, n_scores: int) -> tuple[FloatArray, FloatArray]:
        """Linear conditions ``weights · scores >= least`` that follow from it.

        A softmax that is large enough is so against every rival, and, as the logarithm of a sum of exponentials is at
        least their mean plus the logarithm of their number, against their mean.
        """
        others = [c for c in range(n_scores) if c != self.index]
        weights = np.zeros((len(others), n_scores))
        weights[:, self.index] = 1.0
        weights[np.arange(len(others)), others] = -1.0
        least = np.full(len(others), self.least_log_odds if self.least_log_odds > -np.inf else 0.0)
        if self.least_log_odds > -np.inf:
            weights = np.vstack([weights, weights.mean(axis=0)])
            least = np.append(least, self.least_log_odds + np.log(len(others)))
        if self.least > -np.inf:
            weights = np.vstack([weights, np.eye(n_scores)[self.index]])
            least = np.append(least, self.least)
        return weights, least

    @property
    def is_empty(self) -> bool:
        """Whether no scores will do."""
        return False


Decision = Range | Largest


def smallest_number(holds: Callable[[float], bool], *, single: bool = False) -> float:
    """Find the smallest number for which a monotone condition holds, by bisecting floats; infinity if there is none.

    Parameters
    ----------
    holds : function of a number
        False below some number, True from it on.
    single : bool
        Among 32-bit floats.
    """
    with np.errstate(over="ignore", under="ignore"):  # links of numbers of any size
        if not holds(np.finfo(np.float64).max):
            return np.inf
        if holds(np.finfo(np.float64).min):
            return -np.inf
        low, high = _to_place(-np.inf), _to_place(np.inf)
        while high - low > 1:
            middle = (low + high) // 2
            number = _of_place(middle)
            if holds(float(np.float32(number)) if single else number):
                high = middle
            else:
                low = middle
    return _of_place(high)


def largest_number(holds: Callable[[float], bool], *, single: bool = False) -> float:
    """Find the largest number for which a monotone condition holds that is False above it; minus infinity if none."""
    return -smallest_number(lambda number: holds(-number), single=single)


def range_of_scores(
    function: Callable[[float], float], wanted: Probability | Interval, *, grows: bool, single: bool = False
) -> Range:
    """Find the scores that a growing or falling link may take to the wanted range.

    The library that made the model has an exponential function of its own, whose last bits are not those of NumPy. So
    ends of the range are moved out by its rounding: a score that may be an answer is never ruled out, and ``predict``
    has the last word on answers.

    Parameters
    ----------
    function : function of a score
        Positive; one that falls is one minus a probability, whose rounding is relative to one.
    wanted : Probability or Interval
    grows : bool
    single : bool
        Scores and values of the function have 32 bits.
    """
    ulps = LINK_ROUNDING * float(np.finfo(np.float32 if single else np.float64).eps)
    low = wanted.low - ulps * (abs(wanted.low) if grows and np.isfinite(wanted.low) else 1.0)
    high = wanted.high + ulps * (abs(wanted.high) if grows and np.isfinite(wanted.high) else 1.0)
    if grows:
        first = smallest_number(lambda s: function(s) >= low, single=single)
        return Range(first, largest_number(lambda s: function(s) <= high, single=single))
    first = smallest_number(lambda s: function(s) <= high, single=single)
    return Range(first, largest_number(lambda s: function(s) >= low, single=single))


def _to_place(number: float) -> int:
    """Place of a double in the order of doubles."""
    bits = int(np.float64(number).view(np.int64))
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


def _of_place(place: int) -> float:
    size = float(np.int64(abs(place)).view(np.float64))
    return size if place >= 0 else -size
