"""Steps that are not affine in front of trees: the same decisions as the pipeline's own, and the nearest answers."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import elsewise as ew
from bits import assert_same_bits
from elsewise.errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError
from elsewise.models import Interval, Label
from elsewise.pipeline import compile_model, register
from elsewise.pipeline.transformers.functions import FALLING, RISING
from pipeline.bent_pipelines import BENT, CODES, TREES, cuts_by_hand, nearest, pipeline, rows, thresholds_of
from unread import reason_unread


def accepted(explainer, X, outcome):
    """What the region says of rows in the user's columns."""
    return explainer.fitted_.region(outcome).accepts(explainer.to_model_space(X))


def around(cuts, X, rng):
    """Rows of the data with one number at a cut, or one of the doubles next to it."""
    points = []
    for column, of_column in enumerate(cuts):
        for cut in of_column:
            for value in (np.nextafter(cut, -np.inf), cut, np.nextafter(cut, np.inf)):
                points.append(X[rng.integers(len(X))].copy())
                points[-1][column] = value
    return np.array(points)


# --- decisions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "scaled"), [("forest", False), ("forest", True), ("boosting", False), ("histograms", False)]
)
@pytest.mark.parametrize("step", BENT)
def test_decisions_are_the_pipelines_own_at_every_cut(step, model, scaled):
    if (step, model) == ("sparse codes", "histograms"):
        pytest.skip("histogram boosting takes no sparse codes")
    rng = np.random.default_rng(1)
    fitted, X, y = pipeline(step, model, 1, scaled)
    explainer = ew.Explainer(fitted, density=None).fit(X, y)
    cuts = cuts_by_hand(fitted, X)
    assert sum(map(len, cuts)) > 2
    points = np.vstack([np.exp(rng.normal(size=(300, 3))), around(cuts, X, rng)])
    np.testing.assert_array_equal(accepted(explainer, points, Label(1)), fitted.predict(points) == 1)
    np.testing.assert_array_equal(accepted(explainer, points, Label(0)), fitted.predict(points) == 0)


@pytest.mark.parametrize("step", BENT)
def test_boxes_of_one_tree_are_the_pipelines_own(step):
    rng = np.random.default_rng(2)
    fitted, X, y = pipeline(step, "tree", 2)
    explainer = ew.Explainer(fitted, density=None).fit(X, y)
    points = np.exp(rng.normal(size=(500, 3)))
    np.testing.assert_array_equal(accepted(explainer, points, Label(1)), fitted.predict(points) == 1)
    # boxes are closed: at a cut both sides claim the point, beyond it only one
    edges = around(cuts_by_hand(fitted, X), X, rng)
    claimed = [accepted(explainer, edges, Label(label)) for label in (0, 1)]
    assert all(of_label[fitted.predict(edges) == label].all() for label, of_label in enumerate(claimed))


# --- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["tree", "forest", "boosting"])
@pytest.mark.parametrize("step", BENT)
def test_answers_against_the_list_of_all_cells(step, model):
    fitted, X, y = pipeline(step, model, 3)
    explainer = ew.Explainer(fitted, density=None).fit(X, y)
    given = X[fitted.predict(X) == 0][:6]
    answers, cuts = explainer.explain(given, 1), cuts_by_hand(fitted, X)
    assert (fitted.predict(answers.counterfactuals) == 1).all()
    for x, answer in zip(given, answers):
        best = nearest(fitted, x, cuts, explainer.distance_.weights, 1)
        assert answer.status == "optimal"
        # a single tree is projected, and keeps a margin from cuts
        np.testing.assert_allclose(answer.distance, best, rtol=1e-6 if model == "tree" else 1e-9)
        assert answer.lower_bound <= best * (1 + 1e-12)


