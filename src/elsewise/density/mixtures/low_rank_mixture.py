r"""Mixtures of probabilistic principal components: covariances of low rank plus noise, for many features.

With :math:`p` features and rank :math:`q`, a component has the covariance

.. math:: \Sigma_j = U_j \operatorname{diag}(\lambda_j) U_j^\top + \sigma_j^2 (I - U_j U_j^\top),

with :math:`q` orthonormal directions :math:`U_j`, their variances :math:`\lambda_j`, and the same noise
:math:`\sigma_j^2` in all others: :math:`pq` numbers instead of :math:`p^2 / 2`, so that a hundred rows describe images.
The best of these for given responsibilities are the leading eigenvectors and eigenvalues of the weighted covariance,
and the mean of the remaining eigenvalues (Tipping and Bishop, Mixtures of probabilistic principal component analysers,
1999). With :math:`d = x - \mu_j`,

.. math:: d^\top \Sigma_j^{-1} d = \tfrac{1}{\sigma_j^2} \Bigl( \lVert d \rVert^2 - \sum_a \bigl(1 -
          \tfrac{\sigma_j^2}{\lambda_{ja}}\bigr) (u_{ja}^\top d)^2 \Bigr), \qquad
          \log\det \Sigma_j = \sum_a \log \lambda_{ja} + (p - q) \log \sigma_j^2 .
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.special import logsumexp
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from ...arrays import FloatArray
from .expectation_maximisation import COUNT_ROUNDINGS, Settings, kmeans_start, likeliest_fit

# Share of the largest eigenvalue below which a direction is not taken from products of rows: its digits, half as many
# as those of the eigenvalue, would not be orthonormal to some eight.
SMALLEST_EIGENVALUE = 1e-8


class LowRankMixture(BaseEstimator):  # type: ignore[misc]
    """Mixture of Gaussians whose covariances are of low rank plus noise, fitted by expectation maximisation.

    Parameters
    ----------
    n_components : int, default=1
    rank : int, default=1
        Directions that have a variance of their own, from 0 to one less than there are features.
    tol : float, default=1e-3
        Iterations stop when the mean log-likelihood grows by less.
    reg_covar : float, default=1e-6
        Smallest variance.
    n_init : int, default=1
        Starts by k-means++; the likeliest is kept.
    max_iter : int, default=1000
    random_state : int, RandomState instance or None, default=0

    Attributes
    ----------
    weights_ : array of shape (m,)
    means_ : array of shape (m, p)
    directions_ : array of shape (m, p, q)
        Orthonormal.
    variances_ : array of shape (m, q)
        Along the directions.
    noise_ : array of shape (m,)
        Variance in every other direction.
    converged_ : bool
    n_iter_ : int
    lower_bound_ : float
        Mean log-likelihood of the rows.
    """

    def __init__(
        self,
        n_components: int = 1,
        *,
        rank: int = 1,
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        n_init: int = 1,
        max_iter: int = 1000,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_components = n_components
        self.rank = rank
        self.tol = tol
        self.reg_covar = reg_covar
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: FloatArray, y: object = None, *, start: FloatArray | None = None) -> LowRankMixture:
        """Fit the mixture.

        Parameters
        ----------
        X : array of shape (n_samples, p)
        y : ignored
        start : array of shape (n_samples, m), optional
            Responsibilities to begin with, instead of k-means.
        """
        rng, steps = check_random_state(self.random_state), LowRankSteps(X, self.rank, self.reg_covar)
        starts = (kmeans_start(X, self.n_components, rng) for _ in range(self.n_init)) if start is None else [start]
        fit = likeliest_fit(steps, map(steps.maximisation, starts), Settings(self.tol, self.max_iter))
        for name in LowRankParameters.__slots__:
            setattr(self, f"{name}_", getattr(fit.parameters, name))
        self.converged_, self.n_iter_, self.lower_bound_ = fit.converged, len(fit.objectives), fit.objectives[-1]
        self.n_features_in_ = X.shape[1]
        return self

    def log_components(self, X: FloatArray) -> FloatArray:
        """Logarithm of every component at rows, array of shape (n_samples, m)."""
        return log_components(
            LowRankParameters(*(getattr(self, f"{name}_") for name in LowRankParameters.__slots__)), X
        )

    def score_samples(self, X: FloatArray) -> FloatArray:
        """Log density at every row, array of shape (n_samples,)."""
        return np.asarray(logsumexp(self.log_components(X), axis=1))

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Responsibilities, array of shape (n_samples, m)."""
        values = self.log_components(X)
        return np.asarray(np.exp(values - logsumexp(values, axis=1, keepdims=True)))

    def covariances(self) -> FloatArray:
        """Covariances as matrices, array of shape (m, p, p)."""
        p = self.directions_.shape[1]
        own = self.variances_ - self.noise_[:, None]
        low_rank = np.einsum("jab,jb,jcb->jac", self.directions_, own, self.directions_)
        return np.asarray(low_rank + self.noise_[:, None, None] * np.eye(p))


