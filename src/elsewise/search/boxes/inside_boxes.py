"""What is asked about boxes of one row besides the model: the density, rules, whole numbers, earlier answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...arrays import BoolArray, FloatArray
from ...projection.cells import CUTOFF
from ..branch_and_bound.empty_nodes import is_doubtful
from ..branch_and_bound.nodes import Nodes
from ..branch_and_bound.refinement import Refinement
from ..branch_and_bound.relaxation import Relaxation
from ..branch_and_bound.rounding import Rounding, cone_slacks
from ..constants import FAR_AWAY, MARGINS, STILL, SUM_ROUNDING, WHOLE
from ..domains.domain import Domain
from ..domains.earlier_answers import History
from ..domains.special_codes import NumberPieces
from ..ledger import Ledger
from ..problem import Goal, SearchProblem
from ..request import SearchRequest
from .inside import Inside, RelaxedBox, RowCone

# Searches the nearest points of what is asked, the model left out.
SearchAnything = Callable[[SearchRequest], Ledger]


class RowChecks:
    """Judges points of one row by everything that is asked but the model, and measures them.

    Parameters
    ----------
    problem : SearchProblem
    row : array of shape (n_features,)
    goal : int
    domain : Domain
        Of the row alone.
    history : History
        Of the row alone.
    margin : float
    """

    def __init__(
        self, problem: SearchProblem, row: FloatArray, goal: int, domain: Domain, history: History, margin: float
    ) -> None:
        self.problem, self.goal, self.domain, self.history = problem, problem.goals[goal], domain, history
        self.row, self.goals, self.margin = row, np.array([goal]), margin
        self.rounding = Rounding(problem, row[None], self.goals, domain, margin, False)

    @property
    def are_simple(self) -> bool:
        """Whether limits, whole numbers, prices of single columns and a density are all that is asked."""
        return not self.domain.asks_more and self.domain.least_moves is None and self.history.is_empty

    def holds(self, points: FloatArray) -> BoolArray:
        """Whether points of shape (n, n_features) keep everything, shape (n,)."""
        rows = np.zeros(len(points), dtype=np.int64)
        holds = self.rounding.check(rows, points).holds & self.history.is_new(rows, points)
        return holds if self.domain.discrete.all() else holds & self.is_dense(points)

    def is_dense(self, points: FloatArray) -> BoolArray:
        """Whether points are in some cone, without any slack."""
        if not self.goal.has_density:
            return np.ones(len(points), dtype=np.bool_)
        return np.asarray(self.slacks(points).max(axis=1, initial=-np.inf) >= 0.0)

    def slacks(self, points: FloatArray) -> FloatArray:
        """How far inside of each cone points lie, array of shape (n, n_cones)."""
        widening = self.domain.widening_of(np.zeros(len(points), dtype=np.int64))
        return cone_slacks(self.problem, self.goal, self.problem.coordinates.points(points), widening)

    def values(self, points: FloatArray) -> FloatArray:
        """Distances of points from the row, shape (n,)."""
        return self.rounding.values(np.zeros(len(points), dtype=np.int64), points)


class InsideBoxes(Inside):
    """One row in one cone.

    Parameters
    ----------
    judge : RowChecks
    cone : int
        Among those of the row's goal.
    cutoff : float
    search_anything : function
    pieces : NumberPieces or None
    """

    def __init__(
        self,
        judge: RowChecks,
        cone: int,
        cutoff: float,
        search_anything: SearchAnything,
        pieces: NumberPieces | None,
    ) -> None:
        problem, domain, history, margin, row = judge.problem, judge.domain, judge.history, judge.margin, judge.row
        rows, goals = row[None], judge.goals
        self.pieces, self.judge, self.search_anything = pieces, judge, search_anything
        self.problem, self.row, self.domain, self.history = problem, row, domain, history
        self.most_for_changes = domain.per_change * domain.layout.n_units
        refinement = Refinement(problem, rows, goals)
        self.relaxation = Relaxation(problem, rows, goals, domain, margin, False, refinement, history.apart)
        self.checks = self.judge.rounding
        self.node = Nodes.roots(np.zeros(1, dtype=np.int64), np.zeros(1), domain).children(cone=np.array([cone]))
        self.no_fractions = np.zeros(domain.layout.n_columns)
        has_prices = domain.per_change > 0 or domain.least_moves is not None
        self.is_simple = not (domain.discrete.any() or domain.asks_more or has_prices or not history.is_empty)
        is_plain = self.is_plain(domain) and not domain.per_change and history.is_empty and problem.rules_at < 0
        self.quick = QuickBoxes(self.relaxation, row, cone) if is_plain else None
        # of plain boxes, what is left of clauses is known to the cover
        self.narrowing = replace(domain, clauses=None) if is_plain else domain
        self.whole = self.relax(domain.lower[0], domain.upper[0], cutoff)
        self.cone = row_cone(problem, judge.goal, row, cone, domain.widening)

    def is_plain(self, domain: Domain) -> bool:
        """Whether a cone, limits and whole numbers are all that is asked."""
        goal, is_of_numbers = self.judge.goal, not len(domain.layout.indicators)
        asks_more = replace(domain, clauses=None).asks_more  # of clauses, boxes of the cover know enough
        return goal.has_density and is_of_numbers and domain.widening is None and not asks_more

    def relax(self, lower: FloatArray, upper: FloatArray, limit: float) -> RelaxedBox:
        """Solve the relaxation of a box."""
        if self.pieces is not None:
            lower, upper = lower.copy(), upper.copy()
            self.pieces.narrow(lower, upper)
            if (lower > upper).any():
                return RelaxedBox(np.inf, None, self.no_fractions)
        if self.quick is not None:
            quick = self.quick.relax(lower, upper, limit)
            if quick is not None:
                if quick.point is None:
                    return quick
                return replace(quick, fractions=self._with_broken_clauses(quick.point, quick.fractions))
        nodes = self.node.children(lower=lower[None].copy(), upper=upper[None].copy())
        may_hold = self.narrowing.narrow(nodes.rows, nodes.lower, nodes.upper, self.row[None])[0]
        if (
            not may_hold
            or (nodes.lower > nodes.upper).any()
            or not (self.relaxation.levels_left(nodes.upper) > 0).all()
        ):
            return RelaxedBox(np.inf, None, self.no_fractions)
        if self.relaxation.current_level_is_out(nodes).any():
            return RelaxedBox(-1.0, None, self.no_fractions)
        relaxed = self.relaxation.solve(nodes, np.array([limit]))
        if not relaxed.has_point[0]:
            return RelaxedBox(float(relaxed.bounds[0]), None, self.no_fractions)
        unpaid = relaxed.unpaid[0][self.domain.layout.unit] * self.domain.per_change  # it is not the answer itself
        fractions = np.maximum(relaxed.fractions[0], unpaid)
        least = self.domain.least_moves
        if least is not None:
            short = least.too_short(nodes, relaxed.points, self.relaxation.prices)
            fractions = np.maximum(fractions, np.maximum.reduceat(short[0], self.domain.layout.starts))
        fractions = self._with_broken_clauses(relaxed.points[0], fractions)
        return RelaxedBox(float(relaxed.bounds[0]), relaxed.points[0], fractions)

    def bounds(self, lower: FloatArray, upper: FloatArray, limit: float) -> FloatArray:
        """Bound the distances of many boxes."""
        nodes = self.node.some(np.zeros(len(lower), dtype=np.int64)).children(lower=lower, upper=upper)
        if self.relaxation.current_level_is_out(nodes).any():
            return np.zeros(len(lower))
        solved = self.relaxation.solve(nodes, np.full(len(lower), limit)).bounds
        return np.where((lower > upper).any(axis=1), np.inf, solved)

    def _with_broken_clauses(self, point: FloatArray, fractions: FloatArray) -> FloatArray:
        """Count the columns of clauses that a relaxed point breaks as not whole: it is no point of the box."""
        clauses, layout = self.domain.clauses, self.domain.layout
        if clauses is None:
            return fractions
        rounded = point.copy()
        rounded[layout.indicators] = np.round(rounded[layout.indicators])
        broken = clauses.broken(np.zeros(1, dtype=np.int64), rounded[None])[0]
        if not broken.any():
            return fractions
        fractions = fractions.copy()
        columns = layout.column[clauses.feature[broken[clauses.clause_of]]]
        fractions[columns] = np.maximum(fractions[columns], WHOLE)
        return fractions

    def candidates(self, relaxed: RelaxedBox, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Round a relaxed point, or keep it away from rules."""
        assert relaxed.point is not None
        point, discrete = relaxed.point[None].copy(), self.domain.discrete
        if discrete.any():
            nearest, made = self.checks.around(np.zeros(1, dtype=np.int64), point, relaxed.fractions[None])
            if discrete.all():
                return np.asarray(made[0][((made[0] >= lower) & (made[0] <= upper)).all(axis=1)])
            point[:, discrete] = nearest[:, discrete]
        if ((point[0] < lower) | (point[0] > upper))[discrete].any():
            return point[:0]
        if not discrete.any() and not len(self.domain.offsets) and self.domain.clauses is None:
            nodes = self.node.children(lower=lower[None], upper=upper[None])
            for margin in range(len(MARGINS)):  # solved for inaccurately: keep farther away
                if len(point) == 0 or self.judge.is_dense(point)[0]:
                    break
                solved = self.relaxation.solve(nodes, np.array([np.inf]), inside=margin, widens=True)
                point = solved.points[solved.has_point]
            return point
        nodes = self.node.children(lower=lower[None].copy(), upper=upper[None].copy())
        nodes.lower[:, discrete] = nodes.upper[:, discrete] = point[:, discrete]
        if not self.domain.narrow(nodes.rows, nodes.lower, nodes.upper, self.row[None])[0]:
            return point[:0]
        found = [point] if relaxed.is_whole else []
        for widens in (False, True):  # until rounding leaves the user's rules alone, then the density
            for margin in range(len(MARGINS)):
                solved = self.relaxation.solve(nodes, np.array([np.inf]), inside=margin, widens=widens)
                if not solved.has_point[0]:
                    break
                still = np.abs(solved.points[0] - self.row) * self.relaxation.prices < STILL
                found += [np.where(still, self.row, solved.points[0])[None], solved.points]
                is_dense = bool(self.judge.is_dense(solved.points)[0])
                if self.domain.keeps_rules(solved.points)[0] and (is_dense or not widens):
                    break
            if not solved.has_point[0] or is_dense:
                break
        return np.concatenate([point[:0], *found])

    def holds(self, points: FloatArray) -> BoolArray:
        """Check points."""
        return self.judge.holds(points)

    def values(self, points: FloatArray) -> FloatArray:
        """Measure points."""
        return self.judge.values(points)

    def finish(
        self, lower: FloatArray, upper: FloatArray, limit: float, seconds: float
    ) -> tuple[float, FloatArray | None]:
        """Search a box."""
        if self.is_simple:
            relaxed = self.relax(lower, upper, limit)
            if relaxed.point is None:
                return relaxed.bound, None
            points = self.candidates(relaxed, lower, upper)  # that one, or next to it if it is not dense by rounding
            return relaxed.bound, points[0] if len(points) else None
        domain = replace(self.domain, lower=lower[None], upper=upper[None])
        request = SearchRequest(
            problem=self.problem,
            rows=self.row[None],
            goals=self.judge.goals,
            domain=domain,
            history=self.history,
            cutoff=np.array([limit]),
            banned=None,
            margin=self.judge.margin,
            use_region=False,
            seconds=np.array([seconds]),
            work=1.0,
        )
        found = self.search_anything(request)
        return float(found.lower_bound[0]), found.points[0] if np.isfinite(found.value[0]) else None


