"""A sum of trees as plain arrays, whichever library grew it.

Every comparison of every library is one of a double: a value ``z`` goes left where ``z <= limit``. scikit-learn's
forests compare ``float32(z) <= t``, XGBoost ``float32(z) < t``, LightGBM and histogram boosting ``z <= t``; the limit
is the largest double for which that holds, so nothing is lost (:mod:`elsewise.models.tree` explains the rounding).
Splits by category send codes left that are in a set: ``c <= z < c + 1`` for one of its whole numbers ``c``; a code
below zero stands for a missing value. LightGBM may be set to take zero for a missing value, too, and XGBoost any one
number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ....arrays import BoolArray, FloatArray, IntArray

# Numbers that are no larger than this are zero to LightGBM.
LIGHTGBM_ZERO = float(np.float32(1e-35))


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
        Missing values go left.
    zero_is_missing : bool array of shape (n_nodes,)
        Numbers that stand for missing values go where these go: zero to LightGBM, unless ``missing_ends`` says which.
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
    missing_ends : array of shape (n_nodes, 2), or None
        The first and last number that stands for a missing value; None where these are LightGBM's.
    """

    n_features: int
    roots: IntArray
    feature: IntArray
    limit: FloatArray
    codes: IntArray
    code_sets: tuple[IntArray, ...]
    missing_left: BoolArray
    zero_is_missing: BoolArray
    left: IntArray
    right: IntArray
    value: FloatArray
    base: FloatArray
    single: bool
    divisor: float
    doubt: float = 0.0
    missing_ends: FloatArray | None = None

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.roots)

    @property
    def n_scores(self) -> int:
        """Number of sums: one, or one a class."""
        return len(self.base)

    @property
    def is_by_table(self) -> BoolArray:
        """Nodes that are no single comparison, by category or with missing zeros; bool array of shape (n_nodes,)."""
        return np.asarray((self.codes >= 0) | self.zero_is_missing)

    def goes_left(self, node: int, z: FloatArray) -> BoolArray:
        """Whether numbers go left at one node, array of shape (n,)."""
        if self.codes[node] >= 0:
            left = np.isin(np.floor(z), self.code_sets[self.codes[node]])
            missing = np.isnan(z) | (z < 0)
        else:
            left = z <= self.limit[node]
            missing = np.isnan(z) | (self.zero_is_missing[node] & self._stands_for_missing(np.array(node), z))
        return np.where(missing, self.missing_left[node], left)

    def _stands_for_missing(self, node: IntArray, z: FloatArray) -> BoolArray:
        """Whether numbers are those that stand for missing values at nodes, arrays of the same shape or scalars."""
        if self.missing_ends is None:
            return np.asarray(np.abs(z) <= LIGHTGBM_ZERO)
        return np.asarray((z >= self.missing_ends[node, 0]) & (z <= self.missing_ends[node, 1]))

    def ends_of_missing(self) -> FloatArray:
        """First and last number that stands for a missing value at each node, array of shape (n_nodes, 2)."""
        if self.missing_ends is not None:
            return self.missing_ends
        return np.tile([-LIGHTGBM_ZERO, LIGHTGBM_ZERO], (len(self.feature), 1))

    def where_missing(self, features: BoolArray) -> TreeSum:
        """Make the sum for rows whose values of some features are missing: their nodes lead where these go.

        Parameters
        ----------
        features : bool array of shape (n_features,)

        Returns
        -------
        TreeSum
            Of the same features; those that are missing do not occur in it.
        """
        gone = (self.feature >= 0) & features[np.maximum(self.feature, 0)]
        instead = np.arange(len(self.feature))
        instead[gone] = np.where(self.missing_left, self.left, self.right)[gone]
        while True:  # a way of several such nodes is halved each time
            further = instead[instead]
            if (further == instead).all():
                break
            instead = further
        left, right = (
            np.where(self.feature < 0, ends, instead[np.maximum(ends, 0)]) for ends in (self.left, self.right)
        )
        return self._reached(instead[self.roots], left, right)

    def _reached(self, roots: IntArray, left: IntArray, right: IntArray) -> TreeSum:
        """Leave out nodes that no row reaches: leaves are listed tree by tree."""
        order: list[int] = []
        first: list[int] = []
        for root in roots.tolist():
            first.append(len(order))
            waiting = [root]
            while waiting:
                node = waiting.pop()
                order.append(node)
                if self.feature[node] >= 0:
                    waiting += [int(right[node]), int(left[node])]
        nodes = np.array(order, dtype=np.int64)
        place = np.full(len(self.feature), -1)
        place[nodes] = np.arange(len(nodes))
        is_leaf = self.feature[nodes] < 0
        return replace(
            self,
            roots=np.array(first, dtype=np.int64),
            feature=self.feature[nodes],
            limit=self.limit[nodes],
            codes=self.codes[nodes],
            missing_left=self.missing_left[nodes],
            zero_is_missing=self.zero_is_missing[nodes],
            missing_ends=None if self.missing_ends is None else self.missing_ends[nodes],
            left=np.where(is_leaf, -1, place[np.maximum(left[nodes], 0)]),
            right=np.where(is_leaf, -1, place[np.maximum(right[nodes], 0)]),
            value=self.value[nodes],
        )

    def leaves_of(self, Z: FloatArray) -> IntArray:
        """Nodes in which rows end, array of shape (n_samples, n_trees)."""
        node = np.repeat(self.roots[None], len(Z), axis=0)
        while True:
            feature = self.feature[node]
            inner = feature >= 0
            if not inner.any():
                return node
            z = np.take_along_axis(Z, np.maximum(feature, 0), axis=1)
            goes_left, missing = z <= self.limit[node], np.isnan(z)
            if len(self.code_sets):
                by_code = self.codes[node]
                for place in np.unique(by_code[inner & (by_code >= 0)]).tolist():
                    chosen = by_code == place
                    goes_left[chosen] = np.isin(np.floor(z[chosen]), self.code_sets[place])
                    missing[chosen] |= z[chosen] < 0
            missing |= self.zero_is_missing[node] & self._stands_for_missing(node, z)
            goes_left = np.where(missing, self.missing_left[node], goes_left)
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
                limits.append(np.nextafter([0.0], -np.inf))  # codes of missing values are below
            if self.zero_is_missing[of_feature].any():
                ends = self.ends_of_missing()[of_feature & self.zero_is_missing]
                limits += [np.nextafter(ends[:, 0], -np.inf), ends[:, 1]]
            together = np.unique(np.concatenate(limits))
            found.append(together[np.isfinite(together)])
        return found

    def only(self, score: int) -> TreeSum:
        """Leave one of the scores."""
        return replace(self, value=self.value[:, [score]], base=self.base[[score]])

    def first_trees(self, n_trees: int) -> TreeSum:
        """Leave the first trees alone."""
        return self._reached(self.roots[:n_trees], self.left, self.right)

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
            zero_is_missing=np.concatenate([one.zero_is_missing for one in every]),
            left=np.concatenate([one.left + start for one, start in zip(every, first_node)]),
            right=np.concatenate([one.right + start for one, start in zip(every, first_node)]),
            value=np.concatenate([one.value for one in every]),
            base=self.base,
            single=self.single,
            divisor=self.divisor,
            missing_ends=np.concatenate([one.ends_of_missing() for one in every])
            if any(one.missing_ends is not None for one in every)
            else None,
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


def cast_limits(thresholds: FloatArray) -> FloatArray:
    """Limits ``m`` such that ``float32(z) <= threshold`` where ``z < m`` and not where ``z > m``.

    Infinite where no finite 32-bit float lies on one of the two sides: ``m = inf`` sends everything left (scikit-learn
    writes such a threshold to part missing values from all others), ``m = -inf`` sends everything right.

    Parameters
    ----------
    thresholds : array of shape (n_nodes,)

    Returns
    -------
    limits : array of shape (n_nodes,)
    """
    largest = np.finfo(np.float32).max
    with np.errstate(over="ignore"):  # stepping from the largest float to infinity is meant
        nearest = np.clip(thresholds, -largest, largest).astype(np.float32)
        below = np.where(nearest > thresholds, np.nextafter(nearest, np.float32(-np.inf)), nearest)
        above = np.nextafter(below, np.float32(np.inf))
    # exact: the sum of two neighbouring 32-bit floats has 25 significant bits
    return (below.astype(np.float64) + above.astype(np.float64)) / 2
