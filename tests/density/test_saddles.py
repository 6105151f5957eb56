"""Saddles and the landscape: against numeric maximisation, and connectivity against a fine grid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import label as components_of_grid
from scipy.optimize import minimize
from sklearn.mixture import GaussianMixture

from elsewise.density import KernelDensity, LogDensity, class_density, landscape_of, saddles, widest_paths


def random_mixture(rng, m, q, covariance_type="full"):
    mixture = GaussianMixture(m, covariance_type=covariance_type)
    mixture.weights_ = rng.dirichlet(np.ones(m))
    mixture.means_ = rng.normal(scale=2.0, size=(m, q))
    if covariance_type == "tied":
        spread = rng.normal(size=(q, q))
        mixture.covariances_ = spread @ spread.T + 0.2 * np.eye(q)
        mixture.precisions_cholesky_ = np.linalg.inv(np.linalg.cholesky(mixture.covariances_)).T
    else:
        spread = rng.normal(size=(m, q, q))
        mixture.covariances_ = spread @ spread.transpose(0, 2, 1) + 0.2 * np.eye(q)
        mixture.precisions_cholesky_ = np.stack([np.linalg.inv(np.linalg.cholesky(c)).T for c in mixture.covariances_])
    mixture.converged_, mixture.n_iter_, mixture.lower_bound_ = True, 1, 0.0
    mixture.n_features_in_ = q
    return mixture


def density_of(mixture, rng):
    return class_density(mixture, rng.normal(size=(40, mixture.means_.shape[1])))


def numeric_saddle(density, i, j):
    """max min by sequential quadratic programming, from several starts."""
    means = density.mixture_.means_

    def components(z):
        return density.log_components_of(z[None])[0, [i, j]]

    best = -np.inf
    for share in (0.1, 0.5, 0.9):
        start = share * means[i] + (1 - share) * means[j]
        x0 = np.append(start, components(start).min())
        found = minimize(
            lambda x: -x[-1],
            x0,
            constraints={"type": "ineq", "fun": lambda x: components(x[:-1]) - x[-1]},
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-12},
        )
        best = max(best, components(found.x[:-1]).min())
    return best


@pytest.mark.parametrize("covariance_type", ["full", "tied"])
@pytest.mark.parametrize("q", [1, 2, 5])
def test_saddles_are_the_numeric_maxima(q, covariance_type):
    rng = np.random.default_rng(q)
    density = density_of(random_mixture(rng, 4, q, covariance_type), rng)
    land = landscape_of({"a": density})
    for i in range(4):
        assert land.saddles[i, i] == land.log_peaks[i]
        for j in range(i):
            reference = numeric_saddle(density, i, j)
            assert land.saddles[i, j] == land.saddles[j, i]
            assert land.saddles[i, j] == pytest.approx(reference, abs=1e-6)
            assert land.saddles[i, j] >= reference - 1e-9


def test_a_component_within_another_has_its_own_peak_for_a_saddle():
    rng = np.random.default_rng(0)
    mixture = random_mixture(rng, 2, 2)
    mixture.means_[:] = 0.0
    mixture.weights_[:] = (0.999, 0.001)
    mixture.covariances_[:] = np.eye(2), 25 * np.eye(2)
    mixture.precisions_cholesky_[:] = np.eye(2), np.eye(2) / 5
    land = landscape_of({"a": density_of(mixture, rng)})
    assert land.saddles[0, 1] == pytest.approx(land.log_peaks[1], abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_connectivity_is_that_of_a_fine_grid(seed):
    rng = np.random.default_rng(seed)
    densities = {label: density_of(random_mixture(rng, 3, 2), rng) for label in "ab"}
    land = landscape_of(densities)
    axis = np.linspace(-14, 14, 701)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    heights = land.log_max(grid).reshape(701, 701)
    place = [tuple(np.abs(axis[:, None] - mean).argmin(axis=0)) for d in land.densities for mean in d.mixture_.means_]
    values = land.saddles[np.triu_indices(6, 1)]
    for level in np.quantile(values, [0.1, 0.4, 0.6, 0.9]):
        # half a nat apart from every saddle and peak, a grid of this width decides
        if np.abs(values - level).min() < 0.02:
            level = level - 0.05
        there = land.log_peaks >= level
        reached = np.array([widest_paths(land.saddles, np.where(np.arange(6) == j, land.log_peaks, -np.inf))[0]
                            for j in range(6)]) >= level  # fmt: skip
        blobs, _ = components_of_grid(heights >= level, structure=np.ones((3, 3)))
        for i in np.flatnonzero(there):
            for j in np.flatnonzero(there):
                if np.abs(land.saddles - level).min() > 0.02:
                    assert reached[i, j] == (blobs[place[i]] == blobs[place[j]] and blobs[place[i]] > 0)


def test_widest_ways_against_all_thresholds():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(7, 7))
    values = np.minimum(values, values.T)
    np.fill_diagonal(values, values.max(axis=1) + 1)
    start = np.where(np.arange(7) == 2, values[2, 2], -np.inf)
    level, before = widest_paths(values, start)
    for k in range(7):
        best = max(t for t in np.unique(values) if k in _connected(values >= t, 2))
        assert level[k] == pytest.approx(best)
        if k != 2:
            assert level[k] == min(level[before[k]], values[before[k], k])


def _connected(meets, first):
    seen, front = {first}, [first]
    while front:
        j = front.pop()
        for k in np.flatnonzero(meets[j]).tolist():
            if k not in seen and meets[k, k]:
                seen.add(k)
                front.append(k)
    return seen if meets[first, first] else set()


def test_kernels_all_have_one_shape():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(30, 2))
    land = landscape_of({"a": class_density(KernelDensity(bandwidth=0.4), rows)})
    apart = np.linalg.norm(land.densities[0].mixture_.means_[0] - land.densities[0].mixture_.means_[1])
    assert land.saddles[0, 1] == pytest.approx(land.log_peaks[0] - (apart / 2) ** 2 / (2 * 0.4**2))


def test_the_landscape_counts_rows_of_all_classes():
    rng = np.random.default_rng(2)
    few, many = rng.normal(size=(10, 2)), rng.normal(5, 1, size=(30, 2))
    land = landscape_of({"few": class_density(_fit(few), few), "many": class_density(_fit(many), many)})
    assert np.exp(land.log_shares).tolist() == pytest.approx([0.25, 0.75])
    rows = np.concatenate([few, many])
    assert land.log_max(rows) == pytest.approx(land.log_components(rows).max(axis=1))
    assert land.share_no_denser(np.inf) == 1.0
    assert land.share_no_denser(land.log_densities[0]) == pytest.approx(1 / 40)
    assert land.level(0.5) == pytest.approx(np.median(land.log_densities), abs=1e-9)
    assert land.level(LogDensity(-3.0)) == -3.0
    cones = land.cones(land.level(0.5))
    inside = np.linalg.norm(
        np.einsum("jab,jnb->jna", cones.factors[cones.shape], rows - cones.centres[:, None]), axis=2
    )
    level = land.level(0.5)
    reaches = level <= land.log_components(rows)[:, cones.component].T
    assert ((inside <= cones.radii[:, None]) == reaches).all()


def test_factors_need_not_be_triangular():
    rng = np.random.default_rng(7)
    land = landscape_of({"a": density_of(random_mixture(rng, 4, 3), rng)})
    turned = np.linalg.qr(rng.normal(size=(3, 3)))[0] @ land.everything.factors  # the same norms
    assert saddles(replace(land.everything, factors=turned), land.log_peaks) == pytest.approx(land.saddles, abs=1e-10)


def test_saddles_of_one_component_are_its_peak():
    rng = np.random.default_rng(5)
    density = density_of(random_mixture(rng, 1, 3), rng)
    land = landscape_of({None: density})
    assert saddles(land.everything, land.log_peaks).tolist() == [[land.log_peaks[0]]]


def _fit(rows):
    return GaussianMixture(1).fit(rows)
