"""Outcomes: what is wanted of a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class Label:
    """A wanted class: its position in ``model.classes_``.

    With a least probability, that alone decides: the model's own ``predict_proba`` must give the class at least this,
    whether ``predict`` chooses it or not.
    """

    index: int
    min_probability: float | None = None


@dataclass(frozen=True, slots=True)
class Interval:
    """A wanted range of a regressor's prediction, ``low <= predict(x) <= high``; an open end is infinite."""

    low: float
    high: float


Outcome = Label | Interval


@dataclass(frozen=True, slots=True)
class Probability:
    """What ``predict_proba`` gives the class at a position must lie in ``[low, high]``."""

    index: int
    low: float = -np.inf
    high: float = np.inf


@dataclass(frozen=True, slots=True)
class DecisionValue:
    """What ``decision_function`` gives, one number a row, must lie in ``[low, high]``."""

    low: float = -np.inf
    high: float = np.inf


# Ranges of the numbers from which cut-offs and calibrations decide.
Response = Probability | DecisionValue


def require_label(model: object, outcome: Outcome) -> Label:
    """Return the outcome as a label, or explain that this model is a classifier."""
    if not isinstance(outcome, Label):
        raise InvalidInputError(
            f"{type(model).__name__} is a classifier: expected one of its labels as target, received the range "
            f"({outcome.low}, {outcome.high})."
        )
    return outcome


def require_interval(model: object, outcome: Outcome) -> Interval:
    """Return the outcome as an interval, or explain that this model is a regressor."""
    if not isinstance(outcome, Interval):
        raise InvalidInputError(
            f"{type(model).__name__} is a regressor: expected target=(low, high), with None for an open end."
        )
    return outcome
