"""Reasons as sentences: the one place where they are made."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..asking.reasons import (
    LessDense,
    NeverPredicted,
    NoClassReachable,
    NoDenseWay,
    NoneThatLasts,
    NoOrder,
    NoOtherClass,
    NotFound,
    NothingToChange,
    NothingWithin,
    OutOfTime,
    ProofUnfinished,
    Target,
    Told,
    TooSparse,
    Unconfirmed,
    WrongRow,
)
from .constants import DECIMALS_OF_LOG_DENSITY, DECIMALS_OF_QUANTILE, MANY
from .numbers import number, percent, rounded_down, two_numbers, usable
from .words import label_word

if TYPE_CHECKING:
    from ..asking.reasons import Reason
    from ..results import WhyNot

_ENDED = {
    "rounding": "rounding limits it",
    "black box": "the model is a black box, which can only be asked",
    "size": "the search grew too large",
    "time": "the time limit ended it",
    "lasting": "nearer answers may last as long, but are not known to",
    "end": "ways were looked for to the nearest answer only",
}
_ADVICE = " explainer.why_not(row, target, constraints) says which rules contradict each other."


def reason_in_words(reason: Reason | WhyNot | None) -> str:
    """Put a reason into a sentence; nothing is an empty one."""
    match reason:
        case None:
            return ""
        case Told(sentence):
            return sentence
        case WrongRow(message):
            return message
        case NoOtherClass():
            return "The model knows no other class."
        case NoClassReachable(last):
            return f"No other class can be reached. {reason_in_words(last)}"
        case NothingToChange(target, is_dense):
            dense = " and the row is dense enough" if is_dense else ""
            return f"The model does {target_in_words(target)} for the row already{dense}: nothing has to change."
        case ProofUnfinished(cause):
            return f"The proof of optimality is not finished: {_ENDED[cause]}."
        case Unconfirmed(target):
            return (
                f"No point at which the model would {target_in_words(target)} was confirmed: at every candidate its "
                "own predict, or the density evaluated afresh, said otherwise. It is not proven that there is none."
            )
        case OutOfTime(target, lower_bound, cause):
            nearer = f" None is nearer than {rounded_down(lower_bound)}." if lower_bound > 0 else ""
            when = "within the time limit" if cause == "time" else "before the search grew too large"
            return (
                f"No point that makes the model {target_in_words(target)} was found {when}; that there is none is not "
                f"proven.{nearer}"
            )
        case NoneThatLasts(target, lower_bound):
            nearer = f" No answer at all is nearer than {rounded_down(lower_bound)}." if lower_bound > 0 else ""
            return (
                f"No point was found at which the model would {target_in_words(target)} for all rows near it, too; "
                f"that there is none is not proven.{nearer}"
            )
        case NeverPredicted(target):
            return f"No input at all makes the model {target_in_words(target)}."
        case NotFound(target):
            return (
                f"No point that makes the model {target_in_words(target)} was found at this threshold; that there is "
                "none is not proven."
            )
        case TooSparse():
            return _too_sparse(reason)
        case NoOrder(n_moves, is_proven):
            found = "keeps" if is_proven else "that was looked at keeps"
            return (
                f"No order of the {n_moves} changes {found} the rules at every stage. Columns that depend on each "
                "other may have to change together."
            )
        case NoDenseWay():
            return _no_dense_way(reason)
        case LessDense():
            asked = "" if reason.asked is None else f" (asked for was {usable(reason.asked, DECIMALS_OF_QUANTILE)})"
            return (
                "Nothing is as dense as asked: this is the nearest answer at the highest threshold quantile that "
                f"works, {usable(reason.quantile, DECIMALS_OF_QUANTILE)}{asked}."
            )
        case NothingWithin():
            has_any = reason.has_rules or reason.has_found_rules
            return _nothing_within(reason) + (_ADVICE if reason.to_programmer and has_any else "")
        case _:
            return why_not_in_words(reason)


def target_in_words(target: Target) -> str:
    """Put what was asked of the model as the end of a sentence: 'predict "good"'."""
    value: Any = target.value
    if isinstance(value, tuple):
        ends = (float(value[0]), float(value[1]))
        if math.isfinite(ends[0]) and math.isfinite(ends[1]):
            low, high = two_numbers(*ends, MANY)
        else:
            low, high = (number(end, MANY) if math.isfinite(end) else f"{end:g}" for end in ends)
        return f"predict a value from {low} to {high}"
    if target.min_probability is not None:
        return f"give {label_word(value)} a probability of at least {number(float(target.min_probability), MANY)}"
    return f"predict {label_word(value)}"


def why_not_in_words(why: WhyNot) -> str:
    """Say which rules contradict each other, and what would help."""
    doubt = "" if why.is_proven else " The model was only asked: what was not found may exist."
    return _why_not(why) + doubt


def _why_not(why: WhyNot) -> str:
    wanted = target_in_words(why.target)
    if why.reason == "none":
        return "There is an answer under these rules."
    if why.reason == "unknown":
        return f"Whether any row makes the model {wanted} as asked is not known: the time limit ended the search."
    if why.reason == "model":
        return f"No row of the table makes the model {wanted}."
    which_works = "the highest threshold quantile that works is" if why.is_finished else "a threshold quantile works of"
    if why.reason == "density":
        best = (
            "no quantile of the training rows is low enough"
            if why.highest_quantile is None
            else f"{which_works} {usable(why.highest_quantile, DECIMALS_OF_QUANTILE)}"
        )
        return f"The density threshold is too high: no row that makes the model {wanted} is dense enough; {best}."
    dense = " and is dense enough" if why.has_density else ""
    which = "this rule" if len(why.conflict) == 1 else "these rules together"
    said = [f"No row that makes the model {wanted}{dense} keeps {which}: {'; '.join(why.conflict)}."]
    if why.reliefs:
        best_relief = why.reliefs[0]
        said.append(f'Without "{best_relief.rule}" there is an answer at distance {number(best_relief.distance)}.')
    elif why.is_finished:
        said.append("Leaving out any one rule is not enough: others contradict each other, too.")
    if why.highest_quantile is not None:
        said.append(f"With all rules, {which_works} {usable(why.highest_quantile, DECIMALS_OF_QUANTILE)}.")
    elif why.has_density and why.is_finished:
        said.append("With all rules, no threshold quantile works.")
    if not why.is_finished:
        said.append("The time limit ended the search for more.")
    return " ".join(said)


def obstacle_in_words(cause: Reason | WhyNot | None) -> str:
    """Say what is in the way, in the same words for every row that it stops: rules, and none of a row's own numbers."""
    conflict = getattr(cause, "conflict", None)
    if cause is None or conflict is None:
        return reason_in_words(cause)
    return conflict_in_words(cause)  # type: ignore[arg-type]  # only a WhyNot has one


