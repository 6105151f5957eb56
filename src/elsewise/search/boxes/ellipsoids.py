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
        if not answer.is_paused:
            self.open.discard(node)
            self.searches.pop(node, None)
            ledger.timed_out[0] |= answer.stopped
        if answer.point is not None:
            is_nearer = ledger.offer(ONLY, np.array([answer.value]), answer.point[None], 0, node)
            self.is_proposed &= not is_nearer[0]
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
        until = min((self.bounds[other] for other in self.open if other != j), default=np.inf)
        return self.searches[j].go_on(
            self._limit(ledger),
            self.seconds,
            BOXES_A_SLICE,
            max(until, np.nextafter(self.bounds[j], np.inf)),
            self._work(ledger),
        )

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
        search, n_boxes, size, floor = self._opened(None, ledger), 0, 1, 0.0
        work = SHARE_WITHOUT_DENSITY * self._work(ledger) + float(ledger.work[0])  # in all
        while time.perf_counter() < ends and n_boxes < BOXES_WITHOUT_DENSITY and ledger.work[0] < work:
            left = work - float(ledger.work[0])
            answer = search.go_on(limit, ends - time.perf_counter(), size, np.inf, left)
            n_boxes, size = n_boxes + size, BOXES_A_SLICE
            _count(ledger, answer)
            floor = max(floor, answer.lower_bound)
            if not answer.is_paused or answer.value <= nearest:
                break
        self.bounds = {j: max(bound, floor) for j, bound in self.bounds.items()}


def _count(ledger: Ledger, answer: BoxAnswer) -> None:
    ledger.n_projections[0] += answer.n_boxes
    ledger.work[0] += answer.work
