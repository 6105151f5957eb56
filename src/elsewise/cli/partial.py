"""Finished rows of work that may be interrupted, in a file beside the output.

The file is text: a line of JSON that says what was asked, then a line of JSON a row, in the rows' order. A last line
that is cut off, by a full disk or a power failure, is left out and its row done again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from ..errors import InvalidInputError

_FORMAT = 1


class Partial:
    """Rows finished so far, of one question.

    Parameters
    ----------
    out : path of the output
        The file is called so, with ``.partial`` added.
    question : mapping of option to what was asked with it
        Rows finished under another question are not taken for answers to this one.
    fresh : bool
        Begin anew, whatever is there.
    """

    def __init__(self, out: Path, question: Mapping[str, Any], *, fresh: bool = False) -> None:
        self.path = out.with_name(out.name + ".partial")
        self.question: dict[str, Any] = json.loads(json.dumps(question))
        self.lines: list[str] = []
        self._file = self._open()
        try:
            _lock(self._file, self.path)
            if fresh or not self._take_over():
                self._begin()
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Partial:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)

    @property
    def n_finished(self) -> int:
        """Number of rows finished."""
        return len(self.lines)

    def append(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Put away rows that are finished, in order."""
        lines = [json.dumps(record, separators=(",", ":")) for record in records]
        self._write("".join(line + "\n" for line in lines))
        self.lines += lines

    def records(self) -> list[dict[str, Any]]:
        """All rows finished, as they would be read by a later call: the output is made of these alone."""
        return [json.loads(line) for line in self.lines]

    def remove(self) -> None:
        """Remove the file: the output is complete."""
        self.path.unlink(missing_ok=True)

    def _open(self) -> int:
        if self.path.is_symlink() or (self.path.exists() and not self.path.is_file()):
            raise InvalidInputError(f"{self.path} is no plain file. Remove it, or give another --out.")
        return os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)

    def _begin(self) -> None:
        os.ftruncate(self._file, 0)
        os.lseek(self._file, 0, os.SEEK_SET)
        self._write(json.dumps({"elsewise_partial": _FORMAT, "question": self.question}) + "\n")

    def _take_over(self) -> bool:
        """Read what an earlier call has finished; False if there is nothing."""
        with os.fdopen(os.dup(self._file), "rb") as file:
            content = file.read()
        if not content:
            return False
        whole, _, torn = content.rpartition(b"\n")
        first, *lines = (whole if whole or not torn else torn).split(b"\n")
        self._check_question(first)
        self.lines = [line.decode("utf-8", "replace") for line in _sound(lines)]
        size = len(first) + 1 + sum(len(line) + 1 for line in lines[: len(self.lines)])
        os.ftruncate(self._file, size)
        os.lseek(self._file, 0, os.SEEK_END)
        if len(content) < size:  # not even the first line was ended
            self._write("\n")
        return True

    def _check_question(self, first: bytes) -> None:
        try:
            told = json.loads(first)
            asked = told["question"]
            if told["elsewise_partial"] != _FORMAT or not isinstance(asked, dict):
                raise ValueError
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInputError(
                f"{self.path} is no list of finished rows. Remove it, give another --out, or begin anew with --fresh."
            ) from error
        other = [name for name in dict.fromkeys([*asked, *self.question]) if asked.get(name) != self.question.get(name)]
        if other:
            raise InvalidInputError(
                f"{self.path} holds finished rows of another question: {', '.join(other)} differ"
                f"{'s' if len(other) == 1 else ''}. Ask as before to go on from there, give another --out, or begin "
                "anew with --fresh."
            )

    def _write(self, text: str) -> None:
        data = memoryview(text.encode())
        while data:
            data = data[os.write(self._file, data) :]
        os.fsync(self._file)


def _sound(lines: list[bytes]) -> list[bytes]:
    """Lines up to the first that is not the record of its row."""
    for row, line in enumerate(lines):
        try:
            if json.loads(line)["row"] != row:
                return lines[:row]
        except (ValueError, KeyError, TypeError):
            return lines[:row]
    return lines


def _lock(file: int, path: Path) -> None:
    """Refuse to work on the same output twice at a time, where the system can tell."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise InvalidInputError(
            f"{path} is in use: another process is working on the same output. Wait for it, or give another --out."
        ) from error
