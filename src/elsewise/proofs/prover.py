"""Writes certificates: closes what relaxations close, and divides the rest, guided by the answer that is known.

The search has found the answer and what is proven of it. This pass proves the same bound once more, node by node, in
the form that the checker reads. It trusts nothing of the search: where the search is wrong, the proof does not close.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

import numpy as np

from ..arrays import FloatArray
from .certificate import Proof
from .ensembles import StatedTrees
from .leaves import closed_parts
from .multipliers import BoundedNode, NodeMultipliers, NodeRelaxation
from .nodes import NodeCosts, ProofNode
from .regions import NotCertifiedError, StatedPolyhedra, StatedSums, as_text
from .statement import Statement, limits
from .trees import AHEAD, TreeBound, TreeBounds
from .units import WORTH_NARROWING, UnitBounds

# Shares of a distance below it that certificates claim: proofs of the search are about that fine. The coarser ones are
# tried where rounding allowances of the checker leave less.
SLACKS = (2e-7, 9e-7)
# Where there is no answer, certificates prove that there is none within this distance, in units of what the row's own
# numbers cost.
FAR = 1e6
# Nodes of a certificate, beyond which it is given up.
MOST_NODES = 5_000
# Nodes that the kernel may take at once where multipliers of ellipsoids and rules are those of the first of them.
NODES_AT_ONCE = 60
# Shares of the multipliers of ellipsoids and rules, which are best without a model, that are tried beside trees.
FACTORS = (1.0, 0.7, 0.4, 0.0)
# Moves and shares of levels below this are rounding.
STILL = 1e-7
# Whole numbers that a projection misses by less than this are meant.
WHOLE = 1e-6


def prove(statement: Statement, lower_bound: float) -> Proof:
    """Write the certificate of an answer.

    Parameters
    ----------
    statement : Statement
    lower_bound : float
        What the search has proven; infinite if there is no answer.

    Raises
    ------
    NotCertifiedError
        If a node cannot be closed, or nothing but rounding makes the answer one.
    """
    if statement.point is not None:
        region = statement.goals[statement.goal].region
        if isinstance(region, StatedPolyhedra) and not region.holds(statement.point):
            raise NotCertifiedError("the model decides for the target by rounding alone, at a tie")
    if np.isinf(lower_bound):
        far = FAR * max(1.0, float(statement.prices @ np.abs(statement.row)))
        return _certificate(statement, far, "infeasible")
    for slack in SLACKS:
        claimed = max(lower_bound * (1 - slack), 0.0)
        try:
            return _certificate(statement, claimed, statement.status)
        except NotCertifiedError:
            if slack == SLACKS[-1]:
                raise
    raise AssertionError("unreachable")


def _certificate(statement: Statement, claimed: float, status: str) -> Proof:
    return Proof.of(chain([statement.header(claimed, status)], _Prover(statement, claimed).lines()))


class _Prover:
    """Nodes of a proof, in the order in which they are written: a divided node, then its parts, one after the other."""

    def __init__(self, statement: Statement, claimed: float) -> None:
        self.statement, self.claimed, self.wanted = statement, claimed, claimed * (1 + AHEAD)
        self.costs = NodeCosts(statement, claimed)
        self.relaxation = NodeRelaxation(statement, self.costs)
        self.clauses = statement.clauses()
        self.sums = [
            UnitBounds(goal.region, self.costs, self.relaxation)
            if isinstance(goal.region, StatedSums) and claimed > 0
            else None
            for goal in statement.goals
        ]
        self.trees = [
            TreeBounds(goal.region, self.costs) if isinstance(goal.region, StatedTrees) and claimed > 0 else None
            for goal in statement.goals
        ]

    def lines(self) -> Iterator[str]:
        """Write the nodes."""
        domain, n_written = self.statement.domain, 0
        waiting = [ProofNode(domain.lower[0].copy(), domain.upper[0].copy())]
        while waiting:
            node, children = self._next(waiting.pop())
            lines = node if isinstance(node, list) else [as_text(node)]
            waiting += reversed(children)
            n_written += len(lines)
            if n_written > MOST_NODES:
                raise NotCertifiedError(f"the proof takes more than {MOST_NODES} nodes")
            yield from lines

    def _next(self, box: ProofNode) -> tuple[dict[str, Any] | list[str], list[ProofNode]]:
        """Close a node, or divide it; or write all of its proof."""
        if box.closing is not None:
            return {"close": box.closing}, []
        if box.narrowings:
            return _narrowed(box)
        if self.claimed == 0.0 or self.costs.least(box, np.zeros(len(self.statement.row))) >= self.claimed:
            return {"close": {}}, []
        if box.goal < 0:
            return {"goals": len(self.statement.goals)}, [
                replace(box, goal=goal) for goal in range(len(self.statement.goals))
            ]
        goal = self.statement.goals[box.goal]
        if goal.density is not None and box.ellipsoid < 0:
            count = goal.density.n_ellipsoids
            return {"ellipsoids": count}, [replace(box, ellipsoid=number) for number in range(count)]
        if isinstance(goal.region, StatedTrees):
            return self._next_of_trees(box)
        if isinstance(goal.region, StatedSums) and box.part >= 0:
            return self._next_of_sums(box)
        is_whole_region = goal.region is not None and box.part < 0
        if is_whole_region and box.ellipsoid < 0:
            return self._parts(box)
        relaxed = self.relaxation.solve(box)
        if relaxed is not None and relaxed.bound >= self.wanted:
            return {"close": relaxed.multipliers.as_json}, []
        if is_whole_region:
            return self._parts(box)
        if relaxed is None:
            return self._decide_level(box)
        return self._divide(box, relaxed.point)

    def _parts(self, box: ProofNode) -> tuple[dict[str, Any], list[ProofNode]]:
        region = self.statement.goals[box.goal].region
        assert isinstance(region, (StatedPolyhedra, StatedSums))
        known: list[dict[str, Any] | None] = [None] * region.n_parts
        if isinstance(region, StatedPolyhedra):
            known = closed_parts(region, self.costs, box, self.wanted)
        return {"parts": region.n_parts}, [replace(box, part=k, closing=closing) for k, closing in enumerate(known)]

    def _next_of_sums(self, box: ProofNode) -> tuple[dict[str, Any], list[ProofNode]]:
        """Close or divide a node whose model is a sum of units."""
        bounds = self.sums[box.goal]
        assert bounds is not None
        found = bounds.solve(box, self.wanted)
        if found.intervals is None:
            return {"close": {"units": []}}, []
        relaxed, cuts = found.relaxed, found.node.cuts
        if relaxed is None:
            return self._decide_level(box)
        if relaxed.bound >= self.wanted:
            assert cuts is not None
            of_units = cuts.as_json(relaxed.multipliers.parts) if len(relaxed.multipliers.parts) else {}
            return {"close": {**relaxed.multipliers.as_json, **of_units}}, []
        point = relaxed.point
        split = None if point is None else bounds.split(point, found.intervals)
        if split is None:
            return self._divide(box, point)
        before = box.bound_before
        if np.isinf(before) or relaxed.bound - before > WORTH_NARROWING * (self.wanted - before):
            narrowings = bounds.narrowed(found, self.wanted)
            if narrowings:
                return _narrowed(replace(box, narrowings=narrowings, bound_before=relaxed.bound))
        assert point is not None
        choice = self._broken_clause(box, point) or self._fraction(box, point) or self._too_near(box, point)
        if choice is None and self._counts_changes:
            cost = self.statement.prices * np.abs(point - self.statement.row)
            choice = self._largest_open_move(box, point, cost > STILL * cost.sum())
        if choice is not None:
            return choice
        unit, at = split
        whole = replace(box, bound_before=-np.inf)
        children = [whole.within_unit(unit, -np.inf, at), whole.within_unit(unit, at, np.inf)]
        return {"split": {"unit": unit, "intervals": [[None, at], [at, None]]}}, children

    def _next_of_trees(self, box: ProofNode) -> tuple[dict[str, Any] | list[str], list[ProofNode]]:
        """Close or divide a node whose model is a sum of trees."""
        bounds = self.trees[box.goal]
        assert bounds is not None
        has_more = box.ellipsoid >= 0 or len(self.statement.domain.offsets) > 0 or len(self.statement.apart) > 0
        if not has_more:
            lines = bounds.record(box, np.zeros(len(self.statement.row)), 0.0, {}, MOST_NODES)
            if lines is not None:
                return lines, []
        relaxed = self.relaxation.solve(box) if has_more else BoundedNode(NodeMultipliers(), 0.0, None)
        if relaxed is None:
            return self._decide_level(box)
        if relaxed.bound >= self.wanted:
            return {"close": relaxed.multipliers.as_json}, []
        for factor in FACTORS if has_more else ():
            scaled = relaxed.multipliers.scaled(factor)
            lines = bounds.record(box, *self.relaxation.linear(box, scaled), scaled.as_json, NODES_AT_ONCE)
            if lines is not None:
                return lines, []
        found = bounds.solve(box, *self.relaxation.linear(box, relaxed.multipliers), self.wanted)
        if found.bound >= self.wanted:
            return {"close": {**relaxed.multipliers.as_json, "trees": found.multipliers.as_json}}, []
        return self._divide_trees(box, found, relaxed.point)

    def _divide_trees(
        self, box: ProofNode, found: TreeBound, relaxed: FloatArray | None
    ) -> tuple[dict[str, Any], list[ProofNode]]:
        """Divide a node at a broken clause, or where trees and columns disagree."""
        point = found.point
        clause = None if point is None else self._broken_clause(box, point) or self._too_near(box, point)
        if clause is not None:
            return clause
        if found.split is None:
            return self._divide(box, relaxed if relaxed is not None else found.point)
        f, end = found.split
        number = int(self.statement.domain.layout.group[f])
        if number < 0:
            return self._split(box, f, [(box.lower[f], end), (float(np.nextafter(end, np.inf)), box.upper[f])])
        left = self.costs.levels(box, number)
        return self._levels(box, number, [[f], [level for level in left if level != f]])

    # ---- dividing the domain ----

    @property
    def _counts_changes(self) -> bool:
        """Whether it matters how many columns change."""
        return self.statement.domain.max_changes is not None or self.statement.domain.per_change > 0

    def _decide_level(self, box: ProofNode) -> tuple[dict[str, Any], list[ProofNode]]:
        """Divide a category that has lost the row's own level."""
        for number, features in enumerate(self.costs.categories):
            left = self.costs.levels(box, number)
            own = int(features[self.statement.row[features] == 1][0])
            if len(left) > 1 and own not in left:
                return self._levels(box, number, [[level] for level in left])
        raise NotCertifiedError("a node cannot be relaxed")

    def _levels(self, box: ProofNode, category: int, parts: list[list[int]]) -> tuple[dict[str, Any], list[ProofNode]]:
        features, children = self.costs.categories[category], []
        for kept in parts:
            upper = box.upper.copy()
            upper[np.setdiff1d(features, kept)] = 0.0
            children.append(replace(box, upper=upper))
        column = int(self.statement.domain.layout.column[features[0]])
        return {"levels": {"column": column, "parts": parts}}, children

    def _split(
        self, box: ProofNode, feature: int, intervals: list[tuple[float, float]]
    ) -> tuple[dict[str, Any], list[ProofNode]]:
        """Divide the interval of a number into some that follow each other; empty ones are left out."""
        kept = [(low, high) for low, high in intervals if low <= high]
        kept[0] = (min(kept[0][0], float(box.lower[feature])), kept[0][1])
        kept[-1] = (kept[-1][0], max(kept[-1][1], float(box.upper[feature])))
        ends = [limits(np.array(pair)) for pair in kept]
        return (
            {"split": {"feature": feature, "intervals": ends}},
            [box.within(feature, low, high) for low, high in kept],
        )

    def _divide(self, box: ProofNode, point: FloatArray | None) -> tuple[dict[str, Any], list[ProofNode]]:
        """Divide the domain where the relaxed point breaks it."""
        if point is None:
            raise NotCertifiedError("a node of the proof is empty by so little that rounding hides it")
        row = self.statement.row
        clause = self._broken_clause(box, point)
        if clause is not None:
            return clause
        choice = self._fraction(box, point) or self._too_near(box, point)
        if choice is not None:
            return choice
        cost = self.statement.prices * np.abs(point - row)
        moved = cost > STILL * cost.sum()
        for f in np.flatnonzero(moved & (point > self.costs.below) & (point < self.costs.above)).tolist():
            return self._stays_or_moves(box, f, self.costs.below[f], self.costs.above[f])
        choice = self._largest_open_move(box, point, moved) if self._counts_changes else None
        if choice is not None:
            return choice
        # Nothing is left to divide, so the relaxation is exact.
        raise NotCertifiedError("a node of the proof cannot be closed: something may be nearer than the bound")

    def _broken_clause(self, box: ProofNode, point: FloatArray) -> tuple[dict[str, Any], list[ProofNode]] | None:
        """Divide by the alternatives of the shortest clause that a point breaks; None if it breaks none."""
        discrete = self.statement.domain.discrete
        whole = np.where(discrete & (np.abs(point - np.round(point)) < WHOLE), np.round(point), point)
        slack = np.where(discrete, 0.0, STILL * (1 + np.abs(point)))
        broken = [
            (len(clause), k)
            for k, clause in enumerate(self.clauses)
            if not any(_holds(whole[f], low, high, slack[f]) for f, low, high in clause)
        ]
        if not broken:
            return None
        k = min(broken)[1]
        return {"clause": k}, [self._literal(box, *literal) for literal in self.clauses[k]]

    def _literal(self, box: ProofNode, feature: int, low: float | None, high: float | None) -> ProofNode:
        """Return the part of a box in which a literal holds."""
        low, high = (-np.inf if low is None else low), (np.inf if high is None else high)
        if self.statement.domain.layout.group[feature] >= 0:
            low, high = (1.0 if low > 0 else 0.0), (0.0 if high < 1 else 1.0)
        return box.within(feature, low, high)

    def _fraction(self, box: ProofNode, point: FloatArray) -> tuple[dict[str, Any], list[ProofNode]] | None:
        """Divide what is not whole at the relaxed point, the most costly first; None if all is."""
        row, prices, domain = self.statement.row, self.statement.prices, self.statement.domain
        apart = np.where(domain.integer, np.abs(point - np.round(point)), 0.0)
        apart[(apart < STILL) | (np.abs(point - row) < STILL * (1 + np.abs(row)))] = 0.0
        best, number = float((apart * prices).max(initial=0.0)), -1
        for c, features in enumerate(self.costs.categories):
            missing = 1.0 - float(point[features].max())
            if len(self.costs.levels(box, c)) > 1 and missing > STILL and missing * 2 * prices[features[0]] > best:
                best, number = missing * 2 * float(prices[features[0]]), c
        if number >= 0:
            return self._levels(box, number, [[level] for level in self.costs.levels(box, number)])
        if best == 0.0:
            return None
        f = int((apart * prices).argmax())
        below, above, own = float(np.floor(point[f])), float(np.ceil(point[f])), float(row[f])
        intervals = [(box.lower[f], below), (above, box.upper[f])]
        if below < own < above and box.lower[f] <= own <= box.upper[f]:
            intervals.insert(1, (own, own))
        return self._split(box, f, intervals)

    def _too_near(self, box: ProofNode, point: FloatArray) -> tuple[dict[str, Any], list[ProofNode]] | None:
        """Divide a number at that of a point that is kept away from, where this one is too near; None if none is."""
        prices, number = self.statement.prices, self.statement.domain.layout.group < 0
        low, high = self.costs.limits(box)
        for other, distance in self.statement.apart:
            if prices @ np.abs(point - other) >= distance * (1 - STILL):
                continue
            width = np.where(number, np.minimum(other - low, high - other) * prices, 0.0)
            f = int(np.argmax(width))
            if width[f] > 0:
                at = float(other[f])
                return self._split(box, f, [(box.lower[f], at), (float(np.nextafter(at, np.inf)), box.upper[f])])
        return None

    def _stays_or_moves(
        self, box: ProofNode, f: int, below: float, above: float
    ) -> tuple[dict[str, Any], list[ProofNode]]:
        """Divide a number into what is below, the row's own value, and what is above."""
        own = float(self.statement.row[f])
        intervals = [(box.lower[f], min(below, box.upper[f])), (max(above, box.lower[f]), box.upper[f])]
        if box.lower[f] <= own <= box.upper[f]:
            intervals.insert(1, (own, own))
        return self._split(box, f, intervals)

    def _largest_open_move(
        self, box: ProofNode, point: FloatArray, moved: Any
    ) -> tuple[dict[str, Any], list[ProofNode]] | None:
        """Divide the most costly move of a column of which it is open whether it moves: it stays, or it does."""
        row, layout = self.statement.row, self.statement.domain.layout
        cost = self.statement.prices * np.abs(point - row)
        for f in np.argsort(-cost).tolist():
            if not moved[f]:
                return None
            c = int(layout.group[f])
            if c >= 0:
                left = self.costs.levels(box, c)
                if len(left) > 1:
                    return self._levels(box, c, [[level] for level in left])
            elif box.lower[f] < box.upper[f] and box.lower[f] <= row[f] <= box.upper[f]:
                own = float(row[f])
                return self._stays_or_moves(box, f, np.nextafter(own, -np.inf), np.nextafter(own, np.inf))
        return None


def _narrowed(box: ProofNode) -> tuple[dict[str, Any], list[ProofNode]]:
    """Divide a node at the ends of a narrower interval of a unit; what is beyond them is closed at once."""
    one, *others = box.narrowings
    ends = [end for end in (one.low, one.high) if np.isfinite(end)]
    rest = replace(box.within_unit(one.unit, one.low, one.high), narrowings=tuple(others))
    children = [rest]
    if np.isfinite(one.low):
        children.insert(0, replace(rest, narrowings=(), closing=one.below))
    if np.isfinite(one.high):
        children.append(replace(rest, narrowings=(), closing=one.above))
    intervals = [list(pair) for pair in pairwise([None, *ends, None])]
    return {"split": {"unit": one.unit, "intervals": intervals}}, children


def _holds(value: float, low: float | None, high: float | None, slack: float) -> bool:
    """Whether a relaxed value keeps a literal, up to rounding."""
    return (low is None or value >= low - slack) and (high is None or value <= high + slack)
