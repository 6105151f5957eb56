"""Predictions that are exponentials, with ends of the target at zero, where doubles underflow."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import PoissonRegressor
from sklearn.neural_network import MLPRegressor

import elsewise as ew

MODELS = {
    "relu": MLPRegressor(loss="poisson", hidden_layer_sizes=(4,), solver="lbfgs", max_iter=50, random_state=0),
    "tanh": MLPRegressor(
        loss="poisson", hidden_layer_sizes=(4,), activation="tanh", solver="lbfgs", max_iter=50, random_state=0
    ),
    "linear": PoissonRegressor(),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", MODELS)
def test_zero_is_attained_by_underflow_alone(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = rng.poisson(np.exp(X @ [0.5, -0.8])).astype(float)
    model = MODELS[name].fit(X, y)
    explainer = ew.Explainer(model, density=None, distance="manhattan", learn_rules=False).fit(X, y)
    side = np.concatenate([np.linspace(-3, 3, 25), [-1e4, 1e4]])
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    with np.errstate(over="ignore"):  # the other way it is infinite
        predicted = model.predict(grid)
    row = X[:1]
    for target, good in (((None, 0.0), predicted <= 0), ((None, -1.0), predicted <= -1), ((0.0, None), predicted >= 0)):
        answer = explainer.explain(row, target, time_limit=2)[0]
        if good.any():
            assert answer.status != "infeasible"
            assert answer.lower_bound <= np.abs(grid[good] - row).sum(axis=1).min()
        else:
            assert answer.status == "infeasible"
    assert (predicted <= 0).any() == (name != "tanh")
    within = ew.Constraints(bounds={"x0": (-3, 3), "x1": (-3, 3)})
    assert explainer.explain(row, (None, 0.0), constraints=within, time_limit=5)[0].status == "infeasible"
