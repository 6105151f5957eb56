"""What must not change the optimum: the order of features and rows, their units, duplicates, the origin."""

import numpy as np
import pytest

from elsewise.distances import Mahalanobis, Manhattan
from strategies import Instance, random_instance

CASES = [(2, 1, 2), (5, 8, 4), (13, 20, 6), (30, 5, 10), (30, 40, 0)]
BOTH = pytest.mark.parametrize("mahalanobis", [False, True], ids=["manhattan", "mahalanobis"])
SHAPES = pytest.mark.parametrize("shape", CASES, ids=str)


def make(shape, mahalanobis):
    return random_instance([30, *shape], *shape, mahalanobis=mahalanobis, bounded=0.3)


def same(one, other, rtol=1e-8):
    first, second = one.project(), other.project()
    one.certify(first)
    other.certify(second)
    np.testing.assert_allclose(first.distance, second.distance, rtol=rtol)


@BOTH
@SHAPES
def test_order_of_features(shape, mahalanobis):
    made = make(shape, mahalanobis)
    order = np.random.default_rng(31).permutation(len(made.x0))
    columns = {key: made.constraints[key][:, order] for key in ("A", "F") if key in made.constraints}
    bounds = {key: made.constraints[key][order] for key in ("lower", "upper")}
    distance = (
        Mahalanobis(made.distance.omega[np.ix_(order, order)])
        if mahalanobis
        else Manhattan(made.distance.weights[order])
    )
    same(made, Instance(made.x0[order], distance, {**made.constraints, **columns, **bounds}))


@BOTH
@SHAPES
def test_order_and_units_of_rows(shape, mahalanobis):
    made = make(shape, mahalanobis)
    rng = np.random.default_rng(32)
    order, unit = rng.permutation(shape[1]), 10.0 ** rng.uniform(-3, 3, size=shape[1])
    A, b = made.constraints["A"], made.constraints["b"]
    same(made, made.with_constraints(A=(A * unit[:, None])[order], b=(b * unit)[order]))


@BOTH
@SHAPES
def test_duplicate_rows(shape, mahalanobis):
    made = make(shape, mahalanobis)
    A, b = made.constraints["A"], made.constraints["b"]
    same(made, made.with_constraints(A=np.vstack([A, A, 2.0 * A]), b=np.concatenate([b, b, 2.0 * b])))


@BOTH
@SHAPES
def test_rows_without_content(shape, mahalanobis):
    made = make(shape, mahalanobis)
    A, b = made.constraints["A"], made.constraints["b"]
    empty = np.zeros((2, shape[0]))
    same(made, made.with_constraints(A=np.vstack([empty, A]), b=np.concatenate([[0.0, 7.0], b])))


@BOTH
@SHAPES
def test_units_of_features(shape, mahalanobis):
    made = make(shape, mahalanobis)
    scale = 10.0 ** np.random.default_rng(33).uniform(-2, 2, size=shape[0])
    columns = {key: made.constraints[key] / scale for key in ("A", "F") if key in made.constraints}
    bounds = {key: made.constraints[key] * scale for key in ("lower", "upper")}
    distance = (
        Mahalanobis(made.distance.omega / np.outer(scale, scale))
        if mahalanobis
        else Manhattan(made.distance.weights / scale)
    )
    same(made, Instance(made.x0 * scale, distance, {**made.constraints, **columns, **bounds}))


@BOTH
@SHAPES
def test_translation(shape, mahalanobis):
    made = make(shape, mahalanobis)
    move = 100.0 * np.random.default_rng(34).normal(size=shape[0])
    c = made.constraints
    moved = {"b": c["b"] + c["A"] @ move, "lower": c["lower"] + move, "upper": c["upper"] + move}
    if "F" in c:
        moved["g"] = c["g"] + c["F"] @ move
    same(made, Instance(made.x0 + move, made.distance, {**c, **moved}))


@BOTH
@SHAPES
def test_price_of_the_distance(shape, mahalanobis):
    """Ten times the price gives ten times the distance, at the same point."""
    made = make(shape, mahalanobis)
    dear = Mahalanobis(10.0 * made.distance.omega) if mahalanobis else Manhattan(10.0 * made.distance.weights)
    cheap, costly = made.project(), Instance(made.x0, dear, made.constraints).project()
    np.testing.assert_allclose(costly.distance, 10.0 * cheap.distance, rtol=1e-8)


@BOTH
@pytest.mark.parametrize("shape", [shape for shape in CASES if shape[2]], ids=str)
def test_units_of_the_cone(shape, mahalanobis):
    made = make(shape, mahalanobis)
    c = made.constraints
    same(made, made.with_constraints(F=1e4 * c["F"], g=1e4 * c["g"], h0=1e4 * c["h0"]))


@BOTH
@SHAPES
def test_bounds_are_rows(shape, mahalanobis):
    made = make(shape, mahalanobis)
    c = made.constraints
    n, up, down = shape[0], np.isfinite(c["upper"]), np.isfinite(c["lower"])
    A = np.vstack([c["A"], np.eye(n)[up], -np.eye(n)[down]])
    b = np.concatenate([c["b"], c["upper"][up], -c["lower"][down]])
    rest = {key: value for key, value in c.items() if key not in ("lower", "upper")}
    same(made, Instance(made.x0, made.distance, {**rest, "A": A, "b": b}))


@BOTH
@SHAPES
def test_more_constraints_never_come_nearer(shape, mahalanobis):
    made = make(shape, mahalanobis)
    c = made.constraints
    half = shape[1] // 2 + 1
    fewer = made.with_constraints(A=c["A"][:half], b=c["b"][:half]).project()
    assert fewer.lower_bound[0] <= made.project().distance[0] * (1 + 1e-8)


@BOTH
@SHAPES
def test_projection_is_idempotent(shape, mahalanobis):
    made = make(shape, mahalanobis)
    first = made.project(margin=1e-8)
    again = Instance(first.x[0], made.distance, made.constraints).project()
    assert again.status[0] == "optimal"
    assert again.distance[0] == 0.0
