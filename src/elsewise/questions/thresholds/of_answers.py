"""What could not change in rows that were answered, found again from rows and rules alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import BoolArray, FloatArray, UserTarget
from ...fitted import FittedModel
from ...rules import Constraints
from ..options import Options
from ..solving.question import pose
from ..targets import outcomes_of_rows
from .fixed_columns import FixedPart, may_hold_columns


def fixed_parts_of_answers(
    fitted: FittedModel,
    constraints: Constraints | None,
    rows: FloatArray,
    targets: Sequence[UserTarget],
    missing: BoolArray,
) -> list[FixedPart | None]:
    """Find what cannot change in each row on its way to its own target; None where it is nothing, or does not matter.

    Parameters
    ----------
    fitted : FittedModel
    constraints : Constraints or None
        The rules that were asked for.
    rows : array of shape (n_samples, n_features)
    targets : sequence of labels or (low, high), one a row
    missing : bool array of shape (n_samples, n_features)
        Features that are missing in rows.
    """
    parts: list[FixedPart | None] = [None] * len(rows)
    for alike, own in fitted.by_missing(missing):
        found = _parts_of_alike(own, constraints, rows[alike], [targets[place] for place in alike.tolist()])
        for place, part in zip(alike.tolist(), found, strict=True):
            parts[place] = part
    return parts


def _parts_of_alike(
    fitted: FittedModel, constraints: Constraints | None, rows: FloatArray, targets: Sequence[UserTarget]
) -> list[FixedPart | None]:
    """Find what cannot change in rows in which the same features are missing."""
    parts: list[FixedPart | None] = [None] * len(rows)
    options = Options(constraints=constraints)
    for target in dict.fromkeys(targets):
        places = np.array([place for place, other in enumerate(targets) if other == target], dtype=np.int64)
        outcomes = outcomes_of_rows(target, 1, fitted.classes, None).outcomes
        rules = fitted.rules(constraints, outcomes[0])
        rules = rules if fitted.missing is None else rules.where_missing(fitted.missing)
        if not may_hold_columns(fitted, rules):
            continue
        question = pose(fitted, outcomes, rules, options=options, own_thresholds=True)
        found = question.fixed_parts(rows[places], question.domain(rows[places]))[0]
        for place, part in zip(places.tolist(), found, strict=True):
            parts[place] = part
    return parts
