"""Numbers, levels and columns in words, as rules and their errors name them.

Levels of columns as users write them, and where they stand.
"""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import UserValue
from ..errors import InvalidInputError
from ..text.words import column_word, listed, value_words
from . import words

if TYPE_CHECKING:
    from ..table.column import Column


# Known names or levels that an error lists; more would not be read.
MOST_LISTED = 12

# Characters of a formula that an error shows.
LONGEST_SHOWN = 200

# ---- what is found in the training rows ----


# Whole numbers beyond this are written with an exponent: they need not have all their digits.
LARGEST_WRITTEN_WHOLE = 1e15
# Significant digits of a number in a rule: all that anybody types.
RULE_DIGITS = 12


def number(value: float) -> str:
    """Write a number with all its digits, whole ones without a point."""
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < LARGEST_WRITTEN_WHOLE else repr(value)


def level(value: object) -> str:
    """Write a level of a category or of an ordered column; None is the missing value."""
    if value is None:
        return "missing"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return str(value)


def column(name: str) -> str:
    """Write a column as people call it."""
    return column_word(name).text


def value(name: str, cell: object) -> str:
    """Write a value of a column as people call it, with its unit; a number with all its digits."""
    is_number = isinstance(cell, (int, float)) and not isinstance(cell, bool)
    return value_words(cell, cell, is_level=not is_number, digits=RULE_DIGITS, column=name)[0].text


def alternatives(name: str, cells: Sequence[object]) -> str:
    """Write values of a column as alternatives: "a, b or c"."""
    return listed([value(name, cell) for cell in cells], "or")


def levels(values: Sequence[object]) -> str:
    """Write levels as alternatives: "a, b or c"."""
    words = [level(value) for value in values]
    return " or ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def column_in_formula(name: str) -> str:
    """Write a column's name as a linear rule takes it, in backticks unless it is an identifier."""
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"`{name}`"


def formula(coefficients: Sequence[tuple[str, float]]) -> str:
    """Write ``sum coefficient * column``, in the form in which it would be parsed."""
    text = ""
    for name, coefficient in coefficients:
        sign = "-" if coefficient < 0 else "+" if text else ""
        size = "" if abs(coefficient) == 1 else f"{number(abs(coefficient))} * "
        text += f" {sign} " if text else sign
        text += size + column_in_formula(name)
    return text or "0"


def did_you_mean(name: object, known: Sequence[object]) -> str:
    """Suggest what is spelt most like ``name``, or list what is known."""
    spelt = {str(item).casefold(): item for item in known}
    close = get_close_matches(str(name).casefold(), list(spelt), n=1)
    if close:
        return f"Did you mean {spelt[close[0]]!r}?"
    listed = ", ".join(repr(item) for item in known[:MOST_LISTED])
    return f"Known are {listed}{', ...' if len(known) > MOST_LISTED else ''}."


def is_boolean(column: Column) -> bool:
    """Whether the levels of a column are True and False."""
    return column.kind == "category" and all(isinstance(level, (bool, np.bool_)) for level in column.levels)


def n_positions(column: Column) -> int:
    """Count the levels, "never seen" included."""
    return column.stop - column.start if column.kind == "category" else len(column.levels)


def position_of(column: Column, level: object, parameter: str) -> int:
    """Position of a level; by how it is written if it is text, since keys of files always are."""
    for position, known in enumerate(column.levels):
        if _is_same(known, level):
            return position
    if isinstance(level, str):
        for position, known in enumerate(column.levels):
            if not isinstance(known, str) and words.level(known).casefold() == level.casefold():
                return position
    raise InvalidInputError(
        f"{parameter}: the column {column.name!r} has no level {level!r}; it was never seen in training. Known are "
        f"{few(column.levels)}."
    )


def _is_same(known: object, level: object) -> bool:
    if known is None:  # the missing value, however it is written
        return level is None or bool(isinstance(level, float) and level != level) or type(level).__name__ == "NAType"
    if isinstance(known, (bool, np.bool_)) != isinstance(level, (bool, np.bool_)):
        return False  # True is not 1
    try:
        return bool(known == level)
    except (TypeError, ValueError):
        return False


def few(levels: Sequence[UserValue]) -> str:
    """List the first few levels."""
    return ", ".join(repr(level) for level in levels[:MOST_LISTED]) + (", ..." if len(levels) > MOST_LISTED else "")


def row(number: int, given: object) -> str:
    """Name a row by its number, and by its label where the rows as they came have another."""
    index = getattr(given, "index", None)
    label = index[number] if index is not None and not callable(index) and len(index) > number else number
    label = label.item() if isinstance(label, np.generic) else label
    return f"Row {number}" if label == number else f"Row {number} (labelled {label!r})"
