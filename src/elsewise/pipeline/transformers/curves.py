"""The slopes of steps that are not affine: a curve for what each transformer does to one of its columns.

Steps are followed by their own arithmetic (:mod:`.columnwise`). Where something else than a tree comes after them, how
they bend has to be known as well. What is known here is compared with the transformers themselves when a model is
compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats
from scipy.interpolate import PPoly
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
)

from ...arrays import FloatArray
from ...errors import UnsupportedModelError
from ...search.relaxations.curves import (
    AffineCurve,
    Chained,
    Curve,
    NamedCurve,
    PiecewiseLinear,
    PiecewisePolynomial,
    PowerCurve,
    Ranks,
    chained,
)
from ..affine import LARGEST_WARPED, MAP_TOLERANCE, N_NUMBERS_CHECKED, in_double
from ..columnwise import Chain, ColumnStep, Times, through
from ..registry import AffineEntry, entry_of
from ..streams import WarpStream

# How near to its ends QuantileTransformer takes a number for the end itself, before normal scores.
EDGE_OF_NORMAL_SCORES = 1e-7


def curve_of(chain: Chain, low: float, high: float) -> Chained | None:
    """Return the curve of steps one after the other between two numbers; None if one of them is not known."""
    curves: list[Curve] = []
    for step in chain:
        own = _of_step(step)
        if own is None:
            return None
        curves += own
    return chained(curves, low, high)


def _of_step(step: ColumnStep) -> Sequence[Curve] | None:
    for kind, make in _BY_TYPE.items():
        if isinstance(step.transformer, kind):
            found = make(step)
            if found is not None:
                return found
    if isinstance(step.transformer, Times):
        return [AffineCurve(step.transformer.weight, 0.0)]
    entry = entry_of(step.transformer)
    if not isinstance(entry, AffineEntry):
        return None
    own = entry.build(step.transformer, len(step.neutral))
    return [AffineCurve(float(own.matrix[step.output, step.place]), float(own.offset[step.output]))]


def _of_power(step: ColumnStep) -> Sequence[Curve]:
    powers = step.transformer
    curve = PowerCurve(float(powers.lambdas_[step.place]), powers.method == "box-cox")
    if not powers.standardize:
        return [curve]
    scaler = powers._scaler
    scale = float(in_double(scaler.scale_)[step.place])
    return [curve, AffineCurve(1.0 / scale, -float(in_double(scaler.mean_)[step.place]) / scale)]


def _of_quantiles(step: ColumnStep) -> Sequence[Curve]:
    quantiles = np.ascontiguousarray(in_double(step.transformer.quantiles_)[:, step.place])
    references = in_double(step.transformer.references_)
    if step.transformer.output_distribution == "uniform":
        return [Ranks(quantiles, references, 0.0)]
    edge = EDGE_OF_NORMAL_SCORES
    ends = np.asarray(stats.norm.ppf([edge - np.spacing(1), 1 - (edge - np.spacing(1))]))
    return [Ranks(quantiles, references, edge), NamedCurve("ndtri"), PiecewiseLinear(ends, ends)]


def _of_function(step: ColumnStep) -> Sequence[Curve] | None:
    function, options = step.transformer.func, step.transformer.kw_args or {}
    if function is np.clip:
        ends = [options.get(name, options.get(short)) for name, short in (("a_min", "min"), ("a_max", "max"))]
        return [_clipped(-np.inf if ends[0] is None else ends[0], np.inf if ends[1] is None else ends[1])]
    known = None if options else NamedCurve.of(function)
    return None if known is None else [known]


def _of_range(step: ColumnStep) -> Sequence[Curve] | None:
    scaler, place = step.transformer, step.place
    if not getattr(scaler, "clip", False):
        return None
    if isinstance(scaler, MaxAbsScaler):
        return [AffineCurve(1.0 / float(in_double(scaler.scale_)[place]), 0.0), _clipped(-1.0, 1.0)]
    scale, offset = float(in_double(scaler.scale_)[place]), float(in_double(scaler.min_)[place])
    return [AffineCurve(scale, offset), _clipped(*scaler.feature_range)]


def _clipped(low: float, high: float) -> Curve:
    ends = np.array([end for end in (low, high) if np.isfinite(end)], dtype=np.float64)
    if len(ends) == 0:
        return AffineCurve(1.0, 0.0)
    return PiecewiseLinear(ends, ends, before=float(np.isinf(low)), after=float(np.isinf(high)))


def _of_spline(step: ColumnStep) -> Sequence[Curve] | None:
    spline = step.transformer
    width = spline.n_features_out_ // len(step.neutral)
    basis, degree = spline.bsplines_[step.place], spline.degree
    pieces = PPoly.from_spline((basis.t, np.ascontiguousarray(basis.c[:, step.output % width]), degree))
    stop = len(basis.t) - degree - 1
    # beyond the first and the last knot that count, the polynomials there go on
    anchors, coefficients = basis.t[degree:stop], pieces.c[::-1, degree:stop]
    knots = basis.t[degree + 1 : stop]
    if spline.extrapolation in ("constant", "linear"):
        ends, terms = (basis.t[degree], basis.t[stop]), 1 if spline.extrapolation == "constant" else 2
        beyond = np.zeros((2, degree + 1))
        for side, end in enumerate(ends):
            beyond[side, :terms] = [float(pieces(_inside(end, side, anchors), nu)) for nu in range(terms)]
            beyond[side, 0] = float(pieces(end))
        coefficients = np.column_stack([beyond[0], coefficients, beyond[1]])
        anchors, knots = np.concatenate([ends[:1], anchors, ends[1:]]), np.concatenate([ends[:1], knots, ends[1:]])
    return [PiecewisePolynomial(np.asarray(knots), np.asarray(anchors), np.ascontiguousarray(coefficients))]


def _inside(end: float, side: int, anchors: FloatArray) -> float:
    """Return the end itself: slopes there are those of the piece inside."""
    return float(end) if side == 0 else float(np.nextafter(end, anchors[-1]))


def _of_polynomial(step: ColumnStep) -> Sequence[Curve]:
    return [PiecewisePolynomial.monomial(int(step.transformer.powers_[step.output, step.place]))]


_BY_TYPE: dict[type, Callable[[ColumnStep], Sequence[Curve] | None]] = {
    PowerTransformer: _of_power,
    QuantileTransformer: _of_quantiles,
    FunctionTransformer: _of_function,
    MinMaxScaler: _of_range,
    MaxAbsScaler: _of_range,
    SplineTransformer: _of_spline,
    PolynomialFeatures: _of_polynomial,
}


def check_curves(curves: Sequence[Chained | None], streams: Sequence[WarpStream], seen: Sequence[FloatArray]) -> None:
    """Refuse curves that are not what the steps themselves do.

    Parameters
    ----------
    curves : sequence of Chained or None, one a stream
    streams : sequence of WarpStream
    seen : sequence of arrays of shape (n_samples,)
        Training values of each stream's base.
    """
    known = [(curve, stream, values) for curve, stream, values in zip(curves, streams, seen) if curve is not None]
    numbers = [_around(stream, values) for _, stream, values in known]
    for (curve, stream, _), t, own in zip(known, numbers, through([stream.chain for _, stream, _ in known], numbers)):
        off = np.abs(curve.value(t) - own) > MAP_TOLERANCE * (np.abs(own) + np.abs(own).max(initial=0.0))
        if off.any():
            k = int(np.argmax(off))
            raise UnsupportedModelError(
                f"{stream.why} It does not do what its type promises: {t[k]:g} becomes {own[k]:g}, and "
                f"{float(curve.value(t[k : k + 1])[0]):g} was expected."
            )


def _around(stream: WarpStream, seen: FloatArray) -> FloatArray:
    """Return training values, and numbers between and around them."""
    values = np.clip(seen[np.isfinite(seen)], stream.low, stream.high)
    if len(values) == 0:
        return np.clip(np.zeros(1), stream.low, stream.high)
    least, most = float(values.min()), float(values.max())
    room = min(most - least, LARGEST_WARPED)
    spread = np.linspace(max(least - room, stream.low), min(most + room, stream.high), N_NUMBERS_CHECKED)
    return np.concatenate([spread, values[:N_NUMBERS_CHECKED]])
