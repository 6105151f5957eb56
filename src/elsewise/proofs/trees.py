"""Bounds of nodes where the model is a sum of trees: messages from trees to columns, and weights of the conditions.

For weights ``pi >= 0`` and messages ``m_t``, functions of single columns, every row x of a node has

    d(x) >= sum over columns of min (cost - sum_t m_t) + sum over trees of min (messages - pi . leaf) + pi . least.

Messages come from the kernel of the search, one bound at a time; they are rounded to whole numbers of a small unit and
evaluated here, over cells of columns, as the checker does over numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from .ensembles import StatedTrees
from .nodes import NodeCosts, ProofNode
from .regions import NotCertifiedError, as_text

# Sweeps of the ascent at the first bound of a node.
N_SWEEPS = 40
# Messages are whole numbers of the largest power of two below this share of the bound.
FINEST = 2.0**-32
# Leaves times cells beyond which a node takes too long; and of all nodes of a proof together.
MOST_ENTRIES, MOST_ENTRIES_OF_ALL = 20_000_000, 1_500_000_000
# Nodes that are not the kernel's, beyond which a proof is given up: they take some milliseconds each.
MOST_SOLVED = 1_000
# Where the best leaves are not enough, weights are so large that what is missing is this many times the bound.
BEYOND = 4.0
# Share by which costs are lowered: their rounding.
COST_ROUNDING = 1e-14
# What is asked of a node beyond the claim, as a share of it.
AHEAD = 2e-8


@dataclass(frozen=True, slots=True, eq=False)
class TreeMultipliers:
    """Multipliers of trees.

    Attributes
    ----------
    bits : int
        They are whole numbers in units of ``2**-bits``.
    pi : list of int
    messages : list of (tree, column, values)
    """

    bits: int
    pi: list[int]
    messages: list[list[Any]] = field(default_factory=list)

    @property
    def as_json(self) -> dict[str, Any]:
        """What a certificate says of them."""
        return {"bits": self.bits, "pi": self.pi, "messages": self.messages}


@dataclass(frozen=True, slots=True, eq=False)
class TreeBound:
    """What is known of a node.

    Attributes
    ----------
    multipliers : TreeMultipliers
    bound : float
        What they prove, in doubles.
    split : (feature, last number before the cut), or None
        Where to divide the node: a number, or the level of an indicator. None if there is nothing to divide.
    point : array of shape (n_features,), or None
        Where columns are at their least.
    """

    multipliers: TreeMultipliers
    bound: float
    split: tuple[int, float] | None = None
    point: FloatArray | None = None


class TreeBounds:
    """Bounds nodes of one statement.

    Parameters
    ----------
    stated : StatedTrees
    costs : NodeCosts
    """

    def __init__(self, stated: StatedTrees, costs: NodeCosts) -> None:
        self.costs = costs
        self.bits = max(int(-np.floor(np.log2(max(costs.bound, 1e-300) * FINEST))), 0)
        self.nothing = _out_of_reach(stated, costs.bound * 2.0**self.bits) if stated.is_empty else None
        if self.nothing is not None:
            return
        trees = stated.indexed
        if trees is None:
            raise NotCertifiedError("trees that see mixtures of columns have no certificates yet")
        self.trees, self.stated, self.n_entries, self.n_solved = trees, stated, 0, 0
        self.needed = stated.needed
        self.first = trees.first_cell[:-1].astype(np.int64)
        layout = costs.domain.layout
        self.low, self.high, self.low_text, self.high_text = stated.ends(costs.domain.integer)
        self.column_of_var = layout.column[trees.feature[self.first]]

    @cached_property
    def gains(self) -> FloatArray:
        """What leaves add to conditions, array of shape (n_leaves, n_conditions)."""
        return self.stated.gains

    @cached_property
    def _leaves(self) -> tuple[IntArray, BoolArray]:
        """The tree of each leaf, and the cells that lead to it."""
        owner, cells = self.trees.forest.leaf_cells()
        if cells.size > MOST_ENTRIES:
            raise NotCertifiedError(f"sums of trees of more than {MOST_ENTRIES} leaves times intervals take too long")
        return owner, cells

    @property
    def leaf_tree(self) -> IntArray:
        """The tree of each leaf, int array of shape (n_leaves,)."""
        return self._leaves[0]

    @property
    def leaf_cells(self) -> BoolArray:
        """Cells that lead to leaves, array of shape (n_leaves, n_cells)."""
        return self._leaves[1]

    @cached_property
    def n_trees(self) -> int:
        """Number of trees."""
        return int(self.leaf_tree.max(initial=-1)) + 1

    def record(
        self, node: ProofNode, slopes: FloatArray, constant: float, others: dict[str, Any], most_nodes: int
    ) -> list[str] | None:
        """Let the kernel prove a node, with slopes of features and a constant from other multipliers; None if it fails.

        What it writes are lines of the certificate: of the node, and of all that it is divided into.
        """
        if self.nothing is not None:
            return None
        price, plain = self._cells(node, slopes)
        least = np.minimum.reduceat(plain, self.first)
        if np.isinf(least).any():
            return None
        more = as_text(others)[1:-1]
        found: list[str] | None = self.trees.forest.record(
            plain * (1 - COST_ROUNDING),
            price,
            constant + float(slopes @ self.costs.row),
            wanted=self.costs.bound * (1 + AHEAD),
            cutoff=self.costs.bound * (1 + 2 * AHEAD),
            least=self.needed / self.trees.scale,
            scale=self.trees.scale,
            bits=self.bits,
            nodes=most_nodes,
            written=(self.trees.feature, self.column_of_var, self.low_text, self.high_text, more + "," if more else ""),
        )
        return found

    def solve(self, node: ProofNode, slopes: FloatArray, constant: float, wanted: float) -> TreeBound:
        """Bound a node, with slopes of features and a constant from what else holds."""
        if self.nothing is not None:
            return TreeBound(TreeMultipliers(self.bits, self.nothing), np.inf)
        self.n_entries += self.leaf_cells.size
        self.n_solved += 1
        if self.n_entries > MOST_ENTRIES_OF_ALL or self.n_solved > MOST_SOLVED:
            raise NotCertifiedError("the proof takes too many nodes for so many trees")
        cost, plain = self._cells(node, slopes)
        least = np.minimum.reduceat(cost, self.first)
        if np.isinf(least).any():
            return TreeBound(TreeMultipliers(self.bits, [0] * len(self.needed)), np.inf)
        kept = np.flatnonzero(np.isfinite(cost))
        first = np.searchsorted(kept, self.first)
        inside = self.leaf_cells[:, kept]
        spent = np.minimum.reduceat(np.where(inside, plain[kept], np.inf), first, axis=1).sum(axis=1)
        alive = np.flatnonzero(spent < self.costs.bound)
        base = constant + float(slopes @ self.costs.row)
        empty = self._empty(node, alive, slopes, base)
        if empty is not None:
            return empty
        shifted = np.where(np.isfinite(cost), cost - np.repeat(least, np.diff(self.trees.first_cell)), np.inf)
        room = wanted - base - float(least.sum())
        _, mu, pi, theta = self.trees.forest.first_bound(shifted, shifted * (1 - 1e-14), room * 1.5, N_SWEEPS)
        if mu is None or not mu > 0:
            pi, theta = np.zeros(len(self.needed)), np.zeros((self.n_trees, len(cost)))
            mu = 1.0
        unit = 2.0**-self.bits
        weights = np.round(np.maximum(pi, 0.0) / (mu * self.trees.scale) / unit)
        messages = np.round(theta[:, kept] / mu / unit)
        if not np.isfinite(messages).all() or np.abs(messages).max(initial=0.0) > 2.0**52:
            weights, messages = np.zeros(len(self.needed)), np.zeros_like(messages)
        near = _NearCells(kept, first, alive, inside[alive], cost[kept])
        value, split, point = self._evaluated(node, near, weights * unit, messages * unit)
        runs = self._runs(messages, near) if value + base >= wanted else []
        return TreeBound(TreeMultipliers(self.bits, [int(w) for w in weights], runs), value + base, split, point)

    # ---- cells ----

    def _cells(self, node: ProofNode, slopes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Least costs of cells within a node with slopes, and without; infinite where a cell is out of it."""
        trees, costs = self.trees, self.costs
        f, row, prices = trees.feature, costs.row, costs.prices
        x, price = row[f], prices[f]
        low = np.maximum(np.maximum(self.low, node.lower[f]), x - costs.reach[f])
        high = np.minimum(np.minimum(self.high, node.upper[f]), x + costs.reach[f])
        stays = (low <= x) & (x <= high)
        whole = costs.domain.integer[f]
        best, plain = np.where(stays, 0.0, np.inf), np.where(stays, 0.0, np.inf)
        changed = costs.domain.per_change if costs.domain.prices_are_separate else 0.0
        for a, b in ((low, np.minimum(high, costs.below[f])), (np.maximum(low, costs.above[f]), high)):
            a, b = np.where(whole, np.ceil(a), a), np.where(whole, np.floor(b), b)
            for end in (a, b):
                with np.errstate(invalid="ignore"):
                    size = price * np.abs(end - x)
                    cost = size + slopes[f] * (end - x) + changed
                best = np.where(a <= b, np.minimum(best, cost), best)
                plain = np.where(a <= b, np.minimum(plain, size), plain)
        for number, features in enumerate(costs.categories):
            left = costs.levels(node, number)
            own = int(features[row[features] == 1][0])
            for level in features.tolist():
                cell = np.flatnonzero(~trees.is_number & (f == level))
                entered = 0.0 if level == own else float(prices[level] + prices[own])
                extra = 0.0 if level == own else float(slopes[level] - slopes[own]) + changed
                plain[cell] = entered if level in left else np.inf
                best[cell] = entered + extra if level in left else np.inf
        return best, plain

    def _empty(self, node: ProofNode, alive: IntArray, slopes: FloatArray, base: float) -> TreeBound | None:
        """Close a node in which some tree has no leaf left, or the best leaves are too little for some condition."""
        best = np.full((self.n_trees, len(self.needed)), -np.inf)
        np.maximum.at(best, self.leaf_tree[alive], self.gains[alive])
        nothing = TreeMultipliers(self.bits, [0] * len(self.needed))
        if np.isinf(best).any():
            return TreeBound(nothing, np.inf)
        missing = self.needed - best.sum(axis=0)
        r = int(np.argmax(missing)) if len(missing) else -1
        if r < 0 or not missing[r] > 1e-9 * (abs(self.needed[r]) + np.abs(best[:, r]).sum()):
            return None
        short = self.costs.bound - min(self.costs.least(node, slopes) + base, 0.0)
        weight = int(np.ceil(BEYOND * short / missing[r] * 2.0**self.bits))
        pi = [weight if k == r else 0 for k in range(len(missing))]
        return TreeBound(TreeMultipliers(self.bits, pi), np.inf)

    # ---- evaluation ----

    def _evaluated(
        self, node: ProofNode, near: _NearCells, pi: FloatArray, theta: FloatArray
    ) -> tuple[float, tuple[int, float] | None, FloatArray]:
        """Compute what multipliers prove, where columns and trees disagree most, and where columns are least."""
        owner = self.leaf_tree[near.alive]
        to_leaf = np.minimum.reduceat(np.where(near.inside, theta[owner], np.inf), near.first, axis=1)
        value = to_leaf.sum(axis=1) - self.gains[near.alive] @ pi
        of_trees = np.full(self.n_trees, np.inf)
        np.minimum.at(of_trees, owner, value)
        total = near.cost - theta.sum(axis=0)
        bound = self._of_columns(node, total, near) + float(of_trees.sum()) + float(pi @ self.needed)
        ends = np.append(near.first[1:], len(total))
        chosen = np.array([a + int(np.argmin(total[a:b])) for a, b in zip(near.first, ends)])
        return bound, self._split(value, near, chosen), self._point(node, near.kept[chosen])

    def _point(self, node: ProofNode, chosen: IntArray) -> FloatArray:
        """Return the point nearest to the row with these cells."""
        trees, point = self.trees, self.costs.row.copy()
        point[self.costs.domain.layout.group >= 0] = 0.0
        f = trees.feature[chosen]
        low, high = np.maximum(self.low[chosen], node.lower[f]), np.minimum(self.high[chosen], node.upper[f])
        whole = self.costs.domain.integer[f] & ((self.costs.row[f] < low) | (self.costs.row[f] > high))
        low, high = np.where(whole, np.ceil(low), low), np.where(whole, np.floor(high), high)
        point[f] = np.where(trees.is_number[chosen], np.clip(self.costs.row[f], low, np.maximum(low, high)), 1.0)
        return point

    def _of_columns(self, node: ProofNode, total: FloatArray, near: _NearCells) -> float:
        """Sum over columns; where changes are counted, a column stays or is at its best cell."""
        domain = self.costs.domain
        least = np.minimum.reduceat(total, near.first)
        if domain.max_changes is None and domain.prices_are_separate:
            return float(least.sum())
        f, is_number = self.trees.feature[near.kept], self.trees.is_number[near.kept]
        x = self.costs.row[f]
        own = np.where(is_number, (self.low[near.kept] <= x) & (x <= self.high[near.kept]), x == 1)
        own &= ~is_number | ((node.lower[f] <= x) & (x <= node.upper[f]))
        stays = np.minimum.reduceat(np.where(own, total - near.cost, np.inf), near.first)
        stay, best = np.zeros(domain.layout.n_columns), np.zeros(domain.layout.n_columns)
        stay[self.column_of_var], best[self.column_of_var] = stays, np.minimum(least, stays)
        unit, n_units = domain.layout.unit, domain.layout.n_units
        staying = np.zeros(n_units)
        moving = np.full(n_units, 0.0 if domain.prices_are_separate else domain.per_change)
        np.add.at(staying, unit, stay)
        np.add.at(moving, unit, best)
        forced = np.isinf(staying)
        sure = float(moving[forced].sum() + staying[~forced].sum())
        gains = np.sort(np.minimum(moving - staying, 0.0)[~forced])
        if domain.max_changes is not None:
            left = domain.max_changes - int(forced.sum())
            return np.inf if left < 0 else sure + float(gains[:left].sum())
        return sure + float(gains.sum())

    def _split(self, value: FloatArray, near: _NearCells, chosen: IntArray) -> tuple[int, float] | None:
        """Find the cut between the best cells of columns and the best leaves of trees that most of them want."""
        ends = np.append(near.first[1:], len(near.kept))
        owner = self.leaf_tree[near.alive]
        starts = np.searchsorted(owner, np.arange(self.n_trees + 1))
        here: BoolArray = np.asarray(near.inside[:, chosen].all(axis=1))
        worth: dict[int, float] = {}
        for a, b in pairwise(starts.tolist()):
            best = a + int(np.argmin(value[a:b]))
            gained = float(value[a:b][here[a:b]].min(initial=np.inf)) - float(value[best])
            gained = 1.0 if not np.isfinite(gained) else gained + 1e-12
            for v in np.flatnonzero(~near.inside[best, chosen]).tolist():
                cells = near.first[v] + np.flatnonzero(near.inside[best, near.first[v] : ends[v]])
                k, other = chosen[v], cells[np.argmin(np.abs(cells - chosen[v]))]
                cut = int(k if other > k and self.trees.is_number[near.kept[k]] else other)
                worth[cut] = worth.get(cut, 0.0) + gained
        if not worth:
            counts = ends - near.first
            v = int(np.argmax(counts))
            if counts[v] < 2:
                return None
            worth[int(near.first[v] + (counts[v] - 1) // 2)] = 1.0
        cell = near.kept[max(worth, key=lambda key: worth[key])]
        return int(self.trees.feature[cell]), float(self.high[cell])

    # ---- writing ----

    def _runs(self, messages: FloatArray, near: _NearCells) -> list[list[Any]]:
        """Write messages by pieces: the last number of each, None for no end; or by levels."""
        found: list[list[Any]] = []
        ends = np.append(near.first[1:], len(near.kept))
        for v, (a, b) in enumerate(zip(near.first, ends)):
            cells, own, column = near.kept[a:b], messages[:, a:b], int(self.column_of_var[v])
            for t in np.flatnonzero(own.any(axis=1)).tolist():
                if not self.trees.is_number[cells[0]]:
                    pairs = [[int(self.trees.feature[k]), int(m)] for k, m in zip(cells, own[t]) if m]
                    found.append([t, column, pairs])
                    continue
                changes = np.flatnonzero(np.diff(own[t])).tolist()
                pieces = [[float(self.high[cells[k]]), int(own[t, k])] for k in changes]
                found.append([t, column, [*pieces, [None, int(own[t, -1])]]])
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _NearCells:
    """Cells of a node that matter, and leaves that they leave.

    Attributes
    ----------
    kept : int array of shape (n_kept,)
        The cells.
    first : int array of shape (n_vars,)
        Where those of each column start.
    alive : int array of shape (n_alive,)
        The leaves, tree by tree.
    inside : bool array of shape (n_alive, n_kept)
    cost : array of shape (n_kept,)
    """

    kept: IntArray
    first: IntArray
    alive: IntArray
    inside: BoolArray
    cost: FloatArray


def _out_of_reach(stated: StatedTrees, bound: float) -> list[int]:
    """Return weights of conditions that the best leaves of all trees miss by a bound, whole numbers."""
    trees = stated.trees
    owner = np.searchsorted(trees.roots, np.flatnonzero(trees.feature < 0), side="right") - 1
    n = len(stated.needed)
    for pi in (*np.eye(n), np.ones(n)):
        best = np.full(trees.n_trees, -np.inf)
        np.maximum.at(best, owner, stated.gains @ pi)
        missing = float(stated.needed @ pi - best.sum())
        if missing > 1e-9 * (np.abs(stated.needed) @ pi + np.abs(best).sum()):
            return [int(np.ceil(BEYOND * bound / missing)) * int(weight) for weight in pi]
    raise NotCertifiedError("the model never decides so, by less than its rounding")
