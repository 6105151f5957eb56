"""Answers as HTML fragments: self-contained, escaped, light and dark, without scripts and without the network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from math import isnan
from typing import TYPE_CHECKING

from .languages import in_its_wording, plural, say, speaking
from .markup import Heading, bar, html_of_word, html_of_words, paragraph, safe, table
from .numbers import (
    FEW,
    MANY,
    MOST_CHANGES_OF_HTML,
    MOST_COLUMNS_OF_HTML,
    MOST_QUANTILES,
    MOST_ROWS_OF_HTML,
    number,
    percent,
    percent_down,
    percentile,
    signed,
)
from .plain_text import (
    certificate,
    headline_of_changes_frontier,
    headline_of_frontier,
    how_many_are_shown,
    remark_of,
)
from .ranges import sentence_of_ranges
from .reasons import conflict_lead
from .sentence import (
    AnswersInBrief,
    change_words,
    changes_in_short,
    counts_in_words,
    distance_in_short,
    evenly,
    in_brief,
    name_of_row,
    plausibility_in_short,
    words_of,
)
from .steps import (
    certificate_of_path,
    remark_of_path,
    words_of_instruction,
    words_of_path,
    words_of_plan,
    words_of_step,
)
from .words import column_word, label_word, status_word

if TYPE_CHECKING:
    from ..answers import Change, ChangesFrontier, Explanation, Explanations, Frontier, Path, Plan, WhyNot

# Width and height, in pixels, of the curve of a path's density in notebooks.
PROFILE_SIZE = (360, 60)


@in_its_wording
def html_of_explanation(explanation: Explanation) -> str:
    """Return sentence, table of changes, certificate."""
    return fragment(
        [
            sentence_html(explanation),
            _table_of_changes(explanation.changes),
            paragraph(certificate(explanation), "ew-certificate"),
            _ranges(explanation),
            paragraph(remark_of(explanation), "ew-note"),
        ]
    )


def _ranges(explanation: Explanation) -> str:
    if explanation.ranges is None or not explanation.changes:
        return ""
    return f'<p class="ew-note">{safe(say("ranges.lead", ranges=sentence_of_ranges(explanation.ranges)))}</p>'


def sentence_html(explanation: Explanation, *, are_pixels: bool = False) -> str:
    """Return the sentence as a paragraph."""
    return f'<p class="ew-sentence">{html_of_words(words_of(explanation, are_pixels=are_pixels))}</p>'


@in_its_wording
def html_of_explanations(explanations: Explanations) -> str:
    """Return counts and medians, how often columns change, and the first rows."""
    brief = in_brief(explanations)
    parts = [f'<p class="ew-sentence">{_counts(brief)}</p>', _how_often(brief)]
    n_shown = min(len(explanations), MOST_ROWS_OF_HTML)
    if n_shown:
        rows = [_row_of_answer(explanations, place) for place in range(n_shown)]
        names = ("row", "predicted", "target", "changes", "*distance", "*typical", "status")
        parts.append(table(headings(*names), rows))
    if len(explanations) > n_shown:
        parts.append(paragraph(say("and more", n=number(len(explanations) - n_shown)), "ew-note"))
    return fragment(parts)


def html_of_frontier(frontier: Frontier) -> str:
    """Return how far one has to go for how plausible an answer, a line a quantile."""
    with speaking(frontier.explanations.table.wording):
        quantiles = [number(float(quantile), MANY) for quantile in frontier.quantiles]
        return _html_of_nested(headline_of_frontier(frontier), "quantile", quantiles, frontier.explanations)


def html_of_changes_frontier(frontier: ChangesFrontier) -> str:
    """Return how far one has to go with how few changes, a line a number of changes."""
    with speaking(frontier.explanations.table.wording):
        limits = [str(limit) for limit in frontier.max_changes.tolist()]
        return _html_of_nested(headline_of_changes_frontier(frontier), "at most", limits, frontier.explanations)


def headings(*names: str) -> list[Heading]:
    """Return what stands above the columns of a table; a star marks a column of numbers."""
    return [Heading(escape(say(f"head.{name.lstrip('*')}")), name.startswith("*")) for name in names]


def _html_of_nested(headline: str, name: str, values: Sequence[str], explanations: Explanations) -> str:
    """Return a table of answers to questions that differ in one value, which has a name."""
    shown = evenly(len(values), MOST_QUANTILES)
    rows = []
    for place in shown:
        one = explanations[place]
        rows.append(
            [
                values[place],
                distance_in_short(one),
                escape(plausibility_in_short(one)),
                html_of_words(changes_in_short(one, " → ")),
                _status(one.status),
            ]
        )
    parts = [
        paragraph(headline, "ew-sentence"),
        table(headings(f"*{name}", "*distance", "*typical", "changes", "status"), rows),
    ]
    if len(shown) < len(values):
        parts.append(paragraph(how_many_are_shown(name, len(shown), len(values)), "ew-note"))
    return fragment(parts)


@in_its_wording
def html_of_path(path: Path) -> str:
    """Return sentence, a line a step, certificate."""
    parts = [f'<p class="ew-sentence">{html_of_words(words_of_path(path))}</p>']
    if len(path):
        rows = []
        for place, changes in enumerate(path.changes):
            share = float(path.lengths[place] / path.lengths.sum()) if path.lengths.sum() > 0 else 0.0
            rows.append([str(place + 1), html_of_words(words_of_step(changes)), bar(share)])
        parts.append(table(headings("*step", "what changes", "share of way"), rows))
        parts.append(_profile(path))
        parts.append(paragraph(certificate_of_path(path), "ew-certificate"))
        parts.append(paragraph(remark_of_path(path), "ew-note"))
    return fragment(parts)


def _profile(path: Path) -> str:
    """Draw how typical each place of a path is, from the row at the left to the answer; corners are dots."""
    profile = path.profile
    if profile is None or path.bottleneck is None:
        return ""
    width, height = PROFILE_SIZE
    across, up = (profile.positions * width).tolist(), ((1.0 - profile.shares) * height).tolist()
    line = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in zip(across, up))
    n_places = (len(across) - 1) // len(path)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"></circle>' for x, y in zip(across[::n_places], up[::n_places])
    )
    lowest = percentile(path.bottleneck.share)
    label = escape(say("path.profile", lowest=lowest))
    frame = f'<path d="M0 0H{width}M0 {height}H{width}" class="ew-frame"></path>'
    return (
        f'<svg class="ew-profile" role="img" aria-label="{label}" viewBox="-5 -5 {width + 10} {height + 10}" '
        f'width="{width + 10}" height="{height + 10}">{frame}<path d="{line}"></path>{dots}</svg>'
    )


@in_its_wording
def html_of_plan(plan: Plan) -> str:
    """Return sentence, then a line a step with what is met."""
    parts = [f'<p class="ew-sentence">{html_of_words(words_of_plan(plan))}</p>']
    rows = []
    for place, step in enumerate(plan):
        dense = "" if isnan(step.share) else bar(step.share)
        probable = "" if isnan(step.probability) else percent(step.probability)
        rows.append(
            [
                str(place + 1),
                html_of_words(words_of_instruction(step.changes)),
                dense,
                probable,
                html_of_word(label_word(step.prediction)),
            ]
        )
    if rows:
        parts.append(table(headings("*step", "what to do", "typical", "*probability", "predicted"), rows))
    return fragment(parts)


@in_its_wording
def html_of_why_not(why_not: WhyNot) -> str:
    """Return the sentence, the rules that leave no answer, and what dropping one would cost."""
    parts = [f'<p class="ew-sentence">{safe(why_not.sentence)}</p>']
    if why_not.conflict:
        items = "".join(f"<li>{safe(rule)}</li>" for rule in why_not.conflict[:MOST_CHANGES_OF_HTML])
        parts.append(f"<p>{escape(conflict_lead(why_not))}:</p><ul>{items}</ul>")
    if why_not.reliefs:
        rows = [[safe(relief.rule), number(relief.distance, FEW)] for relief in why_not.reliefs[:MOST_CHANGES_OF_HTML]]
        parts.append(table(headings("without rule", "*costs"), rows))
    return fragment(parts)


def fragment(parts: Iterable[str]) -> str:
    """Put parts into one element with the style sheet."""
    return f'<div class="elsewise"><style>{style()}</style>{"".join(parts)}</div>'


@cache
def style() -> str:
    """Return the style sheet of the fragments."""
    return files(__package__).joinpath("style.css").read_text(encoding="utf-8")


def _status(status: str) -> str:
    return f'<span class="ew-{status}">{escape(status_word(status))}</span>'


def _table_of_changes(changes: Sequence[Change]) -> str:
    if not changes:
        return ""
    total = sum(abs(change.cost) for change in changes)
    rows = []
    for change in changes[:MOST_CHANGES_OF_HTML]:
        before, after = change_words(change, MANY)
        difference = "" if change.difference is None else escape(signed(change.difference, FEW))
        share = abs(change.cost) / total if total > 0 else 0.0
        rows.append(
            [
                html_of_word(column_word(change.feature)),
                html_of_word(before),
                html_of_word(after),
                difference,
                bar(share),
            ]
        )
    if len(changes) > MOST_CHANGES_OF_HTML:
        rows.append([escape(say("and more", n=number(len(changes) - MOST_CHANGES_OF_HTML))), "", "", "", ""])
    return table(headings("column", "now", "then", "*difference", "share of distance"), rows)


def _counts(brief: AnswersInBrief) -> str:
    parts = [plural("many.count", brief.n, n=number(brief.n), counts=counts_in_words(brief.counts))]
    if brief.median_distance is not None:
        parts.append(say("many.median", distance=number(brief.median_distance, FEW)))
    if brief.median_plausibility is not None:
        parts.append(say("many.median typical", share=percent_down(brief.median_plausibility)))
    return escape("; ".join(parts) + ".")


def _how_often(brief: AnswersInBrief) -> str:
    if not brief.how_often:
        return ""
    rows = [
        [html_of_word(column_word(name)), number(count), bar(count / brief.n_found)]
        for name, count in brief.how_often[:MOST_COLUMNS_OF_HTML]
    ]
    n_more = len(brief.how_often) - len(rows)
    if n_more:
        rows.append([escape(say("and more", n=number(n_more))), "", ""])
    last = Heading(escape(say("head.of answers", n=number(brief.n_found))))
    return table([*headings("column", "*changes in"), last], rows)


def _row_of_answer(explanations: Explanations, place: int) -> list[str]:
    one = explanations[place]
    return [
        html_of_word(name_of_row(explanations, place)),
        "–" if one.status == "error" else html_of_word(label_word(one.prediction)),
        "–" if one.target is None else html_of_word(label_word(one.target)),
        html_of_words(changes_in_short(one, " → ")),
        distance_in_short(one),
        escape(plausibility_in_short(one)),
        _status(one.status),
    ]
