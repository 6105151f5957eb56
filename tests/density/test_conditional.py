"""Densities given fixed columns, against the textbook's conditional means, grids and samples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

from elsewise.density import ClassDensity, MixedMixture, at_threshold
from elsewise.density.conditional import LEAST_WEIGHT, ConditionalDensity, below_all_peaks, is_conditional


def rows_of(seed: int, n: int = 300) -> np.ndarray:
    """Three numbers in two clumps, then two codes."""
    rng = np.random.default_rng(seed)
    clump = rng.random(n) < 0.4
    mix = rng.normal(size=(3, 3))
    numbers = rng.normal(size=(n, 3)) @ mix + np.where(clump[:, None], [0.0, 3.0, -2.0], [4.0, 0.0, 1.0])
    first = np.where(rng.random(n) < np.where(clump, 0.8, 0.3), 0, rng.integers(1, 3, n))
    second = (rng.random(n) < np.where(clump, 0.2, 0.7)).astype(float)
    return np.column_stack([numbers, first, second])


def thresholds(conditional: ConditionalDensity, quantile: float, rows: np.ndarray) -> np.ndarray:
    """Joint log densities that rows ask for."""
    highest = conditional.highest_of_components(rows)
    scores = [conditional.log_threshold(quantile, shares) for shares in conditional.shares(highest)]
    return np.array(scores) + highest.max(axis=1)


def shares_by_bayes(density: ClassDensity, rows: np.ndarray, fixed: np.ndarray) -> np.ndarray:
    """Probability of every component given fixed columns of a mixture with full covariances, from its definition."""
    mixture, n_numbers = density.mixture_, density.mixture_.means_.shape[1]
    numbers, codes = np.flatnonzero(fixed[:n_numbers]), np.flatnonzero(fixed[n_numbers:])
    likely = np.tile(mixture.weights_, (len(rows), 1))
    for j in range(len(mixture.weights_)):
        if len(numbers):
            part = mixture.covariances_[j][np.ix_(numbers, numbers)]
            likely[:, j] *= multivariate_normal(mixture.means_[j][numbers], part).pdf(rows[:, numbers])
        for c in codes:
            likely[:, j] *= np.exp(mixture.log_probabilities_[c][j][rows[:, n_numbers + c].astype(int)])
    return likely / likely.sum(axis=1, keepdims=True)


def mixed(seed: int) -> tuple[ClassDensity, np.ndarray]:
    rows = rows_of(seed)
    mixture = MixedMixture(n_components=3, n_levels=(3, 2), random_state=0).fit(rows)
    return as_density(mixture, rows), rows


def as_density(mixture: object, rows: np.ndarray, quantile: float = 0.5) -> ClassDensity:
    bare = ClassDensity(mixture_=mixture, log_threshold_=0.0, log_densities_=np.empty(0))  # type: ignore[arg-type]
    return at_threshold(replace(bare, log_densities_=np.sort(bare.log_max(rows))), quantile)


def log_highest(density: ClassDensity, row: np.ndarray, fixed: np.ndarray) -> float:
    """Put the other columns where each component expects them, by the formula for conditional means, and evaluate."""
    mixture, n = density.mixture_, density.mixture_.means_.shape[1]
    F, R = np.flatnonzero(fixed[:n]), np.flatnonzero(~fixed[:n])
    tables = getattr(mixture, "log_probabilities_", ())
    values = []
    for j, mean in enumerate(mixture.means_):
        S, point = mixture.covariances_[j], row.copy()
        gain = S[np.ix_(R, F)] @ np.linalg.inv(S[np.ix_(F, F)]) if len(F) else np.zeros((len(R), 0))
        point[R] = mean[R] + gain @ (row[F] - mean[F])
        for c, table in enumerate(tables):
            if not fixed[n + c]:
                point[n + c] = table[j].argmax()
        values.append(density.log_components(point[None])[0, j])
    return max(values)


@pytest.mark.parametrize("fixed", [(1, 0, 0, 0, 0), (0, 1, 1, 0, 1), (0, 0, 0, 1, 1), (1, 1, 1, 1, 0), (1, 1, 1, 1, 1)])
def test_the_densest_point_is_where_components_expect_the_rest(fixed: tuple[int, ...]) -> None:
    density, rows = mixed(0)
    mask = np.array(fixed, dtype=bool)
    conditional = ConditionalDensity(density, mask, rows)
    some = rows[:20]
    expected = [log_highest(density, row, mask) for row in some]
    np.testing.assert_allclose(conditional.log_highest(some), expected, rtol=1e-9, atol=1e-9)
    assert (conditional.scores <= 1e-9).all()


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_nothing_with_the_same_fixed_part_is_denser(kind: str) -> None:
    rows = rows_of(1)[:, :2]
    mixture = GaussianMixture(3, covariance_type=kind, random_state=0).fit(rows)
    density = as_density(mixture, rows)
    conditional = ConditionalDensity(density, np.array([True, False]), rows)
    grid = np.linspace(-15.0, 15.0, 30_001)
    for value in (-1.0, 0.5, 4.0):
        line = np.column_stack([np.full_like(grid, value), grid])
        highest = conditional.log_highest(np.array([[value, 0.0]]))[0]
        assert highest == pytest.approx(density.log_max(line).max(), abs=1e-5)


@pytest.mark.parametrize("value", [-2.0, 0.0, 3.0])
def test_of_one_gaussian_the_quantile_is_that_of_the_conditional_density(value: float) -> None:
    rng = np.random.default_rng(0)
    mean, S = np.array([1.0, -1.0, 0.5]), np.array([[2.0, 0.8, 0.3], [0.8, 1.0, -0.2], [0.3, -0.2, 0.7]])
    rows = rng.multivariate_normal(mean, S, 20_000)
    mixture = GaussianMixture(1, random_state=0).fit(rows)
    density = as_density(mixture, rows)
    conditional = ConditionalDensity(density, np.array([True, False, False]), rows)
    gain = S[1:, :1] / S[0, 0]
    others = rng.multivariate_normal(mean[1:] + gain[:, 0] * (value - mean[0]), S[1:, 1:] - gain @ S[:1, 1:], 20_000)
    points = np.column_stack([np.full(20_000, value), others])
    for quantile in (0.25, 0.5, 0.75):
        own = thresholds(conditional, quantile, points)
        assert np.mean(density.log_max(points) >= own) == pytest.approx(1 - quantile, abs=0.02)


@pytest.mark.parametrize("quantile", [0.2, 0.5, 0.9])
def test_a_quantile_is_reached_by_its_share_of_rows_weighted_for_the_row(quantile: float) -> None:
    density, rows = mixed(2)
    mask = np.array([True, False, False, True, False])
    conditional = ConditionalDensity(density, mask, rows)
    scores = density.log_max(rows) - conditional.log_highest(rows)
    shares = shares_by_bayes(density, rows, mask)
    np.testing.assert_allclose(conditional.shares(conditional.highest_of_components(rows)), shares, atol=1e-12)
    for row in range(0, len(rows), 7):
        weights = shares @ shares[row] + LEAST_WEIGHT
        weights /= weights.sum()
        asked = conditional.log_threshold(quantile, shares[row])
        assert weights[scores >= asked].sum() == pytest.approx(1 - quantile, abs=1.5 * weights.max())
        expected = weights[scores <= scores[row]].sum()
        assert conditional.share_no_denser(scores[row] + 1e-12, shares[row]) == pytest.approx(expected)


def test_new_rows_of_a_wide_component_reach_the_median_by_half() -> None:
    """One threshold of scores for all components would be reached by four in five of the outlying rows."""
    rng = np.random.default_rng(0)

    def draw(n: int) -> np.ndarray:
        """Numbers of which one in eight is outlying, with heavy tails in all but what tells so."""
        outlying = rng.random(n) < 0.125
        tails = rng.standard_t(2.1, size=(n, 2)) * 6.0
        numbers = np.where(outlying[:, None], tails, rng.normal(size=(n, 2)))
        return np.column_stack([np.where(outlying, 30.0, 0.0) + rng.normal(size=n), numbers])

    rows, new = draw(4_000), draw(4_000)
    mixture = GaussianMixture(2, means_init=[[0.0] * 3, [30.0, 0.0, 0.0]], random_state=0).fit(rows)
    density = as_density(mixture, rows)
    conditional = ConditionalDensity(density, np.array([True, False, False]), rows)
    reached = density.log_max(new) >= thresholds(conditional, 0.5, new)
    assert reached[new[:, 0] > 15.0].mean() == pytest.approx(0.5, abs=0.06)
    assert reached[new[:, 0] < 15.0].mean() == pytest.approx(0.5, abs=0.03)
    pooled = np.median(conditional.scores) + conditional.log_highest(new)
    assert (density.log_max(new) >= pooled)[new[:, 0] > 15.0].mean() > 0.7


def test_with_nothing_fixed_thresholds_are_those_of_the_class() -> None:
    density, rows = mixed(3)
    conditional = ConditionalDensity(density, np.zeros(5, dtype=bool), rows)
    for quantile in (0.1, 0.5, 0.8):
        own = thresholds(conditional, quantile, rows[:3])
        np.testing.assert_allclose(own, at_threshold(density, quantile).log_threshold_)


def test_scores_are_lowered_by_the_free_share_of_what_calibration_takes_off() -> None:
    density, rows = mixed(4)
    held_out = replace(density, log_densities_=density.log_densities_ - 2.0)
    fixed = np.array([True, True, False, False, False])
    plain, lowered = ConditionalDensity(density, fixed, rows), ConditionalDensity(held_out, fixed, rows)
    shares = plain.shares(plain.highest_of_components(rows[:1]))[0]
    assert plain.log_threshold(0.5, shares) - lowered.log_threshold(0.5, shares) == pytest.approx(0.6 * 2.0)


def test_a_higher_quantile_never_asks_for_less() -> None:
    density, rows = mixed(4)
    uneven = np.sort(density.log_densities_ - np.random.default_rng(0).gamma(1.0, size=len(rows)))
    held_out = replace(density, log_densities_=uneven)
    conditional = ConditionalDensity(held_out, np.array([True, False, True, True, False]), rows)
    quantiles = np.linspace(0.01, 0.99, 197)
    everyone = conditional.shares(conditional.highest_of_components(rows))
    for shares in everyone[:20]:
        asked = np.array([conditional.log_threshold(quantile, shares) for quantile in quantiles])
        assert (np.diff(asked) >= 0).all()
        # what reaches a threshold is no less plausible than its quantile, up to the one row that quantiles lie between
        weights = everyone @ shares + LEAST_WEIGHT
        reached = np.array([conditional.share_no_denser(each, shares) for each in asked])
        assert (reached >= quantiles - weights.max() / weights.sum()).all()
    # the same without putting scores in order: some quantile would ask for less than a lower one
    training = np.sort(density.log_max(rows))
    assert (np.diff(conditional.scores - conditional.free_share * (training - uneven)) < 0).any()


def test_all_components_have_a_cone_below_all_peaks() -> None:
    density, _ = mixed(5)
    strict = at_threshold(density, 0.99)
    low = below_all_peaks(strict)
    assert low is not None
    assert len(low.cones().radii) == 3
    assert below_all_peaks(None) is None


def test_a_component_for_every_row_is_not_conditional() -> None:
    density, rows = mixed(6)
    assert is_conditional(density, len(rows))
    assert not is_conditional(density, 5)


def test_a_row_has_the_same_bits_alone_and_in_a_batch() -> None:
    density, rows = mixed(7)
    conditional = ConditionalDensity(density, np.array([True, True, False, False, True]), rows)
    together = conditional.log_highest(rows[:50])
    assert [conditional.log_highest(rows[[k]])[0] for k in range(50)] == together.tolist()


@pytest.mark.parametrize("kind", ["full", "tied"])
def test_few_free_numbers_have_the_scores_of_the_general_formula(kind: str) -> None:
    """Scores come from the norms of all numbers where few may change; one by one, from those of the fixed ones."""
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(200, 6)) @ rng.normal(size=(6, 6)) + rng.integers(0, 2, (200, 1)) * 4.0
    density = as_density(GaussianMixture(2, covariance_type=kind, random_state=0).fit(rows), rows)
    first = ConditionalDensity(density, np.array([True] * 4 + [False] * 2), rows)
    for free in ([0], [2, 5], [1, 2, 3]):
        fixed = ~np.isin(np.arange(6), free)
        conditional = first.given(fixed)
        scores = np.sort(density.log_max(rows) - conditional.log_highest(rows))
        np.testing.assert_allclose(conditional.scores, scores, atol=1e-8)
