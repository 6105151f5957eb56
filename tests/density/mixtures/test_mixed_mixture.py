"""Mixtures of Gaussians on numbers times independent categories."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.mixture import GaussianMixture

from elsewise.density import MixedMixture, from_mixture
from elsewise.errors import InvalidInputError

LEVELS = (2, 5, 3)


def table(seed=0, n=150, p=3, n_levels=LEVELS):
    """Rows of two groups that differ in numbers and categories, with noise in both."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, size=n)
    numbers = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 2.0 * group[:, None]
    codes = [np.where(rng.random(n) < 0.6, group, rng.integers(0, K, size=n)) % K for K in n_levels]
    return np.column_stack([numbers, *codes]) if n_levels else numbers


def reference_components(mixture, rows):
    """Log components from SciPy's normal distribution and the category probabilities, one by one."""
    p = mixture.means_.shape[1]
    out = np.empty((len(rows), len(mixture.weights_)))
    for i, row in enumerate(rows):
        for j, weight in enumerate(mixture.weights_):
            C = mixture.covariances_[j] if mixture.covariance_type == "full" else np.diag(mixture.covariances_[j])
            value = np.log(weight) + (multivariate_normal(mixture.means_[j], C).logpdf(row[:p]) if p else 0.0)
            out[i, j] = value + sum(t[j, int(k)] for t, k in zip(mixture.log_probabilities_, row[p:]))
    return out


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
@pytest.mark.parametrize(("p", "n_levels"), [(3, LEVELS), (1, (4,)), (2, ()), (0, LEVELS), (0, (1,))])
def test_density_is_normal_times_probabilities(covariance_type, p, n_levels):
    X = table(p=p, n_levels=n_levels)
    mixture = MixedMixture(3, n_levels=n_levels, covariance_type=covariance_type).fit(X)
    expected = reference_components(mixture, X[:40])
    np.testing.assert_allclose(mixture.score_samples(X[:40]), logsumexp(expected, axis=1), rtol=1e-9)
    share = np.exp(expected - logsumexp(expected, axis=1, keepdims=True))
    np.testing.assert_allclose(mixture.predict_proba(X[:40]), share, atol=1e-9)
    np.testing.assert_array_equal(mixture.predict(X[:40]), expected.argmax(axis=1))
    assert mixture.score(X[:40]) == pytest.approx(logsumexp(expected, axis=1).mean())
    assert mixture.weights_.sum() == pytest.approx(1.0)
    shape = (3, p, p) if covariance_type == "full" else (3, p)
    assert mixture.covariances_.shape == mixture.precisions_cholesky_.shape == shape
    assert [t.shape for t in mixture.log_probabilities_] == [(3, K) for K in n_levels]


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_without_categories_it_is_scikit_learns_gaussian_mixture(covariance_type):
    X = table(p=3, n_levels=())
    mixture = MixedMixture(2, covariance_type=covariance_type).fit(X)
    same = GaussianMixture(2, covariance_type=covariance_type)
    for name in ("weights_", "means_", "covariances_", "precisions_cholesky_"):
        setattr(same, name, getattr(mixture, name))
    same.n_features_in_ = 3
    np.testing.assert_allclose(mixture.score_samples(X), same.score_samples(X), rtol=1e-9)
    np.testing.assert_allclose(mixture.predict_proba(X), same.predict_proba(X), atol=1e-9)


