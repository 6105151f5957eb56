"""Least probabilities among several classes: the model's own predict_proba, and everything on a grid."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PowerTransformer

import elsewise as ew
from elsewise.errors import InvalidInputError, UnsupportedSettingError
from elsewise.models import Label, Probability, region_of, response_region_of
from elsewise.models.unit_sums import SumRegion
from elsewise.search.relaxations.unit_sums.functions import entropy, shares_of, soft_minimum
from elsewise.search.relaxations.unit_sums.units import Intervals, above_margins
from fitted_models import assert_certified
from models.contract import blobs, wanted_mask
from search.relaxations.unit_sums.judging import assert_sums_agree

SETTINGS = {"max_iter": 60, "random_state": 0, "learning_rate_init": 0.05}
MODELS = {
    "relu": MLPClassifier((6,), **SETTINGS),
    "two layers": MLPClassifier((4, 4), **SETTINGS),
    "tanh": MLPClassifier((4,), activation="tanh", **SETTINGS),
    "naive Bayes": GaussianNB(),
    "quadratic": QuadraticDiscriminantAnalysis(reg_param=0.2),
}
BEHIND_CURVES = {
    "powers": make_pipeline(PowerTransformer(), LogisticRegression()),
    "roots": make_pipeline(FunctionTransformer(np.arcsinh), LogisticRegression()),
}


def fitted(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clone(model).fit(X, y)


@pytest.mark.parametrize("p", [0.2, 0.6, 0.95])
@pytest.mark.parametrize("name", MODELS)
def test_regions_agree_with_predict_proba(name, p):
    X, y, Z = blobs(4, n_features=3)
    model = fitted(MODELS[name], X, y)
    for index in range(4):
        outcome = Label(index, min_probability=p)
        if wanted_mask(model, outcome, Z).any():
            assert_sums_agree(model, outcome, Z)


def test_shares_bound_the_soft_minimum_and_meet_it():
    rng = np.random.default_rng(0)
    for margins in rng.normal(scale=[[0.1], [3.0], [400.0]], size=(40, 3, 5)).reshape(-1, 5):
        exact = float(soft_minimum(margins)[0])
        own = shares_of(margins)
        np.testing.assert_allclose(own @ margins - entropy(own), exact, rtol=1e-12, atol=1e-12)
        for shares in rng.dirichlet(np.ones(5), size=20):
            assert shares @ margins - entropy(shares) >= exact - 1e-12 * np.abs(margins).max()


@pytest.mark.parametrize("name", MODELS)
def test_cuts_hold_for_every_accepted_point_of_a_piece(name):
    X, y, Z = blobs(3, n_features=3)
    region = region_of(fitted(MODELS[name], X, y), Label(1, min_probability=0.7))
    assert isinstance(region, SumRegion)
    sums, cut_off = region.sums, 0
    rng = np.random.default_rng(1)
    for near in Z[:30]:
        box = near + rng.uniform(-1.5, 1.5, size=(400, 3))
        forms = [np.array(layer) for layer in zip(*(sums.forms(point) for point in box))]
        intervals = Intervals(tuple(t.min(axis=0) for t in forms), tuple(t.max(axis=0) for t in forms))
        normals, offsets = above_margins(sums, intervals, sums.forms(near), near)
        values = box @ normals.T + offsets
        accepted = region.accepts(box)
        assert (values[accepted] >= -1e-9).all()
        cut_off += int((values < 0).any(axis=1).sum())
    assert cut_off > 0


@pytest.mark.parametrize("p", [0.35, 0.9])
@pytest.mark.parametrize("name", [*MODELS, *BEHIND_CURVES])
def test_nothing_on_a_grid_is_nearer(name, p):
    X, y, _ = blobs(3, n_features=2, seed=4)
    model = fitted({**MODELS, **BEHIND_CURVES}[name], X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    sides = [np.linspace(a - 2, b + 2, 300) for a, b in zip(X.min(axis=0), X.max(axis=0))]
    grid = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    probabilities, said, n_found = model.predict_proba(grid), model.predict(X[:4]), 0
    for x, own in zip(X[:4], said):
        index = (int(own) + 1) % 3
        answers = explainer.explain(x[None], target=index, min_probability=p, time_limit=5)
        good = grid[probabilities[:, index] >= p]
        assert_certified(explainer, x[None], answers, min_probability=p)
        if len(good) == 0:
            continue
        nearest = float(explainer.distance_(good, np.repeat(x[None], len(good), axis=0)).min())
        assert answers[0].status == "optimal"
        assert answers[0].distance <= nearest * (1 + 1e-9)
        assert answers[0].lower_bound <= nearest * (1 + 1e-9)
        n_found += 1
    assert n_found > 0


def test_with_a_density_answers_are_certified():
    X, y, _ = blobs(3, n_features=3, seed=2)
    for model in (MODELS["relu"], MODELS["naive Bayes"]):
        model = fitted(model, X, y)
        explainer = ew.Explainer(model).fit(X, y)
        answers = explainer.explain(X[:6], target=1, min_probability=0.8)
        assert set(answers.statuses) <= {"optimal", "infeasible"}
        assert_certified(explainer, X[:6], answers, min_probability=0.8)
        found = [answer for answer in answers if answer.found]
        assert found
        for answer in found:
            assert model.predict_proba(answer.counterfactual[None])[0, 1] >= 0.8


def test_a_probability_of_one_is_refused():
    X, y, _ = blobs(3, n_features=2)
    with pytest.raises(InvalidInputError, match="a softmax never reaches 1"):
        region_of(fitted(MODELS["naive Bayes"], X, y), Label(0, min_probability=1.0))


@pytest.mark.parametrize("name", ["relu", "quadratic"])
def test_a_largest_probability_of_several_classes_is_refused(name):
    X, y, _ = blobs(3, n_features=2)
    with pytest.raises(UnsupportedSettingError, match="at most a probability"):
        response_region_of(fitted(MODELS[name], X, y), Probability(0, high=0.4))


def test_answers_stay_within_what_a_logarithm_takes():
    # the way back from a limit to the row must not round to the other side of it
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.4, 1.5, size=(80, 1)) + np.array([0.52])
    y = (X[:, 0] > 0.8).astype(int)
    model = make_pipeline(FunctionTransformer(np.log1p), LogisticRegression(C=0.02)).fit(X, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(X, y)
    answers = explainer.explain(X[y == 1][:20], target=0)
    assert answers.found.all()
    assert (model.predict(answers.counterfactuals) == 0).all()
