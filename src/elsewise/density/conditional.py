r"""Densities given what cannot change.

With some columns :math:`F` fixed, the mixture :math:`p` of a class leaves the density of the others *given* them,
:math:`p(x) / p_F(x_F)`, which is a mixture again: its weights are :math:`\pi_j p_{jF}(x_F) / p_F(x_F)`, its components
the conditional ones. Its component-wise maximum (Eq. gmm:approx) is that of the joint mixture, divided by a number that
a row knows beforehand:

.. math:: \log \max_j \pi_j p_j(x) - \log p_F(x_F), \qquad p_F(x_F) = \sum_j \pi_j p_{jF}(x_F).

This is a row's *score*. A row is as plausible as the quantile ``q``, given what cannot change, if its score reaches the
quantile ``q`` of the scores that the class's training rows have with the same columns fixed. So a row asks of the joint
density what these scores say, plus the log density of its own fixed part: the same cones, with a radius of its own.

Densities of training rows are larger than those of new rows; how much larger at a quantile, the class's own threshold
tells, which is calibrated. Columns are taken to have equal parts in it: scores are lowered by the share of the columns
that may change.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import logsumexp

from ..arrays import BoolArray, FloatArray, IntArray
from .base import ClassDensity, log_peaks
from .classes import at_threshold
from .constants import FEWEST_ROWS_A_COMPONENT, QUANTILE_ROUNDING, ROOM_BELOW_PEAKS
from .mixture import FittedMixture

COVARIANCE_TYPES = ("full", "tied", "diag", "spherical")


def below_all_peaks(density: ClassDensity | None) -> ClassDensity | None:
    """Give the same density at a threshold that every component reaches: all of them have a cone there."""
    if density is None:
        return None
    peaks = log_peaks(density.mixture_)
    lowest = float(peaks[np.isfinite(peaks)].min())
    return density.with_threshold(min(density.log_threshold_, lowest - ROOM_BELOW_PEAKS))


def is_conditional(density: ClassDensity, n_rows: int) -> bool:
    """Whether there is a density given fixed columns whose scores mean something.

    Components describe many rows each: a kernel density has one for every row, whose own kernel would be all that its
    score is about.
    """
    mixture = density.mixture_
    return mixture.covariance_type in COVARIANCE_TYPES and len(mixture.means_) * FEWEST_ROWS_A_COMPONENT <= n_rows


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
    scores : array of shape (n_samples,)
        Of the training rows, ascending; see the module docstring.
    """

    density: ClassDensity
    fixed: BoolArray
    rows: FloatArray
    scores: FloatArray = field(init=False, repr=False)
    _training: FloatArray = field(init=False, repr=False)
    _calibrated: FloatArray = field(init=False, repr=False)
    _thresholds: dict[float, float] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        training = self.density.log_max(self.rows)
        scores = np.sort(training - self.log_fixed(self.rows))
        training = np.sort(training)
        above = training - np.quantile(self.density.log_densities_, np.linspace(0.0, 1.0, len(scores)))
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "_training", training)
        object.__setattr__(self, "_calibrated", np.sort(scores - self.free_share * above))

    @property
    def free_share(self) -> float:
        """Share of the columns that may change."""
        return float(np.mean(~self.fixed))

    def log_fixed(self, Z: FloatArray) -> FloatArray:
        """Log density of the fixed columns alone, ``log p_F``, array of shape (n_samples,); zero if none is.

        A row has the same bits alone and in any batch.
        """
        if not self.fixed.any():
            return np.zeros(len(Z))
        mixture = self.density.mixture_
        n_numbers = mixture.means_.shape[1]
        with np.errstate(divide="ignore"):  # a component without weight is nowhere
            values: FloatArray = np.tile(np.log(np.asarray(mixture.weights_, dtype=np.float64)), (len(Z), 1))
        numbers = np.flatnonzero(self.fixed[:n_numbers])
        if len(numbers):
            values += _log_marginals(mixture, numbers, Z[:, numbers])
        tables = getattr(mixture, "log_probabilities_", ())
        for table, codes, is_fixed in zip(tables, Z[:, n_numbers:].T.astype(np.intp), self.fixed[n_numbers:]):
            if is_fixed:
                values += table.T[codes]
        return np.asarray(logsumexp(values, axis=1))

    def log_threshold(self, quantile: float) -> float:
        """Score to be reached: a quantile of those of new rows, lowered so that rounding shuts none out."""
        if quantile not in self._thresholds:
            asked = at_threshold(self.density, quantile).log_threshold_
            above = float(np.quantile(self._training, quantile)) - asked
            value = float(np.quantile(self.scores, quantile)) - self.free_share * above
            self._thresholds[quantile] = value - QUANTILE_ROUNDING * (1.0 + abs(value))
        return self._thresholds[quantile]

    def share_no_denser(self, scores: FloatArray) -> FloatArray:
        """Share of rows, as new ones would be, whose scores are no higher; array of shape (n,)."""
        return np.searchsorted(self._calibrated, scores, side="right") / len(self._calibrated)


def _log_marginals(mixture: FittedMixture, numbers: IntArray, Z: FloatArray) -> FloatArray:
    """Log densities of some numbers in every component, without its weight; array of shape (n_samples, m)."""
    m, k = len(mixture.means_), len(numbers)
    covariances, kind = np.asarray(mixture.covariances_, dtype=np.float64), mixture.covariance_type
    values = np.empty((len(Z), m))
    for j, mean in enumerate(np.asarray(mixture.means_, dtype=np.float64)[:, numbers]):
        if kind in ("full", "tied"):
            covariance = covariances[j] if kind == "full" else covariances
            factor = np.linalg.cholesky(covariance[np.ix_(numbers, numbers)])
        else:
            variances = covariances[j][numbers] if kind == "diag" else np.full(k, covariances[j])
            factor = np.diag(np.sqrt(variances))
        # one product a row: a single matrix product would round rows differently in other batches
        scaled = np.matmul((Z - mean)[:, None, :], np.linalg.inv(factor).T)[:, 0, :]
        log_det = np.log(np.diagonal(factor)).sum()
        values[:, j] = -0.5 * k * np.log(2.0 * np.pi) - log_det - 0.5 * np.square(scaled).sum(axis=1)
    return values
