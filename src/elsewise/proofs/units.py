"""Bounds of nodes where the model is a sum of units: lines above and below them on their intervals.

A line for each unit makes a row of the sums a half-space of features, which is tight near a point; projections add
half-spaces where they are violated. The checker makes the best of the multipliers and the slopes of the lines alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..search.relaxations.unit_sums.functions import entropy, shares_of
from ..search.relaxations.unit_sums.units import Layer
from .multipliers import BoundedNode, NodeMultipliers, NodeRelaxation
from .nodes import Narrowing, NodeCosts, ProofNode, UnitCuts
from .regions import NotCertifiedError, StatedSums

# Rounds of half-spaces that a node takes at most, and what makes one worth a projection, relative to its terms.
MOST_ROUNDS, CUT_DEPTH = 30, 1e-12
# Multipliers that do nothing for a bound.
SMALLEST_MULTIPLIER = 1e-12
# What the checker allows for: roundings of sums, a little more than it does.
ROUNDING = 1.01 * 2.0**-52
# Rounding of sums of lines in doubles, relative to their terms.
LINE_ROUNDING = 1e-14
# Units are narrowed again while that lifts the bound by this share of what is missing; each end costs so many
# projections.
WORTH_NARROWING, TIMES_AN_END = 0.2, 2
# Units are narrowed whose gaps are more than this share of all.
WORTH_AN_END = 0.01
# Ends that are moved by less than this share of the interval are left.
SMALLEST_MOVE = 0.02
# Projections of a proof, beyond which it is given up.
MOST_PROJECTIONS = 1_500
# Units whose lines miss them by less than this, relative to the terms of a row, have no gap.
NO_GAP = 1e-11


@dataclass(frozen=True, slots=True, eq=False)
class UnitIntervals:
    """Intervals of what units are applied to, lists of arrays of shape (n_units,), one a layer."""

    low: list[FloatArray]
    high: list[FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class UnitBound:
    """What is known of a node.

    Attributes
    ----------
    node : ProofNode
        With its cuts.
    relaxed : BoundedNode or None
        None if a category has to be decided first.
    intervals : UnitIntervals or None
        None if nothing is left of the node.
    """

    node: ProofNode
    relaxed: BoundedNode | None
    intervals: UnitIntervals | None


class UnitBounds:
    """Bounds nodes of one statement.

    Parameters
    ----------
    stated : StatedSums
    costs : NodeCosts
    relaxation : NodeRelaxation
    """

    def __init__(self, stated: StatedSums, costs: NodeCosts, relaxation: NodeRelaxation) -> None:
        self.costs, self.relaxation, self.sums = costs, relaxation, stated.of_features()
        self.first = np.cumsum([0, *(len(layer.b) for layer in self.sums.layers)])
        self.n_projections, self.sizes = 0, np.empty(0)
        self.rounding = self._rounding(stated)

    def solve(self, box: ProofNode, wanted: float) -> UnitBound:
        """Bound a node: project, and add half-spaces where the projection violates them."""
        intervals = self.intervals(box)
        if intervals is None:
            return UnitBound(box, BoundedNode(NodeMultipliers(), np.inf, None), None)
        node = replace(box, cuts=self.cuts_at(self.costs.row, intervals))
        for _ in range(MOST_ROUNDS):
            relaxed = self._projected(node)
            if relaxed is None or relaxed.bound >= wanted or relaxed.point is None:
                break
            assert node.cuts is not None
            more = self.cuts_at(relaxed.point, intervals).joined(self._sides(box, relaxed.point, intervals))
            depth = more.A @ relaxed.point - more.b
            violated = depth > CUT_DEPTH * (np.abs(more.A) @ np.abs(relaxed.point) + np.abs(more.b))
            if not violated.any():
                break
            active = relaxed.multipliers.parts > SMALLEST_MULTIPLIER
            kept = node.cuts.chosen(active) if len(active) else node.cuts
            node = replace(box, cuts=kept.joined(more.chosen(violated)))
        return UnitBound(node, relaxed, intervals)

    def _projected(self, node: ProofNode) -> BoundedNode | None:
        self.n_projections += 1
        if self.n_projections > MOST_PROJECTIONS:
            raise NotCertifiedError(f"the proof takes more than {MOST_PROJECTIONS} projections")
        return self.relaxation.solve(node)

    def intervals(self, box: ProofNode) -> UnitIntervals | None:
        """Bound what units are applied to in a node; None if nothing is left of it."""
        costs, first = self.costs, self.sums.layers[0]
        low, high = np.maximum(box.lower, costs.row - costs.reach), np.minimum(box.upper, costs.row + costs.reach)
        least, most = _applied(first, low, high)
        middle = first.b + first.W @ costs.row
        room = costs.bound * (np.abs(first.W) / costs.prices).max(axis=1, initial=0.0)
        least, most = np.maximum(least, middle - room), np.minimum(most, middle + room)
        found = UnitIntervals([], [])
        for place, layer in enumerate(self.sums.layers):
            if place:
                before = self.sums.layers[place - 1].function
                ends = before.value(found.low[-1]), before.value(found.high[-1])
                # of all functions only squares fall somewhere
                a, b = np.minimum(*ends), np.maximum(*ends)
                least, most = _applied(layer, a, b)
            for unit, (left_end, right_end) in box.units.items():
                k = unit - int(self.first[place])
                if 0 <= k < len(layer.b):
                    least[k], most[k] = max(least[k], left_end), min(most[k], right_end)
            if (least > most).any():
                return None
            found.low.append(least)
            found.high.append(most)
        return found

    def cuts_at(self, x: FloatArray, intervals: UnitIntervals) -> UnitCuts:
        """Half-spaces of all rows that are tight near a point; of a soft minimum, of their sum with shares, too."""
        sums, forms = self.sums, self.sums.forms(x)
        rows, offsets = np.eye(len(sums.d)), np.zeros(len(sums.d))
        if sums.log_odds is not None:
            shares = shares_of(sums.row_values(x, forms))
            rows = np.vstack([rows, shares])
            offsets = np.append(offsets, -entropy(shares)) + sums.log_odds
        cuts = self._lines(rows @ sums.C, len(sums.layers), intervals, forms)
        b = cuts.b + rows @ (sums.d + self.rounding) + offsets
        return UnitCuts(cuts.A - rows @ sums.D, b, rows, cuts.slopes)

    def _sides(self, box: ProofNode, x: FloatArray, intervals: UnitIntervals) -> UnitCuts:
        """Half-spaces of the ends of intervals that a point misses."""
        forms, n_rows = np.concatenate(self.sums.forms(x)), len(self.sums.d)
        found = UnitCuts(np.empty((0, len(x))), np.empty(0), np.empty((0, n_rows)), np.empty((0, len(forms))))
        for unit, (low, high) in box.units.items():
            if forms[unit] < low:
                found = found.joined(self.side(unit, 1.0, low, x, intervals))
            elif forms[unit] > high:
                found = found.joined(self.side(unit, -1.0, high, x, intervals))
        return found

    def side(self, unit: int, sign: float, at: float, x: FloatArray, intervals: UnitIntervals) -> UnitCuts:
        """Half-space of ``sign (t - at) >= 0``, t being what a unit is applied to."""
        place, k = self._place(unit)
        layer = self.sums.layers[place]
        if place == 0:
            A, b, slopes = -sign * layer.W[[k]], np.zeros(1), np.zeros((1, int(self.first[-1])))
        else:
            cuts = self._lines(sign * layer.W[[k]], place, intervals, self.sums.forms(x))
            A, b, slopes = cuts.A, cuts.b, cuts.slopes
        slopes[0, unit] = sign
        return UnitCuts(A, b + sign * (layer.b[k] - at), np.zeros((1, len(self.sums.d))), slopes)

    def narrowed(self, found: UnitBound, wanted: float) -> tuple[Narrowing, ...]:
        """Narrow the intervals of units that miss their lines at the projection."""
        assert found.relaxed is not None
        assert found.intervals is not None
        x, narrowings = found.relaxed.point, []
        assert x is not None
        low, high = np.concatenate(found.intervals.low), np.concatenate(found.intervals.high)
        t = np.clip(np.concatenate(self.sums.forms(x)), low, high)
        gaps = self._gaps(x, found.intervals)
        for unit in np.flatnonzero(gaps > WORTH_AN_END * gaps.sum()).tolist():
            ends = {}
            for sign, far in ((-1.0, float(low[unit])), (1.0, float(high[unit]))):
                ends[sign] = self._end(found, unit, sign, float(t[unit]), far, wanted)
            if ends[-1.0] is not None or ends[1.0] is not None:
                below, above = ends[-1.0] or (-np.inf, {}), ends[1.0] or (np.inf, {})
                narrowings.append(Narrowing(unit, below[0], above[0], below[1], above[1]))
        return tuple(narrowings)

    def _end(
        self, found: UnitBound, unit: int, sign: float, near: float, far: float, wanted: float
    ) -> tuple[float, dict[str, Any]] | None:
        """Find an end beyond which nothing is nearer than what is wanted, and multipliers that prove it.

        The distance of what is beyond an end is convex in the end, and the multiplier of the end is its slope: a step
        of Newton's leads to an end that is proven by the same multipliers.
        """
        assert found.intervals is not None
        assert found.node.cuts is not None
        assert found.relaxed is not None
        at, best, x = near + (far - near) / 2, None, found.relaxed.point
        assert x is not None
        for _ in range(TIMES_AN_END):
            cuts = found.node.cuts.joined(self.side(unit, sign, at, x, found.intervals))
            relaxed = self._projected(replace(found.node, cuts=cuts))
            if relaxed is None or len(relaxed.multipliers.parts) == 0:
                break
            multiplier = float(relaxed.multipliers.parts[-1])
            if relaxed.bound == np.inf or not multiplier > 0:
                break
            at = at + sign * (wanted - relaxed.bound) / multiplier
            if not sign * (far - at) > SMALLEST_MOVE * abs(far - near) or not sign * (at - near) > 0:
                break
            best = at, {**relaxed.multipliers.as_json, **cuts.as_json(relaxed.multipliers.parts)}
        return best

    def _lines(self, C: FloatArray, n_layers: int, intervals: UnitIntervals, forms: list[FloatArray]) -> UnitCuts:
        """Half-spaces ``C a >= 0`` of units of a layer relaxed to features, layer by layer."""
        offsets, slopes = np.zeros(len(C)), np.zeros((len(C), int(self.first[-1])))
        for place in range(n_layers - 1, -1, -1):
            layer, (low, high) = self.sums.layers[place], (intervals.low[place], intervals.high[place])
            near = np.clip(forms[place], low, high)
            above, below = layer.function.above(low, high, near), layer.function.below(low, high, near)
            helps, hurts = np.maximum(C, 0.0), np.minimum(C, 0.0)
            slope = helps * above.slope + hurts * below.slope
            slopes[:, self.first[place] : self.first[place + 1]] = slope
            offsets = offsets + helps @ above.offset + hurts @ below.offset + slope @ layer.b
            C = slope @ layer.W
        offsets += LINE_ROUNDING * (np.abs(slopes) @ self.sizes + np.abs(offsets))
        return UnitCuts(-C, offsets, np.empty((len(C), 0)), slopes)

    def split(self, x: FloatArray, intervals: UnitIntervals) -> tuple[int, float] | None:
        """Find the unit whose line misses it most at a point, and where to divide it; None if none does."""
        gaps, forms = self._gaps(x, intervals), np.concatenate(self.sums.forms(x))
        low, high = np.concatenate(intervals.low), np.concatenate(intervals.high)
        for unit in np.argsort(-gaps).tolist():
            if not gaps[unit] > 0:
                break
            place, k = self._place(unit)
            t = float(np.clip(forms[unit], low[unit], high[unit]))
            at = self.sums.layers[place].function.divide_at(float(low[unit]), float(high[unit]), t, k)
            if at is not None:
                return unit, at
        return None

    def _place(self, unit: int) -> tuple[int, int]:
        """Return the layer of a unit, and its number there."""
        place = int(np.searchsorted(self.first, unit, side="right")) - 1
        return place, unit - int(self.first[place])

    def _gaps(self, x: FloatArray, intervals: UnitIntervals) -> FloatArray:
        """By how much lines miss units at a point, weighted by what they do to rows that are negative there."""
        forms = self.sums.forms(x)
        margins, C, _ = self.sums.decisive(x, forms)
        chosen = C[(margins < 0) | (margins == margins.min())]
        values = np.abs(self.sums.layers[-1].function.value(forms[-1]))
        helps, hurts = np.maximum(chosen, 0.0).max(axis=0), np.maximum(-chosen, 0.0).max(axis=0)
        found, smallest = [], NO_GAP * float((np.maximum(helps, hurts) * values).sum())
        for place in range(len(forms) - 1, -1, -1):
            layer, low, high = self.sums.layers[place], intervals.low[place], intervals.high[place]
            t = np.clip(forms[place], low, high)
            value = layer.function.value(t)
            above, below = layer.function.above(low, high, t), layer.function.below(low, high, t)
            over = np.maximum(above.offset + above.slope * t - value, 0.0)
            under = np.maximum(value - below.offset - below.slope * t, 0.0)
            gaps = helps * over + hurts * under
            found.append(np.where(gaps > smallest, gaps, 0.0))
            steepest = np.maximum(np.abs(above.slope), np.abs(below.slope))
            missed = (forms[place] < low) | (forms[place] > high)
            helps = hurts = (np.maximum(helps, hurts) * steepest + missed) @ np.abs(layer.W)
        return np.concatenate(found[::-1])

    def _rounding(self, stated: StatedSums) -> FloatArray:
        """Bound what the checker allows for rounding of rows, array of shape (n_rows,), and keep sizes of units."""
        sums, view, more = stated.sums, stated.view, 16
        seen = np.abs(view.matrix) @ self.relaxation.most + np.abs(view.offset)
        sizes, n_operations = seen, 2 * len(seen) + more
        for layer, names in zip(sums.layers, stated.functions):
            n_operations = 2 * (n_operations + 2 * len(sizes) + more)
            sizes = np.abs(layer.W) @ sizes + np.abs(layer.b)
            self.sizes = np.concatenate([self.sizes, sizes])
            sizes = np.where(np.array(names) == "square", sizes**2, sizes + 1)
        terms = np.abs(sums.C) @ sizes + np.abs(sums.D) @ seen + np.abs(sums.d)
        return np.asarray(ROUNDING * (n_operations + 2 * len(sizes)) * terms)


def _applied(layer: Layer, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bound what units are applied to where what is before them is in a box."""
    up, down = np.maximum(layer.W, 0.0), np.minimum(layer.W, 0.0)
    return layer.b + up @ low + down @ high, layer.b + up @ high + down @ low
