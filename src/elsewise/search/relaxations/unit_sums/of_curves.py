r"""Units that are curves of single features: lines above and below them from tables of what they are between knots.

Knots are the breaks of a curve, and more of them where data are. Between two knots a range of second derivatives is
known, which bounds the curve by its chord, raised by :math:`\tfrac18 (-m)^+ w^2` (see :mod:`..curves.base`). The best
line above all of that near a point leans on two knots. Where the curve is concave on the whole interval its tangent
is the best line instead, and where it is convex the chord is what the knots give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ....arrays import BoolArray, FloatArray
from ..curves import Curve
from .functions import Function, Lines

# Knots of a curve from a width of the data below the smallest training value to one above the largest: lines between
# them miss the curve by its bend times 1e-4 of the width squared.
KNOTS_OF_DATA = 97
# Exchanges of knots on the way to the best line: any line is valid, few are enough.
MOST_STEPS_TO_A_LINE = 20
# Rounding of values of curves and of lines, and kinks that are taken for none, relative to the numbers in them.
LINE_ROUNDING = 4e-13
# Slopes on both sides of a knot that differ by less than this share are the same.
KINK = 1e-13
# Intervals without an end are divided within so many widths of the data.
WIDTHS_TO_DIVIDE = 8.0
# Knots next to the ends of what a step takes, where a logarithm or a root is infinitely steep, in widths of the data.
SHARES_TO_ENDS = np.geomspace(1e-15, 1e-2, 14)
# Values above this are as good as none: lines are not looked for there.
HIGHEST = 1e300


@dataclass(frozen=True, slots=True)
class _Table:
    """Knots of all units and what the curves are between them, padded at the end by empty cells.

    Attributes
    ----------
    t, value : arrays of shape (n_units, n_knots)
    least_bend, most_bend : arrays of shape (n_units, n_knots - 1)
    lowest, highest : arrays of shape (n_units, n_knots - 1)
        Ends of the ranges of values.
    kinks_up, kinks_down : bool arrays of shape (n_units, n_knots)
        Where the slope grows or falls at once.
    is_break : bool array of shape (n_units, n_knots)
        Breaks of the curves and ends of what they are used for: a slope there may be that of either side.
    """

    t: FloatArray
    value: FloatArray
    least_bend: FloatArray
    most_bend: FloatArray
    lowest: FloatArray
    highest: FloatArray
    kinks_up: BoolArray
    kinks_down: BoolArray
    is_break: BoolArray

    def upside_down(self) -> _Table:
        """Return the table of the curves times minus one."""
        return _Table(
            self.t,
            -self.value,
            -self.most_bend,
            -self.least_bend,
            -self.highest,
            -self.lowest,
            self.kinks_down,
            self.kinks_up,
            self.is_break,
        )


@dataclass(frozen=True, slots=True, eq=False)
class CurveFunction(Function):
    """A curve for each unit.

    Attributes
    ----------
    curves : tuple of Curve, one a unit
    low, high : arrays of shape (n_units,)
        Numbers between which each is used; finite.
    seen : array of shape (2, n_units)
        Smallest and largest training values: there, knots are close together.
    never_falls : bool
        Each curve is known to fall nowhere.
    """

    curves: tuple[Curve, ...]
    low: FloatArray
    high: FloatArray
    seen: FloatArray
    never_falls: bool = False
    breaks: tuple[FloatArray, ...] = field(init=False)
    table: _Table = field(init=False)
    flipped: _Table = field(init=False)

    def __post_init__(self) -> None:
        breaks = [curve.breaks() for curve in self.curves]
        breaks = [own[(own > a) & (own < b)] for own, a, b in zip(breaks, self.low, self.high)]
        object.__setattr__(self, "breaks", tuple(breaks))
        table = _stacked([_cells(*unit) for unit in zip(self.curves, breaks, self.low, self.high, self.seen.T)])
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "flipped", table.upside_down())

    def value(self, t: FloatArray) -> FloatArray:
        """Return values; beyond the ends of a curve, that at the end."""
        return self._each([curve.value for curve in self.curves], np.clip(t, self.low, self.high))

    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives; where they are infinite, a large number."""
        slope = self._each([curve.slope for curve in self.curves], np.clip(t, self.low, self.high))
        return np.nan_to_num(slope, nan=0.0, posinf=1e100, neginf=-1e100)

    def above(self, low: FloatArray, high: FloatArray, near: FloatArray) -> Lines:
        """Return lines above."""
        return self._lines(low, high, near, self.table, 1.0)

    def below(self, low: FloatArray, high: FloatArray, near: FloatArray) -> Lines:
        """Return lines below."""
        slope, offset = self._lines(low, high, near, self.flipped, -1.0)
        return Lines(-slope, -offset)

    def divide_at(self, low: float, high: float, near: float, unit: int) -> float | None:
        """At a break next to the point, if there is one well inside; else as others do."""
        low, high = max(low, float(self.low[unit])), min(high, float(self.high[unit]))
        if self._is_straight(low, high, unit):
            return None
        room = WIDTHS_TO_DIVIDE * float(self.seen[1, unit] - self.seen[0, unit])
        ends = max(low, float(self.seen[0, unit]) - room), min(high, float(self.seen[1, unit]) + room)
        at = Function.divide_at(self, *(ends if ends[0] < ends[1] else (low, high)), near, unit)
        if at is None:
            return None
        breaks = self.breaks[unit]
        breaks = breaks[(breaks > low) & (breaks < high)]
        if len(breaks) == 0:
            return at
        nearest = float(breaks[np.abs(breaks - at).argmin()])
        reach = min(at - low, high - at)
        return nearest if len(breaks) <= 2 or abs(nearest - at) <= reach else at

    def beyond(self, at: float, unit: int) -> float:
        """Return the next double, if the curve jumps to it."""
        if not self.curves[unit].jumps:
            return at
        after = float(np.nextafter(at, np.inf))
        breaks = self.breaks[unit]
        return after if after in breaks and at in breaks else at

    def _is_straight(self, low: float, high: float, unit: int) -> bool:
        """Whether a curve is a line between two numbers."""
        table, t = self.table, self.table.t[unit]
        is_in, is_inside = (t[1:] > low) & (t[:-1] < high), (t > low) & (t < high)
        bends = (table.least_bend[unit] != 0) | (table.most_bend[unit] != 0)
        return not ((is_in & bends).any() or (is_inside & (table.kinks_up[unit] | table.kinks_down[unit])).any())

    def _each(self, functions: Sequence[object], t: FloatArray) -> FloatArray:
        out = np.empty(np.shape(t))
        for unit, function in enumerate(functions):
            out[..., unit] = function(t[..., unit])  # type: ignore[operator]
        return out

    def _lines(self, low: FloatArray, high: FloatArray, near: FloatArray, table: _Table, sign: float) -> Lines:
        """Return lines above the curves times a sign."""
        if low.ndim > 1:
            lines = [self._lines(*ends, table, sign) for ends in zip(low, high, near)]
            return Lines(*(np.array(of_all) for of_all in zip(*lines)))
        low, high = np.clip(low, self.low, self.high), np.clip(high, self.low, self.high)
        near = np.clip(near, low, high)
        at_low, at_high, at_near = (sign * self.value(t) for t in (low, high, near))
        t = np.clip(table.t, low[:, None], high[:, None])
        is_low, is_high = table.t <= low[:, None], table.t >= high[:, None]
        value = np.where(is_low, at_low[:, None], np.where(is_high, at_high[:, None], table.value))
        width = np.diff(t, axis=1)
        is_in, is_inside = width > 0, ~(is_low | is_high)
        is_concave = ~(is_in & (table.most_bend > 0)).any(axis=1) & ~(is_inside & table.kinks_up).any(axis=1)
        raised = _raised(value, width, table, is_in)
        slope = _best_slopes(t, raised, near)
        tangent = sign * self.slope(near)
        # the slope at a break may be that of the side outside of the interval
        at_break = ((table.t == near[:, None]) & table.is_break).any(axis=1)
        is_tangent = is_concave & ~at_break & (np.abs(tangent) < 1e50)
        slope = np.where(is_tangent, tangent, slope)
        with np.errstate(invalid="ignore"):
            offset = np.where(is_tangent, at_near - tangent * near, (raised - slope[:, None] * t).max(axis=1))
        size = np.abs(value).max(axis=1) + np.abs(slope) * np.maximum(np.abs(low), np.abs(high))
        return Lines(slope, offset + LINE_ROUNDING * size)


