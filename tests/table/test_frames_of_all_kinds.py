"""Frames as people have them: every kind of column is explained, and comes back in its dtype."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import elsewise as ew


def table():
    rng = np.random.default_rng(0)
    n = 150
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.integers(0, 9, n), "c": rng.choice(list("xyz"), n)})
    frame["f"] = rng.random(n) > 0.5
    return frame, (frame.a + frame.b / 5 + (frame.c == "x") - frame.f > 1).astype(int).to_numpy()


def fitted(frame, y):
    encoder = make_column_transformer((OneHotEncoder(), ["c"]), ("passthrough", ["a", "b", "f"]))
    model = make_pipeline(encoder, LogisticRegression(max_iter=500)).fit(frame, y)
    return model, ew.Explainer(model, density=None, rules=None).fit(frame, y)


KINDS = {
    "plain": lambda frame: frame,
    "nullable": lambda frame: frame.convert_dtypes(),
    "arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "category": lambda frame: frame.astype({"c": "category"}),
    "datetime beside": lambda frame: frame.assign(t=pd.date_range("2020-01-01", periods=len(frame))),
    "timedelta beside": lambda frame: frame.assign(t=pd.to_timedelta(np.arange(len(frame)), "D")),
}


@pytest.mark.parametrize("kind", KINDS)
def test_pandas_columns_come_back_in_their_dtypes(kind):
    if kind == "arrow":
        pytest.importorskip("pyarrow")
    plain, y = table()
    frame = KINDS[kind](plain)
    model, explainer = fitted(frame, y)
    asked = frame[model.predict(frame) == 0][:3]
    answers = explainer.explain(asked, 1)
    pd.testing.assert_series_equal(answers.counterfactuals.dtypes, asked.dtypes)
    assert (model.predict(answers.counterfactuals) == 1).all()
    expected = fitted(plain, y)[1].explain(plain.loc[asked.index], 1)
    np.testing.assert_allclose(answers.distances, expected.distances, rtol=1e-6)


@pytest.mark.parametrize("kind", ["polars", "polars categorical", "polars enum", "pyarrow", "pyarrow dictionary"])
def test_rows_of_other_frames_have_the_same_answers(kind):
    pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    plain, y = table()
    model, explainer = fitted(plain, y)
    asked = plain[model.predict(plain) == 0][:3].reset_index(drop=True)
    rows = polars.from_pandas(asked) if "polars" in kind else _arrow(asked, kind)
    if kind == "polars categorical":
        rows = rows.with_columns(polars.col("c").cast(polars.Categorical))
    if kind == "polars enum":
        rows = rows.with_columns(polars.col("c").cast(polars.Enum(["x", "y", "z"])))
    answers = explainer.explain(rows, 1)
    expected = explainer.explain(asked, 1)
    np.testing.assert_array_equal(answers.distances, expected.distances)
    after = answers.counterfactuals
    assert type(after) is type(rows)
    assert after.schema.equals(rows.schema) if "pyarrow" in kind else after.schema == rows.schema
    own = after.to_pandas().astype(asked.dtypes)
    pd.testing.assert_frame_equal(own, expected.counterfactuals, check_dtype=False)
    assert type(answers[1:].counterfactuals) is type(rows)
    assert len(answers[1:].counterfactuals) == 2
    assert str(answers[1]) == str(expected[1])
    assert [str(one) for one in answers] == [str(one) for one in expected]
    tables = [one.to_frame().astype(object) for one in (answers, expected)]
    pd.testing.assert_frame_equal(*tables)


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_rows_without_answers_are_nulls_in_other_frames(kind):
    pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    plain, y = table()
    model, explainer = fitted(plain, y)
    asked = plain[model.predict(plain) == 0][:3].reset_index(drop=True)
    rows = polars.from_pandas(asked) if kind == "polars" else _arrow(asked, kind)
    answers = explainer.explain(rows, 1, constraints=ew.Constraints(immutable=["a", "b", "c", "f"]))
    assert not answers.found.any()
    after = answers.counterfactuals
    counts = after.null_count().row(0) if kind == "polars" else tuple(column.null_count for column in after.columns)
    assert counts == (3, 3, 3, 3)
    assert after.schema == rows.schema if kind == "polars" else after.schema.types == rows.schema.types


def _arrow(frame, kind):
    import pyarrow

    frame = frame.astype({"c": "category"}) if kind == "pyarrow dictionary" else frame
    return pyarrow.Table.from_pandas(frame, preserve_index=False)
