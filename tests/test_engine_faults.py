"""Faults that were found by hostile testing, each with the smallest case that shows it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew


@pytest.mark.parametrize("distance", ["mahalanobis", "manhattan"])
@pytest.mark.parametrize(
    "model", [LogisticRegression(), DecisionTreeClassifier(max_depth=4, random_state=0)], ids=["logistic", "tree"]
)
def test_rows_that_all_but_satisfy_everything_have_an_answer(model, distance):
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    explainer = ew.Explainer(model.fit(X, y), distance=distance).fit(X, y)
    for target in (0, 1, 2):
        answers = np.asarray(explainer.explain(X, target=target).counterfactuals)
        rows = np.round(answers, 8)
        again = explainer.explain(rows, target=target)
        assert (again.statuses != "infeasible").all()
        # The answer that was rounded is one, too: what is found is no farther, and no bound lies above it.
        known = explainer.distance_(answers, rows)
        assert (again.distances <= known * (1 + 1e-6) + 1e-30).all()
        assert (again.lower_bounds <= known).all()
