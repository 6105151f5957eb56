"""Trees behind bins whose edges are whole numbers, against lists of all rows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew


@pytest.mark.parametrize("seed", range(4))
def test_a_number_that_stays_on_an_edge_is_in_the_bin_above(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.integers(0, 6, 200) for name in "abc"})
    y = np.where(frame["a"] - frame["c"] + rng.normal(size=200) > 1.0, "good", "bad")
    bins = KBinsDiscretizer(3, encode="ordinal", quantile_method="averaged_inverted_cdf")
    model = make_pipeline(bins, DecisionTreeClassifier(max_depth=4, random_state=0)).fit(frame, y)
    explainer = ew.Explainer(
        model, density=None, distance=ew.Manhattan(dict.fromkeys("abc", 1.0)), learn_rules=False, rules=None
    ).fit(frame, y)
    every = pd.DataFrame(list(product(range(6), repeat=3)), columns=list("abc"))
    works = every[model.predict(every) == "good"]
    edges = set(np.concatenate(bins.bin_edges_).tolist())
    asked = 0
    for _, row in frame[model.predict(frame) == "bad"].drop_duplicates().iterrows():
        for held in ("a", "b", "c"):
            if row[held] not in edges:
                continue
            left = works[works[held] == row[held]]
            nearest = (left - row).abs().sum(axis=1).min() if len(left) else np.inf
            rules = ew.Constraints(immutable=[held], bounds=dict.fromkeys("abc", (0, 5)))
            one = explainer.explain_one(row, "good", constraints=rules)
            assert one.status == ("optimal" if len(left) else "infeasible")
            assert one.found == bool(len(left))
            assert not one.found or one.distance == pytest.approx(nearest)
            asked += 1
        if asked > 15:
            return
    assert asked > 0
