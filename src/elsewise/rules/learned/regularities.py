"""Regularities of the training rows: what every answer keeps unless the user says otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import FloatArray
from .found_steps import step_of
from .never_together import NeverTogether, never_together
from .special_values import special_values

if TYPE_CHECKING:
    from ...table.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Regularities:
    """What holds of all training rows.

    Attributes
    ----------
    low, high : arrays of shape (n_features,)
        Smallest and largest number of each numeric feature, codes left out; infinite for levels.
    special : dict of column name to codes
        Numbers that stand for none.
    never_together : NeverTogether
    steps : dict of column name to step
        What nearly all values are multiples of.
    by_default : bool
        Ranges and codes are kept unless the user says otherwise; else only where the user says so. True for data
        frames; an array of plain numbers is taken as it is, as the paper does.
    """

    low: FloatArray
    high: FloatArray
    special: dict[str, tuple[float, ...]] = field(default_factory=dict)
    never_together: NeverTogether = field(default_factory=NeverTogether)
    by_default: bool = True
    steps: dict[str, float] = field(default_factory=dict)


def regularities_of(
    table: Table, rows: FloatArray, *, by_default: bool, scales: FloatArray | None = None
) -> Regularities:
    """Find the regularities of training rows.

    Parameters
    ----------
    table : Table
    rows : array of shape (n_samples, n_features)
        In features; NaN where missing.
    by_default : bool
    scales : array of shape (n_features,), optional
        Of the features; without them no steps are found.
    """
    low, high = np.full(table.n_features, -np.inf), np.full(table.n_features, np.inf)
    special: dict[str, tuple[float, ...]] = {}
    steps: dict[str, float] = {}
    for column in table.columns:
        if column.kind not in ("number", "integer"):
            continue
        values = rows[:, column.start]
        values = values[np.isfinite(values)]
        if len(values) == 0:
            continue
        codes = special_values(values) if by_default else ()
        if codes:
            special[column.name] = codes
            values = values[~np.isin(values, codes)]
        low[column.start], high[column.start] = values.min(), values.max()
        if by_default and scales is not None:
            is_short = table.dtypes[column.sources[0]] == np.float32
            step = step_of(values, scales[column.start], is_whole=column.kind == "integer", is_short=is_short)
            if step is not None:
                steps[column.name] = step
    return Regularities(low, high, special, never_together(table, rows, special), by_default, steps)
