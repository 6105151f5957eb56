"""One row, cone by cone: any may have the nearest answer, and each is searched faster if a good one is known.

So all cones are looked at before one is searched, the nearest first, and others for a while before one takes long.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from ..arrays import FloatArray
from .clauses import Clauses
from .constants import BOXES_ELSEWHERE, FAR_BEHIND, FIRST_LOOKS, GRACE, MODEL_FREE_TOLERANCE
from .domain import Domain
from .found import Found
from .inside import BoxAnswer, Inside
from .pieces import NumberPieces
from .problem import Goal


class ConeByCone:
    """Searches the cones of one row.

    Parameters
    ----------
    found : Found
        Of the row alone; is given the best point, and what is proven.
    goal : Goal
    row : array of shape (n_features,)
    domain : Domain
        Of the row alone.
    inside : sequence of Inside or None
        What is asked in each cone; None where there was no time to make it, or nothing is asked.
    order : sequence of (float, int)
        How near each cone may be, and its place in ``inside``.
    cutoff, margin : float
    ends : float
        By ``time.perf_counter()``.
    pieces : NumberPieces or None
    clauses : Clauses or None
        Of the row alone.
    """

    def __init__(
        self,
        found: Found,
        goal: Goal,
        row: FloatArray,
        domain: Domain,
        inside: Sequence[Inside | None],
        order: Sequence[tuple[float, int]],
        cutoff: float,
        margin: float,
        ends: float,
        pieces: NumberPieces | None,
        clauses: Clauses | None,
    ) -> None:
        self.found, self.goal, self.row, self.domain, self.inside = found, goal, row, domain, inside
        self.order, self.cutoff, self.margin, self.ends = order, cutoff, margin, ends
        self.pieces, self.clauses = pieces, clauses
        self.proven: dict[int, float] = {}  # of cones that were searched to the end

    @property
    def limit(self) -> float:
        """Give the distance that something has to be nearer than."""
        return min(self.cutoff, float(self.found.value[0]))

    def look_first(self) -> None:
        """Look for good points in all cones that may have the nearest one, if there are several."""
        if self.domain.per_change or self.domain.least_moves is not None:
            return
        for _ in range(FIRST_LOOKS):
            near = [j for bound, j in self.order if self._may_be_nearer(bound)]
            if len(near) < 2:
                return
            for j in near:
                self._look_at(j)

    def _look_at(self, j: int) -> None:
        inside, found, domain, seconds = self.inside[j], self.found, self.domain, self.ends - time.perf_counter()
        if inside is None or seconds <= 0 or not self._may_be_nearer(inside.whole.bound):
            return
        if inside.first is not None and inside.first.value > FAR_BEHIND * found.value[0]:
            return
        self.goal.cover.look_first(
            self.row, domain.lower[0], domain.upper[0], domain.integer,
            inside=inside, cutoff=self.cutoff, margin=self.margin, seconds=seconds,
        )  # fmt: skip
        if inside.first is not None:
            self._take(inside.first, j)

    def _may_be_nearer(self, bound: float) -> bool:
        return bound < self.limit * (1 - MODEL_FREE_TOLERANCE)

    def _take(self, answer: BoxAnswer, j: int) -> None:
        """Keep the answer of a cone if it is the best one."""
        found = self.found
        if answer.point is not None and answer.value < found.value[0]:
            found.value[0], found.points[0], found.part[0], found.cone[0] = answer.value, answer.point, 0, j

    def run(self, asks: bool) -> None:
        """Search all cones that may have something nearer, one after the other.

        Parameters
        ----------
        asks : bool
            Whether a cone cannot be searched without what is asked in it.
        """
        bounds = []
        for bound, j in self.order:
            if j not in self.proven:
                late = self.ends - time.perf_counter() <= (-GRACE if np.isinf(self.limit) else 0.0)
                late |= asks and self.inside[j] is None
                self.found.timed_out[0] |= late
                if not late and self._may_be_nearer(bound):
                    self._search(j)
            bounds.append(max(bound, self.proven.get(j, bound)))
        self.found.lower_bound[0] = min([*bounds, self.found.value[0]])

    def _search(self, j: int) -> None:
        """Search a cone to the end."""
        inside = self.inside[j]
        if inside is not None and len(self.order) > 1:
            inside.elsewhere = lambda: self._look_elsewhere(j)
        stopped, self.proven[j] = self._search_for(j, None)
        self.found.timed_out[0] |= stopped
        if inside is not None:
            inside.elsewhere = None

    def _look_elsewhere(self, j: int) -> float:
        """Search all other cones for a while; tells the distance that is to be beaten then."""
        for bound, other in self.order:
            if other == j or other in self.proven or self.inside[other] is None:
                continue
            if not self._may_be_nearer(bound) or time.perf_counter() > self.ends:
                continue
            stopped, lower_bound = self._search_for(other, BOXES_ELSEWHERE)
            if not stopped:
                self.proven[other] = lower_bound
        return self.limit

    def _search_for(self, j: int, most_boxes: int | None) -> tuple[bool, float]:
        """Search a cone for so many boxes: whether that was not enough, and what is proven."""
        domain = self.domain
        answer = self.goal.cover.search_box(
            self.row, domain.lower[0], domain.upper[0], domain.integer,
            inside=self.inside[j], cutoff=self.limit, margin=self.margin, seconds=self.ends - time.perf_counter(),
            per_change=domain.per_change if domain.prices_are_separate else 0.0, least_moves=domain.least_moves,
            pieces=self.pieces, clauses=self.clauses, most_boxes=most_boxes,
        )  # fmt: skip
        self.found.n_projections[0] += answer.n_boxes
        self._take(answer, j)
        return answer.stopped, answer.lower_bound
