"""Targets: what the user wants the model to say, turned into outcomes.

Confidence: how sure a model has to be of an answer, in terms of how sure it is of real rows.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import IntArray, UserTarget, UserValue
from ..errors import InvalidInputError
from ..fitted import FittedModel
from ..models import Interval, Label, Outcome
from ..reasons import Target
from ..table.frames import is_missing_value
from .options import Options

# Of all classes, or one of each.
LeastProbability = float | tuple[float, ...] | None


def label_outcome(target: UserTarget, classes: NDArray[Any], min_probability: LeastProbability) -> Label:
    """Find a label among the model's classes."""
    for index, label in enumerate(classes.tolist()):
        if type(label) is type(_plain(target)) and label == _plain(target):
            return _label(index, min_probability)
    if target is not None and is_missing_value(target):
        known = ", ".join(repr(label) for label in classes.tolist())
        raise InvalidInputError(
            f"target: expected a label, received the missing value {target!r}. The model's labels are: {known}; None "
            "asks for the nearest other class."
        )
    for index, label in enumerate(classes.tolist()):  # 1 for True, 2.0 for 2 and so on
        if label == _plain(target):
            return _label(index, min_probability)
    known = ", ".join(repr(label) for label in classes.tolist())
    raise InvalidInputError(f"Unknown target {_plain(target)!r}. The model's labels are: {known}.")


def _label(index: int, min_probability: LeastProbability) -> Label:
    return Label(index, min_probability[index] if isinstance(min_probability, tuple) else min_probability)


def interval_outcome(target: UserTarget) -> Interval:
    """Read ``(low, high)``, either end open (None or infinite)."""
    wrong = InvalidInputError(f"A regressor needs target=(low, high), with None for an open end, received {target!r}.")
    if target is None or isinstance(target, str) or np.ndim(np.asarray(target, dtype=object)) != 1 or len(target) != 2:
        raise wrong
    try:
        low = -np.inf if target[0] is None else float(target[0])
        high = np.inf if target[1] is None else float(target[1])
    except (TypeError, ValueError) as error:
        raise wrong from error
    if np.isnan(low) or np.isnan(high) or low > high:
        raise InvalidInputError(f"The target range is empty: low {low} > high {high}. Expected low <= high.")
    return Interval(low, high)


def outcome_of_target(target: UserTarget, classes: NDArray[Any] | None) -> Outcome:
    """Return one target, a label or ``(low, high)``, as an outcome."""
    return interval_outcome(target) if classes is None else label_outcome(target, classes, None)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Outcomes wanted by the rows of a batch.

    Attributes
    ----------
    outcomes : tuple of outcomes, each once
        All labels in the model's order if any row leaves the choice open.
    goal : int array of shape (n_samples,)
        Place of each row's outcome; -1 where the nearest other class is wanted.
    """

    outcomes: tuple[Outcome, ...]
    goal: IntArray

    def target(self, goal: int, classes: NDArray[Any] | None) -> Any:
        """Return the outcome of a goal as the user did: a label, (low, high), or None for the nearest other class."""
        if goal < 0:
            return None
        outcome = self.outcomes[goal]
        if isinstance(outcome, Interval):
            return (outcome.low, outcome.high)
        assert classes is not None
        return classes[outcome.index]

    def among(self, fitted: FittedModel) -> Wanted:
        """Write the same in the numbers of all labels, if these are compiled and nothing else is wanted."""
        labels: tuple[Outcome, ...] = fitted.labels
        if labels not in fitted.problems or not all(outcome in labels for outcome in self.outcomes):
            return self
        place = np.array([labels.index(outcome) for outcome in self.outcomes] + [-1])
        return Wanted(labels, place[self.goal])


def label_of(outcome: Outcome, classes: NDArray[Any] | None) -> Any:
    """Return the label of an outcome in the dtype of the model's classes, or its range."""
    if isinstance(outcome, Interval):
        return (outcome.low, outcome.high)
    assert classes is not None
    return classes[outcome.index]


def target_of(outcome: Outcome, classes: NDArray[Any] | None) -> Target:
    """Return an outcome as the user did."""
    if isinstance(outcome, Interval):
        return Target(label_of(outcome, classes))
    assert classes is not None
    return Target(classes.tolist()[outcome.index], outcome.min_probability)


