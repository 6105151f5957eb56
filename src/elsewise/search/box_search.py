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

from ..arrays import BoolArray, FloatArray
from .clauses import Clauses
from .column_sets import search_column_sets
from .cone_by_cone import ConeByCone
from .constants import GRACE, MODEL_FREE_TOLERANCE
from .domain import Domain
from .few_changes import columns_that_stay, search_choices
from .found import Found
from .gaps import split
from .inside_boxes import InsideBoxes, SearchAnything
from .pieces import NumberPieces
from .request import SearchRequest


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
        """Give a row's clauses about several columns."""
        return None if self.others is None else self.others.of_rows(slice(k, k + 1))

    def _asks_more(self, k: int, domain: Domain) -> bool:
        """Whether more than limits, intervals, whole numbers and columns that stay is asked of a row."""
        history = self.history
        is_apart = any(each.apart is not None for each in history.earlier[k])
        return bool(replace(domain, clauses=self.asked).asks_more or history.refused[k] or is_apart)

    def run(self) -> Found:
        """Search every row."""
        rows, goals, banned = self.request.rows, self.request.goals, self.request.banned
        found, seconds = Found.nothing(rows), self.request.seconds
        overflows = self.problem.overflows(self.problem.coordinates.points(rows))
        for k, g in enumerate(goals.tolist()):
            goal = self.problem.goals[g]
            if goal.n_parts == 0 or goal.n_cones == 0 or (banned is not None and banned[k, : goal.n_parts].all()):
                found.lower_bound[k] = np.inf
                continue
            started = time.perf_counter()
            limit, asks = float(self.request.cutoff[k]), goal.has_density or self._asks_more(k, self.domain)
            search = self._search if asks or self.history.earlier[k] else self._search_plainly
            search(found, k, rows[k], g, limit, started + seconds[k])
            found.seconds[k] = time.perf_counter() - started
            if overflows[k] and asks:
                found.lower_bound[k] = 0.0
        return found

    def _search(self, found: Found, k: int, row: FloatArray, g: int, cutoff: float, ends: float) -> None:
        """Search one row until a time by ``time.perf_counter()``: where it was answered before, columns that stay."""
        domain, history = self.domain.of_rows(slice(k, k + 1)), self.history

        def with_staying(given: Domain, stay: frozenset[int]) -> Domain:
            stays = np.isin(domain.layout.unit_of_feature, list(stay))
            return replace(given, lower=np.where(stays, row, given.lower), upper=np.where(stays, row, given.upper))

        def search(stay: frozenset[int], limit: float) -> Found:
            narrowed = with_staying(domain, stay)
            choices = columns_that_stay(narrowed, row)
            if choices is None:
                return self._search_cones(k, row, g, narrowed, limit, ends)
            free = replace(narrowed, max_changes=None)
            return search_choices(
                row, choices, limit,
                lambda others, below: self._search_cones(k, row, g, with_staying(free, others), below, ends),
            )  # fmt: skip

        sets = [frozenset(each.columns.tolist()) for each in history.earlier[k] if each.apart is None]
        if not sets:
            one = search(frozenset(), cutoff)
        else:
            key = (g, self.margin, len(history.refused[k]))
            one = search_column_sets(row, sets, cutoff, search, history.solved[k].setdefault(key, {}), self._repeats(k))
        for name in ("points", "value", "lower_bound", "part", "cone", "model_free", "n_projections", "timed_out"):
            getattr(found, name)[k] = getattr(one, name)[0]

    def _search_plainly(self, found: Found, k: int, row: FloatArray, g: int, cutoff: float, ends: float) -> None:
        """Search one row of which nothing but the model and limits is asked: as `_search`, without what that needs."""
        domain, seconds = self.domain, ends - time.perf_counter()
        found.timed_out[k] = seconds <= (-GRACE if np.isinf(cutoff) else 0.0)
        if found.timed_out[k] or cutoff <= 0.0:
            return
        least = None if domain.least_moves is None else domain.least_moves.of_rows(slice(k, k + 1))
        answer = self.problem.goals[g].cover.search_box(
            row, domain.lower[k], domain.upper[k], domain.integer,
            inside=None, cutoff=cutoff, margin=self.margin, seconds=seconds,
            per_change=domain.per_change, least_moves=least, pieces=self._pieces(k), clauses=self._clauses(k),
        )  # fmt: skip
        found.n_projections[k], found.timed_out[k] = answer.n_boxes, answer.stopped
        found.lower_bound[k] = min(max(0.0, answer.lower_bound), answer.value)
        if answer.point is not None:
            found.value[k], found.points[k], found.part[k], found.cone[k] = answer.value, answer.point, 0, 0

    def _repeats(self, k: int) -> Callable[[FloatArray], frozenset[int] | None]:
        """Make a function that finds the columns of an earlier answer of a row all of which a point changes."""
        own, layout = self.history.rows[k], self.history.layout
        sets = [each.columns for each in self.history.earlier[k] if each.apart is None]

        def repeated(point: FloatArray) -> frozenset[int] | None:
            changed = layout.changed_units(own, point)
            return next((frozenset(columns.tolist()) for columns in sets if changed[columns].all()), None)

        return repeated

    def _search_cones(self, k: int, row: FloatArray, g: int, domain: Domain, cutoff: float, ends: float) -> Found:
        """Search one row, cone by cone, nearest first."""
        goal, found = self.problem.goals[g], Found.nothing(row[None])
        inside: list[InsideBoxes | None] = [None]
        order, nearest = [(0.0, 0)], np.inf
        asks = goal.has_density or self._asks_more(k, domain)
        if asks:
            exists = np.ones(goal.n_cones, dtype=np.bool_)
            if domain.widening is not None:
                exists = goal.has_cone(domain.widening)[0]
            inside = self._insides(row, g, domain, k, cutoff, ends, exists)
            order = sorted((0.0 if box is None else box.whole.bound, j) for j, box in enumerate(inside) if exists[j])
            nearest = order[0][0] if order else np.inf
        cones = ConeByCone(
            found, goal, row, domain, inside, order, cutoff, self.margin, ends, self._pieces(k), self._clauses(k)
        )
        cones.look_first()
        cones.run(asks)
        value = found.value[0]
        found.model_free[0] = goal.has_density and np.isfinite(value) and value * (1 - MODEL_FREE_TOLERANCE) <= nearest
        return found

    def _insides(
        self, row: FloatArray, g: int, domain: Domain, k: int, cutoff: float, ends: float, exists: BoolArray
    ) -> list[InsideBoxes | None]:
        """Make what is asked of each cone that exists; None where there is no time left to."""
        made: list[InsideBoxes | None] = []
        own, anything, pieces = self.history.of_row(k, by_columns=False), self.search_anything, self._pieces(k)
        for j in range(self.problem.goals[g].n_cones):
            late = time.perf_counter() > ends + GRACE
            made.append(
                InsideBoxes(self.problem, row, g, domain, own, self.margin, j, cutoff, anything, pieces)
                if exists[j] and not late
                else None
            )
        return made
