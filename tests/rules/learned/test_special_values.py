"""Which numbers of a column are taken for codes, and what a row with or beside them may become."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import elsewise as ew
from elsewise.rules.learned.special_values import special_values

RNG = np.random.default_rng(0)
AMOUNTS = RNG.lognormal(8.0, 1.0, 2000).round(2)
COUNTS = RNG.poisson(1.2, 2000).astype(float)
COLUMNS = {
    # with codes
    "days since, or -1": (np.where(RNG.random(2000) < 0.8, -1, RNG.integers(1, 800, 2000)), (-1.0,)),
    "credit bureau": (np.where(RNG.random(2000) < 0.1, RNG.choice([-9, -8, -7], 2000), COUNTS), (-9.0, -8.0, -7.0)),
    "999 for never": (np.where(RNG.random(2000) < 0.3, 999, RNG.integers(0, 28, 2000)), (999.0,)),
    "0 for none beside amounts": (np.where(RNG.random(2000) < 0.4, 0.0, AMOUNTS + 50), (0.0,)),
    "at both ends": (np.where(RNG.random(2000) < 0.1, RNG.choice([-1, 9999], 2000), AMOUNTS % 100), (-1.0, 9999.0)),
    "a million, once": (np.append(COUNTS, 1_000_000.0), (1_000_000.0,)),
    "999,999 of short floats": (np.append(AMOUNTS % 500, [999_999.375] * 2), (999_999.375,)),
    # without
    "a million among large amounts": (np.append(AMOUNTS, 1_000_000.0)[AMOUNTS.argmax() :] + 99_000, ()),
    "a count": (COUNTS, ()),
    "a count with many zeros": (np.where(RNG.random(2000) < 0.8, 0.0, RNG.geometric(0.1, 2000)), ()),
    "an account that may be overdrawn": (RNG.normal(500, 700, 2000).round(), ()),
    "hours up to 99": (RNG.integers(1, 100, 2000), ()),
    "one slip": (np.append(AMOUNTS, -1.0), ()),
    "small whole numbers around zero": (RNG.integers(-2, 30, 2000), ()),
    "a continuous number with some zeros": (np.where(RNG.random(2000) < 0.03, 0.0, AMOUNTS), ()),
    "constant": (np.full(50, -1.0), ()),
    "two values": (np.where(RNG.random(2000) < 0.5, 0.0, 1.0), ()),
}  # fmt: skip


@pytest.mark.parametrize("name", list(COLUMNS))
def test_codes_are_found_where_nothing_else_explains_them(name):
    values, expected = COLUMNS[name]
    assert special_values(np.asarray(values, dtype=float)) == expected
    assert special_values(np.append(np.asarray(values, dtype=float), np.nan)) == expected


def fitted(values: np.ndarray, **options: object) -> tuple[ew.Explainer, pd.DataFrame]:
    frame = pd.DataFrame({"a": values, "b": RNG.integers(0, 100, len(values))})
    model = LinearRegression().fit(frame, frame["a"])
    model.coef_, model.intercept_ = np.array([1.0, 0.1]), 0.0
    return ew.Explainer(model, density=None, distance="manhattan", **options).fit(frame), frame


@pytest.fixture(name="delays")
def explainer_of_delays() -> ew.Explainer:
    values = np.concatenate([np.full(60, -1), np.arange(10, 60), np.arange(10, 60)])
    return fitted(values)[0]


def ask(explainer: ew.Explainer, a: int, low: float, high: float, **rules: object) -> ew.Explanation:
    row = pd.DataFrame({"a": [a], "b": [0]})
    return explainer.explain(row, (low, high), constraints=ew.Constraints(**rules))[0]


def test_a_code_stays_and_is_not_entered(delays):
    assert delays.special_values_ == {"a": (-1.0,)}
    stays = ask(delays, -1, 20.0, 21.0, codes="stay", range="any")
    assert stays.counterfactual.tolist() == [-1, 210]
    down = ask(delays, 12, -1.5, -1.0, range="any", codes="stay")
    assert down.counterfactual.tolist() == [10, -110]
    free = ask(delays, 12, -0.9, -0.5, range="any", special={})
    assert free.distance == pytest.approx(14.0)


def test_codes_that_are_found_stay_unless_they_are_zero(delays):
    stays = ask(delays, -1, 20.0, 21.0, range="any")
    assert stays.counterfactual.tolist() == [-1, 210]
    values = np.concatenate([np.full(60, 0.0), np.arange(100, 160)])
    savers, _ = fitted(values)
    assert savers.special_values_ == {"a": (0.0,)}
    assert ask(savers, 0, 100.0, 101.0, bounds={"b": (0, 0)}).counterfactual.tolist() == [100, 0]


def test_codes_may_change(delays):
    left = ask(delays, -1, 10.0, 12.0, codes="change")
    assert (left.counterfactual.tolist(), left.distance) == ([10, 0], 11.0)
    between = ask(delays, -1, 5.0, 6.0, codes="change")
    assert between.counterfactual.tolist() == [-1, 60]  # no number between the code and 10
    entered = ask(delays, 12, -1.5, -0.5, codes="change")
    assert entered.counterfactual.tolist() == [-1, 0]


@pytest.mark.parametrize(("own", "expected"), [(5, [7, 0]), (-4, [-4, 110])])
def test_a_row_beside_the_codes_may_come_nearer_and_one_beyond_stays(delays, own, expected):
    assert ask(delays, own, 7.0, 7.5, bounds={"b": (0, 300)}, codes="stay").counterfactual.tolist() == expected


def test_declared_codes_replace_those_found():
    values = np.concatenate([np.full(60, -1), np.full(10, 10), np.arange(20, 60)])
    explainer, _ = fitted(values)
    rules = explainer.fitted_.rules(ew.Constraints(special={"a": [-1, 10]}, codes="stay"))
    assert rules.given_names == ("a does not move to or from -1 or 10",)
    rules = explainer.fitted_.rules(ew.Constraints(special={"a": [-1, 10]}))
    assert rules.given_names == ("a is a number of the regular range or one of -1 or 10",)
    assert [name.split(" stays")[0] for name in rules.found_names] == ["b"]


def test_arrays_and_learn_rules_false_have_no_codes():
    values = np.concatenate([np.full(60, -1), np.arange(10, 60)])
    explainer, frame = fitted(values, learn_rules=False)
    assert explainer.special_values_ == {}
    assert explainer.fitted_.rules(None).names == ()
    plain = ew.Explainer(explainer.model, density=None).fit(frame.to_numpy(dtype=float))
    assert plain.special_values_ == {}
    assert plain.fitted_.rules(None).names == ("numbers stay in the range of the training rows",)
    assert plain.fitted_.rules(ew.Constraints(range="any")).names == ()
