"""A best-first search under way, all rows of a batch together: what the kernel's search does not carry.

A node is a cell (a cone, a part of the region or none) with a box of features. The kernel solves its relaxation;
rounding gives candidates; a node that may still hold something better is divided. Every row has a heap of its own.
"""

from __future__ import annotations

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ..constants import MARGINS, MODEL_FREE_TOLERANCE, MOST_IMPROVEMENTS, PARTS_TRIED, STILL, TOLERANCE
from ..driver import Search
from ..request import SearchRequest
from .branching import Branching
from .ellipsoid_limits import EllipsoidLimits
from .nodes import Heaps, Nodes
from .refinement import Refinement
from .relaxation import Relaxation, Relaxed
from .rounding import Rounding

# Nodes a row sends at once, after so many waves: one by one while the tree is small, more when it is not.
MOST_AT_ONCE, WAVES_A_NODE = 8, 4
# The same where everything has to be looked into anyway, or pieces follow their boxes, which many do at little more
# than the cost of one: twice as many with every wave, up to this.
EAGER_AT_ONCE = 32
# Nodes of the usual amount of work, about ten seconds of an ordinary core; and where each node is cut, narrowed and
# descended from by its region, some milliseconds each.
USUAL_NODES, USUAL_REFINED_NODES = 30_000, 3_000


