"""Rows of a file some at a time: the same as all at once, whatever is in them."""

from __future__ import annotations

import numpy as np
import pytest

import elsewise as ew
from elsewise.tools.files.tables import dtypes_of, read_rows, row_batches, write_frame

pandas = pytest.importorskip("pandas")


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_batches_are_the_file(loans, tmp_path, name, size):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    frame = loans.frame.iloc[:23].assign(note=[f"=1+{number}" for number in range(23)], number=np.arange(23))
    frame.loc[4, "income"] = np.nan
    write_frame(frame, tmp_path / name)
    table = loans.explainer.table_
    whole = read_rows(tmp_path / name, table)
    parts = list(row_batches(tmp_path / name, table, size))
    assert [len(part.columns) for part in parts] == [min(size, 23 - first) for first in range(0, 23, size)]
    for attribute in ("columns", "others"):
        joined = pandas.concat([getattr(part, attribute) for part in parts], ignore_index=True)
        pandas.testing.assert_frame_equal(joined, getattr(whole, attribute), check_dtype=False)
    expected = {"note": "string", "number": "string" if name.endswith("csv") else "int64"}
    assert dtypes_of(tmp_path / name, ["note", "number"]) == expected


def test_a_file_without_rows_and_one_without_a_column(loans, tmp_path):
    table = loans.explainer.table_
    loans.frame.iloc[:0].to_csv(tmp_path / "empty.csv", index=False)
    (only,) = row_batches(tmp_path / "empty.csv", table, 10)
    assert len(only.columns) == 0
    loans.frame.drop(columns="income").to_csv(tmp_path / "less.csv", index=False)
    with pytest.raises(ew.InvalidInputError, match="'income'"):
        list(row_batches(tmp_path / "less.csv", table, 10))
