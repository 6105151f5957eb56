"""Mixtures fitted by products of rows are those of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture

from elsewise.density.mixtures.full_steps import LEAST_QUICK_REG_COVAR, fit_by_products, is_for_products


def standardised(n: int, p: int) -> np.ndarray:
    """Three clouds, one of them a single point repeated, as rows without a record are."""
    rng = np.random.default_rng(p)
    clouds = [
        rng.normal(size=(n, p)) @ rng.normal(size=(p, p)),
        rng.normal(6.0, 0.3, (n // 2, p)),
        np.full((n // 9, p), -20.0),
    ]
    rows = np.concatenate(clouds)
    return np.asarray((rows - rows.mean(axis=0)) / rows.std(axis=0))


@pytest.mark.parametrize("n_init", [1, 3])
@pytest.mark.parametrize(("p", "k"), [(1, 2), (2, 1), (4, 3), (12, 5)])
def test_they_are_those_of_scikit_learn(p, k, n_init):
    W = standardised(300, p)
    settings = GaussianMixture(k, reg_covar=1e-3, n_init=n_init, max_iter=500, random_state=0)
    assert is_for_products(settings, W)
    quick = fit_by_products(settings, W, None)
    reference = GaussianMixture(**settings.get_params()).fit(W)
    assert quick.n_iter_ == reference.n_iter_
    assert quick.converged_ == reference.converged_
    for name in ("weights_", "means_", "covariances_", "precisions_cholesky_", "lower_bound_"):
        np.testing.assert_allclose(getattr(quick, name), getattr(reference, name), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(quick.score_samples(W), reference.score_samples(W), rtol=1e-7, atol=1e-7)


def test_a_fit_goes_on_from_another():
    W = standardised(400, 5)
    settings = GaussianMixture(3, reg_covar=1e-3, max_iter=500, random_state=0)
    start = fit_by_products(settings, W[::2], None)
    quick = fit_by_products(settings, W, start)
    begin = {f"{name}_init": getattr(start, f"{name}_") for name in ("weights", "means", "precisions")}
    reference = GaussianMixture(**(settings.get_params() | begin)).fit(W)
    np.testing.assert_allclose(quick.means_, reference.means_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(quick.lower_bound_, reference.lower_bound_, rtol=1e-9)


def test_what_rounding_could_spoil_is_left_to_scikit_learn():
    W = standardised(50, 3)
    assert not is_for_products(GaussianMixture(2, reg_covar=LEAST_QUICK_REG_COVAR / 2), W)
    assert not is_for_products(GaussianMixture(2, reg_covar=1e-3, covariance_type="diag"), W)
    assert not is_for_products(GaussianMixture(2, reg_covar=1e-3), np.zeros((5_000, 60)))
