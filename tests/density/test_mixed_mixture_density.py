"""The number of components of mixtures for tables."""

import os
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from elsewise.density import MixedMixture, MixedMixtureDensity, class_density
from elsewise.density.mixtures.components import simplest_first
from elsewise.errors import InvalidInputError

DATA = Path(os.environ.get("ELSEWISE_DATA", Path(__file__).parents[3] / "shared" / "data"))


def clusters(k, n=60, seed=0):
    """Rows [2 numbers | 2 codes] of ``k`` groups; neighbours differ in numbers, and in the first code."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(k), n)
    numbers = rng.normal(8.0 * group[:, None], 1.0, size=(k * n, 2))
    return np.column_stack([numbers, group % 2, rng.integers(0, 3, size=k * n)])


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_clusters_are_found(k, seed):
    density = MixedMixtureDensity(n_levels=(2, 3)).fit(clusters(k, seed=seed))
    assert density.n_components_ == density.mixture_.n_components == k
    assert all(density.cv_scores_[k] > density.cv_scores_[fewer] + 0.3 for fewer in range(1, k))


def test_groups_of_categories_alone_are_found():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, size=400)
    codes = np.where(rng.random((400, 5)) < 0.9, group[:, None], 2)
    assert MixedMixtureDensity(n_levels=(3,) * 5).fit(codes).n_components_ == 2


def test_scores_are_held_out_likelihoods():
    Z = clusters(1, n=12)
    density = MixedMixtureDensity(n_components=[1, 2], n_levels=(2, 3), cv=12).fit(Z)
    # with as many folds as rows there is only one way to cut: leave one out
    expected = [MixedMixture(1, n_levels=(2, 3)).fit(np.delete(Z, i, axis=0)).score(Z[[i]]) for i in range(12)]
    assert density.cv_scores_[1] == pytest.approx(np.mean(expected), rel=1e-9)


def test_the_smallest_number_within_a_standard_error_of_the_best_is_taken():
    best = np.linspace(-2.0, 0.0, 100)
    noise = np.tile([0.4, -0.4], 50)
    # worse by 0.03 in the mean, with a standard error of 0.04; and worse by 0.05, with the same
    close, far = best - 0.03 + noise, best - 0.05 + noise
    assert simplest_first({1: far, 2: close, 3: best}) == [2, 3, 1]
    assert simplest_first({1: far, 2: np.full(100, -np.inf), 3: best}) == [3, 1]
    assert simplest_first({2: best, 1: best.copy()}) == [1, 2]
    assert simplest_first({1: np.full(3, -np.inf)}) == []


def test_a_sequence_is_tried_in_full_and_the_default_grid_stops_early():
    Z = clusters(1)
    given = MixedMixtureDensity(n_components=(4, 1, 3, 2), n_levels=(2, 3)).fit(Z)
    assert list(given.cv_scores_) == [1, 2, 3, 4]
    assert len(MixedMixtureDensity(n_levels=(2, 3)).fit(Z).cv_scores_) < 10
    assert MixedMixtureDensity(n_components=2, n_levels=(2, 3)).fit(Z).cv_scores_ == {}


def test_the_choice_is_made_on_some_rows_and_the_fit_on_all():
    Z = clusters(2, n=400)
    density = MixedMixtureDensity(n_levels=(2, 3), cv_rows=100).fit(Z)
    assert density.n_components_ == 2
    np.testing.assert_allclose(
        np.sort(density.mixture_.means_[:, 0]), [Z[:400, 0].mean(), Z[400:, 0].mean()], atol=1e-6
    )


def test_repeated_rows_of_fine_numbers_share_a_fold():
    # every row four times: parted, a spike on each would predict its copies
    Z = np.repeat(np.random.default_rng(0).normal(size=(30, 2)), 4, axis=0)
    assert MixedMixtureDensity().fit(Z).n_components_ <= 2


def test_repeated_rows_of_categories_are_probabilities():
    # four distinct rows of 200; held out together, each would be unheard of
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, size=200)
    codes = np.column_stack([group, np.where(rng.random(200) < 0.9, group, 1 - group)])
    density = MixedMixtureDensity(n_levels=(2, 2)).fit(codes)
    joint = np.unique(codes, axis=0, return_counts=True)[1] / 200
    entropy = float(-(joint * np.log(joint)).sum())
    assert density.n_components_ == 2
    assert density.cv_scores_[2] == pytest.approx(-entropy, abs=0.05)


def test_whole_numbers_do_not_collapse():
    rng = np.random.default_rng(0)
    Z = np.column_stack(
        [rng.normal(size=400), rng.integers(1, 5, size=400), rng.choice([1.0, 2.0], p=[0.9, 0.1], size=400)]
    )
    mixture = MixedMixtureDensity().fit(Z).mixture_
    assert np.linalg.eigvalsh(mixture.covariances_[:, 1:, 1:]).min() >= 1.0 / 12.0 - 1e-9


def test_same_input_same_bits_and_units_do_not_matter():
    Z = clusters(2)
    first, second = (
        MixedMixtureDensity(n_levels=(2, 3)).fit(Z),
        clone(MixedMixtureDensity(n_levels=(2, 3))).fit(Z.copy()),
    )
    np.testing.assert_array_equal(first.mixture_.means_, second.mixture_.means_)
    assert first.cv_scores_ == second.cv_scores_
    other = MixedMixtureDensity(n_levels=(2, 3)).fit(Z * [1e-5, 1e5, 1, 1])
    assert other.n_components_ == first.n_components_
    np.testing.assert_allclose(list(other.cv_scores_.values()), list(first.cv_scores_.values()), rtol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": []}, "empty grid"),
        ({"n_components": 2.5}, "n_components must be an integer >= 1, received 2.5"),
        ({"max_components": 0}, "max_components must be an integer >= 1"),
        ({"cv": 1}, "cv must be an integer >= 2"),
        ({"cv_rows": 0}, "cv_rows must be an integer >= 2"),
        ({"covariance_type": "spherical"}, "covariance_type must be one of full, diag"),
        ({"n_levels": (2, 2)}, "codes of category 1"),
        ({"n_components": 100}, "too few rows for the mixture: expected at least 100 rows, 100 of them distinct"),
    ],
)
def test_wrong_parameters_are_refused_in_fit(parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        MixedMixtureDensity(**{"n_levels": (2, 3), **parameters}).fit(clusters(1))


def test_unusable_candidates_lose_and_singular_ones_are_explained():
    Z = np.repeat(clusters(4, n=1), 10, axis=0)
    assert MixedMixtureDensity(n_components=[2, 30], n_levels=(2, 3)).fit(Z).n_components_ == 2
    with pytest.raises(InvalidInputError, match="Raise reg_covar"):
        MixedMixtureDensity(n_components=1, reg_covar=0.0).fit(np.ones((9, 2)))


@pytest.mark.skipif(not (DATA / "german_credit.csv").exists(), reason="german_credit.csv is not in ELSEWISE_DATA")
@pytest.mark.parametrize("label", [0, 1])
def test_german_credit(label):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(DATA / "german_credit.csv")
    frame, y = frame.drop(columns="default"), frame["default"].to_numpy()
    categories = list(frame.select_dtypes(exclude="number"))
    assert (frame.shape[1], len(categories)) == (20, 13)
    codes = np.column_stack([frame[name].astype("category").cat.codes for name in categories])
    n_levels = tuple(int(K) + 1 for K in codes.max(axis=0))
    rows = np.column_stack([frame.drop(columns=categories), codes])[y == label]
    fold = np.random.default_rng(0).permutation(len(rows)) % 4
    train, test = rows[fold > 0], rows[fold == 0]
    start = time.perf_counter()
    density = MixedMixtureDensity(n_levels=n_levels).fit(train)
    assert time.perf_counter() - start < 15.0  # about one second on an idle machine
    mixture = density.mixture_
    assert mixture.weights_.min() * len(train) > 10
    one = MixedMixture(1, n_levels=n_levels).fit(train)
    # several components describe new rows better than one, and no new row is impossible
    assert mixture.score(test) > one.score(test) + 0.3
    assert mixture.score_samples(test).min() > -70.0
    # the promise of a quantile threshold holds roughly for rows not seen
    threshold = class_density(mixture, train, 0.5)
    share = (threshold.log_max(test) >= threshold.log_threshold_).mean()
    assert 0.2 < share < 0.7
