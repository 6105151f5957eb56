"""Trees behind steps, as trees of what the steps take.

A split ``z_j <= t`` behind a rising function is the split ``y <= c``, ``c`` the largest double for which the
transformers' own arithmetic gives at most ``t``; behind a falling one the sides change places. Behind steps a split
sends some pieces left and the others right. Where these are a few runs of pieces (the code of a bin in the middle is 1
there and 0 on both sides), the node becomes several splits, and a side that is cut in two is grown twice.

Trees grown by hand, node by node: what is rewritten or made of tables becomes a :class:`TreeSum`.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np

from ...arrays import BoolArray, FloatArray
from ...errors import UnsupportedSettingError
from ...search.relaxations.curves.base import last_where
from ...search.relaxations.tree_sums.trees import TreeSum
from .steps_before import Stepped, StepsBefore, Warped

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
        """Return a split one of its children."""
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
        """Return the trees grown so far as a sum of 64 bits; parameters as for :class:`TreeSum`."""
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


# Nodes that rewritten trees may have: some 100 MB.
MOST_NODES_REWRITTEN = 2_000_000


def rewritten(trees: TreeSum, steps: StepsBefore) -> TreeSum:
    """Write trees over a model's columns as trees over model space."""
    key = _digest(trees)
    if key not in steps.rewritten:
        steps.rewritten.clear()
        steps.rewritten[key] = _rewritten(trees, steps)
    return steps.rewritten[key]


