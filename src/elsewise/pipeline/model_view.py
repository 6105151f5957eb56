"""What the final estimator sees: an affine map of the features, and functions of single columns behind it.

Where all streams are affine, model space is the space of the estimator. Where some are not, model space is what
reaches the first step that is not affine: each of its features once, however many columns are made of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import FloatArray
from ..errors import UnsupportedSettingError
from ..models.behind_derived import BehindDerived
from ..models.trees import AsIs, ModelColumn, Stepped, StepsBefore, Warped
from ..table.table import Table
from .affine import FAR_LIMIT, LARGEST_WARPED, AffineMap
from .columnwise import Chains
from .streams import AffineStream, BentStream, LevelStream, Limits, StepStream, Stream, WarpStream, as_affine
from .transformers.curves import curve_of
from .walk import Walk

# How far limits of a column keep from the end of what a step takes, relative to the terms they are computed from.
LIMIT_TOLERANCE = 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class ModelView:
    """What the final estimator sees of the features.

    Attributes
    ----------
    to_model : AffineMap
        From features to model space.
    steps : StepsBefore or None
        From model space to the columns of the estimator; None where these are the same.
    streams : tuple of Stream
        One a column of the estimator.
    derived : BehindDerived or None
        The estimator with products, ratios and rounding of features of model space before it.
    """

    to_model: AffineMap
    steps: StepsBefore | None
    streams: tuple[Stream, ...]
    derived: BehindDerived | None = None

    def of_features(self, features: FloatArray, shift: float | FloatArray = 0.0) -> FloatArray:
        """Return the columns of the estimator at features moved by a shift in model space, (n_samples, n_columns)."""
        Y = self.to_model(features) + shift
        if self.steps is None:
            return Y if self.derived is None else self.derived(Y)
        out = np.empty((len(Y), len(self.steps.columns)))
        warped = [(j, column) for j, column in enumerate(self.steps.columns) if isinstance(column, Warped)]
        # what a shift moves beyond the end of what a step takes is at the end
        ends = [(-np.inf, np.inf) if np.all(shift == 0.0) else (column.low, column.high) for _, column in warped]
        numbers = [np.clip(Y[:, column.place], *end) for (_, column), end in zip(warped, ends)]
        values = self.steps.functions([j for j, _ in warped], numbers)
        for j, column in enumerate(self.steps.columns):
            y = Y[:, column.place]
            if isinstance(column, Stepped):
                out[:, j] = column.values[np.searchsorted(column.ends, y)]
            elif isinstance(column, AsIs):
                out[:, j] = y
        out[:, [j for j, _ in warped]] = np.array(values).T.reshape(len(Y), len(warped))
        return out


def model_view(walk: Walk, streams: Sequence[Stream]) -> ModelView:
    """Put together what streams say; limits of columns are noted in the findings."""
    table, where = walk.table, "the final estimator"
    if not any(isinstance(stream, (WarpStream, StepStream)) for stream in streams):
        return ModelView(as_affine(streams, table, walk.findings, where), None, tuple(streams))
    places: dict[tuple[bytes, float], int] = {}
    rows: list[AffineStream] = []
    columns: list[ModelColumn] = []
    chains = {}
    for j, stream in enumerate(streams):
        base = stream.base if isinstance(stream, (WarpStream, StepStream)) else _affine(walk, stream, where)
        # adding zero makes +0 of -0, which would be another key
        place = places.setdefault(((base.coefficients + 0.0).tobytes(), base.offset + 0.0), len(rows))
        if place == len(rows):
            rows.append(base)
        name = walk.names([stream])
        if isinstance(stream, WarpStream):
            chains[j] = stream.chain
            curve = curve_of(stream.chain, stream.low, stream.high)
            columns.append(Warped(place, name, stream.why, stream.low, stream.high, stream.rises, curve))
        elif isinstance(stream, StepStream):
            columns.append(Stepped(place, name, stream.why, stream.ends, stream.values))
        else:
            columns.append(AsIs(place, name, _levels(base, table), base.column))
        if isinstance(stream, (WarpStream, StepStream)):
            _note_limits(walk, stream)
    to_model = as_affine(rows, table, walk.findings, where)
    steps = StepsBefore(len(rows), tuple(columns), Chains(chains), np.repeat([[-1.0], [1.0]], len(rows), axis=1))
    return ModelView(to_model, steps, tuple(streams))


def with_seen(view: ModelView, features: FloatArray) -> ModelView:
    """Note where training rows, in features, are in model space; the view has steps."""
    assert view.steps is not None
    Y = view.to_model(features)
    return replace(view, steps=replace(view.steps, seen=np.array([Y.min(axis=0), Y.max(axis=0)])))


def refuse_mixed_limits(walk: Walk, view: ModelView, Y: FloatArray) -> None:
    """Refuse steps that do not take every number where columns are mixed before them: answers could not keep to that.

    Parameters
    ----------
    walk : Walk
    view : ModelView
    Y : array of shape (n_samples, n_model_features)
        Training rows in model space. Limits far from them do not count.
    """
    places = np.arange(len(view.streams)) if view.steps is None else view.steps.places
    for stream, place in zip(view.streams, places):
        if not isinstance(stream, (WarpStream, StepStream)) or stream.base.column >= 0:
            continue
        far = min(FAR_LIMIT * (1.0 + float(np.abs(Y[:, place]).max(initial=0.0))), LARGEST_WARPED)
        if stream.base.coefficients.any() and (stream.low > -far or stream.high < far):
            raise UnsupportedSettingError(
                f"{stream.why} It needs numbers from {stream.low:g} to {stream.high:g}, and {walk.names([stream])} are "
                "mixed before it. Apply it to single columns."
            )


def _affine(walk: Walk, stream: Stream, where: str) -> AffineStream:
    mapped = walk.streams_of(as_affine([stream], walk.table, walk.findings, where))[0]
    assert isinstance(mapped, AffineStream)
    column = stream.column if isinstance(stream, LevelStream) else mapped.column
    return AffineStream(mapped.coefficients, mapped.offset, column)


def _levels(stream: AffineStream, table: Table) -> FloatArray | None:
    """Return what a stream is at each level of the only column it comes from; None for numbers and several columns."""
    if stream.column < 0:
        return None if stream.coefficients.any() else np.array([stream.offset])
    column = table.columns[stream.column]
    if column.kind == "category":
        return np.asarray(stream.coefficients[column.features] + stream.offset)
    if column.kind == "ordinal":
        return np.asarray(stream.coefficients[column.start] * np.arange(len(column.levels)) + stream.offset)
    return None


def _note_limits(walk: Walk, stream: BentStream) -> None:
    """Note between which numbers of the table's column its steps take it."""
    base = stream.base
    low = stream.low if stream.low > -LARGEST_WARPED else -np.inf
    high = stream.high if stream.high < LARGEST_WARPED else np.inf
    if np.isinf(low) and np.isinf(high):
        return
    levels = _levels(base, walk.table)
    if levels is not None:
        if ((levels < low) | (levels > high)).any():
            raise UnsupportedSettingError(
                f"{stream.why} It needs numbers from {low:g} to {high:g}: a level of {walk.names([stream])} is none."
            )
        return
    if base.column < 0:
        return  # no limits of one column: see refuse_mixed_limits
    slope = float(base.coefficients[walk.table.columns[base.column].start])
    ends, blur = sorted(((low - base.offset) / slope, (high - base.offset) / slope)), 0.0
    if (slope, base.offset) != (1.0, 0.0):  # the pipeline's own arithmetic may end a few last bits earlier or later
        size = max(abs(end) for end in (low, high) if np.isfinite(end)) + abs(base.offset)
        blur = LIMIT_TOLERANCE * size / abs(slope)
    known = walk.findings.limits.get(base.column, Limits())
    walk.findings.limits[base.column] = known.within(ends[0], ends[1], blur)
