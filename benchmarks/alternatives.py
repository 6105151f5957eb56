"""The two alternatives a user has today: Clarabel's own API, and the paper's published formulation in cvxpy with SCS.

Both solve ``min |x - x0|_1`` over every cell of the wanted class and take the best.
"""

from __future__ import annotations

import time
import warnings
from collections import Counter
from dataclasses import dataclass, field

import clarabel
import cvxpy as cp
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .problems import Cell

FloatArray = NDArray[np.float64]


@dataclass(slots=True)
class Answer:
    """Best point over all cells of a row.

    Attributes
    ----------
    distance : float
        Infinite when every cell is empty.
    x : array of shape (d,) or None
    seconds : float
        Time for all cells.
    seconds_empty : float
        The part of it spent on cells without a solution. A cell is empty for every row or for none, so a careful user
        would find these once and leave them out.
    statuses : Counter
        The solver's statuses over the cells.
    """

    distance: float = np.inf
    x: FloatArray | None = None
    seconds: float = 0.0
    seconds_empty: float = 0.0
    statuses: Counter[str] = field(default_factory=Counter)

    def offer(self, x: FloatArray | None, distance: float, status: str, seconds: float) -> None:
        """Take the result of one cell; ``x`` is None where the solver found nothing."""
        self.statuses[status] += 1
        self.seconds += seconds
        if x is None:
            self.seconds_empty += seconds
        elif distance < self.distance:
            self.distance, self.x = distance, x


class ClarabelCells:
    """Clarabel with one prebuilt solver per cell; a row only replaces the right-hand side.

    Of the forms tried (epigraph ``-t <= v <= t``, split ``v = v+ - v-``, both with model space as extra variables, and
    the dual; right-hand side updated or solver rebuilt) the epigraph form with updates was the fastest on nearly every
    problem, and never far from it.
    """

    def __init__(self, W: FloatArray, w0: FloatArray, cells: list[Cell]) -> None:
        self.W, self.w0 = W, w0
        d = W.shape[1]
        eye, settings = np.eye(d), _settings()
        cost = np.concatenate([np.zeros(d), np.ones(d)])
        self.solvers = []
        for cell in cells:
            p, q = cell.A.shape
            # Slacks h - G (v, t): t - v, t + v, the polyhedron's rows, and the cone's (radius, factor (z - centre)).
            slope = np.vstack([cell.A, np.zeros(q), -cell.factor])
            base = np.concatenate([cell.b, [cell.radius], -cell.factor @ cell.centre])
            G = np.block([[eye, -eye], [-eye, -eye], [slope @ W, np.zeros((p + q + 1, d))]])
            h = np.concatenate([np.zeros(2 * d), base])
            cones = [clarabel.NonnegativeConeT(2 * d + p), clarabel.SecondOrderConeT(q + 1)]
            P = sparse.csc_matrix((2 * d, 2 * d))
            solver = clarabel.DefaultSolver(P, cost, sparse.csc_matrix(G), h, cones, settings)
            self.solvers.append((solver, h, slope, base))

    def best(self, x0: FloatArray) -> Answer:
        """Solve every cell for the row ``x0`` of shape (d,)."""
        answer, d = Answer(), len(x0)
        z0 = self.W @ x0 + self.w0
        for solver, h, slope, base in self.solvers:
            start = time.perf_counter()
            h[2 * d :] = base - slope @ z0
            solver.update(b=h)
            solution = solver.solve()
            status = str(solution.status)
            x = x0 + np.array(solution.x[:d]) if status in ("Solved", "AlmostSolved") else None
            answer.offer(x, solution.obj_val, status, time.perf_counter() - start)
        return answer


def _settings() -> clarabel.DefaultSettings:
    """Clarabel's default tolerances on one thread; data updates exclude the presolver, which has nothing to do here."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.presolve_enable = False
    settings.chordal_decomposition_enable = False
    return settings


def published(x0: FloatArray, W: FloatArray, w0: FloatArray, cells: list[Cell]) -> Answer:
    """Solve every cell as published: a new cvxpy problem for each, SCS at cvxpy's defaults."""
    answer = Answer()
    for cell in cells:
        start = time.perf_counter()
        x, beta = cp.Variable(len(x0)), cp.Variable(len(x0))
        z = W @ x + w0
        constraints = [
            x - x0 <= beta,
            x0 - x <= beta,
            cell.A @ z <= cell.b,
            cp.quad_form(z - cell.centre, cell.precision, assume_PSD=True) <= cell.radius**2,
        ]
        problem = cp.Problem(cp.Minimize(cp.sum(beta)), constraints)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Solution may be inaccurate")
            problem.solve(solver=cp.SCS)
        found = problem.status in ("optimal", "optimal_inaccurate")
        distance = float(np.abs(x.value - x0).sum()) if found else np.inf
        answer.offer(x.value if found else None, distance, problem.status, time.perf_counter() - start)
    return answer
