"""Closed-form bounds never exceed the true distance, and are tight where they must be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import elsewise as ew
from elsewise.fitted import space_of
from elsewise.models import Label, polyhedron, region_of, union
from elsewise.pipeline.affine import AffineMap
from elsewise.projection.distance import mahalanobis_coordinates, manhattan_coordinates
from elsewise.search import compile_problem
from fitted_models import CLASSIFIERS, PIPELINES, reference_cones
from reference import project_reference


def random_distance(kind, d, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "manhattan":
        return ew.Manhattan(rng.uniform(0.3, 3.0, size=d)).resolve(np.zeros((2, d)))
    root = rng.normal(size=(d, d))
    return ew.Mahalanobis(root @ root.T + 0.2 * np.eye(d)).resolve(np.zeros((2, d)))


def cost_of(distance):
    return {"weights": distance.weights} if hasattr(distance, "weights") else {"omega": distance.omega}


def distance_to_ellipsoid(F, g, h0, omega):
    """Least ``v' omega v`` with ``||F v - g|| <= h0``, by the one equation that its multiplier solves."""

    def nearest(multiplier):
        return np.linalg.solve(omega + multiplier * F.T @ F, multiplier * F.T @ g)

    def outside(multiplier):
        return np.linalg.norm(F @ nearest(multiplier) - g) - h0

    if outside(0.0) <= 0:
        return 0.0
    most = 1.0
    while outside(most) > 0:
        most *= 2
        assert most < 1e12
    v = nearest(brentq(outside, 0.0, most, xtol=1e-14, rtol=1e-14))
    return v @ omega @ v


def alone(region, distance, d, cones=None):
    """Goal and plain coordinates of one region in the user's own features."""
    problem = compile_problem([(region, cones)], space_of(AffineMap.identity(d), distance, np.zeros(d)))
    return problem.goals[0], problem.coordinates


@pytest.mark.parametrize("kind", ["manhattan", "mahalanobis"])
def test_a_half_space_is_exactly_that_far(kind):
    rng = np.random.default_rng(0)
    distance = random_distance(kind, 5)
    for _ in range(20):
        a, b, X = rng.normal(size=5), rng.normal(), rng.normal(scale=3, size=(8, 5))
        goal, _ = alone(polyhedron(a[None], [b]), distance, 5)
        bounds = goal.cover.bounds(X)[:, 0]
        for x, bound in zip(X, bounds):
            _, value, _ = project_reference(x, A=a[None], b=np.array([b - a @ x]), **cost_of(distance))
            np.testing.assert_allclose(bound, value, rtol=1e-6, atol=1e-8)
            assert bound <= value * (1 + 1e-9) + 1e-9


def test_a_box_is_exactly_that_far_in_manhattan_distance():
    rng = np.random.default_rng(1)
    distance = random_distance("manhattan", 4)
    low, high = -rng.uniform(size=4), rng.uniform(size=4)
    goal, _ = alone(polyhedron(np.vstack([np.eye(4), -np.eye(4)]), np.concatenate([high, -low])), distance, 4)
    X = rng.normal(scale=3, size=(50, 4))
    np.testing.assert_allclose(goal.cover.bounds(X)[:, 0], distance(np.clip(X, low, high), X), rtol=1e-9)


