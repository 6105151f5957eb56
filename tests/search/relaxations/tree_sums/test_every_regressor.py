"""Regressors of every library, alone and behind a scaler: ranges of predictions, against the list of all cells."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew
from elsewise.models import Interval, classes_of, region_of
from search.relaxations.tree_sums.small_ensembles import LIBRARIES, classifier, nearest_of_numbers, numbers, regressor


@pytest.mark.parametrize("name", [*LIBRARIES, "bagging", "catboost"])
@pytest.mark.parametrize("scaled", [False, True], ids=["alone", "scaled"])
def test_ranges_of_predictions(name, scaled):
    X, _, score = numbers(3)
    estimator = regressor(name, 3, n_trees=8)
    model = (make_pipeline(StandardScaler(), estimator) if scaled else estimator).fit(X, score)
    assert classes_of(estimator) is None
    low, high = (float(end) for end in np.quantile(model.predict(X), [0.6, 0.8]))
    explainer = ew.Explainer(model, density=None).fit(X)
    rows = X[model.predict(X) < low][:5]
    answers = explainer.explain(rows, (low, high))
    assert set(answers.statuses) == {"optimal"}
    predicted = model.predict(answers.counterfactuals)
    assert ((predicted >= low) & (predicted <= high)).all()
    if scaled:  # cells are between rounded cuts
        return
    for row, answer in zip(rows, answers):
        nearest = nearest_of_numbers(
            region_of(model, Interval(low, high)).trees.cuts(),
            row,
            explainer.distance_.weights,
            lambda points: (model.predict(points) >= low) & (model.predict(points) <= high),
        )
        np.testing.assert_allclose(answer.distance, nearest.distance, rtol=1e-9)


@pytest.mark.parametrize("make", [classifier, regressor], ids=["classifier", "regressor"])
def test_catboost_from_a_file_and_columns_in_another_order(make):
    X, y, score = numbers(4)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = make("catboost", n_trees=8).fit(frame, y if make is classifier else score)
    read = pickle.loads(pickle.dumps(model))
    target = 1 if make is classifier else (1.0, 3.0)
    rows = frame[:6]
    before = ew.Explainer(model, density=None).fit(frame, y).explain(rows, target)
    after = ew.Explainer(read, density=None).fit(frame, y).explain(rows, target)
    np.testing.assert_array_equal(before.distances, after.distances)
    turned = frame[["c", "a", "b"]]
    other = ew.Explainer(read, density=None).fit(turned, y).explain(turned[:6], target)
    np.testing.assert_array_equal(before.distances, other.distances)
    predicted = np.ravel(model.predict(other.counterfactuals[["a", "b", "c"]]))
    assert ((predicted == 1) if make is classifier else (predicted >= 1.0) & (predicted <= 3.0)).all()
