"""Encoders: levels of categories become numbers, column by column."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, TargetEncoder

from ...arrays import AnyArray, FloatArray, UserValue
from ...errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError
from ..columnwise import dense
from ..registry import register
from ..steps import Step
from ..streams import (
    AffineStream,
    DerivedStream,
    LevelStream,
    Recast,
    StepStream,
    Stream,
    Unsettled,
    WarpStream,
    level_key,
)

if TYPE_CHECKING:
    from ..walk import Walk

Encoder = OneHotEncoder | OrdinalEncoder | TargetEncoder


@register(OneHotEncoder, OrdinalEncoder, TargetEncoder)
def _encoder(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    encoder = step.transformer
    level_streams = [as_levels(walk, step, stream) for stream in streams]
    accepts = isinstance(encoder, TargetEncoder) or encoder.handle_unknown != "error"
    for stream, known in zip(level_streams, encoder.categories_, strict=True):
        if isinstance(stream, LevelStream) and not stream.encoded:
            _compare_levels(walk, step, stream, known.tolist(), accepts)
    if walk.findings.foreign:
        raise Unsettled
    return _tabulated(walk, step, level_streams)


def as_levels(walk: Walk, step: Step, stream: Stream) -> LevelStream | StepStream:
    """Return a stream that has a value a level or a bin, or ask for its column to be a category."""
    if isinstance(stream, (LevelStream, StepStream)):
        return stream
    if isinstance(stream, (WarpStream, DerivedStream)):
        raise UnsupportedSettingError(
            f"{step.in_words} encodes {walk.names([stream])} after an earlier step has changed its values. Encode the "
            "column as it is."
        )
    if stream.column < 0:
        raise UnsupportedSettingError(
            f"{step.in_words} encodes a combination of {walk.names([stream])}: expected single columns. Encode them "
            "before they are combined."
        )
    column = walk.table.columns[stream.column]
    if column.levels or stream.coefficients[column.start] != 1 or stream.offset != 0:
        raise UnsupportedSettingError(
            f"{step.in_words} encodes column {column.name!r} after an earlier step has changed its values. Encode the "
            "column as it is."
        )
    raise Recast(stream.column, step.in_words)


def _compare_levels(walk: Walk, step: Step, stream: LevelStream, known: list[UserValue], accepts: bool) -> None:
    """Note what the encoder knows beyond the levels, and which levels it would refuse."""
    column, findings = walk.table.columns[stream.column], walk.findings
    findings.accepts.setdefault(stream.column, []).append(accepts)
    own_keys = {level_key(value) for value in stream.values}
    # a constant that stands for missing values is no value of the column itself
    stands_for = walk.imputed.get(stream.column, {})
    more = [stands_for.get(level_key(value), value) for value in known if level_key(value) not in own_keys]
    refused = {level_key(level) for level in walk.refused.get(stream.column, ())}
    if None in walk.refused.get(stream.column, ()):
        refused.add(level_key(np.nan))  # the level of missing values, however they are written
    findings.known.setdefault(stream.column, []).extend(value for value in more if level_key(value) not in refused)
    if not accepts:
        learned = {level_key(value) for value in known}
        foreign = [
            (level, step.in_words)
            for level, value in zip(column.levels, stream.values)
            if level_key(value) not in learned
        ]
        if foreign:
            findings.foreign.setdefault(stream.column, []).extend(foreign)


def _tabulated(walk: Walk, step: Step, streams: list[LevelStream | StepStream]) -> list[Stream]:
    """Run the encoder's own transform on each level (or piece) of each column, the others at their first one.

    Encoders work column by column, so each output is a function of one column: a value a level.
    """
    first_of = {_column_of(stream): stream for stream in reversed(streams)}
    columns = list(dict.fromkeys(_column_of(stream) for stream in streams))
    n_values = {column: len(first_of[column].values) for column in columns}
    # samples[r] says which level each column has in row r; row 0 has the first of all, and in rows_of[column] the
    # column goes through its levels one by one
    samples = [dict.fromkeys(columns, 0)]
    rows_of: dict[Hashable, list[int]] = {}
    for column in columns:
        rows_of[column] = [0, *range(len(samples), len(samples) + n_values[column] - 1)]
        samples += [{**samples[0], column: level} for level in range(1, n_values[column])]
    data = [[stream.values[sample[_column_of(stream)]] for sample in samples] for stream in streams]
    result: list[Stream] = []
    for values in _transform(step, data).T:
        varies = [column for column in columns if not _all_equal(values[rows_of[column]])]
        if len(varies) > 1:
            names = walk.names([first_of[column] for column in varies])
            raise UnsupportedModelError(f"{step.in_words} combines the {names}: it does not encode them one by one.")
        if varies:
            stream, of_column = first_of[varies[0]], values[rows_of[varies[0]]]
            if isinstance(stream, LevelStream):
                result.append(LevelStream(stream.column, tuple(of_column.tolist()), encoded=True))
            else:
                result.append(replace(stream, values=of_column))
        else:
            result.append(AffineStream(np.zeros(walk.table.n_features), float(values[0]), -1))
    return result


def _column_of(stream: LevelStream | StepStream) -> Hashable:
    """Equal for streams that take their values together: of one table column, or of the same pieces."""
    if isinstance(stream, LevelStream):
        return stream.column
    return stream.base.coefficients.tobytes(), stream.base.offset, stream.ends.tobytes()


def _transform(step: Step, data: Sequence[list[UserValue]]) -> FloatArray:
    """Run the encoder's own transform on columns of values, dense."""
    names = getattr(step.transformer, "feature_names_in_", None)
    columns = [_array(values) for values in data]
    table: Any
    if names is not None:
        import pandas

        # the dtype said: pandas would take None for NaN, which encoders tell apart
        table = pandas.DataFrame({i: pandas.Series(column, dtype=column.dtype) for i, column in enumerate(columns)})
        table.columns = names
    elif all(column.dtype.kind in "fiub" for column in columns):
        table = np.column_stack(columns)
    else:
        table = np.empty((len(columns[0]), len(columns)), dtype=object)
        for place, column in enumerate(columns):
            table[:, place] = column
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of unknown values, which are met on purpose
            out = step.transformer.transform(table)
    except ValueError as error:
        raise InvalidInputError(
            f"{step.in_words} refuses values that the columns before it may have: {error}. Fit it with "
            'handle_unknown="ignore" (OneHotEncoder) or "use_encoded_value" (OrdinalEncoder).'
        ) from error
    return dense(out)


def _array(values: list[UserValue]) -> AnyArray:
    if all(isinstance(value, (bool, int, float, np.number, np.bool_)) for value in values):
        return np.array(values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _all_equal(values: FloatArray) -> bool:
    return bool(((values == values[0]) | (np.isnan(values) & np.isnan(values[0]))).all())
