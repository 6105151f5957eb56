"""Branching: an ellipsoid into its cells, a category into its levels, a whole number at its fractional value.

Children carry what the dual of their parent proves. The slopes tell which levels and steps are too costly in the whole
node; children are made without them. Where nothing of that kind is left to branch on, regions that divide are asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ..constants import BOUND_ROUNDING, LIMIT_ROUNDING, ROOM_AMOUNT, ROOM_SHARE, SMALLEST_REDUCED_COST, WHOLE
from ..domains.special_codes import depths
from ..ledger import Ledger
from ..request import SearchRequest
from .nodes import Nodes
from .refinement import Refinement
from .relaxation import Relaxation, Relaxed

# Cells of cones that are made at once: their boxes take some megabytes.
CELLS_AT_ONCE = 4_096
# A number is branched at least this share of its room from either end.
SHARE_OF_ROOM = 0.2


@dataclass(frozen=True, slots=True)
class Branched:
    """What became of nodes.

    Attributes
    ----------
    children : list of Nodes
    given_up : list of (int array, array)
        Rows and bounds of nodes of which nothing more is known.
    """

    children: list[Nodes]
    given_up: list[tuple[IntArray, FloatArray]]


class Branching:
    """Cuts nodes into children.

    Parameters
    ----------
    request : SearchRequest
    relaxation : Relaxation
    refinement : Refinement
    part_bounds : array of shape (n_samples, most parts of a goal)
        Nothing in a part is nearer; infinite where there is none.
    ledger : Ledger
        Of the same rows; says when their time is over.
    offer : function of rows and points
        Takes points that may be answers of one row; returns its cutoff.
    """

    def __init__(
        self,
        request: SearchRequest,
        relaxation: Relaxation,
        refinement: Refinement,
        part_bounds: FloatArray,
        ledger: Ledger,
        offer: Callable[[IntArray, FloatArray], float],
    ) -> None:
        self.problem, self.rows, self.goals = request.problem, request.rows, request.goals
        self.domain, self.history, self.use_region = request.domain, request.history, request.use_region
        self.relaxation, self.refinement, self.part_bounds = relaxation, refinement, part_bounds
        self.ledger, self.offer = ledger, offer
        self.prices, self.integers = relaxation.prices, relaxation.integers
        self.indicators, self.category_of = relaxation.indicators, relaxation.category_of

    def branch(self, nodes: Nodes, relaxed: Relaxed, limit: FloatArray) -> Branched:
        """Branch nodes that are not done, for points nearer than ``limit``, array of shape (n,)."""
        nodes = self._without_costly_moves(nodes, relaxed, limit)
        children: list[Nodes] = []
        if not self.history.is_empty or self.domain.least_moves is not None:
            children, rest = self._with_ways_out(nodes, relaxed)
            nodes, relaxed, limit = nodes.some(rest), relaxed.some(rest), limit[rest]
        alone = (nodes.part < 0) & self.use_region
        if alone.any():  # a cone alone is divided into its cells first
            children += self.cells(nodes.some(alone))
        changed = self.domain.layout.changed(self.rows[nodes.rows], relaxed.points, WHOLE) & relaxed.has_point[:, None]
        too_many = np.zeros(len(nodes), dtype=np.bool_)
        changed = self.domain.layout.by_unit(changed)
        if self.domain.max_changes is not None:
            too_many = ~alone & (changed.sum(axis=1) > self.domain.max_changes)
        unpaid = ~alone & ~too_many & relaxed.unpaid.any(axis=1)
        in_gap = self._in_deepest_gap(nodes, relaxed) & ~(alone | too_many | unpaid)[:, None]
        is_in_gap = np.asarray(in_gap.any(axis=1))
        fractional = ~(alone | too_many | unpaid | is_in_gap)
        fractional &= relaxed.fractions.max(axis=1, initial=0.0) > 0
        broken = self._breaks_clauses(nodes, relaxed) & ~(alone | too_many | unpaid | fractional)[:, None]
        broken = np.where(is_in_gap[:, None], in_gap, broken)
        given_up: list[tuple[IntArray, FloatArray]] = []
        refines = ~alone & self.refinement.refines[nodes.rows] & relaxed.has_point & self.use_region
        undecided = self._undecided(nodes)
        is_mixed = np.asarray(undecided[:, self.domain.discrete].any(axis=1))
        waits = too_many | unpaid | broken.any(axis=1)
        of_effect, by_effect = self._by_effect(nodes, relaxed, limit, undecided, refines & is_mixed & ~waits)
        children += of_effect
        refined_by_cover = by_effect
        for k in np.flatnonzero(refines & ~by_effect).tolist():
            divides = not (waits[k] or fractional[k] or is_mixed[k])
            made = self._refined_by_cover(nodes.some(np.array([k])), relaxed.points[k], limit[k], divides)
            if made is not None:
                refined_by_cover[k] = True
                children += made.children
                given_up += made.given_up
        for left in (too_many, unpaid, fractional, broken):
            left[refined_by_cover] = False
        if too_many.any():
            children += self._changes(nodes.some(too_many), relaxed.points[too_many], changed[too_many])
        if unpaid.any():
            children += self._prices(nodes.some(unpaid), relaxed.some(unpaid), limit[unpaid])
        children += self._fractions(nodes, relaxed, fractional)
        children += self._keeping_clauses(nodes, broken)
        is_divided = alone | too_many | unpaid | fractional | broken.any(axis=1) | refined_by_cover
        for k in np.flatnonzero(~is_divided).tolist():
            node, point = nodes.some(np.array([k])), relaxed.points[k] if relaxed.has_point[k] else None
            refined = self._refined(node, point, limit[k])
            if refined is None:
                given_up.append((node.rows, node.bounds))
            else:
                children += refined
        return Branched(children, given_up)

    def is_done(self, nodes: Nodes, relaxed: Relaxed) -> BoolArray:
        """Whether nothing is left to branch on: all is decided, few enough columns change, no earlier answer is met."""
        integers = self.integers
        done = (self.relaxation.levels_left(nodes.upper) == 1).all(axis=1)
        done &= (nodes.lower[:, integers] == nodes.upper[:, integers]).all(axis=1)
        if self.use_region:
            done &= (nodes.part >= 0) & ~self.refinement.divides[nodes.rows]
        done &= ~self._breaks_clauses(nodes, relaxed).any(axis=1)
        for k in np.flatnonzero(done & relaxed.has_point).tolist():
            row, point = int(nodes.rows[k]), relaxed.points[k]
            changed = self.domain.layout.changed_units(self.rows[row], point, WHOLE)
            most = self.domain.max_changes
            too_many = most is not None and bool(changed.sum() > most)
            is_paid = not relaxed.unpaid[k].any()
            done[k] = is_paid and not too_many and self._ways_out(nodes, k, point) is None
        return np.asarray(done)

    def _breaks_clauses(self, nodes: Nodes, relaxed: Relaxed) -> BoolArray:
        """Which clauses relaxed points break, shares of levels rounded; array of shape (n, n_clauses)."""
        clauses = self.domain.clauses
        if clauses is None:
            return np.zeros((len(nodes), 0), dtype=np.bool_)
        points = relaxed.points.copy()
        points[:, self.indicators] = np.round(points[:, self.indicators])
        return clauses.broken(nodes.rows, points) & relaxed.has_point[:, None]

    def _in_deepest_gap(self, nodes: Nodes, relaxed: Relaxed) -> BoolArray:
        """Return the clause in whose gap each relaxed point lies deepest, at most one a node; shape (n, n_clauses)."""
        deep = depths(self.domain, nodes.rows, nodes.lower, nodes.upper, relaxed.points, self.prices)
        deepest = np.zeros(deep.shape, dtype=np.bool_)
        if deep.shape[1]:
            deepest[np.arange(len(deep)), deep.argmax(axis=1)] = True
        return np.asarray(deepest & (deep > 0) & relaxed.has_point[:, None])

    def _keeping_clauses(self, nodes: Nodes, broken: BoolArray) -> Iterator[Nodes]:
        """Branch nodes into the alternatives of a clause that their points break: of the one that leaves fewest."""
        clauses, layout = self.domain.clauses, self.domain.layout
        if clauses is None or not broken.any():
            return
        literals = clauses.alternatives(nodes.rows, nodes.lower, nodes.upper, broken, layout)
        for k in np.flatnonzero(broken.any(axis=1)).tolist():
            node, row = nodes.some(np.array([k])), nodes.rows[[k]]
            for literal in np.flatnonzero(literals[k]).tolist():
                child, only = node.children(), clauses.of_rows(row).literal(literal)
                if only.narrow(np.zeros(1, dtype=np.int64), child.lower, child.upper, layout, self.domain.integer,
                               self.rows[row])[0]:  # fmt: skip
                    yield child

    def _ways_out(self, nodes: Nodes, k: int, point: FloatArray) -> list[Nodes] | None:
        """Branch a node whose relaxed point moves too little, or does not differ from an earlier answer; or None."""
        history, row, least = self.history, int(nodes.rows[k]), self.domain.least_moves
        if least is not None:
            node = nodes.some(np.array([k]))
            short = least.too_short(node, point[None], self.prices)[0]
            if short.any():
                return least.divide(node, int(short.argmax()))
        if not history.earlier[row]:
            return None
        columns = history.repeated(row, point)
        node = nodes.some(np.array([k]))
        if columns is not None:  # one of them stays; those before it do not, or another child has it
            children = []
            for place, column in enumerate(columns.tolist()):
                if node.counted[0, column]:
                    continue
                child = node.without_change(self.domain.layout.unit_of_feature == column, self.rows[row])
                child.counted[0, columns[:place]] = True
                children.append(child)
            return children
        where = None
        if history.apart is not None:
            where = history.apart.branching_at(row, node.lower[0], node.upper[0], point)
        if where is None:
            return None
        below, above = node.children(), node.children()
        below.upper[0, where[0]] = above.lower[0, where[0]] = where[1]
        return [below, above]

    def _with_ways_out(self, nodes: Nodes, relaxed: Relaxed) -> tuple[list[Nodes], IntArray]:
        """Branch nodes whose relaxed points break alternatives; tell which nodes are left."""
        children, rest = [], []
        for k in range(len(nodes)):
            divided = self._ways_out(nodes, k, relaxed.points[k]) if relaxed.has_point[k] else None
            if divided is None:
                rest.append(k)
            else:
                children += divided
        return children, np.array(rest, dtype=np.int64)

    def _without_costly_moves(self, nodes: Nodes, relaxed: Relaxed, limit: FloatArray) -> Nodes:
        """Take out of the boxes what costs more than the limit: a move by v, ``proven + |v| + slope v`` at least."""
        room = limit - relaxed.proven
        known = relaxed.has_slopes & np.isfinite(room)
        if not known.any():
            return nodes
        room = np.where(known, room, np.inf)[:, None] * (1 + ROOM_SHARE) + ROOM_AMOUNT
        own, integers, indicators = self.rows[nodes.rows], self.integers, self.indicators
        lower, upper = nodes.lower.copy(), nodes.upper.copy()
        slopes, prices, values = relaxed.slopes[:, integers], self.prices[integers], own[:, integers]
        up = room / (np.maximum(1 + slopes, SMALLEST_REDUCED_COST) * prices)
        down = room / (np.maximum(1 - slopes, SMALLEST_REDUCED_COST) * prices)
        highest, lowest = np.floor(values + up + LIMIT_ROUNDING), np.ceil(values - down - LIMIT_ROUNDING)
        upper[:, integers] = np.minimum(upper[:, integers], np.maximum(highest, values))
        lower[:, integers] = np.maximum(lower[:, integers], np.minimum(lowest, values))
        if len(indicators):
            undecided = (self.relaxation.levels_left(upper) > 1)[:, self.category_of]
            reduced_costs = (1 + relaxed.slopes[:, indicators]) * self.prices[indicators]
            costly = undecided & (own[:, indicators] == 0) & (reduced_costs > room)
            upper[:, indicators] = np.where(costly, 0.0, upper[:, indicators])
        return nodes.children(lower=lower, upper=upper)

    def cells(self, nodes: Nodes) -> Iterator[Nodes]:
        """Make the cells of cones whose relaxation was not enough, cut to the limits of the parts."""
        for g in np.unique(self.goals[nodes.rows]).tolist():
            goal, of_goal = self.problem.goals[g], np.flatnonzero(self.goals[nodes.rows] == g)
            within_reach = np.isfinite(self.part_bounds[nodes.rows[of_goal], : goal.n_parts])
            parts, node_of = np.nonzero((goal.possible[nodes.cone[of_goal]] & within_reach).T)
            for first in range(0, len(parts), CELLS_AT_ONCE):
                part = parts[first : first + CELLS_AT_ONCE]
                cells = nodes.some(of_goal[node_of[first : first + CELLS_AT_ONCE]])
                low, high = goal.cover.limits(part, self.rows[cells.rows], self.domain.integer)
                yield cells.children(
                    bounds=np.maximum(self.part_bounds[cells.rows, part], cells.bounds),
                    part=part,
                    lower=np.maximum(cells.lower, low),
                    upper=np.minimum(cells.upper, high),
                )

    def _fractions(self, nodes: Nodes, relaxed: Relaxed, fractional: BoolArray) -> Iterator[Nodes]:
        """Branch at the most fractional column of each node: a number at its value, a category into its levels."""
        column = relaxed.fractions.argmax(axis=1)
        is_number = np.isin(column, self.domain.layout.column[self.integers])
        numbers = np.flatnonzero(fractional & is_number)
        if len(numbers):
            feature = self.domain.layout.starts[column[numbers]]
            yield from self._numbers(nodes.some(numbers), feature, relaxed.points[numbers, feature])
        categories = np.flatnonzero(fractional & ~is_number)
        if len(categories):
            category = np.searchsorted(self.domain.layout.category_columns, column[categories])
            yield from self.levels(nodes.some(categories), category, relaxed.some(categories))

    def levels(self, nodes: Nodes, category: IntArray, relaxed: Relaxed | None = None) -> Iterator[Nodes]:
        """Make the levels of a category of each node, with what the dual says they cost at least."""
        for c in np.unique(category).tolist():
            with_category, levels = np.flatnonzero(category == c), self.indicators[self.category_of == c]
            for level in levels.tolist():
                chosen = with_category[nodes.upper[with_category, level] == 1]
                if len(chosen) == 0:
                    continue
                child = nodes.some(chosen)
                bounds, upper = child.bounds, child.upper
                if relaxed is not None:
                    reduced_cost = (1 + relaxed.slopes[chosen, level]) * self.prices[level]
                    price = np.maximum(reduced_cost, 0.0) * (1 - BOUND_ROUNDING)
                    moves = (self.rows[child.rows, level] == 0) & relaxed.has_slopes[chosen]
                    bounds = np.maximum(bounds, relaxed.proven[chosen] + np.where(moves, price, 0.0))
                upper[:, levels] = 0.0
                upper[:, level] = 1.0
                yield child.children(bounds=bounds, upper=upper)

    def _changes(self, nodes: Nodes, points: FloatArray, changed: BoolArray) -> Iterator[Nodes]:
        """Where too many columns change: the most costly change is left out, or counted."""
        layout, own = self.domain.layout, self.rows[nodes.rows]
        cost = np.zeros(changed.shape)
        np.add.at(cost.T, layout.unit_of_feature, (np.abs(points - own) * self.prices).T)
        cost[nodes.counted | ~changed] = -1.0
        column = cost.argmax(axis=1)
        yield nodes.without_change(layout.unit_of_feature == column[:, None], own)
        counted = nodes.children()
        counted.counted[np.arange(len(nodes)), column] = True
        yield counted

    def _prices(self, nodes: Nodes, relaxed: Relaxed, limit: FloatArray) -> Iterator[Nodes]:
        """Where changes are not paid for: none of them if there is no room for a price; else one stays, or is paid."""
        change_price = self.relaxation.change_price
        assert change_price is not None
        full = relaxed.proven + change_price.price >= limit
        if full.any():
            self.ledger.settle(nodes.rows[full], limit[full])  # what is left out is no nearer
            yield change_price.all_others_stay(nodes.some(full))
        if not full.all():
            rest = np.flatnonzero(~full)
            yield from change_price.stays_or_changes(nodes.some(rest), relaxed.points[rest], relaxed.unpaid[rest])

    def _numbers(self, nodes: Nodes, feature: IntArray, value: FloatArray) -> Iterator[Nodes]:
        """Below and above a fractional whole number; a row's own value may stay even if it is not whole itself."""
        every, own = np.arange(len(nodes)), self.rows[nodes.rows, feature]
        below, above = nodes.children(), nodes.children()
        below.upper[every, feature], above.lower[every, feature] = np.floor(value), np.floor(value) + 1.0
        yield below
        yield above
        within = (nodes.lower[every, feature] <= own) & (own <= nodes.upper[every, feature])
        stays = np.flatnonzero((own != np.round(own)) & within)
        if len(stays):
            stay = nodes.some(stays)
            every = np.arange(len(stays))
            stay.lower[every, feature[stays]] = stay.upper[every, feature[stays]] = own[stays]
            yield stay

    def _refined(self, node: Nodes, point: FloatArray | None, limit: float) -> list[Nodes] | None:
        """One node whose relaxation is whole, or gave no point, and yet it is not settled.

        Its region may know more of where it is. Or it was refused, or rounding in the kernel spoiled it: some column is
        divided around its value, until a single point is left. None if nothing more is known.
        """
        row, own = int(node.rows[0]), self.rows[node.rows[0]]
        divides = bool(self.refinement.divides[row]) and self.use_region
        if point is not None and divides and not self._is_accepted(row, point):
            return self._pieces(node, point, limit)
        smaller = list(self._around(node, point, own))
        if smaller:
            return smaller
        # Without costly moves nothing is left to divide: solved once more, it is done.
        return None if divides else [node]

    def _refined_by_cover(self, node: Nodes, point: FloatArray, limit: float, divides: bool) -> Branched | None:
        """Let a cover that refines pieces by itself refine one whose point it does not accept."""
        row = int(node.rows[0])
        if self._is_accepted(row, point):
            return None
        started = time.perf_counter()
        surroundings = self.relaxation.surroundings(node, self.offer, self.ledger.ends_at(row))
        reach = self.refinement.reach(row, limit, node.lower[0], node.upper[0], surroundings)
        refined = self.refinement.refine_by_cover(row, int(node.piece[0]), point, reach, divides=divides)
        self.ledger.charge_alone(row, started)
        if refined is None:
            return None
        pieces, bound = refined
        bounds = np.maximum(node.bounds, bound)
        if not pieces:
            return Branched([], [(node.rows, bounds)])
        return Branched([node.children(bounds=bounds, piece=np.array([piece])) for piece in pieces], [])

    def tightened(self, nodes: Nodes) -> Nodes:
        """Let what is known of pieces follow the boxes of nodes; leave out nodes of which nothing is left."""
        some = np.array([self.refinement.is_branched(piece) for piece in nodes.piece.tolist()], dtype=np.bool_)
        for row in np.unique(nodes.rows[some]).tolist():
            of_row = np.flatnonzero(some & (nodes.rows == row))
            limit = np.full(len(of_row), self.ledger.cutoff[row])
            balls = self.relaxation.balls(nodes.some(of_row), limit)
            nodes.piece[of_row] = self.refinement.tightened(row, nodes.piece[of_row], balls)
        empty = some & (nodes.piece < 0)
        self.ledger.settle(nodes.rows[empty], self.ledger.cutoff[nodes.rows[empty]])
        return nodes.some(~empty) if empty.any() else nodes

    def _undecided(self, nodes: Nodes) -> BoolArray:
        """Features that boxes leave a choice, array of shape (n, n_features)."""
        undecided = nodes.lower < nodes.upper
        undecided[:, self.indicators] &= (self.relaxation.levels_left(nodes.upper) > 1)[:, self.category_of]
        return np.asarray(undecided)

    def _by_effect(
        self, nodes: Nodes, relaxed: Relaxed, limit: FloatArray, undecided: BoolArray, some: BoolArray
    ) -> tuple[list[Nodes], BoolArray]:
        """Branch some nodes at the feature that matters most to what is not known of their pieces.

        Returns
        -------
        children : list of Nodes
        branched : bool array of shape (n,)
            False where points are accepted, or no category or whole number matters.
        """
        children: list[Nodes] = []
        branched, discrete = np.zeros(len(nodes), dtype=np.bool_), self.domain.discrete
        for row in np.unique(nodes.rows[some & np.isfinite(limit)]).tolist():
            of_row = np.flatnonzero(some & (nodes.rows == row))
            of_row = of_row[[not self.refinement.is_new(row, piece) for piece in nodes.piece[of_row].tolist()]]
            of_row = of_row[~self._are_accepted(row, relaxed.points[of_row])]
            if len(of_row) == 0:
                continue
            own, points = nodes.some(of_row), relaxed.points[of_row]
            balls = self.relaxation.balls(own, limit[of_row])
            own.piece[:], effects = self.refinement.effects(row, own.piece, points, balls)
            effects = np.where(undecided[of_row], effects, 0.0)
            matters = (effects[:, discrete] > 0).any(axis=1)
            feature, branched[of_row] = effects.argmax(axis=1), matters
            in_category = matters & np.isin(feature, self.indicators)
            if in_category.any():
                category = self.domain.layout.group[feature[in_category]]
                children += self.levels(own.some(in_category), category, relaxed.some(of_row[in_category]))
            for k in np.flatnonzero(matters & ~in_category).tolist():
                children += self._halves(own.some(np.array([k])), int(feature[k]), points[k], limit[of_row[k]])
        return children, branched

    def _halves(self, node: Nodes, feature: int, point: FloatArray, limit: float) -> Iterator[Nodes]:
        """Below and above the row's own value of a number, its projection, or the middle of what is within reach."""
        own, reach = self.rows[node.rows[0], feature], limit / self.prices[feature]
        low, high = max(node.lower[0, feature], own - reach), min(node.upper[0, feature], own + reach)
        first, last = low + SHARE_OF_ROOM * (high - low), high - SHARE_OF_ROOM * (high - low)
        at = next((at for at in (own, point[feature]) if first < at < last), (low + high) / 2)
        if self.domain.integer[feature]:
            yield from self._numbers(node, np.array([feature]), np.array([at]))
            return
        below, above = node.children(), node.children()
        below.upper[0, feature] = above.lower[0, feature] = at
        yield below
        yield above

    def _is_accepted(self, row: int, point: FloatArray) -> bool:
        return bool(self._are_accepted(row, point[None])[0])

    def _are_accepted(self, row: int, points: FloatArray) -> BoolArray:
        depth = self.problem.goals[int(self.goals[row])].cover.depth(points)
        return np.asarray(depth.max(axis=1, initial=-np.inf) > 0)

    def _pieces(self, node: Nodes, point: FloatArray, limit: float) -> list[Nodes] | None:
        """Ask the region what it knows near a point that it does not accept."""
        row = int(node.rows[0])
        reach = self.refinement.reach(row, limit, node.lower[0], node.upper[0])
        pieces = self.refinement.refine(row, int(node.piece[0]), point, reach)
        if pieces == "nothing known":
            return list(self._around(node, point, self.rows[row])) or None
        return [node.children(piece=np.array([piece])) for piece in pieces]

    def _around(self, node: Nodes, point: FloatArray | None, own: FloatArray) -> Iterator[Nodes]:
        """Branch one node at a category that is undecided, or around the value of a whole number."""
        left = self.relaxation.levels_left(node.upper)[0]
        if (left > 1).any():
            yield from self.levels(node, np.array([left.argmax()]))
            return
        wide = self.integers[node.lower[0, self.integers] < node.upper[0, self.integers]]
        if len(wide) == 0:
            return
        value = np.clip(own if point is None else point, node.lower[0], node.upper[0])
        feature = int(wide[np.abs(value[wide] - own[wide]).argmax()])
        whole, stays = np.round(value[feature]), own[feature]
        spans = [(-np.inf, whole - 1), (whole, whole), (whole + 1, np.inf)]
        if stays != np.round(stays) and node.lower[0, feature] <= stays <= node.upper[0, feature]:
            spans.append((stays, stays))  # a row's own value may stay even if it is not whole
        for low, high in spans:
            child = node.children()
            child.lower[0, feature] = max(low, child.lower[0, feature])
            child.upper[0, feature] = min(high, child.upper[0, feature])
            yield child
