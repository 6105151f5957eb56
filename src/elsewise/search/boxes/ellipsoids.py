"""The ellipsoids of one row, from one queue: always the one in which something nearer may be left, slice by slice.

Nothing in an ellipsoid is nearer than its own nearest point without the model, than what its search has proven so far,
or than the nearest point that the model accepts anywhere, dense or not. The last bound holds for all ellipsoids at once
and is searched first.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from ..constants import GRACE, MODEL_FREE_TOLERANCE, SAME_PLACE
from ..ledger import Ledger
from ..problem import Goal
from .inside import BoxAnswer, BoxRequest, Inside, OpenSearch

# Boxes after which the search of an ellipsoid lets others have a turn that may have something as near.
BOXES_A_SLICE = 50
# Boxes, and share of what is left of a row's time, for the nearest point that the model accepts, dense or not.
BOXES_WITHOUT_DENSITY, SHARE_WITHOUT_DENSITY = 1_000, 0.4


class EllipsoidQueue:
    """Searches the ellipsoids of one row.

    Parameters
    ----------
    found : Ledger
        Of the row alone, perhaps with a proposed point; is given the best point, and what is proven.
    goal : Goal
    box : BoxRequest
    inside : sequence of Inside or None
        What is asked in each ellipsoid; None where there was no time to make it, or nothing is asked.
    order : sequence of (float, int)
        How near each ellipsoid may be, and its place in ``inside``.
    cutoff : float
    ends : float
        By ``time.perf_counter()``.
    work : float
        What is left of the row's counted work; see :class:`~elsewise.search.request.SearchRequest`.
    """

    def __init__(
        self,
        found: Ledger,
        goal: Goal,
        box: BoxRequest,
        inside: Sequence[Inside | None],
        order: Sequence[tuple[float, int]],
        cutoff: float,
        ends: float,
        work: float = np.inf,
    ) -> None:
        self.found, self.goal, self.box, self.inside = found, goal, box, inside
        self.cutoff, self.ends, self.most_work = cutoff, ends, work
        self.bounds = {j: bound for bound, j in order}
        self.n_slices = dict.fromkeys(self.bounds, 0)
        self.open = set(self.bounds)
        self.searches: dict[int, OpenSearch] = {}
        self.floor = 0.0  # of all ellipsoids
        # a proposed point is as near as lines made it: a search of its surroundings finds the nearest one there
        self.is_proposed = bool(np.isfinite(found.value[0]))

    @property
    def limit(self) -> float:
        """The distance that something has to be nearer than."""
        value = float(self.found.value[0])
        return min(self.cutoff, value * (1 + SAME_PLACE) if self.is_proposed else value)

    @property
    def seconds(self) -> float:
        """Seconds that are left."""
        return self.ends - time.perf_counter()

    @property
    def work(self) -> float:
        """Work that is left: without a point, the usual amount at least."""
        most = max(self.most_work, 1.0) if np.isinf(self.limit) else self.most_work
        return most - float(self.found.work[0])

    def run(self, asks: bool) -> None:
        """Search until nothing nearer is left, or time is over.

        Parameters
        ----------
        asks : bool
            Whether an ellipsoid cannot be searched without what is asked in it.
        """
        if self.goal.has_density:
            self._bound_without_density()
        while (j := self._next()) is not None:
            is_late = self.work <= 0 or self.seconds <= (-GRACE if np.isinf(self.limit) else 0.0)
            if is_late or (asks and self.inside[j] is None):
                self.found.timed_out[0] = True
                break
            self._search(j)
        bounds = [self._bound(j) for j in self.bounds]
        proven = min(bounds, default=np.inf)
        # searches for something nearer than the limit prove no more than that
        self.found.close(min(proven, float(self.found.value[0])) if proven <= self.limit else proven)

    def _bound(self, j: int) -> float:
        return max(self.bounds[j], self.floor)

    def _next(self) -> int | None:
        """Return the open ellipsoid of the lowest bound, of equal ones that with the fewest slices; None if done."""
        near = [(self._bound(j), self.n_slices[j], j) for j in self.open if self._may_be_nearer(self._bound(j))]
        return min(near)[2] if near else None

    def _may_be_nearer(self, bound: float) -> bool:
        return bound < min(self.cutoff, float(self.found.value[0])) * (1 - MODEL_FREE_TOLERANCE)

    def _search(self, j: int) -> None:
        """Search an ellipsoid for a slice: until another one may have something nearer."""
        answer = self._at_once() if self.inside[j] is None else self._slice(j)
        self._count(answer)
        self.n_slices[j] += 1
        self.bounds[j] = max(self.bounds[j], answer.lower_bound)
        if not answer.is_paused:
            self.open.discard(j)
            self.searches.pop(j, None)
            self.found.timed_out[0] |= answer.stopped
        self._take(answer, j)

    def _slice(self, j: int) -> BoxAnswer:
        if j not in self.searches:
            self.searches[j] = self._opened(self.inside[j])
        until = min((self._bound(other) for other in self.open if other != j), default=np.inf)
        return self.searches[j].go_on(
            self.limit, self.seconds, BOXES_A_SLICE, max(until, np.nextafter(self._bound(j), np.inf)), self.work
        )

    def _at_once(self) -> BoxAnswer:
        """Search everything, where nothing else is asked."""
        return self.goal.cover.search_box(self.box, cutoff=self.limit, seconds=self.seconds, work=self.work)

    def _count(self, answer: BoxAnswer) -> None:
        self.found.n_projections[0] += answer.n_boxes
        self.found.work[0] += answer.work

    def _take(self, answer: BoxAnswer, j: int) -> None:
        """Keep an answer if it is the best one."""
        if answer.point is not None:
            row = np.zeros(1, dtype=np.int64)
            is_nearer = self.found.offer(row, np.array([answer.value]), answer.point[None], 0, j)
            self.is_proposed &= not is_nearer[0]

    def _opened(self, inside: Inside | None) -> OpenSearch:
        has_start = inside is not None and np.isfinite(self.found.value[0])
        return self.goal.cover.open_box(
            self.box, inside=inside, start=self.found.points[0].copy() if has_start else None
        )

    def _bound_without_density(self) -> None:
        """Search the nearest point that the model accepts, dense or not: nothing in any ellipsoid is nearer.

        It is of no use where it is nearer than all ellipsoids, and then it ends as soon as such a point is found.
        """
        nearest = min(self.bounds.values(), default=np.inf)
        if np.isinf(self.limit) or not self._may_be_nearer(nearest):
            return
        ends = time.perf_counter() + SHARE_WITHOUT_DENSITY * self.seconds
        search, n_boxes, size = self._opened(None), 0, 1
        work = SHARE_WITHOUT_DENSITY * self.work + float(self.found.work[0])  # in all
        while time.perf_counter() < ends and n_boxes < BOXES_WITHOUT_DENSITY and self.found.work[0] < work:
            left = work - float(self.found.work[0])
            answer = search.go_on(self.limit, ends - time.perf_counter(), size, np.inf, left)
            n_boxes, size = n_boxes + size, BOXES_A_SLICE
            self._count(answer)
            self.floor = max(self.floor, answer.lower_bound)
            if not answer.is_paused or answer.value <= nearest:
                return
