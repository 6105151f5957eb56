"""One row as its search sees it: what may move, how far it is to a point, what is inside of a cone.

Choices of what may change, where a rule or an earlier answer asks for one: each is a search of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from ....arrays import BoolArray, FloatArray, IntArray
from ...branch_and_bound.rounding import slack_in
from ...constants import WHOLE
from ...domains.domain import Domain
from ...domains.earlier_answers import History
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
