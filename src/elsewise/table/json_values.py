"""Single values as JSON holds them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import UserValue
from .frames import is_missing_value


def python_value(value: UserValue) -> Any:
    """Return a value as Python has it: numbers of numpy become Python's, everything else stays."""
    return value.item() if isinstance(value, np.generic) else value


def to_json(value: UserValue) -> Any:
    """Write a value so that strict JSON holds it.

    Plain values stay, missing and infinite ones become None, tuples lists, anything else text.
    """
    value = python_value(value)
    if isinstance(value, (bool, int, str)) or value is None:
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    return None if is_missing_value(value) else str(value)
