"""Single values as JSON holds them."""

from __future__ import annotations

from typing import Any

from ..columns.json_values import python_value, to_json

__all__ = ["json_key", "python_value", "to_json"]


def json_key(value: Any) -> tuple[bool, Any]:
    """Give a key to look a value of JSON up by, in which ``true`` is not 1."""
    return isinstance(value, bool), value
