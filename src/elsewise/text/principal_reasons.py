"""Principal reasons as sentences, text and HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .html import fragment
from .markup import html_of_word, safe, table
from .numbers import percent
from .plain_text import aligned
from .reasons import target_in_words
from .sentence import change_words
from .words import Word, column_word, in_its_wording

if TYPE_CHECKING:
    from ..answers import PrincipalReason, PrincipalReasons


@in_its_wording
def text_of_reason(reason: PrincipalReason) -> str:
    """Say what is wrong with one column, and what would work."""
    now, then = _values(reason)
    name = column_word(reason.column)
    wrong = f"{name} {now}" if reason.direction == "other" else f"{name} {reason.direction} (now {now}"
    how = "enough by itself" if reason.is_alone else "with other changes"
    return f"{wrong}{' (' if reason.direction == 'other' else '; '}{then} {_would(reason)}{how})"


@in_its_wording
def sentence_of_reasons(reasons: PrincipalReasons) -> str:
    """Name the reasons, and say what is proven of them."""
    wanted = target_in_words(reasons.target)
    if reasons.status == "has outcome":
        return f"The model would {wanted} already: there is no reason against it."
    if reasons.status == "no recourse":
        return f"No realistic change makes the model {wanted}: there is no recourse, and no reason is given."
    if reasons.status == "unknown":
        return f"Why the model would not {wanted} could not be proven."
    listed = "; ".join(text_of_reason(reason) for reason in reasons.reasons)
    more = len(reasons.columns) - len(reasons.reasons)
    if not more:
        proof = "No realistic change that leaves all of this as it is"
        return f"Why the model would not {wanted}: {listed}. {proof} makes the model {wanted}, proven."
    return (
        f"Why the model would not {wanted}: {listed}. The smallest set of columns one of which has to change has "
        f"{len(reasons.columns)}; {more} less important {'one is' if more == 1 else 'ones are'} not named."
    )


@in_its_wording
def text_of_reasons(reasons: PrincipalReasons) -> str:
    """Sentence, then a line a reason with its responsiveness."""
    cells = [("reason", "direction", "now", "then", "alone", "values that work")] if reasons.reasons else []
    for reason in reasons.reasons:
        now, then = _values(reason)
        alone = "yes" if reason.is_alone else "no"
        cells.append((_name(reason), reason.direction, str(now), str(then), alone, _responsive(reason)))
    return "\n".join([sentence_of_reasons(reasons), *aligned(cells)])


@in_its_wording
def html_of_reasons(reasons: PrincipalReasons) -> str:
    """Sentence and a table of the reasons."""
    rows = []
    for reason in reasons.reasons:
        now, then = (html_of_word(word) for word in _values(reason))
        alone = "yes" if reason.is_alone else "no"
        rows.append([safe(_name(reason)), reason.direction, now, then, alone, safe(_responsive(reason))])
    parts = [f'<p class="ew-sentence">{safe(sentence_of_reasons(reasons))}</p>']
    if rows:
        header = ("reason", "direction", "now", "nearest that works", "by itself", "values that work by themselves")
        parts.append(table(header, rows))
    return fragment(parts)


def _values(reason: PrincipalReason) -> tuple[Word, Word]:
    changes = {change.feature: change for change in reason.explanation.changes}
    return change_words(changes[reason.column])


def _would(reason: PrincipalReason) -> str:
    return "would be " if reason.is_alone else "would do "


def _name(reason: PrincipalReason) -> str:
    name = str(column_word(reason.column))
    return name if reason.code is None else f"{reason.code}: {name}"


def _responsive(reason: PrincipalReason) -> str:
    found = reason.responsiveness
    if found.n_possible is None:
        return percent(found.share)
    return f"{found.n_working:,} of {found.n_possible:,}"
