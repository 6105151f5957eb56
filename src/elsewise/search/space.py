"""The spaces of a search: features, what the model sees of them, and coordinates in which the distance is plain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import FloatArray, IntArray
from ..projection.cells import Cells, PackedCones, Polyhedra, pack
from ..projection.distance import Coordinates

if TYPE_CHECKING:
    from .domains.lattice import Lattice


@dataclass(frozen=True, slots=True)
class Space:
    """How features are measured, and how the model sees them.

    Attributes
    ----------
    coordinates : Coordinates
        From features to coordinates in which the distance is plain.
    matrix, offset : arrays of shape (n_out, n_features), (n_out,)
        From features to model space, ``z = matrix x + offset``.
    group : int array of shape (n_features,)
        The category each feature is an indicator of, -1 for none.
    n_seen_by_cones : int
        How many features of model space, the first ones, cones are about; -1 for all.
    cone_map : (matrix, offset) or None
        From features to the space of cones where that is not model space, arrays of shape (n_cones, n_features),
        (n_cones,).
    lattice : Lattice or None
        Features count the steps of their columns, where these have steps; None where no column has.
    ends : {feature: ascending array}
        Values, not counts, after which rules about a column say otherwise: covers that look at columns one by one
        divide them there.
    """

    coordinates: Coordinates
    matrix: FloatArray
    offset: FloatArray
    group: IntArray
    n_seen_by_cones: int = -1
    lattice: Lattice | None = None
    ends: Mapping[int, FloatArray] = field(default_factory=dict)
    cone_map: tuple[FloatArray, FloatArray] | None = None

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.group)

    def is_like(self, other: Space) -> bool:
        """Whether the model sees the same columns, in the same steps, and the distance measures them alike."""
        if self is other:
            return True
        mine, theirs = self.coordinates, other.coordinates
        keys = [None if one.lattice is None else one.lattice.key for one in (self, other)]
        pairs = [
            (mine.stretch, theirs.stretch),
            (self.matrix, other.matrix),
            (self.offset, other.offset),
            (self.group, other.group),
        ]
        return (
            mine.norm == theirs.norm
            and keys[0] == keys[1]
            and self.ends.keys() == other.ends.keys()
            and all(np.array_equal(ends, other.ends[feature]) for feature, ends in self.ends.items())
            and all(np.array_equal(one, two) for one, two in pairs)
        )

    @property
    def has_categories(self) -> bool:
        """Whether some features are indicators."""
        return bool((self.group >= 0).any())

    @property
    def kernel_group(self) -> IntArray | None:
        """Categories as the kernel takes them: None without any."""
        return self.group if self.has_categories else None

    @property
    def cone_dimension(self) -> int:
        """Dimension of the images in which cones are balls."""
        if self.has_categories:
            return int((self.group < 0).sum()) + 1
        if self.cone_map is not None:
            return len(self.cone_map[0])
        return len(self.matrix) if self.n_seen_by_cones < 0 else self.n_seen_by_cones

    def in_model_space(self, points: FloatArray) -> FloatArray:
        """Map features to model space, array of shape (n_samples, n_out)."""
        if self.lattice is not None:  # the model sees decimals, not products of counts and steps
            return self.lattice.values(points) @ (self.matrix / self.lattice.unit).T + self.offset
        return points @ self.matrix.T + self.offset

    def in_steps(self, matrix: FloatArray) -> FloatArray:
        """Write a linear map of the columns' values, of shape (n_out, n_features), as one of these features."""
        return matrix if self.lattice is None else matrix * self.lattice.unit

    def pulled_back(self, normals: FloatArray, offsets: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Write half-spaces ``normals z <= offsets`` of model space as half-spaces of features."""
        return normals @ self.matrix, offsets - normals @ self.offset

    def pack_polyhedra(self, polyhedra: list[tuple[FloatArray, FloatArray]]) -> Cells:
        """Pack polyhedra, given by half-spaces ``(A, b)`` of features, for the kernel; without cones."""
        ends = np.cumsum([0] + [len(b) for _, b in polyhedra]).astype(np.int64)
        return pack(
            self.coordinates,
            Polyhedra(
                normals=np.concatenate([np.empty((0, self.n_features)), *(A for A, _ in polyhedra)]),
                offsets=np.concatenate([np.empty(0), *(b for _, b in polyhedra)]),
                spans=np.column_stack([ends[:-1], ends[1:]]),
            ),
            PackedCones.none(self.cone_dimension, self.n_features),
            self.kernel_group,
        )
