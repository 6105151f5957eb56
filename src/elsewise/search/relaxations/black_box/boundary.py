r"""Feeling for a boundary by labels alone: how far features can go before the model refuses.

Where a model that decides as the nearest training row does would first accept.

Most models say of a row what they say of rows like it. A row that is nearer to an accepted training row :math:`a` than
to every refused one :math:`r` is probably accepted: the half-spaces
:math:`\lVert x - a \rVert \le \lVert x - r \rVert` make a cell around :math:`a`. Cells are projected onto cheapest
first, with those half-spaces alone that a projection misses, and the model is asked about what is found: one point a
cell. For a nearest neighbour it is the answer; for others it is where to go on from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import BoolArray, FloatArray, IntArray
from ...best_first import OpenNodes
from .requests import Ask, Project, Score, Steps
from .segments import DIFFERENCE, FEEL_NEAR, FEEL_STEPS, SAME, SMALLEST_GAIN, STEPS_BETWEEN, Segment, allowed
from .view import RowView

# How far beyond the boundary a feature is moved to see whether another one makes up for it, in distances to it.
BEYOND = 1.5


def normal_by_labels(
    view: RowView, accepted: FloatArray, goal: FloatArray, feel: float, features: IntArray | None = None
) -> Steps[FloatArray | None]:
    """Step inward, see how far each feature can go before the model refuses: intercepts of a plane give its normal."""
    moving = view.moving if features is None else features
    middle, length = _inward(view, accepted, goal, feel, moving)
    if not (yield from accepted_anywhere(view, middle[None], accepted))[0]:
        middle = accepted
    reach = max(min(length, feel), DIFFERENCE)
    steps = reach * np.array(FEEL_STEPS)
    directions = np.concatenate([np.eye(len(view.row))[moving], -np.eye(len(view.row))[moving]]) * view.spread
    tried = middle + steps[:, None, None] * directions
    ok = (yield from accepted_anywhere(view, tried.reshape(-1, len(view.row)), middle)).reshape(tried.shape[:2])
    hit = np.flatnonzero(~ok.all(axis=0))
    if len(hit) == 0:
        return None
    first = (~ok[:, hit]).argmax(axis=0)
    far, near = steps[first], np.where(first > 0, steps[np.maximum(first - 1, 0)], 0.0)
    shares = near[:, None] + (far - near)[:, None] * (np.arange(1, STEPS_BETWEEN + 1) / (STEPS_BETWEEN + 1))
    between = middle + shares[..., None] * directions[hit][:, None]
    good = (yield from accepted_anywhere(view, between.reshape(-1, len(view.row)), middle)).reshape(shares.shape)
    n_good = np.where(good.all(axis=1), STEPS_BETWEEN, (~good).argmax(axis=1))
    crossing = np.full(len(directions), np.inf)
    crossing[hit] = near + (far - near) * (n_good + 0.5) / (STEPS_BETWEEN + 1)
    normal = np.zeros(len(view.row))
    # refused when going down means that up is good
    normal[moving] = (1.0 / crossing[len(moving) :] - 1.0 / crossing[: len(moving)]) / view.spread[moving]
    return normal


def _inward(
    view: RowView, accepted: FloatArray, goal: FloatArray, feel: float, moving: IntArray
) -> tuple[FloatArray, float]:
    """Go from an accepted point a little towards the goal; how far that is, in standard deviations, too."""
    inward = goal - accepted
    length = float(
        np.abs(inward / view.spread)[moving].sum()
    )  # how far a plane is along an axis, if all count the same
    return view.whole(accepted + (inward * min(1.0, feel / length) if length > 0 else inward), goal), length


def makes_up(view: RowView, way: Segment, normal: FloatArray) -> Steps[bool]:
    """Whether some feature makes up for another next to the boundary, as on a plane of this normal; a tree's do not."""
    middle, _ = _inward(view, way.accepted, way.goal, FEEL_NEAR, view.moving)
    order = np.argsort(-np.abs(normal * view.spread), kind="stable")[: (normal != 0).sum()]
    tried = np.repeat(middle[None], len(order), axis=0)
    each, other = np.arange(len(order)), np.roll(order, 1)
    tried[each, order] -= BEYOND / normal[order]  # refused by itself
    tried[each, other] += (BEYOND + 1.0) / normal[other]
    return bool((yield from accepted_anywhere(view, tried, middle)).any())


def accepted_anywhere(view: RowView, points: FloatArray, middle: FloatArray) -> Steps[BoolArray]:
    """Whether the model accepts points, dense or not; beyond a row's limits nothing is asked, and nothing refused."""
    made = view.whole(points, points)
    outside: BoolArray = np.asarray(((points < view.lower) | (points > view.upper)).any(axis=1))
    reply = yield Score(np.where(outside[:, None], middle, made), labels=True)
    accepted: BoolArray = (reply > 0) | outside
    return accepted


# Cells of accepted training rows: projections onto them, bisectors that each is made of at most, those added at once,
# refused rows that tell beforehand how far a cell is, and cells asked about without a nearer answer before they are
# left. Where the spreads of features differ by more than a factor, rows are compared in units of these, too.
MOST_CELL_PROJECTIONS, MOST_BISECTORS, BISECTORS_AT_ONCE, REFUSED_AT_FIRST = 150, 60, 3, 10
CELLS_WITHOUT_GAIN, EVEN_SPREADS = 6, 1.01


@dataclass(slots=True)
class _Cell:
    """A cell under way: its place among the accepted rows, its cone, its rank, bisectors so far, and its projection."""

    place: int
    cone: int
    order: int
    against: list[int]
    point: FloatArray | None = None


