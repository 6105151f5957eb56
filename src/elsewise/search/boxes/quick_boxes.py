"""Relaxations of boxes one at a time, where a cone, limits and least moves are all there is.

They are those of :class:`Relaxation`, which answers for many nodes and everything else that may be asked; a search that
asks about thousands of boxes of one row has all but the limits made once.
"""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray
from ...projection.cells import CUTOFF
from ..branch_and_bound.empty_nodes import is_doubtful
from ..branch_and_bound.relaxation import Relaxation
from ..constants import FAR_AWAY
from .inside import RelaxedBox

_FIRST_ROW = np.zeros(1, dtype=np.int64)


class QuickBoxes:
    """Solves the relaxations of boxes of one row in one cone.

    Parameters
    ----------
    relaxation : Relaxation
        Of the row alone, without rules, categories, prices of changes or earlier answers.
    row : array of shape (n_features,)
    cone : int
        Among those of the row's goal.
    """

    def __init__(self, relaxation: Relaxation, row: FloatArray, cone: int) -> None:
        self.relaxation, self.row = relaxation, row
        self.cells, self.prices = relaxation.problem.cells, relaxation.prices
        self.coordinates = relaxation.problem.coordinates
        self.plain = self.coordinates.points(row[None])
        self.cone = np.array([relaxation.first_cone[0] + cone])
        self.least, self.starts = relaxation.domain.least_moves, relaxation.domain.layout.starts
        self.polyhedra, self.margin = np.full((1, 2), -1), np.array([relaxation.margin])

    def relax(self, lower: FloatArray, upper: FloatArray, limit: float) -> RelaxedBox | None:
        """Solve the relaxation of a box; None where it takes a second look."""
        if self.least is not None:
            lower, upper = lower.copy(), upper.copy()
            self.least.narrow(_FIRST_ROW, lower[None], upper[None])
        low, high = (lower - self.row) * self.prices, (upper - self.row) * self.prices
        if (lower > upper).any():
            return None
        # limits so far away would blur every sum in which they occur
        near = np.where(lower <= -FAR_AWAY, -np.inf, low), np.where(upper >= FAR_AWAY, np.inf, high)
        batch = self.cells.project(
            self.plain, _FIRST_ROW, self.polyhedra, self.cone,
            cutoff=np.array([limit]), margin=self.margin, lower=near[0][None], upper=near[1][None],
        )  # fmt: skip
        v, is_far = batch.v[0], batch.bound[0] >= limit  # which is proven, whatever else is in doubt
        if not is_far and (is_doubtful(batch)[0] or ((v < low) | (v > high)).any()):
            return None
        if is_far or batch.status[0] == CUTOFF or not np.isfinite(batch.value[0]):
            return RelaxedBox(float(batch.bound[0]), None, np.zeros(self.relaxation.domain.layout.n_columns))
        point = np.clip(self.row + self.coordinates.differences(v), lower, upper)
        fractions = self.relaxation.fractions(_FIRST_ROW, point[None])[0]
        if self.least is not None:
            short = self.least.too_short_in(_FIRST_ROW, lower[None], upper[None], point[None], self.prices)[0]
            fractions = np.maximum(fractions, np.maximum.reduceat(short, self.starts))
        return RelaxedBox(float(batch.bound[0]), point, fractions)
