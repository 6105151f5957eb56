"""Prices per change with a density, against the list of all rows: large prices, columns that move together."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pandas as pd
import pytest

import elsewise as ew
from search.relaxations.tree_sums.small_ensembles import classifier

RANGES = {"a": range(7), "b": range(6), "c": range(5), "d": range(4), "e": range(4)}
TOGETHER = {"alone": [], "pairs": [["a", "b"], ["c", "d"]], "triple": [["a", "b", "c"]]}


@cache
def small_table(read: str) -> tuple:
    """Rows of whole numbers, a fitted forest that reads some of the columns, and the list of all rows."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({column: rng.binomial(max(some), 0.4, 160) for column, some in RANGES.items()})
    worth = frame.a + (frame.b - frame.c) * ("b" in read) + rng.normal(size=160) / 2
    y = (worth > worth.median()).astype(int)
    unread = {column: 0 for column in RANGES if column not in read}
    model = classifier("forest", 0, n_trees=8, depth=3).fit(frame.assign(**unread), y)
    everything = pd.DataFrame(list(itertools.product(*RANGES.values())), columns=list(RANGES))
    return frame, y, model, everything


@pytest.mark.parametrize("together", TOGETHER)
@pytest.mark.parametrize("price", [0.3, 40.0])
@pytest.mark.parametrize("read", ["a", "abc"])
def test_the_nearest_dense_row(read, price, together):
    frame, y, model, everything = small_table(read)
    density, distance = ew.GaussianMixtureDensity(n_components=1), ew.Manhattan(per_change=price)
    explainer = ew.Explainer(model, density=density, distance=distance, learn_rules=False).fit(frame, y)
    groups = TOGETHER[together]
    bounds = {column: (0, max(some)) for column, some in RANGES.items()}
    rules = ew.Constraints(together=groups, bounds=bounds, min_change="any", step="any")
    is_dense = explainer.log_density(everything, 1) >= explainer.densities_[1].log_threshold_
    good = everything[(model.predict(everything) == 1) & is_dense]
    # rows with large numbers where the model does not look: several columns have to change within their cells
    rows = everything[model.predict(everything) == 0].tail(4)
    units = [*groups, *([column] for column in RANGES if not any(column in group for group in groups))]
    for (_, row), answer in zip(rows.iterrows(), explainer.explain(rows, 1, constraints=rules)):
        n_changes = sum((good[unit] != row[unit]).any(axis=1).to_numpy().astype(int) for unit in units)
        nearest = (np.abs(good - row) @ explainer.distance_.weights + price * n_changes).min()
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, nearest, rtol=1e-9)
        assert answer.lower_bound <= nearest * (1 + 1e-12)
