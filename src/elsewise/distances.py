"""Distances: how large a change is, in the space of the user's features.

A distance is described by `Manhattan`, `Scaled` or `Mahalanobis` and becomes definite by ``resolve``, which checks it
against the training rows and fills in what was left open. `theta(x', x)`, the paper's regularizer, is the value of the
resolved object; for Mahalanobis this is the quadratic form itself, not its root.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import FloatArray, check_rows, feature_scales
from .errors import InvalidInputError
from .projection.distance import ResolvedDistance, ResolvedMahalanobis, ResolvedManhattan

if TYPE_CHECKING:
    from .columns import Table

__all__ = [
    "Distance",
    "Mahalanobis",
    "Manhattan",
    "ResolvedDistance",
    "ResolvedMahalanobis",
    "ResolvedManhattan",
    "Scaled",
    "resolve_distance",
]


# Ridge of the default omega, as a share of each feature's own variance.
_RIDGE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Manhattan:
    """Weighted Manhattan distance, ``sum_j weights_j |x_j - y_j|`` (Eq. weighted_l1). Prefers few changed columns.

    Parameters
    ----------
    weights : array-like of shape (n_columns,), mapping of column to weight, or None, default=None
        Positive price of a unit of change of each column, of any change for a category; None, and columns a mapping
        leaves out, have 1.

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise.distances import Manhattan
    >>> distance = Manhattan(weights=[1.0, 10.0]).resolve(np.zeros((5, 2)))
    >>> distance(np.array([[0.0, 0.0]]), np.array([[3.0, -1.0]]))
    array([13.])
    """

    weights: Any = None

    def resolve(self, X: ArrayLike, table: Table | None = None) -> ResolvedManhattan:
        """Check the weights against the training rows ``X`` in features, of shape (n_samples, n_features)."""
        d = check_rows(X).shape[1]
        names = tuple(f"x{i}" for i in range(d)) if table is None else tuple(column.name for column in table.columns)
        return _per_feature(_column_weights("Manhattan", self.weights, names), table)


@dataclass(frozen=True, slots=True, eq=False)
class Scaled:
    """Manhattan distance in which one unit means the same in every column; the default for tables of mixed columns.

    A numeric column costs ``|difference| / scale``, where the scale is the median absolute deviation of the training
    rows from their median: a typical difference between two rows costs about 1, whatever the unit, and a few extreme
    values do not matter. Where that is zero (more than half of the rows agree) it is the mean absolute deviation, and 1
    for a column that never varies. Ordered levels count by rank in the same way. A change of category costs 1, between
    any two levels. So "one typical step" has one price everywhere, and answers balance them without being asked to.

    Parameters
    ----------
    weights : mapping of column to factor, array-like of shape (n_columns,), or None, default=None
        Factor on each column's price, positive; 1 where left out. A factor of 10 makes a column ten times dearer.

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise.distances import Scaled
    >>> distance = Scaled().resolve(np.array([[0.0], [10.0], [20.0], [30.0], [1000.0]]))
    >>> distance(np.array([[0.0]]), np.array([[25.0]]))
    array([2.5])
    """

    weights: Any = None

    def resolve(self, X: ArrayLike, table: Table | None = None) -> ResolvedManhattan:
        """Find the scales in the training rows ``X`` in features, of shape (n_samples, n_features)."""
        rows = check_rows(X)
        names = tuple(f"x{i}" for i in range(rows.shape[1]))
        if table is not None:
            names = tuple(column.name for column in table.columns)
        factors = _per_feature(_column_weights("Scaled", self.weights, names), table)
        apart = np.abs(rows - np.median(rows, axis=0))
        median, mean = np.median(apart, axis=0), apart.mean(axis=0)
        rounding = 1e-12 * np.abs(np.median(rows, axis=0))
        scales = np.where(median > rounding, median, np.where(mean > rounding, mean, 1.0))
        if table is not None:
            scales[table.group >= 0] = 1.0
        return ResolvedManhattan(factors.weights / scales)


@dataclass(frozen=True, slots=True, eq=False)
class Mahalanobis:
    """Mahalanobis distance, ``(x - y)' omega (x - y)`` (Eq. general_l2). Follows how features vary together.

    Parameters
    ----------
    omega : array-like of shape (n_features, n_features) or None, default=None
        Symmetric positive definite matrix; the identity gives the squared Euclidean distance. None is the inverse
        covariance of the training rows (divisor n), where each variance is first raised by 1e-6 of itself so that the
        inverse exists for collinear features; a feature that is constant in training gets the variance ``1e-6 s**2``,
        with ``s`` its absolute value (or, for zeros, the smallest deviation of the others), so that changing it is
        possible but dear.

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise.distances import Mahalanobis
    >>> distance = Mahalanobis(omega=np.eye(2)).resolve(np.zeros((5, 2)))
    >>> distance(np.array([[0.0, 0.0]]), np.array([[3.0, -1.0]]))
    array([10.])
    """

    omega: Any = None

    def resolve(self, X: ArrayLike) -> ResolvedMahalanobis:
        """Check omega against the training rows ``X``, of shape (n_samples, n_features), or compute it from them."""
        rows = check_rows(X)
        if self.omega is None:
            return ResolvedMahalanobis(_inverse_covariance(rows))
        d = rows.shape[1]
        omega = _numbers("omega", self.omega)
        if omega.shape != (d, d):
            raise InvalidInputError(
                f"Mahalanobis omega: expected a square matrix of shape ({d}, {d}) for {d} features, received shape "
                f"{omega.shape}."
            )
        if not np.isfinite(omega).all():
            row, column = np.argwhere(~np.isfinite(omega))[0]
            raise InvalidInputError(
                f"Mahalanobis omega must be finite, received {omega[row, column]} at ({row}, {column})."
            )
        asymmetry = np.abs(omega - omega.T)
        if asymmetry.max() > 1e-8 * np.abs(omega).max():
            row, column = np.unravel_index(asymmetry.argmax(), omega.shape)
            raise InvalidInputError(
                f"Mahalanobis omega must be symmetric, received {omega[row, column]} at ({row}, {column}) and "
                f"{omega[column, row]} at ({column}, {row}). Use (omega + omega.T) / 2, which gives the same distance."
            )
        omega = 0.5 * (omega + omega.T)
        if not _is_positive_definite(omega):
            raise InvalidInputError(
                "Mahalanobis omega must be positive definite, its smallest eigenvalue is "
                f"{np.linalg.eigvalsh(omega)[0]:.3g}. Add a small multiple of the identity."
            )
        return ResolvedMahalanobis(omega)


Distance = Manhattan | Scaled | Mahalanobis

_named: dict[str, type[Manhattan] | type[Scaled] | type[Mahalanobis]] = {
    "manhattan": Manhattan,
    "scaled": Scaled,
    "mahalanobis": Mahalanobis,
}


def resolve_distance(distance: str | Distance, X: ArrayLike, table: Table | None = None) -> ResolvedDistance:
    """Resolve a distance, or the default one of a name, against the training rows.

    Parameters
    ----------
    distance : {"auto", "manhattan", "scaled", "mahalanobis"}, Manhattan, Scaled or Mahalanobis
        ``"auto"`` is the paper's plain Manhattan distance for nothing but numbers, `Scaled` for a table with whole
        numbers, ordered levels or categories.
    X : array of shape (n_samples, n_features)
        In features.
    table : Table, optional
        How features form columns; without one every feature is a number.
    """
    if isinstance(distance, str) and distance == "auto":
        distance = "manhattan" if table is None or all(c.kind == "number" for c in table.columns) else "scaled"
    if isinstance(distance, str) and distance in _named:
        distance = _named[distance]()
    if isinstance(distance, Mahalanobis):
        if table is not None and (table.group >= 0).any():
            categories = [column.name for column in table.columns if column.kind == "category"]
            raise InvalidInputError(
                f"The Mahalanobis distance is about numbers, but {_few(categories)} "
                f"{'is a category' if len(categories) == 1 else 'are categories'}. Use 'scaled' or Manhattan(weights)."
            )
        return distance.resolve(X)
    if isinstance(distance, (Manhattan, Scaled)):
        return distance.resolve(X, table)
    raise InvalidInputError(
        f"Unknown distance {distance!r}: expected 'auto', 'manhattan', 'scaled', 'mahalanobis', Manhattan(weights), "
        "Scaled(weights) or Mahalanobis(omega)."
    )


def _column_weights(name: str, weights: Any, columns: tuple[str, ...]) -> FloatArray:
    """One positive weight a column, array of shape (n_columns,)."""
    d = len(columns)
    if weights is None:
        return np.ones(d)
    if isinstance(weights, Mapping):
        unknown = [key for key in weights if key not in columns]
        if unknown:
            raise InvalidInputError(
                f"{name} weights: there is no column {unknown[0]!r}. The columns are {_few(columns)}."
            )
        weights = [weights.get(column, 1.0) for column in columns]
    values = _numbers("weights", weights)
    if values.shape != (d,):
        raise InvalidInputError(
            f"{name} weights: expected one for each of the {d} features, shape ({d},), received shape {values.shape}."
        )
    wrong = np.flatnonzero(~(np.isfinite(values) & (values > 0.0)))
    if len(wrong):
        raise InvalidInputError(
            f"{name} weights must be finite and positive, received {values[wrong[0]]} at index {wrong[0]}"
            f"{f' ({len(wrong)} wrong in all)' if len(wrong) > 1 else ''}. "
            "Make a feature cheap with a small weight; forbid changes by a constraint, not by an infinite weight."
        )
    return values


def _per_feature(weights: FloatArray, table: Table | None) -> ResolvedManhattan:
    """Weights of features from those of columns; a category's indicators have half of its price each."""
    if table is None:
        return ResolvedManhattan(weights)
    widths = [column.stop - column.start for column in table.columns]
    return ResolvedManhattan(np.repeat(weights, widths) * np.where(table.group >= 0, 0.5, 1.0))


