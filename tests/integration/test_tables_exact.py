"""Distances of tables against an independent mixed-integer solver: made-up tables, German credit, HELOC, Adult."""

from __future__ import annotations

import os
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
import made_up_tables

pytest.importorskip("pyscipopt", reason="the mixed-integer reference needs pyscipopt")

from mixed_enumeration import by_enumeration
from mixed_reference import scip
from mixed_tables import TableReference

DATA = Path(os.environ.get("ELSEWISE_DATA", Path(__file__).parents[3] / "shared" / "data"))
TABLES = {
    "german_credit": ("default", 0, 700),
    "heloc": ("RiskPerformance", "Good", 1_500),
    "adult": ("income", 1, 2_000),
}
"""Column of the label, the label that people want, and training rows."""

MADE_UP = {
    "credit": (made_up_tables.credit, 0),
    "scores": (made_up_tables.scores, "Good"),
    "people": (made_up_tables.people, 1),
}
"""Tables of the same kinds that need no file, and the label that people want."""

WANTED = {name: target for name, (_, target, _) in TABLES.items()} | {
    name: target for name, (_, target) in MADE_UP.items()
}

MODELS = {
    "logistic": lambda: LogisticRegression(max_iter=5_000),
    "svm": lambda: LinearSVC(max_iter=50_000, random_state=0),
    "tree": lambda: DecisionTreeClassifier(max_depth=5, min_samples_leaf=10, random_state=0),
}
RULES = {
    "german_credit": {
        "immutable": ["personal_status_sex", "foreign_worker"],
        "monotone": {"age": "increase"},
        "bounds": {"credit_amount": (250, 20_000)},
        "allowed": {"housing": {"rent": ["own"]}, "savings": ["... < 100 DM", "100 <= ... < 500 DM"]},
        "linear": [({"credit_amount": 1.0, "duration_in_month": -250.0}, "<=", 4_000.0)],
        "max_changes": 4,
    },
    "heloc": {
        "immutable": ["ExternalRiskEstimate"],
        "monotone": {"MSinceOldestTradeOpen": "increase"},
        "bounds": {"PercentTradesWBalance": (0, 100)},
        "linear": [({"NumTotalTrades": 1.0, "NumSatisfactoryTrades": -1.0}, ">=", 0.0)],
    },
    "adult": {
        "immutable": ["race", "gender"],
        "monotone": {"age": "increase"},
        "bounds": {"hours_per_week": (1, 60)},
        "max_changes": 3,
    },
    "credit": {
        "immutable": ["foreign"],
        "monotone": {"age": "increase"},
        "bounds": {"amount": (250, 20_000)},
        "allowed": {"housing": {"rent": ["own"]}, "savings": ["little", "some"]},
        "linear": [({"amount": 1.0, "months": -250.0}, "<=", 4_000.0)],
        "max_changes": 4,
    },
    "scores": {
        "immutable": ["estimate"],
        "monotone": {"oldest": "increase"},
        "bounds": {"with_balance": (0, 100)},
        "linear": [({"satisfied": 1.0, "newest": -1.0}, ">=", -50.0)],
    },
    "people": {
        "immutable": ["sex", "origin"],
        "monotone": {"age": "increase"},
        "bounds": {"hours": (1, 60)},
        "max_changes": 3,
    },
}


def table(name: str) -> tuple[pd.DataFrame, pd.Series, int]:
    """Rows, labels and number of training rows of a made-up table, or of a file if it is there."""
    if name in MADE_UP:
        frame, labels = MADE_UP[name][0]()
        return frame, pd.Series(labels, index=frame.index), 2 * len(frame) // 3
    path = DATA / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"{path} is missing: set ELSEWISE_DATA to the folder that holds it")
    label, _, n_train = TABLES[name]
    frame = pd.read_csv(path)
    return frame, frame.pop(label), n_train


