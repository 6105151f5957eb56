"""Densities, thresholds and plausibilities that answers tell, computed again without any search."""

from __future__ import annotations

import numpy as np

from ...answers import Explanations
from ...arrays import BoolArray
from ...density import ClassDensity
from ...explainer import Explainer
from ...questions import fixed_parts_of_answers
from ...questions.thresholds.fixed_columns import FixedPart
from ...rules import Constraints
from .constants import ROUNDING


def density_as_told(explainer: Explainer, answers: Explanations, constraints: Constraints | None) -> BoolArray:
    """Tell which answers have the density, threshold and plausibility that they say, array of shape (n_answers,).

    Parameters
    ----------
    explainer : fitted Explainer
    answers : Explanations
    constraints : Constraints or None
        The rules they were made under: what cannot change under them decides what is asked of a row.
    """
    fitted, held = explainer.fitted_, np.ones(len(answers), dtype=np.bool_)
    # no density is asked of rows with missing numbers
    is_partial = np.asarray(fitted.table.missing(answers.x).any(axis=1))
    places = np.flatnonzero(answers.found)
    targets = [answers.targets[place] for place in places.tolist()]
    parts = fixed_parts_of_answers(fitted, constraints, answers.row_features[places], targets)
    for place, part in zip(places.tolist(), parts, strict=True):
        target = answers.targets[place]
        density = explainer.densities_.get(None if isinstance(target, tuple) else target)
        if density is None or is_partial[place]:
            held[place] = bool(np.isneginf(answers.log_thresholds[place]))
        else:
            held[place] = _is_as_told(explainer, answers, place, density, part)
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
    told = answers.plausibilities[place]
    is_dense = abs(found - answers.log_densities[place]) <= ROUNDING * (1 + abs(found))
    return bool(is_dense and is_asked and (np.isnan(told) or told <= share + ROUNDING))
