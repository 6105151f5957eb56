"""Transformers that are constant between steps: bins, their codes, thresholds, splines of degree zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.preprocessing import Binarizer, KBinsDiscretizer, SplineTransformer

from ...arrays import BoolArray, FloatArray
from ...errors import UnsupportedSettingError
from ...search.relaxations.curves.base import last_where
from ..affine import LARGEST_WARPED
from ..columnwise import through, transformed
from ..registry import register
from ..steps import Step
from ..streams import LevelStream, StepStream, Stream, WarpStream, numbers_of
from ..warping import Takes, as_warp, chains_of, not_affine, require_monotone, spread, within
from .polynomials import follow_splines

if TYPE_CHECKING:
    from ..walk import Walk


@dataclass(frozen=True, slots=True)
class Pieces:
    """What a transformer makes of its columns.

    Attributes
    ----------
    counts : sequence of int
        Pieces of each column.
    widths : sequence of int
        Columns it gives for each column it takes, in their order.
    takes : Takes
    is_one_hot : bool
        They are codes, the first of the first piece, and so on; else one number that grows from piece to piece.
    """

    counts: Sequence[int]
    widths: Sequence[int]
    takes: Takes
    is_one_hot: bool

    def of_column(self, given: FloatArray, place: int) -> FloatArray:
        """Cut the columns that belong to one column out of what the transformer gave."""
        start = sum(self.widths[:place])
        return np.asarray(given[:, start : start + self.widths[place]])

    def piece(self, of_column: FloatArray) -> FloatArray:
        """Return in which piece rows are by the columns they became; without any code, in the last one."""
        if not self.is_one_hot:
            return np.asarray(of_column[:, 0])
        has_code = of_column.any(axis=1)
        return np.where(has_code, of_column.argmax(axis=1), float(of_column.shape[1]))


@register(KBinsDiscretizer)
def _bins(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    counts, is_one_hot = step.transformer.n_bins_.tolist(), step.transformer.encode != "ordinal"
    pieces = Pieces(counts, counts if is_one_hot else [1] * len(counts), Takes.numbers(len(counts)), is_one_hot)
    return follow_pieces(walk, step, streams, pieces, "is not affine: it puts numbers into bins")


@register(Binarizer)
def _binarizer(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    n = len(streams)
    pieces = Pieces([2] * n, [1] * n, Takes.numbers(n), is_one_hot=False)
    return follow_pieces(walk, step, streams, pieces, "is not affine: it compares with a threshold")


@register(SplineTransformer)
def _spline(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    spline, n = step.transformer, len(streams)
    if spline.degree != 0 or spline.extrapolation == "periodic":
        return follow_splines(walk, step, streams)
    takes = Takes.numbers(n)
    if spline.extrapolation in ("constant", "error"):  # beyond the knots transform raises, with degree 0 in any case
        knots = [of_column.t for of_column in spline.bsplines_]
        takes = Takes(np.array([t[0] for t in knots]), np.array([t[-1] for t in knots]))
    counts, width = [len(of_column.t) - 1 for of_column in spline.bsplines_], spline.n_features_out_ // n
    pieces = Pieces(counts, [width] * n, takes, is_one_hot=True)
    return follow_pieces(walk, step, streams, pieces, "is not affine: it puts numbers into bins")


def follow_pieces(walk: Walk, step: Step, streams: list[Stream], pieces: Pieces, reason: str) -> list[Stream]:
    """Streams behind a transformer that is constant between steps of each column; ``reason`` says what it does."""
    require_monotone(walk, step, streams)
    why = not_affine(walk, step, streams, reason)
    places = [place for place, stream in enumerate(streams) if not isinstance(stream, (LevelStream, StepStream))]
    warps = within(
        walk,
        step,
        [as_warp(streams[place], why) for place in places],
        pieces.takes.low[places],
        pieces.takes.high[places],
    )
    ends = _ends(step, places, warps, pieces)
    numbers = dict(zip(places, through(chains_of(warps), [_one_of_each(*pair) for pair in zip(warps, ends)])))
    for place, stream in enumerate(streams):
        if isinstance(stream, LevelStream):
            numbers[place] = numbers_of(stream, walk.table, walk.findings, step.in_words)
        elif isinstance(stream, StepStream):
            numbers[place] = stream.values
    given = _given(step, pieces, numbers)
    _check_constant(walk, step, pieces, places, warps, ends, given)
    bases = dict(zip(places, zip(warps, ends)))
    out: list[Stream] = []
    for place, stream in enumerate(streams):
        for values in given[place].T:
            if isinstance(stream, LevelStream):
                out.append(LevelStream(stream.column, tuple(values.tolist()), encoded=True))
            elif isinstance(stream, StepStream):
                out.append(StepStream(stream.base, stream.low, stream.high, stream.ends, values, stream.why))
            else:
                warp, of_column = bases[place]
                out.append(StepStream(warp.base, warp.low, warp.high, of_column, values, warp.why))
    return out


def _ends(step: Step, places: list[int], warps: list[WarpStream], pieces: Pieces) -> list[FloatArray]:
    """Last numbers of all pieces but the last, of each column: all of them bisected at once."""
    if not places:
        return []
    counts = [pieces.counts[place] - 1 for place in places]
    number = np.concatenate([np.arange(count) for count in counts]).astype(np.float64)
    rises = np.repeat([warp.rises for warp in warps], counts)
    last = np.repeat(counts, counts)
    borders = np.cumsum(counts)[:-1]

    def holds(numbers: FloatArray) -> BoolArray:
        z = through(chains_of(warps), np.split(numbers, borders))
        given = _given(step, pieces, dict(zip(places, z)))
        piece = np.concatenate([pieces.piece(given[place]) for place in places])
        return np.where(rises, piece <= number, last - piece <= number)

    low = np.repeat([warp.low for warp in warps], counts)
    high = np.repeat([warp.high for warp in warps], counts)
    found = last_where(holds, low, high) if len(number) else np.zeros(0)
    return [np.unique(ends[np.isfinite(ends)]) for ends in np.split(found, borders)]


def _given(step: Step, pieces: Pieces, numbers: dict[int, FloatArray]) -> dict[int, FloatArray]:
    """Ask the transformer about numbers of some columns; what it gives for each, of shape (n, width)."""
    table = np.repeat(pieces.takes.neutral[None], max(len(values) for values in numbers.values()), axis=0)
    for place, values in numbers.items():
        table[: len(values), place] = np.where(np.abs(values) <= LARGEST_WARPED, values, table[: len(values), place])
    given = transformed(step.transformer, table)
    return {place: pieces.of_column(given, place)[: len(values)] for place, values in numbers.items()}


def _one_of_each(warp: WarpStream, ends: FloatArray) -> FloatArray:
    """Return a number of each piece."""
    return np.append(ends, np.nextafter(ends[-1], np.inf)) if len(ends) else np.array([warp.low])


def _check_constant(
    walk: Walk,
    step: Step,
    pieces: Pieces,
    places: list[int],
    warps: list[WarpStream],
    ends: list[FloatArray],
    values: dict[int, FloatArray],
) -> None:
    """Refuse columns that are not constant between their steps."""
    if not places:
        return
    numbers = []
    for warp, of_column in zip(warps, ends):
        near = [of_column, np.nextafter(of_column, np.inf), (of_column[1:] + of_column[:-1]) / 2]
        numbers.append(spread(warp.low, warp.high, np.concatenate(near)))
    given = _given(step, pieces, dict(zip(places, through(chains_of(warps), numbers))))
    for place, warp, of_column, asked in zip(places, warps, ends, numbers):
        if (given[place] != values[place][np.searchsorted(of_column, asked)]).any():
            raise UnsupportedSettingError(
                f"{step.in_words} does not put {walk.names([warp])} into one bin after the other. Use "
                'KBinsDiscretizer, or SplineTransformer(degree=0, extrapolation="continue").'
            )
