"""Order of several answers of a row: nearest first, with proofs that hold in that order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...answers.explanations import SAME_DISTANCE, Explanations
from ...arrays import BoolArray, FloatArray
from ...reasons import ProofUnfinished


def nearest_first(explanations: Explanations) -> Explanations:
    """Sort the answers of every row by distance, as found where distances are equal; rows keep their order.

    An answer is proven against rows that differ from all answers found before it. If the search for an earlier one
    ended early, a later one may be nearer: what the earlier one excluded may hold a nearer row, so its lower bound
    is a bound for the later one, too.

    Parameters
    ----------
    explanations : Explanations
        Several answers of a row follow each other in the order in which they were found.
    """
    distances, bounds = explanations.distances, explanations.lower_bounds.copy()
    found = explanations.found
    for row in np.unique(explanations.rows):
        places = np.flatnonzero((explanations.rows == row) & found)
        for rank, place in enumerate(places):
            farther = places[:rank][distances[places[:rank]] > distances[place]]
            bounds[place] = min(bounds[place], *explanations.lower_bounds[farther]) if len(farther) else bounds[place]
    lowered = bounds < explanations.lower_bounds
    if lowered.any():
        explanations = _with_bounds(explanations, bounds, lowered)
    order = np.lexsort((np.where(found, distances, np.inf), explanations.rows))
    return explanations if (order == np.arange(len(order))).all() else explanations.take(order)


def _with_bounds(explanations: Explanations, bounds: FloatArray, lowered: BoolArray) -> Explanations:
    distances = explanations.distances
    gaps = np.where(lowered, (distances - bounds) / np.where(distances > 0, distances, 1.0), explanations.gaps)
    is_open = lowered & (gaps > SAME_DISTANCE) & (explanations.statuses == "optimal")
    statuses = np.where(is_open, "feasible", explanations.statuses)
    causes = tuple(
        ProofUnfinished("time") if opened else cause for opened, cause in zip(is_open.tolist(), explanations.causes)
    )
    return replace(explanations, lower_bounds=bounds, gaps=gaps, statuses=statuses, causes=causes)
