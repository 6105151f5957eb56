"""Ranges: no row within them fails, by sampling and by lists of all rows; and none of them could be wider."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.questions.recourse import ranges
from elsewise.questions.recourse.ranges import friendly
from listed_table import listed, mixed_table, small_table

MODELS = {
    "softmax": LogisticRegression(max_iter=1000),
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": RandomForestClassifier(10, max_depth=4, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=5, random_state=0),
    "network": MLPClassifier((4,), solver="lbfgs", max_iter=5000, random_state=0),
}


def sampled(explanation: ew.Explanation, n: int, rng: np.random.Generator, *, reads: bool = False) -> pd.DataFrame:
    """Draw rows whose changed columns lie in the ranges, ends more often than the rest."""
    rows = pd.DataFrame([explanation.counterfactual] * n).reset_index(drop=True)
    for one in explanation.ranges:
        if one.levels:
            values: Any = rng.choice(np.array(one.levels, dtype=object), n)
        else:
            low, high = (one.reads_low, one.reads_high) if reads else (one.low, one.high)
            inside = rng.uniform(low, high, n)
            if isinstance(one.low, int):
                inside = np.round(inside)
            values = np.where(rng.random(n) < 0.6, np.where(rng.random(n) < 0.5, low, high), inside)
        rows[one.column] = values
    return rows


@pytest.mark.parametrize("name", list(MODELS))
@pytest.mark.parametrize("density", ["auto", None])
def test_no_row_within_ranges_fails(name, density):
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(1).normal(scale=1e-3, size=X.shape)
    model = MODELS[name].fit(X, y)
    explainer = ew.Explainer(model, density=density, threshold=0.2).fit(X, y)
    rng = np.random.default_rng(0)
    proven = 0
    for place in (0, 20, 60, 120):
        for target in {0, 1, 2} - {int(model.predict(X[[place]])[0])}:
            one = explainer.explain_one(X[place], target, ranges=True)
            assert one.ranges.is_proven
            proven += any(item.low < item.high for item in one.ranges)
            frame = pd.DataFrame([one.counterfactual] * 1500)
            for item in one.ranges:
                column = int(item.column[1:])
                precision = 1.001e-4 * np.ptp(X[:, column])
                assert item.low - precision <= one.counterfactual[column] <= item.high + precision
                assert item.low <= item.reads_low <= item.reads_high <= item.high
                ends = np.where(rng.random(1500) < 0.5, item.low, item.high)
                frame[column] = np.where(rng.random(1500) < 0.5, ends, rng.uniform(item.low, item.high, 1500))
            rows = frame.to_numpy()
            assert (model.predict(rows) == target).all()
            if density is not None:
                assert (explainer.log_density(rows, target) >= one.log_threshold - 1e-9).all()
    assert proven >= 4


def test_ranges_are_those_of_all_rows():
    """Every row in the box works, and one more value of any column would bring in one that does not."""
    frame, y = small_table()
    before = make_column_transformer((OneHotEncoder(), ["colour", "member"]), remainder="passthrough")
    weights = {"years": 1.0, "loans": 1.0, "colour": 1.0, "member": 1.0}
    possible = {"years": range(5), "loans": range(4), "colour": ["red", "green", "blue"], "member": ["no", "yes"]}
    seen = 0
    for estimator in (LogisticRegression(), RandomForestClassifier(8, max_depth=4, random_state=0)):
        model = make_pipeline(before, estimator).fit(frame, y)
        explainer = ew.Explainer(model, density=None, distance=ew.Manhattan(weights), learn_rules=False).fit(frame, y)
        rules = ew.Constraints(bounds={"years": (0, 4), "loans": (0, 3)})
        for place in np.flatnonzero(model.predict(frame) == "bad")[:8]:
            row = frame.iloc[place]
            every, _ = listed(row, weights)
            works = dict(zip(map(tuple, every.to_numpy()), model.predict(every) == "good", strict=True))
            one = explainer.explain_one(row, "good", constraints=rules, ranges=True)
            assert one.ranges.is_proven
            box = {name: [one.counterfactual[name]] for name in frame}
            for item in one.ranges:
                box[item.column] = list(item.levels) or list(range(item.low, item.high + 1))
            assert all(works[way] for way in product(*box.values()))
            for item in one.ranges:
                for value in possible[item.column]:
                    is_next = bool(item.levels) or value in (item.low - 1, item.high + 1)
                    if value in box[item.column] or not is_next:
                        continue
                    larger = {**box, item.column: [value]}
                    assert not all(works[way] for way in product(*larger.values()))
                    seen += 1
    assert seen > 10


def test_sides_stop_where_the_model_or_the_density_does():
    """Half a thousandth of the data's range farther out, some corner of the box fails: the region is convex."""
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    width = np.ptp(X, axis=0)
    stopped = 0
    for density in (None, ew.GaussianMixtureDensity(n_components=1)):
        explainer = ew.Explainer(model, density=density, threshold=0.2, learn_rules=False).fit(X, y)
        for place in (0, 60, 120):
            one = explainer.explain_one(X[place], 1 if place != 60 else 2, ranges=True)
            changed = [int(item.column[1:]) for item in one.ranges]
            ends = {column: (item.low, item.high) for column, item in zip(changed, one.ranges, strict=True)}
            for column, item in zip(changed, one.ranges, strict=True):
                for side, is_end in ((0, item.is_lowest), (1, item.is_highest)):
                    beyond = (
                        one.counterfactual[column] < X[:, column].min(),
                        one.counterfactual[column] > X[:, column].max(),
                    )
                    if is_end or beyond[side]:  # ranges end with the training rows
                        continue
                    out = ends[column][side] + (2 * side - 1) * 5e-4 * width[column]
                    corners = np.array(list(product(*({**ends, column: (out,)}).values())))
                    rows = np.repeat(one.counterfactual[None], len(corners), axis=0)
                    rows[:, list(ends)] = corners
                    fails = model.predict(rows) != one.target
                    if density is not None:
                        fails |= explainer.log_density(rows, one.target) < one.log_threshold
                    assert fails.any()
                    stopped += 1
    assert stopped > 6


