"""One answer as plain values, for files that others read.

Values of single cells, as people wrote them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import JsonObject, UserData, UserValue
from ..errors import MissingDependencyError
from ..reasons import for_everyone, has_answer
from ..table import Column, Table
from ..table.derived import DerivedColumn
from ..table.json_values import to_json

if TYPE_CHECKING:
    from .explanation import Explanation
    from .principal_reasons import PrincipalReasons
    from .ranges import ValueRange


# Numbers of an answer, which are null where there is none.
_NUMBERS = (
    "distance", "lower_bound", "gap", "log_density", "log_density_mixture", "log_threshold", "plausibility",
    "min_probability",
)  # fmt: skip


def record_of(one: Explanation) -> JsonObject:
    """Return an answer as nothing but what strict JSON knows.

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
    if one.proof is not None:
        record["proof"] = {"reason": one.proof.reason} if one.proof.reason else {"sha256": one.proof.sha256}
    return record


def _range(one: ValueRange) -> JsonObject:
    levels = [to_json(level) for level in one.levels]
    return {"column": one.column, "low": to_json(one.low), "high": to_json(one.high), "levels": levels}


def record_of_reasons(reasons: PrincipalReasons) -> JsonObject:
    """Return principal reasons as nothing but what strict JSON knows."""
    listed = [
        {
            "column": reason.column,
            "direction": reason.direction,
            "now": to_json(reason.now),
            "then": to_json(reason.then),
            "is_alone": reason.is_alone,
            "code": None if reason.code is None else str(reason.code),
        }
        for reason in reasons
    ]
    return {"status": reasons.status, "columns": list(reasons.columns), "reasons": listed}


def values_by_name(names: tuple[str, ...], row: UserData) -> JsonObject:
    """Return the values of a row, by the names of its columns."""
    values = row.array if hasattr(row, "array") else row
    return {str(name): to_json(value) for name, value in zip(names, values)}


# An answer whose relative gap is at most this is called optimal.
OPTIMAL_GAP = 1e-6


def value_in(table: Table, column: Column, row: UserData) -> Any:
    """Value that a row, in the user's form, has in a column; of a one-hot group the name of its level."""
    values = [row.iloc[source] if hasattr(row, "iloc") else row[source] for source in column.sources]
    if not column.is_group:
        return _as_it_was(column, values[0])
    ones = [table.names[source] for source, value in zip(column.sources, values) if value == 1]
    return ones[0] if ones else next(level for level in column.levels if level not in table.names)


def derived_value_in(column: DerivedColumn, row: UserData) -> Any:
    """Value that a row, in the user's form, has in a derived column."""
    value = row.iloc[column.place] if hasattr(row, "iloc") else row[column.place]
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if column.is_whole and isinstance(value, float) and value.is_integer() else value


def _as_it_was(column: Column, value: UserValue) -> Any:
    """Undo what a row of several types does to its values: whole numbers beside others become floats."""
    value = value.item() if isinstance(value, np.generic) else value
    if column.kind == "integer":
        return int(value) if isinstance(value, float) and value.is_integer() else value
    return next((level for level in column.levels if level is not None and level == value), value)


def pandas_for(what: str) -> Any:
    """Import pandas, or say what needs it."""
    try:
        import pandas
    except ImportError as error:
        raise MissingDependencyError(f"{what} needs pandas. Install it with: pip install 'elsewise[frames]'") from error
    return pandas
