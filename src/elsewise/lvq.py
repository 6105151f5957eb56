r"""Generalized learning vector quantization: classifiers that compare a point with a few prototypes of each class.

Prototypes :math:`w_k` and, for the matrix variant, one global matrix :math:`\Omega` minimise the cost of Sato and
Yamada (1995), with the distance of Schneider, Biehl and Hammer (2009):

.. math:: E = \sum_x \sigma(\mu(x)), \qquad \mu(x) = \frac{d_+ - d_-}{d_+ + d_-}, \qquad
          d_k(x) = (x - w_k)^\top \Omega^\top \Omega \, (x - w_k)

where :math:`d_+` is the distance to the nearest prototype of the sample's own class, :math:`d_-` to the nearest of any
other class, and :math:`\sigma(t) = 1 / (1 + e^{-t})`. With :math:`\sigma'(\mu) = \sigma (1 - \sigma)`,

.. math:: g_+ = \frac{\partial E}{\partial d_+} = \sigma' \frac{2 d_-}{(d_+ + d_-)^2}, \quad
          g_- = \frac{\partial E}{\partial d_-} = -\sigma' \frac{2 d_+}{(d_+ + d_-)^2}, \quad
          \frac{\partial d_k}{\partial w_k} = -2 \Omega^\top \Omega (x - w_k), \quad
          \frac{\partial d_k}{\partial \Omega} = 2 \Omega (x - w_k) (x - w_k)^\top .

Symbols of the code: ``W`` prototypes, ``Omega`` the matrix (None stands for the identity), ``own`` a mask that is True
where a prototype has the sample's label.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Self
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from .arrays import AnyArray, BoolArray, FloatArray, IntArray
from .errors import InvalidInputError

# Squared distances below this, for data of unit variance, are rounding: such a sample lies on both of its prototypes,
# where mu is undefined, and counts as undecided (mu = 0, no gradient).
_COINCIDENT = np.finfo(np.float64).eps ** 2
# L-BFGS stops when the mean cost falls by no more than this share in an iteration: it has stalled, as it may at a kink.
_COST_TOLERANCE = 1e-12
# Evaluations of the cost allowed for each iteration; a line search takes one or two, far more only at a kink.
_EVALUATIONS_AN_ITERATION = 20
# Starts of k-means for the first prototypes of a class; the best is kept.
_KMEANS_STARTS = 10

_RandomState = int | np.random.RandomState | None


class _LVQ(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What the two estimators share: checks, start, optimisation, prediction."""

    prototypes_per_class: int
    max_iter: int
    tol: float
    random_state: _RandomState

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn the prototypes (and the matrix) from labelled rows.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Labels of at least two classes.
        """
        rows, targets = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(targets)
        _require_positive(self, "prototypes_per_class", self.prototypes_per_class, Integral)
        _require_positive(self, "max_iter", self.max_iter, Integral)
        _require_positive(self, "tol", self.tol, Real)
        self.classes_, codes = np.unique(targets, return_inverse=True)
        if len(self.classes_) < 2:
            raise InvalidInputError(
                f"{type(self).__name__} compares classes: expected at least 2 classes in y, received 1 class "
                f"({self.classes_[0]!r}). Add rows of another class."
            )

        # The cost does not change when data and prototypes are moved and scaled together; near the origin and of unit
        # variance they are best conditioned.
        centre = rows.mean(axis=0)
        scale = float(np.sqrt(np.mean((rows - centre) ** 2))) or 1.0
        Z = (rows - centre) / scale

        W, labels = _initial_prototypes(Z, codes, self.prototypes_per_class, self.random_state)
        W, Omega, self.n_iter_ = _minimise(
            W, self._initial_omega(Z), Z, codes[:, None] == labels, max_iter=self.max_iter, tol=self.tol
        )
        self.prototypes_ = centre + scale * W
        self.prototype_labels_ = labels
        if Omega is None:
            self.relevance_ = np.eye(self.n_features_in_)
        else:
            self.omega_ = Omega / np.linalg.norm(Omega)  # trace(Omega' Omega) = squared Frobenius norm = 1
            self.relevance_ = self.omega_.T @ self.omega_
        return self

    def predict(self, X: ArrayLike) -> AnyArray:
        """Label of the nearest prototype of every row, the first one on a tie.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        # Centred first: the products with the matrix would lose digits on data far from the origin.
        centre = self.prototypes_.mean(axis=0)
        distances = _squared_distances(rows - centre, self.prototypes_ - centre, getattr(self, "omega_", None))
        labels: AnyArray = self.classes_[self.prototype_labels_[distances.argmin(axis=1)]]
        return labels

    def _initial_omega(self, Z: FloatArray) -> FloatArray | None:
        """Matrix to start from, None if the distance stays Euclidean."""
        raise NotImplementedError