def test_one_component_is_the_normal_distribution_and_the_frequencies():
    X = table(p=2, n_levels=(2, 4))
    mixture = MixedMixture(1, n_levels=(2, 4), reg_covar=0.0, prior_rows=1e-9).fit(X)
    np.testing.assert_allclose(mixture.means_[0], X[:, :2].mean(axis=0))
    np.testing.assert_allclose(mixture.covariances_[0], np.cov(X[:, :2].T, bias=True), rtol=1e-3)
    for c, K in enumerate((2, 4)):
        frequency = np.bincount(X[:, 2 + c].astype(int), minlength=K) / len(X)
        np.testing.assert_allclose(np.exp(mixture.log_probabilities_[c][0]), frequency, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    p=st.integers(0, 4),
    n_levels=st.lists(st.integers(1, 5), max_size=3),
    m=st.integers(1, 5),
    covariance_type=st.sampled_from(["full", "diag"]),
    reg_covar=st.sampled_from([1e-6, 1e-3, 0.3]),
    rounded=st.booleans(),
)
def test_the_objective_never_falls(seed, p, n_levels, m, covariance_type, reg_covar, rounded):
    if p + len(n_levels) == 0:
        return
    X = table(seed, n=40, p=p, n_levels=tuple(n_levels))
    if rounded:
        X = np.round(X)
    settings_ = {"n_levels": tuple(n_levels), "covariance_type": covariance_type, "reg_covar": reg_covar}
    mixture = MixedMixture(m, tol=0.0, max_iter=60, **settings_).fit(X)
    bounds = mixture.lower_bounds_
    assert len(bounds) == mixture.n_iter_
    assert bounds[-1] == mixture.lower_bound_
    assert (np.diff(bounds) >= -1e-10 * (1.0 + np.abs(bounds[:-1]))).all()


def test_the_objective_is_the_penalised_likelihood():
    X = table()
    mixture = MixedMixture(2, n_levels=LEVELS, reg_covar=0.05, prior_rows=2.0, covariance_type="diag").fit(X)
    noise = 0.05 * X[:, :3].var(axis=0)
    blurred = reference_components(mixture, X) - 0.5 * (noise / mixture.covariances_).sum(axis=1)
    expected = logsumexp(blurred, axis=1).sum()
    for c, K in enumerate(LEVELS):
        frequency = np.bincount(X[:, 3 + c].astype(int), minlength=K) / len(X)
        expected += 2.0 * (mixture.log_probabilities_[c] @ (0.5 * frequency + 0.5 / K)).sum()
    assert mixture.lower_bound_ == pytest.approx(expected / len(X), rel=1e-9)


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_well_separated_components_are_found(covariance_type):
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], [100, 150, 250])
    numbers = rng.normal([-10.0, 0.0, 10.0], 1.0, size=(500, 3))[np.arange(500), group]
    codes = np.where(rng.random(500) < 0.9, group, 3)
    mixture = MixedMixture(3, n_levels=(4,), covariance_type=covariance_type).fit(np.column_stack([numbers, codes]))
    order = np.argsort(mixture.means_[:, 0])
    np.testing.assert_allclose(mixture.weights_[order], [0.2, 0.3, 0.5], atol=1e-6)
    np.testing.assert_allclose(mixture.means_[order, 0], [-10.0, 0.0, 10.0], atol=0.3)
    np.testing.assert_allclose(mixture.covariances_.reshape(-1), 1.0, atol=0.35)
    probabilities = np.exp(mixture.log_probabilities_[0][order])
    np.testing.assert_allclose(probabilities[np.arange(3), np.arange(3)], 0.9, atol=0.06)


def test_components_that_differ_in_categories_alone_are_found():
    rng = np.random.default_rng(1)
    group = rng.integers(0, 2, size=400)
    codes = np.where(rng.random((400, 6)) < 0.95, group[:, None], 2)
    mixture = MixedMixture(2, n_levels=(3,) * 6).fit(np.column_stack([rng.normal(size=400), codes]))
    found = mixture.predict(np.column_stack([np.zeros(400), codes]))
    assert max((found == group).mean(), (found != group).mean()) > 0.99


def test_probabilities_of_all_rows_add_up_to_one():
    mixture = MixedMixture(3, n_levels=LEVELS).fit(table(p=0))
    every = np.array(list(itertools.product(*map(range, LEVELS))), dtype=float)
    assert np.exp(mixture.score_samples(every)).sum() == pytest.approx(1.0, rel=1e-12)


def test_density_integrates_to_one():
    mixture = MixedMixture(2, n_levels=(2, 3)).fit(table(p=1, n_levels=(2, 3)))

    def density(z, codes):
        return float(np.exp(mixture.score_samples([[z, *codes]]))[0])

    total = sum(
        quad(density, -30.0, 30.0, args=(codes,), points=[0.0])[0] for codes in itertools.product((0, 1), range(3))
    )
    assert total == pytest.approx(1.0, rel=1e-6)