@pytest.mark.parametrize("model", ["tree", "forest"])
def test_rows_that_lie_on_cuts(model):
    X, y = rows(4)
    X = np.round(X, 1) + 0.1
    steps = KBinsDiscretizer(4, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
    fitted = make_pipeline(steps, TREES[model]).fit(X, y)
    explainer = ew.Explainer(fitted, density=None).fit(X, y)
    edges = np.array([edge for of_column in fitted[0].bin_edges_ for edge in of_column[1:-1]])
    given = X[(fitted.predict(X) == 0) & np.isin(X, edges).any(axis=1)][:10]
    assert len(given) == 10
    answers, cuts = explainer.explain(given, 1), cuts_by_hand(fitted, X)
    assert (fitted.predict(answers.counterfactuals) == 1).all()
    for x, answer in zip(given, answers):
        best = nearest(fitted, x, cuts, explainer.distance_.weights, 1)
        np.testing.assert_allclose(answer.distance, best, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("model", [DecisionTreeRegressor(max_depth=4), GradientBoostingRegressor(n_estimators=8)])
def test_regressors_behind_steps(model):
    X, _ = rows(5)
    target = np.log(X).sum(axis=1)
    fitted = make_pipeline(FunctionTransformer(np.log), StandardScaler(), model).fit(X, target)
    explainer = ew.Explainer(fitted, density=None).fit(X, target)
    given, wanted = X[fitted.predict(X) < 0][:5], (0.5, 1.5)
    points = np.exp(np.random.default_rng(5).normal(size=(300, 3)))
    predicted = fitted.predict(points)
    np.testing.assert_array_equal(
        accepted(explainer, points, Interval(*wanted)), (predicted >= 0.5) & (predicted <= 1.5)
    )
    answers = explainer.explain(given, wanted)
    reached = fitted.predict(answers.counterfactuals)
    assert ((reached >= 0.5) & (reached <= 1.5)).all()


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
@pytest.mark.parametrize("step", ["yeo-johnson", "log1p", "ordinal bins", "dense codes"])
def test_other_libraries_behind_steps(step, library):
    module = pytest.importorskip(library)
    X, y = rows(6)
    if library == "xgboost":
        model = module.XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1)
    else:
        model = module.LGBMClassifier(n_estimators=8, num_leaves=6, min_child_samples=5, n_jobs=1, verbose=-1)
    fitted = make_pipeline(BENT[step], model).fit(X, y)
    explainer = ew.Explainer(fitted, density=None).fit(X, y)
    trees = explainer.fitted_.region(Label(1)).trees
    points = np.vstack(
        [np.exp(np.random.default_rng(6).normal(size=(300, 3))), around(trees.cuts(), X, np.random.default_rng(6))]
    )
    predicted = np.asarray(fitted.predict(points))
    np.testing.assert_array_equal(accepted(explainer, points, Label(1)), predicted == 1)
    answers = explainer.explain(X[np.asarray(fitted.predict(X)) == 0][:5], 1)
    assert set(answers.statuses) == {"optimal"}
    assert (np.asarray(fitted.predict(answers.counterfactuals)) == 1).all()


def test_splits_by_category_behind_bins():
    """Bins as categories: sets of them go left, and a set of bins is several intervals."""
    lightgbm = pytest.importorskip("lightgbm")
    X, y = rows(24)
    y = ((np.floor(X[:, 0] * 3) % 2 == 0) ^ (X[:, 1] > 1)).astype(int)
    settings = {"min_child_samples": 2, "min_data_per_group": 1, "cat_smooth": 0.0, "cat_l2": 0.0}
    model = lightgbm.LGBMClassifier(n_estimators=5, num_leaves=6, max_cat_to_onehot=1, n_jobs=1, verbose=-1, **settings)
    bins = KBinsDiscretizer(9, encode="ordinal", strategy="uniform")
    fitted = make_pipeline(bins, model)
    fitted.fit(X, y, lgbmclassifier__categorical_feature=[0, 1])
    explainer = ew.Explainer(fitted, density=None).fit(X, y)
    region = explainer.fitted_.region(Label(1))
    assert len(region.trees.code_sets) > 0
    assert (region.trees.codes < 0).all()
    points = np.exp(np.random.default_rng(24).normal(size=(400, 3)) * 0.8)
    np.testing.assert_array_equal(accepted(explainer, points, Label(1)), fitted.predict(points) == 1)
    warped = make_pipeline(
        KBinsDiscretizer(9, encode="ordinal", strategy="uniform"), FunctionTransformer(np.rint), model
    )
    warped.fit(X, y, lgbmclassifier__categorical_feature=[0])
    np.testing.assert_array_equal(
        accepted(ew.Explainer(warped, density=None).fit(X, y), points, Label(1)), warped.predict(points) == 1
    )
    numbers = make_pipeline(FunctionTransformer(np.floor), model)
    numbers.fit(X, y, lgbmclassifier__categorical_feature=[0])
    assert re.search(r"encodes column 'x0' after an earlier step", reason_unread(numbers, X, y))


# --- chains and tables ------------------------------------------------------------------------------------------------


def mixed_table(seed, n=240):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "income": np.exp(rng.normal(3, 0.6, n)).round(1),
            "age": rng.integers(18, 80, n),
            "colour": rng.choice(["blue", "green", "red"], n),
        }
    )
    score = np.log(frame.income) - 3 + (frame.age - 45) / 30
    score += frame.colour.map({"blue": 0.5, "green": 0.0, "red": -0.5}) + rng.normal(size=n) / 2
    return frame, (score > 0).map({False: "no", True: "yes"}).to_numpy()