def _raised(value: FloatArray, width: FloatArray, table: _Table, is_in: BoolArray) -> FloatArray:
    """Raise values at knots so that lines between them are above the curves, shape (n_units, n_knots)."""
    with np.errstate(over="ignore", invalid="ignore"):
        raised = np.where(is_in & (table.least_bend < 0), -table.least_bend * width**2 / 8, 0.0)
    left, right = value[:, :-1] + raised, value[:, 1:] + raised
    is_flat = is_in & (2 * table.highest < left + right)
    left, right = np.where(is_flat, table.highest, left), np.where(is_flat, table.highest, right)
    out = value.copy()
    out[:, :-1] = np.maximum(out[:, :-1], left)
    out[:, 1:] = np.maximum(out[:, 1:], right)
    return out


def _best_slopes(t: FloatArray, value: FloatArray, near: FloatArray) -> FloatArray:
    """Slopes of the lines above points that are lowest near a number, one a unit, by exchange of two points.

    Any slope would do: offsets are found afterwards.
    """
    every = np.arange(len(near))
    left, right = np.zeros(len(near), dtype=np.int64), np.full(len(near), t.shape[1] - 1)
    away = t - near[:, None]
    slope = np.zeros(len(near))
    for _ in range(MOST_STEPS_TO_A_LINE):
        apart = t[every, right] - t[every, left]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            slope = np.where(apart > 0, (value[every, right] - value[every, left]) / apart, 0.0)
            slope = np.where(np.isfinite(slope), slope, 0.0)
            height = value - slope[:, None] * away
        highest = height.argmax(axis=1)
        if not np.isfinite(height).all():  # no line is above an infinite value
            height = np.clip(height, -HIGHEST, HIGHEST)
        gain = height[every, highest] - height[every, left]
        better = gain > LINE_ROUNDING * (1.0 + np.abs(height[every, left]))
        is_left = away[every, highest] <= 0
        if not better.any():
            break
        left, right = np.where(better & is_left, highest, left), np.where(better & ~is_left, highest, right)
    return slope


