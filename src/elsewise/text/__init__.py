"""Text: how answers present themselves, as a sentence, as text and as HTML.

No answer is computed, and none looks back at the explainer; what is rounded or shortened is so for reading only.
"""

from .html import html_of_explanation, html_of_explanations, html_of_frontier, html_of_why_not
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

__all__ = [
    "headline",
    "headline_of_frontier",
    "headline_of_many",
    "html_of_explanation",
    "html_of_explanations",
    "html_of_frontier",
    "html_of_why_not",
    "reason_in_words",
    "sentence",
    "target_in_words",
    "text_of_change",
    "text_of_explanation",
    "text_of_explanations",
    "text_of_frontier",
    "why_not_in_words",
]