def table_pipeline(model, weight=1.0):
    before = ColumnTransformer(
        [
            ("income", make_pipeline(SimpleImputer(), FunctionTransformer(np.log1p), StandardScaler()), ["income"]),
            ("age", KBinsDiscretizer(5, encode="onehot", strategy="uniform"), ["age"]),
            ("colour", OneHotEncoder(), ["colour"]),
        ],
        transformer_weights={"income": weight},
    )
    return make_pipeline(before, model)


@pytest.mark.parametrize("weight", [1.0, -2.0])
@pytest.mark.parametrize("model", ["tree", "forest"])
def test_tables_against_the_list_of_all_rows(model, weight):
    frame, y = mixed_table(0)
    fitted = table_pipeline(TREES[model], weight).fit(frame, y)
    explainer = ew.Explainer(fitted, density=None).fit(frame, y)
    given = frame[fitted.predict(frame) == "no"][:8]
    limits = np.unique([threshold for column, threshold in thresholds_of(fitted[-1]) if column == 0])
    # numbers left of each threshold, and right of it, brought together
    low, high = np.full(len(limits), 0.1), np.full(len(limits), 500.0)
    falls = weight < 0
    while (np.nextafter(low, np.inf) < high).any():
        middle = low + (high - low) / 2
        stays = (income_column(fitted, middle) <= limits) != falls
        low, high = np.where(stays, middle, low), np.where(stays, high, middle)
    incomes = [given.income.to_numpy(), low, high]
    listed = pd.MultiIndex.from_product(
        [np.unique(np.concatenate(incomes)), np.arange(18, 80), ["blue", "green", "red"]], names=frame.columns
    ).to_frame(index=False)
    good = listed.astype(frame.dtypes)[fitted.predict(listed) == "yes"]
    answers = explainer.explain(given, "yes")
    assert (fitted.predict(answers.counterfactuals) == "yes").all()
    for number, answer in enumerate(answers):
        row = explainer.table_.encode(given.iloc[[number]])
        best = explainer.distance_(explainer.table_.encode(good), row).min()
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, best, rtol=1e-6)
        assert answer.lower_bound <= best * (1 + 1e-9)


def income_column(fitted, incomes):
    some = pd.DataFrame({"income": incomes, "age": 30, "colour": "red"})
    transformed = fitted[:-1].transform(some)
    transformed = transformed.toarray() if hasattr(transformed, "toarray") else transformed
    return transformed[:, 0].astype(np.float32).astype(np.float64)


@pytest.mark.parametrize("model", ["tree", "forest", "histograms"])
def test_steps_one_after_the_other(model):
    X, y = rows(8)
    chains = [
        [StandardScaler(), PowerTransformer()],
        [
            FunctionTransformer(np.log1p),
            KBinsDiscretizer(6, encode="onehot-dense", strategy="uniform"),
            SelectKBest(k=9),
        ],
        [FunctionTransformer(np.log), MinMaxScaler(clip=True), QuantileTransformer(n_quantiles=30), StandardScaler()],
        [PowerTransformer(), KBinsDiscretizer(4, encode="ordinal", strategy="uniform"), Binarizer(threshold=1.5)],
        [FunctionTransformer(np.negative), FunctionTransformer(np.exp), FunctionTransformer(np.arccos)],
        [KBinsDiscretizer(5, encode="ordinal", strategy="uniform"), FunctionTransformer(np.log1p)],
        [FeatureUnion([("log", FunctionTransformer(np.log)), ("as it is", "passthrough")])],
    ]
    points = np.exp(0.9 * np.random.default_rng(8).normal(size=(400, 3)))
    for chain in chains:
        fitted = make_pipeline(*chain, TREES[model]).fit(X, y)
        explainer = ew.Explainer(fitted, density=None).fit(X, y)
        np.testing.assert_array_equal(accepted(explainer, points, Label(1)), fitted.predict(points) == 1)
        answers = explainer.explain(X[fitted.predict(X) == 0][:3], 1)
        assert set(answers.statuses) == {"optimal"}
        assert (fitted.predict(answers.counterfactuals) == 1).all()


