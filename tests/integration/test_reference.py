"""The reference solver against optima known in closed form."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from reference import best_over_cells, project_reference

TIGHT = {"rtol": 1e-7, "atol": 1e-7}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_manhattan_half_space_moves_the_cheapest_feature(rng):
    for _ in range(10):
        x0, normal = rng.normal(size=(2, 5))
        weights = rng.uniform(0.5, 2.0, size=5)
        # The dual norm of the weighted l1 norm: gap / max_i |a_i| / w_i.
        status, value, x = project_reference(x0, weights=weights, A=normal[None], b=np.array([-1.5]))
        assert status == "optimal"
        np.testing.assert_allclose(value, 1.5 / np.max(np.abs(normal) / weights), **TIGHT)
        np.testing.assert_allclose(normal @ (x - x0), -1.5, **TIGHT)
        assert np.sum(np.abs(x - x0) > 1e-6) == 1


def test_mahalanobis_half_space(rng):
    for _ in range(10):
        x0, normal = rng.normal(size=(2, 5))
        root = rng.normal(size=(5, 5))
        omega = root @ root.T + 0.1 * np.eye(5)
        status, value, x = project_reference(x0, omega=omega, A=normal[None], b=np.array([-1.5]))
        step = np.linalg.solve(omega, normal)
        assert status == "optimal"
        np.testing.assert_allclose(value, 1.5**2 / (normal @ step), **TIGHT)
        np.testing.assert_allclose(x - x0, -1.5 * step / (normal @ step), rtol=1e-5, atol=1e-6)


def test_euclidean_ball(rng):
    x0, centre = rng.normal(size=(2, 6))
    centre *= 4
    gap = centre - x0
    length = np.linalg.norm(gap)
    status, value, x = project_reference(x0, omega=np.eye(6), F=np.eye(6), g=gap, h0=1.0)
    assert status == "optimal"
    np.testing.assert_allclose(value, (length - 1.0) ** 2, **TIGHT)
    np.testing.assert_allclose(x, x0 + gap * (1 - 1 / length), rtol=1e-5, atol=1e-5)


def test_manhattan_ball_leaves_equal_residuals_in_the_moved_features():
    # ||v - g|| <= r: the moved features share one residual rho, the others keep theirs (their |g_i| < rho).
    gap = np.array([5.0, -4.0, 0.3])
    rho = np.sqrt((1.0 - 0.3**2) / 2)
    status, value, x = project_reference(np.zeros(3), weights=np.ones(3), F=np.eye(3), g=gap, h0=1.0)
    assert status == "optimal"
    np.testing.assert_allclose(value, 9.0 - 2 * rho, **TIGHT)
    np.testing.assert_allclose(x, [5.0 - rho, -4.0 + rho, 0.0], rtol=1e-5, atol=1e-5)


def test_affine_radius_is_a_parabola_like_cone():
    # |v_2| <= v_1 - 1 from the origin with v_2 = 3 asked: v = (4, 3).
    status, value, x = project_reference(
        np.zeros(2),
        weights=np.ones(2),
        F=np.array([[0.0, 1.0]]),
        g=np.zeros(1),
        h0=-1.0,
        h1=np.array([1.0, 0.0]),
        lower=np.array([-np.inf, 3.0]),
        upper=np.array([np.inf, np.inf]),
    )
    assert status == "optimal"
    np.testing.assert_allclose(value, 7.0, **TIGHT)
    np.testing.assert_allclose(x, [4.0, 3.0], **TIGHT)


def test_box_is_a_clip(rng):
    x0 = rng.normal(size=7)
    lower, upper = np.full(7, 0.2), np.full(7, np.inf)
    upper[:3], lower[:3] = -0.5, -np.inf
    expected = np.clip(0.0, lower, upper)
    for distance, value in (
        ({"weights": np.ones(7)}, np.abs(expected).sum()),
        ({"omega": np.eye(7)}, (expected**2).sum()),
    ):
        status, found, x = project_reference(x0, lower=lower, upper=upper, **distance)
        assert status == "optimal"
        np.testing.assert_allclose(found, value, **TIGHT)
        np.testing.assert_allclose(x, x0 + expected, rtol=1e-5, atol=1e-5)


def test_manhattan_rows_against_linear_programming(rng):
    for _ in range(10):
        d = 6
        A, feasible, weights = rng.normal(size=(4, d)), rng.normal(size=d), rng.uniform(0.5, 2, size=d)
        b = A @ feasible
        program = linprog(np.concatenate([weights, weights]), A_ub=np.hstack([A, -A]), b_ub=b, bounds=(0, None))
        status, value, x = project_reference(np.zeros(d), weights=weights, A=A, b=b)
        assert status == "optimal"
        np.testing.assert_allclose(value, program.fun, **TIGHT)
        assert np.all(A @ x <= b + 1e-7)


def test_rows_and_cone_together_against_scipy(rng):
    d = 4
    F, g, A = rng.normal(size=(3, d)), 3 * rng.normal(size=3), rng.normal(size=(2, d))
    b = A @ np.linalg.lstsq(F, g)[0] + 0.1
    status, value, _ = project_reference(np.zeros(d), omega=np.eye(d), A=A, b=b, F=F, g=g, h0=0.7)
    rules = [
        {"type": "ineq", "fun": lambda v: b - A @ v},
        {"type": "ineq", "fun": lambda v: 0.49 - np.sum((F @ v - g) ** 2)},
    ]
    start = np.linalg.lstsq(F, g)[0]
    local = minimize(lambda v: v @ v, start, method="SLSQP", constraints=rules, options={"ftol": 1e-10, "maxiter": 500})
    assert status == "optimal"
    assert local.success
    np.testing.assert_allclose(value, local.fun, rtol=1e-6)


@pytest.mark.parametrize("distance", [{"weights": np.ones(2)}, {"omega": np.eye(2)}])
def test_empty_cells_are_infeasible(distance):
    # The unit ball around (5, 0) does not meet v_1 <= 3.
    status, value, x = project_reference(
        np.zeros(2),
        A=np.array([[1.0, 0.0]]),
        b=np.array([3.0]),
        F=np.eye(2),
        g=np.array([5.0, 0.0]),
        h0=1.0,
        **distance,
    )
    assert (status, value, x) == ("infeasible", np.inf, None)


def test_one_distance_must_be_given():
    with pytest.raises(ValueError, match="exactly one"):
        project_reference(np.zeros(2), A=np.eye(2), b=np.ones(2))


def test_best_cell_is_found_through_an_affine_map(rng):
    # z = W x + w0 with orthonormal W: the distance to a ball in model space is that of the images.
    W = np.linalg.qr(rng.normal(size=(5, 2)))[0].T
    w0 = np.array([1.0, -2.0])
    x0 = rng.normal(size=5)
    z0 = W @ x0 + w0
    everywhere = np.empty((0, 2)), np.empty(0)
    nowhere = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([-1e3, -1e3])
    cones = [
        (np.eye(2), z0 + np.array([9.0, 0.0]), 1.0),
        (2 * np.eye(2), z0 + np.array([0.0, 5.0]), 2.0),
        (np.eye(2), z0 + np.array([0.0, -7.0]), 1.0),
    ]
    value, x, pair = best_over_cells(
        x0, matrix=W, offset=w0, polyhedra=[nowhere, everywhere], cones=cones, omega=np.eye(5)
    )
    assert pair == (1, 1)
    np.testing.assert_allclose(value, 16.0, **TIGHT)
    np.testing.assert_allclose(W @ x + w0, z0 + np.array([0.0, 4.0]), rtol=1e-5, atol=1e-5)


def test_best_cell_without_cones_and_with_none_left():
    cells = {"matrix": np.eye(1), "offset": np.zeros(1), "weights": np.ones(1)}
    left, right = (np.array([[1.0]]), np.array([-2.0])), (np.array([[-1.0]]), np.array([-1.5]))
    value, x, pair = best_over_cells(np.zeros(1), polyhedra=[left, right], **cells)
    np.testing.assert_allclose([value, x[0]], 1.5, **TIGHT)
    assert pair == (1, None)
    both = np.vstack([left[0], right[0]]), np.concatenate([left[1], right[1]])
    assert best_over_cells(np.zeros(1), polyhedra=[both], **cells) == (np.inf, None, None)
    bounded = best_over_cells(np.zeros(1), polyhedra=[left, right], upper=np.ones(1), **cells)
    np.testing.assert_allclose(bounded[0], 2.0, **TIGHT)
