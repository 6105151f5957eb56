"""Audits and monitoring in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...text.languages import in_its_wording, plural, say, wording
from ...text.numbers import FEW, number, percent
from ...text.words import column_word

if TYPE_CHECKING:
    from .audit import Audit, Difference


# Chance of calling any difference of an audit significant where there is none.
SIGNIFICANCE = 0.05
# Measures of an audit; the catalogue says what each is.
MEASURES = ("infeasible_share", "distance", "n_changes", "plausibility")
# Measures that are shares of one.
SHARES = ("infeasible_share", "plausibility")


def value_in_words(measure: str, value: float) -> str:
    """Write a value of a measure."""
    if not np.isfinite(value):
        return "–"
    return percent(value) if measure in SHARES else number(value, FEW)


def measure_in_words(measure: str) -> str:
    """Name a measure."""
    return say(f"audit.{measure}")


def group_in_words(group: str, by: str) -> str:
    """Name a group as people call this value of the column."""
    return wording().column(by).value(group) or group


def difference_in_words(difference: Difference, by: str) -> str:
    """Describe a difference in a sentence."""
    own, others = (value_in_words(difference.measure, value) for value in (difference.value, difference.others))
    return say(
        "audit.difference",
        by=column_word(by),
        group=group_in_words(difference.group, by),
        measure=measure_in_words(difference.measure),
        own=own,
        others=others,
        p=number(difference.adjusted, 2),
    )


@in_its_wording
def audit_in_words(audit: Audit) -> str:
    """Describe an audit as a table, and which differences are significant."""
    header = [str(column_word(audit.by)), say("head.rows"), *map(measure_in_words, MEASURES)]
    lines = [header]
    for group in audit.groups:
        cells = [group_in_words(group, audit.by), number(audit.counts[group])]
        for name in MEASURES:
            each = audit.value(group, name)
            stated = value_in_words(name, each.value)
            if each.n:
                ends = {"low": value_in_words(name, each.low), "high": value_in_words(name, each.high)}
                stated += f" ({say('rule.range ends', **ends)})"
            cells.append(stated)
        lines.append(cells)
    widths = [max(len(line[place]) for line in lines) for place in range(len(header))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    certain = [f"  {difference_in_words(each, audit.by)}" for each in audit.significant]
    verdict = say("audit.significant" if certain else "audit.not significant", level=number(SIGNIFICANCE))
    left_out = [
        plural("audit.unchanged", audit.n_unchanged, n=number(audit.n_unchanged)) * bool(audit.n_unchanged),
        plural("audit.wrong", audit.n_wrong, n=number(audit.n_wrong)) * bool(audit.n_wrong),
        say("audit.small", groups=", ".join(audit.small)) * bool(audit.small),
    ]
    stated = "; ".join(part for part in left_out if part)
    ending = [say("audit.left out", stated=stated)] if stated else []
    return "\n".join([*text, verdict, *certain, *_reasons(audit), *ending])


def _reasons(audit: Audit) -> list[str]:
    """Describe who has no recourse, and the reasons by group, as a table."""
    counted = ((count, group_in_words(group, audit.by)) for group, count in audit.without_recourse.items())
    none = ", ".join(say("reasons.count", n=number(count), total=group) for count, group in counted if count)
    lines = [say("audit.no recourse", groups=none)] if none else []
    names = list(dict.fromkeys(each.reason for each in audit.reasons))
    if names:
        known = {(each.group, each.reason): each for each in audit.reasons}
        width = max(map(len, names))
        lines.append(say("audit.reasons"))
        for name in names:
            counts = (known[group, name] for group in audit.groups)
            shares = (
                f"{group_in_words(each.group, audit.by)} {number(each.n)} ({percent(each.share)})" for each in counts
            )
            lines.append(f"  {name:<{width}}  {', '.join(shares)}")
    return lines
