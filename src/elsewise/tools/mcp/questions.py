"""Levers, reasons and verification in JSON's terms."""

from __future__ import annotations

from ...answers import Explanation
from ...arrays import JsonObject
from ..app.rules import broken_by, in_words
from ..app.schemas import QuestionBody
from ..app.service import ExplorerService
from ..files.values import to_json


def levers(service: ExplorerService, question: QuestionBody, max_size: int) -> JsonObject:
    """Return which sets of columns are enough by themselves, and which are proven not to be."""
    explainer, row, target, constraints = service.posed(question)
    found = explainer.levers(
        row, target, max_size=max_size, constraints=constraints, time_limit=2.0 * service.time_limit
    )
    return {
        "sentence": found.sentence,
        "enough": [{"columns": list(one.columns), **_changes(one.explanation)} for one in found.enough],
        "not_enough": [list(columns) for columns in found.not_enough],
        "unknown": [list(columns) for columns in found.unknown],
    }


def reasons(service: ExplorerService, question: QuestionBody, at_most: int) -> JsonObject:
    """Return principal reasons, most important first."""
    explainer, row, target, constraints = service.posed(question)
    found = explainer.reasons(
        row, target, at_most=at_most, constraints=constraints, time_limit=2.0 * service.time_limit
    )
    return {
        "status": found.status,
        "sentence": found.sentence,
        "is_complete": found.is_complete,
        "reasons": [
            {
                "column": one.column,
                "direction": one.direction,
                "now": to_json(one.now),
                "then": to_json(one.then),
                "is_alone": one.is_alone,
            }
            for one in found
        ],
    }


def verified(service: ExplorerService, question: QuestionBody, counterfactual: JsonObject) -> JsonObject:
    """Judge a proposed row: its prediction, whether it is as wanted and typical enough, and the rules it breaks.

    Columns that are left out stay as they are.
    """
    changed = {**question.row, **counterfactual}
    proposed = question.model_copy(update={"row": changed, "rules": type(question.rules)()})
    given = service.json_rows.read(changed)
    fitted = service.explainer.require_fitted()
    prediction = fitted.predict(fitted.table.encode(given), given).tolist()[0]
    answer = service.ask(proposed, question.quantile).answers[0]
    is_as_it_is = bool(answer.found and not answer.changed.any())
    after = {name: value for name, value in changed.items() if question.row.get(name) != value}
    broken = broken_by(question.rules, question.row, after, service.json_rows)
    return {
        "prediction": to_json(prediction),
        "is_valid_and_typical": is_as_it_is,
        "nearest_that_is": None if is_as_it_is else _changes(answer),
        "broken_rules": in_words(broken) if broken else "",
        "changed": sorted(after),
    }


def _changes(answer: Explanation) -> JsonObject:
    return {
        "status": answer.status,
        "sentence": answer.sentence,
        "distance": to_json(answer.distance) if answer.found else None,
        "changes": {change.feature: to_json(change.after) for change in answer.changes} if answer.found else {},
    }