@pytest.mark.parametrize("model", ["tree", "forest"])
@pytest.mark.parametrize("encoder", [OneHotEncoder(), OrdinalEncoder(), TargetEncoder()], ids=str)
def test_encoders_of_bins(encoder, model):
    X, y = rows(27)
    bins = KBinsDiscretizer(4, encode="ordinal", strategy="kmeans", random_state=0)
    codes = encoder.fit(bins.fit_transform(X), y).transform(bins.transform(X))  # not fit_transform, which shuffles
    fitted = make_pipeline(bins, encoder, clone(TREES[model]).fit(codes, y))
    explainer = ew.Explainer(fitted, density=None).fit(X, y)
    points = np.exp(0.9 * np.random.default_rng(27).normal(size=(400, 3)))
    np.testing.assert_array_equal(accepted(explainer, points, Label(1)), fitted.predict(points) == 1)
    answers = explainer.explain(X[fitted.predict(X) == 0][:3], 1)
    assert set(answers.statuses) == {"optimal"}
    assert (fitted.predict(answers.counterfactuals) == 1).all()


def test_an_encoder_that_never_saw_a_bin():
    X, y = rows(28)
    X = X[(X[:, 0] < 1) | (X[:, 0] > 2)]
    y = y[: len(X)]
    fitted = make_pipeline(KBinsDiscretizer(12, encode="ordinal", strategy="uniform"), OneHotEncoder(), TREES["forest"])
    with pytest.raises(InvalidInputError, match=r"refuses values that the columns before it may have.*handle_unknown"):
        ew.Explainer(fitted.fit(X, y), density=None).fit(X, y)
    fitted.set_params(onehotencoder__handle_unknown="ignore").fit(X, y)
    answers = ew.Explainer(fitted, density=None).fit(X, y).explain(X[fitted.predict(X) == 0][:3], 1)
    assert (fitted.predict(answers.counterfactuals) == 1).all()


@pytest.mark.parametrize(
    "step", [QuantileTransformer(n_quantiles=40), PowerTransformer(), CODES["dense codes"]], ids=str
)
def test_mixed_columns_before_a_step_that_takes_any_number(step):
    X, y = rows(9)
    fitted = make_pipeline(PCA(2), step, TREES["forest"]).fit(X, y)
    explainer = ew.Explainer(fitted, density=None).fit(X, y)
    answers = explainer.explain(X[fitted.predict(X) == 0][:3], 1)
    assert set(answers.statuses) == {"optimal"}
    assert (fitted.predict(answers.counterfactuals) == 1).all()


@pytest.mark.parametrize("output", ["default", "pandas"])
@pytest.mark.parametrize(
    "step", ["yeo-johnson", "log1p", "uniform quantiles", "min-max", "dense codes", "ordinal bins"]
)
def test_frames_with_names(step, output):
    X, y = rows(25)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    fitted = make_pipeline(clone(BENT[step]), StandardScaler(), TREES["forest"]).set_output(transform=output)
    fitted.fit(frame, y)
    explainer = ew.Explainer(fitted, density=None).fit(frame, y)
    answers = explainer.explain(frame[fitted.predict(frame) == 0][:4], 1)
    assert set(answers.statuses) == {"optimal"}
    assert (fitted.predict(answers.counterfactuals) == 1).all()
    short = frame.astype(np.float32)
    fitted.fit(short, y)
    answers = ew.Explainer(fitted, density=None).fit(short, y).explain(short[fitted.predict(short) == 0][:4], 1)
    assert (answers.counterfactuals.dtypes == np.float32).all()
    assert (fitted.predict(answers.counterfactuals) == 1).all()


def test_levels_go_through_steps_one_by_one():
    rng = np.random.default_rng(10)
    frame = pd.DataFrame({"grade": rng.choice(["a", "b", "c", "d"], 200), "size": np.exp(rng.normal(size=200))})
    y = (frame.grade.isin(["a", "d"]) ^ (frame["size"] > 1)).to_numpy()
    codes = make_pipeline(OrdinalEncoder(), FunctionTransformer(np.sqrt), Binarizer(threshold=1.2))
    before = make_column_transformer((codes, ["grade"]), (FunctionTransformer(np.log), ["size"]))
    fitted = make_pipeline(before, DecisionTreeClassifier(max_depth=3, random_state=0)).fit(frame, y)
    explainer = ew.Explainer(fitted, density=None).fit(frame, y)
    np.testing.assert_array_equal(accepted(explainer, frame, Label(1)), fitted.predict(frame))
    answers = explainer.explain(frame[~fitted.predict(frame)][:5], True)
    assert fitted.predict(answers.counterfactuals).all()


def test_codes_share_one_feature_of_model_space_in_which_the_density_is():
    X, y = rows(11)
    fitted = make_pipeline(StandardScaler(), KBinsDiscretizer(5, strategy="uniform"), TREES["forest"]).fit(X, y)
    explainer = ew.Explainer(fitted).fit(X, y)
    np.testing.assert_allclose(explainer.to_model_space(X), fitted[0].transform(X), rtol=1e-12, atol=1e-12)
    answers = explainer.explain(X[fitted.predict(X) == 0][:4], 1)
    assert (fitted.predict(answers.counterfactuals) == 1).all()
    assert (explainer.log_density(answers.counterfactuals, 1) >= explainer.densities_[1].log_threshold_).all()


