r"""Linear models of products of two columns: quadratic forms, read as sums of squares of linear forms.

A linear model behind ``PolynomialFeatures(degree=2)`` has half-spaces :math:`A z \le b` of columns that are squares
and products of two features. So every margin is :math:`y^\top Q y + l^\top y + c`, and with
:math:`Q = E \Lambda E^\top` it is :math:`\sum_h \lambda_h (e_h^\top y)^2 + l^\top y + c`, as quadratic discriminants
are (:mod:`.discriminants`).
"""

from __future__ import annotations

import numpy as np

from ...arrays import Estimator, FloatArray, IntArray
from ...errors import UnsupportedSettingError
from ...search import Region
from ...search.region import Outcome, Probability, Response
from ...search.relaxations.polyhedra import PolyhedronUnion
from ...search.relaxations.softmax import SoftmaxRegion
from ...search.relaxations.unit_sums.functions import IDENTITY, SQUARE
from ...search.relaxations.unit_sums.region import SumRegion
from ...search.relaxations.unit_sums.units import Layer, Sums
from ..registry import region_of, register, register_response, response_region_of
from .least_probabilities import of_least_probability


class BehindProducts:
    """A linear estimator behind products of at most two features, as one estimator of these features.

    Parameters
    ----------
    estimator : linear classifier or regressor
    powers : int array of shape (n_products, n_features)
        Each product takes features to these powers, two in all at most.
    matrix, offset : arrays of shape (n_columns, n_products), (n_columns,)
        What the estimator sees of the products.
    """

    def __init__(self, estimator: Estimator, powers: IntArray, matrix: FloatArray, offset: FloatArray) -> None:
        self.estimator, self.powers, self.matrix, self.offset = estimator, powers, matrix, offset
        self.n_features_in_ = powers.shape[1]
        if hasattr(estimator, "classes_"):
            self.classes_ = estimator.classes_

    def columns(self, points: FloatArray) -> FloatArray:
        """Return what the estimator sees at points of shape (n_samples, n_features), (n_samples, n_columns)."""
        products = np.prod(points[:, None] ** self.powers, axis=2)
        return np.asarray(products @ self.matrix.T + self.offset)


@register(BehindProducts)
def products_region(model: BehindProducts, outcome: Outcome) -> SumRegion:
    """Region where a linear model of products decides for an outcome."""
    return _behind_products(model, region_of(model.estimator, outcome))


@register_response(BehindProducts)
def products_response_region(model: BehindProducts, response: Response) -> SumRegion:
    """Region where a response of a linear model of products lies in a range."""
    return _behind_products(model, response_region_of(model.estimator, response))


def _behind_products(model: BehindProducts, region: Region) -> SumRegion:
    """Rewrite a region of the model's own columns."""
    name = type(model.estimator).__name__
    if isinstance(region, SoftmaxRegion):
        ahead = _sums(model, region.normals, -region.offsets)
        return SumRegion(of_least_probability(name, ahead, Probability(region.index, region.least)))
    if not isinstance(region, PolyhedronUnion) or region.n_polyhedra > 1:
        raise UnsupportedSettingError(
            f"What is asked of {name} is not known behind products of columns. Apply PolynomialFeatures to the data "
            "before the pipeline."
        )
    if region.n_polyhedra == 0:
        return SumRegion(_sums(model, np.zeros((1, len(model.offset))), -np.ones(1)), is_empty=True)
    return SumRegion(_sums(model, *region.polyhedron(0)))


def _sums(model: BehindProducts, A: FloatArray, b: FloatArray) -> Sums:
    """Write ``b - A z`` as sums of squares of linear forms, a row for each half-space."""
    n_rows, n, powers = len(b), model.powers.shape[1], model.powers
    weights, d = -(A @ model.matrix), b - A @ model.offset
    D, units, of_units = np.zeros((n_rows, n)), [np.empty((0, n))], [np.empty((n_rows, 0))]
    Q = np.zeros((n_rows, n, n))
    for product, row in enumerate(powers):
        places = np.repeat(np.arange(n), row)
        if len(places) == 0:
            d = d + weights[:, product]
        elif len(places) == 1:
            D[:, places[0]] += weights[:, product]
        else:
            Q[:, places[0], places[1]] += weights[:, product] / 2
            Q[:, places[1], places[0]] += weights[:, product] / 2
    for row in range(n_rows):
        taken = np.flatnonzero(Q[row].any(axis=0))
        eigenvalues, vectors = np.linalg.eigh(Q[row][np.ix_(taken, taken)])
        forms, of_row = np.zeros((len(taken), n)), np.zeros((n_rows, len(taken)))
        forms[:, taken], of_row[row] = vectors.T, eigenvalues
        units.append(forms)
        of_units.append(of_row)
    W, C = np.vstack(units), np.hstack(of_units)
    if not len(W):  # no square and no product has a weight
        return Sums((Layer(np.eye(n), np.zeros(n), IDENTITY),), np.zeros((n_rows, n)), D, d)
    return Sums((Layer(W, np.zeros(len(W)), SQUARE),), C, D, d)
