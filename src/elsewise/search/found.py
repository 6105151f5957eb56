"""What a search finds."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Found:
    """Best point of each row and what is proven about it; arrays over rows.

    Attributes
    ----------
    value : array of shape (n_samples,)
        Distance of the best point, infinite if there is none nearer than the cutoff.
    lower_bound : array of shape (n_samples,)
        No point of the goal is nearer; infinite if all cells are proven empty.
    points : array of shape (n_samples, n_features)
        Best points; NaN where there is none.
    part, cone : int arrays of shape (n_samples,)
        Part of the goal's region, and cone of its density, that hold the best point; -1 where there is none.
    model_free : bool array of shape (n_samples,)
        The best point is proven to be the nearest in the cones, whatever the model says. With whole numbers, categories
        or rules, the relaxation without the model proves it, or nothing does: it may hold where it is not set.
    n_projections : int array of shape (n_samples,)
    timed_out : bool array of shape (n_samples,)
        The time limit, or the number of nodes, ended the proof.
    seconds : array of shape (n_samples,)
        What each row took; what is done for several rows at once is shared among them.
    """

    value: FloatArray
    lower_bound: FloatArray
    points: FloatArray
    part: IntArray
    cone: IntArray
    model_free: BoolArray
    n_projections: IntArray
    timed_out: BoolArray
    seconds: FloatArray

    @classmethod
    def nothing(cls, X: FloatArray) -> Found:
        """Begin for rows of shape (n_samples, n_features): no points, and nothing proven."""
        n = len(X)
        return cls(
            value=np.full(n, np.inf),
            lower_bound=np.zeros(n),
            points=np.full_like(X, np.nan),
            part=np.full(n, -1),
            cone=np.full(n, -1),
            model_free=np.zeros(n, dtype=np.bool_),
            n_projections=np.zeros(n, dtype=np.int64),
            timed_out=np.zeros(n, dtype=np.bool_),
            seconds=np.zeros(n),
        )

    def repeated(self, kind: IntArray) -> Found:
        """Give what was found for rows of these kinds, of shape (n,); times are those of the kinds."""
        return Found(**{item.name: getattr(self, item.name)[kind] for item in fields(Found)})

    def put(self, rows: BoolArray, other: Found) -> None:
        """Take over what was found for some of the rows, a mask of shape (n_samples,); times and projections add up."""
        self.n_projections[rows] += other.n_projections
        self.seconds[rows] += other.seconds
        for name in ("value", "lower_bound", "points", "part", "cone", "model_free", "timed_out"):
            getattr(self, name)[rows] = getattr(other, name)
