"""Relaxations of nodes: a category may be shared among levels, whole numbers may be broken.

Categories that the box decides are moved in the row itself: they are then nothing to the kernel, and their price is
added here. In the others the kernel moves shares away from the row's own level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..projection.cells import CUTOFF, INFEASIBLE
from .domain import Domain
from .nodes import Nodes
from .problem import SearchProblem
from .second_look import SecondLook

# A whole number or an indicator nearer to whole than this counts as whole.
WHOLE = 1e-6


@dataclass(frozen=True, slots=True)
class Relaxed:
    """What the kernel says of nodes; arrays with a leading axis of nodes.

    Attributes
    ----------
    points : array of shape (n, n_features)
        The relaxed optima; meaningless where there is none.
    has_point : bool array of shape (n,)
    proven : array of shape (n,)
        Nothing in the node is nearer, infinite if it is empty. A point that moves a feature by ``v`` (in units of its
        price) is at distance ``proven + |v| + slope v`` at least.
    slopes : array of shape (n, n_features)
    fractions : array of shape (n, n_columns)
        What it costs to make each column whole, zero where it is.
    """

    points: FloatArray
    has_point: BoolArray
    proven: FloatArray
    slopes: FloatArray
    fractions: FloatArray

    def some(self, chosen: BoolArray | IntArray) -> Relaxed:
        """Take what it says of some of the nodes."""
        return Relaxed(
            self.points[chosen],
            self.has_point[chosen],
            self.proven[chosen],
            self.slopes[chosen],
            self.fractions[chosen],
        )


class Relaxation:
    """Solves the relaxations of nodes of the rows ``E``."""

    def __init__(
        self, problem: SearchProblem, E: FloatArray, goal: IntArray, domain: Domain, margin: float, use_region: bool
    ) -> None:
        self.problem, self.E, self.domain, self.margin, self.use_region = problem, E, domain, margin, use_region
        self.prices = problem.coordinates.stretch
        self.integers = np.flatnonzero(domain.integer)
        self.second_look = SecondLook(problem.cells, sees_cones_alone=False)
        layout = domain.layout
        self.indicators, self.first = layout.indicators, layout.first_indicators
        self.category_of = layout.group[self.indicators]
        self.first_cone = np.array([mine.first_cone for mine in problem.goals])[goal]
        self.first_polyhedron = np.array([mine.first_polyhedron for mine in problem.goals])[goal]

    def levels_left(self, upper: FloatArray) -> FloatArray:
        """Count the levels that boxes leave to each category, array of shape (n, n_categories)."""
        if not len(self.indicators):
            return np.zeros((len(upper), 0))
        return np.asarray(np.add.reduceat(upper[:, self.indicators], self.first, axis=1))

    def own_level_is_out(self, nodes: Nodes) -> BoolArray:
        """Categories of which several levels are left, but not the row's own: there is nothing to relax from."""
        if not len(self.indicators):
            return np.zeros((len(nodes), 0), dtype=np.bool_)
        own = nodes.upper[:, self.indicators] * self.E[nodes.rows][:, self.indicators]
        none_left = np.add.reduceat(own, self.first, axis=1) == 0
        return np.asarray((self.levels_left(nodes.upper) > 1) & none_left)

    def solve(self, nodes: Nodes, limit: FloatArray, *, inside: int | None = None) -> Relaxed:
        """Solve the relaxations of nodes, none of which has lost the row's own level.

        Parameters
        ----------
        nodes : Nodes
        limit : array of shape (n,)
            Nothing farther is of interest.
        inside : int, optional
            Keep away from the user's linear rules, too, the more the larger; then nothing is proven.
        """
        problem, prices, n = self.problem, self.prices, len(nodes)
        own, at = self.E[nodes.rows], self.indicators
        low, high = (nodes.lower - own) * prices, (nodes.upper - own) * prices
        moved, constant = own, np.zeros(n)
        if len(at):
            decided = (self.levels_left(nodes.upper) == 1)[:, self.category_of]
            moved = own.copy()
            moved[:, at] = np.where(decided, nodes.upper[:, at], own[:, at])
            constant = np.where((moved[:, at] == 1) & (own[:, at] == 0), prices[at], 0.0).sum(axis=1)
            can_move = ~decided & (nodes.upper[:, at] == 1) & (own[:, at] == 0)
            low[:, at], high[:, at] = 0.0, np.where(can_move, np.inf, 0.0)
        rules = self.domain.polyhedron
        if inside is not None and rules >= 0:
            rules += 1 + inside
        polyhedra = np.full((n, 2), rules)
        with_region = (nodes.polyhedron >= 0) & self.use_region
        polyhedra[:, 0] = np.where(with_region, self.first_polyhedron[nodes.rows] + nodes.polyhedron, -1)
        first_cone = self.first_cone[nodes.rows]
        plain, cone = problem.coordinates.points(moved), np.where(first_cone < 0, -1, first_cone + nodes.cone)
        batch = problem.cells.project(
            plain,
            np.arange(n),
            polyhedra,
            cone,
            cutoff=limit - constant,
            margin=np.full(n, self.margin),
            lower=low,
            upper=high,
            multipliers=True,
        )
        batch, rescued = self.second_look(plain, polyhedra, cone, batch, margin=self.margin, lower=low, upper=high)
        assert batch.slopes is not None
        points = self._points(nodes, moved, batch.v)
        has_point = (batch.status != INFEASIBLE) & (batch.status != CUTOFF) & np.isfinite(batch.value)
        # Without multipliers of its own, a point is at its distance: a bound of 0, and slopes of 0.
        bound = np.where(rescued, 0.0, batch.bound)
        return Relaxed(
            points=points,
            has_point=has_point,
            proven=np.where(batch.status == INFEASIBLE, np.inf, constant + bound),
            slopes=np.where(rescued[:, None], 0.0, batch.slopes),
            fractions=np.where(has_point[:, None], self._fractions(nodes.rows, points), 0.0),
        )

    def _points(self, nodes: Nodes, moved: FloatArray, V: FloatArray) -> FloatArray:
        points: FloatArray = moved + self.problem.coordinates.differences(V)
        at = self.indicators
        if len(at):  # what moved to other levels left the row's own
            gone = np.add.reduceat(V[:, at] / self.prices[at], self.first, axis=1)
            points[:, at] -= moved[:, at] * gone[:, self.category_of]
        return np.clip(points, nodes.lower, nodes.upper, out=points)

    def _fractions(self, rows: IntArray, points: FloatArray) -> FloatArray:
        layout, at = self.domain.layout, self.integers
        fractions = np.zeros((len(rows), layout.n_columns))
        apart = np.abs(points[:, at] - np.round(points[:, at]))
        apart[(apart < WHOLE) | (points[:, at] == self.E[rows][:, at])] = 0.0  # what stays may be broken by itself
        fractions[:, layout.column[at]] = apart * self.prices[at]
        if len(self.indicators):
            largest = np.maximum.reduceat(points[:, self.indicators], self.first, axis=1)
            missing = np.where(largest < 1 - WHOLE, 1 - largest, 0.0)
            fractions[:, layout.category_columns] = missing * self.prices[self.indicators[self.first]]
        return fractions
