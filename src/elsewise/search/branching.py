"""Best-first search over cells and boxes: whole numbers, categories, few changes, answers that differ.

A node is a cell (a cone, a polyhedron or none) with a box of features. The kernel solves its relaxation, in which a
category may be shared among levels and whole numbers may be broken; categories decided in the box are moved in the row
itself, so that they cost nothing to the kernel. Rounding gives candidates. A node that may still hold something better
is divided: a category into its levels, a whole number at the broken value, a column that changes into "stays" and
"counts as changed". The slopes of the dual tell which levels and steps are too dear in the whole node; its children are
made without them.

Every row has a heap of its own and sends its cheapest nodes, all rows together, to the kernel. What a row does depends
on nothing but the row, so its answer has the same bits alone and in any batch.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..projection.cells import CUTOFF, INFEASIBLE
from .best_first import Found
from .candidates import Candidates
from .domain import Domain
from .problem import SearchProblem

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

# Nodes whose bound is within this relative distance of the incumbent cannot improve it noticeably.
_TOLERANCE = 1e-9
# A whole number or an indicator nearer to whole than this counts as whole.
_WHOLE = 1e-6
# Nodes a row sends at once, after so many waves: one by one while the tree is small, more when it is not.
_MOST_AT_ONCE, _WAVES_A_NODE = 8, 4
# Polyhedra tried, nearest first, when everything discrete is fixed but it is open which one.
_DIVES = 4
# Times an incumbent is improved by taking changes back.
_MOST_IMPROVEMENTS = 10
# Nodes of a row after which its proof is given up.
_MOST_NODES = 100_000


@dataclass(frozen=True, slots=True)
class Answered:
    """An earlier answer of a row, which the next one must differ from.

    It differs if it leaves one of the changed columns alone, or lies in another polyhedron or cone.
    """

    columns: IntArray
    polyhedron: int
    cone: int


@dataclass(slots=True)
class _Nodes:
    """Nodes of all rows, one line each; lines are used again."""

    lower: FloatArray
    upper: FloatArray
    counted: BoolArray
    cone: IntArray
    polyhedron: IntArray
    free: list[int]

    @classmethod
    def with_room(cls, n: int, n_features: int, n_columns: int) -> _Nodes:
        return cls(
            lower=np.empty((n, n_features)),
            upper=np.empty((n, n_features)),
            counted=np.zeros((n, n_columns), dtype=np.bool_),
            cone=np.empty(n, dtype=np.int64),
            polyhedron=np.empty(n, dtype=np.int64),
            free=list(range(n - 1, -1, -1)),
        )

    def take(self, count: int) -> list[int]:
        """Lines for new nodes."""
        while len(self.free) < count:
            n = len(self.cone)
            for name in ("lower", "upper", "counted", "cone", "polyhedron"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.empty_like(old)]))
            self.free.extend(range(2 * n - 1, n - 1, -1))
        taken = self.free[len(self.free) - count :]
        del self.free[len(self.free) - count :]
        return taken


def branch_and_bound(
    problem: SearchProblem,
    E: FloatArray,
    goal: IntArray,
    domain: Domain,
    *,
    cutoff: FloatArray | None = None,
    margin: float = 1e-9,
    banned: BoolArray | None = None,
    refused: Sequence[Sequence[FloatArray]] | None = None,
    answered: Sequence[Sequence[Answered]] | None = None,
    use_region: bool = True,
    time_limit: float | None = None,
) -> Found:
    """Search the nearest point of its goal within its domain for every row.

    Parameters
    ----------
    problem : SearchProblem
    E : array of shape (n_samples, n_features)
    goal : int array of shape (n_samples,)
    domain : Domain
        Of the same rows.
    cutoff : array of shape (n_samples,), optional
        Only points nearer than this are wanted.
    margin : float
        Relative distance to keep from the boundary of cells.
    banned : bool array of shape (n_samples, most polyhedra of a goal), optional
        Polyhedra not to look into.
    refused : sequence of sequences of points, optional
        Points of each row that are known not to be answers.
    answered : sequence of sequences of Answered, optional
        Earlier answers of each row.
    use_region : bool
        False leaves the model out.
    time_limit : float, optional
        Seconds a row may take for its proof. A row without a point yet goes on until it has one.
    """
    tree = _Tree(problem, E, goal, domain, cutoff, margin, banned, refused, answered, use_region)
    spent = np.zeros(len(E))
    while True:
        rows = tree.unfinished()
        if time_limit is not None:
            goes_on = (spent[rows] < time_limit) | ~np.isfinite(tree.limit[rows])
            tree.found.timed_out[rows[~goes_on]] = True
            rows = rows[goes_on]
        if len(rows) == 0:
            return tree.result()
        started = time.perf_counter()
        tree.step(rows)
        spent[rows] += (time.perf_counter() - started) / len(rows)


class _Tree:
    """Open nodes and incumbents of all rows of a batch."""

    def __init__(
        self,
        problem: SearchProblem,
        E: FloatArray,
        goal: IntArray,
        domain: Domain,
        cutoff: FloatArray | None,
        margin: float,
        banned: BoolArray | None,
        refused: Sequence[Sequence[FloatArray]] | None,
        answered: Sequence[Sequence[Answered]] | None,
        use_region: bool,
    ) -> None:
        n, n_features = E.shape
        layout = domain.layout
        self.problem, self.E, self.goal, self.domain, self.margin = problem, E, goal, domain, margin
        self.use_region = use_region
        self.refused = refused if refused is not None else [()] * n
        self.answered = answered if answered is not None else [()] * n
        self.has_history = any(self.refused) or any(self.answered)
        self.candidates = Candidates(problem, E, goal, domain, margin, use_region)
        self.prices = problem.coordinates.stretch
        self.discrete = domain.discrete
        self.all_discrete = bool(self.discrete.all())
        self.integers = np.flatnonzero(domain.integer)
        self.indicators, self.first = layout.indicators, layout.first_indicators
        self.category_of = layout.group[self.indicators]
        self.category_columns = layout.category_columns
        self.limit = np.full(n, np.inf) if cutoff is None else cutoff.astype(np.float64)
        self.settled = np.full(n, np.inf)
        self.model_free_bound = np.full(n, np.inf)
        self.waves = np.zeros(n, dtype=np.int64)
        self.heaps: list[list[tuple[float, int, int]]] = [[] for _ in range(n)]
        self.count = 0
        self.nodes = _Nodes.with_room(max(64, 4 * n), n_features, layout.n_columns)
        self.found = Found(
            value=np.full(n, np.inf),
            lower_bound=np.zeros(n),
            difference=np.zeros_like(E),
            polyhedron=np.full(n, -1),
            model_free=np.zeros(n, dtype=np.bool_),
            n_projections=np.zeros(n, dtype=np.int64),
            timed_out=np.zeros(n, dtype=np.bool_),
            points=np.full_like(E, np.nan),
            cone=np.full(n, -1),
        )
        self._start(banned)

    def _start(self, banned: BoolArray | None) -> None:
        """Open the cones of every row, or its polyhedra where there is no density."""
        n = len(self.E)
        most = max((goal.n_polyhedra for goal in self.problem.goals), default=0)
        self.cell_bounds = np.full((n, most), np.inf)
        for g in np.unique(self.goal).tolist():
            mine, rows = self.problem.goals[g], np.flatnonzero(self.goal == g)
            plain = self.problem.coordinates.points(self.E[rows])
            nearest = np.zeros(len(rows))
            if self.use_region:
                bounds = mine.polyhedron_bounds(plain)
                bounds = np.maximum(bounds, mine.boxes.bounds(self.E[rows], self.prices, self.domain.integer))
                if banned is not None:
                    bounds[banned[rows, : mine.n_polyhedra]] = np.inf
                self.cell_bounds[rows, : mine.n_polyhedra] = bounds
                nearest = bounds.min(axis=1, initial=np.inf)
            if mine.has_density:
                bounds = np.maximum(mine.cone_bounds(plain), nearest[:, None])
                for j in range(mine.n_cones):
                    self._open(rows, bounds[:, j], np.full(len(rows), j), np.full(len(rows), -1))
            else:
                for i in range(mine.n_polyhedra if self.use_region else 1):
                    bound = self.cell_bounds[rows, i] if self.use_region else nearest
                    self._open(rows, bound, np.zeros(len(rows), dtype=np.int64), np.full(len(rows), i))

    def _open(self, rows: IntArray, bounds: FloatArray, cone: IntArray, polyhedron: IntArray) -> None:
        """Open the cells of rows with their whole domain, cut to the box of the polyhedron."""
        keep = np.isfinite(bounds)
        rows, bounds, cone, polyhedron = rows[keep], bounds[keep], cone[keep], polyhedron[keep]
        lower, upper = self.domain.lower[rows], self.domain.upper[rows]
        for g in np.unique(self.goal[rows]).tolist():
            at = np.flatnonzero((self.goal[rows] == g) & (polyhedron >= 0))
            if len(at) and self.use_region and not self.problem.goals[g].boxes.is_trivial:
                low, high = self.problem.goals[g].boxes.rounded(self.domain.integer)
                lower[at] = np.maximum(lower[at], low[polyhedron[at]])
                upper[at] = np.minimum(upper[at], high[polyhedron[at]])
        counted = np.zeros((len(rows), self.domain.layout.n_columns), dtype=np.bool_)
        self._push(rows, bounds, cone, polyhedron, lower, upper, counted)

    def _push(
        self,
        rows: IntArray,
        bounds: FloatArray,
        cone: IntArray,
        polyhedron: IntArray,
        lower: FloatArray,
        upper: FloatArray,
        counted: BoolArray,
    ) -> None:
        """Put nodes on the heaps of their rows; empty boxes are dropped."""
        keep = (lower <= upper).all(axis=1)
        if len(self.indicators):
            keep &= (np.add.reduceat(upper[:, self.indicators], self.first, axis=1) > 0).all(axis=1)
        if self.domain.max_changes is not None:
            keep &= self._fix_the_rest(rows, lower, upper, counted)
        worth = bounds < self.limit[rows] * (1 - _TOLERANCE)
        np.minimum.at(self.settled, rows[keep & ~worth], bounds[keep & ~worth])
        at = np.flatnonzero(keep & worth)
        lines = self.nodes.take(len(at))
        nodes = self.nodes
        nodes.lower[lines], nodes.upper[lines], nodes.counted[lines] = lower[at], upper[at], counted[at]
        nodes.cone[lines], nodes.polyhedron[lines] = cone[at], polyhedron[at]
        for row, bound, line in zip(rows[at].tolist(), bounds[at].tolist(), lines):
            self.count += 1
            heapq.heappush(self.heaps[row], (bound, self.count, line))

    def _fix_the_rest(self, rows: IntArray, lower: FloatArray, upper: FloatArray, counted: BoolArray) -> BoolArray:
        """Keep all other columns as they are where the changes are used up; tell which boxes need no more than allowed.

        Columns whose own value is outside of the box have to change.
        """
        layout, own = self.domain.layout, self.E[rows]
        outside = (own < lower) | (own > upper)
        counted |= np.logical_or.reduceat(outside, layout.starts, axis=1)
        total = counted.sum(axis=1)
        assert self.domain.max_changes is not None
        full = total >= self.domain.max_changes
        fixed = full[:, None] & ~counted[:, layout.column]
        lower[fixed], upper[fixed] = own[fixed], own[fixed]
        return np.asarray(total <= self.domain.max_changes)

    def unfinished(self) -> IntArray:
        """Rows whose cheapest open node could still be better than what they hold."""
        enough = self.limit * (1 - _TOLERANCE)
        rows = [row for row, heap in enumerate(self.heaps) if heap and heap[0][0] < enough[row]]
        return np.array([row for row in rows if self.found.n_projections[row] < _MOST_NODES], dtype=np.int64)

    def step(self, rows: IntArray) -> None:
        """Send the cheapest nodes of each of the rows to the kernel and take in the answers."""
        lines: list[int] = []
        bounds: list[float] = []
        owner: list[int] = []
        for row in rows.tolist():
            heap, most = self.heaps[row], min(1 + int(self.waves[row]) // _WAVES_A_NODE, _MOST_AT_ONCE)
            self.waves[row] += 1
            enough = float(self.limit[row]) * (1 - _TOLERANCE)
            while heap and most and heap[0][0] < enough:
                bound, _, line = heapq.heappop(heap)
                lines.append(line)
                bounds.append(bound)
                owner.append(row)
                most -= 1
        self._process(np.array(owner), np.array(bounds), lines)
        self.nodes.free.extend(lines)

    def _process(self, rows: IntArray, bounds: FloatArray, lines: list[int]) -> None:
        nodes = self.nodes
        lower, upper, counted = nodes.lower[lines], nodes.upper[lines], nodes.counted[lines]
        cone, polyhedron = nodes.cone[lines], nodes.polyhedron[lines]
        moved, decided, own_is_out = self._decide(rows, upper)
        if own_is_out.any():  # the row's own level is ruled out, others are left: nothing to relax from
            at = np.flatnonzero(own_is_out.any(axis=1))
            self._divide_levels(
                rows[at], bounds[at], cone[at], polyhedron[at], lower[at], upper[at], counted[at],
                own_is_out[at].argmax(axis=1),
            )  # fmt: skip
            rest = np.flatnonzero(~own_is_out.any(axis=1))
            if len(rest) == 0:
                return
            rows, bounds, cone, polyhedron = rows[rest], bounds[rest], cone[rest], polyhedron[rest]
            lower, upper, counted = lower[rest], upper[rest], counted[rest]
            moved, decided = moved[rest], decided[rest]
        constant, batch, points = self._relax(rows, cone, polyhedron, lower, upper, moved, decided)
        proven = np.where(batch.status == INFEASIBLE, np.inf, constant + batch.bound)  # what the slopes add to
        bounds = np.maximum(bounds, proven)
        alone = (polyhedron < 0) & self.use_region
        np.minimum.at(self.model_free_bound, rows[alone], bounds[alone])
        has_point = (batch.status != INFEASIBLE) & (batch.status != CUTOFF) & np.isfinite(batch.value)
        score = self._fractions(rows, points)
        score[~has_point] = 0.0
        self._round(rows, cone, polyhedron, lower, upper, points, score, has_point)
        self._divide(
            rows, bounds, cone, polyhedron, lower, upper, counted, points, has_point, score, batch.slopes, proven
        )

    def _decide(self, rows: IntArray, upper: FloatArray) -> tuple[FloatArray, BoolArray, BoolArray]:
        """Move rows to the levels their boxes decide.

        Returns
        -------
        moved : array of shape (n, n_features)
        decided, own_is_out : bool arrays of shape (n, n_categories)
            One level is left; the row's own is not among several left.
        """
        moved = self.E[rows].copy()
        if not len(self.indicators):
            nothing = np.zeros((len(rows), 0), dtype=np.bool_)
            return moved, nothing, nothing
        left = upper[:, self.indicators]
        own = moved[:, self.indicators]
        decided = np.add.reduceat(left, self.first, axis=1) == 1
        own_is_out = ~decided & (np.add.reduceat(left * own, self.first, axis=1) == 0)
        moved[:, self.indicators] = np.where(decided[:, self.category_of], left, own)
        return moved, decided, own_is_out

    def _relax(
        self,
        rows: IntArray,
        cone: IntArray,
        polyhedron: IntArray,
        lower: FloatArray,
        upper: FloatArray,
        moved: FloatArray,
        decided: BoolArray,
    ) -> tuple[FloatArray, Any, FloatArray]:
        """Solve the relaxations of nodes; returns the price of what is decided, the kernel's batch, the points."""
        problem, prices, n = self.problem, self.prices, len(rows)
        own = self.E[rows]
        constant = np.zeros(n)
        low, high = (lower - own) * prices, (upper - own) * prices
        if len(self.indicators):
            at = self.indicators
            constant = np.where((moved[:, at] == 1) & (own[:, at] == 0), prices[at], 0.0).sum(axis=1)
            can_move = ~decided[:, self.category_of] & (upper[:, at] == 1) & (moved[:, at] == 0)
            low[:, at], high[:, at] = 0.0, np.where(can_move, np.inf, 0.0)
        first_cone = np.array([goal.first_cone for goal in problem.goals])[self.goal[rows]]
        first_polyhedron = np.array([goal.first_polyhedron for goal in problem.goals])[self.goal[rows]]
        polyhedra = np.empty((n, 2), dtype=np.int64)
        polyhedra[:, 0] = np.where((polyhedron < 0) | (not self.use_region), -1, first_polyhedron + polyhedron)
        polyhedra[:, 1] = self.domain.polyhedron
        batch = problem.cells.project(
            problem.coordinates.points(moved),
            np.arange(n),
            polyhedra,
            np.where(first_cone < 0, -1, first_cone + cone),
            cutoff=self.limit[rows] - constant,
            margin=np.full(n, self.margin),
            lower=low,
            upper=high,
            multipliers=True,
        )
        np.add.at(self.found.n_projections, rows, 1)
        points = moved + problem.coordinates.differences(batch.v)
        if len(self.indicators):  # what moved to other levels left the base
            gone = np.add.reduceat(batch.v[:, self.indicators] / prices[self.indicators], self.first, axis=1)
            points[:, self.indicators] -= moved[:, self.indicators] * gone[:, self.category_of]
        still = batch.v == 0
        still[:, self.indicators] = False
        points[still] = moved[still]
        np.clip(points, lower, upper, out=points)
        return constant, batch, points

    def _fractions(self, rows: IntArray, points: FloatArray) -> FloatArray:
        """How much each column would cost to make whole, zero where it is; array of shape (n, n_columns)."""
        layout = self.domain.layout
        score = np.zeros((len(rows), layout.n_columns))
        at = self.integers
        apart = np.abs(points[:, at] - np.round(points[:, at]))
        apart[(apart < _WHOLE) | (points[:, at] == self.E[rows][:, at])] = 0.0
        score[:, layout.column[at]] = apart * self.prices[at]
        if len(self.indicators):
            largest = np.maximum.reduceat(points[:, self.indicators], self.first, axis=1)
            missing = np.where(largest < 1 - _WHOLE, 1 - largest, 0.0)
            score[:, self.category_columns] = missing * self.prices[self.indicators[self.first]]
        return score

    def _round(
        self,
        rows: IntArray,
        cone: IntArray,
        polyhedron: IntArray,
        lower: FloatArray,
        upper: FloatArray,
        points: FloatArray,
        score: FloatArray,
        has_point: BoolArray,
    ) -> None:
        """Look for better incumbents around relaxed points."""
        at = np.flatnonzero(has_point)
        if self.all_discrete:
            made = self.candidates.around(rows[at], points[at], score[at])[1]
            self._offer(np.repeat(rows[at], made.shape[1]), made.reshape(-1, points.shape[1]))
            return
        # With numbers left to solve for, each try is a projection: where all is whole, and now and then.
        often = (self.waves[rows] & (self.waves[rows] - 1)) == 0
        at = at[(~(score > 0).any(axis=1) | often | ~np.isfinite(self.limit[rows]))[at]]
        if len(at) == 0:
            return
        fixed = self.candidates.around(rows[at], points[at], score[at])[0][:, self.discrete]
        low, high = lower[at].copy(), upper[at].copy()
        inside = ((fixed >= low[:, self.discrete]) & (fixed <= high[:, self.discrete])).all(axis=1)
        low[:, self.discrete], high[:, self.discrete] = fixed, fixed
        at, low, high = at[inside], low[inside], high[inside]
        for polyhedron_tried, which in self._polyhedra_to_try(rows[at], polyhedron[at]):
            self._dive(rows[at][which], cone[at][which], polyhedron_tried, low[which], high[which])

    def _polyhedra_to_try(self, rows: IntArray, polyhedron: IntArray) -> list[tuple[IntArray, IntArray]]:
        """The node's own polyhedron; for a cone alone the nearest few. Pairs (polyhedra, which of the rows)."""
        if not self.use_region:
            return [(polyhedron, np.arange(len(rows)))]
        own, alone = np.flatnonzero(polyhedron >= 0), np.flatnonzero(polyhedron < 0)
        nearest = np.argsort(self.cell_bounds[rows[alone]], axis=1, kind="stable")[:, :_DIVES]
        tries = [(polyhedron[own], own)]
        for place in range(nearest.shape[1]):
            there = np.isfinite(self.cell_bounds[rows[alone], nearest[:, place]])
            tries.append((nearest[there, place], alone[there]))
        return tries

    def _dive(self, rows: IntArray, cone: IntArray, polyhedron: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        """Solve for the numbers where everything discrete is fixed."""
        if len(rows) == 0:
            return
        moved, decided, _ = self._decide(rows, upper)
        _, batch, points = self._relax(rows, cone, polyhedron, lower, upper, moved, decided)
        ends = (batch.status != INFEASIBLE) & (batch.status != CUTOFF) & np.isfinite(batch.value)
        self._offer(rows[ends], points[ends])

    def _offer(self, rows: IntArray, points: FloatArray) -> None:
        """Take the best of the points that hold as incumbents, and improve them by taking changes back."""
        for _ in range(_MOST_IMPROVEMENTS):
            values = self.candidates.values(rows, points)
            at = np.flatnonzero(values < self.limit[rows] * (1 - _TOLERANCE))
            if len(at) == 0:
                return
            rows, points, values = rows[at], points[at], values[at]
            checked = self.candidates.check(rows, points)
            good = np.flatnonzero(checked.holds & self._is_new(rows, points, checked.polyhedron, checked.cone))
            if len(good) == 0:
                return
            order = good[np.lexsort((values[good], rows[good]))]
            best = order[np.flatnonzero(np.diff(rows[order], prepend=-1))]
            self._hold(rows[best], points[best], values[best], checked.polyhedron[best], checked.cone[best])
            if not self.all_discrete:
                return
            rows, points = self.candidates.neighbours(rows[best], points[best])

    def _is_new(self, rows: IntArray, points: FloatArray, polyhedron: IntArray, cone: IntArray) -> BoolArray:
        """Whether points are neither refused nor the same as an earlier answer."""
        new = np.ones(len(rows), dtype=np.bool_)
        if not self.has_history:
            return new
        for k, row in enumerate(rows.tolist()):
            for point in self.refused[row]:
                new[k] &= bool((points[k] != point).any())
            for earlier in self.answered[row]:
                if earlier.polyhedron == polyhedron[k] and earlier.cone == cone[k]:
                    changed = self.domain.layout.changed(self.E[row], points[k])
                    new[k] &= not changed[earlier.columns].all()
        return new

    def _hold(
        self, rows: IntArray, points: FloatArray, values: FloatArray, polyhedron: IntArray, cone: IntArray
    ) -> None:
        found = self.found
        self.limit[rows] = found.value[rows] = values
        found.points[rows], found.polyhedron[rows], found.cone[rows] = points, polyhedron, cone

    def _divide(
        self,
        rows: IntArray,
        bounds: FloatArray,
        cone: IntArray,
        polyhedron: IntArray,
        lower: FloatArray,
        upper: FloatArray,
        counted: BoolArray,
        points: FloatArray,
        has_point: BoolArray,
        score: FloatArray,
        slopes: FloatArray,
        proven: FloatArray,
    ) -> None:
        """Open the children of nodes that may still hold something better."""
        worth = bounds < self.limit[rows] * (1 - _TOLERANCE)
        np.minimum.at(self.settled, rows[~worth], bounds[~worth])
        at = np.flatnonzero(worth)
        if len(at) == 0:
            return
        rows, bounds, cone, polyhedron = rows[at], bounds[at], cone[at], polyhedron[at]
        lower, upper, counted, points = lower[at], upper[at], counted[at], points[at]
        has_point, score, slopes, proven = has_point[at], score[at], slopes[at], proven[at]
        self._tighten(rows, proven, lower, upper, slopes, has_point)
        node = (rows, bounds, cone, polyhedron, lower, upper, counted)
        alone = (polyhedron < 0) & self.use_region
        if alone.any():  # a cone alone is divided into its cells first
            self._divide_cells(*_some(node, alone))
        changed = self.domain.layout.changed(self.E[rows], points, _WHOLE) & has_point[:, None]
        too_many = np.zeros(len(rows), dtype=np.bool_)
        if self.domain.max_changes is not None:
            too_many = ~alone & (changed.sum(axis=1) > self.domain.max_changes)
        if too_many.any():
            self._divide_changes(*_some(node, too_many), points[too_many], changed[too_many])
        broken = ~alone & ~too_many & has_point & (score.max(axis=1, initial=0.0) > 0)
        column = score.argmax(axis=1)
        whole = np.isin(column, self.domain.layout.column[self.integers])
        if (broken & whole).any():
            at = broken & whole
            feature = self.domain.layout.starts[column[at]]
            self._divide_numbers(*_some(node, at), feature, points[at, :][np.arange(at.sum()), feature])
        if (broken & ~whole).any():
            at = broken & ~whole
            category = np.searchsorted(self.category_columns, column[at])
            self._divide_levels(*_some(node, at), category, slopes[at], proven[at])
        for k in np.flatnonzero(~alone & ~too_many & ~broken).tolist():
            self._divide_whole(*_some(node, np.array([k])), points[k] if has_point[k] else None)

    def _tighten(
        self,
        rows: IntArray,
        proven: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        slopes: FloatArray,
        has_point: BoolArray,
    ) -> None:
        """Take out of the boxes what costs more than the incumbent: a move by v, proven + |v| + slope v at least."""
        room = self.limit[rows] - proven
        known = has_point & np.isfinite(room)
        if not known.any():
            return
        room = np.where(known, room, np.inf)[:, None] * (1 + 1e-9) + 1e-12
        own = self.E[rows]
        at = self.integers
        with np.errstate(divide="ignore"):
            up = room / (np.maximum(1 + slopes[:, at], 1e-12) * self.prices[at])
            down = room / (np.maximum(1 - slopes[:, at], 1e-12) * self.prices[at])
        upper[:, at] = np.minimum(upper[:, at], np.maximum(np.floor(own[:, at] + up + 1e-9), own[:, at]))
        lower[:, at] = np.maximum(lower[:, at], np.minimum(np.ceil(own[:, at] - down - 1e-9), own[:, at]))
        at = self.indicators
        if len(at):
            undecided = np.add.reduceat(upper[:, at], self.first, axis=1)[:, self.category_of] > 1
            too_dear = (1 + slopes[:, at]) * self.prices[at] > room
            ruled_out = undecided & (own[:, at] == 0) & too_dear
            upper[:, at] = np.where(ruled_out, 0.0, upper[:, at])

    def _divide_cells(
        self,
        rows: IntArray,
        bounds: FloatArray,
        cone: IntArray,
        polyhedron: IntArray,
        lower: FloatArray,
        upper: FloatArray,
        counted: BoolArray,
    ) -> None:
        """Open the cells of cones whose relaxation was not enough."""
        for g in np.unique(self.goal[rows]).tolist():
            mine, at = self.problem.goals[g], np.flatnonzero(self.goal[rows] == g)
            low, high = mine.boxes.rounded(self.domain.integer)
            for i in range(mine.n_polyhedra):
                cells = np.maximum(self.cell_bounds[rows[at], i], bounds[at])
                here = at[mine.possible[cone[at], i] & np.isfinite(cells)]
                if len(here) == 0:
                    continue
                self._push(
                    rows[here],
                    np.maximum(self.cell_bounds[rows[here], i], bounds[here]),
                    cone[here],
                    np.full(len(here), i),
                    np.maximum(lower[here], low[i]),
                    np.minimum(upper[here], high[i]),
                    counted[here].copy(),
                )

    def _divide_changes(
        self,
        rows: IntArray,
        bounds: FloatArray,
        cone: IntArray,
        polyhedron: IntArray,
        lower: FloatArray,
        upper: FloatArray,
        counted: BoolArray,
        points: FloatArray,
        changed: BoolArray,
    ) -> None:
        """Divide nodes that change too many columns: the dearest change is left out, or counted."""
        layout, own = self.domain.layout, self.E[rows]
        cost = np.add.reduceat(np.abs(points - own) * self.candidates.half_prices, layout.starts, axis=1)
        cost[counted | ~changed] = -1.0
        column = cost.argmax(axis=1)
        here = layout.column == column[:, None]
        self._push(
            rows, bounds, cone, polyhedron, np.where(here, own, lower), np.where(here, own, upper), counted.copy()
        )
        counted[np.arange(len(rows)), column] = True
        self._push(rows, bounds, cone, polyhedron, lower.copy(), upper.copy(), counted)

    def _divide_numbers(
        self,
        rows: IntArray,
        bounds: FloatArray,
        cone: IntArray,
        polyhedron: IntArray,
        lower: FloatArray,
        upper: FloatArray,
        counted: BoolArray,
        feature: IntArray,
        value: FloatArray,
    ) -> None:
        """Divide nodes at a broken whole number; a row's own value may stay even if it is not whole itself."""
        at = np.arange(len(rows))
        own = self.E[rows, feature]
        below, above, stays = upper.copy(), lower.copy(), own != np.round(own)
        below[at, feature], above[at, feature] = np.floor(value), np.ceil(value)
        self._push(rows, bounds, cone, polyhedron, lower, below, counted.copy())
        self._push(rows, bounds, cone, polyhedron, above, upper, counted.copy())
        stays &= (lower[at, feature] <= own) & (own <= upper[at, feature])
        if stays.any():
            low, high = lower[stays], upper[stays]
            low[np.arange(len(low)), feature[stays]] = high[np.arange(len(low)), feature[stays]] = own[stays]
            self._push(rows[stays], bounds[stays], cone[stays], polyhedron[stays], low, high, counted[stays].copy())

    def _divide_levels(
        self,
        rows: IntArray,
        bounds: FloatArray,
        cone: IntArray,
        polyhedron: IntArray,
        lower: FloatArray,
        upper: FloatArray,
        counted: BoolArray,
        category: IntArray,
        slopes: FloatArray | None = None,
        proven: FloatArray | None = None,
    ) -> None:
        """Divide nodes into the levels of a category, each with what the dual says it costs at least."""
        for c in np.unique(category).tolist():
            at = np.flatnonzero(category == c)
            levels = self.indicators[self.category_of == c]
            for level in levels.tolist():
                here = at[upper[at, level] == 1]
                if len(here) == 0:
                    continue
                least = bounds[here]
                if slopes is not None and proven is not None:
                    extra = np.maximum((1 + slopes[here, level]) * self.prices[level], 0.0) * (1 - 1e-12)
                    moves = self.E[rows[here], level] == 0
                    least = np.maximum(least, proven[here] + np.where(moves, extra, 0.0))
                high = upper[here]
                high[:, levels] = 0.0
                high[:, level] = 1.0
                self._push(
                    rows[here],
                    least,
                    cone[here],
                    polyhedron[here],
                    lower[here],
                    high,
                    counted[here].copy(),
                )

    def _divide_whole(
        self,
        rows: IntArray,
        bounds: FloatArray,
        cone: IntArray,
        polyhedron: IntArray,
        lower: FloatArray,
        upper: FloatArray,
        counted: BoolArray,
        point: FloatArray | None,
    ) -> None:
        """Divide one node whose relaxation is whole, or gave no point, and yet it is not settled.

        The point was an earlier answer: one of its changes is left out. Or it was refused, or rounding of the kernel's
        spoiled it: some column is divided around its value, until a single point is left, which is known for good.
        """
        row, own = int(rows[0]), self.E[rows[0]]
        node = (rows, bounds, cone, polyhedron, lower, upper, counted)
        for earlier in self.answered[row] if point is not None else ():
            same = earlier.polyhedron == polyhedron[0] and earlier.cone == cone[0]
            if same and self.domain.layout.changed(own, point, _WHOLE)[earlier.columns].all():
                for column in earlier.columns.tolist():
                    here = self.domain.layout.column == column
                    low, high = np.where(here, own, lower), np.where(here, own, upper)
                    self._push(rows, bounds, cone, polyhedron, low, high, counted.copy())
                return
        value = np.clip(own if point is None else point, lower[0], upper[0])
        if len(self.indicators):
            left = np.add.reduceat(upper[0, self.indicators], self.first)
            if (left > 1).any():
                self._divide_levels(*node, np.array([left.argmax()]))
                return
        wide = self.integers[lower[0, self.integers] < upper[0, self.integers]]
        if len(wide) == 0:
            # Nothing is left to divide. A single whole point was judged as it is; else the kernel's bound stands.
            judged = self.all_discrete and not self.candidates.check(rows, self._only_point(lower, upper)).holds[0]
            if not judged:
                self.settled[row] = min(self.settled[row], float(bounds[0]))
            return
        feature = int(wide[np.abs(value[wide] - own[wide]).argmax()])
        at = np.round(value[feature])
        for low_end, high_end in ((lower[0, feature], at - 1), (at, at), (at + 1, upper[0, feature])):
            low, high = lower.copy(), upper.copy()
            low[0, feature], high[0, feature] = max(low_end, low[0, feature]), min(high_end, high[0, feature])
            self._push(rows, bounds, cone, polyhedron, low, high, counted.copy())

    def _only_point(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """The single point of boxes that have no other."""
        point = lower.copy()
        point[:, self.indicators] = upper[:, self.indicators]
        return point

    def result(self) -> Found:
        """Close the books: the proven bound is the smallest of settled and open nodes, at most the value."""
        found = self.found
        remaining = np.array([heap[0][0] if heap else np.inf for heap in self.heaps])
        found.lower_bound[:] = np.minimum(np.minimum(self.settled, remaining), found.value)
        # As near as the relaxation without the model: nothing dense enough is nearer, whatever the model says.
        nearest = np.minimum(self.model_free_bound, remaining)
        has_density = np.array([goal.has_density for goal in self.problem.goals])[self.goal]
        found.model_free[:] = has_density & (found.value * (1 - 1e-8) <= nearest) & np.isfinite(found.value)
        return found


def _some(node: tuple[NDArray[Any], ...], chosen: NDArray[Any]) -> tuple[Any, ...]:
    """Some of a list of nodes."""
    return tuple(part[chosen] for part in node)
