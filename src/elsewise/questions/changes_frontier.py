"""The nearest answers of one row with at most one, two, ... changes, until more changes bring nothing nearer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..answers.explanations import Explanations, concatenate
from ..answers.frontier import ChangesFrontier
from ..fitted import FittedModel
from ..rules import Constraints
from .explain import explain_rows, one_question
from .frontier import SAME_DISTANCE
from .options import Options
from .targets import with_confidence


def find_changes_frontier(fitted: FittedModel, x: ArrayLike, target: Any, options: Options) -> ChangesFrontier:
    """Answer for one row with ever more changes; see :meth:`elsewise.Explainer.frontier`.

    The nearest answer of all, with m changed columns, is the nearest with at most m changes as well: only smaller
    numbers are searched.
    """
    options = with_confidence(fitted, options)
    given, _, outcome = one_question(fitted, x, target, options)
    options = replace(options, n_counterfactuals=1)
    stated = fitted.constraints_of(options.constraints, outcome) or Constraints()
    nearest = explain_rows(fitted, given, target, options)
    found = nearest[0].found
    most = len(nearest[0].changes) if found else len(fitted.table.columns)
    if not found and nearest[0].status == "infeasible":
        return ChangesFrontier(np.array([most]), nearest)
    parts: list[Explanations] = []
    for count in range(1, most):
        rules = stated & Constraints(max_changes=count)
        part = explain_rows(fitted, given, target, replace(options, constraints=rules))
        if found and _is_as_near(part, nearest):
            nearest, most = part, count
            break
        parts.append(part)
    counts = np.append(np.arange(1, len(parts) + 1), most)
    return ChangesFrontier(counts, concatenate([*parts, nearest]))


def _is_as_near(part: Explanations, nearest: Explanations) -> bool:
    """Whether fewer changes lead to an answer that is no farther away."""
    return part[0].found and part[0].distance <= nearest[0].distance * (1 + SAME_DISTANCE)
