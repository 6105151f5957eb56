r"""Densities of rows in which some numbers are missing: the marginal over the numbers that are there.

A component's marginal is a Gaussian on the numbers that are there times its categories, so such rows have ellipsoids of
their own. Their threshold is the quantile that was asked for, of the same marginal densities of the training rows,
each held out (:mod:`.leave_one_out`). Training rows that lack a number themselves have it drawn from the mixture given
the rest (:func:`completed`, always the same draws), so that every pattern of missing numbers refers to all rows.

For a search the marginal is written with all columns again: a missing number keeps the value that stands for it, and in
every component it is independent of the others, with its mean there. It then takes nothing off a norm, and the weights
make up for the height of its peak: the densities of such rows are those of the marginal.
"""

from __future__ import annotations

import copy

import numpy as np
from scipy.special import logsumexp

from ..arrays import BoolArray, FloatArray, IntArray
from .base import ClassDensity, category_drops, log_components, log_peaks
from .leave_one_out import held_out_log_max
from .mixtures.components import FittedMixture
from .mixtures.incomplete_rows import Patterns, draw_missing, norms_of_seen
from .mixtures.product_steps import precisions_cholesky
from .units import QUANTILE_ROUNDING

# Draws that stand for missing numbers of training rows are always the same.
DRAWS_SEED = 0


def full_covariances(mixture: FittedMixture) -> FloatArray:
    """Covariances of all components, array of shape (m, p, p), or (m, p) where they are diagonal."""
    covariances, (m, p) = np.asarray(mixture.covariances_, dtype=np.float64), mixture.means_.shape
    if mixture.covariance_type == "tied":
        return np.tile(covariances, (m, 1, 1))
    if mixture.covariance_type == "spherical":
        return np.tile(covariances[:, None], (1, p))
    return covariances


def marginal(mixture: FittedMixture, seen: IntArray) -> FittedMixture:
    """Return the mixture of some of the numbers, of shape (n_seen,), and of all categories."""
    covariances = full_covariances(mixture)
    covariances = covariances[:, seen] if covariances.ndim == 2 else covariances[:, seen][:, :, seen]
    return _with_gaussians(mixture, mixture.weights_, np.asarray(mixture.means_)[:, seen], covariances)


def embedded(mixture: FittedMixture, seen: IntArray, stand_ins: FloatArray, scales: FloatArray) -> FittedMixture:
    """Write a marginal mixture with all numbers; those that it lacks are independent and stay where they are.

    Parameters
    ----------
    mixture : FittedMixture
        Of the numbers ``seen``, int array of shape (n_seen,).
    seen : int array of shape (n_seen,)
    stand_ins, scales : arrays of shape (p,)
        Values that stand for missing numbers, and their sizes.
    """
    m, p = len(mixture.means_), len(stand_ins)
    unseen = np.setdiff1d(np.arange(p), seen)
    means, covariances = np.tile(stand_ins, (m, 1)), np.zeros((m, p, p))
    means[:, seen] = mixture.means_
    own = full_covariances(mixture)
    if own.ndim == 2:
        covariances = np.zeros((m, p))
        covariances[:, seen], covariances[:, unseen] = own, np.square(scales[unseen])
    else:
        covariances[:, seen[:, None], seen] = own
        covariances[:, unseen, unseen] = np.square(scales[unseen])
    peaks = np.prod(np.sqrt(2.0 * np.pi) * scales[unseen])
    return _with_gaussians(mixture, np.asarray(mixture.weights_) * peaks, means, covariances)


def _with_gaussians(
    mixture: FittedMixture, weights: FloatArray, means: FloatArray, covariances: FloatArray
) -> FittedMixture:
    """Return a copy of a mixture with other Gaussians: covariances of shape (m, p, p), or (m, p) where diagonal."""
    made = copy.copy(mixture)
    made.covariance_type = "full" if covariances.ndim == 3 else "diag"
    made.weights_, made.means_, made.covariances_ = np.asarray(weights), means, covariances
    made.precisions_cholesky_ = precisions_cholesky(covariances)
    for stale in ("precision_structure_", "precisions_", "n_features_in_"):
        vars(made).pop(stale, None)
    return made


