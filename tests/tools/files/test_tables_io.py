"""CSV and Parquet: rows come back as the columns were trained."""

import sys

import numpy as np
import pytest

import elsewise as ew
from elsewise.table import read_table
from elsewise.tools.files.tables import read_frame, read_rows, write_frame

pandas = pytest.importorskip("pandas")


@pytest.fixture
def frame():
    """A column of every kind that CSV forgets."""
    return pandas.DataFrame(
        {
            "text_with_gaps": ["a", None, "b"],
            "whole": np.array([1, 2, 300], dtype=np.int64),
            "small": np.array([1, 2, 3], dtype=np.int8),
            "number": [0.1, 1e-300, 1 / 3],
            "single": np.array([0.1, 2.5, 1 / 3], dtype=np.float32),
            "flag": [True, False, True],
            "text": ["007", "NA", "x, \"y\"\nz"],
            "code": pandas.Categorical([10, 20, 10], categories=[10, 20, 30]),
            "level": pandas.Categorical(["low", "high", "low"], categories=["low", "high"], ordered=True),
            "maybe": pandas.array([1, 2, 3], dtype="Int64"),
            "yes": pandas.array([True, False, True], dtype="boolean"),
            "object": pandas.Series(["a", None, "b"], dtype=object),
        }
    )  # fmt: skip


def _round_trip(frame, path):
    write_frame(frame, path)
    return read_rows(path, read_table(frame))


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_rows_come_back_in_their_dtypes(frame, tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    read = _round_trip(frame, tmp_path / name)
    pandas.testing.assert_frame_equal(read.columns, frame)
    assert read.others.shape == (3, 0)


def test_columns_are_found_by_name_and_others_set_aside(frame, tmp_path):
    shuffled = frame[frame.columns[::-1]].assign(id=["01", "02", ""])
    write_frame(shuffled, tmp_path / "rows.csv")
    read = read_rows(tmp_path / "rows.csv", read_table(frame))
    pandas.testing.assert_frame_equal(read.columns, frame)
    assert read.others["id"].tolist() == ["01", "02", ""]


def test_other_ways_to_write_the_same_are_understood(frame, tmp_path):
    path = tmp_path / "rows.csv"
    line = ",".join(frame.columns)
    path.write_text(f"{line}\na,2.0,3,1e0, 0.1,true,007,20.0,high,7.0,0,a\n")
    row = read_rows(path, read_table(frame)).columns.iloc[0]
    assert row["whole"] == 2
    assert row["number"] == 1.0
    assert row["flag"] is np.True_ or row["flag"] is True
    assert row["code"] == 20
    assert row["maybe"] == 7
    assert not row["yes"]


def test_what_cannot_be_stays_for_the_table_to_refuse(frame, tmp_path):
    for column, word, message in [
        ("whole", "many", "expected numbers in column 'whole', received 'many' in row 0"),
        ("whole", "2.5", "must be whole in columns of integers: received 2.5 in row 0"),
        ("whole", "", "must be finite: received nan in row 0, column 'whole'"),
        ("number", "inf", "must be finite: received inf in row 0"),
        ("text", "other", "must hold known categories: received 'other' in row 0, column 'text'"),
        ("code", "99", "must hold known categories: received .*99.* in row 0, column 'code'"),
        ("level", "middle", "must hold known categories: received 'middle' in row 0"),
        ("flag", "perhaps", "must hold known categories: received 'perhaps' in row 0"),
    ]:
        path = tmp_path / "rows.csv"
        write_frame(frame.astype(object).assign(**{column: [word] * 3}), path)
        table = read_table(frame)
        with pytest.raises(ew.InvalidInputError, match=message):
            table.encode(read_rows(path, table).columns)


def test_missing_values_are_those_of_the_training_data(tmp_path):
    frame = pandas.DataFrame({"a": ["x", np.nan, "y"], "b": [1.0, np.nan, 2.0]}).astype({"a": object})
    table = read_table(frame)
    (tmp_path / "rows.csv").write_text("a,b\nNaN,1\n,2\ny,3\n")
    read = read_rows(tmp_path / "rows.csv", table).columns
    assert read["a"].isna().tolist() == [True, True, False]
    codes = table.codes(table.encode(read))[:, 0]
    assert codes.tolist() == [2, 2, 1]


def test_a_table_without_names_takes_columns_by_position(tmp_path):
    table = read_table(np.zeros((4, 2)))
    (tmp_path / "rows.csv").write_text("height,width\n1,2\n")
    assert read_rows(tmp_path / "rows.csv", table).columns.to_numpy().tolist() == [[1.0, 2.0]]
    (tmp_path / "rows.csv").write_text("height,width,depth\n1,2,3\n")
    with pytest.raises(ew.InvalidInputError, match="lacks 2 of the 2 columns"):
        read_rows(tmp_path / "rows.csv", table)


def test_an_index_of_its_own_is_kept(frame, tmp_path):
    pytest.importorskip("pyarrow")
    named = frame.set_axis(pandas.Index(["r1", "r2", "r3"], name="client"), axis=0)
    named.to_parquet(tmp_path / "rows.parquet")
    read = read_rows(tmp_path / "rows.parquet", read_table(frame))
    assert read.index == ("client",)
    assert read.others["client"].tolist() == ["r1", "r2", "r3"]
    pandas.testing.assert_frame_equal(read.columns, frame)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2,3\n", "cannot be read as CSV"),
        (b"a,b\n1,2\n1,2,3\n", "cannot be read as CSV"),
        (b"\xff\xfe\x00a\x00", "not text in UTF-8|cannot be read as CSV|lacks"),
        (b"a;b\n1;2\n", "Fields must be separated by commas"),
        (b"a,c\n1,2\n", "lacks 1 of the 2 columns that the model takes: 'b'. It has 'a', 'c'"),
    ],
)
def test_bad_files_are_refused_by_name(tmp_path, content, message):
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    table = read_table(pandas.DataFrame({"a": [1.0], "b": [2.0]}))
    with pytest.raises(ew.InvalidInputError, match=rf"rows\.csv.*({message})"):
        read_rows(path, table)


def test_a_parquet_file_that_is_none_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "rows.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(ew.InvalidInputError, match=r"rows\.parquet cannot be read as Parquet"):
        read_frame(tmp_path / "rows.parquet")


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(ew.InvalidInputError, match=r"expected a file ending in \.csv, \.parquet, \.pq"):
        read_frame(tmp_path / "rows.xlsx")


@pytest.mark.parametrize(("library", "name"), [("pyarrow", "rows.parquet"), ("pandas", "rows.csv")])
def test_a_missing_library_is_named_with_its_extra(tmp_path, monkeypatch, library, name):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ew.MissingDependencyError, match=rf"{library}.*pip install 'elsewise\[files\]'"):
        read_frame(tmp_path / name)


def test_numbers_in_csv_have_all_their_digits(tmp_path):
    values = np.random.default_rng(0).normal(size=500) * 10.0 ** np.arange(-250, 250)
    write_frame(pandas.DataFrame({"a": values}), tmp_path / "a.csv")
    np.testing.assert_array_equal(read_frame(tmp_path / "a.csv")["a"], values)
    table = read_table(pandas.DataFrame({"a": values}))
    np.testing.assert_array_equal(read_rows(tmp_path / "a.csv", table).columns["a"], values)
