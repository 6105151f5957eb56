"""Domains: what a row may become, apart from model and density.

A domain is a box of features for every row, with what in it must be whole, which features are the indicators of one
category, how many columns may change, and which linear rules hold. Boxes are in features; the indicators of a category
have the limits 0 and 1, and a level that cannot be reached has 0 and 0. A category is *decided* in a box if it has one
level left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray, distinct_lines

if TYPE_CHECKING:
    from .clauses import Clauses
    from .least_moves import LeastMoves

# From so many boxes on, equal ones are looked for before they are narrowed by clauses.
MANY_BOXES = 64


@dataclass(frozen=True, slots=True)
class Layout:
    """How features form columns.

    Attributes
    ----------
    column : int array of shape (n_features,)
        The column each feature belongs to, ascending.
    n_columns : int
    group : int array of shape (n_features,)
        The category each feature is an indicator of, counted over categories; -1 for numeric features.
    starts : int array of shape (n_columns,)
        First feature of each column.
    indicators : int array
        Positions of all indicators, category by category.
    first_indicators : int array of shape (n_categories,)
        Where each category starts among the indicators.
    category_columns : int array of shape (n_categories,)
        The column of each category.
    unit : int array of shape (n_columns,)
        What each column counts as where changes are counted: columns that move together are one. By default itself.
    n_units : int
    unit_of_feature : int array of shape (n_features,)
    """

    column: IntArray
    n_columns: int
    group: IntArray
    unit: IntArray = None  # type: ignore[assignment]  # set below
    n_units: int = field(init=False)
    unit_of_feature: IntArray = field(init=False)
    starts: IntArray = field(init=False)
    indicators: IntArray = field(init=False)
    first_indicators: IntArray = field(init=False)
    category_columns: IntArray = field(init=False)

    def __post_init__(self) -> None:
        indicators = np.flatnonzero(self.group >= 0)
        first = np.flatnonzero(np.diff(self.group[indicators], prepend=-1))
        object.__setattr__(self, "starts", np.flatnonzero(np.diff(self.column, prepend=-1)))
        object.__setattr__(self, "indicators", indicators)
        object.__setattr__(self, "first_indicators", first)
        object.__setattr__(self, "category_columns", self.column[indicators[first]])
        unit = np.arange(self.n_columns) if self.unit is None else self.unit
        object.__setattr__(self, "unit", unit)
        object.__setattr__(self, "n_units", int(unit.max(initial=-1)) + 1)
        object.__setattr__(self, "unit_of_feature", unit[self.column])

    def changed(self, E0: FloatArray, E1: FloatArray, beyond: float = 0.0) -> BoolArray:
        """Which columns differ by more than ``beyond``, array of shape (..., n_columns)."""
        return np.asarray(np.logical_or.reduceat(np.abs(E1 - E0) > beyond, self.starts, axis=-1))

    def changed_units(self, E0: FloatArray, E1: FloatArray, beyond: float = 0.0) -> BoolArray:
        """Return what differs by more than ``beyond``, as changes are counted; array of shape (..., n_units)."""
        return self.by_unit(self.changed(E0, E1, beyond))

    def by_unit(self, columns: BoolArray) -> BoolArray:
        """Which units have a column that is True, from an array of shape (..., n_columns)."""
        if self.n_units == self.n_columns:
            return columns
        units = np.zeros((*columns.shape[:-1], self.n_units), dtype=np.bool_)
        for column, unit in enumerate(self.unit.tolist()):
            units[..., unit] |= columns[..., column]
        return units


@dataclass(frozen=True, slots=True)
class Domain:
    """What each row of a batch may become.

    Attributes
    ----------
    layout : Layout
    lower, upper : arrays of shape (n_samples, n_features)
        Limits; whole where ``integer``, unless they are the row's own value.
    integer : bool array of shape (n_features,)
    max_changes : int or None
    per_change : float
        What every change costs, beside the distance of its size.
    least_moves : LeastMoves or None
        How far numbers move at least, if they do.
    normals, offsets : arrays of shape (n_rules, n_features), (n_rules,)
        Linear rules ``normals e <= offsets``.
    rules_hold : function of rows of shape (n_samples, n_features), optional
        Whether the linear rules hold as their author wrote them, shape (n_samples,); by default, as half-spaces. No
        tolerance: what is returned is judged in the same way.
    clauses : Clauses or None
        Alternatives of which one holds.
    widening : array of shape (n_samples,), optional
        What each row adds to the squared radii of its goal's cones, for rows that have a density threshold of their
        own; negative takes off.
    """

    layout: Layout
    lower: FloatArray
    upper: FloatArray
    integer: BoolArray
    max_changes: int | None
    normals: FloatArray
    offsets: FloatArray
    rules_hold: Callable[[FloatArray], BoolArray] | None = None
    clauses: Clauses | None = None
    per_change: float = 0.0
    least_moves: LeastMoves | None = None
    widening: FloatArray | None = None

    def of_rows(self, rows: IntArray | slice) -> Domain:
        """Make the domain of some of the rows."""
        clauses = None if self.clauses is None else self.clauses.of_rows(rows)
        least = None if self.least_moves is None else self.least_moves.of_rows(rows)
        widening = None if self.widening is None else self.widening[rows]
        return replace(
            self,
            lower=self.lower[rows],
            upper=self.upper[rows],
            clauses=clauses,
            least_moves=least,
            widening=widening,
        )

    def widening_of(self, rows: IntArray) -> FloatArray | None:
        """Describe what rows, which may occur several times, add to squared radii, shape (n,); None for nothing."""
        return None if self.widening is None else self.widening[rows]

    @property
    def asks_more(self) -> bool:
        """Whether there is more to keep than limits, whole numbers and prices of single columns."""
        is_ruled = self.max_changes is not None or len(self.offsets) > 0 or self.clauses is not None
        return is_ruled or not self.prices_are_separate

    @property
    def prices_are_separate(self) -> bool:
        """Whether what changes cost is a sum over columns."""
        return self.per_change == 0.0 or self.layout.n_units == self.layout.n_columns

    @property
    def discrete(self) -> BoolArray:
        """Features that are whole or indicators, array of shape (n_features,)."""
        return np.asarray(self.integer | (self.layout.group >= 0))

    def keeps_rules(self, E: FloatArray) -> BoolArray:
        """Whether the linear rules hold exactly, in double precision, array of shape (n_samples,)."""
        if not len(self.offsets):
            return np.ones(len(E), dtype=np.bool_)
        if self.rules_hold is not None:
            return self.rules_hold(E)
        # summed in one order, feature by feature: a row has the same bits alone and in any batch
        return np.asarray(((E[:, None, :] * self.normals).cumsum(axis=2)[:, :, -1] <= self.offsets).all(axis=1))

    def keeps_clauses(self, rows: IntArray, E: FloatArray) -> BoolArray:
        """Whether points ``E``, of shape (n, n_features), keep every clause of their rows, array of shape (n,)."""
        if self.clauses is None:
            return np.ones(len(E), dtype=np.bool_)
        return np.asarray(~self.clauses.broken(rows, E).any(axis=1))

    def keeps(self, rows: IntArray, own: FloatArray, E: FloatArray) -> BoolArray:
        """Whether points of rows, all of shape (n, n_features), keep all but limits and whole numbers; shape (n,)."""
        holds = self.keeps_rules(E) & self.keeps_clauses(rows, E)
        if self.least_moves is not None:
            holds &= self.least_moves.holds(rows, E)
        if self.max_changes is not None:
            holds &= self.layout.changed_units(own, E).sum(axis=1) <= self.max_changes
        return np.asarray(holds)

    def narrow(self, rows: IntArray, lower: FloatArray, upper: FloatArray, own: FloatArray) -> BoolArray:
        """Narrow boxes of rows, of shape (n, n_features), by all but linear rules, in place; tell which hold any."""
        if self.least_moves is not None:
            self.least_moves.narrow(rows, lower, upper)
        if self.clauses is None:
            return np.ones(len(lower), dtype=np.bool_)
        if len(rows) < MANY_BOXES:
            return self.clauses.narrow(rows, lower, upper, self.layout, self.integer, own)
        # cells of one node have its box, as long as they do not limit it
        first, kind = distinct_lines(np.column_stack([rows, lower, upper]))
        least, most = lower[first], upper[first]
        holds = self.clauses.narrow(rows[first], least, most, self.layout, self.integer, own[first])
        lower[:], upper[:] = least[kind], most[kind]
        return holds[kind]