@pytest.mark.parametrize("model", ["tree", "forest"])
@pytest.mark.parametrize("step", ["log", "sqrt", "log1p", "dense codes"])
def test_answers_with_a_density(step, model):
    fitted, X, y = pipeline(step, model, 12)
    explainer = ew.Explainer(fitted, density=ew.GaussianMixtureDensity(n_components=1, random_state=0)).fit(X, y)
    plain = ew.Explainer(fitted, density=None).fit(X, y)
    given = X[fitted.predict(X) == 0][:5]
    answers = explainer.explain(given, 1)
    assert set(answers.statuses) <= {"optimal", "feasible"}
    assert (fitted.predict(answers.counterfactuals) == 1).all()
    dense = X[(fitted.predict(X) == 1) & (explainer.log_density(X, 1) >= explainer.densities_[1].log_threshold_)]
    for x, answer, without in zip(given, answers, plain.explain(given, 1)):
        assert without.lower_bound * (1 - 1e-9) <= answer.distance
        assert answer.distance <= explainer.distance_(dense, x[None]).min() * (1 + 1e-9)


# --- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "low", "high"),
    [
        (np.log, 0.0, np.inf),
        (np.sqrt, 0.0, np.inf),
        (np.log1p, -1.0, np.inf),
        (np.exp, -np.inf, 88.7),
        (np.arcsin, -1, 1),
    ],
    ids=lambda item: getattr(item, "__name__", ""),
)
def test_limits_are_those_of_the_function(function, low, high):
    rng = np.random.default_rng(13)
    X = rng.uniform(0.1, 0.9, size=(100, 2))
    fitted = make_pipeline(FunctionTransformer(function), TREES["forest"]).fit(X, X.sum(axis=1) > 1)
    table = compile_model(fitted, X).table
    column = table.columns[0]
    assert (column.low, column.high) == (pytest.approx(low, abs=1e-15), pytest.approx(high, abs=0.1))
    with np.errstate(all="ignore"):
        ends = np.array([end for end in (column.low, column.high) if np.isfinite(end)])
        largest = np.finfo(np.float32).max
        assert (np.abs(function(ends)) <= largest).all()
        outside = np.nextafter(ends, np.where(ends == column.low, -np.inf, np.inf))
        assert not (np.abs(function(outside)) <= largest).any()


def test_answers_stay_where_the_steps_are_defined():
    """Dense points of a wide Gaussian lie below zero, where a square root is none."""
    rng = np.random.default_rng(14)
    X = np.abs(rng.normal(size=(300, 3))) * [1.0, 5.0, 0.1]
    y = (X[:, 0] + X[:, 1] / 5 < 0.8).astype(int)
    for model in ("tree", "forest"):
        fitted = make_pipeline(FunctionTransformer(np.sqrt), TREES[model]).fit(X, y)
        for density in (None, ew.GaussianMixtureDensity(n_components=1, random_state=0)):
            explainer = ew.Explainer(fitted, density=density).fit(X, y)
            answers = explainer.explain(X[fitted.predict(X) == 0][:10], 1)
            assert (answers.counterfactuals >= 0).all()
            assert (fitted.predict(answers.counterfactuals) == 1).all()
        assert explainer.why_not(X[fitted.predict(X) == 0][0], 1) is not None


@pytest.mark.parametrize("model", ["tree", "forest"])
def test_limits_behind_a_scaler_take_the_training_rows(model):
    rng = np.random.default_rng(21)
    X = rng.normal(size=(200, 3)) * [1.0, 1e6, 1e-3] + [0.0, 1e7, 3.0]
    y = (X[:, 0] + X[:, 1] / 1e6 - 10 > 0).astype(int)
    fitted = make_pipeline(MinMaxScaler(), FunctionTransformer(np.sqrt), TREES[model]).fit(X, y)
    explainer = ew.Explainer(fitted, density=None).fit(X, y)
    smallest = [column.low for column in explainer.table_.columns]
    np.testing.assert_allclose(smallest, X.min(axis=0), rtol=1e-12)
    ends = X[np.unique(X.argmin(axis=0))]
    answers = explainer.explain(ends, 1)
    assert (fitted.predict(answers.counterfactuals) == 1).all()
    below = ends.copy()
    below[0] = X.min(axis=0) - 1e-6 * np.ptp(X, axis=0)
    with pytest.raises(InvalidInputError, match=r"must lie between .* in row 0, column 'x0'"):
        explainer.explain(below, 1)


