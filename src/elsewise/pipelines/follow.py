"""Following streams through the steps of a fitted pipeline."""

from __future__ import annotations

import warnings
from collections import UserList
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, TargetEncoder

from ..arrays import FloatArray
from ..columns.frames import is_missing_value
from ..columns.table import Table
from ..errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError
from .affine import Step, affine_step, passes_through
from .streams import Affine, Findings, Raw, Recast, Stream, as_affine

_ENCODERS = (OneHotEncoder, OrdinalEncoder, TargetEncoder)


class Follower:
    """Follows streams through steps, one transformer type after the other, and notes its findings."""

    def __init__(self, table: Table, refused: Mapping[int, Collection[Any]] | None = None) -> None:
        self.table, self.findings = table, Findings()
        self.refused = {} if refused is None else refused  # values that cannot be levels of a column
        # which column each feature belongs to
        self.owner = np.repeat(np.arange(len(table.columns)), [column.width for column in table.columns])
        # what imputers put for missing values of category columns, and the missing value it stands for
        self.constants: dict[int, dict[Any, Any]] = {}

    def steps(self, steps: Sequence[Step], streams: list[Stream], prefix: str = "") -> list[Stream]:
        """Streams behind a sequence of steps."""
        for name, transformer in steps:
            streams = self.step(f"{prefix}{name}", transformer, streams)
        return streams

    def step(self, name: str, transformer: Any, streams: list[Stream]) -> list[Stream]:
        """Streams behind one step."""
        if passes_through(transformer) or (isinstance(transformer, FunctionTransformer) and transformer.func is None):
            return streams
        for kind, handle in self._handlers():
            if isinstance(transformer, kind):
                return handle(name, transformer, streams)
        where = _where(name, transformer)
        try:
            known = affine_step(name, transformer, len(streams))
        except (UnsupportedModelError, UnsupportedSettingError) as error:
            raise type(error)(f"{error} It takes {self.names(streams)}.") from error
        before = as_affine(streams, self.table, self.findings, where)
        after = before.then(known)
        return [Affine(row, float(offset), self._only_column(row)) for row, offset in zip(after.matrix, after.offset)]

    def _handlers(self) -> list[tuple[Any, Callable[[str, Any, list[Stream]], list[Stream]]]]:
        return [
            (Pipeline, lambda name, pipe, streams: self.steps(pipe.steps, streams, f"{name}__")),
            (ColumnTransformer, self._column_transformer),
            (FeatureUnion, self._feature_union),
            (SimpleImputer, self._imputer),
            (_ENCODERS, self._encoder),
        ]

    def names(self, streams: Sequence[Stream]) -> str:
        """Name the columns that streams come from."""
        found: dict[str, None] = {}
        for stream in streams:
            touched = [stream.column] if isinstance(stream, Raw) else self.owner[np.flatnonzero(stream.row)].tolist()
            found |= dict.fromkeys(self.table.columns[place].name for place in touched)
        names = [repr(name) for name in found]
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        return ("column " if len(names) == 1 else "columns ") + ", ".join(names[:5]) + more

    def _only_column(self, row: FloatArray) -> int:
        touched = self.owner[np.flatnonzero(row)]
        return int(touched[0]) if len(touched) and (touched == touched[0]).all() else -1

    # --- steps that put others together ------------------------------------------------------------------------------

    def _column_transformer(self, name: str, transformer: Any, streams: list[Stream]) -> list[Stream]:
        out: list[Stream] = []
        for inner_name, inner, positions in selections(transformer, len(streams)):
            mine = self.step(f"{name}__{inner_name}", inner, [streams[place] for place in positions])
            out += self._weighted(f"{name}__{inner_name}", transformer, inner_name, mine)
        return out

    def _feature_union(self, name: str, union: Any, streams: list[Stream]) -> list[Stream]:
        out: list[Stream] = []
        for inner_name, inner in union.transformer_list:
            if inner == "drop":
                continue
            mine = self.step(f"{name}__{inner_name}", inner, streams)
            out += self._weighted(f"{name}__{inner_name}", union, inner_name, mine)
        return out

    def _weighted(self, name: str, owner: Any, key: str, streams: list[Stream]) -> list[Stream]:
        weight = (owner.transformer_weights or {}).get(key)
        if weight is None:
            return streams
        before = as_affine(streams, self.table, self.findings, f"step {name!r}, which has a weight")
        rows, offsets = before.matrix * weight, before.offset * weight
        return [Affine(row, float(offset), self._only_column(row)) for row, offset in zip(rows, offsets)]

    # --- missing values ----------------------------------------------------------------------------------------------

    def _imputer(self, name: str, imputer: Any, streams: list[Stream]) -> list[Stream]:
        where = _where(name, imputer)
        if imputer.add_indicator:
            raise UnsupportedSettingError(
                f"{where} has add_indicator=True: whether a value is missing is no number an answer could change. It "
                f"takes {self.names(streams)}. Fit the pipeline with add_indicator=False, or make the indicator a "
                "column of its own."
            )
        out: list[Stream] = []
        for stream, fill in zip(streams, imputer.statistics_, strict=True):
            if is_missing_value(fill) and not imputer.keep_empty_features and imputer.strategy != "constant":
                continue  # a column without any value: transform leaves it out
            if isinstance(stream, Raw):
                self._note_replacement(stream, imputer, fill)
                values = (fill if _is_missing_for(imputer, value) else value for value in stream.values)
                out.append(Raw(stream.column, tuple(values), stream.encoded))
            else:
                self._note_fill(stream, imputer, fill, where)
                out.append(stream)
        return out

    def _note_replacement(self, stream: Raw, imputer: Any, fill: Any) -> None:
        if stream.encoded:
            return
        if imputer.strategy == "constant":
            self.constants.setdefault(stream.column, {})[_key(fill)] = imputer.missing_values
        if not is_missing_value(imputer.missing_values) and imputer.missing_values not in stream.values:
            # "?" that does not occur is no value never seen: the imputer knows it
            self.findings.known.setdefault(stream.column, []).append(imputer.missing_values)

    def _note_fill(self, stream: Affine, imputer: Any, fill: Any, where: str) -> None:
        column = self.table.columns[stream.column] if stream.column >= 0 else None
        if column is None or column.kind not in ("number", "integer"):
            return  # nothing can be missing here
        if not is_missing_value(imputer.missing_values):
            raise UnsupportedSettingError(
                f"{where} replaces {imputer.missing_values!r} in column {column.name!r}, a number: not affine. Put NaN "
                'for it before the pipeline, or declare the column "category".'
            )
        if isinstance(fill, str):
            raise Recast(stream.column, where)
        # z = slope x + offset is missing where x is; the x whose z is the fill gives the same
        slope = float(stream.row[column.start])
        value = float(fill) if (slope, stream.offset) == (1.0, 0.0) else (float(fill) - stream.offset) / slope
        known = self.findings.fills.setdefault(stream.column, value)
        if abs(known - value) > 1e-9 * (abs(known) + abs(value)):
            raise UnsupportedSettingError(
                f"{where} puts {value:g} for missing values of column {column.name!r}, another step puts {known:g}: "
                "there is no one value they stand for. Use one imputer for the column."
            )

    # --- encoders ----------------------------------------------------------------------------------------------------

    def _encoder(self, name: str, encoder: Any, streams: list[Stream]) -> list[Stream]:
        where = _where(name, encoder)
        raw = [self._as_raw(stream, where) for stream in streams]
        accepts = _accepts_unknown(encoder)
        for stream, known in zip(raw, encoder.categories_, strict=True):
            if not stream.encoded:
                self._compare_levels(stream, known.tolist(), accepts, where)
        if self.findings.foreign:
            raise Unsettled
        return self._tabulate(encoder, raw, where)

    def _as_raw(self, stream: Stream, where: str) -> Raw:
        if isinstance(stream, Raw):
            return stream
        if stream.column < 0:
            raise UnsupportedSettingError(
                f"{where} encodes a combination of {self.names([stream])}: expected single columns. Encode them before "
                "they are combined."
            )
        column = self.table.columns[stream.column]
        if column.levels or stream.row[column.start] != 1 or stream.offset != 0:
            raise UnsupportedSettingError(
                f"{where} encodes column {column.name!r} after an earlier step has changed its values. Encode the "
                "column as it is."
            )
        raise Recast(stream.column, where)

    def _compare_levels(self, stream: Raw, known: list[Any], accepts: bool, where: str) -> None:
        """Note what the encoder knows beyond the levels, and which levels it would refuse."""
        column = self.table.columns[stream.column]
        self.findings.accepts.setdefault(stream.column, []).append(accepts)
        mine = {_key(value) for value in stream.values}
        # a constant that stands for missing values is no value of the column itself
        stands_for = self.constants.get(stream.column, {})
        more = [stands_for.get(_key(value), value) for value in known if _key(value) not in mine]
        refused = {_key(level) for level in self.refused.get(stream.column, ())}
        if None in self.refused.get(stream.column, ()):
            refused.add(_key(np.nan))  # the level of missing values, however they are written
        self.findings.known.setdefault(stream.column, []).extend(value for value in more if _key(value) not in refused)
        if not accepts:
            learned = {_key(value) for value in known}
            foreign = [
                (level, where) for level, value in zip(column.levels, stream.values) if _key(value) not in learned
            ]
            if foreign:
                self.findings.foreign.setdefault(stream.column, []).extend(foreign)

    def _tabulate(self, encoder: Any, streams: list[Raw], where: str) -> list[Stream]:
        """Run the encoder's own transform on each level of each column, the others at their first level.

        Encoders work column by column, so each output is a function of one column: a value a level.
        """
        columns = list(dict.fromkeys(stream.column for stream in streams))
        n_values = {stream.column: len(stream.values) for stream in streams}
        walks: dict[int, list[int]] = {}
        at = [dict.fromkeys(columns, 0)]
        for column in columns:
            walks[column] = [0, *range(len(at), len(at) + n_values[column] - 1)]
            at += [{**at[0], column: level} for level in range(1, n_values[column])]
        data = [[stream.values[row[stream.column]] for row in at] for stream in streams]
        out = _transform(encoder, data, where)
        result: list[Stream] = []
        for values in out.T:
            varies = [column for column in columns if not _all_equal(values[walks[column]])]
            if len(varies) > 1:
                names = ", ".join(repr(self.table.columns[column].name) for column in varies)
                raise UnsupportedModelError(
                    f"{where} combines the columns {names}: it does not encode them one by one."
                )
            if varies:
                result.append(Raw(varies[0], tuple(values[walks[varies[0]]].tolist()), encoded=True))
            else:
                result.append(Affine(np.zeros(self.table.n_features), float(values[0]), -1))
        return result


