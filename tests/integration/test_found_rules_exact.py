"""Rules from the training rows in the search: the nearest answer is that of going through every row there could be."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.tools.report import html_report

CONTACT, OUTCOME, JOB = ["never", "phone", "mail"], ["none", "failure", "success"], ["clerk", "student", "retired"]
SAVINGS = ["few", "some", "many"]
COLUMNS = ["contact", "outcome", "job", "delay", "age", "savings"]
NUMBERS = ["delay", "age"]
# What the table is made never to hold, besides codes of `delay` (-1: never contacted), as a person would say it.
IMPOSSIBLE = {
    "contact and outcome": lambda r: (r["contact"] == "never") != (r["outcome"] == "none"),
    "contact and delay": lambda r: (r["contact"] == "never") != (r["delay"] == -1),
    "outcome and delay": lambda r: (r["outcome"] == "none") != (r["delay"] == -1),
    "job and savings": lambda r: (r["job"] == "student") & (r["savings"] == "many"),
}


def bank(seed: int = 0, n: int = 900) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    contact = rng.choice(CONTACT, n, p=[0.5, 0.3, 0.2])
    was = contact != "never"
    outcome = np.where(was, rng.choice(["failure", "success"], n), "none")
    job = rng.choice(JOB, n)
    age = rng.integers(20, 31, n)
    age = np.where(job == "student", rng.integers(20, 25, n), np.where(job == "retired", rng.integers(26, 31, n), age))
    delay = np.where(was, rng.integers(5, 12, n), -1)
    savings = np.where(job == "student", rng.choice(SAVINGS[:2], n), rng.choice(SAVINGS, n))
    frame = pd.DataFrame({"contact": contact, "outcome": outcome, "job": job, "delay": delay, "age": age})
    return frame.assign(savings=pd.Categorical(savings, SAVINGS, ordered=True))


def fitted(kind: str, density: object, **options: object) -> tuple[ew.Explainer, pd.DataFrame]:
    frame = bank()
    rng = np.random.default_rng(1)
    score = (
        1.5 * (frame["outcome"] == "success") + 0.8 * (frame["contact"] == "mail") + 0.25 * (frame["age"] - 25)
        - 0.2 * frame["delay"] + 0.9 * (frame["job"] == "student") + 0.6 * frame["savings"].cat.codes - 1.6
    )  # fmt: skip
    y = (score + rng.logistic(0, 0.4, len(frame)) > 0).astype(int)
    model = {
        "logistic": LogisticRegression(),
        "tree": DecisionTreeClassifier(max_depth=5, random_state=0),
        "forest": RandomForestClassifier(8, max_depth=4, random_state=0),
    }[kind]
    categories = OneHotEncoder() if kind != "forest" else OrdinalEncoder()
    ranks = OrdinalEncoder(categories=[SAVINGS])
    encode = make_column_transformer(
        (categories, ["contact", "outcome", "job"]), (StandardScaler(), NUMBERS), (ranks, ["savings"])
    )
    pipeline = make_pipeline(encode, model).fit(frame, y)
    distance = ew.Manhattan({"delay": 0.13, "age": 0.21, "job": 1.1, "contact": 0.9, "outcome": 1.3, "savings": 0.7})
    return ew.Explainer(pipeline, density=density, distance=distance, **options).fit(frame, y), frame


def everything(frame: pd.DataFrame, delays: list[int]) -> pd.DataFrame:
    ages = range(frame["age"].min() - 3, frame["age"].max() + 4)
    table = pd.DataFrame(list(itertools.product(CONTACT, OUTCOME, JOB, delays, ages, SAVINGS)), columns=COLUMNS)
    return table.assign(savings=pd.Categorical(table["savings"], SAVINGS, ordered=True))


def distances(explainer: ew.Explainer, row: pd.DataFrame, table: pd.DataFrame) -> np.ndarray:
    features = explainer.table_.encode(table)
    own = np.repeat(explainer.table_.encode(row), len(table), axis=0)
    return np.asarray(explainer.distance_(own, features))


def allowed(row: pd.Series, table: pd.DataFrame, frame: pd.DataFrame, codes: str) -> np.ndarray:
    """Rows that a person would allow: nothing never seen that the row has not itself, numbers in their range."""
    fine = np.ones(len(table), dtype=bool)
    for is_impossible in IMPOSSIBLE.values():
        fine &= ~is_impossible(table) | bool(is_impossible(row))
    for job, ends in (("student", (20, 24)), ("retired", (26, 30))):
        ages = frame.loc[frame["job"] == job, "age"]
        assert (ages.min(), ages.max()) == ends
        beyond = (table["job"] == job) & ~table["age"].between(*ends)
        fine &= ~beyond | bool(row["job"] == job and not ends[0] <= row["age"] <= ends[1])
    for name in NUMBERS:
        regular = frame.loc[frame[name] >= 0, name]
        low, high = regular.min(), regular.max()
        if row[name] >= 0:
            low, high = min(low, row[name]), max(high, row[name])
        inside = table[name].between(low, high)
        if name == "delay":
            may_enter = codes == "change" or row[name] == -1
            inside = (inside & (codes == "change" or row[name] != -1)) | ((table[name] == -1) & may_enter)
        fine &= inside
    return np.asarray(fine)


@pytest.mark.parametrize("codes", ["stay", "change"])
@pytest.mark.parametrize("density", [None, ew.MixedMixtureDensity(n_components=2)], ids=["free", "dense"])
@pytest.mark.parametrize("kind", ["logistic", "tree", "forest"])
def test_the_nearest_answer_is_that_of_enumeration(kind, density, codes):
    explainer, frame = fitted(kind, density)
    assert explainer.special_values_ == {"delay": (-1.0,)}
    table = everything(frame, [-1, *range(1, 14)])
    said = explainer.model.predict(table)
    rows = frame.iloc[[0, 1, 8, 13]].copy()
    rows.iloc[2, 4] = 35  # out of range itself
    rows.iloc[3, :4] = ["never", "success", "student", -1]  # has what is never seen
    target = 1 - explainer.model.predict(rows)
    answers = explainer.explain(rows, target, constraints=ew.Constraints(codes=codes))
    for place in range(len(rows)):
        row, label = rows.iloc[place], target[place]
        fine = allowed(row, table, frame, codes) & (said == label)
        if density is not None:
            fine &= explainer.log_density(table, label) >= explainer.densities_[label].log_threshold_
        if row["age"] == 35:  # beyond the table of enumerated ages
            fine &= (table["age"] <= 33).to_numpy()
        best = distances(explainer, rows.iloc[[place]], table[fine]).min(initial=np.inf)
        if row["age"] == 35:
            stays = everything(frame, [-1, *range(1, 14)]).query("age == 30").assign(age=35)
            stays = pd.concat([stays, stays.assign(age=34)])
            ok = allowed(row, stays, frame, codes) & (explainer.model.predict(stays) == label)
            if density is not None:
                ok &= explainer.log_density(stays, label) >= explainer.densities_[label].log_threshold_
            best = min(best, distances(explainer, rows.iloc[[place]], stays[ok]).min(initial=np.inf))
        got = answers[place].distance if answers[place].status == "optimal" else np.inf
        assert got == pytest.approx(best, rel=1e-9), (place, str(answers[place]))
        assert answers[place].lower_bound <= best * (1 + 1e-9)


def test_what_is_found_is_what_was_made():
    explainer, _ = fitted("logistic", None)
    pairs = {str(pair) for pair in explainer.never_together_}
    for pair in (
        "contact = never and outcome = success", "contact = phone and outcome = none",
        "contact = never and delay not -1", "outcome = failure and delay = -1",
        "job = student and age above 24", "job = retired and age below 26", "job = student and savings = many",
    ):  # fmt: skip
        assert pair in pairs
    assert not any("clerk" in pair for pair in pairs)
    frame = explainer.never_together_.to_frame()
    assert list(frame.columns) == ["first", "second", "expected"]
    assert (frame["expected"] >= 5).all()
    assert "none seen" in repr(explainer.never_together_)


def test_chance_alone_is_not_called_a_rule():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({f"c{k}": rng.choice(list("abcdef"), 400) for k in range(6)})
    frame["x"], frame["n"] = rng.normal(size=400), rng.poisson(3.0, 400)
    y = rng.integers(0, 2, 400)
    encode = make_column_transformer((OneHotEncoder(), [f"c{k}" for k in range(6)]), remainder="passthrough")
    explainer = ew.Explainer(make_pipeline(encode, LogisticRegression()).fit(frame, y), density=None).fit(frame, y)
    assert len(explainer.never_together_) == 0
    assert explainer.special_values_ == {}


def test_switched_off_one_by_one_and_altogether():
    explainer, frame = fitted("logistic", None)
    row = frame[(frame["contact"] == "never") & (explainer.model.predict(frame) == 0)].iloc[[0]]
    kept = explainer.explain(row, 1)[0]
    free = explainer.explain(row, 1, constraints=ew.Constraints(unseen="allow", special={}, range="any"))[0]
    assert free.distance < kept.distance
    never, _ = fitted("logistic", None, learn_rules=False)
    assert never.explain(row, 1)[0].distance == free.distance
    assert len(never.never_together_) == 0
    assert "never seen together" in " ".join(explainer.fitted_.rules(None).names)


def test_why_not_names_the_pair():
    explainer, frame = fitted("logistic", None)
    explainer.model.named_steps["logisticregression"].coef_[:] = 0.0
    names = explainer.model[:-1].get_feature_names_out().tolist()
    place = names.index("onehotencoder__outcome_success")
    explainer.model.named_steps["logisticregression"].coef_[0, place] = 5.0
    explainer.model.named_steps["logisticregression"].intercept_[:] = -1.0
    explainer = ew.Explainer(explainer.model, density=None).fit(frame, explainer.model.predict(frame))
    row = frame[frame["contact"] == "never"].iloc[0]
    asked = ew.Constraints(immutable=["contact"])
    assert explainer.explain(row.to_frame().T.astype(frame.dtypes), 1, constraints=asked)[0].status == "infeasible"
    why = explainer.why_not(row, 1, asked)
    assert why.reason == "rules"
    named = [name for name in why.conflict if name.startswith("never seen together: ")]
    assert len(named) == 1
    assert "outcome = success" in named[0]
    for relief in why.reliefs:
        answer = explainer.explain_one(row, 1, constraints=relief.constraints)
        assert answer.distance == pytest.approx(relief.distance)
        if relief.rule == named[0]:
            assert relief.constraints.unseen == "allow"


def test_the_report_lists_what_was_found():
    explainer, frame = fitted("logistic", None)
    page = html_report(explainer, explainer.explain(frame.iloc[:2], 1))
    assert "never seen together: contact = never and outcome = success" in page
    assert "numbers stay in the range" in page or "age stays in the range" in page
    rules = explainer.fitted_.rules(ew.Constraints(immutable=["age"]))
    assert rules.given_names == ("age stays as it is",)
    assert "never seen together: contact = never and outcome = success" in rules.found_names


def test_rules_are_not_about_numbers_that_are_missing():
    frame, rng = bank(), np.random.default_rng(2)
    y = ((frame["outcome"] == "success") | (frame["age"] > 27)).astype(int)
    frame["delay"] = frame["delay"].astype(float).mask(rng.random(len(frame)) < 0.1)
    for name in ("contact", "outcome", "job"):
        frame[name] = frame[name].astype("category")
    frame = frame.drop(columns="savings")
    model = HistGradientBoostingClassifier(max_iter=15, categorical_features="from_dtype", random_state=0).fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    assert next(column for column in explainer.table_.columns if column.name == "delay").kind == "integer"
    rows = frame[frame["delay"].isna() & (model.predict(frame) == 0)].iloc[:4]
    answers = explainer.explain(rows, 1)
    assert (answers.statuses == "optimal").all()
    assert answers.counterfactuals["delay"].isna().all()
    never = (answers.counterfactuals["contact"] == "never") & (answers.counterfactuals["outcome"] == "success")
    assert not never.any()
