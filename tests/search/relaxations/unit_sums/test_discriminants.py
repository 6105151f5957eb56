"""Gaussian naive Bayes and quadratic discriminants against their own predict, and against SCIP."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew
from elsewise.errors import UnsupportedSettingError
from elsewise.models import DecisionValue, Label, response_region_of
from fitted_models import assert_certified, random_data
from models.contract import blobs
from score_reference import distance_by_scip
from search.relaxations.unit_sums.judging import assert_nothing_on_a_grid_is_nearer, assert_sums_agree

MODELS = [GaussianNB(), QuadraticDiscriminantAnalysis(reg_param=0.05)]


def uneven(n_classes, *, n_features=3, seed=0):
    """Classes of different spread, so that boundaries are curved."""
    X, y = random_data(n_classes, seed=seed, n_features=n_features)
    labels = np.unique(y)
    rng = np.random.default_rng(seed)
    scale = dict(zip(labels, rng.uniform(0.4, 2.0, size=(len(labels), n_features))))
    middle = {label: X[y == label].mean(axis=0) for label in labels}
    return np.array([middle[k] + (x - middle[k]) * scale[k] for x, k in zip(X, y)]), y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_regions_agree_with_predict_and_probabilities(model, n_classes):
    X, y = uneven(n_classes, n_features=4)
    Z = blobs(2)[2] + X.mean(axis=0)
    model.fit(X, y)
    outcomes = [Label(index) for index in range(n_classes)]
    outcomes += [Label(0, 0.8), Label(1, 0.3)] if n_classes == 2 else []
    for outcome in outcomes:
        assert_sums_agree(model, outcome, Z)


def test_decision_values_and_what_is_not_supported():
    X, y = uneven(2)
    model = QuadraticDiscriminantAnalysis(reg_param=0.05).fit(X, y)
    values = model.decision_function(X)
    low, high = np.quantile(values, [0.3, 0.7])
    region = response_region_of(model, DecisionValue(low, high))
    np.testing.assert_array_equal(region.accepts(X), (values >= low) & (values <= high))
    with pytest.raises(UnsupportedSettingError, match="no decision_function"):
        response_region_of(GaussianNB().fit(X, y), DecisionValue(0.0))
    X, y = uneven(3)
    with pytest.raises(UnsupportedSettingError, match="several classes has no one decision value"):
        response_region_of(QuadraticDiscriminantAnalysis(reg_param=0.05).fit(X, y), DecisionValue(0.0))


def log_scores(model, v):
    """Scores of all classes as expressions of SCIP's variables, from the definition of the Gaussian density."""
    from pyscipopt import quicksum

    n, scores = len(v), []
    for k in range(len(model.classes_)):
        if isinstance(model, GaussianNB):
            precision, mean, prior = np.diag(1 / model.var_[k]), model.theta_[k], model.class_prior_[k]
        else:
            mean, prior = model.means_[k], model.priors_[k]
            precision = model.rotations_[k] @ np.diag(1 / model.scalings_[k]) @ model.rotations_[k].T
        constant = np.log(prior) + np.linalg.slogdet(precision)[1] / 2
        terms = quicksum(
            float(precision[i, j]) * (v[i] - float(mean[i])) * (v[j] - float(mean[j]))
            for i in range(n)
            for j in range(n)
        )
        scores.append(float(constant) - 0.5 * terms)
    return scores


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_answers_are_as_near_as_scip_finds_them(model, n_classes):
    pytest.importorskip("pyscipopt")
    X, y = uneven(n_classes, seed=2)
    model.fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows, said = X[:4], model.predict(X[:4])
    targets = [next(label for label in model.classes_ if label != own) for own in said]
    answers = explainer.explain(rows, target=targets, time_limit=20)
    assert_certified(explainer, rows, answers)
    for x, target, distance, bound in zip(rows, targets, answers.distances, answers.lower_bounds):
        index = model.classes_.tolist().index(target)
        value, lower = distance_by_scip(partial(log_scores, model), x, explainer.distance_.weights, index, distance)
        assert distance <= value * (1 + 1e-5)
        assert distance >= lower * (1 - 1e-5)
        assert bound <= value * (1 + 1e-6)
        assert bound >= distance * (1 - 1e-4)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_answers_with_a_density_are_bounded_by_everything_on_a_grid(model):
    """No point of a fine grid that is accepted and dense is nearer than what is proven."""
    X, y = uneven(2, n_features=2, seed=4)
    model.fit(X, y)
    explainer = ew.Explainer(model).fit(X, y)
    rows = X[model.predict(X) == "left"][:3]
    answers = explainer.explain(rows, target="right", time_limit=20)
    assert_certified(explainer, rows, answers)
    assert (answers.gaps <= 1e-3).all()
    assert_nothing_on_a_grid_is_nearer(explainer, X, rows, answers, lambda grid: model.predict(grid) == "right")


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_naive_bayes_is_proven_without_a_density(load):
    """Squares have no line above without ends: the first points have to be found before anything is known."""
    X, y = load(return_X_y=True)
    model = make_pipeline(StandardScaler(), GaussianNB()).fit(X, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(X, y)
    rows = X[model.predict(X) == 0][:6]
    answers = explainer.explain(rows, target=1)
    assert_certified(explainer, rows, answers)
    assert set(answers.statuses) == {"optimal"}
    assert (model.predict(answers.counterfactuals) == 1).all()
