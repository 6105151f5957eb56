"""Distances that go in steps, where columns are whole: against all whole points."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

import elsewise as ew
from search.relaxations.tree_sums.small_ensembles import classifier

# One step for all, two columns of three in steps, steps that have a common one, and none at all.
WEIGHTS = [(1.0, 1.0, 1.0), (1.0, 1.0, 0.3), (0.5, 1.5, 0.25), (1.0, np.sqrt(2), np.sqrt(3))]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", ["forest", "extra trees", "lightgbm"])
@pytest.mark.parametrize("seed", range(3))
def test_the_nearest_whole_point(name, seed, weights):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 9, (120, 3)), columns=["a", "b", "c"])
    y = np.digitize(X.sum(axis=1) + rng.normal(size=120), [10, 14])
    model = classifier(name, seed, n_trees=12, depth=4).fit(X, y)
    explainer = ew.Explainer(model, density=None, distance=ew.Manhattan(np.array(weights)), learn_rules=False).fit(X, y)
    everything = pd.DataFrame(list(itertools.product(range(-1, 10), repeat=3)), columns=X.columns)
    accepted = everything[model.predict(everything) == 1].to_numpy()
    rows = X[model.predict(X) != 1][:8]
    answers = explainer.explain(rows, 1, constraints=ew.Constraints(min_change="any", step="any"))
    for row, answer in zip(rows.to_numpy(), answers):
        nearest = (np.abs(accepted - row) @ np.array(weights)).min()
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, nearest, rtol=1e-9)
        assert answer.distance * (1 - 1e-8) <= answer.lower_bound <= nearest * (1 + 1e-12)


def test_bounds_of_a_search_that_was_stopped_are_steps(monkeypatch):
    X, y = load_digits(return_X_y=True)
    model = RandomForestClassifier(30, max_depth=5, random_state=0).fit(X[::2], y[::2])
    distance = ew.Manhattan(np.ones(X.shape[1]))
    columns = {f"x{i}": "integer" for i in range(X.shape[1])}
    frame = pd.DataFrame(X, columns=list(columns))
    model.fit(frame[::2], y[::2])
    explainer = ew.Explainer(model, density=None, distance=distance, columns=columns).fit(frame[::2], y[::2])
    rows = frame[1::2][y[1::2] == 3][:6]
    whole = explainer.explain(rows, 8)
    monkeypatch.setattr("elsewise.search.relaxations.tree_sums.deepening.MOST_BOXES", 12)
    stopped = explainer.explain(rows, 8)
    assert (stopped.lower_bounds < stopped.distances * (1 - 1e-6)).any()
    assert (stopped.lower_bounds <= whole.distances * (1 + 1e-12)).all()
    np.testing.assert_allclose(stopped.lower_bounds, np.round(stopped.lower_bounds), atol=1e-8)
