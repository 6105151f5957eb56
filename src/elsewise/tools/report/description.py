"""Model, data, plausibility and distance in brief, and in words that need no knowledge of the method.

Rules that the training rows suggest, as a report lists them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arrays import Estimator, UserTarget, UserValue
from ...density import LogDensity, TrainingQuantile
from ...distances import ResolvedMahalanobis
from ...explainer import Explainer
from ...fitted.summaries import ColumnProfile
from ...pipeline import unwrap_or_whole
from ...table import Column
from ...text.languages import plural, say
from ...text.numbers import MANY, number, percent, two_numbers
from ...text.sentence import cases_words
from ...text.words import column_word, label_word, value_words
from .markup import (
    LONGEST_RULE,
    LONGEST_STEP,
    MOST_FOUND_RULES,
    counted,
    details,
    escaped,
    html_of_word,
    html_of_words,
    items,
    paragraph,
    paragraphs,
    section,
    table,
    texts,
    wide,
)


def found_in_words(names: tuple[str, ...]) -> list[str]:
    """Write the rules that were found, as parts of a section; none if there are none."""
    if not names:
        return []
    shown = [escaped(name, LONGEST_RULE) for name in names[:MOST_FOUND_RULES]]
    return [details(counted("rules found", len(names)), items([*shown, *_more(len(names) - len(shown))]))]


def _more(n: int) -> list[str]:
    """Count what is not listed, as the last entry of a list; none if everything is."""
    return [say("and more", n=number(n))] if n > 0 else []


# Lines of tables before the others are counted.
MOST_COLUMNS, MOST_LEVELS, MOST_CLASSES, MOST_RULES = 300, 8, 30, 300
# Columns up to which their table is open from the start.
MOST_OPEN = 40
# Decimals of the threshold, in percent, that the user asked for.
DECIMALS_OF_THRESHOLD = 4


def description(explainer: Explainer, data_description: str | None) -> str:
    """Describe what was asked: the model and the data it was trained on."""
    table_of = explainer.table_
    data = [counted("rows", n_training_rows(explainer)), counted("columns", len(table_of.columns))]
    facts = [
        ("model", _model(explainer)),
        ("outcomes", _outcomes(explainer)),
        ("proofs", escaped(say(f"exactness.{explainer.exactness_}"))),
        ("data", ", ".join(data)),
        ("realistic", _realistic(explainer)),
        ("distance", _distance(explainer)),
    ]
    if table_of.unused:
        names = [html_of_word(column_word(name)) for name in table_of.unused[:MOST_LEVELS]]
        facts.append(("unused", ", ".join([*names, *_more(len(table_of.unused) - MOST_LEVELS)])))
    stated = "".join(f"<dt>{escaped(say(f'report.fact {name}'))}</dt><dd>{what}</dd>" for name, what in facts)
    n = len(table_of.columns)
    columns = details(counted("columns of the model", n), _columns(explainer), is_open=n <= MOST_OPEN)
    about = "" if data_description is None else paragraphs(data_description)
    return section("model", say("report.model"), [about, f"<dl>{stated}</dl>", columns])


def n_training_rows(explainer: Explainer, label: UserValue = None) -> int:
    """Count the training rows, of all classes or of one."""
    profiles = explainer.profiles_.get(label, ())
    return int(profiles[0].counts.sum()) if profiles else 0


def rows_of(target: UserTarget) -> str:
    """Name the real rows an answer is held against, as HTML: real "good" cases."""
    return html_of_words(cases_words(target))


def _model(explainer: Explainer) -> str:
    steps, estimator = unwrap_or_whole(explainer.model)
    names = [*(step for _, transformer in steps for step in _steps(transformer)), type(estimator).__name__]
    kind = "classifier" if explainer.classes_ is not None else "regressor"
    return say(f"report.{kind}", steps=" → ".join(f"<code>{escaped(name, LONGEST_STEP)}</code>" for name in names))


def _steps(transformer: Estimator) -> Iterator[str]:
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
        inner.append(plural("report.step of", len(columns), step=" + ".join(steps), n=number(len(columns))))
    yield f"{type(transformer).__name__}({', '.join(dict.fromkeys(inner))})"


def _outcomes(explainer: Explainer) -> str:
    if explainer.classes_ is None:
        return say("report.numbers")
    labels = explainer.classes_.tolist()
    stated = []
    for label in labels[:MOST_CLASSES]:
        count = n_training_rows(explainer, label)
        stated.append(html_of_word(label_word(label)) + (f" ({counted('training rows', count)})" if count else ""))
    return ", ".join([*stated, *_more(len(labels) - MOST_CLASSES)])


def _realistic(explainer: Explainer) -> str:
    if not explainer.densities_:
        return escaped(say("report.no density"))
    stated = say("report.density of target" if explainer.classes_ is not None else "report.density of all")
    stated += say("report.density mixed" if explainer.fitted_.has_categories else "report.density numbers") + " "
    if isinstance(explainer.threshold, LogDensity):
        stated += say("report.reach log", density=number(explainer.threshold.value))
    elif isinstance(explainer.threshold, TrainingQuantile):
        stated += say("report.reach training", share=percent(explainer.threshold.value, DECIMALS_OF_THRESHOLD))
    else:
        stated += say("report.reach new", share=percent(float(explainer.threshold), DECIMALS_OF_THRESHOLD))
    thresholds = [
        [
            say("report.all of") if label is None else html_of_word(label_word(label)),
            number(len(density.log_densities_)) if len(density.log_densities_) else "–",
            number(len(density.mixture_.weights_)),
            number(density.log_threshold_, MANY),
        ]
        for label, density in list(explainer.densities_.items())[:MOST_CLASSES]
    ]
    header = texts("head outcome", "*head training rows", "*head components", "*head log density")
    figures = wide(table(header, thresholds), say("report.densities"))
    return escaped(stated) + details(say("report.densities in figures"), figures)


def _distance(explainer: Explainer) -> str:
    if isinstance(explainer.distance_, ResolvedMahalanobis):
        return escaped(say("report.mahalanobis"))
    has_levels = any(column.kind == "category" for column in explainer.table_.columns)
    levels = say("report.sum levels") if has_levels else ""
    if explainer.distance_.per_change:
        levels += say("report.sum each", price=number(explainer.distance_.per_change))
    scaled = explainer.distance in ("auto", "scaled") or type(explainer.distance).__name__ == "Scaled"
    is_scaled = scaled and not (explainer.distance == "auto" and _is_plain(explainer))
    return escaped(say("report.sum scaled" if is_scaled else "report.sum plain", sum=say("report.sum"), levels=levels))


def _is_plain(explainer: Explainer) -> bool:
    return all(column.kind == "number" for column in explainer.table_.columns)


def _columns(explainer: Explainer) -> str:
    """Table of the columns: kind, values, price."""
    columns = explainer.table_.columns[:MOST_COLUMNS]
    rows = []
    for column, profile in zip(columns, explainer.profiles_[None]):
        kind = say(f"report.kind {'boolean' if column.levels == (False, True) else column.kind}")
        row = [html_of_word(column_word(column.name)), kind, _values(column, profile)]
        rows.append([*row, _price(explainer, column)])
    header = [say("head.column"), *texts("head kind", "head values", "head price")]
    more = len(explainer.table_.columns) - len(columns)
    note = f'<p class="ew-note">{counted("further columns", more)}</p>' if more else ""
    return wide(table(header, rows), say("report.all columns")) + note


def _values(column: Column, profile: ColumnProfile) -> str:
    if column.kind in ("number", "integer"):
        low, high = two_numbers(float(profile.percentiles[0]), float(profile.percentiles[-1]))
        median = number(float(profile.percentiles[50]))
        parts = {"low": low, "high": high, "median": median}
        if column.fill is None:
            return say("report.values", **parts)
        return say("report.values filled", **parts, fill=number(column.fill))
    order = range(len(column.levels))
    if column.kind == "category":
        order = np.argsort(-profile.counts, kind="stable").tolist()
    shown = [_level(column.levels[place]) for place in list(order)[:MOST_LEVELS]]
    more = len(column.levels) - len(shown)
    between = " &lt; " if column.kind == "ordinal" else ", "
    return " ".join([between.join(shown), *_more(more)])


def _level(level: UserValue) -> str:
    """Name a level, without the quotes that a sentence would need."""
    return escaped(value_words(level, level, is_level=True)[0].text) or say("report.empty")


def _price(explainer: Explainer, column: Column) -> str:
    """Describe what a distance of 1 buys in a column."""
    if isinstance(explainer.distance_, ResolvedMahalanobis):
        return "–"
    weight = float(explainer.distance_.weights[column.start])
    if column.kind == "category":
        price = 2.0 * weight  # two indicators move, each at half of the price
        return say("report.any change") if price == 1.0 else say("report.any change costs", price=number(price))
    size = number(1.0 / weight)
    if column.kind == "ordinal":
        return plural("steps", 1 if size == "1" else 2, n=size)
    return size


def rules_in_words(names: tuple[str, ...], *, given: bool, found: tuple[str, ...] = ()) -> str:
    """List the rules that every counterfactual keeps: the user's, and those that the training rows suggest."""
    also = found_in_words(found)
    if not given:
        return section("rules", say("report.rules"), [paragraph(say("report.rules not given")), *also])
    if not names:
        return section("rules", say("report.rules"), [paragraph(say("report.rules none")), *also])
    shown = [escaped(name, LONGEST_RULE) for name in names[:MOST_RULES]]
    listed = items([*shown, *_more(len(names) - len(shown))])
    return section("rules", say("report.rules"), [paragraph(say("report.rules lead")), listed, *also])
