"""Following steps that are functions of single columns: streams become monotone functions of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..errors import UnsupportedModelError, UnsupportedSettingError
from ..search.relaxations.curves.base import last_where
from .affine import LARGEST_WARPED, N_NUMBERS_CHECKED
from .columnwise import Chain, ColumnStep, through
from .steps import Step
from .streams import AffineStream, DerivedStream, LevelStream, StepStream, Stream, WarpStream, numbers_of

if TYPE_CHECKING:
    from .walk import Walk

# A function that falls by less than this, relative to its largest value, rises up to rounding.
MONOTONE_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Takes:
    """The numbers a transformer takes in each of its columns: arrays of shape (n_columns,)."""

    low: FloatArray
    high: FloatArray

    @classmethod
    def numbers(cls, n: int, low: float = -LARGEST_WARPED, high: float = LARGEST_WARPED) -> Takes:
        """Make the same for all columns: any number unless given."""
        return cls(np.full(n, low), np.full(n, high))

    @property
    def neutral(self) -> FloatArray:
        """A number of each column that it takes."""
        return np.clip(np.ones(len(self.low)), self.low, self.high)


@dataclass(frozen=True, slots=True)
class Route:
    """One column through a transformer: which it takes, which it gives, and whether that rises or falls with it."""

    place: int
    output: int
    rises: bool | None = True


def follow_columns(
    walk: Walk, step: Step, streams: Sequence[Stream], routes: Sequence[Route], takes: Takes, why: str
) -> list[Stream]:
    """Streams behind a transformer that takes one column at a time, one a route.

    Parameters
    ----------
    walk : Walk
    step : Step
    streams : sequence of streams
        All that reach the transformer.
    routes : sequence of Route
    takes : Takes
    why : str
        A sentence that names the step and says why it is not affine.
    """
    require_affine([streams[route.place] for route in routes], step)
    out: list[Stream] = []
    number_routes = [route for route in routes if isinstance(streams[route.place], (AffineStream, WarpStream))]
    warps = iter(_warped(walk, step, streams, number_routes, takes, why))
    for route in routes:
        stream = streams[route.place]
        own = ColumnStep(step.transformer, takes.neutral, route.place, route.output)
        if isinstance(stream, LevelStream):
            values = through([(own,)], [numbers_of(stream, walk.table, walk.findings, step.in_words)])[0]
            out.append(LevelStream(stream.column, tuple(values.tolist()), encoded=True))
        elif isinstance(stream, StepStream):
            values = through([(own,)], [stream.values])[0]
            out.append(StepStream(stream.base, stream.low, stream.high, stream.ends, values, stream.why))
        else:
            out.append(next(warps))
    return out


def _warped(
    walk: Walk, step: Step, streams: Sequence[Stream], routes: Sequence[Route], takes: Takes, why: str
) -> list[WarpStream]:
    before = [as_warp(streams[route.place], why) for route in routes]
    places = [route.place for route in routes]
    before = within(walk, step, before, takes.low[places], takes.high[places])
    after = [
        WarpStream(
            stream.base,
            (*stream.chain, ColumnStep(step.transformer, takes.neutral, route.place, route.output)),
            stream.low,
            stream.high,
            None if stream.rises is None or route.rises is None else stream.rises == route.rises,
            stream.why,
        )
        for stream, route in zip(before, routes)
    ]
    largest = np.full(len(after), LARGEST_WARPED)
    return within(walk, step, after, -largest, largest)


def require_affine(streams: Sequence[Stream], step: Step) -> None:
    """Refuse streams derived from several columns before a step that is not affine."""
    for stream in streams:
        if isinstance(stream, DerivedStream):
            raise UnsupportedSettingError(
                f"{stream.why} {step.in_words} may not follow it: expected affine steps behind it."
            )


def require_monotone(walk: Walk, step: Step, streams: Sequence[Stream]) -> None:
    """Refuse streams that neither rise nor fall before a step that is not affine."""
    for stream in streams:
        if isinstance(stream, DerivedStream) or (isinstance(stream, WarpStream) and stream.rises is None):
            raise UnsupportedSettingError(
                f"{stream.why} {step.in_words} may not follow it: expected affine steps behind it."
            )


def not_affine(walk: Walk, step: Step, streams: Sequence[Stream], reason: str) -> str:
    """Describe in a sentence why a step is not affine, and which columns it takes."""
    return f"{step.in_words} {reason}. It takes {walk.names(streams)}."


def as_warp(stream: Stream, why: str) -> WarpStream:
    """Take an affine stream for a monotone function without any steps."""
    if isinstance(stream, AffineStream):
        return WarpStream(stream, (), -LARGEST_WARPED, LARGEST_WARPED, True, why)
    assert isinstance(stream, WarpStream)
    return stream


def within(
    walk: Walk, step: Step, streams: Sequence[WarpStream], least: FloatArray, most: FloatArray
) -> list[WarpStream]:
    """Narrow the numbers of streams to those at which they lie between ``least`` and ``most``, of shape (n,).

    Streams that neither rise nor fall are left as they are.
    """
    is_monotone = [stream.rises is not None for stream in streams]
    if not all(is_monotone):
        kept = np.array(is_monotone, dtype=np.bool_)
        some = iter(within(walk, step, [s for s in streams if s.rises is not None], least[kept], most[kept]))
        return [next(some) if monotone else stream for monotone, stream in zip(is_monotone, streams)]
    if len(streams) == 0:
        return []
    chains = [stream.chain for stream in streams]
    rises = np.array([stream.rises for stream in streams])
    low, high = np.array([stream.low for stream in streams]), np.array([stream.high for stream in streams])

    def at(numbers: FloatArray) -> FloatArray:
        return np.concatenate(through(chains, list(numbers[:, None])))

    def is_before(numbers: FloatArray) -> BoolArray:
        z = at(numbers)
        return np.where(rises, z < least, z > most)

    def is_not_after(numbers: FloatArray) -> BoolArray:
        z = at(numbers)
        return np.where(rises, z <= most, z >= least)

    if (is_before(low) | ~is_not_after(high)).any():
        last_before, last_in = last_where(is_before, low, high), last_where(is_not_after, low, high)
        narrowed_low = np.where(last_before == -np.inf, low, np.nextafter(last_before, np.inf))
        narrowed_high = np.where(last_in == np.inf, high, last_in)
        low, high = np.maximum(low, narrowed_low), np.minimum(high, narrowed_high)
    for stream, is_empty in zip(streams, low > high):
        if is_empty:
            raise UnsupportedSettingError(
                f"{step.in_words} takes numbers that nothing in {walk.names([stream])} becomes on the way to it."
            )
    return [
        WarpStream(stream.base, stream.chain, float(a), float(b), stream.rises, stream.why)
        for stream, a, b in zip(streams, low, high)
    ]


def spread(low: float, high: float, seen: FloatArray) -> FloatArray:
    """Return numbers between two ends at which a function is looked at, ascending: seen ones, between them, and beyond.

    Parameters
    ----------
    low, high : float
    seen : array of shape (n,)
        Training values; may be empty.
    """
    sizes = np.geomspace(1e-300, LARGEST_WARPED, N_NUMBERS_CHECKED // 2)
    numbers = [-sizes[::-1], np.zeros(1), sizes, np.array([low, high])]
    inside = seen[(seen >= low) & (seen <= high)]
    if len(inside):
        numbers += [np.linspace(inside.min(), inside.max(), N_NUMBERS_CHECKED)]
        numbers += [np.quantile(inside, np.linspace(0, 1, N_NUMBERS_CHECKED), method="nearest")]
    together = np.unique(np.concatenate(numbers))
    return together[(together >= low) & (together <= high)]


def check_monotone(walk: Walk, streams: Sequence[WarpStream], seen: Sequence[FloatArray]) -> None:
    """Refuse streams that do not rise or fall throughout, as their steps promise.

    Parameters
    ----------
    walk : Walk
    streams : sequence of WarpStream
    seen : sequence of arrays of shape (n_samples,)
        Training values of each stream's base.
    """
    monotone = [(stream, values) for stream, values in zip(streams, seen) if stream.rises is not None]
    streams, seen = [stream for stream, _ in monotone], [values for _, values in monotone]
    numbers = [spread(stream.low, stream.high, values) for stream, values in zip(streams, seen)]
    for stream, x, z in zip(streams, numbers, through([stream.chain for stream in streams], numbers)):
        z = z if stream.rises else -z
        wrong = ~(z[1:] >= z[:-1] - MONOTONE_TOLERANCE * np.abs(z).max(initial=0.0))
        if wrong.any():
            k = int(np.argmax(wrong))
            direction = "rise" if stream.rises else "fall"
            raise UnsupportedModelError(
                f"{stream.why} It does not {direction} throughout: {walk.names([stream])} at {x[k]:g} and {x[k + 1]:g} "
                f"becomes {z[k] if stream.rises else -z[k]:g} and {z[k + 1] if stream.rises else -z[k + 1]:g}. Apply "
                "it to the data before the pipeline."
            )


def chains_of(streams: Sequence[WarpStream]) -> list[Chain]:
    """List the steps of streams."""
    return [stream.chain for stream in streams]
