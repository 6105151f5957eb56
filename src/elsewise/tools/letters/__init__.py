"""Letters: one page about one decision, from templates, in the reader's language, with a seal that can be checked."""

from .letter import Letter, LetterRequest, write_letter
from .seals import check_letter
from .templates import LetterTemplate, read_template

__all__ = ["Letter", "LetterRequest", "LetterTemplate", "check_letter", "read_template", "write_letter"]
