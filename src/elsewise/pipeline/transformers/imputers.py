"""Imputers and indicators: what stands for missing values is noted; numbers that are there pass as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.impute import MissingIndicator, SimpleImputer

from ...arrays import UserValue
from ...errors import UnsupportedSettingError
from ...table.frames import is_missing_value
from ..registry import register
from ..steps import Step
from ..streams import (
    AffineStream,
    BentStream,
    DerivedStream,
    LevelStream,
    Recast,
    StepStream,
    Stream,
    WarpStream,
    level_key,
)

if TYPE_CHECKING:
    from ..walk import Walk

# Two imputers put the same number for a missing value if they agree so closely, relative to the number: one may have
# learned it from scaled data.
FILL_TOLERANCE = 1e-9


@register(SimpleImputer)
def _imputer(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    imputer = step.transformer
    out: list[Stream] = []
    for stream, fill in zip(streams, imputer.statistics_, strict=True):
        if is_missing_value(fill) and not imputer.keep_empty_features and imputer.strategy != "constant":
            continue  # a column without any value: transform leaves it out
        if isinstance(stream, LevelStream):
            _note_replacement(walk, stream, imputer, fill)
            values = (fill if _is_missing_for(imputer, value) else value for value in stream.values)
            out.append(LevelStream(stream.column, tuple(values), stream.encoded))
        elif isinstance(stream, (WarpStream, StepStream)):
            _require_nothing_missing(walk, step, stream)
            out.append(stream)
        else:
            if not isinstance(stream, DerivedStream):  # nothing is missing of what is derived
                _note_fill(walk, step, stream, fill)
            out.append(stream)
    return out + _indicators(walk, step, streams, imputer.indicator_) if imputer.add_indicator else out


@register(MissingIndicator)
def _indicator(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    return _indicators(walk, step, streams, step.transformer)


def _indicators(walk: Walk, step: Step, streams: list[Stream], indicator: MissingIndicator) -> list[Stream]:
    """Streams that tell whether values are missing: of numbers that are there nothing but zeros.

    Missing numbers stay missing; what that adds is known of each row beforehand (:func:`..compile.effect_of_missing`).
    """
    out: list[Stream] = []
    for place in indicator.features_.tolist():
        stream = streams[place]
        if isinstance(stream, LevelStream):
            are_missing = (float(_is_missing_for(indicator, value)) for value in stream.values)
            out.append(LevelStream(stream.column, tuple(are_missing)))
            continue
        column = walk.table.columns[stream.column] if isinstance(stream, AffineStream) and stream.column >= 0 else None
        if column is None or column.kind not in ("number", "integer"):
            raise UnsupportedSettingError(
                f"{step.in_words} tells what is missing behind another step: whether a value was missing is not known "
                f"there. It takes {walk.names(streams)}. Put it first."
            )
        if not is_missing_value(indicator.missing_values):
            raise UnsupportedSettingError(
                f"{step.in_words} takes {indicator.missing_values!r} in column {column.name!r}, a number, for missing. "
                "Put NaN for it before the pipeline."
            )
        walk.findings.indicated.add(walk.table.columns.index(column))
        out.append(AffineStream(np.zeros(walk.table.n_features), 0.0, -1))
    return out


def _note_replacement(walk: Walk, stream: LevelStream, imputer: SimpleImputer, fill: UserValue) -> None:
    if stream.encoded:
        return
    if imputer.strategy == "constant":
        walk.imputed.setdefault(stream.column, {})[level_key(fill)] = imputer.missing_values
    if not is_missing_value(imputer.missing_values) and imputer.missing_values not in stream.values:
        # "?" that does not occur is no value never seen: the imputer knows it
        walk.findings.known.setdefault(stream.column, []).append(imputer.missing_values)


def _note_fill(walk: Walk, step: Step, stream: AffineStream, fill: UserValue) -> None:
    column = walk.table.columns[stream.column] if stream.column >= 0 else None
    if column is None or column.kind not in ("number", "integer"):
        return  # nothing can be missing here
    if not is_missing_value(step.transformer.missing_values):
        raise UnsupportedSettingError(
            f"{step.in_words} replaces {step.transformer.missing_values!r} in column {column.name!r}, a number: not "
            'affine. Put NaN for it before the pipeline, or declare the column "category".'
        )
    if isinstance(fill, str):
        raise Recast(stream.column, step.in_words)
    # z = slope x + offset is missing where x is; the x whose z is the fill gives the same
    slope = float(stream.coefficients[column.start])
    value = float(fill) if (slope, stream.offset) == (1.0, 0.0) else (float(fill) - stream.offset) / slope
    known = walk.findings.fills.setdefault(stream.column, value)
    if abs(known - value) > FILL_TOLERANCE * (abs(known) + abs(value)):
        raise UnsupportedSettingError(
            f"{step.in_words} puts {value:g} for missing values of column {column.name!r}, another step puts "
            f"{known:g}: there is no one value they stand for. Use one imputer for the column."
        )


def _require_nothing_missing(walk: Walk, step: Step, stream: BentStream) -> None:
    """Refuse to fill in what an earlier step made of a missing number: no number of the column may stand for it."""
    if stream.base.column in walk.findings.fills or stream.base.column < 0:
        return
    column = walk.table.columns[stream.base.column]
    if column.kind in ("number", "integer"):
        raise UnsupportedSettingError(
            f"{step.in_words} replaces missing values of column {column.name!r} behind another step. {stream.why} Put "
            "the imputer before it."
        )


def _is_missing_for(imputer: SimpleImputer | MissingIndicator, value: UserValue) -> bool:
    wanted = imputer.missing_values
    if wanted is None:
        return value is None
    if is_missing_value(wanted):
        # None in a column of objects is no NaN to the imputer
        return value is not None and is_missing_value(value)
    return bool(not is_missing_value(value) and value == wanted)
