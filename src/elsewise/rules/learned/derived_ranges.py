"""Derived columns stay in the range of the training rows, as other numbers do."""

# ruff: noqa: D102 - Rule says what the methods of every kind of rule do
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import BoolArray, FloatArray
from ...table.derived import DerivedColumn, Form, rows_of_derived
from .. import words
from ..arithmetic.derived_bounds import bounds_of_derived
from ..atomic import Linear, Rule
from .found_rules import range_in_words
from .regularities import Regularities, range_columns

if TYPE_CHECKING:
    from ...table.column import Column
    from ...table.table import Table
    from ..constraints import Constraints

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class DerivedRange(Rule):
    """A derived column stays in the range of the training rows; a value that is outside may stay, or come nearer.

    Attributes
    ----------
    bounded : str
        The derived column.
    derived : tuple of DerivedColumn
        All derived columns, in their order.
    features : dict of column name to feature
        What derived columns are made of.
    low, high : float
    normals, offsets : arrays of shape (n_half_spaces, n_features) and (n_half_spaces,)
        The same for the search, ``normals e <= offsets``; none where the column is a product, or a row is outside.
    """

    name: str
    bounded: str
    derived: tuple[DerivedColumn, ...]
    features: dict[str, int]
    low: float
    high: float
    normals: FloatArray
    offsets: FloatArray

    @property
    def is_found(self) -> bool:
        return True

    def values(self, E: FloatArray) -> FloatArray:
        """Values of the column, array of shape (n_samples,)."""
        return rows_of_derived(self.derived, {name: E[:, f] for name, f in self.features.items()})[self.bounded]

    def outside(self, E: FloatArray) -> BoolArray:
        """Whether rows are outside of the range, array of shape (n_samples,)."""
        values = self.values(E)
        return np.asarray((values < self.low) | (values > self.high))

    def breaks(self, E0: FloatArray, E1: FloatArray) -> BoolArray:
        before, after = self.values(E0), self.values(E1)
        too_low = (after < self.low) & ~(after >= before)
        return np.asarray(too_low | ((after > self.high) & ~(after <= before)))

    def in_detail(self, before: FloatArray, after: FloatArray) -> str:
        now, then = self.values(np.array([before, after])).tolist()
        return f"{self.bounded} {words.number(now)} -> {words.number(then)}"

    def without_search(self) -> DerivedRange:
        """Leave the rule to the last check alone."""
        return replace(self, normals=self.normals[:0], offsets=self.offsets[:0])


def derived_ranges(
    given: Constraints, table: Table, known: Regularities | None, find: Callable[[str, str], Column]
) -> list[DerivedRange]:
    """Make the rules of derived columns whose ranges do not follow from those of their sources.

    Parameters
    ----------
    given : Constraints
    table : Table
    known : Regularities or None
    find : function of a name and of what names it
        Finds a column.
    """
    rules: list[DerivedRange] = []
    if known is None:
        return rules
    names = range_columns(given, table, known)
    by_name = {column.name: column for column in table.columns}
    features = {name: by_name[name].start for name in by_name if any(name in c.sources for c in table.derived)}
    free = [name for name in names if name in features and not given.bounds.get(name) and name not in known.special]
    within = {name: (float(known.low[features[name]]), float(known.high[features[name]])) for name in free}
    for column in table.derived:
        if column.name not in names or column.name not in known.derived:
            continue
        (low, high), ends = known.derived[column.name], given.bounds.get(column.name, (None, None))
        low, high = -np.inf if ends[0] is not None else low, np.inf if ends[1] is not None else high
        least, most = _interval(column, within)
        if not (isfinite(low) or isfinite(high)) or (low <= least and most <= high):
            continue
        in_words = range_in_words(column.name, low, high)
        half_spaces: Linear | None = None
        if column.forms.symbol != "*" and set(column.sources) <= features.keys():
            half_spaces = bounds_of_derived(column, (low, high), in_words, table.n_features, find)
        normals = np.empty((0, table.n_features)) if half_spaces is None else half_spaces.normals
        offsets = np.empty(0) if half_spaces is None else half_spaces.offsets
        rules.append(DerivedRange(in_words, column.name, table.derived, features, low, high, normals, offsets))
    return rules


def _interval(column: DerivedColumn, within: Mapping[str, Interval]) -> Interval:
    """Values that a derived column may have where its sources are within intervals; infinite where nothing is known."""
    forms = column.forms
    first = _form_interval(forms.first, within)
    if not forms.symbol:
        corners = list(first)
    else:
        second = _form_interval(forms.second or {}, within)
        if not np.isfinite([*first, *second]).all() or (forms.symbol == "/" and second[0] <= 0.0 <= second[1]):
            return -np.inf, np.inf
        corners = [f * g if forms.symbol == "*" else f / g for f in first for g in second]
    ends = column.as_written(np.array([min(corners), max(corners)]))
    return float(ends[0]), float(ends[1])


def _form_interval(form: Form, within: Mapping[str, Interval]) -> Interval:
    low = high = float(form.get("", 0))
    for name, factor in form.items():
        if name:
            ends = [float(factor) * end for end in within.get(name, (-np.inf, np.inf))]
            low, high = low + min(ends), high + max(ends)
    return low, high
