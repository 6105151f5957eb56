r"""Networks and Gaussian models behind curves: one more layer in front, whose units are the model's columns.

A model of sums is told of columns :math:`z_j = h_j(y_{p(j)})`, each a curve of one feature of model space. So the
curves are a layer, :math:`z = \varphi(P y)`, and the model's own layers follow. Where margins have a part that is
linear in the columns, :math:`D z`, units that give the columns on are put beside those of the model's only layer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import BoolArray, FloatArray
from ...projection.coordinates import row_product
from ...search.relaxations.curves import AffineCurve, Chained
from ...search.relaxations.unit_sums.constants import FARTHEST_SCORE
from ...search.relaxations.unit_sums.functions import IDENTITY
from ...search.relaxations.unit_sums.mixed import Mixed
from ...search.relaxations.unit_sums.of_curves import CurveFunction
from ...search.relaxations.unit_sums.region import Decides, SumRegion
from ...search.relaxations.unit_sums.units import Layer
from ..trees.steps_before import AsIs, StepsBefore
from .behind_curves import curve_of


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
        """Tell of points of shape (n_samples, n_features)."""
        forms = row_product(points, self.columns.W.T) + self.columns.b
        return self.decides(self.columns.function.value(forms))

    def of_terms(self, terms: FloatArray) -> BoolArray:
        """Tell of values of units of shape (n_samples, n_units)."""
        return self.decides.of_terms(terms)


def _columns(steps: StepsBefore) -> Layer:
    """Make units of the columns of a model."""
    as_is = Chained((AffineCurve(1.0, 0.0),), -FARTHEST_SCORE, FARTHEST_SCORE)
    curves = [as_is if isinstance(column, AsIs) else curve_of(steps, j) for j, column in enumerate(steps.columns)]
    places = [column.place for column in steps.columns]
    low, high = np.array([curve.low for curve in curves]), np.array([curve.high for curve in curves])
    function = CurveFunction(tuple(curves), low, high, np.clip(steps.seen[:, places], low, high))
    return Layer(np.eye(steps.n_features)[places], np.zeros(len(places)), function)
