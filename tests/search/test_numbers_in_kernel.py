"""Plain numbers under rules in the kernel's search: against linear programs and the general search."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
import elsewise.search.tree_search as tree_search

MODELS = {
    "linear": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": lambda: make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=4, random_state=0)),
}


def numbers(seed, n_columns=4, n=160):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_columns)) @ rng.normal(size=(n_columns, n_columns)) * rng.choice([0.1, 1, 10], n_columns)
    y = (X / X.std(axis=0) @ rng.normal(size=n_columns) + rng.normal(0, 0.5, n) > 0).astype(int)
    return pd.DataFrame(X, columns=list("abcdef")[:n_columns]), y


def nearest_by_patterns(row, prices, least, normal, offset, most):
    """Distance of the nearest x with normal x >= offset: every column stays, or goes up or down far enough."""
    best = np.inf
    for pattern in product((0, 1, -1), repeat=len(row)):
        signs = np.array(pattern)
        if np.abs(signs).sum() > most:
            continue
        limits = [(least[i], None) if signs[i] else (0.0, 0.0) for i in range(len(row))]
        solved = linprog(prices, A_ub=-(normal * signs)[None], b_ub=[normal @ row - offset], bounds=limits)
        best = min(best, solved.fun if solved.status == 0 else np.inf)
    return best


@pytest.mark.parametrize("most", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_optima_are_those_of_all_patterns(seed, most, kernel_runs):
    X, y = numbers(seed)
    model = MODELS["linear"]().fit(X, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False, distance="scaled").fit(X, y)
    rows, least = X[model.predict(X) == 0].iloc[:5], (0.8 * X.std()).to_dict()
    answers = explainer.explain(rows, 1, constraints=ew.Constraints(min_change=least, max_changes=most))
    assert sum(kernel_runs) >= len(rows)
    scaler, last = model[0], model[-1]
    normal = last.coef_[0] / scaler.scale_
    offset = -last.intercept_[0] + normal @ scaler.mean_
    for k in range(len(rows)):
        expected = nearest_by_patterns(
            rows.iloc[k].to_numpy(), explainer.fitted_.distance.weights, np.array(list(least.values())), normal, offset,
            most,
        )  # fmt: skip
        assert answers.statuses[k] == "optimal"
        assert answers.distances[k] == pytest.approx(expected, rel=1e-6)
        assert answers.lower_bounds[k] <= expected * (1 + 1e-9)


RULES = [
    {"min_change": {"a": 1.0, "b": 0.2}},
    {"max_changes": 2, "monotone": {"b": "decrease"}},
    {"implies": {"a >= 0": "b >= 0"}, "min_change": {"c": 0.5}},
    {"linear": ["a + b <= 3"], "min_change": {"a": 0.5, "d": 1.0}},
]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: " ".join(rules))
@pytest.mark.parametrize("kind", MODELS)
def test_optima_are_those_of_the_general_search(kind, rules, kernel_runs, monkeypatch):
    X, y = numbers(7)
    model = MODELS[kind]().fit(X, y)
    explainer = ew.Explainer(model, threshold=0.3).fit(X, y)
    rows, asked = X[model.predict(X) == 0].iloc[:10], {"constraints": ew.Constraints(**rules), "errors": "row"}
    fast = explainer.explain(rows, 1, **asked)
    assert sum(kernel_runs)
    monkeypatch.setattr(tree_search, "is_for_kernel", lambda *_: False)
    slow = explainer.explain(rows, 1, **asked)
    assert (fast.statuses == slow.statuses).all()
    assert "optimal" in fast.statuses
    np.testing.assert_allclose(fast.distances, slow.distances, rtol=1e-8)


@pytest.mark.parametrize("seed", [7, 19, 34])
def test_a_leaf_whose_limits_leave_no_room_for_a_least_move_is_solved_again(seed):
    """A relaxed point may move too little for the limits of its leaf: its bound is not yet that of the leaf."""
    X, y = numbers(seed, 3)
    model = MODELS["tree"]().fit(X, y)
    explainer = ew.Explainer(model, threshold=0.3, learn_rules=False, condition_on_fixed=False).fit(X, y)
    rows = X[model.predict(X) == 0].iloc[:15]
    answers = explainer.explain(rows, 1, constraints=ew.Constraints(min_change=(0.6 * X.std()).to_dict()))
    assert set(answers.statuses) <= {"optimal", "infeasible"}
