"""Domains: what a row may become, apart from model and density.

A domain is a box of features for every row, with what in it must be whole, which features are the indicators of one
category, how many columns may change, and which linear rules hold. Boxes are in features; the indicators of a category
have the limits 0 and 1, and a level that cannot be reached has 0 and 0. A category is *decided* in a box if it has one
level left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray


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
    """

    column: IntArray
    n_columns: int
    group: IntArray
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

    def changed(self, E0: FloatArray, E1: FloatArray, beyond: float = 0.0) -> BoolArray:
        """Which columns differ by more than ``beyond``, array of shape (..., n_columns)."""
        return np.asarray(np.logical_or.reduceat(np.abs(E1 - E0) > beyond, self.starts, axis=-1))


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
    normals, offsets : arrays of shape (n_rules, n_features), (n_rules,)
        Linear rules ``normals e <= offsets``.
    rules_hold : function of rows of shape (n_samples, n_features), optional
        Whether the linear rules hold as their author wrote them, shape (n_samples,); by default, as half-spaces. No
        tolerance: what is returned is judged in the same way.
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
    widening: FloatArray | None = None

    def of_rows(self, rows: IntArray | slice) -> Domain:
        """Make the domain of some of the rows."""
        widening = None if self.widening is None else self.widening[rows]
        return replace(self, lower=self.lower[rows], upper=self.upper[rows], widening=widening)

    def widening_of(self, rows: IntArray) -> FloatArray | None:
        """Say what rows, which may occur several times, add to squared radii, shape (n,); None for nothing."""
        return None if self.widening is None else self.widening[rows]

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
