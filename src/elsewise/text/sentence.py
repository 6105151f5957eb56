"""The sentences about an answer: what the model says, what would have to change, how typical that is, what is proven.

    The model predicts "bad". It would predict "good" with: duration 24 (now 48), savings "high" (now "low"). This is at
    least as typical as 50 % of real "good" cases. No smaller change exists (proven).

Every claim is rounded to the safe side: shares and bounds down, gaps up. No change is left out.

Many answers in brief: what they have in common, and single ones in a line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import FloatArray
from ..reasons import STATUSES
from ..table.frames import is_frame
from .languages import in_its_wording, plural, say
from .numbers import FEW, MOST_IN_LINE, at_most, number, percent_down, rounded_down
from .words import (
    Word,
    clean,
    column_word,
    decision_words,
    fill,
    is_missing,
    joined,
    label_word,
    plain,
    row_word,
    status_word,
    value_words,
)

if TYPE_CHECKING:
    from ..answers import Change, Explanation, Explanations, Path, Plan


# Relative gap up to which a proof is finished, and nothing is said of it.
NO_GAP = 1e-6


@in_its_wording
def sentence(explanation: Explanation, *, are_pixels: bool = False) -> str:
    """Return an answer in a sentence or two of plain text, without line breaks; pixels that change are counted."""
    return plain(words_of(explanation, are_pixels=are_pixels))


@in_its_wording
def words_of(explanation: Explanation, *, are_pixels: bool = False) -> list[Word]:
    """Return an answer as words, so that whoever shows them can set names, values and labels apart."""
    if explanation.status == "error":
        return fill("answer.error", reason=reason_of(explanation))
    decides = decision_words(explanation.prediction, _prediction(explanation))
    if not explanation.found:
        proven = say("answer.none proven" if explanation.status == "infeasible" else "answer.none found")
        return fill("answer.none", decides=decides, reason=reason_of(explanation) or proven)
    changes = _counted(explanation) if are_pixels else _listed(explanation.changes)
    sentences = [_decision(explanation, decides, changes)]
    if explanation.robust_radius > 0:
        sentences.append(fill("answer.lasting", radius=rounded_down(explanation.robust_radius)))
    sentences.append(plausibility_words(explanation))
    if explanation.changes:
        sentences.append([Word(proof_in_words(explanation))])
    return joined([each for each in sentences if each], " ")


def _decision(explanation: Explanation, decides: list[Word], changes: list[Word]) -> list[Word]:
    """Describe what the model does, and with which changes it would do what was asked."""
    probability = asks_for_probability(explanation)
    least = explanation.min_probability if probability else None
    if not explanation.changes:
        if not probability:
            return fill("answer.nothing", decides=decides)
        has = decision_words(explanation.target, least=least)
        return fill("answer.nothing, probability", decides=decides, has=has)
    if already_as_wanted(explanation) and not probability:
        return fill("answer.unmet", decides=decides, changes=changes)
    decide = decision_words(explanation.target, form="decide", least=least)
    return fill("answer.changes", decides=decides, decide=decide, changes=changes)


def already_as_wanted(explanation: Explanation) -> bool:
    """Whether the model's prediction for the row itself is the target's."""
    target, prediction = explanation.target, explanation.prediction
    if isinstance(target, tuple):
        return bool(target[0] <= prediction <= target[1])
    return bool(target == prediction)


def asks_for_probability(explanation: Explanation) -> bool:
    """Whether a least probability of the target was asked for, which alone decides."""
    return explanation.target is not None and not math.isnan(explanation.min_probability)


def reason_of(result: Explanation | Path | Plan) -> str:
    """Return the reason of anything that has one, fit to be read."""
    return clean(result.reason)


def _prediction(explanation: Explanation) -> Word:
    """Write the prediction; of a regressor with digits enough to see that it is outside of the range."""
    target = explanation.target
    if isinstance(target, tuple) and not already_as_wanted(explanation):
        return label_word(explanation.prediction, target[0] if explanation.prediction < target[0] else target[1])
    return label_word(explanation.prediction)


def _listed(changes: Sequence[Change]) -> list[Word]:
    """List all changes: "duration 24 (now 48), ..."."""
    items = []
    for change in changes:
        now, then = change_words(change)
        items.append(fill("answer.change", column=column_word(change.feature), now=now, then=then))
    return joined(items)


def _counted(explanation: Explanation) -> list[Word]:
    """Count the pixels that change: nobody reads a list of them, and a picture stands beside the sentence."""
    return [Word(plural("answer.pixels", len(explanation.changes), total=len(explanation.feature_names)))]


@in_its_wording
def change_words(change: Change, digits: int = FEW) -> tuple[Word, Word]:
    """Write the values now and then of a change."""
    is_level = not (change.is_number or is_missing(change.before))
    return value_words(change.before, change.after, is_level=is_level, digits=digits, column=change.feature)


@in_its_wording
def plausibility_words(explanation: Explanation) -> list[Word]:
    """Describe how typical an answer is, in a sentence; nothing if no density was asked for."""
    share, target = explanation.plausibility, explanation.target
    row = "" if explanation.changes else " row"
    if not np.isfinite(share):  # a mixture that came without training rows, if there is a threshold
        return fill(f"answer.typical enough{row}") if np.isfinite(explanation.log_threshold) else []
    given = say("answer.given") if explanation.given else ""
    if share >= 1:
        words = fill("answer.most typical", case=cases_words(target, is_one=True), given=given)
    elif share <= 0:
        one, all_of_them = cases_words(target, is_one=True), cases_words(target)
        words = fill("answer.least typical", case=one, cases=all_of_them, given=given)
    else:
        words = fill(f"answer.typical{row}", share=percent_down(share), cases=cases_words(target), given=given)
    if explanation.status == "densest":
        words += [Word(" "), *fill("answer.less typical")]
    return words


def cases_words(target: Any, *, is_one: bool = False) -> list[Word]:
    """Name the real rows that an answer is held against: those of the target, of a regressor all."""
    key = "case" if is_one else "cases"
    if target is None or isinstance(target, tuple):
        return fill(key)
    return fill(f"{key} of", label=label_word(target))


def said_of_others(key: str, explanation: Explanation, **parts: object) -> str:
    """Describe what is proven; of a further answer, which had to differ from nearer ones, of such answers only."""
    nearer = explanation.nearer
    return plural(f"{key} other", nearer, **parts) if nearer else say(key, **parts)


def proof_in_words(explanation: Explanation) -> str:
    """Describe in a sentence what is proven of smaller changes than the answer's."""
    if explanation.status == "optimal":
        return said_of_others("proof.smallest", explanation)
    if explanation.status == "densest" and explanation.gap <= NO_GAP:
        return say("proof.smallest typical")
    if not explanation.lower_bound > 0:
        return said_of_others("proof.open", explanation)
    return said_of_others("proof.gap", explanation, gap=at_most(explanation.gap))


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
        Over those found, distances over those in which something changes; None if there are none, or no density.
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
        median_distance=_median(explanations.distances[explanations.changed.any(axis=1) & found]),
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
        return [Word(say("short.nothing" if explanation.found else "short.none"))]
    shown = changes if len(changes) <= MOST_IN_LINE + 1 else changes[:MOST_IN_LINE]
    words: list[Word] = []
    for change in shown:
        before, after = change_words(change)
        words += [Word(", ")] if words else []
        words += [column_word(change.feature), Word(" "), before, Word(arrow), after]
    return words if len(shown) == len(changes) else [*words, Word(f" {say('and more', n=len(changes) - len(shown))}")]


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
    listed = ", ".join(f"{number(count)} {status_word(status)}" for status, count in counts.items())
    return listed or say("many.none")
