"""The nearest counterfactual of a row of a table as a mixed-integer problem.

For a row ``x0`` of a table in features (numbers, and indicators of which each category column has exactly one at 1)::

    minimise   sum_numeric w_i |e_i - x0_i|  +  sum_categories w_c [level differs from x0's]
    subject to e in one of the polyhedra { e : A e <= b }                                 the model decides so
               ||L' (e_numeric - mu)||^2 <= radius^2 - penalties·e   for one of the cones  dense enough
               N e <= o,   lower <= e <= upper,   e_i whole where integer                  the rules
               indicators reachable,   at most max_changes columns differ

Nothing here is shared with the library's search. ``mixed_reference.py`` solves it with SCIP, ``mixed_enumeration.py``
by brute force, and ``mixed_tables.py`` makes it of a fitted explainer.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

Polyhedron = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, slots=True)
class Cone:
    """The set ``||factor (e[numeric] - centre)||^2 <= squared_radius - penalties·e``.

    Attributes
    ----------
    factor : array of shape (q, p)
        ``L'`` of the component, over the ``p`` numeric features.
    centre : array of shape (p,)
    squared_radius : float
    penalties : array of shape (n,)
        What each indicator takes from the squared radius; zero for numeric features, infinite for impossible levels.
    """

    factor: FloatArray
    centre: FloatArray
    squared_radius: float
    penalties: FloatArray


@dataclass(frozen=True, slots=True)
class MixedProblem:
    """One row, its goal and its rules (see the module docstring), over ``n`` features.

    Attributes
    ----------
    x0 : array of shape (n,)
    weights : array of shape (n,)
        Price of a unit of each numeric feature; of a change, the same on all indicators of a category column.
    group : int array of shape (n,)
        -1 for numeric features, else the number of the category column an indicator belongs to.
    column : int array of shape (n,)
        The user's column of each feature, what ``max_changes`` counts.
    polyhedra : list of (A, b) of shapes (p_i, n) and (p_i,)
    cones : list of Cone, or None for no density
    numeric : int array of shape (p,)
        Features the cones' factors see.
    integer : bool array of shape (n,)
    lower, upper : arrays of shape (n,)
        Limits of numeric features, infinite where open.
    reachable : bool array of shape (n,)
        Indicators that may be 1.
    normals, offsets : arrays of shape (r, n) and (r,)
    max_changes : int or None
    """

    x0: FloatArray
    weights: FloatArray
    group: IntArray
    column: IntArray
    polyhedra: list[Polyhedron]
    cones: list[Cone] | None
    numeric: IntArray
    integer: BoolArray
    lower: FloatArray
    upper: FloatArray
    reachable: BoolArray
    normals: FloatArray
    offsets: FloatArray
    max_changes: int | None = None

    def distance(self, e: FloatArray) -> float:
        """Value of the objective; half the differences of the indicators of a group are its change."""
        price = np.where(self.group < 0, self.weights, 0.5 * self.weights)
        return float(price @ np.abs(e - self.x0))

    def violation(self, e: FloatArray) -> float:
        """Largest violation of a constraint at ``e``, in units of what a feature's change costs; at most 0 if kept."""
        numeric = self.group < 0
        whole = np.where(self.integer | ~numeric, np.abs(e - np.round(e)), 0.0)
        indicators = np.where(numeric | self.reachable, 0.0, np.abs(e))
        sums = [abs(e[self.group == c].sum() - 1.0) for c in np.unique(self.group[~numeric])]
        limits = np.where(numeric, self.weights * np.maximum(self.lower - e, e - self.upper), -np.inf)
        rows = _excess(self.normals, self.offsets, e, self.weights)
        inside = min((_excess(A, b, e, self.weights) for A, b in self.polyhedra), default=np.inf)
        dense = 0.0 if self.cones is None else min((self.outside(cone, e) for cone in self.cones), default=np.inf)
        moved = np.unique(self.column[np.abs(e - self.x0) > 1e-9 * (1.0 + np.abs(self.x0))])
        many = 0.0 if self.max_changes is None else max(0.0, len(moved) - self.max_changes)
        return float(
            max(whole.max(), indicators.max(), limits.max(), rows, inside, dense, many, max(sums, default=0.0))
        )

    def outside(self, cone: Cone, e: FloatArray) -> float:
        """How far ``e`` is outside of a cone, relative to the squared radius; at most 0 inside."""
        image = cone.factor @ (e[self.numeric] - cone.centre)
        taken = cone.penalties[(e > 0.5) & (self.group >= 0)].sum()
        return float((image @ image + taken - cone.squared_radius) / max(cone.squared_radius, 1.0))


@dataclass(frozen=True, slots=True)
class MixedAnswer:
    """What a solver found.

    Attributes
    ----------
    status : "optimal", "infeasible" or the solver's own word for why it stopped
    value : float
        Infinite when infeasible.
    point : array of shape (n,) or None
    bound : float
        Proven lower bound.
    cell : (polyhedron, cone) or None
        Where the point lies; the cone is -1 without cones.
    seconds : float
        Time in the solver alone, without building its models.
    n_solved : int
        Cells that were solved; the others were pruned by their bounds.
    """

    status: str
    value: float
    point: FloatArray | None
    bound: float
    cell: tuple[int, int] | None = None
    seconds: float = field(default=0.0, compare=False)
    n_solved: int = field(default=0, compare=False)


def _excess(A: FloatArray, b: FloatArray, e: FloatArray, weights: FloatArray) -> float:
    """Largest ``A e - b``, each row divided by the change of it that a unit of distance buys."""
    if len(b) == 0:
        return 0.0
    size = np.maximum(np.abs(A / weights).max(axis=1), 1e-12)
    return float(((A @ e - b) / size).max())


def groups(problem: MixedProblem) -> list[tuple[int, IntArray]]:
    """Category columns with the positions of their indicators."""
    return [(int(c), np.flatnonzero(problem.group == c)) for c in np.unique(problem.group) if c >= 0]
