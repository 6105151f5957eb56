"""Tables of whole numbers, categories and numbers under rules: the search of `tree_search`, in the kernel.

Where parts are polyhedra and changes have no price of their own, a node is small and there are many: the loop over them
is the kernel's, one row at a time. See ``kernel/whole.h``.
"""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray, IntArray
from .. import constants
from .._whole import WholeSearch
from ..constants import GRACE
from ..cover import Terms
from ..domains.domain import Domain, Layout
from ..driver import is_unprovable
from ..ledger import Ledger
from ..problem import Goal, SearchProblem
from ..request import SearchRequest
from .rounding import wanted_depth, wanted_slack

# Points that violate a rule by more than this share of its terms, far more than rounding, are not asked about it again.
FAR_FROM_RULE = 1e-6
# Nodes between two looks at the clock and at signals, where the search over discrete columns runs in the kernel: a
# millisecond at most, and a hundredth of what the nodes take.
NODES_AT_ONCE = 8

# Nodes of the usual amount of work, some seconds of an ordinary core; and what stands for any number.
USUAL_NODES, MOST_NODES = 100_000, 2**62
_INDICATOR = 2
"""Kind of a feature, beside 0 for numbers and 1 for whole ones, as ``whole.h`` has them."""


def is_for_kernel(request: SearchRequest) -> bool:
    """Whether rows without a history can be searched here."""
    problem, domain = request.problem, request.domain
    cells, layout = problem.cells, domain.layout
    if cells.norm != 1 or domain.per_change != 0.0:
        return False
    if not np.array_equal(cells.group if len(cells.group) else np.full(len(layout.group), -1), layout.group):
        return False
    if not problem.second_look.is_even:
        return False
    return not request.use_region or all(goal.cover.terms is not None for goal in problem.goals)


def search_whole(request: SearchRequest) -> Ledger:
    """Search the nearest point of its goal for every row."""
    problem, rows, goals, domain = request.problem, request.rows, request.goals, request.domain
    use_region, banned = request.use_region, request.banned
    search = _kernel_search(request)
    most_nodes = int(min(USUAL_NODES * request.work, MOST_NODES))
    plain, ledger = problem.coordinates.points(rows), Ledger(rows, request.cutoff)
    for g in np.unique(goals).tolist():
        goal, some = problem.goals[g], np.flatnonzero(goals == g)
        own, widening = rows[some], domain.widening_of(some)
        part_bounds = np.empty((len(some), 0))
        part_lower = part_upper = np.empty((0, 0, rows.shape[1]))
        if use_region:
            part_bounds = goal.cover.bounds(own, domain.integer)
            if banned is not None:
                part_bounds[banned[some, : goal.n_parts]] = np.inf
            part_lower, part_upper = _part_limits(problem, g, own, domain)
        clauses = None if domain.clauses is None else domain.clauses.of_rows(some)
        least = None if domain.least_moves is None else domain.least_moves.of_rows(some)
        nothing = np.empty((len(some), 0))
        radii, centres = _balls(problem, len(some), widening)
        value, bound, points, part, cone, n_nodes, is_open, spent, model_free, loses_own_level = search.run(
            own=np.ascontiguousarray(own),
            x0=np.ascontiguousarray(plain[some]),
            lower=np.ascontiguousarray(domain.lower[some]),
            upper=np.ascontiguousarray(domain.upper[some]),
            below=nothing if least is None else np.ascontiguousarray(least.below),
            above=nothing if least is None else np.ascontiguousarray(least.above),
            literal_low=nothing if clauses is None else np.ascontiguousarray(clauses.low),
            literal_high=nothing if clauses is None else np.ascontiguousarray(clauses.high),
            binds=nothing.astype(np.uint8) if clauses is None else np.ascontiguousarray(clauses.binds, dtype=np.uint8),
            first_cone=goal.first_cone,
            first_polyhedron=goal.first_polyhedron,
            use_region=use_region,
            radii=radii,
            centres=centres,
            cone_bounds=_cone_bounds(problem, g, plain[some], widening),
            part_bounds=np.ascontiguousarray(part_bounds),
            possible=np.ascontiguousarray(goal.possible, dtype=np.uint8),
            part_lower=part_lower,
            part_upper=part_upper,
            reach=_reach(problem, g, plain[some], widening),
            limit=request.cutoff[some],
            seconds=request.seconds[some],
            grace=GRACE,
            nodes_at_once=NODES_AT_ONCE,
            any_point=request.any_point,
            most_nodes=most_nodes,
            between=_let_others_in,
        )
        ledger.offer(some, value, points, part, cone)
        ledger.n_projections[some], ledger.timed_out[some], ledger.seconds[some] = n_nodes, is_open, spent
        nearest = model_free.min(axis=1, initial=np.inf)
        is_near = value * (1 - constants.MODEL_FREE_TOLERANCE) <= nearest
        ledger.model_free[some] = goal.has_density & is_near & np.isfinite(value) & ~loses_own_level
        bound[is_unprovable(problem, plain[some], goals[some], use_region)] = 0.0
        ledger.close(bound, some)
    return ledger


