"""Independent reference for paths through ellipsoids: Clarabel on a formulation written out here."""

from __future__ import annotations

import clarabel
import numpy as np
from scipy import sparse


def reference(ground, start, sets, sequence, terminal):
    """Length of the shortest path by a general conic solver; infinite if there is none, NaN if it gave up."""
    n, t = len(start), len(sequence)
    N = t if terminal.point is None else t - 1
    columns = N * n + t * n if ground.norm == 1 else N * n + t
    lines, offsets, cones, right = [], [], [], []

    def corner(k):
        """Rows that pick corner k, and what is fixed of it."""
        rows = np.zeros((n, columns))
        if k < 0:
            return rows, start
        if k >= N:
            return rows, terminal.point
        rows[:, k * n : (k + 1) * n] = np.eye(n)
        return rows, np.zeros(n)

    for k in range(t):
        (a, a0), (b, b0) = corner(k), corner(k - 1)
        move, fixed = a - b, a0 - b0
        if ground.norm == 1:
            size = np.zeros((n, columns))
            size[:, N * n + k * n : N * n + (k + 1) * n] = np.eye(n)
            lines += [move - size, -move - size]
            offsets += [-fixed, fixed]
        else:
            top = np.zeros((1, columns))
            top[0, N * n + k] = -1.0
            cones.append(np.vstack([top, -move]))
            right.append(np.append(0.0, fixed))
        one_way = ground.direction != 0
        lines.append(-(ground.direction[:, None] * move)[one_way])
        offsets.append((ground.direction * fixed)[one_way])
    for k in range(N):
        pick, _ = corner(k)
        finite = np.isfinite(ground.upper)
        lines.append(pick[finite])
        offsets.append(ground.upper[finite])
        finite = np.isfinite(ground.lower)
        lines.append(-pick[finite])
        offsets.append(-ground.lower[finite])
        lines.append(ground.normals @ pick)
        offsets.append(ground.offsets)
        members = [(sets.factors[j], sets.centres[j], sets.radii[j]) for j in sequence[k : k + 2]] if k < t - 1 else []
        if k == t - 1:
            members = [(terminal.factor, terminal.centre, terminal.radius)]
            lines.append(terminal.normals @ pick)
            offsets.append(terminal.offsets)
        for F, g, r in members:
            cones.append(np.vstack([np.zeros((1, columns)), -F @ pick]))
            right.append(np.append(r, -g))
    A, b = np.vstack([*lines, *cones]), np.concatenate([*offsets, *right])
    kinds = [clarabel.NonnegativeConeT(sum(map(len, offsets)))] + [clarabel.SecondOrderConeT(len(r)) for r in right]
    cost = np.append(np.zeros(N * n), np.ones(columns - N * n))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
    empty = sparse.csc_matrix((columns, columns))
    solved = clarabel.DefaultSolver(empty, cost, sparse.csc_matrix(A), b, kinds, settings).solve()
    if "Infeasible" in str(solved.status):
        return np.inf
    return solved.obj_val if "olved" in str(solved.status) else np.nan
