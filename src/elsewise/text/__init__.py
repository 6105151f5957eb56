"""Text: how answers present themselves, as a sentence, as text and as HTML.

No answer is computed, and none looks back at the explainer; what is rounded or shortened is so for reading only.
"""

from .html import (
    html_of_explanation,
    html_of_explanations,
    html_of_frontier,
    html_of_path,
    html_of_plan,
    html_of_why_not,
)
from .plain_text import (
    headline,
    headline_of_frontier,
    headline_of_many,
    text_of_change,
    text_of_explanation,
    text_of_explanations,
    text_of_frontier,
)
from .reasons import reason_in_words, target_in_words, why_not_in_words
from .sentence import sentence
from .steps import (
    headline_of_path,
    headline_of_plan,
    sentence_of_path,
    sentence_of_plan,
    text_of_path,
    text_of_plan,
)

__all__ = [
    "headline",
    "headline_of_frontier",
    "headline_of_many",
    "headline_of_path",
    "headline_of_plan",
    "html_of_explanation",
    "html_of_explanations",
    "html_of_frontier",
    "html_of_path",
    "html_of_plan",
    "html_of_why_not",
    "reason_in_words",
    "sentence",
    "sentence_of_path",
    "sentence_of_plan",
    "target_in_words",
    "text_of_change",
    "text_of_explanation",
    "text_of_explanations",
    "text_of_frontier",
    "text_of_path",
    "text_of_plan",
    "why_not_in_words",
]