class Unsettled(Exception):  # noqa: N818 - a request, not an error
    """The table's levels are not those of an encoder; the findings say why."""


def selections(transformer: Any, n_columns: int) -> list[tuple[str, Any, list[int]]]:
    """Name, transformer and positions of the columns of each part of a fitted ColumnTransformer that is not dropped."""
    names = list(getattr(transformer, "feature_names_in_", ()))
    parts = []
    for name, inner, key in transformer.transformers_:
        positions = _positions(key, names, n_columns)
        if positions and not (isinstance(inner, str) and inner == "drop"):
            parts.append((name, inner, positions))
    return parts


def _positions(key: Any, names: list[str], n_columns: int) -> list[int]:
    """Positions of the columns a ColumnTransformer selects by names, numbers, a slice or a mask."""
    if isinstance(key, UserList):
        key = key.data
    if isinstance(key, slice):
        start, stop = (names.index(end) if isinstance(end, str) else end for end in (key.start, key.stop))
        if isinstance(key.stop, str):
            stop = stop + 1  # the last name is included
        return list(range(n_columns))[slice(start, stop, key.step)]
    if isinstance(key, (str, bool, int, np.integer)):
        key = [key]
    key = list(key)
    if key and all(isinstance(item, (bool, np.bool_)) for item in key):
        return [place for place, chosen in enumerate(key) if chosen]
    return [names.index(item) if isinstance(item, str) else range(n_columns)[int(item)] for item in key]


