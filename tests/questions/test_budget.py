"""Seconds for a whole batch: easy rows first, and what is left for those that are not proven yet."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

import elsewise as ew

X, y = load_breast_cancer(return_X_y=True)
X = X[:, :6]
ROWS = X[y == 0][:8]


@pytest.fixture(scope="module")
def boosting():
    """An explainer of boosted trees, some rows of which take a while."""
    return ew.Explainer(GradientBoostingClassifier(n_estimators=60, random_state=0).fit(X, y)).fit(X, y)


@pytest.mark.parametrize("n_counterfactuals", [1, 2])
def test_what_is_proven_at_once_is_as_without_a_budget(n_counterfactuals):
    explainer = ew.Explainer(LogisticRegression(max_iter=5000).fit(X, y)).fit(X, y)
    plain = explainer.explain(ROWS, 1, n_counterfactuals=n_counterfactuals)
    told = []
    within = explainer.explain(
        ROWS, 1, n_counterfactuals=n_counterfactuals, budget=60.0, progress=lambda done, total: told.append(done)
    )
    np.testing.assert_array_equal(within.rows, plain.rows)
    np.testing.assert_array_equal(within.counterfactuals, plain.counterfactuals)
    assert within.statuses.tolist() == plain.statuses.tolist()
    assert told[-1] == len(ROWS)


def test_what_is_left_goes_to_rows_that_are_not_proven(boosting):
    """Within a budget that is enough for all of them, all are proven; and never by a bound that is not true."""
    proven = boosting.explain(ROWS, 1, effort="proof")
    enough = boosting.explain(ROWS, 1, budget=600.0)
    assert (enough.statuses == "optimal").all()
    np.testing.assert_allclose(enough.distances, proven.distances, rtol=2e-6)
    short = boosting.explain(ROWS, 1, budget=0.2)
    assert (short.rows == np.arange(len(ROWS))).all()
    found = np.isfinite(short.distances)
    assert (short.lower_bounds <= proven.distances * (1 + 1e-9)).all()
    assert (short.distances[found] >= proven.distances[found] * (1 - 2e-6)).all()


def test_rows_without_a_name_and_wrong_rows(boosting):
    rows = ROWS.copy()
    rows[1, 2] = np.nan
    found = boosting.explain(rows, 1, errors="row", budget=60.0)
    assert found.statuses[1] == "error"
    assert (found.rows == np.arange(len(rows))).all()
    assert len(boosting.explain(ROWS[:0], 1, budget=1.0)) == 0


@pytest.mark.parametrize("budget", [0, -1.0, np.nan, np.inf, True, "1"])
def test_a_budget_is_a_positive_number(boosting, budget):
    with pytest.raises(ew.InvalidInputError, match="budget must be a positive number of seconds or None"):
        boosting.explain(ROWS, 1, budget=budget)


def test_a_budget_and_an_effort_exclude_each_other(boosting):
    with pytest.raises(ew.InvalidInputError, match="leave one of them out"):
        boosting.explain(ROWS, 1, budget=1.0, effort="quick")
