"""The density of a class as a mixture of low rank: chosen, fitted, and written out with full covariances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from ...arrays import FloatArray
from ...errors import InvalidInputError
from ..base import log_components, log_peaks
from ..constants import ONE_THREAD_FEATURES
from ..units import assemble_mixture, fit_scales
from .components import check_count, check_enough_rows, choice_splits, drawn_rows, equal_rows, least
from .low_rank_choice import choose, fit_low_rank, held_out_log_max, rank_grid
from .low_rank_mixture import LowRankMixture

if TYPE_CHECKING:
    from .gaussian_mixture import GaussianMixtureDensity


def low_rank_density(estimator: GaussianMixtureDensity, rows: FloatArray, grid: list[int] | None) -> dict[str, Any]:
    """Fit a mixture of low rank with an estimator's settings; return the attributes that the estimator learns.

    Parameters
    ----------
    estimator : GaussianMixtureDensity
    rows : array of shape (n_samples, n_features)
    grid : list of int or None
        Numbers of components, None for the default grid.
    """
    n, p = rows.shape
    drawn = drawn_rows(n, estimator.cv_rows, estimator.random_state)
    n_distinct, group = equal_rows(rows if drawn is None else rows[drawn]) if n else (0, np.empty(0, dtype=np.int64))
    check_enough_rows(n, n_distinct, least(grid))
    centre, scale = rows.mean(axis=0), float(fit_scales(rows, "low_rank")[0])
    W = (rows - centre) / scale
    settings = LowRankMixture(
        reg_covar=estimator.reg_covar,
        n_init=estimator.n_init,
        max_iter=estimator.max_iter,
        random_state=estimator.random_state,
    )
    default = list(range(1, max(1, min(estimator.max_components, n_distinct // 2)) + 1))
    with threadpool_limits(limits=1 if p <= ONE_THREAD_FEATURES else None):
        choice = choose(
            W if drawn is None else W[drawn],
            choice_splits(group, estimator.cv, estimator.random_state),
            settings,
            numbers=default if grid is None else grid,
            ranks=_ranks(estimator.rank, p),
            stops_early=grid is None,
        )
        if not choice.ranked:
            raise InvalidInputError(
                "No mixture of low rank could be fitted: a component has no rows left. Ask for fewer components "
                f"(n_components={estimator.n_components!r}) or give more rows of the class."
            )
        fitted = fit_low_rank(settings, W, *choice.ranked[0])
        held_out = held_out_log_max(fitted, W, estimator.random_state)
    mixture = _written_out(fitted, centre, scale)
    jacobian = p * float(np.log(scale))  # of the map to standardised units
    return {
        "mixture_": mixture,
        "n_components_": fitted.n_components,
        "rank_": fitted.rank,
        "cv_scores_": {k: score - jacobian for k, score in choice.scores.items()},
        "log_densities_": held_out - jacobian,
        "training_log_densities_": log_components(mixture, rows, log_peaks(mixture)).max(axis=1),
        "n_features_in_": p,
    }


def _ranks(rank: Any, n_features: int) -> list[int]:
    """Ranks to try, ascending; those that leave no direction for the noise become the largest that does."""
    if rank is None:
        return rank_grid(n_features)
    given = np.asarray(rank).reshape(-1).tolist()
    if not given:
        raise InvalidInputError("rank is an empty grid: give at least one number, or None to choose.")
    return sorted({min(check_count("rank", entry, 0), n_features - 1) for entry in given})


def _written_out(fitted: LowRankMixture, centre: FloatArray, scale: float) -> GaussianMixture:
    """Write a low-rank mixture of ``w = (z - centre) / scale`` as a Gaussian mixture of ``z`` with full covariances."""
    covariances = fitted.covariances()
    identity = np.eye(len(centre))
    factors = [solve_triangular(np.linalg.cholesky(C), identity, lower=True).T for C in covariances]
    like = GaussianMixture(fitted.n_components, covariance_type="full", random_state=fitted.random_state)
    mixture = assemble_mixture(
        fitted.weights_, centre + scale * fitted.means_, covariances * scale**2, np.array(factors) / scale, like=like
    )
    mixture.converged_, mixture.n_iter_ = fitted.converged_, fitted.n_iter_
    mixture.lower_bound_ = fitted.lower_bound_ - len(centre) * np.log(scale)
    # Precisions are diag(D) - U U': what the projector makes use of.
    p, noise = len(centre), fitted.noise_ * scale**2
    own = np.sqrt(np.maximum(1.0 - fitted.noise_[:, None] / fitted.variances_, 0.0) / noise[:, None])
    mixture.precision_structure_ = (
        np.repeat(1.0 / noise[:, None], p, axis=1),
        fitted.directions_ * own[:, None, :],
    )
    return mixture
