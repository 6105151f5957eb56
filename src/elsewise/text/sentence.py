"""The sentence: what is predicted, what would have to change, how plausible that is, and what is proven.

    Predicted "bad". It would be "good" if duration were 24 instead of 48 and savings were "high" instead of "low"; at
    least as plausible as 50 % of real "good" cases; no smaller change exists.

Every claim is rounded to the safe side: shares and bounds down, gaps up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .constants import FEW, LONGEST_REASON, MANY, MOST_IN_SENTENCE, NO_GAP
from .numbers import gap_in_percent, number, percent, rounded_down
from .words import Word, clean, column_word, is_missing, label_word, shortened, value_words

if TYPE_CHECKING:
    from ..results import Change, Explanation, Path, Plan


def sentence(explanation: Explanation) -> str:
    """Tell an answer in a sentence or two of plain text, without line breaks."""
    return "".join(str(word) for word in words_of(explanation))


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
    return shortened(clean(result.reason), LONGEST_REASON)


def _words(explanation: Explanation) -> Iterator[Word]:
    if explanation.status == "error":
        yield Word(f"Not answered, for the row is wrong: {reason_of(explanation)}")
        return
    yield Word("Predicted ")
    yield _prediction(explanation)
    if not explanation.found:
        yield from _infeasible(explanation)
        return
    wanted, changes, already = label_word(explanation.target), explanation.changes, already_as_wanted(explanation)
    if asks_for_probability(explanation):
        yield Word(". The probability of ")
        yield wanted
        least = number(explanation.min_probability, MANY)
        if changes:
            yield Word(f" would be at least {least} if ")
            yield from _conditions(changes)
            yield from _and_lasting(explanation)
            yield from _and_plausible(explanation)
            yield Word(f"; {proof_in_words(explanation)}.")
            return
        yield Word(f" is at least {least}, as wanted: nothing has to change")
        yield from _and_plausible(explanation)
        yield Word(".")
        return
    if not changes:
        yield Word(", as wanted: nothing has to change")
        yield from _and_plausible(explanation)
        yield Word(".")
        return
    yield Word(" already, but not in every way as asked. It would be " if already else ". It would be ")
    yield wanted
    yield Word(" as asked if " if already else " if ")
    yield from _conditions(changes)
    yield from _and_lasting(explanation)
    yield from _and_plausible(explanation)
    yield Word(f"; {proof_in_words(explanation)}.")


def _prediction(explanation: Explanation) -> Word:
    """Write the prediction; of a regressor with digits enough to see that it is outside of the range."""
    target = explanation.target
    if isinstance(target, tuple) and not already_as_wanted(explanation):
        return label_word(explanation.prediction, target[0] if explanation.prediction < target[0] else target[1])
    return label_word(explanation.prediction)


def _infeasible(explanation: Explanation) -> Iterator[Word]:
    proven = math.isinf(explanation.lower_bound)
    if asks_for_probability(explanation):
        yield Word(". The probability of " if proven else ". No change was found that makes the probability of ")
        yield label_word(explanation.target)
        yield Word(f"{' cannot be made' if proven else ''} {number(explanation.min_probability, MANY)} or more")
    elif explanation.target is not None:
        yield Word(". It cannot be made " if proven else ". No change was found that makes it ")
        yield label_word(explanation.target)
        if proven:
            yield Word(" as asked")
    yield Word(f". {reason_of(explanation)}".rstrip())


def _conditions(changes: Sequence[Change]) -> Iterator[Word]:
    # one more column takes no more room than "and 1 more"
    shown = changes if len(changes) <= MOST_IN_SENTENCE + 1 else changes[:MOST_IN_SENTENCE]
    n_more = len(changes) - len(shown)
    for place, change in enumerate(shown):
        if place:
            yield Word(" and " if place == len(shown) - 1 and not n_more else ", ")
        yield column_word(change.feature)
        yield Word(" were ")
        before, after = change_words(change)
        yield after
        if is_missing(change.before):
            yield Word(" (now not given)")
        else:
            yield Word(" instead of ")
            yield before
    if n_more:
        yield Word(f", and {n_more} more columns changed")


def change_words(change: Change, digits: int = FEW) -> tuple[Word, Word]:
    """Write the values before and after a change."""
    is_level = not (change.is_number or is_missing(change.before))
    return value_words(change.before, change.after, is_level=is_level, digits=digits)


def plausibility_words(explanation: Explanation) -> list[Word]:
    """Say how plausible an answer is; nothing if no density was asked for."""
    share = explanation.plausibility
    if not np.isfinite(share):  # a mixture that came without training rows, if there is a threshold
        return [Word("as plausible as asked")] if np.isfinite(explanation.log_threshold) else []
    how_many = "every " if share >= 1 else f"{percent(share)} of "
    words = [Word("less plausible than any " if share <= 0 else f"at least as plausible as {how_many}")]
    words += cases_words(explanation.target, is_one=share <= 0 or share >= 1)
    if explanation.given:
        words.append(Word(", given what cannot change"))
    if explanation.status == "densest":
        words.append(Word(", which is the most there is: nothing is as plausible as asked"))
    return words


def cases_words(target: Any, *, is_one: bool = False) -> list[Word]:
    """Name the real rows that an answer is held against: those of the target, of a regressor all."""
    label = [] if target is None or isinstance(target, tuple) else [label_word(target), Word(" ")]
    return [Word("real "), *label, Word("case" if is_one else "cases")]


def _and_lasting(explanation: Explanation) -> Iterator[Word]:
    if explanation.robust > 0:
        yield Word(f", and for every row within a distance of {rounded_down(explanation.robust)} of that")


def _and_plausible(explanation: Explanation) -> Iterator[Word]:
    words = plausibility_words(explanation)
    if words:
        yield Word("; ")
        yield from words


def other_kind(explanation: Explanation) -> str:
    """Name the answers a further one had to differ from: proofs are about others only; empty for the first."""
    nearer = explanation.nearer
    if not nearer:
        return ""
    return f" of another kind than the {'nearer answer' if nearer == 1 else f'{nearer} nearer answers'}"


def proof_in_words(explanation: Explanation) -> str:
    """Say what is proven of smaller changes than the answer's."""
    kind = other_kind(explanation)
    if explanation.status == "optimal":
        return f"no smaller change{kind} exists"
    if explanation.status == "densest" and explanation.gap <= NO_GAP:
        return "no smaller change is as plausible as this one"
    if not explanation.lower_bound > 0:
        return f"whether a smaller change{kind} exists is not proven"
    distance, bound = number(explanation.distance), rounded_down(explanation.lower_bound)
    gap = gap_in_percent(explanation.gap)
    return f"at distance {distance}, and no change smaller than {bound}{kind and f' and{kind}'} exists (gap {gap})"
