"""Empty sets: the status says so and the multipliers prove it."""

import numpy as np
import pytest

from elsewise.distances import Mahalanobis, Manhattan
from elsewise.projection import project
from elsewise.projection.certificate import Multipliers, convex_set, farkas_violation
from strategies import Instance, random_instance

BOTH = pytest.mark.parametrize("mahalanobis", [False, True], ids=["manhattan", "mahalanobis"])


def proven_empty(instance, tolerance=1e-6):
    answer = instance.project()
    assert answer.status[0] == "infeasible"
    assert np.isnan(answer.x).all()
    assert answer.distance[0] == answer.gap[0] == np.inf
    assert farkas_violation(instance.x0, instance.multipliers(answer), instance.target(), instance.distance) < tolerance


@BOTH
@pytest.mark.parametrize("n", [1, 2, 5, 13, 30, 64])
def test_contradicting_rows(n, mahalanobis):
    for seed, (p, q) in enumerate([(0, 0), (3, 2), (20, 10), (40, 0)]):
        made = random_instance([40, seed, n], n, p, q, mahalanobis=mahalanobis, bounded=0.4 * (seed % 2))
        normal = np.random.default_rng([41, seed]).normal(size=n)
        at = normal @ made.inside
        A = np.vstack([made.constraints.get("A", np.empty((0, n))), normal, -normal])
        b = np.concatenate([made.constraints.get("b", np.empty(0)), [at - 0.1, -at - 0.1]])
        proven_empty(made.with_constraints(A=A, b=b))


@BOTH
@pytest.mark.parametrize("n", [1, 2, 5, 13, 30])
def test_row_that_misses_the_cone(n, mahalanobis):
    for seed, relative in enumerate((1.0, 0.1, 1e-2, 1e-3)):
        rng = np.random.default_rng([42, seed, n])
        F = np.eye(n) + 0.2 * rng.normal(size=(n, n)) / np.sqrt(n)
        x0, centre, normal = rng.normal(size=(3, n))
        half_width = np.linalg.norm(np.linalg.solve(F.T, normal))
        made = random_instance([43, seed], n, 0, 0, mahalanobis=mahalanobis)
        b = np.array([normal @ centre - (1 + relative) * half_width])
        proven_empty(Instance(x0, made.distance, {"A": normal[None], "b": b, "F": F, "g": F @ centre, "h0": 1.0}))


@BOTH
def test_bounds_that_miss_the_cone(mahalanobis):
    distance = Mahalanobis(np.eye(2)) if mahalanobis else Manhattan([1.0, 3.0])
    proven_empty(
        Instance(
            np.zeros(2), distance, {"F": np.eye(2), "g": np.array([5.0, 0.0]), "h0": 1.0, "upper": np.array([3.0, 9.0])}
        )
    )


@BOTH
def test_fixed_features_that_cannot_reach(mahalanobis):
    x0 = np.array([0.0, 0.0, 0.0])
    distance = Mahalanobis(np.eye(3)) if mahalanobis else Manhattan()
    constraints = {"A": np.array([[-1.0, 0.0, 0.0]]), "b": np.array([-1.0])}
    bounds = {"lower": np.array([0.0, -np.inf, -np.inf]), "upper": np.array([0.0, np.inf, np.inf])}
    proven_empty(Instance(x0, distance, {**constraints, **bounds}))


@BOTH
def test_all_features_fixed(mahalanobis):
    x0 = np.array([1.0, 2.0])
    distance = Mahalanobis(np.eye(2)) if mahalanobis else Manhattan()
    fixed = {"lower": x0, "upper": x0}
    proven_empty(Instance(x0, distance, {**fixed, "A": np.array([[1.0, 1.0]]), "b": np.array([2.0])}))
    answer = Instance(x0, distance, {**fixed, "A": np.array([[1.0, 1.0]]), "b": np.array([4.0])}).project()
    assert answer.status[0] == "optimal"
    assert (answer.x[0] == x0).all()


@BOTH
def test_row_without_content_that_cannot_hold(mahalanobis):
    distance = Mahalanobis(np.eye(2)) if mahalanobis else Manhattan()
    proven_empty(Instance(np.zeros(2), distance, {"A": np.zeros((1, 2)), "b": np.array([-1.0])}))


@BOTH
def test_negative_radius(mahalanobis):
    distance = Mahalanobis(np.eye(2)) if mahalanobis else Manhattan()
    proven_empty(Instance(np.ones(2), distance, {"F": np.eye(2), "g": np.zeros(2), "h0": -0.5}))


@BOTH
def test_cone_that_sees_no_feature(mahalanobis):
    distance = Mahalanobis(np.eye(2)) if mahalanobis else Manhattan()
    proven_empty(Instance(np.ones(2), distance, {"F": np.zeros((2, 2)), "g": np.ones(2), "h0": 0.5}))


@BOTH
@pytest.mark.parametrize("ratio", [1e2, 1e4, 1e6])
def test_far_is_not_empty(ratio, mahalanobis):
    """A wedge whose tip lies ``ratio`` times as far as either of its sides is feasible, however far."""
    # x1 >= 1 and x1 <= x2 / ratio: the tip is (1, ratio).
    distance = Mahalanobis(np.eye(2)) if mahalanobis else Manhattan()
    A = np.array([[-1.0, 0.0], [1.0, -1.0 / ratio]])
    instance = Instance(np.zeros(2), distance, {"A": A, "b": np.array([-1.0, 0.0])})
    answer = instance.project()
    instance.certify(answer, gap=1e-7)
    np.testing.assert_allclose(answer.x[0], [1.0, ratio], rtol=1e-5)


def test_rows_of_a_batch_are_judged_alone():
    X = np.random.default_rng(44).normal(size=(6, 3))
    A, b = np.array([[1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]]), np.array([-1.0, -1.0])
    answer = project(X, A=A, b=b)
    target = convex_set(3, A=A, b=b)
    assert (answer.status == "infeasible").all()
    for x0, *parts in zip(X, answer.row_multipliers, answer.bound_multipliers, answer.cone_multipliers, strict=True):
        assert farkas_violation(x0, Multipliers(*parts), target, Manhattan()) < 1e-6
