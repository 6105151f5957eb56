"""Transformers that put others together."""

from __future__ import annotations

from collections import UserList
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline

from ..affine import AffineMap
from ..columnwise import Times
from ..registry import register
from ..side_by_side import SideBySide
from ..steps import Step
from ..streams import Stream

if TYPE_CHECKING:
    from ..walk import Walk


@register(Pipeline)
def _pipeline(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    return walk.steps(step.transformer.steps, streams, f"{step.name}__")


@register(ColumnTransformer)
def _column_transformer(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    out: list[Stream] = []
    for part, positions in selections(step.transformer, len(streams)):
        name = f"{step.name}__{part.name}"
        behind = walk.step(name, part.transformer, [streams[place] for place in positions])
        out += _weighted(walk, name, step.transformer, part.name, behind)
    return out


@register(FeatureUnion)
def _feature_union(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    out: list[Stream] = []
    for part, transformer in step.transformer.transformer_list:
        if isinstance(transformer, str) and transformer == "drop":
            continue
        name = f"{step.name}__{part}"
        out += _weighted(walk, name, step.transformer, part, walk.step(name, transformer, streams))
    return out


@register(SideBySide)
def _side_by_side(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    return [stream for steps in step.transformer.parts for stream in walk.steps(steps, streams)]


def _weighted(
    walk: Walk, name: str, owner: ColumnTransformer | FeatureUnion, part: str, streams: list[Stream]
) -> list[Stream]:
    weight = (owner.transformer_weights or {}).get(part)
    if weight is None:
        return streams
    factor = AffineMap(np.eye(len(streams)) * weight, np.zeros(len(streams)))
    return walk.affine(Step(name, Times(weight)), lambda transformer, n: factor, streams)


def selections(transformer: ColumnTransformer, n_columns: int) -> list[tuple[Step, list[int]]]:
    """Parts of a fitted ColumnTransformer that are not dropped, and the positions of the columns each takes."""
    names = list(getattr(transformer, "feature_names_in_", ()))
    parts = []
    for name, inner, key in transformer.transformers_:
        positions = _positions(key, names, n_columns)
        if positions and not (isinstance(inner, str) and inner == "drop"):
            parts.append((Step(name, inner), positions))
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
