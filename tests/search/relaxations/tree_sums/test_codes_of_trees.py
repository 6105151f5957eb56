"""Sums of trees whose columns have codes: the nearest answer, also by way of one, is that of enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier

import elsewise as ew
from elsewise.search import tree_search

CODES = {"a": (-9, -8), "b": (-9,), "c": (99,)}
REGULAR = {"a": range(9), "b": range(1, 8), "c": range(20, 27)}
VALUES = {name: [*CODES[name], *REGULAR[name]] for name in CODES}
MODELS = {
    "forest": RandomForestClassifier(20, max_depth=4, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=20, max_depth=3, random_state=0),
    "histogram boosting": HistGradientBoostingClassifier(max_iter=15, max_leaf_nodes=8),
}
CHANGE = ew.Constraints(codes="change")


def coded_table(n_classes: int = 2, seed: int = 3) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.choice(list(values), 400) for name, values in REGULAR.items()})
    for place, (name, codes) in enumerate(CODES.items()):
        frame.loc[place::8, name] = rng.choice(codes, len(frame.loc[place::8]))
    frame.loc[7::40, :] = [-9, -9, 99]
    score = frame["a"] * 0.4 + frame["b"] * 0.5 - frame["c"] * 0.1 + rng.normal(size=400)
    score += 20.0 * (frame["b"] == -9)  # a code that is good to have
    return frame, np.array(["bad", "fair", "good"])[pd.qcut(score, n_classes, labels=False) + (3 - n_classes)]


def fitted(kind: str, n_classes: int = 2, **given) -> ew.Explainer:
    frame, y = coded_table(n_classes)
    return ew.Explainer(MODELS[kind].fit(frame, y), **{"density": None, "constraints": CHANGE, **given}).fit(frame, y)


def every_row() -> pd.DataFrame:
    return pd.DataFrame(list(itertools.product(*VALUES.values())), columns=list(VALUES))


def nearest(explainer: ew.Explainer, row: pd.DataFrame, table: pd.DataFrame) -> float:
    """Distance of the nearest good row of a table, by looking at all of them; infinite if there is none."""
    features = explainer.table_.encode(table[explainer.model.predict(table) == "good"])
    own = np.repeat(explainer.table_.encode(row), len(features), axis=0)
    return float(explainer.distance_(own, features).min(initial=np.inf))


def check(explainer: ew.Explainer, rows: pd.DataFrame, allowed, **options) -> ew.Explanations:
    """Compare answers with the nearest allowed rows of all; `allowed` tells them in a table, given a row."""
    answers, table = explainer.explain(rows, "good", **options), every_row()
    expected = np.array([nearest(explainer, row, table[allowed(table, row)]) for row in one_by_one(rows)])
    is_found = np.isfinite(expected)
    assert answers.statuses.tolist() == np.where(is_found, "optimal", "infeasible").tolist()
    np.testing.assert_allclose(answers.distances[is_found], expected[is_found], rtol=1e-9)
    np.testing.assert_allclose(answers.lower_bounds[is_found], expected[is_found], rtol=1e-6)
    return answers


def one_by_one(rows: pd.DataFrame) -> list[pd.DataFrame]:
    return [rows.iloc[[place]] for place in range(len(rows))]


def has_code(rows: pd.DataFrame) -> np.ndarray:
    return rows.isin([-9, -8, 99]).to_numpy()


def anything(table: pd.DataFrame, row: pd.DataFrame) -> np.ndarray:
    return np.ones(len(table), dtype=bool)


def some_rows(n_classes: int = 2) -> pd.DataFrame:
    frame, y = coded_table(n_classes)
    return frame[y != "good"].iloc[[0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 60, 70]]


@pytest.mark.parametrize("time_limit", [None, 60.0])
@pytest.mark.parametrize("per_change", [0.0, 0.5])
@pytest.mark.parametrize("kind", MODELS)
def test_codes_are_entered_and_left_where_that_is_nearest(kind, per_change, time_limit):
    explainer = fitted(kind, distance=ew.Scaled(per_change=per_change))
    assert explainer.special_values_ == CODES
    answers = check(explainer, some_rows(), anything, time_limit=time_limit)
    assert has_code(some_rows())[~has_code(answers.counterfactuals)].any()
    alone = check(
        explainer,
        some_rows(),
        lambda table, row: (table[["a", "c"]] == row[["a", "c"]].to_numpy()).all(axis=1).to_numpy(),
        constraints=ew.Constraints(codes="change", immutable=["a", "c"]),
        time_limit=time_limit,
    )
    entered = alone.counterfactuals["b"].to_numpy()[alone.found] == -9
    assert (entered & (some_rows()["b"].to_numpy()[alone.found] != -9)).any()


@pytest.mark.parametrize("kind", MODELS)
def test_several_classes(kind):
    check(fitted(kind, 3), some_rows(3), anything)


def test_with_rules():
    explainer, rows = fitted("boosting"), some_rows()

    def few(table, row):
        return (table != row.to_numpy()).sum(axis=1).to_numpy() <= 1

    def least(table, row):
        return (table["a"] + table["b"] >= -6).to_numpy()

    def implied(table, row):
        return ((table["a"] >= 0) | (table["b"] >= 3)).to_numpy()

    def far(table, row):
        moved = (table - row.to_numpy()).abs()
        return ((moved == 0) | (moved >= 3)).all(axis=1).to_numpy()

    check(explainer, rows, few, constraints=ew.Constraints(codes="change", max_changes=1))
    check(explainer, rows, implied, constraints=ew.Constraints(codes="change", implies={"a < 0": "b >= 3"}))
    check(explainer, rows, far, constraints=ew.Constraints(codes="change", min_change={"a": 3, "b": 3, "c": 3}))
    legal = rows[(rows["a"] + rows["b"] >= -6).to_numpy()]
    check(explainer, legal, least, constraints=ew.Constraints(codes="change", linear=["a + b >= -6"]))


@pytest.mark.parametrize("kind", MODELS)
def test_rules_that_leave_codes_together(kind, monkeypatch):
    explainer, rows = fitted(kind), some_rows()
    asked = []
    keep = tree_search.search_clauses
    monkeypatch.setattr(tree_search, "search_clauses", lambda *given: asked.append(1) or keep(*given))
    together = {"a == -9": "b == -9", "b == -9": "c == 99", "c == 99": "a == -9"}

    def all_or_none(table, row):
        is_coded = (table == [-9, -9, 99]).to_numpy()
        return is_coded.all(axis=1) | ~is_coded.any(axis=1)

    check(explainer, rows, all_or_none, constraints=ew.Constraints(codes="change", implies=together))
    several = {"a > 4": "b > 4", "b > 2": "c < 25", "c < 22": "a < 3"}

    def implied(table, row):
        holds = (table["a"] <= 4) | (table["b"] > 4)
        holds &= (table["b"] <= 2) | (table["c"] < 25)
        return (holds & ((table["c"] >= 22) | (table["a"] < 3))).to_numpy()

    check(explainer, rows, implied, constraints=ew.Constraints(codes="change", implies=several))
    assert len(asked) > 5


def test_no_code_beyond_bounds_is_entered():
    explainer, rows = fitted("forest"), some_rows()
    rows = rows[(rows["a"] > -9) & (rows["c"] < 99)]
    bounds = {"a": (-8, None), "c": (None, 30)}
    check(
        explainer,
        rows,
        lambda table, row: ((table["a"] >= -8) & (table["c"] <= 30)).to_numpy(),
        constraints=ew.Constraints(codes="change", bounds=bounds),
    )


def test_several_answers_change_other_columns():
    explainer, table = fitted("boosting"), every_row()
    rows = some_rows()
    for row in one_by_one(rows[explainer.model.predict(rows) != "good"][:6]):
        answers = explainer.explain_one(row, "good", n_counterfactuals=3, diversity="columns")
        earlier: list[np.ndarray] = []
        for found, distance in zip(answers.counterfactuals.to_numpy(), answers.distances):
            changed = table.to_numpy() != row.to_numpy()
            repeats = [(changed | ~columns).all(axis=1) for columns in earlier]
            is_new = ~np.any(repeats, axis=0) if repeats else np.ones(len(table), dtype=bool)
            assert distance == pytest.approx(nearest(explainer, row, table[is_new]), rel=1e-9)
            earlier.append(found != row.to_numpy()[0])
        assert len(earlier) > 1


@pytest.mark.parametrize("seed", range(4))
def test_numbers_that_are_not_whole(seed):
    # both sides of every cut, codes and ends of the regular range: one of them is nearest in each cell
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.uniform(0, 1, (300, 3)).round(3) + 0.0005, columns=list("abc"))
    for place, name in enumerate(frame):
        frame.loc[place::6, name] = -9.0
    y = (frame.clip(lower=0.3) @ [1.0, -1.0, 0.6] + rng.normal(scale=0.1, size=300) > 0.3).to_numpy()
    model = HistGradientBoostingClassifier(max_iter=5, max_leaf_nodes=5).fit(frame, np.where(y, "good", "bad"))
    constraints = ew.Constraints(codes="change", min_change="any", step="any", unseen="allow")
    explainer = ew.Explainer(model, density=None).fit(frame, np.where(y, "good", "bad"))
    assert explainer.special_values_ == dict.fromkeys("abc", (-9.0,))
    cuts = [set() for _ in range(3)]
    for trees in model._predictors:
        for node in trees[0].nodes:
            if not node["is_leaf"]:
                cuts[node["feature_idx"]].add(float(node["num_threshold"]))
    rows = frame[model.predict(frame) == "bad"].iloc[:8]
    answers = explainer.explain(rows, "good", constraints=constraints)
    for k, row in enumerate(one_by_one(rows)):
        values = []
        for name, of_column in zip(frame, cuts):
            regular = frame[name][frame[name] >= 0]
            some = {float(row.iloc[0][name]), regular.min(), regular.max(), *of_column}
            some |= {float(np.nextafter(cut, np.inf)) for cut in of_column}
            values.append(
                [-9.0, *(value for value in some if value == -9.0 or regular.min() <= value <= regular.max())]
            )
        table = pd.DataFrame(list(itertools.product(*values)), columns=list(frame))
        assert answers.statuses[k] == "optimal"
        assert answers.distances[k] == pytest.approx(nearest(explainer, row, table), rel=1e-8)
