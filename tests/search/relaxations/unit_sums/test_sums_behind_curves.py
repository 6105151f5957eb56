"""Networks and Gaussian models behind logarithms, powers and quantiles: predict, and everything on a grid."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PowerTransformer, QuantileTransformer, SplineTransformer

import elsewise as ew
from elsewise.search.relaxations.unit_sums.functions import IDENTITY, RELU, SQUARE, Mixed
from fitted_models import assert_certified

STEPS = {
    "logarithm": FunctionTransformer(np.log1p),
    "powers": PowerTransformer(),
    "quantiles": QuantileTransformer(n_quantiles=8),
    "one logarithm": make_column_transformer((FunctionTransformer(np.log1p), [0]), remainder="passthrough"),
    "splines": make_column_transformer((SplineTransformer(n_knots=3, degree=2), [0]), remainder="passthrough"),
}
NETWORK = MLPClassifier((4,), max_iter=80, random_state=0, learning_rate_init=0.05)
MODELS = {
    "network": NETWORK,
    "naive Bayes": GaussianNB(),
    "quadratic": QuadraticDiscriminantAnalysis(reg_param=0.2),
    "isotonic folds": CalibratedClassifierCV(LogisticRegression(), cv=2, method="isotonic"),
}
CASES = [("logarithm", model) for model in MODELS] + [(step, "network") for step in STEPS if step != "logarithm"]
CASES += [("powers", "naive Bayes"), ("one logarithm", "quadratic"), ("splines", "naive Bayes")]


def skewed(n_classes, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(120) % n_classes
    X = np.exp(rng.normal(scale=0.5, size=(120, 2)) + np.stack([y, -y], axis=1) * 0.6)
    return X, y


def fitted(step, model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return make_pipeline(clone(STEPS[step]), clone(MODELS[model])).fit(X, y)


@pytest.mark.parametrize(("step", "model"), CASES)
def test_nothing_on_a_grid_is_nearer(step, model):
    n_classes = 2 if model == "isotonic folds" else 3
    X, y = skewed(n_classes)
    pipeline = fitted(step, model, X, y)
    explainer = ew.Explainer(pipeline, density=None).fit(X, y)
    assert explainer.exactness_ == "exact"
    sides = [np.linspace(0.0, X[:, k].max() + 1, 250) for k in range(2)]
    grid = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    said, rows = pipeline.predict(grid), X[:4]
    targets = [(int(own) + 1) % n_classes for own in pipeline.predict(rows)]
    answers = explainer.explain(rows, target=targets, time_limit=5)
    assert_certified(explainer, rows, answers)
    assert answers.found.all()
    assert np.median(answers.gaps) < 1e-5
    for x, target, distance, bound in zip(rows, targets, answers.distances, answers.lower_bounds):
        nearest = explainer.distance_(grid[said == target], np.repeat(x[None], (said == target).sum(), axis=0)).min()
        assert bound <= nearest * (1 + 1e-9)
        if bound >= distance * (1 - 1e-5):
            assert distance <= nearest * (1 + 1e-5)


def test_a_density_ranges_and_least_probabilities():
    X, y = skewed(3, seed=1)
    pipeline = fitted("logarithm", "network", X, y)
    explainer = ew.Explainer(pipeline).fit(X, y)
    answers = explainer.explain(X[:5], target=1, min_probability=0.6)
    assert set(answers.statuses) <= {"optimal", "infeasible"}
    assert_certified(explainer, X[:5], answers, min_probability=0.6)
    assert answers.found.any()
    regressor = make_pipeline(PowerTransformer(), MLPRegressor(hidden_layer_sizes=(4,), max_iter=80, random_state=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        regressor.fit(X, np.log(X).sum(axis=1))
    predicted = regressor.predict(X)
    low = float(np.quantile(predicted, 0.8))
    rows = X[predicted < low][:4]
    answers = ew.Explainer(regressor).fit(X).explain(rows, target=(low, None))
    assert set(answers.statuses) == {"optimal"}
    assert (regressor.predict(answers.counterfactuals) >= low).all()


def test_a_function_without_slopes_leaves_a_black_box():
    X, y = skewed(2)
    pipeline = make_pipeline(FunctionTransformer(np.rint), GaussianNB()).fit(X, y)
    explainer = ew.Explainer(pipeline).fit(X, y)
    assert explainer.exactness_ == "black box"
    assert "slopes have to be known" in explainer.fitted_.training.reason


def test_mixed_functions_are_their_parts():
    mixed, rng = Mixed(((RELU, 2), (SQUARE, 1), (IDENTITY, 2))), np.random.default_rng(0)
    low = rng.normal(size=5) - 1
    high = low + rng.uniform(0.1, 3.0, size=5)
    near, t = (low + high) / 2, low + (high - low) * rng.uniform(size=(200, 5))
    parts = (RELU, slice(0, 2)), (SQUARE, slice(2, 3)), (IDENTITY, slice(3, 5))
    for part, units in parts:
        np.testing.assert_array_equal(mixed.value(t)[:, units], part.value(t[:, units]))
        np.testing.assert_array_equal(mixed.slope(t)[:, units], part.slope(t[:, units]))
    for lines, sign in ((mixed.above(low, high, near), 1.0), (mixed.below(low, high, near), -1.0)):
        assert (sign * (lines.offset + lines.slope * t - mixed.value(t)) >= -1e-12).all()
    assert mixed.divide_at(-1.0, 1.0, 0.3, 1) == 0.0
    assert mixed.divide_at(-1.0, 1.0, 0.3, 2) == SQUARE.divide_at(-1.0, 1.0, 0.3, 0)
    assert mixed.divide_at(-1.0, 1.0, 0.3, 4) is None
