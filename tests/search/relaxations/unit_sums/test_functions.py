"""Lines above and below functions of one number, on fine grids of their intervals."""

from __future__ import annotations

import numpy as np
import pytest

from elsewise.search.relaxations.unit_sums.functions import IDENTITY, LOGISTIC, RELU, SQUARE, TANH

FUNCTIONS = {"relu": RELU, "identity": IDENTITY, "square": SQUARE, "tanh": TANH, "logistic": LOGISTIC}


def intervals(seed=0, n=400):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(scale=3, size=(2, n))
    low, high = np.minimum(a, b), np.maximum(a, b)
    low[:20] = high[:20]  # nothing between the ends
    return low, high, low + (high - low) * rng.uniform(size=n)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_lines_bound_the_function_on_the_whole_interval(name):
    function, (low, high, near) = FUNCTIONS[name], intervals()
    t = low + (high - low) * np.linspace(0, 1, 501)[:, None]
    above, below, value = function.above(low, high, near), function.below(low, high, near), function.value(t)
    rounding = 1e-13 * (1 + np.abs(value))
    assert (above.offset + above.slope * t >= value - rounding).all()
    assert (below.offset + below.slope * t <= value + rounding).all()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_lines_are_the_best_ones_near_the_point(name):
    """No line above has a smaller value there: of all lines, by linear programming on a grid."""
    from scipy.optimize import linprog

    function, (low, high, near) = FUNCTIONS[name], intervals(seed=1, n=40)
    above, below = function.above(low, high, near), function.below(low, high, near)
    for i in range(20, 40):
        grid = np.append(np.linspace(low[i], high[i], 801), near[i])
        for lines, sign in ((above, 1.0), (below, -1.0)):
            best = linprog(
                sign * np.array([1.0, near[i]]),
                A_ub=-sign * np.column_stack([np.ones_like(grid), grid]),
                b_ub=-sign * function.value(grid),
                bounds=[(None, None)] * 2,
            )
            found = lines.offset[i] + lines.slope[i] * near[i]
            np.testing.assert_allclose(found, sign * best.fun, atol=2e-4)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_endless_intervals_have_lines_that_hold_or_none(name):
    function = FUNCTIONS[name]
    low, high = np.array([-np.inf, -np.inf, -1.0, 0.5]), np.array([np.inf, 1.0, np.inf, np.inf])
    near = np.array([0.3, 0.3, 0.3, 0.8])
    above, below = function.above(low, high, near), function.below(low, high, near)
    for t in np.linspace(-50, 50, 1001):
        inside = (low <= t) & (t <= high)
        value = function.value(np.full(4, t))
        assert (above.offset + above.slope * t >= value - 1e-12)[inside].all()
        assert (below.offset + below.slope * t <= value + 1e-12)[inside].all()


@pytest.mark.parametrize("name", ["relu", "square", "tanh", "logistic"])
def test_intervals_are_divided_inside(name):
    function, (low, high, near) = FUNCTIONS[name], intervals()
    for i in range(20, 60):
        at = function.divide_at(low[i], high[i], near[i], 0)
        assert at is None or low[i] < at < high[i]
        assert at is not None or name == "relu"
