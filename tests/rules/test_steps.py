"""Steps of columns: how they are declared, found, kept and told."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew
from elsewise.rules.learned.found_steps import step_of


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    n = 400
    made = pd.DataFrame(
        {
            "limit": rng.integers(1, 60, n) * 10_000,
            "rate": rng.integers(1, 60, n) / 20,
            "age": rng.integers(18, 80, n),
            "gaps": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 50, n)),
            "income": np.round(rng.lognormal(8, 0.5, n), 2),
            "weight": rng.normal(70, 10, n),
            "grade": rng.integers(0, 3, n) * 10,
        }
    )
    made.loc[0, "limit"] = 123_456  # a slip
    return made


@pytest.fixture(scope="module")
def explainer(frame) -> ew.Explainer:
    X = frame.drop(columns="gaps")
    y = np.where(X.limit / 1e5 + X.rate - X.age / 20 + X.weight / 30 > 4.2, "yes", "no")
    return ew.Explainer(LogisticRegression(max_iter=5000).fit(X, y), density=None).fit(X, y)


def test_steps_are_found_where_they_mean_something(explainer):
    assert explainer.steps_ == {"limit": 10_000.0, "rate": 0.05}


@pytest.mark.parametrize(
    ("values", "scale", "is_whole", "step"),
    [
        (np.arange(40) * 12.0, 100.0, True, 12.0),
        (np.arange(40) * 12.5, 100.0, False, 12.5),
        (np.arange(40) / 10, 1.0, False, 0.1),
        (np.arange(-20, 20) * 0.25, 2.0, False, 0.25),
        (np.arange(40.0), 10.0, True, None),  # whole anyway
        (np.arange(40.0), 10.0, False, 1.0),
        (np.arange(14) * 2.0, 10.0, True, None),  # too few to tell
        (np.arange(15) * 2.0, 10.0, True, 2.0),
        (np.arange(10) * 6.0, 10.0, True, 6.0),
        (np.arange(4) * 100.0, 10.0, True, None),
        (np.arange(5) / 10, 0.1, False, 0.1),
        (np.round(np.linspace(0, 1, 200), 3), 0.3, False, None),  # too fine to mean anything
        (np.linspace(0, 1, 50) ** 2, 0.3, False, None),
        (np.r_[np.arange(300) % 60 * 100.0, 17.0, 33.0], 900.0, True, 100.0),
        (np.r_[np.arange(300) % 60 * 100.0, np.full(9, 17.0)], 900.0, True, None),  # more than one in a hundred
        (np.zeros(50), 1.0, True, None),
        (np.arange(50) % 2.0, 0.5, False, 1.0),  # floats that are all whole
        (np.append(np.arange(50) % 2.0, 0.5), 0.5, False, None),
        (np.arange(3.0), 1.0, False, None),
    ],
)
def test_a_step_is_the_largest_that_99_in_100_values_are_multiples_of(values, scale, is_whole, step):
    assert step_of(values, scale, is_whole=is_whole) == step


def test_steps_of_short_floats_are_those_that_are_written():
    values = (np.arange(60) / 20).astype(np.float32).astype(float)
    assert step_of(values, 1.0, is_whole=False, is_short=True) == 0.05


def test_arrays_have_no_steps_unless_declared(frame):
    X = frame[["limit", "rate"]].to_numpy()
    y = (X[:, 0] / 1e5 + X[:, 1] > 4).astype(int)
    model = LogisticRegression(max_iter=5000).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    assert explainer.steps_ == {}
    answers = explainer.explain(X[:5], constraints=ew.Constraints(step={"x1": 0.2}))
    moved = answers.counterfactuals[:, 1] != X[:5, 1]
    assert np.isin(answers.counterfactuals[moved, 1], [float(f"{2 * k / 10:.1f}") for k in range(-99, 99)]).all()


def test_answers_are_on_found_steps_and_values_that_are_off_may_stay(explainer, frame):
    X = frame.drop(columns="gaps").iloc[:25]
    answers = explainer.explain(X)
    made = answers.counterfactuals
    assert answers.found.all()
    limit, rate = made["limit"], made["rate"]
    assert ((limit % 10_000 == 0) | (limit == X["limit"])).all()
    assert all(value == float(f"{value:.2f}") and round(value * 100) % 5 == 0 for value in rate)
    assert limit.dtype == X["limit"].dtype


def test_steps_are_switched_off_and_replaced(explainer, frame):
    X = frame.drop(columns="gaps").iloc[:25]
    free = explainer.explain(X, constraints=ew.Constraints(step="any"))
    without = explainer.explain(X, constraints=ew.Constraints(step={"limit": None, "rate": 0}))
    other = explainer.explain(X, constraints=ew.Constraints(step={"limit": 50_000}))
    np.testing.assert_array_equal(free.distances, without.distances)
    kept = explainer.explain(X).distances
    assert (free.distances <= kept + 1e-9).all()
    assert (kept <= other.distances + 1e-9).all()
    assert (free.distances < kept - 1e-9).any()
    limit = other.counterfactuals["limit"]
    assert ((limit % 50_000 == 0) | (limit == X["limit"])).all()


def test_whole_numbers_on_a_step_that_is_not_are_both(frame):
    X = frame[["age", "weight"]]
    y = np.where(X.age + X.weight > 120, "old", "young")
    explainer = ew.Explainer(LogisticRegression(max_iter=5000).fit(X, y), density=None).fit(X, y)
    answers = explainer.explain(X.iloc[:10], constraints=ew.Constraints(step={"age": 2.5}, immutable=["weight"]))
    age = answers.counterfactuals["age"]
    assert ((age % 5 == 0) | (age == X["age"].iloc[:10])).all()


def test_missing_values_stay_missing(frame):
    from sklearn.ensemble import HistGradientBoostingClassifier

    X = frame[["gaps", "rate"]]
    y = np.where(X.gaps.fillna(20) / 50 + X.rate > 2, "yes", "no")
    model = HistGradientBoostingClassifier(max_iter=10).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rows = X[X.gaps.isna()].head(5)
    answers = explainer.explain(rows, constraints=ew.Constraints(step={"gaps": 10, "rate": 0.5}))
    assert answers.found.all()
    assert answers.counterfactuals["gaps"].isna().all()
    rate = answers.counterfactuals["rate"]
    assert ((rate % 0.5 == 0) | (rate == rows["rate"])).all()
    rows = X[X.gaps.notna()].head(5)
    gaps = explainer.explain(rows, constraints=ew.Constraints(step={"gaps": 10})).counterfactuals
    assert ((gaps["gaps"] % 10 == 0) | (gaps["gaps"] == rows["gaps"])).all()


def test_codes_need_not_be_multiples(frame):
    X = frame[["limit", "weight"]].copy()
    X.loc[X.index[:60], "limit"] = -9
    y = np.where(X.limit / 1e5 + X.weight / 30 > 5, "yes", "no")
    explainer = ew.Explainer(LogisticRegression(max_iter=5000).fit(X, y), density=None).fit(X, y)
    assert explainer.special_values_ == {"limit": (-9.0,)}
    assert explainer.steps_ == {"limit": 10_000.0}
    answers = explainer.explain(X.iloc[55:65])
    made, before = answers.counterfactuals["limit"], X["limit"].iloc[55:65]
    assert (made[before == -9] == -9).all()
    assert ((made % 10_000 == 0) | (made == before)).all()
    entered = explainer.explain(X.iloc[55:65], constraints=ew.Constraints(codes="change"))
    assert entered.found.all()
    with pytest.raises(ew.InvalidInputError, match="special code -9, which is no multiple of 10,000"):
        explainer.explain(X.iloc[:2], constraints=ew.Constraints(codes="change", step={"limit": 10_000}))


def test_frontiers_and_plans_keep_steps(frame):
    X = frame[["limit", "rate", "weight"]]
    y = np.where(X.limit / 1e5 + X.rate + X.weight / 30 > 6, "yes", "no")
    explainer = ew.Explainer(LogisticRegression(max_iter=5000).fit(X, y)).fit(X, y)
    row = X[explainer.model.predict(X) == "no"].iloc[0]
    for answer in explainer.frontier(row, "yes").explanations:
        if answer.found:
            assert answer.counterfactual["limit"] % 10_000 == 0
            assert round(answer.counterfactual["rate"] * 100) % 5 == 0
    answer = explainer.explain_one(row, "yes", constraints=ew.Constraints(bounds={"rate": (row.rate, row.rate)}))
    assert answer.counterfactual["limit"] - row["limit"] >= 30_000
    limits = [step.row["limit"] for step in explainer.plan(answer, parts={"limit": 3}).steps]
    assert all(limit % 10_000 == 0 for limit in limits)
    assert len({*limits, row["limit"]}) == 4


def test_rules_of_files_have_steps():
    rules = ew.Constraints(step={"limit": 10_000, "rate": None})
    assert ew.Constraints.from_mapping(json.loads(json.dumps(rules.to_mapping()))) == rules
    assert ew.Constraints.from_mapping({"step": {"rate": 0}}).step == {"rate": None}


@pytest.mark.parametrize("step", [3, {"a": -1}, {"a": "x"}, {"a": np.inf}, {"a": True}, {1: 2.0}, "every"])
def test_steps_of_another_form_are_refused(step):
    with pytest.raises(ew.InvalidInputError, match="step: expected"):
        ew.Constraints(step=step)


def test_steps_are_about_numeric_columns_that_are_there(explainer, frame):
    X = frame.drop(columns="gaps").iloc[:1]
    with pytest.raises(ew.InvalidInputError, match=r"step: there is no column 'limits'\. Did you mean 'limit'"):
        explainer.explain(X, constraints=ew.Constraints(step={"limits": 5}))


def test_paths_pass_found_steps_and_refuse_declared_ones(frame):
    X = frame[["rate", "weight"]]
    y = np.where(X.rate + X.weight / 30 > 4, "yes", "no")
    explainer = ew.Explainer(LogisticRegression().fit(X, y)).fit(X, y)
    assert explainer.steps_ == {"rate": 0.05}
    row = X[y == "no"].iloc[0]
    assert explainer.path(row, "yes") is not None
    with pytest.raises(ew.InvalidInputError, match="'rate' moves in steps"):
        explainer.path(row, "yes", constraints=ew.Constraints(step={"rate": 0.1}))


def test_the_least_change_by_default_is_a_step_or_2_percent_of_the_scale(explainer):
    rules = explainer.fitted_.rules(ew.Constraints(min_change="auto"))
    scales = dict(zip(explainer.table_.feature_names, explainer.fitted_.scales, strict=True))
    least = dict(zip(explainer.table_.feature_names, rules.least_moves, strict=True))
    assert least["limit"] == least["rate"] == 0  # one step is more
    assert least["age"] == 0 < 0.02 * scales["age"] < 1
    assert least["income"] == pytest.approx(0.02 * scales["income"])
    assert least["weight"] == pytest.approx(0.02 * scales["weight"])
