"""Mixtures of rows with missing numbers: fitted to what is there, and their marginals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

from elsewise.density import MixedMixture, MixedMixtureDensity, class_density, completed
from elsewise.density.marginal import embedded, full_covariances, log_components_of_seen, marginal

MIXING = np.array([[1.0, 0.6, 0.0], [0.0, 1.0, -0.8], [0.3, 0.0, 1.0]])


def rows_with_gaps(seed=0, n=500, share=0.25):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 3)) @ MIXING + 5.0 * group[:, None] * [1.0, 0.0, 1.0]
    code = np.where(rng.random(n) < 0.8, group, 1 - group)
    gaps = np.where(rng.random(X.shape) < share, np.nan, X)
    return np.column_stack([X, code]), np.column_stack([gaps, code])


def log_likelihood(mixture, rows):
    """By SciPy, a row at a time, of the numbers that are there."""
    total = 0.0
    for row in rows:
        seen, code = np.flatnonzero(~np.isnan(row[:3])), int(row[3])
        each = mixture.weights_ * np.exp(mixture.log_probabilities_[0][:, code])
        for j, (mean, covariance) in enumerate(zip(mixture.means_, mixture.covariances_)):
            if len(seen):
                each[j] *= multivariate_normal(mean[seen], covariance[np.ix_(seen, seen)]).pdf(row[seen])
        total += np.log(each.sum())
    return total


def test_the_fit_is_the_likeliest_and_never_falls():
    _, gaps = rows_with_gaps()
    mixture = MixedMixture(2, n_levels=(2,), tol=1e-9, reg_covar=1e-9, prior_rows=1e-6).fit(gaps)
    assert (np.diff(mixture.lower_bounds_) > -1e-12).all()
    best = log_likelihood(mixture, gaps)
    np.testing.assert_allclose(mixture.score_samples(gaps).sum(), best, rtol=1e-9)
    rng = np.random.default_rng(1)
    for _ in range(4):  # nothing near is likelier
        mixture.means_ = mixture.means_ + (change := rng.normal(0, 0.02, mixture.means_.shape))
        assert log_likelihood(mixture, gaps) < best
        mixture.means_ = mixture.means_ - change
        before = mixture.covariances_
        mixture.covariances_ = before * (1.0 + rng.choice([-0.05, 0.05]))
        assert log_likelihood(mixture, gaps) < best
        mixture.covariances_ = before


@pytest.mark.parametrize("kind", ["full", "diag"])
def test_a_number_that_no_row_has_changes_nothing_else(kind):
    full, gaps = rows_with_gaps()
    without = np.column_stack([gaps[:, :3], np.full(len(gaps), np.nan), gaps[:, 3:]])
    settings = {"n_levels": (2,), "covariance_type": kind}
    one, other = MixedMixture(2, **settings).fit(gaps), MixedMixture(2, **settings).fit(without)
    np.testing.assert_allclose(one.score_samples(gaps), other.score_samples(without), rtol=1e-6)
    assert np.isfinite(other.score_samples(np.column_stack([full[:, :3], np.ones(len(full)), full[:, 3:]]))).all()


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_marginals_against_scipy_and_written_with_all_columns(kind):
    full, _ = rows_with_gaps()
    X = full[:, :3]
    mixture = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    seen = np.array([0, 2])
    covariances = full_covariances(mixture)
    if covariances.ndim == 2:
        covariances = np.array([np.diag(one) for one in covariances])
    expected = np.column_stack(
        [
            np.log(mixture.weights_[j])
            + multivariate_normal(mean[seen], covariances[j][np.ix_(seen, seen)]).logpdf(X[:, seen])
            for j, mean in enumerate(mixture.means_)
        ]
    )
    lacking = X.copy()
    lacking[:, 1] = np.nan
    np.testing.assert_allclose(log_components_of_seen(mixture, lacking), expected, rtol=1e-10)
    own = marginal(mixture, seen)
    np.testing.assert_allclose(log_components_of_seen(own, X[:, seen]), expected, rtol=1e-10)
    whole = embedded(own, seen, np.array([0.0, 7.5, 0.0]), np.array([1.0, 300.0, 1.0]))
    stood_in = X.copy()
    stood_in[:, 1] = 7.5
    np.testing.assert_allclose(log_components_of_seen(whole, stood_in), expected, rtol=1e-10)
    assert mixture.means_.shape == (3, 3)


def test_draws_are_as_the_rows_that_are_complete():
    full, gaps = rows_with_gaps(n=4000)
    mixture = MixedMixture(2, n_levels=(2,)).fit(gaps)
    drawn = completed(mixture, gaps)
    there = ~np.isnan(gaps)
    np.testing.assert_array_equal(drawn[there], gaps[there])
    np.testing.assert_allclose(drawn.mean(axis=0), full.mean(axis=0), atol=0.15)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(full.T), atol=0.4)
    np.testing.assert_array_equal(completed(mixture, gaps), drawn)


def test_a_class_density_of_rows_with_gaps():
    full, gaps = rows_with_gaps()
    density = class_density(MixedMixtureDensity(n_levels=(2,)), gaps)
    assert len(density.log_densities_) == len(gaps)
    assert 0.4 < (density.log_max(rows_with_gaps(0, n=3000)[0]) >= density.log_threshold_).mean() < 0.6
    own = class_density(GaussianMixture(2, random_state=0).fit(full[:, :3]), gaps[:, :3])
    assert np.isfinite(own.log_densities_).all()
