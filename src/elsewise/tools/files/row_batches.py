"""Rows of a file, some at a time: memory does not grow with the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ...errors import InvalidInputError
from ...table import Table
from .tables import CSV, FileRows, as_file_rows, check_format, read_text, text_batches


def row_batches(path: Path, table: Table, size: int) -> Iterator[FileRows]:
    """Read rows the way a table's columns were trained, at most ``size`` at a time.

    Parameters
    ----------
    path : path of a CSV or Parquet file
    table : Table
    size : int

    Yields
    ------
    FileRows
        At least one, perhaps without rows: columns that are missing are noticed in any case.
    """
    check_format(path)
    is_text = path.suffix.lower() in CSV
    some = False
    for frame in text_batches(path, size) if is_text else _parquet_batches(path, size):
        some = True
        yield as_file_rows(frame, table, path, is_text=is_text)
    if not some:
        empty = read_text(path) if is_text else import_module("pyarrow.parquet").read_table(path).to_pandas()
        yield as_file_rows(empty, table, path, is_text=is_text)


def dtypes_of(path: Path, names: Sequence[str]) -> dict[str, Any]:
    """Find the dtypes of some columns of a file: what a Parquet file tells, text of a CSV file.

    Parameters
    ----------
    path : path of a CSV or Parquet file
    names : sequence of str
    """
    check_format(path)
    if path.suffix.lower() in CSV:
        return dict.fromkeys(names, "string")
    schema = import_module("pyarrow.parquet").read_schema(path)
    missing = [name for name in names if name not in schema.names]
    if missing:
        raise InvalidInputError(f"--keep: {path} has no column {missing[0]!r}.")
    types = import_module("pyarrow").types
    tests = {"int64": types.is_integer, "float64": types.is_floating, "boolean": types.is_boolean}
    found = {}
    for name in names:
        own = schema.field(name).type
        found[name] = next((dtype for dtype, test in tests.items() if test(own)), "string")
    return found


def _parquet_batches(path: Path, size: int) -> Iterator[Any]:
    pyarrow = import_module("pyarrow")
    try:
        file = import_module("pyarrow.parquet").ParquetFile(path)
    except pyarrow.ArrowInvalid as error:
        raise InvalidInputError(f"{path} cannot be read as Parquet: {error}") from error
    with file:
        for batch in file.iter_batches(batch_size=size):
            frame = pyarrow.Table.from_batches([batch]).to_pandas()
            is_counted = type(frame.index).__name__ == "RangeIndex" and frame.index.name is None
            yield frame.reset_index(drop=True) if is_counted else frame
