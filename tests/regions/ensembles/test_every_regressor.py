"""Regressors of every library, alone and behind a scaler: ranges of predictions, against the list of all cells."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew
from elsewise.regions import Interval, classes_of, region_of
from regions.ensembles.small_ensembles import LIBRARIES, nearest_of_numbers, numbers, regressor


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
