"""What a row has been answered before, and what makes another answer different.

Either another answer changes a set of columns that contains none of the earlier sets: of every earlier set one column
stays, and the search divides by which (`repeated`). Or it keeps a least distance from every earlier answer: see
:mod:`~elsewise.search.domains.earlier_answers`.

Keeping a least distance from points: the outside of a ball of the Manhattan distance, by half-spaces of boxes.

For a point ``a`` and a distance ``d``, wanted is ``sum_i w_i |x_i - a_i| + sum_c w_c [level differs] >= d``. What
categories add is linear in the indicators. What a number adds is convex; in a box it is at most the chord between the
ends, and equal to it where ``a_i`` is not strictly between them. So in every box there is one half-space that holds for
all points wanted; a box whose relaxed point is too near is divided at some ``a_i``, and after at most as many divisions
as there are numbers the half-space says exactly what is wanted. An open end has no chord: such numbers are divided
first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ...projection.cells import Cells
from ..branch_and_bound.nodes import Nodes
from ..constants import MARGINS, RULES_INSIDE_SHARE, RULES_SHIFT, STILL
from ..problem import SearchProblem
from .domain import Layout

# A relaxed point that is nearer to an earlier answer than asked by no more than this, relative to 1 + the distance, is
# as far away as the kernel can tell.
APART_ROUNDING = 1e-9


def distances_apart(prices: FloatArray, group: IntArray, points: FloatArray, other: FloatArray) -> FloatArray:
    """Distances of points of shape (n, n_features) from another one, array of shape (n,)."""
    halves = np.where(group >= 0, 0.5, 1.0) * prices  # a change of category moves two indicators
    return np.asarray((np.abs(points - other) * halves).sum(axis=1))


@dataclass(frozen=True, slots=True)
class _Chords:
    """Linear over-estimates of what each feature adds to a distance: ``slope x + constant``, infinite for none.

    ``gap`` is by how much they are too large at a point; all of shape (n_features,).
    """

    slope: FloatArray
    constant: FloatArray
    gap: FloatArray


class Apart:
    """Half-spaces and divisions that keep rows' points away from others.

    Parameters
    ----------
    problem : SearchProblem
    kept : sequence of sequences of (point, distance), one a row
    """

    def __init__(self, problem: SearchProblem, kept: Sequence[Sequence[tuple[FloatArray, float]]]) -> None:
        self.problem, self.kept = problem, kept
        self.prices, self.group = problem.coordinates.stretch, problem.space.group

    def added(self, cells: Cells, nodes: Nodes, rules: int, inside: int | None) -> tuple[Cells, IntArray]:
        """Add what holds in the boxes of nodes to the linear rules.

        Parameters
        ----------
        cells : Cells
        nodes : Nodes
        rules : int
            Place of the linear rules among the polyhedra, -1 without.
        inside : int, optional
            Move the half-spaces in, the more the larger; by default they are moved out by more than rounding.

        Returns
        -------
        cells : Cells
            With further polyhedra.
        places : int array of shape (n,)
            Of rules and half-spaces together.
        """
        extra = self.problem.space.pack_polyhedra([self._half_spaces(nodes, k, inside) for k in range(len(nodes))])
        ruled = slice(*cells.spans[rules].tolist()) if rules >= 0 else slice(0, 0)
        normals, offsets = [extra.normals[:0]], [extra.offsets[:0]]
        for start, stop in extra.spans.tolist():
            normals += [cells.normals[ruled], extra.normals[start:stop]]
            offsets += [cells.offsets[ruled], extra.offsets[start:stop]]
        counts = np.diff(extra.spans, axis=1)[:, 0] + (ruled.stop - ruled.start)
        ends = np.cumsum(counts)
        both = replace(
            extra,
            normals=np.ascontiguousarray(np.concatenate(normals)),
            offsets=np.ascontiguousarray(np.concatenate(offsets)),
            spans=np.column_stack([ends - counts, ends]),
        )
        return Cells.join([cells, both]), cells.n_polyhedra + np.arange(len(nodes))

    def _half_spaces(self, nodes: Nodes, k: int, inside: int | None) -> tuple[FloatArray, FloatArray]:
        """Half-spaces ``(A, b)`` of features that hold for all points wanted in the box of a node."""
        normals, offsets = [], []
        for point, distance in self.kept[int(nodes.rows[k])]:
            chords = self._chords(nodes.lower[k], nodes.upper[k], point, point)
            if not np.isfinite(chords.constant).all():
                continue
            size = distance + np.abs(chords.constant).sum()
            shift = RULES_SHIFT * size if inside is None else -RULES_INSIDE_SHARE * MARGINS[inside] * size
            normals.append(-chords.slope)
            offsets.append(float(chords.constant.sum()) - distance + shift)
        return np.array(normals).reshape(len(normals), len(self.prices)), np.array(offsets, dtype=np.float64)

    def _chords(self, lower: FloatArray, upper: FloatArray, other: FloatArray, at: FloatArray) -> _Chords:
        prices, number = self.prices, self.group < 0
        with np.errstate(invalid="ignore", divide="ignore"):  # open ends, no width
            low, high = prices * (other - lower), prices * (upper - other)
            chord = prices * (high - low) / (high + low)
            constant = low - chord * lower
        above, below = lower >= other, upper <= other
        slope = np.where(above, prices, np.where(below, -prices, chord))
        constant = np.where(above, -prices * other, np.where(below, prices * other, constant))
        constant = np.where(np.isfinite(slope) & np.isfinite(constant), constant, np.inf)
        own_level = ~number & (other > 0.5)  # a category costs its price but for the share of the level itself
        slope = np.where(number, slope, np.where(own_level, -prices, 0.0))
        constant = np.where(number, constant, np.where(own_level, prices, 0.0))
        with np.errstate(invalid="ignore"):
            gap = np.where(number, slope * at + constant - prices * np.abs(at - other), 0.0)
        gap = np.where(np.isinf(constant), np.inf, gap)
        return _Chords(slope, constant, np.where(above | below, 0.0, gap))

    def branching_at(self, row: int, lower: FloatArray, upper: FloatArray, at: FloatArray) -> tuple[int, float] | None:
        """Where to divide a box of a row whose relaxed point ``at`` is too near: a number and its value.

        None where the point is far enough, up to rounding, or nothing is left to divide.
        """
        for point, distance in self.kept[row]:
            away = float(distances_apart(self.prices, self.group, at[None], point)[0])
            if away >= distance - APART_ROUNDING * (1.0 + distance):
                continue
            gap = self._chords(lower, upper, point, at).gap
            feature = int(gap.argmax())
            if gap[feature] > 0:
                return feature, float(point[feature])
        return None


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
