"""Searches of many rows in regions that can only be asked, all at once: a call costs more than its points.

The nearest point that is dense enough and within all rules is found without the model, and its distance is proven. If
the model accepts it, nothing is nearer (Theorem 2). Otherwise that distance stays the bound, and good points are looked
for: each row's search says what it wants to know, and what all of them want to know is asked in one call.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....arrays import BoolArray, FloatArray, IntArray
from ...best_first import ONLY
from ...branch_and_bound.nodes import Nodes
from ...branch_and_bound.refinement import Refinement
from ...branch_and_bound.relaxation import Relaxation
from ...branch_and_bound.rounding import cone_slacks
from ...constants import MODEL_FREE_TOLERANCE
from ...driver import distinct
from ...ledger import Ledger
from ...problem import Goal, SearchProblem
from ...request import SearchRequest
from .refining import explore
from .requests import Ask, BlackBoxCover, Project, Reply, Score, Steps
from .segments import MOST_CONES
from .view import RowView, choices_of

# Points a row may ask about in all: a service that takes a millisecond a point answers in seconds.
MOST_POINTS = 4_500
# Relative distance kept from cones and learned cuts when points are solved for: far more than rounding.
KEPT_OFF = 1e-7


def search_black_boxes(request: SearchRequest, free: Ledger) -> Ledger:
    """Search good points of rows.

    Parameters
    ----------
    request : SearchRequest
    free : Ledger
        The nearest points, the model left out, and what is proven of them.
    """
    problem, rows, goals = request.problem, request.rows, request.goals
    ledger = Ledger(rows, request.cutoff, request.seconds)
    ledger.count(free)
    # a part is refused where the model says one thing of a row and then another: nothing is left of it
    gone = np.zeros(len(rows), dtype=np.bool_) if request.banned is None else request.banned[:, 0]
    there = np.flatnonzero(free.has_point & (free.value < request.cutoff) & ~gone)
    for g in distinct(goals[there]):
        of_goal = there[goals[there] == g]
        cover = problem.goals[g].cover
        assert isinstance(cover, BlackBoxCover)
        good = of_goal[cover.accepts(free.points[of_goal])]
        ledger.offer(good, free.value[good], free.points[good], 0, free.ellipsoid[good])
    has_density = np.array([goal.has_density for goal in problem.goals])[goals]
    is_nearest = has_density & (ledger.value * (1 - MODEL_FREE_TOLERANCE) <= free.lower_bound)
    ledger.model_free[:] = ledger.has_point & is_nearest
    # A row whose domain or cones are proven empty has nothing to look for, nor has one that is as near as can be.
    is_open = np.isfinite(free.lower_bound) & ~ledger.has_point & (free.lower_bound < request.cutoff) & ~gone
    ledger.charge(np.arange(len(rows)))
    if is_open.any():
        _Together(request, free, np.flatnonzero(is_open), ledger).run()
    ledger.close(np.where(gone, np.inf, np.minimum(free.lower_bound, request.cutoff)))
    return ledger


class _Together:
    """Searches of rows, under way at the same time. A row may have several, which differ in what may change."""

    def __init__(self, request: SearchRequest, free: Ledger, chosen: IntArray, ledger: Ledger) -> None:
        problem, rows, goals, domain = request.problem, request.rows, request.goals, request.domain
        self.problem, self.history, self.ledger = problem, request.history, ledger
        owner, lower, upper = choices_of(rows, domain, self.history, free.points, chosen)
        self.owner, self.goals = owner, goals[owner]
        self.rows = rows[owner]
        self.domain = replace(domain.of_rows(owner), lower=lower, upper=upper)
        self.cuts = _LearnedCuts(problem, self.rows, self.goals)
        self.relaxation = Relaxation(problem, self.rows, self.goals, self.domain, KEPT_OFF, True, self.cuts)
        self.all_discrete = bool(domain.discrete.all())
        n_choices = np.bincount(owner, minlength=len(rows))
        anchors = {g: self._anchors(problem.goals[g]) for g in distinct(self.goals)}
        half = np.where(domain.layout.group >= 0, 0.5, 1.0) * problem.coordinates.stretch
        self.views = [
            self._view(k, g, half, anchors[g], free.points[r], float(request.cutoff[r]), MOST_POINTS // n_choices[r])
            for k, (g, r) in enumerate(zip(self.goals.tolist(), owner.tolist()))
        ]

    def _anchors(self, goal: Goal) -> tuple[FloatArray, FloatArray, FloatArray, bool]:
        """Anchors of a goal, how far inside of its cones they are, spreads of features, and whether it has scores."""
        cover = goal.cover
        assert isinstance(cover, BlackBoxCover)
        anchors = cover.anchors
        slacks = np.full((len(anchors), goal.n_cones), np.inf)
        if goal.has_density:
            slacks = cone_slacks(self.problem, goal, self.problem.coordinates.points(anchors))
            dense = slacks.max(axis=1, initial=-np.inf) >= 0
            anchors, slacks = anchors[dense], slacks[dense]
        spread = cover.anchors.std(axis=0) if len(cover.anchors) else np.zeros(self.rows.shape[1])
        spread = np.where(spread > 0, spread, 1.0 / self.problem.coordinates.stretch)
        has_scores = len(anchors) > 0 and cover.scores(anchors[:1]) is not None
        return anchors, slacks, spread, has_scores

    def _view(
        self,
        k: int,
        g: int,
        prices: FloatArray,
        anchors: tuple[FloatArray, FloatArray, FloatArray, bool],
        nearest: FloatArray,
        limit: float,
        n_points: int,
    ) -> RowView:
        goal = self.problem.goals[g]
        assert isinstance(goal.cover, BlackBoxCover)
        points, slacks, spread, has_scores = anchors
        cones = np.zeros(1, dtype=np.int64)
        if goal.has_density:
            bounds = goal.cone_bounds(self.problem.coordinates.points(self.rows[[k]]))[0]
            cones = np.argsort(bounds, kind="stable")[:MOST_CONES]
        return RowView(
            problem=self.problem,
            goal=goal,
            domain=self.domain.of_rows(slice(k, k + 1)),
            row=self.rows[k],
            lower=self.domain.lower[k],
            upper=self.domain.upper[k],
            prices=prices,
            spread=spread,
            anchors=points,
            accepted=goal.cover.anchors,
            refused=goal.cover.refused,
            anchor_slacks=slacks,
            cones=cones,
            has_scores=has_scores,
            nearest=nearest,
            ledger=Ledger(self.rows[[k]], np.array([limit])),
            points_left=n_points,
        )

    def run(self) -> None:
        """Go on until every search is over or out of time."""
        searches: dict[int, Steps[None]] = {k: explore(view) for k, view in enumerate(self.views)}
        wanted: dict[int, Ask | Score | Project] = {}
        replies: dict[int, Reply | None] = dict.fromkeys(searches)
        while replies:
            for k, reply in replies.items():
                try:
                    wanted[k] = searches[k].send(reply)
                except StopIteration:
                    wanted.pop(k, None)
            over = [k for k, what in wanted.items() if self._is_over(k, what)]
            for k in over:
                del wanted[k]
            replies = self._answered(wanted)
            active = np.unique(self.owner[list(replies)]) if replies else np.empty(0, dtype=np.int64)
            self.ledger.charge(active)
            in_time = self.ledger.in_time(active)
            for k in [k for k in wanted if self.owner[k] not in in_time]:
                del wanted[k], replies[k]

    def _is_over(self, k: int, what: Ask | Score | Project) -> bool:
        """Whether a search has asked about enough points."""
        return not isinstance(what, Project) and len(what.points) > self.views[k].points_left

    def _answered(self, wanted: dict[int, Ask | Score | Project]) -> dict[int, Reply | None]:
        """Answer what searches want to know, in one call of each kind."""
        replies: dict[int, Reply | None] = {}
        projecting = {k: what for k, what in wanted.items() if isinstance(what, Project)}
        if projecting:
            replies.update(self._project(projecting))
        for g in distinct(self.goals):
            of_goal = {k: what for k, what in wanted.items() if self.goals[k] == g and not isinstance(what, Project)}
            by_label = {k: what for k, what in of_goal.items() if isinstance(what, Ask) or what.labels}
            by_score = {k: what for k, what in of_goal.items() if k not in by_label}
            for asked, is_score in ((by_label, False), (by_score, True)):
                if asked:
                    replies.update(self._ask(g, asked, is_score))
        return replies

    def _ask(self, g: int, asked: dict[int, Ask | Score], is_score: bool) -> dict[int, Reply]:
        """Ask the model about the points of several searches."""
        cover = self.problem.goals[g].cover
        assert isinstance(cover, BlackBoxCover)
        points = np.concatenate([what.points for what in asked.values()])
        ends = np.cumsum([len(what.points) for what in asked.values()])[:-1]
        for k, what in asked.items():
            self.views[k].points_left -= len(what.points)
        if len(points) == 0:
            return {k: np.zeros(0, dtype=np.bool_) for k in asked}
        if is_score:
            scores = cover.scores(points)
            assert scores is not None
            return dict(zip(asked, np.split(scores, ends)))
        replies: dict[int, Reply] = {}
        for k, what, accepted in zip(asked, asked.values(), np.split(cover.accepts(points), ends)):
            replies[k] = (
                accepted.astype(np.float64) if isinstance(what, Score) else self._held(k, what.points, accepted)
            )
        return replies

    def _held(self, k: int, points: FloatArray, accepted: BoolArray) -> BoolArray:
        """Which points of a search are answers; the nearest is kept."""
        view = self.views[k]
        holds = accepted & ((points >= view.lower) & (points <= view.upper)).all(axis=1)
        zeros = np.zeros(int(holds.sum()), dtype=np.int64)  # the domain of a view is that of its row alone
        holds[holds] = view.domain.keeps(zeros, view.row[None], points[holds])
        cone = np.zeros(len(points), dtype=np.int64)
        if view.goal.has_density and holds.any():
            some = np.flatnonzero(holds)
            slacks = cone_slacks(self.problem, view.goal, self.problem.coordinates.points(points[some]))
            cone[some], holds[some] = slacks.argmax(axis=1), slacks.max(axis=1) >= 0
        some = np.flatnonzero(holds)
        if len(some):
            holds[some] &= self.history.is_new(np.full(len(some), self.owner[k]), points[some])
        some = np.flatnonzero(holds)
        if len(some):
            values = view.values(points[some])
            nearest, value = some[[values.argmin()]], values.min(keepdims=True)
            for ledger, row in ((view.ledger, ONLY), (self.ledger, self.owner[[k]])):
                ledger.offer(row, value, points[nearest], 0, cone[nearest])
        return holds

    def _project(self, asked: dict[int, Project]) -> dict[int, Reply]:
        """Solve the projections of several searches together."""
        counts = [len(what.cones) for what in asked.values()]
        of_search = np.repeat(list(asked), counts)
        self.cuts.learned = [(what.normals, what.offsets) for what in asked.values()]
        nodes = Nodes(
            rows=of_search,
            bounds=np.zeros(len(of_search)),
            cone=np.concatenate([what.cones for what in asked.values()]),
            part=np.zeros(len(of_search), dtype=np.int64),
            piece=np.repeat(np.arange(len(asked)), counts),
            lower=np.concatenate([what.lower for what in asked.values()]),
            upper=np.concatenate([what.upper for what in asked.values()]),
            counted=np.zeros((len(of_search), self.domain.layout.n_units), dtype=np.bool_),
        )
        limits = np.repeat([what.limit for what in asked.values()], counts)
        inside = 0 if len(self.domain.offsets) else None
        solved = self.relaxation.solve(nodes, limits, inside=inside)
        np.add.at(self.ledger.n_projections, self.owner[of_search], 1)
        points = np.where(solved.has_point[:, None], solved.points, np.nan)
        return dict(zip(asked, np.split(points, np.cumsum(counts)[:-1])))


class _LearnedCuts(Refinement):
    """Half-spaces learned of rows, where a relaxation looks for those of the model's region."""

    def __init__(self, problem: SearchProblem, rows: FloatArray, goals: IntArray) -> None:
        super().__init__(problem, rows, goals)
        self.learned: list[tuple[FloatArray, FloatArray]] = []

    def halfspaces(self, piece: int) -> tuple[FloatArray, FloatArray]:
        """Return those of a search, by its number."""
        return self.learned[piece]
