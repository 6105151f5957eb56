"""Certificates of sums of trees, checked by the separate program."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew
import elsewise_check
from proofs.tables import RULES, mixed, numbers, of_table
from proofs.test_polyhedra import check_all

ENSEMBLES = {
    "forest": RandomForestClassifier(10, max_depth=4, random_state=0),
    "votes": RandomForestClassifier(8, random_state=0),
    "extra trees": ExtraTreesClassifier(8, max_depth=5, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=12, random_state=0),
    "histograms": HistGradientBoostingClassifier(max_iter=12, random_state=0),
}


@pytest.mark.parametrize("density", [None, "auto"])
@pytest.mark.parametrize("name", ENSEMBLES)
def test_numbers(name, density):
    X, y = numbers(0, n_classes=2 if density else 3)
    model = ENSEMBLES[name].fit(X, y)
    explainer = ew.Explainer(model, density=density).fit(X, y)
    answers = explainer.explain(X[model.predict(X) != 1][:3], 1, certificate=True)
    assert (answers.statuses == "optimal").all()
    check_all(answers)


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_other_libraries(library):
    module = pytest.importorskip(library)
    X, y = numbers(1, n_classes=2)
    kind = module.XGBClassifier if library == "xgboost" else module.LGBMClassifier
    model = kind(n_estimators=15, max_depth=3, **({} if library == "xgboost" else {"verbose": -1})).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    check_all(explainer.explain(X[model.predict(X) != 1][:5], 1, certificate=True))


def test_trees_behind_a_scaler():
    X, y = numbers(2, n_classes=2)
    model = make_pipeline(StandardScaler(), GradientBoostingClassifier(n_estimators=15, random_state=0)).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    check_all(explainer.explain(X[model.predict(X) != 1][:6], 1, certificate=True))


def test_ranges_of_a_regressor():
    X, y = numbers(3, n_classes=2)
    y = y + X[:, 0]
    model = GradientBoostingRegressor(n_estimators=15, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows = X[model.predict(X) < 0.5][:5]
    check_all(explainer.explain(rows, (1.0, 1.5), certificate=True))


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("per_change", [0.0, 0.3])
def test_tables_with_rules(rules, per_change):
    X, y = mixed(0)
    model = of_table(GradientBoostingClassifier(n_estimators=12, random_state=0)).fit(X, y)
    explainer = ew.Explainer(model, density=None, distance=ew.Scaled(per_change=per_change)).fit(X, y)
    check_all(explainer.explain(X[model.predict(X) == 0][:3], 1, constraints=RULES[rules], certificate=True))


def changed_leaves(header, point):
    """Raise the leaves of a point that is nearer until the trees accept it."""
    goal = header["goals"][header["goal"]]["region"]
    z = [sum(v * point[j] for j, v in row) + o for row, o in zip(goal["map"]["rows"], goal["map"]["offset"])]
    for tree in goal["trees"]:
        k = 0
        while len(tree[k]) > 1:
            k = tree[k][2] if z[tree[k][0]] <= tree[k][1] else tree[k][3]
        gains = [sum(w * v for w, v in zip(row["weights"], tree[k][0])) for row in goal["conditions"]]
        assert len(gains) == 1
        tree[k][0] = [v + 10.0 * w for v, w in zip(tree[k][0], goal["conditions"][0]["weights"])]


def test_faults_in_trees_are_refused():
    X, y = numbers(0, n_classes=2)
    model = ENSEMBLES["boosting"].fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    answers = explainer.explain(X[model.predict(X) != 1][:10], 1, certificate=True)
    n_refused = 0
    for one in answers:
        header, nodes = json.loads(one.proof.lines[0]), [json.loads(line) for line in one.proof.lines[1:]]
        faults = []
        nearer = json.loads(one.proof.lines[0])
        changed_leaves(nearer, [a + 0.9 * (b - a) for a, b in zip(header["row"], header["point"])])
        faults.append((nearer, nodes))
        easier = json.loads(one.proof.lines[0])
        easier["goals"][0]["region"]["conditions"][0]["least"] -= 100.0
        faults.append((easier, nodes))
        moved = json.loads(one.proof.lines[0])
        f = int(np.argmax(np.abs(np.subtract(moved["point"], moved["row"]))))
        toward = -np.inf if moved["row"][f] < moved["point"][f] else np.inf
        moved["point"][f] = float(np.nextafter(moved["point"][f], toward))
        faults.append((moved, nodes))  # answers are the first numbers beyond a limit: an ulp less is on its other side
        higher = json.loads(one.proof.lines[0])
        higher["claim"]["lower_bound"] = higher["claim"]["distance"] * (1 + 1e-7)
        faults.append((higher, nodes))
        for k, node in enumerate(nodes):
            if node.get("close", {}).get("trees", {}).get("messages"):
                silent = json.loads(json.dumps(nodes))
                silent[k]["close"]["trees"]["pi"] = [-1]
                faults.append((header, silent))
                break
        for changed, lines in faults:
            with pytest.raises(elsewise_check.RefusedError, match=r"line \d+: "):
                elsewise_check.check_lines([json.dumps(changed), *map(json.dumps, lines)])
            n_refused += 1
    assert n_refused >= 40


def test_a_derived_sum_that_no_tree_splits():
    X = pd.DataFrame(np.random.default_rng(0).integers(0, 6, (200, 3)), columns=["a", "b", "c"])
    y = (X.a > 2).astype(int)
    X["total"] = X.b + X.c
    model = GradientBoostingClassifier(n_estimators=3, max_depth=1).fit(X, y)
    explainer = ew.Explainer(model, density=None, rules=None).fit(X, y)
    assert set(explainer.derived_) == {"total"}
    check_all(explainer.explain(X[model.predict(X) == 0][:3], 1, certificate=True))


# ---- categories as they are, missing values, several models ----


def native(library, X):
    """A model that divides categories by their levels, and the table it takes."""
    X = X.assign(**{name: X[name].astype("category") for name in ("job", "home")})
    if library == "histograms":
        return HistGradientBoostingClassifier(max_iter=12, categorical_features="from_dtype", max_leaf_nodes=6), X
    module = pytest.importorskip(library)
    if library == "xgboost":
        return module.XGBClassifier(n_estimators=10, max_depth=3, enable_categorical=True), X
    return module.LGBMClassifier(n_estimators=10, num_leaves=5, verbose=-1), X


@pytest.mark.parametrize("rules", ["none", "alternatives"])
@pytest.mark.parametrize("library", ["histograms", "xgboost", "lightgbm"])
def test_levels_that_trees_divide(library, rules):
    X, y = mixed(0)
    model, X = native(library, X)
    explainer = ew.Explainer(model.fit(X, y), density=None).fit(X, y)
    answers = explainer.explain(X[model.predict(X) == 0][:2], 1, constraints=RULES[rules], certificate=True)
    assert any(isinstance(node[0], list) for tree in trees_of(answers[0]) for node in tree if len(node) == 4)
    check_all(answers)
    header = json.loads(answers[0].proof.lines[0])  # another set of levels is another model
    for tree in header["goals"][0]["region"]["trees"]:
        for node in tree:
            if len(node) == 4 and isinstance(node[0], list):
                node[0] = [0]
    with pytest.raises(elsewise_check.RefusedError, match="a tree divides a number by levels"):
        elsewise_check.check_lines([json.dumps(header), *answers[0].proof.lines[1:]])


def trees_of(one):
    return json.loads(one.proof.lines[0])["goals"][0]["region"]["trees"]


@pytest.mark.parametrize("density", [None, "auto"])
def test_rows_with_missing_values(density):
    X, y = mixed(0)
    X = X[["age", "income", "debt", "kids"]].astype(float)
    rng = np.random.default_rng(0)
    for name in ("income", "debt"):
        X.loc[rng.random(len(X)) < 0.2, name] = np.nan
    model = HistGradientBoostingClassifier(max_iter=12, max_leaf_nodes=6).fit(X, y)
    explainer = ew.Explainer(model, density=density).fit(X, y)
    rows = X[(model.predict(X) == 0) & X.isna().any(axis=1)][:4]
    answers = explainer.explain(rows, 1, certificate=True)
    check_all(answers)
    assert "income" in json.loads(answers[0].proof.lines[0])["notes"]["missing"]


def test_a_model_that_never_decides_so():
    X, y = numbers(0, n_classes=2)
    model = GradientBoostingRegressor(n_estimators=5, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    answers = explainer.explain(X[:2], (5.0, 6.0), certificate=True)
    assert answers.statuses.tolist() == ["infeasible"] * 2
    check_all(answers)


@pytest.mark.parametrize("other", ["votes", "boosting"])
def test_two_sums_of_trees(other):
    X, y = mixed(0)
    model = of_table(ENSEMBLES["boosting"]).fit(X, y)
    second = of_table(ENSEMBLES[other]).fit(X[:200], y[:200])
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows = X[model.predict(X) == 0][:3]
    check_all(explainer.explain(rows, 1, other_models=[(second, 1)], certificate=True))


def test_trees_whose_limits_are_one_but_for_rounding():
    """No double is between two limits of trees: what the trees treat a row as is not known."""
    header = {
        "format": "elsewise certificate",
        "version": 1,
        "claim": {"status": "unknown", "distance": None, "lower_bound": 0.5},
        "row": [0.0],
        "prices": [1.0],
        "point": None,
        "goal": None,
        "domain": {
            "columns": [{"kind": "number", "features": [0]}],
            "units": [[0]],
            "lower": [None],
            "upper": [None],
            "per_change": 0.0,
            "max_changes": None,
        },
        "goals": [{"region": {
            "kind": "trees",
            "map": {"rows": [[[0, 2.0]], [[0, 2.0000001]]], "offset": [0.0, 0.0]},
            "single": False,
            "conditions": [{"weights": [1.0], "least": 1.0, "slack": 0.0, "strict": False}],
            "trees": [[[0, 2.0, 1, 2], [[0.0]], [[1.0]]], [[1, 2.0000001, 1, 2], [[0.0]], [[0.3]]]],
        }, "density": None}],
    }  # fmt: skip
    with pytest.raises(elsewise_check.RefusedError, match="two limits of trees are as near"):
        elsewise_check.check_lines([json.dumps(header), '{"goals": 1}', '{"close": {}}'])


def forest_header(trees, strict):
    """A header about a forest of stumps, one a column, that votes for the second class."""
    n = len(trees)
    region = {
        "kind": "trees",
        "map": {"rows": [[[j, 1.0]] for j in range(n)], "offset": [0.0] * n},
        "single": False,
        "conditions": [{"weights": [-1.0, 1.0], "least": 0.0, "slack": 0.0, "strict": strict}],
        "trees": [[[j, 0.5, 1, 2], [left], [right]] for j, (left, right) in enumerate(trees)],
    }
    domain = {
        "columns": [{"kind": "number", "features": [j]} for j in range(n)],
        "units": [[j] for j in range(n)],
        "lower": [0.0] * n,
        "upper": [1.0] * n,
        "per_change": 0.0,
        "max_changes": None,
    }
    claim = {"status": "unknown", "distance": None, "lower_bound": 100.0}
    header = {"format": "elsewise certificate", "version": 1, "claim": claim, "row": [0.0] * n, "prices": [1.0] * n}
    return {**header, "point": None, "goal": None, "domain": domain, "goals": [{"region": region, "density": None}]}


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("seed", range(40))
def test_least_sums_are_those_of_all_combinations(seed, strict):
    rng = np.random.default_rng(seed)
    shares = np.array([0.0, 0.25, 0.5, 1.0, 1 / 3, 0.1, 0.7][: 4 if seed % 4 == 0 else 7])
    values = rng.choice(shares, size=(5, 2))
    trees = [[[1.0 - float(p), float(p)] for p in pair] for pair in values]
    checker = elsewise_check.Checker(forest_header(trees, strict))
    region = checker.goals[0].region
    needed = Fraction(region._needed(0, region.leaves), 2**region.bits)
    enough = []
    for chosen in product(*trees):
        gain = sum((Fraction(b) - Fraction(a) for a, b in chosen), Fraction(0))
        is_exact = all((p * 2**20).is_integer() for leaf in chosen for p in leaf)
        is_met = (gain > 0 if strict else gain >= 0) if is_exact else gain >= Fraction(-1, 10**12)
        enough += [gain] if is_met else []
    if enough:
        assert needed <= min(enough)
    if enough and seed % 4 == 0:  # votes alone: nothing is rounded
        step = Fraction(1, 2) if not np.isin(values, 0.25).any() else Fraction(1, 4)
        assert needed > (0 if strict else -1)
        assert (needed / step).denominator <= 4


def test_forests_whose_leaves_are_no_votes_are_certified_to_the_tie():
    X, y = numbers(3, n_classes=2)
    model = RandomForestClassifier(40, min_samples_leaf=2, random_state=0).fit(X, y)
    for target in (0, 1):
        answers = (
            ew.Explainer(model, density=None)
            .fit(X, y)
            .explain(X[model.predict(X) != target][:5], target, certificate=True)
        )
        check_all(answers)
        for one in answers:
            header = json.loads(one.proof.lines[0])
            condition = header["goals"][0]["region"]["conditions"][0]
            condition["least"] -= 80.0  # everything is accepted
            with pytest.raises(elsewise_check.RefusedError):
                elsewise_check.check_lines([json.dumps(header), *one.proof.lines[1:]])


def test_nothing_within_a_large_distance():
    X, y = numbers(4, n_classes=2)
    model = GradientBoostingClassifier(n_estimators=8, random_state=0).fit(1e6 * X, y)
    explainer = ew.Explainer(model, density=None).fit(1e6 * X, y)
    rules = ew.Constraints(immutable=["x0", "x1", "x2"])
    answers = explainer.explain(1e6 * X[model.predict(1e6 * X) != 1][:20], 1, constraints=rules, certificate=True)
    assert (answers.statuses == "infeasible").any()
    check_all(answers)


def test_votes_of_many_classes():
    X, y = load_digits(return_X_y=True)
    model = RandomForestClassifier(20, max_depth=4, random_state=0).fit(X, y)
    rows = X[model.predict(X) != 1]
    answers = ew.Explainer(model, density=None).fit(X, y).explain(rows[:: len(rows) // 5][:5], 1, certificate=True)
    check_all(answers)
