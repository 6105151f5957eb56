"""The search: cheapest cell first, stop when proven."""

from .best_first import Found, best_first, distinct
from .problem import Goal, SearchProblem, compile_problem

__all__ = ["Found", "Goal", "SearchProblem", "best_first", "compile_problem", "distinct"]
