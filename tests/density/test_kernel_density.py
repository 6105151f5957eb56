"""Kernel densities as mixtures."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from elsewise.density import KernelDensity, class_density
from elsewise.errors import InvalidInputError


def brute_force(Z, points, h):
    """Log of (1/n) sum_i N(point | z_i, h^2 I), one kernel per row, repeated or not."""
    kernels = [multivariate_normal(z, h**2 * np.eye(Z.shape[1])).logpdf(points) for z in Z]
    return logsumexp(np.array(kernels), axis=0) - np.log(len(Z))


@pytest.fixture(name="Z")
def training_rows():
    return np.random.default_rng(0).normal(size=(40, 5)) * [1.0, 2.0, 1.0, 0.5, 1.0]


@pytest.mark.parametrize("h", [0.05, 0.7, 20.0])
def test_the_mixture_is_the_kernel_density(Z, h):
    density = class_density(KernelDensity(bandwidth=h), Z)
    points = np.random.default_rng(1).normal(size=(30, 5))
    np.testing.assert_allclose(density.log_mixture(points), brute_force(Z, points, h), rtol=1e-10)
    np.testing.assert_allclose(density.mixture_.score_samples(points), brute_force(Z, points, h), rtol=1e-8)
    assert density.mixture_.lower_bound_ == pytest.approx(brute_force(Z, Z, h).mean(), rel=1e-10)


def test_repeated_rows_are_one_component_and_the_same_density(Z):
    repeated = np.concatenate([Z, Z[:7], Z[:3]])
    density = class_density(KernelDensity(bandwidth=0.6), repeated)
    assert density.mixture_.n_components == 40
    assert density.mixture_.weights_.sum() == pytest.approx(1.0)
    assert sorted(np.round(density.mixture_.weights_ * 50).astype(int)) == [1] * 33 + [2] * 4 + [3] * 3
    np.testing.assert_allclose(density.log_mixture(2.0 * Z), brute_force(repeated, 2.0 * Z, 0.6), rtol=1e-10)


def test_bandwidth_scores_are_exact_held_out_likelihoods(Z):
    grid = [0.3, 0.6, 1.2]
    density = KernelDensity(bandwidth=grid, cv=40).fit(Z)
    for h in grid:
        # As many folds as rows: leave one out, whatever the shuffling.
        expected = np.mean([brute_force(np.delete(Z, i, axis=0), Z[[i]], h) for i in range(40)])
        assert density.cv_scores_[h] == pytest.approx(expected, rel=1e-10)
    assert density.bandwidth_ == max(grid, key=density.cv_scores_.get)


def test_equal_rows_are_held_out_together(Z):
    repeated = np.concatenate([Z, Z[:10]])
    density = KernelDensity(bandwidth=[0.5, 1.0], cv=40).fit(repeated)
    groups = [np.flatnonzero((repeated == z).all(axis=1)) for z in Z]
    for h in (0.5, 1.0):
        total = sum(brute_force(np.delete(repeated, g, axis=0), repeated[g], h).sum() for g in groups)
        assert density.cv_scores_[h] == pytest.approx(total / 50, rel=1e-10)
    assert KernelDensity().fit(np.repeat(Z, 2, axis=0)).bandwidth_ > 0.1


def test_the_chosen_bandwidth_is_near_the_best_of_a_fine_grid(Z):
    density = KernelDensity().fit(Z)
    fine = KernelDensity(bandwidth=np.geomspace(0.05, 5.0, 200)).fit(Z)
    assert abs(np.log2(density.bandwidth_ / fine.bandwidth_)) <= 0.26
    assert density.cv_scores_[density.bandwidth_] == max(density.cv_scores_.values())


@pytest.mark.parametrize("units", [1e-9, 1e9])
def test_the_chosen_bandwidth_follows_the_units(Z, units):
    assert KernelDensity().fit(Z * units).bandwidth_ == pytest.approx(units * KernelDensity().fit(Z).bandwidth_)


def test_chunks_do_not_change_the_scores(Z, monkeypatch):
    whole = KernelDensity().fit(Z)
    monkeypatch.setattr("elsewise.density.mixtures.kernel.CHUNK_ENTRIES", 64)
    monkeypatch.setattr("elsewise.density.base.CHUNK_ENTRIES", 120)
    parts = KernelDensity().fit(Z)
    assert parts.bandwidth_ == whole.bandwidth_
    np.testing.assert_allclose(list(parts.cv_scores_.values()), list(whole.cv_scores_.values()), rtol=1e-12)
    np.testing.assert_array_equal(parts.log_densities_, whole.log_densities_)


def test_training_densities_leave_out_the_own_kernel(Z):
    repeated = np.concatenate([Z, Z[:5]])
    density = KernelDensity(bandwidth=0.8).fit(repeated)
    expected = []
    for i, z in enumerate(repeated):
        others, count = np.unique(np.delete(repeated, i, axis=0), axis=0, return_counts=True)
        kernels = [multivariate_normal(o, 0.64 * np.eye(5)).logpdf(z) for o in others]
        expected.append(np.max(np.log(count / 45) + kernels))
    np.testing.assert_allclose(density.log_densities_, expected, rtol=1e-10)


def test_median_threshold_gives_balls_as_wide_as_the_median_nearest_neighbour(Z):
    odd = Z[:39]
    density = class_density(KernelDensity(bandwidth=0.8), odd, 0.5)
    gaps = np.linalg.norm(odd[:, None] - odd[None], axis=2) + np.diag(np.full(39, np.inf))
    cones = density.cones()
    assert len(cones.radii) == 39
    radius = cones.radii[0] / cones.factors[0, 0, 0]
    assert radius == pytest.approx(np.median(gaps.min(axis=1)), rel=1e-9)


def test_one_row_needs_a_bandwidth():
    assert KernelDensity(bandwidth=2.0).fit([[1.0, 1.0]]).mixture_.n_components == 1
    for rows in ([[1.0, 1.0]], np.ones((5, 2))):
        with pytest.raises(InvalidInputError, match=r"fewer than 2 distinct rows \(received 1\)"):
            KernelDensity().fit(rows)
    with pytest.raises(InvalidInputError, match="received none"):
        KernelDensity(bandwidth=1.0).fit(np.empty((0, 2)))


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.inf, np.nan, "scott", True, [1.0, 0.0]])
def test_wrong_bandwidths_are_refused(Z, wrong):
    with pytest.raises(InvalidInputError, match="bandwidth must be a finite number > 0"):
        KernelDensity(bandwidth=wrong).fit(Z)


def test_other_wrong_parameters_are_refused(Z):
    with pytest.raises(InvalidInputError, match="empty grid"):
        KernelDensity(bandwidth=[]).fit(Z)
    with pytest.raises(InvalidInputError, match="cv must be an integer >= 2, received 1"):
        KernelDensity(cv=1).fit(Z)
