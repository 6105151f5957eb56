"""A threshold that is a quantile is the density of a training row: that row is dense enough, the ones below are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

N = 88
RANKS = (1, 11, 13, 15, 22, 26, 30, 43, 44, 52, 60, 86)
"""The quantile of rank k is k / 87; for some of these, 87 (k / 87) is a little more than k."""


def data(kind):
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(size=(N, 3)) * [1.0, 10.0, 0.1], rng.normal(size=(N, 3)) + 4.0])
    y = np.repeat(["a", "b"], N)
    tree = DecisionTreeClassifier(random_state=0)
    if kind == "table":
        frame = pd.DataFrame(X[:, :2], columns=["u", "v"])
        frame["w"] = np.where(rng.random(2 * N) < 0.6, "x", "z")
        encode = make_column_transformer((StandardScaler(), ["u", "v"]), (OneHotEncoder(), ["w"]))
        return make_pipeline(encode, tree).fit(frame, y), frame, y
    model = tree if kind == "plain" else make_pipeline(StandardScaler(), PCA(3, random_state=0), tree)
    return model.fit(X, y), X, y


CASES = {
    "one": ("plain", ew.GaussianMixtureDensity(n_components=1)),
    "two": ("plain", ew.GaussianMixtureDensity(n_components=2)),
    "diagonal": ("rotated", ew.GaussianMixtureDensity(n_components=3, covariance_type="diag")),
    "rotated": ("rotated", ew.GaussianMixtureDensity(n_components=2)),
    "categories": ("table", ew.MixedMixtureDensity(n_components=2, random_state=0)),
}


@pytest.mark.parametrize("case", CASES)
def test_the_row_at_the_quantile_is_dense_enough_and_those_below_are_not(case):
    kind, density = CASES[case]
    model, X, y = data(kind)
    first = ew.Explainer(model, density=density).fit(X, y)
    mixtures = {label: each.mixture_ for label, each in first.densities_.items()}
    lifted = 0
    for label in ("a", "b"):
        rows = X[y == label]
        np.testing.assert_array_equal(model.predict(rows), label)
        order = np.argsort(first.log_density(rows, label))
        logs = first.log_density(rows, label)[order]
        lifted += int(sum(np.quantile(logs, k / (N - 1)) > logs[k] for k in RANKS))
        for k in RANKS:
            explainer = ew.Explainer(model, density=mixtures, threshold=k / (N - 1)).fit(X, y)
            answers = explainer.explain(rows, label, on_satisfied="move")
            dense = (answers.distances == 0.0)[order]
            assert dense[k:].all(), f"rank {k} of {label!r} is shut out"
            # Equal rows have equal densities, up to rounding.
            below = logs < logs[k] - 1e-9 * (1.0 + abs(logs[k]))
            assert not dense[below].any()
            assert abs(explainer.densities_[label].log_threshold_ - logs[k]) <= 1e-11 * (1.0 + abs(logs[k]))
            if k % 2 == 1:  # the same row on the way through the other doors
                x = rows.iloc[int(order[k])] if kind == "table" else rows[order[k]]
                assert first.frontier(x, label, [k / (N - 1)], on_satisfied="move").distances[0] == 0.0
    assert lifted > 0, "no quantile lies above its row: rounding was not tested"


def test_a_kernel_density_leaves_each_row_out_of_its_own():
    model, X, y = data("plain")
    first = ew.Explainer(model, density=ew.KernelDensity(bandwidth=1.0)).fit(X, y)
    logs = first.densities_["a"].log_densities_
    for k in RANKS:
        explainer = ew.Explainer(model, density=ew.KernelDensity(bandwidth=1.0), threshold=k / (N - 1)).fit(X, y)
        threshold = explainer.densities_["a"].log_threshold_
        assert threshold <= logs[k]
        np.testing.assert_allclose(threshold, logs[k], rtol=1e-10)
