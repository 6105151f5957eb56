"""Cells that never come together in the kernel's search, against all combinations of cells and the model's predict."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import elsewise as ew
from elsewise.fitted.space import space_of
from elsewise.models import Label, region_of
from elsewise.pipeline import AffineMap
from search.relaxations.tree_sums.small_ensembles import classifier, numbers


def drawn_rules(counts: list[int], rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Rules of two or three columns, intervals of cells each: where each starts, its columns, first and last cells."""
    first, parts = [0], []
    for _ in range(int(rng.integers(1, 4))):
        for var in sorted(rng.choice(len(counts), size=int(rng.integers(2, 4)), replace=False).tolist()):
            parts.append((var, *np.sort(rng.integers(0, counts[var], size=2))))
        first.append(len(parts))
    return np.array(first, dtype=np.int32), *(np.array(some, dtype=np.int32) for some in zip(*parts))


def drawn_costs(counts: list[int], rng: np.random.Generator) -> np.ndarray:
    """Costs of all cells: the farther from a cell of the row's own, to either side, the more."""
    costs = []
    for count in counts:
        own, steps = int(rng.integers(count)), rng.exponential(size=count) ** 2
        below, above = np.cumsum(steps[:own][::-1])[::-1], np.cumsum(steps[own + 1 :])
        costs.append(np.concatenate([below, [0.0], above]))
    return np.concatenate(costs)


def keeps(rules: tuple[np.ndarray, ...], cells: np.ndarray) -> np.ndarray:
    """Whether combinations of cells, of shape (n, n_vars), break no rule."""
    first, var, low, high = rules
    inside = (cells[:, var] >= low) & (cells[:, var] <= high)
    return ~np.logical_or.reduce([inside[:, a:b].all(axis=1) for a, b in itertools.pairwise(first.tolist())])


@pytest.mark.parametrize("name", ["forest", "xgboost"])
@pytest.mark.parametrize("seed", range(3))
def test_the_cheapest_cells_that_keep_the_rules(name, seed):
    X, y, _ = numbers(seed)
    model = classifier(name, seed, n_trees=5).fit(X, y)
    distance = ew.Explainer(model, density=None).fit(X, y).distance_
    trees = region_of(model, Label(1)).cover(space_of(AffineMap(np.eye(3), np.zeros(3)), distance, np.zeros(3))).indexed
    ends = trees.first_cell
    counts = np.diff(ends).tolist()
    cells = np.array(list(itertools.product(*(range(count) for count in counts))))
    values = np.where(np.isfinite(trees.low), trees.low, trees.high)
    is_accepted = model.predict(values[ends[:-1] + cells]) == 1
    rng = np.random.default_rng(seed)
    for _ in range(60):
        rules, cost = drawn_rules(counts, rng), drawn_costs(counts, rng)
        distances = np.where(is_accepted & keeps(rules, cells), cost[ends[:-1] + cells].sum(axis=1), np.inf)
        nearest = distances.min()
        for cutoff in (np.inf, 1.05 * nearest, 0.95 * nearest):
            found, value, lower_bound, stopped, _, _ = trees.forest.search(
                cost, cost, cutoff, 0.0, np.inf, 10_000, 1e-9, rules=rules
            )
            assert not stopped
            assert (found is not None) == (nearest < cutoff)
            assert lower_bound <= nearest * (1 + 1e-12)
            if found is not None:
                np.testing.assert_allclose(value, nearest, rtol=1e-12)
