"""What columns are taken to be, and what declarations are refused."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from elsewise.errors import InvalidInputError
from elsewise.pipeline import compile_model
from elsewise.table import OneHot, Ordinal, read_table


@pytest.mark.parametrize(
    ("values", "kind", "levels"),
    [
        (pd.Series([1, 2, 3]), "integer", ()),
        (pd.Series([1, 2, None], dtype="Int32"), "integer", ()),
        (pd.Series([1.0, 2.0, 3.0]), "number", ()),
        (pd.Series([1.0, 2.5, None], dtype="Float32"), "number", ()),
        (pd.Series([1.0, 2.0, None], dtype="Float32"), "integer", ()),  # whole numbers, written as floats for the gap
        (pd.Series([3.0, np.nan, -2.0]), "integer", ()),
        (pd.Series([3.0, np.nan, 0.5]), "number", ()),
        (pd.Series([5, 5, 5]), "integer", ()),
        (pd.Series([True, False, True]), "category", (False, True)),
        (pd.Series([True, True, True]), "category", (False, True)),
        (pd.Series([True, None, True], dtype="boolean"), "category", (False, True, None)),
        (pd.Series([True, True, None], dtype=object), "category", (False, True, None)),
        (pd.Series(["b", "a", "b"]), "category", ("a", "b")),
        (pd.Series(["b", "a", None]), "category", ("a", "b", None)),
        (pd.Series(["b", "a", None], dtype="string"), "category", ("a", "b", None)),
        (pd.Series(["same", "same", "same"]), "category", ("same",)),
        (pd.Series(["b", 1, "a"], dtype=object), "category", ("b", 1, "a")),
        (pd.Series([1, 2, 3], dtype=object), "integer", ()),
        (pd.Series([1, 2.5, None], dtype=object), "number", ()),
        (pd.Series(pd.Categorical(["b", "a", "b"], categories=["c", "b", "a"])), "category", ("b", "a")),
        (
            pd.Series(pd.Categorical(["b", "a", "b"], categories=["c", "b", "a"], ordered=True)),
            "ordinal",
            ("b", "a"),
        ),
        (
            pd.Series(pd.Categorical(["b", None, "b"], categories=["b", "a"], ordered=True)),
            "category",
            ("b", None),
        ),
        (pd.Series(pd.Categorical([3, 1, 3])), "category", (1, 3)),
        (pd.Series(pd.cut([1, 5, 9], [0, 4, 10])), "ordinal", (pd.Interval(0, 4), pd.Interval(4, 10))),
    ],
)
def test_dtypes_decide(values, kind, levels):
    (column,) = read_table(pd.DataFrame({"a": values})).columns
    assert (column.kind, column.levels) == (kind, levels)
    assert not column.open
    assert column.fill is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            pd.Series(pd.date_range("2020", periods=2)),
            r"'when' holds dates or times.*days since a date, say\), or drop it",
        ),
        (pd.Series(pd.date_range("2020", periods=2, tz="UTC")), "dates or times"),
        (pd.Series(pd.to_timedelta([1, 2], unit="s")), "dates or times"),
        (pd.Series([datetime.date(2020, 1, 1), None], dtype=object), "dates or times"),
        (pd.Series([[1], [2]]), r"'when' holds values of type list; expected numbers, text.*or drop it"),
        (pd.Series([{"a": 1}, None]), "holds values of type dict"),
        (pd.Series([1j, 2j]), "complex numbers"),
        (pd.Series([None, None], dtype=object), "'when' has no values at all"),
        (pd.Series([None, None], dtype="str"), "'when' has no values at all"),
        (pd.Series(["a", None, np.nan], dtype=object), r"'when' writes missing values in several ways \(None, nan\)"),
    ],
)
def test_columns_without_a_place_are_refused_by_name(values, message):
    with pytest.raises(InvalidInputError, match=message):
        read_table(pd.DataFrame({"when": values}))


def test_arrays_have_no_types():
    for X in (np.eye(2), np.eye(2, dtype=int), np.eye(2, dtype=bool), np.eye(2).astype(object)):
        assert [column.kind for column in read_table(X).columns] == ["number", "number"]
    X = np.array([[1, "a"], [2, "b"]], dtype=object)
    assert [column.kind for column in read_table(X).columns] == ["number", "category"]


def test_names_that_are_no_strings():
    X = pd.DataFrame(np.eye(2), columns=[3, 4])
    table = read_table(X, {"x1": "integer"})
    assert table.names == ("x0", "x1")
    assert not table.named
    np.testing.assert_array_equal(table.encode(X), np.eye(2))


def test_frames_of_other_libraries():
    class Arrow:
        def __init__(self, frame):
            self.frame = frame

        def to_pandas(self):
            return self.frame

    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    table = read_table(Arrow(frame))
    pd.testing.assert_frame_equal(table.decode(table.encode(Arrow(frame)), Arrow(frame)), frame)


def test_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": [1, 2], "b": ["x", None], "c": [True, False], "d": [0.5, 1.5]})
    table = read_table(frame)
    assert [column.kind for column in table.columns] == ["integer", "category", "category", "number"]
    result = table.decode(table.encode(frame)[::-1], frame)
    assert isinstance(result, pd.DataFrame)
    assert result.to_dict("list") == {"a": [2, 1], "b": [None, "x"], "c": [False, True], "d": [1.5, 0.5]}
    model = make_pipeline(
        ColumnTransformer([("cat", OneHotEncoder(), ["b", "c"]), ("num", StandardScaler(), ["a", "d"])]), Ridge()
    ).fit(frame, [0, 1])
    compiled = compile_model(model, frame)
    expected = model[:-1].transform(frame)
    np.testing.assert_allclose(compiled.to_model(compiled.table.encode(frame)), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(model.predict(result), model.predict(frame)[::-1])
    with pytest.raises(InvalidInputError, match=r"received LazyFrame. Collect a lazy frame"):
        read_table(frame.lazy())


# --- declarations ----------------------------------------------------------------------------------------------------


def frame():
    return pd.DataFrame(
        {
            "count": [1, 2, 3],
            "whole": [1.0, 2.0, np.nan],
            "real": [0.5, 1.5, 2.5],
            "bit": [0, 1, 1],
            "word": ["b", "a", "b"],
            "a": [1, 0, 0],
            "b": [0, 1, 0],
            "c": [0, 0, 1],
        }
    )


@pytest.mark.parametrize(
    ("name", "what", "kind", "levels"),
    [
        ("count", "number", "number", ()),
        ("count", "category", "category", (1, 2, 3)),
        ("count", "ordinal", "ordinal", (1, 2, 3)),
        ("count", Ordinal(levels=[3, 2, 1]), "ordinal", (3, 2, 1)),
        ("count", Ordinal(levels=range(5)), "ordinal", (0, 1, 2, 3, 4)),
        ("whole", "integer", "integer", ()),
        ("whole", "category", "category", (1.0, 2.0, None)),
        ("bit", "boolean", "category", (0, 1)),
        ("bit", "integer", "integer", ()),
        ("word", "category", "category", ("a", "b")),
        ("word", Ordinal(levels=["b", "a"]), "ordinal", ("b", "a")),
    ],
)
def test_declarations(name, what, kind, levels):
    table = read_table(frame(), {name: what})
    column = next(column for column in table.columns if column.name == name)
    assert (column.kind, column.levels) == (kind, levels)


def test_constant_bit_has_both_levels():
    assert read_table(pd.DataFrame({"bit": [1.0, 1.0]}), {"bit": "boolean"}).columns[0].levels == (0.0, 1.0)


def test_group_takes_the_place_of_its_first_column():
    table = read_table(frame(), {"group": OneHot(columns=["b", "c", "a"])})
    assert [column.name for column in table.columns] == ["count", "whole", "real", "bit", "word", "group"]
    assert table.columns[-1].sources == (6, 7, 5)
    assert table.columns[-1].levels == ("b", "c", "a")
    assert read_table(frame(), {"a": OneHot(columns=["a", "b", "c"])}).columns[-1].name == "a"


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"cuont": "number"}, r"columns: there is no column 'cuont'; there are count, .* Did you mean 'count'\?"),
        ({"count": "numeric"}, r"expected one of 'number', .* an Ordinal or a OneHot for 'count', received 'numeric'"),
        ({"count": Ordinal}, r"Write Ordinal\(levels=\[...\]\)"),
        ({"count": 3}, r"received 3"),
        (["count"], r"columns: expected a mapping of column names to declarations, received list"),
        ({"word": "number"}, r"'word' is declared 'number', but holds 'b' in row 0; expected numbers"),
        ({"real": "integer"}, r"'real' is declared 'integer', but holds 0.5 in row 0. Round it"),
        ({"count": "boolean"}, r"'count' is declared 'boolean', but holds 2; expected False and True"),
        ({"word": "boolean"}, r"'word' is declared 'boolean', but holds 'a'"),
        ({"word": "ordinal"}, r"have no order of their own. Give the order: ew.Ordinal\(levels=\['a', 'b', ...\]\)"),
        ({"word": Ordinal(levels=["a"])}, r"'word' is declared ordinal, but holds 'b', which is not in levels"),
        ({"word": Ordinal(levels=["a", "b", "a"])}, r"expected distinct values from lowest to highest"),
        ({"word": Ordinal(levels=[])}, r"expected distinct values"),
        ({"whole": Ordinal(levels=[1, 2])}, r"holds missing values, which have no rank. Impute them first"),
        ({"g": OneHot(columns=["a", "b", "d"])}, r"the one-hot group 'g': there is no column 'd'"),
        ({"g": OneHot(columns=["a"])}, r"the one-hot group 'g' needs at least two distinct columns"),
        ({"g": OneHot(columns=["a", "a"])}, r"needs at least two distinct columns"),
        ({"g": OneHot(columns="ab")}, r"needs at least two distinct columns, received 'ab'"),
        (
            {"g": OneHot(columns=["a", "b"], baseline="a")},
            r"baseline 'a' of the one-hot group 'g' is one of its columns",
        ),
        ({"word": OneHot(columns=["a", "b", "c"])}, r"the one-hot group 'word' has the name of a column"),
        (
            {"g": OneHot(columns=["a", "b"], baseline="c"), "h": OneHot(columns=["b", "c"])},
            r"'b' belongs to two one-hot groups, 'g' and 'h'",
        ),
        ({"g": OneHot(columns=["a", "b", "c"]), "a": "number"}, r"'a' is declared by itself and as a member of"),
        ({"g": OneHot(columns=["a", "word"])}, r"expected 0 or 1 in column 'word' of the one-hot group 'g'"),
        ({"g": OneHot(columns=["a", "count"])}, r"expected 0 or 1 in column 'count' .* received 2 in row 1"),
    ],
)
def test_bad_declarations(declared, message):
    with pytest.raises(InvalidInputError, match=message):
        read_table(frame(), declared)


def test_declaration_of_a_name_that_two_columns_have():
    X = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(InvalidInputError, match=r"2 columns have the name 'a'. Rename them"):
        read_table(X, {"a": "number"})