def _transform(encoder: Any, data: list[list[Any]], where: str) -> FloatArray:
    """Run the encoder's own transform on columns of values, dense."""
    names = getattr(encoder, "feature_names_in_", None)
    columns = [_array(values) for values in data]
    frame: Any
    if names is not None:
        import pandas

        # the dtype said: pandas would take None for NaN, which encoders tell apart
        frame = pandas.DataFrame({i: pandas.Series(column, dtype=column.dtype) for i, column in enumerate(columns)})
        frame.columns = names
    elif all(column.dtype.kind in "fiub" for column in columns):
        frame = np.column_stack(columns)
    else:
        frame = np.empty((len(columns[0]), len(columns)), dtype=object)
        for place, column in enumerate(columns):
            frame[:, place] = column
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of unknown values, which are met on purpose
            out = encoder.transform(frame)
    except ValueError as error:
        raise InvalidInputError(f"{where} refuses values of the training data: {error}") from error
    return dense(out)


def dense(transformed: Any) -> FloatArray:
    """Return what a transformer gave, an array, a sparse matrix or a frame, as an array of numbers."""
    return np.asarray(transformed.toarray() if hasattr(transformed, "toarray") else transformed, dtype=np.float64)


def _array(values: list[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    if all(isinstance(value, (bool, int, float, np.number, np.bool_)) for value in values):
        return np.array(values)
    return array


def _all_equal(values: FloatArray) -> bool:
    return bool(((values == values[0]) | (np.isnan(values) & np.isnan(values[0]))).all())


def _is_missing_for(imputer: Any, value: Any) -> bool:
    wanted = imputer.missing_values
    if wanted is None:
        return value is None
    if is_missing_value(wanted):
        # None in a column of objects is no NaN to the imputer
        return value is not None and is_missing_value(value)
    return bool(not is_missing_value(value) and value == wanted)


def _accepts_unknown(encoder: Any) -> bool:
    return isinstance(encoder, TargetEncoder) or encoder.handle_unknown != "error"


def _key(value: Any) -> Any:
    """Equal for values an encoder takes to be the same: NaN is one, None another."""
    return ("missing", value is None) if is_missing_value(value) else value


def _where(name: str, transformer: Any) -> str:
    return f"step {name!r} ({type(transformer).__name__})"
