"""The baselines against brute force: a grid, a loop over rows, and every path."""

from __future__ import annotations

import importlib.util
import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

_PATH = Path(__file__).parents[2] / "benchmarks" / "baselines.py"
_SPEC = importlib.util.spec_from_file_location("baselines_under_test", _PATH)
baselines = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = baselines
_SPEC.loader.exec_module(baselines)


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    return np.array([[0.0, 0.0], [3.0, 0.5], [1.0, 3.0]])[y] + 0.6 * rng.normal(size=(90, 2)), y


@pytest.mark.parametrize("strength", [1.0, 0.1, 0.01])
def test_penalised_minimum_is_no_worse_than_a_grid(blobs, strength):
    X, y = blobs
    model = LogisticRegression().fit(X, y)
    x = X[0]
    grid = np.stack(np.meshgrid(*[np.linspace(-6, 8, 281)] * 2), axis=-1).reshape(-1, 2)
    grid = np.vstack([grid, x])

    def cost(points):
        return -np.log(model.predict_proba(points)[:, 1]) + strength * np.abs(points - x).sum(axis=1)

    point = baselines._minimum(model, x, 1, strength, X.std(axis=0))
    assert cost(point[None])[0] <= cost(grid).min() + 1e-4


def test_penalised_softmax_is_valid_and_near_the_boundary(blobs):
    X, y = blobs
    model = LogisticRegression().fit(X, y)
    for x in X[:6]:
        for index in range(3):
            if model.predict(x[None])[0] == index:
                continue
            point = baselines.penalised(model, x, index, scale=X.std(axis=0))
            assert model.predict(point[None])[0] == index
            # The exact nearest point by a fine grid: never beaten, nearly reached.
            span = np.linspace(-6, 8, 281)
            grid = np.stack(np.meshgrid(span, span), axis=-1).reshape(-1, 2)
            inside = grid[model.predict(grid) == index]
            nearest = np.abs(inside - x).sum(axis=1).min()
            assert nearest - 0.1 <= np.abs(point - x).sum() <= 1.5 * nearest + 0.1


def test_penalised_sees_over_the_edges_of_a_tree(blobs):
    X, y = blobs
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    found = [baselines.penalised(model, x, (model.predict(x[None])[0] + 1) % 3, scale=X.std(axis=0)) for x in X[:9]]
    wanted = (model.predict(X[:9]) + 1) % 3
    valid = [p is not None and model.predict(p[None])[0] == t for p, t in zip(found, wanted)]
    assert all(p is None or v for p, v in zip(found, valid))
    assert np.mean(valid) >= 0.5


def test_penalised_returns_none_when_the_class_is_out_of_reach():
    class Constant:
        classes_ = np.array([0, 1])

        def predict_proba(self, points):
            return np.tile([1.0, 0.0], (len(points), 1))

    assert baselines.penalised(Constant(), np.zeros(2), 1) is None


def test_nearest_row_is_the_nearest_candidate(blobs):
    X, y = blobs
    candidates = y == 2
    for x in X[:10]:
        best = min((row for row, ok in zip(X, candidates) if ok), key=lambda row: np.abs(row - x).sum())
        assert np.array_equal(baselines.nearest_row(x, X, candidates), best)
    assert baselines.nearest_row(X[0], X, np.zeros(len(X), dtype=bool)) is None


def _log_density(points):
    return -((points - 1.0) ** 2).sum(axis=1)


def _cheapest(rows, x, candidates, n_neighbours):
    """Try every order of every subset of rows as a path."""
    nodes = np.vstack([rows, x])
    n = len(rows)
    middle = {(i, j): _log_density((nodes[i] + nodes[j])[None] / 2)[0] for i in range(n + 1) for j in range(n + 1)}
    length = np.abs(nodes[:, None] - nodes[None]).sum(axis=2)
    near = [set(np.argsort(np.where(np.arange(n) == i, np.inf, length[i, :n]))[:n_neighbours]) for i in range(n + 1)]
    edges = {(i, j) for i in range(n + 1) for j in near[i]} | {(j, i) for i in range(n) for j in near[i]}
    on_graph = [middle[i, j] for i, j in edges if n not in (i, j)]
    highest = max([*on_graph, *_log_density(rows)])
    best = (np.inf, None)
    for size in range(1, n + 1):
        for path in permutations(range(n), size):
            steps = list(zip((n, *path), path))
            if candidates[path[-1]] and all(step in edges for step in steps):
                cost = sum(length[i, j] * (1 + max(highest - middle[i, j], 0)) for i, j in steps)
                best = min(best, (cost, path[-1]))
    return best[1]


@pytest.mark.parametrize("seed", range(8))
def test_paths_end_where_brute_force_ends(seed):
    rng = np.random.default_rng(seed)
    rows, x = 2 * rng.normal(size=(6, 2)), 2 * rng.normal(size=2)
    candidates = rng.random(6) < 0.4
    answer = baselines.DensityPaths(rows, _log_density, n_neighbours=2).end_of_path(x, candidates)
    expected = _cheapest(rows, x, candidates, 2)
    assert (answer is None) == (expected is None)
    if expected is not None:
        assert np.array_equal(answer, rows[expected])


def test_paths_through_equal_rows_and_thinned_rows():
    rows = np.repeat([[0.0, 0.0], [1.0, 1.0]], 3, axis=0)
    paths = baselines.DensityPaths(rows, _log_density, n_neighbours=4)
    assert np.array_equal(paths.end_of_path(np.zeros(2), rows[:, 0] == 1.0), [1.0, 1.0])
    assert paths.end_of_path(np.zeros(2), np.zeros(6, dtype=bool)) is None
    few = baselines.DensityPaths(rows, _log_density, n_neighbours=4, max_rows=2)
    assert len(few.rows) == 2
