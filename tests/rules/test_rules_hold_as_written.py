"""Linear rules hold on returned rows exactly as they were written: evaluated by Python, without any tolerance."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.rules import resolve
from elsewise.table import read_table


def question(seed):
    """A model, rows, and rules with decimals that cut through the data."""
    rng = np.random.default_rng(seed)
    unit = 10.0 ** rng.integers(-3, 4, size=4)
    X = pd.DataFrame(rng.normal(size=(150, 4)) * unit + rng.normal(size=4) * unit * 3, columns=list("abcd"))
    if seed % 3 == 0:
        X["b"] = np.round(rng.normal(size=len(X)) * 20).astype(int)
    score = X.to_numpy() / unit @ rng.normal(size=4) + rng.normal(size=len(X))
    y = (score > np.median(score)).astype(int)
    factors = [float(f"{factor:.3g}") for factor in rng.normal(size=4) / unit]
    bound = float(f"{factors @ X.mean() + rng.normal() * 0.3:.4g}")
    total = " + ".join(f"{factor!r} * {name}" for factor, name in zip(factors, X.columns))
    one = f"{float(f'{rng.normal() * 2:.2g}')!r} * c >= {float(f'{X.c.mean() * rng.normal():.3g}')!r}"
    rules = [[total + f" <= {bound!r}"], [one], [total + f" >= {bound!r}", one]][seed % 3]
    return X, y, rules


@pytest.mark.parametrize("seed", range(16))
def test_rules_hold_exactly_on_what_is_returned(seed):
    X, y, rules = question(seed)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    explainer = ew.Explainer(model, density=None, distance="scaled", learn_rules=False).fit(X, y)
    asked = X.iloc[:40]
    answers = explainer.explain(asked, 1 - model.predict(asked), constraints=ew.Constraints(linear=rules))
    found = answers.counterfactuals[answers.statuses != "infeasible"]
    assert len(found)
    for row in found.to_dict("records"):
        for rule in rules:
            assert eval(rule, {}, row), (rule, row)


def test_whole_numbers_may_meet_a_rule_with_equality():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 10, 200), "b": rng.integers(0, 10, 200)})
    y = (X.a + X.b > 9).astype(int)
    model = LogisticRegression(C=100).fit(X, y)
    explainer = ew.Explainer(model, density=None, distance="manhattan", learn_rules=False).fit(X, y)
    row = pd.DataFrame({"a": [2], "b": [3]})
    # the nearest rows of class 1 have a + b = 10: these rules leave them, with equality, and little else
    for rules in (
        ["a + b <= 10"],
        ["0.5 * a + 0.5 * b <= 5"],
        ["a / 10 <= 0.7", "7 <= a"],
        ["a + b <= 10", "3 * b >= 9"],
    ):
        answer = explainer.explain_one(row, 1, constraints=ew.Constraints(linear=rules))
        assert answer.status == "optimal", rules
        assert answer.distance == 5.0, rules


@pytest.mark.parametrize("seed", range(10))
def test_whole_numbers_under_decimal_rules_against_enumeration(seed):
    rng = np.random.default_rng(seed)
    values = {"a": range(8), "b": range(8), "c": (False, True), "d": range(-3, 4)}
    X = pd.DataFrame({name: rng.choice(list(pool), 150) for name, pool in values.items()})
    score = X.astype(float).to_numpy() @ rng.normal(size=4) + rng.normal(size=len(X))
    y = (score > np.median(score)).astype(int)
    models = [LogisticRegression(), DecisionTreeClassifier(max_depth=4, random_state=0)]
    model = models[seed % 2].fit(X, y)
    tenths = rng.integers(1, 9, size=6) / 10
    rules = [
        f"{tenths[0]} * a + {tenths[1]} * b <= {tenths[2] * 4:.1f}",
        f"a / {rng.integers(2, 9)} >= {tenths[3]} - {tenths[4]} * d - {tenths[5]} * c",
    ]
    bounds = {"a": (0, 7), "b": (0, 7), "d": (-3, 3)}
    everything = pd.DataFrame(list(product(*values.values())), columns=list(values))
    kept = [all(eval(rule, {}, row) for rule in rules) for row in everything.astype(float).to_dict("records")]
    explainer = ew.Explainer(model, density=None, distance="manhattan", learn_rules=False).fit(X, y)
    rows = X.iloc[:12]
    wanted = 1 - model.predict(rows)
    answers = explainer.explain(rows, wanted, constraints=ew.Constraints(linear=rules, bounds=bounds))
    points, predictions = everything.to_numpy(dtype=float), model.predict(everything)
    for row, target, status, distance in zip(rows.to_numpy(dtype=float), wanted, answers.statuses, answers.distances):
        apart = np.abs(points - row).sum(axis=1)[kept & (predictions == target)]
        assert status == ("optimal" if len(apart) else "infeasible")
        assert len(apart) == 0 or distance == apart.min()


def test_a_number_that_stays_may_lie_on_the_boundary():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rules = ew.Constraints(linear=["x1 <= -0.3"], immutable=["x1"])
    answer = explainer.explain_one(np.array([-1.0, -0.3]), 1, constraints=rules)
    assert answer.status == "optimal"
    assert answer.counterfactual[1] == -0.3


def test_a_rule_is_judged_as_written_and_columns_that_cancel_leave_no_rounding():
    X = pd.DataFrame({"a": [0.1, 0.2, 0.7], "b": [0.2, 0.1, 0.1], "c": ["u", "v", "u"]})
    table = read_table(X)
    E = table.encode(X)
    as_sum = resolve(ew.Constraints(linear=["a + b <= 0.3"]), table)
    assert as_sum.keeps_linear(E).tolist() == [False, False, False]  # 0.1 + 0.2 is 0.30000000000000004
    moved = resolve(ew.Constraints(linear=["a <= 0.3 - b"]), table)
    assert moved.keeps_linear(E).tolist() == [bool(a <= 0.3 - b) for a, b in zip(X.a, X.b)]
    cancels = resolve(ew.Constraints(linear=["0.1 * a + 0.2 * a - 0.3 * a + b <= 0.2"]), table)
    assert cancels.keeps_linear(E).tolist() == [True, True, True]
    triple = resolve(ew.Constraints(linear=[({"a": 1, "b": 1}, "<=", 0.3)]), table)
    assert triple.keeps_linear(E).tolist() == [False, False, False]
