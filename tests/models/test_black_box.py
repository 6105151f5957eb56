"""The region of a model that is only asked: its membership is the model's own answer, on and around the boundary."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

import elsewise as ew
from elsewise.models import BlackBoxRegion, Interval, Label
from models.contract import blobs, boundary_pairs, wanted_mask


def region_of_explainer(model, X, y, outcome):
    explainer = ew.Explainer(model, density=None).fit(X, y)
    region = explainer.fitted_.region(outcome)
    assert isinstance(region, BlackBoxRegion)
    assert region.exactness == "black box"
    return region


@pytest.mark.parametrize("outcome", [Label(0), Label(2)], ids=str)
def test_membership_is_what_the_model_says(outcome):
    X, y, _ = blobs(3)
    model = SVC().fit(X, y)
    region = region_of_explainer(model, X, y, outcome)
    rng = np.random.default_rng(0)
    points = rng.normal(size=(200, X.shape[1])) * X.std(axis=0) + X.mean(axis=0)
    inside, outside = boundary_pairs(model, outcome, points)
    for rows in (points, inside, outside, X):
        assert (region.accepts(rows) == wanted_mask(model, outcome, rows)).all()
    assert region.accepts(region.anchors).all()
    assert len(region.anchors) == (model.predict(np.unique(X, axis=0)) == model.classes_[outcome.index]).sum()
    assert len(region.accepts(points[:0])) == 0


def test_scores_have_the_sign_of_the_answer():
    X, y, _ = blobs(3)
    model = LogisticRegression().fit(X, y)
    asked = ew.BlackBox(model.predict, model.classes_, model.predict_proba)
    for outcome in (Label(1), Label(1, 0.3)):
        region = region_of_explainer(asked, X, y, outcome)
        assert ((region.scores(X) >= 0) == wanted_mask(model, outcome, X)).all()
    assert region_of_explainer(ew.BlackBox(model.predict, model.classes_), X, y, Label(1)).scores(X) is None
    numbers = GaussianProcessRegressor(alpha=0.1).fit(X, X[:, 0])
    middle = Interval(*np.quantile(X[:, 0], [0.4, 0.6]))
    region = region_of_explainer(numbers, X, None, middle)
    assert ((region.scores(X) >= 0) == wanted_mask(numbers, middle, X)).all()
    assert (region.accepts(X) == wanted_mask(numbers, middle, X)).all()


def test_nothing_is_claimed_of_its_shape():
    X, y, _ = blobs(3)
    region = region_of_explainer(SVC().fit(X, y), X, y, Label(0))
    (part,) = region.parts()
    said = region.halfspaces(part, X[0], None)
    assert said.normals.shape == (0, X.shape[1])
    assert len(said.offsets) == 0
    assert list(region.divide(part, X[0], None)) == []
