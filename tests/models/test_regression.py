"""Regions of linear regressors against the models' own predict."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn._loss.link import LogitLink
from sklearn.linear_model import (
    BayesianRidge,
    ElasticNet,
    ElasticNetCV,
    GammaRegressor,
    HuberRegressor,
    Lasso,
    LassoCV,
    LinearRegression,
    MultiTaskLasso,
    PoissonRegressor,
    Ridge,
    RidgeCV,
    SGDRegressor,
    TweedieRegressor,
)
from sklearn.svm import LinearSVR

from elsewise.errors import InvalidInputError, UnsupportedSettingError
from elsewise.models import Interval, Label, builder_of, region_of
from elsewise.models.linear import generalized_linear_region, linear_regression_region
from models.contract import assert_contract, blobs

LINEAR = [
    BayesianRidge(),
    ElasticNet(alpha=0.1),
    ElasticNetCV(),
    HuberRegressor(),
    Lasso(alpha=0.1),
    LassoCV(),
    LinearRegression(),
    LinearRegression(fit_intercept=False),
    LinearSVR(random_state=0, max_iter=100_000),
    Ridge(),
    RidgeCV(),
    SGDRegressor(random_state=0),
]
LOG_LINK = [
    GammaRegressor(),
    PoissonRegressor(),
    PoissonRegressor(fit_intercept=False),
    TweedieRegressor(power=1.5),
    TweedieRegressor(power=0, link="log"),
]
IDENTITY_LINK = [TweedieRegressor(power=0), TweedieRegressor(power=0, link="identity")]


def data(positive=False):
    X, _, Z = blobs(2, seed=3)
    y = X @ [1.0, -0.5, 0.2, 0.0] + np.sin(X[:, 3])
    return X, np.exp(0.4 * y) if positive else y, Z


@pytest.mark.parametrize("model", LINEAR + IDENTITY_LINK, ids=str)
@pytest.mark.parametrize("interval", [(-1.0, 0.5), (-np.inf, 0.2), (0.2, np.inf)])
def test_interval_agrees_with_predict(model, interval):
    X, y, Z = data()
    assert_contract(model.fit(X, y), Interval(*interval), Z)


@pytest.mark.parametrize("model", LOG_LINK, ids=str)
@pytest.mark.parametrize("interval", [(0.5, 1.5), (0.0, 1.2), (-3.0, 1.2), (-np.inf, 1.2), (1.2, np.inf)])
def test_log_link_agrees_with_predict(model, interval):
    X, y, Z = data(positive=True)
    assert_contract(model.fit(X, y), Interval(*interval), Z)


def test_each_family_has_its_builder():
    assert {builder_of(model) for model in LINEAR} == {linear_regression_region}
    assert {builder_of(model) for model in LOG_LINK + IDENTITY_LINK} == {generalized_linear_region}


@pytest.mark.parametrize("model", LOG_LINK, ids=str)
def test_log_link_never_predicts_zero_or_less(model):
    X, y, Z = data(positive=True)
    model.fit(X, y)
    assert (model.predict(Z) > 0).all()
    assert region_of(model, Interval(-np.inf, -1.0)).n_polyhedra == 0
    zero = region_of(model, Interval(-np.inf, 0.0))  # where exp underflows, which is far away
    steep = -model.coef_ / np.linalg.norm(model.coef_) ** 2
    for score, is_zero in ((-744.0, False), (-746.5, True)):
        point = (steep * -(score - model.intercept_))[None]
        assert (model.predict(point) == 0.0).all() == is_zero
        assert zero.accepts(point).all() == is_zero
    everything = region_of(model, Interval(0.0, np.inf))
    assert everything.n_polyhedra == 1
    assert len(everything.offsets) == 0


def test_open_ends_hold_everywhere():
    X, y, Z = data()
    region = region_of(LinearRegression().fit(X, y), Interval(-np.inf, np.inf))
    assert region.n_polyhedra == 1
    assert region.normals.shape == (0, 4)
    assert region.accepts(Z).all()


def test_contradictory_interval_is_empty():
    X, y, _ = data()
    assert region_of(LinearRegression().fit(X, y), Interval(2.0, 1.0)).n_polyhedra == 0


def test_link_is_the_fitted_one():
    X, y, Z = data(positive=True)
    model = TweedieRegressor(power=1).fit(X, y)
    model.set_params(link="identity")  # without effect on predict until the next fit
    assert_contract(model, Interval(0.5, 1.5), Z)


def test_constant_model_is_everywhere_or_nowhere():
    X, y, Z = data()
    model = Lasso(alpha=1e3).fit(X, y)
    assert not model.coef_.any()
    value = model.predict(Z)[0]
    for interval in (Interval(value - 1, value + 1), Interval(value, value), Interval(value + 1, np.inf)):
        region = region_of(model, interval)
        assert len(region.offsets) == 0
        np.testing.assert_array_equal(region.accepts(Z), interval.low <= value)


def test_sparse_and_single_precision_weights():
    X, y, Z = data()
    model = SGDRegressor(penalty="l1", alpha=0.1, random_state=0).fit(X, y).sparsify()
    assert_contract(model, Interval(-1.0, 0.5), Z)
    model = Ridge().fit(X.astype(np.float32), y.astype(np.float32))
    assert model.coef_.dtype == np.float32
    assert_contract(model, Interval(-1.0, 0.5), Z)


def test_one_output_in_a_column_is_fine():
    X, y, Z = data()
    model = LinearRegression().fit(X, y[:, None])
    assert model.coef_.shape == (1, 4)
    assert_contract(model, Interval(-1.0, 0.5), Z)


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(), MultiTaskLasso(alpha=0.1)], ids=str)
def test_several_outputs_are_refused(model):
    X, y, _ = data()
    with pytest.raises(UnsupportedSettingError, match="predicts 2 outputs at once; expected one"):
        region_of(model.fit(X, np.column_stack([y, -y])), Interval(0.0, 1.0))


def test_other_links_are_refused():
    X, y, _ = data(positive=True)
    model = PoissonRegressor().fit(X, y)
    model._base_loss.link = LogitLink()
    with pytest.raises(UnsupportedSettingError, match="identity or a log link, received LogitLink"):
        region_of(model, Interval(0.0, 1.0))


@pytest.mark.parametrize("model", [LinearRegression(), PoissonRegressor()], ids=str)
def test_a_label_is_no_target_of_a_regressor(model):
    X, y, _ = data(positive=True)
    with pytest.raises(InvalidInputError, match="is a regressor: expected target"):
        region_of(model.fit(X, y), Label(0))
