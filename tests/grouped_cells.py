"""Cells with categories for the kernel, and the same cells written out in full for a general conic solver.

The kernel substitutes the base of each category and reports what moves away from it. Here every indicator is a variable
of its own, between 0 and 1, with the equality ``sum of indicators = 1``, and the price of a category is paid for what
its base has lost: nothing of the substitution is shared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from elsewise.projection.cells import Batch, Details, PackedCones, Polyhedra, pack
from elsewise.projection.distance import manhattan_coordinates

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

TOLERANCES = (1e-11, 1e-10, 1e-9)


@dataclass(frozen=True)
class GroupedCell:
    """One row and one cell, in features.

    Attributes
    ----------
    x0, prices : arrays of shape (n,)
        Indicators of a category have one price, that of a change.
    group : int array of shape (n,)
    A, b : arrays of shape (p, n), (p,)
    n_first : int
        So many rows belong to the first polyhedron, the others to the second.
    F, g, h0, h1 : the cone; F has no rows if there is none
    lower, upper : arrays of shape (n,)
        Limits of features, for indicators 0 and 1, or 0 and 0 for a level that is ruled out.
    """

    x0: FloatArray
    prices: FloatArray
    group: IntArray
    A: FloatArray
    b: FloatArray
    n_first: int
    F: FloatArray
    g: FloatArray
    h0: float
    h1: FloatArray
    lower: FloatArray
    upper: FloatArray

    @property
    def is_base(self) -> NDArray[np.bool_]:
        """Indicators that the row has."""
        return (self.group >= 0) & (self.x0 == 1)

    @property
    def has_cone(self) -> bool:
        return len(self.F) > 0

    @property
    def n_groups(self) -> int:
        return int(self.group.max(initial=-1)) + 1

    def limits(self) -> tuple[FloatArray, FloatArray]:
        """Limits of plain differences as the search gives them to the kernel."""
        low, high = (self.lower - self.x0) * self.prices, (self.upper - self.x0) * self.prices
        indicators = self.group >= 0
        low[indicators] = 0.0
        high[indicators] = np.where((self.upper[indicators] > 0) & ~self.is_base[indicators], np.inf, 0.0)
        return low, high

    def project(self, *, cutoff: float = np.inf, margin: float = 0.0) -> Batch:
        """Ask the kernel."""
        n, p, q = len(self.x0), len(self.b), len(self.F)
        coordinates = manhattan_coordinates(self.prices, np.zeros(n))
        cells = pack(
            coordinates,
            Polyhedra(self.A, self.b, np.array([[0, self.n_first], [self.n_first, p]])),
            PackedCones(
                factors=self.F[None] if q else np.empty((0, 0, n)),
                shape=np.zeros(int(q > 0), dtype=np.int64),
                centres=self.g[None] if q else np.empty((0, 0)),
                radii=np.full(int(q > 0), self.h0),
                tilts=self.h1[None] if q and self.h1.any() else None,
            ),
            self.group if self.n_groups else None,
        )
        low, high = self.limits()
        return cells.project(
            coordinates.points(self.x0[None]),
            np.zeros(1, dtype=np.int64),
            np.array([[0 if self.n_first else -1, 1 if p > self.n_first else -1]]),
            np.array([0 if q else -1]),
            cutoff=np.array([cutoff]),
            margin=np.array([margin]),
            limits=(low[None], high[None]),
            details=Details(multipliers=True),
        )

    def point(self, v: FloatArray) -> FloatArray:
        """Features of a plain difference in which bases are implied."""
        e = self.x0 + v / self.prices
        for c in range(self.n_groups):
            mine = self.group == c
            e[mine & self.is_base] = 1.0 - e[mine & ~self.is_base].sum()
        return e

    def distance(self, e: FloatArray) -> float:
        """Price of all changes: numbers by their difference, categories by what the base has lost."""
        numeric = self.group < 0
        return float(
            np.abs(e - self.x0)[numeric] @ self.prices[numeric] + (1.0 - e[self.is_base]) @ self.prices[self.is_base]
        )

    def violation(self, e: FloatArray) -> float:
        """Largest violation of any constraint."""
        parts = [0.0, *(self.A @ e - self.b), *(self.lower - e), *(e - self.upper)]
        parts += [abs(e[self.group == c].sum() - 1.0) for c in range(self.n_groups)]
        if self.has_cone:
            parts.append(float(np.linalg.norm(self.F @ e - self.g)) - self.h0 - float(self.h1 @ e))
        return float(max(parts))

    def reference(self) -> tuple[str, float]:
        """Status and optimum of the general solver."""
        status, e = self._solve(None)
        return status, self.distance(e) if e is not None else (np.inf if status == "infeasible" else np.nan)

    def most(self, slopes: FloatArray) -> float:
        """Largest ``slopes·v`` over the cell, ``v`` plain with bases implied; NaN if the solver gives up."""
        moves = np.where(self.is_base, 0.0, slopes * self.prices)
        status, e = self._solve(-moves)
        if status == "unbounded":
            return np.inf
        return np.nan if e is None else float(moves @ (e - np.where(self.group < 0, self.x0, 0.0)))

    def _solve(self, objective: FloatArray | None) -> tuple[str, FloatArray | None]:
        """Minimise the distance, or a linear objective, over the cell."""
        n, numeric = len(self.x0), np.flatnonzero(self.group < 0)
        m = len(numeric) if objective is None else 0  # epigraph variables |e_i - x0_i| <= t_i
        eye = np.eye(n)
        sums = np.array([(self.group == c).astype(float) for c in range(self.n_groups)]).reshape(-1, n)
        rows, right = [self.A], [self.b]
        for limit, sign in ((self.lower, -1.0), (self.upper, 1.0)):
            finite = np.isfinite(limit)
            rows.append(sign * eye[finite])
            right.append(sign * limit[finite])
        G = np.hstack([np.vstack(rows), np.zeros((sum(map(len, rows)), m))])
        h = np.concatenate(right)
        if m:
            t = np.eye(m)
            G = np.vstack([G, np.hstack([eye[numeric], -t]), np.hstack([-eye[numeric], -t])])
            h = np.concatenate([h, self.x0[numeric], -self.x0[numeric]])
        cones = [clarabel.ZeroConeT(len(sums))] if len(sums) else []
        cones.append(clarabel.NonnegativeConeT(len(h)))
        G, h = np.vstack([np.hstack([sums, np.zeros((len(sums), m))]), G]), np.concatenate([np.ones(len(sums)), h])
        if self.has_cone:
            cone = -np.vstack([self.h1, self.F])
            G = np.vstack([G, np.hstack([cone, np.zeros((len(cone), m))])])
            h = np.concatenate([h, [self.h0], -self.g])
            cones.append(clarabel.SecondOrderConeT(len(cone)))
        cost = np.where(self.is_base, -self.prices, 0.0) if objective is None else objective
        cost = np.concatenate([cost, self.prices[numeric] if m else np.empty(0)])
        P, status = sparse.csc_matrix((n + m, n + m)), ""
        for tolerance in TOLERANCES:
            settings = clarabel.DefaultSettings()
            settings.verbose = False
            settings.max_threads = 1
            for name in ("tol_gap_abs", "tol_gap_rel", "tol_feas"):
                setattr(settings, name, tolerance)
            solution = clarabel.DefaultSolver(P, cost, sparse.csc_matrix(G), h, cones, settings).solve()
            status = str(solution.status)
            if status == "PrimalInfeasible":
                return "infeasible", None
            if status == "DualInfeasible":
                return "unbounded", None
            if status == "Solved":
                return "optimal", np.asarray(solution.x)[:n]
        return status, None

    def dual(self, batch: Batch) -> tuple[FloatArray, float]:
        """Gradient of the Lagrangian in plain differences (bases implied), and its constant: ``|v| + rho·v + beta``."""
        p = len(self.b)
        z, zeta, y = batch.halfspace_multipliers[0], batch.bound_multipliers[0], batch.cone_multipliers[0]
        gradient = self.A.T @ z[:p]
        beta = float(z[:p] @ (self.A @ self.x0 - self.b))
        if self.has_cone:
            gradient = gradient - self.h1 * y[0] - self.F.T @ y[1:]
            beta -= float(y[0] * (self.h0 + self.h1 @ self.x0) + y[1:] @ (self.F @ self.x0 - self.g))
        low, high = self.limits()
        free = ~((low == 0) & (high == 0))
        rho, place = np.zeros(len(self.x0)), p
        for i in range(len(rho)):
            base = (
                np.flatnonzero((self.group == self.group[i]) & self.is_base)
                if self.group[i] >= 0
                else np.empty(0, dtype=np.int64)
            )
            rho[i] = (gradient[i] - gradient[base].sum()) / self.prices[i]  # zero for the base itself
        for c in range(self.n_groups):  # rows of the groups in which something can move follow those of the polyhedra
            mine = (self.group == c) & ~self.is_base
            if free[mine].any():
                rho[mine] += z[place]
                beta -= float(z[place] * self.prices[mine][0])
                place += 1
        assert not z[place:].any()
        finite_high, finite_low = np.isfinite(high), np.isfinite(low)
        assert (zeta[~finite_high] <= 0).all()
        assert (zeta[~finite_low] >= 0).all()
        beta -= float(np.sum(np.maximum(zeta, 0)[finite_high] * high[finite_high]))
        beta += float(np.sum(np.maximum(-zeta, 0)[finite_low] * low[finite_low]))
        return np.where(free, rho + zeta, 0.0), beta

    def with_changes(self, **changes: Any) -> GroupedCell:
        return replace(self, **changes)


def random_cell(
    seed: int | list[int],
    *,
    n_numeric: int,
    levels: tuple[int, ...] = (),
    n_first: int = 0,
    n_second: int = 0,
    q: int = 0,
    tilted: bool = False,
    bounded: float = 0.0,
    barred: float = 0.0,
    whole: bool = False,
) -> tuple[GroupedCell, FloatArray]:
    """Make a cell that is not empty, and a point inside.

    Parameters
    ----------
    levels : tuple of int
        How many levels each category has.
    n_first, n_second : int
        Rows of the two polyhedra.
    q : int
        Dimensions of the cone, 0 for none.
    bounded, barred : float
        Share of numbers with limits, of levels that are ruled out.
    whole : bool
        Data are small multiples of 1/2: ties and degenerate corners everywhere.
    """
    rng = np.random.default_rng(seed)
    n = n_numeric + sum(levels)
    group = np.concatenate([np.full(n_numeric, -1), np.repeat(np.arange(len(levels)), levels)]).astype(np.int64)

    def draw(*shape: int) -> FloatArray:
        return rng.integers(-4, 5, size=shape) / 2.0 if whole else rng.normal(size=shape)

    x0, inside = np.zeros(n), np.zeros(n)
    prices = np.ones(n) if whole else rng.uniform(0.3, 3.0, size=n)
    inside[:n_numeric] = draw(n_numeric)
    x0[:n_numeric] = inside[:n_numeric] + draw(n_numeric) * rng.choice([0.0, 1.0, 5.0])
    lower, upper = np.where(group >= 0, 0.0, -np.inf), np.where(group >= 0, 1.0, np.inf)
    for c in range(len(levels)):
        mine = np.flatnonzero(group == c)
        prices[mine] = prices[mine[0]]
        x0[rng.choice(mine)] = 1.0
        upper[mine[(rng.random(len(mine)) < barred) & (x0[mine] == 0)]] = 0.0
        open_levels = mine[upper[mine] > 0]
        share = np.zeros(len(open_levels))
        share[rng.integers(len(share))] = 1.0
        inside[open_levels] = share if rng.random() < 0.5 else rng.dirichlet(np.ones(len(share)))
    if bounded:
        has = rng.random((2, n_numeric)) < bounded
        room = np.abs(draw(2, n_numeric)) + 0.1
        stays = rng.random((2, n_numeric)) < 0.3  # one way only, as monotone columns
        at = x0[:n_numeric]
        low = np.where(stays[0] & (inside[:n_numeric] >= at), at, inside[:n_numeric] - room[0])
        high = np.where(stays[1] & (inside[:n_numeric] <= at), at, inside[:n_numeric] + room[1])
        lower[:n_numeric], upper[:n_numeric] = np.where(has[0], low, -np.inf), np.where(has[1], high, np.inf)
    p = n_first + n_second
    A = draw(p, n)
    slack = rng.integers(0, 2, size=p) / 4.0 + 0.25 if whole else 0.3 * rng.exponential(size=p)
    F, g, h0, h1 = np.empty((0, n)), np.empty(0), 0.0, np.zeros(n)
    if q:
        F = draw(q, n) / np.sqrt(n)
        direction, radius = rng.normal(size=q), float(rng.choice([0.3, 1.0, 3.0]))
        g = F @ inside + rng.uniform(0.0, 0.9) * radius * direction / np.linalg.norm(direction)
        if tilted:
            h1 = 0.3 * rng.normal(size=n) / np.sqrt(n)
        h0 = radius - float(h1 @ inside)
    cell = GroupedCell(
        x0=x0, prices=prices, group=group, A=A, b=A @ inside + slack, n_first=n_first, F=F, g=g, h0=h0, h1=h1,
        lower=lower, upper=upper,
    )  # fmt: skip
    return cell, inside
