"""Columns whose dtype holds only some of the values that answers have: they get wider, and no value is cut."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import elsewise as ew

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def explainer():
    """The prediction is ``a + b / 2``, both whole."""
    rng = np.random.default_rng(0)
    train = pandas.DataFrame(rng.integers(-400, 400, size=(300, 2)), columns=["a", "b"])
    model = LinearRegression().fit(train, train["a"] + 0.5 * train["b"])
    model.coef_, model.intercept_ = np.array([1.0, 0.5]), 0.0
    return ew.Explainer(model, density=None, distance="manhattan").fit(train)


# Wanted predictions of rows (3, 0), and where the column "a" has to go, which is cheaper than "b".
WANTED = [(99.5, 101.0), (199.5, 201.0), (-5.0, -3.5), (2.0, 4.0), (-300.0, -299.5)]
WHOLE = [100, 200, -4, 3, -300]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int64", "Int8", "UInt8", "Int64", "float64", "object"])
def test_whole_numbers_that_only_some_fit(explainer, dtype):
    rows = pandas.DataFrame({"a": np.full(5, 3), "b": np.zeros(5, dtype=np.int64)}).astype({"a": dtype})
    answers = explainer.explain(rows, WANTED)
    assert (answers.statuses == "optimal").all()
    returned = answers.counterfactuals
    assert returned["a"].astype(float).tolist() == WHOLE
    assert returned["b"].tolist() == [0] * 5
    np.testing.assert_array_equal(answers.distances, np.abs(np.array(WHOLE) - 3.0))
    predicted = explainer.model.predict(returned.astype(float))
    assert all(low <= value <= high for value, (low, high) in zip(predicted, WANTED, strict=True))
    for i, value in enumerate(WHOLE):  # a row alone has the same values
        alone = explainer.explain(rows.iloc[[i]], WANTED[i])
        assert float(alone.counterfactuals["a"].iloc[0]) == value
    fits = explainer.explain(rows.iloc[[0, 3]], [WANTED[0], WANTED[3]]).counterfactuals
    assert str(fits["a"].dtype) == dtype  # where all values fit the column stays as it is


@pytest.mark.parametrize("dtype", ["int8", "int64", "Int64", "float32", "float64"])
def test_fractions_among_whole_numbers(explainer, dtype):
    rows = pandas.DataFrame({"a": [3, 3, 3], "b": [0, 0, 0]}).astype({"a": dtype, "b": "float64"})
    rules = ew.Constraints(integer=[], bounds={"a": (None, 7)})
    # To 5.25; up to the bound, and "b" does the rest; and not at all.
    answers = explainer.explain(rows, [(5.25, 6.0), (8.0, 9.0), (2.0, 4.0)], constraints=rules)
    moved = answers.counterfactuals["a"].astype(float).tolist()
    assert moved[1:] == [7.0, 3.0]
    assert moved[0] == pytest.approx(5.25, rel=1e-5)
    assert moved[0] != round(moved[0])
    np.testing.assert_allclose(answers.distances, [2.25, 6.0, 0.0], rtol=1e-5)
    predicted = explainer.model.predict(answers.counterfactuals.astype(float))
    assert ((predicted >= [5.25, 8.0, 2.0]) & (predicted <= [6.0, 9.0, 4.0])).all()


def test_levels_that_only_some_rows_know():
    rng = np.random.default_rng(0)
    train = pandas.DataFrame({"kind": rng.choice(["x", "y", "z"], 90), "a": rng.normal(size=90)})
    encode = make_column_transformer((OneHotEncoder(), ["kind"]), ("passthrough", ["a"]))
    value = train["kind"].map({"x": 0.0, "y": 10.0, "z": 20.0})
    model = make_pipeline(encode, LinearRegression()).fit(train, value)
    explainer = ew.Explainer(model, density=None, distance=ew.Manhattan({"a": 1e6})).fit(train)
    rows = pandas.DataFrame({"kind": pandas.Categorical(["x"] * 3, categories=["x", "y"]), "a": np.zeros(3)})
    answers = explainer.explain(rows, [(9.0, 11.0), (19.0, 21.0), (-1.0, 1.0)])
    assert answers.counterfactuals["kind"].tolist() == ["y", "z", "x"]
    assert rows["kind"].cat.categories.tolist() == ["x", "y"]
