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
have the same distribution: the quantile is exactly that of the conditional density. Components that are wide given the
fixed columns are nowhere as dense as narrow ones; differences of log densities to the densest possible tell them apart
from rows that are unusual. With nothing fixed, thresholds are those of the class.

Densities of training rows are larger than those of new rows; how much larger at a quantile, the class's own threshold
tells, which is calibrated. Columns are taken to have equal parts in it: scores are lowered by the share of the columns
that may change. Lowered scores are put in order again, so that a higher quantile never asks for less, and an answer's
plausibility is counted among the same scores as its threshold.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from .base import ClassDensity, category_drops, log_components, log_peaks
from .mixtures.components import FittedMixture
from .units import QUANTILE_ROUNDING

# Nats below the lowest peak of a mixture at which every component has a cone, of a squared radius of twice this.
ROOM_BELOW_PEAKS = 1.0
# Rows a component stands for, on average, if densities given fixed columns are to mean something.
FEWEST_ROWS_A_COMPONENT = 2

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
    _thresholds: dict[float, float] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        training = TrainingScores.of(self.density, self.rows) if self.training is None else self.training
        scores = np.sort(training.log_max - self._log_highest_of_training(training))
        object.__setattr__(self, "training", training)
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "_calibrated", np.sort(scores - self.free_share * training.above))

    def given(self, fixed: BoolArray) -> ConditionalDensity:
        """Return the density given other fixed columns; what does not depend on them is shared."""
        return ConditionalDensity(self.density, fixed, self.rows, self.training)

    def _log_highest_of_training(self, training: TrainingScores) -> FloatArray:
        """Compute :meth:`log_highest` of the training rows.

        Where few numbers may change, from the norms of all numbers: with P the precision and o the free numbers,

            x_F' Sigma_FF^-1 x_F = x' P x - (P_o x)' P_oo^-1 (P_o x),

        which takes products with the free columns of P alone. Of 23 numbers with two free, 5,000 rows and 10 components
        this takes a fifth of the time.
        """
        mixture = self.density.mixture_
        n_numbers = mixture.means_.shape[1]
        free = np.flatnonzero(~self.fixed[:n_numbers])
        if mixture.covariance_type not in ("full", "tied") or 2 * len(free) > n_numbers:
            return self.log_highest(self.rows)
        values = training.log_gaussians + 0.5 * _norms_of_free(mixture, free, self.rows[:, :n_numbers])
        return self._highest(values, self.rows)

    @property
    def free_share(self) -> float:
        """Share of the columns that may change."""
        return float(np.mean(~self.fixed))

    def log_highest(self, Z: FloatArray) -> FloatArray:
        """Log density of the densest point with the same fixed columns, array of shape (n_samples,).

        A row has the same bits alone and in any batch.
        """
        mixture = self.density.mixture_
        n_numbers = mixture.means_.shape[1]
        values: FloatArray = np.tile(log_peaks(mixture), (len(Z), 1))
        numbers = np.flatnonzero(self.fixed[:n_numbers])
        if len(numbers):
            values -= 0.5 * _squared_norms(mixture, numbers, Z[:, numbers])
        return self._highest(values, Z)

    def _highest(self, values: FloatArray, Z: FloatArray) -> FloatArray:
        """Take off what fixed categories cost, in place, and return the largest component, shape (n_samples,)."""
        mixture = self.density.mixture_
        n_numbers = mixture.means_.shape[1]
        codes = Z[:, n_numbers:].T.astype(np.intp)
        for drops, column, is_fixed in zip(category_drops(mixture), codes, self.fixed[n_numbers:], strict=True):
            if is_fixed:
                values -= drops[column]
        return np.asarray(values.max(axis=1))

    def log_threshold(self, quantile: float) -> float:
        """Score to be reached: a quantile of those of new rows, lowered so that rounding shuts none out."""
        if quantile not in self._thresholds:
            value = float(np.quantile(self._calibrated, quantile))
            self._thresholds[quantile] = value - QUANTILE_ROUNDING * (1.0 + abs(value))
        return self._thresholds[quantile]

    def share_no_denser(self, scores: FloatArray) -> FloatArray:
        """Share of rows, as new ones would be, whose scores are no higher; array of shape (n,)."""
        return np.searchsorted(self._calibrated, scores, side="right") / len(self._calibrated)


def _squared_norms(mixture: FittedMixture, numbers: IntArray, Z: FloatArray) -> FloatArray:
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
        # one product a row: a single matrix product would round rows differently in other batches
        norms[:, j] = np.square(np.matmul((Z - mean)[:, None, :], inverse.T)[:, 0, :]).sum(axis=1)
    return norms


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