class TreeSearch(Search):
    """Open nodes and incumbents of all rows of a batch."""

    def __init__(self, request: SearchRequest) -> None:
        problem, rows, goals, domain = request.problem, request.rows, request.goals, request.domain
        margin, banned, use_region, history = request.margin, request.banned, request.use_region, request.history
        super().__init__(problem, rows, goals, use_region, request.cutoff, request.seconds)
        self.is_eager, self.any_point, self.work = request.is_eager, request.any_point, request.work
        n, n_features = rows.shape
        self.domain, self.history = domain, history
        self.all_discrete, self.has_discrete = bool(domain.discrete.all()), bool(domain.discrete.any())
        # Nothing in a cone is nearer, whatever the model says.
        self.model_free_bounds = np.full((n, max((goal.n_cones for goal in problem.goals), default=0)), np.inf)
        # Then a cone has several nodes without a part, and no bound of one of them is that of the cone.
        self.loses_own_level = np.zeros(n, dtype=np.bool_)
        # Where a cone has been divided without a part, a bound of one of its nodes is not the cone's.
        self.cone_is_divided = np.zeros(self.model_free_bounds.shape, dtype=np.bool_)
        self.waves = np.zeros(n, dtype=np.int64)
        self.rounding = Rounding(problem, rows, goals, domain, margin, use_region, banned)
        self.refinement = Refinement(problem, rows, goals)
        self.relaxation = Relaxation(problem, rows, goals, domain, margin, use_region, self.refinement, history.apart)
        self.part_bounds = self._part_bounds(banned)
        self.branching = Branching(
            request, self.relaxation, self.refinement, self.part_bounds, self.ledger, self._offer_of_cover
        )
        self.ellipsoid_limits = EllipsoidLimits(problem, domain)
        self.heaps = Heaps(n, n_features, domain.layout.n_units)
        self._start()

    def _part_bounds(self, banned: BoolArray | None) -> FloatArray:
        """Lower bounds of the distances to the parts of each row's goal; infinite where there is none."""
        bounds = np.full((len(self.rows), max((goal.n_parts for goal in self.problem.goals), default=0)), np.inf)
        for g in np.unique(self.goals).tolist() if self.use_region else ():
            goal, rows = self.problem.goals[g], np.flatnonzero(self.goals == g)
            bounds[rows, : goal.n_parts] = goal.cover.bounds(self.rows[rows], self.domain.integer)
        if banned is not None:
            bounds[banned] = np.inf
        return bounds

    def _start(self) -> None:
        """Open the cones of every row, or its parts where there is no density."""
        for g in np.unique(self.goals).tolist():
            goal, rows = self.problem.goals[g], np.flatnonzero(self.goals == g)
            n, nearest = len(rows), np.zeros(len(rows))
            if self.use_region:
                nearest = self.part_bounds[rows].min(axis=1, initial=np.inf)
                self._offer_proposals(rows)
            everything = Nodes.roots(rows, nearest, self.domain)
            if not goal.has_density and self.use_region:
                for cells in self.branching.cells(everything):
                    self._push(cells)
                continue
            bounds = np.zeros((n, 1))
            if goal.has_density:
                widening = self.domain.widening_of(rows)
                bounds = goal.cone_bounds(self.plain[rows], widening)
                if widening is not None:
                    bounds[~goal.has_cone(widening)] = np.inf
                self.model_free_bounds[rows, : goal.n_cones] = bounds
            for j in range(goal.n_cones):
                self._push(everything.children(bounds=np.maximum(nearest, bounds[:, j]), cone=np.full(n, j)))

    def _offer_proposals(self, rows: IntArray) -> None:
        """Let regions that divide suggest points: an early incumbent saves nodes."""
        for row in rows[self.refinement.divides[rows]].tolist():
            reach = self.refinement.reach(row, self.ledger.cutoff[row], self.domain.lower[row], self.domain.upper[row])
            points = self.problem.goals[self.goals[row]].cover.candidates(reach)
            if len(points):
                self._offer(np.full(len(points), row), points)

    def _offer_of_cover(self, rows: IntArray, points: FloatArray) -> float:
        """Take points that a cover suggests for one row, rounded where something is whole; return its cutoff."""
        if self.domain.discrete.any():
            fractions = self.relaxation.fractions(rows, points)
            made = self.rounding.around(rows, points, fractions)[1]
            rows, points = np.repeat(rows, made.shape[1]), made.reshape(-1, self.rows.shape[1])
        self._offer(rows, points)
        return float(self.ledger.cutoff[rows[0]])

    def _push(self, nodes: Nodes) -> None:
        """Open nodes that are not empty and may hold something better."""
        first_cone = self.relaxation.first_cone[nodes.rows]
        cones = np.where(first_cone < 0, -1, first_cone + nodes.cone)
        keep = self.ellipsoid_limits.narrow(nodes, cones, self.rows[nodes.rows])
        keep &= self.domain.narrow(nodes.rows, nodes.lower, nodes.upper, self.rows[nodes.rows])
        keep &= np.isfinite(nodes.bounds) & (nodes.lower <= nodes.upper).all(axis=1)
        keep &= (self.relaxation.levels_left(nodes.upper) > 0).all(axis=1)
        if self.domain.max_changes is not None:
            keep &= self._fix_the_rest(nodes, self.domain.max_changes)
        worth = self.ledger.is_worth(nodes.rows, nodes.bounds)
        self.ledger.settle(nodes.rows[keep & ~worth], nodes.bounds[keep & ~worth])
        self.heaps.push(nodes.some(keep & worth))

    def _fix_the_rest(self, nodes: Nodes, most: int) -> BoolArray:
        """Keep all other columns as they are where the changes are used up; tell which nodes need no more than allowed.

        Columns whose own value is outside of the box have to change.
        """
        layout, own = self.domain.layout, self.rows[nodes.rows]
        nodes.counted[:] |= nodes.leaves(own, layout)
        total = nodes.counted.sum(axis=1)
        fixed = (total >= most)[:, None] & ~nodes.counted[:, layout.unit_of_feature]
        nodes.lower[fixed], nodes.upper[fixed] = own[fixed], own[fixed]
        return np.asarray(total <= most)

    def cheapest(self) -> FloatArray:
        """Smallest bound of each row's open nodes."""
        return self.heaps.cheapest()

    def gives_up(self) -> BoolArray:
        """Rows with too many nodes."""
        usual = np.where(self.refinement.refines & self.use_region, USUAL_REFINED_NODES, USUAL_NODES)
        work = np.where(self.ledger.has_point, self.work, max(self.work, 1.0))
        return np.asarray(self.ledger.n_projections >= usual * work)

    def step(self, rows: IntArray) -> None:
        """Send the cheapest nodes of each of the rows to the kernel and take in the answers."""
        waves = self.waves[rows]
        most = np.minimum(1 + waves // WAVES_A_NODE, MOST_AT_ONCE)
        is_eager = self.is_eager | (self.refinement.refines[rows] & self.use_region & self.has_discrete)
        most = np.where(is_eager, np.minimum(2 ** np.minimum(1 + waves, EAGER_AT_ONCE), EAGER_AT_ONCE), most)
        self.waves[rows] += 1
        nodes = self.heaps.pop(rows.tolist(), most.tolist(), (self.ledger.cutoff[rows] * (1 - TOLERANCE)).tolist())
        lost = self.relaxation.current_level_is_out(nodes)
        without_level = np.flatnonzero(lost.any(axis=1))
        if len(without_level):
            self.loses_own_level[nodes.rows[without_level]] = True
            levels = self.branching.levels(nodes.some(without_level), lost[without_level].argmax(axis=1))
            self._push(Nodes.join(list(levels)))
            nodes = nodes.some(np.flatnonzero(~lost.any(axis=1)))
        if len(nodes) == 0:
            return
        nodes = self.branching.tightened(nodes)
        if len(nodes) == 0:
            return
        relaxed = self._relax(nodes)
        nodes = nodes.children(bounds=np.maximum(nodes.bounds, relaxed.bounds))
        alone = (nodes.part < 0) & self.use_region & ~self.cone_is_divided[nodes.rows, nodes.cone]
        solved = (nodes.rows[alone], nodes.cone[alone])
        self.model_free_bounds[solved] = np.maximum(self.model_free_bounds[solved], relaxed.proven[alone])
        self._round(nodes, relaxed)
        worth = self.ledger.is_worth(nodes.rows, nodes.bounds)
        closed = ~worth | self._is_known(nodes, worth & self.branching.is_done(nodes, relaxed))
        closed |= self._is_answered(nodes, relaxed, ~closed)
        self.ledger.settle(nodes.rows[closed], nodes.bounds[closed])
        nodes, relaxed = nodes.some(~closed), relaxed.some(~closed)
        if len(nodes):
            branched = self.branching.branch(nodes, relaxed, self.ledger.cutoff[nodes.rows])
            for rows_left, bounds in branched.given_up:
                self.ledger.settle(rows_left, bounds)
            if branched.children:
                children = Nodes.join(branched.children)
                alone = children.part < 0
                self.cone_is_divided[children.rows[alone], children.cone[alone]] = True
                self._push(children)

    def _relax(self, nodes: Nodes, *, inside: int | None = None, widens: bool = False) -> Relaxed:
        np.add.at(self.ledger.n_projections, nodes.rows, 1)
        return self.relaxation.solve(nodes, self.ledger.cutoff[nodes.rows], inside=inside, widens=widens)

    def _is_known(self, nodes: Nodes, done: BoolArray) -> BoolArray:
        """Close nodes in which nothing is left to divide; a single point that does not hold is empty for good."""
        if self.all_discrete and done.any():
            single = np.flatnonzero(done)
            points = nodes.lower[single]
            points[:, self.relaxation.indicators] = nodes.upper[single][:, self.relaxation.indicators]
            checked = self.rounding.check(nodes.rows[single], points)
            new = self.history.is_new(nodes.rows[single], points)
            nodes.bounds[single[~(checked.holds & new)]] = np.inf
        return done

    def _is_answered(self, nodes: Nodes, relaxed: Relaxed, still_open: BoolArray) -> BoolArray:
        """Whether regions that divide accept what the relaxation of a node found: nothing in the node is nearer."""
        answered = np.zeros(len(nodes), dtype=np.bool_)
        if not self.problem.divides:
            return answered
        is_whole = ~(relaxed.fractions > 0).any(axis=1) & ~relaxed.unpaid.any(axis=1)
        divides = self.refinement.divides[nodes.rows] & (nodes.part >= 0) & self.use_region
        asked = np.flatnonzero(still_open & divides & relaxed.has_point & is_whole)
        if len(asked):
            rows, points, integer = nodes.rows[asked], relaxed.points[asked], self.domain.integer
            # nearly whole is not whole: rounding may have moved it out of the region
            points[:, integer] = np.where(points == self.rows[rows], points, np.round(points))[:, integer]
            answered[asked] = self.rounding.check(rows, points).holds & self.history.is_new(rows, points)
        return answered

    def _round(self, nodes: Nodes, relaxed: Relaxed) -> None:
        """Look for better incumbents around relaxed points."""
        with_point = np.flatnonzero(relaxed.has_point)
        if self.all_discrete:
            rows, points, fractions = nodes.rows[with_point], relaxed.points[with_point], relaxed.fractions[with_point]
            made = self.rounding.around(rows, points, fractions)[1]
            self._offer(np.repeat(rows, made.shape[1]), made.reshape(-1, self.rows.shape[1]))
            return
        # With numbers left to solve for, each try is a projection: where all is whole, and now and then.
        waves = self.waves[nodes.rows]
        often = ((waves & (waves - 1)) == 0) | ~np.isfinite(self.ledger.cutoff[nodes.rows])
        tried = with_point[(~(relaxed.fractions > 0).any(axis=1) | often)[with_point]]
        if len(tried) == 0:
            return
        discrete, points, fractions = self.domain.discrete, relaxed.points[tried], relaxed.fractions[tried]
        fixed = self.rounding.around(nodes.rows[tried], points, fractions)[0][:, discrete]
        tries = nodes.some(tried)
        inside = ((fixed >= tries.lower[:, discrete]) & (fixed <= tries.upper[:, discrete])).all(axis=1)
        tries.lower[:, discrete] = tries.upper[:, discrete] = fixed
        points[:, discrete] = fixed  # rules may hold with equality there: it may be the answer as it is
        whole = inside & ~(fractions > 0).any(axis=1)
        self._offer(tries.rows[whole], points[whole])
        inside &= self.domain.narrow(tries.rows, tries.lower, tries.upper, self.rows[tries.rows])
        self._dive(tries.some(np.flatnonzero(inside)))

    def _dive(self, nodes: Nodes) -> None:
        """Solve for the numbers where everything discrete is fixed; for a cone alone, in the nearest few parts."""
        alone = np.asarray((nodes.part < 0) & self.use_region)
        self._try(nodes.some(~alone))
        nodes = nodes.some(alone)
        nearest = np.argsort(self.part_bounds[nodes.rows], axis=1, kind="stable")[:, :PARTS_TRIED]
        for place in range(nearest.shape[1]):
            there = np.isfinite(self.part_bounds[nodes.rows, nearest[:, place]])
            there &= ~self._is_ruled_out(nodes, nearest[:, place])
            self._try(nodes.children(part=nearest[:, place]).some(there))

    def _is_ruled_out(self, nodes: Nodes, part: IntArray) -> BoolArray:
        """Whether what is fixed in nodes rules out the parts, of shape (n,)."""
        ruled_out = np.zeros(len(nodes), dtype=np.bool_)
        for g in np.unique(self.goals[nodes.rows]).tolist():
            cover = self.problem.goals[g].cover
            of_goal = np.flatnonzero((self.goals[nodes.rows] == g) & (part < cover.n_parts))
            ruled_out[of_goal] = cover.excludes(nodes.upper[of_goal], part[of_goal], self.domain.discrete)
        return ruled_out

    def _try(self, nodes: Nodes) -> None:
        """Solve for the numbers of nodes; farther from all boundaries where that falls short of the density."""
        self._solve(self._solve(nodes), widens=True)

    def _solve(self, nodes: Nodes, *, widens: bool = False) -> Nodes:
        """Offer points until rounding leaves the user's rules alone, and the density, if it ``widens`` the margin.

        Return the nodes whose points keep the rules but are not dense.
        """
        short = nodes.some(np.zeros(len(nodes), dtype=np.bool_))
        for inside in range(len(MARGINS)):
            if len(nodes) == 0:
                break
            relaxed = self._relax(nodes, inside=inside, widens=widens)
            rows, points = nodes.rows[relaxed.has_point], relaxed.points[relaxed.has_point]
            still = np.abs(points - self.rows[rows]) * self.relaxation.prices < STILL
            self._offer(rows, np.where(still, self.rows[rows], points))  # keeping away from a rule moved nothing real
            self._offer(rows, points)
            kept = self.domain.keeps_rules(relaxed.points)
            if self.history.apart is not None:
                kept &= self.history.is_new(nodes.rows, relaxed.points)
            is_short = kept & ~self.rounding.is_dense(nodes.rows, relaxed.points)
            short = Nodes.join([short, nodes.some(relaxed.has_point & is_short)])
            nodes = nodes.some(relaxed.has_point & (~kept | (is_short & widens)))
        return short

    def _offer(self, rows: IntArray, points: FloatArray) -> None:
        """Take the best of the points that hold as incumbents, and improve them by taking changes back."""
        for _ in range(MOST_IMPROVEMENTS):
            values = self.rounding.values(rows, points)
            nearer = np.flatnonzero(self.ledger.is_worth(rows, values))
            if len(nearer) == 0:
                return
            rows, points, values = rows[nearer], points[nearer], values[nearer]
            checked = self.rounding.check(rows, points)
            good = np.flatnonzero(checked.holds & self.history.is_new(rows, points))
            if len(good) == 0:
                return
            order = good[np.lexsort((values[good], rows[good]))]
            best = order[np.flatnonzero(np.diff(rows[order], prepend=-1))]
            self.ledger.offer(rows[best], values[best], points[best], checked.part[best], checked.cone[best])
            if not self.all_discrete:
                return
            rows, points = self.rounding.neighbours(rows[best], points[best])

    def is_model_free(self) -> BoolArray:
        """Whether incumbents are as near as the relaxation without the model: nothing dense enough is nearer."""
        nearest = self.model_free_bounds.min(axis=1, initial=np.inf)
        has_density = np.array([goal.has_density for goal in self.problem.goals])[self.goals]
        value = self.ledger.value
        known = has_density & ~self.loses_own_level
        return np.asarray(known & (value * (1 - MODEL_FREE_TOLERANCE) <= nearest) & np.isfinite(value))
