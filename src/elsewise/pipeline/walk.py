"""The walk of streams through the steps of a fitted pipeline."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Never, cast

import numpy as np

from ..arrays import Estimator, FloatArray, UserValue
from ..errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError
from ..table.column import Column
from ..table.table import Table, lay_out
from .affine import AffineMap
from .registry import AffineBuilder, AffineEntry, entry_of, registered
from .side_by_side import SideBySide
from .steps import Step, flattened, passes_through
from .streams import (
    AffineStream,
    DerivedStream,
    Findings,
    LevelStream,
    Recast,
    Stream,
    as_affine,
    source_streams,
)
from .warping import Route, Takes, follow_columns


class Walk:
    """Follows streams through steps, each as its type is registered, and notes what the steps tell of the columns.

    Parameters
    ----------
    table : Table
        The columns that streams come from.
    refused : mapping of column position to values, optional
        Values that cannot be levels of a column, whatever an encoder knows.

    Attributes
    ----------
    findings : Findings
    imputed : dict of column position to {constant: missing value}
        What imputers put for missing values of category columns, and the missing value it stands for.
    """

    def __init__(self, table: Table, refused: Mapping[int, Collection[UserValue]] | None = None) -> None:
        self.table, self.findings = table, Findings()
        self.refused = {} if refused is None else refused
        self.imputed: dict[int, dict[UserValue, Any]] = {}
        self._column_of_feature = np.repeat(np.arange(len(table.columns)), [column.width for column in table.columns])

    def steps(self, steps: Iterable[tuple[str, Estimator]], streams: list[Stream], prefix: str = "") -> list[Stream]:
        """Streams behind a sequence of steps."""
        for name, transformer in steps:
            streams = self.step(f"{prefix}{name}", transformer, streams)
        return streams

    def step(self, name: str, transformer: Estimator, streams: list[Stream]) -> list[Stream]:
        """Streams behind one step."""
        if passes_through(transformer):
            return streams
        step, entry = Step(name, transformer), entry_of(transformer)
        if entry is None:
            self._refuse(step, streams)
        if isinstance(entry, AffineEntry):
            return self.affine(step, entry.build, streams)
        return entry.follow(self, step, streams)

    def affine(self, step: Step, build: AffineBuilder, streams: list[Stream]) -> list[Stream]:
        """Streams behind a transformer that is affine; ``build`` makes its map."""
        try:
            own = build(step.transformer, len(streams))
        except UnsupportedSettingError as error:
            raise UnsupportedSettingError(f"{step.in_words} {error} It takes {self.names(streams)}.") from error
        if own.matrix.shape[1] != len(streams):
            raise InvalidInputError(
                f"{step.in_words} was fitted on {own.matrix.shape[1]} features, but {len(streams)} reach it. Pass the "
                "steps of one fitted pipeline, and its n_features_in_ as n_features."
            )
        is_bent = np.array([not isinstance(stream, (AffineStream, LevelStream)) for stream in streams], dtype=np.bool_)
        nothing = AffineStream(np.zeros(self.table.n_features), 0.0, -1)
        affine = [nothing if bent else stream for bent, stream in zip(is_bent, streams)]
        out = self.streams_of(as_affine(affine, self.table, self.findings, step.in_words).then(own))
        outputs = np.flatnonzero((own.matrix[:, is_bent] != 0).any(axis=1)).tolist()
        for output, behind in zip(outputs, self._behind_bent(step, own, streams, outputs)):
            out[output] = behind
        return out

    def _behind_bent(self, step: Step, own: AffineMap, streams: list[Stream], outputs: list[int]) -> list[Stream]:
        """Follow bent streams through a map that takes them one by one, by its own arithmetic."""
        routes, derived = [], {}
        for output in outputs:
            taken = np.flatnonzero(own.matrix[output])
            if len(taken) > 1:
                bent = next(s for s in (streams[k] for k in taken) if not isinstance(s, (AffineStream, LevelStream)))
                mixed = self.names([streams[k] for k in taken])
                raise UnsupportedSettingError(
                    f"{bent.why} {step.in_words} then mixes {mixed}: expected steps that take one column at a time "
                    "behind it."
                )
            stream, factor = streams[taken[0]], float(own.matrix[output, taken[0]])
            if isinstance(stream, DerivedStream):
                shift = factor * stream.shift + float(own.offset[output])
                derived[output] = replace(stream, scale=factor * stream.scale, shift=shift)
            else:
                routes.append(Route(int(taken[0]), output, factor > 0))
        others = iter(follow_columns(self, step, streams, routes, Takes.numbers(len(streams)), "") if routes else [])
        return [derived[output] if output in derived else next(others) for output in outputs]

    def _refuse(self, step: Step, streams: list[Stream]) -> Never:
        words = {"SelectorMixin": "feature selectors"}
        others = [kind for kind in registered() if kind is not SideBySide]
        known = ", ".join(sorted(words.get(kind.__name__, kind.__name__) for kind in others))
        raise UnsupportedModelError(
            f"{step.in_words} is not affine, or not known to be. Supported transformers are: {known}; or a Pipeline of "
            "them. Transform the data before the pipeline, or register the transformer with "
            f"elsewise.pipeline.register_affine if it is affine. It takes {self.names(streams)}."
        )

    def streams_of(self, mapped: AffineMap) -> list[Stream]:
        """Streams of a map of the features, one an output."""
        return [
            AffineStream(coefficients, float(offset), self._only_column(coefficients))
            for coefficients, offset in zip(mapped.matrix, mapped.offset)
        ]

    def names(self, streams: Sequence[Stream]) -> str:
        """Name the columns that streams come from."""
        found: dict[str, None] = {}
        for stream in streams:
            if isinstance(stream, LevelStream):
                columns = [stream.column]
            else:
                base = stream if isinstance(stream, AffineStream) else stream.base
                columns = self._columns(base.coefficients)
            found |= dict.fromkeys(self.table.columns[place].name for place in columns)
        names = [repr(name) for name in found]
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        return ("column " if len(names) == 1 else "columns ") + ", ".join(names[:5]) + more

    def _columns(self, coefficients: FloatArray) -> list[int]:
        return [int(place) for place in self._column_of_feature[np.flatnonzero(coefficients)]]

    def _only_column(self, coefficients: FloatArray) -> int:
        columns = set(self._columns(coefficients))
        return columns.pop() if len(columns) == 1 else -1


def affine_map(steps: Iterable[tuple[str, Estimator]], n_features: int) -> AffineMap:
    """Compose the maps of fitted transformers of numbers.

    Parameters
    ----------
    steps : iterable of Step, or of (name, transformer)
        In the order data pass through them.
    n_features : int
        Number of features of the data, ``n_features_in_`` of the pipeline.

    Raises
    ------
    UnsupportedModelError
        If a transformer is of a type that is not registered, or takes its values as categories.
    UnsupportedSettingError
        If a known transformer has a setting that makes it not affine.
    """
    names = tuple(f"x{place}" for place in range(n_features))
    columns = lay_out([Column(name, "number", 0, 0, (place,)) for place, name in enumerate(names)])
    table = Table(columns, names, named=False, dtypes=(np.dtype(np.float64),) * n_features)
    walk = Walk(table)
    try:
        streams = walk.steps(flattened(steps), cast("list[Stream]", source_streams(table)))
        return as_affine(streams, table, walk.findings, "the final estimator")
    except Recast as request:
        raise UnsupportedModelError(
            f"{request.step} takes the values of column {names[request.column]!r} as categories: not affine in numbers."
        ) from request
