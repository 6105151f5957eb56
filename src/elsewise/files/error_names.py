"""Errors that say what they are about: a file, or an option."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import InvalidInputError


@contextmanager
def errors_about(what: str | Path | None) -> Iterator[None]:
    """Put a file's or an option's name before what is wrong with it; None leaves errors as they are."""
    try:
        yield
    except InvalidInputError as error:
        raise InvalidInputError(str(error) if what is None else f"{what}: {error}") from error