@cache
def case(name: str, model: str) -> tuple[ew.Explainer, TableReference, pd.DataFrame]:
    """A fitted explainer, its reference, and rows of a test split that are rejected."""
    frame, y, n_train = table(name)
    target = WANTED[name]
    train, test, y_train, _ = train_test_split(frame, y, train_size=n_train, random_state=0, stratify=y)
    numeric = [column for column in frame if frame[column].dtype.kind in "iuf"]
    categorical = [column for column in frame if column not in numeric]
    steps = [("num", StandardScaler(), numeric), ("cat", OneHotEncoder(handle_unknown="ignore"), categorical)]
    pipeline = make_pipeline(ColumnTransformer(steps if categorical else steps[:1]), MODELS[model]())
    pipeline.fit(train, y_train)
    explainer = ew.Explainer(pipeline, learn_rules=False, condition_on_fixed=False).fit(train, y_train)
    return explainer, TableReference(explainer, train), test[pipeline.predict(test) != target]


def compare(explainer, reference, rows, target, rules, *, solve=scip) -> int:
    """Check status, distance and bound of each row against the reference; return how many rows have an answer."""
    answers = explainer.explain(rows, target=target, constraints=ew.Constraints(**rules))
    for i in range(len(rows)):
        problem = reference.problem(rows.iloc[i], target, rules)
        expected = solve(problem)
        where = f"row {rows.index[i]} under {rules}"
        assert (answers.statuses[i] == "infeasible") == (expected.status == "infeasible"), where
        if expected.status == "infeasible":
            continue
        assert answers.statuses[i] == "optimal", where
        np.testing.assert_allclose(answers.distances[i], expected.value, rtol=1e-6, atol=1e-9, err_msg=where)
        assert answers.lower_bounds[i] <= expected.value * (1 + 1e-6) + 1e-9, where
        # The row as returned is a point of the problem, and its distance is the one reported.
        point = reference.features(answers[i].counterfactual)
        assert problem.violation(point) < 1e-7, where
        np.testing.assert_allclose(problem.distance(point), answers.distances[i], rtol=1e-9, err_msg=where)
    return int(np.sum(answers.found))


def within(rows: pd.DataFrame, rules: dict) -> pd.DataFrame:
    for name, (low, high) in rules.get("bounds", {}).items():
        rows = rows[rows[name].between(low, high)]
    return rows


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", WANTED)
def test_the_reference_says_what_model_and_density_say(name, model):
    explainer, reference, rows = case(name, model)
    target = WANTED[name]
    rng = np.random.default_rng(0)
    mixed = rows.iloc[:100].apply(lambda column: column.to_numpy()[rng.permutation(len(column))])
    problem = reference.problem(rows.iloc[0], target)
    E = np.array([reference.features(row) for _, row in mixed.iterrows()])
    inside = np.array([any((A @ e <= b).all() for A, b in problem.polyhedra) for e in E])
    np.testing.assert_array_equal(inside, explainer.model.predict(mixed) == target)
    assert 0 < inside.sum() < len(inside)
    density = explainer.densities_[target]
    dense = [min(problem.outside(cone, e) for cone in problem.cones) <= 0.0 for e in E]
    np.testing.assert_array_equal(dense, explainer.log_density(mixed, target) >= density.log_threshold_)


@pytest.mark.parametrize("ruled", [False, True], ids=["free", "rules"])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("name", "n_rows"), [("german_credit", 4), ("heloc", 2), ("adult", 8), ("credit", 5), ("scores", 4), ("people", 8)]
)
def test_distance_is_that_of_the_mixed_integer_solver(name, n_rows, model, ruled):
    explainer, reference, rows = case(name, model)
    rules = RULES[name] if ruled else {}
    n_found = compare(explainer, reference, within(rows, rules).iloc[:n_rows], WANTED[name], rules)
    assert n_found > 0 or ruled


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", ["heloc", "scores"])
def test_as_numbers(name, model):
    explainer, reference, rows = case(name, model)
    # Nothing is whole and there are no categories: every cell is convex, and Clarabel solves it.
    assert compare(explainer, reference, rows.iloc[:6], "Good", {"integer": []}, solve=by_enumeration) > 0