def test_levels_not_seen_have_a_small_probability():
    X = table(n=200, n_levels=(2, 5, 3))
    mixture = MixedMixture(2, n_levels=(2, 9, 3), prior_rows=3.0).fit(X)
    probabilities = np.exp(mixture.log_probabilities_[1])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    # half of three pseudo-rows, evenly over nine levels, among the rows of the component and the three
    expected = (1.5 / 9.0) / (200.0 * mixture.weights_ + 3.0)
    np.testing.assert_allclose(probabilities[:, 5:], np.repeat(expected[:, None], 4, axis=1), rtol=1e-6)
    assert np.isfinite(mixture.score_samples([[0.0, 0.0, 0.0, 1, 8, 2]])).all()
    assert (probabilities[:, 5:] < probabilities[:, :5].max(axis=1, keepdims=True) / 20.0).all()


def test_no_component_is_narrower_than_the_rounding():
    rng = np.random.default_rng(0)
    # mostly ones, some twos: without the rounding a component would be a spike on the ones
    X = np.column_stack([rng.normal(size=300), rng.choice([1.0, 2.0], p=[0.85, 0.15], size=300)])
    mixture = MixedMixture(3).fit(X)
    assert (mixture.covariances_[:, 1, 1] >= 1.0 / 12.0 - 1e-12).all()
    # a component on one value has there sqrt(6 / pi) times its weight, the peak of a normal density of variance 1/12
    marginal = [
        sum(
            w * multivariate_normal(mu[1], C[1, 1]).pdf(v)
            for w, mu, C in zip(mixture.weights_, mixture.means_, mixture.covariances_)
        )
        for v in (1.0, 2.0)
    ]
    frequency = [np.mean(X[:, 1] == v) for v in (1.0, 2.0)]
    np.testing.assert_allclose(np.divide(marginal, frequency), np.sqrt(6.0 / np.pi), rtol=0.02)
    tenths = MixedMixture(3).fit(X / 10.0)
    assert (tenths.covariances_[:, 1, 1] >= 0.01 / 12.0 - 1e-12).all()


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_units_and_offsets_do_not_matter(covariance_type):
    X = table()
    units = np.array([1e-5, 1.0, 1e5])
    Y = np.column_stack([X[:, :3] * units + 7.0 * units, X[:, 3:]])
    settings_ = {"n_levels": LEVELS, "covariance_type": covariance_type}
    plain, moved = MixedMixture(3, **settings_).fit(X), MixedMixture(3, **settings_).fit(Y)
    np.testing.assert_allclose(moved.score_samples(Y) + np.log(units).sum(), plain.score_samples(X), rtol=1e-6)
    assert moved.lower_bound_ + np.log(units).sum() == pytest.approx(plain.lower_bound_, rel=1e-6)


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_drawn_rows_follow_the_density(covariance_type):
    mixture = MixedMixture(2, n_levels=(2, 3), covariance_type=covariance_type).fit(table(p=2, n_levels=(2, 3)))
    rows, label = mixture.sample(20_000)
    assert rows.shape == (20_000, 4)
    np.testing.assert_allclose(np.bincount(label) / 20_000, mixture.weights_, atol=0.02)
    for j in range(2):
        drawn = rows[label == j]
        np.testing.assert_allclose(drawn[:, :2].mean(axis=0), mixture.means_[j], atol=0.15)
        C = mixture.covariances_[j] if covariance_type == "full" else np.diag(mixture.covariances_[j])
        np.testing.assert_allclose(np.cov(drawn[:, :2].T), C, rtol=0.1, atol=0.1)
        for c, K in enumerate((2, 3)):
            frequency = np.bincount(drawn[:, 2 + c].astype(int), minlength=K) / len(drawn)
            np.testing.assert_allclose(frequency, np.exp(mixture.log_probabilities_[c][j]), atol=0.02)


