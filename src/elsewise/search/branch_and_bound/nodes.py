"""Nodes of the branching search: a cell with a box, many at once, and the heaps they wait on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ..best_first import OpenNodes
from ..domains.domain import Domain, Layout


@dataclass(frozen=True, slots=True)
class Nodes:
    """A list of nodes; arrays with a leading axis of nodes.

    Attributes
    ----------
    rows : int array of shape (n,)
        The row each node belongs to.
    bounds : array of shape (n,)
        Nothing in the node is nearer.
    cone, part : int arrays of shape (n,)
        The cell, numbered within the row's goal; part -1 is the cone alone.
    piece : int array of shape (n,)
        What of the part is left, numbered by the search's `Refinement`; -1 is all of it.
    lower, upper : arrays of shape (n, n_features)
        The box.
    counted : bool array of shape (n, n_units)
        What counts as changed already: points in which it is not are in another node.
    """

    rows: IntArray
    bounds: FloatArray
    cone: IntArray
    part: IntArray
    piece: IntArray
    lower: FloatArray
    upper: FloatArray
    counted: BoolArray

    @classmethod
    def roots(cls, rows: IntArray, bounds: FloatArray, domain: Domain) -> Nodes:
        """One node for each of the rows: its whole domain, in its goal's first cone, no part chosen."""
        n = len(rows)
        return cls(
            rows=rows,
            bounds=bounds,
            cone=np.zeros(n, dtype=np.int64),
            part=np.full(n, -1),
            piece=np.full(n, -1),
            lower=domain.lower[rows],
            upper=domain.upper[rows],
            counted=np.zeros((n, domain.layout.n_units), dtype=np.bool_),
        )

    @classmethod
    def join(cls, parts: Sequence[Nodes]) -> Nodes:
        """Put lists of nodes one after the other, at least one."""
        return parts[0] if len(parts) == 1 else cls(*(np.concatenate(arrays) for arrays in zip(*map(_arrays, parts))))

    def __len__(self) -> int:
        return len(self.rows)

    def some(self, chosen: BoolArray | IntArray) -> Nodes:
        """Copy some of the nodes."""
        return Nodes(
            self.rows[chosen],
            self.bounds[chosen],
            self.cone[chosen],
            self.part[chosen],
            self.piece[chosen],
            self.lower[chosen],
            self.upper[chosen],
            self.counted[chosen],
        )

    def children(
        self,
        *,
        bounds: FloatArray | None = None,
        cone: IntArray | None = None,
        part: IntArray | None = None,
        piece: IntArray | None = None,
        lower: FloatArray | None = None,
        upper: FloatArray | None = None,
    ) -> Nodes:
        """One child a node, with what is given instead of the node's own."""
        return Nodes(
            self.rows,
            self.bounds if bounds is None else bounds,
            self.cone if cone is None else cone,
            self.part if part is None else part,
            self.piece if piece is None else piece,
            self.lower.copy() if lower is None else lower,
            self.upper.copy() if upper is None else upper,
            self.counted.copy(),
        )

    def without_change(self, columns: BoolArray, own: FloatArray) -> Nodes:
        """One child a node in which some features, a mask of shape (n, n_features), keep the row's own values."""
        return self.children(lower=np.where(columns, own, self.lower), upper=np.where(columns, own, self.upper))

    def leaves(self, own: FloatArray, layout: Layout) -> BoolArray:
        """Return what has to change, as the row's own values are outside of the box; array of shape (n, n_units)."""
        outside = (own < self.lower) | (own > self.upper)
        return layout.by_unit(np.logical_or.reduceat(outside, layout.starts, axis=1))


def _arrays(nodes: Nodes) -> tuple[Any, ...]:
    return (
        nodes.rows, nodes.bounds, nodes.cone, nodes.part, nodes.piece, nodes.lower, nodes.upper, nodes.counted,
    )  # fmt: skip


class Heaps:
    """Open nodes: a heap of bounds for every row, boxes in one table whose lines are used again."""

    def __init__(self, n_rows: int, n_features: int, n_units: int) -> None:
        room = max(64, 4 * n_rows)
        self.heaps: list[OpenNodes[int]] = [OpenNodes() for _ in range(n_rows)]
        self.lower, self.upper = np.empty((room, n_features)), np.empty((room, n_features))
        self.counted = np.zeros((room, n_units), dtype=np.bool_)
        self.cone, self.part, self.piece = (np.empty(room, dtype=np.int64) for _ in range(3))
        self.free = list(range(room - 1, -1, -1))

    def push(self, nodes: Nodes) -> None:
        """Put nodes on the heaps of their rows."""
        lines = self._lines(len(nodes))
        self.lower[lines], self.upper[lines], self.counted[lines] = nodes.lower, nodes.upper, nodes.counted
        self.cone[lines], self.part[lines], self.piece[lines] = nodes.cone, nodes.part, nodes.piece
        for row, bound, line in zip(nodes.rows.tolist(), nodes.bounds.tolist(), lines):
            self.heaps[row].push(bound, line)

    def pop(self, rows: Sequence[int], most: Sequence[int], enough: Sequence[float]) -> Nodes:
        """Take the cheapest nodes of rows, at most so many each, none with a bound that is enough."""
        owner, bounds, lines = [], [], []
        for row, count, limit in zip(rows, most, enough):
            heap = self.heaps[row]
            while count and heap.cheapest < limit:
                bound, line = heap.pop()
                owner.append(row)
                bounds.append(bound)
                lines.append(line)
                count -= 1
        self.free.extend(lines)
        return Nodes(
            np.array(owner, dtype=np.int64),
            np.array(bounds),
            self.cone[lines],
            self.part[lines],
            self.piece[lines],
            self.lower[lines],
            self.upper[lines],
            self.counted[lines],
        )

    def cheapest(self) -> FloatArray:
        """Smallest bound of each row's open nodes, infinite without any; array of shape (n_rows,)."""
        return np.array([heap.cheapest for heap in self.heaps])

    def _lines(self, count: int) -> list[int]:
        while len(self.free) < count:
            n = len(self.cone)
            for name in ("lower", "upper", "counted", "cone", "part", "piece"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.empty_like(old)]))
            self.free.extend(range(2 * n - 1, n - 1, -1))
        taken = self.free[len(self.free) - count :]
        del self.free[len(self.free) - count :]
        return taken
