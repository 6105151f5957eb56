"""Trees of worst leaves: at each point, the least value of all leaves that rows near it fall into."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import FloatArray
from ...errors import UnsupportedSettingError
from .growing import Growing
from .trees import TreeSum

# Nodes that may be grown in all: with more, searches take minutes.
MOST_NODES = 200_000


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
    grown = Growing(trees.n_features, 1)
    for root in trees.roots.tolist():
        grown.root()
        waiting = [_Open((root,), np.inf, {}, -1, False)]
        while waiting:
            if len(grown) > MOST_NODES:
                raise UnsupportedSettingError(
                    f"robust: the model's trees have too many leaves near each other (more than {MOST_NODES:,} nodes "
                    "are needed to tell which of them rows near an answer fall into). Use a smaller robust, or "
                    "shallower trees."
                )
            _grow(grown, trees, value, radius, waiting)
    return replace(grown.trees(np.zeros(1)), code_sets=trees.code_sets)


def _grow(grown: Growing, trees: TreeSum, value: FloatArray, radius: FloatArray, waiting: list[_Open]) -> None:
    """Add one node for what waits last, and let its children wait."""
    state = waiting.pop()
    nodes, least = list(state.nodes), state.least
    while nodes:
        node = nodes.pop()
        j, limit = int(trees.feature[node]), float(trees.limit[node])
        if j < 0:
            least = min(least, float(value[node]))
            continue
        left, right = int(trees.left[node]), int(trees.right[node])
        if radius[j] == 0.0:
            made = grown.split(j, limit, int(trees.codes[node]), bool(trees.missing_left[node]))
            sides = [((*nodes, left), state.box), ((*nodes, right), state.box)]
        else:
            a, b = np.nextafter(limit - radius[j], -np.inf), np.nextafter(limit + radius[j], np.inf)
            low, high = state.box.get(j, (-np.inf, np.inf))
            if high <= a:
                nodes.append(left)
                continue
            if low >= b:
                nodes.append(right)
                continue
            if low >= a and high <= b:
                nodes += [left, right]
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
