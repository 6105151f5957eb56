"""Steps that jump or have kinks before models with curves: nothing on a fine grid is nearer than a proven bound."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import Binarizer, FunctionTransformer, KBinsDiscretizer, QuantileTransformer, StandardScaler
from sklearn.svm import LinearSVC

import elsewise as ew

AS_IS = ("as is", FunctionTransformer(np.tanh))
STEPS = {
    "bins": KBinsDiscretizer(4, encode="ordinal", strategy="uniform"),
    "ranks": QuantileTransformer(n_quantiles=8),
    "clipped": FunctionTransformer(np.clip, kw_args={"a_min": -0.5, "a_max": 0.7}),
    "positive": FeatureUnion([("sign", Binarizer(threshold=0.0)), AS_IS]),
    "above": FeatureUnion([("above", Binarizer(threshold=0.4)), AS_IS]),
}
MODELS = {
    "linear": LogisticRegression(),
    "relu": MLPClassifier((4,), max_iter=300, random_state=0, solver="lbfgs"),
    "tanh": MLPClassifier((3,), activation="tanh", max_iter=300, random_state=0, solver="lbfgs"),
    "discriminant": QuadraticDiscriminantAnalysis(reg_param=0.1),
    "bayes": GaussianNB(),
    "isotonic": CalibratedClassifierCV(LinearSVC(), method="isotonic", cv=3),
}


def table(seed):
    """Rows of two columns, in part on the breaks of steps, and labels that bend."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(120, 2)), 1)
    return X, (X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=120) > 0.7).astype(int)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("step", STEPS)
def test_nothing_on_a_fine_grid_is_nearer(step, name):
    X, y = table(0)
    model = make_pipeline(clone(STEPS[step]), StandardScaler(), clone(MODELS[name])).fit(X, y)
    explainer = ew.Explainer(model, density=None, distance="manhattan").fit(X, y)
    # numbers on both sides of tenths: breaks are there
    side = np.linspace(-3.0, 3.0, 121)
    side = np.unique(np.concatenate([side, np.round(side, 1), np.nextafter(np.round(side, 1), np.inf)]))
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    predicted = model.predict(grid)
    for target in (0, 1):
        given = X[model.predict(X) != target][:2]
        good = grid[predicted == target]
        assert len(good)
        for x, answer in zip(given, explainer.explain(given, target, time_limit=0.4)):
            nearest = np.abs(good - x).sum(axis=1).min()
            assert answer.lower_bound <= nearest * (1 + 1e-9)
            assert answer.status != "infeasible"
