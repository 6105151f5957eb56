"""Streams: what flows between two steps of a pipeline, one column of data each.

A stream is an affine function of the features (:class:`AffineStream`), or it holds one known value a level of one
category or ordinal column (:class:`LevelStream`): text on its way to an encoder, or numbers that an affine step may
still ask for. Behind steps that are not affine it is a function of an affine one (:class:`WarpStream`), or one in steps
(:class:`StepStream`)::

    AffineStream:  z = coefficients·e + offset
    LevelStream:   z = values[k]  where the column has level k, which for numbers is  z = sum_k values[k] e_k
    WarpStream:    z = h(y)  with y affine; trees can take it where h rises or falls
    StepStream:    z = values[p]  where  ends[p - 1] < y <= ends[p]
    DerivedStream: z = scale r(f g) + shift  or  scale r(f / g) + shift  with f and g affine, r rounding
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, cast

import numpy as np

from ..arrays import FloatArray, UserValue
from ..errors import UnsupportedSettingError
from ..table.column import Column
from ..table.derived import DerivedColumn
from ..table.frames import is_missing_value
from ..table.levels import never_seen
from ..table.table import Table
from .affine import AffineMap
from .columnwise import Chain

# Encoded ranks lie on a line if they are so close to it, relative to the largest: evenly spaced decimals round.
LINE_TOLERANCE = 1e-14


@dataclass(frozen=True, slots=True)
class AffineStream:
    """An affine function of the features; ``column`` is the only table column it comes from, -1 if there are more.

    ``coefficients`` is an array of shape (n_features,).
    """

    coefficients: FloatArray
    offset: float
    column: int


@dataclass(frozen=True, slots=True)
class LevelStream:
    """A value for each level of table column ``column``, and one more for values never seen if the column is open.

    ``encoded`` tells that an encoder has already dealt with values never seen.
    """

    column: int
    values: tuple[UserValue, ...]
    encoded: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class WarpStream:
    """A function of an affine stream.

    Attributes
    ----------
    base : AffineStream
    chain : steps one after the other
    low, high : float
        Numbers of the base between which every step takes what it is given, and gives finite numbers.
    rises : bool or None
        Whether it rises throughout, or falls throughout; None if it does neither.
    why : str
        Which step it is that is not affine, and why, as a sentence.
    """

    base: AffineStream
    chain: Chain
    low: float
    high: float
    rises: bool | None
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class StepStream:
    """A function of an affine stream that is constant between steps.

    Attributes
    ----------
    base : AffineStream
    low, high : float
        Numbers of the base that the steps take.
    ends : array of shape (n_pieces - 1,)
        The last number of each piece but the last one, ascending.
    values : array of shape (n_pieces,)
    why : str
    """

    base: AffineStream
    low: float
    high: float
    ends: FloatArray
    values: FloatArray
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class DerivedStream:
    """A product or a ratio of two affine streams, rounded or not; an affine stream that is rounded is divided by 1.

    Attributes
    ----------
    first, second : AffineStream
    divides : bool
        It is their ratio, and the second is above zero; else their product.
    decimals : int or None
        What it is rounded to, before scale and shift; None if it is not.
    scale, shift : float
    why : str
        What it is, as a sentence.
    is_short : bool
        It is rounded to 32 bits.
    """

    first: AffineStream
    second: AffineStream
    divides: bool
    decimals: int | None
    scale: float
    shift: float
    why: str
    is_short: bool = False

    @property
    def base(self) -> AffineStream:
        """A stream that depends on every feature this one depends on."""
        depends = (self.first.coefficients != 0) | (self.second.coefficients != 0)
        return AffineStream(depends.astype(np.float64), 0.0, -1)


BentStream = WarpStream | StepStream
Stream = AffineStream | LevelStream | WarpStream | StepStream | DerivedStream


class Recast(Exception):  # noqa: N818 - a request, not an error
    """A column cannot be of the kind the table says: compile again with it as a category."""

    def __init__(self, column: int, step: str) -> None:
        super().__init__(column, step)
        self.column, self.step = column, step


class Unsettled(Exception):  # noqa: N818 - a request, not an error
    """The table's levels are not those of an encoder; the findings say why."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The smallest and the largest number of a column that steps take, known up to ``blur``."""

    low: float = -np.inf
    high: float = np.inf
    blur: float = 0.0

    def within(self, low: float, high: float, blur: float) -> Limits:
        """Return the limits that keep both these and others."""
        return Limits(max(self.low, low), min(self.high, high), max(self.blur, blur))


@dataclass(slots=True)
class Findings:
    """What following a pipeline has shown about the table's columns, by their position.

    Attributes
    ----------
    fills : what imputers put for missing numbers
    known : values encoders know, which must be levels
    foreign : levels an encoder does not accept, and the step
    accepts : whether each step that took the raw column accepts values never seen
    limits : what numbers steps take
    indicated : columns of numbers of which a step tells the model whether they are missing
    """

    fills: dict[int, float] = field(default_factory=dict)
    known: dict[int, list[UserValue]] = field(default_factory=dict)
    foreign: dict[int, list[tuple[UserValue, str]]] = field(default_factory=dict)
    accepts: dict[int, list[bool]] = field(default_factory=dict)
    limits: dict[int, Limits] = field(default_factory=dict)
    indicated: set[int] = field(default_factory=set)


