"""The page about groups: what recourse costs each, and which differences are significant."""

from __future__ import annotations

from ...text.languages import say
from ...text.numbers import number
from ...text.words import column_word
from ..audit import Audit
from ..audit.words import (
    MEASURES,
    SIGNIFICANCE,
    difference_in_words,
    group_in_words,
    measure_in_words,
    value_in_words,
)
from .markup import LONGEST_LEVEL, Heading, escaped, items, of_numbers, paragraph, section, table, texts, wide


def groups_section(audit: Audit) -> str:
    """Describe an audit: a line a group, with intervals, then what is significant."""
    rows = []
    for group in audit.groups:
        cells = [escaped(group_in_words(group, audit.by), LONGEST_LEVEL), number(audit.counts[group])]
        for name in MEASURES:
            each = audit.value(group, name)
            stated = value_in_words(name, each.value)
            if each.n:
                ends = {"low": value_in_words(name, each.low), "high": value_in_words(name, each.high)}
                stated += f" ({say('rule.range ends', **ends)})"
            cells.append(escaped(stated))
        rows.append(cells)
    by = str(column_word(audit.by))
    title = say("report.groups title", column=by)
    header: list[str | Heading] = [
        by,
        *texts("*head rows"),
        *(of_numbers(measure_in_words(name)) for name in MEASURES),
    ]
    lead = say("report.groups lead", wrong=number(audit.n_wrong), unchanged=number(audit.n_unchanged))
    if audit.small:
        lead += " " + say("report.groups small", groups=", ".join(audit.small))
    certain = [escaped(difference_in_words(each, audit.by)) for each in audit.significant]
    verdict = (
        f"<h3>{say('report.groups significant')}</h3>{items(certain, 'plain')}"
        if certain
        else paragraph(say("report.groups not significant", level=number(SIGNIFICANCE)))
    )
    note = paragraph(say("report.groups note"))
    return section(
        "groups",
        say("report.groups"),
        [f"<h3>{escaped(title)}</h3>", paragraph(lead), wide(table(header, rows), title), verdict, note],
    )
