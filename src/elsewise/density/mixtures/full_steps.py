r"""Steps of expectation maximisation for full covariances, as scikit-learn does them, by products of rows.

With the products :math:`\phi_{ab}(x) = x_a x_b`, computed once, both steps are one matrix product for all components:

.. math:: (x - \mu_j)^\top P_j (x - \mu_j) = \langle P_j, \phi(x) \rangle - 2 x^\top P_j \mu_j + \mu_j^\top P_j \mu_j,
          \qquad N_j \Sigma_j = \sum_i r_{ij} \phi(x_i) - N_j \mu_j \mu_j^\top .

Steps, starts and the rule to stop are those of scikit-learn's ``GaussianMixture``, and so are the results, up to
rounding; that is no larger than what ``reg_covar`` leaves room for where rows are standardised. Of 23 columns and 2,500
rows it takes a fifth of the time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dtrtri
from sklearn.mixture import GaussianMixture
from sklearn.utils import check_random_state

from ...arrays import FloatArray, IntArray
from ..units import assemble_mixture
from .expectation_maximisation import COUNT_ROUNDINGS, Settings, kmeans_start, likeliest_fit

# Products of two features of all rows that are kept at once where a mixture is fitted by them: 64 MB of float64.
# And the least share of the variance that has to be added to every covariance: differences of mean squares lose no more
# than a millionth of it to rounding, for components a thousand deviations from the mean.
MOST_PRODUCTS, LEAST_QUICK_REG_COVAR = 8_000_000, 1e-4


def is_for_products(mixture: GaussianMixture, W: FloatArray) -> bool:
    """Whether a mixture, not fitted yet, can be fitted here to standardised rows of shape (n, p)."""
    n, p = W.shape
    is_small = n * p * (p + 1) // 2 <= MOST_PRODUCTS
    return bool(is_small and mixture.covariance_type == "full" and mixture.reg_covar >= LEAST_QUICK_REG_COVAR)


@dataclass(frozen=True, slots=True)
class _Parameters:
    """As in scikit-learn."""

    weights: FloatArray
    means: FloatArray
    covariances: FloatArray
    L: FloatArray


@dataclass(frozen=True, slots=True)
class FullSteps:
    """The steps on rows, a column each: ``W`` of shape (p, n), products ``(a, b)`` of shape (p (p + 1) / 2, n).

    Sums over few components run along the rows so, not across them; responsibilities have the shape (m, n).
    """

    W: FloatArray
    a: IntArray
    b: IntArray
    products: FloatArray
    reg_covar: float

    @classmethod
    def on(cls, rows: FloatArray, reg_covar: float) -> FullSteps:
        """Return the steps on rows of shape (n, p)."""
        W, (a, b) = np.ascontiguousarray(rows.T), np.triu_indices(rows.shape[1])
        return cls(W, a, b, W[a] * W[b], reg_covar)

    def expectation(self, theta: _Parameters) -> tuple[float, FloatArray]:
        """Mean log-likelihood and the responsibilities, array of shape (m, n)."""
        L = theta.L
        P = L @ np.swapaxes(L, 1, 2)
        twice = np.where(self.a == self.b, 1.0, 2.0)
        towards = np.einsum("jab,jb->ja", P, theta.means)
        values = (-0.5 * P[:, self.a, self.b] * twice) @ self.products
        values += towards @ self.W
        values -= 0.5 * (towards * theta.means).sum(axis=1)[:, None]
        np.minimum(values, 0.0, out=values)  # half a square, but for rounding
        log_det = np.log(np.diagonal(L, axis1=1, axis2=2)).sum(axis=1)
        values += (np.log(theta.weights) + log_det - 0.5 * len(self.W) * np.log(2.0 * np.pi))[:, None]
        top = values.max(axis=0)
        values -= top
        responsibilities = np.exp(values, out=values)
        total = responsibilities.sum(axis=0)
        responsibilities /= total
        return float((top + np.log(total)).mean()), responsibilities

    def maximisation(self, responsibilities: FloatArray, before: _Parameters | None = None) -> _Parameters:
        """Parameters that are the best for the responsibilities; LinAlgError if a covariance is singular."""
        p = len(self.W)
        count = responsibilities.sum(axis=1) + COUNT_ROUNDINGS * np.finfo(np.float64).eps
        means = (responsibilities @ self.W.T) / count[:, None]
        upper = (responsibilities @ self.products.T) / count[:, None] - means[:, self.a] * means[:, self.b]
        covariances = np.empty((len(count), p, p))
        covariances[:, self.a, self.b] = covariances[:, self.b, self.a] = upper
        covariances[:, np.arange(p), np.arange(p)] += self.reg_covar
        L = np.array([dtrtri(C, lower=1)[0].T for C in np.linalg.cholesky(covariances)])
        return _Parameters(count / count.sum(), means, covariances, L)


def fit_by_products(mixture: GaussianMixture, W: FloatArray, start: GaussianMixture | None) -> GaussianMixture | None:
    """Fit a mixture to standardised rows, from ``start`` or k-means; None if a covariance is singular."""
    rng = check_random_state(mixture.random_state)
    steps = FullSteps.on(W, mixture.reg_covar)
    starts: Iterable[_Parameters] = (
        (steps.maximisation(kmeans_start(W, mixture.n_components, rng).T) for _ in range(mixture.n_init))
        if start is None
        else [_Parameters(start.weights_, start.means_, start.covariances_, start.precisions_cholesky_)]
    )
    try:
        fit = likeliest_fit(steps, starts, Settings(mixture.tol, mixture.max_iter, as_scikit_learn=True))
    except np.linalg.LinAlgError:
        return None
    theta = fit.parameters
    made = assemble_mixture(theta.weights, theta.means, theta.covariances, theta.L, like=mixture)
    made.converged_, made.n_iter_ = fit.converged, len(fit.objectives)
    made.lower_bound_, made.lower_bounds_ = fit.objectives[-1], fit.objectives
    return made