def row_cone(
    problem: SearchProblem, goal: Goal, row: FloatArray, cone: int, widening: FloatArray | None
) -> RowCone | None:
    """Return a goal's cone as a row sees it, its squared radius larger by ``widening``; None without a density."""
    if not goal.has_density:
        return None
    cells, place = problem.cells, goal.first_cone + cone
    numbers, shape = np.flatnonzero(problem.space.group < 0), int(cells.shape[place])
    plain, penalties = problem.coordinates.points(row[None])[0], np.zeros(problem.space.n_features)
    centre, squared_radius = cells.centres[place], float(cells.radii[place]) ** 2
    factor = cells.factors[shape].T
    if len(cells.tilts):  # ||F y||^2 + l^2 <= h^2, where h - l is constant, and h + l linear in the indicators
        others = plain.copy()
        others[problem.space.group >= 0] = problem.coordinates.points(np.zeros_like(row)[None])[0][
            problem.space.group >= 0
        ]
        right = float(cells.radii[place] + cells.tilts[place] @ others)
        last = float(factor[-1] @ others - centre[-1])
        penalties = -2.0 * (right - last) * cells.tilts[place] * problem.coordinates.stretch
        squared_radius, factor, centre = (right - last) * (right + last), factor[:-1], centre[:-1]
    if widening is not None:
        squared_radius += float(widening[0])
    factor = np.ascontiguousarray(factor[:, numbers])
    apart = centre - factor @ plain[numbers]
    middle = np.linalg.lstsq(factor, apart, rcond=None)[0]
    size = np.abs(factor) @ np.abs(middle) + np.abs(apart) + np.abs(factor) @ np.abs(plain[numbers])
    # what solving for the centre left, and the rounding of it all: the cone is larger by that
    left = float(np.linalg.norm(factor @ middle - apart) + SUM_ROUNDING * np.linalg.norm(size))
    radius = np.sqrt(max(squared_radius, 0.0)) * (1 + SUM_ROUNDING) + left
    return RowCone(shape, numbers, factor, middle, radius**2 * (1 + SUM_ROUNDING), penalties)


