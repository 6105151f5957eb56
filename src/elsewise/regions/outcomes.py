"""Outcomes: what is wanted of a model."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class Label:
    """A wanted class: its position in ``model.classes_``, and optionally the least probability it must have."""

    index: int
    min_probability: float | None = None


@dataclass(frozen=True, slots=True)
class Interval:
    """A wanted range of a regressor's prediction, ``low <= predict(x) <= high``; an open end is infinite."""

    low: float
    high: float


Outcome = Label | Interval


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
