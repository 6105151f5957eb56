"""Targets: what the user wants the model to say, turned into outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidInputError
from .regions.base import Interval, Label, Outcome


def label_outcome(target: Any, classes: NDArray[Any], min_probability: float | None) -> Label:
    """Find a label among the model's classes."""
    for index, label in enumerate(classes.tolist()):
        if type(label) is type(_plain(target)) and label == _plain(target):
            return Label(index, min_probability)
    for index, label in enumerate(classes.tolist()):  # 1 for True, 2.0 for 2 and so on
        if label == _plain(target):
            return Label(index, min_probability)
    known = ", ".join(repr(label) for label in classes.tolist())
    raise InvalidInputError(f"Unknown target {_plain(target)!r}. The model's labels are: {known}.")


def interval_outcome(target: Any) -> Interval:
    """Read ``(low, high)``, either end open (None or infinite)."""
    wrong = InvalidInputError(
        f"A regressor needs target=(low, high), with None for an open end, received {target!r}."
    )
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


def outcomes_of_rows(
    target: Any, n_samples: int, classes: NDArray[Any] | None, min_probability: float | None
) -> list[Outcome | None]:
    """One outcome a row; None where the nearest other class is wanted.

    Parameters
    ----------
    target : label, sequence of labels, (low, high), sequence of (low, high), or None
        In a sequence of labels None stands for the nearest other class, too.
    n_samples : int
    classes : array of labels, or None for a regressor
    min_probability : float or None
    """
    if min_probability is not None and not isinstance(min_probability, Real):
        raise InvalidInputError(f"min_probability must be a number or None, received {min_probability!r}.")
    if classes is None:
        if min_probability is not None:
            raise InvalidInputError("min_probability is for classifiers; a regressor has target=(low, high).")
        single = np.ndim(np.asarray(target, dtype=object)) <= 1
        if single:
            return [interval_outcome(target)] * n_samples
        _check_count(target, n_samples)
        return [interval_outcome(item) for item in target]
    if target is None:
        return [None] * n_samples
    if isinstance(target, (str, bytes)) or np.ndim(target) == 0:
        return [label_outcome(target, classes, min_probability)] * n_samples
    _check_count(target, n_samples)
    if np.ndim(target) > 1:
        raise InvalidInputError(f"target: expected one label a row, received an array of shape {np.shape(target)}.")
    known: dict[Any, Outcome | None] = {None: None}
    outcomes: list[Outcome | None] = []
    for item in np.asarray(target).tolist() if not isinstance(target, (list, tuple)) else target:
        item = _plain(item)
        if item not in known:
            known[item] = label_outcome(item, classes, min_probability)
        outcomes.append(known[item])
    return outcomes


def _check_count(target: Sequence[Any], n_samples: int) -> None:
    if len(target) != n_samples:
        raise InvalidInputError(f"Expected one target for each of the {n_samples} rows, received {len(target)}.")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