def test_same_input_same_bits_and_more_starts_are_no_worse():
    X = table(n=80)
    first, second = MixedMixture(4, n_levels=LEVELS).fit(X), clone(MixedMixture(4, n_levels=LEVELS)).fit(X.copy())
    np.testing.assert_array_equal(first.precisions_cholesky_, second.precisions_cholesky_)
    np.testing.assert_array_equal(first.log_probabilities_[1], second.log_probabilities_[1])
    assert MixedMixture(4, n_levels=LEVELS, n_init=8).fit(X).lower_bound_ >= first.lower_bound_


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
@pytest.mark.parametrize(
    ("X", "n_levels"),
    [
        (np.column_stack([np.full(20, 3.0), np.zeros(20), np.arange(20) % 2]), (2,)),
        (np.column_stack([np.arange(20.0), 2.0 * np.arange(20.0), np.zeros(20)]), (4,)),
        (np.zeros((20, 2)), (3,)),
        (np.array([[0.5, 1.0], [2.0, 0.0]]), (2,)),
        (np.repeat(np.eye(3), 5, axis=0), (2, 2)),
        (np.random.default_rng(0).normal(size=(6, 12)), ()),
    ],
    ids=["constant", "collinear", "equal", "two rows", "repeated", "wide"],
)
@pytest.mark.parametrize("m", [1, 2])
def test_difficult_rows_still_give_a_density(X, n_levels, covariance_type, m):
    mixture = MixedMixture(m, n_levels=n_levels, covariance_type=covariance_type).fit(X)
    assert from_mixture(mixture) is mixture
    assert np.isfinite(mixture.score_samples(X)).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be an integer >= 1, received 0"),
        ({"n_init": 1.5}, "n_init must be an integer >= 1"),
        ({"max_iter": True}, "max_iter must be an integer >= 1"),
        ({"covariance_type": "tied"}, "covariance_type must be one of full, diag, received 'tied'"),
        ({"reg_covar": -1.0}, "reg_covar must be a finite number >= 0"),
        ({"tol": np.nan}, "tol must be a finite number >= 0"),
        ({"prior_rows": 0.0}, "prior_rows must be a finite number > 0, received 0.0"),
        ({"n_levels": 3}, "n_levels must be a sequence .* received 3"),
        ({"n_levels": "23"}, "n_levels must be a sequence"),
        ({"n_levels": (2, 0)}, "every entry of n_levels must be an integer >= 1, received 0"),
        ({"n_levels": (9,) * 7}, "Expected at least 7 columns, .* received 6"),
        ({"n_levels": (2, 4, 3)}, r"codes of category 1 \(feature 4\) to be whole numbers from 0 to 3, received 4.0"),
        ({"n_levels": (9, 9, 9, 9)}, r"codes of category 0 \(feature 2\) to be whole numbers from 0 to 8"),
        ({"n_components": 200}, "too few rows for the mixture: expected at least 200 .* received 150"),
    ],
)
def test_wrong_parameters_and_rows_are_refused(parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        MixedMixture(**{"n_levels": LEVELS, **parameters}).fit(table())


def test_singular_covariances_are_explained():
    with pytest.raises(InvalidInputError, match=r"singular covariance. Raise reg_covar \(received 0.0\)"):
        MixedMixture(1, reg_covar=0.0).fit(np.ones((9, 2)))
    with pytest.raises(InvalidInputError, match="singular covariance"):
        MixedMixture(1, reg_covar=0.0, covariance_type="diag").fit(np.ones((9, 2)))


def test_wrong_rows_are_refused_after_the_fit():
    mixture = MixedMixture(2, n_levels=LEVELS).fit(table())
    with pytest.raises(InvalidInputError, match="fitted on 6 columns, received rows with 5"):
        mixture.score_samples(table()[:, :5])
    with pytest.raises(InvalidInputError, match=r"received 0\.5 in row 0"):
        mixture.score_samples([[0.0, 0.0, 0.0, 0.5, 0.0, 0.0]])
    with pytest.raises(InvalidInputError, match=r"received -1\.0 in row 0"):
        mixture.score_samples([[0.0, 0.0, 0.0, 0.0, -1.0, 0.0]])
    with pytest.raises(InvalidInputError, match="n_samples must be an integer >= 1"):
        mixture.sample(0)
    with pytest.raises(NotFittedError, match="not fitted"):
        MixedMixture().score_samples([[0.0]])
