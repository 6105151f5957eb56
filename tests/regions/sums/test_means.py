"""Means of probabilities of logistic models: calibrated folds, soft votes, bags."""

from __future__ import annotations

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
from elsewise.regions import Label, region_of
from models import assert_certified, random_data
from regions.contract import blobs
from regions.sums.judging import assert_nothing_on_a_grid_is_nearer, assert_sums_agree

MODELS = {
    "calibrated folds": CalibratedClassifierCV(LinearSVC(random_state=0), cv=3),
    "calibrated logistic folds": CalibratedClassifierCV(LogisticRegression(), cv=4, method="sigmoid"),
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


def test_other_means_are_refused():
    X, y, _ = blobs(2, n_features=3)
    isotonic = CalibratedClassifierCV(LinearSVC(random_state=0), cv=3, method="isotonic").fit(X, y)
    with pytest.raises(UnsupportedModelError, match="only for linear models of two classes and sigmoids"):
        region_of(isotonic, Label(0))
    X, y, _ = blobs(3, n_features=3)
    several = BaggingClassifier(LogisticRegression(), n_estimators=3, random_state=0).fit(X, y)
    with pytest.raises(UnsupportedModelError, match="logistic models of two classes"):
        region_of(several, Label(0))
