"""Certificates of sums of units, checked by the separate program, and the functions it bounds them by."""

from __future__ import annotations

import copy
import json
import re
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew
import elsewise_check
from proofs.tables import RULES, mixed, numbers, of_table
from proofs.test_polyhedra import check_all

# networks of tests need not be trained to the end
pytestmark = pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
ONE = 1 << elsewise_check.FINE
VALUES = {
    "relu": lambda t: np.maximum(t, 0.0),
    "identity": lambda t: t,
    "square": lambda t: t * t,
    "tanh": np.tanh,
    "logistic": lambda t: 1 / (1 + np.exp(-t)),
}


def network(sizes, activation):
    return make_pipeline(StandardScaler(), MLPClassifier(sizes, activation=activation, max_iter=200, random_state=0))


MODELS = {
    "relu": network((8,), "relu"),
    "tanh": network((6,), "tanh"),
    "logistic": network((6,), "logistic"),
    "two layers": network((5, 5), "relu"),
    "naive Bayes": GaussianNB(),
    "quadratic": QuadraticDiscriminantAnalysis(),
}


def answers_of(name, density, n_rows=3, **options):
    X, y = numbers(0)
    model = MODELS[name].fit(X, y)
    explainer = ew.Explainer(model, density=density).fit(X, y)
    return explainer.explain(X[model.predict(X) != 1][:n_rows], 1, certificate=True, **options)


@pytest.mark.parametrize("density", [None, "auto"])
@pytest.mark.parametrize("name", MODELS)
def test_numbers(name, density):
    answers = answers_of(name, density, n_rows=1 if "layers" in name else 3)
    assert "optimal" in answers.statuses
    check_all(answers)


@pytest.mark.parametrize("name", ["relu", "naive Bayes"])
def test_least_probabilities(name):
    check_all(answers_of(name, None, min_probability=0.6))


@pytest.mark.parametrize("density", [None, "auto"])
def test_least_probabilities_of_a_softmax(density):
    X, y = numbers(1)
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=density).fit(X, y)
    check_all(explainer.explain(X[model.predict(X) != 1][:4], 1, min_probability=0.7, certificate=True))


def test_ranges_of_a_regressor():
    X, y = numbers(2)
    model = MLPRegressor(hidden_layer_sizes=(6,), max_iter=100, random_state=0).fit(X, y + X[:, 0])
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows = X[model.predict(X) < 0.5][:3]
    check_all(explainer.explain(rows, (1.0, 1.5), certificate=True))


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_tables_with_rules(rules, activation):
    X, y = mixed(0)
    estimator = MLPClassifier((6,), activation=activation, max_iter=300, random_state=0)
    model = of_table(estimator).fit(X, y)
    explainer = ew.Explainer(model, density=None, distance=ew.Scaled(per_change=0.2)).fit(X, y)
    check_all(explainer.explain(X[model.predict(X) == 0][:2], 1, constraints=RULES[rules], certificate=True))


# ---- lies ----


def margin(region, x):
    """The least slack of the half-spaces at a point, by what the header says, in doubles."""
    z = [sum(v * x[j] for j, v in row) + o for row, o in zip(region["map"]["rows"], region["map"]["offset"])]
    a = np.array(z)
    for layer in region["layers"]:
        t = np.array(layer["weights"]) @ a + layer["offsets"]
        a = np.array([VALUES[name](value) for name, value in zip(layer["functions"], t)])
    return np.array(region["offsets"]) - np.array(region["normals"]) @ z - np.array(region["units"]) @ a


