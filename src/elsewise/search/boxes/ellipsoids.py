"""The ellipsoids of one row, best first: always the one in which something nearer may be left, slice by slice.

Nothing in an ellipsoid is nearer than its own nearest point without the model, than what its search has proven so far,
or than the nearest point that the model accepts anywhere, dense or not. The last bound holds for all ellipsoids at once
and is searched first.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ...arrays import FloatArray
from ..best_first import ONLY, RelaxedNode, SearchTree
from ..constants import GRACE, SAME_PLACE
from ..ledger import Ledger
from ..problem import Goal
from .inside import BoxAnswer, BoxRequest, Inside, OpenSearch

# Boxes after which the search of an ellipsoid lets others have a turn that may have something as near.
BOXES_A_SLICE = 50
# Boxes, and share of what is left of a row's time, for the nearest point that the model accepts, dense or not.
BOXES_WITHOUT_DENSITY, SHARE_WITHOUT_DENSITY = 1_000, 0.4
# Of large covers, a search goes this much farther than its bound, and again when nothing is nearer: a forest of 500
# unbounded trees has 50,000 leaves within a distance of 3, which take a second, and within 2 a tenth of that. It begins
# with this share of the distance of the answer at hand at least.
DEEPER, LEAST_DEPTH = 1.3, 0.3


class EllipsoidTree(SearchTree[int]):
    """The ellipsoids of one row, as nodes: relaxed by a slice of their search, and opened again until that is done.

    Parameters
    ----------
    goal : Goal
    box : BoxRequest
    inside : sequence of Inside or None
        What is asked in each ellipsoid; None where there was no time to make it, or nothing is asked.
    order : sequence of (float, int)
        How near each ellipsoid may be, and its place in ``inside``.
    asks : bool
        Whether an ellipsoid cannot be searched without what is asked in it.
    ends : float
        By ``time.perf_counter()``.
    work : float
        What is left of the row's counted work; see :class:`~elsewise.search.request.SearchRequest`.
    """

    def __init__(
        self,
        goal: Goal,
        box: BoxRequest,
        inside: Sequence[Inside | None],
        order: Sequence[tuple[float, int]],
        asks: bool,
        ends: float,
        work: float = np.inf,
    ) -> None:
        self.goal, self.box, self.inside, self.asks, self.ends, self.most_work = goal, box, inside, asks, ends, work
        self.bounds = {j: bound for bound, j in order}
        self.n_slices = dict.fromkeys(self.bounds, 0)
        self.open = set(self.bounds)
        self.searches: dict[int, OpenSearch] = {}
        self.depths: dict[int, float] = {}  # of open searches
        self.is_proposed = False

    def propose(self, ledger: Ledger) -> None:
        """Search the nearest point that the model accepts, dense or not: nothing in any ellipsoid is nearer."""
        # a proposed point is as near as lines made it: a search of its surroundings finds the nearest one there
        self.is_proposed = bool(np.isfinite(ledger.value[0]))
        if self.goal.has_density:
            self._bound_without_density(ledger)

    def roots(self) -> Iterator[tuple[float, int]]:
        """Open all ellipsoids."""
        return ((bound, j) for j, bound in self.bounds.items())

    def rank(self, node: int) -> int:
        """Of equal bounds, the one with the fewest slices comes first."""
        return self.n_slices[node]

    def gives_up(self, ledger: Ledger) -> bool:
        """Whether the row's time or work is over."""
        return self._work(ledger) <= 0 or self.seconds <= (-GRACE if np.isinf(self._limit(ledger)) else 0.0)

    def relax(self, node: int, ledger: Ledger) -> RelaxedNode:
        """Search an ellipsoid for a slice: until another one may have something nearer."""
        self.n_slices[node] += 1
        if self.asks and self.inside[node] is None:
            ledger.timed_out[0] = True
            self.open.discard(node)
            return RelaxedNode(self.bounds[node])
        answer = self._whole(ledger) if self.inside[node] is None else self._slice(node, ledger)
        _count(ledger, answer)
        self.bounds[node] = max(self.bounds[node], answer.lower_bound)
        if answer.point is not None:
            is_nearer = ledger.offer(ONLY, np.array([answer.value]), answer.point[None], 0, node)
            self.is_proposed &= not is_nearer[0]
        if not answer.is_paused:
            if answer.stopped or self.depths.pop(node, np.inf) >= self._limit(ledger):
                self.open.discard(node)
            self.searches.pop(node, None)
            ledger.timed_out[0] |= answer.stopped
        return RelaxedNode(self.bounds[node])

    def branch(self, node: int, point: FloatArray | None) -> Iterable[int] | None:
        """Go on later, if there is anything left to search."""
        return (node,) if node in self.open else None

    @property
    def seconds(self) -> float:
        """Seconds that are left."""
        return self.ends - time.perf_counter()

    def _limit(self, ledger: Ledger) -> float:
        """Return the distance that something has to be nearer than."""
        cutoff = float(ledger.cutoff[0])
        return cutoff * (1 + SAME_PLACE) if self.is_proposed else cutoff

    def _work(self, ledger: Ledger) -> float:
        """Return the work that is left: without a point, the usual amount at least."""
        most = max(self.most_work, 1.0) if np.isinf(self._limit(ledger)) else self.most_work
        return most - float(ledger.work[0])

    def _slice(self, j: int, ledger: Ledger) -> BoxAnswer:
        if j not in self.searches:
            self.searches[j] = self._opened(self.inside[j], ledger)
            self.depths[j] = self._depth(self.bounds[j], ledger)
        until = min((self.bounds[other] for other in self.open if other != j), default=np.inf)
        return self.searches[j].go_on(
            min(self.depths[j], self._limit(ledger)),
            self.seconds,
            BOXES_A_SLICE,
            max(until, np.nextafter(self.bounds[j], np.inf)),
            self._work(ledger),
        )

    def _depth(self, bound: float, ledger: Ledger) -> float:
        """Return how far a search goes at first of which this bound is known; infinite for as far as the limit."""
        limit = self._limit(ledger)
        depth = max(bound * DEEPER, limit * LEAST_DEPTH)
        return depth if self.goal.cover.is_large and depth < limit / DEEPER else np.inf

    def _whole(self, ledger: Ledger) -> BoxAnswer:
        """Search everything, where nothing else is asked."""
        cover, limit = self.goal.cover, self._limit(ledger)
        return cover.search_box(self.box, cutoff=limit, seconds=self.seconds, work=self._work(ledger))

    def _opened(self, inside: Inside | None, ledger: Ledger) -> OpenSearch:
        has_start = inside is not None and np.isfinite(ledger.value[0])
        start = ledger.points[0].copy() if has_start else None
        return self.goal.cover.open_box(self.box, inside=inside, start=start)

    def _bound_without_density(self, ledger: Ledger) -> None:
        """Raise the bounds of all ellipsoids to that of the nearest accepted point, dense or not.

        It is of no use where it is nearer than all ellipsoids, and then it ends as soon as such a point is found.
        """
        nearest, limit = min(self.bounds.values(), default=np.inf), self._limit(ledger)
        if np.isinf(limit) or not ledger.is_worth(ONLY, np.array([nearest]))[0]:
            return
        ends = time.perf_counter() + SHARE_WITHOUT_DENSITY * self.seconds
        work = SHARE_WITHOUT_DENSITY * self._work(ledger) + float(ledger.work[0])  # in all
        n_boxes, depth, floor, is_done = 0, 0.0, 0.0, self.seconds <= 0 or ledger.work[0] >= work
        while not is_done and depth < limit:
            search, size, is_paused = self._opened(None, ledger), 1, True
            depth = self._depth(max(floor, nearest), ledger)
            while is_paused and not is_done:
                left = work - float(ledger.work[0])
                answer = search.go_on(min(depth, limit), ends - time.perf_counter(), size, np.inf, left)
                n_boxes, size, is_paused = n_boxes + size, BOXES_A_SLICE, answer.is_paused
                _count(ledger, answer)
                floor = max(floor, answer.lower_bound)
                is_done = answer.stopped or answer.value <= nearest or n_boxes >= BOXES_WITHOUT_DENSITY
                is_done |= time.perf_counter() >= ends or ledger.work[0] >= work
            is_done |= bool(np.isfinite(answer.value))  # the nearest one
        self.bounds = {j: max(bound, floor) for j, bound in self.bounds.items()}


def _count(ledger: Ledger, answer: BoxAnswer) -> None:
    ledger.n_projections[0] += answer.n_boxes
    ledger.work[0] += answer.work