def _digest(trees: TreeSum) -> bytes:
    digest = blake2b(repr((trees.n_features, trees.single, trees.divisor, trees.doubt, trees.base.tolist())).encode())
    nodes = (trees.roots, trees.feature, trees.limit, trees.codes, trees.missing_left, trees.left, trees.right)
    for array in (*nodes, trees.value, *trees.code_sets):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of pieces that a split sends left and right by turns.

    Attributes
    ----------
    ends : list of float
        The last number of each run but the last one, ascending.
    starts_left : bool
        The first run goes left.
    """

    ends: list[float]
    starts_left: bool

    def middle(self, low: float, high: float) -> tuple[float, bool | None]:
        """Find the middle one of the ends between two numbers; without any, whether all goes left there."""
        first, stop = bisect_right(self.ends, low), bisect_left(self.ends, high)
        if first >= stop:
            return 0.0, self.starts_left == (first % 2 == 0)
        return self.ends[(first + stop) // 2], None


def _rewritten(trees: TreeSum, steps: StepsBefore) -> TreeSum:
    warped = [j for j, column in enumerate(steps.columns) if isinstance(column, Warped)]
    if ((trees.codes >= 0) & np.isin(trees.feature, warped)).any():
        j = int(trees.feature[(trees.codes >= 0) & np.isin(trees.feature, warped)][0])
        raise UnsupportedSettingError(
            f"The model splits {steps.columns[j].name} by category behind a step that changes its numbers. Leave that "
            "step out, or fit the model on numbers."
        )
    limit = _behind_warps(trees, steps, warped)
    falls = np.array([isinstance(column, Warped) and not column.rises for column in steps.columns])
    swaps = (trees.feature >= 0) & falls[trees.feature]
    codes = trees.codes.copy()
    runs: dict[int, Runs] = {}
    for node in np.flatnonzero(_is_stepped(trees, steps)).tolist():
        column = steps.columns[trees.feature[node]]
        assert isinstance(column, Stepped)
        goes_left = _pieces_left(trees, node, column)
        changes = np.flatnonzero(goes_left[1:] != goes_left[:-1])
        codes[node] = -1
        if len(changes) > 1:
            runs[node] = Runs(column.ends[changes].tolist(), bool(goes_left[0]))
        else:
            limit[node] = column.ends[changes[0]] if len(changes) else np.inf
            swaps[node] = not goes_left[0]
    plain = replace(
        trees,
        n_features=steps.n_features,
        feature=np.where(trees.feature < 0, -1, steps.places[trees.feature]),
        limit=limit,
        codes=codes,
        left=np.where(swaps, trees.right, trees.left),
        right=np.where(swaps, trees.left, trees.right),
        missing_left=trees.missing_left ^ swaps,
    )
    return _unrolled(plain, _is_stepped(trees, steps), runs) if runs else plain


def _is_stepped(trees: TreeSum, steps: StepsBefore) -> BoolArray:
    stepped = np.array([isinstance(column, Stepped) for column in steps.columns])
    return np.asarray((trees.feature >= 0) & stepped[trees.feature])


def _pieces_left(trees: TreeSum, node: int, column: Stepped) -> BoolArray:
    if trees.codes[node] >= 0:
        return np.asarray(np.isin(np.floor(column.values), trees.code_sets[trees.codes[node]]))
    return np.asarray(column.values <= trees.limit[node])


def _behind_warps(trees: TreeSum, steps: StepsBefore, warped: list[int]) -> FloatArray:
    """Limits of nodes, those of warped columns in model space: all of them bisected at once."""
    limit = trees.limit.copy()
    nodes = [np.flatnonzero((trees.feature == j) & np.isfinite(limit)) for j in warped]
    thresholds = [np.unique(limit[of_column]) for of_column in nodes]
    used = [k for k, of_column in enumerate(thresholds) if len(of_column)]
    columns = [steps.columns[warped[k]] for k in used]
    if not used:
        return limit
    counts = [len(thresholds[k]) for k in used]
    wanted = np.concatenate([thresholds[k] for k in used])
    rises = np.repeat([isinstance(column, Warped) and column.rises for column in columns], counts)

    def holds(numbers: FloatArray) -> BoolArray:
        parts = np.split(numbers, np.cumsum(counts)[:-1])
        z = np.concatenate(steps.functions([warped[k] for k in used], parts))
        return np.asarray((z <= wanted) == rises)

    low = np.repeat([column.low if isinstance(column, Warped) else 0.0 for column in columns], counts)
    high = np.repeat([column.high if isinstance(column, Warped) else 0.0 for column in columns], counts)
    cuts = np.split(last_where(holds, low, high), np.cumsum(counts)[:-1])
    for k, of_column in zip(used, cuts):
        limit[nodes[k]] = of_column[np.searchsorted(thresholds[k], limit[nodes[k]])]
    return limit


def _unrolled(plain: TreeSum, is_stepped: BoolArray, runs: dict[int, Runs]) -> TreeSum:
    """Grow trees anew in which nodes that send several runs of pieces left become several splits.

    Parameters
    ----------
    plain : TreeSum
        Over model space, with nodes that have no limit yet.
    is_stepped : bool array of shape (n_nodes,)
        The node's column is constant between steps.
    runs : dict of node to Runs
        Of those that send several runs of pieces left.
    """
    grown = Growing(plain.n_features, plain.n_scores)
    features, limits, codes = plain.feature.tolist(), plain.limit.tolist(), plain.codes.tolist()
    lefts, rights, stepped = plain.left.tolist(), plain.right.tolist(), is_stepped.tolist()
    missing_left = plain.missing_left.tolist()
    for root in plain.roots.tolist():
        grown.root()
        # nodes to grow: the old node, the numbers between which binned features lie already, and its new parent
        waiting: list[tuple[int, dict[int, tuple[float, float]], int, bool]] = [(root, {}, -1, False)]
        while waiting:
            node, known, parent, is_left = waiting.pop()
            j, limit, inner, outer = features[node], limits[node], known, known
            if j < 0:
                number = grown.leaf(plain.value[node])
            else:
                if stepped[node]:
                    low, high = known.get(j, (-math.inf, math.inf))
                    limit, side = (runs[node] if node in runs else Runs([limit], True)).middle(low, high)
                    if side is not None:  # all that can be here goes one way
                        waiting.append((lefts[node] if side else rights[node], known, parent, is_left))
                        continue
                    inner, outer = {**known, j: (low, limit)}, {**known, j: (limit, high)}
                number = grown.split(j, limit, codes[node], missing_left[node])
                again = node in runs  # the halves of a node with many runs are the node itself, on less
                waiting.append((node if again else rights[node], outer, number, False))
                waiting.append((node if again else lefts[node], inner, number, True))
            if parent >= 0:
                grown.attach(parent, is_left, number)
            if len(grown) > MOST_NODES_REWRITTEN:
                raise UnsupportedSettingError(
                    f"Trees over one-hot codes of bins become more than {MOST_NODES_REWRITTEN:,} boxes of the numbers "
                    'that were binned. Fit the pipeline with KBinsDiscretizer(encode="ordinal"), or shallower trees.'
                )
    unrolled = grown.trees(plain.base, doubt=plain.doubt)
    return replace(unrolled, code_sets=plain.code_sets, single=plain.single, divisor=plain.divisor)
