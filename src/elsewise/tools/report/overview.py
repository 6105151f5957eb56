"""The summary on top: how many rows have an answer, how far it is, what changes, and what stands in the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from ...answers import Explanations, WhyNot
from ...arrays import FloatArray, UserValue
from ...reasons import has_answer
from ...text.html import headings
from ...text.languages import plural, say
from ...text.numbers import FEW, number, percent, percent_down, two_numbers
from ...text.words import column_word, label_word
from ..plot.pictures.summary import SummaryPicture
from .markup import (
    LONGEST_REASON,
    MOST_CHANGING_COLUMNS,
    MOST_MOVES,
    MOST_OBSTACLES,
    bar,
    counted,
    details,
    escaped,
    html_of_word,
    paragraph,
    section,
    table,
    texts,
    wide,
)

# Bins of the histogram of distances.
FEWEST_BINS, MOST_BINS = 4, 24
# Significant digits of costs and of the ends of bins.
DIGITS = 3

_STATUSES = ("optimal", "feasible", "densest", "infeasible", "error", "unknown")


def overview(explanations: Explanations, why_not: Mapping[int, WhyNot]) -> str:
    """Summarise; of several answers a row the first one counts."""
    if len(explanations) == 0:
        return section("summary", say("report.summary"), [paragraph(say("report.no rows"))])
    best = explanations.take(np.unique(explanations.rows, return_index=True)[1].astype(np.int64))
    picture = SummaryPicture.compute(explanations, why_not, max_columns=len(explanations.table.columns) + 1)
    parts = [_figures(explanations, best), _status_bar(best), _moves(best)]
    moved = best.found & best.changed.any(axis=1)
    if best.found.any():
        parts += [_distances(best.distances[moved])] * bool(moved.any()) + [_columns(picture)]
    if picture.obstacles:
        parts.append(_obstacles(picture))
    return section("summary", say("report.summary"), parts)


def _figures(explanations: Explanations, best: Explanations) -> str:
    found = best.found
    figures = [(number(len(best)), plural("report.card rows", len(best)))]
    figures.append((number(int(found.sum())), say("report.card answered", share=percent(float(found.mean())))))
    if len(explanations) > len(best):
        figures.append((number(int(explanations.found.sum())), say("report.card answers")))
    moved = found & best.changed.any(axis=1)
    if (found & ~moved).any():
        figures.append((number(int((found & ~moved).sum())), say("report.card unchanged")))
    if moved.any():
        figures.append((number(float(np.median(best.distances[moved])), FEW), say("report.card distance")))
        n_changes = best.changed[moved].sum(axis=1)
        figures.append((number(float(np.median(n_changes)), FEW), say("report.card changes")))
    if found.any():
        plausible = best.plausibilities[found]
        plausible = plausible[np.isfinite(plausible)]
        if len(plausible):
            share = percent_down(float(np.median(plausible)))
            figures.append((share, say("report.card typical")))
    cards = "".join(f"<div><dd>{escaped(value)}</dd><dt>{escaped(stated)}</dt></div>" for value, stated in figures)
    return f'<dl class="figures">{cards}</dl>'


def _status_bar(best: Explanations) -> str:
    counts = [(name, int((best.statuses == name).sum())) for name in _STATUSES]
    parts, key = [], []
    for name, count in counts:
        if count:
            parts.append(f'<span class="s-{name}" style="flex-grow:{count}"></span>')
            key.append(
                f'<li><span class="dot s-{name}"></span>{number(count)} {escaped(say(f"report.status {name}"))}</li>'
            )
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
        [_label(move[0]), _label(move[1]), number(count), number(answered[move])]
        for move, count in counts.most_common(MOST_MOVES)
    ]
    if len(counts) > MOST_MOVES:
        rest = sum(count for _, count in counts.most_common()[MOST_MOVES:])
        rows.append([say("report.others", n=number(len(counts) - MOST_MOVES)), "", number(rest), ""])
    title = say("report.moves")
    header = [say("head.predicted"), *texts("head wanted", "*head rows", "*head answered")]
    body = wide(table(header, rows), title)
    return f"<h3>{title}</h3>{body}"


def _label(label: UserValue) -> str:
    return "–" if label is None else html_of_word(label_word(label))


def _distances(distances: FloatArray) -> str:
    """Draw how far answers are, and say it in figures."""
    places = {"low": 0.0, "first": 0.25, "median": 0.5, "third": 0.75, "high": 1.0}
    ends = {name: number(float(np.quantile(distances, place))) for name, place in places.items()}
    drawn = "" if distances.min() == distances.max() else _histogram(distances)
    return f"<h3>{say('report.how far')}</h3><p>{escaped(say('report.distances', **ends))}</p>{drawn}"


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
                f'height="{height:.1f}"><title>{counted("bar", count, low=ends[0], high=ends[1])}</title></rect>'
            )
    left, right = two_numbers(float(edges[0]), float(edges[-1]), DIGITS)
    return (
        '<figure class="chart"><svg viewBox="0 0 480 112" role="img" aria-label="'
        + escaped(say("report.histogram"))
        + '">'
        f'<g class="bars">{"".join(bars)}</g><path class="axis" d="M0 96.5H480"/><text x="0" y="109">{left}</text>'
        f'<text x="480" y="109" text-anchor="end">{right}</text></svg><figcaption>'
        f"{counted('histogram caption', len(values))}</figcaption></figure>"
    )


def _columns(picture: SummaryPicture) -> str:
    if not picture.columns:
        return f"<h3>{say('report.what changes')}</h3><p>{say('report.nothing changes')}</p>"
    rows = []
    for place, name in enumerate(picture.columns):
        share = float(picture.shares[place])
        first, median, third = (number(float(cost), DIGITS) for cost in picture.costs[place])
        rows.append(
            [
                html_of_word(column_word(name)),
                number(round(share * picture.n_answered)),
                f'<span class="share">{bar(share)}{percent(share)}</span>',
                escaped(picture.typical[place]),
                median if first == third else f"{median} ({first} – {third})",
            ]
        )
    header = [*headings("column", "*changes in"), *texts("head of the answers", "head usual", "*head adds")]
    first = wide(table(header, rows[:MOST_CHANGING_COLUMNS]), say("report.columns that change"))
    rest = rows[MOST_CHANGING_COLUMNS:]
    more = ""
    if rest:
        more = details(counted("further columns", len(rest)), wide(table(header, rest), say("report.more columns")))
    title = say("report.what changes, how often")
    return f"<h3>{title}</h3>{paragraph(say('report.how often lead'))}{first}{more}"


def _obstacles(picture: SummaryPicture) -> str:
    none = picture.n_rows - picture.n_answered
    rows = [
        [escaped(obstacle.reason, LONGEST_REASON), number(obstacle.count), bar(obstacle.count / none)]
        for obstacle in picture.obstacles[:MOST_OBSTACLES]
    ]
    rest = picture.obstacles[MOST_OBSTACLES:]
    if rest:
        count = sum(obstacle.count for obstacle in rest)
        rows.append([counted("other reasons", len(rest)), number(count), bar(count / none)])
    title = say("report.obstacles")
    header = [say("head.reason"), *texts("*head rows"), say("report.head of", n=number(none))]
    return f"<h3>{title}</h3><p>{counted('obstacles lead', none)}</p>{wide(table(header, rows), title)}"
