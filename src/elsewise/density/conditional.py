r"""Densities given what cannot change.

With some columns :math:`F` fixed, a row is left the points that agree with it there. How dense the densest of these is,
is known beforehand: component :math:`j` is largest where the other columns are as it expects them given the fixed ones,
and there it is its peak less what the fixed columns :math:`x_F` take off,

.. math:: h(x_F) = \max_j \Big[ \log \text{peak}_j
          - \tfrac12 (x_F - \mu_{jF})^\top \Sigma_{jFF}^{-1} (x_F - \mu_{jF})
          - \sum_{c \in F} \max_l \log p_{jcl} - \log p_{jc}(x_c) \Big].

A row's *score* is how far it falls short of that, :math:`s(x) = \log \max_j \pi_j p_j(x) - h(x_F) \le 0`. A point is as
plausible as the quantile ``q``, given what cannot change, if its score reaches the quantile ``q`` of the scores of the
class's training rows with the same columns fixed. So a row asks of the joint density :math:`h(x_F)` plus that quantile:
the same cones, with a radius of its own. What cannot change never leaves a row without cones.

Of a single Gaussian, :math:`h` is the log density of the fixed part up to a constant, and scores given any :math:`x_F`
have the same distribution: the quantile is exactly that of the conditional density. Scores of several components
differ: in a wide one with heavy tails most rows are far nearer to the centre than its covariance says. So training rows
count as far as they are of the row's own component. With :math:`r_j(x_F)` the probability of component :math:`j` given
what is fixed, row :math:`i` has the weight :math:`\sum_j r_j(x_F) r_j(x_{iF})`, and the quantile is the weighted one:
an outlying value that cannot change selects the rows that are outlying in the same way. With nothing fixed, all
weights are equal and thresholds are those of the class.

Densities of training rows are larger than those of new rows; how much larger at a quantile, the class's own threshold
tells, which is calibrated. Columns are taken to have equal parts in it: scores are lowered by the share of the columns
that may change. Lowered scores are put in order again, so that a higher quantile never asks for less, and an answer's
plausibility is counted among the same scores as its threshold.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

import numpy as np
from scipy.special import softmax

from ..arrays import BoolArray, FloatArray, IntArray
from .base import ClassDensity, category_drops, log_components, log_peaks
from .mixtures.components import FittedMixture
from .units import QUANTILE_ROUNDING

# Nats below the lowest peak of a mixture at which every component has a cone, of a squared radius of twice this.
ROOM_BELOW_PEAKS = 1.0
# Rows a component stands for, on average, if densities given fixed columns are to mean something.
FEWEST_ROWS_A_COMPONENT = 2
# What a training row counts at least, where one that is surely of the same component counts 1: so few rows of a small
# component lean on the others.
LEAST_WEIGHT = 1e-3
# Decimals of a score that order rows: of equal ones, which rounding may tell apart, the first comes first.
SCORE_DECIMALS = 9

COVARIANCE_TYPES = ("full", "tied", "diag", "spherical")


def below_all_peaks(density: ClassDensity | None) -> ClassDensity | None:
    """Return the same density at a threshold that every component reaches: all of them have a cone there."""
    if density is None:
        return None
    peaks = log_peaks(density.mixture_)
    lowest = float(peaks[np.isfinite(peaks)].min())
    return density.with_threshold(min(density.log_threshold_, lowest - ROOM_BELOW_PEAKS))


def is_conditional(density: ClassDensity, n_rows: int) -> bool:
    """Whether scores given fixed columns mean something.

    Components describe many rows each: a kernel density has one for every row, whose own kernel would be all that its
    score is about.
    """
    mixture = density.mixture_
    return mixture.covariance_type in COVARIANCE_TYPES and len(mixture.means_) * FEWEST_ROWS_A_COMPONENT <= n_rows


@dataclass(frozen=True, slots=True)
class TrainingScores:
    """What scores of the training rows need, whatever is fixed.

    Attributes
    ----------
    log_max : array of shape (n_samples,)
        Joint log densities.
    above : array of shape (n_samples,)
        What these exceed the calibrated ones by, quantile by quantile.
    log_gaussians : array of shape (n_samples, m)
        Log components, categories at their likeliest levels.
    """

    log_max: FloatArray
    above: FloatArray
    log_gaussians: FloatArray

    @classmethod
    def of(cls, density: ClassDensity, rows: FloatArray) -> TrainingScores:
        """Compute them for the training rows of a class, of shape (n_samples, n_columns)."""
        log_max = density.log_max(rows)
        above = np.sort(log_max) - np.quantile(density.log_densities_, np.linspace(0.0, 1.0, len(log_max)))
        mixture = density.mixture_
        return cls(log_max, above, log_components(mixture, rows, log_peaks(mixture)))


@dataclass(frozen=True, slots=True)
class ConditionalDensity:
    """Density of the columns that may change, given those that cannot.

    Attributes
    ----------
    density : ClassDensity
        Of all columns.
    fixed : bool array of shape (n_columns,)
        Columns of the density's rows, ``[numbers | codes]``, that cannot change.
    rows : array of shape (n_samples, n_columns)
        Training rows of the class.
    training : TrainingScores, optional
        What does not depend on the fixed columns, if it was computed for others already.
    scores : array of shape (n_samples,)
        Of the training rows, ascending; see the module docstring.
    """

    density: ClassDensity
    fixed: BoolArray
    rows: FloatArray
    training: TrainingScores | None = field(default=None, repr=False)
    scores: FloatArray = field(init=False, repr=False)
    _calibrated: FloatArray = field(init=False, repr=False)
    _log_conditional_peaks: FloatArray = field(init=False, repr=False)
    _sums: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        training = TrainingScores.of(self.density, self.rows) if self.training is None else self.training
        object.__setattr__(self, "training", training)
        object.__setattr__(self, "_log_conditional_peaks", self._peaks_of_free())
        values = self._values_of_training(training)
        scores = training.log_max - values.max(axis=1)
        order = _ascending(scores)
        calibrated = scores[order] - self.free_share * training.above
        again = _ascending(calibrated)
        object.__setattr__(self, "scores", np.sort(scores))
        object.__setattr__(self, "_calibrated", np.sort(calibrated))
        shares = self.shares(values)[order[again]]
        object.__setattr__(self, "_sums", np.cumsum(shares + LEAST_WEIGHT, axis=0))

    def given(self, fixed: BoolArray) -> ConditionalDensity:
        """Return the density given other fixed columns; what does not depend on them is shared."""
        return ConditionalDensity(self.density, fixed, self.rows, self.training)

    def _values_of_training(self, training: TrainingScores) -> FloatArray:
        """Compute the highest value of each component given the fixed columns of the training rows, shape (n, m).

        Where few numbers may change, from the norms of all numbers: with P the precision and o the free numbers,

            x_F' Sigma_FF^-1 x_F = x' P x - (P_o x)' P_oo^-1 (P_o x),

        which takes products with the free columns of P alone. Of 23 numbers with two free, 5,000 rows and 10 components
        this takes a fifth of the time.

        All rows are one product: they are always the same rows, so that bits do not depend on a batch.
        """
        mixture = self.density.mixture_
        n_numbers = mixture.means_.shape[1]
        free = np.flatnonzero(~self.fixed[:n_numbers])
        if mixture.covariance_type not in ("full", "tied") or 2 * len(free) > n_numbers:
            return highest_of_components(mixture, self.fixed, self.rows, one_product=True)
        values = training.log_gaussians + 0.5 * _norms_of_free(mixture, free, self.rows[:, :n_numbers])
        return _less_categories(mixture, self.fixed, values, self.rows)

    @property
    def free_share(self) -> float:
        """Share of the columns that may change."""
        return float(np.mean(~self.fixed))

    def log_highest(self, Z: FloatArray) -> FloatArray:
        """Log density of the densest point with the same fixed columns, array of shape (n_samples,).

        A row has the same bits alone and in any batch.
        """
        return np.asarray(self.highest_of_components(Z).max(axis=1))

    def highest_of_components(self, Z: FloatArray) -> FloatArray:
        """Log density of the densest point of each component with the same fixed columns, shape (n_samples, m)."""
        return highest_of_components(self.density.mixture_, self.fixed, Z)

    @property
    def _fixed_categories(self) -> BoolArray:
        return self.fixed[self.density.mixture_.means_.shape[1] :]

    def _peaks_of_free(self) -> FloatArray:
        """Log density of the free columns at each component's densest point given the fixed ones, shape (m,)."""
        mixture = self.density.mixture_
        n_numbers = mixture.means_.shape[1]
        fixed, n_free = np.flatnonzero(self.fixed[:n_numbers]), int((~self.fixed[:n_numbers]).sum())
        log_det = _log_determinants(mixture, np.arange(n_numbers)) - _log_determinants(mixture, fixed)
        peaks = -0.5 * (n_free * np.log(2.0 * np.pi) + log_det)
        tables = getattr(mixture, "log_probabilities_", ())
        free = [
            table.max(axis=1) for table, is_fixed in zip(tables, self._fixed_categories, strict=True) if not is_fixed
        ]
        return np.asarray(sum(free, start=peaks))

    def shares(self, highest: FloatArray) -> FloatArray:
        """Probability of every component given the fixed columns, from its highest value; shape (n_samples, m)."""
        return np.asarray(softmax(highest - self._log_conditional_peaks, axis=1))

    def log_threshold(self, quantile: float, shares: FloatArray) -> float:
        """Score to be reached: a quantile of those of new rows, lowered so that rounding shuts none out.

        Parameters
        ----------
        quantile : float
        shares : array of shape (m,)
            Of the row (:meth:`shares`).
        """
        first, last = float(self._sums[0] @ shares), float(self._sums[-1] @ shares)
        wanted = first + quantile * (last - first)
        after = bisect_left(range(len(self._sums) - 1), wanted, key=lambda i: float(self._sums[i] @ shares))
        around = slice(max(after - 1, 0), after + 1)
        value = float(np.interp(wanted, self._sums[around] @ shares, self._calibrated[around]))
        return value - QUANTILE_ROUNDING * (1.0 + abs(value))

    def share_no_denser(self, score: float, shares: FloatArray) -> float:
        """Share of rows, as new ones would be and counted for a row with these shares, whose scores are no higher."""
        n = int(np.searchsorted(self._calibrated, score, side="right"))
        return float(self._sums[n - 1] @ shares / (self._sums[-1] @ shares)) if n else 0.0


