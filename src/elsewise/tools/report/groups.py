"""The page about groups: what recourse costs each, and which differences are significant."""

from __future__ import annotations

from ..audit import Audit
from ..audit.words import MEASURES, SIGNIFICANCE, difference_in_words, value_in_words
from .markup import LONGEST_LEVEL, Heading, escaped, items, of_numbers, paragraph, plural, section, table, wide


def groups_section(audit: Audit) -> str:
    """Describe an audit: a line a group, with intervals, then what is significant."""
    rows = []
    for group in audit.groups:
        cells = [escaped(group, LONGEST_LEVEL), f"{audit.counts[group]:,}"]
        for name in MEASURES:
            each = audit.value(group, name)
            stated = value_in_words(name, each.value)
            if each.n:
                stated += f" ({value_in_words(name, each.low)} to {value_in_words(name, each.high)})"
            cells.append(escaped(stated))
        rows.append(cells)
    title = f"Cost of recourse by {audit.by}"
    header: list[str | Heading] = [audit.by, of_numbers("rows"), *(of_numbers(stated) for stated in MEASURES.values())]
    lead = (
        "Rows that need another outcome, by group. In brackets: 95 % intervals. Rows that are wrong "
        f"({audit.n_wrong:,}) and rows for which nothing has to change ({audit.n_unchanged:,}) are left out."
    )
    if audit.small:
        lead += (
            f" So {plural(len(audit.small), 'is a group', 'are groups')} with too few rows: {', '.join(audit.small)}."
        )
    certain = [escaped(difference_in_words(each, audit.by)) for each in audit.significant]
    verdict = (
        f"<h3>Significant differences</h3>{items(certain, 'plain')}"
        if certain
        else paragraph(f"No difference between a group and all others is significant at {SIGNIFICANCE:g}.")
    )
    note = paragraph(
        "Each group is compared with all others: shares by Fisher's exact test, the rest by that of Mann and Whitney, "
        "corrected for the number of comparisons (Holm). A difference says that recourse costs these rows more or "
        "less, not why."
    )
    return section(
        "groups",
        "By group",
        [f"<h3>{escaped(title)}</h3>", paragraph(lead), wide(table(header, rows), title), verdict, note],
    )