def log_components_of_seen(mixture: FittedMixture, rows: FloatArray) -> FloatArray:
    """Log of every component at rows ``[numbers | codes]``, of those numbers that are there.

    Parameters
    ----------
    mixture : FittedMixture
    rows : array of shape (n_samples, p + c)
        NaN where a number is missing.

    Returns
    -------
    array of shape (n_samples, m)
    """
    p = mixture.means_.shape[1]
    patterns = Patterns.of(np.isnan(rows[:, :p]))
    if patterns is None:
        return log_components(mixture, rows, log_peaks(mixture), category_drops(mixture))
    means, covariances = np.asarray(mixture.means_), full_covariances(mixture)
    norms, peaks = norms_of_seen(rows[:, :p], patterns, means, covariances, np.zeros(p))
    with np.errstate(divide="ignore"):  # a component of no weight is nowhere
        values = np.log(np.asarray(mixture.weights_)) + peaks - 0.5 * norms
    for table, codes in zip(getattr(mixture, "log_probabilities_", ()), rows[:, p:].T.astype(np.intp)):
        values += table.T[codes]
    return np.asarray(values)


def completed(mixture: FittedMixture, rows: FloatArray) -> FloatArray:
    """Return rows whose missing numbers are drawn from the mixture given the rest, array of shape (n_samples, p + c).

    A number is then the nearest of those that occur in its column: whole numbers stay whole.

    Parameters
    ----------
    mixture : FittedMixture
    rows : array of shape (n_samples, p + c)
        NaN where a number is missing.
    """
    p = mixture.means_.shape[1]
    patterns = Patterns.of(np.isnan(rows[:, :p]))
    if patterns is None:
        return rows
    rng = np.random.default_rng(DRAWS_SEED)
    values = log_components_of_seen(mixture, rows)
    shares = np.exp(values - logsumexp(values, axis=1, keepdims=True)).cumsum(axis=1)
    component = (shares < rng.random(len(rows))[:, None] * shares[:, -1:]).sum(axis=1)
    parameters = np.asarray(mixture.means_), full_covariances(mixture)
    filled = rows.copy()
    filled[:, :p] = draw_missing(rows[:, :p], patterns, component, parameters, rng)
    for column, drawn in zip(rows.T[:p], filled.T[:p]):
        known = np.unique(column[~np.isnan(column)])
        if len(known):
            above = np.searchsorted(known, drawn).clip(1, max(1, len(known) - 1))
            low, high = known[above - 1], known[np.minimum(above, len(known) - 1)]
            drawn[:] = np.where(drawn - low <= high - drawn, low, high)
    return filled


def density_where_missing(
    density: ClassDensity, missing: BoolArray, stand_ins: FloatArray, rows: FloatArray
) -> ClassDensity:
    """Return the density of rows that lack some numbers, at a threshold as typical as that of the density.

    Parameters
    ----------
    density : ClassDensity
        Of all columns.
    missing : bool array of shape (p + c,)
        Columns that are missing; categories never are.
    stand_ins : array of shape (p + c,)
        What stands for missing numbers.
    rows : array of shape (n_samples, p + c)
        Training rows of the class, complete.
    """
    mixture = density.mixture_
    p = mixture.means_.shape[1]
    seen = np.flatnonzero(~missing[:p])
    own = marginal(mixture, seen)
    kept = np.concatenate([seen, np.arange(p, rows.shape[1])])
    without, with_it = held_out_log_max(own, rows[:, kept], getattr(mixture, "prior_rows", 0.0))
    variances = full_covariances(mixture)
    variances = variances if variances.ndim == 2 else np.diagonal(variances, axis1=1, axis2=2)
    whole = embedded(own, seen, stand_ins[:p], np.sqrt(variances.mean(axis=0)))
    level = density.quantile_
    if level is None:  # a log density of all columns: of others, what is as typical
        level = density.quantile_of(density.log_threshold_) or 0.0
    value = float(np.quantile(without, level))
    return ClassDensity(
        mixture_=whole,
        log_threshold_=value - QUANTILE_ROUNDING * (1.0 + abs(value)),
        log_densities_=np.sort(without),
        quantile_=density.quantile_,
        training_log_densities_=np.sort(with_it),
    )
