"""Curves in pieces that are read from tables: lines, ranks among training values, steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import FloatArray
from .base import Curve, CurveCells

# Numbers that are farther away are as far away as this: middles of intervals are finite.
_FARTHEST = 1e300


@dataclass(frozen=True, slots=True, eq=False)
class PiecewiseLinear(Curve):
    """Lines between points, and slopes beyond the first and the last one.

    Attributes
    ----------
    x, y : arrays of shape (n,)
        The points, ``x`` ascending.
    before, after : float
    """

    x: FloatArray
    y: FloatArray
    before: float = 0.0
    after: float = 0.0

    def value(self, t: FloatArray) -> FloatArray:
        """Return values."""
        total = np.interp(t, self.x, self.y)
        if self.before:
            total = total + self.before * np.minimum(t - self.x[0], 0.0)
        if self.after:
            total = total + self.after * np.maximum(t - self.x[-1], 0.0)
        return np.asarray(total)

    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives."""
        slopes = np.concatenate([[self.before], np.diff(self.y) / np.diff(self.x), [self.after]])
        return np.asarray(slopes[np.searchsorted(self.x, t)])

    def breaks(self) -> FloatArray:
        """List the points."""
        return self.x

    def on_cells(self, a: FloatArray, b: FloatArray) -> CurveCells:
        """Return the slopes."""
        a, b = np.clip(a, -_FARTHEST, _FARTHEST), np.clip(b, -_FARTHEST, _FARTHEST)  # normal scores may be infinite
        return _straight(self.slope(a + (b - a) / 2))


@dataclass(frozen=True, slots=True, eq=False)
class Ranks(Curve):
    """Where a number is among quantiles, from 0 to 1, as QuantileTransformer has it.

    Attributes
    ----------
    quantiles, references : arrays of shape (n,)
        Numbers, ascending, some of them perhaps equal, and their ranks.
    edge : float
        Numbers so near to the first and the last quantile have the first and the last rank.
    """

    quantiles: FloatArray
    references: FloatArray
    edge: float

    jumps = True

    def value(self, t: FloatArray) -> FloatArray:
        """Return values; among equal quantiles the mean of the first and the last rank."""
        q, r = self.quantiles, self.references
        t = np.asarray(t, dtype=np.float64)
        ranks = 0.5 * (np.interp(t, q, r) - np.interp(-t, -q[::-1], -r[::-1]))
        is_last = t + self.edge > q[-1] if self.edge else t == q[-1]
        is_first = t - self.edge < q[0] if self.edge else t == q[0]
        return np.asarray(np.where(is_first, 0.0, np.where(is_last, 1.0, ranks)))

    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives; none where numbers have the first or the last rank."""
        q, r = np.unique(self.quantiles), self.references
        if len(q) < 2:
            return np.zeros(np.shape(t))
        # of equal quantiles the last rank on the left, the first one on the right
        left = r[np.searchsorted(self.quantiles, q[:-1], side="right") - 1]
        right = r[np.searchsorted(self.quantiles, q[1:], side="left")]
        slopes = np.concatenate([[0.0], (right - left) / np.diff(q), [0.0]])
        is_edge = (t - self.edge < q[0]) | (t + self.edge > q[-1])
        return np.where(is_edge, 0.0, slopes[np.searchsorted(q, t)])

    def breaks(self) -> FloatArray:
        """List the quantiles, and the doubles next to those that are equal, and to the edges."""
        q, counts = np.unique(self.quantiles, return_counts=True)
        edges = np.array([q[0], q[0] + self.edge, q[-1] - self.edge, q[-1]])
        at = np.concatenate([q[counts > 1], edges])
        # one more on both sides of an edge: the comparison itself rounds
        at = np.concatenate([at, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])
        return np.unique(np.concatenate([q, at, np.nextafter(at, -np.inf), np.nextafter(at, np.inf)]))

    def on_cells(self, a: FloatArray, b: FloatArray) -> CurveCells:
        """Return the slopes."""
        return _straight(self.slope(a + (b - a) / 2))


@dataclass(frozen=True, slots=True, eq=False)
class StepCurve(Curve):
    """Constant between steps, ``values[p]`` where ``ends[p - 1] < t <= ends[p]``.

    Attributes
    ----------
    ends : array of shape (n_pieces - 1,), ascending
    values : array of shape (n_pieces,)
    """

    ends: FloatArray
    values: FloatArray

    jumps = True

    def value(self, t: FloatArray) -> FloatArray:
        """Return values."""
        return np.asarray(self.values[np.searchsorted(self.ends, t)])

    def slope(self, t: FloatArray) -> FloatArray:
        """Return none."""
        return np.zeros(np.shape(t))

    def breaks(self) -> FloatArray:
        """List the last number of each piece and the first of the next."""
        return np.unique(np.concatenate([self.ends, np.nextafter(self.ends, np.inf)]))

    def on_cells(self, a: FloatArray, b: FloatArray) -> CurveCells:
        """Return that nothing changes."""
        return _straight(np.zeros(len(a)))


def _straight(slope: FloatArray) -> CurveCells:
    nothing = np.zeros(len(slope))
    return CurveCells(slope, slope, slope, slope, nothing, nothing)
