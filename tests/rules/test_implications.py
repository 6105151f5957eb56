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


SIGNS = ["==", "!=", "<", "<=", ">", ">="]
KINDS = {"whole": 1.0, "halves": 0.5, "decimals": 0.1, "any": None}
STRICT = {  # each holds at 2.9 or 3.1, and not at 3
    "flag": "x < 3",
    "x >= 3": "not flag",
    "not flag": "3 < x",
    "x <= 3": "flag",
    "flag or z < 2": "x != 3 and z > 1",
}


def explainer_of_steps(kind: str) -> tuple[ew.Explainer, pd.DataFrame]:
    """A model that says 1 where ``x + 2 flag + z > 4.95``, for ``x`` in steps; and training rows."""
    rng, step = np.random.default_rng(8), KINDS[kind] or 0.001
    x = np.round(rng.integers(0, round(8 / step) + 1, 200) * step, 3)
    frame = pd.DataFrame({"x": x.astype(int) if kind == "whole" else x, "flag": rng.random(200) < 0.5})
    frame["z"] = rng.integers(0, 6, 200)
    model = LogisticRegression().fit(frame, rng.integers(0, 2, 200))
    model.coef_, model.intercept_ = np.array([[1.0, 2.0, 1.0]]), np.array([-4.95])
    distance = ew.Manhattan({"x": 1.0, "flag": 2.3, "z": 1.7})
    return ew.Explainer(model, density=None, distance=distance, learn_rules=False).fit(frame, np.arange(200) % 2), frame


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("negated", [False, True], ids=["", "not"])
def test_the_search_reads_a_sign_as_pandas_does(sign, negated):
    explainer, frame = explainer_of_steps("any")
    text = f"not x {sign} 3" if negated else f"x {sign} 3"
    rules = explainer.fitted_.rules(ew.Constraints(implies={"z >= 0": text}))
    points = pd.DataFrame({"x": [0.0, np.nextafter(3.0, 0), 3.0, np.nextafter(3.0, 4), 8.0], "flag": True, "z": 1})
    E = explainer.table_.encode(points)
    keeps = points.eval(text).to_numpy()
    broken = rules.clauses(E).broken(np.arange(len(E)), E).any(axis=1)
    assert np.array_equal(~broken, keeps)
    own = explainer.table_.encode(frame.iloc[:1])
    assert [len(rules.broken(own, E[[k]])) == 0 for k in range(len(E))] == keeps.tolist()


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("condition", list(STRICT))
def test_strict_comparisons_leave_out_their_end(kind, condition):
    explainer, _ = explainer_of_steps(kind)
    step, text = KINDS[kind], f"not ({condition}) or ({STRICT[condition]})"
    rules = ew.Constraints(
        implies={condition: STRICT[condition]}, step={} if step in (None, 1.0) else {"x": step}, min_change="any",
        range="any", bounds={"x": (0, 8), "z": (0, 6)},
    )  # fmt: skip
    own = [3, 1, 5] if kind == "whole" else [3.0, 1.0, 5.0]
    rows = pd.DataFrame({"x": own, "flag": [True, False, False], "z": [1, 3, 0]})
    # the distance is linear in x: the best is at the row's own value, at a sign's end or where the model changes
    ends = [3.0, np.nextafter(3.0, 0), np.nextafter(3.0, 4), *own]
    ends += [4.95 - k + room for k in range(9) for room in (-1e-9, 1e-9)]
    xs = np.unique(ends) if step is None else np.round(np.arange(round(8 / step) + 1) * step, 3)
    table = pd.DataFrame(
        list(itertools.product(xs[(xs >= 0) & (xs <= 8)], [False, True], range(7))), columns=["x", "flag", "z"]
    )
    keeps, said = table.eval(text).to_numpy(), explainer.model.predict(table)
    target = 1 - explainer.model.predict(rows)
    answers = explainer.explain(rows, target, constraints=rules)
    features = explainer.table_.encode(table)
    for place in range(len(rows)):
        away = explainer.distance_(np.repeat(explainer.table_.encode(rows.iloc[[place]]), len(table), axis=0), features)
        best = away[keeps & (said == target[place])].min()
        assert answers[place].status == "optimal"
        assert answers[place].distance == pytest.approx(best, rel=1e-6, abs=1e-9)
    assert answers.counterfactuals.eval(text).all()


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