def source_streams(table: Table) -> list[Stream | None]:
    """Streams of the user's columns, as they enter the pipeline; None for those the table leaves out."""
    streams: list[Stream | None] = [None] * len(table.names)
    eye = np.eye(table.n_features) if table.n_features else np.empty((0, 0))
    for place, column in enumerate(table.columns):
        if column.is_group:
            for member, source in enumerate(column.sources):
                streams[source] = LevelStream(
                    place, tuple(int(level == member) for level in range(column.width)), encoded=True
                )
        elif column.levels:
            values = [column.missing if level is None else level for level in column.levels]
            values += [never_seen(values)] if column.open else []
            streams[column.sources[0]] = LevelStream(place, tuple(values))
        else:
            streams[column.sources[0]] = AffineStream(eye[column.start], 0.0, place)
    by_name = dict(zip(table.names, streams))
    for derived in table.derived:
        streams[derived.place] = by_name[derived.name] = derived_stream(derived, by_name, table.n_features)
    return streams


def derived_stream(derived: DerivedColumn, sources: Mapping[str, Stream | None], n_features: int) -> Stream:
    """Make the stream of a derived column from those of its sources, by name."""
    forms, why = derived.forms, f"Column {derived.name!r} is {derived.text}, which is not affine."

    def affine(form: Mapping[str, Any]) -> AffineStream:
        coefficients, offset = np.zeros(n_features), float(form.get("", 0.0))
        for name, factor in form.items():
            source = sources[name] if name else None
            if name and not isinstance(source, AffineStream):
                raise UnsupportedSettingError(f"{why} It is made of {name!r}, which is not affine either.")
            if isinstance(source, AffineStream):
                coefficients += float(factor) * source.coefficients
                offset += float(factor) * source.offset
        return AffineStream(coefficients, offset, -1)

    first = affine(forms.first)
    if forms.second is None and not derived.is_rounded and not derived.is_short:
        return first
    second = AffineStream(np.zeros(n_features), 1.0, -1) if forms.second is None else affine(forms.second)
    if derived.is_below:
        first, second = (AffineStream(-one.coefficients, -one.offset, -1) for one in (first, second))
    decimals = derived.decimals if derived.is_rounded else None
    return DerivedStream(first, second, forms.symbol != "*", decimals, 1.0, 0.0, why, derived.is_short)


def as_affine(streams: Sequence[Stream], table: Table, findings: Findings, where: str) -> AffineMap:
    """Stack streams into one map from features; ``where`` is the step that asks for numbers."""
    matrix, offset = np.zeros((len(streams), table.n_features)), np.zeros(len(streams))
    for place, stream in enumerate(streams):
        if isinstance(stream, LevelStream):
            column, numbers = table.columns[stream.column], numbers_of(stream, table, findings, where)
            if column.kind == "ordinal":
                slope, start = _line(numbers, stream.column, where)
                matrix[place, column.start], offset[place] = slope, start
            else:
                matrix[place, column.features] = numbers
        elif isinstance(stream, AffineStream):
            matrix[place], offset[place] = stream.coefficients, stream.offset
        else:
            raise UnsupportedSettingError(f"{stream.why} {where} needs numbers that are affine.")
    return AffineMap(matrix, offset)


def numbers_of(stream: LevelStream, table: Table, findings: Findings, where: str) -> FloatArray:
    """Return the number of each level for a step that asks for numbers, array of shape (n_levels,)."""
    column = table.columns[stream.column]
    if not stream.encoded:
        findings.accepts.setdefault(stream.column, []).append(False)
    for value in stream.values:
        if not isinstance(value, (Real, np.bool_)):
            advice = "Encode it in the pipeline (OneHotEncoder, OrdinalEncoder), or drop it."
            if _are_numbers_as_text(column):
                advice = "They are numbers written as text: convert the column with pandas.to_numeric."
            raise UnsupportedSettingError(
                f"Column {column.name!r} reaches {where} as it is, with values such as {value!r}, where numbers are "
                f"needed. {advice}"
            )
    numbers = np.array(stream.values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        level = column.levels[int(np.argmin(np.isfinite(numbers)))]
        what = "a missing value" if level is None else repr(level)
        raise UnsupportedSettingError(
            f"Column {column.name!r} reaches {where} as {numbers[~np.isfinite(numbers)][0]} where it holds {what}. Put "
            "a SimpleImputer before that step, or give the encoder a number for missing values "
            "(encoded_missing_value)."
        )
    return numbers


def _are_numbers_as_text(column: Column) -> bool:
    try:
        return len([float(level) for level in column.levels if isinstance(level, str)]) > 0
    except ValueError:
        return False


def _line(numbers: FloatArray, column: int, where: str) -> tuple[float, float]:
    """Slope and start of numbers that are affine in the rank 0, 1, ...; the column cannot be ordinal otherwise."""
    if len(numbers) == 1:
        return 0.0, float(numbers[0])
    slope = (numbers[-1] - numbers[0]) / (len(numbers) - 1)
    line = numbers[0] + slope * np.arange(len(numbers))
    if (np.abs(line - numbers) > LINE_TOLERANCE * np.abs(numbers).max()).any():
        raise Recast(column, where)
    return float(slope), float(numbers[0])


def level_key(value: UserValue) -> Hashable:
    """Equal for values an encoder takes to be the same: NaN is one, None another."""
    return ("missing", value is None) if is_missing_value(value) else cast("Hashable", value)
