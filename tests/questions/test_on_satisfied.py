"""Rows that have the outcome already: they are kept, or move to where they are plausible."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew


@pytest.mark.parametrize("name", ["logistic", "forest"])
def test_rows_with_the_outcome_stay_where_only_that_is_wanted(name):
    X, y = load_wine(return_X_y=True)
    last = LogisticRegression() if name == "logistic" else RandomForestClassifier(10, max_depth=3, random_state=0)
    model = make_pipeline(StandardScaler(), last).fit(X, y)
    explainer = ew.Explainer(model, threshold=0.9, distance="scaled").fit(X, y)
    has_it = model.predict(X) == 1
    sparse = explainer.log_density(X, 1) < explainer.densities_[1].log_threshold_
    rows = np.vstack([X[has_it & sparse][:3], X[has_it & ~sparse][:2], X[~has_it][:3]])
    moving, staying = explainer.explain(rows, 1, on_satisfied="move"), explainer.explain(rows, 1)
    assert (moving.distances[:3] > 0).all()
    unmet = "The model already predicts 1, but the row does not meet every requirement."
    assert all(one.sentence.startswith(unmet) for one in moving[:3])
    np.testing.assert_array_equal(staying.counterfactuals[:5], rows[:5])
    assert (staying.distances[:5] == 0).all()
    assert (staying.statuses == "optimal").all()
    assert not staying.model_free[:3].any()
    assert all("Nothing has to change" in one.sentence for one in staying[:5])
    assert all("typical enough" not in one.reason for one in staying[:3])
    assert all("typical enough" in one.reason for one in staying[3:5])
    np.testing.assert_array_equal(np.isfinite(staying.log_thresholds), [False] * 3 + [True] * 5)
    np.testing.assert_array_equal(staying.distances[3:], moving.distances[3:])
    np.testing.assert_array_equal(staying.counterfactuals[3:], moving.counterfactuals[3:])


def test_rows_that_break_a_rule_do_not_stay():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    row = X[model.predict(X) == 1].iloc[0]
    rules = ew.Constraints(linear=[f"alcohol >= {row['alcohol'] + 0.1}"])
    answer = explainer.explain_one(row, 1, constraints=rules)
    assert answer.counterfactual["alcohol"] > row["alcohol"]


@pytest.mark.parametrize("wrong", ["go", None, 1])
def test_already_says_what_it_takes(wrong):
    X, y = load_wine(return_X_y=True)
    explainer = ew.Explainer(LogisticRegression(max_iter=5000).fit(X, y), density=None).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="on_satisfied must be 'keep' or 'move'"):
        explainer.explain(X[:1], 1, on_satisfied=wrong)
