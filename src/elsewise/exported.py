"""All that users import from the package itself."""

from . import density, lvq, theory
from .answers import (
    Band,
    Certificate,
    Change,
    ChangesFrontier,
    Explanation,
    Explanations,
    Frontier,
    Ladder,
    LadderStep,
    Lever,
    Levers,
    Monotone,
    Path,
    Plan,
    PlanStep,
    PrincipalReason,
    PrincipalReasons,
    Responsiveness,
    ValueRange,
    ValueRanges,
    WhyNot,
)
from .density import GaussianMixtureDensity, KernelDensity, LogDensity, MixedMixtureDensity, TrainingQuantile
from .distances import Mahalanobis, Manhattan, Scaled
from .errors import (
    ElsewiseError,
    InternalError,
    InvalidInputError,
    InvalidRulesError,
    MissingDependencyError,
    UnsupportedModelError,
    UnsupportedSettingError,
    VerificationError,
)
from .explainer import Explainer
from .models import BlackBox, read_onnx
from .rules import Constraints
from .rules.learned.suggestions import RulesWarning, SuggestedRule, SuggestedRules
from .table import OneHot, Ordinal
from .tools import plot
from .tools.audit import Audit, Monitoring, audit
from .tools.files.explainers import SavedExplainerError, load

__all__ = [
    "Audit",
    "Band",
    "BlackBox",
    "Certificate",
    "Change",
    "ChangesFrontier",
    "Constraints",
    "ElsewiseError",
    "Explainer",
    "Explanation",
    "Explanations",
    "Frontier",
    "GaussianMixtureDensity",
    "InternalError",
    "InvalidInputError",
    "InvalidRulesError",
    "KernelDensity",
    "Ladder",
    "LadderStep",
    "Lever",
    "Levers",
    "LogDensity",
    "Mahalanobis",
    "Manhattan",
    "MissingDependencyError",
    "MixedMixtureDensity",
    "Monitoring",
    "Monotone",
    "OneHot",
    "Ordinal",
    "Path",
    "Plan",
    "PlanStep",
    "PrincipalReason",
    "PrincipalReasons",
    "Responsiveness",
    "RulesWarning",
    "SavedExplainerError",
    "Scaled",
    "SuggestedRule",
    "SuggestedRules",
    "TrainingQuantile",
    "UnsupportedModelError",
    "UnsupportedSettingError",
    "ValueRange",
    "ValueRanges",
    "VerificationError",
    "WhyNot",
    "audit",
    "density",
    "load",
    "lvq",
    "plot",
    "read_onnx",
    "theory",
]