def conflict_in_words(why: WhyNot) -> str:
    """Name the rules in the way, in the same words for every row that they stop; else what is, without numbers."""
    if why.reason == "density":
        return f"The density threshold is too high: no way to make the model {target_in_words(why.target)} reaches it"
    if not why.conflict:
        return why_not_in_words(why)
    lead = "This rule is in the way" if len(why.conflict) == 1 else "These rules contradict each other"
    return f"{lead}: {'; '.join(why.conflict)}"


def _too_sparse(reason: TooSparse) -> str:
    absolute = f"an absolute threshold LogDensity({usable(reason.log_density, DECIMALS_OF_LOG_DENSITY)})"
    quantile = None if reason.quantile is None else usable(reason.quantile, DECIMALS_OF_QUANTILE)
    highest, threshold = two_numbers(reason.log_density, reason.log_threshold, MANY)
    if quantile is None or float(quantile) == 0.0:  # thresholds lie strictly between 0 and 1
        works = f"no quantile of the training rows works; {absolute} does"
    elif reason.quantile == 1.0:
        works = f"every threshold quantile works, and so does {absolute}"
    else:
        works = f"the highest threshold quantile that works is {quantile}"
    return (
        f"The density threshold is too high: nothing that makes the model {target_in_words(reason.target)} reaches log "
        f"density {threshold}. The densest such point has {highest}; {works}."
    )


def _no_dense_way(reason: NoDenseWay) -> str:
    every = reason.share_denser >= 1.0
    sparser = "any real case" if every else f"{percent(reason.share_denser, 1)} of real cases"
    lead = f"No dense way leads to where the model would {target_in_words(reason.target)}"
    if reason.is_best:
        return f"{lead}: the best passes a place sparser than {sparser}."
    within = " within the rules" if reason.has_rules else ""
    if reason.share_denser <= 0.0:
        return f"{lead}{within}: none is as dense as asked."
    return f"{lead}{within}: every one passes a place sparser than {sparser}."


def _nothing_within(reason: NothingWithin) -> str:
    wanted = target_in_words(reason.target)
    if not reason.has_rules:
        dense = " and is dense enough" if reason.has_density else ""
        if reason.has_found_rules:
            return f"No row that makes the model {wanted}{dense} keeps what all training rows keep."
        return f"No row that the table's columns can hold makes the model {wanted}{dense}."
    if not reason.has_density:
        return f"No row that makes the model {wanted} is within the rules."
    return f"No row that makes the model {wanted} is both dense enough and within the rules."