def _let_others_in() -> None:
    """Do nothing, in Python: whoever wants the thread to end is heard here."""


def _kernel_search(request: SearchRequest) -> WholeSearch:
    """Hand over what rows share."""
    problem, domain, margin, use_region = request.problem, request.domain, request.margin, request.use_region
    nodes_without_point = int(min(USUAL_NODES * max(request.work, 1.0), MOST_NODES))
    cells, coordinates, n = problem.cells, problem.coordinates, len(domain.integer)
    layout, all_discrete = domain.layout, bool(domain.discrete.all())
    terms = _terms(problem) if use_region else Terms(np.empty((0, n)), np.empty(0), np.empty((0, n)), np.empty((0, n)))
    terms.least[:, ~domain.discrete], terms.most[:, ~domain.discrete] = -np.inf, np.inf
    exact = cells.offsets.copy()
    for goal in problem.goals if use_region else ():
        assert goal.cover.cells is not None
        start = _first_halfspace(problem, goal)
        exact[start : start + len(goal.cover.cells.offsets)] = goal.cover.cells.offsets
    clauses = domain.clauses
    features = np.empty(0, dtype=np.int64) if clauses is None else clauses.feature
    first = np.zeros(1, dtype=np.int64) if clauses is None else np.append(clauses.first, len(clauses.feature))
    decisive = (
        constants.TOLERANCE, constants.WHOLE, constants.LIMIT_ROUNDING, constants.ROOM_SHARE, constants.ROOM_AMOUNT,
        constants.SMALLEST_REDUCED_COST, constants.FAR_AWAY, constants.REACH_SLACK, constants.STILL,
        constants.BOUND_ROUNDING, FAR_FROM_RULE, constants.COLUMNS_BOTH_WAYS, constants.MOST_IMPROVEMENTS,
        constants.MOST_NARROWINGS, nodes_without_point, constants.PARTS_TRIED,
    )  # fmt: skip
    longest = int((cells.spans[:, 1] - cells.spans[:, 0]).max(initial=0))
    return WholeSearch(
        cells,
        decisive,
        prices=np.ascontiguousarray(coordinates.stretch),
        origin=np.ascontiguousarray(coordinates.origin),
        kind=np.where(layout.group >= 0, _INDICATOR, domain.integer).astype(np.uint8),
        levels=_levels(layout),
        exact_offsets=exact,
        sizes=terms.weights,
        size_offsets=terms.constants,
        least=terms.least,
        most=terms.most,
        wanted_depth=wanted_depth(problem, margin, domain.discrete),
        wanted_slack=wanted_slack(margin, all_discrete=all_discrete),
        margin=margin,
        max_halfspaces=longest if problem.rules_at < 0 else longest + len(domain.offsets),
        literal_feature=np.ascontiguousarray(features, dtype=np.int64),
        first_literal=np.ascontiguousarray(first, dtype=np.int64),
        max_changes=-1 if domain.max_changes is None else domain.max_changes,
        unit=np.ascontiguousarray(layout.unit_of_feature, dtype=np.int64),
        n_units=layout.n_units,
        rules_at=problem.rules_at,
        margins=np.array(constants.MARGINS),
        rules_hold=domain.keeps_rules,
    )


def _levels(layout: Layout) -> IntArray:
    """First indicator of each category and one past its last, which stand together; shape (n_categories, 2)."""
    first = layout.indicators[layout.first_indicators]
    return np.ascontiguousarray(np.column_stack([first, first + np.bincount(layout.group[layout.indicators])]))


