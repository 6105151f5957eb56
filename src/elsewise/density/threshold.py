"""Thresholds: how dense a counterfactual has to be, and the density of a class with its threshold.

A number ``q`` is a quantile of the component-wise maximum (Eq. gmm:approx) as rows of the target class have it that the
mixture was not fitted to: of new rows the share ``1 - q`` reaches it. The paper asks for the median over the training
rows themselves, which a mixture finds denser than new ones; that is ``TrainingQuantile(0.5)``. Absolute log densities
are possible too.

Mixtures that are already fitted: checked, and taken as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

from ..arrays import FloatArray, check_rows
from ..errors import InvalidInputError, UnsupportedModelError
from .base import ClassDensity, category_drops, is_finite_number
from .marginal import completed
from .mixtures.components import FittedMixture
from .mixtures.mixed_mixture import MixedMixture
from .mixtures.mixed_mixture_density import MixedMixtureDensity

# Types that are taken for a mixture, not for settings that are yet to be fitted.
MIXTURES = (GaussianMixture, BayesianGaussianMixture, MixedMixture)


def from_mixture(mixture: object) -> FittedMixture:
    """Check an already fitted ``GaussianMixture`` or ``MixedMixture`` and return it.

    A ``BayesianGaussianMixture`` is refused: its ``score_samples`` is an expectation over a posterior, not the density
    of the mixture its ``weights_``, ``means_`` and ``covariances_`` describe, so there would be two truths.
    """
    if isinstance(mixture, BayesianGaussianMixture):
        raise UnsupportedModelError(
            "BayesianGaussianMixture is not supported: its score_samples is an expectation over a posterior, not the "
            "density of a Gaussian mixture. Fit a GaussianMixture or GaussianMixtureDensity instead."
        )
    if not isinstance(mixture, MIXTURES):
        raise UnsupportedModelError(
            "Expected a fitted sklearn.mixture.GaussianMixture or elsewise.density.MixedMixture, received "
            f"{type(mixture).__name__}. Use GaussianMixtureDensity, MixedMixtureDensity or KernelDensity to fit a "
            "density to data."
        )
    name = type(mixture).__name__
    needed = ("weights_", "means_", "precisions_cholesky_")
    missing = [attribute for attribute in needed if not hasattr(mixture, attribute)]
    if missing:
        raise InvalidInputError(
            f"This {name} is not fitted (it has no {missing[0]}): call its fit with rows of the class first, "
            f"or use {name}Density, which is fitted for you."
        )
    arrays = [getattr(mixture, attribute) for attribute in needed]
    if not all(np.isfinite(array).all() for array in arrays) or np.min(mixture.weights_) < 0.0:
        raise InvalidInputError(
            f"This {name} has weights, means or precisions that are not finite, or negative weights. "
            "Fit it again on finite data, with a larger reg_covar."
        )
    if not all(np.isfinite(table).all() for table in getattr(mixture, "log_probabilities_", ())):
        raise InvalidInputError(
            f"This {name} has levels of probability zero: no threshold could ever be reached there. "
            "Fit it again with a larger prior_rows."
        )
    return mixture


@dataclass(frozen=True, slots=True)
class LogDensity:
    """An absolute threshold: the logarithm of the density delta, in model space.

    Examples
    --------
    >>> from elsewise.density import LogDensity
    >>> LogDensity(-12.5)
    LogDensity(value=-12.5)
    """

    value: float

    def __post_init__(self) -> None:
        if not is_finite_number(self.value):
            raise InvalidInputError(
                f"LogDensity expects a finite number, the natural logarithm of a density, received {self.value!r}. "
                "To do without a density constraint, turn it off instead of giving -inf."
            )
        object.__setattr__(self, "value", float(self.value))


@dataclass(frozen=True, slots=True)
class TrainingQuantile:
    """The paper's threshold: a quantile of the densities of the rows that the mixture was fitted to.

    Of new rows of the class fewer reach it than the quantile says, the more so the fewer rows there were and the more
    columns (half as many, or less). A plain number is a quantile of what new rows reach.

    Parameters
    ----------
    value : float in (0, 1)

    Examples
    --------
    >>> from elsewise.density import TrainingQuantile
    >>> TrainingQuantile(0.5)
    TrainingQuantile(value=0.5)
    """

    value: float

    def __post_init__(self) -> None:
        if not is_finite_number(self.value) or not 0.0 < self.value < 1.0:
            raise InvalidInputError(
                f"TrainingQuantile expects a number strictly between 0 and 1, received {self.value!r}."
            )
        object.__setattr__(self, "value", float(self.value))


Threshold = float | LogDensity | TrainingQuantile


def log_threshold(threshold: Threshold, log_densities: FloatArray, training: FloatArray | None = None) -> float:
    """Logarithm of the density threshold delta.

    Parameters
    ----------
    threshold : float in (0, 1), TrainingQuantile or LogDensity
        A quantile of ``log_densities`` or of ``training`` (linear interpolation, in log space), or an absolute log
        density.
    log_densities : array of shape (n_samples,)
        Component-wise maximum at rows of the class, each held out of the fit.
    training : array of shape (n_samples,), optional
        The same at rows that were part of it; ``log_densities`` if not given.
    """
    if isinstance(threshold, LogDensity):
        return threshold.value
    if isinstance(threshold, TrainingQuantile):
        return log_threshold(threshold.value, log_densities if training is None else training)
    if not is_finite_number(threshold) or not 0.0 < threshold < 1.0:
        raise InvalidInputError(
            "The density threshold must be a quantile strictly between 0 and 1 (0.5 asks for the density that half of "
            f"the class's rows reach), TrainingQuantile(value) or LogDensity(value), received {threshold!r}. "
            "For an absolute log density wrap the number in LogDensity."
        )
    if len(log_densities) == 0 or not np.isfinite(log_densities).all():
        raise InvalidInputError(
            f"A quantile threshold needs finite densities at training rows of the class, received {len(log_densities)} "
            "rows, too few (a kernel density needs two). Give more rows, or LogDensity(value)."
        )
    return float(np.quantile(log_densities, float(threshold)))


def class_density(estimator: BaseEstimator, Z: ArrayLike, threshold: Threshold = 0.5) -> ClassDensity:
    """Density of the rows of one class with its threshold.

    Parameters
    ----------
    estimator : GaussianMixtureDensity, MixedMixtureDensity, KernelDensity or a fitted GaussianMixture or MixedMixture
        An estimator is cloned and fitted to ``Z``; any estimator whose ``fit`` sets ``mixture_`` will do. If it also
        sets ``log_densities_``, quantiles refer to these. A fitted mixture is taken as it is, and quantiles refer to
        the rows ``Z``: rows that it has not seen make them quantiles of new rows.
    Z : array of shape (n_samples, n_features)
        Training rows of the class, in model space; of a table with categories ``[numbers | codes]``. NaN where a number
        is missing: the mixture is then fitted to the numbers that are there (:mod:`.mixtures.incomplete_rows`).
    threshold : float in (0, 1), TrainingQuantile or LogDensity, default=0.5
        See `log_threshold`.
    """
    rows = check_rows(Z, some_missing=True)
    if np.isnan(rows).any() and not isinstance(estimator, (*MIXTURES, MixedMixtureDensity)):
        raise InvalidInputError(
            f"density: the training rows have missing values, which {type(estimator).__name__} does not take. Use "
            "'auto' or MixedMixtureDensity, fitted mixtures, or an imputer in the pipeline."
        )
    mixture, log_densities, training = _fitted(estimator, rows)
    expected = mixture.means_.shape[1] + len(category_drops(mixture))
    if rows.shape[1] != expected:
        raise InvalidInputError(
            f"The mixture has {expected} features, the rows of the class have {rows.shape[1]}. "
            "Fit the mixture in model space, that is on what the final estimator of the pipeline sees."
        )
    if log_densities is None:
        log_densities = ClassDensity(mixture_=mixture, log_threshold_=0.0, log_densities_=np.empty(0)).log_max(
            completed(mixture, rows)
        )
    log_densities = np.sort(log_densities)
    training = log_densities if training is None else np.sort(training)
    return ClassDensity(
        mixture_=mixture,
        log_threshold_=log_threshold(threshold, log_densities, training),
        log_densities_=log_densities,
        training_log_densities_=training,
    )


def _fitted(estimator: BaseEstimator, rows: FloatArray) -> tuple[FittedMixture, FloatArray | None, FloatArray | None]:
    """Mixture of a clone fitted to the rows, or the fitted one that was given, and its own densities of the rows.

    These are the held-out ones, and those of rows that were part of the fit where it makes a difference.
    """
    if isinstance(estimator, MIXTURES):
        return from_mixture(estimator), None, None
    if isinstance(estimator, type) or not hasattr(estimator, "fit") or not hasattr(estimator, "get_params"):
        received = f"the class {estimator.__name__}" if isinstance(estimator, type) else repr(estimator)
        raise UnsupportedModelError(
            "The density must be GaussianMixtureDensity(...), MixedMixtureDensity(...), KernelDensity(...) or a fitted "
            f"GaussianMixture or MixedMixture, received {received}."
        )
    fitted = clone(estimator).fit(rows)
    if not hasattr(fitted, "mixture_"):
        raise UnsupportedModelError(
            f"{type(estimator).__name__} is not a density elsewise can use: its fit sets no mixture_. "
            "Use GaussianMixtureDensity, MixedMixtureDensity, KernelDensity or a fitted mixture."
        )
    held_out, training = (getattr(fitted, name, None) for name in ("log_densities_", "training_log_densities_"))
    return from_mixture(fitted.mixture_), held_out, training
