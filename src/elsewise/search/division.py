"""Dividing nodes: a cone into its cells, a category into its levels, a whole number at its broken value.

Children carry what the dual of their parent proves. The slopes tell which levels and steps are too dear in the whole
node; children are made without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from .answered import Answered
from .domain import Domain
from .nodes import Nodes
from .problem import SearchProblem
from .relaxation import WHOLE, Relaxation, Relaxed


class Division:
    """Makes the children of nodes of the rows ``E``.

    Parameters
    ----------
    problem, E, goal, domain : see `branch_and_bound`
    relaxation : Relaxation
    cell_bounds : array of shape (n_samples, most polyhedra of a goal)
        Nothing in a polyhedron is nearer; infinite where there is none.
    answered : sequence of sequences of Answered
        Earlier answers of each row.
    use_region : bool
    """

    def __init__(
        self,
        problem: SearchProblem,
        E: FloatArray,
        goal: IntArray,
        domain: Domain,
        relaxation: Relaxation,
        cell_bounds: FloatArray,
        answered: Sequence[Sequence[Answered]],
        use_region: bool,
    ) -> None:
        self.problem, self.E, self.goal, self.domain, self.relaxation = problem, E, goal, domain, relaxation
        self.cell_bounds, self.answered, self.use_region = cell_bounds, answered, use_region
        self.prices, self.integers = relaxation.prices, relaxation.integers
        self.indicators, self.category_of = relaxation.indicators, relaxation.category_of
        self.rounded_boxes = [mine.boxes.rounded(domain.integer) for mine in problem.goals]

    def divide(self, nodes: Nodes, relaxed: Relaxed, limit: FloatArray) -> Iterator[Nodes]:
        """Make the children of nodes that are not done, for points nearer than ``limit``."""
        nodes = self._without_the_dear(nodes, relaxed, limit)
        alone = (nodes.polyhedron < 0) & self.use_region
        if alone.any():  # a cone alone is divided into its cells first
            yield from self.cells(nodes.some(alone))
        changed = self.domain.layout.changed(self.E[nodes.rows], relaxed.points, WHOLE) & relaxed.has_point[:, None]
        too_many = np.zeros(len(nodes), dtype=np.bool_)
        if self.domain.max_changes is not None:
            too_many = ~alone & (changed.sum(axis=1) > self.domain.max_changes)
        if too_many.any():
            yield from self._changes(nodes.some(too_many), relaxed.points[too_many], changed[too_many])
        column = relaxed.fractions.argmax(axis=1)
        broken = ~alone & ~too_many & (relaxed.fractions.max(axis=1, initial=0.0) > 0)
        is_number = np.isin(column, self.domain.layout.column[self.integers])
        at = np.flatnonzero(broken & is_number)
        if len(at):
            feature = self.domain.layout.starts[column[at]]
            yield from self._numbers(nodes.some(at), feature, relaxed.points[at, feature])
        at = np.flatnonzero(broken & ~is_number)
        if len(at):
            category = np.searchsorted(self.domain.layout.category_columns, column[at])
            yield from self.levels(nodes.some(at), category, relaxed.some(at))
        for k in np.flatnonzero(~alone & ~too_many & ~broken).tolist():
            yield from self._whole(nodes.some(np.array([k])), relaxed.points[k] if relaxed.has_point[k] else None)

    def is_done(self, nodes: Nodes, relaxed: Relaxed) -> BoolArray:
        """Tell where nothing is left to divide: all is decided, few enough columns change, no earlier answer is met."""
        at = self.integers
        done = (self.relaxation.levels_left(nodes.upper) == 1).all(axis=1)
        done &= (nodes.lower[:, at] == nodes.upper[:, at]).all(axis=1)
        done &= nodes.polyhedron >= (0 if self.use_region else -1)
        for k in np.flatnonzero(done & relaxed.has_point).tolist():
            row, point = int(nodes.rows[k]), relaxed.points[k]
            changed = self.domain.layout.changed(self.E[row], point, WHOLE)
            most = self.domain.max_changes
            too_many = most is not None and bool(changed.sum() > most)
            done[k] = not too_many and self._earlier(row, changed, int(nodes.polyhedron[k]), int(nodes.cone[k])) is None
        return np.asarray(done)

    def _without_the_dear(self, nodes: Nodes, relaxed: Relaxed, limit: FloatArray) -> Nodes:
        """Take out of the boxes what costs more than the limit: a move by v, ``proven + |v| + slope v`` at least."""
        room = limit - relaxed.proven
        known = relaxed.has_point & np.isfinite(room)
        if not known.any():
            return nodes
        room = np.where(known, room, np.inf)[:, None] * (1 + 1e-9) + 1e-12
        own, at = self.E[nodes.rows], self.integers
        lower, upper = nodes.lower.copy(), nodes.upper.copy()
        up = room / (np.maximum(1 + relaxed.slopes[:, at], 1e-12) * self.prices[at])
        down = room / (np.maximum(1 - relaxed.slopes[:, at], 1e-12) * self.prices[at])
        highest, lowest = np.floor(own[:, at] + up + 1e-9), np.ceil(own[:, at] - down - 1e-9)
        upper[:, at] = np.minimum(upper[:, at], np.maximum(highest, own[:, at]))
        lower[:, at] = np.maximum(lower[:, at], np.minimum(lowest, own[:, at]))
        at = self.indicators
        if len(at):
            undecided = (self.relaxation.levels_left(upper) > 1)[:, self.category_of]
            dear = undecided & (own[:, at] == 0) & ((1 + relaxed.slopes[:, at]) * self.prices[at] > room)
            upper[:, at] = np.where(dear, 0.0, upper[:, at])
        return nodes.children(lower=lower, upper=upper)

    def cells(self, nodes: Nodes) -> Iterator[Nodes]:
        """Make the cells of cones whose relaxation was not enough, cut to the boxes of the polyhedra."""
        for g in np.unique(self.goal[nodes.rows]).tolist():
            mine, at = self.problem.goals[g], np.flatnonzero(self.goal[nodes.rows] == g)
            for i in range(mine.n_polyhedra):
                possible = mine.possible[nodes.cone[at], i] & np.isfinite(self.cell_bounds[nodes.rows[at], i])
                here = nodes.some(at[possible])
                if len(here) == 0:
                    continue
                low, high = self._box(g, i, self.E[here.rows])
                yield here.children(
                    bounds=np.maximum(self.cell_bounds[here.rows, i], here.bounds),
                    polyhedron=np.full(len(here), i),
                    lower=np.maximum(here.lower, low),
                    upper=np.minimum(here.upper, high),
                )

    def _box(self, g: int, i: int, own: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Limits of a polyhedron for rows: rounded inwards, but its own value stays within even if not whole."""
        boxes, (lower, upper) = self.problem.goals[g].boxes, self.rounded_boxes[g]
        low = np.where((boxes.lower[i] <= own) & (own < lower[i]), own, lower[i])
        return low, np.where((boxes.upper[i] >= own) & (own > upper[i]), own, upper[i])

    def levels(self, nodes: Nodes, category: IntArray, relaxed: Relaxed | None = None) -> Iterator[Nodes]:
        """Make the levels of a category of each node, with what the dual says they cost at least."""
        for c in np.unique(category).tolist():
            at, levels = np.flatnonzero(category == c), self.indicators[self.category_of == c]
            for level in levels.tolist():
                chosen = at[nodes.upper[at, level] == 1]
                if len(chosen) == 0:
                    continue
                here = nodes.some(chosen)
                bounds, upper = here.bounds, here.upper
                if relaxed is not None:
                    price = np.maximum((1 + relaxed.slopes[chosen, level]) * self.prices[level], 0.0) * (1 - 1e-12)
                    moves = self.E[here.rows, level] == 0
                    bounds = np.maximum(bounds, relaxed.proven[chosen] + np.where(moves, price, 0.0))
                upper[:, levels] = 0.0
                upper[:, level] = 1.0
                yield here.children(bounds=bounds, upper=upper)

    def _changes(self, nodes: Nodes, points: FloatArray, changed: BoolArray) -> Iterator[Nodes]:
        """Where too many columns change: the dearest change is left out, or counted."""
        layout, own = self.domain.layout, self.E[nodes.rows]
        cost = np.add.reduceat(np.abs(points - own) * self.prices, layout.starts, axis=1)
        cost[nodes.counted | ~changed] = -1.0
        column = cost.argmax(axis=1)
        here = layout.column == column[:, None]
        yield nodes.children(lower=np.where(here, own, nodes.lower), upper=np.where(here, own, nodes.upper))
        counted = nodes.children()
        counted.counted[np.arange(len(nodes)), column] = True
        yield counted

    def _numbers(self, nodes: Nodes, feature: IntArray, value: FloatArray) -> Iterator[Nodes]:
        """Below and above a broken whole number; a row's own value may stay even if it is not whole itself."""
        at, own = np.arange(len(nodes)), self.E[nodes.rows, feature]
        below, above = nodes.children(), nodes.children()
        below.upper[at, feature], above.lower[at, feature] = np.floor(value), np.ceil(value)
        yield below
        yield above
        within = (nodes.lower[at, feature] <= own) & (own <= nodes.upper[at, feature])
        stays = np.flatnonzero((own != np.round(own)) & within)
        if len(stays):
            stay = nodes.some(stays)
            at = np.arange(len(stays))
            stay.lower[at, feature[stays]] = stay.upper[at, feature[stays]] = own[stays]
            yield stay

    def _whole(self, node: Nodes, point: FloatArray | None) -> Iterator[Nodes]:
        """One node whose relaxation is whole, or gave no point, and yet it is not settled.

        The point was an earlier answer: one of its changes is left out. Or it was refused, or rounding in the kernel
        spoiled it: some column is divided around its value, until a single point is left.
        """
        row, own = int(node.rows[0]), self.E[node.rows[0]]
        same = None
        if point is not None:
            changed = self.domain.layout.changed(own, point, WHOLE)
            same = self._earlier(row, changed, int(node.polyhedron[0]), int(node.cone[0]))
        if same is not None:
            for column in same.columns.tolist():
                here = self.domain.layout.column == column
                yield node.children(lower=np.where(here, own, node.lower), upper=np.where(here, own, node.upper))
            return
        left = self.relaxation.levels_left(node.upper)[0]
        if (left > 1).any():
            yield from self.levels(node, np.array([left.argmax()]))
            return
        wide = self.integers[node.lower[0, self.integers] < node.upper[0, self.integers]]
        if len(wide) == 0:  # without the dear nothing is left to divide: solved once more, it is done
            yield node
            return
        value = np.clip(own if point is None else point, node.lower[0], node.upper[0])
        feature = int(wide[np.abs(value[wide] - own[wide]).argmax()])
        whole = np.round(value[feature])
        for low, high in ((-np.inf, whole - 1), (whole, whole), (whole + 1, np.inf)):
            child = node.children()
            child.lower[0, feature] = max(low, child.lower[0, feature])
            child.upper[0, feature] = min(high, child.upper[0, feature])
            yield child

    def _earlier(self, row: int, changed: BoolArray, polyhedron: int, cone: int) -> Answered | None:
        """Find the earlier answer of a row that a point with these changes in this cell does not differ from."""
        for earlier in self.answered[row]:
            if earlier.polyhedra[polyhedron] and earlier.cones[cone] and changed[earlier.columns].all():
                return earlier
        return None