def _few(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")


def _numbers(name: str, values: Any) -> FloatArray:
    """Copy of ``values`` as float64; the result shares no memory with the user's array."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} must be an array of numbers, received {values!r}: {error}.") from error


def _is_positive_definite(omega: FloatArray) -> bool:
    """Whether a symmetric matrix is positive definite beyond rounding, whatever the units of the features."""
    diagonal = np.diagonal(omega)
    if not (diagonal > 0.0).all():
        return False
    root = np.sqrt(diagonal)
    # With a unit diagonal, rounding is of the order of d eps, however different the features' units are.
    smallest = np.linalg.eigvalsh(omega / root / root[:, None])[0]
    return bool(smallest > 4.0 * len(omega) * np.finfo(np.float64).eps)


def _inverse_covariance(X: FloatArray) -> FloatArray:
    """Inverse covariance of the rows with a ridge (see `Mahalanobis`), array of shape (n_features, n_features)."""
    if len(X) < 2:
        raise InvalidInputError(
            f"Mahalanobis(omega=None) needs at least 2 training rows for a covariance, received {len(X)}. Give omega."
        )
    scales = feature_scales(X)
    # In standardised units the ridge is relative and the inverse well conditioned.
    standard = (X - X.mean(axis=0)) / scales
    correlation = standard.T @ standard / len(X) + _RIDGE * np.eye(X.shape[1])
    inverse = np.linalg.inv(correlation)
    omega: FloatArray = 0.5 * (inverse + inverse.T) / np.outer(scales, scales)
    return omega
