"""The summary on top: how many rows have an answer, how far it is, what changes, and what stands in the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...answers import Explanations, WhyNot
from ...arrays import FloatArray
from ...reasons import has_answer
from ...text.numbers import FEW, number, percent, percent_down, two_numbers
from ...text.words import column_word, label_word
from ..plot.pictures.summary import SummaryPicture
from .markup import (
    LONGEST_REASON,
    MOST_CHANGING_COLUMNS,
    MOST_MOVES,
    MOST_OBSTACLES,
    bar,
    details,
    escaped,
    html_of_word,
    of_numbers,
    paragraph,
    plural,
    section,
    table,
    wide,
)

# Bins of the histogram of distances.
FEWEST_BINS, MOST_BINS = 4, 24
# Significant digits of costs and of the ends of bins.
DIGITS = 3

_STATUSES = (
    ("optimal", "proven nearest"),
    ("feasible", "found, proof not finished"),
    ("densest", "nearest where nothing is as typical as requested"),
    ("infeasible", "no answer"),
    ("error", "wrong rows, not asked about"),
    ("unknown", "none found, nothing proven"),
)


def overview(explanations: Explanations, why_not: Mapping[int, WhyNot]) -> str:
    """Summarise; of several answers a row the first one counts."""
    if len(explanations) == 0:
        return section("summary", "Summary", [paragraph("There are no rows in this report.")])
    best = explanations.take(np.unique(explanations.rows, return_index=True)[1].astype(np.int64))
    picture = SummaryPicture.compute(explanations, why_not, max_columns=len(explanations.table.columns) + 1)
    parts = [_figures(explanations, best), _status_bar(best), _moves(best)]
    found = best.found
    if found.any():
        parts += [_distances(best.distances[found]), _columns(picture)]
    if picture.obstacles:
        parts.append(_obstacles(picture))
    return section("summary", "Summary", parts)


def _figures(explanations: Explanations, best: Explanations) -> str:
    found = best.found
    figures = [(f"{len(best):,}", "row" if len(best) == 1 else "rows")]
    figures.append((f"{int(found.sum()):,}", f"with an answer ({percent(float(found.mean()))})"))
    if len(explanations) > len(best):
        figures.append((f"{int(explanations.found.sum()):,}", "answers in all"))
    unchanged = int((found & ~best.changed.any(axis=1)).sum())
    if unchanged:
        figures.append((f"{unchanged:,}", "with nothing to change"))
    if found.any():
        figures.append((number(float(np.median(best.distances[found])), FEW), "median distance"))
        n_changes = best.changed[found].sum(axis=1)
        figures.append((number(float(np.median(n_changes)), FEW), "columns change (median)"))
        plausible = best.plausibilities[found]
        plausible = plausible[np.isfinite(plausible)]
        if len(plausible):
            share = percent_down(float(np.median(plausible)))
            figures.append((share, "of real cases no more typical (median)"))
    cards = "".join(f"<div><dd>{escaped(value)}</dd><dt>{stated}</dt></div>" for value, stated in figures)
    return f'<dl class="figures">{cards}</dl>'


def _status_bar(best: Explanations) -> str:
    counts = [(name, stated, int((best.statuses == name).sum())) for name, stated in _STATUSES]
    parts, key = [], []
    for name, stated, count in counts:
        if count:
            parts.append(f'<span class="s-{name}" style="flex-grow:{count}"></span>')
            key.append(f'<li><span class="dot s-{name}"></span>{count:,} {stated}</li>')
    return f'<div class="stack" aria-hidden="true">{"".join(parts)}</div><ul class="key">{"".join(key)}</ul>'


def _moves(best: Explanations) -> str:
    """Count from which prediction to which outcome, for a classifier."""
    if any(isinstance(target, tuple) for target in best.targets):
        return ""
    pairs = [
        move for move in zip(best.predictions.tolist(), best.targets, best.statuses.tolist()) if move[2] != "error"
    ]
    counts = Counter((prediction, target) for prediction, target, _ in pairs)
    if len(counts) < 2:
        return ""
    answered = Counter((prediction, target) for prediction, target, status in pairs if has_answer(status))
    rows = [
        [_label(move[0]), _label(move[1]), f"{count:,}", f"{answered[move]:,}"]
        for move, count in counts.most_common(MOST_MOVES)
    ]
    if len(counts) > MOST_MOVES:
        rest = sum(count for _, count in counts.most_common()[MOST_MOVES:])
        rows.append([f"{len(counts) - MOST_MOVES} others", "", f"{rest:,}", ""])
    title = "From what to what"
    body = wide(table(("predicted", "wanted", of_numbers("rows"), of_numbers("with an answer")), rows), title)
    return f"<h3>{title}</h3>{body}"


def _label(label: Any) -> str:
    return "–" if label is None else html_of_word(label_word(label))


def _distances(distances: FloatArray) -> str:
    """Draw how far answers are, and say it in figures."""
    low, first, median, third, high = (float(value) for value in np.quantile(distances, [0.0, 0.25, 0.5, 0.75, 1.0]))
    stated = (
        f"Half of the answers are between {number(first)} and {number(third)} away, the median is {number(median)}; "
        f"the nearest is at {number(low)}, the farthest at {number(high)}."
    )
    drawn = "" if low == high else _histogram(distances)
    return f"<h3>How far</h3><p>{escaped(stated)}</p>{drawn}"


def _histogram(values: FloatArray) -> str:
    counts, edges = np.histogram(values, bins=int(np.clip(np.sqrt(len(values)), FEWEST_BINS, MOST_BINS)))
    width, ground, tall = 480.0, 96.0, 86.0
    step = width / len(counts)
    bars = []
    for place, count in enumerate(counts.tolist()):
        if count:
            ends = two_numbers(float(edges[place]), float(edges[place + 1]), DIGITS)
            height = max(tall * count / counts.max(), 1.0)
            bars.append(
                f'<rect x="{place * step + 0.5:.1f}" y="{ground - height:.1f}" width="{step - 1:.1f}" '
                f'height="{height:.1f}"><title>{plural(count, "row")} from {ends[0]} to {ends[1]}</title></rect>'
            )
    left, right = two_numbers(float(edges[0]), float(edges[-1]), DIGITS)
    return (
        '<figure class="chart"><svg viewBox="0 0 480 112" role="img" aria-label="Histogram of the distances">'
        f'<g class="bars">{"".join(bars)}</g><path class="axis" d="M0 96.5H480"/><text x="0" y="109">{left}</text>'
        f'<text x="480" y="109" text-anchor="end">{right}</text></svg><figcaption>Distances of '
        f"{plural(len(values), 'answer')}</figcaption></figure>"
    )


def _columns(picture: SummaryPicture) -> str:
    if not picture.columns:
        return "<h3>What changes</h3><p>Nothing has to change in any row.</p>"
    rows = []
    for place, name in enumerate(picture.columns):
        share = float(picture.shares[place])
        first, median, third = (number(float(cost), DIGITS) for cost in picture.costs[place])
        rows.append(
            [
                html_of_word(column_word(name)),
                f"{round(share * picture.n_answered):,}",
                f'<span class="share">{bar(share)}{percent(share)}</span>',
                escaped(picture.typical[place]),
                median if first == third else f"{median} ({first} – {third})",
            ]
        )
    header = ("column", of_numbers("changes in"), "of the answers", "usual change", of_numbers("adds to the distance"))
    first = wide(table(header, rows[:MOST_CHANGING_COLUMNS]), "Columns that change")
    rest = rows[MOST_CHANGING_COLUMNS:]
    more = details(f"{plural(len(rest), 'more column')}", wide(table(header, rest), "More columns")) if rest else ""
    lead = (
        "How often each column changes, what the usual change is (in brackets its share, where there are others), and "
        "how much it adds to the distance where it changes: the median, and in brackets the middle half."
    )
    return f"<h3>What changes, how often and how far</h3><p>{lead}</p>{first}{more}"


def _obstacles(picture: SummaryPicture) -> str:
    none = picture.n_rows - picture.n_answered
    rows = [
        [escaped(obstacle.reason, LONGEST_REASON), f"{obstacle.count:,}", bar(obstacle.count / none)]
        for obstacle in picture.obstacles[:MOST_OBSTACLES]
    ]
    rest = picture.obstacles[MOST_OBSTACLES:]
    if rest:
        count = sum(obstacle.count for obstacle in rest)
        rows.append([plural(len(rest), "other reason"), f"{count:,}", bar(count / none)])
    title = "What stands in the way"
    lead = paragraph(f"{plural(none, 'row has', 'rows have')} no answer.")
    body = wide(table(("reason", of_numbers("rows"), f"of {none:,}"), rows), title)
    return f"<h3>{title}</h3>{lead}{body}"
