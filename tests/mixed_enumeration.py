"""Brute force over the whole numbers and levels of a small table, to check the mixed-integer reference."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from mixed_problem import FloatArray, IntArray, MixedAnswer, MixedProblem, groups
from reference import project_reference


def by_enumeration(problem: MixedProblem) -> MixedAnswer:
    """Solve by brute force: every combination of reachable levels and whole numbers, the rest convex, by Clarabel.

    For tiny problems with finite limits of their whole numbers. With ``max_changes``, every set of the continuous
    features that may still change is tried.
    """
    numeric = problem.group < 0
    whole, loose = np.flatnonzero(numeric & problem.integer), np.flatnonzero(numeric & ~problem.integer)
    levels = [at[problem.reachable[at]] for _, at in groups(problem)]
    ranges = [np.arange(np.ceil(problem.lower[f]), np.floor(problem.upper[f]) + 1.0) for f in whole]
    best = MixedAnswer("infeasible", np.inf, None, np.inf)
    for choice in itertools.product(*levels, *ranges):
        e = np.where(numeric, problem.x0, 0.0)
        e[list(choice[: len(levels)])] = 1.0
        e[whole] = choice[len(levels) :]
        for free in _free_sets(problem, e, loose):
            for i, j in itertools.product(
                range(len(problem.polyhedra)), [-1] if problem.cones is None else range(len(problem.cones))
            ):
                value, point = _continuous(problem, e, free, i, j)
                if value < best.value:
                    best = MixedAnswer("optimal", value, point, value, (i, j))
    return best


def _free_sets(problem: MixedProblem, e: FloatArray, loose: IntArray) -> Iterator[IntArray]:
    """Largest sets of continuous features that may change beside what has changed in ``e``."""
    if problem.max_changes is None:
        yield loose
        return
    left = problem.max_changes - len(np.unique(problem.column[e != problem.x0]))
    if left >= 0:
        for some in itertools.combinations(loose.tolist(), min(left, len(loose))):
            yield np.array(some, dtype=np.int64)


def _continuous(
    problem: MixedProblem, e: FloatArray, free: IntArray, i: int, j: int
) -> tuple[float, FloatArray | None]:
    """Best value over the free features of one cell, all others held at ``e``."""
    A, b = problem.polyhedra[i]
    A, b = np.vstack([A, problem.normals]), np.concatenate([b, problem.offsets])
    right = b - A @ e
    held = np.setdiff1d(np.flatnonzero(problem.group < 0), free)
    if ((e < problem.lower) | (e > problem.upper))[held].any():
        return np.inf, None
    ball: dict[str, Any] = {}
    if problem.cones is not None:
        cone = problem.cones[j]
        room = cone.squared_radius - float(cone.penalties[(e > 0.5) & (problem.group >= 0)].sum())
        image = cone.factor @ (e[problem.numeric] - cone.centre)
        if not room > 0.0 or (len(free) == 0 and image @ image > room):
            return np.inf, None
        seen = np.array([int(np.flatnonzero(problem.numeric == f)[0]) for f in free], dtype=np.int64)
        ball = {"F": cone.factor[:, seen], "g": -image, "h0": float(np.sqrt(room))}
    fixed = problem.distance(e)
    if len(free) == 0:
        return (fixed, e) if (right >= 0.0).all() else (np.inf, None)
    idle = ~A[:, free].any(axis=1)
    if (right[idle] < 0.0).any():
        return np.inf, None
    status, value, x = project_reference(
        e[free],
        weights=problem.weights[free],
        A=A[~idle][:, free],
        b=right[~idle],
        lower=(problem.lower - e)[free],
        upper=(problem.upper - e)[free],
        **ball,
    )
    if status == "infeasible":
        return np.inf, None
    if status != "optimal" or x is None:
        raise RuntimeError(f"The reference solver stopped with {status} in cell ({i}, {j}).")
    point = e.copy()
    point[free] = x
    return fixed + value, point
