r"""The expert's door to the projector: points onto one convex set, with certificates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import FloatArray
from ..errors import InvalidInputError
from .cells import CUTOFF, INFEASIBLE, OPTIMAL, Batch, Details, PackedCones, Polyhedra, pack
from .certificate import ConvexSet, convex_set
from .distance import Distance, ResolvedDistance, ResolvedManhattan, mahalanobis_coordinates, manhattan_coordinates

_STATUS = {OPTIMAL: "optimal", INFEASIBLE: "infeasible", CUTOFF: "cutoff"}


@dataclass(frozen=True, slots=True)
class Projection:
    """Projections of a batch of points onto one convex set; the leading axis is the batch.

    Attributes
    ----------
    x : array of shape (n_samples, n_features)
        The projections; NaN unless the status is ``"optimal"`` or ``"stalled"``.
    distance : array of shape (n_samples,)
        Value of the distance at ``x``; infinite where there is no point.
    lower_bound : array of shape (n_samples,)
        Proven lower bound of the optimum, from the multipliers alone.
    status : array of str of shape (n_samples,)
        ``"optimal"``; ``"infeasible"``, proven by the multipliers; ``"cutoff"``, the optimum is proven to be at least
        ``cutoff``; ``"stalled"``, numerical progress ended early and the gap says how far.
    iterations : int array of shape (n_samples,)
    row_multipliers : array of shape (n_samples, n_halfspaces), >= 0
        For ``A x <= b``, one for each row of ``A``.
    bound_multipliers : array of shape (n_samples, n_features)
        For the bounds: positive for ``upper``, negative for ``lower``.
    cone_multipliers : array of shape (n_samples, q + 1)
        ``(y0, y1)`` with ``||y1|| <= y0``, for the cone.
    """

    x: FloatArray
    distance: FloatArray
    lower_bound: FloatArray
    status: NDArray[np.str_]
    iterations: NDArray[np.int32]
    row_multipliers: FloatArray
    bound_multipliers: FloatArray
    cone_multipliers: FloatArray

    @property
    def gap(self) -> FloatArray:
        """Relative gap ``(distance - lower_bound) / distance``, zero where the distance is zero."""
        with np.errstate(invalid="ignore"):
            gap = (self.distance - self.lower_bound) / np.where(self.distance > 0, self.distance, 1.0)
        return np.where(np.isfinite(self.distance), np.maximum(gap, 0.0), np.inf)


def project(
    X: ArrayLike,
    *,
    distance: Distance | None = None,
    A: ArrayLike | None = None,
    b: ArrayLike | None = None,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    F: ArrayLike | None = None,
    g: ArrayLike | None = None,
    h0: float = 0.0,
    h1: ArrayLike | None = None,
    cutoff: float | None = None,
    margin: float = 0.0,
) -> Projection:
    r"""Project points onto one convex set.

    For each row :math:`x_0` of ``X`` solve

    .. math:: \min_x \theta(x, x_0) \quad\text{s.t.}\quad A x \le b,\quad l \le x \le u,\quad
              \lVert F x - g\rVert \le h_0 + h_1^\top x

    where :math:`\theta` is the weighted Manhattan distance (Eq. weighted_l1) or the Mahalanobis form (Eq. general_l2).

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    distance : elsewise.distances.Manhattan or Mahalanobis, optional
        All weights are 1 without one. A ``Mahalanobis`` here needs its ``omega``.
    A, b : arrays of shape (n_halfspaces, n_features), (n_halfspaces,)
    lower, upper : arrays of shape (n_features,)
        Infinite where there is no bound.
    F, g, h0, h1 : arrays of shape (q, n_features), (q,), float, (n_features,)
        The second-order cone; left out without ``F``.
    cutoff : float, optional
        Stop as soon as the optimum is proven to be at least this.
    margin : float, default=0.0
        Relative distance to keep from half-spaces and cone; ``lower_bound`` does not count it.

    Returns
    -------
    Projection

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise.projection import project
    >>> answer = project(np.zeros((1, 2)), A=[[-1.0, -2.0]], b=[-4.0])
    >>> answer.x.round(6), answer.distance.round(6)
    (array([[0., 2.]]), array([2.]))
    """
    X = _matrix("X", X)
    if X.shape[1] == 0:
        raise InvalidInputError(f"X: expected at least one feature, received shape {X.shape}.")
    if getattr(distance, "omega", distance) is None and distance is not None:
        raise InvalidInputError(
            "project needs Mahalanobis(omega=...): without training rows there is no default omega."
        )
    n = X.shape[1]
    normals, offsets = _halfspaces(A, b, n)
    low, high = _checked_limits(lower, upper, n)
    factor, centre, tilt = _checked_cone(F, g, h0, h1, n)
    target = convex_set(n, A=normals, b=offsets, lower=low, upper=high, F=factor, g=centre, h0=h0, h1=tilt)
    if not (np.isfinite(margin) and margin >= 0.0):
        raise InvalidInputError(f"margin must be finite and not negative, received {margin!r}.")
    if cutoff is not None and np.isnan(cutoff):
        raise InvalidInputError("cutoff must be a number or None, received NaN.")
    resolved = ResolvedManhattan(np.ones(X.shape[1])) if distance is None else distance.resolve(X)
    if isinstance(resolved, ResolvedManhattan) and resolved.per_change > 0:
        raise InvalidInputError("A price per change is not convex: projections take a distance without per_change.")
    return _project(X, target, resolved, np.inf if cutoff is None else float(cutoff), float(margin))


def _project(
    X: FloatArray,
    target: ConvexSet,
    distance: ResolvedDistance,
    cutoff: float,
    margin: float,
) -> Projection:
    """Project clean rows onto a clean set."""
    count, n = X.shape
    normals, offsets = target.A, target.b
    has_low, has_high = np.isfinite(target.lower), np.isfinite(target.upper)
    origin = np.zeros(n)  # not a row or a mean: a row's answer must not depend on the others
    limits = None
    if isinstance(distance, ResolvedManhattan):
        coordinates = manhattan_coordinates(distance.weights, origin)
        if has_low.any() or has_high.any():
            limits = (target.lower - X) * distance.weights, (target.upper - X) * distance.weights
    else:  # bounds are not bounds in rotated coordinates, but half-spaces
        coordinates = mahalanobis_coordinates(distance.omega, origin)
        normals = np.vstack([normals, np.eye(n)[has_high], -np.eye(n)[has_low]])
        offsets = np.concatenate([offsets, target.upper[has_high], -target.lower[has_low]])
    n_cones = int(target.has_cone)
    batch = pack(
        coordinates,
        Polyhedra(normals, offsets, np.array([[0, len(offsets)]])),
        PackedCones(
            factors=target.F[None][:n_cones],
            shape=np.zeros(n_cones, dtype=np.int64),
            centres=target.g[None][:n_cones],
            radii=np.full(n_cones, target.h0),
            tilts=target.h1[None] if n_cones and target.h1.any() else None,
        ),
    ).project(
        coordinates.points(X),
        np.arange(count),
        np.tile(np.array([[0, -1]]), (count, 1)),
        np.full(count, n_cones - 1),
        cutoff=np.full(count, cutoff),
        margin=np.full(count, margin),
        limits=limits,
        details=Details(multipliers=True),
    )
    halfspace_multipliers, bound_multipliers = _in_user_features(batch, distance, len(target.b), has_low, has_high)
    found = np.isfinite(batch.value)
    x = np.where(found[:, None], np.clip(X + coordinates.differences(batch.v), target.lower, target.upper), np.nan)
    return Projection(
        x=x,
        distance=np.where(found, distance(np.where(found[:, None], x, X), X), np.inf),
        lower_bound=batch.bound,
        status=np.array([_STATUS.get(int(code), "stalled") for code in batch.status]),
        iterations=batch.iterations,
        row_multipliers=halfspace_multipliers,
        bound_multipliers=bound_multipliers,
        cone_multipliers=np.zeros((count, 1)) if batch.cone_multipliers is None else batch.cone_multipliers,
    )


def _in_user_features(
    batch: Batch,
    distance: ResolvedDistance,
    n_halfspaces: int,
    has_low: NDArray[np.bool_],
    has_high: NDArray[np.bool_],
) -> tuple[FloatArray, FloatArray]:
    """Multipliers of half-spaces and of bounds, from those of the plain coordinates."""
    assert batch.halfspace_multipliers is not None
    assert batch.bound_multipliers is not None
    if isinstance(distance, ResolvedManhattan):
        return batch.halfspace_multipliers, batch.bound_multipliers * distance.weights
    bounds = np.zeros((len(batch.value), len(has_low)))
    n_high = n_halfspaces + int(has_high.sum())
    bounds[:, has_high] += batch.halfspace_multipliers[:, n_halfspaces:n_high]
    bounds[:, has_low] -= batch.halfspace_multipliers[:, n_high:]
    return batch.halfspace_multipliers[:, :n_halfspaces], bounds


def _checked_limits(lower: ArrayLike | None, upper: ArrayLike | None, n: int) -> tuple[FloatArray, FloatArray]:
    """Check bounds of features one by one."""
    low = _vector("lower", lower, n, -np.inf)
    high = _vector("upper", upper, n, np.inf)
    if np.any(low == np.inf) or np.any(high == -np.inf):
        raise InvalidInputError(
            "A lower bound of inf or an upper bound of -inf leaves no value: use -inf and inf for none."
        )
    if np.any(low > high):
        feature = int(np.flatnonzero(low > high)[0])
        raise InvalidInputError(
            f"The bounds of feature {feature} contradict each other: lower {low[feature]} > upper {high[feature]}."
        )
    return low, high


def _checked_cone(
    F: ArrayLike | None, g: ArrayLike | None, h0: float, h1: ArrayLike | None, n: int
) -> tuple[FloatArray | None, FloatArray | None, FloatArray | None]:
    """Check a second-order cone."""
    if not np.isfinite(h0):
        raise InvalidInputError(f"h0 must be finite, received {h0!r}.")
    factor = None if F is None else _matrix("F", F, n)
    centre = None if factor is None else _finite_vector("g", g, len(factor))
    return factor, centre, None if h1 is None or F is None else _finite_vector("h1", h1, n)


def _matrix(name: str, value: ArrayLike, n_features: int | None = None) -> FloatArray:
    matrix = np.array(value, dtype=np.float64, ndmin=2)
    if matrix.ndim != 2 or (n_features is not None and matrix.shape[1] != n_features):
        expected = "2 dimensions" if n_features is None else f"shape (n, {n_features})"
        raise InvalidInputError(f"{name}: expected an array with {expected}, received shape {matrix.shape}.")
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        raise InvalidInputError(f"{name} must be finite, received {matrix[row, column]} at ({row}, {column}).")
    return matrix


def _vector(name: str, value: ArrayLike | None, length: int, default: float) -> FloatArray:
    if value is None:
        return np.full(length, default)
    vector = np.array(value, dtype=np.float64)
    if vector.shape != (length,) or np.isnan(vector).any():
        raise InvalidInputError(f"{name}: expected {length} numbers without NaN, received shape {vector.shape}.")
    return vector


def _finite_vector(name: str, value: ArrayLike | None, length: int) -> FloatArray:
    vector = _vector(name, value, length, 0.0)
    if not np.isfinite(vector).all():
        index = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise InvalidInputError(f"{name} must be finite, received {vector[index]} at index {index}.")
    return vector


def _halfspaces(A: ArrayLike | None, b: ArrayLike | None, n_features: int) -> tuple[FloatArray, FloatArray]:
    if (A is None) != (b is None):
        raise InvalidInputError("A and b go together: expected both or neither.")
    if A is None:
        return np.empty((0, n_features)), np.empty(0)
    normals = _matrix("A", A, n_features)
    offsets = _vector("b", b, len(normals), 0.0)
    if not np.isfinite(offsets).all():
        raise InvalidInputError("b must be finite: leave a row out instead of giving it an infinite right-hand side.")
    return normals, offsets
