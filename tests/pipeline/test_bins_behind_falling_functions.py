"""Bins of what falls as a column rises: they are counted from the other side."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, FunctionTransformer, KBinsDiscretizer
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

# bins of different widths: counted from the wrong side they are others
BINS = {
    "codes": KBinsDiscretizer(5, encode="onehot-dense", strategy="quantile", quantile_method="averaged_inverted_cdf"),
    "numbers": KBinsDiscretizer(5, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf"),
    "threshold": Binarizer(threshold=0.9),
}
MODELS = {"linear": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=4, random_state=0)}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("bins", BINS)
def test_nearest_of_a_fine_grid(bins, name):
    rng = np.random.default_rng(0)
    X = 1.0 - 1.9 * rng.random((150, 2)) ** 3
    y = (X[:, 0] ** 2 + 0.7 * X[:, 1] > 0.7).astype(int)
    model = make_pipeline(FunctionTransformer(np.arccos), clone(BINS[bins]), clone(MODELS[name])).fit(X, y)
    explainer = ew.Explainer(model, density=None, distance="manhattan").fit(X, y)
    side = np.linspace(-1.0, 1.0, 801)
    grid = np.array(list(itertools.product(side, side)))
    predicted = model.predict(grid)
    for target in (0, 1):
        rows, good = X[model.predict(X) != target][:3], grid[predicted == target]
        assert len(rows)
        assert len(good)
        for row, answer in zip(rows, explainer.explain(rows, target)):
            nearest = np.abs(good - row).sum(axis=1).min()
            assert answer.status == "optimal"
            assert answer.lower_bound <= nearest
            # steps of the grid are 0.0025 wide, in each of two columns
            assert nearest - 0.005 <= answer.distance <= nearest
