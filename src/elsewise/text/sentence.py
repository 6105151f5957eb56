"""The sentences about an answer: what the model says, what would have to change, how typical that is, what is proven.

    The model predicts "bad". It would predict "good" with: duration 24 (now 48), savings "high" (now "low"). This is at
    least as typical as 50 % of real "good" cases. No smaller change exists (proven).

Every claim is rounded to the safe side: shares and bounds down, gaps up. No change is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .constants import FEW, MANY
from .numbers import gap_in_percent, number, percent_down, rounded_down
from .words import Word, clean, column_word, decision_words, in_its_wording, is_missing, label_word, value_words

if TYPE_CHECKING:
    from ..answers import Change, Explanation, Path, Plan

# Relative gap up to which a proof is finished, and nothing is said of it.
NO_GAP = 1e-6


def sentence(explanation: Explanation) -> str:
    """Tell an answer in a sentence or two of plain text, without line breaks."""
    return "".join(str(word) for word in words_of(explanation))


@in_its_wording
def words_of(explanation: Explanation) -> list[Word]:
    """Tell an answer as words, so that whoever shows them can set names, values and labels apart."""
    return list(_words(explanation))


def already_as_wanted(explanation: Explanation) -> bool:
    """Whether the model's prediction for the row itself is the target's."""
    target, prediction = explanation.target, explanation.prediction
    if isinstance(target, tuple):
        return bool(target[0] <= prediction <= target[1])
    return bool(target == prediction)


def asks_for_probability(explanation: Explanation) -> bool:
    """Whether a least probability of the target was asked for, which alone decides."""
    return explanation.target is not None and not math.isnan(explanation.min_probability)


def reason_of(explanation: Explanation) -> str:
    """Give the reason, fit to be read."""
    return reason_of_cause(explanation)


def reason_of_cause(result: Explanation | Path | Plan) -> str:
    """Give the reason of anything that has one, fit to be read."""
    return clean(result.reason)


def _words(explanation: Explanation) -> Iterator[Word]:
    if explanation.status == "error":
        yield Word(f"This row cannot be explained: {reason_of(explanation)}")
        return
    changes, already = explanation.changes, already_as_wanted(explanation)
    probability = asks_for_probability(explanation)
    unmet = explanation.found and changes and already and not probability
    yield Word("The model already " if unmet else "The model ")
    yield from decision_words(explanation.prediction, _prediction(explanation))
    if not explanation.found:
        proven = (
            "No allowed change is enough (proven)." if explanation.status == "infeasible" else "No change was found."
        )
        yield Word(f". {reason_of(explanation) or proven}")
        return
    if probability:
        yield Word(". It would give " if changes else ". It gives ")
        yield label_word(explanation.target)
        least = number(explanation.min_probability, MANY)
        yield Word(f" a probability of at least {least}{' with: ' if changes else '. '}")
    elif unmet:
        yield Word(", but the row does not meet every requirement. It would with: ")
    elif changes:
        yield Word(". It would ")
        yield from decision_words(explanation.target, of_model=False)
        yield Word(" with: ")
    else:
        yield Word(". ")
    yield from _listed(changes)
    yield from _lasting(explanation)
    yield from _typical(explanation)
    if changes:
        yield Word(f" {proof_in_words(explanation)}")


def _prediction(explanation: Explanation) -> Word:
    """Write the prediction; of a regressor with digits enough to see that it is outside of the range."""
    target = explanation.target
    if isinstance(target, tuple) and not already_as_wanted(explanation):
        return label_word(explanation.prediction, target[0] if explanation.prediction < target[0] else target[1])
    return label_word(explanation.prediction)


def _listed(changes: Sequence[Change]) -> Iterator[Word]:
    """List all changes: "duration 24 (now 48), ..."."""
    if not changes:
        yield Word("Nothing has to change.")
        return
    for place, change in enumerate(changes):
        before, after = change_words(change)
        yield from [Word(", ")] if place else []
        yield from (column_word(change.feature), Word(" "), after, Word(" (now "), before, Word(")"))
    yield Word(".")


@in_its_wording
def change_words(change: Change, digits: int = FEW) -> tuple[Word, Word]:
    """Write the values before and after a change."""
    is_level = not (change.is_number or is_missing(change.before))
    return value_words(change.before, change.after, is_level=is_level, digits=digits, column=change.feature)


@in_its_wording
def plausibility_words(explanation: Explanation) -> list[Word]:
    """Say how typical an answer is, in a sentence; nothing if no density was asked for."""
    share, target = explanation.plausibility, explanation.target
    subject = "This" if explanation.changes else "The row"
    if not np.isfinite(share):  # a mixture that came without training rows, if there is a threshold
        return [Word(f"{subject} is as typical as requested.")] if np.isfinite(explanation.log_threshold) else []
    given = " given the columns that cannot change" if explanation.given else ""
    if share >= 1:
        words = [Word("No "), *cases_words(target, is_one=True), Word(f" is more typical{given}.")]
    elif share <= 0:
        words = [Word("Every "), *cases_words(target, is_one=True), Word(f" is more typical{given}.")]
    else:
        words = [Word(f"{subject} is at least as typical as {percent_down(share)} of "), *cases_words(target)]
        words.append(Word(f"{given}."))
    if explanation.status == "densest":
        words.append(Word(" Nothing is as typical as requested."))
    return words


def cases_words(target: Any, *, is_one: bool = False) -> list[Word]:
    """Name the real rows that an answer is held against: those of the target, of a regressor all."""
    label = [] if target is None or isinstance(target, tuple) else [label_word(target), Word(" ")]
    return [Word("real "), *label, Word("case" if is_one else "cases")]


def _lasting(explanation: Explanation) -> Iterator[Word]:
    if explanation.robust_radius > 0:
        yield Word(f" The same holds for every row within distance {rounded_down(explanation.robust_radius)} of it.")


def _typical(explanation: Explanation) -> Iterator[Word]:
    words = plausibility_words(explanation)
    if words:
        yield Word(" ")
        yield from words


def other_kind(explanation: Explanation) -> str:
    """Name the answers a further one had to differ from: proofs are about others only; empty for the first."""
    nearer = explanation.nearer
    if not nearer:
        return ""
    return f" that differs from the {'nearer one' if nearer == 1 else f'{nearer} nearer ones'}"


def proof_in_words(explanation: Explanation) -> str:
    """Say in a sentence what is proven of smaller changes than the answer's."""
    kind = other_kind(explanation)
    if explanation.status == "optimal":
        return f"No smaller change{kind} exists (proven)."
    if explanation.status == "densest" and explanation.gap <= NO_GAP:
        return "No smaller change is as typical as this one (proven)."
    if not explanation.lower_bound > 0:
        return f"Whether a smaller change{kind} exists is not known."
    return f"A smaller change{kind} could save {at_most(explanation.gap)} (proven)."


def at_most(gap: float) -> str:
    """Write a relative gap as the most that could be saved."""
    text = gap_in_percent(gap)
    return text if text.startswith("less") else f"at most {text}"
