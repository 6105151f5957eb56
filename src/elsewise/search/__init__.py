"""The search: cheapest cell first, stop when proven."""

from .answered import Answered, answered_at
from .best_first import best_first, distinct
from .branching import branch_and_bound
from .contradiction import Multipliers, contradicting
from .domain import Domain, Layout
from .found import Found
from .problem import MARGINS, Goal, SearchProblem, compile_problem

__all__ = [
    "Answered",
    "Domain",
    "Found",
    "Goal",
    "Layout",
    "MARGINS",
    "Multipliers",
    "SearchProblem",
    "answered_at",
    "best_first",
    "branch_and_bound",
    "compile_problem",
    "contradicting",
    "distinct",
]
