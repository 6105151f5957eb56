"""Results: what comes out, frozen."""

from ..asking import Relief
from .explaining import explain_row, explain_rows, find_frontier, find_why_not
from .explanation import Certificate, Change, Explanation
from .explanations import Explanations, concatenate
from .frontier import Frontier
from .path import Bottleneck, Path, Profile
from .plan import Plan, PlanStep
from .planning import find_plan
from .presenting import explanations_of, shares_of
from .walking import find_path
from .walks import Walks
from .why_not import WhyNot

__all__ = [
    "Bottleneck",
    "Certificate",
    "Change",
    "Explanation",
    "Explanations",
    "Frontier",
    "Path",
    "Plan",
    "PlanStep",
    "Profile",
    "Relief",
    "Walks",
    "WhyNot",
    "concatenate",
    "explain_row",
    "explain_rows",
    "explanations_of",
    "find_frontier",
    "find_path",
    "find_plan",
    "find_why_not",
    "shares_of",
]
