"""What the answers promise, checked again while the report is written: by the model, the density and the rules alone.

Nothing is taken from the search. Counterfactuals are read as they stand in the answers, the model's own ``predict`` is
asked, the density is evaluated, distances are added up, every rule is compared directly.

Densities, thresholds and plausibilities that answers tell, computed again without any search.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...answers import Explanations
from ...arrays import BoolArray, FloatArray
from ...density import ClassDensity
from ...explainer import Explainer
from ...questions import fixed_parts_of_answers
from ...questions.solving.becoming_missing import prices_of_losses
from ...questions.targets import outcome_of_target
from ...questions.thresholds.fixed_columns import FixedPart
from ...rules import Constraints
from ...table.frames import rows_of
from ...text.languages import say
from ..plot.pictures.arguments import plain_label
from .markup import ROUNDING


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
    told = explanations.take(found)
    answers = told.after_losses()
    # Encoded from the user's columns, once for all checks. ``answers.features`` would not do: they are what the search
    # has found, and the report shows, and judges, the rows that were returned. Whoever changes these is found out.
    before, after = (answers.table.encode(rows) for rows in (answers.x, answers.counterfactuals))
    checks = [
        ("valid", _is_valid(explainer, answers, before, after)),
        ("distance", _is_as_far(explainer, constraints, told, before, after)),
        ("rest", _is_told(answers, before, after)),
    ]
    if np.isfinite(answers.log_thresholds).any():
        checks.append(("density", _is_dense(explainer, answers, after)))
    if explainer.fitted_.constraints_of(constraints) is not None:
        checks.append(("rules", _keeps_rules(explainer, constraints, answers, told.lost, before, after)))
    return tuple(
        Checked(say(f"report.promise {name}"), len(found), tuple(found[~held].tolist())) for name, held in checks
    )


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


def _is_as_far(
    explainer: Explainer, constraints: Constraints | None, told: Explanations, before: FloatArray, after: FloatArray
) -> BoolArray:
    paid = prices_of_losses(explainer.fitted_, constraints, told.lost)
    distances = explainer.distance_(after, before) + paid.sum(axis=1)
    difference = np.abs(distances - told.distances)
    return np.asarray(difference <= ROUNDING * (1.0 + np.abs(told.distances)))


def _is_told(answers: Explanations, before: FloatArray, after: FloatArray) -> BoolArray:
    return np.asarray((answers.table.changed(before, after) == answers.changed).all(axis=1))


def _is_dense(explainer: Explainer, answers: Explanations, after: FloatArray) -> BoolArray:
    held = np.ones(len(answers), dtype=np.bool_)
    labels = [None if isinstance(target, tuple) else plain_label(target) for target in answers.targets]
    fitted = explainer.fitted_
    for alike, own in fitted.by_missing(fitted.table.missing(answers.x)):
        for label in dict.fromkeys(labels[place] for place in alike.tolist()):
            places = np.array([place for place in alike.tolist() if labels[place] == label], dtype=np.int64)
            density = own.densities.get(label)
            if density is None:
                held[places] = ~np.isfinite(answers.log_thresholds[places])
                continue
            log_density = density.log_max(own.density_rows(after[places]))
            slack = ROUNDING * (1.0 + np.abs(log_density))
            held[places] = log_density + slack >= answers.log_thresholds[places]
    return held


def _keeps_rules(
    explainer: Explainer,
    constraints: Constraints | None,
    answers: Explanations,
    lost: BoolArray,
    before: FloatArray,
    after: FloatArray,
) -> BoolArray:
    held, fitted = np.ones(len(after), dtype=np.bool_), explainer.fitted_
    targets, missing = list(answers.targets), answers.table.missing(answers.x)
    asked = list(zip(targets, lost.sum(axis=1).tolist(), strict=True))
    for target, n_lost in dict.fromkeys(asked):
        places = np.array([place for place, other in enumerate(asked) if other == (target, n_lost)], dtype=np.int64)
        rules = fitted.rules(constraints, outcome_of_target(target, fitted.classes)).after_changes(n_lost)
        broken = rules.broken(before[places], after[places], missing[places])
        held[places[[row for row, _ in broken]]] = False
    return held


def density_as_told(explainer: Explainer, answers: Explanations, constraints: Constraints | None) -> BoolArray:
    """Return which answers have the density, threshold and plausibility that they say, array of shape (n_answers,).

    Parameters
    ----------
    explainer : fitted Explainer
    answers : Explanations
    constraints : Constraints or None
        The rules they were made under: what cannot change under them decides what is asked of a row.
    """
    fitted, held, answers = explainer.fitted_, np.ones(len(answers), dtype=np.bool_), answers.after_losses()
    found = np.flatnonzero(answers.found)
    missing = fitted.table.missing(answers.x)[found]
    targets = [answers.targets[place] for place in found.tolist()]
    parts = fixed_parts_of_answers(fitted, constraints, answers.row_features[found], targets, missing)
    for alike, own in fitted.by_missing(missing):
        for number in alike.tolist():
            place, target = int(found[number]), targets[number]
            density = own.densities.get(None if isinstance(target, tuple) else target)
            if density is None:
                held[place] = bool(np.isneginf(answers.log_thresholds[place]))
            else:
                held[place] = _is_as_told(explainer, answers, place, density, parts[number])
    return held


def _is_as_told(
    explainer: Explainer, answers: Explanations, place: int, density: ClassDensity, part: FixedPart | None
) -> bool:
    quantile, threshold = density.quantile_, float(answers.log_thresholds[place])
    asked = density.log_threshold_ if part is None or quantile is None else part.log_threshold(quantile)
    found = float(density.log_max(explainer.fitted_.density_rows(answers.features[place : place + 1]))[0])
    n_rows = max(len(density.log_densities_), 1)
    if part is None:
        share = float(np.searchsorted(density.log_densities_, found + ROUNDING, side="right")) / n_rows
    else:
        share = part.share_no_denser(found + ROUNDING)
    if answers.statuses[place] == "densest":  # nothing reaches what was asked: it is held to less
        is_asked = threshold <= asked + ROUNDING * (1 + abs(asked))
        share += 1.0 / n_rows  # a quantile that is reached is above the share of rows by less than a row
    elif np.isneginf(threshold):  # nothing is asked of a row that stays as it is
        is_asked = not answers.changed[place].any()
    else:
        is_asked = abs(asked - threshold) <= ROUNDING * (1 + abs(threshold))
        share = max(share, quantile or 0.0)
    stated = answers.plausibilities[place]
    is_dense = abs(found - answers.log_densities[place]) <= ROUNDING * (1 + abs(found))
    return bool(is_dense and is_asked and (np.isnan(stated) or stated <= share + ROUNDING))
