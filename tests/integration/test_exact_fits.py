"""Coefficients that are rounding: an exact least-squares fit leaves about 1e-16 where a column has no say.

The nearest answer, or that there is none, is worked out by hand: one whole number is left to move.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import elsewise as ew

FIXED = ew.Constraints(immutable=["a"])


def table(seed: int, n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({name: rng.integers(0, high, n) for name, high in (("a", 30), ("b", 40), ("c", 4_000))})


@pytest.mark.parametrize("seed", range(4))
def test_columns_without_a_say_reach_nothing(seed):
    frame = table(seed)
    target = 3 * frame["a"].to_numpy()
    model = LinearRegression().fit(frame, target)
    assert 0 < np.abs(model.coef_[1:]).max() < 1e-14
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(frame, target)
    answers = explainer.explain(frame.iloc[:2], (100.0, 102.0), constraints=FIXED)
    assert answers.statuses.tolist() == ["infeasible"] * 2
    # over all whole numbers that a double tells apart, the other columns move the prediction by less than needed
    assert 2.0**53 * np.abs(model.coef_[1:]).sum() < (100.0 - model.predict(frame.iloc[:2])).min()


@pytest.mark.parametrize("exponent", [-4, -7, -9, -11, -13])
def test_columns_with_a_small_say(exponent):
    frame = table(0)
    model = LinearRegression().fit(frame, frame["a"])
    model.coef_, model.intercept_ = np.array([3.0, 1.37 * 10.0**exponent, 0.0]), 0.1234
    explainer = ew.Explainer(model, density=None, distance="manhattan", learn_rules=False).fit(frame, frame["a"])
    rows = frame.iloc[:2]
    answers = explainer.explain(rows, (100.0, 102.0), constraints=FIXED)
    missing = 100.0 - model.intercept_ - 3.0 * rows["a"].to_numpy()
    expected = np.ceil(missing / model.coef_[1]) - rows["b"].to_numpy()
    assert answers.statuses.tolist() == ["optimal"] * 2
    np.testing.assert_allclose(answers.distances, expected, rtol=1e-8)
    assert (answers.lower_bounds <= expected).all()