@pytest.mark.parametrize("power", [-20.0, -3.0, 0.0, 1.0, 2.0, 9.0, 25.0])
@pytest.mark.parametrize("method", ["yeo-johnson", "box-cox"])
def test_powers_that_overflow(method, power):
    X, y = rows(23)
    fitted = make_pipeline(PowerTransformer(method=method), TREES["forest"]).fit(X, y)
    fitted[0].lambdas_[1] = power
    fitted[-1].fit(fitted[0].transform(X), y)
    explainer = ew.Explainer(fitted, density=None).fit(X, y)
    points = np.exp(np.random.default_rng(23).normal(size=(300, 3)) * 0.8)
    np.testing.assert_array_equal(accepted(explainer, points, Label(1)), fitted.predict(points) == 1)


def test_a_far_limit_of_powers_is_none():
    X, y = rows(22)
    table = compile_model(make_pipeline(PowerTransformer(), TREES["tree"]).fit(X, y), X).table
    assert table.step_limits() is None


def test_mahalanobis_needs_steps_that_take_every_number():
    X, y = rows(29)
    roots = make_pipeline(FunctionTransformer(np.sqrt), TREES["tree"]).fit(X, y)
    explainer = ew.Explainer(roots, density=None, distance=ew.Mahalanobis()).fit(X, y)
    with pytest.raises(InvalidInputError, match=r"steps that do not take every number need a distance"):
        explainer.explain(X[:1], 1)
    powers = make_pipeline(PowerTransformer(), TREES["tree"]).fit(X, y)
    given = X[powers.predict(X) == 0][:3]
    answers = ew.Explainer(powers, density=None, distance=ew.Mahalanobis()).fit(X, y).explain(given, 1)
    assert (powers.predict(answers.counterfactuals) == 1).all()


def test_rows_outside_of_the_limits_are_named():
    X, y = rows(15)
    fitted = make_pipeline(FunctionTransformer(np.log1p), TREES["forest"]).fit(X, y)
    explainer = ew.Explainer(fitted, density=None).fit(X, y)
    wrong = X[:3].copy()
    wrong[2, 1] = -4.0
    with pytest.raises(InvalidInputError, match=r"between -1 and inf .*received -4.0 in row 2, column 'x1'"):
        explainer.explain(wrong, 1)
    frame = pd.DataFrame(wrong, columns=["a", "b", "c"])
    named = make_pipeline(FunctionTransformer(np.log1p), TREES["forest"]).fit(frame.abs(), y[:3])
    with pytest.raises(InvalidInputError, match=r"received -4.0 in row 2, column 'b'"):
        ew.Explainer(named, density=None).fit(frame, y[:3])


# --- what else belongs to it ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["yeo-johnson", "normal quantiles", "log1p", "sparse codes"])
def test_saving_and_loading(step, tmp_path):
    fitted, X, y = pipeline(step, "forest", 16)
    explainer = ew.Explainer(fitted, density=None).fit(X, y)
    given = X[fitted.predict(X) == 0][:4]
    explainer.save(tmp_path / "bent.ew")
    assert_same_bits(ew.load(tmp_path / "bent.ew").explain(given, 1), explainer.explain(given, 1))


@pytest.mark.parametrize("model", ["tree", "forest"])
@pytest.mark.parametrize("step", ["normal quantiles", "sqrt", "sparse codes"])
def test_a_row_has_the_same_bits_alone_in_a_batch_and_on_threads(step, model):
    fitted, X, y = pipeline(step, model, 26)
    explainer = ew.Explainer(fitted, density=None).fit(X, y)
    given = X[fitted.predict(X) == 0][:9]
    together = explainer.explain(given, 1)
    assert_same_bits(together, ew.Explainer(fitted, density=None, n_jobs=2).fit(X, y).explain(given, 1))
    for place in (0, 4, 8):
        assert_same_bits(together[place : place + 1], explainer.explain(given[place : place + 1], 1))


def test_rules_and_several_answers():
    frame, y = mixed_table(17)
    fitted = table_pipeline(TREES["forest"]).fit(frame, y)
    explainer = ew.Explainer(fitted, density=None).fit(frame, y)
    given = frame[(fitted.predict(frame) == "no") & (frame.age < 60)][:5]
    rules = ew.Constraints(immutable=["colour"], monotone={"age": "increase"}, bounds={"age": (18, 70)}, max_changes=2)
    answers = explainer.explain(given, "yes", constraints=rules, n_counterfactuals=2)
    found = answers.counterfactuals
    assert len(found) > len(given)
    before = given.iloc[answers.rows]
    assert (fitted.predict(found) == "yes").all()
    assert (found.colour.to_numpy() == before.colour.to_numpy()).all()
    assert (found.age.to_numpy() >= before.age.to_numpy()).all()


