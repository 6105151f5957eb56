"""Asking: one question about many rows, from targets and rules to verified answers."""

from .answers import Answers, answers_of
from .chunks import in_chunks
from .frontier import walk
from .infeasibility import why_infeasible
from .progress import reporter
from .question import Question, pose
from .reasons import Reason, Target
from .targets import Wanted, outcomes_of_rows
from .why_not import Inquiry, InquiryResult, Relief

__all__ = [
    "Answers",
    "Inquiry",
    "InquiryResult",
    "Question",
    "Reason",
    "Relief",
    "Target",
    "Wanted",
    "answers_of",
    "in_chunks",
    "outcomes_of_rows",
    "pose",
    "reporter",
    "walk",
    "why_infeasible",
]
