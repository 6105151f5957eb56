"""Monotone columns as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .numbers import two_numbers
from .words import column_word, in_its_wording, label_word

if TYPE_CHECKING:
    from ..answers import Monotone


@in_its_wording
def sentence_of_monotone(monotone: Monotone) -> str:
    """Say whether more, or less, of a column can lower the score."""
    more = "Raising" if monotone.direction == "increase" else "Lowering"
    name = column_word(monotone.column)
    what = "the prediction" if monotone.target is None else f"the score of {label_word(monotone.target)}"
    if monotone.status == "proven":
        return f"{more} {name} never reduces {what}: proven for every row."
    if monotone.status == "refuted" and monotone.scores is not None:
        first, second = two_numbers(*monotone.scores)
        return f"{more} {name} can reduce {what}: from {first} to {second} in the two rows of this answer."
    return f"Whether {more.lower()} {name} reduces {what} anywhere is not known: no such rows were found."
