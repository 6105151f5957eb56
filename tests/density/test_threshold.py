"""Thresholds, class densities and the inverse of quantiles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

from elsewise import density as density_module
from elsewise.density import (
    ClassDensity,
    GaussianMixtureDensity,
    KernelDensity,
    LogDensity,
    TrainingQuantile,
    class_density,
    log_threshold,
)
from elsewise.errors import InvalidInputError, UnsupportedModelError

# quantile_of looks at the training densities alone; any mixture will do
MIXTURE = GaussianMixture().fit(np.array([[0.0], [1.0]]))


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X[y == 1]


def test_exports_are_sorted_and_exist():
    assert density_module.__all__ == sorted(density_module.__all__)
    assert all(hasattr(density_module, name) for name in density_module.__all__)


def test_the_papers_threshold_is_the_median_of_the_maximum_over_the_class(iris):
    density = class_density(GaussianMixtureDensity(n_components=2), iris, TrainingQuantile(0.5))
    mixture = density.mixture_
    components = [
        np.log(weight) + multivariate_normal(mean, covariance).logpdf(iris)
        for weight, mean, covariance in zip(mixture.weights_, mixture.means_, mixture.covariances_)
    ]
    maximum = np.max(components, axis=0)
    assert density.log_threshold_ == pytest.approx(np.median(maximum), rel=1e-9)
    np.testing.assert_allclose(density.training_log_densities_, np.sort(maximum), rtol=1e-9)
    assert (density.log_max(iris) >= density.log_threshold_).sum() == len(iris) // 2


def test_quantiles_and_absolute_values():
    values = np.array([-5.0, -3.0, -2.0, 4.0])
    assert log_threshold(0.25, values) == np.quantile(values, 0.25)
    assert log_threshold(np.float32(0.5), values) == -2.5
    assert log_threshold(LogDensity(-12), values) == -12.0
    assert log_threshold(LogDensity(-12), np.empty(0)) == -12.0
    assert log_threshold(TrainingQuantile(0.5), values) == -2.5
    assert log_threshold(TrainingQuantile(0.5), values, values + 1.0) == -1.5


def test_the_default_threshold_is_the_median_of_held_out_densities(iris):
    density = class_density(GaussianMixtureDensity(n_components=1), iris)
    others = [np.delete(iris, i, axis=0) for i in range(len(iris))]
    held_out = [
        multivariate_normal(rows.mean(axis=0), np.cov(rows.T, bias=True) + 1e-3 * np.diag(rows.var(axis=0))).logpdf(row)
        for rows, row in zip(others, iris)
    ]
    # reg_covar is scaled along with the covariance when a row is left out: a 50th of a thousandth.
    assert density.log_threshold_ == pytest.approx(np.median(held_out), abs=1e-3)


@pytest.mark.parametrize("wrong", [0, 1, 0.0, 1.0, -0.1, 2.5, True, "0.5", None, np.nan, [0.5]])
def test_wrong_thresholds_are_refused(wrong):
    with pytest.raises(InvalidInputError, match="strictly between 0 and 1"):
        log_threshold(wrong, np.zeros(3))


def test_a_quantile_needs_rows():
    with pytest.raises(InvalidInputError, match="received 0 rows"):
        log_threshold(0.5, np.empty(0))
    with pytest.raises(InvalidInputError, match="a kernel density needs two"):
        class_density(KernelDensity(bandwidth=1.0), [[0.0]], 0.5)
    assert class_density(KernelDensity(bandwidth=1.0), [[0.0]], LogDensity(-3.0)).log_threshold_ == -3.0


@pytest.mark.parametrize("wrong", [np.inf, -np.inf, np.nan, "x", None, True])
def test_log_density_must_be_finite(wrong):
    with pytest.raises(InvalidInputError, match="finite number"):
        LogDensity(wrong)


def test_with_threshold_changes_nothing_else(iris):
    density = class_density(GaussianMixtureDensity(n_components=1), iris)
    other = density.with_threshold(-7)
    assert (other.log_threshold_, density.log_threshold_ != -7.0) == (-7.0, True)
    assert other.mixture_ is density.mixture_
    with pytest.raises(InvalidInputError, match="finite number"):
        density.with_threshold(np.nan)


@settings(max_examples=200, deadline=None)
@given(
    values=st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=30),
    at=st.floats(-1.1e4, 1.1e4) | st.integers(0, 29),
)
def test_quantile_of_inverts_the_quantile(values, at):
    ordered = np.sort(values)
    density = ClassDensity(MIXTURE, 0.0, ordered)
    value = ordered[at % len(ordered)] if isinstance(at, int) else at
    q = density.quantile_of(value)
    if value < ordered[0]:
        assert q is None
        return
    assert 0.0 <= q <= 1.0
    assert np.quantile(ordered, q) <= value
    # Highest: any q clearly above gives more, up to rounding of the interpolation.
    above = min(1.0, q + 1e-9)
    if above > q and q < 1.0 - 1e-6:
        assert np.quantile(ordered, above) >= value - 1e-8 * (1.0 + abs(value))


@given(q=st.floats(0.0, 1.0))
@settings(max_examples=50, deadline=None)
def test_quantile_of_a_quantile_is_the_quantile(q):
    ordered = np.sort(np.random.default_rng(0).normal(size=50))
    value = np.quantile(ordered, q)
    assert ClassDensity(MIXTURE, 0.0, ordered).quantile_of(value) == pytest.approx(q, abs=1e-10)


@pytest.mark.parametrize("value", [1.0, 1.3, 2.0, 2.5, 3.0, 9.0])
def test_quantile_of_is_the_highest_also_at_ties(value):
    ordered = np.array([1.0, 1.0, 2.0, 2.0, 2.0, 3.0])
    grid = np.linspace(0.0, 1.0, 100_001)
    highest = grid[np.quantile(ordered, grid) <= value].max()
    assert ClassDensity(MIXTURE, 0.0, ordered).quantile_of(value) == pytest.approx(highest, abs=2e-5)


def test_a_fitted_mixture_is_taken_as_it_is(iris):
    mixture = GaussianMixture(2, random_state=0).fit(iris)
    density = class_density(mixture, iris[:10], 0.5)
    assert density.mixture_ is mixture
    assert len(density.log_densities_) == 10


def test_estimators_are_cloned_not_fitted(iris):
    estimator = GaussianMixtureDensity(n_components=2)
    density = class_density(estimator, iris, 0.5)
    assert not hasattr(estimator, "mixture_")
    assert density.mixture_.n_components == 2


def test_what_is_no_density_is_refused(iris):
    class Fits(BaseEstimator):
        def fit(self, Z):
            return self

    with pytest.raises(InvalidInputError, match=r"not fitted \(it has no weights_\)"):
        class_density(GaussianMixture(2), iris)
    with pytest.raises(InvalidInputError, match="mixture has 2 features, the rows of the class have 4"):
        class_density(GaussianMixture(2, random_state=0).fit(iris[:, :2]), iris)
    with pytest.raises(UnsupportedModelError, match="expectation over a posterior"):
        class_density(BayesianGaussianMixture(n_components=2, random_state=0).fit(iris), iris)
    with pytest.raises(UnsupportedModelError, match="received the class KernelDensity"):
        class_density(KernelDensity, iris)
    with pytest.raises(UnsupportedModelError, match="received 'gmm'"):
        class_density("gmm", iris)
    with pytest.raises(UnsupportedModelError, match="Fits is not a density"):
        class_density(Fits(), iris)
