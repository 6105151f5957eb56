"""A cone alone, for tests of what is near it."""

from __future__ import annotations

import numpy as np

from elsewise.projection.cells import Cells, PackedCones, Polyhedra, pack
from elsewise.projection.distance import manhattan_coordinates


def one_cone(factor: np.ndarray, centre: np.ndarray, radius: float) -> Cells:
    """Pack ``||factor (x - centre)|| <= radius``, the distance being the sum of absolute changes."""
    n = len(centre)
    return pack(
        manhattan_coordinates(np.ones(n), np.zeros(n)),
        Polyhedra(np.empty((0, n)), np.empty(0), np.empty((0, 2), dtype=np.int64)),
        PackedCones(factor[None], np.zeros(1, dtype=np.int64), (factor @ centre)[None], np.array([radius])),
    )
