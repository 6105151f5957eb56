"""The search over whole numbers in the kernel, against enumeration and against the general search."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
import elsewise.search.tree_search as tree_search
from listed_table import mixed_table

MODELS = {
    "linear": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": lambda: DecisionTreeClassifier(max_depth=4, min_samples_leaf=8, random_state=0),
}


def table(seed, n_columns, n_rows=400, span=6):
    """Rows of whole numbers in two overlapping classes, in very different units."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(2, n_columns)) * span / 2
    y = rng.integers(0, 2, n_rows)
    mixing = np.eye(n_columns) + 0.4 * rng.normal(size=(n_columns, n_columns))
    X = centres[y] + rng.normal(size=(n_rows, n_columns)) @ mixing * span / 3
    X *= rng.choice([0.5, 1.0, 3.0], n_columns)
    return pd.DataFrame(np.round(X).astype(int), columns=[f"c{i}" for i in range(n_columns)]), y


@cache
def fitted(kind, seed, n_columns):
    X, y = table(seed, n_columns)
    model = MODELS[kind]().fit(X, y)
    return ew.Explainer(model, learn_rules=False, condition_on_fixed=False).fit(X, y), X[model.predict(X) == 0]


def explained(kind, seed, n_columns, rules=None, *, n_rows=12, **options):
    explainer, rows = fitted(kind, seed, n_columns)
    for name, (low, high) in (rules or {}).get("bounds", {}).items():
        rows = rows[rows[name].between(low, high)]
    rows = rows.iloc[:n_rows]
    constraints = ew.Constraints(**(rules or {}))
    return explainer, rows, explainer.explain(rows, target=1, constraints=constraints, **options), constraints


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("seed", range(3))
def test_optima_are_those_of_the_general_search(kind, seed, kernel_runs, monkeypatch):
    explainer, rows, fast, constraints = explained(kind, seed, 6)
    assert sum(kernel_runs) >= len(rows)
    monkeypatch.setattr(tree_search, "is_for_kernel", lambda *_: False)
    slow = explainer.explain(rows, target=1, constraints=constraints)
    assert (fast.statuses == slow.statuses).all()
    np.testing.assert_allclose(fast.distances, slow.distances, rtol=1e-8)
    assert set(fast.statuses) <= {"optimal", "infeasible"}
    assert "optimal" in fast.statuses


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("rules", [{}, {"max_changes": 3, "linear": [({"age": 1.0, "years": -2.0}, "<=", 40.0)]}])
def test_mixed_tables_have_the_optima_of_the_general_search(kind, rules, kernel_runs, monkeypatch):
    """With found rules and least moves, as a data frame has them by default."""
    frame, y = mixed_table()
    numbers = ["income", "debt", "years", "age"]
    steps = ColumnTransformer([("n", StandardScaler(), numbers), ("c", OneHotEncoder(), ["housing", "job"])])
    model = make_pipeline(steps, MODELS[kind]()).fit(frame, y)
    explainer = ew.Explainer(model).fit(frame, y)
    rows, constraints = frame[model.predict(frame) == "bad"].iloc[:10], ew.Constraints(**rules)
    fast = explainer.explain(rows, target="good", constraints=constraints)
    assert sum(kernel_runs) >= len(rows)
    monkeypatch.setattr(tree_search, "is_for_kernel", lambda *_: False)
    slow = explainer.explain(rows, target="good", constraints=constraints)
    assert (fast.statuses == slow.statuses).all()
    np.testing.assert_allclose(fast.distances, slow.distances, rtol=1e-8)
    assert "optimal" in fast.statuses


def enumerated(problem):
    """Smallest distance of all whole points within limits, in a polyhedron and in a cone, each up to rounding."""
    ranges = [np.arange(low, high + 1) for low, high in zip(problem.lower, problem.upper)]
    grid = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, len(ranges))
    accepted = np.zeros(len(grid), dtype=bool)
    for A, b in problem.polyhedra:
        accepted |= (grid @ A.T <= b + 1e-9 * (1 + np.abs(b))).all(axis=1)
    dense = np.zeros(len(grid), dtype=bool)
    for cone in problem.cones:
        dense |= (((grid - cone.centre) @ cone.factor.T) ** 2).sum(axis=1) <= cone.squared_radius * (1 + 1e-10)
    distances = np.abs(grid - problem.x0) @ problem.weights
    return float(distances[accepted & dense].min(initial=np.inf))


LIMITS = {f"c{i}": (-14, 14) for i in range(4)}
RULES = {
    "limits": {"bounds": LIMITS},
    "immutable": {"bounds": LIMITS, "immutable": ["c1"]},
    "monotone": {"bounds": LIMITS, "monotone": {"c2": "increase", "c0": "decrease"}},
}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(2))
def test_optima_are_those_of_enumeration(kind, rule, seed, kernel_runs):
    pytest.importorskip("pyscipopt", reason="the module of the reference needs pyscipopt")
    from mixed_tables import TableReference

    explainer, rows, answers, _ = explained(kind, seed, 4, RULES[rule], n_rows=8)
    assert sum(kernel_runs) >= len(rows)
    reference = TableReference(explainer, table(seed, 4)[0])
    for k in range(len(rows)):
        expected = enumerated(reference.problem(rows.iloc[k], 1, RULES[rule]))
        assert answers.statuses[k] == ("optimal" if np.isfinite(expected) else "infeasible")
        if np.isfinite(expected):
            np.testing.assert_allclose(answers.distances[k], expected, rtol=1e-9)
            assert answers.lower_bounds[k] <= expected * (1 + 1e-9)


def test_a_row_has_the_same_bits_alone_and_in_a_batch():
    explainer, rows, together, constraints = explained("linear", 1, 6)
    for k in range(len(rows)):
        alone = explainer.explain(rows.iloc[[k]], target=1, constraints=constraints)
        assert alone.distances.tobytes() == together.distances[[k]].tobytes()
        assert alone.lower_bounds.tobytes() == together.lower_bounds[[k]].tobytes()


def test_time_limits_end_the_search(kernel_runs):
    _, rows, answers, _ = explained("linear", 2, 6, time_limit=1e-4)
    assert sum(kernel_runs) >= len(rows)
    late = np.flatnonzero(answers.statuses != "optimal")
    assert (answers.lower_bounds[late] <= answers.distances[late]).all()


def test_equal_rows_are_searched_once(kernel_runs):
    explainer, rows = fitted("linear", 3, 4)
    once = rows.iloc[[0, 1, 2]]
    alone = explainer.explain(once, target=1)
    kernel_runs.clear()
    places = [0, 1, 0, 2, 2, 0]
    repeated = explainer.explain(once.iloc[places], target=1)
    assert sum(kernel_runs) == 3
    for name in ("distances", "lower_bounds", "n_projections", "features"):
        np.testing.assert_array_equal(getattr(repeated, name), getattr(alone, name)[places])
