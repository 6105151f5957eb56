"""A sum of trees as plain arrays, whichever library grew it.

Every comparison of every library is one of a double: a value ``z`` goes left where ``z <= limit``. scikit-learn's
forests compare ``float32(z) <= t``, XGBoost ``float32(z) < t``, LightGBM and histogram boosting ``z <= t``; the limit
is the largest double for which that holds, so nothing is lost (:mod:`elsewise.regions.tree` explains the rounding).
Splits by category send codes left that are in a set: ``c <= z < c + 1`` for one of its whole numbers ``c``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ..tree import cast_limits


@dataclass(frozen=True, slots=True, eq=False)
class TreeSum:
    """Scores that are sums of the leaves a row falls into, one leaf a tree.

    Attributes
    ----------
    n_features : int
        Of model space.
    roots : int array of shape (n_trees,)
    feature : int array of shape (n_nodes,)
        -1 for leaves.
    limit : array of shape (n_nodes,)
        The largest number that goes left; not used where codes are.
    codes : int array of shape (n_nodes,)
        Place in ``code_sets`` of a split by category, -1 for others.
    code_sets : tuple of int arrays
        Whole numbers that go left.
    missing_left : bool array of shape (n_nodes,)
    left, right : int arrays of shape (n_nodes,)
    value : array of shape (n_nodes, n_scores)
        Of leaves.
    base : array of shape (n_scores,)
        What the sums start from.
    single : bool
        Sums are formed in 32 bits, as XGBoost does.
    divisor : float
        The number of trees where votes are averaged, else 1.
    doubt : float
        How far the library's own sums may be from these for another reason than the rounding of these: another order.
    """

    n_features: int
    roots: IntArray
    feature: IntArray
    limit: FloatArray
    codes: IntArray
    code_sets: tuple[IntArray, ...]
    missing_left: BoolArray
    left: IntArray
    right: IntArray
    value: FloatArray
    base: FloatArray
    single: bool
    divisor: float
    doubt: float = 0.0

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.roots)

    @property
    def n_scores(self) -> int:
        """Number of sums: one, or one a class."""
        return len(self.base)

    def leaves_of(self, Z: FloatArray) -> IntArray:
        """Nodes in which rows end, array of shape (n_samples, n_trees)."""
        node = np.repeat(self.roots[None], len(Z), axis=0)
        while True:
            feature = self.feature[node]
            inner = feature >= 0
            if not inner.any():
                return node
            z = np.take_along_axis(Z, np.maximum(feature, 0), axis=1)
            goes_left = z <= self.limit[node]
            for place, codes in enumerate(self.code_sets):
                chosen = self.codes[node] == place
                if chosen.any():
                    goes_left[chosen] = np.isin(np.floor(z[chosen]), codes)
            goes_left = np.where(np.isnan(z), self.missing_left[node], goes_left)
            node = np.where(inner, np.where(goes_left, self.left[node], self.right[node]), node)

    def scores(self, Z: FloatArray) -> FloatArray:
        """Form sums at rows as the library does, tree by tree, in its own precision; shape (n_samples, n_scores)."""
        leaves = self.leaves_of(Z)
        kind = np.float32 if self.single else np.float64
        total = np.repeat(self.base[None].astype(kind), len(Z), axis=0)
        for t in range(self.n_trees):
            total = total + self.value[leaves[:, t]].astype(kind)
        return np.asarray(total, dtype=np.float64) / self.divisor

    def rounding(self) -> float:
        """How far a sum, before it is divided, may be from the exact one."""
        largest = [np.abs(self.value[nodes]).max(initial=0.0) for nodes in self._leaves_by_tree()]
        size = float(np.abs(self.base).max(initial=0.0) + np.sum(largest))
        return (self.n_trees + 2) * float(np.finfo(np.float32 if self.single else np.float64).eps) * size + self.doubt

    def _leaves_by_tree(self) -> list[IntArray]:
        ends = np.append(self.roots[1:], len(self.feature))
        return [first + np.flatnonzero(self.feature[first:end] < 0) for first, end in zip(self.roots, ends)]

    def cuts(self) -> list[FloatArray]:
        """Limits at which some tree tells values of each feature apart, ascending: one array a feature."""
        found = []
        for j in range(self.n_features):
            of_feature = self.feature == j
            limits = [self.limit[of_feature & (self.codes < 0)]]
            for place in np.unique(self.codes[of_feature & (self.codes >= 0)]):
                codes = self.code_sets[place].astype(np.float64)
                limits += [np.nextafter(codes, -np.inf), np.nextafter(codes + 1.0, -np.inf)]
            together = np.unique(np.concatenate(limits))
            found.append(together[np.isfinite(together)])
        return found

    def joined(self, others: list[TreeSum]) -> TreeSum:
        """Add the trees of others, of the same features and scores."""
        every = [self, *others]
        first_node = np.cumsum([0, *(len(one.feature) for one in every)])
        first_set = np.cumsum([0, *(len(one.code_sets) for one in every)])
        return TreeSum(
            n_features=self.n_features,
            roots=np.concatenate([one.roots + start for one, start in zip(every, first_node)]),
            feature=np.concatenate([one.feature for one in every]),
            limit=np.concatenate([one.limit for one in every]),
            codes=np.concatenate([np.where(one.codes < 0, -1, one.codes + s) for one, s in zip(every, first_set)]),
            code_sets=tuple(codes for one in every for codes in one.code_sets),
            missing_left=np.concatenate([one.missing_left for one in every]),
            left=np.concatenate([one.left + start for one, start in zip(every, first_node)]),
            right=np.concatenate([one.right + start for one, start in zip(every, first_node)]),
            value=np.concatenate([one.value for one in every]),
            base=self.base,
            single=self.single,
            divisor=self.divisor,
        )


def left_limits(thresholds: FloatArray, *, strict: bool, single: bool) -> FloatArray:
    """Largest doubles that go left of thresholds.

    Parameters
    ----------
    thresholds : array of shape (n_nodes,)
    strict : bool
        Left is where a value is less, not where it is at most the threshold.
    single : bool
        Values are rounded to 32 bits first.
    """
    if not single:
        return np.nextafter(thresholds, -np.inf) if strict else thresholds
    if strict:
        with np.errstate(over="ignore"):
            thresholds = np.nextafter(thresholds.astype(np.float32), np.float32(-np.inf)).astype(np.float64)
    limits = cast_limits(thresholds)
    with np.errstate(over="ignore"):  # beyond the largest 32-bit float is infinity, as the libraries have it
        stays = limits.astype(np.float32).astype(np.float64) <= thresholds
    return np.where(stays | np.isinf(limits), limits, np.nextafter(limits, -np.inf))
