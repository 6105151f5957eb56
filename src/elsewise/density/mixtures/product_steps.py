r"""Steps of expectation maximisation for mixtures of Gaussians on numbers times independent categories.

With standardised numbers :math:`w_i`, one-hot indicators :math:`e_i` of the categories and responsibilities
:math:`r_{ij}`, every iteration raises

.. math:: F = \sum_i \log \sum_j \pi_j \exp\bigl(\mathbb E_\varepsilon \log N(w_i + \varepsilon \mid \mu_j, \Sigma_j)
              \bigr) \prod_k p_{jk}^{e_{ik}} + \sum_j \sum_k a_k \log p_{jk},

the penalised log-likelihood of rows whose numbers are known up to a noise :math:`\varepsilon` of variances :math:`R`
(diagonal), with a Dirichlet prior on the probabilities worth :math:`a_k` rows for level :math:`k`. Hence

- expectation: :math:`\mathbb E_\varepsilon \log N(w_i + \varepsilon) = \log N(w_i) - \tfrac12 \operatorname{tr}(R
  \Sigma_j^{-1})`, and :math:`r_{ij}` is proportional to the terms of the inner sum;
- maximisation: :math:`\Sigma_j = S_j + R` with the weighted covariance :math:`S_j` (as scikit-learn adds ``reg_covar``,
  but here the expectation knows of it, so that :math:`F` never falls), and :math:`p_{jk} = (\sum_i r_{ij} e_{ik} + a_k)
  / (\sum_i r_{ij} + a)`, where :math:`a` is the sum of :math:`a_k` over the levels of a category, the same for each.

Of rows with missing numbers both steps see those that are there (:mod:`.incomplete_rows`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import csr_array

from ...arrays import FloatArray, IntArray
from .expectation_maximisation import COUNT_ROUNDINGS
from .incomplete_rows import Patterns, expected_moments, norms_of_seen


@dataclass(frozen=True, slots=True)
class ProductParameters:
    """Parameters of a mixture of ``m`` components.

    Attributes
    ----------
    weights : array of shape (m,)
    means : array of shape (m, p)
    covariances, precisions_cholesky : arrays of shape (m, p, p), or (m, p) where diagonal
        As in scikit-learn: the inverse of ``covariances[j]`` is ``L @ L.T`` with ``L = precisions_cholesky[j]``.
    log_probabilities : array of shape (m, n_indicators)
        Of every level, the categories side by side.
    """

    weights: FloatArray
    means: FloatArray
    covariances: FloatArray
    precisions_cholesky: FloatArray
    log_probabilities: FloatArray


@dataclass(frozen=True, slots=True)
class Rows:
    """What a mixture is fitted to.

    Attributes
    ----------
    W : array of shape (n, p)
        Standardised numbers; zeros where they are missing.
    E : sparse array of shape (n, n_indicators)
        One-hot indicators.
    category : int array of shape (n_indicators,)
        Which category each indicator belongs to.
    noise : array of shape (p,)
        The variances ``R``.
    prior : array of shape (n_indicators,)
        The pseudo-counts ``a_k``.
    prior_rows : float
        Their sum over the levels of one category.
    patterns : Patterns or None
        Rows by what is missing in them; None where nothing is.
    """

    W: FloatArray
    E: csr_array
    category: IntArray
    noise: FloatArray
    prior: FloatArray
    prior_rows: float
    patterns: Patterns | None = None

    def category_sums(self, values: FloatArray) -> FloatArray:
        """Sum over the levels of each category, repeated for every level; array of shape (n_indicators,)."""
        sums: FloatArray = np.bincount(self.category, weights=values).astype(np.float64)
        return sums[self.category]


def indicators(codes: IntArray, n_levels: tuple[int, ...]) -> csr_array:
    """One-hot indicators of codes of shape (n, c), sparse array of shape (n, sum(n_levels))."""
    n, c = codes.shape
    first = np.cumsum((0, *n_levels))
    columns = (codes + first[:-1]).astype(np.int32)
    ends = np.arange(n + 1, dtype=np.int32) * np.int32(c)
    return csr_array((np.ones(n * c), columns.reshape(-1), ends), shape=(n, int(first[-1])))


@dataclass(frozen=True, slots=True)
class ProductSteps:
    """The steps on given rows; ``covariance_type`` is "full" or "diag"."""

    rows: Rows
    covariance_type: str

    def expectation(self, theta: ProductParameters) -> tuple[float, FloatArray]:
        """``F / n`` and the responsibilities, array of shape (n, m)."""
        rows = self.rows
        if rows.patterns is not None:
            norms, peaks = norms_of_seen(rows.W, rows.patterns, theta.means, theta.covariances, rows.noise)
        else:
            norms, peaks = self._norms(theta)
        values = rows.E @ theta.log_probabilities.T
        values -= 0.5 * norms
        values += np.log(theta.weights) + peaks
        top = values.max(axis=1, keepdims=True)
        responsibilities = np.exp(values - top)
        total = responsibilities.sum(axis=1, keepdims=True)
        responsibilities /= total
        penalty = float((theta.log_probabilities @ rows.prior).sum())
        return (float((top + np.log(total)).sum()) + penalty) / len(rows.W), responsibilities

    def _norms(self, theta: ProductParameters) -> tuple[FloatArray, FloatArray]:
        """Squared Mahalanobis norms, shape (n, m), and logs of the peaks less half the noise, shape (m,)."""
        rows = self.rows
        n, p = rows.W.shape
        L, m = theta.precisions_cholesky, len(theta.weights)
        if L.ndim == 3:
            # The columns of all factors side by side: one matrix product for all components.
            side_by_side = L.transpose(1, 0, 2).reshape(p, m * p)
            scaled = (rows.W @ side_by_side).reshape(n, m, p) - np.einsum("ja,jab->jb", theta.means, L)
            noise = np.square(L).sum(axis=2) @ rows.noise
            log_det = np.log(np.diagonal(L, axis1=1, axis2=2)).sum(axis=1)
        else:
            scaled = (rows.W[:, None, :] - theta.means) * L
            noise = np.square(L) @ rows.noise
            log_det = np.log(L).sum(axis=1)
        return np.einsum("ija,ija->ij", scaled, scaled), log_det - 0.5 * (p * np.log(2.0 * np.pi) + noise)

    def maximisation(self, responsibilities: FloatArray, before: ProductParameters | None = None) -> ProductParameters:
        """ProductParameters that are the best for the responsibilities; LinAlgError if a covariance is singular.

        What is missing is expected as the parameters ``before`` have it; without any, in the middle.
        """
        rows = self.rows
        # A component without rows keeps a tiny weight.
        count = responsibilities.sum(axis=0) + COUNT_ROUNDINGS * np.finfo(np.float64).eps
        if rows.patterns is not None and before is not None:
            known = before.means, before.covariances
            means, covariances = expected_moments(rows.W, rows.patterns, responsibilities, known, rows.noise)
        else:
            means = (responsibilities.T @ rows.W) / count[:, None]
            covariances = self._covariances(responsibilities, count, means)
        probabilities = ((rows.E.T @ responsibilities).T + rows.prior) / (count + rows.prior_rows)[:, None]
        return ProductParameters(
            weights=count / count.sum(),
            means=means,
            covariances=covariances,
            precisions_cholesky=precisions_cholesky(covariances),
            log_probabilities=np.log(probabilities),
        )

    def _covariances(self, responsibilities: FloatArray, count: FloatArray, means: FloatArray) -> FloatArray:
        """Weighted covariances of the components plus the noise, in scikit-learn's shapes."""
        rows = self.rows
        m, p = means.shape
        full = self.covariance_type == "full"
        covariances = np.empty((m, p, p) if full else (m, p))
        for j in range(m):
            difference = rows.W - means[j]
            weighted = difference * (responsibilities[:, j : j + 1] / count[j])
            covariances[j] = weighted.T @ difference if full else np.einsum("ia,ia->a", weighted, difference)
        covariances += np.diag(rows.noise) if full else rows.noise
        return covariances


def precisions_cholesky(covariances: FloatArray) -> FloatArray:
    """Factors ``L`` of the precisions, upper triangular, in scikit-learn's shapes."""
    if covariances.ndim == 2:
        if not (covariances > 0.0).all():
            raise np.linalg.LinAlgError("a variance is not positive")
        return np.asarray(1.0 / np.sqrt(covariances))
    lower = np.linalg.cholesky(covariances)
    identity = np.eye(covariances.shape[1])
    inverses = [solve_triangular(C, identity, lower=True, check_finite=False).T for C in lower]
    return np.array(inverses).reshape(covariances.shape)
