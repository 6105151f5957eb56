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
from .constants import MANY, MOST_COLUMNS_OF_TEXT, MOST_QUANTILES, MOST_ROWS_OF_TEXT
from .numbers import gap_in_percent, number, rounded_down, signed
from .ranges import sentence_of_ranges
from .sentence import NO_GAP, change_words, other_kind, reason_of, sentence
from .words import column_word, in_its_wording, label_word

if TYPE_CHECKING:
    from ..answers import Change, ChangesFrontier, Explanation, Explanations, Frontier

# Characters of a line of text: what a terminal shows.
LONGEST_LINE = 120


@in_its_wording
def text_of_change(change: Change) -> str:
    """One change in a line."""
    before, after = change_words(change, MANY)
    difference = "" if change.difference is None else f" ({signed(change.difference)})"
    return f"{column_word(change.feature)}: {before} -> {after}{difference}"


@in_its_wording
def headline(explanation: Explanation) -> str:
    """Give an answer in a few words: from what to what, status, distance."""
    if explanation.status == "error":
        return "error: the row cannot be explained"
    distance = f", distance {number(explanation.distance, MANY)}" if explanation.found else ""
    wanted = "another class" if explanation.target is None else label_word(explanation.target)
    return f"{label_word(explanation.prediction)} -> {wanted}: {explanation.status}{distance}"


@in_its_wording
def text_of_explanation(explanation: Explanation) -> str:
    """Sentence, table of changes, certificate, and a remark if there is one that the sentence has not made."""
    lines = [sentence(explanation), *_table_of_changes(explanation.changes), f"  {certificate(explanation)}"]
    if explanation.ranges is not None and explanation.changes:
        lines.append(f"  ranges: {sentence_of_ranges(explanation.ranges)}")
    remark = remark_of(explanation)
    return "\n".join([*lines, f"  {remark}"] if remark else lines)


def certificate(explanation: Explanation) -> str:
    """Say what is proven and checked, in one line."""
    if explanation.status == "error":
        return "error: the row was not explained"
    if explanation.status == "infeasible":
        return "infeasible: proven"
    if not explanation.found:
        return f"unknown: not proven; no change is smaller than distance {rounded_down(explanation.lower_bound)}"
    parts = [f"{explanation.status}: distance {number(explanation.distance)}, {_proof(explanation)}"]
    if np.isfinite(explanation.log_threshold):  # both to the nearest: then the larger one never reads as the smaller
        density, threshold = number(explanation.log_density, MANY), number(explanation.log_threshold, MANY)
        parts.append(f"log density {density}, at least {threshold} required")
    if explanation.model_free:
        parts.append("no smaller change is as typical as required, whatever the model (Theorem 2)")
    return "; ".join(parts)


def _proof(explanation: Explanation) -> str:
    """Say what is proven of the distance, in the digits that the distance is written with."""
    kind = other_kind(explanation)
    if explanation.status == "optimal" or (explanation.status == "densest" and explanation.gap <= NO_GAP):
        return f"proven smallest{kind}"
    if not explanation.lower_bound > 0:
        return f"not proven smallest{kind}"
    bound, gap = rounded_down(explanation.lower_bound), gap_in_percent(explanation.gap)
    return f"the smallest{kind} is at least {bound} (gap {gap})"


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


@in_its_wording
def text_of_explanations(explanations: Explanations) -> str:
    """Give counts and medians, how often columns change, and the first rows."""
    brief = in_brief(explanations)
    lines = [_headline(brief)]
    if brief.how_often:
        shown = [f"{column_word(name)} {count:,}" for name, count in brief.how_often[:MOST_COLUMNS_OF_TEXT]]
        n_more = len(brief.how_often) - len(shown)
        lines.append(f"columns that change: {', '.join(shown)}" + (f" and {n_more} more" if n_more else ""))
    n_shown = min(len(explanations), MOST_ROWS_OF_TEXT)
    cells = [("row", "predicted", "target", "status", "distance", "changes")] if n_shown else []
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
    quantiles = [number(float(quantile), MANY) for quantile in frontier.quantiles]
    return _text_of_nested(headline_of_frontier(frontier), "quantile", "quantiles", quantiles, frontier.explanations)


def headline_of_changes_frontier(frontier: ChangesFrontier) -> str:
    """Return in a line how far one has to go with how many changes."""
    limits, distances = frontier.max_changes.tolist(), frontier.distances
    found = np.isfinite(distances)
    if not found.any():
        return f"at most {limits[-1]} changes: no answer"
    fewest = int(frontier.max_changes[found].min())
    near, far = (number(float(distance), MANY) for distance in (distances[found].min(), distances[found].max()))
    distance = near if near == far else f"{far} down to {near}"
    counts = str(fewest) if fewest == limits[-1] else f"{fewest} to {limits[-1]}"
    return f"answers with {counts} {'change' if counts == '1' else 'changes'}: distance {distance}"


def text_of_changes_frontier(frontier: ChangesFrontier) -> str:
    """How far one has to go with how few changes, a line a number of changes."""
    limits = [str(limit) for limit in frontier.max_changes.tolist()]
    return _text_of_nested(headline_of_changes_frontier(frontier), "at most", "lines", limits, frontier.explanations)


def _text_of_nested(headline: str, name: str, plural: str, values: Sequence[str], explanations: Explanations) -> str:
    """Lines of answers to questions that differ in one value, which has a name."""
    cells = [(name, "distance", "as typical as", "status", "changes")]
    shown = evenly(len(values), MOST_QUANTILES)
    for place in shown:
        one = explanations[place]
        short = plain(changes_in_short(one, " -> "))
        cells.append((values[place], distance_in_short(one), plausibility_in_short(one), one.status, short))
    lines = [headline, *aligned(cells)]
    if len(shown) < len(values):
        lines.append(f"  ({len(shown)} of {len(values)} {plural} are shown)")
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
