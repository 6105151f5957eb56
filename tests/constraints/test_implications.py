"""Implications: read from text, judged as written, and exact in the search."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import elsewise as ew
from mixed_reference import scip
from mixed_tables import TableReference

LEVELS = {"job": ["clerk", "student", "retired"], "home": ["rent", "own"]}
RULES = {
    "a level and a number": {"job == 'student'": "age < 27"},
    "two ends": {"home == 'own' and age >= 24": "income >= 22 or job in ['retired', 'clerk']"},
    "both ways": {"job == 'retired'": "age > 27", "age > 27": "job == 'retired'"},
    "not and in": {"not job in ['clerk']": "home != 'rent' and 21 <= age <= 28"},
    "a number and a level": {"income == 21": "job == 'student'"},
}
READ = {  # the same, as Python has it
    "a level and a number": lambda r: r["job"] != "student" or r["age"] < 27,
    "two ends": lambda r: (
        not (r["home"] == "own" and r["age"] >= 24) or r["income"] >= 22 or r["job"] in ["retired", "clerk"]
    ),
    "both ways": lambda r: (r["job"] == "retired") == (r["age"] > 27),
    "not and in": lambda r: r["job"] == "clerk" or (r["home"] != "rent" and 21 <= r["age"] <= 28),
    "a number and a level": lambda r: r["income"] != 21 or r["job"] == "student",
}


def people(n: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({name: rng.choice(levels, n) for name, levels in LEVELS.items()})
    frame["age"], frame["income"] = rng.integers(20, 31, n), rng.integers(18, 25, n)
    score = (frame["job"] == "student") + 0.3 * (frame["age"] - 25) + 0.2 * (frame["income"] - 21)
    return frame, (score + rng.logistic(0, 0.5, n) > 0.3).astype(int).to_numpy()


def explainer_of(kind: str, frame: pd.DataFrame, y: np.ndarray, density: object = None) -> ew.Explainer:
    encoder = OneHotEncoder() if kind == "logistic" else OrdinalEncoder()
    model = LogisticRegression() if kind == "logistic" else GradientBoostingClassifier(n_estimators=12, random_state=0)
    encode = make_column_transformer((encoder, list(LEVELS)), (StandardScaler(), ["age", "income"]))
    pipeline = make_pipeline(encode, model).fit(frame, y)
    distance = ew.Manhattan({"age": 0.17, "income": 0.23, "job": 1.2, "home": 0.9})
    return ew.Explainer(pipeline, density=density, distance=distance, learn_rules=False).fit(frame, y)


@pytest.mark.parametrize("kind", ["logistic", "boosted"])
@pytest.mark.parametrize("rule", list(RULES))
def test_the_nearest_answer_is_that_of_enumeration(kind, rule):
    frame, y = people()
    explainer = explainer_of(kind, frame, y)
    table = pd.DataFrame(
        list(itertools.product(*LEVELS.values(), range(12, 39), range(11, 32))), columns=list(frame.columns)
    )
    said = explainer.model.predict(table)
    keeps = np.array([READ[rule](row) for row in table.to_dict("records")])
    rows = frame.iloc[:5]
    target = 1 - explainer.model.predict(rows)
    answers = explainer.explain(rows, target, constraints=ew.Constraints(implies=RULES[rule]))
    features = explainer.table_.encode(table)
    for place in range(len(rows)):
        own = np.repeat(explainer.table_.encode(rows.iloc[[place]]), len(table), axis=0)
        away = explainer.distance_(own, features)
        best = away[keeps & (said == target[place])].min()
        assert answers[place].distance == pytest.approx(best, rel=1e-9)
        assert READ[rule](answers[place].counterfactual)
        assert answers[place].status == "optimal"


@pytest.mark.parametrize("place", [0, 3, 7])
def test_numbers_under_a_density_are_those_of_the_mixed_integer_solver(place):
    pytest.importorskip("pyscipopt")
    frame, y = people()
    frame["age"] = frame["age"] + np.random.default_rng(0).uniform(-0.5, 0.5, len(frame))
    explainer = explainer_of("logistic", frame, y, ew.MixedMixtureDensity(n_components=2))
    row = frame.iloc[place]
    target = int(1 - explainer.model.predict(frame.iloc[[place]])[0])
    answer = explainer.explain_one(row, target, constraints=ew.Constraints(implies={"job == 'student'": "age <= 24"}))
    reference = TableReference(explainer, frame)
    others = [level for level in LEVELS["job"] if level != "student"]
    linear = [({"age": 1.0}, "<=", 24.0)]
    # the rule holds with few years, or with another job
    values = [scip(reference.problem(row, target, {"linear": linear})).value]
    jobs = {"allowed": {"job": others}, "immutable": []}
    if row["job"] == "student":  # staying is always allowed: left out by hand
        problem = reference.problem(row, target, jobs)
        problem.reachable[explainer.table_.feature_names.index("job=student")] = False
    else:
        problem = reference.problem(row, target, jobs)
    values.append(scip(problem).value)
    assert answer.distance == pytest.approx(min(values), rel=1e-6)


def test_a_rule_that_nothing_keeps_is_named():
    frame, y = people()
    explainer = explainer_of("logistic", frame, y)
    row = frame[explainer.model.predict(frame) == 0].iloc[0]
    asked = ew.Constraints(implies={"age >= 0 or age < 0": "income > 90"}, bounds={"income": (None, 40)})
    why = explainer.why_not(row, 1, asked)
    assert set(why.conflict) == {"if age >= 0 or age < 0 then income > 90", "income at most 40"}
    assert {relief.rule: dict(relief.constraints.implies) for relief in why.reliefs}[
        "if age >= 0 or age < 0 then income > 90"
    ] == {}


@pytest.mark.parametrize(
    ("implies", "match"),
    [
        ({"age = 3": "income > 3"}, r"'=' compares nothing. Write == for equal"),
        ({"age == 3": "income >"}, r"does not parse"),
        ({"age == 3": "income + 1"}, r"no comparison of a column"),
        ({"age == income": "job == 'clerk'"}, r"compares two columns, age and income"),
        ({"job == clerk": "age > 3"}, r"compares two columns, job and clerk.*text in quotes"),
        ({"age == 3 & income == 2": "age > 3"}, r"write 'and' and 'or' instead"),
        ({"job in []": "age > 3"}, r"list after 'in' is empty"),
        ({"": "age > 3"}, r"expected conditions as text"),
        ({3: "age > 3"}, r"expected conditions as text"),
        ("age > 3", r"expected \{condition: condition\}"),
    ],
)
def test_malformed_conditions_are_refused_at_once(implies, match):
    with pytest.raises(ew.InvalidInputError, match=match):
        ew.Constraints(implies=implies)


@pytest.mark.parametrize(
    ("implies", "match"),
    [
        ({"agee == 3": "income > 3"}, r"there is no column 'agee'. Did you mean 'age'"),
        ({"job == 'clrk'": "income > 3"}, r"the column 'job' has no level 'clrk'"),
        ({"job < 'clerk'": "income > 3"}, r"category without an order"),
        ({"age == 'x'": "income > 3"}, r"numeric column, compared with 'x'"),
    ],
)
def test_conditions_that_do_not_fit_the_table_are_refused(implies, match):
    frame, y = people()
    explainer = explainer_of("logistic", frame, y)
    with pytest.raises(ew.InvalidInputError, match=match):
        explainer.explain(frame[:1], 1, constraints=ew.Constraints(implies=implies))
