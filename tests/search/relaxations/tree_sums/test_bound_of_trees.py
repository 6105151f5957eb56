"""The bound by dual decomposition, checked by its definition in exact arithmetic over all leaves of all trees.

The checker knows nothing of compact problems, slots and segments: it takes the price, the weights and one message for
each tree and cell, and adds fractions.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier

import elsewise as ew
from elsewise.fitted.space import space_of
from elsewise.models import Label, region_of
from elsewise.pipeline import AffineMap
from elsewise.search import BoxRequest
from search.relaxations.tree_sums.small_ensembles import LIBRARIES, classifier, nearest_of_numbers, numbers


def paths(trees, cells_left):
    """Leaves of every tree with the cells of each column that lead there: ``[(node, {column: set of cells})]``."""
    found = []
    for root in trees.roots.tolist():
        leaves, waiting = [], [(root, {})]
        while waiting:
            node, allowed = waiting.pop()
            if trees.feature[node] < 0:
                leaves.append((node, allowed))
                continue
            column, left, everything = cells_left(node)
            before = allowed.get(column, everything)
            for child, cells in ((trees.left[node], left), (trees.right[node], everything - left)):
                if before & cells:
                    waiting.append((int(child), {**allowed, column: before & cells}))
        found.append(leaves)
    return found


def slow_bound(leaves, gain, least, first_cell, cost, cutoff, mu, pi, theta):
    """``(pi . least - rest) / mu`` in fractions, over cells and leaves nearer than the cutoff."""
    mu, pi = Fraction(mu), [Fraction(p) for p in pi]
    base = sum(min(cost[a:b]) for a, b in pairwise(first_cell))
    near = []
    rest = Fraction(0)
    for a, b in pairwise(first_cell):
        cells = [k for k in range(a, b) if base - min(cost[a:b]) + cost[k] < cutoff]
        near.append({k - a for k in cells})
        rest += max(-mu * Fraction(cost[k]) + sum(Fraction(theta[t, k]) for t in range(len(leaves))) for k in cells)
    for t, of_tree in enumerate(leaves):
        best = None
        for node, allowed in of_tree:
            value, spent = sum(p * Fraction(g) for p, g in zip(pi, gain[node])), base
            for column, cells in enumerate(near):
                some, first = cells & allowed.get(column, cells), first_cell[column]
                if not some:
                    spent = np.inf
                    break
                spent += min(cost[first + k] for k in some) - min(cost[first + k] for k in cells)
                value -= min(Fraction(theta[t, first + k]) for k in some)
            if spent < cutoff and (best is None or value > best):
                best = value
        assert best is not None, "a tree has no leaf within the cutoff, yet a bound was given"
        rest += best
    return (sum(p * Fraction(one) for p, one in zip(pi, least)) - rest) / mu


def cover_of(region, explainer):
    """The cover of a region over three plain numbers."""
    return region.cover(space_of(AffineMap(np.eye(3), np.zeros(3)), explainer.distance_, np.zeros(3)))


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_sweeps", [0, 1, 12])
def test_the_bound_is_what_its_definition_says(name, seed, n_sweeps):
    n_classes = 3 if seed == 3 else 2
    X, y, _ = numbers(seed, n_classes)
    model = classifier(name, seed, n_trees=5).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    region = region_of(model, Label(1))
    cover = cover_of(region, explainer)
    indexed = cover.indexed
    gain = region.trees.value @ region.conditions[0].T / indexed.scale
    first_cell, cuts = indexed.first_cell.tolist(), region.trees.cuts()

    def cells_left(node):
        column = int(region.trees.feature[node])
        last = int(np.searchsorted(cuts[column], region.trees.limit[node]))
        return column, set(range(last + 1)), set(range(len(cuts[column]) + 1))

    leaves = paths(region.trees, cells_left)
    for row in X[model.predict(X) != 1][:3]:
        nearest = nearest_of_numbers(cuts, row, explainer.distance_.weights, lambda Z: model.predict(Z) == 1)
        anything = np.full(3, np.inf)
        _, cost, bound = cover.cells_of(indexed, BoxRequest(row, -anything, anything, np.zeros(3, dtype=bool), 1e-9))
        for cutoff in (1.5 * nearest.distance, 4.0 * nearest.distance):
            lower, mu, pi, theta = indexed.forest.first_bound(cost, bound, cutoff, n_sweeps)
            assert lower <= nearest.distance * (1 + 1e-12)
            if mu is None:
                continue
            slow = slow_bound(
                leaves, gain, region.conditions[1] / indexed.scale, first_cell, bound.tolist(), cutoff, mu, pi, theta
            )
            assert Fraction(lower) <= slow  # rounding is accounted for: no tolerance
            if float(slow) < cutoff:
                np.testing.assert_allclose(lower, float(slow), rtol=1e-9, atol=1e-9 / mu)


def test_the_bound_settles_a_hundred_trees_with_few_boxes():
    X, y = load_breast_cancer(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=100, max_depth=3, random_state=0).fit(X[::2], y[::2])
    explainer = ew.Explainer(model, density=None).fit(X[::2], y[::2])
    rows = X[1::2][model.predict(X[1::2]) == 0][:8]
    answers = explainer.explain(rows, 1)
    assert set(answers.statuses) == {"optimal"}
    assert np.median([answer.n_projections for answer in answers]) < 200
