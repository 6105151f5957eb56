"""The loop of batched searches: wave by wave, cheapest nodes first, until every row is proven or out of time.

In each wave every unfinished row sends its cheapest open nodes to the kernel, all rows together. A row is done when its
next bound is no better than its incumbent. What a row does depends on nothing but the row, so its answer has the same
bits alone and in any batch. Searches differ in how they store open nodes and in what a step does with them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from .ledger import Ledger, TimeLimit
from .problem import SearchProblem


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
    time_limit : float, array of shape (n_samples,), or None
        Seconds a row may take, from the making of the search on.

    Attributes
    ----------
    plain : array of shape (n_samples, n_plain)
        The rows in plain coordinates.
    ledger : Ledger
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
        time_limit: TimeLimit,
    ) -> None:
        self.ledger = Ledger(rows, cutoff, time_limit)
        self.problem, self.rows, self.goals, self.use_region = problem, rows, goals, use_region
        self.plain = problem.coordinates.points(rows)

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

    def run(self) -> Ledger:
        """Go on until no row is unfinished, or those that are have run out of time."""
        ledger, every = self.ledger, np.arange(len(self.rows))
        ledger.charge(every)
        while True:
            unfinished = ledger.is_worth(every, self.cheapest()) & ~self.gives_up()
            if self.any_point:
                unfinished &= ~ledger.has_point
            rows = ledger.in_time(np.flatnonzero(unfinished))
            if len(rows) == 0:
                return self._close()
            self.step(rows)
            ledger.charge(rows)

    def _close(self) -> Ledger:
        ledger = self.ledger
        ledger.timed_out |= self.gives_up()
        ledger.settle(is_unprovable(self.problem, self.plain, self.goals, self.use_region), 0.0)
        ledger.close(self.cheapest())
        ledger.model_free[:] = self.is_model_free()
        return ledger


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
