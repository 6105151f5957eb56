"""Ranges of one number that ``predict`` attains exactly are never called infeasible, alone or with further models."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer

import elsewise as ew

EVERY = np.array(list(itertools.product(range(6), repeat=2)), dtype=float)
WITHIN = ew.Constraints(bounds={"x0": (0, 5), "x1": (0, 5)})


def models(seed):
    """A scorecard, a line and a network whose units are saturated at whole numbers, with their data."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(120, 2)).astype(float)
    y = X @ [1.3, -0.7] + rng.normal(size=120)
    bins = KBinsDiscretizer(4, encode="onehot-dense", strategy="uniform")
    network = MLPRegressor(hidden_layer_sizes=(3,), activation="tanh", solver="lbfgs", random_state=0).fit(X, y)
    network.coefs_[0] = network.coefs_[0] * 300
    return X, y, {
        "scorecard": make_pipeline(bins, Ridge()).fit(X, y),
        "line": LinearRegression().fit(X, y),
        "saturated": network,
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("first", "second"),
    [("scorecard", None), ("scorecard", "line"), ("scorecard", "saturated"), ("saturated", None)],
)
def test_ranges_of_one_number_are_attained(first, second):
    X, y, by_name = models(0)
    model, other = by_name[first], by_name.get(second)
    explainer = ew.Explainer(model, density=None, distance="manhattan").fit(X, y)
    predicted = model.predict(EVERY)
    of_other = np.zeros(len(EVERY)) if other is None else other.predict(EVERY)
    for place in range(0, len(EVERY), 5):
        good = (predicted == predicted[place]) & (of_other == of_other[place])
        other_models = () if other is None else [(other, (of_other[place], of_other[place]))]
        row = EVERY[(7 * place + 5) % len(EVERY)]
        target = (predicted[place], predicted[place])
        answer = explainer.explain(row[None], target, constraints=WITHIN, other_models=other_models, time_limit=0.3)[0]
        assert answer.status != "infeasible"
        assert answer.lower_bound <= np.abs(EVERY[good] - row).sum(axis=1).min()
