"""Relaxations of nodes: a category may be shared among levels, whole numbers may be fractional.

Categories that the box decides are moved in the row itself: they are then nothing to the kernel, and their price is
added here. In the others the kernel moves shares away from the row's own level.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ...projection.balls import Balls
from ...projection.cells import CUTOFF, INFEASIBLE, Batch, Cells, Details
from ...projection.reachable import Reachable
from ..constants import FAR_AWAY, MARGINS, WHOLE
from ..domains.change_price import ChangePrice
from ..domains.domain import Domain
from ..domains.earlier_answers import Apart
from ..problem import SearchProblem
from .empty_nodes import is_doubtful
from .nodes import Nodes
from .refinement import Refinement
from .surroundings import Surroundings


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
    has_slopes : bool array of shape (n,)
        False where nothing is known of moves: the slopes are then meaningless.
    fractions : array of shape (n, n_columns)
        What it costs to make each column whole, zero where it is.
    bounds : array of shape (n,)
        Nothing in the node that is nearer than the limit is nearer than this; at least ``proven``.
    unpaid : bool array of shape (n, n_units)
        Where every change has a price: what the point changes without the bound paying for it.
    """

    points: FloatArray
    has_point: BoolArray
    proven: FloatArray
    slopes: FloatArray
    has_slopes: BoolArray
    fractions: FloatArray
    bounds: FloatArray
    unpaid: BoolArray

    def some(self, chosen: BoolArray | IntArray) -> Relaxed:
        """Take what it says of some of the nodes."""
        return Relaxed(
            self.points[chosen],
            self.has_point[chosen],
            self.proven[chosen],
            self.slopes[chosen],
            self.has_slopes[chosen],
            self.fractions[chosen],
            self.bounds[chosen],
            self.unpaid[chosen],
        )


@dataclass(frozen=True, slots=True)
class _Around:
    """What the kernel moves from, and how far: in units of prices, far limits left out or not."""

    low: FloatArray
    high: FloatArray
    near_low: FloatArray
    near_high: FloatArray
    left_out: tuple[BoolArray, BoolArray]
    moved: FloatArray
    constant: FloatArray


