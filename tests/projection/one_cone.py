"""A cone alone, for tests of what is near it."""

from __future__ import annotations

import numpy as np

from elsewise.projection.cells import Cells, pack
from elsewise.projection.distance import manhattan_coordinates


def one_cone(factor: np.ndarray, centre: np.ndarray, radius: float) -> Cells:
    """Pack ``||factor (x - centre)|| <= radius``, the distance being the sum of absolute changes."""
    n = len(centre)
    return pack(
        manhattan_coordinates(np.ones(n), np.zeros(n)),
        normals=np.empty((0, n)),
        offsets=np.empty(0),
        spans=np.empty((0, 2), dtype=np.int64),
        shifts=np.empty((0, n)),
        shift_offsets=np.empty(0),
        factors=factor[None],
        shape=np.zeros(1, dtype=np.int64),
        centres=(factor @ centre)[None],
        radii=np.array([radius]),
    )
