"""Levers as sentences, text and HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .brief import changes_in_short, distance_in_short, plain, plausibility_in_short
from .constants import MOST_ROWS_OF_HTML, MOST_ROWS_OF_TEXT
from .html import fragment
from .markup import html_of_words, of_numbers, paragraph, safe, table
from .plain_text import aligned
from .reasons import target_in_words
from .words import column_word, in_its_wording

if TYPE_CHECKING:
    from ..answers import Levers


@in_its_wording
def sentence_of_levers(levers: Levers) -> str:
    """Say which sets are enough by themselves, and what is proven of the others."""
    wanted = target_in_words(levers.target)
    if levers.has_outcome:
        return f"The model would {wanted} already: nothing has to change."
    n_asked = len(levers.enough) + len(levers.not_enough) + len(levers.unknown)
    most = "column" if levers.max_size == 1 else f"{levers.max_size} columns"
    if levers.enough:
        shown = [_names(lever.columns) for lever in levers.enough[:MOST_ROWS_OF_TEXT]]
        more = len(levers.enough) - len(shown)
        listed = "; ".join(shown) + (f"; and {more} more" if more else "")
        said = [f"The model would {wanted} if only these changed, nearest first: {listed}."]
    else:
        nothing = "No single column" if levers.max_size == 1 else f"No set of at most {most}"
        proof = ", proven" if levers.is_proven else " as far as is known"
        return f"{nothing} is enough by itself to make the model {wanted}{proof}."
    if levers.not_enough:
        are = "is" if len(levers.not_enough) == 1 else "are"
        said.append(f"{len(levers.not_enough):,} of {n_asked:,} sets {are} proven not to be enough.")
    if levers.unknown:
        said.append(f"Of {len(levers.unknown):,} sets it is not known.")
    return " ".join(said)


@in_its_wording
def text_of_levers(levers: Levers) -> str:
    """Sentence, then a line a set that is enough."""
    cells = [("columns", "distance", "plausibility", "changes")] if levers.enough else []
    for lever in levers.enough:
        one = lever.explanation
        short = plain(changes_in_short(one, " -> "))
        cells.append((_names(lever.columns), distance_in_short(one), plausibility_in_short(one), short))
    return "\n".join([sentence_of_levers(levers), *aligned(cells)])


@in_its_wording
def html_of_levers(levers: Levers) -> str:
    """Sentence and a table of the sets that are enough."""
    rows = [
        [
            safe(_names(lever.columns)),
            distance_in_short(lever.explanation),
            safe(plausibility_in_short(lever.explanation)),
            html_of_words(changes_in_short(lever.explanation, " → ")),
        ]
        for lever in levers.enough[:MOST_ROWS_OF_HTML]
    ]
    parts = [f'<p class="ew-sentence">{safe(sentence_of_levers(levers))}</p>']
    if rows:
        parts.append(table(("columns", of_numbers("distance"), of_numbers("plausibility"), "changes"), rows))
    if len(levers.enough) > MOST_ROWS_OF_HTML:
        parts.append(paragraph(f"and {len(levers.enough) - MOST_ROWS_OF_HTML} more", "ew-note"))
    return fragment(parts)


def _names(columns: tuple[str, ...]) -> str:
    return " and ".join(str(column_word(name)) for name in columns)
