"""Optima known in closed form."""

import numpy as np
import pytest

from elsewise.distances import Mahalanobis, Manhattan
from elsewise.projection import project
from strategies import Instance, random_distance

SIZES = (1, 2, 3, 5, 13, 30, 64)


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.mark.parametrize("n", SIZES)
def test_half_space_moves_the_cheapest_feature(rng, n):
    normal, x0, weights = rng.normal(size=n), rng.normal(size=n), rng.uniform(0.5, 2.0, size=n)
    instance = Instance(x0, Manhattan(weights), {"A": normal[None], "b": np.array([normal @ x0 - 1.5])})
    answer = instance.project()
    instance.certify(answer)
    # The dual norm of the weighted l1 norm.
    np.testing.assert_allclose(answer.distance, 1.5 / np.max(np.abs(normal) / weights), rtol=1e-9)
    assert np.sum(answer.x[0] != x0) == 1


@pytest.mark.parametrize("n", SIZES)
def test_half_space_under_mahalanobis(rng, n):
    distance = random_distance(rng, n, True)
    normal, x0 = rng.normal(size=(2, n))
    instance = Instance(x0, distance, {"A": normal[None], "b": np.array([normal @ x0 - 1.5])})
    answer = instance.project()
    instance.certify(answer)
    step = np.linalg.solve(distance.omega, normal)
    np.testing.assert_allclose(answer.distance, 1.5**2 / (normal @ step), rtol=1e-8)
    np.testing.assert_allclose(answer.x[0], x0 - 1.5 * step / (normal @ step), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("n", SIZES)
def test_euclidean_ball(rng, n):
    x0, centre = rng.normal(size=n), 4.0 + rng.normal(size=n)
    instance = Instance(x0, Mahalanobis(np.eye(n)), {"F": np.eye(n), "g": centre, "h0": 0.5})
    answer = instance.project()
    instance.certify(answer)
    length = np.linalg.norm(centre - x0)
    np.testing.assert_allclose(answer.distance, (length - 0.5) ** 2, rtol=1e-8)
    np.testing.assert_allclose(answer.x[0], x0 + (centre - x0) * (1 - 0.5 / length), atol=1e-6)


def test_manhattan_ball_leaves_equal_residuals_in_the_moved_features():
    gap = np.array([5.0, -4.0, 0.3])
    rho = np.sqrt((1.0 - 0.3**2) / 2)
    instance = Instance(np.zeros(3), Manhattan(), {"F": np.eye(3), "g": gap, "h0": 1.0})
    answer = instance.project()
    instance.certify(answer)
    np.testing.assert_allclose(answer.distance, 9.0 - 2 * rho, rtol=1e-9)
    np.testing.assert_allclose(answer.x[0], [5.0 - rho, -4.0 + rho, 0.0], atol=1e-7)
    assert answer.x[0, 2] == 0.0


@pytest.mark.parametrize("mahalanobis", [False, True])
@pytest.mark.parametrize("n", SIZES)
def test_box_is_clipping(rng, n, mahalanobis):
    x0, lower = 3.0 * rng.normal(size=n), rng.normal(size=n)
    upper = lower + rng.exponential(size=n)
    lower[rng.random(n) < 0.3] = -np.inf
    upper[rng.random(n) < 0.3] = np.inf
    distance = Mahalanobis(np.diag(rng.uniform(0.5, 2.0, size=n))) if mahalanobis else Manhattan()
    instance = Instance(x0, distance, {"lower": lower, "upper": upper})
    answer = instance.project()
    instance.certify(answer)
    np.testing.assert_allclose(answer.x[0], np.clip(x0, lower, upper), atol=1e-6)


def test_simplex_corner_is_the_intersection_of_rows(rng):
    # As many tight rows as features: the optimum solves A x = b when all multipliers come out positive.
    n = 6
    A = np.eye(n) + 0.1 * rng.random((n, n))
    x0, corner = np.zeros(n), np.full(n, -2.0)
    instance = Instance(x0, Manhattan(), {"A": A, "b": A @ corner})
    assert (np.linalg.solve(A.T, np.ones(n)) > 0).all()
    answer = instance.project()
    instance.certify(answer)
    np.testing.assert_allclose(answer.x[0], corner, atol=1e-8)


@pytest.mark.parametrize("distance", [Manhattan(), Mahalanobis(np.eye(3))])
def test_point_inside_stays_to_the_bit(rng, distance):
    x0 = rng.normal(size=3)
    answer = project(
        x0[None], distance=distance, A=rng.normal(size=(4, 3)), b=np.full(4, 50.0), F=np.eye(3), g=x0 + 0.1, h0=1.0,
        lower=x0 - 1.0, upper=x0,
    )  # fmt: skip
    assert answer.status[0] == "optimal"
    assert (answer.x[0] == x0).all()
    assert answer.distance[0] == answer.lower_bound[0] == answer.gap[0] == 0.0


def test_no_constraints_at_all():
    answer = project(np.array([[1.0, 2.0]]))
    assert answer.x.tolist() == [[1.0, 2.0]]
    assert answer.status[0] == "optimal"


def test_radius_zero_is_a_system_of_equations(rng):
    F = rng.normal(size=(2, 5))
    x0, goal = rng.normal(size=5), rng.normal(size=2)
    instance = Instance(x0, Mahalanobis(np.eye(5)), {"F": F, "g": goal, "h0": 0.0})
    answer = instance.project()
    instance.certify(answer)
    np.testing.assert_allclose(answer.x[0], x0 + np.linalg.pinv(F) @ (goal - F @ x0), atol=1e-6)


def test_tilted_cone_on_a_line():
    # |x - 1| <= 0.5 + x / 2 means 1/3 <= x <= 3.
    for x0, expected in ((-2.0, 1.0 / 3.0), (5.0, 3.0), (2.0, 2.0)):
        answer = project([[x0]], F=[[1.0]], g=[1.0], h0=0.5, h1=[0.5])
        assert answer.status[0] == "optimal"
        np.testing.assert_allclose(answer.x[0, 0], expected, atol=1e-8)


def test_half_plane_written_as_a_steep_cone():
    # 0 <= x - 3: a cone without curvature.
    answer = project([[0.0, 1.0]], F=[[0.0, 0.0]], g=[0.0], h0=-3.0, h1=[1.0, 0.0])
    assert answer.status[0] == "optimal"
    np.testing.assert_allclose(answer.x, [[3.0, 1.0]], atol=1e-8)