def made_up(seed: int, n: int = 160) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, whole numbers, ordered levels, booleans and categories that all have a say in three classes."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, size=n)
    frame = pd.DataFrame({
        "size": rng.normal(group, 1.0),
        "weight": rng.normal(50.0 - 10.0 * group, 12.0),
        "count": rng.poisson(2.0 + group),
        "grade": pd.Categorical.from_codes(
            np.clip(rng.integers(0, 3, size=n) + (group == 2), 0, 3), ["low", "fair", "good", "best"], ordered=True
        ),
        "member": rng.random(n) < 0.2 + 0.3 * group,
        "colour": np.array(["red", "green", "blue", "white"])[np.clip(rng.integers(0, 3, size=n) + (group == 1), 0, 3)],
    })  # fmt: skip
    return frame, np.array(["a", "b", "c"])[group]


MADE_UP_RULES = [
    {},
    {"max_changes": 2},
    {"max_changes": 1},
    {"immutable": ["colour"], "monotone": {"size": "increase", "count": "decrease"}},
    {"bounds": {"weight": (0.0, 100.0)}, "allowed": {"colour": {"red": ["green"], "green": ["red", "blue"]}}},
    {"linear": [({"size": 10.0, "weight": 1.0, "count": -2.0}, "<=", 60.0)], "integer": []},
    {"linear": [({"size": 1.0, "count": 1.0}, "<=", 4.5), ({"size": 1.0, "count": 1.0}, ">=", 3.5)]},
    {"linear": [({"weight": 1.0}, ">=", 45.0)], "immutable": ["member", "grade"], "max_changes": 3},
]


@cache
def made_up_case(model: str, density: str | None) -> tuple[ew.Explainer, TableReference, pd.DataFrame]:
    frame, y = made_up(0)
    steps = ColumnTransformer([
        ("num", StandardScaler(), ["size", "weight", "count"]),
        ("ord", OrdinalEncoder(categories=[["low", "fair", "good", "best"]]), ["grade"]),
        ("cat", OneHotEncoder(), ["member", "colour"]),
    ])  # fmt: skip
    pipeline = make_pipeline(steps, MODELS[model]()).fit(frame, y)
    options = {} if density == "default" else {"density": None}
    explainer = ew.Explainer(pipeline, learn_rules=False, condition_on_fixed=False, **options).fit(frame, y)
    return explainer, TableReference(explainer, frame), made_up(1, 12)[0]


@pytest.mark.parametrize("rules", MADE_UP_RULES, ids=lambda rules: " ".join(rules) or "free")
@pytest.mark.parametrize("density", ["default", "none"])
@pytest.mark.parametrize("model", MODELS)
def test_made_up_table(model, density, rules):
    explainer, reference, rows = made_up_case(model, density)
    for target in ("a", "c"):
        others = rows[explainer.model.predict(rows) != target]
        compare(explainer, reference, within(others, rules), target, rules)


def test_rules_that_the_row_meets_with_no_slack():
    for density in ("default", "none"):
        explainer, reference, rows = made_up_case("logistic", density)
        others = rows[explainer.model.predict(rows) != "a"]
        for i, extra in product(range(len(others)), ({"immutable": ["size", "weight"]}, {"max_changes": 1}, {})):
            row = others.iloc[[i]]
            bound = float(0.1 * row["size"].iloc[0] + 0.1 * row["weight"].iloc[0])
            rules = {"linear": [({"size": 0.1, "weight": 0.1}, "<=", bound)], **extra}
            compare(explainer, reference, row, "a", rules)
            answer = explainer.explain_one(row.iloc[0], target="a", constraints=ew.Constraints(**rules))
            assert all(change.cost > 1e-9 for change in answer.changes)
