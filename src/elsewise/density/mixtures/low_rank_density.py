"""The density of a class as a mixture of low rank: chosen, fitted, and written out with full covariances.

Low-rank mixtures for a class: rank and number of components by held-out likelihood, and densities of held-out rows.

Of one component all ranks that double are tried until the held-out likelihood has fallen twice; more components are
tried with the best rank so far and lower ones, as long as that helps: they share what one had to describe alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.mixture import GaussianMixture
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from ...arrays import FloatArray
from ...errors import InvalidInputError
from ..base import log_components, log_peaks
from ..units import FALLS_IN_A_ROW, ONE_THREAD_FEATURES, assemble_mixture, fit_scales
from .components import (
    Split,
    check_count,
    check_enough_rows,
    choice_splits,
    drawn_rows,
    equal_rows,
    held_out_likelihoods,
    least,
)
from .low_rank_mixture import LowRankMixture

if TYPE_CHECKING:
    from .gaussian_mixture import GaussianMixtureDensity


# Folds for the densities of held-out rows under a mixture of low rank, of up to so many rows and of more: fits without
# a twentieth of few rows are hardly worse than those with it; of many rows a fifth matters as little.
FOLDS_OF_FEW_ROWS, FEW_ROWS, FOLDS_OF_MANY_ROWS = 20, 5_000, 5
# Iterations, from the fit to all rows, in which a fit without a fold forgets it.
FORGETTING_ITERATIONS = 5


@dataclass(frozen=True, slots=True)
class LowRankChoice:
    """What was tried, in standardised units.

    Attributes
    ----------
    ranked : list of (n_components, rank)
        Likeliest first.
    scores : dict of int to float
        Mean held-out log-likelihood of each number of components, with its best rank; empty if there was no choice.
    """

    ranked: list[tuple[int, int]]
    scores: dict[int, float]


def rank_grid(n_features: int) -> list[int]:
    """Ranks 0, 1, 2, 4, 8, ... below the number of features."""
    return [0, *(2**power for power in range((n_features - 1).bit_length()) if 2**power < n_features)]


def choose(
    W: FloatArray,
    splits: Iterable[Split],
    settings: LowRankMixture,
    *,
    numbers: list[int],
    ranks: list[int],
    stops_early: bool,
) -> LowRankChoice:
    """Score numbers of components and ranks by the likelihood of held-out rows.

    Parameters
    ----------
    W : array of shape (n_samples, n_features)
    splits : iterable of pairs of int arrays
        Rows to fit and rows held out.
    settings : LowRankMixture
        Everything but the number of components and the rank.
    numbers, ranks : lists of int, ascending
    stops_early : bool
        Leave numbers of components out once the score has fallen twice in a row.
    """
    if len(numbers) == len(ranks) == 1:
        return LowRankChoice([(numbers[0], ranks[0])], {})
    every = list(splits)
    scores: dict[tuple[int, int], float] = {}
    best_of: dict[int, tuple[float, int]] = {}
    for k in numbers:
        before = max(best_of.values(), default=None)
        tried: list[float] = []
        for rank in ranks if before is None else [rank for rank in reversed(ranks) if rank <= before[1]]:
            scores[k, rank] = float(held_out_likelihoods(W, every, _fitter(settings, rank), k).mean())
            tried.append(scores[k, rank])
            if _falls(tried, FALLS_IN_A_ROW if before is None else 1):
                break
        best_of[k] = max((scores[k, rank], rank) for number, rank in scores if number == k)
        if stops_early and _falls([score for score, _ in best_of.values()], FALLS_IN_A_ROW):
            break
    usable = [pair for pair, score in scores.items() if score > -np.inf]
    ranked = sorted(usable, key=lambda pair: (-scores[pair], pair))
    return LowRankChoice(ranked, {k: score for k, (score, _) in best_of.items()})


def held_out_log_max(
    mixture: LowRankMixture, W: FloatArray, random_state: int | np.random.RandomState | None
) -> FloatArray:
    """Component-wise maximum at each row, of the mixture fitted again without the row's fold, array of shape (n,).

    The fits begin with what all rows gave, less the fold, and go on for a few iterations.
    """
    n = len(W)
    n_folds = FOLDS_OF_FEW_ROWS if n <= FEW_ROWS else FOLDS_OF_MANY_ROWS
    start = mixture.predict_proba(W)
    values = np.empty(n)
    for fold in np.array_split(check_random_state(random_state).permutation(n), min(n, n_folds)):
        kept = np.delete(np.arange(n), fold)
        again = _fresh(mixture, mixture.n_components, mixture.rank).set_params(max_iter=FORGETTING_ITERATIONS)
        values[fold] = again.fit(W[kept], start=start[kept]).log_components(W[fold]).max(axis=1)
    return values


def _fresh(settings: LowRankMixture, k: int, rank: int) -> LowRankMixture:
    return LowRankMixture(**{**settings.get_params(), "n_components": k, "rank": rank})


def fit_low_rank(settings: LowRankMixture, W: FloatArray, k: int, rank: int) -> LowRankMixture:
    """Fit ``k`` components of a rank with the other settings as given."""
    return _fresh(settings, k, rank).fit(W)


def _fitter(settings: LowRankMixture, rank: int) -> Callable[[FloatArray, int], LowRankMixture]:
    return lambda rows, k: fit_low_rank(settings, rows, k, rank)


def _falls(scores: list[float], often: int) -> bool:
    """Whether the last scores have fallen so often in a row."""
    last = scores[-often - 1 :]
    return len(last) > often and all(after < before for before, after in pairwise(last))


def low_rank_density(estimator: GaussianMixtureDensity, rows: FloatArray, grid: list[int] | None) -> dict[str, Any]:
    """Fit a mixture of low rank with an estimator's settings; return the attributes that the estimator learns.

    Parameters
    ----------
    estimator : GaussianMixtureDensity
    rows : array of shape (n_samples, n_features)
    grid : list of int or None
        Numbers of components, None for the default grid.
    """
    n, p = rows.shape
    drawn = drawn_rows(n, estimator.cv_rows, estimator.random_state)
    n_distinct, group = equal_rows(rows if drawn is None else rows[drawn]) if n else (0, np.empty(0, dtype=np.int64))
    check_enough_rows(n, n_distinct, least(grid))
    centre, scale = rows.mean(axis=0), float(fit_scales(rows, "low_rank")[0])
    W = (rows - centre) / scale
    settings = LowRankMixture(
        reg_covar=estimator.reg_covar,
        n_init=estimator.n_init,
        max_iter=estimator.max_iter,
        random_state=estimator.random_state,
    )
    default = list(range(1, max(1, min(estimator.max_components, n_distinct // 2)) + 1))
    with threadpool_limits(limits=1 if p <= ONE_THREAD_FEATURES else None):
        choice = choose(
            W if drawn is None else W[drawn],
            choice_splits(group, estimator.cv, estimator.random_state),
            settings,
            numbers=default if grid is None else grid,
            ranks=_ranks(estimator.rank, p),
            stops_early=grid is None,
        )
        if not choice.ranked:
            raise InvalidInputError(
                "No mixture of low rank could be fitted: a component has no rows left. Ask for fewer components "
                f"(n_components={estimator.n_components!r}) or give more rows of the class."
            )
        fitted = fit_low_rank(settings, W, *choice.ranked[0])
        held_out = held_out_log_max(fitted, W, estimator.random_state)
    mixture = _written_out(fitted, centre, scale)
    jacobian = p * float(np.log(scale))  # of the map to standardised units
    return {
        "mixture_": mixture,
        "n_components_": fitted.n_components,
        "rank_": fitted.rank,
        "cv_scores_": {k: score - jacobian for k, score in choice.scores.items()},
        "log_densities_": held_out - jacobian,
        "training_log_densities_": log_components(mixture, rows, log_peaks(mixture)).max(axis=1),
        "n_features_in_": p,
    }


def _ranks(rank: Any, n_features: int) -> list[int]:
    """Ranks to try, ascending; those that leave no direction for the noise become the largest that does."""
    if rank is None:
        return rank_grid(n_features)
    given = np.asarray(rank).reshape(-1).tolist()
    if not given:
        raise InvalidInputError("rank is an empty grid: give at least one number, or None to choose.")
    return sorted({min(check_count("rank", entry, 0), n_features - 1) for entry in given})


def _written_out(fitted: LowRankMixture, centre: FloatArray, scale: float) -> GaussianMixture:
    """Write a low-rank mixture of ``w = (z - centre) / scale`` as a Gaussian mixture of ``z`` with full covariances."""
    covariances = fitted.covariances()
    identity = np.eye(len(centre))
    factors = [solve_triangular(np.linalg.cholesky(C), identity, lower=True).T for C in covariances]
    like = GaussianMixture(fitted.n_components, covariance_type="full", random_state=fitted.random_state)
    mixture = assemble_mixture(
        fitted.weights_, centre + scale * fitted.means_, covariances * scale**2, np.array(factors) / scale, like=like
    )
    mixture.converged_, mixture.n_iter_ = fitted.converged_, fitted.n_iter_
    mixture.lower_bound_ = fitted.lower_bound_ - len(centre) * np.log(scale)
    # Precisions are diag(D) - U U': what the projector makes use of.
    p, noise = len(centre), fitted.noise_ * scale**2
    own = np.sqrt(np.maximum(1.0 - fitted.noise_[:, None] / fitted.variances_, 0.0) / noise[:, None])
    mixture.precision_structure_ = (
        np.repeat(1.0 / noise[:, None], p, axis=1),
        fitted.directions_ * own[:, None, :],
    )
    return mixture
