r"""Curves one after the other, and weighted sums of them.

Where :math:`f` rises or falls throughout, :math:`(g \circ f)'' = (g'' \circ f) f'^2 + (g' \circ f) f''`, and ranges of
the parts give a range of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....arrays import BoolArray, FloatArray
from .base import AffineCurve, Curve, CurveCells, last_where
from .known import PiecewisePolynomial


@dataclass(frozen=True, slots=True, eq=False)
class Chained(Curve):
    """Curves one after the other: those before the last one that is not affine are monotone.

    Attributes
    ----------
    curves : tuple of Curve
    low, high : float
        Numbers between which it is used.
    """

    curves: tuple[Curve, ...]
    low: float
    high: float

    @property
    def jumps(self) -> bool:  # type: ignore[override]
        """Whether one of them does."""
        return any(curve.jumps for curve in self.curves)

    def value(self, t: FloatArray) -> FloatArray:
        """Return values; beyond the ends, that at the end."""
        t = np.clip(t, self.low, self.high)
        for curve in self.curves:
            t = curve.value(t)
        return t

    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives."""
        t = np.clip(t, self.low, self.high)
        total = np.ones(np.shape(t))
        for curve in self.curves:
            with np.errstate(invalid="ignore"):
                total, t = total * curve.slope(t), curve.value(t)
        return total

    def breaks(self) -> FloatArray:
        """List where the first one has its breaks, and where the others meet theirs."""
        found = [np.empty(0)]
        for place, curve in enumerate(self.curves):
            own = curve.breaks()
            if place:
                own = self._brought_back(self.curves[:place], own, jumps=curve.jumps)
            found.append(own[(own > self.low) & (own < self.high)])
        return np.unique(np.concatenate(found))

    def on_cells(self, a: FloatArray, b: FloatArray) -> CurveCells:
        """Return what it is on cells, curve by curve."""
        cells = self.curves[0].on_cells(a, b)
        for place, curve in enumerate(self.curves[1:], start=1):
            before = self.curves[:place]
            from_a, from_b = _through(before, a), _through(before, b)
            cells = _composed(
                cells, curve.on_cells(np.minimum(from_a, from_b), np.maximum(from_a, from_b)), from_a > from_b
            )
        return cells

    def _brought_back(self, before: tuple[Curve, ...], numbers: FloatArray, *, jumps: bool) -> FloatArray:
        """Find where curves reach numbers: the last double before, and the next one where something jumps."""
        low, high = np.full(len(numbers), self.low), np.full(len(numbers), self.high)
        if len(numbers) == 0:
            return numbers
        rises = bool(_through(before, np.array([self.low]))[0] <= _through(before, np.array([self.high]))[0])

        def is_before(t: FloatArray) -> BoolArray:
            z = _through(before, t)
            return np.asarray(z <= numbers if rises else z >= numbers)

        found = last_where(is_before, low, high)
        found = found[np.isfinite(found)]
        return np.concatenate([found, np.nextafter(found, np.inf)]) if jumps else found


def _through(curves: Sequence[Curve], t: FloatArray) -> FloatArray:
    for curve in curves:
        t = curve.value(t)
    return t


def _composed(inner: CurveCells, outer: CurveCells, falls: BoolArray) -> CurveCells:
    """Put ranges of two curves together; where the inner one falls, ends of the outer one change places."""
    first, last = np.where(falls, outer.last, outer.first), np.where(falls, outer.first, outer.last)
    slopes = _product((inner.least, inner.most), (outer.least, outer.most))
    squares = _product((inner.least, inner.most), (inner.least, inner.most))
    squares = (np.maximum(squares[0], 0.0), squares[1])
    bends_outer = _product(squares, (outer.least_bend, outer.most_bend))
    bends_inner = _product((inner.least_bend, inner.most_bend), (outer.least, outer.most))
    with np.errstate(invalid="ignore"):
        least, most = bends_outer[0] + bends_inner[0], bends_outer[1] + bends_inner[1]
        ends = _times(first, inner.first), _times(last, inner.last)
    return CurveCells(*ends, *slopes, np.where(np.isnan(least), -np.inf, least), np.where(np.isnan(most), np.inf, most))


