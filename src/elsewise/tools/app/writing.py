"""Answers in JSON's terms: what is shown of answers everywhere, and what only the page draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...answers import Explanations
from ...fitted import FittedModel
from ...reasons import for_everyone
from ..files.trail.records import target_probabilities
from ..files.values import to_json
from .column_shares import ColumnShare


def written(
    fitted: FittedModel, answers: Explanations, row: dict[str, Any], shares: Sequence[ColumnShare]
) -> list[dict[str, Any]]:
    """Write the answers of one row; see :class:`~.schemas.AnswerBody`.

    Parameters
    ----------
    fitted : FittedModel
        Is asked for probabilities.
    answers : Explanations
        Of one row, best first.
    row : {column: value}
    shares : sequence of ColumnShare
        Of the target's rows, one a column.
    """
    answers = replace(answers, causes=tuple(for_everyone(cause) for cause in answers.causes))
    before, after = target_probabilities(fitted, answers)
    told = answers.shown()
    return [
        {
            **{name: to_json(values[place]) for name, values in told.items()},
            "sentence": answer.sentence,
            "probability_before": to_json(before[place]),
            "probability_after": to_json(after[place]),
            **_changes(answer, row, shares),
        }
        for place, answer in enumerate(answers)
    ]


def _changes(answer: Any, row: dict[str, Any], shares: Sequence[ColumnShare]) -> dict[str, Any]:
    changes = [
        {
            "column": change.feature,
            "before": to_json(change.before),
            "after": to_json(change.after),
            "difference": change.difference,
            "cost": change.cost,
        }
        for change in answer.changes
    ]
    after = {**row, **{change["column"]: change["after"] for change in changes}} if answer.found else None
    return {"changes": changes, "counterfactual": after, "positions": _positions(row, after, shares)}


def _positions(
    before: dict[str, Any], after: dict[str, Any] | None, shares: Sequence[ColumnShare]
) -> dict[str, dict[str, float | None]]:
    """Where values stand among the target's training rows; see :class:`~.schemas.PositionBody`."""
    positions = {}
    for share in shares:
        old = before[share.name]
        share_before = share(old)
        new = old if after is None else after[share.name]
        positions[share.name] = {
            "before": share_before,
            "after": None if after is None else share_before if new is old else share(new),
        }
    return positions
