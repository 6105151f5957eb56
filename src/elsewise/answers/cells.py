"""Values of single cells, as people wrote them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import MissingDependencyError
from ..table import Column, Table


def value_in(table: Table, column: Column, row: Any) -> Any:
    """Value that a row, in the user's form, has in a column; of a one-hot group the name of its level."""
    values = [row.iloc[source] if hasattr(row, "iloc") else row[source] for source in column.sources]
    if not column.is_group:
        return _as_it_was(column, values[0])
    ones = [table.names[source] for source, value in zip(column.sources, values) if value == 1]
    return ones[0] if ones else next(level for level in column.levels if level not in table.names)


def _as_it_was(column: Column, value: Any) -> Any:
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
