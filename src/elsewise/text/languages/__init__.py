"""Languages: the catalogue of all text for people, and the language and names that are spoken at the moment."""

from .catalogue import LANGUAGES, check_language, plural, say, template
from .speaking import in_its_wording, language, speaking, wording

__all__ = [
    "LANGUAGES",
    "check_language",
    "in_its_wording",
    "language",
    "plural",
    "say",
    "speaking",
    "template",
    "wording",
]
