"""A first look at all cones of a row: any may have the nearest answer, and each is searched faster if one is known."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ..arrays import FloatArray
from .constants import FAR_BEHIND, FIRST_LOOKS, MODEL_FREE_TOLERANCE
from .domain import Domain
from .found import Found
from .inside import Inside
from .problem import Goal


def look_first(
    found: Found,
    goal: Goal,
    row: FloatArray,
    domain: Domain,
    inside: Sequence[Inside | None],
    order: Sequence[tuple[float, int]],
    cutoff: float,
    margin: float,
    ends: float,
) -> None:
    """Look for good points in all cones that may have the nearest one, if there are several.

    Parameters
    ----------
    found : Found
        Of the row alone; is given the best point.
    goal : Goal
    row : array of shape (n_features,)
    domain : Domain
        Of the row alone.
    inside : sequence of Inside or None
        What is asked in each cone.
    order : sequence of (float, int)
        How near each cone may be, and its place in ``inside``.
    cutoff, margin : float
    ends : float
        By ``time.perf_counter()``.
    """
    if domain.per_change or domain.least_moves is not None:
        return
    for _ in range(FIRST_LOOKS):
        near = [j for bound, j in order if _may_be_nearer(bound, min(cutoff, float(found.value[0])))]
        if len(near) < 2:
            return
        for j in near:
            box, seconds = inside[j], ends - time.perf_counter()
            if box is None or seconds <= 0 or not _may_be_nearer(box.whole.bound, float(found.value[0])):
                continue
            if box.first is not None and box.first.value > FAR_BEHIND * found.value[0]:
                continue
            goal.cover.look_first(
                row, domain.lower[0], domain.upper[0], domain.integer,
                inside=box, cutoff=cutoff, margin=margin, seconds=seconds,
            )  # fmt: skip
            first = box.first
            if first is not None and first.point is not None and first.value < found.value[0]:
                found.value[0], found.points[0], found.part[0], found.cone[0] = first.value, first.point, 0, j


def _may_be_nearer(bound: float, value: float) -> bool:
    return bound < value * (1 - MODEL_FREE_TOLERANCE)
