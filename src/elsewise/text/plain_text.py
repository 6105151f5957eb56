"""Answers as plain text: the sentence, the table of changes, the certificate in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .brief import (
    AnswersInBrief,
    changes_in_short,
    counts_in_words,
    distance_in_short,
    evenly,
    in_brief,
    name_of_row,
    plain,
    plausibility_in_short,
)
from .constants import (
    DIGITS_OF_GAP,
    LONGEST_LINE,
    MANY,
    MOST_COLUMNS_OF_TEXT,
    MOST_QUANTILES,
    MOST_ROWS_OF_TEXT,
)
from .numbers import number, rounded_down, rounded_up, signed
from .sentence import change_words, other_kind, reason_of, sentence
from .words import column_word, label_word

if TYPE_CHECKING:
    from ..results import Change, Explanation, Explanations, Frontier


def text_of_change(change: Change) -> str:
    """One change in a line."""
    before, after = change_words(change, MANY)
    difference = "" if change.difference is None else f" ({signed(change.difference)})"
    return f"{column_word(change.feature)}: {before} -> {after}{difference}"


def headline(explanation: Explanation) -> str:
    """Give an answer in a few words: from what to what, status, distance."""
    if explanation.status == "error":
        return "error: the row is wrong"
    distance = f", distance {number(explanation.distance, MANY)}" if explanation.found else ""
    wanted = "another class" if explanation.target is None else label_word(explanation.target)
    return f"{label_word(explanation.prediction)} -> {wanted}: {explanation.status}{distance}"


def text_of_explanation(explanation: Explanation) -> str:
    """Sentence, table of changes, certificate, and a remark if there is one that the sentence has not made."""
    lines = [sentence(explanation), *_table_of_changes(explanation.changes), f"  {certificate(explanation)}"]
    remark = remark_of(explanation)
    return "\n".join([*lines, f"  {remark}"] if remark else lines)


def certificate(explanation: Explanation) -> str:
    """Say what is proven and checked, in one line."""
    if explanation.status == "error":
        return "error: nothing was asked of a row that is wrong"
    if explanation.status == "infeasible":
        return "infeasible: proven, every region that could hold an answer is empty"
    if not explanation.found:
        return f"unknown: not proven; no answer nearer than {rounded_down(explanation.lower_bound, MANY)} exists"
    kind = other_kind(explanation)
    distance, bound = number(explanation.distance, MANY), rounded_down(explanation.lower_bound, MANY)
    gap = rounded_up(explanation.gap, DIGITS_OF_GAP)
    parts = [
        f"{explanation.status}: distance {distance}, no nearer answer than {bound}{kind and f' and{kind}'} exists "
        f"(gap {gap})"
    ]
    if np.isfinite(explanation.log_threshold):  # both to the nearest: then the larger one never reads as the smaller
        density, threshold = number(explanation.log_density, MANY), number(explanation.log_threshold, MANY)
        parts.append(f"log density {density} >= threshold {threshold}")
    if explanation.model_free:
        parts.append("model-free (Theorem 2)")
    return "; ".join(parts)


def remark_of(explanation: Explanation) -> str:
    """Give the reason where the sentence has not said it."""
    return reason_of(explanation) if explanation.status in ("feasible", "densest") else ""


def headline_of_many(explanations: Explanations) -> str:
    """Many answers in a line."""
    return _headline(in_brief(explanations))


def _headline(brief: AnswersInBrief) -> str:
    parts = [f"{brief.n:,} explanation{'' if brief.n == 1 else 's'}: {counts_in_words(brief.counts)}"]
    if brief.median_distance is not None:
        parts.append(f"median distance {number(brief.median_distance, MANY)}")
    return ", ".join(parts)


def text_of_explanations(explanations: Explanations) -> str:
    """Give counts and medians, how often columns change, and the first rows."""
    brief = in_brief(explanations)
    lines = [_headline(brief)]
    if brief.how_often:
        shown = [f"{column_word(name)} {count:,}" for name, count in brief.how_often[:MOST_COLUMNS_OF_TEXT]]
        n_more = len(brief.how_often) - len(shown)
        lines.append(f"columns that change: {', '.join(shown)}" + (f" and {n_more} more" if n_more else ""))
    n_shown = min(len(explanations), MOST_ROWS_OF_TEXT)
    cells = [("row", "predicted", "wanted", "status", "distance", "changes")] if n_shown else []
    for place in range(n_shown):
        one = explanations[place]
        wanted = "–" if one.target is None else str(label_word(one.target))
        short = plain(changes_in_short(one, " -> "))
        cells.append(
            (
                str(name_of_row(explanations, place)),
                "–" if one.status == "error" else str(label_word(one.prediction)),
                wanted,
                one.status,
                distance_in_short(one),
                short,
            )
        )
    lines += aligned(cells)
    if len(explanations) > n_shown:
        lines.append(f"  ... and {len(explanations) - n_shown:,} more")
    return "\n".join(lines)


def headline_of_frontier(frontier: Frontier) -> str:
    """Give a frontier in a line."""
    quantiles, distances = frontier.quantiles, frontier.distances
    found = np.isfinite(distances)
    low, high = (number(float(end), MANY) for end in (quantiles[0], quantiles[-1]))
    if not found.any():
        return f"{len(frontier)} quantiles from {low} to {high}: no answer"
    near, far = (number(float(distance), MANY) for distance in (distances[found].min(), distances[found].max()))
    until = "" if found.all() else f", answers up to quantile {number(float(quantiles[found].max()), MANY)}"
    return f"{len(frontier)} quantiles from {low} to {high}: distance {near} to {far}{until}"


def text_of_frontier(frontier: Frontier) -> str:
    """How far one has to go for how plausible an answer, a line a quantile."""
    cells = [("quantile", "distance", "plausibility", "status", "changes")]
    shown = evenly(len(frontier), MOST_QUANTILES)
    for place in shown:
        one = frontier.explanations[place]
        short = plain(changes_in_short(one, " -> "))
        cells.append(
            (
                number(float(frontier.quantiles[place]), MANY),
                distance_in_short(one),
                plausibility_in_short(one),
                one.status,
                short,
            )
        )
    lines = [headline_of_frontier(frontier), *aligned(cells)]
    if len(shown) < len(frontier):
        lines.append(f"  ({len(shown)} of {len(frontier)} quantiles are shown)")
    return "\n".join(lines)


def aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table, columns aligned; lines that get too long lose their end."""
    if not cells:
        return []
    widths = [max(len(row[place]) for row in cells) for place in range(len(cells[0]))]
    lines = ["  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths)).rstrip() for row in cells]
    return [line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…" for line in lines]


def _table_of_changes(changes: Sequence[Change]) -> list[str]:
    """Lines with name, before, after and difference; never cut: this is where everything is told."""
    rows = []
    for change in changes:
        before, after = change_words(change, MANY)
        difference = "" if change.difference is None else f"({signed(change.difference)})"
        rows.append((str(column_word(change.feature)), str(before), str(after), difference))
    name, before_width, after_width = (max((len(row[place]) for row in rows), default=0) for place in range(3))
    return [
        f"  {row[0]:<{name}}  {row[1]:>{before_width}} -> {row[2]:<{after_width}}  {row[3]}".rstrip() for row in rows
    ]
