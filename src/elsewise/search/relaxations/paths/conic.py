r"""A small interior-point method for paths of points in ellipsoids.

It solves, for a cone K that is a product of half-lines and second-order cones,

.. math:: \min_x c^\top x \quad\text{s.t.}\quad G x + s = h,\; s \in K
          \qquad\text{and its dual}\qquad \max_z -h^\top z \quad\text{s.t.}\quad G^\top z + c = 0,\; z \in K

by the homogeneous self-dual embedding with Nesterov-Todd scaling and Mehrotra's predictor and corrector. What it
returns is not a proof: whoever uses the multipliers evaluates the bound they prove by other, simpler code (see
:mod:`.corners`).

Symbols: ``W`` is the scaling, symmetric, with ``lambda = W z = W^-1 s``; ``tau, kappa`` are those of the embedding.
Half-lines come first, then second-order cones in groups of equal size, each an array of shape (n_cones, size).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ....arrays import FloatArray

# Relative residuals and gap to stop at (what is left of a double after solving normal equations), iterations (20 are
# usual), share of the distance to the boundary a step goes, and the step below which nothing moves.
CONIC_ACCURACY, CONIC_ITERATIONS, STEP_SHARE, SHORTEST_STEP = 1e-8, 60, 0.99, 1e-10
# Length, in plain coordinates, below which a gap counts absolutely.
SMALL_OBJECTIVE = 1e-6
# Iterations without a smaller error after which rounding has won.
STEPS_WITHOUT_GAIN = 5
# Corrections of each solution of its normal equations.
REFINEMENTS = 2
# Dual residual at which a bound that is worth more than the incumbent is taken for one.
CUTOFF_ACCURACY = 1e-4
# Residual at which multipliers are taken for a ray that shows that there is no point.
RAY_ACCURACY = 1e-4

Solver = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class ConeShape:
    """A product of half-lines and second-order cones.

    Attributes
    ----------
    n_lines : int
    groups : tuple of (int, int)
        Number and size of the cones of each group.
    """

    n_lines: int
    groups: tuple[tuple[int, int], ...]

    @property
    def size(self) -> int:
        """Dimension of the cone."""
        return self.n_lines + sum(count * size for count, size in self.groups)

    @property
    def degree(self) -> int:
        """Number of factors."""
        return self.n_lines + sum(count for count, _ in self.groups)

    def split(self, vector: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Return views of a vector: its half-lines, and an array of shape (n_cones, size) for each group."""
        parts, start = [], self.n_lines
        for count, size in self.groups:
            parts.append(vector[start : start + count * size].reshape(count, size))
            start += count * size
        return vector[: self.n_lines], parts


@dataclass(frozen=True, slots=True)
class Scaling:
    """The Nesterov-Todd scaling of a pair of points.

    Attributes
    ----------
    lines : array of shape (n_lines,)
        Diagonal of ``W``.
    cones : list of (eta, w)
        For each group ``W = eta (2 v v' - J)`` with ``v v'`` from the unit vector ``w``; shapes (n_cones,) and
        (n_cones, size).
    """

    lines: FloatArray
    cones: list[tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, slots=True)
class ConicSolution:
    """What the method ended with.

    Attributes
    ----------
    status : "optimal", "infeasible" or "stalled"
    x : array of shape (n,)
    z : array of shape (m,)
        Multipliers; a ray that shows that there is no point where the status is "infeasible".
    """

    status: Literal["optimal", "infeasible", "stalled"]
    x: FloatArray
    z: FloatArray