def _terms(problem: SearchProblem) -> Terms:
    """Put the terms of all goals where the table of cells has their half-spaces and polyhedra."""
    cells = problem.cells
    weights, constant = np.zeros_like(cells.normals), np.zeros_like(cells.offsets)
    least, most = np.full_like(cells.shifts, -np.inf), np.full_like(cells.shifts, np.inf)
    for goal in problem.goals:
        terms = goal.cover.terms
        assert terms is not None
        start, first = _first_halfspace(problem, goal), goal.first_polyhedron
        weights[start : start + len(terms.weights)] = terms.weights
        constant[start : start + len(terms.constants)] = terms.constants
        least[first : first + goal.n_parts], most[first : first + goal.n_parts] = terms.least, terms.most
    return Terms(weights, constant, least, most)


def _first_halfspace(problem: SearchProblem, goal: Goal) -> int:
    """Where the half-spaces of a goal's cover start in the table."""
    own = goal.cover.cells
    if own is None or goal.n_parts == 0:
        return 0
    return int(problem.cells.spans[goal.first_polyhedron, 0] - own.spans[0, 0])


def _part_limits(problem: SearchProblem, g: int, own: FloatArray, domain: Domain) -> tuple[FloatArray, FloatArray]:
    """Limits of the parts for each row, arrays of shape (n, n_parts, n_features); without any where there are none."""
    goal, none = problem.goals[g], np.empty((0, 0, own.shape[1]))
    terms = goal.cover.terms
    assert terms is not None
    numbers = domain.layout.group < 0
    is_limited = np.isfinite(terms.least[:, numbers]).any() or np.isfinite(terms.most[:, numbers]).any()
    if not is_limited and (terms.most[:, ~numbers] == 1).all():
        return none, none
    parts, rows = np.tile(np.arange(goal.n_parts), len(own)), np.repeat(own, goal.n_parts, axis=0)
    lower, upper = goal.cover.limits(parts, rows, domain.integer)
    shape = (len(own), goal.n_parts, own.shape[1])
    return np.ascontiguousarray(lower).reshape(shape), np.ascontiguousarray(upper).reshape(shape)


def _balls(problem: SearchProblem, n_rows: int, widening: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Radii and centres of all cones for each row, of shapes (n_rows, n_cones) and (n_rows, n_cones, q).

    Centres that all rows share come once.
    """
    cells = problem.cells
    if widening is None or not cells.n_cones:
        return np.tile(cells.radii, (n_rows, 1)), np.ascontiguousarray(cells.centres[None])
    every = np.tile(np.arange(cells.n_cones), n_rows)
    centres, radii = cells.widened(every, np.repeat(widening, cells.n_cones))
    centres = centres.reshape(n_rows, cells.n_cones, -1)
    return radii.reshape(n_rows, -1), np.ascontiguousarray(centres if len(cells.tilts) else cells.centres[None])


def _cone_bounds(problem: SearchProblem, g: int, plain: FloatArray, widening: FloatArray | None) -> FloatArray:
    """Return closed-form bounds of the cones, infinite for those that rows do not have; shape (n, n_cones)."""
    goal = problem.goals[g]
    if not goal.has_density:
        return np.zeros((len(plain), 1))
    bounds = goal.cone_bounds(plain, widening)
    if widening is not None:
        bounds[~goal.has_cone(widening)] = np.inf
    return np.ascontiguousarray(bounds)


def _reach(problem: SearchProblem, g: int, plain: FloatArray, widening: FloatArray | None) -> FloatArray:
    """How far points of each cone may be from each row, feature by feature; shape (n, n_cones, n_features)."""
    goal, (n, n_features) = problem.goals[g], plain.shape
    if not goal.has_density:
        return np.empty((n, 0, n_features))
    cells, look, m = problem.cells, problem.second_look, goal.n_cones
    cone = np.tile(goal.first_cone + np.arange(m), n)
    if widening is not None:
        cells, cone = cells.with_own_radii(cone, np.repeat(widening, m))
        look = look.with_cells(cells)
    every = np.arange(n * m)
    return look.extents(np.repeat(plain, m, axis=0), cone, every).reshape(n, m, n_features)
