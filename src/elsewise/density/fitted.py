"""Mixtures that are already fitted: checked, and taken as they are."""

from __future__ import annotations

import numpy as np
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

from ..errors import InvalidInputError, UnsupportedModelError
from .mixtures.mixed_mixture import MixedMixture
from .mixtures.mixture import FittedMixture

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
