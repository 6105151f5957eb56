"""Audits and monitoring in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...text.constants import FEW
from ...text.numbers import number, percent
from .constants import MEASURES, SHARES, SIGNIFICANCE

if TYPE_CHECKING:
    from .audit import Audit, Difference


def value_in_words(measure: str, value: float) -> str:
    """Write a value of a measure."""
    if not np.isfinite(value):
        return "–"
    return percent(value) if measure in SHARES else number(value, FEW)


def difference_in_words(difference: Difference, by: str) -> str:
    """Tell a difference in a sentence."""
    own, others = (value_in_words(difference.measure, value) for value in (difference.value, difference.others))
    return (
        f"{by} {difference.group}: {MEASURES[difference.measure]} {own}, of all others {others} "
        f"(p = {difference.adjusted:.2g} after correction)"
    )


def audit_in_words(audit: Audit) -> str:
    """Tell an audit as a table, and which differences are significant."""
    header = [audit.by, "rows", *MEASURES.values()]
    lines = [header]
    for group in audit.groups:
        cells = [group, f"{audit.counts[group]:,}"]
        for name in MEASURES:
            each = audit.value(group, name)
            told = value_in_words(name, each.value)
            if each.n:
                told += f" ({value_in_words(name, each.low)} to {value_in_words(name, each.high)})"
            cells.append(told)
        lines.append(cells)
    widths = [max(len(line[place]) for line in lines) for place in range(len(header))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    certain = [f"  {difference_in_words(each, audit.by)}" for each in audit.significant]
    verdict = "Significant differences:" if certain else f"No difference is significant at {SIGNIFICANCE:g}."
    left_out = [
        f"{audit.n_unchanged:,} rows need no change" * bool(audit.n_unchanged),
        f"{audit.n_wrong:,} rows are wrong" * bool(audit.n_wrong),
        f"too few rows of {', '.join(audit.small)}" * bool(audit.small),
    ]
    told = "; ".join(part for part in left_out if part)
    return "\n".join([*text, verdict, *certain, *([f"Left out: {told}."] if told else [])])
