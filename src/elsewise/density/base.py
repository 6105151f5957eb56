r"""Densities: where data of a class really lie, as a union of cones.

A class's data are described by a Gaussian mixture (Eq. gmm). Its component-wise maximum (Eq. gmm:approx) bounds it from
below, so the set where one component alone reaches the threshold :math:`\delta`
(Eq. gmm:approx:component:finalconstraint)

.. math:: E_j = \{ z : \lVert L_j^\top (z - \mu_j) \rVert \le r_j \}, \qquad
          r_j^2 = 2 (\log \pi_j - \tfrac q2 \log 2\pi + \log\det L_j - \log \delta), \qquad \Sigma_j^{-1} = L_j L_j^\top

is convex, and every point of it is truly at least :math:`\delta`-dense. Components with :math:`r_j^2 \le 0` cannot
reach the threshold, or only at their peak, and have no cone. Everything is in log space.

Rows of a table with categories have the layout ``[numbers | codes]``. A component of their mixture is a Gaussian on the
numbers times an independent categorical distribution of every code, so with the one-hot indicators :math:`e` of the
codes (columns in order, levels in order) its log density is a concave quadratic in the numbers plus a term linear in
:math:`e`. Written as drops from the likeliest levels,

.. math:: \lVert L_j^\top (z - \mu_j) \rVert^2 \le r_j^2 - \rho_j^\top e, \qquad
          r_j^2 = 2 (\log \text{peak}_j - \log \delta), \qquad
          \rho_{jck} = 2 (\max_l \log p_{jcl} - \log p_{jck}) \ge 0,

where the peak is the component's largest value, with the likeliest level of every category. A Gaussian mixture is the
case without codes: every formula below is written once, for the mixed case, and sums over no categories there. In a
table without numbers the sets are finite, rows often lie exactly on the threshold, and a radius of zero is a cone too.

scikit-learn's ``precisions_cholesky_`` is :math:`L_j` (upper triangular), its diagonal for diagonal covariances, one
number for spherical ones, and shared by all components when tied. Squared Mahalanobis norms are computed as
:math:`\lVert (z - \mu_j)^\top L_j \rVert^2`, difference first: the expanded quadratic loses digits far from the origin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

from ..arrays import AnyArray, FloatArray, IntArray, check_rows
from ..errors import InvalidInputError
from ..search import Cones
from .mixtures.components import FittedMixture
from .units import CHUNK_ENTRIES


@dataclass(frozen=True, slots=True)
class ClassDensity:
    """Density of the training rows of one class, with the threshold asked of counterfactuals.

    Attributes
    ----------
    mixture_ : sklearn.mixture.GaussianMixture or MixedMixture
        The fitted mixture, in model space; of a table with categories, on its rows ``[numbers | codes]``.
    log_threshold_ : float
        Logarithm of the density threshold delta.
    log_densities_ : array of shape (n_samples,)
        Component-wise maximum at the training rows, ascending: each row left out of the mixture that it is judged by,
        so that these are the densities of new rows (:mod:`.leave_one_out`). A mixture that came fitted is taken as it
        is, and these are its densities of the rows that were given.
    quantile_ : float or None
        The quantile of them that the threshold is, if it was asked for as one.
    training_log_densities_ : array of shape (n_samples,)
        The same with each row in the mixture, ascending; but a kernel density leaves out each row's own kernel. The
        same as ``log_densities_`` if not given.
    """

    mixture_: FittedMixture
    log_threshold_: float
    log_densities_: FloatArray = field(repr=False)
    quantile_: float | None = None
    training_log_densities_: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)
    _log_peaks: FloatArray = field(init=False, repr=False, compare=False)
    _drops: tuple[FloatArray, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.training_log_densities_) == 0:
            object.__setattr__(self, "training_log_densities_", self.log_densities_)
        object.__setattr__(self, "_log_peaks", log_peaks(self.mixture_))
        object.__setattr__(self, "_drops", category_drops(self.mixture_))

    def log_components(self, Z: ArrayLike) -> FloatArray:
        """Log of every component, ``log pi_j + log N(z | mu_j, Sigma_j)`` (Eq. gmm:approx:component).

        A table's components also have ``sum_c log p_jc(code_c)``.

        Parameters
        ----------
        Z : array of shape (n_samples, n_features)
            Of a table with categories the rows ``[numbers | codes]``.

        Returns
        -------
        array of shape (n_samples, m)
            A row has the same bits alone and in any batch.
        """
        return self.log_components_of(self._points(Z))

    def log_components_of(self, Z: FloatArray) -> FloatArray:
        """Like :meth:`log_components`, for points known to be clean."""
        return log_components(self.mixture_, Z, self._log_peaks, self._drops)

    def log_max(self, Z: ArrayLike) -> FloatArray:
        """Log of the component-wise maximum (Eq. gmm:approx), array of shape (n_samples,)."""
        return self._reduce(Z, lambda values: values.max(axis=1))

    def argmax(self, Z: ArrayLike) -> IntArray:
        """Which component is the largest at each point, int array of shape (n_samples,)."""
        return self._reduce(Z, lambda values: values.argmax(axis=1)).astype(np.int64)

    def log_mixture(self, Z: ArrayLike) -> FloatArray:
        """Log of the mixture density itself (Eq. gmm), array of shape (n_samples,)."""
        return self._reduce(Z, lambda values: logsumexp(values, axis=1))

    def cones(self) -> Cones:
        """Describe the sets where one component alone reaches the threshold; none if it is above every peak."""
        squared_radii = 2.0 * (self._log_peaks - self.log_threshold_)
        # Without numbers a radius of zero is no thin set: the likeliest levels reach the threshold exactly, as training
        # rows do whenever the quantile falls on them.
        has_cone = squared_radii > 0.0 if self.mixture_.means_.shape[1] else squared_radii >= 0.0
        component = np.flatnonzero(has_cone).astype(np.int64)
        factors, shape, structure = _shared_factors(self.mixture_, component)
        return Cones(
            factors=factors,
            shape=shape,
            centres=np.array(self.mixture_.means_[component], dtype=np.float64),
            radii=np.sqrt(squared_radii[component]),
            component=component,
            penalties=2.0 * np.concatenate([np.empty((0, len(self._log_peaks))), *self._drops]).T[component],
            structure=structure,
        )

    def with_threshold(self, log_threshold: float, quantile: float | None = None) -> ClassDensity:
        """Return the same density with another threshold (the logarithm of delta), and the quantile that it is."""
        if not is_finite_number(log_threshold):
            raise InvalidInputError(f"The log density threshold must be a finite number, received {log_threshold!r}.")
        return replace(self, log_threshold_=float(log_threshold), quantile_=quantile)

    def quantile_of(self, log_density: float) -> float | None:
        """Highest ``q`` in [0, 1] with ``np.quantile(log_densities_, q) <= log_density``.

        This is the inverse of the linear interpolation of ``np.quantile``: how high a quantile threshold may be so that
        ``log_density`` still reaches it. None if ``log_density`` lies below that of every row.
        """
        ordered = self.log_densities_
        if not log_density >= ordered[0]:
            return None
        if log_density >= ordered[-1]:
            return 1.0
        below = int(np.searchsorted(ordered, log_density, side="right")) - 1
        share = (log_density - ordered[below]) / (ordered[below + 1] - ordered[below])
        q = float((below + share) / (len(ordered) - 1))
        # Rounding of q can lift the quantile a little above log_density: step down until the promise holds.
        step = float(np.finfo(np.float64).eps)
        while q > 0.0 and np.quantile(ordered, q) > log_density:
            q, step = max(q - step, 0.0), 2.0 * step
        return q

    def _points(self, Z: ArrayLike) -> FloatArray:
        """Return clean points with as many features as the mixture."""
        points = check_rows(Z)
        expected = self.mixture_.means_.shape[1] + len(self._drops)
        if points.shape[1] != expected:
            raise InvalidInputError(
                f"The density was fitted on {expected} features, received points with {points.shape[1]}. "
                "Densities live in model space: transform the points first."
            )
        check_codes(points, tuple(len(table) for table in self._drops))
        return points

    def _reduce(self, Z: ArrayLike, reduction: Callable[[FloatArray], AnyArray]) -> AnyArray:
        """Reduce over the components chunk by chunk, without holding all of (n_samples, m)."""
        points = self._points(Z)
        each = (self.log_components_of(chunk) for chunk in chunks(points, self.mixture_))
        parts = [reduction(values) for values in each]
        return np.concatenate([np.empty(0), *parts])


def is_finite_number(value: object) -> bool:
    """Whether ``value`` is a finite real number; booleans are none."""
    if isinstance(value, bool):
        return False
    return isinstance(value, Real) and bool(np.isfinite(float(value)))


def check_codes(rows: FloatArray, n_levels: tuple[int, ...]) -> None:
    """Refuse rows ``[numbers | codes]`` whose codes, the last columns, are not whole or not in ``0..n_levels[c]-1``."""
    codes = rows[:, rows.shape[1] - len(n_levels) :]
    wrong = (codes != np.floor(codes)) | (codes < 0.0) | (codes >= np.array(n_levels, dtype=np.float64))
    if wrong.any():
        row, c = np.argwhere(wrong)[0]
        raise InvalidInputError(
            f"Expected the codes of category {c} (feature {rows.shape[1] - len(n_levels) + c}) to be whole numbers "
            f"from 0 to {n_levels[c] - 1}, received {codes[row, c]} in row {row}. Rows have the layout "
            "[numbers | codes], with a number of levels in n_levels for each code."
        )


def category_drops(mixture: FittedMixture) -> tuple[FloatArray, ...]:
    """How much less likely every level is than the likeliest, ``max_l log p_jcl - log p_jck >= 0``.

    Returns
    -------
    tuple of arrays of shape (n_levels[c], m), one for each category; empty for Gaussian mixtures
    """
    return tuple(table.max(axis=1) - table.T for table in _category_tables(mixture))


def log_peaks(mixture: FittedMixture) -> FloatArray:
    """Largest value of every component, ``log pi_j - q/2 log 2pi + log det L_j + sum_c max_k log p_jck``.

    The sum is over the categories of a table, with the likeliest level of each; array of shape (m,).
    """
    m, q = mixture.means_.shape
    L = np.asarray(mixture.precisions_cholesky_, dtype=np.float64)
    if mixture.covariance_type in ("full", "tied"):
        log_det = np.log(np.diagonal(L, axis1=-2, axis2=-1)).sum(axis=-1)
    elif mixture.covariance_type == "diag":
        log_det = np.log(L).sum(axis=1)
    else:
        log_det = q * np.log(L)
    # A weight of zero is a component that is nowhere: -inf, and no cone.
    with np.errstate(divide="ignore"):
        log_weights = np.log(np.asarray(mixture.weights_, dtype=np.float64))
    peaks = np.broadcast_to(log_weights - 0.5 * q * np.log(2.0 * np.pi) + log_det, (m,))
    return sum((table.max(axis=1) for table in _category_tables(mixture)), start=peaks)


def log_components(
    mixture: FittedMixture, Z: FloatArray, peaks: FloatArray, drops: tuple[FloatArray, ...] = ()
) -> FloatArray:
    """Log components at clean points, given their :func:`log_peaks` and :func:`category_drops`.

    Returns
    -------
    array of shape (n_samples, m)
    """
    n_numbers = mixture.means_.shape[1]
    values = _log_gaussians(mixture, Z[:, :n_numbers], peaks)
    for table, codes in zip(drops, Z[:, n_numbers:].T.astype(np.intp)):
        values -= table[codes]
    return values


def _log_gaussians(mixture: FittedMixture, Z: FloatArray, peaks: FloatArray) -> FloatArray:
    """Peaks less half the squared Mahalanobis norms, array of shape (n_samples, m)."""
    means = np.asarray(mixture.means_, dtype=np.float64)
    L = np.asarray(mixture.precisions_cholesky_, dtype=np.float64)
    if mixture.covariance_type == "spherical":
        values: FloatArray = cdist(Z, means, "sqeuclidean")
        values *= -0.5 * L**2
        values += peaks
        return values
    values = np.empty((len(Z), len(means)))
    for j, mean in enumerate(means):
        difference = Z - mean
        if mixture.covariance_type == "diag":
            scaled = difference * L[j]
        else:
            # One vector-matrix product per row: a single matrix product would round rows differently in other batches.
            scaled = np.matmul(difference[:, None, :], L if mixture.covariance_type == "tied" else L[j])[:, 0, :]
        values[:, j] = peaks[j] - 0.5 * np.square(scaled).sum(axis=1)
    return values


def chunks(Z: FloatArray, mixture: FittedMixture) -> Iterator[FloatArray]:
    """Cut the points so that (n_samples, m) and (n_samples, n_features) arrays of a chunk stay small."""
    size = max(1, CHUNK_ENTRIES // max(mixture.means_.shape))
    for start in range(0, len(Z), size):
        yield Z[start : start + size]


def _shared_factors(
    mixture: FittedMixture, component: IntArray
) -> tuple[FloatArray, IntArray, tuple[FloatArray, FloatArray] | None]:
    """Factors ``L'`` of the given components, equal ones once, the position of each one's own, their structure."""
    q = mixture.means_.shape[1]
    L = np.asarray(mixture.precisions_cholesky_, dtype=np.float64)
    if mixture.covariance_type == "tied":
        return L.T[None].copy(), np.zeros(len(component), dtype=np.int64), None
    if len(component) == 0:
        return np.empty((0, q, q)), np.empty(0, dtype=np.int64), None
    if q == 0:
        return np.empty((1, 0, 0)), np.zeros(len(component), dtype=np.int64), None
    # Told apart by their bytes: np.unique makes a field of each of the q * q entries, seconds for hundreds of features.
    places: dict[bytes, int] = {}
    shape = np.array([places.setdefault(L[j].tobytes(), len(places)) for j in component], dtype=np.int64)
    first = component[np.unique(shape, return_index=True)[1]]
    if mixture.covariance_type == "full":
        low_rank = getattr(mixture, "precision_structure_", None)  # of mixtures of low rank, written out
        structure = None if low_rank is None else (low_rank[0][first], low_rank[1][first])
        return L[first].transpose(0, 2, 1).copy(), shape, structure
    scales = L[first].reshape(len(first), -1) * np.ones(q)
    return scales[:, :, None] * np.eye(q), shape, (np.square(scales), np.empty((len(first), q, 0)))


def _category_tables(mixture: FittedMixture) -> tuple[FloatArray, ...]:
    """Log probabilities of the levels of each category, arrays of shape (m, n_levels[c]); none of Gaussian mixtures."""
    return tuple(getattr(mixture, "log_probabilities_", ()))
