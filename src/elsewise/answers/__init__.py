"""Answers: what questions return. Frozen data that compute nothing."""

from .changes_frontier import ChangesFrontier
from .explanation import Certificate, Change, Explanation
from .explanations import Explanations, concatenate
from .frontier import Frontier
from .ladder import Band, Ladder, LadderStep
from .levers import Lever, Levers
from .monotone import Monotone
from .path import Bottleneck, Path, Profile
from .plan import Plan, PlanStep
from .principal_reasons import PrincipalReason, PrincipalReasons, Responsiveness
from .ranges import ValueRange, ValueRanges
from .why_not import Relief, WhyNot

__all__ = [
    "Band",
    "Bottleneck",
    "Certificate",
    "Change",
    "ChangesFrontier",
    "Explanation",
    "Explanations",
    "Frontier",
    "Ladder",
    "LadderStep",
    "Lever",
    "Levers",
    "Monotone",
    "Path",
    "Plan",
    "PlanStep",
    "PrincipalReason",
    "PrincipalReasons",
    "Profile",
    "Relief",
    "Responsiveness",
    "ValueRange",
    "ValueRanges",
    "WhyNot",
    "concatenate",
]
