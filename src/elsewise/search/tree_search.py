"""Best-first search over cells and boxes: whole numbers, categories, rules, answers that differ, regions that divide.

Regions with a search of their own have it; of the rest, the kernel takes what it carries (:mod:`.whole_search`), and
:mod:`.node_search` everything else.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from .boxes.box_search import BoxSearch
from .branch_and_bound.domain_branching import search_clauses
from .branch_and_bound.node_search import TreeSearch
from .branch_and_bound.whole_search import is_for_kernel, search_whole
from .domains.domain import Domain
from .domains.special_codes import split
from .ledger import Ledger
from .relaxations.black_box import BlackBoxCover, search_black_boxes
from .request import SearchRequest


def search_tree(request: SearchRequest) -> Ledger:
    """Search the nearest point of its goal within its domain for every row."""
    goals = request.problem.goals if request.use_region else ()
    if goals and all(goal.cover.searches_boxes for goal in goals):
        return _search_boxes(request)
    if goals and all(isinstance(goal.cover, BlackBoxCover) for goal in goals):
        return search_black_boxes(request, _search_nodes(request.without_model()))
    return _search_nodes(request)


def _search_nodes(request: SearchRequest) -> Ledger:
    """Search nodes by projection: in the kernel what it carries, the rest here; one mask decides."""
    in_kernel = request.history.is_fresh() & is_for_kernel(request)
    if in_kernel.all() and len(in_kernel):
        return _search_in_kernel(request)
    if not in_kernel.any():
        return TreeSearch(request).run()
    ledger = Ledger(request.rows)
    ledger.adopt(in_kernel, _search_in_kernel(request.of_rows(np.flatnonzero(in_kernel))))
    ledger.adopt(~in_kernel, TreeSearch(request.of_rows(np.flatnonzero(~in_kernel))).run())
    return ledger


def _search_in_kernel(request: SearchRequest) -> Ledger:
    """Search rows in the kernel, equal ones once: tables have rows that say nothing but "no record"."""
    first, kind = request.distinct()
    if len(first) == len(kind):
        return search_whole(request)
    return search_whole(request.of_rows(first)).of_rows(kind)


def _search_boxes(request: SearchRequest) -> Ledger:
    """Search boxes.

    Without a density, clauses of several columns are left out at first, for few answers meet them; rows whose answers
    break one are searched once more.
    """
    domain, n = request.domain, len(request.rows)
    numbers, others = split(domain.clauses, domain.layout)
    if others is None or any(goal.has_density for goal in request.problem.goals):
        return BoxSearch(request, _search_nodes).run()
    found = BoxSearch(replace(request, domain=replace(domain, clauses=numbers)), _search_nodes).run()
    broken = np.isfinite(found.value) & ~domain.keeps_clauses(np.arange(n), found.points)
    left = request.seconds - found.seconds
    for k in np.flatnonzero(broken).tolist():
        # what was found for the row otherwise does not count
        again = replace(request.of_rows(np.array([k])), history=request.history.of_row(k), seconds=left[[k]])
        found.adopt([k], search_clauses(again, found.of_rows(np.array([k])), partial(_search_boxes_of, again)))
    return found


def _search_boxes_of(request: SearchRequest, domain: Domain, ledger: Ledger) -> Ledger:
    """Search the boxes of a domain of one row, with clauses that covers know in part, below the ledger's cutoff."""
    left = replace(
        request,
        domain=domain,
        history=request.history.of_row(0),
        cutoff=ledger.cutoff.copy(),
        seconds=request.seconds - ledger.seconds,
    )
    return BoxSearch(left, _search_nodes, in_cells=True).run()
