"""What a node of a proof leaves of the domain, and the least cost in it: what the checker evaluates, in doubles.

The checker repeats every bound in exact arithmetic. Doubles are off by some 1e-13 of the terms, so the prover asks for
a little more than it writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray
from .statement import Statement


@dataclass(frozen=True, slots=True, eq=False)
class UnitCuts:
    """Half-spaces ``A x <= b`` of features that follow from sums of units on intervals.

    Each stands for the sum of rows of the sums with some weights, and a line for each unit.

    Attributes
    ----------
    A, b : arrays of shape (n_cuts, n_features), (n_cuts,)
    rows : array of shape (n_cuts, n_rows)
        Weights of the rows.
    slopes : array of shape (n_cuts, n_units)
        Of the lines, times the weights of the units.
    """

    A: FloatArray
    b: FloatArray
    rows: FloatArray
    slopes: FloatArray

    def chosen(self, which: BoolArray) -> UnitCuts:
        """Return some of them."""
        return UnitCuts(self.A[which], self.b[which], self.rows[which], self.slopes[which])

    def joined(self, other: UnitCuts) -> UnitCuts:
        """Return these and others."""
        pairs = (
            (self.A, other.A),
            (self.b, other.b),
            (self.rows, other.rows),
            (self.slopes, other.slopes),
        )
        return UnitCuts(*(np.concatenate(pair) for pair in pairs))

    def as_json(self, multipliers: FloatArray) -> dict[str, Any]:
        """Write multipliers of the cuts: those of the rows, and the slopes of the lines of units."""
        rows, slopes = multipliers @ self.rows, -(multipliers @ self.slopes)
        return {
            "parts": [[int(r), float(rows[r])] for r in np.flatnonzero(rows > 0)],
            "units": [[int(u), float(slopes[u])] for u in np.flatnonzero(slopes)],
        }


@dataclass(frozen=True, slots=True, eq=False)
class Narrowing:
    """What a unit is applied to is within an interval: nothing nearer than the bound is beyond its ends.

    Attributes
    ----------
    unit : int
    low, high : float
        Infinite where nothing is known.
    below, above : dict
        Multipliers that close what is beyond each end.
    """

    unit: int
    low: float
    high: float
    below: dict[str, Any]
    above: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class ProofNode:
    """A node: limits of features, and which goal, part and ellipsoid it is about; -1 where that is open.

    Attributes
    ----------
    lower, upper : arrays of shape (n_features,)
    goal, part, ellipsoid : int
    units : mapping
        Intervals of what units are applied to, by the number of the unit: those that are narrowed.
    cuts : UnitCuts or None
        Half-spaces that follow from the intervals of units.
    narrowings : tuple of Narrowing
        To be written before anything else.
    bound_before : float
        What was known before the last narrowing.
    closing : dict or None
        Multipliers that close it, if they are known.
    """

    lower: FloatArray
    upper: FloatArray
    goal: int = -1
    part: int = -1
    ellipsoid: int = -1
    units: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    cuts: UnitCuts | None = None
    narrowings: tuple[Narrowing, ...] = ()
    bound_before: float = -np.inf
    closing: dict[str, Any] | None = None

    def within(self, feature: int, low: float, high: float) -> ProofNode:
        """Return the part of the box in which a feature is within further limits."""
        lower, upper = self.lower.copy(), self.upper.copy()
        lower[feature], upper[feature] = max(lower[feature], low), min(upper[feature], high)
        return replace(self, lower=lower, upper=upper, bound_before=-np.inf)

    def within_unit(self, unit: int, low: float, high: float) -> ProofNode:
        """Return the part of the node in which what a unit is applied to is within further limits."""
        before = self.units.get(unit, (-np.inf, np.inf))
        return replace(self, units={**self.units, unit: (max(low, before[0]), min(high, before[1]))})


class NodeCosts:
    """Least costs of boxes of one statement.

    Parameters
    ----------
    statement : Statement
    bound : float
        Nothing at this distance or farther matters.
    """

    def __init__(self, statement: Statement, bound: float) -> None:
        self.row, self.prices, self.domain = statement.row, statement.prices, statement.domain
        layout = self.domain.layout
        self.bound, self.reach = bound, bound / self.prices
        self.categories = [np.flatnonzero(layout.group == c) for c in range(int(layout.group.max(initial=-1)) + 1)]
        self.numeric = np.flatnonzero(layout.group < 0)
        least = self.domain.least_moves
        self._is_plain = len(self.numeric) == layout.n_units and self.domain.max_changes is None
        self._is_plain &= self.domain.per_change == 0.0
        self.below = self.row if least is None else least.below[0]
        self.above = self.row if least is None else least.above[0]

    def limits(self, box: ProofNode) -> tuple[FloatArray, FloatArray]:
        """Limits of numbers in a box, within reach and from one whole number to another; of indicators, as they are."""
        low = np.maximum(box.lower, self.row - self.reach)
        high = np.minimum(box.upper, self.row + self.reach)
        whole = self.domain.integer
        stays = (box.lower <= self.row) & (self.row <= box.upper)
        low = np.where(whole, np.where(stays, np.minimum(np.ceil(low), self.row), np.ceil(low)), low)
        high = np.where(whole, np.where(stays, np.maximum(np.floor(high), self.row), np.floor(high)), high)
        return low, high

    def levels(self, box: ProofNode, category: int) -> list[int]:
        """Return the indicators of the levels of a category that a box leaves."""
        features = self.categories[category]
        forced = [f for f in features.tolist() if box.lower[f] > 0]
        return [f for f in features.tolist() if box.upper[f] >= 1 and all(other == f for other in forced)]

    def least(self, box: ProofNode, slopes: FloatArray) -> float:
        """Least ``distance + slopes (x - row)`` over the rows of a box that are near; infinite if there is none."""
        stays, changes = self._of_features(box, slopes)
        if self._is_plain:
            return float(np.minimum(stays, changes).sum())
        layout, column_of = self.domain.layout, self.domain.layout.column
        stay, change = np.full(layout.n_columns, np.inf), np.full(layout.n_columns, np.inf)
        stay[column_of[self.numeric]], change[column_of[self.numeric]] = stays[self.numeric], changes[self.numeric]
        for number, features in enumerate(self.categories):
            column = column_of[features[0]]
            own = int(features[self.row[features] == 1][0])
            for f in self.levels(box, number):
                if f == own:
                    stay[column] = 0.0
                else:
                    cost = self.prices[f] + self.prices[own] + slopes[f] - slopes[own]
                    change[column] = min(change[column], cost)
        best = np.minimum(stay, change)
        if np.isinf(best).any():
            return np.inf
        staying, moving = np.zeros(layout.n_units), np.full(layout.n_units, self.domain.per_change)
        np.add.at(staying, layout.unit, stay)
        np.add.at(moving, layout.unit, best)
        forced = np.isinf(staying)
        total = float(moving[forced].sum() + staying[~forced].sum())
        gains = np.minimum(moving - staying, 0.0)[~forced]
        most = self.domain.max_changes
        if most is None:
            return total + float(gains.sum())
        left = most - int(forced.sum())
        return np.inf if left < 0 else total + float(np.sort(gains)[:left].sum())

    def _of_features(self, box: ProofNode, slopes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Compute what numbers cost at least if they stay, and if they change."""
        row, prices, whole = self.row, self.prices, self.domain.integer
        stays = np.where((box.lower <= row) & (row <= box.upper), 0.0, np.inf)
        least, most = np.maximum(box.lower, row - self.reach), np.minimum(box.upper, row + self.reach)
        changes = np.full(len(row), np.inf)
        for low, high in ((least, np.minimum(most, self.below)), (np.maximum(least, self.above), most)):
            low, high = np.where(whole, np.ceil(low), low), np.where(whole, np.floor(high), high)
            for x in (low, high):
                cost = prices * np.abs(x - row) + slopes * (x - row)
                changes = np.where(low <= high, np.minimum(changes, cost), changes)
        return stays, changes
