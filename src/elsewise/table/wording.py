"""The names that people use: of columns, of single values, of what the model predicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ..arrays import UserValue
from ..errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class ColumnLabel:
    """How people call a column.

    Attributes
    ----------
    name : str
        Empty: as the column is called.
    unit : str
        Written after its numbers; empty: none.
    values : tuple of (value, str)
        Values that have names of their own.
    """

    name: str = ""
    unit: str = ""
    values: tuple[tuple[Any, str], ...] = ()

    def value(self, value: UserValue) -> str | None:
        """Return the name of a value, or None if it has none."""
        return _name_among(self.values, value)


@dataclass(frozen=True, slots=True)
class Wording:
    """How people call columns and outcomes, and in which language.

    Attributes
    ----------
    columns : tuple of (str, ColumnLabel)
    outcomes : tuple of (label, str)
        What the model predicts, and how to say it.
    language : str
        Code of the language of all text.
    """

    columns: tuple[tuple[str, ColumnLabel], ...] = ()
    outcomes: tuple[tuple[Any, str], ...] = ()
    language: str = "en"

    def column(self, name: str | None) -> ColumnLabel:
        """Return the label of a column, an empty one if it has none."""
        return next((label for column, label in self.columns if column == name), _NO_LABEL)

    def outcome(self, label: UserValue) -> str | None:
        """Return how to say what the model predicts, or None if that was not stated."""
        return _name_among(self.outcomes, label)


_NO_LABEL = ColumnLabel()
# Columns and outcomes are called as they are in the data.
PLAIN = Wording()


def wording_of(
    labels: Mapping[str, Any] | None,
    outcomes: Mapping[UserValue, str] | None,
    names: Sequence[str],
    classes: Sequence[UserValue] | None,
    language: str = "en",
) -> Wording:
    """Check the names that a user has stated.

    Parameters
    ----------
    labels : mapping of column name to a name, (name, unit) or {value: name}, optional
        The three may be joined: ``("last call", "days", {-1: "never called"})``.
    outcomes : mapping of label to text, optional
    names : sequence of str
        The columns.
    classes : sequence of labels, or None for a regressor
    language : str
        A code that is known.
    """
    return Wording(_columns(labels, names), _outcomes(outcomes, classes), language)


def _columns(labels: Mapping[str, Any] | None, names: Sequence[str]) -> tuple[tuple[str, ColumnLabel], ...]:
    if labels is None:
        return ()
    _check_mapping(labels, "labels", "columns to names")
    for name in labels:
        if name not in names:
            close = get_close_matches(str(name), list(names), n=1)
            hint = f"Did you mean {close[0]!r}?" if close else "Use the names of the training columns."
            raise InvalidInputError(f"labels: there is no column {name!r}. {hint}")
    found = tuple((name, _label(name, label)) for name, label in labels.items())
    called = [label.name or name for name, label in found] + [name for name in names if name not in labels]
    for text in called:
        if called.count(text) > 1:
            raise InvalidInputError(f"labels: two columns would be called {text!r}. Give each a name of its own.")
    return found


def _label(column: str, label: UserValue) -> ColumnLabel:
    parts = label if isinstance(label, (tuple, list)) else (label,)
    texts = [part for part in parts if isinstance(part, str)]
    values = [part for part in parts if isinstance(part, Mapping)]
    is_ordered = list(parts) == [*texts, *values]
    if not parts or not is_ordered or len(texts) > 2 or len(values) > 1 or (texts and not texts[0].strip()):
        raise InvalidInputError(
            f"labels: expected for {column!r} a name, (name, unit) or {{value: name}}; received {label!r}."
        )
    stated = values[0] if values else {}
    for value, text in stated.items():
        _check_text(text, f"labels: of {column!r}, {value!r}")
    name, unit = [*texts, "", ""][:2]
    return ColumnLabel(name, unit, tuple(stated.items()))


def _outcomes(
    outcomes: Mapping[UserValue, str] | None, classes: Sequence[UserValue] | None
) -> tuple[tuple[Any, str], ...]:
    if outcomes is None:
        return ()
    _check_mapping(outcomes, "outcomes", "labels to texts")
    if classes is None:
        raise InvalidInputError("outcomes: the model predicts numbers, which have no names. Leave it out.")
    for label, text in outcomes.items():
        if label not in classes:
            raise InvalidInputError(f"outcomes: the model has no label {label!r}; it has {list(classes)}.")
        _check_text(text, f"outcomes: of {label!r}")
    if len(set(outcomes.values())) < len(outcomes):
        raise InvalidInputError(f"outcomes: expected a text of its own for each label, received {dict(outcomes)!r}.")
    return tuple(outcomes.items())


def _check_mapping(value: object, what: str, content: str) -> None:
    if not isinstance(value, Mapping):
        raise InvalidInputError(f"{what}: expected a mapping of {content}, received {type(value).__name__}.")


def _check_text(text: object, what: str) -> None:
    if not isinstance(text, str) or not text.strip():
        raise InvalidInputError(f"{what}: expected a text, received {text!r}.")


def _name_among(names: Sequence[tuple[UserValue, str]], value: UserValue) -> str | None:
    """Return the name of a value; 1 is 1.0, but not True."""
    for known, text in names:
        if isinstance(known, bool) == isinstance(value, bool) and known == value:
            return text
    return None
