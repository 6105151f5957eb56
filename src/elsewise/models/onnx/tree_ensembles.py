"""Tree ensembles of ONNX (TreeEnsembleClassifier, TreeEnsembleRegressor) as sums of trees over the input columns.

Comparisons are of 32-bit numbers. Sums have 32 bits, from zero, tree by tree; base values come last, here as the only
leaf of one more tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import FloatArray, IntArray
from ...errors import UnsupportedModelError
from ...search.relaxations.tree_sums.trees import TreeSum
from .columns import ColumnChain, thresholds_before

# Modes of nodes: whether the condition is on numbers below the threshold, and whether that is strict.
_MODES = {
    "BRANCH_LEQ": (True, False),
    "BRANCH_LT": (True, True),
    "BRANCH_GTE": (False, True),
    "BRANCH_GT": (False, False),
}


def read_trees(
    attributes: Mapping[str, Any], columns: Sequence[ColumnChain], n_inputs: int, n_scores: int, kind: str
) -> TreeSum:
    """Read the attributes of a tree ensemble.

    Parameters
    ----------
    attributes : mapping of str to list
    columns : sequence of ColumnChain
        What the ensemble takes.
    n_inputs, n_scores : int
    kind : "class" or "target"
        How the attributes of leaves are called.
    """
    modes = [mode.decode() for mode in attributes["nodes_modes"]]
    other = {*modes} - {*_MODES, "LEAF"}
    if other:
        raise UnsupportedModelError(f"A tree ensemble with nodes of the mode {sorted(other)[0]} is not read.")
    trees, numbers = attributes["nodes_treeids"], attributes["nodes_nodeids"]
    place = {key: k for k, key in enumerate(zip(trees, numbers))}
    is_leaf = np.array([mode == "LEAF" for mode in modes])
    feature = np.where(is_leaf, -1, np.array(attributes["nodes_featureids"], dtype=np.int64))
    yes, no = (
        np.array([-1 if leaf else place[tree, child] for tree, child, leaf in zip(trees, attributes[name], is_leaf)])
        for name in ("nodes_truenodeids", "nodes_falsenodeids")
    )
    thresholds = np.array(attributes["nodes_values"], dtype=np.float32).astype(np.float64)
    is_below = np.array([_MODES.get(mode, (True, False))[0] for mode in modes])
    is_strict = np.array([_MODES.get(mode, (True, False))[1] for mode in modes])
    limit, swaps = np.zeros(len(modes)), ~is_below
    for j, strict in {(int(feature[k]), bool(is_strict[k])) for k in np.flatnonzero(~is_leaf)}:
        nodes = (feature == j) & (is_strict == strict)
        limit[nodes], rises = thresholds_before(columns[j], thresholds[nodes], strict=strict)
        swaps[nodes] ^= not rises
    value = np.zeros((len(modes), n_scores))
    leaves = zip(*(attributes[f"{kind}_{name}"] for name in ("treeids", "nodeids", "ids", "weights")))
    for tree, number, score, weight in leaves:
        value[place[tree, number], score if n_scores > 1 else 0] += np.float32(weight)
    base = np.array(attributes.get("base_values") or np.zeros(n_scores), dtype=np.float32).astype(np.float64)
    if len(base) != n_scores:
        raise UnsupportedModelError(f"A tree ensemble with {len(base)} base values for {n_scores} sums is not read.")
    found = TreeSum(
        n_features=n_inputs,
        roots=_roots(trees, np.concatenate([yes, no])),
        feature=np.where(is_leaf, -1, np.array([columns[max(j, 0)].place for j in feature.tolist()])),
        limit=limit,
        codes=np.full(len(modes), -1),
        code_sets=(),
        missing_left=np.zeros(len(modes), dtype=np.bool_),
        zero_is_missing=np.zeros(len(modes), dtype=np.bool_),
        left=np.where(swaps, no, yes),
        right=np.where(swaps, yes, no),
        value=value,
        base=np.zeros(n_scores),
        single=True,
        divisor=1.0,
    )
    return found.joined([_leaf(found, base)])


def _leaf(trees: TreeSum, value: FloatArray) -> TreeSum:
    """Return a tree of one leaf, of the same features and scores as others."""
    one = np.zeros(1, dtype=np.int64)
    return replace(
        trees,
        roots=one,
        feature=one - 1,
        limit=np.zeros(1),
        codes=one - 1,
        missing_left=one > 0,
        zero_is_missing=one > 0,
        left=one - 1,
        right=one - 1,
        value=value[None],
    )


def _roots(trees: Sequence[int], children: IntArray) -> IntArray:
    """First node of each tree: the one that is no child; nodes of a tree must be listed together, the root first."""
    is_child = np.zeros(len(trees), dtype=np.bool_)
    is_child[children[children >= 0]] = True
    starts = np.flatnonzero(np.diff(np.array(trees, dtype=np.int64), prepend=trees[0] - 1))
    roots = np.flatnonzero(~is_child)
    if len(starts) != len(roots) or (starts != roots).any():
        raise UnsupportedModelError("A tree ensemble whose nodes are not listed tree by tree, root first, is not read.")
    return roots
