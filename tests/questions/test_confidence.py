"""Confidence: answers of which the model is as sure as of a share of real rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.svm import LinearSVC

import elsewise as ew


@pytest.mark.parametrize("model", [LogisticRegression(C=0.3), RandomForestClassifier(5, max_depth=3, random_state=0)])
@pytest.mark.parametrize("q", [0.1, 0.5, 0.8])
def test_answers_are_as_sure_as_that_share_of_real_rows(model, q):
    X, y = load_iris(return_X_y=True)
    keep = y != 0
    X, y = X[keep], y[keep]
    model = model.fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    for target in (1, 2):
        real = model.predict_proba(X[y == target])[:, target - 1]
        least = max(np.quantile(real, q), 0.5)
        rows = X[model.predict(X) != target][:4]
        for answer in explainer.explain(rows, target=target, confidence=q):
            sure = model.predict_proba(answer.counterfactual[None])[0, target - 1]
            assert sure >= least - 1e-3  # the kept quantiles are interpolated
            assert model.predict(answer.counterfactual[None])[0] == target
            same = explainer.explain_one(answer.x, target=target, min_probability=answer.min_probability)
            assert same.distance == answer.distance


def test_the_nearest_answer_of_one_column_is_where_the_model_is_sure():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(-1, 1, 300), rng.normal(1, 1, 300)][:, None]
    y = np.repeat([0, 1], 300)
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    answer = explainer.explain_one([-1.0], target=1, confidence=0.5)
    least = np.quantile(model.predict_proba(X[y == 1])[:, 1], 0.5)
    place = brentq(lambda x: model.predict_proba([[x]])[0, 1] - least, -5, 5)
    assert answer.counterfactual[0] == pytest.approx(place, abs=1e-5)
    nearest = explainer.explain(X[:3], confidence=0.5)  # the nearest other class: each has its own least probability
    assert (nearest.min_probabilities > 0.5).all()
    assert explainer.mapper(target=1, confidence=0.5)(pd.DataFrame(X[:2], columns=["x0"]))["status"].tolist()


def test_what_has_no_confidence_says_so():
    X, y = load_iris(return_X_y=True)
    y = (y > 0).astype(int)
    svc = ew.Explainer(LinearSVC().fit(X, y), density=None).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="needs a model with predict_proba, and LinearSVC has none"):
        svc.explain(X[:1], target=1, confidence=0.5)
    straight = ew.Explainer(LinearRegression().fit(X, y), density=None).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="confidence is for classifiers"):
        straight.explain(X[:1], target=(1, None), confidence=0.5)
    logistic = LogisticRegression(max_iter=1000).fit(X, y)
    explainer = ew.Explainer(logistic, density=None).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="give one of them"):
        explainer.explain(X[:1], target=1, confidence=0.5, min_probability=0.6)
    with pytest.raises(ew.InvalidInputError, match="between 0 and 1"):
        explainer.explain(X[:1], target=1, confidence=1.0)
    shy = FixedThresholdClassifier(logistic, threshold=0.99).fit(X, y)
    careful = ew.Explainer(shy, density=None).fit(X, y)
    assert (shy.predict(X) != logistic.predict(X)).any()
    with pytest.raises(ew.InvalidInputError, match="more than one half"):
        careful.explain(X[:1], target=1, confidence=0.5)
    black = ew.BlackBox(logistic.predict, [0, 1], logistic.predict_proba)
    asked = ew.Explainer(black, density=None).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="this one is only asked"):
        asked.explain(X[:1], target=1, confidence=0.5)
