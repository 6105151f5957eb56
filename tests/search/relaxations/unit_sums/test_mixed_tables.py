"""Networks over categories and whole numbers, of several layers and classes, against a list of all rows there are."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew

LEVELS = {"job": list("abcd"), "home": list("uvw")}
NUMBERS = {"age": range(9), "debt": range(-4, 5)}
EVERY_ROW = pd.DataFrame(itertools.product(*LEVELS.values(), *NUMBERS.values()), columns=[*LEVELS, *NUMBERS])


def table(rng):
    frame = pd.DataFrame({name: rng.choice(levels, 150) for name, levels in LEVELS.items()})
    for name, values in NUMBERS.items():
        frame[name] = np.clip(np.round(np.mean(values) + 2.2 * rng.normal(size=150)), values[0], values[-1]).astype(int)
    bonus = frame["job"].isin(["b", "d"]) * 2.0 - (frame["home"] == "w") * frame["age"] / 3
    score = np.sin(frame["age"] / 2) * 2 + frame["debt"] * 0.7 + bonus + rng.normal(size=150)
    return frame, np.digitize(score, np.quantile(score, [0.5, 0.8])).astype(int)


def fitted(frame, y, hidden, activation, seed):
    encoder = make_column_transformer((OneHotEncoder(), list(LEVELS)), (StandardScaler(), list(NUMBERS)))
    network = MLPClassifier(hidden, activation=activation, max_iter=120, learning_rate_init=0.03, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return make_pipeline(encoder, network).fit(frame, y)


def distances(frame, row):
    total = (EVERY_ROW[list(LEVELS)] != row[list(LEVELS)]).sum(axis=1).to_numpy(dtype=np.float64)
    for name in NUMBERS:
        scale = np.median(np.abs(frame[name] - np.median(frame[name])))
        total += np.abs(EVERY_ROW[name] - row[name]).to_numpy() / scale
    return total


@pytest.mark.parametrize(
    ("hidden", "activation", "n_classes", "density", "max_changes"),
    [
        ((8,), "relu", 2, "auto", None),
        ((6, 6), "relu", 3, "auto", None),
        ((6, 6), "relu", 2, None, None),
        ((5,), "tanh", 3, "auto", None),
        ((4, 4), "logistic", 2, "auto", None),
        ((8,), "relu", 3, "auto", 2),
    ],
)
def test_no_listed_row_is_nearer(hidden, activation, n_classes, density, max_changes):
    rng = np.random.default_rng(len(hidden) + 7 * n_classes)
    frame, y = table(rng)
    y = np.minimum(y, n_classes - 1)
    model = fitted(frame, y, hidden, activation, 0)
    explainer = ew.Explainer(model, density=density, rules=None).fit(frame, y)
    rows, everything = frame.iloc[:4], EVERY_ROW.astype(frame.dtypes)
    targets = ((model.predict(rows) + 1) % n_classes).tolist()
    limits = {name: (values[0], values[-1]) for name, values in NUMBERS.items()}
    rules = ew.Constraints(bounds=limits, max_changes=max_changes)
    answers = explainer.explain(rows, target=targets, constraints=rules)
    said = model.predict(everything)
    for k, target in enumerate(targets):
        good = said == target
        if max_changes is not None:
            good &= (everything != rows.iloc[k]).sum(axis=1).to_numpy() <= max_changes
        if density is not None:
            good &= explainer.log_density(everything, target) >= explainer.densities_[target].log_threshold_
        if not good.any():
            assert answers.statuses[k] == "infeasible"
            continue
        best = distances(frame, rows.iloc[k])[good].min()
        assert answers.statuses[k] == "optimal"
        np.testing.assert_allclose(answers.distances[k], best, rtol=1e-9)
        assert answers.lower_bounds[k] <= best * (1 + 1e-12)