def ways_by_neighbours(view: RowView) -> Steps[list[Segment]]:
    """Ask about the nearest points of cells of accepted training rows; give the ways to those that are accepted."""
    accepted, refused = allowed(view, view.accepted), view.refused
    if not len(accepted) or not len(refused) or not len(view.cones):
        return []
    every = np.concatenate([accepted, refused])
    spread = every.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    scales = [np.ones(len(spread))]
    if spread.max() > EVEN_SPREADS * spread.min():  # who knows in which units the model compares rows
        scales.append(1.0 / spread)
    ways: list[Segment] = []
    for scale in scales:
        ways += yield from _Neighbours(view, accepted, refused, scale).search()
    return ways


class _Neighbours:
    """Cells of accepted training rows, rows compared in some units.

    Parameters
    ----------
    view : RowView
    accepted, refused : arrays of shape (n, n_features)
    scale : array of shape (n_features,)
        What features are multiplied by before distances are taken.
    """

    def __init__(self, view: RowView, accepted: FloatArray, refused: FloatArray, scale: FloatArray) -> None:
        self.view, self.accepted, self.refused = view, accepted, refused
        self.weights = scale**2

    def search(self) -> Steps[list[Segment]]:
        """Project onto cells, cheapest first, until none may hold a nearer point."""
        view, ways, in_vain = self.view, [], 0
        firsts = yield from self._nearest_of_cones()
        nodes = self._first_cells(list(firsts))
        for _ in range(MOST_CELL_PROJECTIONS):
            if nodes.cheapest >= view.limit * (1 - SMALLEST_GAIN) or in_vain >= CELLS_WITHOUT_GAIN:
                break
            _, cell = nodes.pop()
            near = view.row if cell.point is None else cell.point
            missed = self._missed(cell, near)
            if cell.point is not None and len(missed) == 0:
                before = view.limit
                if (yield Ask(cell.point[None]))[0]:
                    goal = self.accepted[cell.place]
                    first = firsts[cell.cone]
                    ways.append(Segment(cell.cone, first, first, cell.point, goal))
                in_vain = 0 if view.limit < before else in_vain + 1
                continue
            cell.against += missed.tolist()
            point = yield from self._projected(cell)
            if point is not None and len(cell.against) < MOST_BISECTORS:
                cell.point = view.whole(point, self.accepted[cell.place])
                nodes.push(float(view.values(cell.point)), cell, cell.order)
        return ways

    def _nearest_of_cones(self) -> Steps[dict[int, FloatArray]]:
        """Find the nearest points of cones, with the row's own categories, or those of the nearest point."""
        view, n = self.view, len(self.view.cones)
        own = view.nearest if np.isfinite(view.nearest).all() else view.row
        lower, upper, indicators = view.lower.copy(), view.upper.copy(), view.domain.layout.indicators
        lower[indicators] = upper[indicators] = np.clip(own, lower, upper)[indicators]
        nothing = np.empty((0, len(view.row)))
        boxes = np.tile(lower, (n, 1)), np.tile(upper, (n, 1))
        found = yield Project(view.cones, *boxes, nothing, np.empty(0), np.inf)
        there = np.isfinite(found).all(axis=1)
        return {int(cone): point for cone, point in zip(view.cones[there], found[there])}

    def _first_cells(self, cones: list[int]) -> OpenNodes[_Cell]:
        """Open all cells of cones, each with how far its farthest bisector is at least."""
        nodes: OpenNodes[_Cell] = OpenNodes()
        view, row = self.view, self.view.row
        moving = view.moving
        first = np.argsort(self._apart(row, self.refused), kind="stable")[:REFUSED_AT_FIRST]
        if len(moving) == 0:
            return nodes
        missing = (self._apart(row, self.accepted)[:, None] - self._apart(row, self.refused[first])) / 2
        steep = np.abs(self.refused[first] - self.accepted[:, None]) * (self.weights / view.prices)
        steep = steep[..., moving].max(axis=2)
        with np.errstate(divide="ignore", invalid="ignore"):
            far = np.where(missing > 0, missing / steep, 0.0).max(axis=1)
        for place in np.argsort(far, kind="stable").tolist():
            for cone in cones:
                cell = _Cell(place, cone, len(nodes), [])
                nodes.push(float(far[place]), cell, cell.order)
        return nodes

    def _apart(self, point: FloatArray, others: FloatArray) -> FloatArray:
        """Squared distances of a point from others, shape (n,)."""
        return np.asarray(((point - others) ** 2) @ self.weights)

    def _missed(self, cell: _Cell, point: FloatArray) -> IntArray:
        """List refused rows that a point is nearer to than to the cell's own, the nearest ones."""
        own = float(((point - self.accepted[cell.place]) ** 2) @ self.weights)
        apart = self._apart(point, self.refused)
        apart[cell.against] = np.inf
        nearest = np.argsort(apart, kind="stable")[:BISECTORS_AT_ONCE]
        return nearest[apart[nearest] < own * (1 - SAME)]

    def _projected(self, cell: _Cell) -> Steps[FloatArray | None]:
        """Find the nearest point of the cell's cone within its bisectors, with the categories of its row."""
        view, own = self.view, self.accepted[cell.place]
        others = self.refused[cell.against].reshape(-1, len(own))
        normals = (others - own) * self.weights
        offsets = ((others**2) @ self.weights - float((own**2) @ self.weights)) / 2
        size = np.abs(normals / view.prices).max(axis=1, initial=0.0)
        some = size > 0
        normals, offsets = normals[some] / size[some, None], offsets[some] / size[some]
        lower, upper, indicators = view.lower.copy(), view.upper.copy(), view.domain.layout.indicators
        lower[indicators] = upper[indicators] = own[indicators]
        found = yield Project(np.array([cell.cone]), lower[None], upper[None], normals, offsets, view.limit)
        return found[0] if np.isfinite(found[0]).all() else None
