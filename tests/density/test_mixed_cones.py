"""Class densities of tables with categories: components, cones with penalties, thresholds."""

import itertools

import numpy as np
import pytest

from elsewise.density import (
    ClassDensity,
    GaussianMixtureDensity,
    MixedMixture,
    MixedMixtureDensity,
    TrainingQuantile,
    class_density,
)
from elsewise.errors import InvalidInputError

LEVELS = (2, 4, 3)


def rows_of(p, n_levels=LEVELS, n=120, seed=0):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, size=n)
    codes = np.column_stack([np.where(rng.random(n) < 0.5, group, rng.integers(0, K, size=n)) for K in n_levels])
    return np.column_stack([rng.normal(size=(n, p)) * (1.0 + group[:, None]) + 2.0 * group[:, None], codes])


def one_hot(codes, n_levels):
    return np.concatenate([np.eye(K)[codes[:, c].astype(int)] for c, K in enumerate(n_levels)], axis=1)


@pytest.fixture(name="density", params=[("full", 3), ("diag", 3), ("full", 0), ("diag", 0), ("full", 1)])
def fitted(request):
    covariance_type, p = request.param
    Z = rows_of(p)
    return class_density(MixedMixture(3, n_levels=LEVELS, covariance_type=covariance_type).fit(Z), Z, 0.4), Z


def test_the_mixture_is_the_estimators(density):
    density, Z = density
    mixture = density.mixture_
    np.testing.assert_allclose(density.log_mixture(Z), mixture.score_samples(Z), rtol=1e-12)
    np.testing.assert_array_equal(density.argmax(Z), mixture.predict(Z))
    np.testing.assert_allclose(density.log_components(Z).max(axis=1), density.log_max(Z))
    assert density.log_threshold_ == pytest.approx(np.quantile(density.log_max(Z), 0.4))
    q = density.quantile_of(density.log_threshold_)
    # equal rows are common where there are categories alone: the highest of their quantiles is meant
    assert q == pytest.approx(0.4) if Z.shape[1] > len(LEVELS) else q >= 0.4 - 1e-12


@pytest.mark.parametrize("quantile", [0.05, 0.5, 0.95])
def test_a_row_is_in_a_cone_iff_its_component_reaches_the_threshold(density, quantile):
    density, Z = density
    density = density.with_threshold(np.quantile(density.log_densities_, quantile))
    p = Z.shape[1] - len(LEVELS)
    rng = np.random.default_rng(1)
    every = np.array(list(itertools.product(*map(range, LEVELS))), dtype=float)
    codes = np.concatenate([every, every[rng.integers(0, len(every), size=3000)]])
    low, high = Z[:, :p].min(axis=0), Z[:, :p].max(axis=0)
    points = np.column_stack([rng.uniform(low, high, size=(len(codes), p)), codes])
    cones = density.cones()
    assert cones.penalties.shape == (len(cones.radii), sum(LEVELS))
    assert (cones.penalties >= 0.0).all()
    E = one_hot(codes, LEVELS)
    reached = density.log_components(points) >= density.log_threshold_
    for j, component in enumerate(cones.component):
        squared = np.square((points[:, :p] - cones.centres[j]) @ cones.factors[cones.shape[j]].T).sum(axis=1)
        room = cones.radii[j] ** 2 - E @ cones.penalties[j]
        sure = np.abs(squared - room) > 1e-9 * (1.0 + np.abs(room))
        assert sure.mean() > 0.9
        np.testing.assert_array_equal((squared <= room)[sure], reached[sure, component])
    without = np.setdiff1d(np.arange(3), cones.component)
    assert not reached[:, without].any()
    assert reached.any()


