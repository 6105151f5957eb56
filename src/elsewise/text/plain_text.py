"""Answers as plain text: the sentence, the table of changes, the certificate in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..reasons import NoFurther
from .languages import in_its_wording, plural, say, speaking
from .numbers import (
    MANY,
    MOST_COLUMNS_OF_TEXT,
    MOST_QUANTILES,
    MOST_ROWS_OF_TEXT,
    gap_in_percent,
    number,
    rounded_down,
    signed,
)
from .ranges import sentence_of_ranges
from .sentence import (
    NO_GAP,
    AnswersInBrief,
    change_words,
    changes_in_short,
    counts_in_words,
    distance_in_short,
    evenly,
    in_brief,
    name_of_row,
    plausibility_in_short,
    reason_of,
    said_of_others,
    sentence,
)
from .words import column_word, label_word, plain, status_word

if TYPE_CHECKING:
    from ..answers import Change, ChangesFrontier, Explanation, Explanations, Frontier

# Characters of a line of text: what a terminal shows.
LONGEST_LINE = 120


@in_its_wording
def text_of_change(change: Change) -> str:
    """Return one change in a line."""
    before, after = change_words(change, MANY)
    difference = "" if change.difference is None else f" ({signed(change.difference)})"
    return f"{column_word(change.feature)}: {before} -> {after}{difference}"


@in_its_wording
def headline(explanation: Explanation) -> str:
    """Return an answer in a few words: from what to what, status, distance."""
    if explanation.status == "error":
        return say("headline.error")
    wanted = say("headline.another class") if explanation.target is None else label_word(explanation.target)
    parts = {"prediction": label_word(explanation.prediction), "target": wanted}
    status = status_word(explanation.status)
    if not explanation.found:
        return say("headline", **parts, status=status)
    return say("headline.distance", **parts, status=status, distance=number(explanation.distance, MANY))


@in_its_wording
def text_of_explanation(explanation: Explanation) -> str:
    """Return sentence, table of changes, certificate, and a remark if there is one that the sentence has not made."""
    lines = [sentence(explanation), *_table_of_changes(explanation.changes), f"  {certificate(explanation)}"]
    if explanation.ranges is not None and explanation.changes:
        lines.append(f"  {say('ranges.lead', ranges=sentence_of_ranges(explanation.ranges))}")
    remark = remark_of(explanation)
    return "\n".join([*lines, f"  {remark}"] if remark else lines)


def certificate(explanation: Explanation) -> str:
    """Describe what is proven and checked, in one line."""
    if explanation.status in ("error", "infeasible"):
        return say(f"certificate.{explanation.status}")
    if not explanation.found:
        return say("certificate.unknown", bound=rounded_down(explanation.lower_bound))
    distance = number(explanation.distance)
    status = status_word(explanation.status)
    parts = [say("certificate.distance", status=status, distance=distance, proof=_proof(explanation))]
    if np.isfinite(explanation.log_threshold):  # both to the nearest: then the larger one never reads as the smaller
        density, threshold = number(explanation.log_density, MANY), number(explanation.log_threshold, MANY)
        parts.append(say("certificate.density", density=density, threshold=threshold))
    if explanation.model_free:
        parts.append(say("certificate.model free"))
    return "; ".join(parts)


def _proof(explanation: Explanation) -> str:
    """Describe what is proven of the distance, in the digits that the distance is written with."""
    if explanation.status == "optimal" or (explanation.status == "densest" and explanation.gap <= NO_GAP):
        return said_of_others("certificate.smallest", explanation)
    if not explanation.lower_bound > 0:
        return said_of_others("certificate.open", explanation)
    bound, gap = rounded_down(explanation.lower_bound), gap_in_percent(explanation.gap)
    return said_of_others("certificate.gap", explanation, bound=bound, gap=gap)


def remark_of(explanation: Explanation) -> str:
    """Return the reason where the sentence has not said it."""
    is_further = isinstance(explanation.cause, NoFurther)
    return reason_of(explanation) if is_further or explanation.status in ("feasible", "densest") else ""


@in_its_wording
def headline_of_many(explanations: Explanations) -> str:
    """Return many answers in a line."""
    return _headline(in_brief(explanations))


def _headline(brief: AnswersInBrief) -> str:
    parts = [plural("many.count", brief.n, n=number(brief.n), counts=counts_in_words(brief.counts))]
    if brief.median_distance is not None:
        parts.append(say("many.median", distance=number(brief.median_distance, MANY)))
    return ", ".join(parts)


@in_its_wording
def text_of_explanations(explanations: Explanations) -> str:
    """Return counts and medians, how often columns change, and the first rows."""
    brief = in_brief(explanations)
    lines = [_headline(brief)]
    if brief.how_often:
        shown = [f"{column_word(name)} {number(count)}" for name, count in brief.how_often[:MOST_COLUMNS_OF_TEXT]]
        n_more = len(brief.how_often) - len(shown)
        lines.append(
            say("many.columns", columns=", ".join(shown)) + (f" {say('and more', n=n_more)}" if n_more else "")
        )
    n_shown = min(len(explanations), MOST_ROWS_OF_TEXT)
    cells = [heads("row", "predicted", "target", "status", "distance", "changes")] if n_shown else []
    for place in range(n_shown):
        one = explanations[place]
        wanted = "–" if one.target is None else str(label_word(one.target))
        short = plain(changes_in_short(one, " -> "))
        cells.append(
            (
                str(name_of_row(explanations, place)),
                "–" if one.status == "error" else str(label_word(one.prediction)),
                wanted,
                status_word(one.status),
                distance_in_short(one),
                short,
            )
        )
    lines += aligned(cells)
    if len(explanations) > n_shown:
        lines.append(f"  {say('many.more', n=number(len(explanations) - n_shown))}")
    return "\n".join(lines)


def heads(*names: str) -> tuple[str, ...]:
    """Return what stands above the columns of a table."""
    return tuple(say(f"head.{name}") for name in names)


def headline_of_frontier(frontier: Frontier) -> str:
    """Return a frontier in a line."""
    with speaking(frontier.explanations.table.wording):
        quantiles, distances = frontier.quantiles, frontier.distances
        found = np.isfinite(distances)
        low, high = (number(float(end), MANY) for end in (quantiles[0], quantiles[-1]))
        if not found.any():
            return say("frontier.none", n=len(frontier), low=low, high=high)
        near, far = (number(float(distance), MANY) for distance in (distances[found].min(), distances[found].max()))
        parts = {"n": len(frontier), "low": low, "high": high, "near": near, "far": far}
        if found.all():
            return say("frontier.all", **parts)
        return say("frontier.some", **parts, most=number(float(quantiles[found].max()), MANY))


def text_of_frontier(frontier: Frontier) -> str:
    """Return how far one has to go for how plausible an answer, a line a quantile."""
    with speaking(frontier.explanations.table.wording):
        quantiles = [number(float(quantile), MANY) for quantile in frontier.quantiles]
        return _text_of_nested(headline_of_frontier(frontier), "quantile", quantiles, frontier.explanations)


def headline_of_changes_frontier(frontier: ChangesFrontier) -> str:
    """Return in a line how far one has to go with how many changes."""
    with speaking(frontier.explanations.table.wording):
        limits, distances = frontier.max_changes.tolist(), frontier.distances
        found = np.isfinite(distances)
        if not found.any():
            return say("changes frontier.none", most=limits[-1])
        fewest = int(frontier.max_changes[found].min())
        near, far = (number(float(distance), MANY) for distance in (distances[found].min(), distances[found].max()))
        distance = near if near == far else say("changes frontier.down to", far=far, near=near)
        if fewest == limits[-1]:
            return plural("changes frontier.count", fewest, distance=distance)
        counts = say("changes frontier.to", first=fewest, last=limits[-1])
        return say("changes frontier.count.many", n=counts, distance=distance)


def text_of_changes_frontier(frontier: ChangesFrontier) -> str:
    """Return how far one has to go with how few changes, a line a number of changes."""
    with speaking(frontier.explanations.table.wording):
        limits = [str(limit) for limit in frontier.max_changes.tolist()]
        return _text_of_nested(headline_of_changes_frontier(frontier), "at most", limits, frontier.explanations)


def _text_of_nested(headline: str, name: str, values: Sequence[str], explanations: Explanations) -> str:
    """Return lines of answers to questions that differ in one value, which has a name."""
    cells = [heads(name, "distance", "typical", "status", "changes")]
    shown = evenly(len(values), MOST_QUANTILES)
    for place in shown:
        one = explanations[place]
        short = plain(changes_in_short(one, " -> "))
        status = status_word(one.status)
        cells.append((values[place], distance_in_short(one), plausibility_in_short(one), status, short))
    lines = [headline, *aligned(cells)]
    if len(shown) < len(values):
        lines.append(f"  ({how_many_are_shown(name, len(shown), len(values))})")
    return "\n".join(lines)


def how_many_are_shown(name: str, n_shown: int, n: int) -> str:
    """State that not all lines of a table are shown."""
    return say("frontier.shown" if name == "quantile" else "changes frontier.shown", shown=n_shown, n=n)


def aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    """Return lines of a table, columns aligned; lines that get too long lose their end."""
    if not cells:
        return []
    widths = [max(len(row[place]) for row in cells) for place in range(len(cells[0]))]
    lines = ["  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths)).rstrip() for row in cells]
    return [line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…" for line in lines]


def _table_of_changes(changes: Sequence[Change]) -> list[str]:
    """Return lines with name, now, then and difference; never cut: this is where everything is."""
    rows = []
    for change in changes:
        before, after = change_words(change, MANY)
        difference = "" if change.difference is None else f"({signed(change.difference)})"
        rows.append((str(column_word(change.feature)), str(before), str(after), difference))
    name, before_width, after_width = (max((len(row[place]) for row in rows), default=0) for place in range(3))
    return [
        f"  {row[0]:<{name}}  {row[1]:>{before_width}} -> {row[2]:<{after_width}}  {row[3]}".rstrip() for row in rows
    ]
