"""Tree ensembles of ONNX (TreeEnsembleClassifier, TreeEnsembleRegressor) as sums of trees over the input columns.

Comparisons are of 32-bit numbers. Sums have 32 bits, from zero, tree by tree; base values come last, here as the only
leaf of one more tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import FloatArray, IntArray, JsonObject, ReadObject
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
    attributes: ReadObject, columns: Sequence[ColumnChain], n_inputs: int, n_scores: int, kind: str
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
        missing_left=_tracks_true(attributes, is_leaf) ^ swaps,
        zero_is_missing=np.zeros(len(modes), dtype=np.bool_),
        left=np.where(swaps, no, yes),
        right=np.where(swaps, yes, no),
        value=value,
        base=np.zeros(n_scores),
        single=True,
        divisor=1.0,
    )
    return found.joined([_leaf(found, base)])


def _tracks_true(attributes: ReadObject, is_leaf: Any) -> Any:
    """Whether missing values are sent where the condition holds; without a word on it, they fulfil none."""
    said = attributes.get("nodes_missing_value_tracks_true") or np.zeros(len(is_leaf))
    return np.array(said, dtype=np.bool_)


def with_leaves_as_nodes(attributes: ReadObject) -> JsonObject:
    """Write a TreeEnsemble, whose leaves are listed apart from its nodes, as a TreeEnsembleRegressor.

    Trees are written one after the other, each from its root.
    """
    from onnx import numpy_helper

    splits, kinds, weights = (
        numpy_helper.to_array(attributes[name]) for name in ("nodes_splits", "nodes_modes", "leaf_weights")
    )
    if (kinds >= len(_MODES)).any():
        raise UnsupportedModelError("A TreeEnsemble is read if its nodes compare by <=, <, >= or >.")
    tracks = attributes.get("nodes_missing_value_tracks_true") or [0] * len(kinds)
    rows: list[tuple[int, int, int, bytes, float, int, int, int]] = []
    leaves: list[tuple[int, int, float]] = []

    def write(tree: int, number: int, place: int, is_leaf: bool) -> int:
        """Write what is below a node or leaf; returns the next free number of the tree."""
        if is_leaf:
            rows.append((tree, number, 0, b"LEAF", 0.0, 0, 0, 0))
            leaves.append((tree, number, float(weights[place])))
            return number + 1
        at, mode = len(rows), list(_MODES)[int(kinds[place])].encode()
        rows.append((tree, number, 0, mode, 0.0, 0, 0, 0))
        ends = []
        following = number + 1
        for side in ("true", "false"):
            ends.append(following)
            child = attributes[f"nodes_{side}nodeids"][place]
            following = write(tree, following, child, bool(attributes[f"nodes_{side}leafs"][place]))
        feature = attributes["nodes_featureids"][place]
        rows[at] = (tree, number, feature, mode, float(splits[place]), ends[0], ends[1], int(tracks[place]))
        return following

    for tree, root in enumerate(attributes["tree_roots"]):
        only_leaf = attributes["nodes_truenodeids"][root] == attributes["nodes_falsenodeids"][root] and bool(
            attributes["nodes_trueleafs"][root] and attributes["nodes_falseleafs"][root]
        )
        write(tree, 0, attributes["nodes_truenodeids"][root] if only_leaf else root, only_leaf)
    names = ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")
    written: JsonObject = {f"nodes_{name}": list(each) for name, each in zip(names, zip(*rows))}
    written["nodes_missing_value_tracks_true"] = [row[-1] for row in rows]
    trees, numbers, values = zip(*leaves)
    written |= {"target_treeids": trees, "target_nodeids": numbers, "target_weights": values}
    return written | {"target_ids": [0] * len(leaves)}


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
