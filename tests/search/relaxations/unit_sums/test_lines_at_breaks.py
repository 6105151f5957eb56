"""Lines above and below curves that jump or have kinks, with ends of intervals and points at the breaks."""

from __future__ import annotations

import numpy as np
import pytest

from elsewise.search.relaxations.curves import PiecewiseLinear, Ranks, StepCurve, chained
from elsewise.search.relaxations.unit_sums.of_curves import CurveFunction

QUANTILES = np.array([0.0, 0.5, 0.5, 0.5, 1.0, 3.0])
CURVES = {
    "steps": chained([StepCurve(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.5, 3.0]))], -10.0, 10.0),
    "lines": chained([PiecewiseLinear(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.5]))], -10.0, 10.0),
    "lines with slopes": chained(
        [PiecewiseLinear(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.5]), -1.0, 2.0)], -10.0, 10.0
    ),
    "from its first break on": chained([PiecewiseLinear(np.array([0.0, 1.0]), np.array([0.0, 1.0]))], 0.0, 1.0),
    "ranks": chained([Ranks(QUANTILES, np.linspace(0.0, 1.0, 6), 1e-7)], -10.0, 10.0),
    "ranks to the ends": chained([Ranks(QUANTILES, np.linspace(0.0, 1.0, 6), 0.0)], -10.0, 10.0),
}


@pytest.mark.parametrize("name", CURVES)
def test_no_value_is_beyond_a_line(name):
    curve = CURVES[name]
    function = CurveFunction((curve,), np.array([curve.low]), np.array([curve.high]), np.array([[0.0], [2.0]]))
    breaks = curve.breaks()
    ends = np.unique(np.concatenate([breaks, breaks[:-1] + np.diff(breaks) / 2, [curve.low, curve.high]]))
    for i, low in enumerate(ends):
        for high in ends[i + 1 :]:
            points = np.unique(np.concatenate([ends, np.linspace(low, high, 41)]))
            points = points[(points >= low) & (points <= high)]
            value = curve.value(points)
            for near in (low, low + (high - low) / 2, high):
                interval = np.array([low]), np.array([high]), np.array([near])
                above, below = function.above(*interval), function.below(*interval)
                assert (above.offset[0] + above.slope[0] * points >= value - 1e-15).all(), (low, high, near)
                assert (below.offset[0] + below.slope[0] * points <= value + 1e-15).all(), (low, high, near)
