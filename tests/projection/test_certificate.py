"""The certificate on problems small enough to do by hand: it must accept the optimum and nothing else."""

import numpy as np
import pytest

from elsewise.distances import Mahalanobis, Manhattan
from elsewise.projection.certificate import Multipliers, convex_set, dual_value, farkas_violation, kkt_residuals

# minimise |x1| + |x2| subject to x1 + 2 x2 >= 4: move the second feature to 2; the multiplier is 1/2.
HALF_SPACE = convex_set(2, A=[[-1.0, -2.0]], b=[-4.0])
ORIGIN = np.zeros(2)


def multipliers(rows=(), bounds=(0.0, 0.0), cone=(0.0,)):
    return Multipliers(*(np.array(part, dtype=float) for part in (rows, bounds, cone)))


def test_accepts_the_optimum_of_a_half_space():
    found = kkt_residuals(ORIGIN, np.array([0.0, 2.0]), multipliers([0.5]), HALF_SPACE, Manhattan())
    assert (found.primal, found.signs, found.dual, found.complementarity, found.gap) == (0, 0, 0, 0, 0)
    assert found.distance == found.dual_value == 2.0


def test_measures_violations_in_units_of_the_distance():
    short = kkt_residuals(ORIGIN, np.array([0.0, 1.5]), multipliers([0.5]), HALF_SPACE, Manhattan([1.0, 4.0]))
    # The row lacks 1: one unit of the first feature (price 1) repairs it, or half a unit of the second (price 2).
    assert short.rows == pytest.approx(1.0)
    beyond = convex_set(2, upper=[1.0, 1.0])
    assert kkt_residuals(ORIGIN, np.array([0.0, 1.5]), multipliers(), beyond, Manhattan()).bounds == 0.5
    ball = convex_set(2, F=2.0 * np.eye(2), g=[6.0, 0.0], h0=2.0)
    outside = kkt_residuals(ORIGIN, np.array([1.0, 0.0]), multipliers((), (0, 0), (0, 0, 0)), ball, Manhattan())
    assert outside.cone == pytest.approx(1.0)


def test_bounds_prove_a_forced_move():
    box = convex_set(2, lower=[1.0, -np.inf], upper=[np.inf, -2.0])
    found = kkt_residuals(ORIGIN, np.array([1.0, -2.0]), multipliers((), (-1.0, 1.0)), box, Manhattan())
    assert found.dual_value == found.distance == 3.0
    assert found.complementarity == found.primal == found.dual == 0.0


def test_ball_under_the_squared_euclidean_distance():
    # ||x - (3, 0)|| <= 1: the optimum is (2, 0) at squared distance 4; stationarity 2 v = F'y1 gives y1 = (4, 0).
    ball = convex_set(2, F=np.eye(2), g=[3.0, 0.0], h0=1.0)
    prove = multipliers((), (0, 0), (4.0, 4.0, 0.0))
    found = kkt_residuals(ORIGIN, np.array([2.0, 0.0]), prove, ball, Mahalanobis(np.eye(2)))
    assert found.distance == found.dual_value == pytest.approx(4.0)
    assert found.dual == found.complementarity == found.primal == 0.0


def test_tilted_cone():
    # |x| <= 1 + x / 2 on the line: -2/3 <= x <= 2. From 5 the way is 3; slope of |x| - x / 2 is 1/2, y = (2, -2).
    cone = convex_set(1, F=[[1.0]], g=[0.0], h0=1.0, h1=[0.5])
    prove = Multipliers(np.zeros(0), np.zeros(1), np.array([2.0, -2.0]))
    found = kkt_residuals(np.array([5.0]), np.array([2.0]), prove, cone, Manhattan())
    assert found.distance == 3.0
    assert found.dual_value == pytest.approx(3.0)
    assert found.dual == pytest.approx(0.0)


def test_scales_infeasible_multipliers_back():
    # Twice the optimal multiplier proves nothing more than the optimum, half of it proves half.
    assert dual_value(ORIGIN, multipliers([1.0]), HALF_SPACE, Manhattan()) == pytest.approx(2.0)
    assert dual_value(ORIGIN, multipliers([0.25]), HALF_SPACE, Manhattan()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("target", "wrong"),
    [
        (HALF_SPACE, multipliers([-0.5])),
        (convex_set(2, lower=[1.0, 1.0]), multipliers((), (0.0, 1.0))),
        (convex_set(2, upper=[-1.0, -1.0]), multipliers((), (-1.0, 0.0))),
        (convex_set(2, F=np.eye(2), g=[3.0, 0.0], h0=1.0), multipliers((), (0, 0), (1.0, 2.0, 0.0))),
    ],
)
def test_wrong_signs_prove_nothing(target, wrong):
    assert dual_value(ORIGIN, wrong, target, Manhattan()) == -np.inf
    assert farkas_violation(ORIGIN, wrong, target, Manhattan()) == np.inf
    assert kkt_residuals(ORIGIN, ORIGIN, wrong, target, Manhattan()).signs > 0


def test_any_multipliers_bound_every_feasible_point_from_below():
    rng = np.random.default_rng(0)
    ball = {"F": rng.normal(size=(3, 4)), "g": rng.normal(size=3), "h0": 2.0, "h1": 0.1 * rng.normal(size=4)}
    rows = {"A": rng.normal(size=(3, 4)), "b": np.ones(3)}
    target = convex_set(4, **rows, **ball, lower=np.full(4, -2.0), upper=np.full(4, 2.0))
    points = rng.uniform(-2, 2, size=(4000, 4))
    held = (points @ rows["A"].T <= rows["b"]).all(axis=1) & (
        np.linalg.norm(points @ ball["F"].T - ball["g"], axis=1) <= ball["h0"] + points @ ball["h1"]
    )
    points = points[held]
    assert len(points) > 50
    root = rng.normal(size=(4, 4))
    for distance in (Manhattan([1.0, 2.0, 0.5, 3.0]), Mahalanobis(root @ root.T + np.eye(4))):
        for _ in range(50):
            x0 = 5 * rng.normal(size=4)
            y1 = rng.normal(size=3)
            some = Multipliers(
                rng.exponential(size=3), rng.normal(size=4), np.concatenate([[1.1 * np.linalg.norm(y1)], y1])
            )
            nearest = distance.resolve(points)(points, x0).min()
            assert dual_value(x0, some, target, distance) <= nearest * (1 + 1e-12)


def test_farkas_multipliers_of_contradicting_rows():
    # x1 <= -1 and -x1 <= -1 (x1 >= 1) with equal multipliers.
    empty = convex_set(2, A=[[1.0, 0.0], [-1.0, 0.0]], b=[-1.0, -1.0])
    assert farkas_violation(ORIGIN, multipliers([1.0, 1.0]), empty, Manhattan()) == 0.0
    assert farkas_violation(ORIGIN, multipliers([1.0, 0.5]), empty, Manhattan()) > 0.1
    feasible = convex_set(2, A=[[1.0, 0.0], [-1.0, 0.0]], b=[1.0, 1.0])
    assert farkas_violation(ORIGIN, multipliers([1.0, 1.0]), feasible, Manhattan()) == np.inf
