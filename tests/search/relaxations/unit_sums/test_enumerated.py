"""Answers in whole numbers against a list of all rows there are, judged by the model and the density alone."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier

import elsewise as ew

LOW, HIGH = -3, 13
SETTINGS = {"max_iter": 150, "learning_rate_init": 0.03, "random_state": 0}
MODELS = {
    "relu": MLPClassifier((6,), **SETTINGS),
    "tanh": MLPClassifier((4, 4), activation="tanh", **SETTINGS),
    "naive Bayes": GaussianNB(),
    "discriminant": QuadraticDiscriminantAnalysis(reg_param=0.1),
}


@pytest.mark.parametrize("density", [None, "auto"])
@pytest.mark.parametrize("name", MODELS)
def test_no_listed_row_is_nearer(name, density):
    rng = np.random.default_rng(7)
    index = np.arange(60) % 3
    X = rng.uniform(1, 9, size=(3, 3))[index] + rng.normal(scale=2, size=(60, 3))
    X = np.clip(np.round(X), 0, 10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = MODELS[name].fit(X, index)
    explainer = ew.Explainer(model, density=density).fit(X, index)
    rows = X[:3]
    targets = [int((said + 1) % 3) for said in model.predict(rows)]
    rules = ew.Constraints(bounds={f"x{i}": (LOW, HIGH) for i in range(3)}, integer=["x0", "x1", "x2"], max_changes=2)
    answers = explainer.explain(rows, target=targets, constraints=rules)
    everything = np.array(list(itertools.product(range(LOW, HIGH + 1), repeat=3)), dtype=np.float64)
    for place, target in enumerate(targets):
        good = (model.predict(everything) == target) & ((everything != rows[place]).sum(axis=1) <= 2)
        if density is not None:
            good &= explainer.log_density(everything, target) >= explainer.densities_[target].log_threshold_
        if not good.any():
            assert answers.statuses[place] == "infeasible"
            continue
        best = explainer.distance_(everything[good], np.repeat(rows[[place]], good.sum(), axis=0)).min()
        assert answers.statuses[place] == "optimal"
        np.testing.assert_allclose(answers.distances[place], best, rtol=1e-9)
        assert answers.lower_bounds[place] <= best * (1 + 1e-12)
