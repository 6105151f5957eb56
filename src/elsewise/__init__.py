"""Plausible counterfactual explanations with proofs."""

from . import density, lvq, projection, regions, search
from .density import GaussianMixtureDensity, KernelDensity, LogDensity
from .distances import Mahalanobis, Manhattan
from .errors import (
    ElsewiseError,
    InvalidInputError,
    MissingDependencyError,
    UnsupportedModelError,
    UnsupportedSettingError,
    VerificationError,
)
from .explainer import Explainer
from .explanation import Certificate, Change, Explanation, Explanations

__version__ = "0.1.0"

__all__ = [
    "Certificate",
    "Change",
    "ElsewiseError",
    "Explainer",
    "Explanation",
    "Explanations",
    "GaussianMixtureDensity",
    "InvalidInputError",
    "KernelDensity",
    "LogDensity",
    "Mahalanobis",
    "Manhattan",
    "MissingDependencyError",
    "UnsupportedModelError",
    "UnsupportedSettingError",
    "VerificationError",
    "density",
    "lvq",
    "projection",
    "regions",
    "search",
]
