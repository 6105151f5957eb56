"""Before and after, held against how real rows of the target class are distributed, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..columns.frames import is_missing_value
from ..errors import InvalidInputError
from ..explainer import Explainer
from ..explanation import Explanation
from ..profiles import ColumnProfile
from .arguments import answered, fitted, is_numeric, places, same_columns
from .canvas import (
    AFTER_STYLE,
    INK,
    MUTED,
    NOTE_SIZE,
    ROW_STYLE,
    TARGET_FILL,
    axes_given,
    headline,
    line_names,
    plain_axes,
    shown_figure,
)
from .words import pair_texts, percent, rows_of_target, short, value_text

FloatArray = NDArray[np.float64]

_MOST_LEVELS = 10


@dataclass(frozen=True, slots=True, eq=False)
class ColumnDistribution:
    """One column of the target's training rows, and the row before and after.

    Attributes
    ----------
    name, kind : str
    before, after : number or level
    shares : array of shape (n_bins,) or (n_levels,)
        Share of the target's rows in each bin or at each level.
    edges : array of shape (n_bins + 1,)
        Of numbers; empty for levels.
    levels : tuple
        As the user writes them, None for a missing value; empty for numbers.
    positions : pair of floats or None
        Where before and after lie: for numbers the share of the target's rows that are no higher (None if the value is
        missing), for levels the share of the target's rows at that level.
    """

    name: str
    kind: str
    before: Any
    after: Any
    shares: FloatArray
    edges: FloatArray
    levels: tuple[Any, ...]
    positions: tuple[float | None, float | None]


@dataclass(frozen=True, slots=True, eq=False)
class DistributionsPicture:
    """Columns of one row against the target class.

    Attributes
    ----------
    columns : tuple of ColumnDistribution
    rows : str
        What the training rows are called, such as "real good rows".
    """

    columns: tuple[ColumnDistribution, ...]
    rows: str

    @classmethod
    def compute(
        cls, explanation: Explanation, explainer: Explainer, columns: Sequence[str] | None = None
    ) -> DistributionsPicture:
        """Take from explanation and explainer what is drawn; by default the columns that change, dearest first."""
        answered(explanation)
        fitted(explainer)
        same_columns(explainer, explanation.table)
        changes = {change.feature: change for change in explanation.changes}
        if columns is None:
            columns = list(changes)
            if not columns:
                raise InvalidInputError("Nothing has to change in this row. Name the columns to draw: columns=[...].")
        chosen = places(explanation.table, columns)
        if not chosen:
            raise InvalidInputError("columns: expected at least one column name, received none.")
        target = explanation.target.item() if isinstance(explanation.target, np.generic) else explanation.target
        label = None if isinstance(target, tuple) or target not in explainer.profiles_ else target
        profiles = explainer.profiles_[label]
        values = explanation.values_before_and_after() if hasattr(explanation, "values_before_and_after") else None
        del values
        return cls(
            columns=tuple(
                _distribution(profiles[place], *_values(explanation, place), explanation.table.columns[place].kind)
                for place in chosen
            ),
            rows=rows_of_target(label),
        )
