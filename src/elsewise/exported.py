"""All that users import from the package itself."""

from . import density, lvq, plot, projection, regions, search
from .auditing import Audit, Monitoring, audit
from .columns import OneHot, Ordinal
from .constraints import Constraints
from .density import GaussianMixtureDensity, KernelDensity, LogDensity, MixedMixtureDensity, TrainingQuantile
from .distances import Mahalanobis, Manhattan, Scaled
from .errors import (
    ElsewiseError,
    InvalidInputError,
    InvalidRulesError,
    MissingDependencyError,
    UnsupportedModelError,
    UnsupportedSettingError,
    VerificationError,
)
from .explainer import Explainer
from .files.explainers import SavedExplainerError, load
from .regions import BlackBox
from .results import (
    Bottleneck,
    Certificate,
    Change,
    Explanation,
    Explanations,
    Frontier,
    Path,
    Plan,
    PlanStep,
    Profile,
    Relief,
    WhyNot,
)

__all__ = [
    "Audit",
    "BlackBox",
    "Bottleneck",
    "Certificate",
    "Change",
    "Constraints",
    "ElsewiseError",
    "Explainer",
    "Explanation",
    "Explanations",
    "Frontier",
    "GaussianMixtureDensity",
    "InvalidInputError",
    "InvalidRulesError",
    "KernelDensity",
    "LogDensity",
    "Mahalanobis",
    "Manhattan",
    "MissingDependencyError",
    "MixedMixtureDensity",
    "Monitoring",
    "OneHot",
    "Ordinal",
    "Path",
    "Plan",
    "PlanStep",
    "Profile",
    "Relief",
    "SavedExplainerError",
    "Scaled",
    "TrainingQuantile",
    "UnsupportedModelError",
    "UnsupportedSettingError",
    "VerificationError",
    "WhyNot",
    "audit",
    "density",
    "load",
    "lvq",
    "plot",
    "projection",
    "regions",
    "search",
]
