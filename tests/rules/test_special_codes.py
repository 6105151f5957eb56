"""Codes that stand for no number and stay, on both sides of regular values: what rows near them may become."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import elsewise as ew

LOW, HIGH = [-9, -7], [997, 999]
RULES = {
    "low": ew.Constraints(special={"a": LOW}, codes="stay"),
    "high": ew.Constraints(special={"a": HIGH}, codes="stay"),
    "both": ew.Constraints(special={"a": [*LOW, *HIGH]}, codes="stay"),
}


def fitted(codes: list[int], dtype: str) -> ew.Explainer:
    """The prediction is ``a + b / 10``; regular values of ``a`` go from 0 to 50, and some rows hold codes."""
    rng = np.random.default_rng(0)
    train = pd.DataFrame({"a": rng.integers(0, 51, size=200), "b": rng.integers(-90, 90, size=200)})
    train.loc[:1, "a"] = [0, 50]
    for place, code in enumerate(codes):
        train.loc[10 + place :: 20, "a"] = code
    model = LinearRegression().fit(train, train["a"])
    model.coef_, model.intercept_ = np.array([1.0, 0.1]), 0.0
    return ew.Explainer(model, density=None, distance="manhattan", learn_rules=False).fit(train.astype(dtype))


def ask(side: str, value: float, target: tuple[float | None, float | None], dtype: str = "int64") -> ew.Explanation:
    codes = {"low": LOW, "high": HIGH, "both": [*LOW, *HIGH]}[side]
    row = pd.DataFrame({"a": [value], "b": [0]}).astype(dtype)
    return fitted(codes, dtype).explain(row, target, constraints=RULES[side])[0]


@pytest.mark.parametrize("side", ["low", "both"])
@pytest.mark.parametrize("value", [-8, -12, -10])
def test_a_row_between_or_beyond_low_codes_is_refused(side, value):
    with pytest.raises(ew.InvalidInputError, match=rf"'a' is {value}, but the special codes .* lie between"):
        ask(side, value, (20.0, None))


@pytest.mark.parametrize("side", ["high", "both"])
@pytest.mark.parametrize("value", [998, 1_000, 2_000])
def test_a_row_between_or_beyond_high_codes_is_refused(side, value):
    with pytest.raises(ew.InvalidInputError, match=rf"'a' is {value}, but the special codes .* lie between"):
        ask(side, value, (20.0, None))


@pytest.mark.parametrize(("side", "code"), [("low", -9), ("low", -7), ("high", 997), ("high", 999), ("both", -7)])
def test_a_code_stays(side, code):
    answer = ask(side, code, (code + 10.0, code + 11.0))
    assert answer.counterfactual["a"] == code
    assert answer.counterfactual["b"] == 100
    down = ask(side, code, (code - 11.0, code - 10.0))
    assert down.counterfactual["a"] == code
    assert down.counterfactual["b"] == -100


@pytest.mark.parametrize("side", ["low", "both"])
def test_regular_values_do_not_go_below_the_regular_ones(side):
    answer = ask(side, 5, (None, -8.0))  # a alone would go to -8, past the code -7
    assert answer.counterfactual["a"] == 0
    assert answer.counterfactual["b"] == -80
    between = ask(side, -3, (None, -8.0))  # further out already, but not beyond a code: it goes no further
    assert between.counterfactual["a"] == -3
    assert between.counterfactual["b"] == -50
    back = ask(side, -3, (20.0, None))
    assert back.counterfactual["a"] == 20


@pytest.mark.parametrize("side", ["high", "both"])
def test_regular_values_do_not_go_above_the_regular_ones(side):
    answer = ask(side, 45, (60.0, None))
    assert answer.counterfactual["a"] == 50
    assert answer.counterfactual["b"] == 100
    between = ask(side, 55, (60.0, None))
    assert between.counterfactual["a"] == 55
    assert between.counterfactual["b"] == 50


def test_without_codes_on_a_side_values_go_beyond_the_regular_ones():
    assert ask("high", 5, (None, -8.0)).counterfactual["a"] == -8
    assert ask("low", 45, (60.0, None)).counterfactual["a"] == 60


def test_codes_among_numbers_that_are_not_whole():
    assert ask("low", -7, (3.0, 4.0), "float64").counterfactual["a"] == -7


def test_changes_of_codes_have_no_difference():
    rules = ew.Constraints(special={"a": LOW}, immutable=["b"])
    explainer = fitted(LOW, "int64")
    rows = pd.DataFrame({"a": [-7, 5, 5], "b": [0, 0, 0]})
    left, entered, regular = (
        explainer.explain(rows.iloc[[k]], target, constraints=rules)[0]
        for k, target in enumerate([(20.0, 21.0), (None, -6.0), (20.0, 21.0)])
    )
    assert (left.changes[0].difference, str(left.changes[0])) == (None, "a: -7 -> 20")
    assert (entered.changes[0].difference, str(entered.changes[0])) == (None, "a: 5 -> -7")
    assert (regular.changes[0].difference, str(regular.changes[0])) == (15.0, "a: 5 -> 20 (+15)")


@pytest.mark.parametrize("special", [None, {"b": [-9]}])
@pytest.mark.parametrize("codes", ["change", "stay"])
def test_regular_values_stay_in_the_range_of_the_training_rows(special, codes):
    train = pd.DataFrame([(a, b) for a in range(5) for b in [-9, 0, 1, 2, 3] * 4], columns=["a", "b"])
    model = LinearRegression().fit(train, train.a + train.b)
    rules = ew.Constraints(special=special, codes=codes, immutable=["a"], derive={})
    explainer = ew.Explainer(model, density=None, rules=None, constraints=rules).fit(train)
    rows = pd.DataFrame({"a": [1, 1, 1, 1], "b": [2, 2, 6, -9]})
    for target, found in (((3.5, None), [3, 3, 6, 3]), ((5.5, None), [None, None, 6, None])):
        answers = explainer.explain(rows, target, on_satisfied="keep")
        for place, expected in enumerate(found if codes == "change" else [*found[:3], None]):
            assert answers[place].status == ("infeasible" if expected is None else "optimal")
            assert expected is None or answers[place].counterfactual["b"] == expected