def solve_conic(
    c: FloatArray,
    G: FloatArray,
    h: FloatArray,
    shape: ConeShape,
    factorise: Callable[[Scaling], Solver],
    sizes: FloatArray,
    cutoff: float = np.inf,
) -> ConicSolution:
    """Solve one problem.

    Parameters
    ----------
    c : array of shape (n,)
    G, h : arrays of shape (m, n), (m,)
    shape : ConeShape
        Of dimension m.
    factorise : function of a Scaling
        Returns a function that solves ``G' W^-2 G u = r``.
    sizes : array of shape (n,)
        What the dual residual of each variable is compared with.
    cutoff : float
        Stop once the dual is worth more than this.
    """
    x, s, z, tau, kappa = np.zeros(len(c)), _identity(shape), _identity(shape), 1.0, 1.0
    size_h = 1.0 + float(np.linalg.norm(h))
    best, least, least_ray, worse = ConicSolution("stalled", x, z), np.inf, np.inf, 0
    for _ in range(CONIC_ITERATIONS):
        Gz = z @ G
        dual, primal, gap = Gz + c * tau, G @ x + s - h * tau, float(c @ x + h @ z + kappa)
        objective, bound, ray = float(c @ x) / tau, -float(h @ z) / tau, -float(h @ z)
        residual = max(float(np.linalg.norm(primal)) / size_h, float(np.abs(dual / sizes).max())) / tau
        relative_gap = max(float(s @ z) / tau**2, objective - bound) / max(SMALL_OBJECTIVE, abs(objective))
        error = max(residual, relative_gap)
        ray_error = float(np.linalg.norm(Gz)) * size_h / ray if ray > 0.0 else np.inf
        worse = 0 if min(error / least, ray_error / least_ray) < 1.0 else worse + 1
        if error < least:
            best, least = ConicSolution("stalled", x / tau, z / tau), error
        if ray_error < least_ray:
            least_ray = ray_error
            if ray_error < RAY_ACCURACY and error > ray_error:
                best = ConicSolution("stalled", x / tau, z)
        if residual <= CUTOFF_ACCURACY and bound * (1.0 - CUTOFF_ACCURACY) > cutoff:
            return ConicSolution("stalled", x / tau, z / tau)
        if error <= CONIC_ACCURACY:
            return ConicSolution("optimal", x / tau, z / tau)
        if ray_error <= CONIC_ACCURACY:
            return ConicSolution("infeasible", x, z / ray)
        scaling = _scaling(s, z, shape)
        if scaling is None or worse >= STEPS_WITHOUT_GAIN:
            break
        try:
            system = _System((c, G, h), shape, scaling, factorise(scaling), (tau, kappa), (dual, primal, gap))
        except np.linalg.LinAlgError:
            break
        lam = _apply(scaling, z, shape, 1)
        square = _product(lam, lam, shape)
        dx, ds, dz, dt, dk = system.direction(1.0, lam, -square, -tau * kappa)
        step = min(1.0, _longest(s, ds, shape), _longest(z, dz, shape), _until(tau, dt), _until(kappa, dk))
        centring = (1.0 - step) ** 3
        target = centring * float(s @ z + tau * kappa) / (shape.degree + 1)
        cross = _product(_apply(scaling, ds, shape, -1), _apply(scaling, dz, shape, 1), shape)
        wanted = -square - cross + target * _identity(shape)
        dx, ds, dz, dt, dk = system.direction(1.0 - centring, lam, wanted, -tau * kappa - dt * dk + target)
        step = min(_longest(s, ds, shape), _longest(z, dz, shape), _until(tau, dt), _until(kappa, dk))
        step = min(1.0, STEP_SHARE * step)
        if not (step > SHORTEST_STEP and np.isfinite(dx).all()):
            break
        x, s, z, tau, kappa = x + step * dx, s + step * ds, z + step * dz, tau + step * dt, kappa + step * dk
    return best


