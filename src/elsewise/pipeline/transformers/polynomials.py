"""Transformers that give several functions of a column, which need not rise or fall: powers and splines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.preprocessing import PolynomialFeatures, SplineTransformer

from ...errors import UnsupportedSettingError
from ..constants import LARGEST_WARPED
from ..registry import register
from ..steps import Step
from ..streams import AffineStream, Stream
from ..warping import Route, Takes, follow_columns, not_affine, require_monotone

if TYPE_CHECKING:
    from ..walk import Walk

# How far beyond the outermost knots splines that go on there are followed, in distances between these knots: cubes of
# it are far from overflow.
FARTHEST_SPLINE = 1e8


@register(PolynomialFeatures)
def _powers(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    powers = np.asarray(step.transformer.powers_)
    mixed = np.flatnonzero((powers > 0).sum(axis=1) > 1)
    if len(mixed):
        taken = [streams[place] for place in np.flatnonzero(powers[mixed[0]])]
        raise UnsupportedSettingError(
            f"{step.in_words} is not affine: it multiplies {walk.names(taken)}: expected powers of single columns. "
            "Put one for each column into a ColumnTransformer."
        )
    require_monotone(walk, step, streams)
    degree = np.maximum(powers.max(axis=0), 1)
    largest = LARGEST_WARPED ** (1.0 / degree)
    why = not_affine(walk, step, streams, "is not affine: it takes powers")
    routes = [
        Route(int(row.argmax()), output, True if row.max() == 1 else None)
        for output, row in enumerate(powers)
        if row.any()
    ]
    followed = iter(follow_columns(walk, step, streams, routes, Takes(-largest, largest), why))
    one = AffineStream(np.zeros(walk.table.n_features), 1.0, -1)
    out: list[Stream] = []
    for row in powers:
        if not row.any():
            out.append(one)
            continue
        behind = next(followed)
        before = streams[int(row.argmax())]
        out.append(before if row.max() == 1 and isinstance(before, AffineStream) else behind)
    return out


def follow_splines(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    """Streams behind splines of a degree above zero."""
    spline, n = step.transformer, len(streams)
    assert isinstance(spline, SplineTransformer)
    if spline.extrapolation == "periodic":
        raise UnsupportedSettingError(
            f"{step.in_words} is periodic (extrapolation='periodic'); expected 'constant', 'linear', 'continue' or "
            f"'error'. It takes {walk.names(streams)}."
        )
    require_monotone(walk, step, streams)
    first = np.array([basis.t[spline.degree] for basis in spline.bsplines_])
    last = np.array([basis.t[-spline.degree - 1] for basis in spline.bsplines_])
    room = {"error": 0.0, "constant": np.inf}.get(spline.extrapolation, FARTHEST_SPLINE) * (last - first)
    room = np.where(np.isnan(room), 0.0, room)
    takes = Takes(np.maximum(first - room, -LARGEST_WARPED), np.minimum(last + room, LARGEST_WARPED))
    width = spline.n_features_out_ // n
    routes = [Route(output // width, output, None) for output in range(spline.n_features_out_)]
    why = not_affine(walk, step, streams, "is not affine: it makes splines")
    return follow_columns(walk, step, streams, routes, takes, why)
