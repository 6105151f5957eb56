"""Densities: where data of a class really lie (mixtures, thresholds, cones)."""

from ..search import Cones
from .base import ClassDensity
from .classes import at_threshold, fit_class_densities
from .landscape import Landscape, landscape_of, saddles, widest_paths
from .marginal import completed, density_where_missing
from .mixtures.gaussian_mixture import GaussianMixtureDensity
from .mixtures.kernel import KernelDensity
from .mixtures.mixed_mixture import MixedMixture
from .mixtures.mixed_mixture_density import MixedMixtureDensity
from .threshold import LogDensity, TrainingQuantile, class_density, from_mixture, log_threshold

__all__ = [
    "ClassDensity",
    "Cones",
    "GaussianMixtureDensity",
    "KernelDensity",
    "Landscape",
    "LogDensity",
    "MixedMixture",
    "MixedMixtureDensity",
    "TrainingQuantile",
    "at_threshold",
    "class_density",
    "completed",
    "density_where_missing",
    "fit_class_densities",
    "from_mixture",
    "landscape_of",
    "log_threshold",
    "saddles",
    "widest_paths",
]
