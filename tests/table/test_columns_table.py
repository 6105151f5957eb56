"""Rows in columns <-> rows in features: round trips in every dtype, and what is refused."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from elsewise.errors import InvalidInputError
from elsewise.table import OneHot, Ordinal, read_table

SIZES = ["small", "medium", "large"]

COLUMNS = {
    "int64": pd.Series([3, 5, 8], dtype="int64"),
    "int8": pd.Series([3, 5, 8], dtype="int8"),
    "uint16": pd.Series([3, 5, 8], dtype="uint16"),
    "Int64": pd.Series([3, 5, 8], dtype="Int64"),
    "UInt8": pd.Series([3, 5, 8], dtype="UInt8"),
    "float64": pd.Series([0.5, 1.25, -2.0]),
    "float32": pd.Series([0.5, 1.25, -2.0], dtype="float32"),
    "Float64": pd.Series([0.5, 1.25, -2.0], dtype="Float64"),
    "bool": pd.Series([True, False, False]),
    "boolean": pd.Series([True, False, False], dtype="boolean"),
    "boolean with NA": pd.Series([True, pd.NA, False], dtype="boolean"),
    "str": pd.Series(["a", "b", "c"], dtype="str"),
    "str with NaN": pd.Series(["a", np.nan, "c"], dtype="str"),
    "string": pd.Series(["a", "b", pd.NA], dtype="string"),
    "object": pd.Series(["a", "b", "c"], dtype=object),
    "object with None": pd.Series(["a", None, "c"], dtype=object),
    "object with NaN": pd.Series(["a", np.nan, "c"], dtype=object),
    "object numbers": pd.Series([1, 2.5, 7], dtype=object),
    "object integers": pd.Series([1, 2, 7], dtype=object),
    "object booleans": pd.Series([True, False, True], dtype=object),
    "category": pd.Series(["a", "b", "c"], dtype=pd.CategoricalDtype(["c", "d", "b", "a"])),
    "category with NaN": pd.Series(["a", None, "c"], dtype=pd.CategoricalDtype(["c", "b", "a"])),
    "ordered": pd.Series(["small", "large", "medium"], dtype=pd.CategoricalDtype(SIZES, ordered=True)),
    "ordered with NaN": pd.Series(["small", None, "medium"], dtype=pd.CategoricalDtype(SIZES, ordered=True)),
    "category of integers": pd.Series([3, 1, 2], dtype="category"),
    "sparse": pd.Series(pd.arrays.SparseArray([0, 0, 4])),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_every_dtype_comes_back(name):
    X = pd.DataFrame({"z": [0.5, 1.5, 2.5], "column": COLUMNS[name]}).set_axis(["p", "q", "r"])
    table = read_table(X)
    E = table.encode(X)
    pd.testing.assert_frame_equal(table.decode(E, X), X, check_exact=True)
    # every row becomes the next one: same values, same dtype, written where they were not
    order = [1, 2, 0]
    moved = table.decode(E[order], X)
    expected = X.iloc[order].set_axis(X.index)
    pd.testing.assert_frame_equal(moved, expected, check_exact=True)
    if name.startswith("object") and name != "object numbers":
        assert [type(value) for value in moved["column"]] == [type(value) for value in expected["column"]]
    np.testing.assert_array_equal(table.encode(moved), E[order])


@pytest.mark.parametrize("dtype", ["float32", "float16", "Float32", "Sparse[float32]"])
def test_floats_of_few_bits_stay_and_round(dtype):
    X = pd.DataFrame({"a": pd.Series([1, 2, 4]).astype(dtype), "b": [0.5, 1.5, 2.5]})
    table = read_table(X, {"a": "number"})
    E = table.encode(X)
    E[1, 0] = 1 / 3
    result = table.decode(E, X)
    assert result["a"].dtype == X["a"].dtype
    rounded = np.float16(1 / 3) if "16" in dtype else np.float32(1 / 3)
    assert result["a"].tolist() == [1.0, float(rounded), 4.0]
    E[1, 0] = 1e300
    assert table.decode(E, X)["a"].tolist() == [1.0, 1e300, 4.0]


@pytest.mark.parametrize("dtype", ["int8", "Int64", "Sparse[int]"])
def test_values_a_dtype_does_not_hold_are_not_rounded(dtype):
    X = pd.DataFrame({"a": pd.Series([1, 2, 4]).astype(dtype), "b": [0.5, 1.5, 2.5]})
    table = read_table(X, {"a": "number"})
    E = table.encode(X)
    E[1, 0] = 1 / 3
    result = table.decode(E, X)
    assert result["a"].tolist() == [1.0, 1 / 3, 4.0]
    np.testing.assert_array_equal(table.encode(result), E)
    E[1, 0] = 3.0
    assert table.decode(E, X)["a"].dtype == X["a"].dtype
    assert table.decode(E, X)["a"].tolist() == [1, 3, 4]


def mixed():
    return pd.DataFrame(
        {
            "age": [30, 40, 50, 60],
            "income": [1.5, 2.5, 3.5, 4.5],
            "housing": ["own", "rent", "free", "rent"],
            "flag": [True, False, True, True],
            "size": pd.Categorical(["small", "large", "small", "medium"], categories=SIZES, ordered=True),
        }
    )


def test_layout():
    table = read_table(mixed())
    assert table.names == ("age", "income", "housing", "flag", "size")
    assert table.feature_names == (
        "age",
        "income",
        "housing=free",
        "housing=own",
        "housing=rent",
        "flag=False",
        "flag=True",
        "size",
    )
    assert table.n_features == 8
    assert table.group.tolist() == [-1, -1, 0, 0, 0, 1, 1, -1]
    assert table.numeric.tolist() == [0, 1, 7]
    assert [column.kind for column in table.columns] == ["integer", "number", "category", "category", "ordinal"]
    assert [(column.start, column.stop) for column in table.columns] == [(0, 1), (1, 2), (2, 5), (5, 7), (7, 8)]
    assert not table.is_plain
    assert read_table(mixed()[["income"]]).is_plain
    E = table.encode(mixed())
    assert E.tolist()[1] == [40, 2.5, 0, 0, 1, 1, 0, 2]
    assert table.codes(E).tolist() == [[1, 1], [2, 0], [0, 1], [2, 1]]


def test_changed_counts_columns():
    table = read_table(mixed())
    before = table.encode(mixed())
    after = table.encode(mixed().assign(housing="own", age=[30, 41, 50, 60]))
    assert table.changed(before, after).tolist() == [
        [False, False, False, False, False],
        [True, False, True, False, False],
        [False, False, True, False, False],
        [False, False, True, False, False],
    ]


def test_pickle():
    table = pickle.loads(pickle.dumps(read_table(mixed())))
    assert table.columns == read_table(mixed()).columns
    np.testing.assert_array_equal(table.encode(mixed()), read_table(mixed()).encode(mixed()))


def test_only_changed_columns_are_written():
    X = pd.DataFrame({"a": [-0.0, 1.0, 0.1 + 0.2], "b": ["x", "y", "x"]}, index=[7, 7, 9])
    table = read_table(X)
    E = table.encode(X)
    E[0, 1:] = E[1, 1:]
    result = table.decode(E, X)
    assert result["b"].tolist() == ["y", "y", "x"]
    assert np.signbit(result["a"].iloc[0])
    assert result["a"].tolist() == X["a"].tolist()
    assert result.index.tolist() == [7, 7, 9]
    assert X["b"].tolist() == ["x", "y", "x"], "the rows given are left alone"


def test_missing_numbers_and_unseen_categories_are_echoed():
    X = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": ["x", "y", "x"], "c": [1, 2, 3]})
    table = read_table(X)
    columns = [replace(table.columns[0], fill=2.0), replace(table.columns[1], open=True), table.columns[2]]
    table = table.with_columns(columns)
    given = X.assign(b=["castle", "y", "x"])
    E = table.encode(given)
    assert E.tolist() == [[1, 0, 0, 1, 1], [2, 0, 1, 0, 2], [3, 1, 0, 0, 3]]
    E[:, -1] += 1
    pd.testing.assert_frame_equal(table.decode(E, given), given.assign(c=[2, 3, 4]))
    E[1, 0] = 7.0
    E[0, 1:4] = [0, 1, 0]
    result = table.decode(E, given)
    assert result["a"].tolist() == [1.0, 7.0, 3.0]
    assert result["b"].tolist() == ["y", "y", "x"]
    E[1, 1:4] = [0, 0, 1]
    with pytest.raises(InvalidInputError, match=r"column 'b' \(category\) must have one 1 and zeros, at one of its 2"):
        table.decode(E, given)


def test_values_that_do_not_fit_the_dtype():
    X = pd.DataFrame(
        {"small": np.array([1, 2], dtype=np.int8), "whole": [1, 2], "null": pd.array([1, 2], dtype="Int64")}
    )
    table = read_table(X, {"whole": "number", "null": "number"})
    result = table.decode(np.array([[300.0, 1.5, 1.5], [2.0, 2.0, 2.0]]), X)
    assert result.to_dict("list") == {"small": [300, 2], "whole": [1.5, 2.0], "null": [1.5, 2.0]}
    assert result["small"].dtype.kind == "i"


def test_category_dtype_that_lacks_the_level():
    X = pd.DataFrame({"c": pd.Categorical(["a", "b", "c"])})
    table = read_table(X)
    given = pd.DataFrame({"c": pd.Categorical(["a", "a"])})
    result = table.decode(table.encode(X)[:2], given)
    assert result["c"].tolist() == ["a", "b"]


def test_one_hot_groups():
    X = pd.get_dummies(pd.DataFrame({"a": [1.0, 2.0, 3.0], "h": ["own", "rent", "free"]}))
    declared = {"housing": OneHot(columns=["h_free", "h_own", "h_rent"])}
    for dtype in (bool, int, float, "boolean", "Int64", object):
        given = X.astype(dict.fromkeys(["h_free", "h_own", "h_rent"], dtype))
        table = read_table(given, declared)
        E = table.encode(given)
        assert E.tolist() == [[1, 0, 1, 0], [2, 0, 0, 1], [3, 1, 0, 0]]
        pd.testing.assert_frame_equal(table.decode(E, given), given)
        moved = table.decode(E[[1, 2, 0]], given)
        pd.testing.assert_frame_equal(
            moved, given.iloc[[1, 2, 0]].reset_index(drop=True), check_dtype=dtype is not object
        )
    few = X.drop(columns="h_own").astype({"h_free": int, "h_rent": int})
    table = read_table(few, {"housing": OneHot(columns=["h_free", "h_rent"], baseline="own")})
    assert table.columns[1].levels == ("h_free", "h_rent", "own")
    E = table.encode(few)
    assert E[:, 1:].tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    pd.testing.assert_frame_equal(table.decode(E[[2, 0, 1]], few), few.iloc[[2, 0, 1]].reset_index(drop=True))


# --- arrays ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_plain_arrays(dtype):
    X = np.array([[1, 2], [3, 4], [5, 6]], dtype=dtype)
    table = read_table(X)
    assert table.is_plain
    assert table.names == table.feature_names == ("x0", "x1")
    E = table.encode(X)
    np.testing.assert_array_equal(E, X)
    result = table.decode(E + np.array([0.5, 0]), X)
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result, X + np.array([0.5, 0]))
    assert np.isnan(table.decode(np.full_like(E, np.nan), X)).all(), "rows without an answer"
    objects = table.decode(E + np.array([0.5, 0]), X.astype(object))
    assert objects.dtype == np.float64
    np.testing.assert_array_equal(objects, result)


def test_arrays_with_declared_columns():
    X = np.array([[1.0, 2, 0, 1], [3.5, 4, 1, 0], [5.5, 9, 0, 1]])
    table = read_table(X, {"x1": "category", "pair": OneHot(columns=["x2", "x3"])})
    E = table.encode(X)
    assert E.tolist()[0] == [1, 1, 0, 0, 0, 1]
    result = table.decode(E[[1, 2, 0]], X)
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result, X[[1, 2, 0]])


@pytest.mark.parametrize("dtype", [object, str])
def test_arrays_of_text(dtype):
    X = np.array([["a", "x"], ["b", "yyy"]], dtype=dtype)
    table = read_table(X)
    E = table.encode(X)
    np.testing.assert_array_equal(table.decode(E, X), X)
    np.testing.assert_array_equal(table.decode(E[::-1], X), X[::-1])


def test_rows_may_come_as_the_other_form():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    np.testing.assert_array_equal(read_table(frame).encode(frame.to_numpy()), frame.to_numpy())
    np.testing.assert_array_equal(read_table(frame.to_numpy()).encode(frame), frame.to_numpy())


def test_one_row_gets_its_dtypes_back():
    X = pd.DataFrame({name: column.reset_index(drop=True) for name, column in COLUMNS.items() if name != "sparse"})
    table = read_table(X)
    for row in range(3):
        pd.testing.assert_frame_equal(table.one_row(X.iloc[row]), X.iloc[[row]], check_exact=True)
    for name, value in {"int64": 1.5, "bool": "yes", "category": "zz", "float64": "text", "Int64": 2.5}.items():
        odd = X.iloc[0].copy()
        odd[name] = value
        assert table.one_row(odd)[name].tolist() == [value], "left for encode to refuse"
        with pytest.raises(
            InvalidInputError, match=rf"'?{value}'? in row 0, column '{name}'|column '{name}', received"
        ):
            table.encode(table.one_row(odd))
    np.testing.assert_array_equal(read_table(np.eye(2)).one_row([3.0, 4.0]), [[3.0, 4.0]])
    assert read_table(mixed()).one_row([30, 1.5, "own", True, "small"]).tolist() == [[30, 1.5, "own", True, "small"]]


# --- refusals --------------------------------------------------------------------------------------------------------


def with_cell(column, row, value):
    X = mixed().astype({column: object})
    X.loc[row, column] = value
    return X


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (with_cell("age", 2, np.nan), r"X must be finite: received nan in row 2, column 'age'. Impute or drop"),
        (with_cell("age", 1, 40.5), r"X must be whole in columns of integers: received 40.5 in row 1, column 'age'"),
        (with_cell("age", 0, "old"), r"X: expected numbers in column 'age', received 'old' in row 0"),
        (with_cell("income", 3, np.inf), r"X must be finite: received inf in row 3, column 'income'"),
        (
            with_cell("income", 3, pd.Timestamp("2020-01-01")),
            r"expected numbers in column 'income', received Timestamp",
        ),
        (with_cell("income", 3, 1j), r"expected numbers in column 'income', received 1j in row 3"),
        (with_cell("housing", 1, "castle"), r"received 'castle' in row 1, column 'housing'.*known are 'free', 'own'"),
        (with_cell("housing", 1, None), r"received None in row 1, column 'housing'. A missing value"),
        (with_cell("housing", 1, ["own"]), r"received \['own'\] in row 1, column 'housing'"),
        (with_cell("flag", 1, "yes"), r"received 'yes' in row 1, column 'flag'.*known are False, True"),
        (with_cell("size", 1, "huge"), r"received 'huge' in row 1, column 'size'.*'small', 'medium', 'large'"),
        (mixed()[["age"]], r"missing \['income', 'housing', 'flag', 'size'\]"),
        (
            with_cell("age", 0, "41"),
            r"expected numbers in column 'age', received the text '41' in row 0. Convert the col",
        ),
        (
            with_cell("income", 1, 1e308),
            r"X must lie between -1e\+151 and 1e\+151 .* received 1e\+308 in row 1, column",
        ),
        (np.zeros((2, 3)), "X has 3 features, but the explainer and its model expect 5"),
        (np.zeros(5), r"received shape \(5,\)"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_rows_are_named(X, message):
    with pytest.raises(InvalidInputError, match=message):
        read_table(mixed()).encode(X)


def test_several_bad_values_are_counted():
    X = mixed().assign(income=[np.nan, 1.0, np.nan, np.nan])
    with pytest.raises(InvalidInputError, match=r"row 0, column 'income' \(3 such values in all\)"):
        read_table(mixed()).encode(X)
    with pytest.raises(InvalidInputError, match=r"rows must be finite"):
        read_table(mixed()).encode(X, name="rows")


def test_whole_numbers_are_checked_in_frames_of_numbers_too():
    X = pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})
    with pytest.raises(InvalidInputError, match=r"must be whole .* received 1.5 in row 0, column 'a'"):
        read_table(X).encode(pd.DataFrame({"a": [1.5, 2.0], "b": [0.5, 1.5]}))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            [1, 1, 0],
            r"expected exactly one 1 among the columns of the one-hot group 'g' .* received 2 of them in row 1",
        ),
        ([0, 0, 0], r"received 0 of them in row 1. If all zeros stand for a further level"),
        ([0.4, 0.6, 0], r"expected 0 or 1 in column 'a' of the one-hot group 'g', received 0.4 in row 1"),
        ([np.nan, 1, 0], r"received nan in row 1"),
        (["x", 1, 0], r"expected 0 or 1 in column 'a' of the one-hot group 'g', received 'x' in row 1"),
    ],
)
def test_rows_that_break_a_group(row, message):
    good = pd.DataFrame([[1, 0, 0], [0, 1, 0]], columns=list("abc"))
    declared = {"g": OneHot(columns=list("abc"))}
    bad = pd.DataFrame([[1, 0, 0], row], columns=list("abc"))
    with pytest.raises(InvalidInputError, match=message):
        read_table(good, declared).encode(bad)
    with pytest.raises(InvalidInputError, match=message):
        read_table(bad, declared)


def test_drop_first_group_with_two_ones():
    X = pd.DataFrame([[1, 1], [0, 0]], columns=["a", "b"])
    with pytest.raises(InvalidInputError, match=r"expected at most one 1 .* received 2 of them in row 0"):
        read_table(X, {"g": OneHot(columns=["a", "b"], baseline="c")})


def test_features_that_are_no_rows():
    X = mixed()
    table = read_table(X)
    E = table.encode(X)
    for place, value, message in [
        (0, 30.5, r"column 'age' \(integer\) must have whole values, received 30.5"),
        (7, 3.0, r"column 'size' \(ordinal\) must have whole values from 0 to 2, received 3"),
        (7, 0.5, r"column 'size' \(ordinal\) must have whole values from 0 to 2, received 0.5"),
        (2, 0.4, r"column 'housing' \(category\) must have one 1 and zeros"),
    ]:
        wrong = E.copy()
        wrong[0, place] = value
        with pytest.raises(InvalidInputError, match=message):
            table.decode(wrong, X)


def test_missing_values_written_in_another_way_are_not_known():
    X = pd.DataFrame({"a": pd.Series(["x", np.nan], dtype=object)})
    table = read_table(X)
    with pytest.raises(InvalidInputError, match=r"received None in row 1, column 'a'. A missing value written so"):
        table.encode(pd.DataFrame({"a": pd.Series(["x", None], dtype=object)}))


def test_declared_ordinals_round_trip():
    X = pd.DataFrame({"a": ["low", "high", "mid"]})
    table = read_table(X, {"a": Ordinal(levels=["low", "mid", "high"])})
    E = table.encode(X)
    assert E.ravel().tolist() == [0, 2, 1]
    pd.testing.assert_frame_equal(table.decode(E[::-1], X), X[::-1].reset_index(drop=True))
