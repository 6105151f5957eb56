"""Audits and monitoring in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...text.numbers import FEW, number, percent

if TYPE_CHECKING:
    from .audit import Audit, Difference


# Chance of calling any difference of an audit significant where there is none.
SIGNIFICANCE = 0.05
# Measures of an audit, and what each is in words.
MEASURES = {
    "infeasible_share": "rows without an answer",
    "distance": "median distance",
    "n_changes": "mean number of changes",
    "plausibility": "median plausibility",
}
# Measures that are shares of one.
SHARES = ("infeasible_share", "plausibility")


def value_in_words(measure: str, value: float) -> str:
    """Write a value of a measure."""
    if not np.isfinite(value):
        return "–"
    return percent(value) if measure in SHARES else number(value, FEW)


def difference_in_words(difference: Difference, by: str) -> str:
    """Describe a difference in a sentence."""
    own, others = (value_in_words(difference.measure, value) for value in (difference.value, difference.others))
    return (
        f"{by} {difference.group}: {MEASURES[difference.measure]} {own}, of all others {others} "
        f"(p = {difference.adjusted:.2g} after correction)"
    )


def audit_in_words(audit: Audit) -> str:
    """Describe an audit as a table, and which differences are significant."""
    header = [audit.by, "rows", *MEASURES.values()]
    lines = [header]
    for group in audit.groups:
        cells = [group, f"{audit.counts[group]:,}"]
        for name in MEASURES:
            each = audit.value(group, name)
            stated = value_in_words(name, each.value)
            if each.n:
                stated += f" ({value_in_words(name, each.low)} to {value_in_words(name, each.high)})"
            cells.append(stated)
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
    stated = "; ".join(part for part in left_out if part)
    ending = [f"Left out: {stated}."] if stated else []
    return "\n".join([*text, verdict, *certain, *_reasons(audit), *ending])


def _reasons(audit: Audit) -> list[str]:
    """Describe who has no recourse, and the reasons by group, as a table."""
    none = ", ".join(f"{count:,} of {group}" for group, count in audit.without_recourse.items() if count)
    lines = [f"Proven to have no recourse: {none}."] if none else []
    names = list(dict.fromkeys(each.reason for each in audit.reasons))
    if names:
        known = {(each.group, each.reason): each for each in audit.reasons}
        width = max(map(len, names))
        lines.append("Reasons:")
        for name in names:
            counts = (known[group, name] for group in audit.groups)
            stated = ", ".join(f"{each.group} {each.n:,} ({percent(each.share)})" for each in counts)
            lines.append(f"  {name:<{width}}  {stated}")
    return lines
