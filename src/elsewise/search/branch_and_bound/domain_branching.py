"""Searches of one row that branch on its domain: clauses, sets of columns that stay, at most so many changes.

Each asks for one of several alternatives, and few of them matter to a row. A node is the domain with some alternatives
decided. Its relaxation is a whole search of that domain, in which all other alternatives are ignored: what it proves is
true of the node, and where its point happens to meet them all, the point is the answer in the node.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...arrays import FloatArray
from ..best_first import ONLY, Node, RelaxedNode, SearchTree, search_best_first
from ..domains.domain import Domain
from ..ledger import Ledger
from ..request import SearchRequest

# Choices of the columns that may change that are searched one after the other, each in some milliseconds.
MOST_CHOICES = 64

Columns = frozenset[int]
"""Numbers of columns, or of those that count as one, that keep the row's values."""


class _Searches(SearchTree[Node]):
    """Nodes whose relaxations are searches of their own."""

    def __init__(self, search: Callable[[Node, Ledger], Ledger]) -> None:
        self.search = search

    def relax(self, node: Node, ledger: Ledger) -> RelaxedNode:
        """Search a node, and offer its point if nothing is left to branch on."""
        found = self.search(node, ledger)
        ledger.count(found)
        return self.relaxed(node, found, ledger)

    def relaxed(self, node: Node, found: Ledger, ledger: Ledger) -> RelaxedNode:
        """Turn what was found in a node into its relaxation."""
        point = found.points[0] if found.has_point[0] else None
        if point is not None and self.branch(node, point) is None:
            ledger.offer(ONLY, found.value, found.points, found.part, found.ellipsoid)
        return RelaxedNode(float(found.lower_bound[0]), point)


# ---- clauses ----


def search_clauses(request: SearchRequest, first: Ledger, search: Callable[[Domain, Ledger], Ledger]) -> Ledger:
    """Search one row whose nearest point breaks clauses about several columns.

    Parameters
    ----------
    request : SearchRequest
        Of one row, whose domain has clauses.
    first : Ledger
        What was found without them.
    search : function of a domain and a ledger
        Searches the domain without its clauses about several columns, below the cutoff of the ledger and within the
        seconds that it has left.
    """
    ledger = Ledger(request.rows, request.cutoff, request.seconds)
    return search_best_first(_ByClauses(request.domain, request.rows, first, search), ledger)


class _ByClauses(_Searches[Domain]):
    def __init__(
        self, domain: Domain, row: FloatArray, first: Ledger, search: Callable[[Domain, Ledger], Ledger]
    ) -> None:
        super().__init__(search)
        self.domain, self.row, self.first = domain, row, first

    def roots(self) -> Iterator[tuple[float, Domain]]:
        """Branch the domain at the point that was found without clauses."""
        for child in self.branch(self.domain, self.first.points[0]) or ():
            yield float(self.first.lower_bound[0]), child

    def branch(self, node: Domain, point: FloatArray | None) -> Iterator[Domain] | None:
        """Narrow a domain to each literal of a broken clause that is left: of the clause with the fewest."""
        clauses = node.clauses
        assert clauses is not None
        if point is None or self.domain.keeps_clauses(ONLY, point[None])[0]:
            return None
        broken = clauses.broken(ONLY, point[None])
        literals = clauses.alternatives(ONLY, node.lower, node.upper, broken, node.layout)
        return self._narrowed(node, np.flatnonzero(literals[0]).tolist())

    def _narrowed(self, node: Domain, literals: Sequence[int]) -> Iterator[Domain]:
        clauses = node.clauses
        assert clauses is not None
        for literal in literals:
            lower, upper = node.lower.copy(), node.upper.copy()
            holds = clauses.literal(literal).narrow(ONLY, lower, upper, node.layout, node.integer, self.row)[0]
            if holds and node.narrow(ONLY, lower, upper, self.row)[0] and (lower <= upper).all():
                yield replace(node, lower=lower, upper=upper)


# ---- earlier sets of columns ----


def search_column_sets(
    row: FloatArray,
    sets: Sequence[Columns],
    cutoff: float,
    search: Callable[[Columns, float], Ledger],
    solved: dict[Columns, Ledger],
    repeated: Callable[[FloatArray], Columns | None],
) -> Ledger:
    """Search the nearest point that changes none of the sets as a whole: of every set one column stays.

    Parameters
    ----------
    row : array of shape (n_features,)
    sets : sequence of sets of columns
    cutoff : float
        Only points nearer than this are wanted.
    search : function of the columns that stay and a cutoff
        Finds the nearest point in which they do.
    solved : dict of columns that stay
        What was found so far; added to. For the next answer of a row, few searches are new.
    repeated : function of a point
        Finds a set that it changes.
    """
    return search_best_first(_ByColumnSets(sets, search, solved, repeated), Ledger(row[None], np.array([cutoff])))


