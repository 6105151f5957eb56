"""Which unit of a piece to divide, and where."""

from __future__ import annotations

import numpy as np

from ....arrays import FloatArray
from .of_curves import CurveFunction
from .parts import Side
from .refining import Refining

# A unit whose line is off by less than this, relative to the size of the sum, has no gap that dividing would close.
SMALLEST_GAP = 1e-12


def side_to_divide(refining: Refining) -> tuple[Side, Side] | None:
    """Choose the unit with the largest gap and where to divide its interval; None if no unit has a gap."""
    gaps, forms = refining.gaps(), refining.sums.forms(refining.x)
    size = 1.0 + float(np.abs(refining.sums.margins(refining.x[None])).max())
    for place, unit in _largest_first(gaps, SMALLEST_GAP * size):
        function = refining.sums.layers[place].function
        low, high = refining.intervals.low[place][unit], refining.intervals.high[place][unit]
        at = function.divide_at(float(low), float(high), float(forms[place][unit]), unit)
        if at is not None and low < at < high:
            return Side(place, unit, 1.0, function.beyond(at, unit)), Side(place, unit, -1.0, at)
    return None


def side_at_break(refining: Refining) -> tuple[Side, Side] | None:
    """Divide a unit that is no line on its interval where its slope changes; None if there is none.

    On plateaus margins can be zero at a projection without any gap, and be accepted elsewhere in the piece alone.
    """
    layer, low, high = refining.sums.layers[0], refining.intervals.low[0], refining.intervals.high[0]
    if len(refining.sums.layers) > 1 or not isinstance(layer.function, CurveFunction):
        return None
    form, weight = refining.sums.forms(refining.x)[0], np.abs(refining.sums.C).sum(axis=0)
    rise = weight * np.abs(layer.function.value(high) - layer.function.value(low))
    for unit in np.argsort(-rise, kind="stable").tolist():
        breaks = layer.function.breaks[unit]
        breaks = breaks[(breaks > low[unit]) & (breaks < high[unit])]
        if rise[unit] > 0 and len(breaks):
            at = float(breaks[np.abs(breaks - form[unit]).argmin()])
            return Side(0, unit, 1.0, layer.function.beyond(at, unit)), Side(0, unit, -1.0, at)
    return None


def _largest_first(gaps: list[FloatArray], least: float) -> list[tuple[int, int]]:
    found = [(float(gap), place, unit) for place, of_layer in enumerate(gaps) for unit, gap in enumerate(of_layer)]
    found = [entry for entry in found if entry[0] > least]
    return [(place, unit) for _, place, unit in sorted(found, key=lambda entry: -entry[0])]
