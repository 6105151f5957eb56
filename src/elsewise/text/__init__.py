"""Text: how answers present themselves, as a sentence, as text and as HTML.

No answer is computed, and none looks back at the explainer; what is rounded or shortened is so for reading only.
"""

from .html import (
    html_of_changes_frontier,
    html_of_explanation,
    html_of_explanations,
    html_of_frontier,
    html_of_path,
    html_of_plan,
    html_of_why_not,
)
from .languages import speaking
from .plain_text import (
    headline,
    headline_of_changes_frontier,
    headline_of_frontier,
    headline_of_many,
    text_of_change,
    text_of_changes_frontier,
    text_of_explanation,
    text_of_explanations,
    text_of_frontier,
)
from .ranges import sentence_of_ranges, text_of_range
from .reasons import reason_in_words, target_in_words, why_not_in_words
from .recourse import (
    html_of_ladder,
    html_of_levers,
    html_of_reasons,
    sentence_of_ladder,
    sentence_of_levers,
    sentence_of_monotone,
    sentence_of_reasons,
    text_of_ladder,
    text_of_levers,
    text_of_reason,
    text_of_reasons,
)
from .sentence import sentence
from .steps import headline_of_path, headline_of_plan, sentence_of_path, sentence_of_plan, text_of_path, text_of_plan

__all__ = [
    "headline",
    "headline_of_changes_frontier",
    "headline_of_frontier",
    "headline_of_many",
    "headline_of_path",
    "headline_of_plan",
    "html_of_changes_frontier",
    "html_of_explanation",
    "html_of_explanations",
    "html_of_frontier",
    "html_of_ladder",
    "html_of_levers",
    "html_of_path",
    "html_of_plan",
    "html_of_reasons",
    "html_of_why_not",
    "reason_in_words",
    "sentence",
    "sentence_of_ladder",
    "sentence_of_levers",
    "sentence_of_monotone",
    "sentence_of_path",
    "sentence_of_plan",
    "sentence_of_ranges",
    "sentence_of_reasons",
    "speaking",
    "target_in_words",
    "text_of_change",
    "text_of_changes_frontier",
    "text_of_explanation",
    "text_of_explanations",
    "text_of_frontier",
    "text_of_ladder",
    "text_of_levers",
    "text_of_path",
    "text_of_plan",
    "text_of_range",
    "text_of_reason",
    "text_of_reasons",
    "why_not_in_words",
]
