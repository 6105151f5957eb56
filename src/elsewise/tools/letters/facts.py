"""What a letter tells: the values of its placeholders, in words of its language."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from ...answers import Change, Explanation, PrincipalReason, PrincipalReasons
from ...answers.records import value_in
from ...text.languages import say, speaking, wording
from ...text.numbers import FEW, gap_in_percent, percent_down
from ...text.ranges import range_words
from ...text.sentence import NO_GAP, change_words
from ...text.words import column_word, label_word, value_words


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of a letter.

    Attributes
    ----------
    intro : str
        The sentence before it; empty for none.
    items : tuple of str
    """

    intro: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """What a letter is about.

    Attributes
    ----------
    explanation : Explanation
    reasons : PrincipalReasons or None
        None where the template does not ask for reasons.
    has_recourse : bool
        The reasons were found under the rules; else without them, since nothing that they allow is enough.
    """

    explanation: Explanation
    reasons: PrincipalReasons | None
    has_recourse: bool = True


def values_of(subject: Subject, language: str, day: date, reference: str) -> dict[str, str | Listed]:
    """Return the values of all standard placeholders in a language."""
    one = subject.explanation
    with speaking(replace(one.table.wording, language=language)):
        target = str(label_word(one.target))
        months = say("letter.months").split()
        return {
            "date": say("letter.date", day=day.day, month=months[day.month - 1], year=day.year),
            "reference": reference,
            "decision": str(label_word(one.prediction)),
            "target": target,
            "proof": _proof(one),
            "typical": _typical(one),
            "reasons": _reasons(subject, target, language),
            "changes": _changes(one, target),
            "data": Listed("", tuple(_datum(one, place) for place in range(len(one.table.columns)))),
        }


def _proof(one: Explanation) -> str:
    if not one.found:
        return ""
    if one.gap <= NO_GAP or one.status == "optimal":
        return say("letter.smallest as typical") if one.status == "densest" else say("letter.smallest")
    if not one.lower_bound > 0:
        return say("letter.unknown")
    return say("letter.gap", share=gap_in_percent(one.gap))


def _typical(one: Explanation) -> str:
    if not one.found:
        return ""
    if np.isfinite(one.plausibility):
        return say("letter.typical", share=percent_down(one.plausibility))
    return say("letter.as typical") if np.isfinite(one.log_threshold) else say("letter.any typical")


def _changes(one: Explanation, target: str) -> Listed:
    if not one.found:
        return Listed(say("letter.no change"), ())
    if one.ranges is not None:
        pairs = [(each.column, *range_words(each)) for each in one.ranges]
    else:
        words = [(change.feature, *_words(change)) for change in one.changes]
        pairs = [(column, then, now) for column, now, then in words]
    items = [say("letter.change", column=_column(column), then=then, now=now) for column, then, now in pairs]
    return Listed(say("letter.changes", target=target), tuple(items))


def _words(change: Change) -> tuple[str, str]:
    """Return the values now and then, in the letter's language."""
    now, then = change_words(replace(change, wording=wording()))
    return str(now), str(then)


def _reasons(subject: Subject, target: str, language: str) -> Listed:
    found = subject.reasons
    if found is None:
        return Listed("", ())
    if not subject.has_recourse:
        intro = say("letter.fixed reasons", target=target)
    elif found.is_complete:
        intro = say("letter.reasons", target=target)
    else:
        intro = say("letter.main reasons", target=target)
    return Listed(intro, tuple(_reason(each, language, has_recourse=subject.has_recourse) for each in found))


def _reason(reason: PrincipalReason, language: str, *, has_recourse: bool) -> str:
    change = next(each for each in reason.explanation.changes if each.feature == reason.column)
    now, then = _words(change)
    what = _what(reason, language)
    if not has_recourse:
        return say("letter.no recourse", what=what, now=now)
    parts = {"what": what, "now": now, "then": _capital(then)}
    return say("letter.alone", **parts) if reason.is_alone else say("letter.together", **parts)


def _what(reason: PrincipalReason, language: str) -> str:
    """Describe what is wrong with a column: by its code in the letter's language, or by name and direction."""
    texts = {"too high": "letter.too high", "too low": "letter.too low", "other": "letter.other"}
    what = say(texts[reason.direction], column=_column(reason.column))
    if reason.code is None:
        return what
    text = dict(getattr(reason.code, "texts", {})).get(language)
    return say("letter.code", code=reason.code if text is None else reason.code.code, text=text or what)


def _column(name: str) -> str:
    return _capital(str(column_word(name)))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _datum(one: Explanation, place: int) -> str:
    column = one.table.columns[place]
    value = value_in(one.table, column, one.x)
    is_level = column.kind not in ("number", "integer")
    word = value_words(value, value, is_level=is_level, digits=FEW, column=column.name)[0]
    return say("letter.value", column=_column(column.name), now=word)
