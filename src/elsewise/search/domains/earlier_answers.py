"""What a row has been answered before, and what makes another answer different.

Either another answer changes a set of columns that contains none of the earlier sets: of every earlier set one column
stays, and the search divides by which (`repeated`). Or it keeps a least distance from every earlier answer: see
:mod:`~elsewise.search.domains.apart`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ..constants import STILL
from ..problem import SearchProblem
from .apart import Apart, distances_apart
from .domain import Layout


@dataclass(frozen=True, slots=True)
class EarlierAnswer:
    """An earlier answer of a row.

    Attributes
    ----------
    columns : int array
        What it changes, columns or those that count as one; another answer leaves one of them alone.
    point : array of shape (n_features,)
    apart : float or None
        Another answer is at least so far away instead, whatever it changes.
    """

    columns: IntArray
    point: FloatArray
    apart: float | None = None

    @classmethod
    def of(cls, layout: Layout, row: FloatArray, point: FloatArray, apart: float | None = None) -> EarlierAnswer:
        """Note an answer of a row, both of shape (n_features,)."""
        return cls(np.flatnonzero(layout.changed_units(row, point)), point, apart)


class History:
    """Points that rows cannot be answered by again.

    Parameters
    ----------
    problem : SearchProblem
    rows : array of shape (n_samples, n_features)
    layout : Layout
    refused : sequence of sequences of points, optional
        Points of each row that are known not to be answers.
    earlier : sequence of sequences of EarlierAnswer, optional
    solved : sequence of dicts, optional
        What searches of each row found in which some columns stay, to be used again for its further answers.
    """

    def __init__(
        self,
        problem: SearchProblem,
        rows: FloatArray,
        layout: Layout,
        refused: Sequence[Sequence[FloatArray]] | None,
        earlier: Sequence[Sequence[EarlierAnswer]] | None,
        solved: Sequence[dict[Any, Any]] | None = None,
    ) -> None:
        self.problem, self.rows, self.layout = problem, rows, layout
        self.prices = problem.coordinates.stretch
        self.refused = refused if refused is not None else [()] * len(rows)
        self.earlier = earlier if earlier is not None else [()] * len(rows)
        self.solved = solved if solved is not None else [{} for _ in rows]
        self.is_empty = not (any(self.refused) or any(self.earlier))
        kept = [[(each.point, each.apart) for each in of_row if each.apart is not None] for of_row in self.earlier]
        self.apart = Apart(problem, kept) if any(kept) else None

    def is_fresh(self) -> BoolArray:
        """Which rows have nothing to differ from, shape (n_samples,)."""
        return np.array(
            [not (refused or earlier) for refused, earlier in zip(self.refused, self.earlier)], dtype=np.bool_
        )

    def of_rows(self, rows: IntArray) -> History:
        """Make the history of some of the rows."""
        chosen = rows.tolist()
        refused, earlier = [self.refused[row] for row in chosen], [self.earlier[row] for row in chosen]
        solved = [self.solved[row] for row in chosen]
        return History(self.problem, self.rows[rows], self.layout, refused, earlier, solved)

    def of_row(self, row: int, *, by_columns: bool = True) -> History:
        """Make the history of one row alone; without ``by_columns`` answers need not differ by columns."""
        earlier = [each for each in self.earlier[row] if by_columns or each.apart is not None]
        return History(self.problem, self.rows[[row]], self.layout, [self.refused[row]], [earlier])

    def is_new(self, rows: IntArray, points: FloatArray) -> BoolArray:
        """Whether points are not refused, and differ from every earlier answer, shape (n,)."""
        new = np.ones(len(rows), dtype=np.bool_)
        if self.is_empty:
            return new
        for k, row in enumerate(rows.tolist()):
            new[k] = all((points[k] != point).any() for point in self.refused[row])
            changed = self.layout.changed_units(self.rows[row], points[k])
            for earlier in self.earlier[row]:
                if earlier.apart is None:
                    new[k] &= not changed[earlier.columns].all()
                else:
                    away = distances_apart(self.prices, self.layout.group, points[[k]], earlier.point)[0]
                    new[k] &= away >= earlier.apart
        return new

    def repeated(self, row: int, point: FloatArray) -> IntArray | None:
        """Find the columns of an earlier answer of a row all of which a point changes, by more than rounding."""
        if not self.earlier[row]:
            return None
        moved = np.abs(point - self.rows[row]) * self.prices > STILL
        changed = self.layout.by_unit(np.logical_or.reduceat(moved, self.layout.starts))
        for earlier in self.earlier[row]:
            if earlier.apart is None and changed[earlier.columns].all():
                return earlier.columns
        return None