class _ByColumnSets(_Searches[Columns]):
    def __init__(
        self,
        sets: Sequence[Columns],
        search: Callable[[Columns, float], Ledger],
        solved: dict[Columns, Ledger],
        repeated: Callable[[FloatArray], Columns | None],
    ) -> None:
        super().__init__(lambda stay, ledger: search(stay, float(ledger.cutoff[0])))
        self.sets, self.solved, self.repeated = sets, solved, repeated
        self.seen: set[Columns] = set()

    def propose(self, ledger: Ledger) -> None:
        """Offer what was found for earlier answers."""
        for found in self.solved.values():
            if found.has_point[0] and self.repeated(found.points[0]) is None:
                ledger.offer(ONLY, found.value, found.points, found.part, found.ellipsoid)

    def roots(self) -> list[tuple[float, Columns]]:
        """Begin with nothing that need stay."""
        return [(0.0, frozenset())]

    def relax(self, node: Columns, ledger: Ledger) -> RelaxedNode:
        """Search a node if it leaves no set as a whole, and was not searched before as far as is wanted now."""
        known = self.solved.get(node)
        if known is None and self._untouched(node) is not None:
            return RelaxedNode(0.0)
        is_short = known is None or (not known.has_point[0] and known.lower_bound[0] < ledger.cutoff[0])
        if is_short and self._untouched(node) is None:
            known = self.solved[node] = self.search(node, ledger)
            ledger.count(known)
        assert known is not None
        return self.relaxed(node, known, ledger)

    def branch(self, node: Columns, point: FloatArray | None) -> Iterable[Columns] | None:
        """Branch on the column of a set that stays: of one that the point changes, or that the node leaves as it is."""
        chosen = self._untouched(node) if point is None else self.repeated(point)
        if chosen is None:
            return None
        return self._with_one_more(node, chosen)

    def _with_one_more(self, node: Columns, chosen: Columns) -> Iterator[Columns]:
        for column in sorted(chosen):
            child = node | {column}
            if child not in self.seen:
                self.seen.add(child)
                yield child

    def _untouched(self, node: Columns) -> Columns | None:
        """Return a set of which no column stays."""
        return next((columns for columns in self.sets if not columns & node), None)


# ---- at most so many changes ----


def columns_that_stay(domain: Domain, row: FloatArray) -> list[Columns] | None:
    """List what stays in each choice of as many columns as may change; None if there are too many choices, or no rule.

    Parameters
    ----------
    domain : Domain
        Of one row.
    row : array of shape (n_features,)

    Returns
    -------
    list of sets of columns, or None
        Empty where more columns have to change than may: the domain is empty.
    """
    most, unit = domain.max_changes, domain.layout.unit_of_feature
    if most is None:
        return None
    must = set(unit[(row < domain.lower[0]) | (row > domain.upper[0])].tolist())
    may = sorted(set(unit[(domain.lower[0] < row) | (domain.upper[0] > row)].tolist()) - must)
    n_more = min(most - len(must), len(may))
    if n_more < 0:
        return []
    if math.comb(len(may), n_more) > MOST_CHOICES:
        return None
    every = set(unit.tolist()) - must
    return [frozenset(every - set(chosen)) for chosen in itertools.combinations(may, n_more)]


def search_choices(
    row: FloatArray, choices: Sequence[Columns], cutoff: float, search: Callable[[Columns, float], Ledger]
) -> Ledger:
    """Search the nearest point of all choices.

    Parameters
    ----------
    row : array of shape (n_features,)
    choices : sequence of sets of columns
        What stays. With one or two changes there are few choices, and where all but a few columns stay a search is
        short; a search of everything would look into many boxes in which too much changes.
    cutoff : float
        Only points nearer than this are wanted.
    search : function of the columns that stay and a cutoff
    """
    return search_best_first(_ByChoices(choices, search), Ledger(row[None], np.array([cutoff])))


class _ByChoices(_Searches[Columns]):
    def __init__(self, choices: Sequence[Columns], search: Callable[[Columns, float], Ledger]) -> None:
        super().__init__(lambda stay, ledger: search(stay, float(ledger.cutoff[0])))
        self.choices = choices

    def roots(self) -> list[tuple[float, Columns]]:
        """Open all choices."""
        return [(0.0, choice) for choice in self.choices]

    def branch(self, node: Columns, point: FloatArray | None) -> None:
        """Leave a choice as it is: its search is exact."""
