"""A table: rows in the user's columns <-> rows in features, the numbers the engine works on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import BoolArray, FloatArray, IntArray, is_missing
from .as_trained import as_trained
from .column import Column, groups_of
from .derived import DerivedColumn, rows_of_derived
from .frames import (
    as_table,
    category_as_values,
    category_of_values,
    column_of,
    columns_of,
    is_frame,
    row_as,
    rows_of,
    written,
)
from .reading import check_whole, check_within, codes, group_indicators, numbers, row_at_once
from .rows import as_floats, as_given, check_count, column_values, select_columns, unmasked
from .small_frames import written_at_once
from .types import LARGEST_NUMBER, UserDtype, UserRows
from .wording import PLAIN, Wording

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The columns of a user's data and the features they become.

    Attributes
    ----------
    columns : tuple of Column
        In the order of their features. Columns the model does not use have no entry.
    names : tuple of str
        The user's columns, as given.
    named : bool
        Whether a frame's columns are found by these names: the training data had them, or the model has seen them.
    dtypes : tuple
        The user's columns' dtypes in the training data.
    largest : float
        Largest magnitude of numbers that the model and the engine can work with.
    n_features : int
    feature_names : tuple of str
        ``"age"``, ``"housing=own"``, ...
    group : int array of shape (n_features,)
        Number of the category column a feature belongs to, counted over category columns; -1 for numeric features.
    numeric : int array
        Positions of the numeric features: numbers, integers, ordinals.
    is_identity : bool
        Features are the user's columns one by one: numbers and integers without missing values.
    is_plain : bool
        There is nothing but numbers without missing values, one feature a user's column.
    keeps_missing : bool
        Some numbers may be missing and stay so.
    takes_any_number : bool
        No step of the pipeline refuses a number for its size.
    unused : tuple of str
        The user's columns that are in no column of the table: the model never sees them, they are echoed.
    wording : Wording
        How people call columns and outcomes.
    derived : tuple of DerivedColumn
        The user's columns that are computed from others; they have no features. Each is behind those it is made of.
    """

    columns: tuple[Column, ...]
    names: tuple[str, ...]
    named: bool
    dtypes: tuple[UserDtype | None, ...]
    largest: float = LARGEST_NUMBER
    n_features: int = field(init=False)
    feature_names: tuple[str, ...] = field(init=False)
    group: IntArray = field(init=False)
    numeric: IntArray = field(init=False)
    is_identity: bool = field(init=False)
    is_plain: bool = field(init=False)
    keeps_missing: bool = field(init=False)
    takes_any_number: bool = field(init=False)
    unused: tuple[str, ...] = field(init=False)
    wording: Wording = PLAIN
    derived: tuple[DerivedColumn, ...] = ()

    def __post_init__(self) -> None:
        names: list[str] = []
        for column in self.columns:
            if column.kind == "category":
                names += [f"{column.name}={_text(level)}" for level in column.levels]
                names += [f"{column.name}=(never seen)"] if column.open else []
            else:
                names.append(column.name)
        used = {source for column in self.columns for source in column.sources}
        used |= {column.place for column in self.derived}
        numbers = [column for column in self.columns if column.kind != "category"]
        group = groups_of(self.columns)
        derived = {
            "n_features": len(names),
            "feature_names": tuple(names),
            "group": group,
            "numeric": np.flatnonzero(group < 0),
            "is_identity": self._is_identity(),
            "is_plain": self._is_identity() and all(column.kind == "number" for column in self.columns),
            "keeps_missing": any(column.missing_stays for column in numbers),
            "takes_any_number": all(column.low == -np.inf and column.high == np.inf for column in numbers),
            "unused": tuple(name for place, name in enumerate(self.names) if place not in used),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def __getstate__(self) -> list[Any]:
        """Return the fields; category dtypes are plain values, since not every file takes an index of text."""
        plain = {"dtypes": tuple(category_as_values(dtype) for dtype in self.dtypes)}
        return [plain.get(item.name, getattr(self, item.name)) for item in fields(self)]

    def __setstate__(self, state: list[Any]) -> None:
        for item, value in zip(fields(self), state):
            object.__setattr__(self, item.name, value)
        object.__setattr__(self, "dtypes", tuple(category_of_values(dtype) for dtype in self.dtypes))

    def _is_identity(self) -> bool:
        return len(self.columns) == len(self.names) and all(
            column.kind in ("number", "integer") and column.fill is None and column.sources == (place,)
            for place, column in enumerate(self.columns)
        )

    @property
    def stated_names(self) -> tuple[str, ...]:
        """Names of the columns, and of the user's columns that are in none."""
        return (*(column.name for column in self.columns), *(column.name for column in self.derived), *self.unused)

    def with_columns(self, columns: Sequence[Column]) -> Table:
        """Make a table of other columns, whose features are laid out one after the other."""
        return replace(self, columns=lay_out(columns))

    def step_limits(self) -> tuple[FloatArray, FloatArray] | None:
        """Smallest and largest number of each feature that the pipeline's steps take; None if they take any.

        Returns
        -------
        lower, upper : arrays of shape (n_features,)
        """
        if self.takes_any_number:
            return None
        lower, upper = np.full(self.n_features, -np.inf), np.full(self.n_features, np.inf)
        for column in self.columns:
            if column.kind != "category":
                lower[column.start], upper[column.start] = column.low, column.high
        return lower, upper

    def dtype_limits(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest value each feature's dtype holds, where that is a small or unsigned integer type.

        Returns
        -------
        lower, upper : arrays of shape (n_features,)
            Infinite where the dtype sets no limit worth speaking of.
        """
        lower, upper = np.full(self.n_features, -np.inf), np.full(self.n_features, np.inf)
        for column in self.columns:
            dtype: Any = self.dtypes[column.sources[0]] if len(self.dtypes) else None
            dtype = getattr(dtype, "numpy_dtype", getattr(dtype, "subtype", dtype))
            if column.kind != "integer" or getattr(dtype, "kind", "") not in ("i", "u"):
                continue
            if dtype.kind == "i" and dtype.itemsize > 2:  # most columns of most tables
                continue
            ends = np.iinfo(dtype)
            if ends.min == 0:
                lower[column.start] = 0.0
            if dtype.itemsize <= 2:
                lower[column.start], upper[column.start] = ends.min, ends.max
        return lower, upper

    def lacking(self, X: UserRows, lost: BoolArray) -> UserRows:
        """Write rows without some of their numbers; whole numbers of these columns become floats.

        ``lost`` are the features, of shape (n_samples, n_features).
        """
        columns = [column for column in self.columns if lost[:, column.start].any()]
        if not columns:
            return X
        if not is_frame(X):
            written = X.astype(object if X.dtype.kind == "O" else np.float64)
            for column in columns:
                written[lost[:, column.start], column.sources[0]] = np.nan
            return written
        frame = X.copy()
        for column in columns:
            place, is_lost = column.sources[0], lost[:, column.start]
            values = frame.iloc[:, place]
            is_whole = isinstance(values.dtype, np.dtype) and values.dtype.kind in "iu"
            frame.isetitem(place, (values.astype(np.float64) if is_whole else values).mask(is_lost))
        return frame

    def missing(self, X: Any, *, name: str = "X") -> BoolArray:
        """Which features of rows are numbers that are missing and stay so.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_columns)
        name : str
            What errors call it.

        Returns
        -------
        bool array of shape (n_samples, n_features)
        """
        missing = np.zeros((len(as_table(X, name=name)), self.n_features), dtype=np.bool_)
        if not self.keeps_missing:
            return missing
        X = self.own_columns(X, name=name)
        values = as_given(X, name=name) if self.is_identity else None
        if values is not None and values.dtype.kind in "fiub":  # all columns at once
            stays = np.array([column.missing_stays for column in self.columns])
            return np.asarray(np.isnan(values) & stays) if values.dtype.kind == "f" else missing
        for column in self.columns:
            if column.missing_stays and column.kind != "category":
                missing[:, column.start] = is_missing(column_of(X, column.sources[0]))
        return missing

    @property
    def indicated(self) -> BoolArray:
        """Features of numbers that an imputer fills, telling the model that they were missing; shape (n_features,)."""
        marked = np.zeros(self.n_features, dtype=np.bool_)
        for column in self.columns:
            marked[column.features] = column.is_indicated
        return marked

    def of_numbers(self) -> Table:
        """Make the table in which whole numbers are numbers like any others."""
        return self.with_columns([replace(c, kind="number") if c.kind == "integer" else c for c in self.columns])

    def own_columns(self, X: Any, *, name: str = "X") -> UserRows:
        """Return the columns of the fit, in its order: a frame's are found by name, others than those are left out.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_columns or more)
            Columns without names are taken by position.
        name : str
            What errors call it.

        Returns
        -------
        pandas data frame or array of shape (n_samples, n_columns)

        Raises
        ------
        InvalidInputError
            If a column is missing.
        """
        X = as_table(X, name=name)
        if self.named:
            X = select_columns(X, self.names, name=name)
        check_count(X.shape[1], self.names, name=name)
        return X

    def with_trained_dtypes(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return a frame with the training data's dtypes for categories, and for numbers in columns of objects.

        Some models insist on them. A column of numbers becomes one of objects where another row holds text.

        Parameters
        ----------
        X : data frame of shape (n_samples, n_columns)
        """
        made = {
            place: as_trained(X.iloc[:, place], cast("UserDtype", dtype))
            for place, (dtype, own) in enumerate(zip(self.dtypes, X.dtypes))
            if own != dtype and (hasattr(dtype, "categories") or (own == np.dtype(object) and _is_number(dtype)))
        }
        if not made:
            return X
        X = X.copy()
        for place, series in made.items():
            X.isetitem(place, series)
        return X

    def encode(self, X: Any, *, name: str = "X") -> FloatArray:
        """Turn rows in the user's columns into features.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_columns)
        name : str
            What errors call it.

        Returns
        -------
        array of shape (n_samples, n_features), C-contiguous

        Raises
        ------
        InvalidInputError
            Names the row and the column of a value that cannot be: unknown, missing, infinite, not whole.
        """
        X = self.own_columns(X, name=name)
        if len(X) == 1 and is_frame(X):
            row = row_at_once(X.iloc[0].tolist(), self.columns, self.n_features, self.largest)
            if row is not None:
                return row
        if self.is_identity:
            values = as_given(X, name=name)
            has_gaps = self.keeps_missing and bool(self.missing(X, name=name).any())
            if not has_gaps and (values.dtype.kind in "fiub" or (self.is_plain and not is_frame(X))):
                features = as_floats(values, self.names, name=name, largest=self.largest)
                for column in () if self.is_plain and self.takes_any_number else self.columns:
                    if column.kind == "integer":
                        check_whole(features[:, column.start], column, name)
                    check_within(features[:, column.start], column, name)
                return features
        features, given = np.zeros((len(X), self.n_features)), columns_of(X)
        for column in self.columns:
            values = given[column.sources[0]]
            if column.is_group:
                members = [given[source] for source in column.sources]
                features[:, column.features] = group_indicators(members, column, self.names, name)
            elif column.kind == "category":
                features[np.arange(len(X)), column.start + codes(values, column, name)] = 1.0
            elif column.kind == "ordinal":
                features[:, column.start] = codes(values, column, name)
            else:
                features[:, column.start] = numbers(values, column, name, largest=self.largest)
        return features

    def decode(
        self,
        features: FloatArray,
        given: UserRows,
        *,
        encoded: FloatArray | None = None,
        places: IntArray | None = None,
    ) -> Any:
        """Turn features into rows in the user's columns.

        Parameters
        ----------
        features : array of shape (n_samples, n_features)
        given : data frame or array of shape (n_given, n_columns)
            The original rows. Columns whose features are still the same are echoed from them bit for bit; columns that
            the fit has not seen are left out.
        encoded : array of shape (n_given, n_features), optional
            ``encode(given)``, if it is at hand.
        places : int array of shape (n_samples,), optional
            The original row of each sample; by default they are as many, in the same order.

        Returns
        -------
        data frame like ``given``, or an array: of float64 if there are nothing but numbers, else of objects
        """
        given = self.own_columns(given, name="given")
        before = self.encode(given, name="given") if encoded is None else encoded
        before = before if places is None else before[places]
        numeric = not is_frame(given) and given.dtype.kind in "fiub"
        if self.is_plain and not is_frame(given) and (numeric or not self.keeps_missing):
            own = before if not numeric else given if places is None else given[places]
            return np.where(features == before, own, features)
        if self.is_identity and is_frame(given) and (self.is_plain or self._stays_whole(before, features)):
            at_once = written_at_once(given, before, features, places)
            if at_once is not None:
                return at_once
        result: Any = given.copy() if places is None else rows_of(given, places)  # a copy, too
        if not is_frame(given):
            result = result.astype(np.float64 if numeric else object)
        for source, rows, values in self._news(before, features):
            if is_frame(given):
                result.isetitem(source, written(result.iloc[:, source], rows, values))
            else:
                result[rows, source] = values
        return result

    def _news(self, before: FloatArray, after: FloatArray) -> Iterator[tuple[int, IntArray, Any]]:
        """Return what differs between rows of features: the user's column, in which rows, and its values there."""
        changed = self.changed(before, after)
        for place in np.flatnonzero(changed.any(axis=0)).tolist():
            column, rows = self.columns[place], np.flatnonzero(changed[:, place])
            for source, values in zip(column.sources, column_values(after[rows, column.features], column)):
                yield source, rows, values
        rows = np.flatnonzero(changed.any(axis=1)) if self.derived else np.empty(0, dtype=np.int64)
        for derived, found in self.derived_values(after[rows]).items() if len(rows) else ():
            computed = self._depends(derived, changed[rows]) & ~np.isnan(found)
            yield derived.place, rows[computed], derived.in_dtype(found[computed])

    def derived_values(self, features: FloatArray) -> dict[DerivedColumn, FloatArray]:
        """Compute the derived columns of rows in features, arrays of shape (n_samples,)."""
        if not self.derived:
            return {}
        numbers = {c.name: features[:, c.start] for c in self.columns if c.kind in ("number", "integer")}
        values = rows_of_derived(self.derived, numbers)
        return {column: values[column.name] for column in self.derived}

    def _depends(self, column: DerivedColumn, changed: BoolArray) -> BoolArray:
        """Whether columns that a derived one is computed from change, of a mask of shape (n_samples, n_columns)."""
        made_of, by_name = set(column.sources), {other.name: other for other in self.derived}
        while inner := {name for name in made_of if name in by_name}:
            made_of = (made_of - inner) | {source for name in inner for source in by_name[name].sources}
        return np.asarray(changed[:, [c.name in made_of for c in self.columns]].any(axis=1))

    def _stays_whole(self, before: FloatArray, after: FloatArray) -> bool:
        """Whether rows of features are whole in columns of integers, or the same as before."""
        whole = [column.start for column in self.columns if column.kind == "integer"]
        values = after[:, whole]
        return bool(((values == np.floor(values)) | (values == before[:, whole])).all())

    def changed(self, before: FloatArray, after: FloatArray) -> BoolArray:
        """Which columns differ between rows of features, bool array of shape (n_samples, n_columns)."""
        if not self.columns:
            return np.zeros((len(before), 0), dtype=np.bool_)
        if self.is_identity:
            return np.asarray(before != after)
        starts = [column.start for column in self.columns]
        return np.asarray(np.logical_or.reduceat(before != after, starts, axis=1), dtype=np.bool_)

    def codes(self, features: FloatArray) -> IntArray:
        """Position of the 1 in each category column, int array of shape (n_samples, n_category_columns)."""
        categories = [column for column in self.columns if column.kind == "category"]
        codes = np.empty((len(features), len(categories)), dtype=np.int64)
        for place, column in enumerate(categories):
            codes[:, place] = features[:, column.features].argmax(axis=1)
        return codes

    def one_row(self, x: pd.Series[Any] | ArrayLike) -> Any:
        """Return one row as a frame or array of one row, in the dtypes of the training data wherever they hold it.

        A series cut out of a frame has lost its columns' dtypes; here it gets them back. Its values are found by name.

        Parameters
        ----------
        x : series, array or sequence of shape (n_columns,)
        """
        if not (hasattr(x, "to_frame") and hasattr(x, "index") and np.ndim(x) == 1):
            array = unmasked(x)
            # numpy makes text of all in a list that has some
            return (np.array(x, dtype=object) if array.dtype.kind == "U" else array)[None]
        return row_as(cast("pd.DataFrame", self.own_columns(x.to_frame().T, name="x")), self.dtypes)


def _is_number(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "fiub"


def lay_out(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return columns their slices of features, one after the other."""
    placed, start = [], 0
    for column in columns:
        placed.append(replace(column, start=start, stop=start + column.width))
        start += column.width
    return tuple(placed)


def _text(level: Any) -> str:
    return "(missing)" if level is None else str(level)