@pytest.mark.parametrize("kind", ["manhattan", "mahalanobis"])
@pytest.mark.parametrize("family", [*CLASSIFIERS[::3], *PIPELINES[::3]], ids=str)
def test_polyhedra_and_cones_are_never_nearer_than_their_bounds(family, kind):
    model, X, y = family.fitted(seed=1)
    distance = ew.Manhattan() if kind == "manhattan" else ew.Mahalanobis()
    density = ew.GaussianMixtureDensity(n_components=3)
    explainer = ew.Explainer(model, distance=distance, density=density).fit(X, y)
    rng = np.random.default_rng(2)
    rows = X[:3] + 3 * rng.normal(size=(3, 4))
    problem = compile_problem(
        [(region_of(explainer.fitted_.estimator, Label(1)), explainer.densities_[model.classes_[1]].cones())],
        space_of(explainer.fitted_.to_model, explainer.distance_, X.mean(axis=0)),
    )
    goal = problem.goals[0]
    plain = problem.coordinates.points(rows)
    M, c = explainer.fitted_.to_model.matrix, explainer.fitted_.to_model.offset
    cost = cost_of(explainer.distance_)
    to_polyhedra, to_cones = goal.cover.bounds(rows), goal.cone_bounds(plain)
    cones = reference_cones(explainer, Label(1))
    assert to_polyhedra.shape == (3, goal.n_parts)
    assert to_cones.shape == (3, len(cones))
    for i, x in enumerate(rows):
        for k in range(min(goal.n_parts, 8)):
            A, b = goal.cover.region.polyhedron(k)
            _, value, _ = project_reference(x, A=A @ M, b=b - A @ (M @ x + c), **cost)
            assert to_polyhedra[i, k] <= value * (1 + 1e-8) + 1e-9
        for j, (factor, centre, radius) in enumerate(cones):
            cone = {"F": factor @ M, "g": factor @ (centre - M @ x - c), "h0": radius}
            if kind == "manhattan":
                _, value, _ = project_reference(x, **cone, **cost)
            else:
                value = distance_to_ellipsoid(**cone, **cost)
                solved = project_reference(x, **cone, **cost)[1]  # NaN where that solver gives up
                assert np.isnan(solved) or np.isclose(solved, value, rtol=1e-7, atol=1e-9)
            assert to_cones[i, j] <= value * (1 + 1e-8) + 1e-9
            inside = np.linalg.norm(factor @ (M @ x + c - centre)) < radius
            assert (to_cones[i, j] == 0) == inside or np.isclose(value, 0, atol=1e-9)


def test_depth_is_the_distance_to_the_nearest_face_from_inside():
    # In Manhattan distance the face 2 x0 <= 4 is (2 - x0) away, x1 >= -1 is x1 + 1 away.
    distance = ew.Manhattan().resolve(np.zeros((2, 2)))
    goal, _ = alone(polyhedron([[2.0, 0.0], [0.0, -1.0]], [4.0, 1.0]), distance, 2)
    X = np.array([[0.0, 0.0], [1.5, 5.0], [2.0, 0.0], [3.0, 0.0]])
    np.testing.assert_allclose(goal.cover.depth(X)[:, 0], [1.0, 0.5, 0.0, -1.0])


def test_polyhedra_without_rows_hold_everything_and_impossible_rows_nothing():
    distance = ew.Manhattan().resolve(np.zeros((2, 2)))
    everywhere = (np.empty((0, 2)), np.empty(0))
    nowhere = (np.zeros((1, 2)), np.array([-1.0]))
    trivial = (np.zeros((1, 2)), np.array([1.0]))
    goal, coordinates = alone(union([everywhere, nowhere, trivial], n_features=2), distance, 2)
    X = coordinates.points(np.ones((3, 2)))
    np.testing.assert_array_equal(goal.cover.bounds(X), np.tile([0.0, np.inf, 0.0], (3, 1)))
    np.testing.assert_array_equal(goal.cover.depth(X), np.tile([np.inf, -np.inf, np.inf], (3, 1)))


def test_coordinates_turn_distances_into_plain_ones():
    rng = np.random.default_rng(3)
    X, Y, origin = rng.normal(size=(3, 6, 4))
    for distance in (random_distance("manhattan", 4), random_distance("mahalanobis", 4)):
        if hasattr(distance, "weights"):
            coordinates = manhattan_coordinates(distance.weights, origin[0])
            plain = np.abs(coordinates.points(X) - coordinates.points(Y)).sum(axis=1)
        else:
            coordinates = mahalanobis_coordinates(distance.omega, origin[0])
            plain = ((coordinates.points(X) - coordinates.points(Y)) ** 2).sum(axis=1)
        np.testing.assert_allclose(plain, distance(X, Y), rtol=1e-12)
        np.testing.assert_allclose(coordinates.differences(coordinates.points(X) - coordinates.points(Y)), X - Y)
