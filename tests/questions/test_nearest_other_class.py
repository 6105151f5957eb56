"""Rows that ask for the nearest other class: one call of the model, which has the last word on the present one."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

import elsewise as ew

X = np.random.default_rng(0).normal(size=(120, 2))
Y = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int)


def linear() -> LogisticRegression:
    """Decides for class 1 where the first number is positive."""
    model = LogisticRegression().fit(X, Y)
    model.coef_, model.intercept_ = np.array([[1.0, 0.0]]), np.array([0.0])
    return model


@pytest.mark.parametrize("model", [linear(), GradientBoostingClassifier(n_estimators=8, random_state=0).fit(X, Y)])
def test_the_model_is_asked_once_about_a_row_and_its_answer(model, monkeypatch):
    explainer = ew.Explainer(model, density=None).fit(X, Y)
    asked: list[int] = []
    predict = type(model).predict
    monkeypatch.setattr(type(model), "predict", lambda self, rows: asked.append(len(rows)) or predict(self, rows))
    for row in X[:12]:
        asked.clear()
        answer = explainer.explain(row[None])
        assert asked[0] == 2  # a point on the boundary is asked about again, alone
        assert sum(asked) <= 3
        assert answer.predictions[0] == predict(model, row[None])[0]
        assert answer.targets[0] == 1 - answer.predictions[0]
        same = explainer.explain(row[None], answer.targets[0])
        assert answer.features.tobytes() == same.features.tobytes()
        assert answer.lower_bounds.tobytes() == same.lower_bounds.tobytes()


@pytest.mark.parametrize("value", [0.0, -0.0, 5e-324, -5e-324, 1e-17])
def test_on_the_boundary_the_model_decides_which_class_is_the_other(value):
    model = linear()
    explainer = ew.Explainer(model, density=None).fit(X, Y)
    row = np.array([[value, 0.5]])
    answer = explainer.explain(row)
    assert answer.predictions[0] == model.predict(row)[0]
    assert answer.targets[0] == 1 - answer.predictions[0]
    assert model.predict(answer.counterfactuals)[0] == answer.targets[0]
    same = explainer.explain(row, answer.targets[0])
    assert answer.statuses[0] == same.statuses[0]
    assert answer.features.tobytes() == same.features.tobytes()


def test_a_class_that_is_never_predicted():
    model = linear()
    model.coef_, model.intercept_ = np.array([[0.0, 0.0]]), np.array([-1.0])  # always class 0
    explainer = ew.Explainer(model, density=None).fit(X, Y)
    answer = explainer.explain(X[:1])
    assert answer.predictions[0] == 0
    assert answer.statuses[0] == "infeasible"
