"""Single values, and rules, as JSON holds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...rules import Constraints
from ...table.json_values import python_value, to_json

__all__ = ["json_key", "jsonable", "python_value", "rules_as_json", "to_json"]


def json_key(value: Any) -> tuple[bool, Any]:
    """Give a key to look a value of JSON up by, in which ``true`` is not 1."""
    return isinstance(value, bool), value


def jsonable(value: Any) -> Any:
    """Give a value with all that is in it as JSON holds it."""
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    return [jsonable(item) for item in value] if isinstance(value, (list, tuple)) else to_json(value)


def rules_as_json(constraints: Constraints | None) -> dict[str, Any] | None:
    """Give rules as JSON holds them, which :meth:`~elsewise.Constraints.from_mapping` reads."""
    return None if constraints is None else jsonable(constraints.to_mapping())
