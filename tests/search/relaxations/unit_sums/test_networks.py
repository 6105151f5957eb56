"""Networks against their own predict, and their answers against all patterns of activity and against SCIP."""

from __future__ import annotations

import itertools
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew
from bits import assert_same_bits
from elsewise.errors import UnsupportedSettingError
from elsewise.models import DecisionValue, Interval, Label, region_of, response_region_of
from fitted_models import assert_certified, random_data, reference_cell
from models.contract import blobs
from network_reference import distance_by_patterns, distance_by_scip, pattern_polyhedra
from search.relaxations.unit_sums.judging import assert_nothing_on_a_grid_is_nearer, assert_sums_agree


def fitted(network, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return network.fit(X, y)


def network(hidden, *, regressor=False, activation="relu", seed=0):
    make = MLPRegressor if regressor else MLPClassifier
    settings = {"max_iter": 400, "random_state": seed, "learning_rate_init": 0.02, "activation": activation}
    return make_pipeline(StandardScaler(), make(hidden_layer_sizes=hidden, **settings))


def assert_contract(model, outcome, Z):
    """The region says what predict says, next to the boundary, too."""
    inside, sums = assert_sums_agree(model, outcome, Z), region_of(model, outcome).sums
    margins = np.abs(sums.margins(inside)).min(axis=1)
    assert (margins <= 1e-9 * (1 + sums.sizes(inside).max(axis=1))).all()


@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic", "identity"])
@pytest.mark.parametrize(
    ("hidden", "labels"), [((6,), ["no", "yes"]), ((5,), [3, 1, 2]), ((5, 4), ["a", "b", "c"])], ids=str
)
def test_regions_of_classes_agree_with_predict(hidden, labels, activation):
    X, y, Z = blobs(len(labels), labels=labels)
    settings = {"max_iter": 100, "learning_rate_init": 0.05, "random_state": 0}
    model = fitted(MLPClassifier(hidden, activation=activation, **settings), X, y)
    for index in range(len(labels)):
        assert_contract(model, Label(index), Z)


def test_regions_of_ranges_and_least_probabilities_agree_with_the_model():
    X, y, Z = blobs(2)
    classifier = fitted(MLPClassifier((6,), max_iter=60, random_state=0), X, y)
    for outcome in (Label(1, 0.8), Label(0, 0.3)):
        assert_contract(classifier, outcome, Z)
    regressor = fitted(MLPRegressor(hidden_layer_sizes=(6,), max_iter=60, random_state=0), X, X[:, 0] - np.abs(X[:, 1]))
    middle = float(np.median(regressor.predict(Z)))
    for outcome in (Interval(middle, middle + 1.0), Interval(-np.inf, middle), Interval(middle, np.inf)):
        assert_contract(regressor, outcome, Z)
    assert len(region_of(regressor, Interval(2.0, 1.0)).parts()) == 0
    counts = MLPRegressor(loss="poisson", hidden_layer_sizes=(6,), max_iter=60, random_state=0)
    counts = fitted(counts, X, np.abs(X[:, 0]))
    middle = 1.1 * float(np.median(counts.predict(Z)))  # where all units are off, many are equal
    for outcome in (Interval(middle, 1.5 * middle), Interval(-1.0, middle)):
        assert_contract(counts, outcome, Z)


def test_what_is_not_supported_says_why():
    X, y, _ = blobs(3)
    several = fitted(MLPClassifier((4,), max_iter=20, random_state=0), X, y)
    with pytest.raises(UnsupportedSettingError, match="no decision_function"):
        response_region_of(several, DecisionValue(0.0))
    marks = fitted(MLPClassifier((4,), max_iter=20, random_state=0), X, np.column_stack([y == 0, y > 0]).astype(int))
    with pytest.raises(UnsupportedSettingError, match="multi-label"):
        region_of(marks, Label(0))
    two = fitted(MLPRegressor(hidden_layer_sizes=(4,), max_iter=20, random_state=0), X, X[:, :2])
    with pytest.raises(UnsupportedSettingError, match="2 outputs"):
        region_of(two, Interval(0.0, 1.0))


def others(explainer, X):
    """Another class for every row."""
    said = explainer.model.predict(X)
    return [next(label for label in explainer.classes_ if label != own) for own in said]


@pytest.mark.parametrize("density", [None, "auto"])
@pytest.mark.parametrize(("hidden", "n_classes"), [((5,), 2), ((5,), 3), ((3, 3), 2)], ids=str)
def test_answers_are_the_nearest_of_all_patterns(hidden, n_classes, density):
    X, y = random_data(n_classes, seed=3, n_features=3)
    model = fitted(network(hidden), X, y)
    settings = {"learn_rules": False} | ({} if density == "auto" else {"density": None})
    explainer = ew.Explainer(model, **settings).fit(X, y)
    rows = X[:4]
    answers = explainer.explain(rows, target=others(explainer, rows))
    assert set(answers.statuses) == {"optimal"}
    assert_certified(explainer, rows, answers)
    for x, target, distance, bound in zip(rows, answers.targets, answers.distances, answers.lower_bounds):
        best = distance_by_patterns(explainer, x, Label(explainer.classes_.tolist().index(target)))
        np.testing.assert_allclose(distance, best, rtol=2e-6)
        assert bound <= best * (1 + 1e-7)


def test_ranges_of_a_regressor_and_least_probabilities_are_reached_nearest():
    X, y = random_data(None, seed=1, n_features=3)
    model = fitted(network((5,), regressor=True), X, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(X, y)
    low, high = np.quantile(y, [0.6, 0.7])
    rows = X[model.predict(X) < low][:3]
    answers = explainer.explain(rows, target=(low, high))
    assert_certified(explainer, rows, answers)
    for x, distance in zip(rows, answers.distances):
        np.testing.assert_allclose(distance, distance_by_patterns(explainer, x, Interval(low, high)), rtol=2e-6)
    X, y = random_data(2, seed=1, n_features=3)
    model = fitted(network((5,)), X, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(X, y)
    rows = X[model.predict(X) == explainer.classes_[0]][:3]
    answers = explainer.explain(rows, target=explainer.classes_[1], min_probability=0.9)
    assert_certified(explainer, rows, answers, 0.9)
    for x, distance in zip(rows, answers.distances):
        np.testing.assert_allclose(distance, distance_by_patterns(explainer, x, Label(1, 0.9)), rtol=2e-6)


def test_a_row_has_the_same_answer_alone_and_in_a_batch():
    X, y = random_data(3, seed=3, n_features=4)
    explainer = ew.Explainer(fitted(network((10,)), X, y)).fit(X, y)
    targets = others(explainer, X[:4])
    together = explainer.explain(X[:4], target=targets)
    for place, target in enumerate(targets):
        assert_same_bits(together[place : place + 1], explainer.explain(X[place : place + 1], target=target))


def test_a_class_that_is_never_chosen_is_proven_to_be_out_of_reach():
    X, y = random_data(3, seed=3, n_features=4)
    model = fitted(network((10,)), X, y)
    model[-1].intercepts_[-1][2] -= 1000.0
    answers = ew.Explainer(model).fit(X, y).explain(X[:2], target=model.classes_[2])
    assert (answers.statuses == "infeasible").all()
    assert np.isinf(answers.lower_bounds).all()


@pytest.fixture(scope="module")
def counted():
    """A network of twelve units over five columns, three of them whole numbers."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    n = 240
    y = np.repeat(["no", "yes"], n // 2)
    X = pandas.DataFrame(
        {
            "a": rng.poisson(np.where(y == "yes", 8, 4)),
            "b": rng.poisson(np.where(y == "yes", 3, 6)),
            "c": rng.integers(0, 12, n),
            "d": rng.normal(np.where(y == "yes", 1.0, 0.0), 0.8),
            "e": rng.normal(0.0, 1.0, n),
        }
    )
    y = np.where(rng.uniform(size=n) < 0.1, y[::-1], y)
    model = fitted(network((12,), seed=1), X, y)
    return ew.Explainer(model).fit(X, y), X


RULES = {
    "none": ({}, lambda x: {}),
    "few changes": ({"max_changes": 2}, lambda x: {"max_changes": 2}),
    "limits": (
        {"bounds": {"d": (-3.0, 2.0)}, "immutable": ["a"]},
        lambda x: {
            "lower": np.array([x[0], -np.inf, -np.inf, -3.0, -np.inf]),
            "upper": np.array([x[0], np.inf, np.inf, 2.0, np.inf]),
        },
    ),
    "a linear rule": ({"linear": ["a + 2 * d <= 7"]}, lambda x: {"rule": (np.array([1.0, 0.0, 0.0, 2.0, 0.0]), 7.0)}),
}


@pytest.mark.parametrize("rules", RULES)
def test_whole_numbers_and_rules_against_scip(counted, rules):
    pytest.importorskip("pyscipopt")
    explainer, X = counted
    asked, limits = RULES[rules]
    rows = X[explainer.model.predict(X) == "no"][:3]
    bare = ew.Explainer(explainer.model, density=None).fit(X, explainer.model.predict(X))
    answers = bare.explain(rows, target="yes", constraints=ew.Constraints(**asked))
    assert (answers.statuses == "optimal").all()
    assert (explainer.model.predict(answers.counterfactuals) == "yes").all()
    integer = np.array([True, True, True, False, False])
    for place, (distance, bound) in enumerate(zip(answers.distances, answers.lower_bounds)):
        x = rows.iloc[place].to_numpy(dtype=float)
        value = distance_by_scip(OfArrays(bare), x, Label(1), reach=distance, integer=integer, **limits(x)).value
        np.testing.assert_allclose(distance, value, rtol=2e-6)
        assert bound <= value * (1 + 1e-6)


class OfArrays:
    """An explainer whose model takes arrays: names of columns are of no concern to a reference."""

    def __init__(self, explainer):
        self.explainer, self.densities_, self.distance_ = explainer, explainer.densities_, explainer.distance_
        self.classes_ = explainer.classes_
        scaler, last = explainer.model[0], explainer.model[-1]
        bare = StandardScaler()
        bare.mean_, bare.scale_, bare.var_, bare.n_features_in_ = scaler.mean_, scaler.scale_, scaler.var_, 5
        self.model = make_pipeline(bare, last)


def test_a_density_with_whole_numbers_and_two_answers(counted):
    explainer, X = counted
    rows = X[explainer.model.predict(X) == "no"][:3]
    answers = explainer.explain(rows, target="yes", n_counterfactuals=2, diversity="columns")
    assert (answers.statuses == "optimal").all()
    assert len(answers) == 6
    assert (explainer.model.predict(answers.counterfactuals) == "yes").all()
    points = answers.counterfactuals.reset_index(drop=True)
    for name in "abc":
        assert (points[name] == points[name].round()).all()
    density = explainer.densities_["yes"]
    assert (explainer.log_density(points, "yes") >= density.log_threshold_).all()
    changed = points.to_numpy() != np.repeat(rows.to_numpy(), 2, axis=0)
    for first in range(0, 6, 2):
        assert answers.distances[first] <= answers.distances[first + 1] * (1 + 1e-9)
        assert (changed[first] != changed[first + 1]).any()


def test_categories_behind_an_encoder_against_every_combination(loans):
    """With its levels fixed, a network is one of the numbers alone: all patterns of each combination are solved."""
    X, y = loans.frame, loans.label
    settings = {"max_iter": 200, "random_state": 0, "learning_rate_init": 0.02}
    model = fitted(make_pipeline(clone(loans.explainer.model[0]), MLPClassifier((5,), **settings)), X, y)
    prices = np.array([0.5, 4.0, 1.0, 1.0])
    explainer = ew.Explainer(model, density=None, distance=ew.Manhattan(prices)).fit(X.astype({"years": float}), y)
    rows = X.astype({"years": float})[model.predict(X) == "no"][:3]
    answers = explainer.explain(rows, target="yes", constraints=ew.Constraints(integer=[]))
    assert (answers.statuses == "optimal").all()
    assert (model.predict(answers.counterfactuals) == "yes").all()
    assert (answers.counterfactuals[["housing", "guarantor"]] != rows[["housing", "guarantor"]]).any(axis=None)
    for place, (distance, bound) in enumerate(zip(answers.distances, answers.lower_bounds)):
        row, best = rows.iloc[[place]], np.inf
        numbers = row[["years", "income"]].to_numpy(dtype=float)[0]
        for housing, guarantor in itertools.product(["own", "rent", "free"], [False, True]):
            moves = np.array([housing != row["housing"].iloc[0], guarantor != row["guarantor"].iloc[0]])
            price = prices[2:] @ moves
            at = [
                model[0].transform(row.assign(housing=housing, guarantor=guarantor, years=a, income=b))[0]
                for a, b in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
            ]
            matrix, offset = np.array([at[1] - at[0], at[2] - at[0]]).T, at[0]
            manhattan = SimpleNamespace(weights=prices[:2])
            for polyhedron in pattern_polyhedra(model[-1], Label(1)):
                best = min(best, price + reference_cell(manhattan, numbers, matrix, offset, polyhedron, None))
        np.testing.assert_allclose(distance, best, rtol=2e-6)
        assert bound <= best * (1 + 1e-7)


@pytest.mark.parametrize("hidden", [(5,), (4, 3)], ids=str)
@pytest.mark.parametrize("activation", ["tanh", "logistic", "identity"])
def test_answers_of_smooth_networks_against_everything_on_a_grid(activation, hidden):
    """No accepted and dense point of a fine grid is nearer than what is proven, nor nearer than what is found."""
    X, y = random_data(2, seed=5, n_features=2)
    model = fitted(network(hidden, activation=activation), X, y)
    explainer = ew.Explainer(model).fit(X, y)
    rows = X[model.predict(X) == "left"][:2]
    answers = explainer.explain(rows, target="right", time_limit=10)
    assert_certified(explainer, rows, answers)
    assert (answers.gaps <= 1e-3).all()
    assert_nothing_on_a_grid_is_nearer(explainer, X, rows, answers, lambda grid: model.predict(grid) == "right")
