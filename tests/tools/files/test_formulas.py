"""Text that spreadsheets would run: disarmed in CSV files, and read back exactly."""

import csv
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from elsewise.table import read_table
from elsewise.tools.files.tables import as_written, disarmed, read_frame, read_rows, read_text, write_frame

pandas = pytest.importorskip("pandas")

DANGEROUS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-", "=", "-1-1", "+1e", "--5"]
HARMLESS = ["plain", "'tis", "''", "a=b", "-5", "+3.25", "-1e-7", "-.5", "-inf", "1-1", " =1", ""]
texts = st.text(alphabet="'=+-@\t\r\n a1.e", max_size=8) | st.text(max_size=8)


@given(texts)
@example("'=1")
@example("''-5")
def test_every_text_comes_back_and_none_is_a_formula(text):
    cell = disarmed(text)
    assert as_written(cell) == text
    assert cell[:1] not in tuple("=+-@\t\r\n") or re.fullmatch(r"[+-][0-9.einfatyEINFATY+-]+", cell)
    if cell[:1] in ("+", "-"):
        float(cell)  # a number, which computes nothing


@pytest.mark.parametrize("text", DANGEROUS)
def test_formulas_get_an_apostrophe(text):
    assert disarmed(text) == f"'{text}"


@pytest.mark.parametrize("text", HARMLESS)
def test_other_text_and_numbers_stay(text):
    assert disarmed(text) == as_written(text) == text


def test_csv_files_hold_no_formula_and_are_read_back_exactly(tmp_path):
    values = [*DANGEROUS, *HARMLESS, "'=1+1", "''@x"]
    frame = pandas.DataFrame(
        {
            "=name": [-1.5 * i for i in range(len(values))],
            "text": pandas.Series(values, dtype=object),
            "level": pandas.Categorical(values),
            "whole": range(0, -len(values), -1),
        }
    )
    path = tmp_path / "rows.csv"
    write_frame(frame, path)
    with path.open(newline="") as file:
        first, *lines = csv.reader(file)
    assert first == ["'=name", "text", "level", "whole"]
    for (number, text, level, whole), value in zip(lines, values, strict=True):
        assert text == level == disarmed(value)
        assert float(number) <= 0
        assert int(whole) <= 0
    read = read_rows(path, read_table(frame[frame["text"] != ""]))
    assert read.columns["text"].tolist()[: len(DANGEROUS)] == DANGEROUS
    assert read_text(path)["text"].tolist() == values
    assert read_text(path)["level"].tolist() == values
    assert read_frame(path)["=name"].tolist() == frame["=name"].tolist()
    assert list(read_frame(path).columns) == list(frame.columns)


def test_what_is_written_is_left_as_it_was(tmp_path):
    frame = pandas.DataFrame({"=a": ["=1"], "b": pandas.Categorical(["=1"])})
    write_frame(frame, tmp_path / "a.csv")
    assert frame.columns.tolist() == ["=a", "b"]
    assert frame.iloc[0].tolist() == ["=1", "=1"]
