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
    ReasonCode,
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
from .models import BlackBox, read_catboost, read_lightgbm, read_onnx, read_xgboost, refits
from .pipeline import derived, monotone
from .rules import Constraints
from .rules.learned.suggested_rules import SuggestedRule, SuggestedRules
from .rules.learned.suggestions import RulesWarning
from .table import OneHot, Ordinal
from .tools import plot
from .tools.audit import Audit, Comparison, Monitoring, audit, compare
from .tools.files.explainers import SavedExplainerError, load
from .tools.files.reason_codes import read_reason_codes
from .tools.letters import Letter

__all__ = [
    "Audit",
    "Band",
    "BlackBox",
    "Certificate",
    "Change",
    "ChangesFrontier",
    "Comparison",
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
    "Letter",
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
    "ReasonCode",
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
    "compare",
    "density",
    "derived",
    "load",
    "lvq",
    "monotone",
    "plot",
    "read_catboost",
    "read_lightgbm",
    "read_onnx",
    "read_reason_codes",
    "read_xgboost",
    "refits",
    "theory",
]
