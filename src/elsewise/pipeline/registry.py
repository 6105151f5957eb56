"""The registry of transformers: how each type is followed. Types are found through the MRO, the nearest one counts.

An entry is one of

- :class:`AffineEntry`: the transformer is affine in the numbers that reach it, whatever they come from.
- :class:`StreamEntry`: anything else that can be followed exactly, from streams (:mod:`.streams`) to streams.

Transformers of one's own are registered in the same way as those of scikit-learn: :func:`register_affine` for the first
kind, :func:`register` for the second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from .affine import AffineMap

if TYPE_CHECKING:
    from .steps import Step
    from .streams import Stream
    from .walk import Walk

AffineBuilder = Callable[[Any, int], AffineMap]
StreamFollower = Callable[["Walk", "Step", "list[Stream]"], "list[Stream]"]
_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class AffineEntry:
    """A transformer that is affine.

    Attributes
    ----------
    build : function of (transformer, n_features) that returns an AffineMap
        ``n_features`` is the number of features that reach the transformer.
    """

    build: AffineBuilder


@dataclass(frozen=True, slots=True)
class StreamEntry:
    """A transformer that is followed stream by stream: an encoder, an imputer, one that puts others together.

    Attributes
    ----------
    follow : function of (walk, step, streams) that returns the streams behind the step
    """

    follow: StreamFollower


Entry = AffineEntry | StreamEntry

_entries: dict[type, Entry] = {}


def register_affine(*types: type) -> Callable[[AffineBuilder], AffineBuilder]:
    """Register a function ``build(transformer, n_features) -> AffineMap`` for the given types and their subclasses.

    The map is compared with the transformer's own ``transform`` when a model is compiled.

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise.pipeline import AffineMap, register_affine
    >>> class Doubling:
    ...     def transform(self, X):
    ...         return 2 * X
    >>> @register_affine(Doubling)
    ... def doubling(transformer, n_features):
    ...     return AffineMap(2 * np.eye(n_features), np.zeros(n_features))
    """
    return _adder(types, AffineEntry)


def register(*types: type) -> Callable[[StreamFollower], StreamFollower]:
    """Register a function ``follow(walk, step, streams) -> streams`` for the given types and their subclasses.

    Streams, one a column of the data that reach the step, are :class:`~elsewise.pipeline.streams.AffineStream` or
    :class:`~elsewise.pipeline.streams.LevelStream`, and behind steps that are not affine
    :class:`~elsewise.pipeline.streams.WarpStream` or :class:`~elsewise.pipeline.streams.StepStream`.
    ``step.transformer`` is the fitted transformer; the walk names columns in errors and follows transformers inside of
    it (:meth:`~elsewise.pipeline.walk.Walk.step`).

    Examples
    --------
    >>> from elsewise.pipeline import register
    >>> class LastColumnFirst:
    ...     def transform(self, X):
    ...         return X[:, ::-1]
    >>> @register(LastColumnFirst)
    ... def last_column_first(walk, step, streams):
    ...     return streams[::-1]
    """
    return _adder(types, StreamEntry)


def entry_of(transformer: object) -> Entry | None:
    """Find how a transformer is followed; None if it is of no registered type."""
    return next((_entries[kind] for kind in type(transformer).__mro__ if kind in _entries), None)


def registered() -> Mapping[type, Entry]:
    """All registered types and their entries, to be read."""
    return MappingProxyType(_entries)


def _adder(types: tuple[type, ...], make: Callable[[Any], Entry]) -> Callable[[_Function], _Function]:
    def add(function: _Function) -> _Function:
        entry = make(function)
        for kind in types:
            _entries[kind] = entry
        return function

    return add
