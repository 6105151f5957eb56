"""Pieces of a region of sums: intervals of units, and what is known to hold there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import FloatArray
from ....projection.warm_starts import Trail
from .units import Intervals, Sums


@dataclass(frozen=True, slots=True)
class Side:
    """A side of a unit's interval that a piece was divided at: ``sign (t - at) >= 0``."""

    layer: int
    unit: int
    sign: float
    at: float


@dataclass(frozen=True, slots=True, eq=False)
class SumPart:
    """A piece: intervals of units, and what is known to hold in it.

    Attributes
    ----------
    intervals : Intervals
    sides : tuple of Side
        Where it was divided from others.
    normals, offsets : arrays of shape (n_cuts, n), (n_cuts,)
        Cuts ``normals x <= offsets``, in plain coordinates.
    depth : int
        How often it was divided; negative if nothing is known yet.
    is_doubtful : bool
        No point was found in it, but it is not proven that there is none.
    trail : int array of shape (2 + 2 n,), or None
        Where the projection onto what it was divided from ended, in its own numbers of half-spaces.
    near : array of shape (n,), or None
        The projection onto what its box was branched from, in plain coordinates; None if boxes were not branched.
    """

    intervals: Intervals
    sides: tuple[Side, ...]
    normals: FloatArray
    offsets: FloatArray
    depth: int
    is_doubtful: bool = False
    trail: Trail | None = None
    near: FloatArray | None = None

    @classmethod
    def whole(cls, sums: Sums) -> SumPart:
        """Everything."""
        return cls(Intervals.endless(sums), (), np.empty((0, sums.n_features)), np.empty(0), -1)
