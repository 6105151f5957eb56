"""Steps that are not affine before linear models: the pipeline's own decisions, and nothing nearer on fine grids."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import special
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor, Ridge
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
)
from sklearn.svm import LinearSVC

import elsewise as ew
from elsewise.models import Interval, Label
from pipeline.bent_pipelines import rows

STEPS = {
    "yeo-johnson": PowerTransformer(),
    "box-cox": PowerTransformer(method="box-cox", standardize=False),
    "uniform quantiles": QuantileTransformer(n_quantiles=20),
    "normal quantiles": QuantileTransformer(n_quantiles=20, output_distribution="normal"),
    "log": FunctionTransformer(np.log),
    "sqrt": FunctionTransformer(np.sqrt),
    "tanh": FunctionTransformer(np.tanh),
    "expit": FunctionTransformer(special.expit),
    "clipped": FunctionTransformer(np.clip, kw_args={"a_min": 0.5, "a_max": 3.0}),
    "clipped above": FunctionTransformer(np.clip, kw_args={"a_min": None, "a_max": 2.0}),
    "min-max": MinMaxScaler(clip=True),
    "max-abs": MaxAbsScaler(clip=True),
    "splines": SplineTransformer(n_knots=5),
    "linear splines": SplineTransformer(n_knots=4, degree=1, include_bias=False),
    "splines that go on": SplineTransformer(n_knots=4, degree=2, extrapolation="continue"),
    "splines that go straight on": SplineTransformer(n_knots=5, extrapolation="linear"),
    "splines with ends": SplineTransformer(n_knots=5, extrapolation="error"),
    "logs and roots": FeatureUnion([("a", FunctionTransformer(np.log)), ("b", FunctionTransformer(np.sqrt))]),
}


def cubes(names):
    """Powers of each column by itself."""
    return ColumnTransformer([(str(name), PolynomialFeatures(3), [name]) for name in names])


def fitted(step, X, y, model=None):
    step = cubes(range(X.shape[1])) if step == "cubes" else clone(STEPS[step])
    return make_pipeline(step, StandardScaler(), LogisticRegression() if model is None else model).fit(X, y)


def accepted(explainer, X, outcome):
    """What the region says of rows in the user's columns."""
    return explainer.fitted_.region(outcome).accepts(explainer.to_model_space(X))


def close_to_boundary(model, X, wanted):
    """Pairs of rows next to each other of which one is wanted: bisected with the model's own predict."""
    inside, outside = X[wanted], X[~wanted]
    n = min(len(inside), len(outside), 60)
    low, high = inside[:n], outside[:n]
    label = model.predict(low[:1])[0]
    for _ in range(60):
        middle = low + (high - low) / 2
        is_inside = (model.predict(middle) == label)[:, None]
        low, high = np.where(is_inside, middle, low), np.where(is_inside, high, middle)
    return low, high


