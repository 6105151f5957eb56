"""Tables in files: CSV and Parquet, read as they are or as a fitted table's columns were trained.

Text in CSV cells that spreadsheets would run as a formula: disarmed when written, and read back as it was.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break gets an apostrophe before it, as the OWASP
page on CSV injection has it. Text that is nothing but a number is left alone: it computes nothing. So that every text
comes back exactly, a text that already has apostrophes before such a character gets one more, and reading takes one
away.

Rows of a file, some at a time: memory does not grow with the file.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...arrays import JsonObject, UserValue
from ...errors import InvalidInputError, MissingDependencyError
from ...table import Table
from ...table.as_trained import as_trained
from .explainers import replacing
from .values import MOST_NAMES

if TYPE_CHECKING:
    import pandas as pd


_DANGEROUS = re.compile(r"'*[=+\-@\t\r\n]")
_DISARMED = re.compile(r"'+[=+\-@\t\r\n]")
_NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf|infinity|nan)", re.IGNORECASE)


def disarmed(text: str) -> str:
    """Write a text so that no spreadsheet takes it for a formula; :func:`as_written` is the inverse.

    >>> disarmed("=1+1"), disarmed("-2.5"), disarmed("plain"), disarmed("'=1+1")
    ("'=1+1", '-2.5', 'plain', "''=1+1")
    """
    return f"'{text}" if _DANGEROUS.match(text) and not _NUMBER.fullmatch(text) else text


def as_written(cell: str) -> str:
    """Read a cell back as the text it was before :func:`disarmed`.

    >>> as_written("'=1+1"), as_written("-2.5"), as_written("'tis"), as_written("''=1+1")
    ('=1+1', '-2.5', "'tis", "'=1+1")
    """
    return cell[1:] if cell[:1] == "'" and _DISARMED.match(cell) else cell


CSV, PARQUET = (".csv",), (".parquet", ".pq")
SUFFIXES = CSV + PARQUET
# Options of pandas.read_csv for cells as they are written.
_AS_TEXT = {"dtype": str, "keep_default_na": False, "na_filter": False}


@dataclass(frozen=True, slots=True, eq=False)
class FileRows:
    """Rows of a file.

    Attributes
    ----------
    columns : data frame of shape (n_rows, n_columns)
        The table's columns in its order and dtypes.
    others : data frame of shape (n_rows, n_others)
        What else the file has, as text if it is a CSV file; a Parquet file's index is among it.
    index : tuple of str
        Names of those among ``others`` that are a Parquet file's own index.
    """

    columns: pd.DataFrame
    others: pd.DataFrame
    index: tuple[str, ...] = ()


def check_format(path: Path) -> None:
    """Refuse files that are neither CSV nor Parquet by name, or that cannot be handled without more libraries."""
    if path.suffix.lower() not in SUFFIXES:
        raise InvalidInputError(f"{path}: expected a file ending in {', '.join(SUFFIXES)}.")
    _pandas(path)
    if path.suffix.lower() in PARQUET:
        _needs_pyarrow(path)


def read_frame(path: Path) -> pd.DataFrame:
    """Read a table with the types it seems to have.

    In CSV files whole numbers, numbers, True and False are recognised column by column; empty cells, ``NA``, ``NaN``,
    ``null`` and the like are missing values, as ``pandas.read_csv`` has it. Text that was disarmed, lest a spreadsheet
    runs it (:mod:`~elsewise.tools.files.tables`), is as it was before.

    Parameters
    ----------
    path : path of a CSV or Parquet file
    """
    check_format(path)
    if path.suffix.lower() in PARQUET:
        return _read_parquet(path)
    return _read_csv(path)


def read_text(path: Path) -> pd.DataFrame:
    """Read a CSV file with all cells as text: ``007`` and ``NA`` may be categories, which is for a table to say.

    Parameters
    ----------
    path : path of a CSV file
    """
    return _read_csv(path, **_AS_TEXT)


def text_batches(path: Path, size: int) -> Iterator[pd.DataFrame]:
    """Read a CSV file as :func:`read_text` does, at most ``size`` rows at a time."""
    with _csv_errors(path), _pandas(path).read_csv(path, index_col=False, chunksize=size, **_AS_TEXT) as reader:
        for frame in reader:
            yield _each_text(frame.reset_index(drop=True), as_written)


def read_rows(path: Path, table: Table) -> FileRows:
    """Read rows the way a table's columns were trained: integers, categories, booleans, missing values.

    Columns are found by name, in any order, and others are set aside. A table without names of its own takes a file
    with as many columns by position.

    Parameters
    ----------
    path : path of a CSV or Parquet file
    table : Table
    """
    check_format(path)
    is_text = path.suffix.lower() in CSV
    return as_file_rows(read_text(path) if is_text else _read_parquet(path), table, path, is_text=is_text)


def as_file_rows(frame: pd.DataFrame, table: Table, path: Path, *, is_text: bool) -> FileRows:
    """Return what was read of a file in a table's columns; see :func:`read_rows`.

    Parameters
    ----------
    frame : data frame
    table : Table
    path : path of the file
    is_text : bool
        All cells are text.
    """
    index: tuple[str, ...] = ()
    if not is_text:
        if not _is_counted(frame.index):
            named = frame.index.set_names([name or f"index_{i}" if frame.index.nlevels > 1 else name or "index"
                                           for i, name in enumerate(frame.index.names)])  # fmt: skip
            index = tuple(str(name) for name in named.names)
            frame = frame.set_axis(named, axis=0).reset_index()
        else:
            frame = frame.reset_index(drop=True)
    positions = _positions(frame, table, path, index)
    by_source = {source: column for column in table.columns for source in column.sources}
    read = {
        place: as_trained(frame.iloc[:, position], table.dtypes[place], by_source.get(place), is_text=is_text)
        for place, position in enumerate(positions)
    }
    columns = _pandas(path).DataFrame(read, index=frame.index)
    columns.columns = [frame.columns[position] for position in positions]
    return FileRows(columns, frame.drop(columns=columns.columns), index)


def write_frame(frame: pd.DataFrame, path: Path) -> None:
    """Write a table: the file is complete or not there.

    Numbers in CSV files have all their digits; text and column names that a spreadsheet would run as a formula are
    disarmed (:mod:`~elsewise.tools.files.tables`).

    Parameters
    ----------
    frame : data frame
    path : path of a CSV or Parquet file
    """
    check_format(path)
    with replacing(path) as file:
        if path.suffix.lower() in PARQUET:
            frame.to_parquet(file, engine="pyarrow", index=False)
        else:
            disarmed_frame = _each_text(frame, disarmed)
            # A carriage return ends a line unless it is quoted, which pandas leaves out.
            quoting = csv.QUOTE_NONNUMERIC if _has_carriage_return(frame) else csv.QUOTE_MINIMAL
            disarmed_frame.to_csv(file, index=False, lineterminator="\n", quoting=quoting)


def column_of_data(path: Path, name: str, option: str) -> pd.Series[Any]:
    """Read one column of a file; ``option`` is what errors call the request."""
    frame = read_frame(path).reset_index(drop=True) if path.suffix.lower() in CSV else _read_parquet(path).reset_index()
    if name not in frame.columns:
        raise InvalidInputError(f"{option}: {path} has no column {name!r}. It has {few(list(frame.columns))}.")
    return frame[name]


def few(names: Sequence[UserValue]) -> str:
    """List the first of some names."""
    return ", ".join(repr(name) for name in names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")


def _positions(frame: pd.DataFrame, table: Table, path: Path, index: Sequence[str]) -> list[int]:
    """Find where the table's columns are in a file."""
    names = list(frame.columns)
    missing = [name for name in table.names if name not in names]
    if not missing:
        return [names.index(name) for name in table.names]
    own = [position for position, name in enumerate(names) if name not in index]
    if not table.named and len(own) == len(table.names):
        return own
    hint = " Fields must be separated by commas." if len(names) == 1 and ";" in str(names[0]) else ""
    raise InvalidInputError(
        f"{path} lacks {len(missing)} of the {len(table.names)} columns that the model takes: {few(missing)}. It "
        f"has {few(names)}.{hint}"
    )


