"""Densities: where data of a class really lie (mixtures, thresholds, cones)."""

from .base import ClassDensity, Cones
from .gaussian_mixture import GaussianMixtureDensity, from_mixture
from .kernel import KernelDensity
from .threshold import LogDensity, class_density, log_threshold

__all__ = [
    "ClassDensity",
    "Cones",
    "GaussianMixtureDensity",
    "KernelDensity",
    "LogDensity",
    "class_density",
    "from_mixture",
    "log_threshold",
]
