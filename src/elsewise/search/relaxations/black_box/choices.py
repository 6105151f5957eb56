"""Choices of what may change, where a rule or an earlier answer asks for one: each is a search of its own."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from ....arrays import FloatArray, IntArray
from ...domains.domain import Domain
from ...domains.earlier_answers import History

# Choices of columns that may change, or have to stay, tried where a rule or an earlier answer asks for one.
MOST_CHOICES = 12


def choices_of(
    rows: FloatArray, domain: Domain, history: History, nearest: FloatArray, chosen: IntArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Make searches of rows: one each, or several that differ in the columns that may change.

    Parameters
    ----------
    rows : array of shape (n_samples, n_features)
    domain : Domain
    history : History
    nearest : array of shape (n_samples, n_features)
        The nearest points, the model left out; NaN without one.
    chosen : int array
        Rows to be searched.

    Returns
    -------
    owner : int array of shape (n_searches,)
        The row of each.
    lower, upper : arrays of shape (n_searches, n_features)
    """
    layout = domain.layout
    owner, fixed = [], []
    for row in chosen.tolist():
        may = layout.by_unit(np.logical_or.reduceat(domain.lower[row] < domain.upper[row], layout.starts))
        for columns in _fixed_columns(may, domain.max_changes, history, row, _changed(domain, rows, nearest, row)):
            owner.append(row)
            fixed.append(columns[layout.unit_of_feature])
    numbers, stays = np.array(owner, dtype=np.int64), np.array(fixed).reshape(-1, len(layout.column))
    # a value outside of its limits cannot stay
    stays &= (rows[numbers] >= domain.lower[numbers]) & (rows[numbers] <= domain.upper[numbers])
    lower = np.where(stays, rows[numbers], domain.lower[numbers])
    return numbers, lower, np.where(stays, rows[numbers], domain.upper[numbers])


def _changed(domain: Domain, rows: FloatArray, nearest: FloatArray, row: int) -> IntArray:
    if not np.isfinite(nearest[row]).all():
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(domain.layout.changed_units(rows[row], nearest[row]))


def _fixed_columns(may: np.ndarray, most: int | None, history: History, row: int, first: IntArray) -> list[np.ndarray]:
    """Columns, or those that count as one, that have to stay: an array of shape (n_units,) a choice."""
    n, free = len(may), np.flatnonzero(may)
    choices = [np.zeros(n, dtype=np.bool_)]
    if most is not None and most < len(free):
        sets = _few(free, most, first)
        choices = [~np.isin(np.arange(n), kept) for kept in sets]
    earlier = history.earlier[row]
    if not earlier:
        return choices
    # Another cone will do, or one of the columns stays that an earlier answer changes: those of all of them first.
    shared = np.zeros(n)
    for answer in earlier:
        shared[answer.columns] += 1
    order = np.argsort(-shared, kind="stable")
    stay = [column for column in order[: MOST_CHOICES - 1].tolist() if shared[column] > 0]
    made = choices[: max(MOST_CHOICES // (len(stay) + 1), 1)]
    return made + [fixed | (np.arange(n) == column) for fixed in made for column in stay]


def _few(free: IntArray, most: int, first: IntArray) -> list[IntArray]:
    """Make sets of so many columns: all if they are few; else those of the nearest point, and a spread of others."""
    if comb(len(free), most) <= MOST_CHOICES:
        return [np.array(kept) for kept in combinations(free.tolist(), most)]
    others = [column for column in free.tolist() if column not in first]
    sets = [np.array([*first.tolist(), *others][:most])]
    rng = np.random.default_rng(len(free) + most)  # the same for every row, alone or in a batch
    while len(sets) < MOST_CHOICES:
        sets.append(rng.permutation(free)[:most])
    return sets
