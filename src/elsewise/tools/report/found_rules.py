"""Rules that the training rows suggest, as a report lists them."""

from __future__ import annotations

from .constants import LONGEST_RULE, MOST_FOUND_RULES
from .markup import escaped, items, paragraph


def found_in_words(names: tuple[str, ...]) -> list[str]:
    """Write the rules that were found, as parts of a section; none if there are none."""
    if not names:
        return []
    shown = [escaped(name, LONGEST_RULE) for name in names[:MOST_FOUND_RULES]]
    more = [f"and {len(names) - len(shown):,} more"] if len(names) > len(shown) else []
    return [paragraph("Kept as well, for all training rows do:"), items([*shown, *more])]
