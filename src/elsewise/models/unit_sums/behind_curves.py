r"""Linear models behind curves: half-spaces of columns that are functions of single features.

A linear model decides by half-spaces :math:`A z \le b` of its columns, and each column is a curve of one feature of
model space, :math:`z_j = h_j(y_{p(j)})`. So every margin :math:`b_r - A_r z` is a sum of functions of single features.
A feature with one column is a unit; of several columns, as splines have them, each margin has its own weighted sum,
whose bends are known better than those of its parts.

Networks and Gaussian models behind curves: one more layer in front, whose units are the model's columns.

A model of sums is one of columns :math:`z_j = h_j(y_{p(j)})`, each a curve of one feature of model space. So the
curves are a layer, :math:`z = \varphi(P y)`, and the model's own layers follow. Where margins have a part that is
linear in the columns, :math:`D z`, units that give the columns on are put beside those of the model's only layer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import BoolArray, FloatArray
from ...errors import UnsupportedSettingError
from ...projection.distance import row_product
from ...search.relaxations.curves import AffineCurve, Chained, Curve, StepCurve, chained, weighted
from ...search.relaxations.unit_sums.functions import IDENTITY, Mixed
from ...search.relaxations.unit_sums.of_curves import CurveFunction
from ...search.relaxations.unit_sums.region import Decides, SumRegion
from ...search.relaxations.unit_sums.units import FARTHEST_SCORE, Layer, Sums
from ..trees.steps_before import AsIs, Stepped, StepsBefore, Warped

# Numbers between which steps are used: those that may reach a step that is not affine.
_LARGEST = float(np.finfo(np.float32).max)


def curve_region(A: FloatArray, b: FloatArray, steps: StepsBefore) -> SumRegion:
    """Region of model space where ``A z <= b``, ``z`` behind steps.

    Parameters
    ----------
    A, b : arrays of shape (n_halfspaces, n_columns), (n_halfspaces,)
    steps : StepsBefore
    """
    n_rows, D, d = len(b), np.zeros((len(b), steps.n_features)), b.copy()
    of_place: dict[int, list[int]] = {}
    for j in np.flatnonzero(A.any(axis=0)).tolist():
        column = steps.columns[j]
        if isinstance(column, AsIs):
            D[:, column.place] -= A[:, j]
        else:
            of_place.setdefault(column.place, []).append(j)
    units: list[tuple[int, Curve, FloatArray]] = []  # feature, curve, weights of shape (n_rows,)
    for place, members in of_place.items():
        curves = [curve_of(steps, j) for j in members]
        for chosen in [np.arange(n_rows)] if len(members) == 1 else [np.array([row]) for row in range(n_rows)]:
            # of one column all rows are multiples; of several each row has its own sum
            weights = [1.0] if len(members) == 1 else A[chosen[0], members].tolist()
            curve, constant = weighted(curves, weights)
            factor = A[:, members[0]] if len(members) == 1 else np.eye(n_rows)[chosen[0]]
            d -= factor * constant
            if curve is not None:
                units.append((place, curve, -factor))
    return SumRegion(Sums((_layer(units, steps),), _weights(units, n_rows, steps.n_features), D, d))


def curve_of(steps: StepsBefore, j: int) -> Chained:
    """Return the curve of a column that is not as it is in model space."""
    column = steps.columns[j]
    if isinstance(column, Stepped):
        return chained([StepCurve(column.ends, column.values)], -_LARGEST, _LARGEST)
    assert isinstance(column, Warped)
    if column.curve is None:
        raise UnsupportedSettingError(
            f"{column.why} Trees and sums of trees may follow it; before other models its slopes have to be known, and "
            "are not. Apply it to the data before the pipeline."
        )
    return column.curve


def _layer(units: list[tuple[int, Curve, FloatArray]], steps: StepsBefore) -> Layer:
    if not units:  # linear in model space
        return Layer(np.eye(steps.n_features), np.zeros(steps.n_features), IDENTITY)
    places = [place for place, _, _ in units]
    ends = np.array([_ends(curve) for _, curve, _ in units])
    seen = np.clip(steps.seen[:, places], ends[:, 0], ends[:, 1])
    function = CurveFunction(tuple(curve for _, curve, _ in units), ends[:, 0], ends[:, 1], seen)
    return Layer(np.eye(steps.n_features)[places], np.zeros(len(units)), function)


def _weights(units: list[tuple[int, Curve, FloatArray]], n_rows: int, n_features: int) -> FloatArray:
    if not units:
        return np.zeros((n_rows, n_features))
    return np.column_stack([factor for _, _, factor in units])


def _ends(curve: Curve) -> tuple[float, float]:
    """Numbers between which a curve is used."""
    if isinstance(curve, Chained):
        return curve.low, curve.high
    parts = [_ends(part) for part in getattr(curve, "curves", ())]
    return max(low for low, _ in parts), min(high for _, high in parts)


def sums_behind_curves(region: SumRegion, steps: StepsBefore) -> SumRegion:
    """Region of model space where a model of sums behind steps decides for an outcome.

    Parameters
    ----------
    region : SumRegion
        Of the model's own columns.
    steps : StepsBefore
    """
    sums, columns = region.sums, _columns(steps)
    layers, C = sums.layers, sums.C
    used = np.flatnonzero(sums.D.any(axis=0))
    if len(used):
        (only,) = layers  # no family has both a linear part and several layers
        W, b = np.vstack([only.W, np.eye(sums.n_features)[used]]), np.concatenate([only.b, np.zeros(len(used))])
        layers = (Layer(W, b, Mixed(((only.function, len(only.b)), (IDENTITY, len(used))))),)
        C = np.hstack([C, sums.D[:, used]])
    nothing = np.zeros((len(sums.d), steps.n_features))
    decides = None if region.decides is None else BehindCurves(region.decides, columns)
    together = replace(sums, layers=(columns, *layers), C=C, D=nothing)
    return SumRegion(together, region.is_empty, decides, _brought_back(region.starts, columns, steps))


def _brought_back(starts: FloatArray | None, columns: Layer, steps: StepsBefore) -> FloatArray | None:
    """Find about where columns are as they are at points: the nearest of the knots of each."""
    if starts is None:
        return None
    assert isinstance(columns.function, CurveFunction)
    table, found = columns.function.table, np.tile(steps.seen.mean(axis=0), (len(starts), 1))
    for j, column in enumerate(steps.columns):
        inside = (table.t[j] >= steps.seen[0, column.place]) & (table.t[j] <= steps.seen[1, column.place])
        if inside.any():
            knots, values = table.t[j][inside], table.value[j][inside]
            found[:, column.place] = knots[np.abs(values - starts[:, [j]]).argmin(axis=1)]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class BehindCurves:
    """What tells of columns, of model space."""

    decides: Decides
    columns: Layer

    def __call__(self, points: FloatArray) -> BoolArray:
        """Judge points of shape (n_samples, n_features)."""
        forms = row_product(points, self.columns.W.T) + self.columns.b
        return self.decides(self.columns.function.value(forms))

    def of_terms(self, terms: FloatArray) -> BoolArray:
        """Judge values of units of shape (n_samples, n_units)."""
        return self.decides.of_terms(terms)


def _columns(steps: StepsBefore) -> Layer:
    """Make units of the columns of a model."""
    as_is = Chained((AffineCurve(1.0, 0.0),), -FARTHEST_SCORE, FARTHEST_SCORE)
    curves = [as_is if isinstance(column, AsIs) else curve_of(steps, j) for j, column in enumerate(steps.columns)]
    places = [column.place for column in steps.columns]
    low, high = np.array([curve.low for curve in curves]), np.array([curve.high for curve in curves])
    function = CurveFunction(tuple(curves), low, high, np.clip(steps.seen[:, places], low, high))
    return Layer(np.eye(steps.n_features)[places], np.zeros(len(places)), function)