class GeneralizedLVQ(_LVQ):
    """Generalized learning vector quantization with the squared Euclidean distance.

    Minimises the cost in the module docstring over the prototypes, by L-BFGS with the analytic gradient. Prototypes
    start at the class means, or at k-means centres of each class when there are several.

    Parameters
    ----------
    prototypes_per_class : int, default=1
        A class with fewer distinct rows gets one prototype for each of them.
    max_iter : int, default=500
        Most iterations of L-BFGS; a ``ConvergenceWarning`` tells when they ran out.
    tol : float, default=1e-4
        Stop when no component of the gradient of the mean cost (of centred data with unit variance) is larger, or when
        the cost stalls, as it may at a kink (see Notes).
    random_state : int, RandomState or None, default=None
        Seeds the k-means start; without effect for one prototype per class.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    prototypes_ : array of shape (n_prototypes, n_features)
    prototype_labels_ : int array of shape (n_prototypes,)
        Position in ``classes_`` of every prototype's class, ascending.
    relevance_ : array of shape (n_features, n_features)
        The matrix of the distance: the identity.
    n_iter_ : int
    n_features_in_ : int

    Notes
    -----
    The cost is not convex, and it has kinks where a sample changes its nearest prototype. L-BFGS can come to rest at a
    kink with a gradient above ``tol``, and without a warning; such a point may or may not be a minimum. So the result
    is better than the start, but no proven local optimum.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> GeneralizedLVQ().fit(X, y).prototypes_.shape
    (3, 4)
    """

    def __init__(
        self,
        *,
        prototypes_per_class: int = 1,
        max_iter: int = 500,
        tol: float = 1e-4,
        random_state: _RandomState = None,
    ) -> None:
        self.prototypes_per_class = prototypes_per_class
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _initial_omega(self, Z: FloatArray) -> None:
        return None


class GeneralizedMatrixLVQ(_LVQ):
    """Generalized learning vector quantization that also learns which directions matter.

    The distance is ``(x - w)' Lambda (x - w)`` with one ``Lambda = Omega' Omega`` of trace 1 for all prototypes.
    Minimises the cost in the module docstring over prototypes and ``Omega`` together, by L-BFGS with the analytic
    gradient. The cost does not depend on the scale of ``Omega``, which is normalised at the end. Prototypes start at
    the class means, or at k-means centres of each class when there are several; ``Omega`` at the Euclidean distance, or
    for a given ``rank`` at the leading principal axes of the data.

    Parameters
    ----------
    prototypes_per_class : int, default=1
        A class with fewer distinct rows gets one prototype for each of them.
    rank : int or None, default=None
        Number of rows of ``Omega``, an upper bound for the rank of ``Lambda``; None means ``n_features``.
    max_iter : int, default=500
        Most iterations of L-BFGS; a ``ConvergenceWarning`` tells when they ran out.
    tol : float, default=1e-4
        Stop when no component of the gradient of the mean cost (of centred data with unit variance) is larger, or when
        the cost stalls, as it may at a kink (see Notes).
    random_state : int, RandomState or None, default=None
        Seeds the k-means start; without effect for one prototype per class.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    prototypes_ : array of shape (n_prototypes, n_features)
    prototype_labels_ : int array of shape (n_prototypes,)
        Position in ``classes_`` of every prototype's class, ascending.
    omega_ : array of shape (rank, n_features)
    relevance_ : array of shape (n_features, n_features)
        The matrix ``Lambda = omega_' omega_``; its diagonal says how much each feature matters and sums to 1.
    n_iter_ : int
    n_features_in_ : int

    Notes
    -----
    The cost is not convex, and it has kinks where a sample changes its nearest prototype. L-BFGS can come to rest at a
    kink with a gradient above ``tol``, and without a warning; such a point may or may not be a minimum. So the result
    is better than the start, but no proven local optimum.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GeneralizedMatrixLVQ(rank=2).fit(X, y)
    >>> model.omega_.shape
    (2, 4)
    >>> round(float(model.relevance_.trace()), 6)
    1.0
    """

    def __init__(
        self,
        *,
        prototypes_per_class: int = 1,
        rank: int | None = None,
        max_iter: int = 500,
        tol: float = 1e-4,
        random_state: _RandomState = None,
    ) -> None:
        self.prototypes_per_class = prototypes_per_class
        self.rank = rank
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _initial_omega(self, Z: FloatArray) -> FloatArray:
        n_features = Z.shape[1]
        if self.rank is None:
            return np.asarray(np.eye(n_features) / np.sqrt(n_features))
        _require_positive(self, "rank", self.rank, Integral)
        if self.rank > n_features:
            raise InvalidInputError(
                f"rank of {type(self).__name__}: expected at most the number of features, {n_features}, or None; "
                f"received {self.rank!r}."
            )
        _, axes = np.linalg.eigh(Z.T @ Z)  # eigenvalues ascending
        return np.asarray(axes[:, ::-1].T[: self.rank] / np.sqrt(self.rank))


def _require_positive(model: _LVQ, name: str, value: object, kind: type) -> None:
    """Raise unless a parameter is a positive number of the given kind."""
    if not isinstance(value, kind) or isinstance(value, bool) or not value > 0:  # type: ignore[operator]
        expected = "a positive integer" if kind is Integral else "a positive number"
        raise InvalidInputError(f"{name} of {type(model).__name__}: expected {expected}, received {value!r}.")


