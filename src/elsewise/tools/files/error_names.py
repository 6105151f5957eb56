"""Errors that say what they are about: a file, or an option."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...errors import InvalidInputError, InvalidRulesError


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
