"""Soft votes, calibrated folds and stacks of trees, against the list of all cells and the models' own predict."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.models import Label, region_of
from elsewise.models.registry import response_region_of
from elsewise.search.region import Probability
from elsewise.search.relaxations.tree_sums.decisions import Link


def table(seed=0, n=400):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(2)
    return X, ((X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)) > 0.4).astype(int)


def forest():
    return RandomForestClassifier(5, max_depth=3, random_state=0)


def boosting(**settings):
    return GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=0, **settings)


def histograms():
    return HistGradientBoostingClassifier(max_iter=6, max_depth=3, early_stopping=False)


def soft(*members, **settings):
    return VotingClassifier([(str(k), member) for k, member in enumerate(members)], voting="soft", **settings)


def stack(*members, **settings):
    named = [(str(k), member) for k, member in enumerate(members)]
    return StackingClassifier(named, final_estimator=LogisticRegression(), cv=3, **settings)


def libraries():
    xgboost, lightgbm = pytest.importorskip("xgboost"), pytest.importorskip("lightgbm")
    return soft(
        xgboost.XGBClassifier(n_estimators=6, max_depth=2),
        lightgbm.LGBMClassifier(n_estimators=6, max_depth=2, verbose=-1),
        weights=[1, 2],
    )


MODELS = {
    "vote of a forest and boosting": lambda: soft(forest(), boosting()),
    "vote of a tree and exponential loss": lambda: soft(
        DecisionTreeClassifier(max_depth=3, random_state=0), boosting(loss="exponential")
    ),
    "vote of XGBoost and LightGBM": libraries,
    "stack of three": lambda: stack(forest(), boosting(), histograms()),
    "stack of decision values": lambda: stack(histograms(), boosting(), stack_method="decision_function"),
    "forests, sigmoids": lambda: CalibratedClassifierCV(forest(), cv=3),
    "forests, isotonic": lambda: CalibratedClassifierCV(forest(), cv=3, method="isotonic"),
    "boosting, sigmoids": lambda: CalibratedClassifierCV(boosting(), cv=3),
    "boosting, isotonic": lambda: CalibratedClassifierCV(histograms(), cv=3, method="isotonic"),
    "AdaBoost, sigmoids": lambda: CalibratedClassifierCV(AdaBoostClassifier(n_estimators=5, random_state=0), cv=3),
    "AdaBoost, isotonic": lambda: CalibratedClassifierCV(
        AdaBoostClassifier(n_estimators=5, random_state=0), cv=3, method="isotonic"
    ),
    "vote of calibrated folds and boosting": lambda: soft(CalibratedClassifierCV(forest(), cv=2), boosting()),
}


def listed(model, x):
    """The nearest point of every cell."""
    values = []
    for cuts, value in zip(region_of(model, Label(1)).trees.cuts(), x):
        low, high = np.concatenate([[-np.inf], np.nextafter(cuts, np.inf)]), np.concatenate([cuts, [np.inf]])
        values.append(np.unique(np.clip(value, low, high)))
    return np.array(list(itertools.product(*values)))


@pytest.mark.parametrize("name", MODELS)
def test_answers_against_the_list_of_all(name):
    X, y = table()
    model = MODELS[name]().fit(X, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(X, y)
    assert explainer.exactness_ == "exact"
    for target in (0, 1):
        accepted = region_of(model, Label(target)).accepts(X)
        np.testing.assert_array_equal(accepted, model.predict(X) == target)
        rows = X[model.predict(X) != target][:4]
        for x, answer in zip(rows, explainer.explain(rows, target)):
            points = listed(model, x)
            good = points[model.predict(points) == target]
            nearest = (np.abs(good - x) * explainer.distance_.weights).sum(axis=1).min()
            assert answer.status == "optimal"
            np.testing.assert_allclose(answer.distance, nearest, rtol=1e-8)
            assert model.predict(answer.counterfactual[None])[0] == target


@pytest.mark.parametrize(
    "name", ["vote of a forest and boosting", "stack of three", "forests, sigmoids", "AdaBoost, sigmoids"]
)
def test_least_probabilities(name):
    X, y = table()
    model = MODELS[name]().fit(X, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(X, y)
    for target, x in ((1, X[model.predict(X) == 0][0]), (0, X[model.predict(X) == 1][0])):
        points = listed(model, x)
        least = float(np.quantile(model.predict_proba(X)[:, target], 0.8))
        good = points[model.predict_proba(points)[:, target] >= least]
        answer = explainer.explain_one(x, target, min_probability=least)
        assert answer.status == "optimal"
        nearest = (np.abs(good - x) * explainer.distance_.weights).sum(axis=1).min()
        np.testing.assert_allclose(answer.distance, nearest, rtol=1e-8)
        assert model.predict_proba(answer.counterfactual[None])[0, target] >= least


def test_with_a_density_nothing_dense_and_accepted_is_nearer():
    X, y = table()
    model = soft(forest(), boosting()).fit(X, y)
    explainer = ew.Explainer(model, learn_rules=False).fit(X, y)
    drawn = np.random.default_rng(1).normal(size=(20_000, 3))
    good = drawn[(model.predict(drawn) == 1)]
    good = good[explainer.log_density(good, 1) >= explainer.densities_[1].log_threshold_]
    rows = X[model.predict(X) == 0][:6]
    for x, answer in zip(rows, explainer.explain(rows, 1)):
        assert answer.status == "optimal"
        assert answer.log_density >= answer.log_threshold
        assert answer.lower_bound <= (np.abs(good - x) * explainer.distance_.weights).sum(axis=1).min()


def test_lines_are_above_links():
    rng = np.random.default_rng(0)
    x = np.sort(rng.normal(size=9))
    links = [
        Link(),
        Link(slope=-3.0, offset=0.7, is_logistic=True),
        Link(slope=2.0, is_logistic=True),
        Link(x=x, y=np.sort(rng.random(9))),
        Link(x=x, y=np.array([0, 0, 0, 0.2, 0.2, 0.9, 0.9, 1, 1.0])),
    ]
    for link, weight in itertools.product(links, (0.4, -1.3)):
        for _ in range(60):
            low, high = np.sort(rng.normal(0, 3, 2))
            near = rng.uniform(low - 1, high + 1)
            slope, offset = link.line_above(weight, low, high, near)
            t = np.concatenate([np.linspace(low, high, 4001), link.x[(link.x >= low) & (link.x <= high)]])
            gap = offset + slope * t - weight * link.value(t)
            assert gap.min() >= 0.0
            assert gap.min() <= 1e-5  # it touches, between points of the grid


def test_what_has_no_description_is_asked():
    X, y = table()
    several = soft(forest(), boosting()).fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    assert ew.Explainer(several, density=None).fit(X, np.digitize(X[:, 0], [-0.5, 0.5])).exactness_ == "black box"
    passed_on = stack(forest(), boosting(), passthrough=True).fit(X, y)
    assert ew.Explainer(passed_on, density=None).fit(X, y).exactness_ == "black box"


@pytest.mark.parametrize("seed", [0, 8])
def test_isotonic_folds_that_are_never_sure(seed):
    """Lines above links that end in a plateau are flat there: trees that say nothing to any line still matter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 3)).round(2)
    y = (rng.random(300) < np.where(X[:, 0] + 0.5 * X[:, 1] > 0.3, 0.14, 0.04)).astype(int)
    member = GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0)
    model = CalibratedClassifierCV(member, cv=2, method="isotonic").fit(X, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(X, y)
    probability = model.predict_proba(X)[:, 1]
    least = float(probability.max())
    for x in X[probability < least][:4]:
        points = listed(model, x)
        good = points[model.predict_proba(points)[:, 1] >= least]
        answer = explainer.explain_one(x, 1, min_probability=least)
        assert answer.status == "optimal"
        nearest = (np.abs(good - x) * explainer.distance_.weights).sum(axis=1).min()
        np.testing.assert_allclose(answer.distance, nearest, rtol=1e-8)


def test_probabilities_next_to_one_that_are_attained():
    """A probability next to one is rounded, and its log odds much more: no row is ruled out by its own probability."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3)).round(2)
    y = (X[:, 0] > 0.3).astype(int)
    member = GradientBoostingClassifier(
        n_estimators=20, max_depth=2, learning_rate=0.3, subsample=0.5, max_features=1, random_state=0
    )
    final = LogisticRegression(C=1e6, max_iter=10_000)
    model = StackingClassifier([("a", member)], final, cv=2, stack_method="decision_function").fit(X, y)
    for target in (0, 1):
        probability = model.predict_proba(X)[:, target]
        assert 1.0 - probability.max() < 1e-6
        for x, least in zip(X[:80], probability):
            region = response_region_of(model, Probability(target, float(least), np.inf))
            decision = region.decision
            assert decision.values(region.trees.scores(x[None]))[0] >= decision.least - decision.doubt