def lies(lines):
    """Yield certificates whose claim is false, or whose nodes do not cover everything."""
    header, nodes = json.loads(lines[0]), [json.loads(line) for line in lines[1:]]
    row, point = np.array(header["row"]), np.array(header["point"])
    nearer = row + 0.97 * (point - row)

    def changed(header=header, nodes=nodes):
        return copy.deepcopy(header), copy.deepcopy(nodes)

    region = header["goals"][0]["region"]
    missing = -np.minimum(margin(region, nearer), 0.0)
    assert missing.max() > 0
    head, body = changed()  # a model that accepts a nearer point
    head["goals"][0]["region"]["offsets"] = (np.array(region["offsets"]) + missing * (1 + 1e-6)).tolist()
    yield "another model", head, body
    head, body = changed()
    head["point"] = nearer.tolist()
    head["claim"]["distance"] = float(np.abs(nearer - row) @ header["prices"])
    yield "a point that is not accepted", head, body
    head, body = changed()
    head["claim"]["lower_bound"] = header["claim"]["distance"] * (1 + 1e-7)
    yield "bound raised", head, body
    of_units = [k for k, node in enumerate(nodes) if "unit" in node.get("split", {})]
    for k in of_units:
        head, body = changed()
        body[k]["split"]["intervals"][-1][0] += 1e-6
        yield "a gap between intervals", head, body
        head, body = changed()
        body[k]["split"]["intervals"].pop()
        yield "an interval left out", head, body
    for k in [k for k, node in enumerate(nodes) if node.get("close")]:
        head, body = changed()
        for pair in body[k]["close"].get("parts", []) or [[0, 0]]:
            pair[1] = -pair[1] - 1.0
        if body[k]["close"].get("parts"):
            yield "a negative multiplier", head, body
        head, body = changed()
        del body[k]
        yield "a node left out", head, body


@pytest.mark.parametrize("name", ["relu", "tanh", "two layers", "naive Bayes", "quadratic"])
def test_lies_are_refused(name):
    n_lies = 0
    for one in answers_of(name, None, n_rows=2):
        elsewise_check.check_lines(one.proof.lines)
        for lie, header, nodes in lies(one.proof.lines):
            faulty, reason = [json.dumps(value) for value in (header, *nodes)], ""
            try:
                elsewise_check.check_lines(faulty)
            except elsewise_check.RefusedError as refused:
                reason = str(refused)
            assert re.match(r"line \d+: .{5}", reason), lie
            n_lies += 1
    assert n_lies > 10


# ---- the checker's functions ----


@pytest.mark.parametrize("x", [0, 1e-30, 0.3, 1, 2.5, 17.25, 80, 700.5, 1e4])
def test_exponentials_are_bounded(x):
    low, high = elsewise_check.exp_between(Fraction(x))
    with localcontext() as context:
        context.prec = 120
        exact = (-Decimal(x)).exp()
        assert Decimal(low) / Decimal(ONE) <= exact <= Decimal(high) / Decimal(ONE)
        assert Decimal(high - low) / Decimal(ONE) < Decimal("1e-30")


@pytest.mark.parametrize("x", [1, 1 + 1e-12, 2, 100.5, 1e20])
def test_logarithms_are_bounded(x):
    found = elsewise_check.log_below(Fraction(x))
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(x).ln()
        assert Decimal(found.numerator) / Decimal(found.denominator) <= exact
        assert float(found) == pytest.approx(float(exact), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", VALUES)
def test_least_values_of_units(name):
    """Below all values on a grid, and as near to them as the grid is fine."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        w, m = rng.normal(size=2) * 10.0 ** rng.integers(-2, 2)
        low, high = np.sort(rng.normal(size=2) * 10.0 ** rng.integers(-2, 2))
        t = np.linspace(low, high, 4001)
        values = w * VALUES[name](t) - m * t
        found = float(elsewise_check.least_of_unit(name, *map(Fraction, (w, m, low, high))))
        size = 1 + np.abs(values).max()
        assert found <= values.min() + 1e-12 * size
        assert found >= values.min() - (high - low) / 4000 * (abs(w) * (1 + 2 * max(abs(low), abs(high))) + abs(m))


@pytest.mark.parametrize("name", VALUES)
def test_values_of_units_between(name):
    rng = np.random.default_rng(1)
    for low, high in np.sort(rng.normal(size=(100, 2)) * 4, axis=1):
        ends = elsewise_check.value_between(name, *elsewise_check.outward(low, high))
        values = VALUES[name](np.linspace(low, high, 1001))
        assert ends[0] / ONE <= values.min() + 1e-12
        assert ends[1] / ONE >= values.max() - 1e-12
        assert ends[1] / ONE - ends[0] / ONE <= np.ptp(values) + 1e-3 * (1 + max(abs(low), abs(high))) ** 2
