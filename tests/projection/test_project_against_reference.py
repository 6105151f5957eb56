"""Random instances of every shape: each answer certified on its own, then compared with an independent solver."""

import numpy as np
import pytest

from elsewise.distances import Mahalanobis, Manhattan
from strategies import Instance, random_distance, random_instance

SIZES = (1, 2, 3, 5, 13, 30, 64)
KINDS = {
    "rows and cone": {},
    "tilted cone": {"tilted": True},
    "bounds": {"bounded": 0.6},
    "bounds and tilted cone": {"bounded": 0.4, "tilted": True},
}


def shapes(n, seed, count=3):
    rng = np.random.default_rng([seed, n])
    return [(int(rng.integers(0, 61)), int(rng.integers(1, 41))) for _ in range(count)] + [(0, min(n, 40)), (2, 1)]


def agree(instance, answer, *, rtol=1e-6):
    """Compare with the reference where that one succeeds; the certificate has already proven the answer."""
    status, value, _ = instance.reference()
    assert status in ("optimal", "AlmostSolved", "InsufficientProgress")
    if status == "optimal":
        np.testing.assert_allclose(answer.distance[0], value, rtol=rtol, atol=1e-9)


@pytest.mark.parametrize("mahalanobis", [False, True], ids=["manhattan", "mahalanobis"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_random_instances(n, kind, mahalanobis):
    for seed, (p, q) in enumerate(shapes(n, 1)):
        instance = random_instance([2, seed, n], n, p, q, mahalanobis=mahalanobis, **KINDS[kind])
        answer = instance.project()
        instance.certify(answer)
        agree(instance, answer)


@pytest.mark.parametrize("mahalanobis", [False, True], ids=["manhattan", "mahalanobis"])
@pytest.mark.parametrize("n", SIZES)
def test_rows_alone(n, mahalanobis):
    for seed, p in enumerate((1, 7, 60)):
        instance = random_instance([3, seed, n], n, p, 0, mahalanobis=mahalanobis, bounded=0.5 * (seed % 2))
        answer = instance.project()
        instance.certify(answer)
        agree(instance, answer)


@pytest.mark.parametrize("mahalanobis", [False, True], ids=["manhattan", "mahalanobis"])
@pytest.mark.parametrize("n", [2, 5, 13, 30])
def test_fixed_and_forced_features(n, mahalanobis):
    """Some features stay (lower = upper = x0), some are moved to one value (lower = upper elsewhere)."""
    for seed in range(4):
        made = random_instance([4, seed, n], n, 4, min(n, 6), mahalanobis=mahalanobis, bounded=0.3)
        rng = np.random.default_rng([5, seed, n])
        kind = rng.integers(0, 4, size=n)
        x0 = np.where(kind == 0, made.inside, made.x0)
        pinned = kind <= 1
        instance = Instance(x0, made.distance, made.constraints, made.inside).with_constraints(
            lower=np.where(pinned, made.inside, made.constraints["lower"]),
            upper=np.where(pinned, made.inside, made.constraints["upper"]),
        )
        answer = instance.project()
        instance.certify(answer)
        agree(instance, answer)
        np.testing.assert_allclose(answer.x[0, pinned], made.inside[pinned], atol=1e-8)
        if not mahalanobis:
            assert (answer.x[0, kind == 0] == x0[kind == 0]).all()


@pytest.mark.parametrize("mahalanobis", [False, True], ids=["manhattan", "mahalanobis"])
def test_rank_deficient_cones(mahalanobis):
    for seed, n in enumerate((3, 5, 13, 30)):
        made = random_instance([6, seed], n, 3, 6, mahalanobis=mahalanobis)
        F = made.constraints["F"].copy()
        F[:, :: 2 if n > 3 else 3] = 0.0  # features the cone does not see
        F[1] = F[0]
        F[2] = 0.0
        shift = made.constraints["g"] - made.constraints["F"] @ made.inside
        instance = made.with_constraints(F=F, g=F @ made.inside + shift)
        answer = instance.project()
        instance.certify(answer)
        agree(instance, answer)


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("mahalanobis", [False, True], ids=["manhattan", "mahalanobis"])
def test_badly_scaled_features(mahalanobis, offset):
    """Features of scales 1e-4 to 1e4 with weights to match, far from the origin: the same optimum as before."""
    for seed, n in enumerate((2, 5, 13, 30)):
        plain = random_instance([7, seed], n, 5, min(n, 8), bounded=0.3)
        rng = np.random.default_rng([8, seed])
        scale = 10.0 ** rng.uniform(-4, 4, size=n)
        move = offset * scale
        weights = np.asarray(plain.distance.weights)
        metric = Mahalanobis(np.diag((weights / scale) ** 2)) if mahalanobis else Manhattan(weights / scale)
        before = Instance(
            plain.x0, Mahalanobis(np.diag(weights**2)) if mahalanobis else plain.distance, plain.constraints
        ).project()
        c = plain.constraints
        A, F = c["A"] / scale, c["F"] / scale
        instance = Instance(
            plain.x0 * scale + move,
            metric,
            {
                "A": A, "b": c["b"] + A @ move, "F": F, "g": c["g"] + F @ move, "h0": c["h0"],
                "lower": c["lower"] * scale + move, "upper": c["upper"] * scale + move,
            },
        )  # fmt: skip
        answer = instance.project()
        instance.certify(answer)
        np.testing.assert_allclose(answer.distance, before.distance, rtol=1e-7 if offset == 0 else 1e-6)


@pytest.mark.parametrize("mahalanobis", [False, True], ids=["manhattan", "mahalanobis"])
@pytest.mark.parametrize("width", [1e-3, 1e-6])
def test_thin_cells(width, mahalanobis):
    for seed, n in enumerate((2, 5, 13)):
        made = random_instance([9, seed], n, 3, min(n, 6), mahalanobis=mahalanobis)
        normal = np.random.default_rng([10, seed]).normal(size=n)
        at = normal @ made.inside
        instance = made.with_constraints(
            A=np.vstack([made.constraints["A"], normal, -normal]),
            b=np.concatenate([made.constraints["b"], [at + width, -at + width]]),
        )
        answer = instance.project()
        instance.certify(answer, gap=1e-7)
        agree(instance, answer)


@pytest.mark.parametrize("mahalanobis", [False, True], ids=["manhattan", "mahalanobis"])
@pytest.mark.parametrize("depth", [1e-2, 1e-4, 1e-6])
def test_nearly_tangent_row_and_cone(depth, mahalanobis):
    """The cell is a sliver: the row leaves a cap of relative depth ``depth`` of the ellipsoid."""
    for seed, n in enumerate((2, 3, 5, 13)):
        rng = np.random.default_rng([11, seed])
        F = np.eye(n) + 0.3 * rng.normal(size=(n, n)) / np.sqrt(n)
        x0, centre, normal = 3.0 * rng.normal(size=n), rng.normal(size=n), rng.normal(size=n)
        half_width = np.linalg.norm(np.linalg.solve(F.T, normal))
        lowest = normal @ centre - half_width
        constraints = {
            "F": F,
            "g": F @ centre,
            "h0": 1.0,
            "A": normal[None],
            "b": np.array([lowest + depth * half_width]),
        }
        instance = Instance(x0, random_distance(rng, n, mahalanobis), constraints)
        answer = instance.project()
        # A violation of 1e-9 moves the corner of a sliver by 1e-9 / sqrt(depth).
        instance.certify(answer, gap=1e-8 / np.sqrt(depth))
        agree(instance, answer, rtol=1e-6 / np.sqrt(depth))


@pytest.mark.parametrize("mahalanobis", [False, True], ids=["manhattan", "mahalanobis"])
@pytest.mark.parametrize("n", [2, 5, 13, 30])
def test_degenerate_integer_data(n, mahalanobis):
    """Ties everywhere: rows of -1, 0, 1 that meet in one point, integer points, unit weights."""
    for seed in range(4):
        rng = np.random.default_rng([12, seed, n])
        inside, x0 = rng.integers(-3, 4, size=(2, n)).astype(float)
        A = rng.integers(-1, 2, size=(2 * n, n)).astype(float)
        instance = Instance(
            x0, Mahalanobis(np.eye(n)) if mahalanobis else Manhattan(), {"A": A, "b": A @ inside + rng.integers(0, 2)}
        )
        answer = instance.project()
        instance.certify(answer)
        agree(instance, answer)


@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
@pytest.mark.parametrize("n", [2, 5])
def test_nearest_neighbour_cells_with_500_rows(n, distance):
    rng = np.random.default_rng([13, n])
    prototypes = rng.normal(size=(501, n))
    centre = prototypes[0]
    A = 2.0 * (prototypes[1:] - centre)
    b = (prototypes[1:] ** 2).sum(axis=1) - centre @ centre
    for seed in range(5):
        x0 = 3.0 * np.random.default_rng([14, seed]).normal(size=n)
        for cone in ({}, {"F": np.eye(n), "g": centre, "h0": 0.05}):
            metric = Manhattan() if distance == "manhattan" else Mahalanobis(np.eye(n))
            instance = Instance(x0, metric, {"A": A, "b": b, **cone})
            answer = instance.project()
            instance.certify(answer)
            agree(instance, answer)
            nearest = np.argmin(((prototypes - answer.x[0]) ** 2).sum(axis=1) - 1e-7 * (np.arange(501) == 0))
            assert nearest == 0


@pytest.mark.parametrize("mahalanobis", [False, True], ids=["manhattan", "mahalanobis"])
@pytest.mark.parametrize("radius", [1e-2, 1e-4, 1e-6])
def test_cones_much_smaller_than_the_distance(radius, mahalanobis):
    for seed, n in enumerate((2, 5, 13)):
        made = random_instance([15, seed], n, 3, n, mahalanobis=mahalanobis)
        shift = made.constraints["g"] - made.constraints["F"] @ made.inside
        instance = made.with_constraints(
            g=made.constraints["F"] @ made.inside + radius * shift, h0=radius * made.constraints["h0"]
        )
        answer = instance.project()
        instance.certify(answer)
        agree(instance, answer)
