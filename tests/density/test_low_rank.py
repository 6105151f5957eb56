"""Mixtures of low rank plus noise, against full covariances, scikit-learn and new rows."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture

import elsewise as ew
from elsewise.density import GaussianMixtureDensity, class_density
from elsewise.density.base import ClassDensity
from elsewise.density.mixtures.low_rank_density import rank_grid
from elsewise.density.mixtures.low_rank_mixture import LowRankMixture, leading_directions


def drawn(n=150, p=12, q=3, k=2, noise=0.3, seed=0):
    """Rows of clusters that each vary along a few directions."""
    rng = np.random.default_rng(seed)
    directions, means = 2.0 * rng.normal(size=(k, q, p)), 6.0 * rng.normal(size=(k, p))
    label = rng.integers(0, k, n)
    along = np.einsum("ia,iap->ip", rng.normal(size=(n, q)), directions[label])
    return means[label] + along + noise * rng.normal(size=(n, p))


def test_one_component_is_probabilistic_pca():
    X = drawn(k=1)
    mixture, pca = LowRankMixture(1, rank=3).fit(X), PCA(3).fit(X)
    # scikit-learn divides by n - 1
    n = len(X)
    np.testing.assert_allclose(mixture.covariances()[0], pca.get_covariance() * (n - 1) / n, rtol=1e-8, atol=1e-10)
    expected = multivariate_normal(X.mean(axis=0), mixture.covariances()[0]).logpdf(X)
    np.testing.assert_allclose(mixture.score_samples(X), expected, rtol=1e-9)


@pytest.mark.parametrize("rank", [0, 1, 3, 11])
def test_log_components_are_those_of_the_matrices(rank):
    X = drawn()
    mixture = LowRankMixture(2, rank=rank).fit(X)
    for j, C in enumerate(mixture.covariances()):
        expected = np.log(mixture.weights_[j]) + multivariate_normal(mixture.means_[j], C).logpdf(X)
        np.testing.assert_allclose(mixture.log_components(X)[:, j], expected, rtol=1e-9)


def test_iterations_never_lower_the_likelihood():
    X = drawn(k=3, noise=1.5)
    bounds = [LowRankMixture(3, rank=2, tol=0.0, max_iter=i).fit(X).lower_bound_ for i in range(1, 15)]
    assert np.diff(bounds).min() > -1e-10
    assert bounds[-1] > bounds[0]
    several = LowRankMixture(3, rank=2, n_init=4).fit(X)
    assert several.lower_bound_ >= LowRankMixture(3, rank=2).fit(X).lower_bound_ - 1e-12
    assert several.lower_bound_ == pytest.approx(several.score_samples(X).mean(), rel=1e-12)


def test_rank_and_components_are_found_by_held_out_likelihood():
    density = GaussianMixtureDensity(covariance_type="low_rank", max_components=4).fit(drawn(n=400, q=2))
    assert (density.n_components_, density.rank_) == (2, 2)
    assert rank_grid(12) == [0, 1, 2, 4, 8]
    assert rank_grid(1) == [0]
    given = GaussianMixtureDensity(covariance_type="low_rank", n_components=2, rank=5).fit(drawn())
    assert (given.n_components_, given.rank_, given.cv_scores_) == (2, 5, {})


def test_the_mixture_is_a_sound_one_in_the_units_of_the_data():
    X = drawn() * 50.0 + 1e3
    density = GaussianMixtureDensity(covariance_type="low_rank", n_components=2, rank=3).fit(X)
    mixture = density.mixture_
    identity = mixture.covariances_ @ mixture.precisions_
    np.testing.assert_allclose(identity, np.broadcast_to(np.eye(12), identity.shape), atol=1e-6)
    np.testing.assert_allclose(mixture.score_samples(X).mean(), mixture.lower_bound_, rtol=1e-9)
    np.testing.assert_array_equal(
        np.sort(density.training_log_densities_), np.sort(class_density(mixture, X).log_max(X))
    )
    small = GaussianMixtureDensity(covariance_type="low_rank", n_components=2, rank=3).fit((X - 1e3) / 50.0)
    np.testing.assert_allclose(density.log_densities_ + 12 * np.log(50.0), small.log_densities_, atol=1e-6)
    np.testing.assert_array_equal(
        GaussianMixtureDensity(covariance_type="low_rank", n_components=2, rank=3).fit(X).log_densities_,
        density.log_densities_,
    )


def test_new_rows_reach_quantiles_of_low_rank_mixtures():
    X = drawn(n=2100, p=20, k=2, seed=3)
    density = class_density(GaussianMixtureDensity(covariance_type="low_rank"), X[:100], 0.5)
    for quantile in (0.25, 0.5, 0.75):
        reached = np.mean(density.log_max(X[100:]) >= np.quantile(density.log_densities_, quantile))
        # a quantile of 100 rows is itself off by five points
        assert abs(reached - (1 - quantile)) < 0.12


def test_auto_takes_the_likeliest_type():
    low = GaussianMixtureDensity(covariance_type="auto").fit(drawn(n=60, p=25, q=2, k=1))
    assert low.covariance_type_ == "low_rank"
    rng = np.random.default_rng(0)
    full = GaussianMixtureDensity(covariance_type="auto").fit(rng.normal(size=(300, 3)) @ rng.normal(size=(3, 3)))
    assert full.covariance_type_ == "full"
    diagonal = GaussianMixtureDensity(covariance_type="auto", n_components=1).fit(
        rng.normal(size=(40, 6)) * [1, 9, 40, 5, 2, 7]
    )
    assert diagonal.covariance_type_ == "diag"
    plain = GaussianMixtureDensity(covariance_type="diag", n_components=1)
    assert plain.fit(rng.normal(size=(40, 6))).covariance_type_ == "diag"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rank": -1}, "rank must be an integer >= 0"),
        ({"rank": 2.5}, "rank must be an integer >= 0"),
        ({"rank": []}, "rank is an empty grid"),
        ({"n_components": 400}, "too few rows for the mixture"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ew.InvalidInputError, match=message):
        GaussianMixtureDensity(covariance_type="low_rank", **parameters).fit(drawn())


def test_pixels():
    X, y = load_digits(return_X_y=True)
    keep = (y < 2) & (np.arange(len(y)) < 900)
    X, y = X[keep], y[keep]
    model = LogisticRegression(C=0.01, max_iter=2000).fit(X, y)
    density = GaussianMixtureDensity(covariance_type="low_rank", n_components=3, rank=2)
    explainer = ew.Explainer(model, density=density).fit(X, y)
    within = ew.Constraints(bounds={f"x{i}": (0, 16) for i in range(64)})
    answers = explainer.explain(X[:6], 1 - y[:6], constraints=within)
    assert (answers.statuses == "optimal").all()
    np.testing.assert_array_equal(model.predict(answers.counterfactuals), 1 - y[:6])
    assert answers.counterfactuals.min() >= 0.0
    assert answers.counterfactuals.max() <= 16.0


@pytest.mark.parametrize("shape", [(12, 40), (40, 12), (12, 12)])
def test_leading_directions_are_those_of_the_product(shape):
    rows = np.random.default_rng(0).normal(size=shape) * np.geomspace(3, 0.1, shape[1])
    values, directions = leading_directions(rows, 5)
    squared = np.linalg.svd(rows, compute_uv=False)[:5] ** 2
    np.testing.assert_allclose(values, squared, rtol=1e-10)
    np.testing.assert_allclose(directions.T @ directions, np.eye(5), atol=1e-10)
    np.testing.assert_allclose(rows.T @ (rows @ directions), directions * values, atol=1e-9 * squared[0])


def test_directions_without_variance_are_orthonormal_all_the_same():
    rows = np.outer(np.arange(8.0), np.linspace(1, 2, 30))  # rank one, fewer rows than features
    values, directions = leading_directions(rows, 3)
    np.testing.assert_allclose(directions.T @ directions, np.eye(3), atol=1e-10)
    np.testing.assert_allclose(values, [np.square(rows).sum(), 0, 0], atol=1e-9 * np.square(rows).sum())


def test_components_with_equal_covariances_share_a_factor():
    L = np.linalg.cholesky(np.array([[2.0, 0.3], [0.3, 1.0]])).T
    mixture = GaussianMixture(3, covariance_type="full")
    mixture.weights_, mixture.means_ = np.full(3, 1 / 3), np.array([[0.0, 0], [5, 5], [9, 0]])
    mixture.precisions_cholesky_ = np.array([L, 2 * L, L])
    cones = ClassDensity(mixture, -50.0, np.empty(0)).cones()
    np.testing.assert_array_equal(cones.shape, [0, 1, 0])
    np.testing.assert_array_equal(cones.factors, [L.T, 2 * L.T])
