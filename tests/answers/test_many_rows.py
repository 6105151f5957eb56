"""Many rows, and several answers a row: every row is answered once, and answers are counted by their distances."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew


@pytest.mark.parametrize(("dtype", "n"), [("float64", 2_100), ("int64", 300)])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_every_row_of_a_large_batch_is_answered_once(dtype, n, n_jobs):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 40, n), "b": rng.integers(0, 40, n)}).astype(dtype)
    y = frame["a"] + frame["b"] > 40
    explainer = ew.Explainer(LogisticRegression().fit(frame, y), density=None, n_jobs=n_jobs).fit(frame, y)
    answers = explainer.explain(frame, True)
    np.testing.assert_array_equal(answers.rows, np.arange(n))
    pd.testing.assert_frame_equal(answers.x, frame)
    some = [0, 127, 128, 129, n - 2, n - 1]
    alone = [explainer.explain(frame.iloc[[i]], True).distances[0] for i in some]
    np.testing.assert_array_equal(answers.distances[some], alone)


def test_answers_at_the_same_distance_are_none_nearer_than_the_other():
    frame = pd.DataFrame({name: np.tile(np.arange(5), 20) for name in "abc"})
    frame["b"], frame["c"] = frame["b"].to_numpy()[::-1], np.repeat(np.arange(5), 20)
    y = frame.sum(axis=1) > 7
    model = LogisticRegression().fit(frame, y)
    model.coef_, model.intercept_ = np.ones((1, 3)), np.array([-7.5])
    explainer = ew.Explainer(model, density=None, distance="manhattan").fit(frame, y)
    rows = frame[~y].iloc[:3]
    answers = explainer.explain(rows, True, n_counterfactuals=5, diversity="columns")
    ties = 0
    for answer, row, distance in zip(answers, answers.rows, answers.distances):
        same_row = answers.distances[answers.rows == row]
        assert answer.nearer == (same_row < distance * (1 - 1e-6)).sum()
        ties += int((np.abs(same_row - distance) < 1e-6).sum() > 1)
    assert ties > 2
