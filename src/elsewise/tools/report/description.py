"""Model, data, plausibility and distance in brief, and in words that need no knowledge of the method.

Rules that the training rows suggest, as a report lists them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...density import LogDensity, TrainingQuantile
from ...distances import ResolvedMahalanobis
from ...explainer import Explainer
from ...fitted.summaries import ColumnProfile
from ...pipeline import unwrap_or_whole
from ...table import Column
from ...text.languages import say
from ...text.numbers import MANY, number, percent, two_numbers
from ...text.sentence import cases_words
from ...text.words import column_word, label_word, value_words
from .markup import (
    LONGEST_RULE,
    LONGEST_STEP,
    MOST_FOUND_RULES,
    Heading,
    details,
    escaped,
    html_of_word,
    html_of_words,
    items,
    listed,
    of_numbers,
    paragraph,
    paragraphs,
    plural,
    section,
    table,
    wide,
)
from .markup import items as list_of


def found_in_words(names: tuple[str, ...]) -> list[str]:
    """Write the rules that were found, as parts of a section; none if there are none."""
    if not names:
        return []
    shown = [escaped(name, LONGEST_RULE) for name in names[:MOST_FOUND_RULES]]
    more = [f"and {len(names) - len(shown):,} more"] if len(names) > len(shown) else []
    return [
        details(f"Kept as well, because all training rows do: {plural(len(names), 'rule')}", items([*shown, *more]))
    ]


# Lines of tables before the others are counted.
MOST_COLUMNS, MOST_LEVELS, MOST_CLASSES, MOST_RULES = 300, 8, 30, 300
# Columns up to which their table is open from the start.
MOST_OPEN = 40
# Decimals of the threshold, in percent, that the user asked for.
DECIMALS_OF_THRESHOLD = 4

_KINDS = {"number": "number", "integer": "whole number", "ordinal": "ordered levels", "category": "category"}


def description(explainer: Explainer, data_description: str | None) -> str:
    """Describe what was asked: the model and the data it was trained on."""
    table_of = explainer.table_
    facts = [
        ("Model", _model(explainer)),
        ("Outcomes", _outcomes(explainer)),
        ("Proofs", escaped(say(f"exactness.{explainer.exactness_}"))),
        ("Training data", f"{plural(n_training_rows(explainer), 'row')}, {plural(len(table_of.columns), 'column')}"),
        ("Plausible means", _plausible(explainer)),
        ("Distance means", _distance(explainer)),
    ]
    if table_of.unused:
        names = listed([html_of_word(column_word(name)) for name in table_of.unused[:MOST_LEVELS]])
        more = len(table_of.unused) - MOST_LEVELS
        facts.append(("Not used by the model", names + (f" and {more:,} more" if more > 0 else "")))
    stated = "".join(f"<dt>{name}</dt><dd>{what}</dd>" for name, what in facts)
    n = len(table_of.columns)
    columns = details(f"The {plural(n, 'column')} of the model", _columns(explainer), is_open=n <= MOST_OPEN)
    about = "" if data_description is None else paragraphs(data_description)
    return section("model", "Model and data", [about, f"<dl>{stated}</dl>", columns])


def n_training_rows(explainer: Explainer, label: Any = None) -> int:
    """Count the training rows, of all classes or of one."""
    profiles = explainer.profiles_.get(label, ())
    return int(profiles[0].counts.sum()) if profiles else 0


def rows_of(target: Any) -> str:
    """Name the real rows an answer is held against, as HTML: real "good" cases."""
    return html_of_words(cases_words(target))


def _model(explainer: Explainer) -> str:
    steps, estimator = unwrap_or_whole(explainer.model)
    names = [*(step for _, transformer in steps for step in _steps(transformer)), type(estimator).__name__]
    kind = "classifier" if explainer.classes_ is not None else "regressor"
    return " → ".join(f"<code>{escaped(name, LONGEST_STEP)}</code>" for name in names) + f", a {kind}"


def _steps(transformer: Any) -> Iterator[str]:
    """Name a transformer; one that treats columns differently also by its parts."""
    parts = getattr(transformer, "transformers_", None)
    if parts is None:
        yield type(transformer).__name__
        return
    inner = []
    for _, part, columns in parts:
        if part in ("drop", "passthrough") or part is None or len(columns) == 0:
            continue
        steps = [name for _, step in getattr(part, "steps", [("", part)]) for name in _steps(step)]
        inner.append(f"{' + '.join(steps)} of {plural(len(columns), 'column')}")
    yield f"{type(transformer).__name__}({', '.join(dict.fromkeys(inner))})"


def _outcomes(explainer: Explainer) -> str:
    if explainer.classes_ is None:
        return "numbers"
    labels = explainer.classes_.tolist()
    stated = []
    for label in labels[:MOST_CLASSES]:
        count = n_training_rows(explainer, label)
        stated.append(html_of_word(label_word(label)) + (f" ({plural(count, 'training row')})" if count else ""))
    return ", ".join(stated) + (f" and {len(labels) - MOST_CLASSES:,} more" if len(labels) > MOST_CLASSES else "")


def _plausible(explainer: Explainer) -> str:
    if not explainer.densities_:
        return "Nothing: no density was asked for. The answers are the nearest of all, likely or not."
    whose = "the wanted outcome's training rows" if explainer.classes_ is not None else "the training rows"
    kind = "a mixture of Gaussians learned from them"
    if explainer.fitted_.has_categories:
        kind = "a mixture learned from them: Gaussians for the numbers, frequencies of the levels for the categories"
    stated = f"how likely a row is among {whose}, measured by the density of {kind}. "
    if isinstance(explainer.threshold, LogDensity):
        stated += f"A counterfactual must reach the log density {number(explainer.threshold.value)}."
    elif isinstance(explainer.threshold, TrainingQuantile):
        share = percent(explainer.threshold.value, DECIMALS_OF_THRESHOLD)
        stated += f"A counterfactual must be at least as typical as {share} of the rows the density was learned from."
    else:
        share = percent(float(explainer.threshold), DECIMALS_OF_THRESHOLD)
        stated += f"A counterfactual must be at least as typical as {share} of these rows, "
        stated += "each judged by the density of the others."
    thresholds = [
        [
            "all" if label is None else html_of_word(label_word(label)),
            f"{len(density.log_densities_):,}" if len(density.log_densities_) else "–",
            f"{len(density.mixture_.weights_):,}",
            number(density.log_threshold_, MANY),
        ]
        for label, density in list(explainer.densities_.items())[:MOST_CLASSES]
    ]
    numbers = (of_numbers(name) for name in ("training rows", "components", "log density to reach"))
    header = [Heading("outcome"), *numbers]
    return stated + details("Densities in figures", wide(table(header, thresholds), "Densities"))


def _distance(explainer: Explainer) -> str:
    if isinstance(explainer.distance_, ResolvedMahalanobis):
        return (
            "the Mahalanobis distance: changes are measured against how columns vary together, so that a change that "
            "goes with the usual pattern is small and one against it is large (the quadratic form, not its root)."
        )
    stated = "a sum over the columns that change"
    has_levels = any(column.kind == "category" for column in explainer.table_.columns)
    levels = "; a category costs the same for any change" if has_levels else ""
    if explainer.distance_.per_change:
        levels += f"; every column that changes costs {number(explainer.distance_.per_change)} more"
    scaled = explainer.distance in ("auto", "scaled") or type(explainer.distance).__name__ == "Scaled"
    if scaled and not (explainer.distance == "auto" and _is_plain(explainer)):
        typical = ", so that a usual difference between two rows counts about 1 in every column"
        price = "The price is in the table below."
        return f"{stated}{typical}. Numbers cost in proportion to their difference{levels}. {price}"
    return f"{stated}: each number costs in proportion to its difference{levels}. The price is in the table below."


def _is_plain(explainer: Explainer) -> bool:
    return all(column.kind == "number" for column in explainer.table_.columns)


def _columns(explainer: Explainer) -> str:
    """Table of the columns: kind, values, price."""
    columns = explainer.table_.columns[:MOST_COLUMNS]
    rows = []
    for column, profile in zip(columns, explainer.profiles_[None]):
        kind = "yes or no" if column.levels == (False, True) else _KINDS[column.kind]
        row = [html_of_word(column_word(column.name)), kind, _values(column, profile)]
        rows.append([*row, _price(explainer, column)])
    header = ("column", "kind", "values in training", "a distance of 1 is")
    more = len(explainer.table_.columns) - len(columns)
    note = paragraph(f"and {more:,} more columns", "ew-note") if more else ""
    return wide(table(header, rows), "Columns") + note


def _values(column: Column, profile: ColumnProfile) -> str:
    if column.kind in ("number", "integer"):
        low, high = two_numbers(float(profile.percentiles[0]), float(profile.percentiles[-1]))
        median = number(float(profile.percentiles[50]))
        filled = "" if column.fill is None else f"; not given counts as {number(column.fill)}"
        return f"{low} to {high}, median {median}{filled}"
    order = range(len(column.levels))
    if column.kind == "category":
        order = np.argsort(-profile.counts, kind="stable").tolist()
    shown = [_level(column.levels[place]) for place in list(order)[:MOST_LEVELS]]
    more = len(column.levels) - len(shown)
    between = " &lt; " if column.kind == "ordinal" else ", "
    return between.join(shown) + (f" and {more:,} more" if more else "")


def _level(level: Any) -> str:
    """Name a level, without the quotes that a sentence would need."""
    return escaped(value_words(level, level, is_level=True)[0].text) or "(empty)"


def _price(explainer: Explainer, column: Column) -> str:
    """Describe what a distance of 1 buys in a column."""
    if isinstance(explainer.distance_, ResolvedMahalanobis):
        return "–"
    weight = float(explainer.distance_.weights[column.start])
    if column.kind == "category":
        price = 2.0 * weight  # two indicators move, each at half of the price
        return "any change" if price == 1.0 else f"any change costs {number(price)}"
    size = number(1.0 / weight)
    if column.kind == "ordinal":
        return "1 step" if size == "1" else f"{size} steps"
    return size


def rules_in_words(names: tuple[str, ...], *, given: bool, found: tuple[str, ...] = ()) -> str:
    """List the rules that every counterfactual keeps: the user's, and those that the training rows suggest."""
    also = found_in_words(found)
    if not given:
        stated = "No rules were told to the report: counterfactuals may change any column."
        return section("rules", "Rules", [paragraph(stated), *also])
    if not names:
        return section("rules", "Rules", [paragraph("None: counterfactuals may change any column."), *also])
    shown = [escaped(name, LONGEST_RULE) for name in names[:MOST_RULES]]
    more = [f"and {len(names) - len(shown):,} more"] if len(names) > len(shown) else []
    lead = paragraph("Every counterfactual keeps all of these.")
    return section("rules", "Rules", [lead, list_of([*shown, *more]), *also])
