"""Derived columns stay in the range of the training rows: answers against enumeration of a made-up table."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import elsewise as ew

SOURCES = ["list", "sale", "visits"]
EVERYTHING = np.array(list(itertools.product(range(10, 21), range(7, 21), range(5))))


def table():
    """Prices: nothing is sold above its list price, nor more than 7 below."""
    X = pd.DataFrame(np.random.default_rng(0).permutation(EVERYTHING), columns=SOURCES)
    X["discount"] = X.list - X.sale
    X = X[X.discount.between(0, 7)].reset_index(drop=True)
    return X, (X.sale - 0.4 * X.list + 0.3 * X.visits > 7).astype(int).to_numpy()


MODELS = {
    "linear": LogisticRegression(),
    "forest": RandomForestClassifier(6, max_depth=4, random_state=0),
}


@pytest.fixture(params=MODELS)
def fitted(request):
    X, y = table()
    model = MODELS[request.param].fit(X, y)
    explainer = ew.Explainer(model, density=None, rules=None).fit(X, y)
    assert explainer.derived_ == {"discount": "list - sale"}
    return X, model, explainer


def nearest(model, explainer, row, low, high):
    """Distance of the nearest row of all that the model takes, with a discount between two ends."""
    X = pd.DataFrame(EVERYTHING, columns=SOURCES)
    X["discount"] = X.list - X.sale
    taken = (model.predict(X) == 1) & X.discount.between(low, high)
    moves = np.abs(X[SOURCES].to_numpy(float) - row[SOURCES].to_numpy(float))
    return (moves @ explainer.distance_.weights)[taken].min()


def test_nearest_answer_within_the_range(fitted):
    X, model, explainer = fitted
    rows = X[model.predict(X) == 0].iloc[::9]
    answers = explainer.explain(rows, target=1)
    is_tight = False
    for place in range(len(rows)):
        best, answer = nearest(model, explainer, rows.iloc[place], 0, 7), answers[place]
        assert answer.status == "optimal"
        assert answer.distance == pytest.approx(best)
        assert 0 <= answer.counterfactual["discount"] <= 7
        is_tight |= best > nearest(model, explainer, rows.iloc[place], -np.inf, np.inf)
    assert is_tight  # without the range, some answer would be nearer


def test_a_row_outside_is_no_contradiction(fitted):
    _, model, explainer = fitted
    row = pd.DataFrame({"list": [20], "sale": [10], "visits": [0], "discount": [10]})
    assert model.predict(row)[0] == 0
    keeps = ew.Constraints(immutable=["list"])
    answer = explainer.explain(row, target=1, constraints=keeps)[0]
    assert answer.status == "optimal"
    assert 0 <= answer.counterfactual["discount"] <= 10


def test_any_range_switches_it_off(fitted):
    X, model, explainer = fitted
    rows = X[model.predict(X) == 0].iloc[::9]
    answers = explainer.explain(rows, target=1, constraints=ew.Constraints(range=SOURCES))
    for place in range(len(rows)):
        best = nearest(model, explainer, rows.iloc[place], -np.inf, np.inf)
        assert answers[place].distance == pytest.approx(best)
