r"""How scores become decisions, to the last bit: ranges of a score, the largest of several, and means of links of them.

A mean of calibrated scores, a soft vote and a stack are :math:`\sum_f w_f\, g_f(s_f)` with scores :math:`s_f` and links
:math:`g_f` that grow or fall. On an interval of a score every line above :math:`w_f g_f` turns what is needed of the
sum into a linear condition on scores that holds wherever the sum is large enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from ....arrays import BoolArray, FloatArray
from ...region import Interval, Probability
from ..unit_sums.functions import LOGISTIC

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


# Share by which lines are lifted: rounding of values and products, many times over.
LINE_ROUNDING = 1e-12
# Halvings of an interval in which a link takes a value.
HALVINGS = 60


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A link: ``slope t + offset`` itself, its logistic function, or a line through knots.

    Attributes
    ----------
    slope, offset : float
    is_logistic : bool
    x, y : arrays of shape (n_knots,)
        Knots ``(x, y)`` of a piecewise linear function of ``t``, ascending in ``x`` and constant beyond; empty for the
        others.
    """

    slope: float = 1.0
    offset: float = 0.0
    is_logistic: bool = False
    x: FloatArray = field(default_factory=lambda: np.empty(0))
    y: FloatArray = field(default_factory=lambda: np.empty(0))

    @property
    def is_line(self) -> bool:
        """Whether it is a line everywhere."""
        return not self.is_logistic and not len(self.x)

    def value(self, t: FloatArray) -> FloatArray:
        """Return values, of any shape."""
        if len(self.x):
            return np.asarray(np.interp(t, self.x, self.y))
        line = self.slope * t + self.offset
        return np.asarray(expit(line) if self.is_logistic else line)

    def steepest(self) -> float:
        """Return the largest absolute slope."""
        if len(self.x):
            return float(np.abs(np.diff(self.y) / np.diff(self.x)).max(initial=0.0))
        return abs(self.slope) * (0.25 if self.is_logistic else 1.0)

    def line_above(self, weight: float, low: float, high: float, near: float) -> tuple[float, float]:
        """Return slope and offset of a line above ``weight`` times the link on an interval, tight near a point."""
        if self.is_line:
            return weight * self.slope, weight * self.offset
        if len(self.x):
            return self._above_knots(weight, low, high, near)
        ends = sorted((self.slope * low + self.offset, self.slope * high + self.offset))
        arrays = [np.array([number]) for number in (*ends, self.slope * near + self.offset)]
        lines = (LOGISTIC.above if weight > 0 else LOGISTIC.below)(*arrays)
        slope, offset = float(lines.slope[0]), float(lines.offset[0])
        size = 1.0 + abs(offset) + abs(slope) * (max(abs(ends[0]), abs(ends[1])) + abs(self.offset))
        return weight * slope * self.slope, weight * (offset + slope * self.offset) + LINE_ROUNDING * abs(weight) * size

    def _above_knots(self, weight: float, low: float, high: float, near: float) -> tuple[float, float]:
        """Find the edge of the upper hull of the knots that is above a point."""
        x = np.unique(np.concatenate([[low, high], self.x[(self.x > low) & (self.x < high)]]))
        y = weight * self.value(x)
        hull: list[int] = []
        for k in range(len(x)):
            while len(hull) > 1 and (y[hull[-1]] - y[hull[-2]]) * (x[k] - x[hull[-2]]) <= (y[k] - y[hull[-2]]) * (
                x[hull[-1]] - x[hull[-2]]
            ):
                hull.pop()
            hull.append(k)
        right = int(np.clip(np.searchsorted(x[hull], near), 1, max(1, len(hull) - 1)))
        slope = 0.0
        if len(hull) > 1:
            a, b = hull[right - 1], hull[right]
            slope = float((y[b] - y[a]) / (x[b] - x[a]))
        size = float(np.abs(y).max() + abs(slope) * np.abs(x).max())
        return slope, float((y - slope * x).max()) + LINE_ROUNDING * size

    def near_value(self, wanted: float, low: float, high: float) -> float:
        """Return a point of an interval at which the link is about a value, the nearest end if there is none."""
        rises = self.value(np.array(high)) >= self.value(np.array(low))
        for _ in range(HALVINGS):
            middle = low + (high - low) / 2
            if (self.value(np.array(middle)) < wanted) == rises:
                low = middle
            else:
                high = middle
        return low + (high - low) / 2


# Values of links at which the lines of a mean are tight.
TIGHT_AT = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True, eq=False)
class Mean:
    """A weighted sum of links of the scores is at least so large.

    Attributes
    ----------
    weights : array of shape (n_scores,)
    links : tuple of Link, one a score
    least : float
    low, high : arrays of shape (n_scores,)
        Nothing has scores below and above.
    doubt : float
        How far the model's own sum may be from this one.
    """

    weights: FloatArray
    links: tuple[Link, ...]
    least: float
    low: FloatArray
    high: FloatArray
    doubt: float

    def values(self, scores: FloatArray) -> FloatArray:
        """Compute the weighted sums for scores of shape (n_samples, n_scores), array of shape (n_samples,)."""
        return np.asarray(sum(w * link.value(s) for w, link, s in zip(self.weights, self.links, scores.T)))

    def holds(self, scores: FloatArray) -> BoolArray:
        """Whether it is, for scores of shape (n_samples, n_scores)."""
        return np.asarray(self.values(scores) >= self.least)

    def rows(self, n_scores: int) -> tuple[FloatArray, FloatArray]:
        """Linear conditions ``weights · scores >= least`` that follow from it, by lines above the links."""
        is_straight = all(link.is_line for link in self.links)
        made = [self._line(value) for value in TIGHT_AT[: 1 if is_straight else len(TIGHT_AT)]]
        return np.array([slopes for slopes, _ in made]), np.array([least for _, least in made])

    def _line(self, value: float) -> tuple[list[float], float]:
        """Return the condition by lines that are tight where all links are about a value."""
        slopes, offset = [], 0.0
        for weight, link, low, high in zip(self.weights.tolist(), self.links, self.low.tolist(), self.high.tolist()):
            near = low if link.is_line else link.near_value(value, low, high)
            slope, height = link.line_above(weight, low, high, near)
            slopes.append(slope)
            offset += height
        return slopes, self.least - offset - self.doubt

    @property
    def is_empty(self) -> bool:
        """Whether no scores will do."""
        return False


Decision = Range | Largest | Mean


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
