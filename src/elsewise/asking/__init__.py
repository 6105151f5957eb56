"""Asking: one question about many rows, from targets and rules to verified answers."""

from .answers import Answers
from .best_answers import answers_of
from .chunks import in_chunks
from .frontier import walk
from .infeasibility import why_infeasible
from .options import Options
from .paths import Way, find_way
from .plans import Move, Order, best_order, in_parts
from .progress import reporter
from .question import Question, pose
from .reasons import Reason, Target
from .row_errors import CheckedRows, checked_rows, encoded_rows
from .targets import Wanted, outcomes_of_rows
from .told_thresholds import fixed_parts_of_answers
from .why_not import Inquiry, InquiryResult, Relief

__all__ = [
    "Answers",
    "CheckedRows",
    "Inquiry",
    "InquiryResult",
    "Move",
    "Options",
    "Order",
    "Question",
    "Reason",
    "Relief",
    "Target",
    "Wanted",
    "Way",
    "answers_of",
    "best_order",
    "checked_rows",
    "encoded_rows",
    "find_way",
    "fixed_parts_of_answers",
    "in_chunks",
    "in_parts",
    "outcomes_of_rows",
    "pose",
    "reporter",
    "walk",
    "why_infeasible",
]
