"""Earlier answers of a row, and what makes another one different."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from .candidates import cone_slacks
from .domain import Layout
from .problem import SearchProblem

# A point counts as part of cells that it misses by so little.
_NEARLY = 1e-7


@dataclass(frozen=True, slots=True)
class Answered:
    """An earlier answer of a row. Another one differs from it in one of two ways.

    It leaves a column alone that the earlier one changes; or it lies in a cell, a polyhedron of the model's region and
    a cone of the density, that the earlier one does not lie in. So within a cell of the earlier answer one of its
    columns has to stay, and in all other cells any point will do: both are convex, and the search remains exact. Of
    several earlier answers, this holds for each one that lies in the cell.

    Attributes
    ----------
    columns : int array
        Columns it changes.
    polyhedra : bool array of shape (n_polyhedra,)
    cones : bool array of shape (n_cones,)
        Which of its goal's it lies in.
    """

    columns: IntArray
    polyhedra: BoolArray
    cones: BoolArray


def cells_at(
    problem: SearchProblem, goal: int, points: FloatArray, *, use_region: bool = True
) -> tuple[BoolArray, BoolArray]:
    """Which polyhedra and cones of a goal points lie in, arrays of shape (n, n_polyhedra) and (n, n_cones)."""
    mine, plain = problem.goals[goal], problem.coordinates.points(points)
    polyhedra = np.ones((len(points), max(mine.n_polyhedra, 1)), dtype=np.bool_)
    if use_region and mine.n_polyhedra:
        polyhedra = mine.polyhedron_bounds.depth(plain) > -_NEARLY
    cones = np.ones((len(points), mine.n_cones), dtype=np.bool_)
    if mine.has_density:
        cones = cone_slacks(problem, mine, plain) > -_NEARLY
    return np.asarray(polyhedra), np.asarray(cones)


def answered_at(problem: SearchProblem, goal: int, layout: Layout, row: FloatArray, point: FloatArray) -> Answered:
    """Note an answer of a row."""
    polyhedra, cones = cells_at(problem, goal, point[None])
    return Answered(np.flatnonzero(layout.changed(row, point)), polyhedra[0], cones[0])
