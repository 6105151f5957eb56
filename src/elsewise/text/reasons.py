"""Reasons as sentences: the one place where they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..reasons import (
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
from .constants import MANY
from .numbers import number, percent_down, rounded_down, usable
from .words import decision_words, in_its_wording, label_word, range_in_words

if TYPE_CHECKING:
    from ..answers import WhyNot
    from ..reasons import Reason

# How rules end that keep a column as it is.
STAYS = " stays as it is"
# Decimals of a log density and of a threshold quantile that a reader is told to use.
DECIMALS_OF_LOG_DENSITY, DECIMALS_OF_QUANTILE = 3, 4

_ENDED = {
    "rounding": "the limits of rounding were reached",
    "black box": "the model could only be queried",
    "size": "the search grew too large",
    "time": "the time limit was reached",
    "lasting": "smaller changes may be as robust, but are not known to be",
    "end": "only ways to the nearest answer were searched",
}
_ADVICE = " explainer.why_not(row, target, constraints) finds the rules that leave none."


def reason_in_words(reason: Reason | WhyNot | None) -> str:
    """Put a reason into sentences; nothing is an empty one."""
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
            typical = " and the row is typical enough" if is_dense else ""
            return f"The model already does {target_in_words(target)}{typical}: nothing has to change."
        case ProofUnfinished(cause):
            return f"Not proven smallest: {_ENDED[cause]}."
        case Unconfirmed(target):
            return (
                f"No row that makes the model {target_in_words(target)} was confirmed: every candidate failed the last "
                "check with the model itself. Whether one exists is not known."
            )
        case OutOfTime(target, lower_bound, cause):
            when = "within the time limit" if cause == "time" else "before the search grew too large"
            return (
                f"No change that makes the model {target_in_words(target)} was found {when}. Whether one exists is not "
                f"known.{_at_least(lower_bound)}"
            )
        case NoneThatLasts(target, lower_bound):
            return (
                f"No change was found that makes the model {target_in_words(target)} for all rows near it, too. "
                f"Whether one exists is not known.{_at_least(lower_bound)}"
            )
        case NeverPredicted(target):
            return f"No row at all makes the model {target_in_words(target)} (proven)."
        case NotFound(target):
            return (
                f"No realistic change that makes the model {target_in_words(target)} was found. Whether one exists is "
                "not known."
            )
        case TooSparse():
            return _too_sparse(reason)
        case NoOrder(n_moves, is_proven):
            found = "keeps" if is_proven else "that was tried keeps"
            return (
                f"No order of the {n_moves} changes {found} the rules at every step. Columns that depend on each other "
                "may have to change together."
            )
        case NoDenseWay():
            return _no_dense_way(reason)
        case LessDense():
            asked = "" if reason.asked is None else f" instead of {usable(reason.asked, DECIMALS_OF_QUANTILE)}"
            return (
                "Nothing is as typical as requested. This is the nearest answer at the highest threshold that works, "
                f"{usable(reason.quantile, DECIMALS_OF_QUANTILE)}{asked}."
            )
        case NothingWithin():
            has_any = reason.has_rules or reason.has_found_rules
            return _nothing_within(reason) + (_ADVICE if reason.to_programmer and has_any else "")
        case _:
            return why_not_in_words(reason)


def _at_least(lower_bound: float) -> str:
    return f" It would cost at least {rounded_down(lower_bound)} (proven)." if lower_bound > 0 else ""


def target_in_words(target: Target) -> str:
    """Put what was asked of the model as the end of a sentence: 'predict "good"'."""
    value: Any = target.value
    if isinstance(value, tuple):
        return f"predict {range_in_words(float(value[0]), float(value[1]))}"
    if target.min_probability is not None:
        return f"give {label_word(value)} a probability of at least {number(float(target.min_probability), MANY)}"
    return "".join(str(word) for word in decision_words(value, of_model=False))


@in_its_wording
def why_not_in_words(why: WhyNot) -> str:
    """Say which rules leave no answer, and what would help."""
    doubt = "" if why.is_proven else " The model could only be queried: what was not found may exist."
    return _why_not(why) + doubt


def _why_not(why: WhyNot) -> str:
    wanted = target_in_words(why.target)
    if why.reason == "none":
        return f"Under these rules there is a change that makes the model {wanted}."
    if why.reason == "unknown":
        return f"Whether any change makes the model {wanted} was not found out within the time limit."
    if why.reason == "model":
        return f"No row at all makes the model {wanted}{_proven(why)}."
    quantile = None if why.highest_quantile is None else usable(why.highest_quantile, DECIMALS_OF_QUANTILE)
    works = f"the highest threshold that works is {quantile}" if why.is_finished else f"threshold {quantile} works"
    if why.reason == "density":
        best = "No threshold is low enough." if quantile is None else f"{works[0].upper()}{works[1:]}."
        return f"No row that makes the model {wanted} is as typical as required{_proven(why)}. {best}"
    said = [_conflict(why)]
    if quantile is not None:
        said.append(f"With all rules kept, {works}.")
    elif why.has_density and why.is_finished:
        said.append("With all rules kept, no threshold works.")
    if not why.is_finished:
        said.append("The time limit ended the search for more.")
    return " ".join(said)


def _conflict(why: WhyNot) -> str:
    """Name the rules that leave no answer, as far as they are known, and the one that is cheapest to give up."""
    no_change = f"No {'realistic ' if why.has_density else ''}change"
    wanted, proven = target_in_words(why.target), _proven(why)
    if not why.is_smallest:
        return (
            f"{no_change} within the rules makes the model {wanted}{proven}. Which rules prevent it is not known yet."
        )
    cost = number(why.reliefs[0].distance) if why.reliefs else ""
    smallest = "the smallest change costs" if why.is_finished and why.is_proven else "a change is known that costs"
    if len(why.conflict) == 1 and why.conflict[0].endswith(STAYS):
        relief = f"; if it may change, {smallest} {cost}" if cost else ""
        return f"{no_change} makes the model {wanted} while {why.conflict[0]}{proven}{relief}."
    which = "this rule" if len(why.conflict) == 1 else "these rules together"
    lead = f"{no_change} makes the model {wanted} under {which}{proven}: {'; '.join(why.conflict)}."
    if cost:
        dropped = "it" if len(why.conflict) == 1 else f'"{why.reliefs[0].rule}"'
        return f"{lead} Without {dropped} {smallest} {cost}."
    return f"{lead} Dropping any one rule is not enough." if why.is_finished else lead


def _proven(why: WhyNot) -> str:
    return " (proven)" if why.is_proven else ""


def obstacle_in_words(cause: Reason | WhyNot | None) -> str:
    """Say what is in the way, in the same words for every row that it stops: rules, and none of a row's own numbers."""
    conflict = getattr(cause, "conflict", None)
    if cause is None or conflict is None:
        return reason_in_words(cause)
    return conflict_in_words(cause)  # type: ignore[arg-type]  # only a WhyNot has one


