"""The next answer of a row that changes none of the earlier sets of columns, by searches in which columns stay.

Of every earlier set one column stays. Starting from "nothing need stay", a search in which an earlier set can still be
changed as a whole is divided by which column of it stays; a search of which the nearest point is new is settled. What
such searches found is kept: for the next answer only those are divided that the last one came from.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import fields

import numpy as np

from ..arrays import FloatArray
from .constants import TOLERANCE
from .found import Found


def search_column_sets(
    row: FloatArray,
    sets: Sequence[frozenset[int]],
    cutoff: float,
    search: Callable[[frozenset[int], float], Found],
    solved: dict[frozenset[int], Found],
    repeated: Callable[[FloatArray], frozenset[int] | None],
) -> Found:
    """Search the nearest point that changes none of the sets.

    Parameters
    ----------
    row : array of shape (n_features,)
    sets : sequence of sets of columns
    cutoff : float
        Only points nearer than this are wanted.
    search : function of the columns that stay and a cutoff
        Gives the nearest point in which they do, of one row.
    solved : dict of columns that stay
        What was found so far; added to.
    repeated : function of a point
        Finds a set that it changes.
    """
    best, limit, settled, n_projections, timed_out = Found.nothing(row[None]), cutoff, np.inf, 0, False
    waiting: list[tuple[float, int, frozenset[int]]] = [(0.0, 0, frozenset())]
    seen = {frozenset[int]()}
    for one in solved.values():
        if one.value[0] < limit and repeated(one.points[0]) is None:
            best, limit = one, float(one.value[0])
    while waiting and waiting[0][0] < limit * (1 - TOLERANCE):
        bound, _, stay = heapq.heappop(waiting)
        known, divided = solved.get(stay), next((columns for columns in sets if not columns & stay), None)
        if divided is None and (known is None or (np.isinf(known.value[0]) and known.lower_bound[0] < limit)):
            known = solved[stay] = search(stay, limit)
            n_projections, timed_out = n_projections + int(known.n_projections[0]), timed_out | bool(known.timed_out[0])
        if known is not None:
            bound = max(bound, float(known.lower_bound[0]))
            if np.isfinite(known.value[0]):
                divided = repeated(known.points[0])
                if divided is None and known.value[0] < limit:
                    best, limit = known, float(known.value[0])
        if divided is None:
            settled = min(settled, bound)
            continue
        for column in sorted(divided):
            child = stay | {column}
            if child not in seen:
                seen.add(child)
                heapq.heappush(waiting, (bound, len(seen), child))
    found = Found(*(getattr(best, item.name).copy() for item in fields(Found)))
    left = waiting[0][0] if waiting else np.inf
    found.lower_bound[0] = min(settled, left, float(found.value[0]))
    found.n_projections[0], found.timed_out[0], found.model_free[0] = n_projections, timed_out, False
    return found
