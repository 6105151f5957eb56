"""Ladders as sentences, text and HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .brief import changes_in_short, distance_in_short, plain, plausibility_in_short
from .html import fragment
from .markup import html_of_words, of_numbers, safe, table
from .plain_text import aligned
from .words import clean, in_its_wording, shortened

if TYPE_CHECKING:
    from ..answers import Ladder, LadderStep


@in_its_wording
def sentence_of_ladder(ladder: Ladder) -> str:
    """Say where the row is, and what each better band takes."""
    now = "The row is in no band yet" if ladder.current is None else f"The row is in {_name(ladder.current.name)}"
    if not ladder.steps:
        return f"{now}, the best there is."
    return f"{now}. {' '.join(_step(step) for step in ladder.steps)}"


def _step(step: LadderStep) -> str:
    one, name = step.explanation, _name(step.band.name)
    if not one.found:
        proven = "cannot be reached" if one.status == "infeasible" else "was not reached, and it is not proven why"
        return f"{name[0].upper()}{name[1:]} {proven}."
    proof = "" if one.status == "optimal" else ", not proven to be the nearest"
    changes = plain(changes_in_short(one, " -> "))
    return f"{name[0].upper()}{name[1:]} takes {changes} (distance {distance_in_short(one)}{proof})."


@in_its_wording
def text_of_ladder(ladder: Ladder) -> str:
    """Say where the row is, then a line a step."""
    current = "no band" if ladder.current is None else _name(ladder.current.name)
    cells = [("band or better", "distance", "plausibility", "status", "changes")] if ladder.steps else []
    for step in ladder.steps:
        one = step.explanation
        short = plain(changes_in_short(one, " -> "))
        cells.append((clean(step.band.name), distance_in_short(one), plausibility_in_short(one), one.status, short))
    return "\n".join([f"now: {current}", *aligned(cells)])


@in_its_wording
def html_of_ladder(ladder: Ladder) -> str:
    """Sentence and a table with a line a step."""
    rows = []
    for step in ladder.steps:
        one = step.explanation
        changes = html_of_words(changes_in_short(one, " → "))
        rows.append(
            [safe(step.band.name), distance_in_short(one), safe(plausibility_in_short(one)), changes, one.status]
        )
    parts = [f'<p class="ew-sentence">{safe(sentence_of_ladder(ladder))}</p>']
    if rows:
        header = ("band or better", of_numbers("distance"), of_numbers("plausibility"), "changes", "status")
        parts.append(table(header, rows))
    return fragment(parts)


def _name(name: str) -> str:
    return f"band {shortened(clean(name))}"
