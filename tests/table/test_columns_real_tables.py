"""German credit and Adult, from the real files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler, TargetEncoder

from elsewise.pipeline import compile_model

DATA = Path(os.environ.get("ELSEWISE_DATA", Path(__file__).parents[3] / "shared" / "data"))
FILES = {"german_credit": "default", "adult": "income", "heloc": "RiskPerformance"}


def load(name):
    path = DATA / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"{path} is not there: set ELSEWISE_DATA to the folder of the data")
    X = pd.read_csv(path)
    return X, X.pop(FILES[name])


def text(X):
    return list(X.select_dtypes(exclude="number").columns)


def numbers(X):
    return list(X.select_dtypes("number").columns)


ENCODERS = [
    OneHotEncoder(handle_unknown="ignore"),
    OneHotEncoder(drop="first", min_frequency=20),
    OrdinalEncoder(),
    TargetEncoder(),
]


@pytest.mark.parametrize("encoder", ENCODERS, ids=str)
@pytest.mark.parametrize("name", ["german_credit", "adult"])
def test_real_tables(name, encoder):
    X, y = load(name)
    model = make_pipeline(
        ColumnTransformer([("num", StandardScaler(), numbers(X)), ("cat", encoder, text(X))]),
        LogisticRegression(max_iter=2000),
    ).fit(X, y)
    table, to_model = (compiled := compile_model(model, X)).table, compiled.to_model
    E = table.encode(X)
    expected = model[:-1].transform(X)
    expected = expected.toarray() if hasattr(expected, "toarray") else expected
    np.testing.assert_allclose(to_model(E), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(compiled.estimator.predict(to_model(E)), model.predict(X))
    pd.testing.assert_frame_equal(table.decode(E, X), X, check_exact=True)
    assert [c.name for c in table.columns if c.kind == "category"] == text(X)
    assert [c.name for c in table.columns if c.kind == "integer"] == numbers(X)
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = table.decode(E[order], X)
    pd.testing.assert_frame_equal(shuffled, X.iloc[order].reset_index(drop=True), check_exact=True)


def test_all_of_german_credit_as_categories_and_with_gaps():
    X, y = load("german_credit")
    rng = np.random.default_rng(0)
    X = X.mask(rng.random(X.shape) < 0.05)
    model = make_pipeline(
        ColumnTransformer(
            [
                ("num", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers(X)),
                (
                    "cat",
                    make_pipeline(SimpleImputer(strategy="constant", fill_value="?"), OneHotEncoder()),
                    make_column_selector(dtype_exclude="number"),
                ),
            ]
        ),
        LogisticRegression(max_iter=2000),
    ).fit(X, y)
    compiled = compile_model(model, X)
    E = compiled.table.encode(X)
    np.testing.assert_allclose(compiled.to_model(E), model[:-1].transform(X).toarray(), rtol=1e-9, atol=1e-12)
    pd.testing.assert_frame_equal(compiled.table.decode(E, X), X, check_exact=True)
    assert all(c.fill is not None for c in compiled.table.columns if c.kind == "number")
    assert all(None in c.levels for c in compiled.table.columns if c.kind == "category")


def test_heloc_is_integers():
    X, y = load("heloc")
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)).fit(X, y)
    compiled = compile_model(model, X)
    assert {c.kind for c in compiled.table.columns} == {"integer"}
    assert compiled.table.n_features == X.shape[1]
    np.testing.assert_array_equal(compiled.table.encode(X), X.to_numpy(dtype=float))
    as_numbers = compile_model(model, X.astype(float))
    assert as_numbers.table.is_plain
    np.testing.assert_array_equal(as_numbers.to_model.matrix, compiled.to_model.matrix)
