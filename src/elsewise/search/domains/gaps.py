"""Gaps of numbers: clauses about one number, which is a code or in the regular range and nothing between.

A relaxed value in a gap is no value at all, however whole the others are: nodes are divided there first, one child an
alternative.
"""

from __future__ import annotations

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ..constants import WHOLE
from .clauses import Clauses
from .domain import Domain, Layout


def about_one_number(clauses: Clauses, layout: Layout) -> BoolArray:
    """Which clauses are about one number alone, array of shape (n_clauses,)."""
    least = np.minimum.reduceat(clauses.feature, clauses.first)
    most = np.maximum.reduceat(clauses.feature, clauses.first)
    return np.asarray((least == most) & (layout.group[least] < 0))


def split(clauses: Clauses | None, layout: Layout) -> tuple[Clauses | None, Clauses | None]:
    """Tell clauses about one number alone, the first one about each, from all others; None where there are none."""
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
