"""Diagonal splits of the matrix of a cone.

A cone couples all columns, and a sum of trees is bounded column by column. Of ``y'Py`` the part ``y'Dy`` stays exact
where ``D`` is diagonal; the rest, ``y'(P - D)y``, is bounded by its tangents. So ``D`` should be as large as it can be
while ``P - D`` has no negative eigenvalue.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import FloatArray

# Sweeps over the diagonal, and how fast the barrier falls, to its least.
SWEEPS, FALL, LEAST_BARRIER = 60, 0.8, 0.01
# Least eigenvalue, with columns scaled, below which a cone is too flat to be split.
FLAT = 1e-12
# Share of the diagonal of P by which P - D is kept away from having a negative eigenvalue, per column: some times the
# rounding of P, whose entries are off by less than n eps (|F|'|F|), which is at most n times its own diagonal.
SPLIT_ROUNDING = 16 * np.finfo(np.float64).eps


@dataclass(frozen=True, slots=True, eq=False)
class DiagonalSplit:
    """A matrix and the diagonal taken off it.

    Attributes
    ----------
    P, size : arrays of shape (n, n)
        ``F'F`` and ``|F|'|F|``.
    D : array of shape (n,)
        ``P - D`` is positive semidefinite, whatever rounding did to ``P``.
    half_widths : array of shape (n,)
        How far ``y`` may reach in each column where ``y'Py <= 1``, rounded up.
    """

    P: FloatArray
    size: FloatArray
    D: FloatArray
    half_widths: FloatArray


def split_of(factor: FloatArray) -> DiagonalSplit | None:
    """Split ``F'F`` for a factor of shape (q, n); None if it is too flat to be split."""
    P, size = factor.T @ factor, np.abs(factor).T @ np.abs(factor)
    n = len(P)
    slack = n * n * SPLIT_ROUNDING * np.diag(size)
    D = _largest_diagonal(P)
    while D is not None and not _is_positive(P - np.diag(D + slack)):
        D = 0.99 * D - slack
        if (D < 0).any():
            return None
    if D is None:
        return None
    widths = np.sqrt(np.maximum(np.diag(np.linalg.inv(P - np.diag(slack))), 0.0)) * (1 + 1e-6)
    return DiagonalSplit(P, size, D, widths)


def _is_positive(S: FloatArray) -> bool:
    try:
        np.linalg.cholesky(S)
    except np.linalg.LinAlgError:
        return False
    return True


def _least_eigenvalue(S: FloatArray) -> float:
    """Return the smallest eigenvalue; infinity for a matrix of size 0, as of an ellipsoid over categories alone."""
    return float(np.linalg.eigvalsh(S).min(initial=np.inf))


def _largest_diagonal(P: FloatArray) -> FloatArray | None:
    """Maximise ``sum log D_i + barrier log det(P - D)``, entry by entry, as the barrier falls."""
    scale = np.sqrt(np.diag(P))
    if not (scale > 0).all() or _least_eigenvalue(P / np.outer(scale, scale)) < FLAT:
        return None
    share = 1.0 / np.diag(np.linalg.inv(P))
    least = _least_eigenvalue(P / np.sqrt(np.outer(share, share)))
    D, barrier = 0.5 * least * share, 1.0
    inverse = np.linalg.inv(P - np.diag(D))
    for sweep in range(SWEEPS):
        for i in range(len(P)):
            own = inverse[i, i]
            step = max((1.0 - barrier * own * D[i]) / (own * (1.0 + barrier)), -0.999999 * D[i])
            inverse += np.outer(inverse[:, i], inverse[i]) * (step / (1.0 - step * own))
            D[i] += step
        barrier = max(FALL * barrier, LEAST_BARRIER)
        if sweep % 5 == 4:
            inverse = np.linalg.inv(P - np.diag(D))
    return np.asarray(D)