def highest_of_components(
    mixture: FittedMixture, fixed: BoolArray, Z: FloatArray, *, one_product: bool = False
) -> FloatArray:
    """Log density of the densest point of each component with the same fixed columns, shape (n_samples, m).

    One product of all rows is many times as fast, but bits then depend on the batch.
    """
    values: FloatArray = np.tile(log_peaks(mixture), (len(Z), 1))
    numbers = np.flatnonzero(fixed[: mixture.means_.shape[1]])
    if len(numbers):
        values -= 0.5 * _squared_norms(mixture, numbers, Z[:, numbers], one_product=one_product)
    return _less_categories(mixture, fixed, values, Z)


def _less_categories(mixture: FittedMixture, fixed: BoolArray, values: FloatArray, Z: FloatArray) -> FloatArray:
    """Take off what fixed categories cost, in place."""
    n_numbers = mixture.means_.shape[1]
    codes = Z[:, n_numbers:].T.astype(np.intp)
    for drops, column, is_fixed in zip(category_drops(mixture), codes, fixed[n_numbers:], strict=True):
        if is_fixed:
            values -= drops[column]
    return values


def densest_numbers(mixture: FittedMixture, component: int, fixed: BoolArray, Z: FloatArray) -> FloatArray:
    """Return the numbers of a component's densest points with the same fixed columns, shape (n_samples, n_numbers).

    A row has the same bits alone and in any batch.
    """
    kind, n_numbers = mixture.covariance_type, mixture.means_.shape[1]
    known, free = np.flatnonzero(fixed[:n_numbers]), np.flatnonzero(~fixed[:n_numbers])
    numbers, mean = Z[:, :n_numbers].copy(), np.asarray(mixture.means_[component], dtype=np.float64)
    numbers[:, free] = mean[free]
    if kind in ("full", "tied") and len(known):
        covariances = np.asarray(mixture.covariances_, dtype=np.float64)
        covariance = covariances[component] if kind == "full" else covariances
        slopes = np.linalg.solve(covariance[np.ix_(known, known)], covariance[np.ix_(known, free)])
        # one product a row: a single matrix product would round rows differently in other batches
        numbers[:, free] += np.matmul((Z[:, known] - mean[known])[:, None, :], slopes)[:, 0, :]
    return numbers


