"""Components, their maximum, the mixture and the cones of a class density."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

from elsewise.density import ClassDensity, GaussianMixtureDensity, KernelDensity, class_density
from elsewise.errors import InvalidInputError

COVARIANCE_TYPES = ["full", "tied", "diag", "spherical"]


def rows(seed, n=80, q=3):
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(q, q))
    return np.concatenate([rng.normal(size=(n // 2, q)) @ mixing, 4.0 + rng.normal(size=(n - n // 2, q))])


def fitted(covariance_type, seed=0, n_components=3, q=3):
    Z = rows(seed, q=q)
    mixture = GaussianMixture(n_components, covariance_type=covariance_type, random_state=0).fit(Z)
    return class_density(mixture, Z, 0.3), Z


def covariance(mixture, j):
    q = mixture.means_.shape[1]
    return {
        "full": lambda: mixture.covariances_[j],
        "tied": lambda: mixture.covariances_,
        "diag": lambda: np.diag(mixture.covariances_[j]),
        "spherical": lambda: mixture.covariances_[j] * np.eye(q),
    }[mixture.covariance_type]()


@pytest.mark.parametrize("covariance_type", COVARIANCE_TYPES)
def test_log_components_are_weighted_normal_densities(covariance_type):
    density, Z = fitted(covariance_type)
    mixture = density.mixture_
    points = np.concatenate([Z, 3.0 * Z])
    expected = np.column_stack(
        [
            np.log(mixture.weights_[j]) + multivariate_normal(mixture.means_[j], covariance(mixture, j)).logpdf(points)
            for j in range(mixture.n_components)
        ]
    )
    np.testing.assert_allclose(density.log_components(points), expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(density.log_mixture(points), mixture.score_samples(points), rtol=1e-9)
    np.testing.assert_array_equal(density.argmax(points), mixture.predict(points))
    np.testing.assert_allclose(density.log_max(points), expected.max(axis=1), rtol=1e-10)


@pytest.mark.parametrize("covariance_type", COVARIANCE_TYPES)
def test_difference_first_keeps_digits_far_from_the_origin(covariance_type):
    near, Z = fitted(covariance_type)
    mixture = GaussianMixture(3, covariance_type=covariance_type)
    for name in ("weights_", "covariances_", "precisions_cholesky_"):
        setattr(mixture, name, getattr(near.mixture_, name))
    offset = 2.0**30  # exact in float64 together with coarse points
    grid = np.round(Z * 64.0) / 64.0
    mixture.means_ = np.round(near.mixture_.means_ * 64.0) / 64.0
    at_origin = ClassDensity(mixture, 0.0, np.zeros(1)).log_components(grid)
    mixture.means_ = mixture.means_ + offset
    np.testing.assert_array_equal(ClassDensity(mixture, 0.0, np.zeros(1)).log_components(grid + offset), at_origin)


@pytest.mark.parametrize("covariance_type", COVARIANCE_TYPES)
@pytest.mark.parametrize("q", [1, 2, 13, 40])
def test_a_row_has_the_same_bits_alone_and_in_a_batch(covariance_type, q):
    density, Z = fitted(covariance_type, q=q, n_components=2)
    batch = density.log_components(Z)
    for i in (0, 7, 79):
        np.testing.assert_array_equal(density.log_components(Z[i : i + 1])[0], batch[i])
        np.testing.assert_array_equal(density.log_mixture(Z[i : i + 1])[0], density.log_mixture(Z)[i])


@pytest.mark.parametrize("covariance_type", COVARIANCE_TYPES)
@pytest.mark.parametrize("quantile", [0.05, 0.5, 0.9])
def test_a_point_is_in_a_cone_iff_its_component_reaches_the_threshold(covariance_type, quantile):
    density, Z = fitted(covariance_type)
    density = density.with_threshold(np.quantile(density.log_densities_, quantile))
    points = np.random.default_rng(1).uniform(Z.min(axis=0), Z.max(axis=0), size=(4000, 3))
    cones = density.cones()
    reached = density.log_components(points) >= density.log_threshold_
    for j, component in enumerate(cones.component):
        norm = np.linalg.norm((points - cones.centres[j]) @ cones.factors[cones.shape[j]].T, axis=1)
        sure = np.abs(norm - cones.radii[j]) > 1e-9 * (1.0 + cones.radii[j])
        np.testing.assert_array_equal((norm <= cones.radii[j])[sure], reached[sure, component])
    without = np.setdiff1d(np.arange(3), cones.component)
    assert not reached[:, without].any()
    assert reached.any()


def test_boundary_points_of_a_cone_have_exactly_the_threshold_density():
    density, _ = fitted("full")
    cones = density.cones()
    direction = np.random.default_rng(2).normal(size=(50, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    for j, component in enumerate(cones.component):
        boundary = cones.centres[j] + cones.radii[j] * np.linalg.solve(cones.factors[cones.shape[j]], direction.T).T
        expected = multivariate_normal(cones.centres[j], density.mixture_.covariances_[component]).logpdf(boundary)
        np.testing.assert_allclose(
            expected + np.log(density.mixture_.weights_[component]), density.log_threshold_, rtol=1e-9
        )


@pytest.mark.parametrize("covariance_type", COVARIANCE_TYPES)
def test_no_cones_above_every_peak_and_all_far_below(covariance_type):
    density, _ = fitted(covariance_type)
    peak = np.diagonal(density.log_components(density.mixture_.means_)).max()
    above = density.with_threshold(peak + 1e-6).cones()
    assert above.radii.shape == (0,)
    assert above.centres.shape == (0, 3)
    assert above.shape.shape == (0,)
    assert len(density.with_threshold(peak - 1e-6).cones().radii) >= 1
    assert len(density.with_threshold(-1e4).cones().radii) == 3


def test_components_of_equal_covariance_share_a_factor():
    tied, _ = fitted("tied")
    assert tied.with_threshold(-1e4).cones().factors.shape == (1, 3, 3)
    kernel = class_density(KernelDensity(bandwidth=0.7), rows(0), 0.5).cones()
    assert kernel.factors.shape == (1, 3, 3)
    assert kernel.centres.shape == (80, 3)
    full, _ = fitted("full")
    assert full.with_threshold(-1e4).cones().factors.shape == (3, 3, 3)
    factors = full.with_threshold(-1e4).cones()
    for j, component in enumerate(factors.component):
        F = factors.factors[factors.shape[j]]
        np.testing.assert_allclose(F.T @ F, full.mixture_.precisions_[component], rtol=1e-10)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    q=st.integers(1, 4),
    m=st.integers(1, 4),
    covariance_type=st.sampled_from(COVARIANCE_TYPES),
    scale=st.sampled_from([1e-3, 1.0, 1e3]),
)
def test_maximum_bounds_the_mixture_from_below_and_m_times_from_above(seed, q, m, covariance_type, scale):
    Z = rows(seed, n=30, q=q) * scale
    density = class_density(GaussianMixtureDensity(n_components=m, covariance_type=covariance_type), Z, 0.5)
    points = np.concatenate([Z, 5.0 * Z])
    low, value = density.log_max(points), density.log_mixture(points)
    slack = 1e-12 * (1.0 + np.abs(value))
    assert (low <= value + slack).all()
    assert (value <= np.log(m) + low + slack).all()


def test_many_components_are_reduced_in_chunks(monkeypatch):
    Z = rows(3, n=60)
    density = class_density(KernelDensity(bandwidth=0.5), Z, 0.5)
    whole = density.log_mixture(Z), density.log_max(Z), density.argmax(Z)
    monkeypatch.setattr("elsewise.density.base.CHUNK_ENTRIES", 7 * 60)
    np.testing.assert_array_equal(density.log_mixture(Z), whole[0])
    np.testing.assert_array_equal(density.log_max(Z), whole[1])
    np.testing.assert_array_equal(density.argmax(Z), whole[2])
    assert density.argmax(Z).dtype == np.int64


def test_a_weight_of_zero_is_a_component_without_cone():
    density, Z = fitted("full")
    mixture = density.mixture_
    mixture.weights_ = np.array([0.6, 0.4, 0.0])
    zero = class_density(mixture, Z, 0.2)
    assert (zero.log_components(Z)[:, 2] == -np.inf).all()
    assert np.isfinite(zero.log_mixture(Z)).all()
    assert 2 not in zero.cones().component


def test_wrong_points_are_refused():
    density, Z = fitted("full")
    with pytest.raises(InvalidInputError, match="fitted on 3 features, received points with 2"):
        density.log_max(Z[:, :2])
    with pytest.raises(InvalidInputError, match=r"received shape \(3,\)"):
        density.log_max(Z[0])
    with pytest.raises(InvalidInputError, match="received nan in row 1, feature 2"):
        density.log_max([[0.0, 0.0, 0.0], [0.0, 0.0, np.nan]])
    assert density.log_max(np.empty((0, 3))).shape == (0,)
