"""NumberPieces: what single numbers of a row may be, a code or a regular value, as intervals of which one has to hold.

They are the clauses about one number alone in a form for covers that look at every column by itself:
what is nearest among the pieces of a column follows from that column alone, and nothing has to be divided.

Gaps of numbers: clauses about one number, which is a code or in the regular range and nothing between.

A relaxed value in a gap is no value at all, however whole the others are: nodes are divided there first, one child an
alternative.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ..constants import WHOLE
from .clauses import Clauses
from .domain import Domain, Layout


@dataclass(frozen=True, slots=True, eq=False)
class NumberPieces:
    """Intervals of some numbers of one row.

    Attributes
    ----------
    feature : int array of shape (n_numbers,)
        Each once.
    low, high : arrays of shape (n_numbers, n_pieces)
        Ends of the intervals; low above high is none.
    """

    feature: IntArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def of(cls, clauses: Clauses, row: int) -> NumberPieces | None:
        """Make those of one row from clauses about one number each; None if none of them binds.

        Parameters
        ----------
        clauses : Clauses
            Of which no two are about the same number.
        row : int
            Place among the rows of the clauses.
        """
        binds = clauses.binds[row]
        if not binds.any():
            return None
        sizes = np.diff(np.append(clauses.first, len(clauses.feature)))[binds]
        first = clauses.first[binds]
        place = first[:, None] + np.arange(sizes.max())
        is_one = np.arange(sizes.max()) < sizes[:, None]
        place = np.where(is_one, place, 0)
        low, high = (
            np.where(is_one, clauses.low[row][place], np.inf),
            np.where(is_one, clauses.high[row][place], -np.inf),
        )
        return cls(clauses.feature[first], low, high)

    def within(self, feature: IntArray, low: FloatArray, high: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        """Cut intervals of features into the pieces that lie in them.

        Parameters
        ----------
        feature, low, high : arrays of shape (n,)
            Low above high is no interval.

        Returns
        -------
        interval : int array of shape (m,)
            What each piece is part of, ascending.
        low, high : arrays of shape (m,)
            Ends of what is left of the pieces, of which none is empty.
        """
        n_features = max(int(feature.max(initial=-1)), int(self.feature.max())) + 1
        place: IntArray = np.full(n_features, len(self.feature))
        place[self.feature] = np.arange(len(self.feature))
        every: FloatArray = np.full((1, self.low.shape[1]), np.inf)  # for numbers without pieces: one, of everything
        lows, highs = np.vstack([self.low, every]), np.vstack([self.high, -every])
        lows[-1, 0], highs[-1, 0] = -np.inf, np.inf
        of = place[feature]
        a, b = np.maximum(low[:, None], lows[of]), np.minimum(high[:, None], highs[of])
        interval, piece = np.nonzero(a <= b)
        return interval, a[interval, piece], b[interval, piece]

    def hulls(self, feature: IntArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Narrow intervals of features, arrays of shape (n,), to their outermost pieces: low above high if none is."""
        interval, first, last = self.within(feature, low, high)
        low, high = np.full(len(low), np.inf), np.full(len(high), -np.inf)
        np.minimum.at(low, interval, first)
        np.maximum.at(high, interval, last)
        return low, high

    def narrow(self, lower: FloatArray, upper: FloatArray) -> None:
        """Narrow a box, arrays of shape (n_features,), to its outermost pieces in place; empty if there are none."""
        f = self.feature
        a, b = np.maximum(lower[f, None], self.low), np.minimum(upper[f, None], self.high)
        is_left = a <= b
        lower[f] = np.where(is_left, a, np.inf).min(axis=1)
        upper[f] = np.where(is_left, b, -np.inf).max(axis=1)


def about_one_number(clauses: Clauses, layout: Layout) -> BoolArray:
    """Which clauses are about one number alone, array of shape (n_clauses,)."""
    least = np.minimum.reduceat(clauses.feature, clauses.first)
    most = np.maximum.reduceat(clauses.feature, clauses.first)
    return np.asarray((least == most) & (layout.group[least] < 0))


def split(clauses: Clauses | None, layout: Layout) -> tuple[Clauses | None, Clauses | None]:
    """Return clauses about one number alone, the first one about each, from all others; None where there are none."""
    if clauses is None:
        return None, None
    chosen = about_one_number(clauses, layout)
    features = clauses.feature[clauses.first[chosen]].tolist()
    if len(set(features)) < len(features):
        chosen[chosen] = [feature not in features[:place] for place, feature in enumerate(features)]
    return clauses.some(chosen), clauses.some(~chosen)


def depths(
    domain: Domain, rows: IntArray, lower: FloatArray, upper: FloatArray, points: FloatArray, prices: FloatArray
) -> FloatArray:
    """How deep points of boxes lie in gaps, in units of the distance; array of shape (n, n_clauses).

    Parameters
    ----------
    domain : Domain
    rows : int array of shape (n,)
        Of the domain.
    lower, upper, points : arrays of shape (n, n_features)
    prices : array of shape (n_features,)
    """
    clauses = domain.clauses
    if clauses is None:
        return np.zeros((len(rows), 0))
    feature = clauses.feature
    low, high = np.maximum(clauses.low[rows], lower[:, feature]), np.minimum(clauses.high[rows], upper[:, feature])
    values = points[:, feature]
    apart = np.where(low <= high, np.maximum(np.maximum(low - values, values - high), 0.0), np.inf)
    apart = np.minimum.reduceat(apart, clauses.first, axis=1)
    counts = about_one_number(clauses, domain.layout) & clauses.binds[rows] & (apart > WHOLE)
    return np.where(counts, apart * prices[feature[clauses.first]], 0.0)
