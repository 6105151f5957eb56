"""Answers as HTML fragments: self-contained, escaped, light and dark, without scripts and without the network.

Whatever comes from the user's data (names, levels, labels, reasons) goes through :func:`escape` here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from .numbers import FEW, MANY, number, percent, signed
from .sentence import change_words, words_of
from .summary import (
    Summary,
    changes_in_short,
    distance_in_short,
    evenly,
    in_words,
    name_of_row,
    plausibility_in_short,
    summary_of,
)
from .text import certificate, headline_of_frontier, remark_of
from .words import Word, clean, column_word, label_word, shortened

if TYPE_CHECKING:
    from ..results import Change, Explanation, Explanations, Frontier, WhyNot

_MOST_CHANGES, _MOST_ROWS, _MOST_COLUMNS, _MOST_QUANTILES = 50, 10, 12, 21
_TAGS = {"label": "em", "column": "code", "value": "span", "words": "span"}


def html_of_explanation(explanation: Explanation) -> str:
    """Sentence, table of changes, certificate."""
    return _fragment(
        [
            sentence_html(explanation),
            _table_of_changes(explanation.changes),
            _paragraph(certificate(explanation), "ew-certificate"),
            _paragraph(remark_of(explanation), "ew-note"),
        ]
    )


def sentence_html(explanation: Explanation) -> str:
    """Give the sentence as a paragraph."""
    return f'<p class="ew-sentence">{_html(words_of(explanation))}</p>'


def html_of_explanations(explanations: Explanations) -> str:
    """Give counts and medians, how often columns change, and the first rows."""
    summary = summary_of(explanations)
    parts = [f'<p class="ew-sentence">{_counts(summary)}</p>', _how_often(summary)]
    n_shown = min(len(explanations), _MOST_ROWS)
    if n_shown:
        rows = [_row_of_answer(explanations, place) for place in range(n_shown)]
        header = ("row", "predicted", "wanted", "changes", "#distance", "#plausibility", "status")
        parts.append(_table(header, rows))
    if len(explanations) > n_shown:
        parts.append(_paragraph(f"and {len(explanations) - n_shown:,} more", "ew-note"))
    return _fragment(parts)


def html_of_frontier(frontier: Frontier) -> str:
    """How far one has to go for how plausible an answer, a line a quantile."""
    shown = evenly(len(frontier), _MOST_QUANTILES)
    rows = []
    for place in shown:
        one = frontier.explanations[place]
        rows.append(
            [
                f"{frontier.quantiles[place]:g}",
                distance_in_short(one),
                escape(plausibility_in_short(one)),
                _html(changes_in_short(one, " → ")),
                _status(one.status),
            ]
        )
    parts = [
        _paragraph(headline_of_frontier(frontier), "ew-sentence"),
        _table(("#quantile", "#distance", "#plausibility", "changes", "status"), rows),
    ]
    if len(shown) < len(frontier):
        parts.append(_paragraph(f"{len(shown)} of {len(frontier)} quantiles are shown", "ew-note"))
    return _fragment(parts)


def html_of_why_not(why_not: WhyNot) -> str:
    """Give the sentence, the rules that contradict each other, and what leaving one out would give."""
    parts = [_paragraph(_safe(why_not.sentence), "ew-sentence")]
    if why_not.conflict:
        items = "".join(f"<li>{escape(_safe(rule))}</li>" for rule in why_not.conflict[:_MOST_CHANGES])
        what = "This rule is in the way" if len(why_not.conflict) == 1 else "Rules that contradict each other"
        parts.append(f"<p>{what}:</p><ul>{items}</ul>")
    if why_not.reliefs:
        rows = [
            [escape(_safe(relief.rule)), number(relief.distance, FEW)] for relief in why_not.reliefs[:_MOST_CHANGES]
        ]
        parts.append(_table(("without this rule", "#there is an answer at distance"), rows))
    return _fragment(parts)


def _fragment(parts: Iterable[str]) -> str:
    return f'<div class="elsewise"><style>{style()}</style>{"".join(parts)}</div>'


@cache
def style() -> str:
    """Give the style sheet of the fragments."""
    return files(__package__).joinpath("style.css").read_text(encoding="utf-8")


def _paragraph(text: str, name: str) -> str:
    return f'<p class="{name}">{escape(text)}</p>' if text else ""


def _html(words: Iterable[Word]) -> str:
    return "".join(_word(word) for word in words)


def _word(word: Word) -> str:
    text = escape(word.text)
    if word.kind == "words":
        return text
    text = f"&quot;{text}&quot;" if word.is_text and word.kind == "value" else text
    title = f' title="{escape(word.whole)}"' if word.whole else ""
    tag = _TAGS[word.kind]
    return text if tag == "span" and not title else f"<{tag}{title}>{text}</{tag}>"


def _safe(text: str) -> str:
    return shortened(clean(text), 1000)


def _status(status: str) -> str:
    return f'<span class="ew-{status}">{status}</span>'


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Make a table of cells that are HTML already; columns whose title begins with # hold numbers."""
    marks = [' class="ew-number"' if title.startswith("#") else "" for title in header]
    head = "".join(f'<th scope="col"{mark}>{escape(title.lstrip("#"))}</th>' for title, mark in zip(header, marks))
    lines = []
    for row in rows:
        first = f'<th scope="row"{marks[0]}>{row[0]}</th>'
        lines.append(
            "<tr>" + first + "".join(f"<td{mark}>{cell}</td>" for cell, mark in zip(row[1:], marks[1:])) + "</tr>"
        )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _table_of_changes(changes: Sequence[Change]) -> str:
    if not changes:
        return ""
    total = sum(abs(change.cost) for change in changes)
    rows = []
    for change in changes[:_MOST_CHANGES]:
        before, after = change_words(change, MANY)
        difference = "" if change.difference is None else escape(signed(change.difference, FEW))
        share = abs(change.cost) / total if total > 0 else 0.0
        rows.append([_word(column_word(change.feature)), _word(before), _word(after), difference, _bar(share)])
    if len(changes) > _MOST_CHANGES:
        rows.append([f"and {len(changes) - _MOST_CHANGES:,} more", "", "", "", ""])
    return _table(("column", "now", "needed", "#difference", "share of the distance"), rows)


