"""Affine maps against the transformers' own transform."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA, IncrementalPCA, TruncatedSVD
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

from elsewise.errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError
from elsewise.pipeline import AffineMap, affine_map, unwrap

N_FEATURES = 6
CONSTANT = "ignore:Features .* are constant:UserWarning"  # SelectKBest says so, rightly, and divides by zero
DIVISION = "ignore:invalid value encountered in divide:RuntimeWarning"
TRANSFORMERS = [
    lambda: StandardScaler(),
    lambda: StandardScaler(with_mean=False),
    lambda: StandardScaler(with_std=False),
    lambda: StandardScaler(with_mean=False, with_std=False),
    lambda: MinMaxScaler(feature_range=(-2, 3)),
    lambda: MaxAbsScaler(),
    lambda: RobustScaler(),
    lambda: RobustScaler(with_centering=False),
    lambda: RobustScaler(with_scaling=False),
    lambda: RobustScaler(with_centering=False, with_scaling=False),
    lambda: RobustScaler(unit_variance=True),
    lambda: PCA(),
    lambda: PCA(n_components=0.95),
    lambda: PCA(n_components=2, whiten=True),
    lambda: IncrementalPCA(n_components=2),
    lambda: IncrementalPCA(n_components=2, whiten=True),
    lambda: TruncatedSVD(n_components=2, random_state=0),
    lambda: VarianceThreshold(),
    lambda: SelectKBest(k=2),
    lambda: SelectFromModel(RidgeClassifier(), max_features=2, threshold=-np.inf),
    lambda: FunctionTransformer(),
    lambda: "passthrough",
    lambda: None,
    lambda: make_pipeline(StandardScaler(), "passthrough", PCA(n_components=2)),
]


def data(seed, *, constant=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, N_FEATURES)) * 10.0 ** rng.integers(-2, 3, size=N_FEATURES) + rng.normal(size=N_FEATURES)
    if constant:
        X[:, rng.integers(N_FEATURES)] = 3.5
    return X, rng.integers(2, size=60)


def assert_same_map(steps, X, y, *, dtype=np.float64):
    model = Pipeline([*((f"s{i}", step) for i, step in enumerate(steps)), ("model", LogisticRegression())])
    fitted = X.astype(dtype)
    for i, step in enumerate(steps):  # one by one: the model at the end need not be fitted
        if step is not None and step != "passthrough":
            fitted = model.steps[i][1].fit(fitted, y).transform(fitted)
    Z = np.vstack([X, 3 * X + 1, np.random.default_rng(0).normal(size=X.shape)])
    transformed = model[:-1].transform(Z) if len(steps) else Z
    found, _ = unwrap(model)
    mapped = affine_map(found, N_FEATURES)
    size = np.abs(Z) @ np.abs(mapped.matrix).T + np.abs(mapped.offset)
    assert mapped(Z).shape == transformed.shape
    assert (np.abs(mapped(Z) - transformed) <= 1e-10 * (np.abs(transformed) + 1e-3 * size)).all()


@pytest.mark.filterwarnings(CONSTANT, DIVISION)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("make", TRANSFORMERS, ids=lambda make: str(make()))
def test_each_transformer(make, constant, dtype):
    X, y = data(0, constant=constant)
    assert_same_map([make()], X, y, dtype=dtype)


# transformers that leave at least two features, so that they can follow each other in any order
CHAINABLE = [make for make in TRANSFORMERS if str(make()) not in ("PCA(n_components=0.95)", "VarianceThreshold()")]


@pytest.mark.filterwarnings(CONSTANT, DIVISION)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(CHAINABLE), min_size=1, max_size=4), st.integers(0, 20), st.booleans())
def test_chains(makers, seed, constant):
    X, y = data(seed, constant=constant)
    assert_same_map([make() for make in makers], X, y)


def test_whitening_of_rank_deficient_data_has_the_floor_of_transform():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)) @ rng.normal(size=(2, N_FEATURES))
    pca = PCA(whiten=True, svd_solver="full").fit(X)
    pca.explained_variance_[-1] = 0.0
    mapped = affine_map([("pca", pca)], N_FEATURES)
    Z = rng.normal(size=(5, N_FEATURES))
    np.testing.assert_allclose(mapped(Z), pca.transform(Z), rtol=1e-9)


def test_fitted_in_single_precision():
    X, y = data(2)
    model = make_pipeline(MinMaxScaler(), PCA(n_components=3, whiten=True), LogisticRegression())
    model.fit(X.astype(np.float32), y)
    mapped = affine_map(unwrap(model)[0], N_FEATURES)
    assert mapped.matrix.dtype == mapped.offset.dtype == np.float64
    np.testing.assert_allclose(mapped(X), model[:-1].transform(X), rtol=1e-9, atol=1e-9)


# --- AffineMap -------------------------------------------------------------------------------------------------------


def test_identity_and_composition():
    rng = np.random.default_rng(0)
    first = AffineMap(rng.normal(size=(3, 4)), rng.normal(size=3))
    second = AffineMap(rng.normal(size=(2, 3)), rng.normal(size=2))
    X = rng.normal(size=(5, 4))
    np.testing.assert_array_equal(AffineMap.identity(4)(X), X)
    np.testing.assert_allclose(first.then(second)(X), second(first(X)), rtol=1e-12)
    np.testing.assert_allclose(first(X)[2], first.matrix @ X[2] + first.offset, rtol=1e-12)


def test_no_steps_is_the_identity():
    X, _ = data(0)
    np.testing.assert_array_equal(affine_map([], N_FEATURES)(X), X)


# --- unwrap ----------------------------------------------------------------------------------------------------------


def test_unwrap_of_a_bare_model():
    model = LogisticRegression()
    assert unwrap(model) == ([], model)


def test_unwrap_flattens_pipelines_at_both_ends():
    scaler, pca, svd, model = StandardScaler(), PCA(), TruncatedSVD(), LogisticRegression()
    outer = Pipeline(
        [
            ("first", Pipeline([("scale", scaler), ("none", None), ("deep", Pipeline([("pca", pca)]))])),
            ("pass", "passthrough"),
            ("last", Pipeline([("svd", svd), ("model", model)])),
        ]
    )
    steps, estimator = unwrap(outer)
    assert steps == [("first__scale", scaler), ("first__deep__pca", pca), ("last__svd", svd)]
    assert estimator is model


def test_nested_pipeline_maps_like_its_transform():
    X, y = data(1)
    model = make_pipeline(make_pipeline(MinMaxScaler(), None), make_pipeline(PCA(n_components=3), LogisticRegression()))
    model.fit(X, y)
    steps, estimator = unwrap(model)
    mapped = affine_map(steps, model.n_features_in_)
    np.testing.assert_allclose(
        estimator.decision_function(mapped(X)), model.decision_function(X), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("end", ["passthrough", None])
def test_pipeline_without_a_model_at_its_end(end):
    with pytest.raises(UnsupportedModelError, match=r"ends in step 'end', .* expected a classifier or a regressor"):
        unwrap(Pipeline([("scale", StandardScaler()), ("end", end)]))


# --- refusals --------------------------------------------------------------------------------------------------------


def test_transformer_that_is_not_affine_is_named():
    X, _ = data(0)
    steps = [("scale", StandardScaler().fit(X)), ("lengths", Normalizer().fit(X))]
    with pytest.raises(UnsupportedModelError, match=r"step 'lengths' \(Normalizer\) is not affine.*StandardScaler"):
        affine_map(steps, N_FEATURES)


def test_nested_transformer_that_is_not_affine_is_named():
    X, _ = data(0)
    steps = [("outer", Pipeline([("lengths", Normalizer())]).fit(X))]
    with pytest.raises(UnsupportedModelError, match=r"step 'outer__lengths' \(Normalizer\)"):
        affine_map(steps, N_FEATURES)


@pytest.mark.parametrize("scaler", [MinMaxScaler(clip=True), MaxAbsScaler(clip=True)], ids=str)
def test_clipping_scaler_is_named(scaler):
    X, _ = data(0)
    with pytest.raises(UnsupportedSettingError, match=rf"step 'unit' \({type(scaler).__name__}\) has clip=True"):
        affine_map([("unit", scaler.fit(X))], N_FEATURES)


def test_function_is_named():
    X, _ = data(0)
    with pytest.raises(UnsupportedSettingError, match=r"step 'log' \(FunctionTransformer\) applies the function log1p"):
        affine_map([("log", FunctionTransformer(np.log1p).fit(X))], N_FEATURES)


def test_wrong_number_of_features():
    X, _ = data(0)
    for step in (StandardScaler(), StandardScaler(with_mean=False), PCA(), VarianceThreshold(), MaxAbsScaler()):
        with pytest.raises(InvalidInputError, match=r"step 'step' .* was fitted on 6 features, but 4 reach it"):
            affine_map([("step", step.fit(X))], 4)


def test_encoder_of_numbers_is_named():
    X = np.array([[0.0], [1.0], [2.0]])
    with pytest.raises(UnsupportedModelError, match=r"step 'codes' \(OneHotEncoder\) takes the values of column 'x0'"):
        affine_map([("codes", OneHotEncoder().fit(X))], 1)
