"""``exactness_`` says how well answers can be expected to be proven."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.neural_network import MLPClassifier

import elsewise as ew
from elsewise.search.relaxations.tree_sums import region as tree_sums


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    return X, (X.sum(axis=1) + rng.normal(size=200) > 0).astype(int)


@pytest.mark.parametrize(
    ("layers", "expected"), [((20,), "exact"), ((100,), "exact"), ((101,), "bounded"), ((60, 60), "bounded")]
)
def test_networks_are_bounded_by_their_units(data, layers, expected):
    X, y = data
    model = MLPClassifier(layers, max_iter=5000, tol=1e-2, random_state=0).fit(X, y)
    assert ew.Explainer(model, density=None).fit(X, y).exactness_ == expected


def test_large_forests_are_bounded_sooner_with_a_density(data, monkeypatch):
    X, y = data
    model = RandomForestClassifier(20, random_state=0).fit(X, y)
    n_leaves = sum(tree.get_n_leaves() for tree in model.estimators_)
    monkeypatch.setattr(tree_sums, "USUALLY_PROVEN_WITH_DENSITY", n_leaves - 1)
    assert ew.Explainer(model).fit(X, y).exactness_ == "bounded"
    assert ew.Explainer(model, density=None).fit(X, y).exactness_ == "exact"
    monkeypatch.setattr(tree_sums, "USUALLY_PROVEN", n_leaves - 1)
    assert ew.Explainer(model, density=None).fit(X, y).exactness_ == "bounded"
