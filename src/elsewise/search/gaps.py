"""Gaps of numbers: clauses about one number, which is a code or in the regular range and nothing between.

A relaxed value in a gap is no value at all, however whole the others are: nodes are divided there first, one child an
alternative.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from .clauses import Clauses
from .constants import WHOLE
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
    places = np.flatnonzero(about_one_number(clauses, layout))
    firsts = np.unique(clauses.feature[clauses.first[places]], return_index=True)[1]
    chosen = np.zeros(len(clauses.first), dtype=np.bool_)
    chosen[places[firsts]] = True
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


def without_jumps(domain: Domain, rows: FloatArray) -> Domain | None:
    """Make the domain in which no number crosses a gap, and other clauses are left out; None if there are no gaps.

    Parameters
    ----------
    domain : Domain
    rows : array of shape (n_samples, n_features)
        Of the domain.
    """
    clauses = domain.clauses
    if clauses is None:
        return None
    gaps = np.flatnonzero(about_one_number(clauses, domain.layout))
    if not len(gaps):
        return None
    lower, upper, clause_of = domain.lower.copy(), domain.upper.copy(), clauses.clause_of
    for clause in gaps.tolist():
        literals = np.flatnonzero(clause_of == clause)
        feature = int(clauses.feature[literals[0]])
        own, low, high = rows[:, [feature]], clauses.low[:, literals], clauses.high[:, literals]
        holds = (low <= own) & (own <= high)
        known = holds.any(axis=1) & clauses.binds[:, clause]
        least, most = np.where(holds, low, np.inf).min(axis=1), np.where(holds, high, -np.inf).max(axis=1)
        lower[known, feature] = np.maximum(lower[known, feature], least[known])
        upper[known, feature] = np.minimum(upper[known, feature], most[known])
    return replace(domain, lower=lower, upper=upper, clauses=None)