def _bar(share: float) -> str:
    """Draw a share as a bar that says its number to those who cannot see it."""
    return f'<span class="ew-bar" role="img" aria-label="{percent(share)}" title="{percent(share)}">' + (
        f'<span style="width:{100 * min(share, 1.0):.1f}%"></span></span>'
    )


def _counts(summary: Summary) -> str:
    parts = [f"{summary.n:,} explanation{'' if summary.n == 1 else 's'}: {in_words(summary.counts)}"]
    if summary.median_distance is not None:
        parts.append(f"median distance {number(summary.median_distance, FEW)}")
    if summary.median_plausibility is not None:
        parts.append(f"median plausibility {percent(summary.median_plausibility)}")
    return escape("; ".join(parts) + ".")


def _how_often(summary: Summary) -> str:
    if not summary.how_often:
        return ""
    rows = [
        [_word(column_word(name)), f"{count:,}", _bar(count / summary.n_found)]
        for name, count in summary.how_often[:_MOST_COLUMNS]
    ]
    n_more = len(summary.how_often) - len(rows)
    if n_more:
        rows.append([f"and {n_more:,} more", "", ""])
    return _table(("column", "#changes in", f"of {summary.n_found:,} answers"), rows)


def _row_of_answer(explanations: Explanations, place: int) -> list[str]:
    one = explanations[place]
    return [
        _word(name_of_row(explanations, place)),
        _word(label_word(one.prediction)),
        "–" if one.target is None else _word(label_word(one.target)),
        _html(changes_in_short(one, " → ")),
        distance_in_short(one),
        escape(plausibility_in_short(one)),
        _status(one.status),
    ]
