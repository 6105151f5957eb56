"""Means of probabilities of logistic models: calibrated folds, soft votes, bags."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import elsewise as ew
from elsewise.errors import UnsupportedModelError
from elsewise.models import Label, region_of
from fitted_models import assert_certified, random_data
from models.contract import blobs
from search.relaxations.unit_sums.judging import assert_nothing_on_a_grid_is_nearer, assert_sums_agree

MODELS = {
    "calibrated folds": CalibratedClassifierCV(LinearSVC(random_state=0), cv=3),
    "calibrated logistic folds": CalibratedClassifierCV(LogisticRegression(), cv=4, method="sigmoid"),
    "two isotonic folds": CalibratedClassifierCV(LogisticRegression(), cv=2, method="isotonic"),
    "isotonic folds": CalibratedClassifierCV(LinearSVC(random_state=0), cv=5, method="isotonic"),
    "soft vote": VotingClassifier(
        [
            ("a", LogisticRegression(C=0.01)),
            ("b", LinearDiscriminantAnalysis()),
            ("c", SGDClassifier(loss="log_loss", random_state=0)),
        ],
        voting="soft",
        weights=[1, 2, 0.5],
    ),
    "bag": BaggingClassifier(
        LogisticRegression(C=5.0), n_estimators=5, max_samples=0.2, max_features=2, random_state=0
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_regions_agree_with_predict_and_probabilities(name):
    X, y, Z = blobs(2, labels=["no", "yes"], n_features=3, seed=1)
    model = MODELS[name].fit(X, y)
    for outcome in (Label(0), Label(1), Label(1, 0.8), Label(0, 0.35)):
        assert_sums_agree(model, outcome, Z)


@pytest.mark.parametrize("name", MODELS)
def test_answers_against_everything_on_a_grid(name):
    X, y = random_data(2, seed=5, n_features=2)
    model = make_pipeline(StandardScaler(), MODELS[name]).fit(X, y)
    explainer = ew.Explainer(model).fit(X, y)
    rows = X[model.predict(X) == "left"][:2]
    for least in (None, 0.7):
        answers = explainer.explain(rows, target="right", min_probability=least)
        assert_certified(explainer, rows, answers, least)
        assert (answers.gaps <= 1e-5).all()

        def accepts(grid, least=least):
            return model.predict(grid) == "right" if least is None else model.predict_proba(grid)[:, 1] >= least

        assert_nothing_on_a_grid_is_nearer(explainer, X, rows, answers, accepts, side=300)


def test_ties_of_isotonic_folds_are_decided_as_the_model_does():
    # two folds that are sure of opposite classes: a mean of one half, all over a plateau, is the first class
    X, y, _ = blobs(2, n_features=2, seed=3)
    X = X + 4.0 * np.sign(X)
    model = CalibratedClassifierCV(LogisticRegression(C=0.05), cv=2, method="isotonic").fit(X, y)
    sides = [np.linspace(a - 1, b + 1, 250) for a, b in zip(X.min(axis=0), X.max(axis=0))]
    grid = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    tied = model.predict_proba(grid)[:, 1] == 0.5
    assert tied.sum() > 50, "no plateau: the check would say nothing"
    said = model.predict(grid)
    for index in range(2):
        region = region_of(model, Label(index))
        np.testing.assert_array_equal(region.accepts(grid), said == index)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(X, y)
    for index, rows in ((1, X[y == 0][:5]), (0, X[y == 1][:5])):
        answers = explainer.explain(rows, target=index)
        assert (answers.statuses == "optimal").all()
        good = grid[said == index]
        for x, distance, bound in zip(rows, answers.distances, answers.lower_bounds):
            nearest = explainer.distance_(good, np.repeat(x[None], len(good), axis=0)).min()
            assert distance <= nearest * (1 + 1e-9)
            assert bound <= nearest * (1 + 1e-9)


def test_other_means_are_refused():
    X, y, _ = blobs(3, n_features=3)
    several = BaggingClassifier(LogisticRegression(), n_estimators=3, random_state=0).fit(X, y)
    with pytest.raises(UnsupportedModelError, match="logistic models of two classes"):
        region_of(several, Label(0))
