"""What a row has been answered before, and what makes another answer different."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from .candidates import cone_slacks
from .constants import NEARLY_INSIDE
from .domain import Layout
from .problem import SearchProblem


@dataclass(frozen=True, slots=True)
class EarlierAnswer:
    """An earlier answer of a row. Another one differs from it in one of two ways.

    It leaves a column alone that the earlier one changes; or it lies in a cell, a part of the model's region and a cone
    of the density, that the earlier one does not lie in. So within a cell of the earlier answer one of its columns has
    to stay, and in all other cells any point will do: both are convex, and the search remains exact. Of several earlier
    answers, this holds for each one that lies in the cell.

    Attributes
    ----------
    columns : int array
        Columns it changes.
    parts : bool array of shape (n_parts,)
    cones : bool array of shape (n_cones,)
        Which of its goal's it lies in.
    """

    columns: IntArray
    parts: BoolArray
    cones: BoolArray

    @classmethod
    def at(cls, problem: SearchProblem, goal: int, layout: Layout, row: FloatArray, point: FloatArray) -> EarlierAnswer:
        """Note an answer of a row, both of shape (n_features,)."""
        parts, cones = cells_at(problem, goal, point[None])
        return cls(np.flatnonzero(layout.changed(row, point)), parts[0], cones[0])


def cells_at(
    problem: SearchProblem, goal: int, points: FloatArray, *, use_region: bool = True
) -> tuple[BoolArray, BoolArray]:
    """Which parts and cones of a goal points lie in, arrays of shape (n, n_parts) and (n, n_cones)."""
    wanted = problem.goals[goal]
    parts = np.ones((len(points), max(wanted.n_parts, 1)), dtype=np.bool_)
    if use_region and wanted.n_parts:
        parts = wanted.cover.depth(points) > -NEARLY_INSIDE
    cones = np.ones((len(points), wanted.n_cones), dtype=np.bool_)
    if wanted.has_density:
        cones = cone_slacks(problem, wanted, problem.coordinates.points(points)) > -NEARLY_INSIDE
    return np.asarray(parts), np.asarray(cones)


class History:
    """Points that rows cannot be answered by again.

    Parameters
    ----------
    problem : SearchProblem
    rows : array of shape (n_samples, n_features)
    goals : int array of shape (n_samples,)
    layout : Layout
    refused : sequence of sequences of points, optional
        Points of each row that are known not to be answers.
    earlier : sequence of sequences of EarlierAnswer, optional
    use_region : bool
    """

    def __init__(
        self,
        problem: SearchProblem,
        rows: FloatArray,
        goals: IntArray,
        layout: Layout,
        refused: Sequence[Sequence[FloatArray]] | None,
        earlier: Sequence[Sequence[EarlierAnswer]] | None,
        use_region: bool,
    ) -> None:
        self.problem, self.rows, self.goals, self.layout, self.use_region = problem, rows, goals, layout, use_region
        self.refused = refused if refused is not None else [()] * len(rows)
        self.earlier = earlier if earlier is not None else [()] * len(rows)
        self.is_empty = not (any(self.refused) or any(self.earlier))

    def of_row(self, row: int) -> History:
        """Give the history of one row, numbered 0."""
        refused, earlier = [self.refused[row]], [self.earlier[row]]
        return History(
            self.problem, self.rows[[row]], self.goals[[row]], self.layout, refused, earlier, self.use_region
        )

    def is_new(self, rows: IntArray, points: FloatArray) -> BoolArray:
        """Whether points are neither refused nor the same as an earlier answer, shape (n,)."""
        new = np.ones(len(rows), dtype=np.bool_)
        if self.is_empty:
            return new
        for k, row in enumerate(rows.tolist()):
            for point in self.refused[row]:
                new[k] &= bool((points[k] != point).any())
            if not new[k] or not self.earlier[row]:
                continue
            changed = self.layout.changed(self.rows[row], points[k])
            parts, cones = cells_at(self.problem, int(self.goals[row]), points[[k]], use_region=self.use_region)
            free = np.logical_and.outer(parts[0], cones[0])  # cells in which no earlier answer is in the way
            for earlier in self.earlier[row]:
                if changed[earlier.columns].all():
                    free &= ~np.logical_and.outer(earlier.parts, earlier.cones)
            new[k] = free.any()
        return new

    def repeated(self, row: int, changed: BoolArray, part: int, cone: int) -> EarlierAnswer | None:
        """Find the earlier answer of a row that a point with these changes in this cell does not differ from."""
        for earlier in self.earlier[row]:
            if earlier.parts[part] and earlier.cones[cone] and changed[earlier.columns].all():
                return earlier
        return None
