"""Sums of trees as certificates state them: lists of nodes, and conditions on the sums of leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.linalg import block_diag

from ..arrays import BoolArray, FloatArray
from ..search import Space
from ..search.relaxations.tree_sums.cover import EnsembleCover
from ..search.relaxations.tree_sums.decisions import Decision
from ..search.relaxations.tree_sums.indexed import ROUNDING_SAFETY as SEARCH_SAFETY
from ..search.relaxations.tree_sums.indexed import IndexedTrees, conditions_of
from ..search.relaxations.tree_sums.joint import Joint, members_of
from ..search.relaxations.tree_sums.trees import TreeSum
from ..search.relaxations.tree_sums.votes import exact_leaves, strict_conditions
from .regions import AffineView, NotCertifiedError, Stated

# The prover's account of rounding exceeds the checker's by this factor.
ROUNDING_SAFETY = 1.001
# Ends of cells that are nearer than this, relative to their size, are one, rounded in two ways.
SAME_END = 1e-12


@dataclass(frozen=True, eq=False)
class StatedTrees(Stated):
    """A region where sums of leaves of trees meet conditions ``weights . sums >= least``.

    Attributes
    ----------
    trees : TreeSum
    decision : Decision or Joint
    space : Space
    indexed : IndexedTrees or None
        The trees over cells; None if columns are mixed.
    is_empty : bool
        The model never decides so.
    weights : array of shape (n_conditions, n_scores)
    least, slack : arrays of shape (n_conditions,)
        What sums have to reach, and how far rounding may let them miss it.
    strict : bool array of shape (n_conditions,)
        A tie is not enough, where sums are exact.
    """

    trees: TreeSum
    decision: Decision | Joint
    space: Space
    indexed: IndexedTrees | None
    is_empty: bool
    weights: FloatArray
    least: FloatArray
    slack: FloatArray
    strict: BoolArray
    _ends: dict[bytes, tuple[FloatArray, FloatArray, list[str], list[str]]] = field(default_factory=dict)

    @classmethod
    def of(cls, cover: EnsembleCover) -> StatedTrees:
        """Read the conditions of a cover."""
        each = [_conditions(*member) for member in members_of(cover.trees, cover.decision)]
        weights = block_diag(*(one[0] for one in each))
        least, slack, strict = (np.concatenate([one[k] for one in each]) for k in (1, 2, 3))
        parts = cover.trees, cover.decision, cover.space, cover.indexed, cover.n_parts == 0
        return cls(*parts, weights, least, slack, np.asarray(strict, dtype=np.bool_))

    @property
    def single(self) -> bool:
        """Whether sums are formed in 32 bits."""
        return any(trees.single for trees, _ in members_of(self.trees, self.decision))

    @property
    def is_exact(self) -> BoolArray:
        """Whether sums are exact, as those of votes are; array of shape (n_conditions,)."""
        trees = self.trees
        are_votes = np.array([exact_leaves(score[:, None]).all() for score in trees.value[trees.feature < 0].T])
        plain = np.isin(self.weights, (-1.0, 1.0)) & are_votes
        return np.asarray((plain | (self.weights == 0)).all(axis=1) & (not self.single))

    @cached_property
    def gains(self) -> FloatArray:
        """What leaves add to the conditions, array of shape (n_leaves, n_conditions)."""
        trees = self.trees
        return np.asarray(trees.value[trees.feature < 0] @ self.weights.T)

    @cached_property
    def needed(self) -> FloatArray:
        """What sums of leaves have to reach, array of shape (n_conditions,)."""
        # as the checker does: sums are multiples of what leaves differ by
        trees, found = self.trees, []
        is_leaf = trees.feature < 0
        owner = np.searchsorted(trees.roots, np.flatnonzero(is_leaf), side="right") - 1
        largest = np.zeros(trees.n_trees)
        np.maximum.at(largest, owner, np.abs(trees.value[is_leaf]).max(axis=1, initial=0.0))
        unit = (trees.n_trees + 16) * (2.0**-24 if self.single else 2.0**-53)
        rounding = ROUNDING_SAFETY * unit / (1.0 - unit) * float(largest.sum())
        rows = zip(self.gains.T, self.weights, self.least, self.slack, self.strict, self.is_exact)
        for gains, weights, least, slack, strict, exact in rows:
            if not exact:
                found.append(float(least - max(slack, 0.0)) - rounding * float(np.abs(weights).sum()))
                continue
            whole = np.round(gains * 2.0**20).astype(np.int64)
            first = np.array([whole[owner == t][0] for t in range(trees.n_trees)])
            step = int(np.gcd.reduce(whole - first[owner]))
            start = int(first.sum())
            if step == 0:
                found.append(float(least) + (1.0 if strict else 0.0))
                continue
            count = (float(least if strict else least - max(slack, 0.0)) * 2.0**20 - start) / step
            found.append((start + step * (np.floor(count) + 1 if strict else np.ceil(count))) / 2.0**20)
        return np.array(found)

    def ends(self, whole: BoolArray) -> tuple[FloatArray, FloatArray, list[str], list[str]]:
        """First and last numbers of cells, as the checker has them, also as text; ``whole`` are whole numbers."""
        key = whole.tobytes()
        if key not in self._ends:
            trees = self.indexed
            assert trees is not None
            low, high = trees.low.copy(), trees.high.copy()
            for feature, exact in _exact_ends(self, whole).items():
                cells = np.flatnonzero(trees.is_number & (trees.feature == feature))
                for k in cells[np.isfinite(high[cells])].tolist():
                    near = exact[np.argmin(np.abs(exact - high[k]))]
                    if abs(near - high[k]) <= SAME_END * (trees.blur[k] + abs(near)):
                        high[k], low[k + 1] = near, np.nextafter(near, np.inf)
            self._ends[key] = low, high, [repr(end) for end in low.tolist()], [repr(end) for end in high.tolist()]
        return self._ends[key]

    @property
    def as_json(self) -> dict[str, Any]:
        """Trees as lists of nodes: ``[feature, limit, left, right]`` or ``[scores]``."""
        space = self.space
        rows = zip(self.weights.tolist(), self.least.tolist(), self.slack.tolist(), self.strict.tolist())
        return {
            "kind": "trees",
            "map": AffineView(space.matrix, space.offset).as_json,
            "single": self.single,
            "conditions": [{"weights": w, "least": b, "slack": max(s, 0.0), "strict": t} for w, b, s, t in rows],
            "trees": [_nodes_of(self, int(root)) for root in self.trees.roots],
        }


def _exact_ends(stated: StatedTrees, whole: BoolArray) -> dict[int, FloatArray]:
    """Return the last doubles before limits of trees, of numbers that they see scaled, as the checker has them."""
    space, trees, group = stated.space, stated.trees, stated.space.group
    found: dict[int, set[tuple[float, Fraction, Fraction]]] = {}
    for j in np.unique(trees.feature[trees.feature >= 0]).tolist():
        places = np.flatnonzero(space.matrix[j])
        if len(places) != 1 or group[places[0]] >= 0:
            continue
        slope, offset = Fraction(float(space.matrix[j, places[0]])), Fraction(float(space.offset[j]))
        limits = np.unique(trees.limit[trees.feature == j])
        for limit in limits[np.isfinite(limits)].tolist():
            cut = (Fraction(limit) - offset) / slope
            last = float(cut)
            if last > cut or (last == cut and slope < 0):
                last = float(np.nextafter(last, -np.inf))
            found.setdefault(int(places[0]), set()).add((last, slope, offset))
    ends: dict[int, FloatArray] = {}
    for feature, of_feature in found.items():
        views = {(m, o) for _, m, o in of_feature}
        if views == {(Fraction(1), Fraction(0))}:
            continue
        shift = max(abs(offset / slope) for slope, offset in views)
        ends[feature] = np.array(sorted({last for last, _, _ in of_feature}))
        for (a, *one), (b, *other) in pairwise(sorted(of_feature)):
            if one != other and b - a <= SAME_END * (abs(b) + float(shift)) and not whole[feature]:
                raise NotCertifiedError("two models divide a column at places that are one but for rounding")
    return ends


def _conditions(trees: TreeSum, decision: Decision) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Weights, least sums of leaves, slack, and which conditions a tie does not meet."""
    weights, least = decision.rows(trees.n_scores)
    nominal = least * trees.divisor - weights @ trees.base
    # the rounding of a sum of leaves is the checker's to bound; that of a base, and all else, is not
    eps = float(np.finfo(np.float32 if trees.single else np.float64).eps)
    of_leaves = trees.rounding() - trees.doubt - (trees.n_trees + 2) * eps * float(np.abs(trees.base).max(initial=0.0))
    slack = nominal - conditions_of(trees, decision)[1] - SEARCH_SAFETY * of_leaves * np.abs(weights).sum(axis=1)
    return weights, nominal, slack, strict_conditions(trees, decision, len(least))


