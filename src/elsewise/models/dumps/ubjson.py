"""Universal Binary JSON, as XGBoost writes its models by default.

A value is a marker of one byte and what it says; containers may state the type and the number of their values first,
so that arrays of numbers are one block of memory. https://ubjson.org
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import JsonObject
from ...errors import InvalidInputError

# Numbers by their markers, the most significant byte first.
_NUMBERS = {"i": ">i1", "U": ">u1", "I": ">i2", "l": ">i4", "L": ">i8", "d": ">f4", "D": ">f8"}
_WORDS = {"Z": None, "T": True, "F": False}


def read_ubjson(content: bytes) -> Any:
    """Read a value: dicts, lists, text, numbers, booleans and None."""
    return _UbjsonReader(content).value()


class _UbjsonReader:
    """A position in bytes."""

    def __init__(self, content: bytes) -> None:
        self.content, self.place = content, 0

    def value(self) -> Any:
        return self._of(self._marker())

    def _of(self, kind: str) -> Any:
        """Read what follows a marker."""
        if kind in _NUMBERS:
            return self._numbers(kind, 1)[0]
        if kind in ("S", "C"):
            n_bytes = 1 if kind == "C" else int(self.value())
            return self._take(n_bytes).decode("utf-8", "replace")
        if kind in _WORDS:
            return _WORDS[kind]
        if kind == "[":
            return self._list()
        if kind == "{":
            return self._dict()
        raise InvalidInputError(
            f"This is no UBJSON: expected a marker of a value at byte {self.place - 1}, received {kind!r}. Save the "
            "model anew, as .json or .ubj."
        )

    def _take(self, n_bytes: int) -> bytes:
        taken = self.content[self.place : self.place + n_bytes]
        if len(taken) < n_bytes:
            raise InvalidInputError("This UBJSON ends in the middle of a value. Save the model anew.")
        self.place += n_bytes
        return taken

    def _marker(self) -> str:
        kind = "N"
        while kind == "N":  # it stands for nothing
            kind = self._take(1).decode("latin-1")
        return kind

    def _peek(self) -> str:
        return self.content[self.place : self.place + 1].decode("latin-1")

    def _numbers(self, kind: str, n: int) -> list[Any]:
        dtype = np.dtype(_NUMBERS[kind])
        found: list[Any] = np.frombuffer(self._take(n * dtype.itemsize), dtype=dtype).tolist()
        return found

    def _stated(self) -> tuple[str | None, int | None]:
        """Type and number of the values of a container, if they are stated."""
        kind = n = None
        if self._peek() == "$":
            self._take(1)
            kind = self._take(1).decode("latin-1")
        if self._peek() == "#":
            self._take(1)
            n = int(self.value())
        return kind, n

    def _list(self) -> list[Any]:
        kind, n = self._stated()
        if kind in _NUMBERS and n is not None:
            return self._numbers(str(kind), n)
        found: list[Any] = []
        while len(found) != n if n is not None else self._peek() != "]":
            found.append(self.value() if kind is None else self._of(kind))
        if n is None:
            self._take(1)
        return found

    def _dict(self) -> JsonObject:
        kind, n = self._stated()
        found: JsonObject = {}
        while len(found) != n if n is not None else self._peek() != "}":
            name = self._take(int(self.value())).decode("utf-8", "replace")
            found[name] = self.value() if kind is None else self._of(kind)
        if n is None:
            self._take(1)
        return found
