"""One answer as plain values, for files that others read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..reasons import for_everyone
from ..statuses import has_answer
from ..table.json_values import to_json

if TYPE_CHECKING:
    from .explanation import Explanation
    from .ranges import ValueRange

# Numbers of an answer, which are null where there is none.
_NUMBERS = (
    "distance", "lower_bound", "gap", "log_density", "log_density_mixture", "log_threshold", "plausibility",
    "min_probability",
)  # fmt: skip


def record_of(one: Explanation) -> dict[str, Any]:
    """Give an answer as nothing but what strict JSON knows.

    Numbers keep all their digits. What JSON has no number for is null: a missing value, the distance of a row without
    an answer. ``proven`` says whether it is proven that there is none.
    """
    names = one.table.names
    found = has_answer(one.status)
    changes = [
        {
            "column": change.feature,
            "before": to_json(change.before),
            "after": to_json(change.after),
            "cost": to_json(change.cost),
        }
        for change in one.changes
    ]
    record = {
        "row": one.row,
        "x": values_by_name(names, one.x),
        "counterfactual": values_by_name(names, one.counterfactual) if found else None,
        "prediction": to_json(one.prediction),
        "target": to_json(one.target),
        "status": one.status,
        **{name: to_json(getattr(one, name)) for name in _NUMBERS},
        "proven": one.status == "optimal" or (one.status == "infeasible" and one.lower_bound == float("inf")),
        "model_free": one.model_free,
        "nearer": one.nearer,
        "changes": changes,
        "reason": replace(one, cause=for_everyone(one.cause)).reason,
        "sentence": one.sentence,
    }
    if one.ranges is not None:
        record["ranges"] = {"proven": one.ranges.is_proven, "columns": [_range(each) for each in one.ranges]}
    return record


def _range(one: ValueRange) -> dict[str, Any]:
    levels = [to_json(level) for level in one.levels]
    return {"column": one.column, "low": to_json(one.low), "high": to_json(one.high), "levels": levels}


def values_by_name(names: tuple[str, ...], row: Any) -> dict[str, Any]:
    """Give the values of a row, by the names of its columns."""
    values = row.array if hasattr(row, "array") else row
    return {str(name): to_json(value) for name, value in zip(names, values)}