@pytest.mark.parametrize("has_rule", [False, True])
def test_sides_of_trees_end_at_cuts_or_where_rules_end_them(has_rule):
    """No side can move to the next number at all: it is the model, a rule, or the end of the training rows."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(500, 4)), columns=list("abcd"))
    y = (X.sum(axis=1) + rng.normal(0, 0.5, 500) > 0.5).astype(int)
    model = GradientBoostingClassifier(n_estimators=30, max_depth=3, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None, rules=None).fit(X, y)
    rules = ew.Constraints(linear=["a <= b + 0.75"] if has_rule else [], min_change="any", unseen="allow")
    n_cuts = 0
    for answer in explainer.explain(X[model.predict(X) == 0].head(12), 1, constraints=rules, ranges=True):
        assert answer.ranges.is_proven
        cuts = {
            column: np.concatenate([tree.threshold[tree.feature == place] for tree in _trees_of(model)])
            for place, column in enumerate(X.columns)
        }
        least = {one.column: one.low for one in answer.ranges}
        most = {one.column: one.high for one in answer.ranges}
        for one in answer.ranges:
            for end, ends, sign in ((one.low, X[one.column].min(), -1), (one.high, X[one.column].max(), 1)):
                own = answer.counterfactual[one.column]
                at_cut = np.abs(cuts[one.column] - end).min() <= 1e-6
                n_cuts += at_cut
                highest = most.get("a", answer.counterfactual["a"]) - least.get("b", answer.counterfactual["b"])
                by_rule = has_rule and one.column in "ab" and highest >= 0.75 - 1e-6
                assert at_cut or end == pytest.approx(ends) or by_rule or end == own, (one.column, end, sign)
    assert n_cuts > 10


def _trees_of(model):
    return [one.tree_ for one in model.estimators_.ravel()]


def test_rules_hold_in_all_of_the_box():
    frame, y = mixed_table()
    numbers = ["income", "debt", "years", "age"]
    before = make_column_transformer((OneHotEncoder(), ["housing", "job"]), (StandardScaler(), numbers))
    model = make_pipeline(before, GradientBoostingClassifier(n_estimators=15, random_state=0)).fit(frame, y)
    explainer = ew.Explainer(model, threshold=0.2).fit(frame, y)
    rules = ew.Constraints(
        linear=["income - 3 * debt <= 20", "years + age <= 60"],
        monotone={"age": "increase"},
        implies={"job == 'smith'": "income <= 30"},
        step={"debt": 0.5},
        min_change={"income": 3.0},
    )
    rng = np.random.default_rng(0)
    wide = 0
    for place in range(6):
        row = frame[model.predict(frame) == "bad"].iloc[place]
        one = explainer.explain_one(row, "good", constraints=rules, ranges=True)
        if not one.found:
            continue
        assert one.ranges.is_proven
        rows = sampled(one, 400, rng).astype({"years": int, "age": int})
        for item in one.ranges:
            if item.column == "debt":
                rows["debt"] = np.clip(np.round(rows["debt"] * 2) / 2, item.low, item.high)
        wide += len(rows.drop_duplicates()) > 1
        assert (model.predict(rows[frame.columns]) == "good").all()
        assert (rows["income"] - 3 * rows["debt"] <= 20).all()
        assert (rows["years"] + rows["age"] <= 60).all()
        assert (rows["age"] >= row["age"]).all()
        assert ((rows["job"] != "smith") | (rows["income"] <= 30)).all()
        moves = (rows["income"] - row["income"]).abs()
        assert ((moves >= 3.0 - 1e-9) | (moves == 0)).all()
    assert wide >= 3


def test_a_regressor_has_ranges():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (200, 3))
    y = X @ [2.0, -1.0, 0.0]
    for model in (LinearRegression().fit(X, y), RandomForestRegressor(8, max_depth=4, random_state=0).fit(X, y)):
        explainer = ew.Explainer(model, density=None).fit(X)
        one = explainer.explain_one(X[np.argmin(y)], (0.5, 1.5), ranges=True)
        assert one.ranges.is_proven
        rows = np.repeat(one.counterfactual[None], 1000, axis=0)
        for item in one.ranges:
            rows[:, int(item.column[1:])] = rng.uniform(item.low, item.high, 1000)
        said = model.predict(rows)
        assert ((said >= 0.5) & (said <= 1.5)).all()


def test_probabilities_and_further_models_are_kept():
    X, y = load_iris(return_X_y=True)
    y = (y == 1).astype(int)
    model, other = LogisticRegression().fit(X, y), RandomForestClassifier(8, max_depth=4, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    one = explainer.explain_one(X[0], 1, min_probability=0.6, other_models=[(other, 1)], ranges=True)
    assert one.ranges.is_proven
    rows = np.repeat(one.counterfactual[None], 1000, axis=0)
    for item in one.ranges:
        rows[:, int(item.column[1:])] = np.random.default_rng(0).uniform(item.low, item.high, 1000)
    assert (model.predict_proba(rows)[:, 1] >= 0.6).all()
    assert (other.predict(rows) == 1).all()


def test_probabilities_of_several_classes_are_kept():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    rng = np.random.default_rng(0)
    for density in (None, "auto"):
        explainer = ew.Explainer(model, density=density, threshold=0.2).fit(X, y)
        for place in (0, 100, 120):
            one = explainer.explain_one(X[place], 1, min_probability=0.6, ranges=True)
            assert one.ranges.is_proven
            rows = np.repeat(one.counterfactual[None], 1000, axis=0)
            for item in one.ranges:
                ends = np.where(rng.random(1000) < 0.5, item.low, item.high)
                inside = rng.uniform(item.low, item.high, 1000)
                rows[:, int(item.column[1:])] = np.where(rng.random(1000) < 0.5, ends, inside)
            assert (model.predict_proba(rows)[:, 1] >= 0.6).all()


def test_what_can_only_be_asked_has_no_proven_ranges():
    X, y = load_iris(return_X_y=True)
    explainer = ew.Explainer(KNeighborsClassifier().fit(X, y)).fit(X, y)
    one = explainer.explain_one(X[0], 1, ranges=True)
    assert not one.ranges.is_proven
    assert all(item.low == item.high for item in one.ranges)
    assert "not proven" in one.ranges.sentence


def test_ranges_come_with_batches_and_words():
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(frame, y), density=None).fit(frame, y)
    answers = explainer.explain(frame.iloc[[0, 60, 120]], 1, ranges=True)
    assert [one is not None for one in answers.ranges] == [True, True, True]
    assert answers[0].ranges.sentence == str(explainer.explain_one(frame.iloc[0], 1, ranges=True).ranges)
    assert "or more (now " in answers[0].ranges.sentence or "between" in answers[0].ranges.sentence
    assert answers[1].ranges.sentence == "Nothing has to change."
    assert f"ranges: {answers[0].ranges.sentence}" in str(answers[0])
    assert "ranges: " in answers[0]._repr_html_()
    record = json.loads(answers[0].to_json())["ranges"]
    assert record["proven"]
    assert [one["low"] for one in record["columns"]] == [one.low for one in answers[0].ranges]
    assert "ranges" not in json.loads(explainer.explain_one(frame.iloc[0], 1).to_json())
    assert explainer.explain_one(frame.iloc[0], 1).ranges is None
    assert answers.take(np.array([2, 0]))[1].ranges is answers.ranges[0]
    with pytest.raises(ew.InvalidInputError, match="ranges must be True or False"):
        explainer.explain(frame, 1, ranges="yes")
    with pytest.raises(ew.InvalidInputError, match="use one of them"):
        explainer.explain(frame, 1, ranges=True, robust_radius=0.1)


@pytest.mark.parametrize(
    ("low", "high", "is_whole", "expected"),
    [
        (0.0, 0.3972, False, (0.0, 0.39)),
        (38412.0, 99000.0, True, (39000.0, 99000.0)),
        (1.0, 3.0, True, (1.0, 3.0)),
        (2.5, 2.5, False, (2.5, 2.5)),
        (-7.31, -0.12, False, (-7.3, -0.2)),
    ],
)
def test_friendly_ends_are_inside(low, high, is_whole, expected):
    found = friendly(low, high, is_whole=is_whole)
    assert found == pytest.approx(expected)
    assert low <= found[0] <= found[1] <= high


def test_ranges_of_all_answers_end_within_the_time_limit(monkeypatch):
    """What the search does not take is shared among answers: their limits add up to no more than the row's."""
    X, y = load_iris(return_X_y=True)
    explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y), density=None).fit(X, y)
    limits, find_box = [], ranges.find_box
    monkeypatch.setattr(ranges, "find_box", lambda *given: limits.append(given[-1]) or find_box(*given))
    answers = explainer.explain_one(X[0], 1, ranges=True, n_counterfactuals=3, time_limit=2.0)
    assert len(answers) == len(limits) > 1
    assert 0.0 < sum(limits) <= 2.0
    limits.clear()
    explainer.explain_one(X[0], 1, ranges=True)
    assert limits == [None]
