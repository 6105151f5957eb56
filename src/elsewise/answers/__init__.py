"""Answers: what questions return. Frozen data that compute nothing."""

from .explanation import Certificate, Change, Explanation
from .explanations import Explanations, concatenate
from .frontier import ChangesFrontier, Frontier
from .path import Bottleneck, Path, Profile
from .plan import Plan, PlanStep
from .principal_reasons import PrincipalReason, PrincipalReasons, ReasonCode, Responsiveness
from .ranges import ValueRange, ValueRanges
from .recourse import Band, Ladder, LadderStep, Lever, Levers, Monotone
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
    "ReasonCode",
    "Relief",
    "Responsiveness",
    "ValueRange",
    "ValueRanges",
    "WhyNot",
    "concatenate",
]
