"""Names, values and outcomes as short texts that any figure can take.

How they are worded is decided in :mod:`elsewise.text`; they are only made shorter, for there is little room. Texts come
from the user's data, so drawing functions pass them with ``parse_math=False``: a dollar sign is a dollar sign.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from ....text.sentence import cases_words
from ....text.words import Word, clean, is_missing, label_word, shortened, value_words
from .constants import LONGEST_NAME, LONGEST_OUTCOME


def short(name: object, longest: int = LONGEST_NAME) -> str:
    """Text of a name or level on one line; of a long one the beginning and the end."""
    return shortened(clean(str(name)), longest) or "(empty)"


def value_text(value: Any, *, is_level: bool, longest: int = LONGEST_NAME) -> str:
    """Text of a number or level."""
    return pair_texts(value, value, is_level=is_level, longest=longest)[0]


def pair_texts(before: Any, after: Any, *, is_level: bool, longest: int = LONGEST_NAME) -> tuple[str, str]:
    """Texts of two values, numbers with as many digits as it takes to tell them apart."""
    words = value_words(before, after, is_level=is_level and not is_missing(before))
    return short(words[0].text, longest), short(words[1].text, longest)


def outcome(target: Any, longest: int = LONGEST_OUTCOME) -> str:
    """Text of a label, or of the range a regressor shall reach."""
    return short(label_word(target).text, longest)


def rows_of_target(target: Any) -> str:
    """Name the training rows an answer is held against."""
    return in_a_line(cases_words(target))


def in_a_line(words: Iterable[Word]) -> str:
    """Join words; figures set labels apart by nothing but their place."""
    return "".join(short(word.text, LONGEST_OUTCOME) if word.kind == "label" else word.text for word in words)


def wrapped(sentence: str, width: int, most_lines: int = 4) -> str:
    """Break a sentence into lines; what does not fit ends in an ellipsis."""
    return "\n".join(textwrap.wrap(clean(sentence), width, max_lines=most_lines, placeholder=" …"))