@dataclass(frozen=True, slots=True)
class LowRankParameters:
    """Parameters of a mixture of ``m`` components of rank ``q``, shapes as those of :class:`LowRankMixture`."""

    weights: FloatArray
    means: FloatArray
    directions: FloatArray
    variances: FloatArray
    noise: FloatArray


@dataclass(frozen=True, slots=True)
class LowRankSteps:
    """The steps on rows of shape (n, p)."""

    X: FloatArray
    rank: int
    reg_covar: float

    def expectation(self, theta: LowRankParameters) -> tuple[float, FloatArray]:
        """Mean log-likelihood and the responsibilities, array of shape (n, m)."""
        values = log_components(theta, self.X)
        total = logsumexp(values, axis=1, keepdims=True)
        return float(total.mean()), np.exp(values - total)

    def maximisation(self, responsibilities: FloatArray, before: LowRankParameters | None = None) -> LowRankParameters:
        """Parameters that are the best for the responsibilities."""
        X = self.X
        p, m = X.shape[1], responsibilities.shape[1]
        q = min(self.rank, p - 1)
        # A component without rows keeps a tiny weight.
        count = responsibilities.sum(axis=0) + COUNT_ROUNDINGS * np.finfo(np.float64).eps
        means = (responsibilities.T @ X) / count[:, None]
        directions, variances, noise = np.empty((m, p, q)), np.empty((m, q)), np.empty(m)
        for j in range(m):
            scaled = (X - means[j]) * np.sqrt(responsibilities[:, j : j + 1] / count[j])
            values, directions[j] = leading_directions(scaled, q)
            rest = max(float(np.square(scaled).sum() - values.sum()), 0.0) / (p - q)
            noise[j] = max(rest, self.reg_covar)
            variances[j] = np.maximum(values, noise[j])
        return LowRankParameters(count / count.sum(), means, directions, variances, noise)


def log_components(theta: LowRankParameters, X: FloatArray) -> FloatArray:
    """Logarithm of every component at rows, array of shape (n_samples, m)."""
    p, q = theta.directions.shape[1:]
    values = np.empty((len(X), len(theta.weights)))
    for j, mean in enumerate(theta.means):
        difference = X - mean
        along = np.square(difference @ theta.directions[j])
        squared = np.einsum("ia,ia->i", difference, difference) - along @ (1.0 - theta.noise[j] / theta.variances[j])
        log_det = np.log(theta.variances[j]).sum() + (p - q) * np.log(theta.noise[j])
        values[:, j] = np.log(theta.weights[j]) - 0.5 * (squared / theta.noise[j] + log_det + p * np.log(2 * np.pi))
    return values


def leading_directions(scaled: FloatArray, q: int) -> tuple[FloatArray, FloatArray]:
    """Largest ``q`` eigenvalues of ``scaled' scaled``, of shape (q,), and their eigenvectors, of shape (p, q)."""
    p = scaled.shape[1]
    if q == 0:
        return np.empty(0), np.empty((p, 0))
    n = len(scaled)
    if q <= n < p:  # both products have the same eigenvalues: those of the smaller one, and u = scaled' w / |scaled' w|
        values, vectors = eigh(scaled @ scaled.T, subset_by_index=[n - q, n - 1], check_finite=False)
        if values[0] > SMALLEST_EIGENVALUE * values[-1]:
            turned = scaled.T @ vectors
            return values[::-1], (turned / np.sqrt(np.square(turned).sum(axis=0)))[:, ::-1]
    values, vectors = eigh(scaled.T @ scaled, subset_by_index=[p - q, p - 1], check_finite=False)
    return values[::-1], vectors[:, ::-1]