_FIRST_ROW = np.zeros(1, dtype=np.int64)


class QuickBoxes:
    """Solves the relaxations of boxes of one row in one cone.

    Parameters
    ----------
    relaxation : Relaxation
        Of the row alone, without rules, categories, prices of changes or earlier answers.
    row : array of shape (n_features,)
    cone : int
        Among those of the row's goal.
    """

    def __init__(self, relaxation: Relaxation, row: FloatArray, cone: int) -> None:
        self.relaxation, self.row = relaxation, row
        self.cells, self.prices = relaxation.problem.cells, relaxation.prices
        self.coordinates = relaxation.problem.coordinates
        self.plain = self.coordinates.points(row[None])
        self.cone = np.array([relaxation.first_cone[0] + cone])
        self.least, self.starts = relaxation.domain.least_moves, relaxation.domain.layout.starts
        self.polyhedra, self.margin = np.full((1, 2), -1), np.array([relaxation.margin])

    def relax(self, lower: FloatArray, upper: FloatArray, limit: float) -> RelaxedBox | None:
        """Solve the relaxation of a box; None where it takes a second look."""
        if self.least is not None:
            lower, upper = lower.copy(), upper.copy()
            self.least.narrow(_FIRST_ROW, lower[None], upper[None])
        low, high = (lower - self.row) * self.prices, (upper - self.row) * self.prices
        if (lower > upper).any():
            return None
        # limits so far away would blur every sum in which they occur
        near = np.where(lower <= -FAR_AWAY, -np.inf, low), np.where(upper >= FAR_AWAY, np.inf, high)
        batch = self.cells.project(
            self.plain, _FIRST_ROW, self.polyhedra, self.cone,
            cutoff=np.array([limit]), margin=self.margin, limits=(near[0][None], near[1][None]),
        )  # fmt: skip
        v, is_far = batch.v[0], batch.bound[0] >= limit  # which is proven, whatever else is in doubt
        if not is_far and (is_doubtful(batch)[0] or ((v < low) | (v > high)).any()):
            return None
        if is_far or batch.status[0] == CUTOFF or not np.isfinite(batch.value[0]):
            return RelaxedBox(float(batch.bound[0]), None, np.zeros(self.relaxation.domain.layout.n_columns))
        point = np.clip(self.row + self.coordinates.differences(v), lower, upper)
        fractions = self.relaxation.fractions(_FIRST_ROW, point[None])[0]
        if self.least is not None:
            short = self.least.too_short_in(_FIRST_ROW, lower[None], upper[None], point[None], self.prices)[0]
            fractions = np.maximum(fractions, np.maximum.reduceat(short, self.starts))
        return RelaxedBox(float(batch.bound[0]), point, fractions)