def _ascending(scores: FloatArray) -> IntArray:
    """Order of the rows by their scores, equal ones as they came, int array of shape (n_samples,)."""
    return np.argsort(scores.round(SCORE_DECIMALS), kind="stable")


def _squared_norms(
    mixture: FittedMixture, numbers: IntArray, Z: FloatArray, *, one_product: bool = False
) -> FloatArray:
    """Squared Mahalanobis norms of some numbers alone in every component, array of shape (n_samples, m)."""
    covariances, kind = np.asarray(mixture.covariances_, dtype=np.float64), mixture.covariance_type
    norms = np.empty((len(Z), len(mixture.means_)))
    for j, mean in enumerate(np.asarray(mixture.means_, dtype=np.float64)[:, numbers]):
        if kind in ("full", "tied"):
            covariance = covariances[j] if kind == "full" else covariances
            inverse = np.linalg.inv(np.linalg.cholesky(covariance[np.ix_(numbers, numbers)]))
        else:
            variances = covariances[j][numbers] if kind == "diag" else np.full(len(numbers), covariances[j])
            inverse = np.diag(1.0 / np.sqrt(variances))
        away = Z - mean
        each = away @ inverse.T if one_product else np.matmul(away[:, None, :], inverse.T)[:, 0, :]
        norms[:, j] = np.square(each).sum(axis=1)
    return norms


