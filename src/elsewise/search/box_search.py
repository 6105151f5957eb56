"""Searches that a cover does itself: the nearest accepted point of a box, row by row.

A region may know a better way through boxes than projections, if boxes are all there is: no density, no rule about
several columns, no earlier answers to differ from. What it finds goes to the same books.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from .domain import Domain
from .earlier_answers import EarlierAnswer
from .found import Found
from .problem import SearchProblem


def asks_for_boxes(problem: SearchProblem, domain: Domain, earlier: Sequence[Sequence[EarlierAnswer]] | None) -> bool:
    """Whether boxes are all that is asked, and the covers of all goals search them."""
    if domain.max_changes is not None or len(domain.offsets) or any(earlier or ()):
        return False
    return all(not goal.has_density and goal.cover.searches_boxes for goal in problem.goals)


def search_boxes(
    problem: SearchProblem,
    rows: FloatArray,
    goals: IntArray,
    domain: Domain,
    cutoff: FloatArray | None,
    margin: float,
    banned: BoolArray | None,
    time_limit: float | None,
) -> Found:
    """Search the nearest point of its goal within its box for every row; parameters as for `search_tree`."""
    found = Found.nothing(rows)
    for k, (row, g) in enumerate(zip(rows, goals.tolist())):
        goal = problem.goals[g]
        if banned is not None and banned[k, : goal.n_parts].all():
            found.lower_bound[k] = np.inf
            continue
        answer = goal.cover.search_box(
            row,
            domain.lower[k],
            domain.upper[k],
            domain.integer,
            cutoff=np.inf if cutoff is None else float(cutoff[k]),
            margin=margin,
            seconds=np.inf if time_limit is None else time_limit,
        )
        found.n_projections[k], found.timed_out[k] = answer.n_boxes, answer.stopped
        found.lower_bound[k] = answer.lower_bound
        if answer.point is not None:
            found.value[k], found.points[k] = answer.value, answer.point
            found.part[k] = found.cone[k] = 0
    return found
