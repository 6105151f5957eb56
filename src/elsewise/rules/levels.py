"""Levels of columns as users write them, and where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidInputError
from . import words
from .constants import MOST_LISTED

if TYPE_CHECKING:
    from ..table.column import Column


def is_boolean(column: Column) -> bool:
    """Whether the levels of a column are True and False."""
    return column.kind == "category" and all(isinstance(level, (bool, np.bool_)) for level in column.levels)


def n_positions(column: Column) -> int:
    """Count the levels, "never seen" included."""
    return column.stop - column.start if column.kind == "category" else len(column.levels)


def position_of(column: Column, level: object, parameter: str) -> int:
    """Position of a level; by how it is written if it is text, since keys of files always are."""
    for position, known in enumerate(column.levels):
        if _is_same(known, level):
            return position
    if isinstance(level, str):
        for position, known in enumerate(column.levels):
            if not isinstance(known, str) and words.level(known).casefold() == level.casefold():
                return position
    raise InvalidInputError(
        f"{parameter}: the column {column.name!r} has no level {level!r}; it was never seen in training. Known are "
        f"{few(column.levels)}."
    )


def _is_same(known: object, level: object) -> bool:
    if known is None:  # the missing value, however it is written
        return level is None or bool(isinstance(level, float) and level != level) or type(level).__name__ == "NAType"
    if isinstance(known, (bool, np.bool_)) != isinstance(level, (bool, np.bool_)):
        return False  # True is not 1
    try:
        return bool(known == level)
    except (TypeError, ValueError):
        return False


def few(levels: Sequence[Any]) -> str:
    """List the first few levels."""
    return ", ".join(repr(level) for level in levels[:MOST_LISTED]) + (", ..." if len(levels) > MOST_LISTED else "")
