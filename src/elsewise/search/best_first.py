"""Best-first search of one row: the cheapest open node is relaxed, then settled or branched.

The loop knows nothing of what nodes are. A `SearchTree` says where to begin, bounds a node, and cuts it into others.
The search ends when no open node can hold anything nearer than the incumbent: the ledger then knows what is proven.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from ..arrays import FloatArray
from .ledger import Ledger

Node = TypeVar("Node")

ONLY = np.zeros(1, dtype=np.int64)
"""The row of a ledger that has one."""


class OpenNodes(Generic[Node]):
    """Nodes that are open, cheapest first; of equal ones the first that was opened."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, int, Node]] = []
        self._n_opened = 0

    def __len__(self) -> int:
        return len(self._heap)

    @property
    def cheapest(self) -> float:
        """Smallest bound of all nodes, infinite without any."""
        return self._heap[0][0] if self._heap else np.inf

    def push(self, bound: float, node: Node, rank: int = 0) -> None:
        """Open a node; of equal bounds a smaller rank comes first."""
        self._n_opened += 1
        heapq.heappush(self._heap, (bound, rank, self._n_opened, node))

    def pop(self) -> tuple[float, Node]:
        """Take the cheapest node, with its bound."""
        bound, _, _, node = heapq.heappop(self._heap)
        return bound, node


@dataclass(frozen=True, slots=True)
class RelaxedNode:
    """What the relaxation of a node says.

    Attributes
    ----------
    bound : float
        Nothing in the node is nearer; infinite if it is empty.
    point : array of shape (n_features,), or None
        The nearest point of the relaxation, if there is one.
    """

    bound: float
    point: FloatArray | None = None


class SearchTree(ABC, Generic[Node]):
    """What a search has to know of its nodes: where to begin, what bounds them, and how to cut them."""

    @abstractmethod
    def roots(self) -> Iterable[tuple[float, Node]]:
        """Nodes that together hold all that is searched, each with a bound."""

    @abstractmethod
    def relax(self, node: Node, ledger: Ledger) -> RelaxedNode:
        """Bound a node, for points nearer than the cutoff of the ledger; points that hold are offered to it."""

    @abstractmethod
    def branch(self, node: Node, point: FloatArray | None) -> Iterable[Node] | None:
        """Cut a node with this relaxed point into nodes that hold all that it holds; None if its bound is exact."""

    def propose(self, ledger: Ledger) -> None:
        """Offer points that are known beforehand; by default none."""

    def rank(self, node: Node) -> int:
        """Return which of several nodes with equal bounds comes first, the smallest; by default the first opened."""
        return 0

    def gives_up(self, ledger: Ledger) -> bool:
        """Whether the search has grown too large to go on; by default never."""
        return False


def search_best_first(tree: SearchTree[Node], ledger: Ledger) -> Ledger:
    """Search the nearest point of one row, and close its ledger.

    Parameters
    ----------
    tree : SearchTree
    ledger : Ledger
        Of the row alone; its time limit ends the search.
    """
    nodes: OpenNodes[Node] = OpenNodes()
    tree.propose(ledger)
    for bound, node in tree.roots():
        nodes.push(bound, node, tree.rank(node))
    while _is_worth(ledger, nodes.cheapest) and len(ledger.in_time(ONLY)):
        if tree.gives_up(ledger):
            ledger.timed_out[0] = True
            break
        bound, node = nodes.pop()
        relaxed = tree.relax(node, ledger)
        bound = max(bound, relaxed.bound)
        children = tree.branch(node, relaxed.point) if _is_worth(ledger, bound) else None
        if children is None:
            ledger.settle(ONLY, bound)
            continue
        for child in children:
            nodes.push(bound, child, tree.rank(child))
    ledger.close(nodes.cheapest)
    return ledger


def _is_worth(ledger: Ledger, bound: float) -> bool:
    return bool(bound < ledger.cutoff[0] * (1 - ledger.tolerance))