def test_every_known_function_is_monotone_where_it_is_said_to_be():
    largest = float(np.finfo(np.float32).max)
    for function, (low, high) in {**RISING, **FALLING}.items():
        numbers = np.concatenate(
            [np.linspace(-3, 3, 4001), np.geomspace(1e-300, 1e38, 2000), -np.geomspace(1e-3, 1e38, 99)]
        )
        numbers = np.unique(np.concatenate([numbers, [low, high]]))
        numbers = numbers[(numbers >= low) & (numbers <= high)]
        with np.errstate(all="ignore"):
            values = function(numbers)
        assert not np.isnan(values).any(), function
        rises = np.diff(np.clip(values, -largest, largest))
        size = np.abs(np.clip(values, -largest, largest))[1:]
        assert ((-rises if function in FALLING else rises) >= -1e-14 * size).all(), function


# --- refusals ---------------------------------------------------------------------------------------------------------


def refused(*steps, model=None, error=UnsupportedSettingError, match):
    X, y = rows(18)
    fitted = make_pipeline(*steps, RandomForestClassifier(3, max_depth=2) if model is None else model).fit(X, y)
    assert re.search(match, reason_unread(fitted, X, y))


def some_function(X):
    return X


def test_what_is_refused():
    match = (
        r"step 'functiontransformer' \(FunctionTransformer\) applies the function some_function, which cannot be known"
    )
    refused(FunctionTransformer(some_function), match=match)
    refused(
        FunctionTransformer(np.square), match=r"applies the function square, which cannot be known .*log1p.*'x0', 'x1'"
    )
    refused(
        FunctionTransformer(np.log, kw_args={"where": True}), match=r"the function log with kw_args, which cannot be"
    )
    refused(
        PowerTransformer(), PCA(2), match=r"\(PowerTransformer\) is not affine.* step 'pca' \(PCA\) then mixes columns"
    )
    refused(
        FunctionTransformer(np.rint),
        model=LogisticRegression(),
        match=r"applies the function rint, which is not affine.*its slopes have to be known.*before the pipeline",
    )
    refused(
        SplineTransformer(),
        PowerTransformer(),
        model=LogisticRegression(),
        match=r"\(PowerTransformer\) may not",
    )
    refused(
        PolynomialFeatures(3),
        model=LogisticRegression(max_iter=5000),
        match=r"is not affine: it multiplies columns 'x0', 'x1'",
    )
    refused(
        KBinsDiscretizer(3, strategy="uniform"),
        model=NearestCentroid(),
        error=UnsupportedModelError,
        match=r"\(KBinsDiscretizer\) is not affine: it puts numbers into bins.*not NearestCentroid",
    )
    refused(
        SplineTransformer(degree=3), match=r"\(SplineTransformer\) is not affine: it makes splines.*neither rises nor"
    )
    refused(
        SplineTransformer(degree=0, extrapolation="periodic"), match=r"extrapolation='periodic'\); expected 'constant'"
    )
    refused(
        SplineTransformer(degree=0, extrapolation="linear"), match=r"does not put column .* one bin after the other"
    )
    refused(PowerTransformer(), SimpleImputer(), match=r"replaces missing values of column 'x0' behind another step")
    refused(
        PCA(2), MinMaxScaler((1, 2)), FunctionTransformer(np.log1p), match=r"are mixed before it. Apply it to single"
    )
    refused(PowerTransformer(), OneHotEncoder(), match=r"encodes column 'x0' after an earlier step has changed its")


def test_a_step_that_is_not_monotone_as_promised_is_refused():
    class Wave(TransformerMixin, BaseEstimator):
        def fit(self, X, y=None):
            return self

        def transform(self, X):
            return np.sin(X)

    from elsewise.pipeline.transformers.functions import one_by_one
    from elsewise.pipeline.warping import Takes

    register(Wave)(lambda walk, step, streams: one_by_one(walk, step, streams, Takes.numbers(3), "is not affine"))
    refused(
        Wave(), error=UnsupportedModelError, match=r"\(Wave\) is not affine.* does not rise throughout: column 'x0' at"
    )


def test_too_many_boxes_are_refused(monkeypatch):
    monkeypatch.setattr("elsewise.models.trees.rewriting.MOST_NODES_REWRITTEN", 50)
    X, y = rows(19)
    fitted = make_pipeline(CODES["dense codes"], RandomForestClassifier(9, random_state=0)).fit(X, y)
    assert re.search(r'more than 50 boxes .* KBinsDiscretizer\(encode="ordinal"\)', reason_unread(fitted, X, y))


