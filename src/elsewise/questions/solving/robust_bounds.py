"""Answers that last, where some that do may have been overlooked: what is proven of all answers is proven of these."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...answers.constants import OPTIMAL_GAP
from ...answers.explanations import Explanations
from ...reasons import NoneThatLasts, ProofUnfinished, Target


def with_bounds_of(answers: Explanations, plain: Explanations) -> Explanations:
    """Put the bounds of plain answers, one a row, in place of those of answers that last.

    A search that keeps away from boundaries overlooks what lasts but is not known to; the bounds of the search that
    does not hold for everything.
    """
    place = np.searchsorted(plain.rows, answers.rows)
    found, bounds = answers.found, plain.lower_bounds[place]
    bounds = np.where(found, np.minimum(bounds, answers.distances), bounds)
    gaps = np.full(len(answers), np.nan)
    gaps[found] = (answers.distances - bounds)[found] / np.where(
        answers.distances[found] > 0, answers.distances[found], 1
    )
    is_empty = ~found & np.isposinf(bounds)
    statuses = np.where(
        found, np.where(gaps <= OPTIMAL_GAP, "optimal", "feasible"), np.where(is_empty, "infeasible", "unknown")
    )
    statuses = np.where(answers.statuses == "densest", "densest", statuses)
    causes = list(answers.causes)
    for row in np.flatnonzero(statuses != answers.statuses).tolist():
        if found[row]:
            causes[row] = None if statuses[row] == "optimal" else ProofUnfinished("lasting")
        else:
            target = Target(answers.targets[row])
            causes[row] = plain.causes[place[row]] if is_empty[row] else NoneThatLasts(target, float(bounds[row]))
    return replace(
        answers,
        lower_bounds=bounds,
        gaps=gaps,
        statuses=statuses,
        causes=tuple(causes),
        model_free=answers.model_free & (statuses == "optimal"),
    )
