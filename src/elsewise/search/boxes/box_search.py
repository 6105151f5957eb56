"""Searches that a cover does itself, row by row: it divides boxes, and asks here what else holds in them.

A region may know a better way through boxes than projections of one part after the other: it bounds distances by
itself, and a box need not be looked into where that is enough. Everything but the model stays here: the density,
rules, whole numbers, earlier answers. What is found goes to the same books.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...arrays import BoolArray, FloatArray
from ..best_first import search_best_first
from ..branch_and_bound.domain_branching import columns_that_stay, search_choices, search_column_sets
from ..constants import GRACE, MODEL_FREE_TOLERANCE
from ..domains.clauses import Clauses
from ..domains.domain import Domain
from ..domains.special_codes import NumberPieces, split
from ..ledger import Ledger
from ..request import SearchRequest
from .ellipsoids import EllipsoidTree
from .inside import BoxRequest, Proposal
from .inside_boxes import InsideBoxes, RowChecks, SearchAnything, row_cone

# Seconds, and share of what is left of a row's time, that first answers are looked for.
SECONDS_TO_PROPOSE, SHARE_TO_PROPOSE = 0.15, 0.5


class BoxSearch:
    """Searches rows one after the other through their goals' covers.

    Parameters
    ----------
    request : SearchRequest
    search_anything : function
        Searches boxes without the model.
    in_cells : bool
        Clauses of several columns are left to covers, which know them in part: answers may break some.
    """

    def __init__(self, request: SearchRequest, search_anything: SearchAnything, in_cells: bool = False) -> None:
        self.request, self.search_anything = request, search_anything
        self.problem, self.domain, self.history, self.margin = (
            request.problem, request.domain, request.history, request.margin,
        )  # fmt: skip
        # what numbers may be is a matter of the cover's boxes; other clauses are asked about
        self.numbers, self.others = split(self.domain.clauses, self.domain.layout)
        self.asked = None if in_cells else self.others

    def _pieces(self, k: int) -> NumberPieces | None:
        """Intervals that numbers of a row have to be in."""
        return None if self.numbers is None else NumberPieces.of(self.numbers, k)

    def _clauses(self, k: int) -> Clauses | None:
        """Return a row's clauses about several columns."""
        return None if self.others is None else self.others.of_rows(slice(k, k + 1))

    def _box(self, k: int, row: FloatArray, domain: Domain) -> BoxRequest:
        """Return what covers are asked about a row, the domain being its own."""
        per_change = domain.per_change if domain.prices_are_separate else 0.0
        return BoxRequest(
            row, domain.lower[0], domain.upper[0], domain.integer, self.margin,
            per_change=per_change, least_moves=domain.least_moves, pieces=self._pieces(k), clauses=self._clauses(k),
        )  # fmt: skip

    def _asks_more(self, k: int, domain: Domain) -> bool:
        """Whether more than limits, intervals, whole numbers and columns that stay is asked of a row."""
        history = self.history
        is_apart = any(each.apart is not None for each in history.earlier[k])
        return bool(replace(domain, clauses=self.asked).asks_more or history.refused[k] or is_apart)

    def run(self) -> Ledger:
        """Search every row."""
        rows, goals, banned = self.request.rows, self.request.goals, self.request.banned
        found, seconds = Ledger(rows), self.request.seconds
        overflows = self.problem.overflows(self.problem.coordinates.points(rows))
        for k, g in enumerate(goals.tolist()):
            goal = self.problem.goals[g]
            if goal.n_parts == 0 or goal.n_cones == 0 or (banned is not None and banned[k, : goal.n_parts].all()):
                found.close(np.inf, [k])
                continue
            started = time.perf_counter()
            limit, asks = float(self.request.cutoff[k]), goal.has_density or self._asks_more(k, self.domain)
            search = self._search if asks or self.history.earlier[k] else self._search_plainly
            search(found, k, rows[k], g, limit, started + seconds[k])
            found.seconds[k] = time.perf_counter() - started
            if overflows[k] and asks:
                found.settle([k], 0.0)
        return found

    def _search(self, found: Ledger, k: int, row: FloatArray, g: int, cutoff: float, ends: float) -> None:
        """Search one row until a time by ``time.perf_counter()``: where it was answered before, columns that stay."""
        domain, history, used = self.domain.of_rows(slice(k, k + 1)), self.history, 0.0

        def with_staying(given: Domain, stay: frozenset[int]) -> Domain:
            stays = np.isin(domain.layout.unit_of_feature, list(stay))
            return replace(given, lower=np.where(stays, row, given.lower), upper=np.where(stays, row, given.upper))

        def search_cones(given: Domain, limit: float) -> Ledger:
            nonlocal used
            one = self._search_cones(k, row, g, given, limit, ends, self.request.work - used)
            used += float(one.work[0])
            return one

        def search(stay: frozenset[int], limit: float) -> Ledger:
            narrowed = with_staying(domain, stay)
            choices = columns_that_stay(narrowed, row)
            if choices is None:
                return search_cones(narrowed, limit)
            free = replace(narrowed, max_changes=None)
            return search_choices(
                row, choices, limit,
                lambda others, below: search_cones(with_staying(free, others), below),
            )  # fmt: skip

        sets = [frozenset(each.columns.tolist()) for each in history.earlier[k] if each.apart is None]
        if not sets:
            one = search(frozenset(), cutoff)
        else:
            key = (g, self.margin, len(history.refused[k]))
            one = search_column_sets(row, sets, cutoff, search, history.solved[k].setdefault(key, {}), self._repeats(k))
        found.adopt([k], one)

    def _search_plainly(self, found: Ledger, k: int, row: FloatArray, g: int, cutoff: float, ends: float) -> None:
        """Search one row of which nothing but the model and limits is asked: as `_search`, without what that needs."""
        seconds = ends - time.perf_counter()
        found.timed_out[k] = seconds <= (-GRACE if np.isinf(cutoff) else 0.0)
        if found.timed_out[k] or cutoff <= 0.0:
            return
        box = self._box(k, row, self.domain.of_rows(slice(k, k + 1)))
        cover = self.problem.goals[g].cover
        answer = cover.search_box(box, cutoff=cutoff, seconds=seconds, work=self.request.work)
        found.n_projections[k], found.timed_out[k], found.work[k] = answer.n_boxes, answer.stopped, answer.work
        if answer.point is not None:
            found.offer(np.array([k]), np.array([answer.value]), answer.point[None])
        found.close(max(0.0, answer.lower_bound), [k])

    def _repeats(self, k: int) -> Callable[[FloatArray], frozenset[int] | None]:
        """Make a function that finds the columns of an earlier answer of a row all of which a point changes."""
        own, layout = self.history.rows[k], self.history.layout
        sets = [each.columns for each in self.history.earlier[k] if each.apart is None]

        def repeated(point: FloatArray) -> frozenset[int] | None:
            changed = layout.changed_units(own, point)
            return next((frozenset(columns.tolist()) for columns in sets if changed[columns].all()), None)

        return repeated

    def _search_cones(
        self, k: int, row: FloatArray, g: int, domain: Domain, cutoff: float, ends: float, work: float
    ) -> Ledger:
        """Search one row, cone by cone, nearest first."""
        goal, box = self.problem.goals[g], self._box(k, row, domain)
        found = Ledger(row[None], np.array([cutoff]), tolerance=MODEL_FREE_TOLERANCE)
        checks = RowChecks(self.problem, row, g, domain, self.history.of_row(k, by_columns=False), self.margin)
        inside: list[InsideBoxes | None] = [None]
        order, nearest = [(0.0, 0)], np.inf
        asks = goal.has_density or self._asks_more(k, domain)
        if goal.has_density and np.isinf(cutoff):  # with a cutoff, an answer is known already
            self._propose(found, checks, box, cutoff, ends)
        if asks:
            exists = np.ones(goal.n_cones, dtype=np.bool_)
            if domain.widening is not None:
                exists = goal.has_cone(domain.widening)[0]
            inside = self._insides(checks, box, cutoff, ends, exists)
            order = sorted((0.0 if each is None else each.whole.bound, j) for j, each in enumerate(inside) if exists[j])
            nearest = order[0][0] if order else np.inf
        search_best_first(EllipsoidTree(goal, box, inside, order, asks, ends, work), found)
        value = found.value[0]
        found.model_free[0] = goal.has_density and np.isfinite(value) and value * (1 - MODEL_FREE_TOLERANCE) <= nearest
        return found

    def _propose(self, found: Ledger, checks: RowChecks, box: BoxRequest, cutoff: float, ends: float) -> None:
        """Return a row the best of points that its goal's cover proposes, before anything is proven."""
        goal, widening = checks.goal, checks.domain.widening
        exists = np.ones(goal.n_cones, dtype=np.bool_) if widening is None else goal.has_cone(widening)[0]
        cones = [row_cone(self.problem, goal, box.row, j, widening) for j in np.flatnonzero(exists).tolist()]
        points = goal.cover.propose(
            Proposal(
                box,
                ellipsoids=[cone for cone in cones if cone is not None],
                cutoff=cutoff,
                seconds=min(SECONDS_TO_PROPOSE, SHARE_TO_PROPOSE * (ends - time.perf_counter())),
                holds=None if checks.are_simple else checks.holds,
            )
        )
        values = np.where(checks.holds(points), checks.values(points), np.inf)
        best = int(values.argmin()) if len(values) else -1
        if best >= 0 and values[best] < cutoff:
            cone = int(checks.slacks(points[[best]])[0].argmax())
            found.offer(np.zeros(1, dtype=np.int64), values[[best]], points[[best]], 0, cone)

    def _insides(
        self, checks: RowChecks, box: BoxRequest, cutoff: float, ends: float, exists: BoolArray
    ) -> list[InsideBoxes | None]:
        """Make what is asked of each cone that exists; None where there is no time left to."""
        made: list[InsideBoxes | None] = []
        for j in range(checks.goal.n_cones):
            late = time.perf_counter() > ends + GRACE
            made.append(
                InsideBoxes(checks, j, cutoff, self.search_anything, box.pieces) if exists[j] and not late else None
            )
        return made
