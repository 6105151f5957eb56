"""How many components: held-out likelihood over a grid, one choice for every kind of mixture.

A kind of mixture comes in as a function ``fit_mixture(rows, k)`` that returns a fitted mixture with ``weights_`` and
``score_samples``, or None where a covariance is singular.

What a fitted mixture is to the rest of the package, whoever fitted it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from math import ceil
from numbers import Integral
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from ...arrays import FloatArray, IntArray
from ...errors import InvalidInputError
from ..units import FALLS_IN_A_ROW


class FittedMixture(Protocol):
    """A fitted mixture of ``m`` components on ``p`` numbers, in scikit-learn's words.

    That is a ``sklearn.mixture.GaussianMixture``, or a :class:`~elsewise.density.MixedMixture`, which also has
    ``log_probabilities_``, the logarithms of the probabilities of each category's levels.

    Attributes
    ----------
    covariance_type : {"full", "tied", "diag", "spherical"}
    n_components : int
    weights_ : array of shape (m,)
    means_ : array of shape (m, p)
    covariances_, precisions_cholesky_ : arrays of shape (m, p, p), (p, p), (m, p) or (m,), by covariance type
    """

    covariance_type: str
    n_components: int
    weights_: FloatArray
    means_: FloatArray
    covariances_: FloatArray
    precisions_cholesky_: FloatArray

    def score_samples(self, X: ArrayLike) -> FloatArray:
        """Log density at every row, array of shape (n_samples,)."""


# A component below this weight, as a share of all rows, has lost its rows during the iterations; nothing can be learned
# from such a mixture.
SMALLEST_WEIGHT = 1e-8
# Rows that one fit of the choice of components sees, at most, and rows it is then judged by: enough to tell numbers of
# components apart to a few hundredths of a nat.
CHOICE_ROWS = 2_500
# Rows that all fits of one number of components see together, at least: five times 500 of 625 rows, or 2,500 of more.
ROWS_OF_ALL_FITS = 2_500


class Scored(Protocol):
    """A fitted mixture as far as a choice needs it."""

    weights_: FloatArray

    def score_samples(self, X: FloatArray) -> FloatArray:
        """Log density at every row, array of shape (n_samples,)."""


FitMixture = Callable[[FloatArray, int], FittedMixture | None]
# Rows that a fit sees, and rows that it is judged by.
Split = tuple[IntArray, IntArray]


def component_grid(n_components: int | Sequence[int] | None) -> list[int] | None:
    """Numbers of components to try, ascending, or None for the default grid; refuses anything else."""
    if n_components is None:
        return None
    single = isinstance(n_components, Integral)
    grid: list[object] = [n_components] if single else list(np.asarray(n_components).reshape(-1).tolist())
    if not grid:
        raise InvalidInputError("n_components is an empty grid: give at least one number, or None to choose.")
    return sorted({check_count("n_components", entry, 1) for entry in grid})


def check_count(name: str, value: object, smallest: int) -> int:
    """Return an integer of at least ``smallest``; refuse anything else."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral) or value < smallest:
        raise InvalidInputError(f"{name} must be an integer >= {smallest}, received {value!r}.")
    return int(value)


def least(grid: list[int] | None) -> int:
    """Smallest number of the grid; the only one where there is nothing to choose."""
    return 1 if grid is None else min(grid)


def check_enough_rows(n_rows: int, n_distinct: int, smallest: int) -> None:
    """Refuse fewer rows than a mixture of ``smallest`` components needs."""
    if n_rows < 2 or n_distinct < smallest:
        raise InvalidInputError(
            f"too few rows for the mixture: expected at least {max(2, smallest)} rows, {smallest} of them distinct, "
            f"for {smallest} component(s), received {n_rows} rows, {n_distinct} distinct. "
            "Ask for fewer components or give more rows of the class."
        )