class Relaxation:
    """Solves the relaxations of nodes; parameters as for `search_tree`."""

    def __init__(
        self,
        problem: SearchProblem,
        rows: FloatArray,
        goals: IntArray,
        domain: Domain,
        margin: float,
        use_region: bool,
        refinement: Refinement,
        apart: Apart | None = None,
    ) -> None:
        self.apart = apart
        self.problem, self.rows, self.domain, self.margin, self.use_region = problem, rows, domain, margin, use_region
        self.refinement, self.second_look = refinement, problem.second_look
        self.prices = problem.coordinates.stretch
        self.integers = np.flatnonzero(domain.integer)
        self.change_price = ChangePrice(domain, rows, self.prices) if domain.per_change else None
        layout = domain.layout
        self.indicators, self.first = layout.indicators, layout.first_indicators
        self.category_of = layout.group[self.indicators]
        self.first_cone = np.array([goal.first_cone for goal in problem.goals])[goals]
        self.first_polyhedron = np.array([goal.first_polyhedron for goal in problem.goals])[goals]

    def levels_left(self, upper: FloatArray) -> FloatArray:
        """Count the levels that boxes leave to each category, array of shape (n, n_categories)."""
        if not len(self.indicators):
            return np.zeros((len(upper), 0))
        return np.asarray(np.add.reduceat(upper[:, self.indicators], self.first, axis=1))

    def current_level_is_out(self, nodes: Nodes) -> BoolArray:
        """Categories of which several levels are left, but not the row's own: there is nothing to relax from."""
        if not len(self.indicators):
            return np.zeros((len(nodes), 0), dtype=np.bool_)
        own = nodes.upper[:, self.indicators] * self.rows[nodes.rows][:, self.indicators]
        none_left = np.add.reduceat(own, self.first, axis=1) == 0
        return np.asarray((self.levels_left(nodes.upper) > 1) & none_left)

    def solve(self, nodes: Nodes, limit: FloatArray, *, inside: int | None = None, widens: bool = False) -> Relaxed:
        """Solve the relaxations of nodes, none of which has lost the row's own level.

        Parameters
        ----------
        nodes : Nodes
        limit : array of shape (n,)
            Nothing farther is of interest.
        inside : int, optional
            Keep away from the user's linear rules, too, the more the larger; then nothing is proven.
        widens : bool
            Keep away from all other boundaries, too, by the margin at the position ``inside``.
        """
        problem, n = self.problem, len(nodes)
        around = self._around(nodes)
        low, high, left_out, moved, constant = around.low, around.high, around.left_out, around.moved, around.constant
        near_low, near_high = around.near_low, around.near_high
        known = np.zeros(nodes.counted.shape, dtype=np.bool_)
        if self.change_price is not None:
            known = self.change_price.known(nodes)
            constant = constant + self.change_price.price * known.sum(axis=1)
        cells, of_region = self._polyhedra(nodes, limit)
        rules = problem.rules_at
        if inside is not None and rules >= 0:
            rules += 1 + inside
        second = np.full(n, rules)
        if self.apart is not None:
            cells, second = self.apart.added(cells, nodes, rules, inside)
        polyhedra = np.column_stack([of_region, second])
        first_cone = self.first_cone[nodes.rows]
        plain, cone = problem.coordinates.points(moved), np.where(first_cone < 0, -1, first_cone + nodes.cone)
        widening = self.domain.widening_of(nodes.rows)
        if widening is not None:
            cells, cone = cells.with_own_radii(cone, widening)
        margin = max(self.margin, MARGINS[inside]) if widens and inside is not None else self.margin
        asked = (cells, plain, polyhedra, cone, limit - constant, margin)
        batch, rescued = self._project(*asked, near_low, near_high)
        beyond = (((batch.v < low) & left_out[0]) | ((batch.v > high) & left_out[1])).any(axis=1)
        if beyond.any():
            near_low[beyond], near_high[beyond] = low[beyond], high[beyond]
            batch, rescued = self._project(*asked, near_low, near_high)
        assert batch.slopes is not None
        points = self._points(nodes, moved, batch.v)
        has_point = (batch.status != INFEASIBLE) & (batch.status != CUTOFF) & np.isfinite(batch.value)
        bound, slopes = batch.bound, batch.slopes
        has_slopes = has_point & np.isfinite(slopes).all(axis=1)
        if rescued.any():  # without multipliers of its own, a point is at its distance: a bound of 0, and slopes of 0
            bound, slopes = np.where(rescued, 0.0, bound), np.where(rescued[:, None], 0.0, slopes)
        proven = bounds = np.where(batch.status == INFEASIBLE, np.inf, constant + bound)
        slopes = np.where(has_slopes[:, None], slopes, 0.0)
        unpaid = np.zeros(known.shape, dtype=np.bool_)
        if self.change_price is not None:
            unpaid = self.change_price.unpaid(nodes, points) & has_point[:, None]
            kernel = np.where(has_slopes, np.maximum(bound, 0.0), 0.0)
            more = self.change_price.bounds(nodes, known, kernel, slopes, low, high, limit - constant)
            bounds = np.maximum(proven, np.where(has_slopes, constant + more, 0.0))
        return Relaxed(
            points=points,
            has_point=has_point,
            proven=proven,
            slopes=slopes,
            has_slopes=has_slopes,
            fractions=np.where(has_point[:, None], self.fractions(nodes.rows, points), 0.0),
            bounds=bounds,
            unpaid=unpaid,
        )

    def _around(self, nodes: Nodes) -> _Around:
        """Return what the kernel moves from, and how far."""
        prices, own, indicators = self.prices, self.rows[nodes.rows], self.indicators
        low, high = (nodes.lower - own) * prices, (nodes.upper - own) * prices
        # Limits so far away would blur every sum in which they occur: they are left out unless something goes beyond.
        left_out = (nodes.lower <= -FAR_AWAY), (nodes.upper >= FAR_AWAY)
        near_low, near_high = np.where(left_out[0], -np.inf, low), np.where(left_out[1], np.inf, high)
        moved, constant = own, np.zeros(len(nodes))
        if len(indicators):
            decided = (self.levels_left(nodes.upper) == 1)[:, self.category_of]
            moved, own_levels, levels = own.copy(), own[:, indicators], nodes.upper[:, indicators]
            moved[:, indicators] = np.where(decided, levels, own_levels)
            entered = (moved[:, indicators] == 1) & (own_levels == 0)
            constant = np.where(entered, prices[indicators], 0.0).sum(axis=1)
            can_move = ~decided & (levels == 1) & (own_levels == 0)
            for lower, upper in ((low, high), (near_low, near_high)):
                lower[:, indicators], upper[:, indicators] = 0.0, np.where(can_move, np.inf, 0.0)
        return _Around(low, high, near_low, near_high, left_out, moved, constant)

    def balls(self, nodes: Nodes, limit: FloatArray) -> Balls:
        """Return what boxes leave within limits, shape (n,): nothing but the boxes and the distance counts."""
        around = self._around(nodes)
        x0, group = self.problem.coordinates.points(around.moved), self.domain.layout.group
        return Balls(x0, around.near_low, around.near_high, limit - around.constant, group)

    def surroundings(self, node: Nodes, offer: Callable[[IntArray, FloatArray], float], ends: float) -> Surroundings:
        """Return what can be asked about the surroundings of one node, the region left out.

        Parameters
        ----------
        node : Nodes
            A single one.
        offer : function of rows and points
            Takes points that may be answers; gives the distance of the incumbent.
        ends : float
            When the time of the row is over, by ``time.perf_counter()``.
        """
        problem, around, row = self.problem, self._around(node), node.rows
        cells, rules = problem.cells, problem.rules_at
        of_rules = slice(0, 0) if rules < 0 else slice(*cells.spans[rules].tolist())
        first_cone = int(self.first_cone[row[0]])
        cone = np.array([-1 if first_cone < 0 else first_cone + int(node.cone[0])])
        widening = self.domain.widening_of(row)
        if widening is not None and first_cone >= 0:
            cells, cone = cells.with_own_radii(cone, widening)
        reachable = Reachable(
            cells=cells,
            x0=problem.coordinates.points(around.moved)[0],
            low=around.near_low[0],
            high=around.near_high[0],
            cone=int(cone[0]),
            normals=cells.normals[of_rules],
            offsets=cells.offsets[of_rules],
        )
        return Surroundings(
            reachable=reachable,
            coordinates=problem.coordinates,
            constant=float(around.constant[0]),
            margin=self.margin,
            as_points=lambda V: self._points(node, around.moved, V[None])[0],
            offer=lambda points: offer(np.full(len(points), row[0]), points),
            ends=ends,
        )

    def _project(
        self,
        cells: Cells,
        plain: FloatArray,
        polyhedra: IntArray,
        cone: IntArray,
        cutoff: FloatArray,
        margin: float,
        low: FloatArray,
        high: FloatArray,
    ) -> tuple[Batch, BoolArray]:
        """Project onto cells within limits, with a second look at what is doubtful; which ones that rescued."""
        n = len(plain)
        batch = cells.project(
            plain,
            np.arange(n),
            polyhedra,
            cone,
            cutoff=cutoff,
            margin=np.full(n, margin),
            limits=(low, high),
            details=Details(multipliers=True),
        )
        if not is_doubtful(batch).any():
            return batch, np.zeros(n, dtype=np.bool_)
        second_look = self.second_look if cells is self.problem.cells else self.second_look.with_cells(cells)
        return second_look(plain, polyhedra, cone, batch, margin=margin, limits=(low, high))

    def _polyhedra(self, nodes: Nodes, limit: FloatArray) -> tuple[Cells, IntArray]:
        """Table of cells, and in it the polyhedron that describes the part of each node; -1 for a cone alone."""
        with_region = (nodes.part >= 0) & self.use_region
        polyhedra = np.where(with_region, self.first_polyhedron[nodes.rows] + nodes.part, -1)
        divided = np.flatnonzero(with_region & self.refinement.divides[nodes.rows])
        if len(divided) == 0:
            return self.problem.cells, polyhedra
        for k in divided[nodes.piece[divided] < 0].tolist():
            row = int(nodes.rows[k])
            reach = self.refinement.reach(row, limit[k], nodes.lower[k], nodes.upper[k])
            nodes.piece[k] = self.refinement.open(row, int(nodes.part[k]), reach)
        polyhedra[divided] = self.problem.cells.n_polyhedra + np.arange(len(divided))
        pieces = [self.refinement.halfspaces(piece) for piece in nodes.piece[divided].tolist()]
        return self.problem.with_polyhedra(pieces), polyhedra

    def _points(self, nodes: Nodes, moved: FloatArray, V: FloatArray) -> FloatArray:
        points: FloatArray = moved + self.problem.coordinates.differences(V)
        indicators = self.indicators
        if len(indicators):  # what moved to other levels left the row's own
            gone = np.add.reduceat(V[:, indicators] / self.prices[indicators], self.first, axis=1)
            points[:, indicators] -= moved[:, indicators] * gone[:, self.category_of]
        return np.clip(points, nodes.lower, nodes.upper, out=points)

    def fractions(self, rows: IntArray, points: FloatArray) -> FloatArray:
        """Return what it costs to make each column of points whole, array of shape (n, n_columns)."""
        layout, integers = self.domain.layout, self.integers
        fractions = np.zeros((len(rows), layout.n_columns))
        values = points[:, integers]
        apart = np.abs(values - np.round(values))
        apart[(apart < WHOLE) | (values == self.rows[rows][:, integers])] = 0.0  # what stays may be fractional itself
        fractions[:, layout.column[integers]] = apart * self.prices[integers]
        if len(self.indicators):
            largest = np.maximum.reduceat(points[:, self.indicators], self.first, axis=1)
            missing = np.where(largest < 1 - WHOLE, 1 - largest, 0.0)
            fractions[:, layout.category_columns] = missing * self.prices[self.indicators[self.first]]
        return fractions
