"""Questions: one module each; from targets and rules to verified answers."""

from ..reasons import Reason, Target
from .conflicts.inquiry import Inquiry
from .frontier import walk
from .options import Options
from .paths.order import Move, Order, best_order, in_parts
from .paths.shortest_path import DensePath, find_dense_path
from .progress import reporter
from .solving.answers import Answers
from .solving.chunks import in_chunks
from .solving.infeasibility import why_infeasible
from .solving.question import Question, pose
from .solving.row_errors import CheckedRows, checked_rows, encoded_rows
from .solving.several_answers import answers_of
from .targets import Wanted, outcomes_of_rows
from .thresholds.of_answers import fixed_parts_of_answers

__all__ = [
    "Answers",
    "CheckedRows",
    "DensePath",
    "Inquiry",
    "Move",
    "Options",
    "Order",
    "Question",
    "Reason",
    "Target",
    "Wanted",
    "answers_of",
    "best_order",
    "checked_rows",
    "encoded_rows",
    "find_dense_path",
    "fixed_parts_of_answers",
    "in_chunks",
    "in_parts",
    "outcomes_of_rows",
    "pose",
    "reporter",
    "walk",
    "why_infeasible",
]