def cross_validate(
    rows: FloatArray,
    splits: Iterable[Split],
    fit_mixture: FitMixture,
    *,
    grid: list[int] | None,
    max_components: int,
    n_distinct: int,
) -> dict[int, FloatArray]:
    """Log-likelihoods of held-out rows for each number of components tried; empty when there is no choice.

    The default grid ``1, 2, ..., max_components``, at most one component per two distinct rows, is left early once the
    mean has fallen twice in a row. A number without a usable mixture in some fold has -inf everywhere.

    Parameters
    ----------
    rows : array of shape (n_samples, n_features)
    splits : iterable of pairs of int arrays
        Rows to fit and rows held out; not drawn when there is no choice.
    fit_mixture : callable
        See the module docstring.
    grid : list of int or None
    max_components : int
    n_distinct : int
        Number of distinct rows.

    Returns
    -------
    dict of int to array of shape (n_held_out,)
    """
    numbers = grid if grid is not None else list(range(1, max(1, min(max_components, n_distinct // 2)) + 1))
    if len(numbers) == 1:
        return {}
    every = list(splits)
    likelihoods: dict[int, FloatArray] = {}
    means: list[float] = []
    for k in numbers:
        likelihoods[k] = held_out_likelihoods(rows, every, fit_mixture, k)
        means.append(float(likelihoods[k].mean()))
        last = means[-FALLS_IN_A_ROW - 1 :]
        if grid is None and len(last) > FALLS_IN_A_ROW and all(after < before for before, after in pairwise(last)):
            break
    return likelihoods


def mean_scores(likelihoods: dict[int, FloatArray]) -> dict[int, float]:
    """Mean held-out log-likelihood of each number of components."""
    return {k: float(values.mean()) for k, values in likelihoods.items()}


def likeliest_first(scores: dict[int, float]) -> list[int]:
    """Usable numbers of components by their mean held-out log-likelihood, the smallest first in a tie."""
    return sorted((k for k in scores if scores[k] > -np.inf), key=lambda k: (-scores[k], k))


def simplest_first(likelihoods: dict[int, FloatArray]) -> list[int]:
    """Like :func:`likeliest_first`, but led by the smallest number that is no worse than the best as far as rows tell.

    That is, whose mean log-likelihood is lower by at most one standard error of the mean difference, row by row.
    """
    ranked = likeliest_first(mean_scores(likelihoods))
    for k in sorted(ranked):
        loss = likelihoods[ranked[0]] - likelihoods[k]
        if loss.mean() <= loss.std() / np.sqrt(len(loss)):
            return [k, *(other for other in ranked if other != k)]
    return ranked


def first_usable(rows: FloatArray, candidates: list[int], fit_mixture: FitMixture) -> FittedMixture | None:
    """Fit all rows with the first of the numbers that gives a usable mixture; None if none does."""
    for k in candidates:
        mixture = fit_mixture(rows, k)
        # With a single candidate there is no choice: a vanishing component only adds no cone.
        if mixture is not None and (len(candidates) == 1 or _usable(mixture)):
            return mixture
    return None


def drawn_rows(n_rows: int, most: int, random_state: int | np.random.RandomState | None) -> IntArray | None:
    """Positions of at most ``most`` rows drawn at random, in the order they came; None for all of them."""
    if n_rows <= most:
        return None
    drawn = check_random_state(random_state).permutation(n_rows)[:most]
    return np.sort(drawn).astype(np.int64)


def equal_rows(rows: FloatArray) -> tuple[int, IntArray]:
    """Count the distinct rows, and give equal rows the same number, int array of shape (n_samples,).

    Numbered as they appear, not by their values: folds do not depend on units. Missing numbers are equal.
    """
    rows = np.where(np.isnan(rows), -np.inf, rows)
    _, first, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return len(first), np.argsort(np.argsort(first))[group.reshape(-1)].astype(np.int64)


def distinct_row_folds(
    group: IntArray, cv: int, random_state: int | np.random.RandomState | None
) -> Iterator[IntArray]:
    """Rows held out in each of at most ``cv`` folds; rows of equal ``group`` number are never parted."""
    n_groups = int(group.max()) + 1
    order = check_random_state(random_state).permutation(n_groups)
    for part in np.array_split(order, min(cv, n_groups)):
        yield np.flatnonzero(np.isin(group, part)).astype(np.int64)


def choice_splits(group: IntArray, cv: int, random_state: int | np.random.RandomState | None) -> Iterator[Split]:
    """Return splits to choose components by: all ``cv`` folds of few rows, fewer of at most CHOICE_ROWS of many.

    Rows of equal ``group`` number are never parted.
    """
    n_groups = int(group.max()) + 1
    n_kept = n_groups - ceil(n_groups / cv)
    if n_kept * cv <= ROWS_OF_ALL_FITS:
        for fold in distinct_row_folds(group, cv, random_state):
            yield np.delete(np.arange(len(group)), fold), fold
        return
    n_kept = min(n_kept, CHOICE_ROWS)
    n_splits = min(cv, ceil(ROWS_OF_ALL_FITS / n_kept))
    order = check_random_state(random_state).permutation(n_groups)
    for split in range(n_splits):
        turned = np.roll(order, -split * (n_groups // n_splits))
        parts = turned[-n_kept:], turned[: min(n_groups - n_kept, CHOICE_ROWS)]
        kept, held_out = (np.flatnonzero(np.isin(group, part)).astype(np.int64) for part in parts)
        yield kept, held_out


def held_out_likelihoods(
    rows: FloatArray, splits: list[Split], fit_mixture: Callable[[FloatArray, int], Scored | None], k: int
) -> FloatArray:
    """Log-likelihoods of the held-out rows, one split after the other; -inf if one gives no usable mixture."""
    likelihoods = []
    for kept, held_out in splits:
        mixture = fit_mixture(rows[kept], k) if len(kept) >= max(2, k) else None
        if mixture is None or not _usable(mixture):
            return np.full(sum(len(others) for _, others in splits), -np.inf)
        likelihoods.append(mixture.score_samples(rows[held_out]))
    return np.concatenate(likelihoods)


def _usable(mixture: Scored) -> bool:
    return bool(mixture.weights_.min() >= SMALLEST_WEIGHT)
