"""Units of a network whose inputs lie twelve decades apart: rows that are answers are not ruled out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier

import elsewise as ew


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_known_answers_are_not_ruled_out(activation):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] + X[:, 1] ** 2 > 0.7).astype(int)
    units = np.array([1e-6, 1e6])
    model = MLPClassifier((4,), activation=activation, solver="lbfgs", max_iter=100, random_state=0).fit(X, y)
    model.coefs_[0] = model.coefs_[0] / units[:, None]  # the same network of columns in other units
    explainer = ew.Explainer(model, density=None, distance="manhattan").fit(X * units, y)
    predicted = model.predict(X * units)
    for target in (0, 1):
        rows, known = (X * units)[predicted != target][:4], (X * units)[predicted == target]
        for row, answer in zip(rows, explainer.explain(rows, target, time_limit=0.5)):
            assert answer.status != "infeasible"
            assert answer.lower_bound <= np.abs(known - row).sum(axis=1).min() * (1 + 1e-9)
