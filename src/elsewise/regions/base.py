"""Regions: where a model decides for a wanted outcome, as a union of polyhedra, and the registry of model families.

A region is given in *model space*, the space the final estimator sees, by rows that may be shared::

    R_i = { z : (N_r - s_i)·z <= o_r - c_i   for the rows r of polyhedron i },        region = R_1 ∪ ... ∪ R_k

``N`` are the normals, ``o`` the offsets, ``s_i`` and ``c_i`` the shift of polyhedron ``i`` (zero for most families).
The shift lets prototype models, whose i-th cell compares prototype ``i`` with all others, share one table of rows. A
region is closed: it is the closure of the set where the model decides for the outcome. Ties on its boundary are the
business of the verification, which asks the model itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import InvalidInputError, UnsupportedModelError


@dataclass(frozen=True, slots=True)
class Label:
    """A wanted class: its position in ``model.classes_``, and optionally the least probability it must have."""

    index: int
    min_probability: float | None = None


@dataclass(frozen=True, slots=True)
class Interval:
    """A wanted range of a regressor's prediction, ``low <= predict(x) <= high``; an open end is infinite."""

    low: float
    high: float


Outcome = Label | Interval


@dataclass(frozen=True, slots=True)
class Region:
    """A union of ``k`` polyhedra over a shared table of ``P`` rows (see the module docstring).

    Attributes
    ----------
    normals : array of shape (P, n_features)
    offsets : array of shape (P,)
    rows : int array of shape (k, 2)
        Polyhedron ``i`` uses the rows ``rows[i, 0]:rows[i, 1]``.
    shifts : array of shape (k, n_features)
    shift_offsets : array of shape (k,)
    """

    normals: FloatArray
    offsets: FloatArray
    rows: IntArray
    shifts: FloatArray
    shift_offsets: FloatArray

    @property
    def n_polyhedra(self) -> int:
        """Number of polyhedra in the union; 0 means the model never decides for the outcome."""
        return len(self.rows)

    @property
    def n_parts(self) -> int:
        """Number of polyhedra, as the search calls them."""
        return len(self.rows)

    def polyhedron(self, i: int) -> tuple[FloatArray, FloatArray]:
        """Rows ``(A, b)`` of polyhedron ``i`` written out: ``{ z : A z <= b }``."""
        start, stop = self.rows[i]
        return self.normals[start:stop] - self.shifts[i], self.offsets[start:stop] - self.shift_offsets[i]

    def slacks(self, Z: FloatArray) -> FloatArray:
        """Smallest slack ``b - A z`` of every point in every polyhedron, array of shape (n_samples, k).

        A point lies in polyhedron ``i`` when its slack there is not negative. Polyhedra without rows give infinity.
        """
        values = self.offsets - Z @ self.normals.T
        shift = self.shift_offsets - Z @ self.shifts.T
        worst = np.full((len(Z), self.n_polyhedra), np.inf)
        spans, owner = np.unique(self.rows, axis=0, return_inverse=True)
        for span, (start, stop) in enumerate(spans):
            if stop > start:
                mine = owner.ravel() == span
                worst[:, mine] = values[:, start:stop].min(axis=1)[:, None] - shift[:, mine]
        return worst

    def contains(self, Z: FloatArray) -> BoolArray:
        """Whether each point lies in the region (boundary included), array of shape (n_samples,)."""
        return np.asarray((self.slacks(Z) >= 0).any(axis=1))


def polyhedron(A: Any, b: Any) -> Region:
    """Make the region ``{ z : A z <= b }``."""
    A = np.atleast_2d(np.asarray(A, dtype=np.float64))
    return union([(A, np.asarray(b, dtype=np.float64).reshape(len(A)))], n_features=A.shape[1])


def union(polyhedra: list[tuple[FloatArray, FloatArray]], *, n_features: int) -> Region:
    """Make the union of polyhedra ``{ z : A z <= b }`` given as pairs ``(A, b)``; an empty list is never satisfied."""
    ends = np.cumsum([0] + [len(b) for _, b in polyhedra]).astype(np.int64)
    return Region(
        normals=np.vstack([np.empty((0, n_features)), *(A for A, _ in polyhedra)]),
        offsets=np.concatenate([np.empty(0), *(b for _, b in polyhedra)]),
        rows=np.column_stack([ends[:-1], ends[1:]]),
        shifts=np.zeros((len(polyhedra), n_features)),
        shift_offsets=np.zeros(len(polyhedra)),
    )


Builder = Callable[[Any, Outcome], Region]
_builders: dict[type, Builder] = {}


def register(*types: type) -> Callable[[Builder], Builder]:
    """Register a function ``build(model, outcome) -> Region`` for the given model types and their subclasses.

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise import regions
    >>> class Stump:
    ...     classes_ = np.array(["low", "high"])
    ...     n_features_in_ = 1
    ...     def predict(self, X):
    ...         return self.classes_[(np.asarray(X)[:, 0] > 3).astype(int)]
    >>> @regions.register(Stump)
    ... def stump_region(model, outcome):
    ...     sign = -1.0 if outcome.index == 1 else 1.0
    ...     return regions.polyhedron([[sign]], [3.0 * sign])
    >>> regions.region_of(Stump(), regions.Label(1)).contains(np.array([[2.0], [4.0]]))
    array([False,  True])
    """

    def add(build: Builder) -> Builder:
        for kind in types:
            _builders[kind] = build
        return build

    return add


def builder_of(model: Any) -> Builder:
    """Find the builder of a model through its type's method resolution order."""
    for kind in type(model).__mro__:
        if kind in _builders:
            return _builders[kind]
    raise UnsupportedModelError(
        f"{type(model).__name__} is not a model family elsewise can describe exactly. Supported are: "
        f"{', '.join(sorted(kind.__name__ for kind in _builders))}; or a Pipeline that ends in one of them. "
        "Register your own with elsewise.regions.register."
    )


def region_of(model: Any, outcome: Outcome) -> Region:
    """Region of model space where ``model`` decides for ``outcome``."""
    return builder_of(model)(model, outcome)


def require_label(model: Any, outcome: Outcome) -> Label:
    """Return the outcome as a label, or explain that this model is a classifier."""
    if not isinstance(outcome, Label):
        raise InvalidInputError(
            f"{type(model).__name__} is a classifier: expected one of its labels as target, received the range "
            f"({outcome.low}, {outcome.high})."
        )
    return outcome


def require_interval(model: Any, outcome: Outcome) -> Interval:
    """Return the outcome as an interval, or explain that this model is a regressor."""
    if not isinstance(outcome, Interval):
        raise InvalidInputError(
            f"{type(model).__name__} is a regressor: expected target=(low, high), with None for an open end."
        )
    return outcome