def outcomes_of_rows(
    target: UserTarget, n_samples: int, classes: NDArray[Any] | None, min_probability: LeastProbability
) -> Wanted:
    """Read the targets of all rows.

    Parameters
    ----------
    target : label, sequence of labels, (low, high), sequence of (low, high), or None
        In a sequence of labels None stands for the nearest other class, too.
    n_samples : int
    classes : array of labels, or None for a regressor
    min_probability : float, one a class, or None
    """
    p: object = min_probability
    if p is not None and not isinstance(p, (Real, tuple)):
        raise InvalidInputError(f"min_probability must be a number or None, received {min_probability!r}.")
    if isinstance(target, np.ma.MaskedArray):
        target = _unmasked(target)
    if classes is None:
        if min_probability is not None:
            raise InvalidInputError("min_probability is for classifiers; a regressor has target=(low, high).")
        if np.ndim(np.asarray(target, dtype=object)) <= 1:
            return _same_for_all(interval_outcome(target), n_samples)
        _check_count(target, n_samples)
        return _numbered([interval_outcome(item) for item in target])
    every = tuple(_label(index, min_probability) for index in range(len(classes)))
    if target is None:
        return Wanted(every, np.full(n_samples, -1))
    if isinstance(target, (list, tuple)) and any(np.ndim(item) for item in target):
        raise InvalidInputError(f"target: expected one label a row, received a nested list {target[:3]!r}.")
    if isinstance(target, (str, bytes)) or np.ndim(target) == 0:
        return _same_for_all(label_outcome(target, classes, min_probability), n_samples)
    _check_count(target, n_samples)
    labels = np.asarray(target, dtype=object if isinstance(target, (list, tuple)) else None)
    if labels.ndim > 1:
        raise InvalidInputError(f"target: expected one label a row, received an array of shape {labels.shape}.")
    if labels.dtype.kind != "O":
        if labels.dtype == classes.dtype:
            index = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
            if (classes[index] == labels).all():
                is_wanted = np.bincount(index, minlength=len(classes)) > 0
                return Wanted(tuple(itertools.compress(every, is_wanted)), (np.cumsum(is_wanted) - 1)[index])
        distinct, place = np.unique(labels, return_inverse=True)
        return Wanted(tuple(label_outcome(item, classes, min_probability) for item in distinct), place.astype(np.int64))
    items = [_plain(item) for item in labels.tolist()]
    known = {item: label_outcome(item, classes, min_probability) for item in dict.fromkeys(items) if item is not None}
    if None in items:
        return Wanted(every, np.array([-1 if item is None else known[item].index for item in items]))
    return _numbered([known[item] for item in items])


def _unmasked(target: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    mask = np.ma.getmaskarray(target)
    if mask.any():
        where = f" (the first in row {int(np.argwhere(mask)[0][0])})" if target.ndim else ""
        raise InvalidInputError(
            f"target: {int(mask.sum())} of {mask.size} entries are masked{where}; expected a wanted outcome for each "
            "row. Pass target.filled(...), or a list with None where the nearest other class is wanted."
        )
    return np.asarray(target.data)


def _same_for_all(outcome: Outcome, n_samples: int) -> Wanted:
    return Wanted((outcome,), np.zeros(n_samples, dtype=np.int64))


def _numbered(outcomes: Sequence[Outcome]) -> Wanted:
    place = {outcome: number for number, outcome in enumerate(dict.fromkeys(outcomes))}
    return Wanted(tuple(place), np.array([place[outcome] for outcome in outcomes], dtype=np.int64))


def _check_count(target: Sequence[UserValue], n_samples: int) -> None:
    if len(target) != n_samples:
        raise InvalidInputError(f"Expected one target for each of the {n_samples} rows, received {len(target)}.")


def _plain(value: UserValue) -> Any:
    return value.item() if isinstance(value, np.generic) else value


# A class with more than one half is the one that is predicted.
MORE_THAN_HALF = float(np.nextafter(0.5, 1.0))


def with_confidence(fitted: FittedModel, options: Options) -> Options:
    """Return options in which a confidence has become the least probability of every class.

    The least probability of a class is the quantile of the probabilities that the model gives to training rows of that
    class, and more than one half, so that the model predicts the class.
    """
    if options.confidence is None:
        return options
    if fitted.classes is None:
        raise InvalidInputError("confidence is for classifiers; a regressor has target=(low, high).")
    if not hasattr(fitted.model, "predict_proba"):
        name = type(fitted.model).__name__
        raise InvalidInputError(f"confidence needs a model with predict_proba, and {name} has none. Leave it out.")
    if fitted.training is not None:
        raise InvalidInputError(
            "confidence needs a model that is read, and this one is only asked. Use min_probability."
        )
    if len(fitted.sureness) < len(fitted.classes):
        raise InvalidInputError(
            "confidence needs training rows of every class with their labels, and a model that predicts the class to "
            "which its predict_proba gives more than one half; at least one of them was missing at the fit. Use "
            "min_probability."
        )
    places = np.linspace(0.0, 1.0, len(fitted.sureness[0]))
    least = [float(np.interp(options.confidence, places, fitted.sureness[i])) for i in range(len(fitted.classes))]
    least_of_each = tuple(max(p, MORE_THAN_HALF) for p in least)  # one a class, where users give one for all
    return replace(options, confidence=None, min_probability=least_of_each)  # type: ignore[arg-type]
