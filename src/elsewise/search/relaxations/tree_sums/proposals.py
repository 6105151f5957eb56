"""First answers of a sum of trees: known rows, moved towards the row column by column by the kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....arrays import FloatArray
from ... import Proposal
from .indexed import IndexedTrees
from .ruled_cells import cell_rules, ends_in_cells

# Known rows that first answers are made from, at most; with fewer accepted ones than enough, dense rows that the trees
# do not accept are used, too.
MOST_KNOWN, ENOUGH_KNOWN = 1_000, 100
# Examples that they are chosen among, at most, as a multiple.
TIMES_KNOWN = 2
# Columns that are looked along for first answers, a walk through all trees each: with a limit of time, which ends it
# earlier, without one, and where rules are asked about every point.
MOST_LINES, MOST_LINES_UNLIMITED, MOST_LINES_RULED = 20_000, 4_000, 200


@dataclass(frozen=True, slots=True, eq=False)
class KnownRows:
    """Rows that first answers are made from.

    Attributes
    ----------
    numbers : array of shape (n_known, n_numbers)
    cells : int32 array of shape (n_known, n_vars)
    """

    numbers: FloatArray
    cells: NDArray[np.int32]

    @classmethod
    def of(cls, trees: IndexedTrees, examples: FloatArray) -> KnownRows:
        """Choose among examples, of shape (n, n_features): those the trees accept, and others if they are too few."""
        if len(examples) > TIMES_KNOWN * MOST_KNOWN:  # every tree is asked about each
            examples = examples[np.linspace(0, len(examples) - 1, TIMES_KNOWN * MOST_KNOWN).astype(np.int64)]
        cells = trees.cells(examples) if len(examples) else np.empty((0, trees.n_vars), dtype=np.int32)
        accepted = trees.forest.accepts(cells)
        order = np.argsort(~accepted, kind="stable")
        n = max(int(accepted.sum()), min(ENOUGH_KNOWN, len(order)))
        chosen = order[:n][np.linspace(0, n - 1, min(n, MOST_KNOWN)).astype(np.int64)] if n else order
        numbers = trees.feature[trees.first_cell[:-1]][trees.is_number[trees.first_cell[:-1]]]
        return cls(np.ascontiguousarray(examples[chosen][:, numbers]), np.ascontiguousarray(cells[chosen]))


def propose(trees: IndexedTrees, known: KnownRows, asked: Proposal, inset: FloatArray, margin: float) -> FloatArray:
    """Return the best answer that is made of known rows, array of shape (n, n_features), n at most 1.

    Parameters
    ----------
    trees : IndexedTrees
    known : KnownRows
    asked : Proposal
    inset : array of shape (n_features,)
        How far from the ends of cells numbers are kept.
    margin : float
        Of scores.
    """
    box, row, feature = asked.box, asked.box.row, trees.feature
    starts = trees.first_cell[:-1]
    numbers = feature[starts[trees.is_number[starts]]]
    ends = ends_in_cells(trees, box)
    rules = None if box.clauses is None else cell_rules(trees, box.clauses, *ends)
    first, last = _kept_inside(trees, row, ends[0], ends[1], inset[feature])
    first = np.where(trees.is_number, first, 1.0)
    last = np.where(trees.is_number, last, box.upper[feature])

    def point_of(values: FloatArray, cells: NDArray[np.int32]) -> FloatArray:
        point, chosen = row.copy(), starts + cells
        point[feature[~trees.is_number]] = 0.0
        point[feature[chosen]] = 1.0
        point[numbers] = values
        return point

    holds = asked.holds
    most_lines = MOST_LINES if np.isfinite(asked.seconds) else MOST_LINES_UNLIMITED
    if holds is not None:
        most_lines = MOST_LINES_RULED
    values, cells = trees.forest.propose(
        np.ascontiguousarray(row[numbers]),
        np.ascontiguousarray(trees.price[numbers]),
        box.per_change,
        np.ascontiguousarray(box.integer[numbers], dtype=np.uint8),
        np.ascontiguousarray(first),
        np.ascontiguousarray(last),
        np.where(row[feature] > 0, 0.0, trees.price[feature] + box.per_change),
        trees.cells(row[None])[0],
        [(one.factor, one.centre, one.penalties[feature], one.squared_radius) for one in asked.ellipsoids],
        known.numbers,
        known.cells,
        margin=margin,
        cutoff=asked.cutoff,
        seconds=asked.seconds,
        most_lines=most_lines,
        rules=rules,
        holds=None if holds is None else lambda values, cells: bool(holds(point_of(values, cells)[None])[0]),
    )
    return np.empty((0, len(row))) if values is None else point_of(values, cells)[None]


def _kept_inside(
    trees: IndexedTrees, row: FloatArray, low: FloatArray, high: FloatArray, inset: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return ends of cells moved in, arrays of shape (n_cells,); the row's own value may stay where it is."""
    if not inset.any():
        return low, high
    own = row[trees.feature]
    with np.errstate(invalid="ignore"):  # cells may be infinitely wide
        middle = low + (high - low) / 2
        first, last = np.fmin(low + inset, middle), np.fmax(high - inset, middle)
    stays = (low <= own) & (own <= high)
    first, last = np.where(stays, np.fmin(first, own), first), np.where(stays, np.fmax(last, own), last)
    return np.where(np.isfinite(low), first, low), np.where(np.isfinite(high), last, high)
