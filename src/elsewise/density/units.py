"""Mixtures in standardised units, and carried back to those of the data (see :mod:`.gaussian_mixture`)."""

from __future__ import annotations

import numpy as np
from sklearn.mixture import GaussianMixture

from ..arrays import FloatArray, feature_scales

# Entries of an array of shape (n_samples, m), or of pairwise distances, held at once: 32 MB of float64.
CHUNK_ENTRIES = 4_000_000
# Up to so many features a mixture is fitted on one thread: many products of small matrices spend their time waiting for
# other threads, seconds on a busy machine.
ONE_THREAD_FEATURES = 128

# The default grid of numbers of components is left once the held-out likelihood has fallen so many times in a row.
FALLS_IN_A_ROW = 2

# Values of a number that differ by no more than this, relative to its largest size, are the same value: some thousand
# times the rounding of a double.
VALUE_ROUNDING = 1e-12
# A quantile is the log density of a training row: the threshold is lowered by this share of it (and this many nats) so
# that rounding in another arithmetic does not shut that row out.
QUANTILE_ROUNDING = 1e-12


# The stand-in scale of a constant feature is its size, far more than it should vary. Divided by this, the default
# reg_covar gives it a deviation of a thousandth of its size: sqrt(1e-3) / 32.
CONSTANT_FEATURE_DIVISOR = 32.0


def assemble_mixture(
    weights: FloatArray,
    means: FloatArray,
    covariances: FloatArray,
    precisions_cholesky: FloatArray,
    *,
    like: GaussianMixture,
) -> GaussianMixture:
    """Make a fitted ``GaussianMixture`` with the parameters of ``like`` from its arrays (shapes as in scikit-learn)."""
    mixture = GaussianMixture(**like.get_params())
    mixture.weights_ = weights
    mixture.means_ = means
    mixture.covariances_ = covariances
    mixture.precisions_cholesky_ = precisions_cholesky
    L = precisions_cholesky
    mixture.precisions_ = L @ np.swapaxes(L, -1, -2) if like.covariance_type in ("full", "tied") else L**2
    mixture.n_features_in_ = means.shape[1]
    return mixture


def fit_scales(Z: FloatArray, covariance_type: str) -> FloatArray:
    """Scale of every feature for the fit; one for all when the covariances are spherical, so that they stay so."""
    deviation, scales = Z.std(axis=0), feature_scales(Z)
    scales = np.where(scales == deviation, scales, scales / CONSTANT_FEATURE_DIVISOR)
    if covariance_type not in ("spherical", "low_rank"):
        return scales
    mean_deviation = np.sqrt(np.mean(deviation**2))
    common = mean_deviation if mean_deviation > VALUE_ROUNDING * np.abs(Z).max() else scales.mean()
    return np.full(Z.shape[1], common)


def carried_back(
    means: FloatArray,
    covariances: FloatArray,
    L: FloatArray,
    covariance_type: str,
    centre: FloatArray,
    scales: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Means, covariances and precision factors in ``w = (z - centre) / scales`` as they are in ``z``.

    Shapes as in scikit-learn; equations in :mod:`.gaussian_mixture`.
    """
    if covariance_type in ("full", "tied"):
        covariances, L = covariances * np.outer(scales, scales), L / scales[:, None]
    elif covariance_type == "diag":
        covariances, L = covariances * scales**2, L / scales
    else:
        covariances, L = covariances * scales[0] ** 2, L / scales[0]
    return centre + scales * means, covariances, L


def in_units(mixture: GaussianMixture, centre: FloatArray, scales: FloatArray) -> GaussianMixture:
    """Carry a mixture of ``w = (z - centre) / scales`` over to ``z`` (equations in :mod:`.gaussian_mixture`)."""
    means, covariances, L = carried_back(
        mixture.means_, mixture.covariances_, mixture.precisions_cholesky_, mixture.covariance_type, centre, scales
    )
    carried = assemble_mixture(mixture.weights_, means, covariances, L, like=mixture)
    carried.converged_ = mixture.converged_
    carried.n_iter_ = mixture.n_iter_
    # Densities change by the Jacobian of the map, the product of the scales.
    carried.lower_bound_ = mixture.lower_bound_ - np.log(scales).sum()
    return carried