def _read_csv(path: Path, **options: Any) -> pd.DataFrame:
    pandas = _pandas(path)
    with _csv_errors(path):
        frame = pandas.read_csv(path, index_col=False, **_all_digits(pandas), **options)
    return _each_text(frame, as_written)


@contextmanager
def _csv_errors(path: Path) -> Iterator[None]:
    """Describe what is wrong with a CSV file."""
    pandas = _pandas(path)
    try:
        with warnings.catch_warnings():
            # Lines of other lengths than the first would be cut, or taken for an index.
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            yield
    except pandas.errors.EmptyDataError as error:
        raise InvalidInputError(f"{path} is empty: expected a line of column names, then rows.") from error
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{path} is not text in UTF-8: {error}. Convert it, or use Parquet.") from error
    except (pandas.errors.ParserError, pandas.errors.ParserWarning, ValueError) as error:
        stated = str(error).strip()
        raise InvalidInputError(f"{path} cannot be read as CSV with a line of column names first: {stated}") from error


def _has_carriage_return(frame: pd.DataFrame) -> bool:
    """Whether some text, column names and categories included, has one."""
    seen: list[str] = []

    def look(text: str) -> str:
        seen.extend([text] if "\r" in text else [])
        return text

    _each_text(frame, look)
    return bool(seen)


def _each_text(frame: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    """Change every text of a frame, column names and categories included; everything else stays as it is."""
    changed = frame.copy(deep=False)

    def of(value: UserValue) -> Any:
        return change(value) if isinstance(value, str) else value

    for place, (_, column) in enumerate(frame.items()):
        if hasattr(column.dtype, "categories"):
            changed.isetitem(place, column.cat.rename_categories(of))
        elif column.dtype.kind == "O":  # text, or what may hold some
            values = [of(value) for value in column]
            changed.isetitem(place, type(column)(values, index=column.index, dtype=column.dtype))
    changed.columns = [of(name) for name in frame.columns]
    return changed


def _all_digits(pandas: Any) -> dict[str, str]:
    """Option for numbers read to their last bit, which later versions of pandas do by themselves."""
    major, minor = (int(part) for part in pandas.__version__.split(".")[:2])
    return {} if (major, minor) >= (3, 1) else {"float_precision": "round_trip"}


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        return _pandas(path).read_parquet(path, engine="pyarrow")
    except (OSError, ValueError, TypeError) as error:
        if isinstance(error, (FileNotFoundError, PermissionError, IsADirectoryError)):
            raise
        raise InvalidInputError(f"{path} cannot be read as Parquet: {error}") from error


def _is_counted(index: Any) -> bool:
    """Whether an index only counts the rows."""
    return type(index).__name__ == "RangeIndex" and index.name is None


def _needs_pyarrow(path: Path) -> None:
    try:
        import_module("pyarrow")
    except ImportError as error:
        raise MissingDependencyError(
            f"{path}: Parquet files need pyarrow. Install it with: pip install 'elsewise[files]', or use CSV."
        ) from error


def _pandas(path: Path) -> Any:
    try:
        import pandas
    except ImportError as error:
        raise MissingDependencyError(
            f"{path}: files of rows need pandas. Install it with: pip install 'elsewise[files]'"
        ) from error
    return pandas


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


def dtypes_of(path: Path, names: Sequence[str]) -> JsonObject:
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