@pytest.mark.parametrize("step", [*STEPS, "cubes"])
def test_decisions_are_the_pipelines_own(step):
    X, y = rows(1)
    model = fitted(step, X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    assert explainer.exactness_ == "exact"
    points = np.exp(np.random.default_rng(1).normal(size=(500, 3)) * 0.9)
    points = np.clip(points, X.min(axis=0), 0.999 * X.max(axis=0)) if "ends" in step else points
    points[:50] = X[:50]  # training values are knots of quantiles
    wanted = model.predict(points) == 1
    assert 0 < wanted.sum() < len(points)
    np.testing.assert_array_equal(accepted(explainer, points, Label(1)), wanted)
    np.testing.assert_array_equal(accepted(explainer, points, Label(0)), ~wanted)
    low, high = close_to_boundary(model, points, wanted)
    towards = points[wanted][: len(low)] - points[~wanted][: len(low)]
    clear = (model.predict(low + 1e-7 * towards) == 1) & (model.predict(high - 1e-7 * towards) == 0)
    assert clear.mean() > 0.8
    assert accepted(explainer, low + 1e-7 * towards, Label(1))[clear].all()
    assert not accepted(explainer, high - 1e-7 * towards, Label(1))[clear].any()


@pytest.mark.parametrize("density", [None, "auto"])
@pytest.mark.parametrize("step", [*STEPS, "cubes"])
def test_nothing_on_a_fine_grid_is_nearer(step, density):
    X, _ = rows(2, 150)
    X = X[:, :2]
    y = ((np.log(X) ** 2) @ [1.0, 0.5] + np.log(X[:, 0]) > 0.5).astype(int)
    model = fitted(step, X, y)
    explainer = ew.Explainer(model, density=density, learn_rules=False).fit(X, y)
    given = X[model.predict(X) == 0][:4]
    answers = explainer.explain(given, 1, time_limit=5)
    least = X.min(axis=0) if "ends" in step else np.full(2, 1e-3)
    most = 0.999 * X.max(axis=0) if "ends" in step else X.max(axis=0) + 2
    sides = [np.linspace(a, b, 300) for a, b in zip(least, most)]
    grid = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    good = model.predict(grid) == 1
    if density is not None:
        good &= explainer.log_density(grid, 1) >= explainer.densities_[1].log_threshold_
    assert good.any()
    for x, answer in zip(given, answers):
        nearest = explainer.distance_(grid[good], np.repeat(x[None], good.sum(), axis=0)).min()
        assert answer.status == "optimal"
        assert model.predict(answer.counterfactual[None])[0] == 1
        assert answer.distance <= nearest * (1 + 1e-9)
        assert answer.lower_bound <= nearest * (1 + 1e-9)
        assert answer.lower_bound >= answer.distance * (1 - 1e-6)


@pytest.mark.parametrize(
    "model",
    [
        LinearSVC(),
        LinearDiscriminantAnalysis(),
        FixedThresholdClassifier(LogisticRegression(), threshold=0.3),
        CalibratedClassifierCV(LinearSVC(), ensemble=False),
    ],
    ids=lambda model: type(model).__name__,
)
def test_linear_models_and_wrappers(model):
    X, y = rows(3)
    model = fitted("yeo-johnson", X, y, clone(model))
    explainer = ew.Explainer(model).fit(X, y)
    assert explainer.exactness_ == "exact"
    points = np.exp(np.random.default_rng(3).normal(size=(300, 3)))
    np.testing.assert_array_equal(accepted(explainer, points, Label(1)), model.predict(points) == 1)
    answers = explainer.explain(X[model.predict(X) == 0][:3], 1)
    assert set(answers.statuses) == {"optimal"}
    assert (model.predict(answers.counterfactuals) == 1).all()


def test_least_probabilities_and_several_classes():
    X, _ = rows(4)
    y = np.digitize(np.log(X).sum(axis=1), [-0.6, 0.6])
    model = fitted("splines", X, y)
    explainer = ew.Explainer(model).fit(X, y)
    points = np.exp(np.random.default_rng(4).normal(size=(300, 3)))
    for label in range(3):
        np.testing.assert_array_equal(accepted(explainer, points, Label(label)), model.predict(points) == label)
    answers = explainer.explain(X[model.predict(X) == 0][:3], 2)
    assert (model.predict(answers.counterfactuals) == 2).all()
    assert set(answers.statuses) == {"optimal"}
    two = fitted("log", X, y > 1)
    answers = ew.Explainer(two).fit(X, y > 1).explain(X[two.predict(X) == 0][:3], True, min_probability=0.8)
    assert (two.predict_proba(answers.counterfactuals)[:, 1] >= 0.8).all()


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(), PoissonRegressor()], ids=str)
def test_regressors(model):
    X, _ = rows(5)
    target = np.exp(0.3 * np.log(X).sum(axis=1))
    model = fitted("log", X, target, clone(model))
    explainer = ew.Explainer(model, density=None).fit(X, target)
    points = np.exp(np.random.default_rng(5).normal(size=(300, 3)))
    predicted = model.predict(points)
    low, high = np.quantile(predicted, [0.5, 0.7])
    np.testing.assert_array_equal(
        accepted(explainer, points, Interval(low, high)), (predicted >= low) & (predicted <= high)
    )
    answers = explainer.explain(X[:4], (low, high))
    reached = model.predict(answers.counterfactuals)
    assert ((reached >= low) & (reached <= high)).all()
    assert set(answers.statuses) == {"optimal"}


def mixed(seed=0, n=200):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "income": np.round(np.exp(rng.normal(2, 0.6, n))),
            "age": rng.integers(18, 60, n),
            "years": rng.integers(0, 12, n),
            "colour": rng.choice(["blue", "red"], n),
        }
    )
    score = np.log1p(frame.income) - 2 + (frame.age - 40) ** 2 / 300 + 0.1 * frame.years + (frame.colour == "red")
    return frame, (score > 1.6).to_numpy()


def test_tables_with_bins_numbers_and_categories_against_all_rows():
    """Logarithms, splines, bins and codes side by side: every row there is, judged by the pipeline."""
    frame, y = mixed()
    before = ColumnTransformer(
        [
            ("income", make_pipeline(FunctionTransformer(np.log1p), StandardScaler()), ["income"]),
            ("age", SplineTransformer(n_knots=4), ["age"]),
            ("years", KBinsDiscretizer(4, encode="onehot", strategy="uniform"), ["years"]),
            ("colour", OneHotEncoder(), ["colour"]),
        ],
        transformer_weights={"income": -2.0},
    )
    model = make_pipeline(before, LogisticRegression()).fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    assert explainer.exactness_ == "exact"
    np.testing.assert_array_equal(accepted(explainer, frame, Label(1)), model.predict(frame))
    rules = ew.Constraints(
        integer=["income", "age", "years"], bounds={"income": (0, 40), "age": (18, 60), "years": (0, 12)}
    )
    given = frame[~model.predict(frame) & (frame.income <= 40)][:4]
    answers = explainer.explain(given, True, constraints=rules)
    listed = pd.DataFrame(
        list(itertools.product(range(41), range(18, 61), range(13), ["blue", "red"])), columns=frame.columns
    ).astype({"income": float})
    good = explainer.table_.encode(listed[model.predict(listed)])
    for place, answer in enumerate(answers):
        row = explainer.table_.encode(given.iloc[[place]])
        best = explainer.distance_(good, np.repeat(row, len(good), axis=0)).min()
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, best, rtol=1e-7)
        assert answer.lower_bound <= best * (1 + 1e-9)


def test_answers_stay_where_steps_are_defined_and_are_the_same_alone():
    X, y = rows(6)
    model = make_pipeline(StandardScaler(), MinMaxScaler(), FunctionTransformer(np.sqrt), LogisticRegression())
    model.fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    given = X[model.predict(X) == 0][:3]
    answers = explainer.explain(given, 1)
    assert set(answers.statuses) == {"optimal"}
    assert (answers.counterfactuals >= X.min(axis=0) - 1e-9).all()
    np.testing.assert_array_equal(explainer.explain(given[1:2], 1).counterfactuals, answers.counterfactuals[1:2])
