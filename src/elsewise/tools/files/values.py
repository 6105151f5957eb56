"""Single values, and rules, as JSON holds them.

Errors that say what they are about: a file, or an option.

Checksums of files: to tell later whether they are the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...arrays import JsonObject, UserValue
from ...errors import InvalidInputError, InvalidRulesError
from ...rules import Constraints
from ...table.json_values import python_value, to_json

__all__ = ["json_key", "jsonable", "python_value", "rules_as_json", "to_json"]


def json_key(value: UserValue) -> tuple[bool, Any]:
    """Return a key to look a value of JSON up by, in which ``true`` is not 1."""
    return isinstance(value, bool), value


def jsonable(value: UserValue) -> Any:
    """Return a value with all that is in it as JSON holds it."""
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    return [jsonable(item) for item in value] if isinstance(value, (list, tuple)) else to_json(value)


def rules_as_json(constraints: Constraints | None) -> JsonObject | None:
    """Return rules as JSON holds them, which :meth:`~elsewise.Constraints.from_mapping` reads."""
    return None if constraints is None else jsonable(constraints.to_mapping())


@contextmanager
def errors_about(what: str | Path | None, *, rules: Path | None = None) -> Iterator[None]:
    """Put a file's or an option's name before what is wrong with it; None leaves errors as they are.

    What is wrong with rules is said of the file ``rules``, if there is one.
    """
    try:
        yield
    except InvalidInputError as error:
        named = rules if rules is not None and isinstance(error, InvalidRulesError) else what
        raise InvalidInputError(str(error) if named is None else f"{named}: {error}") from error


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's content, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# Names listed in a message before it says "...".
MOST_NAMES = 8
