"""Rules that columns suggest: by whole words of names, by levels, by values, and only where the data agree."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew
from elsewise.rules.learned.column_words import (
    direction_by_name,
    education_ranks,
    is_identity,
    is_tenure,
    who_by_levels,
    who_by_name,
    words_of,
)
from elsewise.tools.cli.main import main
from elsewise.tools.files.settings import read_rules

WHO = ["age", "AgeYears", "customer_sex", "sex2", "Geschlecht", "état_civil", "estadoCivil", "nationalité", "edad",
       "date_of_birth", "Staatsangehörigkeit", "n_children", "maritalStatus", "foreign_worker", "RACE"]  # fmt: skip
NOBODY = ["mortgage", "essex", "trace", "wages", "average", "stage", "percentage", "sextant", "account_age", "agency"]


@pytest.mark.parametrize("name", WHO)
def test_names_that_say_who_somebody_is(name):
    assert who_by_name(words_of(name))


@pytest.mark.parametrize("name", NOBODY)
def test_parts_of_words_say_nothing(name):
    assert not who_by_name(words_of(name))


def test_names_are_split_into_words():
    assert words_of("MSinceOldestTradeOpen") == ("m", "since", "oldest", "trade", "open")
    assert words_of("NumTrades60Ever") == ("num", "trades", "60", "ever")
    assert is_tenure(words_of("account_age"))
    assert is_tenure(words_of("present_emp_since"))
    assert is_identity(words_of("customerID"))
    assert not is_identity(words_of("body_mass_index"))
    assert direction_by_name(words_of("debt_to_income")) == "decrease"
    assert direction_by_name(words_of("monthly_income")) == "increase"
    assert direction_by_name(words_of("tax_per_income")) == ""
    assert is_tenure(words_of("years_at_employer"))
    assert is_tenure(words_of("AverageMInFile"))
    assert not is_tenure(words_of("duration_in_month"))
    assert not is_tenure(words_of("months_in_arrears"))
    assert not who_by_name(words_of("health_ins"))


@pytest.mark.parametrize(
    ("levels", "meaning"),
    [(["Male", "Female"], "sex"), (["M", "F"], "sex"), (["male : single", "female : married"], "sex"),
     (["married", "single", "divorced"], "marital status"), (["low", "medium", "high"], ""), (["S", "M", "L"], ""),
     (["White", "Black", "Asian", "Other"], "ethnic origin"), (["white", "red"], "")],
)  # fmt: skip
def test_levels_that_say_who_somebody_is(levels, meaning):
    assert who_by_levels(levels) == meaning


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "customer": np.arange(n) + 10_000,
            "age": rng.integers(18, 80, n),
            "priors_count": rng.integers(0, 4, n),
            "tenure": rng.integers(0, 20, n),
            "income": rng.normal(3000, 500, n).round(2),
            "debt": rng.normal(900, 300, n).round(2),
            "savings": rng.normal(100, 30, n).round(2),
            "mortgage": rng.normal(100, 30, n).round(2),
        }
    )
    y = (frame["income"] - frame["debt"] + rng.normal(0, 300, n) > 2100).astype(int)
    model = LogisticRegression(max_iter=5000).fit(frame / frame.abs().max(), y)
    model.coef_ = model.coef_ / frame.abs().max().to_numpy()[None]
    return frame, y, model


def least_sizes(frame):
    """A twentieth of the interquartile range, rounded down to one digit, and the power of ten that it is in."""
    sizes, units = {}, {}
    for name, values in frame.items():
        text = f"{0.1 * np.subtract(*np.quantile(values, [0.75, 0.25])):.10e}"
        sizes[name], units[name] = float(f"{text[0]}e{text[-3:]}"), float(f"1e{text[-3:]}")
    return sizes, units


def test_rules_of_a_table():
    frame, y, model = table()
    explainer = ew.Explainer(model, density=None, rules=None).fit(frame, y)
    sizes, units = least_sizes(frame[["income", "debt", "savings", "mortgage"]])
    assert explainer.suggest_rules().constraints == ew.Constraints(
        immutable=["customer", "age", "priors_count"],
        monotone={"tenure": "increase by at most 1"},
        min_change=sizes,
        step=units,
    )
    good, bad = explainer.suggest_rules(target=1), explainer.suggest_rules(target=0)
    ways = {"income": "increase", "debt": "decrease", "savings": "increase"}
    waits = {"tenure": "increase by at most 1"}
    assert good.constraints.monotone == {**ways, **waits}
    # neither its name nor the training rows tell which way helps
    assert abs(spearmanr(frame["mortgage"], y).statistic) < 2 / np.sqrt(len(y) - 1)
    assert good.constraints.immutable == ("customer", "age", "priors_count", "mortgage")
    # less income helps: what names call good goes against this outcome, so all of them turn round
    opposite = {"increase": "decrease", "decrease": "increase"}
    assert bad.constraints.monotone == {**{name: opposite[way] for name, way in ways.items()}, **waits}
    told = {rule.column: rule for rule in good.rules if rule.subject != "size"}
    assert f"{spearmanr(frame['income'], y).statistic:+.2f}" in told["income"].reason
    assert told["age"].certainty == "certain"
    assert told["customer"].certainty == "likely"
    assert abs(spearmanr(frame["savings"], y).statistic) < 2 / np.sqrt(len(y) - 1)
    assert told["savings"].certainty == "guess"
    assert str(good).count("\n") == len(good) - 1


def test_directions_of_a_regressor():
    frame, _, _ = table()
    frame = frame[["income", "debt"]]
    model = LinearRegression().fit(frame, frame["income"] - frame["debt"])
    explainer = ew.Explainer(model, density=None).fit(frame, model.predict(frame))
    assert explainer.suggest_rules((3000, None)).constraints.monotone == {"income": "increase", "debt": "decrease"}
    assert explainer.suggest_rules((None, 3000)).constraints.monotone == {"income": "decrease", "debt": "increase"}
    assert explainer.suggest_rules((2000, 3000)).constraints.monotone == {}


def test_levels_with_an_order_of_their_own():
    levels = ["unemployed", "... < 1 year", "1 <= ... < 4 years", ".. >= 4 years"]
    schools = ["HS-grad", "Bachelors", "Masters", "Unknown"]
    frame = pd.DataFrame({"present_emp_since": levels * 20, "education": schools * 20})
    y = np.arange(80) % 3 % 2
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame, y)
    allowed = ew.Explainer(model, density=None).fit(frame, y).suggest_rules().constraints.allowed
    assert allowed["present_emp_since"] == {
        "unemployed": (levels[1],), levels[1]: (levels[2],), levels[2]: (levels[3],), levels[3]: ()
    }  # fmt: skip
    assert allowed["education"] == {"HS-grad": ("Bachelors", "Masters"), "Bachelors": ("Masters",), "Masters": ()}


def test_education_grows_by_few_levels():
    levels = ["1. < HS Grad", "2. HS Grad", "3. Some College", "4. College Grad", "5. Advanced Degree"]
    frame = pd.DataFrame({"education": levels * 20})
    y = np.arange(100) % 3 % 2
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame, y)
    allowed = ew.Explainer(model, density=None).fit(frame, y).suggest_rules().constraints.allowed["education"]
    assert {level: allowed[level] for level in levels} == {
        level: tuple(levels[place + 1 : place + 3]) for place, level in enumerate(levels)
    }


def test_names_without_a_meaning_go_by_the_training_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300), "c": rng.choice(list("xyz"), 300)})
    y = (frame["a"] + 2.0 * (frame["c"] == "z") + rng.normal(size=300) > 0.5).astype(int)
    encode = make_column_transformer((OneHotEncoder(), ["c"]), remainder="passthrough")
    model = make_pipeline(encode, LogisticRegression()).fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    assert abs(spearmanr(frame["b"], y).statistic) < 2 / np.sqrt(299)
    rules = explainer.suggest_rules(target=1)
    assert rules.constraints.monotone == {"a": "increase"}
    assert rules.constraints.immutable == ("b",)
    assert explainer.suggest_rules(target=0).constraints.monotone == {"a": "decrease"}
    # x and y have the outcome about as often, z notably more often
    assert rules.constraints.allowed == {"c": {"x": ("z",), "y": ("z",), "z": ()}}
    assert {rule.certainty for rule in rules.rules} == {"guess"}
    assert explainer.suggest_rules().constraints.monotone == {}


def test_numbered_levels_of_education_are_in_order():
    levels = ["1. < HS Grad", "2. HS Grad", "3. Some College", "4. College Grad", "5. Advanced Degree"]
    assert education_ranks(levels) == dict(zip(levels, [1.0, 2.0, 3.0, 4.0, 5.0]))


def test_names_and_rows_that_contradict_each_other_are_no_advice():
    rng = np.random.default_rng(1)
    income = rng.normal(3000, 700, 400).round()
    frame = pd.DataFrame({"income": income, "debt": (income + rng.normal(0, 400, 400)).round()})
    frame["late_payments"] = rng.poisson(3, 400)
    y = (income - 600 * frame["late_payments"] > 1200).astype(int)
    model = LogisticRegression(max_iter=5000).fit(frame, y)
    explainer = ew.Explainer(model, density=None, rules="suggested").fit(frame, y)
    # who earns more owes more; payments that were late do not make the outcome a bad one
    assert spearmanr(frame["debt"], y).statistic > 0.1
    assert spearmanr(frame["late_payments"], y).statistic < -spearmanr(frame["income"], y).statistic
    rules = explainer.suggest_rules(target=1).constraints
    assert rules.monotone == {"income": "increase"}
    assert rules.immutable == ("debt", "late_payments")
    rows = frame[model.predict(frame) == 0].head(5)
    for answer in explainer.explain(rows, target=1):
        assert not answer.found or [change.feature for change in answer.changes] == ["income"]


def test_names_of_calendars_weather_and_requests_stay():
    fixed = ["weekday", "month", "atemp", "loan_purpose", "housing", "credit_limit", "hsperc", "student", "chist"]
    for name in fixed:
        frame = pd.DataFrame({name: np.arange(90) % 9, "x": np.arange(90) % 7})
        y = np.arange(90) % 3 % 2
        explainer = ew.Explainer(LogisticRegression().fit(frame, y), density=None, rules=None).fit(frame, y)
        assert explainer.suggest_rules().constraints.immutable == (name,), name
    assert direction_by_name(words_of("appinc")) == "increase"
    assert direction_by_name(words_of("zinc")) == ""
    assert direction_by_name(words_of("card_balance")) == "decrease"
    assert direction_by_name(words_of("account_balance")) == "increase"


def test_the_fit_warns_once_of_what_is_free():
    frame, y, model = table()
    with pytest.warns(ew.RulesWarning, match=r"immutable=\['customer', 'age', 'priors_count'\]") as caught:
        ew.Explainer(model, density=None).fit(frame, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    rules = ew.Constraints(immutable=["customer", "priors_count"], monotone={"age": "increase"})
    with warnings.catch_warnings():
        warnings.simplefilter("error", ew.RulesWarning)
        ew.Explainer(model, density=None, constraints=rules).fit(frame, y)
        ew.Explainer(model, density=None, rules=None).fit(frame, y)
        ew.Explainer(model, density=None, rules="suggested").fit(frame, y)
    with pytest.raises(ew.InvalidInputError, match="rules: expected"):
        ew.Explainer(model, density=None, rules="all").fit(frame, y)


def test_suggested_rules_are_used_and_the_users_win():
    frame, y, model = table()
    free = ew.Explainer(model, density=None, rules=None, distance="scaled").fit(frame, y)
    mine = ew.Constraints(monotone={"age": "increase", "mortgage": "decrease"}, max_changes=3)
    bound = ew.Explainer(model, density=None, rules="suggested", constraints=mine).fit(frame, y)
    joint = bound.fitted_.constraints
    sizes, units = least_sizes(frame[["income", "debt", "savings", "mortgage"]])
    assert joint == ew.Constraints(
        immutable=["customer", "priors_count"],
        monotone={"age": "increase", "mortgage": "decrease", "tenure": "increase by at most 1"},
        max_changes=3,
        min_change=sizes,
        step=units,
    )
    rows = frame[model.predict(frame) == 0].head(5)
    for answer in bound.explain(rows, target=1):
        assert not {change.feature for change in answer.changes} & {"customer", "priors_count"}
        for change in answer.changes:
            assert abs(change.difference) >= sizes.get(change.feature, 0)
            assert change.after % units.get(change.feature, 1) == 0
    assert free.fitted_.constraints is None


def test_files_of_rules_say_the_same(tmp_path):
    frame, y, model = table()
    frame["sex"] = np.where(np.arange(len(frame)) % 2, 1, 0)
    model = LogisticRegression(max_iter=10).set_params(max_iter=5000)
    model.fit(frame[["age", "income", "sex"]] / [80, 3000, 1], y)
    explainer = ew.Explainer(model, density=None).fit(frame[["age", "income", "sex"]], y)
    suggested = explainer.suggest_rules(target=1)
    for name in ("rules.toml", "rules.json"):
        suggested.save(tmp_path / name)
        assert read_rules(tmp_path / name) == suggested.constraints
    assert json.loads(suggested.to_json())["immutable"] == ["age", "sex"]
    with pytest.raises(ew.InvalidInputError, match=r"ending in \.toml or \.json"):
        suggested.save(tmp_path / "rules.txt")


def test_the_command_writes_what_the_explainer_suggests(tmp_path, capsys):
    frame, y, model = table()
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    explainer.save(tmp_path / "it.ew")
    asked = ["rules", "suggest", "--explainer", str(tmp_path / "it.ew"), "--target", "1"]
    assert main([*asked, "--output", str(tmp_path / "rules.toml")]) == 0
    assert read_rules(tmp_path / "rules.toml") == explainer.suggest_rules(target=1).constraints
    assert main([*asked, "--output", str(tmp_path / "rules.toml")]) == 1
    capsys.readouterr()
    assert main(asked) == 0
    assert capsys.readouterr().out == (tmp_path / "rules.toml").read_text()


def test_whole_numbers_of_a_wide_range_move_by_more_than_nothing():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"amount": rng.integers(0, 10_000, 100) // 2 * 2, "count": rng.integers(0, 9, 100)})
    y = (frame["amount"] > 5000).astype(int)
    model = LogisticRegression(max_iter=1000).fit(frame, y)
    explainer = ew.Explainer(model, density=None, rules="suggested", columns={"amount": "integer"}).fit(frame, y)
    low, high = np.quantile(frame["amount"], [0.25, 0.75])
    size = explainer.suggest_rules().constraints.min_change["amount"]
    assert 0.05 * (high - low) < size <= 0.1 * (high - low)
    assert list(explainer.suggest_rules().constraints.min_change) == ["amount"]
    assert explainer.suggest_rules().constraints.step == {"amount": 100}
    with pytest.raises(ew.InvalidInputError, match="cannot move by 20000 or more"):
        explainer.explain_one(frame.iloc[0], 1, constraints=ew.Constraints(min_change={"amount": 20_000}))
    own = ew.Explainer(model, density=None, rules="suggested", constraints=ew.Constraints(min_change="any"))
    assert own.fit(frame, y).fitted_.constraints.min_change == "any"


def test_formulas_are_suggested(tmp_path):
    rng = np.random.default_rng(0)
    loan, price = rng.integers(10, 300, 100) * 1000, rng.integers(100, 400, 100) * 1000
    frame = pd.DataFrame({"loan": loan, "price": price, "ltv": (loan / price).round(2)})
    y = (frame["ltv"] < 0.8).astype(int)
    model = LogisticRegression(max_iter=1000).fit(frame / [1e5, 1e5, 1], y)
    frame[["loan", "price"]] //= 1
    model.coef_ = model.coef_ / [1e5, 1e5, 1]
    explainer = ew.Explainer(model, density=None, rules="suggested").fit(frame, y)
    suggested = explainer.suggest_rules()
    assert suggested.constraints.derive == {"ltv": "loan / price"}
    assert "ltv: follows as loan / price (certain)" in str(suggested)
    suggested.save(tmp_path / "rules.toml")
    assert read_rules(tmp_path / "rules.toml") == suggested.constraints
    again = ew.Explainer(model, density=None, constraints=suggested.constraints).fit(frame, y)
    row = frame[model.predict(frame) == 0].iloc[0]
    assert again.explain_one(row, 1).distance == explainer.explain_one(row, 1).distance


def test_weighted_sums_are_found():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rng.integers(100, 4000, 300), "b": rng.gamma(5, 900, 300).round(), "c": rng.random(300)})
    frame["bill"] = (0.31 * frame["a"] + 0.085 * frame["b"] + 12.5).round(2)
    frame["noisy"] = (0.31 * frame["a"] + rng.normal(0, 1, 300)).round(2)
    y = (frame["bill"] < 900).astype(int)
    model = LogisticRegression(max_iter=5000).fit(frame / frame.max(), y)
    model.coef_ = model.coef_ / frame.max().to_numpy()[None]
    explainer = ew.Explainer(model, density=None, rules=None).fit(frame, y)
    assert explainer.derived_ == {"bill": "0.085 * b + 0.31 * a + 12.5"}
    rows = frame[model.predict(frame) == 0].head(5)
    for answer in explainer.explain(rows, target=1):
        then = answer.counterfactual
        assert then["bill"] == pytest.approx(0.31 * then["a"] + 0.085 * then["b"] + 12.5, abs=0.0051)


def test_amounts_on_offer_stay():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"excess": rng.choice([150, 300, 500, 1000], 200), "tens": rng.integers(0, 11, 200) * 10})
    frame["years_licensed"] = rng.integers(0, 40, 200)
    frame["x"] = rng.integers(1, 9, 200)
    y = np.arange(200) % 3 % 2
    explainer = ew.Explainer(LogisticRegression().fit(frame, y), density=None, rules=None).fit(frame, y)
    assert explainer.suggest_rules().constraints.immutable == ("excess",)


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("years_employed", "increase by at most 1"),
        ("months_at_address", "increase by at most 12"),
        ("education_years", "increase by at most 2"),
    ],
)
def test_time_and_education_grow_by_what_one_could_wait_for(name, way):
    frame = pd.DataFrame({name: np.arange(120) % 20, "x": np.arange(120) % 7})
    explainer = ew.Explainer(LogisticRegression().fit(frame, np.arange(120) % 2), density=None, rules=None)
    assert explainer.fit(frame).suggest_rules().constraints.monotone == {name: way}


def test_chains_and_squares_are_found():
    rng = np.random.default_rng(0)
    cold = rng.integers(30, 160, 200) * 10.0
    frame = pd.DataFrame({"pay": rng.gamma(9, 300, 200).round(), "cold": cold, "service": (cold * 0.2).round()})
    frame["warm"], frame["income"] = frame["cold"] + frame["service"], frame["pay"] + 100.0 * (np.arange(200) % 3)
    frame["share"] = (frame["warm"] / frame["income"]).round(3)
    frame["paysq"] = frame["pay"] ** 2
    y = (frame["share"] < frame["share"].median()).astype(int)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, y)
    explainer = ew.Explainer(model, rules="suggested", density=None).fit(frame, y)
    found = {"warm": "1.2 * cold", "service": "0.2 * cold", "share": "warm / income", "paysq": "pay * pay"}
    assert explainer.derived_ == found
    answer = explainer.explain_one(frame[model.predict(frame) == 0].iloc[[0]], 1)
    after = answer.counterfactual
    row = after if isinstance(after, dict) else dict(zip(frame.columns, np.asarray(after).ravel(), strict=True))
    assert row["warm"] == row["cold"] + row["service"]
    assert row["share"] == pytest.approx(row["warm"] / row["income"], abs=0.0005001)
    assert row["paysq"] == pytest.approx(row["pay"] ** 2, rel=1e-6)


def test_columns_that_go_together_by_no_known_formula_stay():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.integers(1, 40, 200).astype(float), "other": rng.integers(0, 30, 200) * 1.0})
    frame["logx"], frame["less"] = np.log(frame["x"]), np.exp(-frame["other"] / 10.0)
    y = (frame["x"] + frame["other"] > 35).astype(int)
    model = LogisticRegression(max_iter=5000).fit(frame, y)
    constraints = ew.Explainer(model, density=None).fit(frame, y).suggest_rules(1).constraints
    assert sorted(constraints.immutable) == ["less", "logx", "other", "x"]
    single = frame[["x", "other"]]
    model = LogisticRegression(max_iter=5000).fit(single, y)
    assert ew.Explainer(model, density=None).fit(single, y).suggest_rules(1).constraints.immutable == ()


def test_employment_that_is_told_in_ranges_grows_by_one():
    levels = ["unemployed", "<1", "1<=X<4", "4<=X<7", ">=7"]
    frame = pd.DataFrame({"employment": np.array(levels)[np.arange(200) % 5], "x": np.arange(200) % 7})
    encode = make_column_transformer((OneHotEncoder(), ["employment"]), remainder="passthrough")
    model = make_pipeline(encode, LogisticRegression()).fit(frame, np.arange(200) % 2)
    allowed = ew.Explainer(model, density=None, rules=None).fit(frame).suggest_rules().constraints.allowed["employment"]
    assert {level: list(reached) for level, reached in allowed.items()} == {
        "unemployed": ["<1"], "<1": ["1<=X<4"], "1<=X<4": ["4<=X<7"], "4<=X<7": [">=7"], ">=7": []
    }  # fmt: skip


def test_ratios_of_ratios_are_kept_in_every_answer():
    rng = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame({"price": rng.integers(60, 480, n) * 100, "income": rng.integers(15, 60, n) * 100})
    frame["deposit"] = (frame["price"] * rng.uniform(0, 0.4, n)).round(-2).astype(int)
    frame["credit"] = frame["price"] - frame["deposit"]
    frame["months"] = rng.choice([24, 36, 48, 60, 72], n)
    frame["rate"] = (frame["credit"] / frame["months"]).round(2)
    frame["share"] = (frame["rate"] / frame["income"]).round(3)
    y = frame["share"] < 0.15
    model = RandomForestClassifier(20, max_depth=5, random_state=0).fit(frame, y)
    explainer = ew.Explainer(model, rules="suggested").fit(frame, y)
    assert explainer.derived_ == {
        "credit": "price - deposit", "rate": "credit / months", "share": "rate / income"
    }  # fmt: skip
    answers = [answer for answer in explainer.explain(frame[~model.predict(frame)].head(8), True) if answer.found]
    assert len(answers) > 3
    for answer in answers:
        then = answer.counterfactual
        assert then["credit"] == then["price"] - then["deposit"]
        assert then["rate"] == round(then["credit"] / then["months"], 2)
        assert then["share"] == round(then["rate"] / then["income"], 3)


def test_levels_without_an_order_go_where_the_outcome_is_more_frequent_whatever_their_name():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"collateral": rng.choice(["none", "vehicle"], 300), "income": rng.integers(10, 90, 300) * 50})
    y = ((frame["collateral"] == "vehicle") & (rng.random(300) < 0.8)).astype(int)
    encode = make_column_transformer((OneHotEncoder(), ["collateral"]), remainder="passthrough")
    model = make_pipeline(encode, LogisticRegression(max_iter=1000)).fit(frame, y)
    rules = ew.Explainer(model, density=None, rules=None).fit(frame, y).suggest_rules(1).constraints
    assert {level: tuple(to) for level, to in rules.allowed["collateral"].items()} == {
        "none": ("vehicle",), "vehicle": ()
    }  # fmt: skip


def test_what_fixed_columns_follow_from_stays():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(25, 60, 200), "educ": rng.integers(8, 18, 200)})
    frame["exper"] = frame["age"] - frame["educ"] - 6
    frame["income"] = rng.integers(10, 90, 200) * 50
    explainer = ew.Explainer(LogisticRegression(max_iter=2000).fit(frame, frame["income"] > 2000), density=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        explainer.fit(frame, frame["income"] > 2000)
    assert explainer.derived_ == {"exper": "age - educ - 6"}
    assert {"age", "educ"} <= set(explainer.suggest_rules().constraints.immutable)


def test_what_is_spent_does_not_turn_directions_round():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"Nettoeinkommen": rng.integers(90, 400, 400) * 10})
    frame["Miete"] = (frame["Nettoeinkommen"] * rng.uniform(0.1, 0.4, 400)).round(-1).astype(int)
    y = (frame["Nettoeinkommen"] + rng.normal(0, 500, 400) > 2400).astype(int)
    model = LogisticRegression(max_iter=2000).fit(frame / 1000, y)
    rules = ew.Explainer(model, density=None, rules=None).fit(frame / 1000, y).suggest_rules(1).constraints
    assert rules.monotone["Nettoeinkommen"] == "increase"
    assert "Miete" in rules.immutable
