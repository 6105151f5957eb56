"""Ranges as sentences: "utilisation 0.4 or less (now 0.63) and years between 3 and 7 (now 1)"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .constants import FEW
from .words import column_word, value_words

if TYPE_CHECKING:
    from ..answers import ValueRange, ValueRanges


def text_of_range(one: ValueRange) -> str:
    """Say which values of a column work, and which it has now."""
    name = column_word(one.column)
    if one.levels:
        words = [str(value_words(level, level, is_level=True, column=one.column)[0]) for level in one.levels]
        now = value_words(one.now, one.now, is_level=True, column=one.column)[0]
        listed = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
        return f"{name} {listed} (now {now})"
    low, high = value_words(one.reads_low, one.reads_high, digits=FEW, column=one.column)
    now = value_words(one.now, one.reads_high if one.is_lowest else one.reads_low, column=one.column)[0]
    if one.is_lowest and one.is_highest:
        which = "any value"
    elif one.is_lowest:
        which = f"{high} or less"
    elif one.is_highest:
        which = f"{low} or more"
    else:
        which = f"{low}" if one.reads_low == one.reads_high else f"between {low} and {high}"
    return f"{name} {which} (now {now})"


def sentence_of_ranges(ranges: ValueRanges) -> str:
    """Say which values of all changed columns work, all at once."""
    if not ranges.ranges:
        return "Nothing has to change."
    parts = [text_of_range(one) for one in ranges.ranges]
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return listed if ranges.is_proven else f"{listed}; ranges around these are not proven"