def _levels_left(stated: StatedTrees, node: int) -> list[int]:
    """Levels that a node by category codes sends left: indicators of one category."""
    space, trees = stated.space, stated.trees
    j = int(trees.feature[node])
    seen = np.flatnonzero(space.matrix[j])
    groups = np.unique(space.group[seen])
    if len(groups) != 1 or groups[0] < 0:
        raise NotCertifiedError("trees that divide numbers by codes, or by missing values, have no certificates yet")
    levels = np.flatnonzero(space.group == groups[0])
    left = trees.goes_left(node, space.matrix[j, levels] + space.offset[j])
    return [int(level) for level in levels[left]]


def _nodes_of(stated: StatedTrees, root: int) -> list[list[Any]]:
    """List the nodes of a tree, each before those below it; comparisons that send everything one way are left out."""
    trees, by_table = stated.trees, stated.trees.is_by_table
    found: list[list[Any]] = []
    waiting = [(root, -1, 0)]
    while waiting:
        node, parent, side = waiting.pop()
        while trees.feature[node] >= 0 and not by_table[node] and np.isinf(trees.limit[node]):
            node = int(trees.left[node] if trees.limit[node] > 0 else trees.right[node])
        if parent >= 0:
            found[parent][side] = len(found)
        if trees.feature[node] < 0:
            found.append([trees.value[node].tolist()])
            continue
        waiting += [(int(trees.right[node]), len(found), 3), (int(trees.left[node]), len(found), 2)]
        if by_table[node]:
            found.append([_levels_left(stated, node), None, -1, -1])
        else:
            found.append([int(trees.feature[node]), float(trees.limit[node]), -1, -1])
    return found
