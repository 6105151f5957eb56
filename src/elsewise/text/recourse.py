"""Principal reasons as sentences, text and HTML.

Levers as sentences, text and HTML.

Ladders as sentences, text and HTML.

Monotone columns as sentences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .html import fragment, headings
from .languages import in_its_wording, plural, say
from .markup import html_of_word, html_of_words, paragraph, safe, table
from .numbers import MOST_ROWS_OF_HTML, MOST_ROWS_OF_TEXT, number, percent, two_numbers
from .plain_text import aligned, heads
from .reasons import target_in_words
from .sentence import change_words, changes_in_short, distance_in_short, plausibility_in_short
from .words import Word, clean, column_word, label_word, plain, shortened, status_word

if TYPE_CHECKING:
    from ..answers import Ladder, LadderStep, Levers, Monotone, PrincipalReason, PrincipalReasons


@in_its_wording
def text_of_reason(reason: PrincipalReason) -> str:
    """Describe what is wrong with one column, and what would work."""
    now, then = _values(reason)
    works = say("reasons.alone" if reason.is_alone else "reasons.with others")
    return say(f"reasons.{reason.direction}", column=column_word(reason.column), now=now, then=then, works=works)


@in_its_wording
def sentence_of_reasons(reasons: PrincipalReasons) -> str:
    """Name the reasons, and say what is proven of them."""
    decide, deciding = target_in_words(reasons.target), target_in_words(reasons.target, "deciding")
    if reasons.status == "has outcome":
        return say("reasons.already", decides=target_in_words(reasons.target, "decides"))
    if reasons.status in ("no recourse", "unknown"):
        return say(f"reasons.{reasons.status}", decide=decide, deciding=deciding)
    parts = {"decide": decide, "deciding": deciding}
    listed = "; ".join(text_of_reason(reason) for reason in reasons.reasons)
    more = len(reasons.columns) - len(reasons.reasons)
    if not more:
        return say("reasons.all", **parts, reasons=listed)
    return plural("reasons.some", more, **parts, reasons=listed, total=len(reasons.columns))


@in_its_wording
def text_of_reasons(reasons: PrincipalReasons) -> str:
    """Return the sentence, then a line a reason with its responsiveness."""
    names = ("reason", "direction", "now", "then", "alone", "values that work")
    cells = [heads(*names)] if reasons.reasons else []
    for reason in reasons.reasons:
        now, then = _values(reason)
        cells.append((_name(reason), _direction(reason), str(now), str(then), _alone(reason), _responsive(reason)))
    return "\n".join([sentence_of_reasons(reasons), *aligned(cells)])


@in_its_wording
def html_of_reasons(reasons: PrincipalReasons) -> str:
    """Return the sentence and a table of the reasons."""
    rows = []
    for reason in reasons.reasons:
        now, then = (html_of_word(word) for word in _values(reason))
        rows.append([safe(_name(reason)), _direction(reason), now, then, _alone(reason), safe(_responsive(reason))])
    parts = [f'<p class="ew-sentence">{safe(sentence_of_reasons(reasons))}</p>']
    if rows:
        names = ("reason", "direction", "now", "nearest that works", "alone", "values that work")
        parts.append(table(headings(*names), rows))
    return fragment(parts)


def _direction(reason: PrincipalReason) -> str:
    return say(f"direction.{reason.direction}")


def _alone(reason: PrincipalReason) -> str:
    return say("yes" if reason.is_alone else "no")


def _values(reason: PrincipalReason) -> tuple[Word, Word]:
    changes = {change.feature: change for change in reason.explanation.changes}
    return change_words(changes[reason.column])


def _name(reason: PrincipalReason) -> str:
    name = str(column_word(reason.column))
    return name if reason.code is None else f"{reason.code}: {name}"


def _responsive(reason: PrincipalReason) -> str:
    found = reason.responsiveness
    if found.n_possible is None or found.n_working is None:
        return percent(found.share)
    return say("reasons.count", n=number(found.n_working), total=number(found.n_possible))


@in_its_wording
def sentence_of_levers(levers: Levers) -> str:
    """Describe which sets are enough by themselves, and what is proven of the others."""
    if levers.has_outcome:
        return say("levers.nothing", decides=target_in_words(levers.target, "decides"))
    if not levers.enough:
        proven = say("levers.proven" if levers.is_proven else "levers.as far as known")
        deciding = target_in_words(levers.target, "deciding")
        return plural("levers.none", levers.max_size, deciding=deciding, proven=proven)
    shown = [_names(lever.columns) for lever in levers.enough[:MOST_ROWS_OF_TEXT]]
    more = len(levers.enough) - len(shown)
    listed = "; ".join([*shown, say("and more", n=more)] if more else shown)
    said = [say("levers.enough", deciding=target_in_words(levers.target, "deciding"), levers=listed)]
    n_asked = len(levers.enough) + len(levers.not_enough) + len(levers.unknown)
    for key, sets in (("levers.not enough", levers.not_enough), ("levers.unknown", levers.unknown)):
        if sets:
            said.append(plural(key, len(sets), n=number(len(sets)), total=number(n_asked)))
    return " ".join(said)


@in_its_wording
def text_of_levers(levers: Levers) -> str:
    """Return the sentence, then a line a set that is enough."""
    cells = [heads("columns", "distance", "typical", "changes")] if levers.enough else []
    for lever in levers.enough:
        one = lever.explanation
        short = plain(changes_in_short(one, " -> "))
        cells.append((_names(lever.columns), distance_in_short(one), plausibility_in_short(one), short))
    return "\n".join([sentence_of_levers(levers), *aligned(cells)])


@in_its_wording
def html_of_levers(levers: Levers) -> str:
    """Return the sentence and a table of the sets that are enough."""
    rows = [
        [
            safe(_names(lever.columns)),
            distance_in_short(lever.explanation),
            safe(plausibility_in_short(lever.explanation)),
            html_of_words(changes_in_short(lever.explanation, " → ")),
        ]
        for lever in levers.enough[:MOST_ROWS_OF_HTML]
    ]
    parts = [f'<p class="ew-sentence">{safe(sentence_of_levers(levers))}</p>']
    if rows:
        parts.append(table(headings("columns", "*distance", "*typical", "changes"), rows))
    if len(levers.enough) > MOST_ROWS_OF_HTML:
        parts.append(paragraph(say("and more", n=len(levers.enough) - MOST_ROWS_OF_HTML), "ew-note"))
    return fragment(parts)


def _names(columns: tuple[str, ...]) -> str:
    return say("and", first="", last="").join(str(column_word(name)) for name in columns)


@in_its_wording
def sentence_of_ladder(ladder: Ladder) -> str:
    """Describe where the row is, and what each better band takes."""
    band = "" if ladder.current is None else _band_name(ladder.current.name)
    if not ladder.steps:
        return say("ladder.best" if band else "ladder.best, none", band=band)
    steps = " ".join(_step(step) for step in ladder.steps)
    return say("ladder.now" if band else "ladder.nowhere", band=band, steps=steps)


def _step(step: LadderStep) -> str:
    one, name = step.explanation, _band_name(step.band.name)
    band = f"{name[0].upper()}{name[1:]}"
    if not one.found:
        return say("ladder.unreachable" if one.status == "infeasible" else "ladder.not reached", band=band)
    key = "ladder.step" if one.status == "optimal" else "ladder.step, open"
    return say(key, band=band, changes=plain(changes_in_short(one, " -> ")), distance=distance_in_short(one))


@in_its_wording
def text_of_ladder(ladder: Ladder) -> str:
    """Describe where the row is, then a line a step."""
    current = say("ladder.no band") if ladder.current is None else _band_name(ladder.current.name)
    cells = [heads("band", "distance", "typical", "status", "changes")] if ladder.steps else []
    for step in ladder.steps:
        one = step.explanation
        short, status = plain(changes_in_short(one, " -> ")), status_word(one.status)
        cells.append((clean(step.band.name), distance_in_short(one), plausibility_in_short(one), status, short))
    return "\n".join([say("ladder.current", band=current), *aligned(cells)])


@in_its_wording
def html_of_ladder(ladder: Ladder) -> str:
    """Return the sentence and a table with a line a step."""
    rows = []
    for step in ladder.steps:
        one = step.explanation
        typical, changes = safe(plausibility_in_short(one)), html_of_words(changes_in_short(one, " → "))
        rows.append([safe(step.band.name), distance_in_short(one), typical, changes, safe(status_word(one.status))])
    parts = [f'<p class="ew-sentence">{safe(sentence_of_ladder(ladder))}</p>']
    if rows:
        parts.append(table(headings("band", "*distance", "*typical", "changes", "status"), rows))
    return fragment(parts)


def _band_name(name: str) -> str:
    return say("ladder.band", name=shortened(clean(name)))


@in_its_wording
def sentence_of_monotone(monotone: Monotone) -> str:
    """Describe whether more, or less, of a column can lower the score."""
    if monotone.target is None:
        what = say("monotone.prediction")
    else:
        what = say("monotone.score", label=label_word(monotone.target))
    status, first, second = "unknown", "", ""
    if monotone.status == "proven":
        status = "proven"
    elif monotone.status == "refuted" and monotone.scores is not None:
        status = "refuted"
        first, second = two_numbers(*monotone.scores)
    key = f"monotone.{monotone.direction}, {status}"
    return say(key, column=column_word(monotone.column), what=what, first=first, second=second)
