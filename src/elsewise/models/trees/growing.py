"""Trees grown by hand, node by node: what is rewritten or made of tables becomes a :class:`TreeSum`."""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray
from ...search.relaxations.tree_sums.trees import TreeSum

_NO_NODE = -1


class Growing:
    """Trees under construction; the first node of a tree is its root.

    Parameters
    ----------
    n_features, n_scores : int
    """

    def __init__(self, n_features: int, n_scores: int) -> None:
        self.n_features, self.n_scores = n_features, n_scores
        self._roots: list[int] = []
        self._feature: list[int] = []
        self._limit: list[float] = []
        self._codes: list[int] = []
        self._missing_left: list[bool] = []
        self._left: list[int] = []
        self._right: list[int] = []
        self._value: list[FloatArray] = []

    def __len__(self) -> int:
        return len(self._feature)

    def root(self) -> None:
        """Begin a tree with the next node."""
        self._roots.append(len(self))

    def leaf(self, value: FloatArray) -> int:
        """Add a leaf of a value of shape (n_scores,); returns its number."""
        return self._node(_NO_NODE, 0.0, -1, False, value)

    def split(self, feature: int, limit: float, codes: int = -1, missing_left: bool = False) -> int:
        """Add a split whose children are given later; numbers up to the limit go left, or codes of a set."""
        return self._node(feature, limit, codes, missing_left, np.zeros(self.n_scores))

    def attach(self, parent: int, is_left: bool, child: int) -> None:
        """Give a split one of its children."""
        (self._left if is_left else self._right)[parent] = child

    def _node(self, feature: int, limit: float, codes: int, missing_left: bool, value: FloatArray) -> int:
        self._feature.append(feature)
        self._limit.append(limit)
        self._codes.append(codes)
        self._missing_left.append(missing_left)
        self._left.append(_NO_NODE)
        self._right.append(_NO_NODE)
        self._value.append(value)
        return len(self) - 1

    def trees(self, base: FloatArray, *, doubt: float = 0.0) -> TreeSum:
        """Give the trees grown so far as a sum of 64 bits; parameters as for :class:`TreeSum`."""
        return TreeSum(
            n_features=self.n_features,
            roots=np.array(self._roots, dtype=np.int64),
            feature=np.array(self._feature, dtype=np.int64),
            limit=np.array(self._limit),
            codes=np.array(self._codes, dtype=np.int64),
            code_sets=(),
            missing_left=np.array(self._missing_left, dtype=np.bool_),
            zero_is_missing=np.zeros(len(self), dtype=np.bool_),
            left=np.array(self._left, dtype=np.int64),
            right=np.array(self._right, dtype=np.int64),
            value=np.array(self._value).reshape(len(self), self.n_scores),
            base=base,
            single=False,
            divisor=1.0,
            doubt=doubt,
        )
