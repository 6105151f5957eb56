"""Kernel densities (Eq. kde) with a Gaussian kernel: a spherical mixture with a component at every training row.

Equal rows are merged into one component of weight count/n. The density is exactly the same, there are fewer cones, and
the component-wise maximum, where a repeated row would count once only, becomes a tighter bound of it.

At a training row the maximum is, nearly always, the peak of the row's own kernel: the same number for every row, so
that any quantile of it would be a threshold reached at training rows only. What tells dense rows from sparse ones is
the maximum over the *other* rows' kernels, so quantile thresholds use that one. With distinct rows this has a plain
meaning: a point is dense enough for the threshold ``p`` within a ball about some training row, whose squared radius is
the quantile ``1 - p`` of the squared distances between training rows and their nearest neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.base import BaseEstimator
from sklearn.mixture import GaussianMixture

from ...arrays import FloatArray, IntArray, check_rows
from ...errors import InvalidInputError
from ..base import chunks, is_finite_number, log_components, log_peaks
from ..units import CHUNK_ENTRIES, assemble_mixture
from .components import FittedMixture, distinct_row_folds

# Bandwidths tried first, least and largest, as powers of two of the deviation ``s`` of the rows: from s / 4096, for
# rows in tight clusters, to 4 s.
COARSE_POWERS = (-12, 2)
# Bandwidths tried next to the best of them, as powers of two: quarter steps that leave no gap to its neighbours.
FINE_POWERS = (-0.75, -0.5, -0.25, 0.25, 0.5, 0.75)


class KernelDensity(BaseEstimator):  # type: ignore[misc]
    """Density of a class as a sum of equal Gaussian bumps, one at every training row (Eq. kde).

    Likelihoods are exact (log-sum-exp over all pairwise distances); approximations by trees are off by many nats in
    high dimensions, and choose other bandwidths.

    Parameters
    ----------
    bandwidth : float, sequence of float or None, default=None
        Standard deviation of the kernel. A sequence is a grid: every entry is scored by the mean log-likelihood of
        held-out rows and the best one wins, the largest in a tie. None is a grid in powers of two around the
        root-mean-square deviation ``s`` of the features, from ``s/4096`` to ``4 s``, then a finer one (factor
        ``2**(1/4)``) about its best.
    cv : int, default=5
        Number of folds. Equal rows always share a fold, otherwise the likelihood would grow without end as the
        bandwidth goes to zero.
    random_state : int, RandomState instance or None, default=0
        Shuffles the folds.

    Attributes
    ----------
    bandwidth_ : float
    mixture_ : sklearn.mixture.GaussianMixture
        The same density as a mixture: spherical, covariance ``bandwidth_ ** 2``, a component for each distinct row.
    cv_scores_ : dict of float to float
        Mean held-out log-likelihood of each bandwidth tried; empty when there was nothing to choose.
    log_densities_ : array of shape (n_samples,)
        Log of the component-wise maximum at every training row without its own kernel (see the module docstring), in
        the order of the rows; -inf for a row without others.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise.density import KernelDensity
    >>> density = KernelDensity(bandwidth=0.5).fit(np.array([[0.0], [0.0], [1.0], [3.0]]))
    >>> density.mixture_.weights_
    array([0.5 , 0.25, 0.25])
    """

    def __init__(
        self,
        *,
        bandwidth: float | Sequence[float] | None = None,
        cv: int = 5,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.bandwidth = bandwidth
        self.cv = cv
        self.random_state = random_state

    def fit(self, Z: ArrayLike, y: object = None) -> KernelDensity:
        """Place a kernel on every row of one class and choose the bandwidth.

        Parameters
        ----------
        Z : array of shape (n_samples, n_features)
        y : ignored
        """
        rows = check_rows(Z)
        grid = self._check_parameters()
        if len(rows) == 0:
            raise InvalidInputError("too few rows for the kernel density: expected at least one, received none.")
        centres, owner, count = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
        if grid is not None and len(grid) == 1:
            self.cv_scores_: dict[float, float] = {}
            self.bandwidth_ = grid[0]
        else:
            self.cv_scores_ = self._cross_validate(centres, count.astype(np.int64), grid)
            self.bandwidth_ = _best(self.cv_scores_)
        self.mixture_ = _kernel_mixture(centres, count / len(rows), self.bandwidth_)
        at_centres, others = _log_densities(self.mixture_, count.astype(np.int64))
        self.mixture_.lower_bound_ = float(at_centres @ count / len(rows))
        self.log_densities_ = others[owner.reshape(-1)]
        self.n_features_in_ = rows.shape[1]
        return self

    def _check_parameters(self) -> list[float] | None:
        """Check the parameters; return the grid of bandwidths, None for the default one."""
        if isinstance(self.cv, bool) or not isinstance(self.cv, (int, np.integer)) or self.cv < 2:
            raise InvalidInputError(f"cv must be an integer >= 2, received {self.cv!r}.")
        if self.bandwidth is None:
            return None
        given = list(self.bandwidth) if isinstance(self.bandwidth, (Sequence, np.ndarray)) else [self.bandwidth]
        for h in given:
            if not is_finite_number(h) or h <= 0.0:
                raise InvalidInputError(f"bandwidth must be a finite number > 0, received {h!r}; None chooses it.")
        if not given:
            raise InvalidInputError("bandwidth is an empty grid: give at least one number, or None to choose.")
        return sorted({float(h) for h in given})

    def _cross_validate(self, centres: FloatArray, count: IntArray, grid: list[float] | None) -> dict[float, float]:
        """Mean held-out log-likelihood of each bandwidth."""
        if len(centres) < 2:
            raise InvalidInputError(
                "too few rows for the kernel density: a bandwidth cannot be chosen from fewer than 2 distinct rows "
                f"(received {len(centres)}). Give bandwidth=, or more rows of the class."
            )
        folds = list(distinct_row_folds(np.arange(len(centres), dtype=np.int64), self.cv, self.random_state))
        if grid is not None:
            return dict(zip(grid, _held_out(centres, count, folds, np.array(grid)).tolist()))
        spread = np.repeat(centres, count, axis=0).var(axis=0).mean() ** 0.5
        lowest, highest = COARSE_POWERS
        coarse = spread * 2.0 ** np.arange(lowest, highest + 1.0)
        scores = dict(zip(coarse.tolist(), _held_out(centres, count, folds, coarse).tolist()))
        fine = _best(scores) * 2.0 ** np.array(FINE_POWERS)
        scores.update(zip(fine.tolist(), _held_out(centres, count, folds, fine).tolist()))
        return dict(sorted(scores.items()))


def _best(scores: dict[float, float]) -> float:
    """Bandwidth of the highest score, the largest in a tie."""
    return max(scores, key=lambda h: (scores[h], h))


def _held_out(centres: FloatArray, count: IntArray, folds: list[IntArray], bandwidths: FloatArray) -> FloatArray:
    """Mean log-likelihood of held-out rows for every bandwidth, array of shape (n_bandwidths,)."""
    q = centres.shape[1]
    total = np.zeros(len(bandwidths))
    for fold in folds:
        kept = np.delete(np.arange(len(centres)), fold)
        weights = count[kept] / count[kept].sum()
        size = max(1, CHUNK_ENTRIES // len(kept))
        for held_out in np.split(fold, range(size, len(fold), size)):
            squared = cdist(centres[held_out], centres[kept], "sqeuclidean")
            nearest = squared.min(axis=1)
            squared -= nearest[:, None]
            for i, h in enumerate(bandwidths):
                # log sum_k w_k exp(-d_k^2 / 2h^2), with the nearest row taken out so that nothing underflows.
                inner = np.log(np.exp(squared * (-0.5 / h**2)) @ weights) - 0.5 * nearest / h**2
                total[i] += count[held_out] @ inner
    mean: FloatArray = total / count.sum() - q * np.log(bandwidths) - 0.5 * q * np.log(2.0 * np.pi)
    return mean


def _kernel_mixture(centres: FloatArray, weights: FloatArray, bandwidth: float) -> GaussianMixture:
    """Build the fitted spherical mixture that is this kernel density."""
    m = len(centres)
    like = GaussianMixture(n_components=m, covariance_type="spherical", reg_covar=0.0)
    mixture = assemble_mixture(weights, centres, np.full(m, bandwidth**2), np.full(m, 1.0 / bandwidth), like=like)
    mixture.converged_ = True
    mixture.n_iter_ = 0
    return mixture


def _log_densities(mixture: FittedMixture, count: IntArray) -> tuple[FloatArray, FloatArray]:
    """Log of the density at every centre, and of the component-wise maximum there with one row's kernel left out."""
    density, others = [np.empty(0)], [np.empty(0)]
    start = 0
    peaks = log_peaks(mixture)
    for chunk in chunks(mixture.means_, mixture):
        values = log_components(mixture, chunk, peaks)
        density.append(logsumexp(values, axis=1))
        rows = np.arange(len(chunk))
        own = start + rows
        # Of a centre that stands for several equal rows, the others' share stays.
        with np.errstate(divide="ignore"):
            values[rows, own] += np.log((count[own] - 1) / count[own])
        others.append(values.max(axis=1))
        start += len(chunk)
    return np.concatenate(density), np.concatenate(others)
