"""What the answers promise, checked again while the report is written: by the model, the density and the rules alone.

Nothing is taken from the search. Counterfactuals are read as they stand in the answers, the model's own ``predict`` is
asked, the density is evaluated, distances are added up, every rule is compared directly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...answers import Explanations
from ...arrays import BoolArray, FloatArray
from ...explainer import Explainer
from ...rules import Constraints
from ...table.frames import rows_of
from ..plot.pictures.arguments import plain_label
from .constants import ROUNDING


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
        The rules that were asked for; None for those of the explainer.
    """
    found = np.flatnonzero(explanations.found)
    if len(found) == 0:
        return ()
    answers = explanations.take(found)
    # Encoded from the user's columns, once for all checks. ``answers.features`` would not do: they are what the search
    # has found, and the report shows, and judges, the rows that were returned. Whoever changes these is found out.
    before, after = (answers.table.encode(rows) for rows in (answers.x, answers.counterfactuals))
    checks = [
        ("the model's own prediction is the wanted outcome", _is_valid(explainer, answers, before, after)),
        ("the distance, added up anew, is the one that is told", _is_as_far(explainer, answers, before, after)),
        ("columns that are not told to change are as they were", _is_told(answers, before, after)),
    ]
    if np.isfinite(answers.log_thresholds).any():
        checks.append(("the density, evaluated anew, reaches the threshold", _is_dense(explainer, answers, after)))
    if explainer.fitted_.constraints_of(constraints) is not None:
        checks.append(("every rule is kept", _keeps_rules(explainer, constraints, answers, before, after)))
    return tuple(Checked(promise, len(found), tuple(found[~held].tolist())) for promise, held in checks)


def _is_valid(explainer: Explainer, answers: Explanations, before: FloatArray, after: FloatArray) -> BoolArray:
    fitted, least = explainer.fitted_, answers.min_probabilities
    said = fitted.predict(after, answers.x, before, table=answers.table).tolist()
    held = [
        bool(target[0] <= outcome <= target[1]) if isinstance(target, tuple) else bool(outcome == target)
        for outcome, target in zip(said, answers.targets)
    ]
    asked = np.flatnonzero(~np.isnan(least))
    for place in asked.tolist():  # a least probability decides alone
        index = np.asarray(fitted.classes).tolist().index(plain_label(answers.targets[place]))
        one = slice(place, place + 1)
        given = rows_of(answers.x, one)
        probability = fitted.probability(after[one], given, before[one], index=index, table=answers.table)
        held[place] = bool(probability[0] >= least[place])
    return np.array(held, dtype=np.bool_)


def _is_as_far(explainer: Explainer, answers: Explanations, before: FloatArray, after: FloatArray) -> BoolArray:
    difference = np.abs(explainer.distance_(after, before) - answers.distances)
    return np.asarray(difference <= ROUNDING * (1.0 + np.abs(answers.distances)))


def _is_told(answers: Explanations, before: FloatArray, after: FloatArray) -> BoolArray:
    return np.asarray((answers.table.changed(before, after) == answers.changed).all(axis=1))


def _is_dense(explainer: Explainer, answers: Explanations, after: FloatArray) -> BoolArray:
    held = np.ones(len(answers), dtype=np.bool_)
    labels = [None if isinstance(target, tuple) else plain_label(target) for target in answers.targets]
    for label in dict.fromkeys(labels):
        places = np.array([place for place, other in enumerate(labels) if other == label], dtype=np.int64)
        density = explainer.densities_.get(label)
        if density is None:
            held[places] = ~np.isfinite(answers.log_thresholds[places])
            continue
        log_density = density.log_max(explainer.fitted_.density_rows(after[places]))
        slack = ROUNDING * (1.0 + np.abs(log_density))
        held[places] = log_density + slack >= answers.log_thresholds[places]
    return held


def _keeps_rules(
    explainer: Explainer, constraints: Constraints | None, answers: Explanations, before: FloatArray, after: FloatArray
) -> BoolArray:
    held = np.ones(len(after), dtype=np.bool_)
    held[
        [row for row, _ in explainer.fitted_.rules(constraints).broken(before, after, answers.table.missing(answers.x))]
    ] = False
    return held
