"""Answers that last: every row near them is valid, too. Balls are sampled, corners tried, small cases enumerated."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

EPS = 0.25
MODELS = {
    "linear": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": lambda: RandomForestClassifier(15, max_depth=4, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=15, random_state=0),
    "prototypes": lambda: KNeighborsClassifier(1),
}


def three_classes(n_features=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, n_features)) * 1.5
    y = (X[:, 0] + 0.5 * X[:, 1] > 0.5).astype(int) + (X[:, 1] > 0.8)
    return X, y


def ball(rng, point, weights, eps, n=1500):
    """Rows within a weighted Manhattan distance, its corners among them."""
    d = len(point)
    inside = rng.dirichlet(np.ones(d), size=n) * rng.choice([-1.0, 1.0], size=(n, d)) * rng.random((n, 1)) ** (1 / d)
    corners = np.vstack([np.eye(d), -np.eye(d)])
    return point + eps * (1 - 1e-9) * np.vstack([inside, corners]) / weights


@pytest.mark.parametrize("density", [None, "auto"], ids=str)
@pytest.mark.parametrize("name", MODELS)
def test_every_row_near_is_valid(name, density):
    X, y = three_classes()
    model, rng = MODELS[name]().fit(X, y), np.random.default_rng(1)
    weights = np.array([1.0, 2.0, 0.5])
    explainer = ew.Explainer(model, density=density, distance=ew.Manhattan(weights)).fit(X, y)
    rows = X[model.predict(X) == 0][:4]
    answers, plain = explainer.explain(rows, 1, robust_radius=EPS), explainer.explain(rows, 1)
    assert answers.found.sum() >= 2
    for one, without in zip(answers, plain):
        if one.found:
            assert (model.predict(ball(rng, one.counterfactual, weights, EPS)) == 1).all()
            assert one.robust_radius == EPS
            assert "for every row within distance 0.25" in one.sentence
            assert one.distance >= without.distance * (1 - 1e-9)
            assert one.lower_bound >= without.lower_bound * (1 - 1e-9)
            assert (one.status == "optimal") == (one.gap <= 1e-6)
    assert plain[0].robust_radius == 0.0
    assert "every row within" not in plain[0].sentence


@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
def test_nothing_nearer_lasts_in_a_linear_model(distance):
    X, y = three_classes(2)
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=None, distance=distance).fit(X, y)
    row = X[model.predict(X) == 0][0]
    answer = explainer.explain_one(row, 1, robust_radius=EPS)
    assert answer.status == "optimal"
    metric = explainer.distance_
    angles = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    around = np.column_stack([np.cos(angles), np.sin(angles)])
    length = metric(around, np.zeros(2))
    ring = around * (EPS / length if distance == "manhattan" else np.sqrt(EPS / length))[:, None]
    assert (model.predict(answer.counterfactual + ring * (1 - 1e-6)) == 1).all()
    far = np.abs(answer.counterfactual - row).max() * 1.3
    grid = row + np.array(list(itertools.product(np.linspace(-far, far, 81), repeat=2)))
    nearer = grid[metric(grid, row) < answer.distance * (1 - 1e-3)]
    lasts = (model.predict((nearer[:, None] + ring).reshape(-1, 2)) == 1).reshape(len(nearer), -1).all(axis=1)
    assert len(nearer) > 100
    assert not lasts.any()


def test_bounds_hold_for_a_tree():
    X, y = three_classes(2)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None, distance="manhattan").fit(X, y)
    row = X[model.predict(X) == 0][0]
    answer = explainer.explain_one(row, 1, robust_radius=EPS)
    steps = np.linspace(-1, 1, 41)
    diamond = EPS * np.array([(a, b) for a, b in itertools.product(steps, steps) if abs(a) + abs(b) <= 1])
    grid = row + np.array(list(itertools.product(np.linspace(-6, 6, 61), repeat=2)))
    lasts = (model.predict((grid[:, None] + diamond).reshape(-1, 2)) == 1).reshape(len(grid), -1).all(axis=1)
    nearest = np.abs(grid[lasts] - row).sum(axis=1).min()
    assert answer.lower_bound <= nearest
    # boxes instead of balls, and one part instead of several, cost something, but not much
    assert nearest * (1 - 1e-9) <= answer.distance + 0.3
    assert answer.distance <= 1.5 * nearest


def test_numbers_move_and_categories_do_not():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"x": rng.normal(size=120), "n": rng.integers(0, 9, 120), "kind": rng.choice(["u", "v", "w"], 120)}
    )
    y = np.where(frame["x"] + (frame["kind"] == "v") + 0.3 * frame["n"] > 2, "yes", "no")
    encode = make_column_transformer((OneHotEncoder(), ["kind"]), (StandardScaler(), ["x", "n"]))
    for last in (LogisticRegression(), GradientBoostingClassifier(n_estimators=10, random_state=0)):
        model = make_pipeline(encode, last).fit(frame, y)
        explainer = ew.Explainer(model, density=None).fit(frame, y)
        answers = explainer.explain(frame[model.predict(frame) == "no"][:4], "yes", robust_radius=EPS)
        weights = explainer.distance_.weights[[column.start for column in explainer.table_.columns]]
        assert answers.found.any()
        for one in answers:
            if not one.found:
                continue
            near = pd.DataFrame([one.counterfactual] * 300).reset_index(drop=True)
            moves = ball(rng, np.zeros(2), weights[:2], EPS, n=296)
            near["x"], near["n"] = near["x"].astype(float) + moves[:, 0], near["n"].astype(float) + moves[:, 1]
            assert (model.predict(near) == "yes").all()
            assert float(one.counterfactual["n"]).is_integer()


def test_regressors_and_further_models():
    X, y = three_classes()
    price = LinearRegression().fit(X, X[:, 0] * 2 - X[:, 2])
    boosted = GradientBoostingRegressor(n_estimators=10, max_depth=2, random_state=0).fit(X, X[:, 0] * 2)
    rng = np.random.default_rng(0)
    for model in (price, boosted):
        explainer = ew.Explainer(model, density=None, distance="manhattan").fit(X)
        rows = X[model.predict(X) < 0][:3]
        answers = explainer.explain(rows, (0.5, 4.0), robust_radius=0.1)
        for one in answers:
            said = model.predict(ball(rng, one.counterfactual, 1.0, 0.1))
            assert ((said >= 0.5 - 1e-9) & (said <= 4.0 + 1e-9)).all()
    first = LogisticRegression().fit(X, y > 0)
    others = [(LogisticRegression().fit(X[k::2], y[k::2] > 0), True) for k in (0, 1)]
    explainer = ew.Explainer(first, density=None, distance="manhattan").fit(X, y > 0)
    answers = explainer.explain(X[~first.predict(X)][:3], True, robust_radius=EPS, other_models=others)
    assert (answers.statuses == "optimal").all()
    for one, (model, _) in itertools.product(answers, [(first, True), *others]):
        assert model.predict(ball(rng, one.counterfactual, 1.0, EPS)).all()


def test_a_row_that_is_as_wanted_but_does_not_last_moves():
    X, y = three_classes(2)
    model = LogisticRegression().fit(X, y > 0)
    explainer = ew.Explainer(model, density=None, distance="manhattan").fit(X, y > 0)
    edge = explainer.explain_one(X[~model.predict(X)][0], True).counterfactual
    assert model.predict(edge[None])[0]
    moved = explainer.explain_one(edge, True, robust_radius=EPS)
    assert moved.distance == pytest.approx(EPS, rel=1e-3)
    assert ", but the row does not meet every requirement." in moved.sentence
    deep = explainer.explain_one(moved.counterfactual + 3 * np.sign(model.coef_[0]), True, robust_radius=EPS)
    assert deep.distance == 0.0


def test_what_lasts_nowhere_is_not_found():
    X, y = three_classes(2)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None, distance="manhattan").fit(X, y)
    limits = ew.Constraints(bounds={"x0": (-9.0, 9.0), "x1": (-9.0, 9.0)})
    none = explainer.explain_one(X[model.predict(X) == 0][0], 1, robust_radius=20.0, constraints=limits)
    assert none.status == "unknown"
    assert "for all rows near it, too. Whether one exists is not known." in none.sentence
    linear = LogisticRegression().fit(X, y > 0)
    proven = ew.Explainer(linear, density=None, distance="manhattan").fit(X, y > 0)
    never = proven.explain_one(X[~linear.predict(X)][0], True, robust_radius=50.0, constraints=limits)
    assert never.status == "infeasible"
    # why not is as sure as the answer: leaves are looked into one by one, so what spans two of them is overlooked
    of_tree = explainer.why_not(X[model.predict(X) == 0][0], 1, robust_radius=20.0, constraints=limits)
    of_line = proven.why_not(X[~linear.predict(X)][0], True, robust_radius=50.0, constraints=limits)
    assert (of_tree.reason, of_tree.is_proven) == ("rules", False)
    assert (of_line.reason, of_line.is_proven) == ("rules", True)


def test_what_is_refused(monkeypatch):
    X, y = three_classes(2)
    monkeypatch.setattr("elsewise.models.trees.worst_leaves.MOST_WORST_NODES", 500)
    deep = RandomForestClassifier(10, random_state=0).fit(X, y)
    explainer = ew.Explainer(deep, density=None).fit(X, y)
    with pytest.raises(ew.UnsupportedSettingError, match="too many leaves near each other"):
        explainer.explain(X[:1], robust_radius=3.0)
    for wrong in (-0.1, np.inf, np.nan, True, "1"):
        with pytest.raises(ew.InvalidInputError, match="robust_radius must be a distance >= 0"):
            explainer.explain(X[:1], robust_radius=wrong)
    soft = ew.Explainer(LogisticRegression().fit(X, y), density=None, distance="manhattan").fit(X, y)
    with pytest.raises(
        ew.UnsupportedSettingError, match="robust_radius: how far rows near an answer may go is not known"
    ):
        soft.explain(X[:1], 1, min_probability=0.9, robust_radius=0.1)


def test_the_densest_is_only_taken_where_nothing_is_as_dense_as_asked():
    """Where a search that keeps away from boundaries finds nothing that lasts, something as dense may still exist."""
    X, y = three_classes()
    model = RandomForestClassifier(15, max_depth=4, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, threshold=0.8).fit(X, y)
    rows = X[model.predict(X) == 0][:10]
    options = {"constraints": ew.Constraints(max_changes=1), "on_infeasible": "densest"}
    plain = explainer.explain(rows, 1, constraints=options["constraints"])
    assert {"optimal", "infeasible"} <= set(plain.statuses.tolist())
    answers = explainer.explain(rows, 1, robust_radius=0.6, **options)
    assert (plain.statuses[answers.statuses == "densest"] == "infeasible").all()
    not_found = plain.found & ~answers.found
    assert not_found.any()
    assert (answers.statuses[not_found] == "unknown").all()
    assert (answers.lower_bounds <= plain.distances)[not_found].all()


def test_the_densest_that_lasts_is_not_called_the_nearest_of_them():
    """At its quantile nothing but plain answers was proven, and some of those are nearer."""
    X, y = three_classes()
    model = RandomForestClassifier(15, max_depth=4, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, threshold=0.8).fit(X, y)
    rows, rules = X[model.predict(X) == 0][:10], ew.Constraints(max_changes=1)
    answers = explainer.explain(rows, 1, robust_radius=0.2, on_infeasible="densest", constraints=rules)
    densest = [one for one in answers if one.status == "densest"]
    assert densest
    for one in densest:
        nearest = explainer.with_threshold(one.quantile).explain_one(one.x, 1, constraints=rules)
        assert one.lower_bound <= nearest.distance
        assert "(proven)" not in one.sentence


def test_that_no_further_answer_lasts_is_not_proven_by_a_search_that_overlooks_some():
    """What spans several leaves is overlooked; all whole points are listed, and their balls sampled."""
    grid = np.array(list(itertools.product([0, 1, 2, 3, 7, 8], range(8))), dtype=float)
    points = np.array(list(itertools.product(range(9), range(8))), dtype=float)
    steps = np.linspace(-1, 1, 41)
    diamond = 0.9 * np.array([(a, b) for a, b in itertools.product(steps, steps) if abs(a) + abs(b) <= 1])
    rules = ew.Constraints(step={"x0": 1, "x1": 1}, bounds={"x0": (0, 8), "x1": (0, 7)})
    row, n_overlooked = np.array([3.0, 2.0]), 0
    for seed in (1, 9, 14):
        X, rng = np.repeat(grid, 5, axis=0), np.random.default_rng(seed)
        y = (rng.random(len(X)) < np.where(X[:, 0] > 5, 1.0, np.where(X[:, 1] > 5.5, 0.6, 0.05))).astype(int)
        model = RandomForestClassifier(3, max_depth=4, random_state=seed).fit(X, y)
        explainer = ew.Explainer(model, density=None, distance="manhattan", learn_rules=False).fit(X, y)
        answers = explainer.explain_one(row, 1, constraints=rules, robust_radius=0.9, n_counterfactuals=3)
        lasts = (model.predict((points[:, None] + diamond).reshape(-1, 2)) == 1).reshape(len(points), -1).all(axis=1)
        for one in answers:
            changed = one.counterfactual != row
            lasts &= ~(points[:, changed] != row[changed]).all(axis=1)
        n_overlooked += lasts.any()
        last = answers[-1].cause
        assert (last.n_found, last.n_asked, last.is_proven) == (len(answers), 3, False)
    assert n_overlooked