def conflict_in_words(why: WhyNot) -> str:
    """Name the rules in the way, in the same words for every row that they stop; else what is, without numbers."""
    if why.reason == "density":
        return f"No row that makes the model {target_in_words(why.target)} is as typical as required"
    if not why.conflict or not why.is_smallest:
        return why_not_in_words(why)
    return f"{conflict_lead(why)}: {'; '.join(why.conflict)}"


def conflict_lead(why: WhyNot) -> str:
    """Introduce the rules that leave no answer."""
    if not why.is_smallest:
        return "Some of these rules leave no answer; which ones is not known yet"
    return "This rule leaves no answer" if len(why.conflict) == 1 else "These rules together leave no answer"


def _too_sparse(reason: TooSparse) -> str:
    absolute = f"LogDensity({usable(reason.log_density, DECIMALS_OF_LOG_DENSITY)})"
    quantile = None if reason.quantile is None else usable(reason.quantile, DECIMALS_OF_QUANTILE)
    if quantile is None or float(quantile) == 0.0:  # thresholds lie strictly between 0 and 1
        works = f"No quantile works as threshold; {absolute} does"
    elif reason.quantile == 1.0:
        works = f"Every quantile works as threshold, and so does {absolute}"
    else:
        works = f"The highest threshold that works is {quantile}"
    return f"No row that makes the model {target_in_words(reason.target)} is as typical as required. {works}."


def _no_dense_way(reason: NoDenseWay) -> str:
    every = reason.share_denser >= 1.0
    rarer = (
        "less typical than any real case" if every else f"where {percent_down(reason.share_denser, 1)} of real cases"
    )
    rarer = rarer if every else f"{rarer} are more typical"
    goal = f"to where the model would {target_in_words(reason.target)}"
    if reason.is_best:
        return f"No way {goal} stays realistic: even the best passes a point {rarer}."
    within = " within the rules" if reason.has_rules else ""
    if reason.share_denser <= 0.0:
        return f"No way {goal}{within} stays as typical as required."
    return f"No way {goal}{within} stays realistic: each passes a point {rarer}."


def _nothing_within(reason: NothingWithin) -> str:
    change = f"no {'realistic ' if reason.has_density else ''}change makes the model {target_in_words(reason.target)}"
    if reason.has_rules:
        return f"Under these rules {change} (proven)."
    if reason.has_found_rules:
        return f"Within what all training rows have in common {change} (proven)."
    return f"{change[0].upper()}{change[1:]}: the columns cannot hold such a row (proven)."
