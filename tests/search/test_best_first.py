"""The best-first loop: the nearest point, a bound that is true whenever it stops, and few nodes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from elsewise.errors import InternalError
from elsewise.search import Ledger
from elsewise.search.best_first import ONLY, OpenNodes, RelaxedNode, SearchTree, search_best_first


class Cover(SearchTree):
    """The cheapest 0-1 vector that covers as much as is needed: a node fixes the first few entries.

    Its relaxation lets the others be fractional, and takes those first that cover most for their price.
    """

    def __init__(self, prices, covers, needed, most_nodes=np.inf, factor=1.0):
        self.prices, self.covers, self.needed = prices, covers, needed
        self.most_nodes, self.factor, self.relaxed = most_nodes, factor, []

    def roots(self):
        return [(0.0, ())]

    def relax(self, node, ledger):
        self.relaxed.append(node)
        point = np.zeros(len(self.prices))
        point[: len(node)] = node
        left = self.needed - self.covers @ point
        for i in sorted(range(len(node), len(point)), key=lambda i: self.prices[i] / self.covers[i]):
            point[i] = np.clip(left / self.covers[i], 0.0, 1.0)
            left -= point[i] * self.covers[i]
        if left > 1e-9:
            return RelaxedNode(np.inf)
        whole = np.ceil(point - 1e-9)
        ledger.offer(ONLY, np.array([self.prices @ whole]), whole[None])
        return RelaxedNode(self.factor * float(self.prices @ point), point)

    def branch(self, node, point):
        return None if len(node) == len(self.prices) else [(*node, 0.0), (*node, 1.0)]

    def gives_up(self, ledger):
        return len(self.relaxed) >= self.most_nodes

    def cheapest(self):
        """Enumerate all vectors."""
        vectors = np.array(list(itertools.product((0.0, 1.0), repeat=len(self.prices))))
        return float((vectors @ self.prices)[vectors @ self.covers >= self.needed - 1e-9].min(initial=np.inf))


def problem(seed, **options):
    rng = np.random.default_rng(seed)
    prices, covers = rng.uniform(1.0, 5.0, 9), rng.uniform(1.0, 5.0, 9)
    return Cover(prices, covers, rng.uniform(0.2, 1.1) * covers.sum(), **options)


def searched(cover):
    return search_best_first(cover, Ledger(np.zeros((1, len(cover.prices)))))


@pytest.mark.parametrize("seed", range(20))
def test_the_cheapest_vector_is_found_and_proven(seed):
    cover = problem(seed)
    ledger = searched(cover)
    assert ledger.value[0] == pytest.approx(cover.cheapest())
    assert ledger.lower_bound[0] == pytest.approx(cover.cheapest())
    assert len(cover.relaxed) < 2**9
    if ledger.has_point[0]:
        assert cover.prices @ ledger.points[0] == pytest.approx(cover.cheapest())


@pytest.mark.parametrize("most_nodes", [0, 1, 3, 10])
def test_bounds_are_true_wherever_the_search_stops(most_nodes):
    for seed in range(20):
        cover = problem(seed, most_nodes=most_nodes)
        ledger = searched(cover)
        assert ledger.lower_bound[0] <= cover.cheapest() * (1 + 1e-9)
        assert ledger.value[0] >= cover.cheapest() * (1 - 1e-9)
        assert len(cover.relaxed) <= most_nodes
        if ledger.lower_bound[0] < ledger.value[0] * (1 - 1e-6):
            assert ledger.timed_out[0]


def test_bounds_that_are_too_large_are_noticed():
    with pytest.raises(InternalError, match="nothing is nearer than"):
        searched(problem(0, factor=1.5))


def test_nodes_come_out_by_bound_then_rank_then_age():
    nodes = OpenNodes()
    for name, bound, rank in [("far", 2.0, 0), ("second", 1.0, 1), ("third", 1.0, 1), ("first", 1.0, 0)]:
        nodes.push(bound, name, rank)
    assert nodes.cheapest == 1.0
    assert [nodes.pop() for _ in range(4)] == [(1.0, "first"), (1.0, "second"), (1.0, "third"), (2.0, "far")]
    assert nodes.cheapest == np.inf
