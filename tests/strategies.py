"""Random convex problems for the projector, seeded or drawn by hypothesis, and the judge of its answers.

An :class:`Instance` carries one point, one distance and one convex set that holds ``inside`` by construction. Its
:meth:`Instance.certify` proves an answer right with :mod:`elsewise.projection.certificate` alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from elsewise.distances import Mahalanobis, Manhattan
from elsewise.projection import Projection, project
from elsewise.projection.certificate import KKTResiduals, Multipliers, convex_set, kkt_residuals
from reference import project_reference

FloatArray = NDArray[np.float64]

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Instance:
    """One projection: ``x0`` onto the set given by ``constraints``, keywords of :func:`elsewise.projection.project`."""

    x0: FloatArray
    distance: Manhattan | Mahalanobis
    constraints: dict[str, Any] = field(default_factory=dict)
    inside: FloatArray | None = None

    def project(self, **options: Any) -> Projection:
        return project(self.x0[None], distance=self.distance, **self.constraints, **options)

    def multipliers(self, answer: Projection, row: int = 0) -> Multipliers:
        return Multipliers(answer.row_multipliers[row], answer.bound_multipliers[row], answer.cone_multipliers[row])

    def target(self) -> Any:
        return convex_set(len(self.x0), **self.constraints)

    def residuals(self, answer: Projection, row: int = 0) -> KKTResiduals:
        return kkt_residuals(self.x0, answer.x[row], self.multipliers(answer, row), self.target(), self.distance)

    def rounding(self, answer: Projection, row: int = 0) -> float:
        """Rounding of the data themselves, in units of the distance: ``x0`` and ``x`` are numbers with 53 bits."""
        size = np.abs(self.x0) + np.abs(answer.x[row])
        target, multipliers = self.target(), self.multipliers(answer, row)
        products = multipliers.rows @ (np.abs(target.A) @ size + np.abs(target.b))
        if target.has_cone:
            products += np.abs(multipliers.cone[1:]) @ (np.abs(target.F) @ size + np.abs(target.g))
        moves = self.weights() * size
        length = np.sqrt(answer.distance[row]) if isinstance(self.distance, Mahalanobis) else 1.0
        return 8 * EPS * float(products + 2 * length * moves.sum())

    def weights(self) -> FloatArray:
        if isinstance(self.distance, Mahalanobis):
            return np.sqrt(np.diag(self.distance.omega))
        return np.ones(len(self.x0)) if self.distance.weights is None else np.asarray(self.distance.weights)

    def certify(self, answer: Projection, row: int = 0, *, gap: float = 1e-8, primal: float = 1e-9) -> KKTResiduals:
        """Assert that the answer is optimal: primal, dual, gap, complementarity; and that its multipliers prove it."""
        assert answer.status[row] == "optimal"
        found = self.residuals(answer, row)
        noise = self.rounding(answer, row)
        length = found.distance if isinstance(self.distance, Manhattan) else np.sqrt(found.distance)
        assert np.isfinite(answer.x[row]).all()
        np.testing.assert_allclose(answer.distance[row], found.distance, rtol=1e-12, atol=1e-300)
        # Residuals are lengths; for a squared distance d = length^2 the rounding of a length is that of d / length.
        assert found.primal <= primal * length + noise * (
            1.0 if length == found.distance else 1.0 / max(length, 1e-300)
        )
        assert found.signs <= 1e-12
        if isinstance(self.distance, Manhattan):
            assert found.dual <= 1e-9
        # The bound allows for the rounding of its own terms, so the multipliers prove it and a little more.
        assert answer.lower_bound[row] <= found.dual_value + 1e-9 * found.distance + noise
        assert found.dual_value - answer.lower_bound[row] <= gap * found.distance + noise
        assert answer.lower_bound[row] <= found.distance * (1 + gap) + noise
        assert found.distance - found.dual_value <= gap * found.distance + noise
        assert found.complementarity * found.distance <= max(1e-7, gap) * found.distance + noise
        return found

    def reference(self) -> tuple[str, float, FloatArray | None]:
        """Answer of an independent conic solver."""
        shifted = {key: np.asarray(value) for key, value in self.constraints.items()}
        if "A" in shifted:
            shifted["b"] = shifted["b"] - shifted["A"] @ self.x0
        for bound in ("lower", "upper"):
            if bound in shifted:
                shifted[bound] = shifted[bound] - self.x0
        if "F" in shifted:
            shifted["g"] = shifted["g"] - shifted["F"] @ self.x0
            shifted["h0"] = shifted["h0"] + (shifted["h1"] @ self.x0 if "h1" in shifted else 0.0)
        metric: dict[str, Any] = (
            {"omega": np.asarray(self.distance.omega)}
            if isinstance(self.distance, Mahalanobis)
            else {"weights": self.weights()}
        )
        return project_reference(self.x0, **metric, **shifted)

    def with_constraints(self, **changes: Any) -> Instance:
        return replace(self, constraints={**self.constraints, **changes})


def random_distance(rng: np.random.Generator, n: int, mahalanobis: bool) -> Manhattan | Mahalanobis:
    if not mahalanobis:
        return Manhattan(rng.uniform(0.3, 3.0, size=n))
    root = rng.normal(size=(n, n)) / np.sqrt(n)
    return Mahalanobis(root @ root.T + 0.05 * np.eye(n))


def random_instance(
    seed: int | list[int],
    n: int,
    p: int,
    q: int,
    *,
    mahalanobis: bool = False,
    tilted: bool = False,
    bounded: float = 0.0,
) -> Instance:
    """Make a feasible instance with ``n`` features, ``p`` rows, a cone in ``q`` dimensions (0: none).

    A share ``bounded`` of the features has a lower bound, and as many have an upper one.
    """
    rng = np.random.default_rng(seed)
    inside = rng.normal(size=n)
    x0 = inside + rng.normal(size=n) * rng.choice([0.5, 2.0, 10.0])
    constraints: dict[str, Any] = {}
    if p:
        A = rng.normal(size=(p, n))
        constraints |= {"A": A, "b": A @ inside + rng.exponential(size=p) * 0.3}
    if q:
        F = rng.normal(size=(q, n)) / np.sqrt(n)
        direction = rng.normal(size=q)
        radius = rng.choice([0.3, 1.0, 3.0])
        g = F @ inside + rng.uniform(0.0, 0.9) * radius * direction / np.linalg.norm(direction)
        constraints |= {"F": F, "g": g, "h0": float(radius)}
        if tilted:
            h1 = rng.normal(size=n) * 0.3 / np.sqrt(n)
            constraints |= {"h1": h1, "h0": float(radius - h1 @ inside)}
    if bounded:
        constraints["lower"] = np.where(rng.random(n) < bounded, inside - rng.exponential(size=n), -np.inf)
        constraints["upper"] = np.where(rng.random(n) < bounded, inside + rng.exponential(size=n), np.inf)
    return Instance(x0, random_distance(rng, n, mahalanobis), constraints, inside)


@st.composite
def instances(draw: st.DrawFn, *, max_features: int = 6) -> Instance:
    """Feasible instances whose data are small multiples of 1/4: exact arithmetic, so ties and degeneracy are common."""
    quarters = st.integers(-12, 12).map(lambda k: k / 4)

    def array(*shape: int) -> FloatArray:
        count = int(np.prod(shape))
        return np.array(draw(st.lists(quarters, min_size=count, max_size=count))).reshape(shape)

    n = draw(st.integers(1, max_features))
    p, q = draw(st.integers(0, 6)), draw(st.integers(0, 4))
    inside, x0 = array(n), array(n)
    constraints: dict[str, Any] = {}
    if p:
        A = array(p, n)
        constraints |= {"A": A, "b": A @ inside + draw(st.sampled_from([0.25, 1.0]))}
    if q:
        F = array(q, n)
        constraints |= {"F": F, "g": F @ inside, "h0": draw(st.sampled_from([0.5, 2.0]))}
    if draw(st.booleans()):
        room = draw(st.sampled_from([0.25, 2.0]))
        constraints |= {"lower": np.where(array(n) > 0, inside - room, -np.inf)}
        constraints |= {"upper": np.where(array(n) > 0, inside + room, np.inf)}
    distance = draw(st.sampled_from([Manhattan(), Mahalanobis(np.eye(n))]))
    return Instance(x0, distance, constraints, inside)
