"""What answers are told to be as plausible as: never less than the quantile they were verified at."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew


@pytest.mark.parametrize("n", [7, 23, 60])
def test_no_answer_is_told_below_the_quantile_asked_for(n):
    rng = np.random.default_rng(n)
    y = np.arange(2 * n) % 2
    X = rng.normal(size=(2 * n, 2)) + 1.5 * y[:, None]
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=1)).fit(X, y)
    told_by_rows = 0
    for percent in range(5, 100, 5):
        at = explainer.with_threshold(percent / 100)
        answers = at.explain(X[y == 0][:4], 1, on_satisfied="move")
        found = answers.found
        assert found.any()
        assert (answers.plausibilities[found] >= percent / 100).all()
        # an answer on its threshold is as plausible as asked, and no more
        order = at.densities_[1].log_densities_
        rows_below = (order <= answers.log_densities[found][:, None]).mean(axis=1)
        np.testing.assert_array_equal(answers.plausibilities[found], np.maximum(rows_below, percent / 100))
        told_by_rows += int((rows_below > percent / 100).sum())
    assert told_by_rows > 0


def test_frontiers_tell_the_same():
    rng = np.random.default_rng(0)
    y = np.arange(46) % 2
    X = rng.normal(size=(46, 2)) + 1.5 * y[:, None]
    explainer = ew.Explainer(LogisticRegression().fit(X, y)).fit(X, y)
    quantiles = [0.1, 0.3, 0.6, 0.8]
    frontier = explainer.frontier(X[0], target=1, quantiles=quantiles)
    for quantile, answer in zip(quantiles, frontier.explanations):
        assert answer.plausibility >= quantile


def test_a_training_row_that_is_its_own_answer_counts_itself():
    rng = np.random.default_rng(1)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 2)) + 1.5 * y[:, None]
    explainer = ew.Explainer(LogisticRegression().fit(X, y), threshold=0.2).fit(X, y)
    logs = explainer.log_density(X[y == 1], 1)
    answers = explainer.explain(X[y == 1], 1)
    stays = answers.distances == 0
    assert stays.sum() > 5
    held_out = explainer.densities_[1].log_densities_
    expected = [np.mean(held_out <= own) for own in logs[stays]]
    np.testing.assert_allclose(answers.plausibilities[stays], expected, atol=1e-12)
