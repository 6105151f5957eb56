"""Gaussian mixtures fitted to a class."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.mixture import GaussianMixture

from elsewise.density import GaussianMixtureDensity, class_density, from_mixture
from elsewise.density.mixtures.components import choice_splits
from elsewise.errors import InvalidInputError, UnsupportedModelError

COVARIANCE_TYPES = ["full", "tied", "diag", "spherical"]


def clusters(k, n=40, q=2, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(12.0 * j, 1.0, size=(n, q)) for j in range(k)])


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_clusters_are_found_by_held_out_likelihood(k, seed):
    density = GaussianMixtureDensity().fit(clusters(k, seed=seed))
    scores = density.cv_scores_
    chosen = density.n_components_
    assert chosen == density.mixture_.n_components == max(scores, key=scores.get)
    # Missing a cluster costs much; one component more than clusters may win by chance, but by little.
    assert chosen >= k
    assert all(scores[k] > scores[fewer] + 0.3 for fewer in range(1, k))
    assert scores[chosen] - scores[k] < 0.1


def test_one_component_is_the_normal_distribution_of_the_rows():
    Z = clusters(1, n=200, q=3)
    density = GaussianMixtureDensity(n_components=1, reg_covar=0.0).fit(Z)
    expected = multivariate_normal(Z.mean(axis=0), np.cov(Z.T, bias=True)).logpdf(Z)
    np.testing.assert_allclose(density.mixture_.score_samples(Z), expected, rtol=1e-9)
    assert density.mixture_.lower_bound_ == pytest.approx(expected.mean())
    assert density.cv_scores_ == {}


def test_regularisation_is_a_share_of_each_variance():
    Z = clusters(1, n=100, q=2) * [1e-4, 1e5]
    plain = GaussianMixtureDensity(n_components=1, reg_covar=0.0).fit(Z).mixture_.covariances_[0]
    raised = GaussianMixtureDensity(n_components=1, reg_covar=0.01).fit(Z).mixture_.covariances_[0]
    np.testing.assert_allclose(raised - plain, np.diag(0.01 * Z.var(axis=0)), rtol=1e-6, atol=1e-14)


def test_cross_validation_scores_are_held_out_likelihoods():
    Z = clusters(1, n=50)
    density = GaussianMixtureDensity(n_components=[1, 2], cv=50, reg_covar=0.0).fit(Z)
    # With as many folds as rows there is only one way to cut: leave one out.
    expected = []
    for i in range(50):
        kept = np.delete(Z, i, axis=0)
        expected.append(multivariate_normal(kept.mean(axis=0), np.cov(kept.T, bias=True)).logpdf(Z[i]))
    assert density.cv_scores_[1] == pytest.approx(np.mean(expected), rel=1e-9)


def test_a_sequence_is_tried_in_full_and_the_default_grid_stops_early():
    Z = clusters(1, n=60, q=4)
    assert list(GaussianMixtureDensity(n_components=(6, 1, 3, 2, 5, 4)).fit(Z).cv_scores_) == [1, 2, 3, 4, 5, 6]
    assert len(GaussianMixtureDensity().fit(Z).cv_scores_) < 10
    assert list(GaussianMixtureDensity(max_components=2).fit(Z).cv_scores_) == [1, 2]


@pytest.mark.parametrize("covariance_type", COVARIANCE_TYPES)
def test_units_do_not_matter(covariance_type):
    Z = clusters(2, q=3)
    units = np.full(3, 1e-9) if covariance_type == "spherical" else np.array([1e-5, 1.0, 1e5])
    shift = units * 7.0
    density = GaussianMixtureDensity(covariance_type=covariance_type).fit(Z)
    other = GaussianMixtureDensity(covariance_type=covariance_type).fit(Z * units + shift)
    assert other.n_components_ == density.n_components_
    plain = class_density(density.mixture_, Z).log_max(Z)
    moved = class_density(other.mixture_, Z * units + shift).log_max(Z * units + shift)
    np.testing.assert_allclose(moved + np.log(units).sum(), plain, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("covariance_type", COVARIANCE_TYPES)
def test_a_large_offset_does_not_matter(covariance_type):
    Z = clusters(2, q=2)
    density = class_density(GaussianMixtureDensity(covariance_type=covariance_type), Z)
    moved = class_density(GaussianMixtureDensity(covariance_type=covariance_type), Z + 1e7)
    np.testing.assert_allclose(moved.log_densities_, density.log_densities_, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("covariance_type", COVARIANCE_TYPES)
@pytest.mark.parametrize(
    "Z",
    [
        np.random.default_rng(0).normal(size=(30, 1)),
        np.column_stack([np.random.default_rng(0).normal(size=30), np.full(30, 3.0), np.zeros(30)]),
        np.random.default_rng(0).normal(size=(30, 1)) @ np.ones((1, 4)),
        np.repeat(np.random.default_rng(0).normal(size=(6, 2)), 8, axis=0),
        np.full((20, 3), 5.0),
        np.zeros((20, 2)),
        np.random.default_rng(0).normal(size=(5, 12)),
        np.array([[0.0, 1.0], [2.0, 5.0]]),
        np.random.default_rng(0).integers(0, 2, size=(40, 5)).astype(float),
        np.column_stack([np.random.default_rng(0).normal(size=30), 1e-16 * np.arange(30)]),
    ],
    ids=["one", "constant", "collinear", "repeated", "equal", "zeros", "wide", "two rows", "binary", "null direction"],
)
def test_difficult_rows_still_give_a_density(covariance_type, Z):
    density = GaussianMixtureDensity(covariance_type=covariance_type).fit(Z)
    fitted = class_density(density, Z, 0.5)
    assert np.isfinite(fitted.log_densities_).all()
    assert density.mixture_.weights_.min() >= 1e-8
    cones = fitted.cones()
    assert np.isfinite(cones.factors).all()
    if len(np.unique(Z, axis=0)) > 1:
        assert len(cones.radii) >= 1


def test_a_constant_feature_may_hardly_change():
    rng = np.random.default_rng(0)
    Z = np.column_stack([rng.normal(0.0, 1e6, size=50), np.full(50, 3.0)])
    mixture = GaussianMixtureDensity(n_components=1).fit(Z).mixture_
    assert np.sqrt(mixture.covariances_[0][1, 1]) == pytest.approx(3.0e-3, rel=0.02)


def test_rounded_data_do_not_collapse_onto_repeated_values():
    X, y = load_iris(return_X_y=True)
    mixture = GaussianMixtureDensity().fit(X[y == 0]).mixture_
    smallest = min(np.linalg.eigvalsh(C).min() for C in mixture.covariances_)
    assert smallest > 1e-3


def test_same_input_same_bits():
    Z = clusters(2, q=3)
    first, second = GaussianMixtureDensity().fit(Z), clone(GaussianMixtureDensity()).fit(Z.copy())
    np.testing.assert_array_equal(first.mixture_.means_, second.mixture_.means_)
    np.testing.assert_array_equal(first.mixture_.precisions_cholesky_, second.mixture_.precisions_cholesky_)
    assert first.cv_scores_ == second.cv_scores_


def test_fits_that_do_not_converge_are_densities_too():
    density = GaussianMixtureDensity(n_components=4, max_iter=1).fit(clusters(1))
    assert density.mixture_.converged_ is False
    assert np.isfinite(density.mixture_.score_samples(clusters(1))).all()


def test_unusable_candidates_lose():
    # Four distinct rows: a mixture of 5 cannot be fitted, one of 2 can.
    Z = np.repeat(clusters(4, n=1), 10, axis=0)
    density = GaussianMixtureDensity(n_components=[2, 5]).fit(Z)
    assert density.n_components_ == 2
    assert density.cv_scores_[5] == -np.inf


def test_the_mixture_carries_consistent_attributes():
    for covariance_type in COVARIANCE_TYPES:
        Z = clusters(2, q=3) * 50.0
        mixture = GaussianMixtureDensity(n_components=2, covariance_type=covariance_type).fit(Z).mixture_
        assert from_mixture(mixture) is mixture
        assert mixture.n_features_in_ == 3
        if covariance_type in ("full", "tied"):
            identity = mixture.covariances_ @ mixture.precisions_
            np.testing.assert_allclose(identity, np.broadcast_to(np.eye(3), identity.shape), atol=1e-9)
        else:
            np.testing.assert_allclose(mixture.covariances_ * mixture.precisions_, 1.0)
        assert mixture.lower_bound_ == pytest.approx(mixture.score(Z), rel=1e-4)
        assert mixture.sample(3)[0].shape == (3, 3)


def test_too_few_rows_are_refused():
    with pytest.raises(InvalidInputError, match="too few rows for the mixture: expected at least 2 rows"):
        GaussianMixtureDensity().fit([[1.0, 2.0]])
    with pytest.raises(InvalidInputError, match=r"too few rows for the mixture: .* received 3 rows, 3 distinct"):
        GaussianMixtureDensity(n_components=4).fit(np.arange(6.0).reshape(3, 2))
    with pytest.raises(InvalidInputError, match="received 9 rows, 1 distinct"):
        GaussianMixtureDensity(n_components=2).fit(np.ones((9, 2)))
    with pytest.raises(InvalidInputError, match="received 0 rows"):
        GaussianMixtureDensity().fit(np.empty((0, 2)))


def test_singular_covariances_are_explained():
    with pytest.raises(InvalidInputError, match="Raise reg_covar"):
        GaussianMixtureDensity(n_components=1, reg_covar=0.0).fit(np.ones((9, 2)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be an integer >= 1, received 0"),
        ({"n_components": 2.5}, "n_components must be an integer >= 1, received 2.5"),
        ({"n_components": []}, "empty grid"),
        ({"n_components": True}, "n_components must be an integer"),
        ({"max_components": 0}, "max_components must be an integer >= 1"),
        ({"cv": 1}, "cv must be an integer >= 2, received 1"),
        ({"n_init": 0}, "n_init must be an integer >= 1"),
        ({"max_iter": "many"}, "max_iter must be an integer >= 1, received 'many'"),
        ({"covariance_type": "round"}, "covariance_type must be one of full, tied, diag, spherical"),
        ({"reg_covar": -1.0}, "reg_covar must be a finite number >= 0"),
        ({"reg_covar": np.nan}, "reg_covar must be a finite number >= 0"),
    ],
)
def test_wrong_parameters_are_refused_in_fit(parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        GaussianMixtureDensity(**parameters).fit(clusters(1))


def test_from_mixture_refuses_what_is_not_a_sound_mixture():
    with pytest.raises(InvalidInputError, match="not fitted"):
        from_mixture(GaussianMixture())
    with pytest.raises(UnsupportedModelError, match="received dict"):
        from_mixture({})
    mixture = GaussianMixture().fit(clusters(1))
    mixture.means_ = mixture.means_ * np.nan
    with pytest.raises(InvalidInputError, match="not finite"):
        from_mixture(mixture)


@pytest.mark.parametrize("n", [40, 800, 1600, 3000, 9000])
def test_splits_to_choose_by_hold_out_rows_that_the_fit_has_not_seen(n):
    rng = np.random.default_rng(0)
    group = np.unique(rng.integers(0, n, n), return_inverse=True)[1].astype(np.int64)  # some rows are equal
    splits = list(choice_splits(group, 5, 0))
    for kept, held_out in splits:
        assert not np.isin(group[kept], group[held_out]).any()
        assert min(len(kept), len(held_out)) >= min(n // 10, 1000)
    if n == 40:
        np.testing.assert_array_equal(np.sort(np.concatenate([held for _, held in splits])), np.arange(n))
    # No number of components costs more than a few thousand rows.
    assert sum(len(np.unique(group[kept])) for kept, _ in splits) <= 5_000


def test_many_rows_are_chosen_on_a_sample_and_fitted_in_full():
    Z = clusters(3, n=2000, q=2)
    density = GaussianMixtureDensity(cv_rows=600, max_components=4).fit(Z)
    assert density.n_components_ == 3
    assert density.mixture_.score(Z) == pytest.approx(GaussianMixture(3, random_state=0).fit(Z).score(Z), abs=0.02)
    again = GaussianMixtureDensity(cv_rows=600, max_components=4).fit(Z)
    np.testing.assert_array_equal(again.mixture_.means_, density.mixture_.means_)
    with pytest.raises(InvalidInputError, match="cv_rows must be an integer >= 2"):
        GaussianMixtureDensity(cv_rows=1).fit(Z)