def _log_determinants(mixture: FittedMixture, numbers: IntArray) -> FloatArray:
    """Log determinants of the covariances of some numbers in every component, array of shape (m,)."""
    covariances, kind = np.asarray(mixture.covariances_, dtype=np.float64), mixture.covariance_type
    m = len(mixture.means_)
    if kind == "spherical":
        return np.asarray(len(numbers) * np.log(covariances))
    if kind == "diag":
        return np.asarray(np.log(covariances[:, numbers]).sum(axis=1))
    blocks = covariances[..., numbers[:, None], numbers]
    return np.broadcast_to(np.linalg.slogdet(blocks)[1], (m,))


def _norms_of_free(mixture: FittedMixture, free: IntArray, Z: FloatArray) -> FloatArray:
    """Compute what free numbers add to squared Mahalanobis norms beyond the fixed ones, shape (n_samples, m)."""
    L, kind = np.asarray(mixture.precisions_cholesky_, dtype=np.float64), mixture.covariance_type
    norms = np.empty((len(Z), len(mixture.means_)))
    for j, mean in enumerate(np.asarray(mixture.means_, dtype=np.float64)):
        factor = L[j] if kind == "full" else L
        precision = factor @ factor[free].T  # columns of P that belong to free numbers
        inverse = np.linalg.inv(np.linalg.cholesky(precision[free]))
        norms[:, j] = np.square((Z - mean) @ precision @ inverse.T).sum(axis=1)
    return norms
