"""Rules and declarations of columns in TOML files (or JSON), with errors that name the file."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from ...errors import InvalidInputError
from ...rules import Constraints
from ...table import OneHot, Ordinal
from .error_names import errors_about

SUFFIXES = (".toml", ".json")
_KINDS = ("number", "integer", "boolean", "category", "ordinal")


def read_rules(path: Path) -> Constraints:
    """Read rules: the keys are the parameters of :class:`~elsewise.Constraints`."""
    mapping = _mapping(path)
    with errors_about(path):
        return Constraints.from_mapping(mapping)


def read_declarations(path: Path) -> dict[str, Any]:
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


def _mapping(path: Path) -> dict[str, Any]:
    is_json = path.suffix.lower() == ".json"
    try:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text) if is_json else tomllib.loads(text)
    except (tomllib.TOMLDecodeError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{path} is not valid {'JSON' if is_json else 'TOML'}: {error}") from error
    if not isinstance(found, dict):
        raise InvalidInputError(f"{path}: expected a mapping, received {type(found).__name__}.")
    return found
