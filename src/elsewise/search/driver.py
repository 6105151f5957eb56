"""The loop of every search: wave by wave, cheapest nodes first, until every row is proven or out of time.

In each wave every unfinished row sends its cheapest open nodes to the kernel, all rows together. A row is done when its
next bound is no better than what it holds. What a row does depends on nothing but the row, so its answer has the same
bits alone and in any batch. Searches differ in how they keep their open nodes and in what a step does with them; the
books are kept here: incumbents, bounds of nodes that are settled, and what is proven at the end.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from .constants import TOLERANCE
from .found import Found
from .problem import SearchProblem
from .time_limits import RowClock, TimeLimit, is_late, seconds_of


class Search(ABC):
    """A search under way, all rows of a batch together.

    Parameters
    ----------
    problem : SearchProblem
    rows : array of shape (n_samples, n_features)
    goals : int array of shape (n_samples,)
    use_region : bool
    cutoff : array of shape (n_samples,), optional
        Only points nearer than this are wanted.

    Attributes
    ----------
    plain : array of shape (n_samples, n_plain)
        The rows in plain coordinates.
    limit : array of shape (n_samples,)
        Distance of each row's incumbent, or its cutoff.
    settled : array of shape (n_samples,)
        Smallest bound of the nodes that are settled; what no node covers is empty, hence infinitely far.
    found : Found
    clock : RowClock
        For steps that work on rows one after another.
    any_point : bool
        The first point of a row ends its search.
    """

    any_point = False

    def __init__(
        self,
        problem: SearchProblem,
        rows: FloatArray,
        goals: IntArray,
        use_region: bool,
        cutoff: FloatArray | None,
    ) -> None:
        self.started = time.perf_counter()
        self.problem, self.rows, self.goals, self.use_region = problem, rows, goals, use_region
        self.plain = problem.coordinates.points(rows)
        self.limit = np.full(len(rows), np.inf) if cutoff is None else cutoff.astype(np.float64)
        self.settled = np.full(len(rows), np.inf)
        self.found = Found.nothing(rows)
        self.clock = RowClock(len(rows))

    @abstractmethod
    def cheapest(self) -> FloatArray:
        """Smallest bound of each row's open nodes, infinite without any; array of shape (n_samples,)."""

    @abstractmethod
    def step(self, rows: IntArray) -> None:
        """Send the cheapest nodes of rows to the kernel and take in the answers."""

    @abstractmethod
    def is_model_free(self) -> BoolArray:
        """Whether incumbents are the nearest points that are dense enough, whatever the model; shape (n_samples,)."""

    def gives_up(self) -> BoolArray:
        """Which rows have grown too large to go on, shape (n_samples,)."""
        return np.zeros(len(self.rows), dtype=np.bool_)

    def run(self, time_limit: TimeLimit) -> Found:
        """Go on until no row is unfinished, or those that are have run out of time.

        Parameters
        ----------
        time_limit : float, array of shape (n_samples,), or None
            Seconds a row may take, from the making of the search on.
        """
        left = seconds_of(time_limit, len(self.rows))
        is_limited = bool((left < np.inf).any())
        spent, told = self.found.seconds, time.perf_counter()
        spent += (told - self.started) / max(len(self.rows), 1)
        every = np.arange(len(self.rows))
        while True:
            open_rows = self.is_worth(every, self.cheapest())
            if self.any_point:
                open_rows &= ~np.isfinite(self.found.value)
            rows = np.flatnonzero(open_rows & ~self.gives_up())
            if is_limited:
                late = is_late(left[rows] - spent[rows], np.isfinite(self.limit[rows]))
                self.found.timed_out[rows[late]] = True
                rows = rows[~late]
            if len(rows) == 0:
                return self._close()
            self.clock.start(left - spent)
            self.step(rows)
            before, told = told, time.perf_counter()
            spent[rows] += self.clock.shares(rows, told - before)

    def is_worth(self, rows: IntArray, bounds: FloatArray) -> BoolArray:
        """Whether nodes of rows with these bounds could still hold something better, shape (n,)."""
        return np.asarray(bounds < self.limit[rows] * (1 - TOLERANCE))

    def settle(self, rows: IntArray, bounds: FloatArray) -> None:
        """Close nodes: nothing in them is nearer than their bounds."""
        np.minimum.at(self.settled, rows, bounds)

    def hold(self, rows: IntArray, values: FloatArray, points: FloatArray, part: IntArray, cone: IntArray) -> None:
        """Take better incumbents; a row occurs once."""
        found = self.found
        self.limit[rows] = found.value[rows] = values
        found.points[rows], found.part[rows], found.cone[rows] = points, part, cone

    def _close(self) -> Found:
        """Close the books: the proven bound is the smallest of settled and open nodes, at most the value."""
        found = self.found
        found.timed_out[:] |= self.gives_up()
        found.lower_bound[:] = np.minimum(np.minimum(self.settled, self.cheapest()), found.value)
        found.lower_bound[is_unprovable(self.problem, self.plain, self.goals, self.use_region)] = 0.0
        found.model_free[:] = self.is_model_free()
        return found


def is_unprovable(problem: SearchProblem, plain: FloatArray, goals: IntArray, use_region: bool) -> BoolArray:
    """Rows about which nothing is proven, for their numbers overflow; that a goal has no cells stays true."""
    overflows = problem.overflows(plain)
    if not overflows.any():
        return overflows
    has_no_cells = [(goal.n_parts == 0 and use_region) or goal.n_cones == 0 for goal in problem.goals]
    return np.asarray(overflows & ~np.array(has_no_cells)[goals])


def distinct(goals: IntArray) -> list[int]:
    """Numbers of the goals that occur, ascending; cheaper than sorting."""
    return np.flatnonzero(np.bincount(goals)).tolist()
