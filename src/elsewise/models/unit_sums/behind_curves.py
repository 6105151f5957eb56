r"""Linear models behind curves: half-spaces of columns that are functions of single features.

A linear model decides by half-spaces :math:`A z \le b` of its columns, and each column is a curve of one feature of
model space, :math:`z_j = h_j(y_{p(j)})`. So every margin :math:`b_r - A_r z` is a sum of functions of single features.
A feature with one column is a unit; of several columns, as splines have them, each margin has its own weighted sum,
whose bends are known better than those of its parts.
"""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray
from ...errors import UnsupportedSettingError
from ...search.relaxations.curves import Chained, Curve, StepCurve, chained, weighted
from ...search.relaxations.unit_sums.functions import IDENTITY
from ...search.relaxations.unit_sums.of_curves import CurveFunction
from ...search.relaxations.unit_sums.region import SumRegion
from ...search.relaxations.unit_sums.units import Layer, Sums
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
    """Give the curve of a column that is not as it is in model space."""
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
