r"""A scale on which the distribution of a skewed column can be seen.

Where a few rows are far from all others, equally wide bins hold nearly all rows in one. There, numbers are drawn at
:math:`\operatorname{asinh}((x - \text{middle}) / \text{unit})`: near the middle, as a quarter of the rows are, evenly,
and farther away by their logarithm. The middle is the median, or the end opposite to the far values.

Where a value stands in a column's distribution.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import FloatArray, IntArray, UserValue
from ...fitted.summaries import ColumnProfile
from ..files.values import to_json

# A column is skewed if the middle rows, between these percentiles, take less than this share of its range.
MIDDLE_OF_ROWS, SKEWED_SHARE = (5, 95), 0.25
# Whole numbers with fewer values than this have a bar for each, and are not stretched.
FEWEST_VALUES_STRETCHED = 40


@dataclass(frozen=True, slots=True)
class Stretch:
    """A scale that is even about the middle and logarithmic far from it.

    Attributes
    ----------
    middle, unit : float
        In the units of the column.
    """

    middle: float
    unit: float

    @classmethod
    def of(cls, profile: ColumnProfile) -> Stretch | None:
        """Choose the scale of a column by all of its rows; None where equally wide bins show it well."""
        if len(profile.percentiles) == 0:
            return None
        low, high = float(profile.percentiles[0]), float(profile.percentiles[-1])
        if profile.kind == "integer" and high - low < FEWEST_VALUES_STRETCHED:
            return None
        least, most = (float(profile.percentiles[place]) for place in MIDDLE_OF_ROWS)
        if not high > low or most - least >= SKEWED_SHARE * (high - low):
            return None
        median = float(profile.percentiles[50])
        middle = median
        if median - low < SKEWED_SHARE * (high - median):  # far values on one side only: begin at the other
            middle = low
        elif high - median < SKEWED_SHARE * (median - low):
            middle = high
        away = np.sort(np.abs(profile.percentiles - middle))
        unit = away[max(len(away) // 4, int(np.searchsorted(away, 0.0, side="right")))]
        return cls(middle, float(unit))

    def bins(self, profile: ColumnProfile) -> tuple[FloatArray, IntArray]:
        """Count a class's rows in bins that are equally wide on this scale.

        Returns
        -------
        edges : array of shape (n_bins + 1,)
        counts : int array of shape (n_bins,)
            Those of the percentiles, which are as fine as a picture of this size.
        """
        low, high = float(profile.percentiles[0]), float(profile.percentiles[-1])
        first, last = (float(np.arcsinh((end - self.middle) / self.unit)) for end in (low, high))
        edges: FloatArray = self.middle + self.unit * np.sinh(np.linspace(first, last, len(profile.counts) + 1))
        edges[0], edges[-1] = low, high
        below = np.array([profile.share_at_most(edge) for edge in edges])
        below[0], below[-1] = 0.0, 1.0  # the first bin has the rows at its lower edge
        whole: IntArray = np.round(below * int(profile.counts.sum())).astype(np.int64)
        return edges, whole[1:] - whole[:-1]


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
        self._counts: dict[UserValue, float] = {}
        if len(profile.levels):
            total = max(int(profile.counts.sum()), 1)
            self._counts = {to_json(level): int(n) / total for level, n in zip(profile.levels, profile.counts)}
        else:
            self._percentiles = profile.percentiles
            self._steps = np.linspace(0.0, 1.0, len(profile.percentiles))

    def __call__(self, value: UserValue) -> float | None:
        """Return the share for a value as JSON has it; None for a missing number."""
        if self._percentiles is None:
            return self._counts.get(value, 0.0)
        if value is None:
            return None
        return float(np.interp(value, self._percentiles, self._steps, left=0.0, right=1.0))