def _product(a: tuple[FloatArray, FloatArray], b: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Multiply ranges."""
    ends = [_times(x, y) for x in a for y in b]
    return np.minimum.reduce(ends), np.maximum.reduce(ends)


def _times(x: FloatArray, y: FloatArray) -> FloatArray:
    """Multiply; nothing times anything is nothing, for infinite ends are never reached."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where((x == 0) | (y == 0), 0.0, x * y)


@dataclass(frozen=True, slots=True, eq=False)
class Weighted(Curve):
    """A sum of curves with weights.

    Attributes
    ----------
    curves : tuple of Curve
    weights : tuple of float
    """

    curves: tuple[Curve, ...]
    weights: tuple[float, ...]

    @property
    def jumps(self) -> bool:  # type: ignore[override]
        """Whether one of them does."""
        return any(curve.jumps for curve in self.curves)

    def value(self, t: FloatArray) -> FloatArray:
        """Return values."""
        return np.asarray(sum(w * curve.value(t) for curve, w in zip(self.curves, self.weights)))

    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives."""
        return np.asarray(sum(w * curve.slope(t) for curve, w in zip(self.curves, self.weights)))

    def breaks(self) -> FloatArray:
        """List those of all."""
        return np.unique(np.concatenate([curve.breaks() for curve in self.curves]))

    def on_cells(self, a: FloatArray, b: FloatArray) -> CurveCells:
        """Add up what all are on cells."""
        total = CurveCells(*np.zeros((6, len(a))))
        for curve, weight in zip(self.curves, self.weights):
            own = curve.on_cells(a, b)
            scaled = _composed(own, AffineCurve(weight, 0.0).on_cells(a, b), np.zeros(len(a), dtype=np.bool_))
            with np.errstate(invalid="ignore"):
                total = CurveCells(*(x + y for x, y in zip(total, scaled)))
        least, most = total.least_bend, total.most_bend
        bends = np.where(np.isnan(least), -np.inf, least), np.where(np.isnan(most), np.inf, most)
        return CurveCells(total.first, total.last, total.least, total.most, *bends)

    def ranges(self, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Add up the ranges of all."""
        low, high = np.zeros(len(a)), np.zeros(len(a))
        for curve, weight in zip(self.curves, self.weights):
            ends = [weight * end for end in curve.ranges(a, b)]
            low, high = low + np.minimum(*ends), high + np.maximum(*ends)
        return low, high


def chained(curves: Sequence[Curve], low: float, high: float) -> Chained:
    """Put curves one after the other, affine ones together."""
    merged: list[Curve] = []
    for curve in curves:
        last = merged[-1] if merged else None
        if isinstance(curve, AffineCurve) and isinstance(last, AffineCurve):
            merged[-1] = AffineCurve(curve.scale * last.scale, curve.scale * last.offset + curve.offset)
        elif not (isinstance(curve, AffineCurve) and curve == AffineCurve(1.0, 0.0)):
            merged.append(curve)
    return Chained(tuple(merged) or (AffineCurve(1.0, 0.0),), low, high)


def weighted(curves: Sequence[Chained], weights: Sequence[float]) -> tuple[Curve | None, float]:
    """Add curves up: those that are polynomials of the same to one polynomial.

    Returns
    -------
    curve : Curve or None
        None if nothing but the constant is left.
    constant : float
    """
    constant, low, high = 0.0, max(curve.low for curve in curves), min(curve.high for curve in curves)
    polynomials: dict[tuple[object, ...], tuple[tuple[Curve, ...], PiecewisePolynomial]] = {}
    others: list[tuple[Curve, float]] = []
    for curve, weight in zip(curves, weights):
        core, after = _core(curve)
        constant += weight * after.offset
        factor, last = weight * after.scale, core[-1]
        if factor == 0.0:
            continue
        if isinstance(last, PiecewisePolynomial):
            before = core[:-1]
            key = (*(id(one) if not _has_equality(one) else one for one in before), last.key)
            known = polynomials.get(key)
            added = last.times(factor) if known is None else known[1].plus(last.times(factor))
            polynomials[key] = (before, added)
        else:
            others.append((Chained(core, low, high), factor))
    others += [(Chained((*before, last), low, high), 1.0) for before, last in polynomials.values()]
    if not others:
        return None, constant
    if len(others) == 1 and others[0][1] == 1.0:
        return others[0][0], constant
    return Weighted(tuple(curve for curve, _ in others), tuple(weight for _, weight in others)), constant


def _core(curve: Chained) -> tuple[tuple[Curve, ...], AffineCurve]:
    """Take the affine curve off the end."""
    *before, last = curve.curves
    if isinstance(last, AffineCurve) and before:
        return tuple(before), last
    return curve.curves, AffineCurve(1.0, 0.0)


def _has_equality(curve: Curve) -> bool:
    return type(curve).__eq__ is not object.__eq__
