"""One row at once is the row column by column: read, written, copied, to the bit and the dtype."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from elsewise.errors import InvalidInputError
from elsewise.table import Ordinal, read_table
from elsewise.table.small_frames import copied, written_at_once

ODD = float(np.nextafter(0.1, 1.0))
LARGE = 2**53 + 1  # no float holds it


def table_of_text_and_numbers() -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "job": ["clerk", "cook", "clerk", "smith"],
            "age": [31, 44, 58, LARGE],
            "home": ["own", "rent", "rent", "own"],
            "income": [ODD, -0.0, 1e-310, 3.25],
            "children": [0, 2, 1, 3],
        },
        index=["p", "q", "r", "s"],
    )
    frame.attrs["source"] = "made up"
    return frame


FRAMES = {
    "text and numbers": table_of_text_and_numbers(),
    "whole numbers": table_of_text_and_numbers()[["age", "children"]],
    "numbers": table_of_text_and_numbers()[["income"]],
    "whole numbers and others": table_of_text_and_numbers()[["age", "income"]],
    "text": table_of_text_and_numbers()[["job", "home"]],
    "objects": table_of_text_and_numbers().astype({"job": object, "children": object}),
    "categories": table_of_text_and_numbers().astype({"job": "category"}),
    "Arrow text": table_of_text_and_numbers().astype({"job": "string"}),
    "short numbers": table_of_text_and_numbers().astype({"income": "float32", "children": "int8"}),
    "numbers that may miss": table_of_text_and_numbers().astype({"children": "Int64"}),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_row_is_read_as_it_is_among_others(name):
    frame = FRAMES[name]
    table = read_table(frame)
    among_others = table.encode(frame)
    for k in range(len(frame)):
        assert table.encode(frame.iloc[[k]]).tobytes() == among_others[[k]].tobytes()


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("job", "king", "known categories"),
        ("job", 3, "known categories"),
        ("age", 31.5, "must be whole"),
        ("age", "31", "received '31'|the text '31'"),
        ("age", pd.Timedelta(31), "expected numbers"),
        ("income", np.nan, "must be finite"),
        ("income", np.inf, "must be finite"),
        ("income", 1e200, "must lie between"),
    ],
)
def test_a_row_that_is_wrong_is_refused(column, value, message):
    frame = FRAMES["text and numbers"]
    row = frame.iloc[[0]].astype({column: object})
    row[column] = pd.Series([value], index=row.index, dtype=object)
    with pytest.raises(InvalidInputError, match=message):
        read_table(frame).encode(row)


def test_ranks_are_read():
    frame = FRAMES["text and numbers"]
    table = read_table(frame, {"job": Ordinal(["smith", "clerk", "cook"])})
    assert [table.encode(frame.iloc[[k]])[0, 0] for k in range(4)] == [1.0, 2.0, 1.0, 0.0]


@pytest.mark.parametrize("name", FRAMES)
def test_a_row_is_written_as_it_is_among_others(name):
    frame = FRAMES[name]
    table = read_table(frame)
    E = table.encode(frame)
    for k in range(len(frame)):
        row, points = frame.iloc[[k]], E[[k, 0, 1, 2]]
        repeated = frame.iloc[[k] * 4]
        expected = table.decode(points, repeated, encoded=E[[k] * 4])
        found = table.decode(points, row, encoded=E[[k]], places=np.zeros(4, dtype=np.int64))
        pd.testing.assert_frame_equal(found, expected, check_exact=True)
        assert found.attrs == expected.attrs


@pytest.mark.parametrize("name", ["whole numbers", "numbers", "text and numbers", "whole numbers and others"])
def test_a_copy_is_one(name):
    frame = FRAMES[name].copy()
    other = copied(frame)
    pd.testing.assert_frame_equal(other, frame, check_exact=True)
    assert other.attrs == frame.attrs
    for column in range(frame.shape[1]):
        assert not np.shares_memory(other.iloc[:, column].to_numpy(), frame.iloc[:, column].to_numpy())


def test_one_dtype_at_once_takes_the_rows_that_are_asked_for():
    frame = FRAMES["whole numbers"]
    before = frame.to_numpy(dtype=np.float64)[[2, 0, 2]]
    after = before + np.array([[0, 0], [1, 0], [0, 4]])
    found = written_at_once(frame, before, after, np.array([2, 0, 2]))
    assert found.to_numpy().tolist() == [[58, 1], [32, 0], [58, 5]]
    assert found.index.tolist() == ["r", "p", "r"]
