"""Model space of estimators that see products, ratios and rounded columns: what these are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Estimator
from ..errors import UnsupportedSettingError
from ..models.behind_derived import BehindDerived
from ..search.relaxations.derived import DerivedColumns, DerivedForm
from .affine import AffineMap
from .model_view import ModelView
from .streams import AffineStream, DerivedStream, Limits, Stream, as_affine
from .walk import Walk


def derived_view(walk: Walk, streams: Sequence[Stream], estimator: Estimator) -> ModelView:
    """Put derived streams into the estimator; limits of divisors are noted in the findings.

    Raises
    ------
    UnsupportedSettingError
        A divisor is made of several columns, or a stream is neither affine nor derived.
    """
    places: dict[tuple[bytes, float], int] = {}
    rows: list[AffineStream] = []

    def place_of(stream: AffineStream) -> int:
        # adding zero makes +0 of -0, which would be another key
        place = places.setdefault(((stream.coefficients + 0.0).tobytes(), stream.offset + 0.0), len(rows))
        if place == len(rows):
            rows.append(stream)
        return place

    plain, forms = np.full(len(streams), -1), []
    for j, stream in enumerate(streams):
        if isinstance(stream, DerivedStream):
            _limit_divisor(walk, stream)
            first, second = place_of(stream.first), place_of(stream.second)
            scale, shift, is_short = stream.scale, stream.shift, stream.is_short
            forms.append(DerivedForm(j, first, second, stream.divides, stream.decimals, scale, shift, is_short))
        else:
            mapped = as_affine([stream], walk.table, walk.findings, "the final estimator")
            plain[j] = place_of(AffineStream(mapped.matrix[0], float(mapped.offset[0]), -1))
    matrix = np.array([row.coefficients for row in rows])
    to_model = AffineMap(matrix, np.array([row.offset for row in rows]))
    behind = BehindDerived(estimator, DerivedColumns(plain, tuple(forms), len(rows)))
    return ModelView(to_model, None, tuple(streams), behind)


def _limit_divisor(walk: Walk, stream: DerivedStream) -> None:
    """Limit the column of a divisor to where that is positive."""
    second = stream.second
    if not stream.divides or not second.coefficients.any():
        return
    features = np.flatnonzero(second.coefficients)
    if len(features) > 1:
        raise UnsupportedSettingError(f"{stream.why} It divides by several columns; expected one.")
    place = next(k for k, column in enumerate(walk.table.columns) if column.start == features[0])
    slope = float(second.coefficients[features[0]])
    zero = -second.offset / slope
    ends = (np.nextafter(zero, np.inf), np.inf) if slope > 0 else (-np.inf, np.nextafter(zero, -np.inf))
    walk.findings.limits[place] = walk.findings.limits.get(place, Limits()).within(float(ends[0]), float(ends[1]), 0.0)
