r"""The search for the shortest path: which ellipsoids to go through, in which order, and where to turn.

A path that stays in a union of ellipsoids need not enter any of them twice, for a segment between two of its points in
one set lies in this set and is no longer. So every path goes through a sequence (:mod:`.corners`) of different
sets, each of which meets the next, and its last one holds the answer. A node is the beginning of a sequence and a
terminal set. The path through the beginning that then goes straight to the terminal set, through whatever lies
between, bounds all paths that go on from it. The cheapest node is looked at first; the search ends when none can be
cheaper than the best path that passed the last check.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import cdist
from threadpoolctl import ThreadpoolController

from ....arrays import BoolArray, FloatArray, IntArray
from ...best_first import ONLY, RelaxedNode, SearchTree, search_best_first
from ...ledger import Ledger
from .corners import SequencePath, path_length, path_lengths, shortest_path
from .sets import Ellipsoids, Ground, Terminal

# A path is optimal within this share of its length, and one that is proven to be longer than so many times the path to
# the farthest ellipsoid is none at all.
PATH_GAP, NO_PATH = 5e-7, 1e6
# Shares of radii by which corners stay inside of their sets, tried in turn until the last check agrees.
PATH_MARGINS = (1e-8, 3e-8, 1e-7, 3e-7, 1e-6, 1e-5, 1e-4)
# Sequences solved for one path before its proof is given up.
MOST_SOLVED = 100
# Coordinates that move by less than this share of a path's length are left where they are.
SMALLEST_MOVE = 1e-6
# Sets beyond which a route over their centres is tried before sequences are enumerated, and what an edge of it costs at
# least: an edge of no length is none to the algorithm.
FEW_SETS, SMALLEST_EDGE = 12, 1e-12

# Judges corners (n_corners, n) of a path through a sequence of sets: the last check.
Judge = Callable[[FloatArray, IntArray], bool]


@dataclass(frozen=True, slots=True, eq=False)
class FoundPath:
    """The best path and what is proven.

    Attributes
    ----------
    corners : array of shape (n_segments, n), or None
        Plain coordinates, without the start.
    sequence : int array of shape (n_segments,)
        The set each segment lies in.
    length : float
        Infinite without a path.
    bound : float
        No path is shorter; infinite if it is proven that there is none.
    n_solved : int
        Conic problems solved.
    timed_out : bool
        The proof was given up.
    """

    corners: FloatArray | None
    sequence: IntArray
    length: float
    bound: float
    n_solved: int
    timed_out: bool


@dataclass(frozen=True, slots=True, eq=False)
class PathProblem:
    """A path from a point to any of some terminal sets, every segment in a set.

    Attributes
    ----------
    ground : Ground
    start : array of shape (n,)
    sets : Ellipsoids
    meets : bool array of shape (m, m)
        Whether two sets may have a point in common.
    terminals : sequence of Terminal
    bounds : array of shape (n_terminals,)
        Lower bounds of the straight distances to the terminals.
    straight : array of shape (n_terminals, n)
        Near points of the terminals, NaN where none are known: a segment to one may already be a path.
    """

    ground: Ground
    start: FloatArray
    sets: Ellipsoids
    meets: BoolArray
    terminals: Sequence[Terminal]
    bounds: FloatArray
    straight: FloatArray


def search_paths(problem: PathProblem, judge: Judge, time_limit: float | None = None) -> FoundPath:
    """Find the shortest path.

    Parameters
    ----------
    problem : PathProblem
    judge : function of corners and sequence
    time_limit : float, optional
        Seconds for the proof; without a path yet the search goes on.
    """
    ledger = Ledger(problem.start[None], tolerance=PATH_GAP)
    paths = _Paths(problem, judge, time_limit)
    with _threads().limit(limits=1):  # matrices are small: threads would wait for each other
        search_best_first(paths, ledger)
    length, bound = float(ledger.value[0]), float(ledger.lower_bound[0])
    n_solved, timed_out = int(ledger.n_projections[0]), bool(ledger.timed_out[0])
    return FoundPath(paths.corners, paths.sequence, length, bound, n_solved, timed_out)


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


@dataclass(frozen=True, slots=True)
class _Beginning:
    """The sets that paths begin with, and the terminal set that they go to."""

    sequence: tuple[int, ...]
    terminal: int


class _Paths(SearchTree[_Beginning]):
    """Relaxations of paths by those through a sequence of sets; parameters as for `search_paths`."""

    def __init__(self, problem: PathProblem, judge: Judge, time_limit: float | None) -> None:
        start, sets, meets, terminals = problem.start, problem.sets, problem.meets, problem.terminals
        self.ground, self.start, self.sets, self.meets = problem.ground, start, sets, meets
        self.terminals, self.bounds, self.straight, self.judge = terminals, problem.bounds, problem.straight, judge
        self.ends_at = np.inf if time_limit is None else time.perf_counter() + time_limit
        self.holds_start = np.flatnonzero(sets.excess(start[None])[0] <= 0.0)
        self.hops = {terminal.component: _hops(meets, terminal.component) for terminal in terminals}
        self.too_long = NO_PATH * _reach(sets, start)
        self.corners: FloatArray | None = None
        self.sequence = np.empty(0, dtype=np.int64)

    def propose(self, ledger: Ledger) -> None:
        """Offer straight paths; without any, one along a route over the centres of sets."""
        for point in self.straight:
            if np.isfinite(point).all():
                length = path_length(self.ground.norm, self.start, point[None])
                if length < ledger.value[0]:
                    self._try_straight(point, ledger)
        if self.corners is None and len(self.meets) > FEW_SETS:
            self._try_route(ledger)

    def roots(self) -> Iterator[tuple[float, _Beginning]]:
        """Begin in every set that holds the start."""
        for terminal, bound in enumerate(self.bounds.tolist()):
            for j in self.holds_start.tolist():
                if np.isfinite(bound) and self._hops(terminal)[j] >= 0:
                    yield bound, _Beginning((j,), terminal)

    def rank(self, node: _Beginning) -> int:
        """Fewer sets come first."""
        return int(self._hops(node.terminal)[node.sequence[-1]]) + len(node.sequence)

    def gives_up(self, ledger: Ledger) -> bool:
        """Whether too many paths were solved, or the time is over; without a path yet the search goes on."""
        is_late = self.corners is not None and time.perf_counter() > self.ends_at
        return bool(ledger.n_projections[0] >= MOST_SOLVED) or is_late

    def relax(self, node: _Beginning, ledger: Ledger) -> RelaxedNode:
        """Solve for the corners of a node; where its sequence is complete, that is a path."""
        if len(node.sequence) == 1 and not self._is_complete(node):
            return RelaxedNode(0.0)  # the straight distance to the terminal set is its bound
        path = self._solve(node, PATH_MARGINS[0], ledger)
        if path.bound >= self.too_long:
            return RelaxedNode(np.inf)
        if self._is_complete(node):
            self._offer(node, path, ledger)
        return RelaxedNode(path.bound)

    def branch(self, node: _Beginning, point: FloatArray | None) -> Iterator[_Beginning] | None:
        """Go on to every set that meets the last one and that a path leads on from."""
        if self._is_complete(node):
            return None
        sequence, leads_on = node.sequence, self._hops(node.terminal) >= 0
        onward = np.flatnonzero(self.meets[sequence[-1]] & leads_on).tolist()
        return (_Beginning((*sequence, j), node.terminal) for j in onward if j not in sequence)

    def _hops(self, terminal: int) -> IntArray:
        return self.hops[self.terminals[terminal].component]

    def _is_complete(self, node: _Beginning) -> bool:
        return node.sequence[-1] == self.terminals[node.terminal].component

    def _offer(self, node: _Beginning, path: SequencePath, ledger: Ledger) -> None:
        """Offer the path of a complete sequence, farther and farther inside until the last check agrees."""
        for margin in PATH_MARGINS:
            if margin > PATH_MARGINS[0]:
                path = self._solve(node, margin, ledger)
            if not path.length < ledger.value[0] or self._take(path.corners, np.array(node.sequence), ledger):
                return

    def _solve(self, node: _Beginning, margin: float, ledger: Ledger) -> SequencePath:
        ledger.n_projections[0] += 1
        terminal, cutoff = self.terminals[node.terminal], float(ledger.cutoff[0])
        return shortest_path(self.ground, self.start, self.sets, np.array(node.sequence), terminal, margin, cutoff)

    def _try_route(self, ledger: Ledger) -> None:
        """Solve the path along the shortest route over centres of sets, for something to compare others with."""
        sets = self.sets
        centres = self.start + np.stack(
            [
                np.linalg.lstsq(factor, centre - factor @ self.start, rcond=None)[0]
                for factor, centre in zip(sets.factors, sets.centres)
            ]
        )
        near = cdist(centres, centres, "cityblock" if self.ground.norm == 1 else "euclidean")
        edges = np.where(self.meets, near + SMALLEST_EDGE, 0.0)
        for terminal in np.argsort(self.bounds, kind="stable").tolist():
            component = self.terminals[terminal].component
            from_end, onward = dijkstra(edges, indices=component, return_predecessors=True)
            reached = self.holds_start[np.isfinite(from_end[self.holds_start])]
            if len(reached) == 0:
                continue
            there = path_lengths(self.ground.norm, self.start, centres[reached])
            route = [int(reached[np.argmin(from_end[reached] + there)])]
            while route[-1] != component:
                route.append(int(onward[route[-1]]))
            self.relax(_Beginning(tuple(route), terminal), ledger)
            if self.corners is not None:
                return

    def _take(self, corners: FloatArray, sequence: IntArray, ledger: Ledger) -> bool:
        """Keep a path if it passes the last check: first without movements that are rounding, then as it is."""
        for each in (_without_small_moves(self.start, corners), corners):
            fewer, through = self._without_needless_corners(each, sequence)
            if self.judge(fewer, through):
                length = path_length(self.ground.norm, self.start, fewer)
                if ledger.offer(ONLY, np.array([length]), fewer[-1:])[0]:
                    self.corners, self.sequence = fewer, through
                return True
        return False

    def _without_needless_corners(self, corners: FloatArray, sequence: IntArray) -> tuple[FloatArray, IntArray]:
        """Leave out corners whose neighbours share a set: the path between them is no longer, and as dense."""
        points = np.concatenate([self.start[None], corners])
        inside = self.sets.excess(points) <= 0.0
        kept, through, place = [], [], 0
        while place < len(corners):
            farthest, via = place + 1, int(sequence[place])
            for later in range(len(corners), place + 1, -1):
                common = np.flatnonzero(inside[place] & inside[later])
                if len(common):
                    farthest, via = later, int(common[0])
                    break
            kept.append(farthest)
            through.append(via)
            place = farthest
        return points[kept], np.array(through, dtype=np.int64)

    def _try_straight(self, end: FloatArray, ledger: Ledger) -> None:
        """Walk along the segment to a point, from set to set, as far as they reach."""
        spans = _spans(self.sets, self.start, end)
        entry, leaves = spans[:, 0], spans[:, 1]
        corners: list[FloatArray] = []
        sequence: list[int] = []
        reached = 0.0
        onward = np.flatnonzero(entry <= 0.0)
        while len(onward):
            j = int(onward[np.argmax(leaves[onward])])
            if sequence:
                reached = 0.5 * (max(float(entry[j]), reached) + float(leaves[sequence[-1]]))
                corners.append(self.start + reached * (end - self.start))
            sequence.append(j)
            if leaves[j] >= 1.0:
                self._take(np.array([*corners, end]), np.array(sequence), ledger)
                return
            onward = np.flatnonzero((entry < leaves[j]) & (leaves > leaves[j]))


def _reach(sets: Ellipsoids, start: FloatArray) -> float:
    """Size of the path from a point to the far side of any set, in plain coordinates."""
    apart = sets.excess(start[None])[0] + 2.0 * sets.radii
    slopes = np.sqrt(np.diagonal(sets.grams, axis1=1, axis2=2))
    with np.errstate(divide="ignore"):
        along = np.where(slopes > 0.0, apart[:, None] / slopes, 0.0)
    return float(along.sum(axis=1).max(initial=0.0))


def _hops(meets: BoolArray, component: int) -> IntArray:
    """Fewest steps from each set to one of them over sets that meet, -1 where there is no path."""
    hops = np.full(len(meets), -1)
    hops[component], front, count = 0, np.array([component]), 0
    while len(front):
        count += 1
        front = np.flatnonzero(meets[front].any(axis=0) & (hops < 0))
        hops[front] = count
    return hops


def _without_small_moves(start: FloatArray, corners: FloatArray) -> FloatArray:
    """Leave coordinates where they are that move by next to nothing from one corner to the next."""
    points = np.concatenate([start[None], corners])
    smallest = SMALLEST_MOVE * float(np.abs(np.diff(points, axis=0)).sum())
    for k in range(1, len(points)):
        still = np.abs(points[k] - points[k - 1]) <= smallest
        points[k, still] = points[k - 1, still]
    return points[1:]


def _spans(sets: Ellipsoids, start: FloatArray, end: FloatArray) -> FloatArray:
    """Parameters in [0, 1] between which the segment lies in each set, shape (m, 2); nothing where it is outside."""
    image = np.einsum("jqn,n->jq", sets.factors, start) - sets.centres
    move = np.einsum("jqn,n->jq", sets.factors, end - start)
    a, b = np.square(move).sum(axis=1), (image * move).sum(axis=1)
    c = np.square(image).sum(axis=1) - sets.radii**2
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(np.maximum(b * b - a * c, 0.0))
        low, high = (-b - root) / a, (-b + root) / a
    still = a <= 0.0
    low = np.where(still, np.where(c <= 0.0, 0.0, np.inf), low)
    high = np.where(still, np.where(c <= 0.0, 1.0, -np.inf), high)
    outside = (b * b < a * c) & ~still
    spans = np.column_stack([np.where(outside, np.inf, low), np.where(outside, -np.inf, high)])
    # both ends as they are: roots are rounded
    at_ends = sets.excess(np.stack([start, end])) <= 0.0
    spans[:, 0] = np.where(at_ends[0], np.minimum(spans[:, 0], 0.0), spans[:, 0])
    spans[:, 1] = np.where(at_ends[1], np.maximum(spans[:, 1], 1.0), spans[:, 1])
    return spans
