"""What the polyhedra of a region say of single columns: boxes, and exact distances to them.

Most half-spaces of a tree's leaf are about one column: a number below a threshold, an indicator above one half. With
whole numbers and categories such a one says more than it does by itself: the number is at most the threshold rounded
down, the level is one of a few.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import BoolArray, FloatArray, IntArray
from ....projection.cells import Cells
from ....projection.distance import Coordinates
from .bounds import BOUND_ROUNDING

# Regions with more half-spaces than this have no boxes: these only make the search faster.
MOST_HALFSPACES_BOXED = 50_000


@dataclass(frozen=True, slots=True)
class Boxes:
    """A box of features for every polyhedron; indicators have the limits 0 and 1, a level that is ruled out 0 and 0.

    Attributes
    ----------
    lower, upper : arrays of shape (n_polyhedra, n_features)
    least, most : arrays of shape (n_polyhedra, n_features)
        The same limits moved out by rounding: nothing that could satisfy them lies beyond.
    of_column : int array of shape (n_halfspaces,)
        The first feature of the column that a half-space is about, if it is about that column alone; else -1.
    group : int array of shape (n_features,)
    is_trivial : bool
        No polyhedron limits any single column.
    """

    lower: FloatArray
    upper: FloatArray
    least: FloatArray
    most: FloatArray
    of_column: IntArray
    group: IntArray
    is_trivial: bool

    def bounds(self, E: FloatArray, prices: FloatArray, integer: BoolArray) -> FloatArray:
        """Lower bounds of the distances of rows to the boxes, over points that are whole where they must be.

        Parameters
        ----------
        E : array of shape (n_samples, n_features)
        prices : array of shape (n_features,)
            Of a unit of a numeric feature, of a change of category.
        integer : bool array of shape (n_features,)

        Returns
        -------
        array of shape (n_samples, n_polyhedra)
        """
        bounds = np.zeros((len(E), len(self.lower)))
        if self.is_trivial:
            return bounds
        lower, upper = self.rounded(integer)
        limited = np.isfinite(lower).any(axis=0) | np.isfinite(upper).any(axis=0)
        for i in np.flatnonzero((self.group < 0) & limited):
            own = E[:, i, None]
            apart = np.maximum(lower[:, i] - own, own - upper[:, i])
            stays = (self.lower[:, i] <= own) & (own <= self.upper[:, i])  # even if it is not whole itself
            bounds += prices[i] * np.where(stays, 0.0, np.maximum(apart, 0.0))
        for i in np.flatnonzero((self.group >= 0) & (upper == 0).any(axis=0)):
            bounds += prices[i] * np.outer(E[:, i], upper[:, i] == 0)  # the row's own level is ruled out
        bounds *= 1 - BOUND_ROUNDING
        return bounds

    def limits(self, polyhedra: IntArray, rows: FloatArray, integer: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Limits of polyhedra, one a row: rounded inwards, but a row's own value stays within even if not whole.

        Parameters
        ----------
        polyhedra : int array of shape (n_samples,)
        rows : array of shape (n_samples, n_features)
        integer : bool array of shape (n_features,)

        Returns
        -------
        lower, upper : arrays of shape (n_samples, n_features)
        """
        if self.is_trivial:
            return self.lower[polyhedra], self.upper[polyhedra]
        lower, upper = self.rounded(integer)
        low, high = lower[polyhedra], upper[polyhedra]
        lowest, highest = self.lower[polyhedra], self.upper[polyhedra]
        return (
            np.where((lowest <= rows) & (rows < low), rows, low),
            np.where((highest >= rows) & (rows > high), rows, high),
        )

    def rounded(self, integer: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Limits rounded inwards where features are whole."""
        lower, upper = self.lower.copy(), self.upper.copy()
        # A limit that is whole up to rounding stays: nothing that could satisfy it is ruled out.
        lower[:, integer], upper[:, integer] = np.ceil(self.least[:, integer]), np.floor(self.most[:, integer])
        return lower, upper

    def excludes(self, points: FloatArray, polyhedra: IntArray, discrete: BoolArray) -> BoolArray:
        """Whether each of the points has a whole number or level that its polyhedron rules out, shape (n_samples,).

        Parameters
        ----------
        points : array of shape (n_samples, n_features)
        polyhedra : int array of shape (n_samples,)
        discrete : bool array of shape (n_features,)
        """
        if self.is_trivial:
            return np.zeros(len(points), dtype=np.bool_)
        out = (points < self.least[polyhedra]) | (points > self.most[polyhedra])
        return np.asarray((out & discrete).any(axis=1))


def boxes_of(cells: Cells, coordinates: Coordinates, group: IntArray, rounding: FloatArray, exact: FloatArray) -> Boxes:
    """Read the boxes off the half-spaces of each polyhedron that are about one column alone.

    Parameters
    ----------
    cells : Cells
    coordinates : Coordinates
    group : int array of shape (n_features,)
    rounding : array of shape (n_halfspaces,)
        By how much right-hand sides may be wrong, from the rounding of the model's own arithmetic.
    exact : array of shape (n_halfspaces,)
        Numbers that a model compares a feature with as it is, to the last bit; NaN for all other half-spaces.
    """
    k, n = cells.n_polyhedra, len(group)
    indicator = group >= 0
    lower = np.where(indicator, 0.0, np.full((k, n), -np.inf))
    upper = np.where(indicator, 1.0, np.full((k, n), np.inf))
    counts = cells.spans[:, 1] - cells.spans[:, 0]
    if cells.norm != 1 or cells.shifts.any() or cells.shift_offsets.any() or counts.sum() > MOST_HALFSPACES_BOXED:
        return Boxes(lower, upper, lower, upper, np.full(len(cells.offsets), -1), group, True)
    least, most, of_column = lower.copy(), upper.copy(), np.full(len(cells.offsets), -1)
    owner = np.repeat(np.arange(k), counts)
    halfspace = np.concatenate([np.empty(0, dtype=np.int64), *(np.arange(start, stop) for start, stop in cells.spans)])
    normals = cells.normals[halfspace] / coordinates.back
    offsets = (cells.offsets + cells.normals / coordinates.back @ coordinates.origin)[halfspace]
    # a numeric feature by itself, all indicators of a category together
    column = np.where(indicator, n + group, np.arange(n))
    first = (normals != 0).argmax(axis=1)
    alone = ((normals != 0) <= (column == column[first][:, None])).all(axis=1) & (normals != 0).any(axis=1)
    of_column[halfspace[alone]] = first[alone]
    slack, known = rounding[halfspace], exact[halfspace]
    told = zip(owner[alone], normals[alone], offsets[alone], slack[alone], known[alone], first[alone])
    for i, a, b, e, limit, feature in told:
        if indicator[feature]:
            levels = np.flatnonzero(group == group[feature])
            upper[i, levels[a[levels] > b + e]] = most[i, levels[a[levels] > b + e]] = 0.0
        elif a[feature] > 0 and np.isfinite(limit):
            upper[i, feature] = min(upper[i, feature], limit)
            most[i, feature] = min(most[i, feature], limit)
        elif np.isfinite(limit):
            lower[i, feature] = max(lower[i, feature], limit)
            least[i, feature] = max(least[i, feature], limit)
        elif a[feature] > 0:
            upper[i, feature] = min(upper[i, feature], b / a[feature])
            most[i, feature] = min(most[i, feature], (b + e) / a[feature])
        else:
            lower[i, feature] = max(lower[i, feature], b / a[feature])
            least[i, feature] = max(least[i, feature], (b + e) / a[feature])
    is_trivial = bool((upper[:, indicator] == 1).all() and np.isinf(lower[:, ~indicator]).all())
    is_trivial &= bool(np.isinf(upper[:, ~indicator]).all())
    return Boxes(lower, upper, least, most, of_column, group, is_trivial)