def _initial_prototypes(
    Z: FloatArray, codes: IntArray, per_class: int, random_state: _RandomState
) -> tuple[FloatArray, IntArray]:
    """Class means, or k-means centres of each class, with the class codes they belong to."""
    random = check_random_state(random_state)
    prototypes, labels = [], []
    for code in range(codes.max() + 1):
        rows = Z[codes == code]
        if per_class == 1:
            centres = rows.mean(axis=0, keepdims=True)
        else:
            n_clusters = min(per_class, len(np.unique(rows, axis=0)))
            centres = KMeans(n_clusters, n_init=_KMEANS_STARTS, random_state=random).fit(rows).cluster_centers_
        prototypes.append(centres)
        labels.append(np.full(len(centres), code, dtype=np.int64))
    return np.vstack(prototypes), np.concatenate(labels)


def _minimise(
    W: FloatArray, Omega: FloatArray | None, Z: FloatArray, own: BoolArray, *, max_iter: int, tol: float
) -> tuple[FloatArray, FloatArray | None, int]:
    """Minimise the mean cost from the given start; returns prototypes, matrix and the number of iterations."""
    n_prototypes, n_features = W.shape

    def unpack(theta: FloatArray) -> tuple[FloatArray, FloatArray | None]:
        matrix = None if Omega is None else theta[W.size :].reshape(-1, n_features)
        return theta[: W.size].reshape(n_prototypes, n_features), matrix

    def pack(prototypes: FloatArray, matrix: FloatArray | None) -> FloatArray:
        return np.concatenate([prototypes.ravel(), np.empty(0) if matrix is None else matrix.ravel()])

    def mean_cost(theta: FloatArray) -> tuple[float, FloatArray]:
        value, W_gradient, Omega_gradient = cost_and_gradients(*unpack(theta), Z, own)
        return value / len(Z), pack(W_gradient, Omega_gradient) / len(Z)

    result = minimize(
        mean_cost,
        pack(W, Omega),
        jac=True,
        method="L-BFGS-B",
        options={
            "maxiter": max_iter,
            "maxfun": _EVALUATIONS_AN_ITERATION * max_iter,
            "gtol": tol,
            "ftol": _COST_TOLERANCE,
        },
    )
    if result.status == 1:  # the other endings are a small gradient and, at kinks, a cost that stalls
        warn(
            f"L-BFGS ran out of iterations (max_iter={max_iter}): the largest component of the gradient is "
            f"{np.abs(result.jac).max():.1e}, expected at most tol={tol:.1e}. Raise max_iter or tol, or "
            "scale the features.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return *unpack(result.x), int(result.nit)


def cost_and_gradients(
    W: FloatArray, Omega: FloatArray | None, Z: FloatArray, own: BoolArray
) -> tuple[float, FloatArray, FloatArray | None]:
    """Cost ``E`` with its gradients in ``W`` and ``Omega`` (module docstring).

    Parameters
    ----------
    W : array of shape (n_prototypes, n_features)
    Omega : array of shape (rank, n_features) or None
    Z : array of shape (n_samples, n_features)
    own : bool array of shape (n_samples, n_prototypes)
    """
    distances = _squared_distances(Z, W, Omega)
    plus = np.where(own, distances, np.inf).argmin(axis=1)
    minus = np.where(own, np.inf, distances).argmin(axis=1)
    samples = np.arange(len(Z))
    d_plus, d_minus = distances[samples, plus], distances[samples, minus]

    total = d_plus + d_minus
    distinct = total > _COINCIDENT
    total = np.where(distinct, total, 1.0)
    sigma = expit(np.where(distinct, (d_plus - d_minus) / total, 0.0))
    slope = np.where(distinct, 2 * sigma * (1 - sigma) / total**2, 0.0)

    W_gradient = np.zeros_like(W)
    Omega_gradient = None if Omega is None else np.zeros_like(Omega)
    for winner, g in ((plus, slope * d_minus), (minus, -slope * d_plus)):
        difference = Z - W[winner]
        pull = g[:, None] * difference
        belongs = winner == np.arange(len(W))[:, None]
        W_gradient -= 2 * belongs.astype(np.float64) @ pull
        if Omega is not None and Omega_gradient is not None:
            Omega_gradient += 2 * (difference @ Omega.T).T @ pull
    if Omega is not None:
        W_gradient = W_gradient @ Omega.T @ Omega
    return float(sigma.sum()), W_gradient, Omega_gradient


def _squared_distances(Z: FloatArray, W: FloatArray, Omega: FloatArray | None) -> FloatArray:
    """Squared distances of every sample to every prototype, array of shape (n_samples, n_prototypes)."""
    if Omega is not None:
        Z, W = Z @ Omega.T, W @ Omega.T
    return np.asarray(cdist(Z, W, "sqeuclidean"), dtype=np.float64)
