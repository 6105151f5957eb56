"""Where a value stands in a column's distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...fitted.profiles import ColumnProfile
from ..files.values import to_json


class ColumnShare:
    """The share of rows with at most a value, or with a level.

    Parameters
    ----------
    profile : ColumnProfile
        How the column is distributed among these rows.
    """

    __slots__ = ("_counts", "_percentiles", "_steps", "name")

    def __init__(self, profile: ColumnProfile) -> None:
        self.name = profile.name
        self._percentiles: FloatArray | None = None
        self._counts: dict[Any, float] = {}
        if len(profile.levels):
            total = max(int(profile.counts.sum()), 1)
            self._counts = {to_json(level): int(n) / total for level, n in zip(profile.levels, profile.counts)}
        else:
            self._percentiles = profile.percentiles
            self._steps = np.linspace(0.0, 1.0, len(profile.percentiles))

    def __call__(self, value: Any) -> float | None:
        """Give the share for a value as JSON has it; None for a missing number."""
        if self._percentiles is None:
            return self._counts.get(value, 0.0)
        if value is None:
            return None
        return float(np.interp(value, self._percentiles, self._steps, left=0.0, right=1.0))
