"""Curves, lines above and below them, and linear models behind them: against finite differences, grids and predict."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from elsewise.search.relaxations.curves import (
    AffineCurve,
    NamedCurve,
    PiecewiseLinear,
    PiecewisePolynomial,
    PowerCurve,
    Ranks,
    StepCurve,
    chained,
    weighted,
)
from elsewise.search.relaxations.unit_sums.of_curves import CurveFunction

FUNCTIONS = [
    np.log, np.log2, np.log10, np.log1p, np.sqrt, np.cbrt, np.exp, np.exp2, np.expm1, np.sinh, np.tanh, np.arctan,
    np.arcsinh, np.arccosh, np.arcsin, np.arccos, np.arctanh, special.erf, special.erfinv, special.exp10, special.expit,
    special.log_expit, special.logit, special.ndtr, special.ndtri,
]  # fmt: skip
DOMAINS = {
    **dict.fromkeys(["log", "log2", "log10"], (0.01, 30.0)),
    "log1p": (-0.95, 30.0),
    "sqrt": (0.0, 30.0),
    "arccosh": (1.0, 20.0),
    **dict.fromkeys(["arcsin", "arccos"], (-1.0, 1.0)),
    **dict.fromkeys(["arctanh", "erfinv"], (-0.99, 0.99)),
    **dict.fromkeys(["logit", "ndtri"], (0.001, 0.999)),
}
TIED = np.sort(np.round(np.random.default_rng(0).exponential(size=40), 1))


def polynomial():
    rng = np.random.default_rng(1)
    total = PiecewisePolynomial.monomial(4).times(0.05)
    for degree in (1, 2, 3):
        total = total.plus(PiecewisePolynomial.monomial(degree).times(rng.normal()))
    return total


def curves():
    """Every kind of curve, with the numbers between which it is looked at."""
    found = {f.__name__: (NamedCurve.of(f), *DOMAINS.get(f.__name__, (-4.0, 4.0))) for f in FUNCTIONS}
    found |= {f"Yeo-Johnson {p}": (PowerCurve(p), -4.0, 4.0) for p in (-1.2, 0.0, 0.4, 1.0, 2.0, 2.6)}
    found |= {f"Box-Cox {p}": (PowerCurve(p, is_box_cox=True), 0.05, 9.0) for p in (-1.0, 0.0, 0.5, 2.0)}
    ranks = Ranks(TIED, np.linspace(0, 1, 40), 0.0)
    scores = [
        Ranks(TIED, np.linspace(0, 1, 40), 1e-7),
        NamedCurve("ndtri"),
        PiecewiseLinear(*[np.array([-5.2, 5.2])] * 2),
    ]
    found |= {
        "lines": (PiecewiseLinear(np.array([-1.0, 0.0, 2.0]), np.array([0.0, 3.0, 1.0]), 0.5, -2.0), -4.0, 4.0),
        "ranks": (ranks, -1.0, 5.0),
        "normal scores": (chained(scores, -1.0, 5.0), -1.0, 5.0),
        "steps": (StepCurve(np.array([-1.0, 0.5]), np.array([0.0, 2.0, -1.0])), -4.0, 4.0),
        "polynomial": (polynomial(), -4.0, 4.0),
        "falling, then bent": (
            chained([AffineCurve(-0.5, 1.0), NamedCurve("tanh"), NamedCurve("exp")], -4.0, 4.0),
            -4.0,
            4.0,
        ),
        "roots of logs": (
            chained([NamedCurve("log1p"), NamedCurve("sqrt"), AffineCurve(2.0, 1.0)], 0.0, 9.0),
            0.0,
            9.0,
        ),
        "a sum": (weighted([chained([NamedCurve(n)], -4.0, 4.0) for n in ("tanh", "exp")], [2.0, -0.3])[0], -4.0, 4.0),
    }
    return found


CURVES = curves()


@pytest.mark.parametrize("name", CURVES)
def test_slopes_and_bends_between_breaks_are_those_of_differences(name):
    curve, low, high = CURVES[name]
    breaks = curve.breaks()
    assert (np.diff(breaks) > 0).all()
    ends = np.concatenate([[low, high], breaks, np.random.default_rng(0).uniform(low, high, 40)])
    ends = np.unique(ends[(ends >= low) & (ends <= high)])
    a, b = ends[:-1], ends[1:]
    wide = b - a > 1e-6
    a, b = a[wide], b[wide]
    cells, h = curve.on_cells(a, b), 0.02 * (b - a)
    t = a + (b - a) * np.linspace(0.03, 0.97, 40)[:, None]
    below, at, above = curve.value(t - h), curve.value(t), curve.value(t + h)
    size = np.abs(at).max(axis=0) + np.abs(t).max(axis=0)
    slope, bend = (above - below) / (2 * h), (above - 2 * at + below) / h**2
    assert (slope >= cells.least - 1e-14 * size / h - 1e-12).all()
    assert (slope <= cells.most + 1e-14 * size / h + 1e-12).all()
    assert (bend >= cells.least_bend - 1e-14 * size / h**2).all()
    assert (bend <= cells.most_bend + 1e-14 * size / h**2).all()
    assert ((cells.first <= cells.most) & (cells.first >= cells.least)).all()


@pytest.mark.parametrize("name", CURVES)
def test_lines_bound_curves_on_whole_intervals(name):
    curve, low, high = CURVES[name]
    rng = np.random.default_rng(3)
    n = 60
    seen = np.repeat([[low + 0.3 * (high - low)], [high - 0.3 * (high - low)]], n, axis=1)
    function = CurveFunction((curve,) * n, np.full(n, low), np.full(n, high), seen)
    middle, width = rng.uniform(low, high, n), (high - low) * 10 ** rng.uniform(-5, 0, n)
    a, b = np.maximum(middle - width, low), np.minimum(middle + width, high)
    a[:5], b[5:10] = low, high
    near = a + (b - a) * rng.choice([0.0, 1.0, *rng.uniform(size=5)], n)
    above, below = function.above(a, b, near), function.below(a, b, near)
    t = a + (b - a) * np.linspace(0, 1, 801)[:, None]
    breaks = np.clip(curve.breaks()[:, None], a, b) if len(curve.breaks()) else t[:1]
    for numbers in (t, breaks):
        value = function.value(numbers)
        assert (above.offset + above.slope * numbers >= value).all()
        assert (below.offset + below.slope * numbers <= value).all()


@pytest.mark.parametrize("name", ["log1p", "tanh", "exp", "Yeo-Johnson 0.4", "polynomial", "roots of logs"])
def test_gaps_of_smooth_curves_close_with_the_square_of_the_width(name):
    curve, low, high = CURVES[name]
    function = CurveFunction((curve,), np.array([low]), np.array([high]), np.array([[low], [high]]))
    middle = low + 0.61 * (high - low)
    gaps = []
    for width in (1e-1, 1e-2, 1e-3):
        ends = np.array([middle - width]), np.array([middle + width]), np.array([middle])
        above, below = function.above(*ends), function.below(*ends)
        gaps.append(float((above.offset - below.offset + (above.slope - below.slope) * middle)[0]))
    assert gaps[1] < 0.03 * gaps[0]
    assert gaps[2] < 0.03 * gaps[1]


def test_curves_are_divided_at_breaks_and_jumps_leave_nothing_between():
    steps = StepCurve(np.array([-1.0, 0.5]), np.array([0.0, 2.0, -1.0]))
    function = CurveFunction(
        (steps, NamedCurve("log1p")), np.array([-9.0, 0.0]), np.array([9.0, 9.0]), np.array([[0], [1.0]]) * [1, 1]
    )
    at = function.divide_at(-3.0, 0.0, -1.4, 0)
    assert at == -1.0
    assert function.beyond(at, 0) == np.nextafter(-1.0, 0.0)
    assert function.divide_at(-0.9, 0.4, 0.0, 0) is None
    assert 0.0 < function.divide_at(0.0, 4.0, 1.0, 1) < 4.0
    assert function.beyond(1.0, 1) == 1.0
