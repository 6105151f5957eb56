r"""Saddles: how dense a way can be that leads from one component of a mixture to another.

The set :math:`E_j(\delta)` where component j alone reaches :math:`\delta` is convex (see :mod:`.base`), and
:math:`E_i` and :math:`E_j` have a point in common exactly where :math:`\delta` is at most the saddle

.. math:: \max_z \min(a_i(z), a_j(z)), \qquad a_j(z) = c_j - \tfrac12 \lVert L_j^\top (z - \mu_j) \rVert^2 .

Both functions are concave, so this is :math:`\min_{0 \le \lambda \le 1} \varphi(\lambda)` with
:math:`\varphi(\lambda) = \max_z \lambda a_i(z) + (1 - \lambda) a_j(z)`, one convex problem in one number. In the
coordinates :math:`y = V^\top L_i^\top (z - \mu_i)`, where V diagonalises :math:`L_i^{-1} \Sigma_j^{-1} L_i^{-\top}` to
s and e is the image of :math:`\mu_j`,

.. math:: y_k = \frac{(1-\lambda) s_k e_k}{\lambda + (1-\lambda) s_k}, \qquad
          \varphi'(\lambda) = a_i(y) - a_j(y) .

Every :math:`\varphi(\lambda)` bounds the saddle from above, and the smaller of the two at y from below. The highest
level at which two components are connected through others is the widest way over the graph of saddles.
"""

from __future__ import annotations

import heapq

import numpy as np
from scipy.linalg import solve_triangular

from ..arrays import FloatArray, IntArray
from ..search import Cones

# Halvings of the mixing of two components: a saddle is then exact to the last bits of a double.
SADDLE_BISECTIONS = 60


def saddles(cones: Cones, log_peaks: FloatArray) -> FloatArray:
    """Saddle between every two components of a mixture of Gaussians.

    Parameters
    ----------
    cones : Cones
        Shapes and centres of the m components; radii do not matter.
    log_peaks : array of shape (m,)
        The numbers ``c_j``.

    Returns
    -------
    array of shape (m, m)
        Symmetric; the peaks themselves on the diagonal. A value that is reached: no higher one is claimed.
    """
    m = len(log_peaks)
    values = np.empty((m, m))
    values[np.diag_indices(m)] = log_peaks
    first, second = np.triu_indices(m, 1)
    alike = cones.shape[first] == cones.shape[second]
    for i, j, of_pairs in ((first[alike], second[alike], _alike), (first[~alike], second[~alike], _unlike)):
        values[i, j] = values[j, i] = of_pairs(cones, log_peaks, i, j)
    return values


def widest_ways(values: FloatArray, start: FloatArray) -> tuple[FloatArray, IntArray]:
    """Highest level at which each component is connected to a place, and the component one comes from.

    Parameters
    ----------
    values : array of shape (m, m)
        Saddles.
    start : array of shape (m,)
        Level at which the place itself lies in each component's set.

    Returns
    -------
    level : array of shape (m,)
    before : int array of shape (m,)
        The component before it on the widest way, -1 at the start.
    """
    level, before = start.copy(), np.full(len(start), -1)
    done = np.zeros(len(start), dtype=np.bool_)
    queue = [(-value, j) for j, value in enumerate(start.tolist())]
    heapq.heapify(queue)
    while queue:
        _, j = heapq.heappop(queue)
        if done[j]:
            continue
        done[j] = True
        through = np.minimum(level[j], values[j])
        for k in np.flatnonzero((through > level) & ~done).tolist():
            level[k], before[k] = through[k], j
            heapq.heappush(queue, (-level[k], k))
    return level, before


def _alike(cones: Cones, peaks: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    """Saddles of components of the same shape, where ``s = 1`` and the mixing is known."""
    squared = np.empty(len(i))
    for shape in np.unique(cones.shape[i]).tolist():
        of_shape = cones.shape[i] == shape
        apart = (cones.centres[j[of_shape]] - cones.centres[i[of_shape]]) @ cones.factors[shape].T
        squared[of_shape] = np.square(apart).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mixing = np.where(squared > 0.0, 0.5 - (peaks[i] - peaks[j]) / squared, np.where(peaks[i] < peaks[j], 1.0, 0.0))
    mixing = np.clip(mixing, 0.0, 1.0)
    return np.minimum(peaks[i] - 0.5 * (1.0 - mixing) ** 2 * squared, peaks[j] - 0.5 * mixing**2 * squared)


def _unlike(cones: Cones, peaks: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    """Saddles of components of different shapes."""
    if len(i) == 0:
        return np.empty(0)
    q = cones.centres.shape[1]
    ratio, place = np.empty((len(i), q)), np.empty((len(i), q))
    inverse = {shape: _inverse(cones.factors[shape]) for shape in np.unique(cones.shape[i]).tolist()}
    for pair, (a, b) in enumerate(zip(i.tolist(), j.tolist())):
        factor = cones.factors[cones.shape[b]] @ inverse[int(cones.shape[a])]
        # Singular values of the factor, not eigenvalues of its square: small ones keep their digits.
        _, singular, turned = np.linalg.svd(factor)
        ratio[pair] = singular**2
        place[pair] = turned @ (cones.factors[cones.shape[a]] @ (cones.centres[b] - cones.centres[a]))
    low, high = np.zeros(len(i)), np.ones(len(i))
    for _ in range(SADDLE_BISECTIONS):
        middle = 0.5 * (low + high)
        of_first, of_second = _components(middle, ratio, place, peaks[i], peaks[j])
        rising = of_first > of_second  # the slope of phi
        low, high = np.where(rising, low, middle), np.where(rising, middle, high)
    ends = [np.minimum(*_components(mixing, ratio, place, peaks[i], peaks[j])) for mixing in (low, high)]
    return np.maximum(*ends)


def _inverse(factor: FloatArray) -> FloatArray:
    """Inverse of a factor: triangular if it comes from a Cholesky decomposition, which keeps more digits."""
    if np.triu(factor, 1).any():
        return np.asarray(np.linalg.inv(factor))
    return np.asarray(solve_triangular(factor, np.eye(len(factor)), lower=True))


def _components(
    mixing: FloatArray, ratio: FloatArray, place: FloatArray, peak_first: FloatArray, peak_second: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Both components of each pair where their mixture is the largest, arrays of shape (n_pairs,)."""
    share = mixing[:, None]
    weight = share + (1.0 - share) * ratio
    from_first, from_second = (1.0 - share) * ratio * place / weight, share * place / weight
    return (
        peak_first - 0.5 * np.square(from_first).sum(axis=1),
        peak_second - 0.5 * (ratio * np.square(from_second)).sum(axis=1),
    )
