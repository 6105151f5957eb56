"""The catalogue: every text for people by its key, in the language that is spoken at the moment.

A text is a template, ``"distance {distance}, proven smallest"``. Texts that depend on a count have two keys, which end
in ``.one`` and ``.many``. A language is one module with a dict of all keys; English is the reference.
"""

from __future__ import annotations

from ...errors import InvalidInputError
from . import english, german
from .speaking import language

LANGUAGES: dict[str, dict[str, str]] = {"en": english.TEXTS, "de": german.TEXTS}


def check_language(code: object) -> str:
    """Return the code of a language that is known, or raise."""
    if not isinstance(code, str) or code not in LANGUAGES:
        known = ", ".join(repr(each) for each in LANGUAGES)
        raise InvalidInputError(f"language: expected one of {known}, received {code!r}.")
    return code


def template(key: str) -> str:
    """Return the template of a text in the language that is spoken."""
    return LANGUAGES[language()][key]


def say(key: str, **parts: object) -> str:
    """Return a text with its parts filled in, as plain text."""
    return template(key).format(**parts)


def plural(key: str, count: int, **parts: object) -> str:
    """Return the text that goes with a count, which is its part ``n`` unless given."""
    parts.setdefault("n", count)
    return say(f"{key}.{'one' if count == 1 else 'many'}", **parts)
