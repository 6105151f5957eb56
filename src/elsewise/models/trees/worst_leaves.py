"""Trees of worst leaves: at each point, the least value of all leaves that rows near it fall into."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import FloatArray
from ...errors import UnsupportedSettingError
from ...search.relaxations.tree_sums.trees import TreeSum
from .rewriting import Growing

# Nodes that may be grown in all for the worst leaves near a point: with more, searches take minutes.
MOST_WORST_NODES = 200_000
# Subtrees that are distinguished at a time; beyond it those stand for their worst leaf that lose least by it.
MOST_TOGETHER = 2


@dataclass(frozen=True, slots=True)
class _Open:
    """Nodes that rows near a point may be in, for points of a box: ``low < z <= high`` where a feature is listed."""

    nodes: tuple[int, ...]
    least: float
    box: dict[int, tuple[float, float]]
    parent: int
    is_left: bool


def worst_leaves(trees: TreeSum, value: FloatArray, radius: FloatArray) -> TreeSum:
    """Grow, for each tree, the tree of the least value within radii of a point.

    Parameters
    ----------
    trees : TreeSum
    value : array of shape (n_nodes,)
        Of its leaves.
    radius : array of shape (n_features,)
        How far features of model space may be from those of the point.

    Returns
    -------
    TreeSum
        Of one score.
    """
    grown, worst, best = Growing(trees.n_features, 1), *_ends(trees, value)
    for root in trees.roots.tolist():
        grown.root()
        waiting = [_Open((root,), np.inf, {}, -1, False)]
        while waiting:
            if len(grown) > MOST_WORST_NODES:
                raise UnsupportedSettingError(
                    "robust_radius: the model's trees have too many leaves near each other (more than "
                    f"{MOST_WORST_NODES:,} nodes are needed to tell which of them rows near an answer fall into). Use "
                    "a smaller robust_radius, or shallower trees."
                )
            _grow(grown, trees, worst, best, radius, waiting)
    return replace(grown.trees(np.zeros(1)), code_sets=trees.code_sets)


def _ends(trees: TreeSum, value: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Least and largest value of the leaves below each node."""
    worst, best = value.copy(), value.copy()
    for root in trees.roots.tolist():
        order, waiting = [], [root]
        while waiting:
            node = waiting.pop()
            if trees.feature[node] >= 0:
                order.append(node)
                waiting += [int(trees.left[node]), int(trees.right[node])]
        for node in reversed(order):
            below = [int(trees.left[node]), int(trees.right[node])]
            worst[node], best[node] = worst[below].min(), best[below].max()
    return worst, best


def _settled(
    nodes: list[int], least: float, trees: TreeSum, worst: FloatArray, best: FloatArray
) -> tuple[list[int], float]:
    """Take leaves into the least value, leave out what cannot lower it, and keep few subtrees."""
    least = min([least, *(float(worst[node]) for node in nodes if trees.feature[node] < 0)])
    inner = [node for node in dict.fromkeys(nodes) if trees.feature[node] >= 0 and worst[node] < least]
    inner.sort(key=lambda node: best[node] - worst[node], reverse=True)
    least = min([least, *(float(worst[node]) for node in inner[MOST_TOGETHER:])])
    return [node for node in inner[:MOST_TOGETHER] if worst[node] < least], least


def _grow(
    grown: Growing, trees: TreeSum, worst: FloatArray, best: FloatArray, radius: FloatArray, waiting: list[_Open]
) -> None:
    """Add one node for what waits last, and let its children wait."""
    state = waiting.pop()
    nodes, least = _settled(list(state.nodes), state.least, trees, worst, best)
    while nodes:
        node = nodes.pop()
        j, limit = int(trees.feature[node]), float(trees.limit[node])
        left, right = int(trees.left[node]), int(trees.right[node])
        if radius[j] == 0.0:
            made = grown.split(j, limit, int(trees.codes[node]), bool(trees.missing_left[node]))
            sides = [((*nodes, left), state.box), ((*nodes, right), state.box)]
        else:
            a, b = np.nextafter(limit - radius[j], -np.inf), np.nextafter(limit + radius[j], np.inf)
            low, high = state.box.get(j, (-np.inf, np.inf))
            if high <= a or low >= b or (low >= a and high <= b):
                reached = [left] if high <= a else [right] if low >= b else [left, right]
                nodes, least = _settled([*nodes, *reached], least, trees, worst, best)
                continue
            cut = a if low < a else b  # to the right of a nothing is known yet: the node stays
            made = grown.split(j, float(cut))
            below, above = {**state.box, j: (low, float(cut))}, {**state.box, j: (float(cut), high)}
            sides = [((*nodes, node), below), ((*nodes, node), above)]
        _attach(grown, state, made)
        waiting += [_Open(side, least, box, made, place == 0) for place, (side, box) in enumerate(sides)]
        return
    _attach(grown, state, grown.leaf(np.array([least])))


def _attach(grown: Growing, state: _Open, made: int) -> None:
    if state.parent >= 0:
        grown.attach(state.parent, state.is_left, made)
