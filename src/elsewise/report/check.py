"""What the answers promise, checked again while the report is written: by the model, the density and the rules alone.

Nothing is taken from the search. Counterfactuals are read as they stand in the answers, the model's own ``predict`` is
asked, the density is evaluated, distances are added up, every rule is compared directly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..columns.frames import rows_of
from ..constraints import Constraints
from ..explainer import Explainer
from ..results import Explanations

# Distances are sums of products, written to files and read again.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Checked:
    """One promise, and the answers that it holds for.

    Attributes
    ----------
    promise : str
        In plain words, as the end of "checked again: ...".
    n_checked : int
    failed : tuple of int
        Places, among the answers, of those it does not hold for.
    """

    promise: str
    n_checked: int
    failed: tuple[int, ...]


def check_again(
    explainer: Explainer, explanations: Explanations, constraints: Constraints | None
) -> tuple[Checked, ...]:
    """Check every answer that was found.

    Parameters
    ----------
    explainer : fitted Explainer
    explanations : Explanations
    constraints : Constraints or None
        The rules that were asked for.
    """
    found = np.flatnonzero(explanations.statuses != "infeasible")
    if len(found) == 0:
        return ()
    mine = explanations.take(found)
    before, after = mine.table.encode(mine.x), mine.table.encode(mine.counterfactuals)
    checks = [
        ("the model's own prediction is the wanted outcome", _is_valid(explainer, mine, before, after)),
        ("the distance, added up anew, is the one that is told", _is_as_far(explainer, mine, before, after)),
        ("columns that are not told to change are as they were", _is_told(mine, before, after)),
    ]
    if np.isfinite(mine.log_thresholds).any():
        checks.append(("the density, evaluated anew, reaches the threshold", _is_dense(explainer, mine)))
    if constraints is not None:
        checks.append(("every rule is kept", _keeps_rules(explainer, mine, constraints, before, after)))
    return tuple(Checked(told, len(found), tuple(found[~held].tolist())) for told, held in checks)


def _is_valid(explainer: Explainer, mine: Explanations, before: FloatArray, after: FloatArray) -> BoolArray:
    said = explainer.fitted_.predict(after, mine.x, before, table=mine.table).tolist()
    held = [
        bool(target[0] <= outcome <= target[1]) if isinstance(target, tuple) else bool(outcome == target)
        for outcome, target in zip(said, mine.targets)
    ]
    return np.array(held, dtype=np.bool_)


def _is_as_far(explainer: Explainer, mine: Explanations, before: FloatArray, after: FloatArray) -> BoolArray:
    distances = explainer.distance_(after, before)
    return np.asarray(np.abs(distances - mine.distances) <= _ROUNDING * (1.0 + np.abs(mine.distances)))


def _is_told(mine: Explanations, before: FloatArray, after: FloatArray) -> BoolArray:
    return np.asarray((mine.table.changed(before, after) == mine.changed).all(axis=1))


def _is_dense(explainer: Explainer, mine: Explanations) -> BoolArray:
    held = np.ones(len(mine), dtype=np.bool_)
    for label in dict.fromkeys(_key(target) for target in mine.targets):
        at = np.array([place for place, target in enumerate(mine.targets) if _key(target) == label], dtype=np.int64)
        if label not in explainer.densities_:
            held[at] = ~np.isfinite(mine.log_thresholds[at])
            continue
        log_density = explainer.log_density(rows_of(mine.counterfactuals, at), label)
        slack = _ROUNDING * (1.0 + np.abs(log_density))
        held[at] = log_density + slack >= mine.log_thresholds[at]
    return held


def _key(target: Any) -> Any:
    return None if isinstance(target, tuple) else target


def _keeps_rules(
    explainer: Explainer, mine: Explanations, constraints: Constraints, before: FloatArray, after: FloatArray
) -> BoolArray:
    rules = explainer.fitted_.rules(constraints)
    held = np.ones(len(mine), dtype=np.bool_)
    held[[row for row, _ in rules.broken(before, after)]] = False
    return held
