"""Many answers in brief: what they have in common, and single ones in a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import FloatArray
from ..statuses import STATUSES
from ..table.frames import is_frame
from .constants import FEW, MOST_IN_LINE
from .numbers import number, percent_down
from .sentence import change_words
from .words import Word, column_word, row_word

if TYPE_CHECKING:
    from ..answers import Explanation, Explanations


@dataclass(frozen=True, slots=True)
class AnswersInBrief:
    """Many answers in a few figures.

    Attributes
    ----------
    n : int
        Number of answers.
    counts : dict of str to int
        How many have each status; those that occur only.
    n_found : int
        How many rows have an answer.
    median_distance, median_plausibility : float or None
        Over those found; None if there are none, or no density.
    how_often : tuple of (str, int)
        Columns that change, and in how many answers, most often first.
    """

    n: int
    counts: dict[str, int]
    n_found: int
    median_distance: float | None
    median_plausibility: float | None
    how_often: tuple[tuple[str, int], ...]


def in_brief(explanations: Explanations) -> AnswersInBrief:
    """Count and take medians."""
    found = explanations.found
    counts = {status: int((explanations.statuses == status).sum()) for status in STATUSES}
    changed = explanations.changed[found].sum(axis=0)
    order = np.argsort(-changed, kind="stable")
    names = [column.name for column in explanations.table.columns]
    return AnswersInBrief(
        n=len(explanations),
        counts={status: count for status, count in counts.items() if count},
        n_found=int(found.sum()),
        median_distance=_median(explanations.distances[found]),
        median_plausibility=_median(explanations.plausibilities[found]),
        how_often=tuple((names[place], int(changed[place])) for place in order.tolist() if changed[place]),
    )


def name_of_row(explanations: Explanations, place: int) -> Word:
    """Name the row an answer is about: its label in the data frame, or its number."""
    rows = explanations.x
    return row_word(rows.index[place] if is_frame(rows) else int(explanations.rows[place]))


def changes_in_short(explanation: Explanation, arrow: str) -> list[Word]:
    """Name the most costly changes in a line of a table of many answers, and count the others."""
    changes = explanation.changes
    if not changes:
        return [Word("nothing has to change" if explanation.found else "none")]
    shown = changes if len(changes) <= MOST_IN_LINE + 1 else changes[:MOST_IN_LINE]
    words: list[Word] = []
    for change in shown:
        before, after = change_words(change)
        words += [Word(", ")] if words else []
        words += [column_word(change.feature), Word(" "), before, Word(arrow), after]
    return words if len(shown) == len(changes) else [*words, Word(f" and {len(changes) - len(shown)} more")]


def distance_in_short(explanation: Explanation) -> str:
    """Write the distance, if there is one."""
    return number(explanation.distance, FEW) if explanation.found else "–"


def plausibility_in_short(explanation: Explanation) -> str:
    """Write the plausibility, if there is one."""
    share = explanation.plausibility
    return percent_down(share) if np.isfinite(share) else "–"


def evenly(n: int, most: int) -> list[int]:
    """Pick at most so many of the places 0..n-1, first and last among them."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int)).tolist() if n else []


def _median(values: FloatArray) -> float | None:
    finite = values[np.isfinite(values)]
    return float(np.median(finite)) if len(finite) else None


def counts_in_words(counts: dict[str, int]) -> str:
    """List how many answers have each status."""
    return ", ".join(f"{count:,} {status}" for status, count in counts.items()) or "none"


def plain(words: Sequence[Word]) -> str:
    """Join words to plain text."""
    return "".join(str(word) for word in words)
