"""Best-first search over cells and boxes: whole numbers, categories, rules, answers that differ, regions that divide.

Regions with a search of their own have it; of the rest, the kernel takes what it carries (:mod:`.whole_search`), and
:mod:`.node_search` everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from .black_box import BlackBoxCover, search_black_boxes
from .box_search import BoxSearch
from .constants import TIME_WITHOUT_JUMPS
from .domain import Domain
from .earlier_answers import EarlierAnswer, History
from .found import Found
from .gaps import without_jumps
from .node_search import TreeSearch
from .problem import SearchProblem
from .time_limits import TimeLimit, seconds_of
from .whole_search import is_for_kernel, search_whole


def search_tree(
    problem: SearchProblem,
    rows: FloatArray,
    goals: IntArray,
    domain: Domain,
    *,
    cutoff: FloatArray | None = None,
    margin: float = 1e-9,
    banned: BoolArray | None = None,
    refused: Sequence[Sequence[FloatArray]] | None = None,
    earlier: Sequence[Sequence[EarlierAnswer]] | None = None,
    solved: Sequence[dict[Any, Any]] | None = None,
    use_region: bool = True,
    time_limit: TimeLimit = None,
    is_eager: bool = False,
    any_point: bool = False,
) -> Found:
    """Search the nearest point of its goal within its domain for every row.

    Parameters
    ----------
    problem : SearchProblem
    rows : array of shape (n_samples, n_features)
    goals : int array of shape (n_samples,)
    domain : Domain
        Of the same rows.
    cutoff : array of shape (n_samples,), optional
        Only points nearer than this are wanted.
    margin : float
        Relative distance to keep from the boundary of cells.
    banned : bool array of shape (n_samples, most parts of a goal), optional
        Parts not to look into.
    refused : sequence of sequences of points, optional
        Points of each row that are known not to be answers.
    earlier : sequence of sequences of EarlierAnswer, optional
        Earlier answers of each row.
    solved : sequence of dicts, optional
        What was found for each row while its earlier answers were searched; added to.
    use_region : bool
        False leaves the model out.
    time_limit : float or array of shape (n_samples,), optional
        Seconds a row may take.
    is_eager : bool
        Send many nodes at once: for searches that end with the first point, or look into everything.
    any_point : bool
        The first point of a row ends its search.
    """
    history = History(problem, rows, domain.layout, refused, earlier, solved)
    if use_region and all(goal.cover.searches_boxes for goal in problem.goals):
        return _search_boxes(problem, rows, goals, domain, history, margin, time_limit, cutoff, banned)
    if use_region and all(isinstance(goal.cover, BlackBoxCover) for goal in problem.goals):
        free = _search_nodes(problem, rows, goals, domain, None, margin, None, history, False, time_limit)
        return search_black_boxes(
            problem, rows, goals, domain, history, free, cutoff=cutoff, banned=banned, time_limit=time_limit
        )
    return _search_nodes(
        problem, rows, goals, domain, cutoff, margin, banned, history, use_region, time_limit, is_eager, any_point
    )


def _search_nodes(
    problem: SearchProblem,
    rows: FloatArray,
    goals: IntArray,
    domain: Domain,
    cutoff: FloatArray | None,
    margin: float,
    banned: BoolArray | None,
    history: History,
    use_region: bool,
    time_limit: TimeLimit,
    is_eager: bool = False,
    any_point: bool = False,
) -> Found:
    """Search nodes by projection: in the kernel what it carries, the rest here; one mask decides."""

    def generally(search: TreeSearch, seconds: TimeLimit) -> Found:
        search.is_eager, search.any_point = is_eager, any_point
        return search.run(seconds)

    fresh = history.is_fresh() & is_for_kernel(problem, domain, use_region)
    if not fresh.any():
        search = TreeSearch(problem, rows, goals, domain, cutoff, margin, banned, history, use_region)
        return generally(search, time_limit)
    found, seconds = Found.nothing(rows), seconds_of(time_limit, len(rows))
    for in_kernel in (True, False):
        chosen = fresh == in_kernel
        some = np.flatnonzero(chosen)
        if len(some) == 0:
            continue
        of_rows = (problem, rows[some], goals[some], domain.of_rows(some))
        limits = None if cutoff is None else cutoff[some], None if banned is None else banned[some]
        if in_kernel:
            part = search_whole(
                *of_rows, cutoff=limits[0], margin=margin, banned=limits[1], use_region=use_region,
                time_limit=seconds[some], any_point=any_point,
            )  # fmt: skip
        else:
            search = TreeSearch(*of_rows, limits[0], margin, limits[1], history.of_rows(some), use_region)
            part = generally(search, seconds[some])
        found.put(chosen, part)
    return found


def _search_boxes(
    problem: SearchProblem,
    rows: FloatArray,
    goals: IntArray,
    domain: Domain,
    history: History,
    margin: float,
    time_limit: TimeLimit,
    cutoff: FloatArray | None,
    banned: BoolArray | None,
) -> Found:
    """Search boxes without clauses, which few answers meet and which take time; those that break one once more."""
    seconds = seconds_of(time_limit, len(rows))
    free = without_jumps(domain, rows) if np.isfinite(seconds).all() else None
    if free is not None:
        return _search_boxes_and_jumps(problem, rows, goals, (free, domain), history, margin, seconds, cutoff, banned)
    found = BoxSearch(problem, replace(domain, clauses=None), history, margin, time_limit, _search_anything).run(
        rows, goals, cutoff, banned
    )
    broken = np.isfinite(found.value) & ~domain.keeps_clauses(np.arange(len(rows)), found.points)
    left = seconds - found.seconds
    for k in np.flatnonzero(broken).tolist():
        own, before = domain.of_rows(slice(k, k + 1)), history.of_row(k)
        one = None if cutoff is None else cutoff[[k]], None if banned is None else banned[[k]]
        again = BoxSearch(problem, own, before, margin, float(left[k]), _search_anything)
        found.put(np.arange(len(rows)) == k, again.run(rows[[k]], goals[[k]], *one))
    return found


def _search_boxes_and_jumps(
    problem: SearchProblem,
    rows: FloatArray,
    goals: IntArray,
    domains: tuple[Domain, Domain],
    history: History,
    margin: float,
    seconds: FloatArray,
    cutoff: FloatArray | None,
    banned: BoolArray | None,
) -> Found:
    """Search boxes where numbers have gaps and time is limited: half of it within them, the rest everywhere.

    Jumps over gaps are many alternatives, and far: without them there is an answer early, and nothing farther matters.

    Parameters
    ----------
    domains : pair of Domains
        Without jumps, and everything.
    """
    free, domain = domains
    first = BoxSearch(problem, free, history, margin, TIME_WITHOUT_JUMPS * seconds, _search_anything)
    found = first.run(rows, goals, cutoff, banned)
    found.value[~domain.keeps_clauses(np.arange(len(rows)), found.points)] = np.inf
    for k in range(len(rows)):
        limit = min(np.inf if cutoff is None else float(cutoff[k]), float(found.value[k]))
        own, left = domain.of_rows(slice(k, k + 1)), float(seconds[k] - found.seconds[k])
        again = BoxSearch(problem, own, history.of_row(k), margin, left, _search_anything)
        wide = again.run(rows[[k]], goals[[k]], np.array([limit]), None if banned is None else banned[[k]])
        if np.isfinite(wide.value[0]) or not np.isfinite(found.value[k]):
            found.put(np.arange(len(rows)) == k, wide)
            continue
        # nothing is nearer than the answer without jumps: what is proven is proven of everything
        found.lower_bound[k] = min(float(wide.lower_bound[0]), float(found.value[k]))
        found.timed_out[k] = wide.timed_out[0]
        found.model_free[k] = False
        found.n_projections[k] += wide.n_projections[0]
        found.seconds[k] += wide.seconds[0]
    return found


def _search_anything(
    problem: SearchProblem,
    row: FloatArray,
    goal: int,
    domain: Domain,
    cutoff: float,
    margin: float,
    history: History,
    seconds: float,
) -> Found:
    """Search the nearest point of a row's domain, the model left out."""
    goals = np.array([goal])
    return _search_nodes(problem, row[None], goals, domain, np.array([cutoff]), margin, None, history, False, seconds)
