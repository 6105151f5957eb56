"""Searches of boxes that keep clauses: a box whose nearest point breaks one is divided, a box for each way to keep it.

Few clauses matter to a row, and covers know part of what they say. A search with that alone is a relaxation: what it
proves is true of all, and a point that keeps them all is the answer. What follows from a clause that is kept is known
at once (if one column leaves its code, all do), so that few boxes are searched.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..arrays import FloatArray
from .box_search import BoxSearch
from .constants import TOLERANCE
from .domain import Domain
from .found import Found
from .inside_boxes import SearchAnything
from .request import SearchRequest
from .time_limits import is_late

# The only row of a request.
_ONLY = np.zeros(1, dtype=np.int64)


def keep_clauses(request: SearchRequest, first: Found, search_anything: SearchAnything) -> Found:
    """Search one row whose nearest point breaks clauses about several columns.

    Parameters
    ----------
    request : SearchRequest
        Of one row, whose domain has clauses.
    first : Found
        What was found without them.
    search_anything : function
        Searches boxes without the model.
    """
    domain, limit = request.domain, float(request.cutoff[0])
    best, settled, spent, n_projections, timed_out = Found.nothing(request.rows), np.inf, 0.0, 0, False
    boxes = _Boxes(request.rows)
    boxes.divide(domain, first)
    while boxes.cheapest < limit * (1 - TOLERANCE):
        seconds = request.seconds - spent
        if is_late(seconds, np.isfinite(np.array([limit])))[0]:
            timed_out = True
            break
        bound, box = boxes.pop()
        found = BoxSearch(
            replace(
                request,
                domain=box,
                history=request.history.of_row(0),
                cutoff=np.array([limit]),
                seconds=seconds,
            ),
            search_anything,
            in_cells=True,
        ).run()
        spent, n_projections = spent + float(found.seconds[0]), n_projections + int(found.n_projections[0])
        timed_out |= bool(found.timed_out[0])
        found.lower_bound[0] = max(bound, float(found.lower_bound[0]))
        has_point = bool(np.isfinite(found.value[0]))
        if has_point and not domain.keeps_clauses(_ONLY, found.points)[0]:
            boxes.divide(box, found)
            continue
        settled = min(settled, float(found.lower_bound[0]))
        if has_point:
            best, limit = found, float(found.value[0])
    best.lower_bound[0] = min(settled, boxes.cheapest, float(best.value[0]))
    best.model_free[0] = False  # it is known of a part of the cones at most
    best.seconds[0], best.n_projections[0], best.timed_out[0] = spent, n_projections, timed_out
    return best


class _Boxes:
    """Boxes of one row that are to be searched, the cheapest first."""

    def __init__(self, row: FloatArray) -> None:
        self.row, self.n_made = row, 0
        self.heap: list[tuple[float, int, Domain]] = []

    @property
    def cheapest(self) -> float:
        """Smallest bound of all of them, infinite without any."""
        return self.heap[0][0] if self.heap else np.inf

    def pop(self) -> tuple[float, Domain]:
        """Take the cheapest, with its bound."""
        bound, _, box = heapq.heappop(self.heap)
        return bound, box

    def divide(self, box: Domain, found: Found) -> None:
        """Divide a box in which a point was found that breaks a clause."""
        for way in _ways_to_keep(box, self.row, found.points[0]):
            heapq.heappush(self.heap, (float(found.lower_bound[0]), self.n_made, way))
            self.n_made += 1


def _ways_to_keep(box: Domain, row: FloatArray, point: FloatArray) -> Iterator[Domain]:
    """Give the boxes in which a clause that a point breaks is kept, one for each alternative that is left."""
    clauses = box.clauses
    assert clauses is not None
    ways = clauses.open_literals(_ONLY, box.lower, box.upper, box.layout)[0]
    broken = clauses.broken(_ONLY, point[None])[0]
    n_ways = np.add.reduceat(ways.astype(np.int64), clauses.first)
    chosen = int(np.where(broken, n_ways, len(ways) + 1).argmin())  # the fewer ways, the more is known in each
    for place in np.flatnonzero(ways & (clauses.clause_of == chosen)).tolist():
        lower, upper = box.lower.copy(), box.upper.copy()
        holds = clauses.literal(place).narrow(_ONLY, lower, upper, box.layout, box.integer, row)[0]
        if holds and box.narrow(_ONLY, lower, upper, row)[0] and (lower <= upper).all():
            yield replace(box, lower=lower, upper=upper)
