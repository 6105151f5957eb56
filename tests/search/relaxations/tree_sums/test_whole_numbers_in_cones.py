"""Whole numbers with a density: prices of cells are those of the whole numbers in them."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import elsewise as ew
from search.relaxations.tree_sums.small_ensembles import classifier

MOST = 11


def whole_numbers(seed, n_features=4, n=300, noise=0.8):
    """Rows of whole numbers from 0 to a most that go together, with labels that ask for differences."""
    rng = np.random.default_rng(seed)
    both = rng.normal(size=(n, 2)) @ rng.normal(size=(2, n_features))
    both /= both.std(axis=0)
    X = np.clip(np.round(5.5 + 2.2 * both + noise * rng.normal(size=(n, n_features))), 0, MOST).astype(int)
    return X, (X[:, 0] + np.abs(X[:, 1] - 5) - X[:, 2] + 0.7 * rng.normal(size=n) > 1.5).astype(int)


@pytest.mark.parametrize("n_components", [1, 2])
@pytest.mark.parametrize("name", ["forest", "boosting", "xgboost", "lightgbm"])
@pytest.mark.parametrize("seed", range(3))
def test_answers_are_the_nearest_of_all_whole_points(name, n_components, seed):
    X, y = whole_numbers(seed)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = classifier(name, seed, n_trees=12, depth=3).fit(frame, y)
    density = ew.GaussianMixtureDensity(n_components=n_components, random_state=0)
    explainer = ew.Explainer(model, density=density, threshold=ew.TrainingQuantile(0.5)).fit(frame, y)
    everything = pd.DataFrame(list(itertools.product(range(-2, MOST + 4), repeat=4)), columns=frame.columns)
    good = everything[model.predict(everything) == 1]
    good = good[explainer.log_density(good, 1) >= explainer.densities_[1].log_threshold_]
    assert len(good)
    rows = frame[model.predict(frame) == 0][:6]
    for number, answer in enumerate(explainer.explain(rows, 1)):
        distances = explainer.distance_(explainer.table_.encode(good), explainer.table_.encode(rows.iloc[[number]]))
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, distances.min(), rtol=1e-9)
        assert answer.lower_bound <= distances.min() * (1 + 1e-9)


@pytest.mark.parametrize("name", ["forest", "xgboost"])
@pytest.mark.parametrize("seed", range(4))
def test_thin_cones_with_few_whole_points(name, seed):
    X, y = whole_numbers(seed, noise=0.1)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = classifier(name, seed, n_trees=12, depth=3).fit(frame, y)
    density = ew.GaussianMixtureDensity(n_components=1, random_state=0)
    explainer = ew.Explainer(model, density=density, threshold=ew.TrainingQuantile(0.9), learn_rules=False).fit(
        frame, y
    )
    everything = pd.DataFrame(list(itertools.product(range(-2, MOST + 4), repeat=4)), columns=frame.columns)
    good = everything[model.predict(everything) == 1]
    good = good[explainer.log_density(good, 1) >= explainer.densities_[1].log_threshold_]
    rows = frame[model.predict(frame) == 0][:6]
    for number, answer in enumerate(explainer.explain(rows, 1)):
        assert answer.status == ("optimal" if len(good) else "infeasible")
        if len(good):
            distances = explainer.distance_(explainer.table_.encode(good), explainer.table_.encode(rows.iloc[[number]]))
            np.testing.assert_allclose(answer.distance, distances.min(), rtol=1e-9)
