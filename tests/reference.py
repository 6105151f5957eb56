"""Independent reference for the projector and the search: Clarabel at tight tolerances, every cell solved.

The problem, in ``v = x - x0``, is the one the library's projector solves::

    minimise   sum_i weights_i |v_i|   or   v' omega v
    subject to A v <= b,   lower <= v <= upper,   ||F v - g|| <= h0 + h1·v

It is written here in epigraph form, ``-t <= v <= t``, and handed to a general conic solver, so that nothing of the
library's own elimination, scaling or search is shared with it.
"""

from __future__ import annotations

from typing import Any

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

FloatArray = NDArray[np.float64]

TOLERANCES = (1e-11, 1e-10, 1e-9)
"""Tried in turn: badly scaled instances stop short of the tightest one."""


def project_reference(
    x0: FloatArray,
    *,
    weights: FloatArray | None = None,
    omega: FloatArray | None = None,
    A: FloatArray | None = None,
    b: FloatArray | None = None,
    F: FloatArray | None = None,
    g: FloatArray | None = None,
    h0: float | None = None,
    h1: FloatArray | None = None,
    lower: FloatArray | None = None,
    upper: FloatArray | None = None,
) -> tuple[str, float, FloatArray | None]:
    """Project ``x0`` onto one convex cell.

    Parameters
    ----------
    x0 : array of shape (d,)
    weights : array of shape (d,), optional
        Weighted Manhattan distance. Exactly one of ``weights`` and ``omega`` is given.
    omega : array of shape (d, d), optional
        Squared Mahalanobis distance ``v' omega v``, not halved.
    A, b : arrays of shape (p, d) and (p,), optional
    F, g : arrays of shape (q, d) and (q,), optional
        The cone; without ``F`` there is none.
    h0, h1 : float and array of shape (d,), optional
        Right-hand side of the cone; ``h1`` is zero when left out.
    lower, upper : arrays of shape (d,), optional
        Bounds on ``v``, infinite where open.

    Returns
    -------
    status : "optimal", "infeasible" or the name of Clarabel's last status
    value : float
        The distance; infinite when infeasible, NaN when the solver gave up.
    x : array of shape (d,) or None
    """
    if (weights is None) == (omega is None):
        raise ValueError("Give exactly one of weights and omega.")
    x0 = np.asarray(x0, dtype=np.float64)
    d = len(x0)
    manhattan = weights is not None
    eye = np.eye(d)
    rows: list[Any] = [np.empty((0, d)) if A is None else np.asarray(A, dtype=np.float64).reshape(-1, d)]
    right: list[Any] = [np.empty(0) if b is None else np.asarray(b, dtype=np.float64)]
    for bound, sign in ((lower, -1.0), (upper, 1.0)):
        if bound is not None:
            finite = np.isfinite(bound)
            rows.append(sign * eye[finite])
            right.append(sign * np.asarray(bound, dtype=np.float64)[finite])
    G = np.vstack(rows)
    if manhattan:
        G = np.block([[G, np.zeros_like(G)], [eye, -eye], [-eye, -eye]])
        right.append(np.zeros(2 * d))
    h = np.concatenate(right)
    cones = [clarabel.NonnegativeConeT(len(h))] if len(h) else []
    if F is not None:
        # Clarabel's slack is s = h - G u: the cone's is (h0 + h1·v, F v - g).
        slope = np.zeros(d) if h1 is None else np.asarray(h1, dtype=np.float64)
        cone = -np.vstack([slope, F])
        G = np.vstack([G, np.hstack([cone, np.zeros((len(cone), G.shape[1] - d))])])
        h = np.concatenate([h, [h0], -np.asarray(g, dtype=np.float64)])
        cones.append(clarabel.SecondOrderConeT(len(cone)))
    n = G.shape[1]
    # Clarabel minimises u'Pu / 2 + q·u.
    P = sparse.csc_matrix((n, n)) if manhattan else sparse.csc_matrix(np.triu(2.0 * np.asarray(omega)))
    q = np.concatenate([np.zeros(d), weights]) if weights is not None else np.zeros(d)

    status = ""
    for tolerance in TOLERANCES:
        solution = clarabel.DefaultSolver(P, q, sparse.csc_matrix(G), h, cones, _settings(tolerance)).solve()
        status = str(solution.status)
        if status == "PrimalInfeasible":
            return "infeasible", np.inf, None
        if status == "Solved":
            v = np.asarray(solution.x)[:d]
            value = weights @ np.abs(v) if weights is not None else v @ omega @ v
            return "optimal", float(value), x0 + v
    return status, np.nan, None


def best_over_cells(
    x0: FloatArray,
    *,
    matrix: FloatArray,
    offset: FloatArray,
    polyhedra: list[tuple[FloatArray, FloatArray]],
    cones: list[tuple[FloatArray, FloatArray, float]] | None = None,
    weights: FloatArray | None = None,
    omega: FloatArray | None = None,
    lower: FloatArray | None = None,
    upper: FloatArray | None = None,
) -> tuple[float, FloatArray | None, tuple[int, int | None] | None]:
    """Project ``x0`` onto the union of all cells by solving every one of them.

    Parameters
    ----------
    x0 : array of shape (d,)
    matrix, offset : arrays of shape (q, d) and (q,)
        Model space is ``z = matrix @ x + offset``.
    polyhedra : list of pairs (A, b)
        ``{ z : A z <= b }`` with shapes (p_i, q) and (p_i,).
    cones : list of (factor, centre, radius), optional
        ``{ z : ||factor (z - centre)|| <= radius }`` with shapes (q, q), (q,) and a float.
    weights, omega, lower, upper
        As in :func:`project_reference`; the bounds are on ``x - x0``.

    Returns
    -------
    value : float
        Distance to the nearest cell, infinite when all are empty.
    x : array of shape (d,) or None
    pair : (polyhedron, cone) or None
        Where it lies; the cone is None without cones.
    """
    z0 = matrix @ x0 + offset
    best: tuple[float, FloatArray | None, tuple[int, int | None] | None] = (np.inf, None, None)
    for i, (A, b) in enumerate(polyhedra):
        rows: dict[str, Any] = {"A": A @ matrix, "b": b - A @ z0}
        for j, cone in [(None, None)] if cones is None else enumerate(cones):
            ball: dict[str, Any] = {}
            if cone is not None:
                factor, centre, radius = cone
                ball = {"F": factor @ matrix, "g": factor @ (centre - z0), "h0": radius}
            status, value, x = project_reference(
                x0, weights=weights, omega=omega, lower=lower, upper=upper, **rows, **ball
            )
            if status not in ("optimal", "infeasible"):
                raise RuntimeError(f"The reference solver stopped with {status} in cell ({i}, {j}).")
            if value < best[0]:
                best = value, x, (i, j)
    return best


def _settings(tolerance: float) -> clarabel.DefaultSettings:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    for name in ("tol_gap_abs", "tol_gap_rel", "tol_feas"):
        setattr(settings, name, tolerance)
    return settings
