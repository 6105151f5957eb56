"""What a search finds, and how it goes on: wave by wave, until every row is proven or out of time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from .problem import SearchProblem

# Nodes whose bound is within this relative distance of the incumbent cannot improve it noticeably.
TOLERANCE = 1e-9


@dataclass(slots=True)
class Found:
    """Best point of each row and what is proven about it; arrays over rows.

    Attributes
    ----------
    value : array of shape (n_samples,)
        Distance of the best point, infinite if there is none nearer than the cutoff.
    lower_bound : array of shape (n_samples,)
        No point of the goal is nearer; infinite if all cells are proven empty.
    difference : array of shape (n_samples, n_plain)
        Best point minus row, in plain coordinates.
    polyhedron : int array of shape (n_samples,)
        Polyhedron of the goal's region that holds the best point; -1 where there is none.
    model_free : bool array of shape (n_samples,)
        The best point is proven to be the nearest in the cones, whatever the model says. With whole numbers, categories
        or rules, the relaxation without the model proves it, or nothing does: it may hold where it is not set.
    n_projections : int array of shape (n_samples,)
    timed_out : bool array of shape (n_samples,)
        The time limit ended the proof.
    points : array of shape (n_samples, n_features)
        Best points themselves; NaN where there is none.
    cone : int array of shape (n_samples,)
        Cone of the goal that holds the best point; -1 where there is none.
    """

    value: FloatArray
    lower_bound: FloatArray
    difference: FloatArray
    polyhedron: IntArray
    model_free: BoolArray
    n_projections: IntArray
    timed_out: BoolArray
    points: FloatArray
    cone: IntArray

    @classmethod
    def nothing(cls, X: FloatArray, n_plain: int) -> Found:
        """Begin for rows of shape (n_samples, n_features): no points, and nothing proven."""
        n = len(X)
        return cls(
            value=np.full(n, np.inf),
            lower_bound=np.zeros(n),
            difference=np.zeros((n, n_plain)),
            polyhedron=np.full(n, -1),
            model_free=np.zeros(n, dtype=np.bool_),
            n_projections=np.zeros(n, dtype=np.int64),
            timed_out=np.zeros(n, dtype=np.bool_),
            points=np.full_like(X, np.nan),
            cone=np.full(n, -1),
        )


def without_overflow(found: Found, plain: FloatArray, goal: IntArray, problem: SearchProblem, use_region: bool) -> None:
    """Take back what is proven about rows whose numbers overflow; that a goal has no cells at all stays true."""
    overflows = problem.overflows(plain)
    if overflows.any():
        nothing = np.array([(mine.n_polyhedra == 0 and use_region) or mine.n_cones == 0 for mine in problem.goals])
        found.lower_bound[overflows & ~nothing[goal]] = 0.0


class Waves(Protocol):
    """A search under way, all rows together; ``limit`` is what each row holds, infinite without a point."""

    found: Found
    limit: FloatArray

    def unfinished(self) -> IntArray:
        """Rows that could still hold something better."""

    def step(self, rows: IntArray) -> None:
        """Send the cheapest nodes of rows to the kernel and take in the answers."""

    def result(self) -> Found:
        """Close the books."""


def until_proven(waves: Waves, time_limit: float | None) -> Found:
    """Go on until no row is unfinished, or those that hold a point are out of time.

    Parameters
    ----------
    waves : Waves
    time_limit : float or None
        Seconds a row may take for its proof. A row without a point yet goes on until it has one.
    """
    spent = np.zeros(len(waves.limit))
    while True:
        rows = waves.unfinished()
        if time_limit is not None:
            goes_on = (spent[rows] < time_limit) | ~np.isfinite(waves.limit[rows])
            waves.found.timed_out[rows[~goes_on]] = True
            rows = rows[goes_on]
        if len(rows) == 0:
            return waves.result()
        started = time.perf_counter()
        waves.step(rows)
        spent[rows] += (time.perf_counter() - started) / len(rows)
