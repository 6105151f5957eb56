"""Rules, names and declarations of columns in TOML files (or JSON), with errors that name the file.

Wanted outcomes and thresholds as people and programs write them, for the explainer.
"""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ...arrays import JsonObject, UserValue
from ...errors import InvalidInputError
from ...rules import Constraints
from ...rules.words import did_you_mean
from ...table import OneHot, Ordinal
from ...table.as_trained import level_reader
from ...table.wording import wording_of
from .values import errors_about, json_key, to_json

if TYPE_CHECKING:
    from ...explainer import Explainer


SUFFIXES = (".toml", ".json")
_KINDS = ("number", "integer", "boolean", "category", "ordinal")


# Keys of a file of rules that name columns, values and outcomes.
NAMES = ("labels", "outcomes")


def read_rules(path: Path) -> Constraints:
    """Read rules: the keys are the parameters of :class:`~elsewise.Constraints`, beside those of names."""
    mapping = {key: value for key, value in _mapping(path).items() if key not in NAMES}
    with errors_about(path):
        return Constraints.from_mapping(mapping)


def with_names_of(explainer: Explainer, path: Path) -> Explainer:
    """Return the explainer with the names in a file of rules: ``labels`` and ``outcomes`` of `Explainer`.

    Keys of such files are text: values and outcomes are found by how they are written.
    """
    labels, outcomes = (_mapping(path).get(name) for name in NAMES)
    if labels is None and outcomes is None:
        return explainer
    fitted, other = explainer.require_fitted(), copy.copy(explainer)
    table, known = fitted.table, None if fitted.classes is None else fitted.classes.tolist()
    if isinstance(outcomes, dict) and known is not None:
        read = level_reader(known)
        outcomes = {read(text): name for text, name in outcomes.items()}
    if isinstance(labels, dict):
        levels = {column.name: column.levels for column in table.columns}
        labels = {name: _with_values(label, levels.get(name, ())) for name, label in labels.items()}
    with errors_about(path):
        stated = wording_of(labels, outcomes, table.stated_names, known, table.wording.language)
    if labels is not None:
        other.labels = labels
    else:
        stated = replace(stated, columns=table.wording.columns)
    if outcomes is not None:
        other.outcomes = outcomes
    else:
        stated = replace(stated, outcomes=table.wording.outcomes)
    other.fitted_ = replace(fitted, table=replace(table, wording=stated))
    return other


def _with_values(label: Any, levels: Sequence[UserValue]) -> Any:
    """Return a label whose values, text in a file, are those of its column: one of its levels, or a number."""
    if isinstance(label, list):
        return tuple(_with_values(part, levels) for part in label)
    if not isinstance(label, dict):
        return label
    read = level_reader(levels or (0.0,))
    return {read(text): name for text, name in label.items()}


def read_declarations(path: Path) -> JsonObject:
    """Read what columns are.

    A key is a column's name, its value a kind (``"number"``, ``"integer"``, ``"boolean"``, ``"category"``,
    ``"ordinal"``), a table with ``levels`` for an ordered column (:class:`~elsewise.Ordinal`), or one with ``columns``
    and perhaps ``baseline`` for columns that belong together (:class:`~elsewise.OneHot`).
    """
    return {name: _declaration(path, name, what) for name, what in _mapping(path).items()}


def _declaration(path: Path, name: str, what: Any) -> Any:
    if isinstance(what, str) and what in _KINDS:
        return what
    if isinstance(what, dict) and set(what) == {"levels"} and isinstance(what["levels"], list):
        return Ordinal(levels=what["levels"])
    if isinstance(what, dict) and "columns" in what and set(what) <= {"columns", "baseline"}:
        return OneHot(columns=what["columns"], baseline=what.get("baseline"))
    raise InvalidInputError(
        f"{path}: expected for {name!r} one of {', '.join(map(repr, _KINDS))}, {{levels = [...]}} or "
        f"{{columns = [...], baseline = ...}}; received {what!r}."
    )


def _mapping(path: Path) -> JsonObject:
    is_json = path.suffix.lower() == ".json"
    try:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text) if is_json else tomllib.loads(text)
    except (tomllib.TOMLDecodeError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{path} is not valid {'JSON' if is_json else 'TOML'}: {error}") from error
    if not isinstance(found, dict):
        raise InvalidInputError(f"{path}: expected a mapping, received {type(found).__name__}.")
    return found


Range = tuple[float | None, float | None]


def target_from_text(text: str | None, classes: Sequence[UserValue] | None, name: str = "--target") -> Any:
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


def target_from_json(value: UserValue, classes: Sequence[UserValue] | None, name: str = "target") -> Any:
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
    """Return the explainer at another quantile; None leaves it as it is.

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


def _refuse_label(value: UserValue, classes: Sequence[UserValue], name: str) -> NoReturn:
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
