"""Names, values and outcomes as short texts that any figure can take.

Texts come from the user's data, so they may be long, empty, or hold line breaks and characters no font has. Drawing
functions pass them with ``parse_math=False``: a dollar sign is a dollar sign.
"""

from __future__ import annotations

import math
import textwrap
from numbers import Real
from typing import Any

import numpy as np

from ..columns.frames import is_missing_value

_LONGEST = 32


def short(name: Any, longest: int = _LONGEST) -> str:
    """Text of a name or level on one line; of a long one the beginning and the end."""
    text = " ".join("".join(c if c.isprintable() else " " for c in str(name)).split())
    if not text:
        return "(empty)"
    if len(text) <= longest:
        return text
    tail = longest // 3
    return f"{text[: longest - 1 - tail].rstrip()}…{text[-tail:].lstrip()}"


def value_text(value: Any, longest: int = _LONGEST) -> str:
    """Text of a number or level."""
    if is_missing_value(value):
        return "(missing)"
    return number(float(value)) if _is_number(value) else short(value, longest)


def pair_texts(before: Any, after: Any, longest: int = _LONGEST) -> tuple[str, str]:
    """Texts of two different values, numbers with as many digits as it takes to tell them apart."""
    if is_missing_value(before) or not (_is_number(before) and _is_number(after)):
        return value_text(before, longest), value_text(after, longest)
    texts = number(float(before)), number(float(after))
    for digits in range(5, 18):
        if texts[0] != texts[1] or before == after:
            break
        texts = number(float(before), digits), number(float(after), digits)
    return texts


def number(value: float, digits: int = 4) -> str:
    """Text of a number: whole ones in full up to a million million, others with some digits."""
    if value == 0.0:
        return "0"
    if abs(value) < 1e12 and value == round(value):
        return f"{value:.0f}"
    if 10.0 ** (digits - 1) <= abs(value) < 1e7:
        return f"{value:.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"
    return f"{value:.{digits}g}"


def outcome(target: Any, longest: int = 24) -> str:
    """Text of a label, or of the range a regressor shall reach."""
    if not isinstance(target, tuple):
        return value_text(target, longest)
    low, high = (None if end is None or not np.isfinite(end) else number(float(end)) for end in target)
    if low is None or high is None:
        return f"at least {low}" if high is None else f"at most {high}"
    return f"{low} to {high}"


def rows_of_target(target: Any) -> str:
    """Name the training rows an answer is held against."""
    return "real cases" if isinstance(target, tuple) or target is None else f"real {outcome(target)} cases"


def percent(share: float) -> str:
    """Text of a share; none that is not is shown as nothing or as all."""
    if 0.0 < share < 0.005:
        return "< 1 %"
    return "> 99 %" if 0.995 <= share < 1.0 else f"{100.0 * share:.0f} %"


def wrapped(sentence: str, width: int, most_lines: int = 4) -> str:
    """Break a sentence into lines; what does not fit ends in an ellipsis."""
    text = " ".join("".join(c if c.isprintable() else " " for c in sentence).split())
    return "\n".join(textwrap.wrap(text, width, max_lines=most_lines, placeholder=" …"))


def _is_number(value: Any) -> bool:
    return isinstance(value, (Real, np.number)) and not isinstance(value, (bool, np.bool_))
