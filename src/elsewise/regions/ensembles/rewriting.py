"""Trees behind steps, as trees of what the steps take.

A split ``z_j <= t`` behind a rising function is the split ``y <= c``, ``c`` the largest double for which the
transformers' own arithmetic gives at most ``t``; behind a falling one the sides change places. Behind steps a split
sends some pieces left and the others right. Where these are a few runs of pieces (the code of a bin in the middle is 1
there and 0 on both sides), the node becomes several splits, and a side that is cut in two is grown twice.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ...errors import UnsupportedSettingError
from .bisecting import last_where
from .growing import Growing
from .steps_before import Stepped, StepsBefore, Warped
from .trees import TreeSum

# Nodes that rewritten trees may have: some 100 MB.
MOST_NODES = 2_000_000


def rewritten(trees: TreeSum, steps: StepsBefore) -> TreeSum:
    """Write trees over a model's columns as trees over model space."""
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
    pieces_left: dict[int, BoolArray] = {}
    for node in np.flatnonzero(_is_stepped(trees, steps)).tolist():
        column = steps.columns[trees.feature[node]]
        assert isinstance(column, Stepped)
        goes_left = _pieces_left(trees, node, column)
        changes = np.flatnonzero(goes_left[1:] != goes_left[:-1])
        codes[node] = -1
        if len(changes) > 1:
            pieces_left[node] = goes_left
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
    return _unrolled(plain, trees.feature, pieces_left, steps) if pieces_left else plain


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


def _unrolled(plain: TreeSum, columns: IntArray, pieces_left: dict[int, BoolArray], steps: StepsBefore) -> TreeSum:
    """Grow trees anew in which nodes that send several runs of pieces left become several splits."""
    grown = Growing(plain.n_features, plain.n_scores)
    for root in plain.roots.tolist():
        grown.root()
        # nodes to grow: the old node, the numbers between which binned features lie already, and its new parent
        waiting: list[tuple[int, dict[int, tuple[float, float]], int, bool]] = [(root, {}, -1, False)]
        while waiting:
            node, known, parent, is_left = waiting.pop()
            j, column = int(plain.feature[node]), steps.columns[columns[node]]
            if j < 0:
                number = grown.leaf(plain.value[node])
            else:
                limit, inner, outer = float(plain.limit[node]), known, known
                if isinstance(column, Stepped):
                    low, high = known.get(j, (-np.inf, np.inf))
                    ends, goes_left = column.ends, pieces_left.get(node)
                    if goes_left is None:
                        ends, goes_left = np.array([limit]), np.array([True, False])
                    limit, side = _middle_change(ends, goes_left, low, high)
                    if side is not None:  # all that can be here goes one way
                        waiting.append((int((plain.left if side else plain.right)[node]), known, parent, is_left))
                        continue
                    inner, outer = {**known, j: (low, limit)}, {**known, j: (limit, high)}
                number = grown.split(j, limit, int(plain.codes[node]), bool(plain.missing_left[node]))
                again = node in pieces_left  # the halves of a node with many runs are the node itself, on less
                waiting.append((node if again else int(plain.right[node]), outer, number, False))
                waiting.append((node if again else int(plain.left[node]), inner, number, True))
            if parent >= 0:
                grown.attach(parent, is_left, number)
            if len(grown) > MOST_NODES:
                raise UnsupportedSettingError(
                    f"Trees over one-hot codes of bins become more than {MOST_NODES:,} boxes of the numbers that were "
                    'binned. Fit the pipeline with KBinsDiscretizer(encode="ordinal"), or with shallower trees.'
                )
    unrolled = grown.trees(plain.base, doubt=plain.doubt)
    return replace(unrolled, code_sets=plain.code_sets, single=plain.single, divisor=plain.divisor)


def _middle_change(ends: FloatArray, goes_left: BoolArray, low: float, high: float) -> tuple[float, bool | None]:
    """Find the middle one of the ends at which sides change between two numbers; without any, the only side."""
    first, last = np.searchsorted(ends, low, side="right"), np.searchsorted(ends, high, side="left")
    changes = first + np.flatnonzero(goes_left[first + 1 : last + 1] != goes_left[first:last])
    if len(changes) == 0:
        return 0.0, bool(goes_left[first])
    return float(ends[changes[len(changes) // 2]]), None
