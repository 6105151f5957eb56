"""The region of a sum of trees: boxes between cuts, and the trees' own search where boxes are all that is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ....arrays import BoolArray, FloatArray, IntArray
from ... import Cover, Exactness, Halfspaces, Reach, Region, Space
from .cover import EnsembleCover
from .decisions import Decision, Mean
from .indexed import IndexedTrees, conditions_of, indexed, is_in_doubt
from .joint import Joint, members_of
from .trees import TreeSum

# Leaves up to which nearly all rows are proven within seconds, without a density and with one (docs/benchmarks.md).
USUALLY_PROVEN, USUALLY_PROVEN_WITH_DENSITY = 100_000, 10_000
# The same where a mean of links of scores decides, which lines above the links bound.
USUALLY_PROVEN_MEANS = 500
# Spaces that the trees are kept for: with steps of columns and without.
SPACES_KEPT = 2


@dataclass(frozen=True, slots=True, eq=False)
class CellBox:
    """Cells of each feature of model space, from ``low`` to ``high``; empty if ``is_empty``.

    Attributes
    ----------
    low, high : int arrays of shape (n_model_features,)
    is_empty : bool
        Nothing in it is accepted.
    """

    low: IntArray
    high: IntArray
    is_empty: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class LeafBoxes:
    """Leaves of a sum of trees as boxes of cells.

    Attributes
    ----------
    low, high : int arrays of shape (n_leaves, n_model_features)
        First and last cell; splits by category may leave gaps between them.
    gain : array of shape (n_leaves, n_conditions)
    first : int array of shape (n_trees,)
        First leaf of each tree.
    """

    low: IntArray
    high: IntArray
    gain: FloatArray
    first: IntArray


class EnsembleRegion(Region):
    """Where a sum of trees decides for an outcome.

    Parameters
    ----------
    trees : TreeSum
    decision : Decision or Joint
    """

    def __init__(self, trees: TreeSum, decision: Decision | Joint) -> None:
        self.trees, self.decision = trees, decision
        n_leaves = int((trees.feature < 0).sum())
        usual, usual_with_density = USUALLY_PROVEN, USUALLY_PROVEN_WITH_DENSITY
        if any(isinstance(one, Mean) for _, one in members_of(trees, decision)):
            usual = usual_with_density = USUALLY_PROVEN_MEANS
        self.exactness: Exactness = "bounded" if n_leaves > usual else "exact"
        self._with_density: Exactness = "bounded" if n_leaves > usual_with_density else "exact"
        self._written: list[tuple[Space, IndexedTrees | None]] = []

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_written": []}  # what the kernel holds is made again where it is needed

    def written_in(self, space: Space) -> IndexedTrees | None:
        """Write the trees over the cells of a search's columns, once for spaces alike; None where columns are mixed.

        Thresholds of a density make problems of their own, which share this.
        """
        for known, trees in list(self._written):
            if known.is_like(space):
                return trees
        trees = indexed(self.trees, self.decision, space)
        self._written = [(space, trees), *self._written[: SPACES_KEPT - 1]]
        return trees

    @property
    def exactness_with_density(self) -> Exactness:
        """What answers in an ellipsoid can be expected to be."""
        return self._with_density

    @cached_property
    def cuts(self) -> list[FloatArray]:
        """Cuts of each feature of model space, ascending."""
        return self.trees.cuts()

    @cached_property
    def conditions(self) -> tuple[FloatArray, FloatArray]:
        """Linear conditions on the sums of leaves, ``weights · sums >= least``."""
        return conditions_of(self.trees, self.decision)

    @cached_property
    def leaves(self) -> LeafBoxes:
        """Leaves as boxes of cells."""
        return _leaf_boxes(self.trees, self.cuts, self.conditions[0])

    def parts(self) -> Sequence[CellBox]:
        """Everything at once, unless no leaves add up to what is needed."""
        n_cells = np.array([len(cuts) + 1 for cuts in self.cuts])
        whole = CellBox(np.zeros(len(n_cells), dtype=np.int64), n_cells - 1)
        return () if self.decision.is_empty or self._is_never_reached() else (whole,)

    def halfspaces(self, part: CellBox, near: FloatArray, reach: Reach) -> Halfspaces:
        """Return the sides of a box."""
        n = self.trees.n_features
        if part.is_empty:  # no number is at most 0 and at least 1
            side = np.eye(n)[:1]
            return Halfspaces(np.vstack([side, -side]), np.array([0.0, -1.0]))
        above = np.flatnonzero(part.low > 0)
        below = np.flatnonzero(part.high < np.array([len(cuts) for cuts in self.cuts]))
        lower = np.array([self.cuts[j][part.low[j] - 1] for j in above])
        upper = np.array([self.cuts[j][part.high[j]] for j in below])
        unit = np.eye(n)
        return Halfspaces(np.vstack([-unit[above], unit[below]]), np.concatenate([-lower, upper]))

    def divide(self, part: CellBox, near: FloatArray, reach: Reach) -> Sequence[CellBox]:
        """Divide at the cut that most leaves worth having lie beyond."""
        cut = self._cut_beyond(part, near)
        if cut is None:
            return (CellBox(part.low, part.high, is_empty=True),) if self._is_single(part, near) else ()
        feature, cell = cut
        low, high = part.low.copy(), part.high.copy()
        high[feature], low[feature] = cell, cell + 1
        halves = [CellBox(part.low, high), CellBox(low, part.high)]
        left = [half for half in halves if not self.is_out_of_reach(half)]
        return left or (CellBox(part.low, part.high, is_empty=True),)

    def accepts(self, points: FloatArray) -> BoolArray:
        """Whether the model decides so, by its own arithmetic."""
        if isinstance(self.decision, Joint):
            return self.decision.accepts(points)
        return self.decision.holds(self.trees.scores(points))

    def is_out_of_reach(self, part: CellBox) -> bool:
        """Whether the best leaves of all trees within a box add up to too little for some condition."""
        gain = np.where(self._within(part)[:, None], self.leaves.gain, -np.inf)
        return bool((np.maximum.reduceat(gain, self.leaves.first, axis=0).sum(axis=0) < self.conditions[1]).any())

    def cells(self, lower: FloatArray, upper: FloatArray) -> CellBox:
        """Return the cells that a box with these ends, of shape (n_features,), meets."""
        low, high = (
            np.array([np.searchsorted(cuts, end) for cuts, end in zip(self.cuts, ends)], dtype=np.int64)
            for ends in (lower, upper)
        )
        return CellBox(low, high)

    def cover(self, space: Space) -> Cover:
        """Cover the region, with a search of its own where columns are not mixed."""
        return EnsembleCover(self, space)

    def _is_never_reached(self) -> bool:
        """Whether the best leaves of all trees add up to too little for some condition."""
        trees, (weights, least) = self.trees, self.conditions
        gain = np.where((trees.feature < 0)[:, None], trees.value @ weights.T, -np.inf)
        return bool((np.maximum.reduceat(gain, trees.roots, axis=0).sum(axis=0) < least).any())

    def _within(self, part: CellBox) -> BoolArray:
        leaves = self.leaves
        return np.asarray(((leaves.low <= part.high) & (leaves.high >= part.low)).all(axis=1))

    def _cut_beyond(self, part: CellBox, near: FloatArray) -> tuple[int, int] | None:
        """Find the cut between a point and the best leaves of a box by which most is gained; None if there is none."""
        leaves, least = self.leaves, self.conditions[1]
        cell = np.array([np.searchsorted(cuts, z) for cuts, z in zip(self.cuts, near)])
        cell = np.clip(cell, part.low, part.high)
        missing = np.maximum(least - self._gain_at(cell), 0.0)
        value = leaves.gain @ (missing / missing.sum() if missing.sum() > 0 else np.full(len(least), 1.0 / len(least)))
        here = ((leaves.low <= cell) & (leaves.high >= cell)).all(axis=1)
        value = np.where(self._within(part), value, -np.inf)
        ends = np.append(leaves.first[1:], len(value))
        worth: dict[tuple[int, int], float] = {}
        for first, end in zip(leaves.first, ends):
            best = first + int(value[first:end].argmax())
            gained = value[best] - value[first:end][here[first:end]].max(initial=-np.inf)
            if not gained > 0:
                continue
            for j in np.flatnonzero((leaves.low[best] > cell) | (leaves.high[best] < cell)).tolist():
                at = int(leaves.low[best, j]) - 1 if leaves.low[best, j] > cell[j] else int(leaves.high[best, j])
                worth[j, at] = worth.get((j, at), 0.0) + float(gained)
        if worth:
            return max(worth, key=lambda key: worth[key])
        wide = np.flatnonzero(part.low < part.high)
        if len(wide) == 0:
            return None
        j = int(wide[(part.high - part.low)[wide].argmax()])
        return j, int((part.low[j] + part.high[j]) // 2)

    def _gain_at(self, cell: IntArray) -> FloatArray:
        leaves = self.leaves
        here = np.asarray(((leaves.low <= cell) & (leaves.high >= cell)).all(axis=1))
        gain = np.where(here[:, None], leaves.gain, -np.inf)
        return np.asarray(np.maximum.reduceat(gain, leaves.first, axis=0).sum(axis=0))

    def _is_single(self, part: CellBox, near: FloatArray) -> bool:
        """Whether a box is one cell, in which all points are alike, and the model does not decide so there."""
        if (part.low < part.high).any():
            return False
        if is_in_doubt(self.trees, self.decision) and (self._gain_at(part.low) >= self.conditions[1]).all():
            return False  # rounding decides
        inside = [
            cuts[low] if low < len(cuts) else np.nextafter(cuts[-1], np.inf) if len(cuts) else z
            for cuts, low, z in zip(self.cuts, part.low, near)
        ]
        return not bool(self.accepts(np.array(inside)[None]).all())


def _leaf_boxes(trees: TreeSum, cuts: list[FloatArray], weights: FloatArray) -> LeafBoxes:
    n, by_table = trees.n_features, trees.is_by_table
    n_cells = np.array([len(of_feature) for of_feature in cuts])
    lows: list[IntArray] = []
    highs: list[IntArray] = []
    nodes: list[int] = []
    first: list[int] = []
    for root in trees.roots.tolist():
        first.append(len(nodes))
        waiting = [(root, np.zeros(n, dtype=np.int64), n_cells.copy())]
        while waiting:
            node, low, high = waiting.pop()
            j = int(trees.feature[node])
            if j < 0:
                nodes.append(node)
                lows.append(low)
                highs.append(high)
                continue
            if by_table[node]:  # both sides may be anywhere: the cells between are distinguished by the last check
                waiting += [(int(trees.left[node]), low, high), (int(trees.right[node]), low, high)]
                continue
            limit = trees.limit[node]
            cell = int(np.searchsorted(cuts[j], limit)) if np.isfinite(limit) else (n_cells[j] if limit > 0 else -1)
            up_to, beyond = high.copy(), low.copy()
            up_to[j], beyond[j] = min(high[j], cell), max(low[j], cell + 1)
            if low[j] <= up_to[j]:
                waiting.append((int(trees.left[node]), low, up_to))
            if beyond[j] <= high[j]:
                waiting.append((int(trees.right[node]), beyond, high))
    return LeafBoxes(np.array(lows), np.array(highs), trees.value[nodes] @ weights.T, np.array(first))
