"""Searches that go deeper step by step: with a poor first point, what is near is settled before what is far.

A search that knows only a far point has to keep everything nearer than that. Asked for points nearer than a little more
than its own bound, it either finds one or proves that there is none, and most cells and leaves are out of reach then.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....arrays import FloatArray, IntArray
from ...constants import GRACE
from .ruled_cells import CellRules

# Boxes whose bound is within this relative distance of the incumbent cannot improve it noticeably.
TOLERANCE = 1e-9
# Boxes of one search: counted work ends it earlier, unless a proof is wanted at any price.
MOST_BOXES = 2**62

# Boxes after which a search stops whose point is far from its bound: more than twice as far. It goes on within a limit
# that is as many times its bound.
FAR_AFTER, FAR = 4_000, 2.0


@dataclass(slots=True)
class CellsFound:
    """What searches of one row found.

    Attributes
    ----------
    cells : int32 array of shape (n_vars,), or None
    value, lower_bound : float
    stopped : bool
    n_boxes : int
    work : float
        In units of the usual amount.
    """

    cells: IntArray | None = None
    value: float = np.inf
    lower_bound: float = 0.0
    stopped: bool = True
    n_boxes: int = 0
    work: float = 0.0


def search_cells(
    forest: Any,
    cost: FloatArray,
    bound: FloatArray,
    cutoff: float,
    margin: float,
    seconds: float,
    rules: CellRules | None = None,
    work: float = np.inf,
) -> CellsFound:
    """Search the nearest accepted point below a cutoff.

    Parameters
    ----------
    forest : Forest
    cost, bound : arrays of shape (n_cells,)
    cutoff, margin, seconds : float
        As for the forest's own search.
    rules : CellRules, optional
        What never comes together.
    work : float
        Counted work that it may take, in units of the usual amount.
    """
    found, ends = CellsFound(), time.perf_counter() + seconds

    def search(limit: float, far_after: int) -> None:
        left = ends - time.perf_counter()
        grace = GRACE if found.cells is None else 0.0
        cells, value, lower, found.stopped, n_boxes, used = forest.search(
            cost, bound, limit, margin, left, MOST_BOXES - found.n_boxes, TOLERANCE,
            grace=grace, far_after=far_after, rules=rules, work=work - found.work,
        )  # fmt: skip
        if cells is not None and value < found.value:
            found.cells, found.value = cells, value
        found.n_boxes, found.work = found.n_boxes + n_boxes, found.work + used
        found.lower_bound = max(found.lower_bound, lower)

    search(cutoff, FAR_AFTER)
    while found.stopped and found.n_boxes < MOST_BOXES and found.work < work and time.perf_counter() < ends:
        farthest, before = min(cutoff, found.value), found.value
        limit = min(FAR * found.lower_bound, farthest) if found.lower_bound > 0.0 else farthest
        search(limit, -1)
        # nothing is so near: what is farther is left
        found.stopped |= found.value == before and limit < farthest
    return found
