"""Regions of linear classifiers against the models' own predict and predict_proba."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.svm import SVC, LinearSVC

from elsewise.errors import InvalidInputError, UnsupportedSettingError
from elsewise.models import Interval, Label, builder_of, region_of
from elsewise.models.linear import halfspaces, linear_region, ridge_region
from elsewise.models.pairs import svc_region
from models.contract import assert_contract, assert_region_agrees, blobs, wanted_mask

BINARY_LABELS = [["no", "yes"], [False, True], [-3, 7]]
LABELS = [*BINARY_LABELS, ["a", "b", "c"], [-3, 7, 42], [5, 1, 9, 2]]
MODELS = [
    LogisticRegression(),
    LogisticRegression(fit_intercept=False),
    LogisticRegressionCV(Cs=3, l1_ratios=(0,), use_legacy_attributes=False, scoring="neg_log_loss"),
    RidgeClassifier(),
    RidgeClassifier(fit_intercept=False),
    RidgeClassifierCV(),
    Perceptron(random_state=0),
    SGDClassifier(random_state=0),
    SGDClassifier(average=True, random_state=0),
    LinearSVC(random_state=0),
    LinearSVC(fit_intercept=False, random_state=0),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
]
PROBABILISTIC = [
    LogisticRegression(),
    LogisticRegressionCV(Cs=3, l1_ratios=(0,), use_legacy_attributes=False, scoring="neg_log_loss"),
    LinearDiscriminantAnalysis(),
    SGDClassifier(loss="log_loss", alpha=0.05, random_state=0),
    SGDClassifier(loss="modified_huber", alpha=0.05, random_state=0),
]
WITHOUT_PROBABILITY = [
    LinearSVC(),
    Perceptron(),
    RidgeClassifier(),
    SGDClassifier(loss="hinge"),
    SVC(kernel="linear"),
]


@pytest.mark.parametrize("labels", LABELS, ids=str)
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_every_class_agrees_with_predict(model, labels):
    X, y, Z = blobs(len(labels), labels=labels)
    model.fit(X, y)
    for index in range(len(labels)):
        assert_contract(model, Label(index), Z)


@pytest.mark.parametrize("labels", BINARY_LABELS, ids=str)
@pytest.mark.parametrize("break_ties", [False, True])
def test_binary_linear_svc_with_kernel(labels, break_ties):
    X, y, Z = blobs(2, labels=labels)
    model = SVC(kernel="linear", break_ties=break_ties).fit(X, y)
    for index in (0, 1):
        assert_contract(model, Label(index), Z)


def test_each_family_has_its_builder():
    assert {builder_of(model) for model in MODELS} == {linear_region, ridge_region}
    assert builder_of(SVC()) is svc_region


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", [LogisticRegression(), LinearDiscriminantAnalysis(), RidgeClassifier()], ids=str)
def test_models_fitted_in_single_precision(model, n_classes):
    X, y, Z = blobs(n_classes)
    model.fit(X.astype(np.float32), y)
    assert model.coef_.dtype == np.float32
    region = region_of(model, Label(0))
    assert region.normals.dtype == region.offsets.dtype == np.float64
    assert_contract(model, Label(0), Z)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sparsified_weights(n_classes):
    X, y, Z = blobs(n_classes)
    model = SGDClassifier(penalty="l1", alpha=0.01, random_state=0).fit(X, y).sparsify()
    assert issparse(model.coef_)
    for index in range(n_classes):
        assert_contract(model, Label(index), Z)


# --- least probability -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [0.05, 0.5, 0.6, 0.9, 0.99])
@pytest.mark.parametrize("model", PROBABILISTIC, ids=str)
def test_min_probability_agrees_with_predict_proba(model, p):
    X, y, Z = blobs(2, labels=["no", "yes"])
    model.fit(X, y)
    for index in (0, 1):
        assert_contract(model, Label(index, min_probability=p), Z)


def test_modified_huber_reaches_probability_one():
    X, y, Z = blobs(2)
    model = SGDClassifier(loss="modified_huber", alpha=0.05, random_state=0).fit(X, y)
    for index in (0, 1):
        assert_contract(model, Label(index, min_probability=1.0), Z)
        assert wanted_mask(model, Label(index), Z).sum() > wanted_mask(model, Label(index, 1.0), Z).sum()


def test_a_low_probability_is_reached_where_the_model_decides_otherwise():
    X, y, Z = blobs(2)
    model = LogisticRegression().fit(X, y)
    for index in (0, 1):
        reached = region_of(model, Label(index, min_probability=0.2)).accepts(Z)
        np.testing.assert_array_equal(reached, model.predict_proba(Z)[:, index] >= 0.2)
        assert (reached & (model.predict(Z) != index)).any()


@pytest.mark.parametrize("p", [0.0, 1.0, -0.5, 1.5, float("nan")])
def test_probability_outside_the_open_interval(p):
    X, y, _ = blobs(2)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(InvalidInputError, match=r"min_probability of LogisticRegression .* 0 < p <"):
        region_of(model, Label(1, min_probability=p))


@pytest.mark.parametrize("p", [0.0, 1.01])
def test_probability_outside_the_half_open_interval(p):
    X, y, _ = blobs(2)
    model = SGDClassifier(loss="modified_huber", random_state=0).fit(X, y)
    with pytest.raises(InvalidInputError, match=r"min_probability of SGDClassifier .* 0 < p <= 1, received"):
        region_of(model, Label(1, min_probability=p))


@pytest.mark.parametrize("model", WITHOUT_PROBABILITY, ids=str)
def test_models_without_probability_refuse_it(model):
    X, y, _ = blobs(2)
    with pytest.raises(UnsupportedSettingError, match="Leave min_probability out, or use LogisticRegression"):
        region_of(model.fit(X, y), Label(1, min_probability=0.7))


def test_probability_of_a_multinomial_binary_model_is_refused():
    X, y, _ = blobs(2)
    model = LogisticRegression().fit(X, y)
    model.multi_class = "multinomial"  # a parameter of scikit-learn up to 1.7, with another predict_proba
    with pytest.raises(UnsupportedSettingError, match="increasing function of its decision value"):
        region_of(model, Label(1, min_probability=0.7))


def test_several_classes_need_a_softmax():
    X, y, _ = blobs(3)
    model = SGDClassifier(loss="log_loss", random_state=0).fit(X, y)
    with pytest.raises(UnsupportedSettingError, match="of 3 classes needs a softmax, and SGDClassifier divides"):
        region_of(model, Label(1, min_probability=0.7))


# --- models that ignore the input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [-1.0, 0.0, 1.0])
def test_binary_model_without_weights_decides_the_same_everywhere(intercept):
    X, y, Z = blobs(2)
    model = LogisticRegression().fit(X, y)
    model.coef_[:], model.intercept_[:] = 0.0, intercept
    for index in (0, 1):
        wanted = wanted_mask(model, Label(index), Z)
        assert wanted.all() or not wanted.any()
        region = region_of(model, Label(index))
        assert len(region.offsets) == 0
        np.testing.assert_array_equal(region.accepts(Z), wanted)


def test_classes_with_equal_weights_are_settled_by_their_intercepts():
    X, y, Z = blobs(4)
    model = LogisticRegression().fit(X, y)
    model.coef_[1] = model.coef_[2]
    for intercepts in ([0.0, 0.5, 0.2, 0.0], [0.0, 0.2, 0.5, 0.0], [0.0, 0.5, 0.5, 0.0]):
        model.intercept_[:] = intercepts
        for index in range(4):
            assert_region_agrees(model, Label(index), Z, wanted_mask(model, Label(index), Z))
    assert region_of(model, Label(2)).n_polyhedra == 0  # tied with class 1 everywhere, and predict takes the first
    assert region_of(model, Label(1)).n_polyhedra == 1


def test_halfspaces_with_infinite_limits():
    A = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert halfspaces(A, np.array([1.0, -np.inf])).n_polyhedra == 0
    region = halfspaces(A, np.array([1.0, np.inf]))
    np.testing.assert_array_equal(region.normals, [[1.0, 0.0]])
    everything = halfspaces(A, np.array([np.inf, np.inf]))
    assert everything.n_polyhedra == 1
    assert everything.accepts(np.array([[1e9, -1e9]])).all()


# --- refusals --------------------------------------------------------------------------------------------------------


def test_multi_label_ridge_is_refused():
    X, _, _ = blobs(2)
    model = RidgeClassifier().fit(X, (X[:, :2] > 0).astype(int))
    with pytest.raises(UnsupportedSettingError, match="multi-label"):
        region_of(model, Label(0))


def test_kernel_svc_is_refused():
    X, y, _ = blobs(2)
    with pytest.raises(UnsupportedSettingError, match="kernel='linear' only, received kernel='rbf'"):
        region_of(SVC().fit(X, y), Label(0))


def test_sparse_svc_is_refused():
    X, y, _ = blobs(2)
    with pytest.raises(UnsupportedSettingError, match=r"sparse matrix; expected a dense array"):
        region_of(SVC(kernel="linear").fit(csr_array(X), y), Label(0))


def test_a_range_is_no_target_of_a_classifier():
    X, y, _ = blobs(2)
    with pytest.raises(InvalidInputError, match="LogisticRegression is a classifier"):
        region_of(LogisticRegression().fit(X, y), Interval(0.0, 1.0))
