"""Levers and ladders in JSON's terms: which few columns are enough by themselves, and what better bands take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...answers import Explanation, Ladder, Levers
from ...explainer import Explainer
from ..files.values import to_json
from .writing import written_changes

# Columns of a lever; one of three is little easier to act on than the answer.
LARGEST_LEVER = 2
# Bands that the page begins with: least probabilities, and quantiles of what a regressor predicts.
FIRST_PROBABILITIES = (0.5, 0.6, 0.7, 0.8, 0.9)
FIRST_QUANTILES = (0.5, 0.75, 0.9)
# Digits of a predicted number at which a band begins.
DIGITS_OF_BANDS = 3


def first_bands(explainer: Explainer, predictions: Sequence[float]) -> list[float]:
    """Return bands to begin with, as a ladder takes them; empty where the model has no probabilities and no numbers."""
    if explainer.classes_ is not None:
        return list(FIRST_PROBABILITIES) if hasattr(explainer.fitted_.model, "predict_proba") else []
    if not len(predictions):
        return []
    starts = (float(f"{each:.{DIGITS_OF_BANDS}g}") for each in np.quantile(predictions, FIRST_QUANTILES))
    return list(dict.fromkeys(starts))


def written_levers(levers: Levers) -> dict[str, Any]:
    """Write levers; see :class:`~.schemas.LeversBody`."""
    return {
        "sentence": levers.sentence,
        "levers": [{"columns": list(lever.columns), **_written(lever.explanation)} for lever in levers],
        "n_not_enough": len(levers.not_enough),
        "n_unknown": len(levers.unknown),
    }


def written_ladder(ladder: Ladder) -> dict[str, Any]:
    """Write a ladder; see :class:`~.schemas.LadderBody`."""
    return {
        "sentence": ladder.sentence,
        "current": None if ladder.current is None else ladder.current.name,
        "steps": [{"band": step.band.name, **_written(step.explanation)} for step in ladder],
    }


def _written(one: Explanation) -> dict[str, Any]:
    return {
        "status": one.status,
        "distance": to_json(one.distance) if one.found else None,
        "plausibility": to_json(one.plausibility) if one.found else None,
        "changes": written_changes(one),
    }
