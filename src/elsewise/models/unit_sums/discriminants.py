r"""Gaussian naive Bayes and quadratic discriminants: sums of squares along axes and eigenvectors.

Class :math:`k` has the score :math:`s_k(z) = c_k - \tfrac12 (z - \mu_k)^\top P_k (z - \mu_k)`; the largest decides.
With :math:`t = z - \mu_k` and :math:`\delta = \mu_k - \mu_i`, the wanted class is ahead of a rival by

.. math:: s_k - s_i = \tfrac12 t^\top (P_i - P_k) t + \delta^\top P_i t + \tfrac12 \delta^\top P_i \delta + c_k - c_i

and the matrix in the middle, :math:`E \Lambda E^\top`, makes it :math:`\sum_h \lambda_h (e_h^\top t)^2` and a linear
form. For naive Bayes all matrices are diagonal, and the units are the features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from ...arrays import FloatArray
from ...errors import UnsupportedSettingError
from ...search.region import DecisionValue, Outcome, Probability, Response, require_label
from ...search.relaxations.tree_sums.decisions import range_of_scores
from ...search.relaxations.unit_sums.functions import SQUARE
from ...search.relaxations.unit_sums.region import SumRegion
from ...search.relaxations.unit_sums.units import Layer, Sums
from ..registry import register, register_response
from .least_probabilities import of_least_probability


@dataclass(frozen=True, slots=True)
class Quadratics:
    """Scores ``constants - (z - means)' precisions (z - means) / 2``, one a class.

    Attributes
    ----------
    means : array of shape (n_classes, n_features)
    precisions : array of shape (n_classes, n_features, n_features)
    constants : array of shape (n_classes,)
    is_diagonal : bool
    """

    means: FloatArray
    precisions: FloatArray
    constants: FloatArray
    is_diagonal: bool

    def ahead(self, index: int, rivals: list[int], least: FloatArray) -> Sums:
        """Rows that are not negative where a class is ahead of rivals by at least so much, shape (n_rivals,)."""
        centre, P = self.means[index], self.precisions
        n = len(centre)
        units, weights, D, d = [], [], [], []
        for i in rivals:
            apart, middle = centre - self.means[i], (P[i] - P[index]) / 2
            eigenvalues, vectors = (np.diag(middle), np.eye(n)) if self.is_diagonal else np.linalg.eigh(middle)
            units.append(vectors.T)
            weights.append(eigenvalues)
            D.append(P[i] @ apart)
            d.append(apart @ P[i] @ apart / 2 + self.constants[index] - self.constants[i])
        if self.is_diagonal:
            W, C = units[0], np.array(weights)
        else:
            W, C = np.vstack(units), np.zeros((len(rivals), n * len(rivals)))
            for row, of_rival in enumerate(weights):
                C[row, n * row : n * (row + 1)] = of_rival
        linear = np.array(D)
        return Sums((Layer(W, -W @ centre, SQUARE),), C, linear, np.array(d) - linear @ centre - least)


@register(GaussianNB, QuadraticDiscriminantAnalysis)
def discriminant_region(model: GaussianNB | QuadraticDiscriminantAnalysis, outcome: Outcome) -> SumRegion:
    """Region where the score of a class is the largest."""
    label = require_label(model, outcome)
    rivals = [i for i in range(len(model.classes_)) if i != label.index]
    quadratics = _quadratics(model)
    ahead = quadratics.ahead(label.index, rivals, np.zeros(len(rivals)))
    return SumRegion(ahead, starts=quadratics.means[[label.index]])


@register_response(GaussianNB, QuadraticDiscriminantAnalysis)
def discriminant_response_region(model: GaussianNB | QuadraticDiscriminantAnalysis, response: Response) -> SumRegion:
    """Region where a probability of one of two classes lies in a range: so does its lead over the other.

    Of several classes one may be asked for a least probability.
    """
    name, index, quadratics = type(model).__name__, 1, _quadratics(model)
    if len(model.classes_) > 2:
        if isinstance(response, DecisionValue):
            raise UnsupportedSettingError(f"{name} of several classes has no one decision value a row.")
        rivals = [i for i in range(len(model.classes_)) if i != response.index]
        ahead = quadratics.ahead(response.index, rivals, np.zeros(len(rivals)))
        return SumRegion(of_least_probability(name, ahead, response), starts=quadratics.means[[response.index]])
    low, high = response.low, response.high
    if isinstance(response, Probability):
        index = response.index
        wanted = range_of_scores(lambda s: float(expit(s)), response, grows=True)
        low, high = wanted.low, wanted.high
    elif isinstance(response, DecisionValue) and not hasattr(model, "decision_function"):
        raise UnsupportedSettingError(f"{name} has no decision_function.")
    ahead = quadratics.ahead(index, [1 - index], np.zeros(1))
    sides = [(sign, end) for sign, end in ((1.0, low), (-1.0, -high)) if np.isfinite(end)]
    signs, ends = np.array([sign for sign, _ in sides]), np.array([end for _, end in sides])
    sums = Sums(ahead.layers, signs[:, None] * ahead.C, signs[:, None] * ahead.D, signs * ahead.d - ends)
    is_empty = low > high or low == np.inf or high == -np.inf
    return SumRegion(sums, is_empty, starts=quadratics.means[[index]])


def _quadratics(model: GaussianNB | QuadraticDiscriminantAnalysis) -> Quadratics:
    if isinstance(model, GaussianNB):
        precisions = np.array([np.diag(1.0 / variances) for variances in model.var_])
        constants = np.log(model.class_prior_) - np.log(2.0 * np.pi * model.var_).sum(axis=1) / 2
        return Quadratics(np.asarray(model.theta_, dtype=np.float64), precisions, constants, True)
    precisions = np.array([(R / S) @ R.T for R, S in zip(model.rotations_, model.scalings_)])
    logs = np.array([np.log(S).sum() for S in model.scalings_])
    means = np.asarray(model.means_, dtype=np.float64)
    return Quadratics(means, precisions, np.log(model.priors_) - logs / 2, False)
