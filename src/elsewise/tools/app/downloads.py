"""Answers as files to keep: CSV, and a report where this version writes them."""

from __future__ import annotations

import csv
import io
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ...arrays import ReadObject, UserValue
from ...errors import InvalidInputError
from ...text.languages import say
from ..files.answers import shown_fields
from ..files.certificates import is_checked
from ..files.tables import disarmed
from .schemas import ChosenQuestionBody

if TYPE_CHECKING:
    from .service import ExplorerService

# Told of an answer, but of no use beside its sentence.
_LEFT_OUT = ("log_density", "log_threshold", "model_free", "reason")


def csv_of_answer(answer: ReadObject, row: ReadObject) -> bytes:
    """Write an answer as CSV: a line a column, and what is known about the answer in the lines after them."""
    changes = {change["column"]: change for change in answer["changes"]}
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["column", "before", "after", "difference", "cost"])
    counterfactual = answer["counterfactual"]
    for name, before in row.items():
        change = changes.get(name, {})
        after = None if counterfactual is None else counterfactual[name]
        writer.writerow([_cell(item) for item in (name, before, after, change.get("difference"), change.get("cost"))])
    writer.writerow([])
    for name in [*(name for name in shown_fields() if name not in _LEFT_OUT), "sentence"]:
        writer.writerow([name, _cell(answer[name])])
    return text.getvalue().encode("utf-8", errors="replace")


def csv_of_question(service: ExplorerService, question: ChosenQuestionBody) -> bytes:
    """Answer a question and write the chosen answer as CSV."""
    return csv_of_answer(service.chosen(question), question.row)


def _cell(value: UserValue) -> Any:
    """Keep text from being taken for a formula."""
    return disarmed(value) if isinstance(value, str) else "" if value is None else value


def has_report() -> bool:
    """Whether this version writes reports."""
    return find_spec("elsewise.tools.report") is not None


def proof_of_question(service: ExplorerService, question: ChosenQuestionBody) -> bytes:
    """Answer a question and write the proof of the chosen answer, once the separate program has checked it."""
    (answer,) = service.ask_for_chosen(question, certificate=True).answers
    proof = answer.proof
    if proof is None or proof.reason:
        raise InvalidInputError(say("app.proof none"))
    if not is_checked(proof):
        raise InvalidInputError(say("app.proof refused"))
    return proof.packed


def report_of_question(service: ExplorerService, question: ChosenQuestionBody) -> bytes:
    """Answer a question and write the chosen answer as a report: one HTML file."""
    from ..report import html_report

    asked = service.ask_for_chosen(question, certificate=True)
    report = html_report(
        asked.explainer,
        asked.answers,
        title=f"{service.title}: one row explained",
        image_shape=service.image_shape,
        constraints=asked.constraints,
        seconds_for_ways=service.time_limit,
    )
    return report.encode("utf-8", errors="replace")
