"""Medium ensembles, twenty trees of depth four, against a formulation of their own for CP-SAT."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import elsewise as ew
from elsewise.models import Label, region_of
from search.relaxations.tree_sums.small_ensembles import classifier

pytest.importorskip("ortools", reason="ortools is not installed: pip install 'elsewise[bench]'")
_PATH = Path(__file__).parents[4] / "benchmarks" / "ensembles_cpsat.py"
_SPEC = importlib.util.spec_from_file_location("ensembles_cpsat_under_test", _PATH)
cpsat = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = cpsat
_SPEC.loader.exec_module(cpsat)

LIBRARIES = ["forest", "extra trees", "boosting", "histograms", "xgboost", "lightgbm"]


def medium(seed, n_classes, n=300, d=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-2, 3, d)
    score = (X / X.std(axis=0)) @ rng.normal(size=d) + rng.normal(size=n)
    return X, np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("seed", range(10))
def test_the_same_distance(name, seed):
    n_classes = 3 if seed % 4 == 3 and name in ("forest", "extra trees") else 2
    X, y = medium(seed, n_classes)
    model = classifier(name, seed, n_trees=20, depth=4).fit(X, y)
    explainer = ew.Explainer(model, density=None, distance="scaled").fit(X, y)
    target = n_classes - 1
    row = X[model.predict(X) != target][seed]
    (answer,) = explainer.explain(row[None], target)
    assert answer.status == "optimal"
    other = cpsat.nearest_by_cpsat(region_of(model, Label(target)), row, explainer.distance_.weights)
    assert other.is_proven
    assert model.predict(other.point[None])[0] == target
    np.testing.assert_allclose(answer.distance, other.distance, rtol=1e-9)
    assert answer.lower_bound <= other.distance * (1 + 1e-12)
    assert other.bound <= answer.distance * (1 + 1e-9)