def test_sixty_odd_calls_of_transform_for_all_cuts():
    class Counting(PowerTransformer):
        calls = 0

        def transform(self, X):
            Counting.calls += 1
            return super().transform(X)

    X, y = rows(20)
    fitted = make_pipeline(Counting(), RandomForestClassifier(20, random_state=0)).fit(X, y)
    explainer = ew.Explainer(fitted, density=None).fit(X, y)
    Counting.calls = 0
    region = explainer.fitted_.region(Label(1))
    assert sum(map(len, region.trees.cuts())) > 100
    assert Counting.calls <= 70


def cube(x):
    return np.asarray(x) ** 3 + np.asarray(x)


def falling(x):
    return -np.log(x)


def wave(x):
    return np.sin(9.0 * np.asarray(x))


@pytest.mark.parametrize(
    ("declared", "known"),
    [
        (
            ew.monotone(falling, "decrease", low=1e-6),
            make_pipeline(FunctionTransformer(np.log), FunctionTransformer(np.negative)),
        ),
        (ew.monotone(cube), None),
    ],
    ids=["falls", "rises"],
)
def test_functions_that_are_declared_monotone(declared, known):
    rng = np.random.default_rng(0)
    X = rng.uniform(0.1, 2.0, (200, 3))
    y = (X[:, 0] + X[:, 1] ** 2 > 2).astype(int)
    forest = RandomForestClassifier(8, max_depth=4, random_state=0)
    model = make_pipeline(FunctionTransformer(declared), forest).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    assert explainer.exactness_ == "exact"
    asked = X[model.predict(X) == 0][:5]
    answers = explainer.explain(asked, 1)
    assert (answers.statuses == "optimal").all()
    assert (model.predict(answers.counterfactuals) == 1).all()
    if known is not None:
        same = make_pipeline(known, RandomForestClassifier(8, max_depth=4, random_state=0)).fit(X, y)
        expected = ew.Explainer(same, density=None).fit(X, y).explain(asked, 1)
        np.testing.assert_allclose(answers.distances, expected.distances, rtol=1e-9)
    else:  # nothing nearer among many rows that are nearer
        steps = rng.normal(size=(4000, 3))
        steps *= (rng.random(4000) / np.abs(steps).sum(axis=1))[:, None]
        for row, distance in zip(asked, answers.distances):
            assert (model.predict(row + distance * (1 - 1e-9) * steps) == 0).all()


def back_from_cube(x):
    return np.cbrt(x)


def own_cube(x):
    return np.asarray(x) ** 3


def square(x):
    return np.asarray(x) ** 2


def turned(x):
    return np.asarray(x)[:, ::-1] * 2.0


def halved(x):
    return np.asarray(x)[:, ::-1] / 2.0


@pytest.mark.parametrize(
    ("function", "inverse", "is_read"),
    [(own_cube, back_from_cube, True), (square, np.sqrt, False), (turned, halved, False), (cube, None, False)],
    ids=["cube", "square", "turned", "none"],
)
def test_functions_with_a_declared_inverse(function, inverse, is_read):
    rng = np.random.default_rng(0)
    X = rng.uniform(0.1, 2.0, (200, 3))
    y = (X[:, 0] + X[:, 1] ** 2 > 2).astype(int)
    steps = FunctionTransformer(function, inverse_func=inverse, check_inverse=False)
    model = make_pipeline(steps, RandomForestClassifier(8, max_depth=4, random_state=0)).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    assert (explainer.exactness_ == "exact") == is_read
    if is_read:
        asked = X[model.predict(X) == 0][:5]
        answers = explainer.explain(asked, 1)
        assert (answers.statuses == "optimal").all()
        declared = make_pipeline(FunctionTransformer(ew.monotone(function)), model[-1]).fit(X, y)
        expected = ew.Explainer(declared, density=None).fit(X, y).explain(asked, 1)
        np.testing.assert_allclose(answers.distances, expected.distances, rtol=1e-9)


def test_a_function_that_is_not_what_was_declared():
    X = np.random.default_rng(0).uniform(0.1, 2.0, (100, 2))
    y = (X[:, 0] > 1).astype(int)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0)
    model = make_pipeline(FunctionTransformer(ew.monotone(wave)), forest).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    assert explainer.exactness_ == "black box"
    assert "does not rise throughout" in explainer.fitted_.training.reason
    with pytest.raises(ew.InvalidInputError, match="expected 'increase' or 'decrease', received 'up'"):
        ew.monotone(wave, "up")
    with pytest.raises(ew.InvalidInputError, match="expected low < high"):
        ew.monotone(wave, low=2.0, high=1.0)
