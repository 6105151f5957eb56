"""One row as its search sees it: what may move, how far it is to a point, what is inside of a cone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import BoolArray, FloatArray, IntArray
from ...branch_and_bound.rounding import slack_in
from ...constants import WHOLE
from ...domains.domain import Domain
from ...ledger import Ledger
from ...problem import Goal, SearchProblem


@dataclass(slots=True)
class RowView:
    """One row, what it may become, and what it has found.

    Attributes
    ----------
    problem : SearchProblem
    goal : Goal
    domain : Domain
        Of this row alone.
    row : array of shape (n_features,)
    lower, upper : arrays of shape (n_features,)
    prices : array of shape (n_features,)
        The distance of points is the sum of what features move by, times these.
    spread : array of shape (n_features,)
        Standard deviations.
    anchors : array of shape (n_anchors, n_features)
    accepted, refused : arrays of shape (n, n_features)
        Training rows, dense or not.
    anchor_slacks : array of shape (n_anchors, n_cones)
        How far inside of each cone they are.
    cones : int array
        Cones to look into, nearest first.
    has_scores : bool
    nearest : array of shape (n_features,)
        The nearest point, the model left out; NaN without one.
    ledger : Ledger
        Of this search of the row alone.
    points_left : int
        That may be asked about.
    """

    problem: SearchProblem
    goal: Goal
    domain: Domain
    row: FloatArray
    lower: FloatArray
    upper: FloatArray
    prices: FloatArray
    spread: FloatArray
    anchors: FloatArray
    accepted: FloatArray
    refused: FloatArray
    anchor_slacks: FloatArray
    cones: IntArray
    has_scores: bool
    nearest: FloatArray
    ledger: Ledger
    points_left: int

    @property
    def limit(self) -> float:
        """Distance of the best answer, or of interest at all."""
        return float(self.ledger.cutoff[0])

    @property
    def best(self) -> FloatArray | None:
        """Best answer, array of shape (n_features,), or None."""
        return self.ledger.points[0].copy() if self.ledger.has_point[0] else None

    @property
    def cone(self) -> int:
        """Cone that holds the best answer."""
        return int(self.ledger.ellipsoid[0])

    def values(self, points: FloatArray) -> FloatArray:
        """Distances of points of shape (n, n_features) from the row."""
        values = np.asarray((np.abs(points - self.row) * self.prices).sum(axis=-1))
        price = self.domain.per_change
        return values + price * self.domain.layout.changed_units(self.row, points).sum(axis=-1) if price else values

    @property
    def moving(self) -> IntArray:
        """Numbers that may change: neither fixed nor categories."""
        return np.flatnonzero((self.domain.layout.group < 0) & (self.lower < self.upper))

    def whole(self, points: FloatArray, toward: FloatArray) -> FloatArray:
        """Make points whole where they must be, the way to others; a row's own value may stay. Within the limits."""
        made = np.clip(points, self.lower, self.upper)
        integer = self.domain.integer
        if integer.any():
            given = made[..., integer]
            up, own = np.broadcast_to(toward, made.shape)[..., integer] > given, self.row[integer]
            nearly = np.abs(given - np.round(given)) < WHOLE
            rounded = np.where(nearly, np.round(given), np.where(up, np.ceil(given), np.floor(given)))
            made[..., integer] = np.where(given == own, given, rounded)
        return made

    def inside(self, points: FloatArray, cones: IntArray) -> BoolArray:
        """Whether points, each in its own cone, are within the cone, the limits and the rules; shape (n,)."""
        holds = ((points >= self.lower) & (points <= self.upper)).all(axis=1) & self.domain.keeps_rules(points)
        if not self.goal.has_density:
            return np.asarray(holds)
        plain = self.problem.coordinates.points(points)
        for cone in np.unique(cones).tolist():
            of_cone = np.flatnonzero(cones == cone)
            holds[of_cone] &= slack_in(self.problem, self.goal, cone, plain[of_cone]) >= 0
        return np.asarray(holds)
