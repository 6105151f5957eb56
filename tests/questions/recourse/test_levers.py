"""Levers against ``explain`` with all other columns immutable, and against lists of all rows of a small table."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew
from listed_table import listed, mixed_table, small_table

ESTIMATORS = {
    "logistic": LogisticRegression(max_iter=1000),
    "boosting": GradientBoostingClassifier(n_estimators=15, random_state=0),
}


def fitted(name: str, **options: object) -> tuple[ew.Explainer, pd.DataFrame]:
    frame, y = mixed_table()
    numbers = ["income", "debt", "years", "age"]
    before = make_column_transformer((OneHotEncoder(), ["housing", "job"]), (StandardScaler(), numbers))
    model = make_pipeline(before, ESTIMATORS[name]).fit(frame, y)
    return ew.Explainer(model, **options).fit(frame, y), frame[model.predict(frame) == "bad"]


@pytest.mark.parametrize("name", list(ESTIMATORS))
@pytest.mark.parametrize("density", ["auto", None])
def test_sets_are_what_explain_says_with_the_rest_immutable(name, density):
    explainer, rows = fitted(name, density=density, threshold=0.3)
    rules = {"monotone": {"age": "increase"}, "bounds": {"debt": (0, 200)}, "immutable": ["job"]}
    columns = ["income", "debt", "years", "age", "housing"]
    for i in (0, 3):
        row = rows.iloc[i]
        levers = explainer.levers(row, "good", constraints=ew.Constraints(**rules))
        assert levers.is_proven
        assert levers.fixed == ("job",)
        enough = {lever.columns: lever for lever in levers}
        for size in (1, 2):
            for some in combinations(columns, size):
                if any(set(known) < set(some) for known in enough):
                    assert some not in enough
                    assert some not in levers.not_enough
                    continue
                held = [column for column in rows if column not in some]
                rest = {**rules, "immutable": held, "monotone": {} if "age" in held else rules["monotone"]}
                alone = explainer.explain(rows.iloc[[i]], "good", constraints=ew.Constraints(**rest))[0]
                if some in enough:
                    found = enough[some].explanation
                    assert alone.status == found.status == "optimal"
                    np.testing.assert_allclose(found.distance, alone.distance, rtol=1e-6)
                    np.testing.assert_allclose(found.plausibility, alone.plausibility, rtol=1e-6)
                    assert {change.feature for change in found.changes} <= set(some)
                    written = found.counterfactual.to_frame().T.astype(rows.dtypes)
                    assert explainer.model.predict(written)[0] == "good"
                else:
                    assert some in levers.not_enough
                    assert alone.status == "infeasible"
        distances = [lever.distance for lever in levers]
        assert distances == sorted(distances)


def test_sets_are_those_of_all_rows():
    frame, y = small_table()
    before = make_column_transformer((OneHotEncoder(), ["colour", "member"]), remainder="passthrough")
    model = make_pipeline(before, GradientBoostingClassifier(n_estimators=30, random_state=0)).fit(frame, y)
    weights = {"years": 1.0, "loans": 1.0, "colour": 1.0, "member": 1.0}
    explainer = ew.Explainer(model, density=None, distance=ew.Manhattan(weights), learn_rules=False).fit(frame, y)
    rules = ew.Constraints(bounds={"years": (0, 4), "loans": (0, 3)})
    for i in np.flatnonzero(model.predict(frame) == "bad")[:5]:
        row = frame.iloc[i]
        every, distances = listed(row, weights)
        works = model.predict(every) == "good"
        changed = np.column_stack([every[name] != row[name] for name in every])
        expected: dict[tuple[str, ...], float] = {}
        for size in (1, 2, 3):
            for some in combinations(range(4), size):
                within = works & ~changed[:, [c for c in range(4) if c not in some]].any(axis=1)
                names = tuple(every.columns[list(some)])
                if within.any() and not any(set(known) < set(names) for known in expected):
                    expected[names] = distances[within].min()
        levers = explainer.levers(row, "good", max_size=3, constraints=rules)
        assert {lever.columns: lever.distance for lever in levers} == pytest.approx(expected)
        assert levers.is_proven


def test_a_row_with_the_outcome_has_nothing_to_change():
    explainer, rows = fitted("logistic")
    levers = explainer.levers(rows.iloc[0], "bad")
    assert levers.has_outcome
    assert len(levers) == 0
    assert "nothing has to change" in levers.sentence


def test_levers_present_themselves():
    explainer, rows = fitted("logistic", density=None)
    levers = explainer.levers(rows.iloc[0], "good", max_size=1)
    assert str(levers).startswith(levers.sentence)
    assert levers[0].columns[0] in levers.sentence
    assert levers[0].columns[0] in levers._repr_html_()
    frame = levers.to_frame()
    assert len(frame) == len(levers.enough) + len(levers.not_enough)
    nothing = explainer.levers(rows.iloc[0], "good", max_size=1, constraints=ew.Constraints(max_changes=0))
    assert nothing.sentence == 'No single column is enough by itself to make the model predict "good" (proven).'


def test_a_regressor_has_levers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    model = LinearRegression().fit(X, X @ [1.0, 2.0, 0.0])
    explainer = ew.Explainer(model, density=None, distance="manhattan", learn_rules=False).fit(X)
    levers = explainer.levers(np.zeros(3), (4.0, None), max_size=1)
    coefs = model.coef_
    assert [lever.columns for lever in levers][:2] == [("x1",), ("x0",)]
    expected = [(4.0 - model.intercept_) / coefs[1], (4.0 - model.intercept_) / coefs[0]]
    np.testing.assert_allclose([lever.distance for lever in levers][:2], expected, rtol=1e-6)


@pytest.mark.parametrize("size", [0, True, 1.5, "2"])
def test_wrong_sizes_are_refused(size):
    explainer, rows = fitted("logistic", density=None)
    with pytest.raises(ew.InvalidInputError, match="max_size must be a whole number"):
        explainer.levers(rows.iloc[0], "good", max_size=size)


def test_too_many_sets_are_refused():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 40))
    explainer = ew.Explainer(LogisticRegression().fit(X, X[:, 0] > 0), density=None).fit(X, X[:, 0] > 0)
    with pytest.raises(ew.InvalidInputError, match="Lower max_size"):
        explainer.levers(X[0], True, max_size=5)


def test_time_may_be_too_short():
    explainer, rows = fitted("boosting")
    levers = explainer.levers(rows.iloc[0], "good", time_limit=1e-6)
    assert levers.unknown
    assert not levers.is_proven


def test_levers_of_a_model_that_is_only_asked():
    """Thresholds of its own are for searches alone that know the model: others have one for all rows."""
    frame, y = small_table()
    before = make_column_transformer((OneHotEncoder(), ["colour", "member"]), remainder="passthrough")
    model = make_pipeline(before, LogisticRegression(max_iter=1000)).fit(frame, y)
    weights = {"years": 3.0, "loans": 3.0, "colour": 2.0, "member": 1.0}
    asked = ew.BlackBox(model.predict, classes=["bad", "good"])
    explainer = ew.Explainer(
        asked, distance=ew.Manhattan(weights), threshold=ew.LogDensity(-4.5), learn_rules=False, rules=None
    ).fit(frame, y)
    rules = ew.Constraints(bounds={"years": (0, 4), "loans": (0, 3)})
    n_enough = 0
    for i in np.flatnonzero(model.predict(frame) == "bad")[:6]:
        row = frame.iloc[i]
        every, _ = listed(row, weights)
        dense = every[explainer.log_density(every, "good") >= -4.5]
        for lever in explainer.levers(row, "good", max_size=2, constraints=rules):
            point = lever.explanation.counterfactual
            assert (dense == point[dense.columns]).all(axis=1).any()
            assert model.predict(point.to_frame().T.astype(frame.dtypes))[0] == "good"
            n_enough += 1
    assert n_enough > 0


def test_bands_of_a_regressor_may_be_the_numbers_at_which_they_begin():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2))
    explainer = ew.Explainer(LinearRegression().fit(X, X @ [2.0, 1.0]), density=None).fit(X)
    row = X[np.argmin(X @ [2.0, 1.0])]
    ladder, same = explainer.ladder(row, [0, 1, 2]), explainer.ladder(row, [(0, 1), (1, 2), (2, None)])
    assert ladder.distances == same.distances
    assert [band.target for band in ladder.bands] == [band.target for band in same.bands]
    down, same = explainer.ladder(-row, [0, -1]), explainer.ladder(-row, [(-1, 0), (None, -1)])
    assert down.distances == same.distances
    with pytest.raises(ew.InvalidInputError, match="all rising or all falling"):
        explainer.ladder(row, [0, 1, 1])
