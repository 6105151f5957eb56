"""Densities of rows that had no part in the fit: against fits without them, and against new rows."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture

import elsewise as ew
from elsewise.density import GaussianMixtureDensity, KernelDensity, MixedMixture, MixedMixtureDensity, class_density
from elsewise.density.leave_one_out import held_out_log_max

KINDS = ("full", "tied", "diag", "spherical")


def rows_of(n=40, q=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, q)) @ rng.normal(size=(q, q)) + rng.normal(size=q)


@pytest.mark.parametrize("kind", KINDS)
def test_of_one_gaussian_it_is_a_fit_without_the_row(kind):
    Z = rows_of()
    one = GaussianMixture(1, covariance_type=kind, reg_covar=1e-12)
    without, with_it = held_out_log_max(one.fit(Z), Z)
    np.testing.assert_allclose(with_it, one.score_samples(Z), rtol=1e-10)
    refitted = [one.fit(np.delete(Z, i, axis=0)).score_samples(Z[[i]])[0] for i in range(len(Z))]
    np.testing.assert_allclose(without, refitted, rtol=1e-8)


def covariances_of(kind, scatters, counts):
    """Covariances of the components, each as a matrix, from weighted scatter matrices and counts."""
    q = scatters.shape[1]
    if kind == "tied":
        return np.repeat(scatters.sum(axis=0)[None] / counts.sum(), len(counts), axis=0)
    each = scatters / counts[:, None, None]
    if kind == "diag":
        return each * np.eye(q)
    return each if kind == "full" else np.trace(each, axis1=1, axis2=2)[:, None, None] / q * np.eye(q)


@pytest.mark.parametrize("kind", KINDS)
def test_of_several_it_leaves_the_row_out_of_every_mean_and_covariance(kind):
    Z = np.concatenate([rows_of(30), rows_of(25, seed=1) + 3.0])
    mixture = GaussianMixture(3, covariance_type=kind, reg_covar=1e-10, tol=1e-8, max_iter=20_000, random_state=0)
    responsibilities = mixture.fit(Z).predict_proba(Z)
    without, _ = held_out_log_max(mixture, Z)
    for i in range(len(Z)):
        r, kept = np.delete(responsibilities, i, axis=0), np.delete(Z, i, axis=0)
        counts = r.sum(axis=0)
        means = r.T @ kept / counts[:, None]
        scatters = np.array([(kept - m).T @ ((kept - m) * r[:, [j]]) for j, m in enumerate(means)])
        logs = [
            np.log(count / len(kept)) + multivariate_normal(m, C, allow_singular=True).logpdf(Z[i])
            for count, m, C in zip(counts, means, covariances_of(kind, scatters, counts))
        ]
        assert without[i] == pytest.approx(max(logs), abs=1e-3)


def test_levels_lose_the_row_as_well():
    codes = np.repeat([0, 1, 2], [12, 5, 1]).astype(float)[:, None]
    mixture = MixedMixture(1, n_levels=(3,), prior_rows=2.0).fit(codes)
    without, with_it = held_out_log_max(mixture, codes, prior_rows=2.0)
    counts = np.array([12, 5, 1])
    prior = 2.0 * (0.5 * counts / 18 + 0.5 / 3)
    np.testing.assert_allclose(with_it, np.log((counts + prior) / 20.0)[codes[:, 0].astype(int)])
    np.testing.assert_allclose(without, np.log((counts - 1 + prior) / 19.0)[codes[:, 0].astype(int)])


def test_a_row_that_a_component_stands_on_does_not_vouch_for_itself():
    rng = np.random.default_rng(0)
    Z = np.concatenate([rng.normal(size=(60, 2)), [[40.0, 40.0]]])
    density = GaussianMixtureDensity(n_components=2).fit(Z)
    assert density.training_log_densities_[-1] > density.training_log_densities_[:60].min()
    assert density.log_densities_[-1] < density.log_densities_[:60].min() - 50.0
    assert np.isfinite(density.log_densities_).all()


@pytest.mark.parametrize("kind", ["full", "diag", "mixed"])
def test_new_rows_reach_a_quantile_as_often_as_it_says(kind):
    rng = np.random.default_rng(0)
    q, n = 8, 40
    shares, of_training = [], []
    for _ in range(25):
        A = rng.normal(size=(q, q)) if kind != "diag" else np.eye(q)
        Z, new = rng.normal(size=(n, q)) @ A, rng.normal(size=(2000, q)) @ A
        estimator = GaussianMixtureDensity(n_components=1, covariance_type="diag" if kind == "diag" else "full")
        if kind == "mixed":
            estimator = MixedMixtureDensity(n_components=1, n_levels=(4,))
            codes = rng.choice(4, n + 2000, p=[0.5, 0.3, 0.15, 0.05])
            Z, new = np.column_stack([Z, codes[:n]]), np.column_stack([new, codes[n:]])
        for quantile in (0.25, 0.5, 0.75):
            density = class_density(estimator, Z, quantile)
            shares.append(np.mean(density.log_max(new) >= density.log_threshold_) - (1 - quantile))
            paper = class_density(estimator, Z, ew.TrainingQuantile(quantile))
            of_training.append(np.mean(paper.log_max(new) >= paper.log_threshold_) - (1 - quantile))
    by_quantile = np.reshape(shares, (25, 3)).mean(axis=0)
    assert np.abs(by_quantile).max() < 0.04
    assert np.reshape(of_training, (25, 3)).mean(axis=0).max() < (-0.05 if kind != "diag" else 0.0)


def test_the_papers_quantile_is_that_of_rows_in_the_fit():
    Z = rows_of(60)
    density = class_density(GaussianMixtureDensity(n_components=2), Z, ew.TrainingQuantile(0.3))
    assert density.log_threshold_ == pytest.approx(np.quantile(density.log_max(Z), 0.3), rel=1e-12)
    np.testing.assert_array_equal(density.training_log_densities_, np.sort(density.log_max(Z)))
    assert density.log_densities_.mean() < density.training_log_densities_.mean()
    kernel = class_density(KernelDensity(), Z, ew.TrainingQuantile(0.3))
    assert kernel.log_threshold_ == class_density(KernelDensity(), Z, 0.3).log_threshold_
    given = class_density(density.mixture_, Z, 0.3)
    np.testing.assert_array_equal(given.log_densities_, density.training_log_densities_)


@pytest.mark.parametrize("wrong", [0.0, 1.0, -0.1, 2, True, "0.5", None, np.nan])
def test_wrong_training_quantiles_are_refused(wrong):
    with pytest.raises(ew.InvalidInputError, match="strictly between 0 and 1"):
        ew.TrainingQuantile(wrong)


def test_an_explainer_at_the_papers_quantile():
    Z = np.concatenate([rows_of(40), rows_of(40, seed=1) + 4.0])
    y = np.repeat([0, 1], 40)
    model = LogisticRegression().fit(Z, y)
    paper = ew.Explainer(model, threshold=ew.TrainingQuantile(0.5)).fit(Z, y)
    ours = ew.Explainer(model).fit(Z, y)
    assert paper.densities_[1].log_threshold_ > ours.densities_[1].log_threshold_
    assert paper.densities_[1].quantile_ is None
    answer, nearer = paper.explain_one(Z[0], 1), ours.explain_one(Z[0], 1)
    assert nearer.distance < answer.distance
    # The share that people are told is that of held-out rows at either threshold.
    held_out = ours.densities_[1].log_densities_
    assert answer.plausibility == pytest.approx(np.mean(held_out <= answer.log_density))
    assert answer.plausibility > 0.5
    assert nearer.plausibility >= 0.5
    # Asked again at a quantile, the same explainer is the other one.
    assert paper.with_threshold(0.5).explain_one(Z[0], 1).distance == nearer.distance
    assert paper.path(Z[0], 1, level=ew.TrainingQuantile(0.2)).status in ("optimal", "feasible", "infeasible")


def test_progress_of_a_fit():
    Z = np.concatenate([rows_of(40), rows_of(30, seed=1) + 4.0])
    y = np.repeat([0, 1], [40, 30])
    told = []
    model = LogisticRegression().fit(Z, y)
    ew.Explainer(model).fit(Z, y, progress=lambda done, total: told.append((done, total)))
    assert told == [(40, 70), (70, 70)]
    with pytest.raises(ew.InvalidInputError, match="progress: expected True, False or a function"):
        ew.Explainer(model).fit(Z, y, progress=3)
