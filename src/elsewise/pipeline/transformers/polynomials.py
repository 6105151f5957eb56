"""Transformers that give several functions of a column, which need not rise or fall: powers and splines.

Products of two columns before linear models: taken together with the model, as one estimator.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.preprocessing import PolynomialFeatures, SplineTransformer

from ...arrays import Estimator, FloatArray
from ...errors import UnsupportedModelError, UnsupportedSettingError
from ...models import is_linear_model
from ...models.unit_sums import BehindProducts
from ..affine import LARGEST_WARPED, MAP_TOLERANCE, AffineMap
from ..columnwise import dense
from ..registry import AffineEntry, entry_of, register
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


def with_products(steps: Sequence[Step], estimator: Estimator) -> tuple[list[Step], Any, list[Step]]:
    """Put products of two columns, and affine steps behind them, into the linear model that follows.

    Returns
    -------
    steps : list of Step
        Those before the products.
    estimator : estimator
        With the products; as it was if there are none, or another kind of model or step follows.
    inside : list of Step
        The steps that became part of it.
    """
    places = [place for place, step in enumerate(steps) if _has_products(step.transformer)]
    unchanged = list(steps), estimator, list[Step]()
    if not places or not is_linear_model(estimator):
        return unchanged
    place = places[-1]
    behind = [entry_of(step.transformer) for step in steps[place + 1 :]]
    powers = np.asarray(steps[place].transformer.powers_)
    if powers.sum(axis=1).max() > 2 or not all(isinstance(entry, AffineEntry) for entry in behind):
        return unchanged
    so_far = AffineMap(np.eye(len(powers)), np.zeros(len(powers)))
    for step, entry in zip(steps[place + 1 :], behind):
        assert isinstance(entry, AffineEntry)
        so_far = so_far.then(entry.build(step.transformer, len(so_far.offset)))
    made = BehindProducts(estimator, powers, so_far.matrix, so_far.offset)
    return list(steps[:place]), made, list(steps[place:])


def check_products(estimator: Estimator, inside: Sequence[Step], seen: FloatArray) -> None:
    """Compare products with what the steps themselves make of rows of shape (n_samples, n_features)."""
    if not isinstance(estimator, BehindProducts) or len(seen) == 0:
        return
    expected: Any = seen
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the steps say of columns without names
        for _, transformer in inside:
            expected = transformer.transform(expected)
    expected, found = dense(expected), estimator.columns(seen)
    size = np.prod(np.abs(seen)[:, None] ** estimator.powers, axis=2) @ np.abs(estimator.matrix).T
    off = np.abs(found - expected) > MAP_TOLERANCE * (size + np.abs(estimator.offset))
    if off.any():
        raise UnsupportedModelError(
            f"{inside[0].in_words} and the steps behind it do not do what their types promise; apply them to the data "
            "before the pipeline."
        )


def _has_products(transformer: Estimator) -> bool:
    if not isinstance(transformer, PolynomialFeatures):
        return False
    return bool((np.asarray(transformer.powers_) > 0).sum(axis=1).max(initial=0) > 1)