def test_radii_and_penalties_are_the_formulas(density):
    density, _ = density
    cones, mixture = density.cones(), density.mixture_
    p = mixture.means_.shape[1]
    for i, j in enumerate(cones.component):
        C = mixture.covariances_[j] if mixture.covariance_type == "full" else np.diag(mixture.covariances_[j])
        log_peak = np.log(mixture.weights_[j]) - 0.5 * (p * np.log(2.0 * np.pi) + np.linalg.slogdet(C)[1])
        best = sum(table[j].max() for table in mixture.log_probabilities_)
        assert cones.radii[i] ** 2 == pytest.approx(2.0 * (log_peak + best - density.log_threshold_), rel=1e-9)
        expected = np.concatenate([2.0 * (table[j].max() - table[j]) for table in mixture.log_probabilities_])
        np.testing.assert_allclose(cones.penalties[i], expected, atol=1e-12)


def test_no_cones_above_every_peak_and_all_far_below(density):
    density, Z = density
    p = Z.shape[1] - len(LEVELS)
    above = density.with_threshold(1e4).cones()
    assert above.penalties.shape == (0, sum(LEVELS))
    assert above.centres.shape == (0, p)
    assert len(density.with_threshold(-1e4).cones().radii) == 3


def test_a_row_has_the_same_bits_alone_and_in_a_batch(density):
    density, Z = density
    batch = density.log_components(Z)
    for i in (0, 7, 119):
        alone = Z[i : i + 1]
        np.testing.assert_array_equal(density.log_components(alone)[0], batch[i])
        np.testing.assert_array_equal(density.log_mixture(alone)[0], density.log_mixture(Z)[i])
        np.testing.assert_array_equal(density.log_components(Z[i - 3 : i + 1])[-1] if i > 3 else batch[i], batch[i])


def test_chunks_do_not_matter(density, monkeypatch):
    density, Z = density
    whole = density.log_max(Z)
    monkeypatch.setattr("elsewise.density.base.CHUNK_ENTRIES", 21)
    np.testing.assert_array_equal(density.log_max(Z), whole)


def test_rows_exactly_on_the_threshold_have_a_cone():
    # eight of ten rows have the likeliest level, so the median is the peak of the only component
    Z = np.array([[0.0]] * 8 + [[1.0]] * 2)
    density = class_density(MixedMixtureDensity(n_components=1, n_levels=(2,)), Z, TrainingQuantile(0.5))
    cones = density.cones()
    assert (density.log_max(Z) >= density.log_threshold_).sum() == 8
    np.testing.assert_array_equal(cones.radii, [0.0])
    assert cones.penalties[0, 0] == 0.0
    assert cones.penalties[0, 1] > 0.0


def test_gaussian_mixtures_have_no_penalties():
    cones = class_density(GaussianMixtureDensity(n_components=2), rows_of(3)[:, :3]).cones()
    assert cones.penalties.shape == (len(cones.radii), 0)
    mixed = class_density(MixedMixtureDensity(n_components=2), rows_of(3)[:, :3]).cones()
    assert mixed.penalties.shape == (len(mixed.radii), 0)


def test_settings_are_cloned_and_wrong_rows_refused():
    Z = rows_of(2)
    estimator = MixedMixtureDensity(n_components=2, n_levels=LEVELS)
    density = class_density(estimator, Z)
    assert not hasattr(estimator, "mixture_")
    assert isinstance(density, ClassDensity)
    with pytest.raises(InvalidInputError, match="fitted on 5 features, received points with 4"):
        density.log_max(Z[:, :4])
    with pytest.raises(InvalidInputError, match=r"category 2 \(feature 4\) .* from 0 to 2, received 3.0 in row 1"):
        density.log_max([[0.0, 0.0, 0, 0, 0], [0.0, 0.0, 0, 0, 3]])
    with pytest.raises(InvalidInputError, match="mixture has 5 features, the rows of the class have 4"):
        class_density(density.mixture_, Z[:, :4])
    with pytest.raises(InvalidInputError, match=r"This MixedMixture is not fitted .* or use MixedMixtureDensity"):
        class_density(MixedMixture(2), Z)
    density.mixture_.log_probabilities_[0][0, 0] = -np.inf
    with pytest.raises(InvalidInputError, match="levels of probability zero"):
        class_density(density.mixture_, Z)
