"""Large ensembles over small tables: boxes are searched in problems of their own; against lists of all rows."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import elsewise as ew
from elsewise.search.relaxations.tree_sums import _search
from search.relaxations.tree_sums.small_ensembles import classifier, numbers
from search.relaxations.tree_sums.test_votes import assert_nearest

# Trees with so many leaves that what a box leaves of them is a small part soon.
MODELS = {
    "forest": RandomForestClassifier(100, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=150, max_depth=6, random_state=0),
}
DENSITIES = {
    "none": None,
    "two": ew.MixedMixtureDensity(n_components=2, random_state=0),
}
BOUNDS = {"a": (0, 14), "b": (0, 11), "d": (0, 7), "e": (0, 7)}


@pytest.fixture(scope="module", params=[5])
def table(request):
    """A table of whole numbers and a category with many interactions, and a list of all of its rows."""
    rng = np.random.default_rng(request.param)
    n = 900
    frame = pd.DataFrame(
        {
            "a": rng.integers(0, 15, n),
            "b": rng.integers(0, 12, n),
            "c": rng.choice(["u", "v", "w", "x"], n, p=[0.4, 0.3, 0.2, 0.1]),
            "d": rng.binomial(7, 0.4, n),
            "e": rng.binomial(7, 0.5, n),
        }
    )
    score = np.sin(frame.a) + frame.b % 5 / 4 + 0.4 * frame.d * (frame.c == "u") - 0.2 * frame.e * (frame.c == "v")
    y = (score + rng.normal(0, 0.6, n) > 1.5).astype(int).to_numpy()
    ranges = (range(15), range(12), ["u", "v", "w", "x"], range(8), range(8))
    everything = pd.DataFrame(list(itertools.product(*ranges)), columns=frame.columns).astype(frame.dtypes)
    return frame, y, everything


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("name", MODELS)
def test_large_ensembles_against_all_rows(table, name, density):
    frame, y, everything = table
    encoder = make_column_transformer((OneHotEncoder(), ["c"]), remainder="passthrough")
    model = make_pipeline(encoder, MODELS[name]).fit(frame, y)
    explainer = ew.Explainer(model, density=DENSITIES[density], threshold=0.3).fit(frame, y)
    predicted = model.predict(everything)
    rows = frame.iloc[:8]
    targets = 1 - model.predict(rows)
    answers = explainer.explain(rows, targets, constraints=ew.Constraints(bounds=BOUNDS), effort="proof")
    for k, answer in enumerate(answers):
        target = targets[k]
        good = predicted == target
        if DENSITIES[density] is not None:
            good &= explainer.log_density(everything, target) >= explainer.densities_[target].log_threshold_
        own = explainer.table_.encode(rows.iloc[[k]])
        distances = explainer.distance_(explainer.table_.encode(everything[good]), own)
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, distances.min(), rtol=1e-9)


@pytest.fixture
def always_within(monkeypatch):
    """Let every box that leaves half of the conditions be searched in a problem of its own."""
    monkeypatch.setattr(_search, "TIMES_SMALLER", 2)
    monkeypatch.setattr(_search, "WITHIN_FROM", 8)


@pytest.mark.usefixtures("always_within")
@pytest.mark.parametrize("seed", range(4))
def test_small_ensembles_within_problems(seed):
    X, y, _ = numbers(seed, 2, n=40)
    pure = RandomForestClassifier(2 * (1 + seed % 3), random_state=seed).fit(X, y)
    assert sum(assert_nearest(pure, X, y, target) for target in (0, 1)) > 0
    model = classifier("lightgbm", seed, n_trees=8).fit(X, y)
    assert sum(assert_nearest(model, X, y, target) for target in (0, 1)) > 0


@pytest.mark.usefixtures("always_within")
def test_large_ensembles_within_problems(table):
    test_large_ensembles_against_all_rows(table, "forest", "two")
