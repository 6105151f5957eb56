"""Results: what comes out, frozen."""

from ..asking import Relief
from .explaining import explain_row, explain_rows, find_frontier, find_why_not
from .explanation import Certificate, Change, Explanation
from .explanations import Explanations, concatenate
from .frontier import Frontier
from .presenting import explanations_of, shares_of
from .why_not import WhyNot

__all__ = [
    "Certificate",
    "Change",
    "Explanation",
    "Explanations",
    "Frontier",
    "Relief",
    "WhyNot",
    "concatenate",
    "explain_row",
    "explain_rows",
    "explanations_of",
    "find_frontier",
    "find_why_not",
    "shares_of",
]
