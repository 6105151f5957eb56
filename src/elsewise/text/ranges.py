"""Ranges as sentences: "utilisation 0.4 or less (now 0.63) and years between 3 and 7 (now 1)"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .languages import say
from .numbers import FEW
from .words import column_word, listed, value_words

if TYPE_CHECKING:
    from ..answers import ValueRange, ValueRanges


def text_of_range(one: ValueRange) -> str:
    """Describe which values of a column work, and which it has now."""
    which, now = range_words(one)
    return say("ranges.value", column=column_word(one.column), which=which, now=now)


def range_words(one: ValueRange) -> tuple[str, str]:
    """Return the values of a column that work, and the one it has now, in words."""
    if one.levels:
        words = [str(value_words(level, level, is_level=True, column=one.column)[0]) for level in one.levels]
        return listed(words, "or"), str(value_words(one.now, one.now, is_level=True, column=one.column)[0])
    low, high = value_words(one.reads_low, one.reads_high, digits=FEW, column=one.column)
    now = value_words(one.now, one.reads_high if one.is_lowest else one.reads_low, column=one.column)[0]
    if one.is_lowest and one.is_highest:
        which = say("ranges.any")
    elif one.is_lowest:
        which = say("ranges.most", high=high)
    elif one.is_highest:
        which = say("ranges.least", low=low)
    else:
        which = str(low) if one.reads_low == one.reads_high else say("ranges.between", low=low, high=high)
    return which, str(now)


def sentence_of_ranges(ranges: ValueRanges) -> str:
    """Describe which values of all changed columns work, all at once."""
    if not ranges.ranges:
        return say("ranges.nothing")
    text = listed([text_of_range(one) for one in ranges.ranges], "and")
    return text if ranges.is_proven else say("ranges.unproven", ranges=text)