def _cells(curve: Curve, breaks: FloatArray, low: float, high: float, seen: FloatArray) -> _Table:
    """Make the table of one curve."""
    room = seen[1] - seen[0]
    knots = np.linspace(seen[0] - room, seen[1] + room, KNOTS_OF_DATA)
    to_ends = room * SHARES_TO_ENDS  # where slopes may be infinite
    knots = np.concatenate([knots, low + to_ends, high - to_ends])
    knots = np.unique(np.concatenate([breaks, knots[(knots > low) & (knots < high)], [low, high]]))
    a, b = knots[:-1], knots[1:]
    cells, value, (lowest, highest) = curve.on_cells(a, b), curve.value(knots), curve.ranges(a, b)
    is_jump = np.nextafter(a, np.inf) >= b  # no double is in between
    with np.errstate(over="ignore"):
        steep = np.diff(value) / np.diff(knots)
    first, last = np.where(is_jump, steep, cells.first), np.where(is_jump, steep, cells.last)
    grows = np.zeros((2, len(knots)), dtype=np.bool_)
    # a jump at zero is infinitely steep: infinite slopes would differ by less than their own rounding
    before, after = np.clip(last[:-1], -HIGHEST, HIGHEST), np.clip(first[1:], -HIGHEST, HIGHEST)
    with np.errstate(invalid="ignore"):
        small = KINK * (np.abs(before) + np.abs(after))
        grows[0, 1:-1], grows[1, 1:-1] = ~(after <= before + small), ~(after >= before - small)
    return _Table(
        knots[None],
        value[None],
        np.where(is_jump, 0.0, cells.least_bend)[None],
        np.where(is_jump, 0.0, cells.most_bend)[None],
        np.where(is_jump, np.minimum(value[:-1], value[1:]), lowest)[None],
        np.where(is_jump, np.maximum(value[:-1], value[1:]), highest)[None],
        grows[:1],
        grows[1:],
        np.isin(knots, [*breaks, low, high])[None],
    )


def _stacked(tables: list[_Table]) -> _Table:
    """Put tables of single units together, shorter ones ended by the last knot again and again."""
    n = max(table.t.shape[1] for table in tables)

    def knots(name: str) -> FloatArray:
        return np.vstack([np.pad(getattr(one, name), ((0, 0), (0, n - one.t.shape[1])), mode="edge") for one in tables])

    def cells(name: str) -> FloatArray:
        return np.vstack([np.pad(getattr(one, name), ((0, 0), (0, n - one.t.shape[1]))) for one in tables])

    between = [cells(name) for name in ("least_bend", "most_bend", "lowest", "highest")]
    no_kinks = [cells(name).astype(np.bool_) for name in ("kinks_up", "kinks_down")]
    is_break = knots("is_break").astype(np.bool_)
    bends, ranges = between[:2], between[2:]
    return _Table(
        knots("t"), knots("value"), bends[0], bends[1], ranges[0], ranges[1], no_kinks[0], no_kinks[1], is_break
    )
