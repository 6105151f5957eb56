"""Infeasible is an answer: with a reason, and the highest threshold that would work."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import elsewise as ew
from fitted_models import FAMILIES, assert_certified, random_data


def assert_infeasible(answers, *, reason):
    assert (answers.statuses == "infeasible").all()
    assert np.isnan(answers.counterfactuals).all()
    assert np.isnan(answers.distances).all()
    assert np.isnan(answers.log_densities).all()
    assert np.isnan(answers.gaps).all()
    assert (answers.lower_bounds == np.inf).all()
    assert (answers.components == -1).all()
    assert not answers.model_free.any()
    for one in answers:
        assert re.search(reason, one.reason), one.reason
        assert one.changes == ()
        assert one.certificate.valid is False
        assert one.reason in str(one)


@pytest.fixture
def two_of_three():
    """A tree that predicts two of its three classes only."""
    X, y = random_data(3, seed=1)
    model = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    predicted = np.unique(model.predict(X))
    never = next(label for label in model.classes_ if label not in predicted)
    return model, X, y, never


@pytest.mark.parametrize("density", [None, ew.GaussianMixtureDensity(n_components=1)])
def test_a_class_no_leaf_predicts(two_of_three, density):
    model, X, y, never = two_of_three
    explainer = ew.Explainer(model, density=density).fit(X, y)
    answers = explainer.explain(X[:5], never)
    assert_infeasible(answers, reason=f'^No row at all makes the model predict "{never}" \\(proven\\).$')
    assert list(answers.targets) == [never] * 5
    assert_certified(explainer, X[:5], answers)
    assert (explainer.explain(X[:5]).statuses == "optimal").all()  # the other class can be reached


def test_a_model_that_knows_one_class_only():
    X, _ = random_data(3)
    model = DecisionTreeClassifier().fit(X, np.full(len(X), "only"))
    explainer = ew.Explainer(model, density=None).fit(X, np.full(len(X), "only"))
    assert_infeasible(explainer.explain(X[:3]), reason="The model knows no other class")
    assert (explainer.explain(X[:3], "only").distances == 0).all()


def test_a_tree_without_splits_has_no_other_class():
    X, y = random_data(3)
    model = DecisionTreeClassifier(max_leaf_nodes=2, min_samples_leaf=len(X), random_state=0).fit(X, y)
    label = model.predict(X[:1])[0]
    explainer = ew.Explainer(model, density=None).fit(X, y)
    assert_infeasible(explainer.explain(X[:3]), reason="No other class can be reached. No row at all makes the model")
    assert (explainer.explain(X[:3], label).distances == 0).all()


def test_a_linear_class_below_the_others_everywhere():
    X, y = random_data(3)
    model = LogisticRegression().fit(X, y)
    # "up" lies between the two others in weight, and below both in intercept: it is never the largest score.
    model.coef_[2] = model.coef_[:2].mean(axis=0)
    model.intercept_[2] = model.intercept_[:2].mean() - 1.0
    for density in (None, ew.GaussianMixtureDensity(n_components=2)):
        explainer = ew.Explainer(model, density=density, learn_rules=False).fit(X, y)
        reason = '^No row at all makes the model predict "up" \\(proven\\).$'
        assert_infeasible(explainer.explain(X[:5], "up"), reason=reason)


def test_a_range_no_leaf_gives():
    X, y = random_data(None)
    model = DecisionTreeRegressor(max_depth=2).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X)
    assert_infeasible(
        explainer.explain(X[:3], (float(y.max()) + 1, None)),
        reason="No row at all makes the model predict ",
    )


def test_a_constant_regressor():
    X, _ = random_data(None)
    explainer = ew.Explainer(LinearRegression().fit(X, np.ones(len(X))), density=None).fit(X)
    model = explainer.model
    model.coef_[:] = 0.0
    assert_infeasible(explainer.explain(X[:2], (2, 3)), reason="No row at all makes the model predict between 2 and 3")


@pytest.mark.parametrize("value", [50.0, 1e6])
def test_an_absolute_threshold_above_every_peak(iris, value):
    X, y = iris
    model = LogisticRegression(max_iter=1000).fit(X, y)
    density = ew.GaussianMixtureDensity(n_components=1)
    explainer = ew.Explainer(model, density=density, threshold=ew.LogDensity(value), learn_rules=False).fit(X, y)
    answers = explainer.explain(X[:3], "virginica")
    reason = "typical as required. Every threshold between 0 and 1 works, and so does LogDensity"
    assert_infeasible(answers, reason=reason)
    named = float(re.search(r"LogDensity\((.*?)\)", answers[0].reason)[1])
    works = clone(explainer).set_params(threshold=ew.LogDensity(named)).fit(X, y)
    assert (works.explain(X[:3], "virginica").statuses == "optimal").all()
    works = clone(explainer).set_params(threshold=ew.LogDensity(named + 0.002)).fit(X, y)
    assert_infeasible(works.explain(X[:3], "virginica"), reason="is as typical as required")


def test_an_absolute_threshold_above_every_peak_of_a_mixed_table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=80), "c": rng.choice(["x", "y"], 80)})
    codes = make_column_transformer((OneHotEncoder(), ["c"]), remainder="passthrough")
    model = make_pipeline(codes, DecisionTreeRegressor(max_depth=3)).fit(X, X["a"] + (X["c"] == "x"))
    density = ew.MixedMixtureDensity(n_components=2, random_state=0)
    explainer = ew.Explainer(model, density=density, threshold=ew.LogDensity(50.0)).fit(X)
    assert (explainer.explain(X[:3], (1.0, 9.0), on_satisfied="move").statuses == "infeasible").all()


DENSITIES = [
    ew.GaussianMixtureDensity(n_components=2),
    ew.GaussianMixtureDensity(n_components=2, covariance_type="diag"),
    ew.KernelDensity(),
]


@pytest.mark.parametrize("density", DENSITIES, ids=["full", "diag", "kernel"])
@pytest.mark.parametrize("family", [family for family in FAMILIES if family.n_classes], ids=str)
def test_the_quantile_named_is_the_highest_that_works(family, density):
    named = sum(check_named_quantiles(family, density, seed) for seed in range(3, 5))
    assert named or isinstance(density, ew.KernelDensity), "nothing was infeasible: the check would say nothing"


def check_named_quantiles(family, density, seed):
    """Count the classes whose reason names a quantile; each must work, and a little more must not."""
    model, X, y = family.fitted(seed=seed)
    # Rows under another label than the model's: where it decides for a label, the label's rows are rare.
    others = model.classes_[(np.searchsorted(model.classes_, y) + 1) % len(model.classes_)]
    explainer = ew.Explainer(model, density=density, threshold=0.97, learn_rules=False).fit(X, others)
    named = 0
    for label in model.classes_:
        answers = explainer.explain(X[:2], label, on_satisfied="move")
        assert_certified(explainer, X[:2], answers)
        assert len(set(answers.statuses == "infeasible")) == 1  # it does not depend on the row
        highest = re.search(r"The most typical one is .* \(threshold=(0\.\d+)\)", answers[0].reason)
        if highest is None:
            continue
        named += 1
        q = float(highest[1])
        assert 0 < q < 0.97
        works = clone(explainer).set_params(threshold=q).fit(X, others).explain(X[:2], label, on_satisfied="move")
        assert works.found.all()
        too_high = (
            clone(explainer)
            .set_params(threshold=min(q + 0.02, 0.97))
            .fit(X, others)
            .explain(X[:2], label, on_satisfied="move")
        )
        assert_infeasible(too_high, reason=rf"\(threshold={q}\)")
    return named


def test_a_region_far_from_its_own_data():
    # All rows of "b" are predicted "a": no quantile of their densities is reached where the model says "b".
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(size=(40, 2))])
    y = np.repeat(["a", "b"], 40)
    model = KNeighborsClassifier(n_neighbors=1).fit(np.array([[0.0, 0.0], [0.0, 60.0]]), ["a", "b"])
    density = ew.GaussianMixtureDensity(n_components=1)
    ranged = ew.Explainer(model, density=density).fit(X, y).explain_one(X[0], "b", on_satisfied="move")
    assert ranged.reason.endswith("No threshold between 0 and 1 is low enough, with or without the rules.")
    explainer = ew.Explainer(model, density=density, learn_rules=False).fit(X, y)
    answer = explainer.explain_one(X[0], "b", on_satisfied="move")
    assert answer.status == "infeasible"
    named = float(re.search(r"No threshold between 0 and 1 is low enough; LogDensity\((.*?)\) is", answer.reason)[1])
    works = (
        clone(explainer)
        .set_params(threshold=ew.LogDensity(named))
        .fit(X, y)
        .explain_one(X[0], "b", on_satisfied="move")
    )
    assert works.found
    assert model.predict([works.counterfactual]) == ["b"]


def test_a_class_that_only_ties_is_not_said_to_be_proven_away():
    # Both classes have the same prototypes: the model always decides for the first one.
    X = np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 1.0], [3.0, 1.0]])
    y = np.array(["a", "b", "a", "b"])
    model = KNeighborsClassifier(n_neighbors=1).fit(X, y)
    never = "b" if (model.predict(X) == "a").all() else "a"
    answer = ew.Explainer(model, density=None).fit(X, y).explain_one(X[0] + 0.3, never)
    assert answer.status == "unknown"
    assert np.isnan(answer.counterfactual).all()
    assert "confirmed" in answer.reason
    assert "is not known" in answer.reason
