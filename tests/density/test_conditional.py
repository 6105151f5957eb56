"""Densities given fixed columns, against the textbook's conditional mixture and against integration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

from elsewise.density import ClassDensity, MixedMixture, at_threshold
from elsewise.density.conditional import ConditionalDensity, below_all_peaks, is_conditional


def rows_of(seed: int, n: int = 300) -> np.ndarray:
    """Three numbers in two clumps, then two codes."""
    rng = np.random.default_rng(seed)
    clump = rng.random(n) < 0.4
    mix = rng.normal(size=(3, 3))
    numbers = rng.normal(size=(n, 3)) @ mix + np.where(clump[:, None], [0.0, 3.0, -2.0], [4.0, 0.0, 1.0])
    first = np.where(rng.random(n) < np.where(clump, 0.8, 0.3), 0, rng.integers(1, 3, n))
    second = (rng.random(n) < np.where(clump, 0.2, 0.7)).astype(float)
    return np.column_stack([numbers, first, second])


def mixed(seed: int) -> tuple[ClassDensity, np.ndarray]:
    rows = rows_of(seed)
    mixture = MixedMixture(n_components=3, n_levels=(3, 2), random_state=0).fit(rows)
    return as_density(mixture, rows), rows


def as_density(mixture: object, rows: np.ndarray, quantile: float = 0.5) -> ClassDensity:
    bare = ClassDensity(mixture_=mixture, log_threshold_=0.0, log_densities_=np.empty(0))  # type: ignore[arg-type]
    return at_threshold(replace(bare, log_densities_=np.sort(bare.log_max(rows))), quantile)


def log_score(density: ClassDensity, row: np.ndarray, fixed: np.ndarray) -> float:
    """Largest component of the conditional mixture, by the formulas for conditional Gaussians."""
    mixture, n = density.mixture_, density.mixture_.means_.shape[1]
    F, R = np.flatnonzero(fixed[:n]), np.flatnonzero(~fixed[:n])
    tables = getattr(mixture, "log_probabilities_", ())
    codes = row[n:].astype(int)
    weights, inside = [], []
    for j, weight in enumerate(mixture.weights_):
        mean = mixture.means_[j]
        S = mixture.covariances_[j] if mixture.covariance_type == "full" else np.diag(mixture.covariances_[j])
        gain = S[np.ix_(R, F)] @ np.linalg.inv(S[np.ix_(F, F)]) if len(F) else np.zeros((len(R), 0))
        middle = mean[R] + gain @ (row[F] - mean[F])
        spread = S[np.ix_(R, R)] - gain @ S[np.ix_(F, R)]
        own = np.log(weight)
        if len(F):
            own += multivariate_normal.logpdf(row[F], mean[F], S[np.ix_(F, F)])
        own += sum(tables[c][j, codes[c]] for c in range(len(codes)) if fixed[n + c])
        rest = multivariate_normal.logpdf(row[R], middle, spread) if len(R) else 0.0
        rest += sum(tables[c][j, codes[c]] for c in range(len(codes)) if not fixed[n + c])
        weights.append(own)
        inside.append(rest)
    return float(np.max(np.array(weights) - logsumexp(weights) + np.array(inside)))


@pytest.mark.parametrize("fixed", [(1, 0, 0, 0, 0), (0, 1, 1, 0, 1), (0, 0, 0, 1, 1), (1, 1, 1, 1, 0), (1, 1, 1, 1, 1)])
def test_scores_are_those_of_the_conditional_mixture(fixed: tuple[int, ...]) -> None:
    density, rows = mixed(0)
    mask = np.array(fixed, dtype=bool)
    conditional = ConditionalDensity(density, mask, rows)
    some = rows[:20]
    scores = density.log_max(some) - conditional.log_fixed(some)
    np.testing.assert_allclose(scores, [log_score(density, row, mask) for row in some], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_fixed_part_is_the_integral_over_the_rest(kind: str) -> None:
    rows = rows_of(1)[:, :2]
    mixture = GaussianMixture(3, covariance_type=kind, random_state=0).fit(rows)
    conditional = ConditionalDensity(as_density(mixture, rows), np.array([True, False]), rows)
    grid = np.linspace(-40.0, 40.0, 40_001)
    for value in (-1.0, 0.5, 4.0):
        line = np.column_stack([np.full_like(grid, value), grid])
        integral = np.exp(mixture.score_samples(line)).sum() * (grid[1] - grid[0])
        assert conditional.log_fixed(np.array([[value, 0.0]]))[0] == pytest.approx(np.log(integral), abs=1e-9)


@pytest.mark.parametrize("quantile", [0.2, 0.5, 0.9])
def test_a_quantile_is_reached_by_its_share_of_rows_given_what_they_are(quantile: float) -> None:
    density, rows = mixed(2)
    conditional = ConditionalDensity(density, np.array([True, False, False, True, False]), rows)
    own = conditional.log_threshold(quantile) + conditional.log_fixed(rows)
    assert np.mean(density.log_max(rows) >= own) == pytest.approx(1 - quantile, abs=1.5 / len(rows))
    shares = conditional.share_no_denser(density.log_max(rows) - conditional.log_fixed(rows))
    assert np.mean(shares >= quantile) == pytest.approx(1 - quantile, abs=1.5 / len(rows))


def test_with_nothing_fixed_thresholds_are_those_of_the_class() -> None:
    density, rows = mixed(3)
    conditional = ConditionalDensity(density, np.zeros(5, dtype=bool), rows)
    for quantile in (0.1, 0.5, 0.8):
        assert conditional.log_threshold(quantile) == pytest.approx(at_threshold(density, quantile).log_threshold_)


def test_scores_are_lowered_by_the_free_share_of_what_calibration_takes_off() -> None:
    density, rows = mixed(4)
    held_out = replace(density, log_densities_=density.log_densities_ - 2.0)
    fixed = np.array([True, True, False, False, False])
    plain, lowered = ConditionalDensity(density, fixed, rows), ConditionalDensity(held_out, fixed, rows)
    assert plain.log_threshold(0.5) - lowered.log_threshold(0.5) == pytest.approx(0.6 * 2.0)


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
    together = conditional.log_fixed(rows[:50])
    assert [conditional.log_fixed(rows[[k]])[0] for k in range(50)] == together.tolist()
