"""Reasons as sentences: the one place where they are made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from ..reasons import (
    LessDense,
    NeverPredicted,
    NoClassReachable,
    NoDenseWay,
    NoFurther,
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
from .languages import in_its_wording, plural, say
from .numbers import number, percent_down, rounded_down, usable
from .words import decision_words, plain, quoted, with_labels

if TYPE_CHECKING:
    from ..answers import WhyNot
    from ..reasons import Reason

# Decimals of a log density and of a threshold quantile that are shown to a reader.
DECIMALS_OF_LOG_DENSITY, DECIMALS_OF_QUANTILE = 3, 4


def reason_in_words(reason: Reason | WhyNot | None) -> str:
    """Put a reason into sentences; nothing is an empty one."""
    match reason:
        case None:
            return ""
        case Told(sentence):
            return sentence
        case WrongRow(message):
            return with_labels(message)
        case NoOtherClass():
            return say("reason.no other class")
        case NoClassReachable(last):
            return say("reason.no class reachable", last=reason_in_words(last))
        case NothingToChange(target, is_dense):
            typical = ", typical" if is_dense else ""
            return say(f"reason.nothing to change{typical}", decides=target_in_words(target, "decides"))
        case ProofUnfinished(cause):
            return say(f"ended.{cause}")
        case Unconfirmed(target):
            return _about("reason.unconfirmed", target)
        case OutOfTime(target, lower_bound, cause):
            return _about(f"reason.out of {'time' if cause == 'time' else 'room'}", target) + _at_least(lower_bound)
        case NoneThatLasts(target, lower_bound):
            return _about("reason.none that lasts", target) + _at_least(lower_bound)
        case NeverPredicted(target):
            return _about("reason.never", target)
        case NotFound(target):
            return _about("reason.not found", target)
        case TooSparse():
            return f"{_about('reason.untypical', reason.target)} {_threshold_that_works(reason)}"
        case NoOrder(n_moves, is_proven):
            return say("reason.no order" if is_proven else "reason.no order found", n=n_moves)
        case NoFurther(n_found, n_asked, is_proven, own):
            said = plural(f"reason.no further{', proven' if is_proven else ''}", n_found, asked=n_asked)
            return f"{reason_in_words(own)} {said}" if own is not None else said
        case NoDenseWay():
            return _no_dense_way(reason)
        case LessDense():
            quantile = usable(reason.quantile, DECIMALS_OF_QUANTILE)
            if reason.asked is None:
                return say("reason.less typical", quantile=quantile)
            return say(
                "reason.less typical instead", quantile=quantile, asked=usable(reason.asked, DECIMALS_OF_QUANTILE)
            )
        case NothingWithin():
            return _nothing_within(reason)
        case _:
            return why_not_in_words(reason)


def _about(key: str, target: Target, **parts: object) -> str:
    """Return a text about what was asked of the model."""
    return say(key, **parts, deciding=target_in_words(target, "deciding"))


def _at_least(lower_bound: float) -> str:
    return f" {say('reason.would cost', bound=rounded_down(lower_bound))}" if lower_bound > 0 else ""


def target_in_words(target: Target, form: Literal["decides", "decide", "deciding"] = "decide") -> str:
    """Put what was asked of the model as the end of a sentence: 'predict "good"'."""
    return plain(decision_words(target.value, form=form, least=target.min_probability))


@in_its_wording
def why_not_in_words(why: WhyNot) -> str:
    """Describe which rules leave no answer, and what would help."""
    return _why_not(why) if why.is_proven else f"{_why_not(why)} {say('why not.queried')}"


def _why_not(why: WhyNot) -> str:
    if why.reason in ("none", "unknown"):
        return _about(f"why not.{why.reason}", why.target)
    if why.reason == "model":
        return _about("reason.never" if why.is_proven else "reason.never, unproven", why.target)
    best = "best" if why.is_finished else "some"
    if why.reason == "density":
        said = _about("reason.untypical, proven" if why.is_proven else "reason.untypical", why.target)
        if why.highest_quantile is None:
            return f"{said} {say('reason.no threshold')}"
        return f"{said} {_quantile(f'reason.{best} quantile', why.highest_quantile)}"
    sentences = [_conflict(why)]
    if why.highest_quantile is not None:
        sentences.append(_quantile(f"why not.kept, {best}", why.highest_quantile))
    elif why.has_density and why.is_finished:
        sentences.append(say("why not.kept, none"))
    if not why.is_finished:
        sentences.append(say("why not.cut"))
    return " ".join(sentences)


def _quantile(key: str, quantile: float) -> str:
    """Describe how typical rows can be, and with which threshold to ask for them."""
    usable_one = usable(quantile, DECIMALS_OF_QUANTILE)
    return say(key, share=percent_down(float(usable_one), DECIMALS_OF_QUANTILE - 2), quantile=usable_one)


def _conflict(why: WhyNot) -> str:
    """Name the rules that leave no answer, as far as they are known, and the one that is cheapest to give up."""
    parts = {
        "no_change": say("why not.no realistic change" if why.has_density else "why not.no change"),
        "proven": say("why not.proven") if why.is_proven else "",
    }
    if not why.is_smallest:
        return _about("why not.which unknown", why.target, **parts)
    cost = number(why.reliefs[0].distance) if why.reliefs else ""
    known = "smallest" if why.is_finished and why.is_proven else "known"
    if len(why.conflict) == 1 and why.conflict[0].endswith(say("rule.stays", column="")):
        relief = f", {known}" if cost else ""
        return _about(f"why not.stays{relief}", why.target, **parts, rule=why.conflict[0], cost=cost)
    key = "why not.rule" if len(why.conflict) == 1 else "why not.rules"
    lead = _about(key, why.target, **parts, rules="; ".join(why.conflict))
    if cost and len(why.conflict) == 1:
        return f"{lead} {say(f'why not.without it, {known}', cost=cost)}"
    if cost:
        return f"{lead} {say(f'why not.without, {known}', rule=quoted(why.reliefs[0].rule), cost=cost)}"
    more = "it" if len(why.conflict) == 1 else "one"
    return f"{lead} {say(f'why not.{more} is not enough')}" if why.is_finished else lead


def obstacle_in_words(cause: Reason | WhyNot | None) -> str:
    """Describe what is in the way, in the same words for every row that it stops: rules, no numbers of a row."""
    if isinstance(cause, (OutOfTime, NoneThatLasts)):
        cause = replace(cause, lower_bound=0.0)
    conflict = getattr(cause, "conflict", None)
    if cause is None or conflict is None:
        return reason_in_words(cause)
    return conflict_in_words(cause)  # type: ignore[arg-type]  # only a WhyNot has one


def conflict_in_words(why: WhyNot) -> str:
    """Name the rules in the way, in the same words for every row that they stop; else what is, without numbers."""
    if why.reason == "density":
        return _about("reason.untypical", why.target).rstrip(".")
    if not why.conflict or not why.is_smallest:
        return why_not_in_words(why)
    return f"{conflict_lead(why)}: {'; '.join(why.conflict)}"


def conflict_lead(why: WhyNot) -> str:
    """Introduce the rules that leave no answer."""
    if not why.is_smallest:
        return say("why not.lead unknown")
    return say("why not.lead one" if len(why.conflict) == 1 else "why not.lead many")


def _threshold_that_works(reason: TooSparse) -> str:
    absolute, rules = f"LogDensity({usable(reason.log_density, DECIMALS_OF_LOG_DENSITY)})", ", rules" * reason.has_rules
    if (
        reason.quantile is None or float(usable(reason.quantile, DECIMALS_OF_QUANTILE)) == 0.0
    ):  # strictly between 0 and 1
        return say(f"reason.no quantile{rules}", density=absolute)
    if reason.quantile == 1.0:
        return say(f"reason.every quantile{rules}", density=absolute)
    return _quantile("reason.best quantile", reason.quantile)


def _no_dense_way(reason: NoDenseWay) -> str:
    parts = {"decide": target_in_words(reason.target), "deciding": target_in_words(reason.target, "deciding")}
    rules = ", rules" if reason.has_rules and not reason.is_best else ""
    if not reason.is_best and reason.share_denser <= 0.0:
        return say(f"reason.no typical way{rules}", **parts)
    at_all = " at all" if reason.share_denser >= 1.0 else ""
    key = f"reason.{'no' if reason.is_best else 'each'} way{at_all}{rules}"
    return say(key, **parts, share=percent_down(reason.share_denser, 1))


def _nothing_within(reason: NothingWithin) -> str:
    where = "under rules" if reason.has_rules else "in common" if reason.has_found_rules else "in columns"
    said = _about(f"reason.{where}{', realistic' if reason.has_density else ''}", reason.target)
    has_any = reason.has_rules or reason.has_found_rules
    return f"{said} {say('reason.advice')}" if reason.to_programmer and has_any else said
