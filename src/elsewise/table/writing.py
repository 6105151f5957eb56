"""From features back to the values of the user's columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..errors import InvalidInputError
from .column import Column


def column_values(features: FloatArray, column: Column) -> list[Any]:
    """Values of the user's columns that a column comes from, a list or array of values each.

    Parameters
    ----------
    features : array of shape (n_samples, width of the column)
        An answer's: whole where the column is, one 1 among indicators, never at the place of values never seen.
    column : Column
    """
    if column.kind == "number":
        return [features[:, 0]]
    if column.kind == "integer":
        return [_whole(features[:, 0], column, np.inf).astype(np.int64)]
    if column.kind == "ordinal":
        ranks = _whole(features[:, 0], column, len(column.levels) - 1).astype(np.int64)
        return [[column.levels[rank] for rank in ranks.tolist()]]
    codes = features.argmax(axis=1)
    indicators = np.zeros_like(features)
    indicators[np.arange(len(codes)), codes] = 1.0
    if (indicators != features).any() or (codes >= len(column.levels)).any():
        raise InvalidInputError(
            f"features: column {column.name!r} (category) must have one 1 and zeros, at one of its "
            f"{len(column.levels)} levels."
        )
    if column.is_group:
        return [indicators[:, place].astype(np.int64) for place in range(len(column.sources))]
    levels = [column.missing if level is None else level for level in column.levels]
    return [[levels[code] for code in codes.tolist()]]


def _whole(values: FloatArray, column: Column, last: float) -> FloatArray:
    is_rank = column.kind == "ordinal"
    wrong = ~(values == np.floor(values)) | (is_rank & ((values < 0) | (values > last)))
    if wrong.any():
        expected = f"whole values from 0 to {last:g}" if is_rank else "whole values"
        raise InvalidInputError(
            f"features: column {column.name!r} ({column.kind}) must have {expected}, received "
            f"{values[int(np.argmax(wrong))]}."
        )
    return values
