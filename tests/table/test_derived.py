"""Formulas of derived columns: what can be read, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.rules.learned.identities import identities_of
from elsewise.table.derived import DerivedColumn, computed, decimals_of, match, read_formula
from elsewise.table.infer import read_table

RNG = np.random.default_rng(0)


def loans(n=200):
    loan, price = RNG.integers(10, 300, n) * 1000, RNG.integers(100, 400, n) * 1000
    a, b = RNG.integers(0, 30, n), RNG.integers(0, 30, n)
    X = pd.DataFrame({"loan": loan, "price": price, "ltv": np.round(loan / price, 2), "a": a, "b": b, "total": a + b})
    return X, (X.ltv < 0.8).astype(int).to_numpy()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a + b - 1", 4.0),
        ("-a * b", -6.0),
        ("100 * a / b", 100 * 2 / 3),
        ("(a + b) / `c d`", 1.25),
        ("1 + a / b", 1 + 2 / 3),
    ],
)
def test_formulas_are_computed_as_they_are_written(text, value):
    columns = {"a": np.array([2.0]), "b": np.array([3.0]), "c d": np.array([4.0])}
    forms = read_formula("x", text)[0]
    assert computed("x", text, columns)[0] == value

    def affine(form):
        return sum(float(factor) * (columns[name][0] if name else 1.0) for name, factor in form.items())

    by_forms = affine(forms.first)
    if forms.second is not None:
        by_forms = by_forms * affine(forms.second) if forms.symbol == "*" else by_forms / affine(forms.second)
    assert by_forms == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    "text", ["a ** 2", "a *", "f(a)", "a * b * c", "a / b / c", "a / 0", "3", "a * b + c", "a < b"]
)
def test_other_formulas_are_refused(text):
    with pytest.raises(ew.InvalidInputError, match="derive: the formula"):
        ew.Constraints(derive={"x": text})


def test_equations_among_linear_rules_say_what_a_column_is():
    rules = ew.Constraints(linear=["total == a + b", "a - b == `d e`", "a <= 3"])
    assert dict(rules.derive) == {"total": "a + b", "d e": "a - b"}
    assert list(rules.linear) == ["a <= 3"]
    with pytest.raises(ew.InvalidInputError, match="leaves no room"):
        ew.Constraints(linear=["a + b == c + d"])


def test_values_are_rounded_as_in_the_data():
    assert decimals_of(np.array([0.25, 0.5])) == 2
    assert decimals_of(np.array([1 / 3])) is None
    rounded = DerivedColumn("x", 0, "a / b", 2, is_rounded=True)
    columns = {"a": np.array([2.0, 1.0]), "b": np.array([3.0, 4.0])}
    assert rounded.values(columns).tolist() == [0.67, 0.25]
    assert DerivedColumn("x", 0, "a + b", 1).values({"a": np.array([0.1]), "b": np.array([0.2])}).tolist() == [0.3]


def test_a_column_is_a_formula_up_to_half_of_its_last_decimal():
    values = np.array([0.67, 0.25, 0.5])
    for off, holds in ((0.0049, True), (0.0051, False)):
        found, is_rounded = match(values, values + np.array([off, 0.0, 0.0]), 2)
        assert is_rounded
        assert found.tolist() == [holds, True, True]


def test_identities_are_found():
    X, _ = loans()
    X["rate"] = np.round(RNG.random(len(X)), 2)
    X["share"] = 100 * X.a / (X.b + 1)
    X["b plus"] = X.b + 1
    X["area"] = X.loan * X.a
    X["twin"] = X.price
    X["left"] = X.loan - X.a
    table = read_table(X)
    assert identities_of(table, table.encode(X)) == {
        "total": "a + b",
        "left": "loan - a",
        "twin": "price",
        "ltv": "loan / price",
        "area": "loan * a",
        "share": "100 * a / `b plus`",
    }


def test_chance_is_no_identity():
    X = pd.DataFrame(RNG.integers(0, 3, (500, 8)), columns=list("abcdefgh"))
    X["i"] = 1.0 * RNG.integers(0, 2, 500)
    table = read_table(X)
    assert identities_of(table, table.encode(X)) == {}
    few = pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6], "c": [5, 7, 9]})
    assert identities_of(read_table(few), read_table(few).encode(few)) == {}


def test_found_identities_are_kept_by_default():
    X, y = loans()
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    assert explainer.derived_ == {"total": "a + b", "ltv": "loan / price"}
    answers = explainer.explain(X[y == 0].head(10), target=1)
    found = answers.counterfactuals
    assert (found.ltv == np.round(found.loan / found.price, 2)).all()
    for constraints, learn in ((ew.Constraints(derive={}), True), (None, False)):
        plain = ew.Explainer(model, density=None, constraints=constraints, learn_rules=learn).fit(X, y)
        assert plain.derived_ == {}


def test_a_column_that_rules_speak_of_is_one_like_any_other():
    X, y = loans()
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None, constraints=ew.Constraints(immutable=["total"])).fit(X, y)
    assert explainer.derived_ == {"ltv": "loan / price"}


def test_bad_formulas_are_refused_at_the_fit():
    X, y = loans()
    model = LogisticRegression().fit(X / X.mean(), y)
    bad = {
        "contradict ltv = price / loan": {"ltv": "price / loan"},
        "there is no column 'prize'.*Did you mean 'price'": {"ltv": "loan / prize"},
        "no column 'x'": {"x": "a + b"},
        "round in a circle: total -> a -> total": {"total": "a + b", "a": "total - b"},
    }
    for words, formulas in bad.items():
        with pytest.raises(ew.InvalidInputError, match=words):
            ew.Explainer(model, density=None, constraints=ew.Constraints(derive=formulas)).fit(X / X.mean(), y)
    X["zero"] = X.a - X.a.iloc[0]
    X["odd"] = np.where(X.zero == 0, 0.0, X.b / X.zero.replace(0, 1))
    model = LogisticRegression().fit(X / 1e5, y)
    with pytest.raises(ew.InvalidInputError, match="divides by 0 in row 0"):
        ew.Explainer(model, density=None, constraints=ew.Constraints(derive={"odd": "b / zero"})).fit(X / 1e5, y)


def test_questions_neither_change_formulas_nor_move_derived_columns():
    X, y = loans()
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    row = X[y == 0].iloc[0]
    with pytest.raises(ew.InvalidInputError, match="settled by the fit"):
        explainer.explain_one(row, 1, constraints=ew.Constraints(derive={"total": "a - b"}))
    with pytest.raises(ew.InvalidInputError, match="'ltv' follows from others"):
        explainer.explain_one(row, 1, constraints=ew.Constraints(immutable=["ltv"]))
    same = ew.Constraints(derive={"total": "b + a", "ltv": "loan/price"})
    assert explainer.explain_one(row, 1, constraints=same).status == "optimal"


def test_a_step_that_derives_says_what_is_wrong():
    with pytest.raises(ew.InvalidInputError, match="expected a data frame"):
        ew.derived({"x": "a + b"}).fit_transform(np.ones((2, 2)))
    with pytest.raises(ew.InvalidInputError, match="there is no column 'b'"):
        ew.derived({"x": "a + b"}).fit_transform(pd.DataFrame({"a": [1.0]}))
    added = ew.derived({"x": "a + b", "y": "x / a"}).set_output(transform="pandas")
    frame = added.fit_transform(pd.DataFrame({"a": [1.0], "b": [2.0]}))
    assert frame.iloc[0].to_dict() == {"a": 1.0, "b": 2.0, "x": 3.0, "y": 3.0}
