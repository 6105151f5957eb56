"""Answers to take away: CSV, and a report where this version writes them."""

from __future__ import annotations

import csv
import io
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .schemas import Question

if TYPE_CHECKING:
    from .desk import Desk


def csv_of(answer: dict[str, Any], row: dict[str, Any]) -> bytes:
    """Write an answer as CSV: a line a column, and what is known about the answer in the lines after them."""
    changes = {change["column"]: change for change in answer["changes"]}
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["column", "before", "after", "difference", "cost"])
    after = answer["counterfactual"]
    for name, before in row.items():
        change = changes.get(name, {})
        then = None if after is None else after[name]
        writer.writerow([_cell(item) for item in (name, before, then, change.get("difference"), change.get("cost"))])
    writer.writerow([])
    for name in ("prediction", "target", "status", "distance", "lower_bound", "gap", "plausibility", "sentence"):
        writer.writerow([name, _cell(answer[name])])
    return text.getvalue().encode("utf-8", errors="replace")


def csv_of_question(desk: Desk, question: Question) -> bytes:
    """Answer a question and write the answer as CSV."""
    return csv_of(desk.explain(question), question.row)


def _cell(value: Any) -> Any:
    """Keep text from being taken for a formula: spreadsheets run cells that begin so."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return "" if value is None else value


def has_report() -> bool:
    """Whether this version writes reports."""
    return find_spec("elsewise.report") is not None


def report_of(desk: Desk, question: Question) -> bytes:
    """Write the report of one answer: one HTML file."""
    from ..report import html_report

    asked = desk.ask(question, question.quantile)
    report = html_report(
        asked.explainer,
        asked.answers,
        title=f"{desk.title}: one row explained",
        image_shape=None if desk.image is None else (desk.image["height"], desk.image["width"]),
        constraints=asked.constraints,
    )
    return report.encode("utf-8", errors="replace")
