"""Least moves: a number stays as it is, or moves at least so far.

What is too short is divided into three: it stays, it is at most one end, at least the other. Boxes that leave only one
of these are narrowed to it. Arrays are of shape (n, n_features); ``least`` is 0 where any move will do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ..branch_and_bound.nodes import Nodes
from ..constants import STILL


@dataclass(frozen=True, slots=True)
class LeastMoves:
    """Ends of what rows may move to.

    Attributes
    ----------
    own : array of shape (n_samples, n_features)
        The rows.
    below, above : arrays of shape (n_samples, n_features)
        What moves down goes at least to ``below``, what moves up to ``above``; the row's own value where any move will
        do.
    """

    own: FloatArray
    below: FloatArray
    above: FloatArray

    @classmethod
    def of(cls, own: FloatArray, least: FloatArray, integer: BoolArray) -> LeastMoves:
        """Make the ends from least moves of shape (n_samples, n_features) or (n_features,)."""
        below, above = own - least, own + least
        has_least = np.broadcast_to(least > 0, own.shape)
        below = np.where(integer & has_least, np.floor(below), below)
        above = np.where(integer & has_least, np.ceil(above), above)
        return cls(own, np.where(has_least, below, own), np.where(has_least, above, own))

    def for_short_floats(self) -> LeastMoves:
        """Move the ends out so that they are kept when they are rounded to 32 bits."""
        with np.errstate(over="ignore"):
            short = self.below.astype(np.float32), self.above.astype(np.float32)
        below = np.where(short[0] > self.below, np.nextafter(short[0], np.float32(-np.inf)), short[0])
        above = np.where(short[1] < self.above, np.nextafter(short[1], np.float32(np.inf)), short[1])
        is_free = self.below == self.above
        return LeastMoves(self.own, np.where(is_free, self.own, below), np.where(is_free, self.own, above))

    def of_rows(self, rows: IntArray | slice) -> LeastMoves:
        """Take those of some of the rows."""
        return LeastMoves(self.own[rows], self.below[rows], self.above[rows])

    def narrow(self, rows: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        """Narrow boxes of rows in place to what may be moved to."""
        own, below, above = self.own[rows], self.below[rows], self.above[rows]
        lower[:] = np.where(lower > own, np.maximum(lower, above), lower)
        upper[:] = np.where(upper < own, np.minimum(upper, below), upper)
        upper[:] = np.where((own <= upper) & (upper < above), own, upper)
        lower[:] = np.where((below < lower) & (lower <= own), own, lower)

    def holds(self, rows: IntArray, points: FloatArray) -> BoolArray:
        """Whether no number of points moves too little, shape (n,)."""
        far = (points <= self.below[rows]) | (points >= self.above[rows]) | (points == self.own[rows])
        return np.asarray(far.all(axis=1))

    def too_short(self, nodes: Nodes, points: FloatArray, prices: FloatArray) -> FloatArray:
        """By how much numbers of relaxed points move where that is too little, in units of the distance; else 0.

        Moves within rounding are none.
        """
        return self.too_short_in(nodes.rows, nodes.lower, nodes.upper, points, prices)

    def too_short_in(
        self, rows: IntArray, lower: FloatArray, upper: FloatArray, points: FloatArray, prices: FloatArray
    ) -> FloatArray:
        """Return the same of points of boxes of rows."""
        own, below, above = self.own[rows], self.below[rows], self.above[rows]
        moved = np.abs(points - own) * prices
        is_open = (lower <= own) & (own <= upper) & (lower < upper)
        return np.where(is_open & (moved > STILL) & (points > below) & (points < above), moved, 0.0)

    def divide(self, node: Nodes, feature: int) -> list[Nodes]:
        """Divide one node: a number stays, goes down or goes up."""
        row = int(node.rows[0])
        stays, down, up = node.children(), node.children(), node.children()
        stays.lower[0, feature] = stays.upper[0, feature] = self.own[row, feature]
        down.upper[0, feature] = min(down.upper[0, feature], self.below[row, feature])
        up.lower[0, feature] = max(up.lower[0, feature], self.above[row, feature])
        return [stays, down, up]