class _System:
    """The linear system of one iteration, factorised once for both directions.

    With ``rho`` the residuals, a step leaves ``1 - rest`` of them and meets a given complementarity:

        G'dz + c dtau = -rest rho_x,   G dx + ds - h dtau = -rest rho_z,   c'dx + h'dz + dkappa = -rest rho_tau,
        lambda o (W dz + W^-1 ds) = comparison,   tau dkappa + kappa dtau = product.
    """

    def __init__(
        self,
        problem: tuple[FloatArray, FloatArray, FloatArray],
        shape: ConeShape,
        scaling: Scaling,
        solve: Solver,
        homogeneous: tuple[float, float],
        residuals: tuple[FloatArray, FloatArray, float],
    ) -> None:
        (c, G, h), (tau, kappa) = problem, homogeneous
        self.c, self.G, self.h, self.shape = c, G, h, shape
        self.scaling, self.solve, self.tau, self.kappa = scaling, solve, tau, kappa
        self.dual, self.primal, self.gap = residuals
        self.x1, self.z1 = self._newton(-c, h)
        self.slope = kappa / tau - float(c @ self.x1 + h @ self.z1)

    def direction(
        self, rest: float, lam: FloatArray, comparison: FloatArray, product: float
    ) -> tuple[FloatArray, FloatArray, FloatArray, float, float]:
        """Return ``dx, ds, dz, dtau, dkappa``."""
        W, shape = self.scaling, self.shape
        q = _divided(lam, comparison, shape)
        x2, z2 = self._newton(-rest * self.dual, -rest * self.primal - _apply(W, q, shape, 1))
        dt = (rest * self.gap + product / self.tau + float(self.c @ x2 + self.h @ z2)) / self.slope
        dx, dz = x2 + dt * self.x1, z2 + dt * self.z1
        ds = _apply(W, q - _apply(W, dz, shape, 1), shape, 1)
        return dx, ds, dz, dt, (product - self.kappa * dt) / self.tau

    def _newton(self, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Solve ``[0 G'; G -W^2] (u, v) = (a, b)``."""
        u = self.solve(a + _apply(self.scaling, b, self.shape, -2) @ self.G)
        v = _apply(self.scaling, self.G @ u - b, self.shape, -2)
        for _ in range(REFINEMENTS):  # normal equations lose digits of the dual, which is what proves
            correction = self.solve(a - v @ self.G)
            u = u + correction
            v = v + _apply(self.scaling, self.G @ correction, self.shape, -2)
        return u, v


def _identity(shape: ConeShape) -> FloatArray:
    e = np.zeros(shape.size)
    lines, cones = shape.split(e)
    lines[:] = 1.0
    for cone in cones:
        cone[:, 0] = 1.0
    return e


def _scaling(s: FloatArray, z: FloatArray, shape: ConeShape) -> Scaling | None:
    """Scaling with ``W z = W^-1 s``; None where a point has left the cone by rounding."""
    (s_lines, s_cones), (z_lines, z_cones) = shape.split(s), shape.split(z)
    if not ((s_lines > 0).all() and (z_lines > 0).all()):
        return None
    cones = []
    for a, b in zip(s_cones, z_cones):
        det_a, det_b = _determinant(a), _determinant(b)
        if not ((det_a > 0).all() and (det_b > 0).all() and (a[:, 0] > 0).all() and (b[:, 0] > 0).all()):
            return None
        unit_a, unit_b = a / np.sqrt(det_a)[:, None], b / np.sqrt(det_b)[:, None]
        gamma = np.sqrt(0.5 * (1.0 + (unit_a * unit_b).sum(axis=1)))
        w = (unit_a + _reflected(unit_b)) / (2.0 * gamma[:, None])
        cones.append(((det_a / det_b) ** 0.25, w))
    return Scaling(np.sqrt(s_lines / z_lines), cones)


def _determinant(a: FloatArray) -> FloatArray:
    """``a0^2 - |a1|^2`` without losing the small difference of two large numbers."""
    length = np.sqrt(np.square(a[:, 1:]).sum(axis=1))
    return np.asarray((a[:, 0] - length) * (a[:, 0] + length))


def _reflected(a: FloatArray) -> FloatArray:
    reflected = -a
    reflected[:, 0] = a[:, 0]
    return reflected


def _apply(scaling: Scaling, vector: FloatArray, shape: ConeShape, power: int) -> FloatArray:
    """``W^power vector`` for a power of 1, -1 or -2."""
    result = np.empty_like(vector)
    (lines, cones), (out_lines, out_cones) = shape.split(vector), shape.split(result)
    out_lines[:] = lines * scaling.lines**power
    for (eta, w), a, out in zip(scaling.cones, cones, out_cones):
        size = eta[:, None] ** power
        if power == -2:  # W^-2 = eta^-2 (2 Jw (Jw)' - J)
            v = _reflected(w)
            out[:] = size * (2.0 * v * (v * a).sum(axis=1)[:, None] - _reflected(a))
            continue
        v = w if power == 1 else _reflected(w)
        inner = (v[:, 1:] * a[:, 1:]).sum(axis=1)
        out[:, 0] = v[:, 0] * a[:, 0] + inner
        out[:, 1:] = a[:, 1:] + v[:, 1:] * (a[:, 0] + inner / (1.0 + v[:, 0]))[:, None]
        out *= size
    return result


def _product(a: FloatArray, b: FloatArray, shape: ConeShape) -> FloatArray:
    """Jordan product, cone by cone."""
    result = np.empty_like(a)
    (a_lines, a_cones), (b_lines, b_cones), (lines, cones) = (shape.split(v) for v in (a, b, result))
    lines[:] = a_lines * b_lines
    for p, q, out in zip(a_cones, b_cones, cones):
        out[:, 0] = (p * q).sum(axis=1)
        out[:, 1:] = p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:]
    return result


def _divided(lam: FloatArray, b: FloatArray, shape: ConeShape) -> FloatArray:
    """Find the vector whose Jordan product with ``lam`` is ``b``."""
    result = np.empty_like(b)
    (l_lines, l_cones), (b_lines, b_cones), (lines, cones) = (shape.split(v) for v in (lam, b, result))
    lines[:] = b_lines / l_lines
    for p, q, out in zip(l_cones, b_cones, cones):
        inner = (p[:, 1:] * q[:, 1:]).sum(axis=1)
        out[:, 0] = (p[:, 0] * q[:, 0] - inner) / _determinant(p)
        out[:, 1:] = (q[:, 1:] - out[:, :1] * p[:, 1:]) / p[:, :1]
    return result


def _longest(a: FloatArray, d: FloatArray, shape: ConeShape) -> float:
    """Largest step t with ``a + t d`` in the cone."""
    (a_lines, a_cones), (d_lines, d_cones) = shape.split(a), shape.split(d)
    with np.errstate(divide="ignore", invalid="ignore"):
        longest = float(np.where(d_lines < 0, -a_lines / d_lines, np.inf).min(initial=np.inf))
        for p, q in zip(a_cones, d_cones):
            # roots of |p + t q|_J^2 = A t^2 + 2 B t + C with C > 0
            C = _determinant(p)
            B = p[:, 0] * q[:, 0] - (p[:, 1:] * q[:, 1:]).sum(axis=1)
            A = q[:, 0] ** 2 - np.square(q[:, 1:]).sum(axis=1)
            root = np.sqrt(np.maximum(B * B - A * C, 0.0))
            # the smallest positive root, in the form that does not cancel
            stays = (A > 0) & ((B >= 0) | (B * B < A * C))
            t = np.where(stays, np.inf, C / (root - B))
            t = np.where(~stays & (t <= 0), np.inf, t)
            t = np.where(q[:, 0] < 0, np.minimum(t, -p[:, 0] / q[:, 0]), t)
            longest = min(longest, float(np.nanmin(t, initial=np.inf)))
    return longest


def _until(a: float, d: float) -> float:
    return -a / d if d < 0 else np.inf
