"""Wanted outcomes and thresholds as people and programs write them, for the explainer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ...errors import InvalidInputError
from ...rules.words import did_you_mean
from ...table.as_trained import level_reader
from .values import json_key, to_json

if TYPE_CHECKING:
    from ...explainer import Explainer

Range = tuple[float | None, float | None]


def target_from_text(text: str | None, classes: Sequence[Any] | None, name: str = "--target") -> Any:
    """Read a wanted outcome that was typed: a label as it is written, or LOW:HIGH for a regressor.

    Parameters
    ----------
    text : str or None
        None asks for the nearest other class, which a regressor has not.
    classes : sequence of labels, or None for a regressor
    name : str
        What errors call it.

    Returns
    -------
    label, (low, high) with None for an open end, or None
    """
    if classes is None:
        return _range_from_text(text, name)
    if text is None:
        return None
    found = level_reader(classes)(text)
    if found not in classes:
        _refuse_label(text, classes, name)
    return found


def target_from_json(value: Any, classes: Sequence[Any] | None, name: str = "target") -> Any:
    """Read a wanted outcome that came as JSON: a label as :func:`to_json` writes it, or a pair.

    Parameters
    ----------
    value : label, or (low, high) for a regressor
        None leaves an end open.
    classes, name
        As for :func:`target_from_text`.

    Returns
    -------
    label or (low, high)
    """
    if classes is None:
        if not isinstance(value, tuple):
            raise InvalidInputError(
                f"{name}: expected {{low, high}}, the range wanted of a regressor, received a class."
            )
        if value == (None, None):
            raise InvalidInputError(f"{name}: expected a low end, a high end or both, received neither.")
        return value
    if isinstance(value, tuple):
        raise InvalidInputError(f"{name}: expected one of the model's classes, received a range.")
    by_key = {json_key(to_json(label)): label for label in classes}
    if json_key(value) not in by_key:
        _refuse_label(value, classes, name)
    return by_key[json_key(value)]


def with_threshold(explainer: Explainer, quantile: float | None, name: str = "--threshold") -> Explainer:
    """Give the explainer at another quantile; None leaves it as it is.

    Parameters
    ----------
    explainer : fitted Explainer
    quantile : float in (0, 1), or None
    name : str
        What errors call it.
    """
    if quantile is None:
        return explainer
    if not explainer.densities_:
        raise InvalidInputError(f"{name}: the explainer was made without a density; there is nothing to reach.")
    return explainer.with_threshold(quantile)


def _refuse_label(value: Any, classes: Sequence[Any], name: str) -> NoReturn:
    raise InvalidInputError(
        f"{name}: the model has no label {value!r}. {did_you_mean(value, [to_json(label) for label in classes])}"
    )


def _range_from_text(text: str | None, name: str) -> Range:
    ends = [] if text is None else text.split(":")
    try:
        low, high = (float(end) if end.strip() else None for end in ends)
    except ValueError as error:
        raise InvalidInputError(
            f"{name}: the model predicts numbers. Expected LOW:HIGH, either end may be empty, received "
            f"{'nothing' if text is None else repr(text)}."
        ) from error
    return low, high
