"""Numbers, levels and columns in words, as rules and their errors name them."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from difflib import get_close_matches

from .constants import MOST_LISTED

# Whole numbers beyond this are written with an exponent: they need not have all their digits.
LARGEST_WRITTEN_WHOLE = 1e15


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
