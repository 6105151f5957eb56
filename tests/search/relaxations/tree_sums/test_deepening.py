"""Searches that stop where their point is far from their bound, and go on within limits: against all cells."""

from __future__ import annotations

import numpy as np
import pytest

import elsewise as ew
from elsewise.models import Label, region_of
from search.relaxations.tree_sums.small_ensembles import classifier, nearest_of_numbers, numbers


@pytest.fixture
def stopped_early(monkeypatch):
    """Let searches stop after their first box, and count how many limits are searched."""
    from elsewise.search.relaxations.tree_sums import deepening

    limits = []

    class Counted:
        def __init__(self, forest):
            self.forest = forest

        def search(self, cost, bound, limit, *given, **named):
            limits.append(limit)
            return self.forest.search(cost, bound, limit, *given, **named)

    plain = deepening.search_cells
    monkeypatch.setattr(deepening, "FAR_AFTER", 2)
    monkeypatch.setattr(
        "elsewise.search.relaxations.tree_sums.cover.search_cells",
        lambda forest, *given: plain(Counted(forest), *given),
    )
    return limits


@pytest.mark.parametrize("name", ["forest", "boosting", "xgboost", "lightgbm"])
def test_limits_one_after_the_other_find_the_nearest(stopped_early, name):
    n_rows = 0
    for seed in range(8):
        X, y, _ = numbers(seed, 3)
        model = classifier(name, seed, n_trees=12, depth=3).fit(X, y)
        explainer = ew.Explainer(model, density=None).fit(X, y)
        cuts = region_of(model, Label(1)).trees.cuts()
        rows = X[model.predict(X) != 1][:5]
        n_rows += len(rows)
        for row, answer in zip(rows, explainer.explain(rows, 1)):
            nearest = nearest_of_numbers(
                cuts, row, explainer.distance_.weights, lambda Z, model=model: model.predict(Z) == 1
            )
            assert answer.status == "optimal"
            np.testing.assert_allclose(answer.distance, nearest.distance, rtol=1e-9, atol=1e-12)
            assert answer.lower_bound <= nearest.distance * (1 + 1e-12)
    assert len(stopped_early) > n_rows  # some rows were searched within limits
    assert np.isfinite(stopped_early).any()
